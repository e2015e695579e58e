/* What can be listed once everything has its name. */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/pages.h"
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

static void sum_weights(const struct ff_profile *p, struct weights *weights)
{
	for (size_t i = 1; i < p->trie.selves.count; i++) {
		const struct trie_self *self = &p->trie.selves.v[i];
		uint32_t frame = p->trie.nodes[self->node].frame;
		uint64_t weight = self->value[TRIE_WEIGHT];
		struct weights *w;

		/* The empty stack is nobody's, and there may be no frame at all. */
		if (self->node == 0)
			continue;
		w = &weights[p->frames.list.v[frame].image];
		w->all += weight;
		if (is_unnamed(p, frame))
			w->unnamed += weight;
	}
}

/* Objects that samples hit, and the weight of the leaf frames in them. */
static int add_objects(struct ff_profile *p)
{
	struct weights *weights = calloc(p->images.list.count, sizeof(*weights));
	int err = weights ? 0 : -ENOMEM;

	if (err == 0)
		sum_weights(p, weights);
	for (uint32_t id = IMAGE_ID_UNKNOWN; err == 0 && id < p->images.list.count; id++)
		if (p->symbols.images.v[id].frames)
			err = add_object(p, id, &weights[id]);
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

/* NULL without memory. */
static uint64_t *sum_totals(const struct named *tree)
{
	size_t count = tree->nodes.count;
	uint64_t *totals = pages_room(count * sizeof(*totals));

	if (!totals)
		return NULL;
	memcpy(totals, tree->self, count * sizeof(*totals));
	for (size_t i = count; i-- > 1;)
		totals[tree->nodes.v[i].parent] += totals[i];
	return totals;
}

/* The first one's; who comes second forgets his own. */
static uint64_t *keep_totals(struct ff_profile *p, uint64_t *totals)
{
	uint64_t *known = NULL;

	if (!totals || atomic_compare_exchange_strong(&p->totals, &known, totals))
		return totals;
	free(totals);
	return known;
}

uint64_t node_total(struct ff_profile *p, uint32_t node)
{
	uint64_t *totals = atomic_load(&p->totals), sum = 0;

	if (!totals)
		totals = keep_totals(p, sum_totals(&p->named));
	if (totals)
		return totals[node];
	for (uint32_t i = node; i < p->named.nodes.v[node].end; i++)
		sum += p->named.self[i];
	return sum;
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
	if (p->processes.count)
		qsort(p->processes.v, p->processes.count, sizeof(*p->processes.v),
		      by_samples);
	return 0;
}

void forget_results(struct ff_profile *p)
{
	p->finished = false;
	named_release(&p->named);
	free(atomic_exchange(&p->totals, NULL));
	p->objects.count = 0;
	roots_release(&p->roots);
	p->findings.count = 0;
}
