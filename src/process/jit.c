/*
 * A space has one or two such images, so lists are gone through, and JIT_IMAGES_MOST
 * bounds what a hostile recording can make of them. A fork makes an image of each for
 * the child, its owner the child and heir_of the parent's; the space keeps which stands
 * for which, and answers are translated by that when they are given.
 *
 *	parent's maps   ->  image 7, owner 100
 *	child asks      ->  image 7  ->  image 9, owner 101, heir_of 7
 */
#include "process/jit.h"

#include <errno.h>

#include "process/process.h"

void jit_images_release(struct jit_images *j)
{
	array_release(&j->mapped);
	array_release(&j->heirs);
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

static int add_heir(struct jit_images *child, struct images *images, uint32_t from,
		    uint32_t parents, uint32_t pid)
{
	struct image key = images->list.v[parents];
	struct jit_heir *heir;

	if (child->heirs.count >= JIT_IMAGES_MOST || key.owner == pid)
		return 0;
	key.owner = key.first.pid = key.last.pid = pid;
	key.heir_of = parents;
	heir = array_add(&child->heirs);
	if (!heir)
		return -ENOMEM;
	heir->from = from;
	if (images_add(images, &key, &heir->to) < 0)
		return -ENOMEM;
	/* No memory is left for one more image: the child's code has no names. */
	child->heirs.count -= heir->to == IMAGE_ID_UNKNOWN;
	return 0;
}

/* Maps of all ancestors still name the image of the first owner, so `from` is handed down
 * from heir to heir and only `to` is made anew. */
int jit_images_fork(struct jit_images *child, const struct jit_images *parent,
		    struct images *images, uint32_t pid)
{
	int err = 0;

	for (size_t i = 0; i < parent->mapped.count && err == 0; i++)
		err = add_heir(child, images, parent->mapped.v[i], parent->mapped.v[i],
			       pid);
	for (size_t i = 0; i < parent->heirs.count && err == 0; i++)
		err = add_heir(child, images, parent->heirs.v[i].from,
			       parent->heirs.v[i].to, pid);
	return err;
}

int jit_images_settle(struct jit_images *j)
{
	if (!array_reserve(&j->mapped, j->heirs.count))
		return -ENOMEM;
	for (size_t i = 0; i < j->heirs.count; i++)
		*array_add(&j->mapped) = j->heirs.v[i].to;
	array_release(&j->heirs);
	return 0;
}
