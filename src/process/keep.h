#ifndef PROCESS_KEEP_H
#define PROCESS_KEEP_H

#include "process/process.h"

void images_drop_kept(struct images *im);

/* A path that leads to the file of @image that is held open, appended; false where none is. */
bool image_kept_path(const struct images *im, const struct image *image,
		     struct text *path);

/* NULL: nothing is kept. */
struct kept_maps *images_kept_maps(const struct images *im);

/* Where something is kept: may one more file be held? */
bool images_may_hold(const struct images *im);

#endif
