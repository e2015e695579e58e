/*
 * A space has one or two such images, so lists are gone through, and JIT_IMAGES_MOST
 * bounds what a hostile recording can make of them. A fork makes an image of each for
 * the child, its owner the child and forked_from the parent's; the space keeps which stands
 * for which, and answers are translated by that when they are given.
 *
 *	parent's maps   ->  image 7, owner 100
 *	child asks      ->  image 7  ->  image 9, owner 101, forked_from 7
 */
#include "process/jit.h"

#include <errno.h>

#include "process/process.h"

void jit_images_release(struct jit_images *j)
{
	array_release(&j->mapped);
	array_release(&j->forked);
}

int jit_images_map(struct jit_images *j, const struct images *images, uint32_t image)
{
	uint32_t *slot;

	if (images->list.v[image].kind != IMAGE_ANON || !images->list.v[image].owner)
		return 0;
	for (size_t i = 0; i < j->mapped.count; i++)
		if (j->mapped.v[i] == image)
			return 0;
	if (j->mapped.count >= JIT_IMAGES_MOST)
		return 0;
	slot = array_add(&j->mapped);
	if (!slot)
		return -ENOMEM;
	*slot = image;
	return 0;
}

static int add_forked(struct jit_images *child, struct images *images, uint32_t from,
		      uint32_t parents, uint32_t pid)
{
	struct image key = images->list.v[parents];
	struct forked_image *image;

	if (child->forked.count >= JIT_IMAGES_MOST || key.owner == pid)
		return 0;
	key.owner = key.first.pid = key.last.pid = pid;
	key.forked_from = parents;
	image = array_add(&child->forked);
	if (!image)
		return -ENOMEM;
	image->from = from;
	if (images_add(images, &key, &image->to) < 0)
		return -ENOMEM;
	/* No memory is left for one more image: the child's code has no names. */
	child->forked.count -= image->to == IMAGE_ID_UNKNOWN;
	return 0;
}

/* Maps of all ancestors still name the image of the first owner, so `from` is handed down
 * from one forked image to the next, and only `to` is made anew. */
int jit_images_fork(struct jit_images *child, const struct jit_images *parent,
		    struct images *images, uint32_t pid)
{
	int err = 0;

	for (size_t i = 0; i < parent->mapped.count && err == 0; i++)
		err = add_forked(child, images, parent->mapped.v[i], parent->mapped.v[i],
				 pid);
	for (size_t i = 0; i < parent->forked.count && err == 0; i++)
		err = add_forked(child, images, parent->forked.v[i].from,
				 parent->forked.v[i].to, pid);
	return err;
}

int jit_images_settle(struct jit_images *j)
{
	if (!array_reserve(&j->mapped, j->forked.count))
		return -ENOMEM;
	for (size_t i = 0; i < j->forked.count; i++)
		*array_add(&j->mapped) = j->forked.v[i].to;
	array_release(&j->forked);
	return 0;
}
