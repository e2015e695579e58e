#include "trie/trie.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static uint32_t add(struct trie *t, const char *frames)
{
	uint32_t list[64], node = UINT32_MAX;
	size_t count = strlen(frames);

	for (size_t i = 0; i < count; i++)
		list[i] = (uint32_t)frames[i];
	cr_assert_eq(trie_add(t, list, count, &node), 0);
	return node;
}

static void charge(struct trie *t, const char *frames, uint64_t weight)
{
	cr_assert_eq(trie_charge(t, add(t, frames), COLUMN_WEIGHT, weight), 0);
}

static uint64_t self(const struct trie *t, uint32_t column, uint32_t node)
{
	return trie_self(t, node, column);
}

/* The frames of a node, root first. */
static const char *frames_of(const struct trie *t, uint32_t node)
{
	static char text[64];
	size_t i = sizeof(text) - 1;

	text[i] = '\0';
	for (; node; node = t->nodes[node].parent)
		text[--i] = (char)t->nodes[node].frame;
	return text + i;
}

Test(trie, the_empty_stack_is_node_0)
{
	struct trie t;

	cr_assert_eq(trie_init(&t), 0);
	cr_assert_eq(add(&t, ""), 0);
	cr_assert_eq(t.count, 1);
	charge(&t, "", 5);
	cr_assert_eq(self(&t, COLUMN_WEIGHT, 0), 5);
	trie_release(&t);
}

Test(trie, equal_stacks_are_one_node_and_prefixes_are_shared)
{
	struct trie t;
	uint32_t mab, ma, mc;

	cr_assert_eq(trie_init(&t), 0);
	mab = add(&t, "mab");
	cr_assert_eq(t.count, 4);
	ma = add(&t, "ma");
	mc = add(&t, "mc");
	cr_assert_eq(t.count, 5, "only 'c' is added");
	cr_assert_eq(add(&t, "mab"), mab);
	cr_assert_eq(t.nodes[mab].parent, ma);
	cr_assert_eq(t.nodes[ma].parent, t.nodes[mc].parent);
	cr_assert_str_eq(frames_of(&t, mab), "mab");
	cr_assert_neq(add(&t, "am"), ma, "the order of frames matters");
	cr_assert_neq(add(&t, "maa"), ma, "a frame below itself is another stack");
	trie_release(&t);
}

Test(trie, a_parents_id_is_below_its_childrens)
{
	struct trie t;
	uint32_t frames[20], seed = 1, node;

	cr_assert_eq(trie_init(&t), 0);
	for (int i = 0; i < 20000; i++) {
		for (int j = 0; j < 20; j++)
			frames[j] = (seed = seed * 1103515245 + 12345) >> 16 & 3;
		cr_assert_eq(trie_add(&t, frames, 20, &node), 0);
	}
	for (uint32_t id = 1; id < t.count; id++)
		cr_assert_lt(t.nodes[id].parent, id);
	trie_release(&t);
}

Test(trie, every_frame_value_is_a_frame)
{
	uint32_t odd[] = { 0, UINT32_MAX, 0, UINT32_MAX - 1 }, a, b;
	struct trie t;

	cr_assert_eq(trie_init(&t), 0);
	cr_assert_eq(trie_add(&t, odd, 4, &a), 0);
	cr_assert_eq(trie_add(&t, odd, 4, &b), 0);
	cr_assert_eq(a, b);
	cr_assert_eq(t.count, 5);
	cr_assert_eq(t.nodes[a].frame, UINT32_MAX - 1);
	trie_release(&t);
}

Test(trie, columns_are_independent_and_sum_up)
{
	struct trie t;
	uint32_t node;

	cr_assert_eq(trie_init(&t), 0);
	node = add(&t, "ma");
	cr_assert_eq(trie_charge(&t, node, COLUMN_WEIGHT, 1ull << 40), 0);
	cr_assert_eq(trie_charge(&t, node, COLUMN_WEIGHT, 1), 0);
	cr_assert_eq(trie_charge(&t, node, COLUMN_SAMPLES, 2), 0);
	cr_assert_eq(self(&t, COLUMN_WEIGHT, node), (1ull << 40) + 1);
	cr_assert_eq(self(&t, COLUMN_SAMPLES, node), 2);
	cr_assert_not(trie_is_charged(&t, COLUMN_BEFORE));
	cr_assert_eq(t.rows.count, 2, "nodes that are no leaf have no self values");
	cr_assert_eq(self(&t, COLUMN_WEIGHT, t.nodes[node].parent), 0, "self, not total");
	trie_release(&t);
}

Test(trie, a_column_first_charged_late_is_zero_for_the_nodes_before_and_after)
{
	struct trie t;
	uint32_t last = 0;

	cr_assert_eq(trie_init(&t), 0);
	for (uint32_t f = 0; f < 3000; f++)
		cr_assert_eq(trie_add(&t, &f, 1, &last), 0);
	cr_assert_eq(trie_charge(&t, last, COLUMN_BEFORE, 9), 0);
	for (uint32_t f = 3000; f < 9000; f++)
		cr_assert_eq(trie_add(&t, &f, 1, &last), 0);
	for (uint32_t id = 0; id < t.count; id++)
		cr_assert_eq(self(&t, COLUMN_BEFORE, id), id == 3000 ? 9 : 0, "node %u",
			     id);
	trie_release(&t);
}

Test(trie, append_joins_with_the_stack_before_it_only)
{
	uint32_t ab[] = { 'a', 'b' }, ac[] = { 'a', 'c' }, n1, n2, n3, n4;
	struct trie t;

	cr_assert_eq(trie_init(&t), 0);
	cr_assert_eq(trie_append(&t, ab, 2, 0, &n1), 0);
	cr_assert_eq(trie_append(&t, ab, 2, n1, &n2), 0);
	cr_assert_eq(n2, n1, "equal neighbours are one");
	cr_assert_eq(trie_append(&t, ac, 2, n2, &n3), 0);
	cr_assert_eq(t.nodes[n3].parent, t.nodes[n1].parent, "'a' goes on");
	cr_assert_eq(trie_append(&t, ab, 2, n3, &n4), 0);
	cr_assert_neq(n4, n1, "what was interrupted begins anew");
	cr_assert_eq(t.nodes[n4].parent, t.nodes[n3].parent);
	cr_assert_str_eq(frames_of(&t, n4), "ab");
	trie_release(&t);
}

Test(trie, append_knows_prefixes_from_equal_stacks)
{
	uint32_t abc[] = { 'a', 'b', 'c' }, b[] = { 'b' }, deep, shallow, other, empty;
	struct trie t;

	cr_assert_eq(trie_init(&t), 0);
	cr_assert_eq(trie_append(&t, abc, 3, 0, &deep), 0);
	cr_assert_eq(trie_append(&t, abc, 2, deep, &shallow), 0);
	cr_assert_eq(shallow, t.nodes[deep].parent, "a prefix is on the way");
	cr_assert_eq(trie_append(&t, b, 1, shallow, &other), 0);
	cr_assert_eq(t.nodes[other].parent, 0);
	cr_assert_str_eq(frames_of(&t, other), "b");
	cr_assert_eq(trie_append(&t, b, 0, other, &empty), 0);
	cr_assert_eq(empty, 0);
	trie_release(&t);
}

static void fill(struct trie *t, uint32_t from, uint32_t to)
{
	uint32_t frames[8], node, state;

	for (uint32_t i = from; i < to; i++) {
		size_t count = i % 8;

		state = i * 2654435761u;
		for (size_t j = 0; j < count; j++)
			frames[j] = (state >> (3 * j)) & 7;
		cr_assert_eq(trie_add(t, frames, count, &node), 0);
		cr_assert_eq(trie_charge(t, node, COLUMN_WEIGHT, i), 0);
		cr_assert_eq(trie_charge(t, node, COLUMN_SAMPLES, 1), 0);
	}
}

/* All stacks of @a have the same values in @b. */
static void check_below(const struct trie *a, struct trie *b)
{
	uint32_t frames[8], node;

	for (uint32_t id = 0; id < a->count; id++) {
		size_t i = 8;

		for (uint32_t n = id; n; n = a->nodes[n].parent)
			frames[--i] = a->nodes[n].frame;
		cr_assert_eq(trie_add(b, frames + i, 8 - i, &node), 0);
		cr_assert_eq(self(a, COLUMN_WEIGHT, id), self(b, COLUMN_WEIGHT, node));
		cr_assert_eq(self(a, COLUMN_SAMPLES, id), self(b, COLUMN_SAMPLES, node));
	}
}

Test(trie, merging_parts_equals_adding_everything_to_one)
{
	uint32_t same[] = { 0, 1, 2, 3, 4, 5, 6, 7 }, count;
	struct trie whole, parts, part;

	cr_assert_eq(trie_init(&whole), 0);
	cr_assert_eq(trie_init(&parts), 0);
	fill(&whole, 0, 4000);
	for (uint32_t from = 0; from < 4000; from += 1000) {
		cr_assert_eq(trie_init(&part), 0);
		fill(&part, from, from + 1000);
		cr_assert_eq(trie_merge(&parts, &part, same, NULL), 0);
		trie_release(&part);
	}
	count = whole.count;
	cr_assert_eq(parts.count, count);
	check_below(&parts, &whole);
	cr_assert_eq(whole.count, count, "the parts hold nothing else");
	trie_release(&whole);
	trie_release(&parts);
}

Test(trie, stacks_that_came_by_merging_are_found_again)
{
	uint32_t map[128], *node_map, abc, abz, q;
	struct trie to, from;

	for (uint32_t i = 0; i < 128; i++)
		map[i] = i == 'p' ? 'q' : i;
	cr_assert_eq(trie_init(&to), 0);
	cr_assert_eq(trie_init(&from), 0);
	charge(&to, "ab", 1);
	charge(&from, "abc", 10);
	charge(&from, "abz", 20);
	charge(&from, "p", 30);
	charge(&from, "pa", 40);
	cr_assert_eq(trie_merge(&to, &from, map, &node_map), 0);
	cr_assert_eq(to.count, 7);
	abc = add(&to, "abc");
	abz = add(&to, "abz");
	q = add(&to, "q");
	cr_assert_eq(to.count, 7, "nothing is added twice");
	cr_assert_eq(node_map[add(&from, "abc")], abc);
	cr_assert_eq(node_map[add(&from, "p")], q);
	cr_assert_eq(self(&to, COLUMN_WEIGHT, abc), 10);
	cr_assert_eq(self(&to, COLUMN_WEIGHT, abz), 20);
	cr_assert_eq(self(&to, COLUMN_WEIGHT, q), 30);
	free(node_map);
	cr_assert_eq(trie_merge(&to, &from, map, NULL), 0, "once more");
	cr_assert_eq(to.count, 7);
	cr_assert_eq(self(&to, COLUMN_WEIGHT, abc), 20);
	trie_release(&to);
	trie_release(&from);
}

/* Three letters of 24 each: more than a trie begins with. */
static void each_of_many(struct trie *t, uint32_t *nodes, bool known)
{
	char frames[4] = "";

	for (uint32_t i = 0; i < 24 * 24 * 24; i++) {
		uint32_t node;

		frames[0] = (char)('a' + i % 24);
		frames[1] = (char)('a' + i / 24 % 24);
		frames[2] = (char)('a' + i / 576);
		node = add(t, frames);
		if (known)
			cr_assert_eq(node, nodes[i]);
		nodes[i] = node;
	}
}

Test(trie, stacks_are_found_again_after_a_rest)
{
	static uint32_t nodes[24 * 24 * 24], copies[24 * 24 * 24];
	static uint32_t same[128];
	struct trie t, other;
	uint32_t count;

	for (uint32_t i = 0; i < 128; i++)
		same[i] = i;
	cr_assert_eq(trie_init(&t), 0);
	trie_drop_index(&t);
	each_of_many(&t, nodes, false);
	count = t.count;
	trie_drop_index(&t);
	each_of_many(&t, nodes, true);
	cr_expect_eq(t.count, count);
	cr_assert_eq(trie_init(&other), 0);
	each_of_many(&other, copies, false);
	trie_drop_index(&t);
	trie_drop_index(&other);
	cr_assert_eq(trie_merge(&t, &other, same, NULL), 0);
	cr_expect_eq(t.count, count);
	trie_drop_index(&t);
	cr_expect_eq(add(&t, "z"), count);
	trie_release(&other);
	trie_release(&t);
}

Test(trie, merging_translates_frames_and_joins_those_that_become_equal)
{
	uint32_t map[128] = { ['a'] = 'x', ['b'] = 'y', ['c'] = 'y' };
	struct trie to, from;
	uint32_t xy;

	cr_assert_eq(trie_init(&to), 0);
	cr_assert_eq(trie_init(&from), 0);
	charge(&to, "xy", 1);
	charge(&from, "ab", 10);
	charge(&from, "ac", 100);
	charge(&from, "a", 1000);
	cr_assert_eq(trie_merge_collapsing(&to, &from, map, NULL), 0);
	xy = add(&to, "xy");
	cr_assert_eq(to.count, 3);
	cr_assert_eq(self(&to, COLUMN_WEIGHT, xy), 111);
	cr_assert_eq(self(&to, COLUMN_WEIGHT, to.nodes[xy].parent), 1000);
	trie_release(&to);
	trie_release(&from);
}

/* As many small recordings are added to what was read of a large one. */
Test(trie, merging_little_into_much_takes_no_time_for_what_is_there)
{
	static uint32_t same[40000];
	uint32_t frames[2], node, room, count, moves = 0, late = 0;
	struct trie to, from;

	for (uint32_t i = 0; i < 40000; i++)
		same[i] = i;
	cr_assert_eq(trie_init(&to), 0);
	for (uint32_t i = 0; i < 10000; i++)
		cr_assert_eq(trie_add(&to, &i, 1, &node), 0);
	for (uint32_t i = 0; i < 1000; i++) {
		cr_assert_eq(trie_init(&from), 0);
		for (uint32_t k = 0; k < 30; k++) {
			frames[0] = i;
			frames[1] = 10000 + k * i;
			cr_assert_eq(trie_add(&from, frames, 2, &node), 0);
		}
		room = to.room;
		cr_assert_eq(trie_merge(&to, &from, same, NULL), 0);
		moves += to.room != room;
		late += to.indexed < to.count;
		trie_release(&from);
	}
	cr_assert_lt(moves, 10u);
	cr_assert_lt(late, 10u, "what is new is given its slots at once");
	count = to.count;
	cr_assert_eq(count, 10001 + 999 * 30 + 1);
	for (uint32_t i = 0; i < 1000; i++)
		for (uint32_t k = 0; k < 30; k++) {
			frames[0] = i;
			frames[1] = 10000 + k * i;
			cr_assert_eq(trie_add(&to, frames, 2, &node), 0);
		}
	cr_assert_eq(to.count, count, "all of them are found again");
	trie_release(&to);
}

static void remember(struct trie *t, uint64_t low, uint64_t high, uint32_t node)
{
	trie_remember(t, low, &(struct trie_memory){ high, node, ~node });
}

Test(trie, what_was_remembered_is_recalled_or_forgotten_but_never_wrong)
{
	const struct trie_memory *m;
	struct trie t;
	int hits = 0;

	cr_assert_eq(trie_init(&t), 0);
	cr_assert_null(trie_recall(&t, 0, 0), "nothing is known yet");
	remember(&t, 1, 2, 77);
	m = trie_recall(&t, 1, 2);
	cr_assert(m && m->node == 77 && m->note == ~77u);
	cr_assert_null(trie_recall(&t, 1, 3), "both halves of a key count");
	cr_assert_null(trie_recall(&t, 2, 2), "both halves of a key count");
	for (uint64_t i = 0; i < 100000; i++)
		remember(&t, i * 0x9e3779b97f4a7c15u, i, (uint32_t)i + 1);
	for (uint64_t i = 0; i < 100000; i++) {
		m = trie_recall(&t, i * 0x9e3779b97f4a7c15u, i);
		if (!m)
			continue;
		cr_assert(m->node == i + 1 && m->note == ~m->node);
		hits++;
	}
	cr_assert_gt(hits, 0);
	trie_release(&t);
}

Test(trie, a_stack_as_deep_as_a_record_can_be_is_one_path)
{
	static uint32_t frames[8192];
	struct trie t;
	uint32_t node;

	for (uint32_t i = 0; i < 8192; i++)
		frames[i] = i;
	cr_assert_eq(trie_init(&t), 0);
	cr_assert_eq(trie_add(&t, frames, 8192, &node), 0);
	cr_assert_eq(t.count, 8193);
	trie_release(&t);
}

Test(trie, a_million_nodes_take_less_than_40_bytes_each)
{
	struct trie t;
	uint32_t node, frames[2];
	size_t bytes;

	cr_assert_eq(trie_init(&t), 0);
	for (uint32_t i = 0; i < 1000000; i++) {
		frames[0] = i / 1000;
		frames[1] = i % 1000;
		cr_assert_eq(trie_add(&t, frames, 2, &node), 0);
		cr_assert_eq(trie_charge(&t, node, COLUMN_WEIGHT, 1), 0);
		cr_assert_eq(trie_charge(&t, node, COLUMN_SAMPLES, 1), 0);
	}
	bytes = t.count * (sizeof(*t.nodes) + 16) + (t.mask + 1) * sizeof(*t.slots);
	cr_assert_lt(bytes / t.count, 40);
	trie_release(&t);
}
