#include "engine/collected.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <unistd.h>

static struct columns columns;
static struct budget budget;
static const struct collected_limit limit = { &columns, &budget, 1, false };

static void begin(void)
{
	columns_init(&columns);
	budget_init(&budget, 1 << 26);
}

static void end(void)
{
	budget_release(&budget);
}

TestSuite(collected, .init = begin, .fini = end);

static struct collected fresh(void)
{
	struct collected c;

	cr_assert_eq(collected_init(&c, &limit), 0);
	return c;
}

/* The node of a stack whose frames are these addresses, root first, up to a 0. */
static uint32_t stack(struct collected *c, const uint64_t *addresses)
{
	uint32_t frames[8], node;
	size_t count = 0;

	for (; addresses[count]; count++) {
		struct frame frame = { addresses[count], IMAGE_ID_UNKNOWN, 0 };

		cr_assert_eq(frames_add(&c->frames, &frame, &frames[count]), 0);
	}
	cr_assert_eq(collected_add_stack(c, frames, count, &node), 0);
	return node;
}
#define STACK(c, ...) stack(c, (const uint64_t[]){ __VA_ARGS__, 0 })

/* A sample of a process, with weight, on a stack; kept. */
static void sample(struct collected *c, uint32_t node, uint64_t weight, uint32_t pid)
{
	struct kept_sample *kept = array_add(&c->samples.list);

	weight_sum_count(&c->sum, weight, 1);
	c->sum.kept += weight;
	c->sum.samples_kept++;
	cr_assert_eq(trie_charge(&c->trie, node, COLUMN_WEIGHT, weight), 0);
	cr_assert_eq(collected_count_process(c, &(struct sample){ .pid = pid }), 0);
	*kept = (struct kept_sample){ .weight = weight, .node = node, .pid = pid };
}

/* A number of what is deferred: what kinds make of it is theirs. */
static uint64_t no_key(const struct deferred_event *e)
{
	(void)e;
	return 0;
}

/* Whoever settles here asks nothing of the input. */
static const struct settle_by no_input;

static uint32_t settled[8];
static size_t settled_count;

static int note_node(struct deferred_event *e, const struct deferred_event *before,
		     struct settlement *to)
{
	(void)before;
	(void)to;
	settled[settled_count++] = e->node;
	return 1;
}

static const struct deferred_kind noted = { .key = no_key, .settle = note_node };

static void defer(struct collected *c, uint64_t time, uint32_t node, uint32_t kept)
{
	struct deferred_event *e;

	c->deferred[0].kind = &noted;
	cr_assert_eq(deferred_queue_add(&c->deferred[0], &budget, &e), 1);
	e->time = time;
	e->node = node;
	e->kept = kept;
}

/* The address that is the leaf of a node's stack. */
static uint64_t leaf(const struct collected *c, uint32_t node)
{
	return c->frames.list.v[c->trie.nodes[node].frame].address;
}

Test(collected, what_is_new_has_nothing_and_is_conserved)
{
	struct collected c = fresh(), zeroed = { 0 };

	cr_expect(trie_is_empty(&c.trie));
	cr_expect(collected_is_conserved(&c));
	cr_assert_eq(collected_merge(&c, &zeroed), 0, "a zeroed one has nothing");
	cr_expect(trie_is_empty(&c.trie));
	collected_release(&c);
	collected_release(&zeroed);
	cr_expect_eq(budget.used, 0);
}

Test(collected, what_had_nothing_has_all_of_the_other_one_after_a_merge)
{
	struct collected c = fresh(), from = fresh();
	uint32_t node = STACK(&from, 10, 20);

	sample(&from, node, 5, 1);
	cr_assert_eq(collected_merge(&c, &from), 0);
	collected_release(&from);
	cr_expect_eq(trie_self(&c.trie, node, COLUMN_WEIGHT), 5);
	cr_expect_eq(c.samples.list.v[0].node, node);
	cr_expect_eq(collected_process(&c, 1)->samples, 1);
	cr_expect(collected_is_conserved(&c));
	collected_release(&c);
}

Test(collected, whoever_holds_a_stack_follows_it_in_a_merge)
{
	struct collected c = fresh(), from = fresh();
	uint32_t known = STACK(&c, 10, 20), other;

	sample(&c, known, 1, 1);
	other = STACK(&from, 30);
	sample(&from, other, 2, 2);
	sample(&from, STACK(&from, 10, 20), 4, 1);
	defer(&c, 2, known, 1);
	defer(&from, 1, other, 1);
	cr_assert_eq(collected_merge(&c, &from), 0);
	collected_release(&from);
	cr_expect_eq(trie_self(&c.trie, known, COLUMN_WEIGHT), 5);
	cr_expect_eq(leaf(&c, c.samples.list.v[1].node), 30);
	cr_expect_eq(c.samples.list.v[2].node, known);
	cr_expect_eq(collected_process(&c, 1)->samples, 2);
	cr_expect_eq(collected_process(&c, 2)->samples, 1);
	cr_expect_eq(c.sum.kept, 7);
	cr_expect(collected_is_conserved(&c));
	settled_count = 0;
	cr_assert_eq(collected_settle(&c, &no_input, UINT64_MAX), 0);
	cr_assert_eq(settled_count, 2);
	cr_expect_eq(leaf(&c, settled[0]), 30);
	cr_expect_eq(settled[1], known);
	/* The last one is open: its sample was the first of its log, and is so still. */
	cr_expect_eq(deferred_queue_open_at(&c.deferred[0], 0)->kept, 1);
	collected_release(&c);
}

Test(collected, samples_of_deferred_events_are_found_in_the_merged_log)
{
	struct collected c = fresh(), from = fresh();

	sample(&c, STACK(&c, 10), 1, 1);
	sample(&from, STACK(&from, 10), 2, 1);
	defer(&from, 1, 1, 1);
	c.deferred[0].kind = &noted;
	cr_assert_eq(collected_merge(&c, &from), 0);
	collected_release(&from);
	settled_count = 0;
	cr_assert_eq(collected_settle(&c, &no_input, UINT64_MAX), 0);
	cr_expect_eq(deferred_queue_open_at(&c.deferred[0], 0)->kept, 2);
	collected_release(&c);
}

Test(collected, compact_returns_the_map_of_nodes_and_all_follow_it)
{
	struct collected c = fresh();
	uint32_t first = STACK(&c, 10, 20), same = STACK(&c, 11, 20), *map;
	/* 11 shows the same as 10. Ids of frames: 10, 20, 11. */
	const uint32_t frames[] = { 0, 1, 0 };

	sample(&c, first, 1, 1);
	sample(&c, same, 2, 1);
	defer(&c, 1, same, 0);
	settled_count = 0;
	cr_assert_eq(collected_settle(&c, &no_input, UINT64_MAX), 0);
	defer(&c, 2, same, 0);
	cr_assert_eq(collected_compact(&c, frames, &map), 0);
	cr_expect_eq(map[same], map[first]);
	cr_expect_eq(c.trie.count, 3);
	cr_expect_eq(trie_self(&c.trie, map[first], COLUMN_WEIGHT), 3);
	cr_expect_eq(c.samples.list.v[1].node, map[first]);
	cr_expect_eq(deferred_queue_open_at(&c.deferred[0], 0)->node, map[first],
		     "what is open");
	cr_assert_eq(collected_settle(&c, &no_input, UINT64_MAX), 0);
	cr_expect_eq(settled[1], map[first], "what waits");
	cr_expect(collected_is_conserved(&c));
	free(map);
	collected_release(&c);
}

Test(collected, what_is_open_goes_on_with_its_stacks_and_no_other)
{
	struct collected before = fresh(), c = fresh();
	uint32_t open, behind, made;

	/* The frames of what is kept are not the first ones. */
	for (uint64_t i = 1; i <= 1000; i++)
		sample(&before, STACK(&before, 10, 100 + i, 20), 1, 1);
	open = STACK(&before, 10, 555, 20);
	behind = STACK(&before, 10, 3000);
	defer(&before, 1, open, 0);
	settled_count = 0;
	cr_assert_eq(collected_settle(&before, &no_input, UINT64_MAX), 0);
	((struct deferred_event *)(uintptr_t)deferred_queue_open_at(&before.deferred[0],
								    0))
		->behind = behind;
	c.deferred[0].kind = &noted;
	cr_assert_eq(collected_carry_on(&c, &before), 0);
	collected_release(&before);
	cr_assert_eq(deferred_queue_open(&c.deferred[0]), 1);
	/* [all], 10, 555, 20 and 3000. */
	cr_expect_eq(c.trie.count, 5);
	cr_expect_eq(c.frames.list.count, 4);
	made = deferred_queue_open_at(&c.deferred[0], 0)->node;
	cr_expect_eq(leaf(&c, made), 20);
	cr_expect_eq(leaf(&c, c.trie.nodes[made].parent), 555);
	cr_expect_eq(leaf(&c, deferred_queue_open_at(&c.deferred[0], 0)->behind), 3000);
	cr_expect_eq(c.sum.read, 0);
	cr_expect_eq(c.samples.list.count, 0);
	cr_expect_eq(trie_self(&c.trie, made, COLUMN_WEIGHT), 0);
	collected_release(&c);
}

Test(collected, a_snapshot_shares_stacks_and_leaves_what_it_filtered)
{
	struct collected c = fresh(), look;
	uint32_t node = STACK(&c, 10);

	sample(&c, node, 3, 1);
	snapshot_take(&look, &c);
	cr_expect_eq(trie_self(&look.trie, node, COLUMN_WEIGHT), 3);
	cr_expect_eq(look.processes.list.count, 0);
	cr_expect_eq(look.samples.list.count, 0);
	look.sum.lost[LOST_FILTER] += 3;
	look.sum.kept -= 3;
	trie_take(&look.trie, node, COLUMN_WEIGHT);
	snapshot_release(&look, &c);
	cr_expect_eq(c.sum.lost[LOST_FILTER], 3);
	cr_expect_eq(collected_process(&c, 1)->samples, 1);
	cr_expect(collected_is_conserved(&c));
	collected_release(&c);
	cr_expect_eq(budget.used, 0);
}

Test(collected, stacks_that_a_look_has_added_stay)
{
	struct collected c = fresh(), look;
	uint32_t node = STACK(&c, 10), added;

	sample(&c, node, 3, 1);
	snapshot_take(&look, &c);
	/* More than there was room for. */
	for (uint64_t i = 1; i < 10000; i++)
		added = STACK(&look, 10, 10 + i);
	cr_assert_eq(trie_charge(&look.trie, added, COLUMN_WEIGHT,
				 trie_take(&look.trie, node, COLUMN_WEIGHT)),
		     0);
	snapshot_release(&look, &c);
	cr_expect_eq(STACK(&c, 10, 10009), added);
	cr_expect_eq(trie_self(&c.trie, added, COLUMN_WEIGHT), 3);
	cr_expect(collected_is_conserved(&c));
	collected_release(&c);
	cr_expect_eq(budget.used, 0);
}

Test(collected, a_merge_brings_both_to_the_same_unit)
{
	struct collected c = fresh(), from = fresh();
	uint32_t node = STACK(&c, 10);

	sample(&c, node, 3, 1);
	collected_scale(&c, 2);
	cr_expect_eq(trie_self(&c.trie, node, COLUMN_WEIGHT), 300);
	sample(&from, STACK(&from, 10), 4, 1);
	cr_assert_eq(collected_merge(&c, &from), 0);
	collected_release(&from);
	cr_expect_eq(trie_self(&c.trie, node, COLUMN_WEIGHT), 700);
	cr_expect(collected_is_conserved(&c));
	collected_release(&c);
}

Test(collected, what_is_spilled_comes_back_and_counts_meanwhile)
{
	struct collected c = fresh();
	FILE *file = tmpfile();
	int fd = file ? fileno(file) : -1;
	uint64_t at = 0, second;
	uint32_t node;

	cr_assert(fd >= 0);
	c.blocks.grid = time_grid_known(0, 99);
	node = STACK(&c, 10, 20, 30);
	sample(&c, node, 5, 1);
	cr_assert_eq(trie_charge(&c.trie, node, COLUMN_FOLLOWED, 2), 0);
	cr_assert_eq(time_blocks_add(&c.blocks, 7, node, 5), 1);
	cr_assert_eq(time_blocks_add(&c.blocks, 97, node, 3), 1);
	cr_assert_eq(collected_spill(&c, fd), 0);
	second = (uint64_t)lseek(fd, 0, SEEK_CUR);
	cr_expect(trie_is_empty(&c.trie));
	cr_expect_eq(c.blocks.cells.count, 0);
	cr_expect_eq(c.blocks.grid.width, time_grid_known(0, 99).width);
	cr_expect(collected_is_conserved(&c), "it is in the file");
	/* Frames have the numbers that they had. */
	node = STACK(&c, 30, 10);
	cr_expect_eq(c.frames.list.count, 3);
	sample(&c, node, 8, 1);
	cr_expect(collected_is_conserved(&c));
	cr_assert_eq(collected_spill(&c, fd), 0);

	cr_assert_eq(collected_unspill(&c, fd, &at), 0);
	cr_expect_eq(at, second);
	cr_expect_eq(c.trie.count, 4);
	cr_expect_eq(leaf(&c, 3), 30);
	cr_expect_eq(trie_self(&c.trie, 3, COLUMN_WEIGHT), 5);
	cr_expect_eq(trie_self(&c.trie, 3, COLUMN_FOLLOWED), 2);
	cr_assert_eq(c.blocks.cells.count, 2);
	cr_expect_eq(c.blocks.cells.v[1].weight, 3);
	cr_expect(c.blocks.cells.v[1].squares == 9);
	/* What comes back can be added to. */
	cr_expect_eq(STACK(&c, 10, 20, 30), 3);
	cr_assert_eq(time_blocks_add(&c.blocks, 98, 3, 1), 1);
	cr_expect_eq(c.blocks.cells.count, 2);
	cr_assert_eq(collected_unspill(&c, fd, &at), 0);
	cr_expect_eq(c.trie.count, 3);
	cr_expect_eq(leaf(&c, 2), 10);
	cr_expect_eq(trie_self(&c.trie, 2, COLUMN_WEIGHT), 8);
	cr_expect_eq(c.blocks.cells.count, 0);
	cr_assert_eq(collected_unspill(&c, fd, &at), -EIO, "there is no third one");
	collected_release(&c);
	cr_expect_eq(budget.used, 0);
	fclose(file);
}
