#ifndef PROCESS_IMAGE_FILE_H
#define PROCESS_IMAGE_FILE_H

#include "process/process.h"

/* As image_find_object(), of an image that need not be in the list yet. */
int find_image_file(const struct images *images, const struct search_dirs *dirs,
		    const struct image *image, unsigned need, struct found *ret);

#endif
