#include <criterion/criterion.h>
#include <errno.h>
#include <math.h>

#include "tree/heat_code.h"

enum { LEAVES_MOST = 4000, ITEMS_MOST = 100000 };

static uint64_t state;
static uint64_t counts[LEAVES_MOST];
static uint32_t fences[LEAVES_MOST];
static struct heat_item items[ITEMS_MOST], found[ITEMS_MOST];
static size_t item_count;

/* A xorshift generator: the same numbers in each run. */
static uint32_t below(uint32_t most)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 20) % most;
}

static void begin(void)
{
	state = 88172645463325252;
	item_count = 0;
	memset(counts, 0, sizeof(counts));
	for (size_t i = 0; i < LEAVES_MOST; i++)
		fences[i] = below(30);
}

static void add_item(uint32_t cell, uint32_t leaf, uint64_t count)
{
	items[item_count++] = (struct heat_item){ cell, leaf, count };
	counts[leaf] += count;
}

static struct heat_plan plan_of(uint32_t cells, uint32_t leaves, bool counted)
{
	return (struct heat_plan){ cells, leaves, counts, fences, counted };
}

/* How many bytes they are, which say the same again. */
static size_t size_of(const struct heat_plan *plan)
{
	struct bytes bytes = { 0 };
	struct cursor from;
	size_t size;

	cr_assert_eq(heat_code_write(&bytes, plan, items, item_count), 0);
	from = cursor_of(bytes.v, bytes.count);
	memset(found, 0, sizeof(found));
	cr_assert_eq(heat_code_read(&from, plan, found, item_count), 0);
	for (size_t i = 0; i < item_count; i++)
		cr_assert(found[i].cell == items[i].cell &&
				  found[i].leaf == items[i].leaf &&
				  found[i].count == items[i].count,
			  "item %zu: %u %u %lu, not %u %u %lu", i, found[i].cell,
			  found[i].leaf, found[i].count, items[i].cell, items[i].leaf,
			  items[i].count);
	cr_expect_eq(cursor_left(&from), 0);
	size = bytes.count;
	bytes_release(&bytes);
	return size;
}

TestSuite(heat_code, .init = begin);

Test(heat_code, one_leaf_in_one_cell_is_next_to_nothing)
{
	add_item(0, 0, 1);
	cr_expect_leq(size_of(&(struct heat_plan){ 1, 1, counts, fences, true }), 4);
}

/* Any leaves in any cells, and counts up to the largest. */
Test(heat_code, whatever_is_written_is_read)
{
	for (unsigned kind = 0; kind < 8; kind++) {
		uint32_t cells = kind & 1 ? 3 : 500, leaves = kind & 2 ? 2 : 900;
		bool counted = kind & 4;
		uint32_t last = 0;

		begin();
		for (uint32_t cell = 0; cell < cells; cell++)
			for (uint32_t leaf = 0; leaf < leaves; leaf++)
				/* Each cell and each leaf has something. */
				if (below(40) == 0 || leaf == cell % leaves ||
				    (cell + 1 == cells && !counts[leaf]))
					add_item(cell, leaf,
						 !counted     ? 1
						 : below(100) ? 1 + below(1 + below(50))
							      : (uint64_t)1 << below(40));
		for (size_t i = 1; i < item_count; i++)
			last += items[i].cell != items[i - 1].cell;
		cr_assert_eq(last + 1, cells);
		size_of(&(struct heat_plan){ cells, leaves, counts, fences, counted });
	}
}

Test(heat_code, the_largest_count_is_read)
{
	struct heat_plan plan = plan_of(2, 2, true);

	add_item(0, 0, HEAT_COUNT_MOST - 3);
	add_item(1, 0, 1);
	add_item(1, 1, 2);
	size_of(&plan);
}

/* A tree of leaves each of which has twice what the one before has is as deep as one can be. */
Test(heat_code, leaves_of_very_different_counts)
{
	struct heat_plan plan = plan_of(1, 52, true);

	for (uint32_t leaf = 0; leaf < 52; leaf++)
		add_item(0, leaf, (uint64_t)1 << leaf);
	size_of(&plan);
}

/* Who runs next to the one who ran, and as much, costs little: that is what the forecasts are for. */
Test(heat_code, what_goes_on_costs_next_to_nothing)
{
	struct heat_plan plan = plan_of(1000, 100, true);
	size_t size;

	for (uint32_t cell = 0; cell < 1000; cell++)
		for (uint32_t leaf = 0; leaf < 4; leaf++)
			add_item(cell, cell / 40 * 4 + leaf, 20);
	size = size_of(&plan);
	cr_expect_leq(size, 600, "%zu bytes of %zu items", size, item_count);
}

/* Samples without any order cost what there is to say of them, and no more than a tenth beyond it. */
Test(heat_code, what_is_by_chance_costs_its_entropy)
{
	struct heat_plan plan = plan_of(1000, 256, true);
	double bits = 0;
	size_t size;

	for (uint32_t cell = 0; cell < 1000; cell++) {
		uint32_t leaf = cell < 256 ? cell : below(256);

		add_item(cell, leaf, 1);
	}
	/* A row of 1,000 of 256 kinds, of which it is known how many there are of each. */
	bits = lgamma(1001) / log(2);
	for (uint32_t leaf = 0; leaf < 256; leaf++)
		bits -= lgamma(1.0 + (double)counts[leaf]) / log(2);
	size = size_of(&plan);
	cr_expect_leq(size, bits / 8 * 1.1, "%zu bytes, %.0f", size, bits / 8);
}

/* No byte that is missing, and no other count or number of items, is taken. */
Test(heat_code, what_is_not_so_is_refused)
{
	struct heat_plan plan = plan_of(200, 50, true), other;
	struct bytes bytes = { 0 };
	struct cursor from;
	size_t refused = 0;

	for (uint32_t cell = 0; cell < 200; cell++)
		for (uint32_t leaf = cell % 5; leaf < 50; leaf += 1 + below(20))
			add_item(cell, leaf, 1 + below(3));
	cr_assert_eq(heat_code_write(&bytes, &plan, items, item_count), 0);
	for (size_t size = 0; size < bytes.count; size++) {
		from = cursor_of(bytes.v, size);
		cr_assert_eq(heat_code_read(&from, &plan, found, item_count), -EBADMSG);
	}
	/* What was written once is one text: nothing may hide behind it. */
	bytes_u8(&bytes, 0);
	from = cursor_of(bytes.v, bytes.count);
	cr_expect_eq(heat_code_read(&from, &plan, found, item_count), -EBADMSG);
	bytes.count--;
	for (int more = -1; more <= 1; more += 2) {
		from = cursor_of(bytes.v, bytes.count);
		cr_expect_eq(
			heat_code_read(&from, &plan, found, item_count + (size_t)more),
			-EBADMSG);
		other = plan;
		other.cells = plan.cells + (uint32_t)more;
		from = cursor_of(bytes.v, bytes.count);
		cr_expect_eq(heat_code_read(&from, &other, found, item_count), -EBADMSG);
	}
	/* Another byte says other items: most times too many or too few, and never more than there is room for. */
	for (size_t i = 0; i < bytes.count; i++) {
		bytes.v[i] ^= 0x55;
		from = cursor_of(bytes.v, bytes.count);
		refused += heat_code_read(&from, &plan, found, item_count) != 0;
		bytes.v[i] ^= 0x55;
	}
	cr_expect_geq(refused, bytes.count * 9 / 10, "%zu of %zu", refused, bytes.count);
	bytes_release(&bytes);
}

Test(heat_code, it_is_known_how_much_memory_it_takes)
{
	cr_expect_gt(heat_code_memory(1000), 1000 * 2 * 16);
	cr_expect_lt(heat_code_memory(1), 1 << 18);
}
