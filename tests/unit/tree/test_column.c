#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "input/input.h"
#include "tree/tree.h"

/* What a profile has of one, from samples to the bytes of a picture and back. */
struct whole {
	struct context ctx;
	struct intern strings;
	struct columns columns;
	struct trie trie, other; /* two workers' */
	struct symbols symbols;
	struct named named;
	struct view view;
	struct tree_data data;
	struct packed_tree packed;
	struct saved_tree saved;
};

/* Two stacks, a and a;b. */
static void begin(struct whole *w, uint32_t *a, uint32_t *b)
{
	static const uint32_t frames[] = { 0, 1 };

	*w = (struct whole){ 0 };
	columns_init(&w->columns);
	cr_assert_eq(intern_init(&w->strings), 0);
	cr_assert_eq(trie_init(&w->trie), 0);
	cr_assert_eq(trie_init(&w->other), 0);
	array_add(&w->symbols.functions);
	for (uint32_t i = 0; i < 2; i++) {
		struct function *f = array_add(&w->symbols.functions);

		f->kind = FUNCTION_USER;
		cr_assert_eq(intern_add(&w->strings, i ? "b" : "a", 1, &f->name), 0);
		*array_add(&w->symbols.of_frame) = i + 1;
	}
	cr_assert_eq(trie_add(&w->trie, frames, 1, a), 0);
	cr_assert_eq(trie_add(&w->other, frames, 2, b), 0);
}

/* Bytes that a picture of today's format would have. */
static int decode_bytes(const uint8_t *bytes, size_t size, struct intern *strings,
			struct saved_tree *ret, const char **why)
{
	const struct saved_picture picture = { .format = SAVED_FORMAT,
					       .payload = (uint8_t *)bytes,
					       .size = size };

	return saved_tree_decode(&picture, strings, NULL, ret, why);
}

/* The workers' tries become one, and that a tree, a view, bytes and a tree again. */
static void go_through(struct whole *w)
{
	static const uint32_t same[] = { 0, 1 };
	struct named_options options = { .columns = &w->columns, .strings = &w->strings };
	struct tree_source in = { .tree = &w->named,
				  .symbols = &w->symbols,
				  .strings = &w->strings };
	const char *why = NULL;

	cr_assert_eq(trie_merge(&w->trie, &w->other, same, NULL), 0);
	cr_assert_eq(named_make(&w->ctx, &w->trie, &w->symbols, &options, &w->named), 0);
	cr_assert_eq(view_make(&w->ctx, &in, VIEW_BY_FUNCTION | VIEW_COLUMNS, &w->view),
		     0);
	cr_assert_eq(tree_data_make(&w->ctx, &in, &w->view, false, &w->data), 0);
	cr_assert_eq(tree_data_pack(&w->ctx, &w->data, 1, &w->packed), 0);
	cr_assert_eq(decode_bytes(w->packed.bytes, w->packed.whole, &w->strings,
				  &w->saved, &why),
		     0, "%s", why);
}

static void end(struct whole *w)
{
	saved_tree_release(&w->saved);
	free(w->packed.bytes);
	tree_data_release(&w->data);
	view_release(&w->view);
	named_release(&w->named);
	trie_release(&w->trie);
	trie_release(&w->other);
	symbols_release(&w->symbols);
	intern_release(&w->strings);
}

Test(column, a_third_one_goes_from_the_trie_to_the_saved_tree)
{
	struct column bytes = { .name = "allocated", .unit = "bytes", .decimals = 1 };
	struct whole w;
	uint32_t a, b, third;

	begin(&w, &a, &b);
	cr_assert_eq(columns_add(&w.columns, &bytes, &third), 0);
	cr_assert_eq(trie_charge(&w.trie, a, COLUMN_WEIGHT, 1), 0);
	cr_assert_eq(trie_charge(&w.trie, a, third, 4096), 0);
	cr_assert_eq(trie_charge(&w.other, b, COLUMN_WEIGHT, 1), 0);
	cr_assert_eq(trie_charge(&w.other, b, third, 8192), 0);
	go_through(&w);
	cr_expect_eq(named_value(&w.named, 2, third), 8192u);
	cr_expect_eq(view_value(&w.view, 1, third), 4096u);
	cr_expect_eq(saved_value(&w.saved, 1, third), 4096u);
	cr_expect_eq(saved_value(&w.saved, 2, third), 8192u);
	cr_expect_str_eq(w.saved.values[third].column.name, "allocated");
	cr_expect_str_eq(w.saved.values[third].column.unit, "bytes");
	cr_expect_eq(w.saved.values[third].column.decimals, 1u);
	end(&w);
}

Test(column, what_is_said_of_a_frame_is_kept_where_it_holds)
{
	struct column held = { .name = "held", .sum = SUM_HERE };
	struct whole w;
	uint32_t a, b, third;

	begin(&w, &a, &b);
	cr_assert_eq(columns_add(&w.columns, &held, &third), 0);
	cr_assert_eq(trie_charge(&w.other, b, COLUMN_WEIGHT, 7), 0);
	cr_assert_eq(trie_charge(&w.trie, a, third, 5), 0);
	go_through(&w);
	cr_assert_eq(w.saved.values[third].said_count, 1u);
	cr_expect_eq(w.saved.values[third].said[0].node, 1u);
	cr_expect_eq(w.saved.values[third].said[0].value, 5u);
	end(&w);
}

Test(column, stacks_that_have_nothing_else_are_there)
{
	struct column event = { .name = "misses",
				.unit = "misses",
				.makes_stacks = true };
	struct whole w;
	uint32_t a, b, third;

	begin(&w, &a, &b);
	cr_assert_eq(columns_add(&w.columns, &event, &third), 0);
	cr_assert_eq(trie_charge(&w.trie, a, COLUMN_WEIGHT, 3), 0);
	cr_assert_eq(trie_charge(&w.other, b, third, 2), 0);
	go_through(&w);
	cr_assert_eq(w.saved.nodes, 3u);
	cr_expect_eq(saved_value(&w.saved, 2, third), 2u);
	end(&w);
}

/* Where a byte of a description is another one. */
static void expect_bad(struct whole *w, size_t at, uint8_t byte, const char *why)
{
	struct bytes *described = &w->data.columns[SAVED_DESCRIBED];
	struct saved_tree saved = { 0 };
	struct packed_tree packed;
	const char *said = "";
	uint8_t was = described->v[at];

	described->v[at] = byte;
	cr_assert_eq(tree_data_pack(&w->ctx, &w->data, 1, &packed), 0);
	cr_expect_lt(decode_bytes(packed.bytes, packed.whole, &w->strings, &saved, &said),
		     0);
	cr_expect_str_eq(said, why, "%zu", at);
	described->v[at] = was;
	free(packed.bytes);
}

/* id, side, sum, whether it makes stacks, divisor, decimals, "weighs", "". */
Test(column, descriptions_that_cannot_be_are_refused)
{
	struct column column = { .name = "weighs" };
	struct whole w;
	uint32_t a, b, third;

	begin(&w, &a, &b);
	cr_assert_eq(columns_add(&w.columns, &column, &third), 0);
	cr_assert_eq(trie_charge(&w.trie, a, COLUMN_WEIGHT, 3), 0);
	cr_assert_eq(trie_charge(&w.trie, a, third, 2), 0);
	go_through(&w);
	cr_assert_eq(w.data.columns[SAVED_DESCRIBED].count, 14u);
	expect_bad(&w, 0, SAVED_FURTHER + 2, "a column is described that cannot be");
	expect_bad(&w, 1, 2, "a column is described that cannot be");
	expect_bad(&w, 2, SUM_NOWHERE, "a column is described that cannot be");
	expect_bad(&w, 3, 2, "a column is described that cannot be");
	expect_bad(&w, 4, 0, "a column is described that cannot be");
	expect_bad(&w, 5, 7, "a column is described that cannot be");
	expect_bad(&w, 6, '\0', "a column is described that cannot be");
	expect_bad(&w, 13, 'x', "the description of a column is cut");
	memcpy(w.data.columns[SAVED_DESCRIBED].v + 6, "weight", 6);
	expect_bad(&w, 0, SAVED_FURTHER, "a column is described twice");
	end(&w);
}
