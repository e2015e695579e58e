#include <criterion/criterion.h>
#include <errno.h>

#include "base/bytes.h"
#include "base/cursor.h"
#include "tree/saved.h"

enum { COLUMNS = SAVED_HEAT_PHASES - SAVED_HEAT + 1 };

/* Three nodes, of which two have something: node 0 has 12 in cells 2 and 5, node 2 has 9 in cell 5. */
static struct bytes columns[COLUMNS];
static uint64_t own[] = { 12, 0, 9 };
static const uint32_t parents[] = { 0, 0, 1 }, depths[] = { 0, 1, 2 };

static struct bytes *column(enum saved_column id)
{
	return &columns[id - SAVED_HEAT];
}

/* @first: samples of the first pair: one, or none where a wait is in several cells. */
static void encode(uint64_t first)
{
	struct heat h = { .width = 100, .is_fixed = true };
	const struct heat_cell one = { .weight = 3, .samples = first },
			       other = { .weight = 9, .samples = 3 },
			       last = { .weight = 9, .samples = 3, .node = 2 };

	cr_assert_eq(heat_add_cell(&h, 200, one), 0);
	cr_assert_eq(heat_add_cell(&h, 500, other), 0);
	cr_assert_eq(heat_add_cell(&h, 500, last), 0);
	cr_assert_eq(heat_finish(&h), 0);
	cr_assert_eq(
		saved_heat_encode(columns, &h, &(struct heat_nodes){ 3, NULL, depths }),
		0);
	heat_release(&h);
}

static void begin(void)
{
	encode(1);
}

static void end(void)
{
	for (int i = 0; i < COLUMNS; i++)
		bytes_release(&columns[i]);
	memset(columns, 0, sizeof(columns));
}

/* Whether a column was cut is what who decodes all of the tree looks at. */
static int decode(struct saved_tree *t, struct budget *budget)
{
	struct cursor at[COLUMNS];
	int err;

	*t = (struct saved_tree){ .nodes = 3 };
	t->values[COLUMN_WEIGHT].of = own;
	for (int i = 0; i < COLUMNS; i++)
		at[i] = cursor_of(columns[i].v, columns[i].count);
	err = saved_heat_decode(at, budget, &(struct saved_nodes){ 3, own, parents },
				&t->heat);
	for (int i = 0; i < COLUMNS && err == 0; i++)
		err = at[i].bad ? -EBADMSG : 0;
	return err;
}

static void release(struct saved_tree *t)
{
	saved_heat_release(&t->heat);
	saved_heat_release(&t->processors);
}

static void expect_pair(const struct saved_tree *t, size_t i, struct heat_cell expected)
{
	const struct heat_cell *c = &t->heat.pairs.v[i];

	cr_expect_eq(c->weight, expected.weight, "%zu weighs %lu", i, c->weight);
	cr_expect_eq(c->cell, expected.cell, "%zu is in %u", i, c->cell);
	cr_expect_eq(c->node, expected.node);
	cr_expect_eq(c->samples, expected.samples);
}

TestSuite(decode_heat, .init = begin, .fini = end);

Test(decode_heat, pairs_are_by_node_and_then_by_time)
{
	struct saved_tree t;

	cr_assert_eq(decode(&t, NULL), 0);
	cr_expect_eq(t.heat.width, 100);
	cr_assert_eq(t.heat.pairs.count, 3);
	expect_pair(&t, 0, (struct heat_cell){ 3, 2, 0, 1 });
	expect_pair(&t, 1, (struct heat_cell){ 9, 5, 0, 3 });
	expect_pair(&t, 2, (struct heat_cell){ 9, 5, 2, 3 });
	release(&t);
}

/* Which of the columns are there, and may not be cut nor have another byte. What a byte of the codes says
 * instead is as much another time: that they end where they do is known. */
static void expect_refused(const enum saved_column *each, size_t count)
{
	struct saved_tree t;

	for (size_t i = 0; i < count; i++) {
		struct bytes *b = column(each[i]);

		cr_assert_gt(b->count, 0, "column %d", each[i]);
		b->count--;
		cr_expect_eq(decode(&t, NULL), -EBADMSG, "column %d", each[i]);
		release(&t);
		b->count++;
		for (size_t k = 0; k < b->count; k++) {
			uint8_t was = b->v[k];

			/* A width, gaps between cells, and samples of waits can be any. */
			if (each[i] == SAVED_HEAT_CELLS || each[i] == SAVED_HEAT_CODES ||
			    each[i] == SAVED_HEAT_SAMPLES ||
			    (each[i] == SAVED_HEAT && !k))
				continue;
			b->v[k] = 0x7f;
			cr_expect_eq(decode(&t, NULL), -EBADMSG, "byte %zu of %d", k,
				     each[i]);
			release(&t);
			b->v[k] = was;
		}
	}
}

Test(decode_heat, no_byte_of_it_may_be_another_one_or_missing)
{
	static const enum saved_column each[] = { SAVED_HEAT, SAVED_HEAT_CELLS,
						  SAVED_HEAT_CODES };

	cr_expect_eq(column(SAVED_HEAT_PAIRS)->count, 0);
	cr_expect_eq(column(SAVED_HEAT_SAMPLES)->count, 0);
	expect_refused(each, sizeof(each) / sizeof(*each));
}

/* A sample may weigh nothing; a node that has only such ones has no value that says that it is there. */
Test(decode_heat, a_node_without_weight_has_no_pairs)
{
	struct heat h = { .width = 100, .is_fixed = true };
	struct saved_tree t;

	end();
	for (uint32_t node = 0; node < 3; node++)
		cr_assert_eq(heat_add_cell(&h, 200 + 100 * node,
					   (struct heat_cell){ .weight = own[node],
							       .samples = 1,
							       .node = node }),
			     0);
	cr_assert_eq(heat_finish(&h), 0);
	cr_assert_eq(
		saved_heat_encode(columns, &h, &(struct heat_nodes){ 3, NULL, depths }),
		0);
	heat_release(&h);
	cr_assert_eq(decode(&t, NULL), 0);
	cr_assert_eq(t.heat.pairs.count, 2);
	expect_pair(&t, 0, (struct heat_cell){ 12, 2, 0, 1 });
	expect_pair(&t, 1, (struct heat_cell){ 9, 4, 2, 1 });
	release(&t);
}

Test(decode_heat, weights_are_said_where_samples_do_not_say_them)
{
	static const enum saved_column each[] = {
		SAVED_HEAT,	  SAVED_HEAT_CELLS,   SAVED_HEAT_PAIRS,
		SAVED_HEAT_CODES, SAVED_HEAT_SAMPLES, SAVED_HEAT_WEIGHTS
	};
	struct saved_tree t;

	end();
	encode(0);
	cr_assert_eq(decode(&t, NULL), 0);
	cr_assert_eq(t.heat.pairs.count, 3);
	expect_pair(&t, 0, (struct heat_cell){ 3, 2, 0, 0 });
	expect_pair(&t, 1, (struct heat_cell){ 9, 5, 0, 3 });
	expect_pair(&t, 2, (struct heat_cell){ 9, 5, 2, 3 });
	release(&t);
	expect_refused(each, sizeof(each) / sizeof(*each));
}

/* A number of pairs that takes more memory than there is, or more than what nodes have, is not tried. */
Test(decode_heat, pairs_are_no_more_than_what_nodes_have)
{
	struct bytes *header = column(SAVED_HEAT);
	struct saved_tree t;

	for (uint64_t pairs = 8; pairs < UINT32_MAX; pairs *= 8) {
		struct budget budget;

		header->count = 4;
		bytes_varint(header, pairs);
		budget_init(&budget, 1 << 20);
		cr_expect_eq(decode(&t, &budget), t.heat.refused ? 0 : -EBADMSG);
		release(&t);
		budget_release(&budget);
	}
}

Test(decode_heat, times_are_below_2_to_the_63)
{
	static const uint8_t rest[] = { 3, 0, 2, 3 };
	struct saved_tree t;

	column(SAVED_HEAT)->count = 0;
	bytes_varint(column(SAVED_HEAT), INT64_MAX / 6);
	bytes_add(column(SAVED_HEAT), rest, sizeof(rest));
	cr_expect_eq(decode(&t, NULL), 0);
	release(&t);
	column(SAVED_HEAT)->count = 0;
	bytes_varint(column(SAVED_HEAT), INT64_MAX / 6 + 1);
	bytes_add(column(SAVED_HEAT), rest, sizeof(rest));
	cr_expect_eq(decode(&t, NULL), -EBADMSG);
	release(&t);
}

Test(decode_heat, without_memory_there_is_none)
{
	struct budget budget;
	struct saved_tree t;

	budget_init(&budget, 10);
	cr_expect_eq(decode(&t, &budget), 0);
	cr_expect(t.heat.refused);
	cr_expect_eq(t.heat.pairs.count, 0);
	release(&t);
	budget_release(&budget);
}

/* What decoding took is given back before pairs are. */
Test(decode_heat, only_pairs_are_claimed_behind_it)
{
	struct budget budget;
	struct saved_tree t;

	budget_init(&budget, 1 << 20);
	cr_expect_eq(decode(&t, &budget), 0);
	cr_expect_eq(budget.used, t.heat.pairs.count * sizeof(*t.heat.pairs.v));
	release(&t);
	cr_expect_eq(budget.used, 0);
	budget_release(&budget);
}

/* What the tree has, by processor: 12 of number 3 in cell 2, and 9 of number 70 in cell 5. */
enum { PROCESSOR_COLUMNS = 1 + SAVED_HEAT_PARTS };

static void encode_processors(struct bytes *to, uint64_t width)
{
	struct heat h = { .width = width, .is_fixed = true };
	const struct heat_cell one = { .weight = 12, .node = 3, .samples = 4 },
			       other = { .weight = 9, .node = 70, .samples = 3 };

	cr_assert_eq(heat_add_cell(&h, 200, one), 0);
	cr_assert_eq(heat_add_cell(&h, 500, other), 0);
	cr_assert_eq(heat_finish(&h), 0);
	cr_assert_eq(saved_processors_encode(to, &h), 0);
	heat_release(&h);
}

/* To be released in either case. */
static int decode_processors(struct bytes *from, struct saved_tree *t)
{
	struct cursor at[PROCESSOR_COLUMNS];
	int err = decode(t, NULL);

	for (int i = 0; i < PROCESSOR_COLUMNS; i++)
		at[i] = cursor_of(from[i].v, from[i].count);
	if (err == 0)
		err = saved_processors_decode(at, NULL, t);
	for (int i = 0; i < PROCESSOR_COLUMNS && err == 0; i++)
		err = at[i].bad ? -EBADMSG : 0;
	return err;
}

Test(decode_heat, processors_have_their_numbers_again)
{
	struct bytes to[PROCESSOR_COLUMNS] = { { 0 } };
	const struct heat_cell *pairs;
	struct saved_tree t;

	encode_processors(to, 100);
	cr_assert_eq(decode_processors(to, &t), 0);
	cr_expect_eq(t.processors.width, 100);
	cr_assert_eq(t.processors.pairs.count, 2);
	pairs = t.processors.pairs.v;
	cr_expect(pairs[0].node == 3 && pairs[0].cell == 2 && pairs[0].weight == 12 &&
		  pairs[0].samples == 4);
	cr_expect(pairs[1].node == 70 && pairs[1].cell == 5 && pairs[1].weight == 9);
	release(&t);
	for (int i = 0; i < PROCESSOR_COLUMNS; i++)
		bytes_release(&to[i]);
}

Test(decode_heat, processors_that_have_not_what_the_tree_has_are_refused)
{
	struct bytes to[PROCESSOR_COLUMNS] = { { 0 } };
	struct saved_tree t;

	encode_processors(to, 100);
	/* Numbers and weights: 3, 12, 66, 9. */
	cr_assert_eq(to[0].count, 4);
	for (size_t i = 0; i < to[0].count; i++) {
		uint8_t was = to[0].v[i];

		for (unsigned now = 0; now < 256; now++) {
			to[0].v[i] = (uint8_t)now;
			if (now == was || (i % 2 == 0 && now < 128))
				continue;
			cr_expect_eq(decode_processors(to, &t), -EBADMSG,
				     "%u in place of %u", now, was);
			release(&t);
		}
		to[0].v[i] = was;
		to[0].count--;
		cr_expect_eq(decode_processors(to, &t), -EBADMSG);
		release(&t);
		to[0].count++;
	}
	/* No processor has such a number. */
	to[0].count = 0;
	bytes_varint(&to[0], HEAT_PROCESSORS - 1);
	bytes_varint(&to[0], 21);
	cr_expect_eq(decode_processors(to, &t), -EBADMSG);
	release(&t);
	to[0].count = 0;
	bytes_varint(&to[0], HEAT_PROCESSORS - 2);
	bytes_varint(&to[0], 12);
	bytes_varint(&to[0], 0);
	bytes_varint(&to[0], 9);
	cr_expect_eq(decode_processors(to, &t), 0);
	release(&t);
	to[0].count = 0;
	bytes_varint(&to[0], HEAT_PROCESSORS - 1);
	bytes_varint(&to[0], 12);
	bytes_varint(&to[0], 0);
	bytes_varint(&to[0], 9);
	cr_expect_eq(decode_processors(to, &t), -EBADMSG);
	release(&t);
	for (int i = 0; i < PROCESSOR_COLUMNS; i++)
		bytes_release(&to[i]);
}

/* Cells are those of the stacks, or so many of them. */
Test(decode_heat, processors_have_cells_that_do_not_cut_those_of_stacks)
{
	for (uint64_t width = 50; width <= 200; width += 50) {
		struct bytes to[PROCESSOR_COLUMNS] = { { 0 } };
		struct saved_tree t;

		encode_processors(to, width);
		cr_expect_eq(decode_processors(to, &t), width % 100 ? -EBADMSG : 0);
		release(&t);
		for (int i = 0; i < PROCESSOR_COLUMNS; i++)
			bytes_release(&to[i]);
	}
}
