/*
 * What can be listed once everything has its name: objects, with the weight of the leaf frames in
 * them, and processes, in the order in which they are shown. Objects of pictures are listed as
 * these tell them. Rows of the trie that have a weight are gone over once, so it costs what the
 * tree does, not what the samples did.
 */
#include <errno.h>
#include <stdlib.h>

#include "engine/profile.h"

static int processes_by_samples(const void *a, const void *b)
{
	const struct ff_process *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples < y->samples ? 1 : -1;
	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

/* Down to the build id, so that the order is the same in every run. */
static int objects_by_weight(const void *a, const void *b)
{
	const struct ff_object *x = a, *y = b;
	int order;

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	order = strcmp(ff_object_path(x), ff_object_path(y));
	return order ? order : strcmp(x->build_id, y->build_id);
}

/* Of leaf frames. */
struct weights {
	uint64_t all, unnamed;
};

static uint32_t shown_as(const struct ff_profile *p, const struct hash_map *maps,
			 uint32_t id)
{
	const struct image *image = &p->images.list.v[id];
	const uint32_t *map = image->code ? hash_map_get(maps, image->owner) : NULL;

	return map ? *map : id;
}

/* Objects that samples hit, and the weight of the leaf frames in them. */
static int add_hit_objects(struct ff_profile *p)
{
	const struct trie *t = &p->collected.trie;
	struct weights *weights = calloc(p->images.list.count, sizeof(*weights));
	struct hash_map maps = { 0 }; /* by process */
	int err = weights ? 0 : -ENOMEM;

	/* Lines of a map have images of their own, and are shown as its others are: for a
	 * process the first image of its code that samples hit, if there is one that is no
	 * line's. */
	for (uint32_t id = 0; id < p->images.list.count && err == 0; id++) {
		const struct image *image = &p->images.list.v[id];
		const uint32_t *known = hash_map_get(&maps, image->owner);

		if (image->kind == IMAGE_ANON && image->owner &&
		    p->symbols.images.v[id].frames &&
		    (!known || (!image->code && p->images.list.v[*known].code)) &&
		    !hash_map_set(&maps, image->owner, id))
			err = -ENOMEM;
	}
	/* The empty stack is nobody's, and there may be no frame at all. */
	for (size_t row = 1; row < t->rows.count && err == 0; row++) {
		uint32_t node = trie_row_node(t, row), frame = t->nodes[node].frame;
		uint64_t weight = trie_row_self(t, row, COLUMN_WEIGHT);
		uint32_t inlined, image;

		if (node == 0)
			continue;
		/* The leaf's image has all of the stack's own weight. */
		image = shown_as(p, &maps, p->collected.frames.list.v[frame].image);
		weights[image].all += weight;
		/* A leaf without a symbol may have a name all the same: of what was inlined
		 * there. */
		symbols_inlined(&p->symbols, frame, &inlined);
		if (!inlined &&
		    p->symbols.functions.v[p->symbols.of_frame.v[frame]].unnamed)
			weights[image].unnamed += weight;
	}
	/* Images before that one are names and marks, which are no objects. */
	for (uint32_t id = IMAGE_ID_UNKNOWN; err == 0 && id < p->images.list.count;
	     id++) {
		const struct image *image = &p->images.list.v[id];
		struct ff_object *object;

		if (!p->symbols.images.v[id].frames || shown_as(p, &maps, id) != id)
			continue;
		object = array_add(&p->objects);
		if (!object) {
			err = -ENOMEM;
			break;
		}
		*object = (struct ff_object){ .profile = p,
					      .image = id,
					      .weight = weights[id].all,
					      .unnamed = weights[id].unnamed };
		for (uint8_t i = 0; i < image->build_id_size; i++)
			snprintf(object->build_id + 2 * i, 3, "%02x", image->build_id[i]);
	}
	hash_map_release(&maps);
	free(weights);
	return err;
}

int list_results(struct ff_profile *p)
{
	for (size_t i = 0; i < p->inputs.count; i++) {
		const struct saved_report *r = p->inputs.v[i]->report;

		for (size_t k = 0; r && k < r->objects.count; k++) {
			const struct saved_object *saved = &r->objects.v[k];
			struct ff_object *object = array_add(&p->objects);

			if (!object)
				return -ENOMEM;
			*object = (struct ff_object){ .profile = p,
						      .saved = saved,
						      .weight = saved->weight,
						      .unnamed = saved->unnamed };
			memcpy(object->build_id, saved->build_id,
			       sizeof(object->build_id));
		}
	}
	if (add_hit_objects(p) < 0 || roots_judge(p, &p->roots) < 0)
		return -ENOMEM;
	if (p->objects.count)
		qsort(p->objects.v, p->objects.count, sizeof(*p->objects.v),
		      objects_by_weight);
	if (p->collected.processes.list.count)
		qsort(p->collected.processes.list.v, p->collected.processes.list.count,
		      sizeof(*p->collected.processes.list.v), processes_by_samples);
	return 0;
}

void forget_results(struct ff_profile *p)
{
	p->finished = false;
	named_release(&p->named);
	p->objects.count = 0;
	roots_release(&p->roots);
	p->findings.count = 0;
	p->phases.list.count = 0;
}
