/*
 * <flamefold_time.h>: a profile by its time. A slice is a tree of its own: those nodes of the profile's
 * that have something in it, and those above them, so writing slices costs what is in them.
 */
#include <flamefold_time.h>

#include <errno.h>
#include <flamefold_chart.h>
#include <inttypes.h>

#include "engine/phases.h"
#include "engine/profile.h"
#include "write/write.h"

int ff_profile_slice(struct ff_profile *p, uint64_t nanoseconds)
{
	if (!nanoseconds || p->inputs.count)
		return fail(&p->ctx, -EINVAL,
			    "a slice is longer than 0, and said before anything is read");
	p->slice = nanoseconds;
	return 0;
}

/* Of one slice. */
struct slice_tree {
	struct named named;
	ARRAY(uint32_t) nodes; /* of the profile's tree, in its order */
	uint32_t *
		place; /* by node of that: where it is in this one; only of those that are here */
};

static int by_node_number(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return a < b ? -1 : a > b;
}

/* What has something in the slice, and what is above it. @place: all UINT32_MAX, and again at the end. */
static int make_slice(struct slice_tree *s, const struct named *whole,
		      const struct heat_cell *cells, size_t count)
{
	struct named *n = &s->named;
	int err = 0;

	s->nodes.count = 0;
	for (size_t i = 0; i < count; i++)
		for (uint32_t node = cells[i].node; s->place[node] == UINT32_MAX;
		     node = whole->nodes.v[node].parent) {
			uint32_t *slot = array_add(&s->nodes);

			if (!slot)
				return -ENOMEM;
			*slot = node;
			s->place[node] = 0;
		}
	qsort(s->nodes.v, s->nodes.count, sizeof(*s->nodes.v), by_node_number);
	for (uint32_t i = 0; i < s->nodes.count; i++)
		s->place[s->nodes.v[i]] = i;
	named_release(n);
	*n = (struct named){ .columns = whole->columns,
			     .decimals = whole->decimals,
			     .joined = whole->joined };
	for (uint32_t i = 0; i <= COLUMN_SAMPLES && err == 0; i++) {
		n->values[i] = calloc(s->nodes.count, sizeof(**n->values));
		err = n->values[i] ? 0 : -ENOMEM;
	}
	n->totals = calloc(s->nodes.count, sizeof(*n->totals));
	if (err < 0 || !n->totals || !array_reserve(&n->nodes, s->nodes.count))
		return -ENOMEM;
	n->nodes.count = s->nodes.count;
	for (size_t i = 0; i < count; i++) {
		uint32_t at = s->place[cells[i].node];

		n->values[COLUMN_WEIGHT][at] += cells[i].weight;
		n->values[COLUMN_SAMPLES][at] += cells[i].samples;
		n->totals[at] += cells[i].weight;
	}
	/* A parent's number is below its children's, which end where the last one below them does. */
	for (uint32_t i = (uint32_t)s->nodes.count; i-- > 0;) {
		struct named_node *node = &n->nodes.v[i];
		uint32_t of = s->nodes.v[i];

		*node = (struct named_node){
			.function = whole->nodes.v[of].function,
			.parent = s->place[whole->nodes.v[of].parent],
			.end = i + 1,
		};
		for (uint32_t k = i + 1;
		     k < s->nodes.count && s->nodes.v[k] < whole->nodes.v[of].end;
		     k = n->nodes.v[k].end)
			node->end = n->nodes.v[k].end;
		if (i)
			n->totals[node->parent] += n->totals[i];
	}
	for (size_t i = 0; i < s->nodes.count; i++)
		s->place[s->nodes.v[i]] = UINT32_MAX;
	return 0;
}

/* Why there is no time to be had. */
static const char *const untimed[] = {
	[HEAT_WHOLE] = "nothing in it has a time",
	[HEAT_UNTIMED] = "something in it has no time, or shares that of others",
	[HEAT_SEVERAL] = "its inputs have clocks of their own: give one of them",
	[HEAT_REFUSED] = "the memory limit leaves no room for its times",
	[HEAT_COARSE] =
		"the picture has its times in cells that slices as short would cut",
	[HEAT_TOO_LONG] = "its times lie too far apart for slices as short",
};

static const char *flaw_words(const struct ff_profile *p)
{
	uint8_t flaw = p->collected.heat.flaw;

	return flaw == HEAT_SEVERAL && p->axis.why ? p->axis.why : untimed[flaw];
}

int ff_write_slices(struct ff_profile *p, FILE *out)
{
	const struct heat *h = &p->collected.heat;
	const struct heat_cell *v = h->cells.v;
	struct tree_source in = tree_source(p);
	struct slice_tree s = { 0 };
	int err = 0;

	if (!p->finished)
		return fail(&p->ctx, -EINVAL, "the profile is not finished");
	if (!heat_is_wanted(h) || !h->cells.count)
		return fail(&p->ctx, -EOPNOTSUPP, "there are no slices of time: %s",
			    flaw_words(p));
	s.place = malloc(p->named.nodes.count * sizeof(*s.place));
	if (!s.place)
		return fail_memory(&p->ctx);
	memset(s.place, 0xff, p->named.nodes.count * sizeof(*s.place));
	in.tree = &s.named;
	for (size_t i = 0, end; i < h->cells.count && err == 0; i = end) {
		uint64_t from = v[i].cell * h->width, until = from + h->width;
		struct write_options how = { 0 };

		for (end = i; end < h->cells.count && v[end].cell == v[i].cell;)
			end++;
		err = make_slice(&s, &p->named, &v[i], end - i);
		if (err < 0)
			err = fail_memory(&p->ctx);
		else if (fprintf(out,
				 "# %" PRIu64 ".%09" PRIu64 ",%" PRIu64 ".%09" PRIu64
				 "\n",
				 from / 1000000000, from % 1000000000, until / 1000000000,
				 until % 1000000000) < 0)
			err = fail(&p->ctx, -EIO, "cannot write slices");
		else
			err = write_folded(&p->ctx, &in, &how, out);
	}
	named_release(&s.named);
	array_release(&s.nodes);
	free(s.place);
	return err;
}

size_t ff_profile_phases(const struct ff_profile *p, const struct ff_phase **ret)
{
	*ret = p->phases.list.v;
	return p->finished ? p->phases.list.count : 0;
}

const char *ff_profile_untimed(const struct ff_profile *p)
{
	const struct heat *h = &p->collected.heat;

	return heat_is_wanted(h) && h->cells.count ? NULL : flaw_words(p);
}

const char *ff_profile_unmapped(const struct ff_profile *p)
{
	const char *untimed = ff_profile_untimed(p);

	if (p->options.flags & FF_CHART)
		return "a chart goes by time itself";
	return untimed || heat_reach(&p->collected.heat) >= FF_HEAT_LEAST
		       ? untimed
		       : "it lasted less than two seconds";
}
