/* What can be listed once everything has its name. */
#include <errno.h>
#include <stdlib.h>

#include "engine/profile.h"

static int by_samples(const void *a, const void *b)
{
	const struct ff_process *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples < y->samples ? 1 : -1;
	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

static int by_weight(const void *a, const void *b)
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

static int add_object(struct ff_profile *p, uint32_t id, const struct weights *weights)
{
	const struct image *image = &p->images.list.v[id];
	struct ff_object *object = array_add(&p->objects);

	if (!object)
		return -ENOMEM;
	object->profile = p;
	object->saved = NULL;
	object->image = id;
	object->weight = weights->all;
	object->unnamed = weights->unnamed;
	for (uint8_t i = 0; i < image->build_id_size; i++)
		snprintf(object->build_id + 2 * i, 3, "%02x", image->build_id[i]);
	return 0;
}

/* A leaf without a symbol may have a name all the same: of what was inlined there. */
static bool is_unnamed(const struct ff_profile *p, uint32_t frame)
{
	uint32_t count;

	symbols_inlined(&p->symbols, frame, &count);
	return count == 0 && p->symbols.functions.v[p->symbols.of_frame.v[frame]].unnamed;
}

/*
 * Lines of a map have images of their own, and are shown as its others are: for a process the first
 * image of its code that samples hit, if there is one that is no line's.
 */
static bool choose_maps(const struct ff_profile *p, struct hash_map *ret)
{
	for (uint32_t id = 0; id < p->images.list.count; id++) {
		const struct image *image = &p->images.list.v[id];
		const uint32_t *known = hash_map_get(ret, image->owner);

		if (image->kind != IMAGE_ANON || !image->owner ||
		    !p->symbols.images.v[id].frames ||
		    (known && (image->code || !p->images.list.v[*known].code)))
			continue;
		if (!hash_map_set(ret, image->owner, id))
			return false;
	}
	return true;
}

static uint32_t shown_as(const struct ff_profile *p, const struct hash_map *maps,
			 uint32_t id)
{
	const struct image *image = &p->images.list.v[id];
	const uint32_t *map = image->code ? hash_map_get(maps, image->owner) : NULL;

	return map ? *map : id;
}

static void sum_weights(const struct ff_profile *p, const struct hash_map *maps,
			struct weights *weights)
{
	const struct trie *t = &p->collected.trie;

	for (size_t row = 1; row < t->rows.count; row++) {
		uint32_t node = trie_row_node(t, row);
		uint32_t frame = p->collected.trie.nodes[node].frame;
		uint64_t weight = trie_row_self(t, row, COLUMN_WEIGHT);
		struct weights *w;

		/* The empty stack is nobody's, and there may be no frame at all. */
		if (node == 0)
			continue;
		w = &weights[shown_as(p, maps, p->collected.frames.list.v[frame].image)];
		w->all += weight;
		if (is_unnamed(p, frame))
			w->unnamed += weight;
	}
}

/* Objects that samples hit, and the weight of the leaf frames in them. */
static int add_objects(struct ff_profile *p)
{
	struct weights *weights = calloc(p->images.list.count, sizeof(*weights));
	struct hash_map maps = { 0 };
	int err = weights && choose_maps(p, &maps) ? 0 : -ENOMEM;

	if (err == 0)
		sum_weights(p, &maps, weights);
	for (uint32_t id = IMAGE_ID_UNKNOWN; err == 0 && id < p->images.list.count; id++)
		if (p->symbols.images.v[id].frames && shown_as(p, &maps, id) == id)
			err = add_object(p, id, &weights[id]);
	hash_map_release(&maps);
	free(weights);
	return err;
}

/* Those that a picture tells of. */
static int add_saved_objects(struct ff_profile *p, const struct saved_report *r)
{
	for (size_t i = 0; i < r->objects.count; i++) {
		const struct saved_object *saved = &r->objects.v[i];
		struct ff_object *object = array_add(&p->objects);

		if (!object)
			return -ENOMEM;
		*object = (struct ff_object){ .profile = p,
					      .saved = saved,
					      .weight = saved->weight,
					      .unnamed = saved->unnamed };
		memcpy(object->build_id, saved->build_id, sizeof(object->build_id));
	}
	return 0;
}

int list_results(struct ff_profile *p)
{
	for (size_t i = 0; i < p->inputs.count; i++)
		if (p->inputs.v[i]->report &&
		    add_saved_objects(p, p->inputs.v[i]->report) < 0)
			return -ENOMEM;
	if (add_objects(p) < 0 || roots_judge(p, &p->roots) < 0)
		return -ENOMEM;
	if (p->objects.count)
		qsort(p->objects.v, p->objects.count, sizeof(*p->objects.v), by_weight);
	if (p->collected.processes.list.count)
		qsort(p->collected.processes.list.v, p->collected.processes.list.count,
		      sizeof(*p->collected.processes.list.v), by_samples);
	return 0;
}

void forget_results(struct ff_profile *p)
{
	p->finished = false;
	named_release(&p->named);
	p->objects.count = 0;
	roots_release(&p->roots);
	p->findings.count = 0;
}
