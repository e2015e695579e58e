/* What is put below each other in any order is told in one. */
#include "store/placed.h"

#include <criterion/criterion.h>

enum { SLICED = 2, PLACES = SLICED * STORE_SLICES };

static void init(struct placed *p, struct store_tables *tables, struct intern *strings)
{
	cr_assert_eq(intern_init(strings), 0);
	cr_assert_eq(store_tables_init(tables, strings), 0);
	for (uint32_t i = 0; i < SLICED; i++) {
		struct store_column column = { .name = i, .has_slices = true };
		uint32_t index;

		cr_assert_eq(intern_add(strings, i ? "b" : "a", 1, &column.name), 0);
		cr_assert_eq(store_add_column(tables, &column, &index), 0);
	}
	cr_assert_eq(placed_init(p, tables, 0), 0);
	cr_assert_eq(p->sliced, SLICED);
}

static void release(struct placed *p, struct store_tables *tables, struct intern *strings)
{
	placed_release(p);
	store_tables_release(tables);
	intern_release(strings);
}

Test(placed, slices_are_in_order_and_those_of_one_place_are_added_up)
{
	uint64_t expected[3][PLACES] = { 0 };
	struct store_tables tables;
	struct intern strings;
	struct placed p;
	uint32_t nodes[3] = { 0 };

	init(&p, &tables, &strings);
	for (uint32_t i = 1; i < 3; i++)
		cr_assert_eq(placed_child(&p, 0, 3 - i, &nodes[i]), 0);
	/* Some of each in turn, with its places upwards or downwards or in leaps. */
	for (uint32_t i = 0; i < 3 * PLACES; i++) {
		uint32_t which = i / 4 % 3, step[] = { 1, PLACES - 1, 17 };
		uint32_t place = i * step[which] % PLACES;

		if (place % 5 == which)
			continue;
		expected[which][place] += i + 1;
		cr_assert_eq(placed_add_slice(&p, nodes[which], place, i + 1), 0);
	}
	for (uint32_t which = 0; which < 3; which++) {
		uint32_t at = p.nodes.v[nodes[which]].slices;

		for (uint32_t place = 0; place < PLACES; place++) {
			if (!expected[which][place])
				continue;
			cr_assert_neq(at, 0);
			cr_expect_eq(p.slices.v[at].place, place);
			cr_expect_eq(p.slices.v[at].value, expected[which][place]);
			at = p.slices.v[at].next;
		}
		cr_expect_eq(at, 0);
	}
	release(&p, &tables, &strings);
}

Test(placed, children_are_in_the_order_of_their_frames)
{
	static const uint32_t frames[] = { 5, 2, 9, 5, 7, 2, 1 };
	struct store_tables tables;
	struct intern strings;
	struct placed p;
	uint32_t last = 0, node;

	init(&p, &tables, &strings);
	for (size_t i = 0; i < sizeof(frames) / sizeof(*frames); i++)
		cr_assert_eq(placed_child(&p, 0, frames[i], &node), 0);
	cr_expect_eq(p.nodes.count, 6);
	for (node = p.nodes.v[0].first; node; node = p.nodes.v[node].next) {
		cr_expect_gt(p.nodes.v[node].frame, last);
		last = p.nodes.v[node].frame;
	}
	cr_expect_eq(last, 9);
	release(&p, &tables, &strings);
}

/* In a file they have other numbers than in the order they came. */
Test(placed, times_follow_their_nodes)
{
	struct store_tables tables;
	struct store_sink sink;
	struct intern strings;
	struct placed p;
	uint32_t later, sooner;
	size_t size;
	char *file;
	FILE *out = open_memstream(&file, &size);

	init(&p, &tables, &strings);
	tables.has_heat = true;
	cr_assert_eq(placed_child(&p, 0, 2, &later), 0);
	cr_assert_eq(placed_child(&p, 0, 1, &sooner), 0);
	p.heat = (struct heat){ .width = 1, .is_fixed = true };
	for (uint32_t i = 0; i < 2; i++) {
		struct heat_cell cell = { .weight = i + 5,
					  .node = i ? sooner : later,
					  .samples = 1 };

		cr_assert_eq(heat_add_cell(&p.heat, 3, cell), 0);
	}
	cr_assert_eq(store_sink_init(&sink, out, true, store_tables_flags(&tables)), 0);
	cr_assert_eq(placed_write(&p, &sink, &tables), 0);
	cr_assert_eq(p.heat.cells.count, 2);
	for (uint32_t i = 0; i < 2; i++) {
		cr_expect_eq(p.heat.cells.v[i].node, i + 1);
		cr_expect_eq(p.heat.cells.v[i].weight, 6 - i);
	}
	store_sink_release(&sink);
	fclose(out);
	free(file);
	release(&p, &tables, &strings);
}
