#ifndef PROCESS_JIT_H
#define PROCESS_JIT_H

#include "base/array.h"
#include "input/input.h"

/*
 * Code that runtimes made, as part of the timeline.
 *
 * The child of a fork goes on with its parent's code, and from then on writes a map of its
 * own. So for a child the images of such code are others, forked ones, which are asked first.
 */
struct forked_image {
	uint32_t from, to; /* images: as a space of the parent has it, and the child's */
};

/* Images of code that a space has mapped or got at its fork. A process has one or two. */
enum { JIT_IMAGES_MOST = 16 };
struct jit_images {
	ARRAY(uint32_t) mapped;
	ARRAY(struct forked_image) forked;
};

void jit_images_release(struct jit_images *j);

struct images;

/* The space has mapped an image. 0, or -ENOMEM. */
int jit_images_map(struct jit_images *j, const struct images *images, uint32_t image);

/* What @pid has instead of its parent's images; @child is empty. 0, or -ENOMEM. */
int jit_images_fork(struct jit_images *child, const struct jit_images *parent,
		    struct images *images, uint32_t pid);

/* A child's maps are copies of its parent's, and have its own images. 0, or -ENOMEM. */
int jit_images_settle(struct jit_images *j);

/* The image that a space has instead of one that it got from its parent. */
static inline uint32_t jit_images_forked(const struct jit_images *j, uint32_t image)
{
	for (size_t i = 0; i < j->forked.count; i++)
		if (j->forked.v[i].from == image)
			return j->forked.v[i].to;
	return image;
}

#endif
