#include "unit/diff/sides.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* From 0 to below 1: splitmix64. */
static double chance(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return (double)((z ^ z >> 31) >> 11) / 0x1p53;
}

static size_t choose(const struct program *p, double sum, uint64_t *state)
{
	double at = chance(state) * sum;
	size_t i = 0;

	while (i + 1 < p->count && at >= p->shares[i])
		at -= p->shares[i++];
	return i;
}

void record_side(struct difference *d, enum diff_side side, const struct program *p,
		 uint64_t seed, bool timed)
{
	const uint64_t tick = 10000000;
	struct time_blocks blocks = { .grid = time_grid_known(0, p->samples * tick) };
	struct diff_input input = { .has_samples = true, .path = "recording" };
	uint64_t state = seed * 2654435761u + 12345;
	uint32_t nodes[SIDES_LEAVES_MOST];
	size_t leaf = 0;
	double sum = 0;
	struct tree t;

	tree_init(&t);
	for (size_t i = 0; i < p->count; i++)
		tree_add(&t, p->stacks[i], 0);
	for (size_t i = 0; i < p->count; i++) {
		sum += p->shares[i];
		/* Nodes move while others are added, so they are asked for at the end. */
		t.named.values[COLUMN_WEIGHT][0] = 0;
		tree_add(&t, p->stacks[i], 1);
		for (uint32_t k = 0; k < t.named.nodes.count; k++)
			if (t.named.values[COLUMN_WEIGHT][k]) {
				nodes[i] = k;
				t.named.values[COLUMN_WEIGHT][k] = 0;
			}
	}
	memset(t.named.values[COLUMN_SAMPLES], 0, t.named.nodes.count * sizeof(uint64_t));
	for (size_t i = 0; i < p->samples; i++) {
		/* Lengths of runs are geometric, so the mean is what was asked for. */
		if (i == 0 || chance(&state) * p->burst < 1)
			leaf = choose(p, sum, &state);
		cr_assert_eq(time_blocks_add(&blocks, i * tick, nodes[leaf], 1), 1);
		t.named.values[COLUMN_WEIGHT][nodes[leaf]]++;
		t.named.values[COLUMN_SAMPLES][nodes[leaf]]++;
	}
	tree_sum_up(&t);
	input.in = &t.in;
	if (timed) {
		time_blocks_sort(&blocks, 1);
		input.blocks = &blocks;
		input.last = p->samples * tick;
		input.spent = input.last;
	}
	cr_assert_eq(difference_add(d, side, &input), 0);
	tree_release(&t);
	time_blocks_release(&blocks);
}

void add_text_side(struct difference *d, enum diff_side side, const char *text)
{
	struct diff_input input = { .path = "text" };
	struct tree t;

	tree_init(&t);
	while (*text) {
		size_t size = strcspn(text, "\n");
		char line[256];
		char *blank;

		snprintf(line, sizeof(line), "%.*s", (int)size, text);
		blank = strrchr(line, ' ');
		cr_assert(blank);
		*blank = '\0';
		tree_add(&t, line, strtoull(blank + 1, NULL, 10));
		text += size + (text[size] == '\n');
	}
	tree_sum_up(&t);
	input.in = &t.in;
	cr_assert_eq(difference_add(d, side, &input), 0);
	tree_release(&t);
}

static void name_path(const struct difference *d, uint32_t node, char *to, size_t size)
{
	const struct named_node *n = &d->named.nodes.v[node];
	size_t used;

	*to = '\0';
	if (!node)
		return;
	name_path(d, n->parent, to, size);
	used = strlen(to);
	snprintf(to + used, size - used, "%s%s", used ? ";" : "",
		 intern_text(&d->strings, d->symbols.functions.v[n->function].name));
}

uint32_t node_of_path(const struct difference *d, const char *path)
{
	char name[512];

	for (uint32_t i = 0; i < d->named.nodes.count; i++) {
		name_path(d, i, name, sizeof(name));
		if (strcmp(name, path) == 0)
			return i;
	}
	return UINT32_MAX;
}

void finish(struct difference *d, enum diff_normalize normalize)
{
	struct diff_options options = { .normalize = normalize };
	struct context ctx = { 0 };

	cr_assert_eq(difference_finish(&ctx, d, &options), 0, "%s", ctx.error);
}

char *rows_of(const struct difference *d)
{
	struct text t = { 0 };
	char path[512];

	for (size_t i = 0; i < d->rows.count; i++) {
		const struct diff_row *row = &d->rows.v[i];

		name_path(d, row->node, path, sizeof(path));
		text_printf(&t, "%s %s %+.1f", difference_kind_name(row->kind), path,
			    100 * difference_measure(d, row->node).delta);
		name_path(d, row->from, path, sizeof(path));
		text_printf(&t, "%s%s\n", row->from ? " from " : "", path);
	}
	return t.bytes ?: strdup("");
}
