#include "tree/encode.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>

#include "base/deflate.h"
#include "input/input.h"
#include "unit/write/tree.h"

/* A tree that went into columns and came back. */
struct round {
	struct tree t;
	struct view view;
	struct tree_data data;
	struct packed_tree packed;
	uint8_t *payload;
	struct saved_tree saved;
	struct intern strings;
};

/* Bytes that a picture of today's format would have. */
static int decode_bytes(const uint8_t *bytes, size_t size, struct intern *strings,
			struct saved_tree *ret, const char **why)
{
	const struct saved_picture picture = { .format = SAVED_FORMAT,
					       .payload = (uint8_t *)bytes,
					       .size = size };

	return saved_tree_decode(&picture, strings, NULL, ret, why);
}

static void go_round(struct round *r, unsigned flags)
{
	const char *why = NULL;

	cr_assert_eq(view_make(&r->t.ctx, &r->t.in, flags | VIEW_COLUMNS, &r->view), 0);
	cr_assert_eq(tree_data_make(&r->t.ctx, &r->t.in, &r->view,
				    !(flags & VIEW_BY_FUNCTION), &r->data),
		     0);
	cr_assert_eq(tree_data_pack(&r->t.ctx, &r->data, 2, &r->packed), 0);
	if (r->packed.is_zlib)
		cr_assert_eq(inflate_bytes(r->packed.bytes, r->packed.size,
					   r->packed.whole, &r->payload),
			     0);
	cr_assert_eq(intern_init(&r->strings), 0);
	cr_assert_eq(decode_bytes(r->payload ? r->payload : r->packed.bytes,
				  r->packed.whole, &r->strings, &r->saved, &why),
		     0, "%s", why);
}

static void release(struct round *r)
{
	saved_tree_release(&r->saved);
	intern_release(&r->strings);
	free(r->payload);
	free(r->packed.bytes);
	tree_data_release(&r->data);
	view_release(&r->view);
	tree_release(&r->t);
}

static const struct saved_function *function(const struct round *r, uint32_t node)
{
	return &r->saved.functions[r->saved.function[node]];
}

static const char *name(const struct round *r, uint32_t node)
{
	return intern_text(&r->strings, function(r, node)->name);
}

/* Node for node in preorder. */
static void expect_same(const struct round *r)
{
	uint32_t *ids = calloc(r->view.nodes.count, sizeof(*ids)), node = 0;
	struct view_walk w = { 0 };

	cr_assert_eq(r->saved.nodes, r->view.nodes.count);
	cr_expect_eq(saved_value(&r->saved, 0, COLUMN_WEIGHT), r->view.nodes.v[0].self);
	while (view_next(&r->view, &w, VIEW_INTO)) {
		const struct view_node *n = &r->view.nodes.v[w.node];
		const struct function *f = &r->t.symbols.functions.v[n->function];

		ids[w.node] = ++node;
		cr_expect_eq(r->saved.parent[node], ids[n->parent]);
		cr_expect_eq(saved_value(&r->saved, node, COLUMN_WEIGHT), n->self);
		cr_expect_str_eq(name(r, node), intern_text(&r->t.strings, f->name));
		cr_expect_str_eq(intern_text(&r->strings, function(r, node)->module),
				 intern_text(&r->t.strings, f->module));
		cr_expect_eq(function(r, node)->kind, data_kind(f));
		for (uint32_t i = 0; i < r->view.columns->count; i++)
			cr_expect_eq(saved_value(&r->saved, node, i),
				     view_value(&r->view, w.node, i));
	}
	free(ids);
}

Test(tree_data, a_tree_comes_back)
{
	struct round r = { 0 };

	tree_init(&r.t);
	tree_add(&r.t, "a", 5);
	tree_add(&r.t, "a;b;c", 1);
	tree_add(&r.t, "a;b;d@k", 2);
	tree_add(&r.t, "a;e;b;c", 3);
	tree_add(&r.t, "a@2;b;c", 4);
	go_round(&r, VIEW_BY_FUNCTION);
	expect_same(&r);
	cr_expect_eq(r.saved.nodes, 11u);
	release(&r);
}

static size_t column_of(const struct round *r, uint32_t length)
{
	return r->data.columns[SAVED_CALLEES_OF + length].count;
}

/* A caller of @count functions, each of which 24 times. */
static void go_round_lists(struct round *r, int count)
{
	tree_init(&r->t);
	for (int i = 0; i < 24; i++)
		for (int k = 0; k < count; k++) {
			char stack[64];

			snprintf(stack, sizeof(stack), "x%d;caller;f%d", i, k);
			tree_add(&r->t, stack, 1);
		}
	go_round(r, VIEW_BY_FUNCTION);
	expect_same(r);
}

Test(tree_data, indexes_into_short_lists_share_bytes)
{
	static const struct {
		int count;
		size_t bytes;
	} lists[] = {
		/* of 23 callers, that is 23 x count indexes; 8, 5, 4, 3, 3, 2 and 2 fit in a byte */
		{ 1, 0 },  { 2, 6 },  { 3, 14 }, { 4, 23 },
		{ 5, 39 }, { 6, 46 }, { 7, 81 }, { 8, 92 },
	};

	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		struct round r = { 0 };
		uint32_t length = (uint32_t)lists[i].count;

		go_round_lists(&r, lists[i].count);
		if (length > 1)
			cr_expect_eq(column_of(&r, length), lists[i].bytes, "%u: %zu",
				     length, column_of(&r, length));
		cr_expect_eq(r.data.columns[SAVED_CALLEE].count, 0u);
		release(&r);
	}
}

Test(tree_data, indexes_into_longer_lists_are_for_themselves)
{
	struct round r = { 0 };

	go_round_lists(&r, SAVED_SHORT_LIST + 1);
	cr_expect_eq(r.data.columns[SAVED_CALLEE].count, 23u * (SAVED_SHORT_LIST + 1));
	release(&r);
}

/* The second and the third function have a file, and the third another one. */
static void make_declarations(struct round *r)
{
	struct function *f;

	tree_init(&r->t);
	tree_add(&r->t, "a;b;c;d", 5);
	f = r->t.symbols.functions.v;
	for (size_t i = 0; i < r->t.symbols.functions.count; i++) {
		const char *text = intern_text(&r->t.strings, f[i].name);

		f[i].line = (uint32_t)(*text * 1000);
		if (*text >= 'b')
			cr_assert_eq(intern_add(&r->t.strings,
						*text == 'c' ? "x.h" : "y.c", 3,
						&f[i].file),
				     0);
	}
}

Test(tree_data, where_functions_are_declared_comes_back)
{
	static const char *const files[] = { "", "", "y.c", "x.h", "y.c" };
	struct round r = { 0 };

	make_declarations(&r);
	go_round(&r, VIEW_BY_FUNCTION);
	expect_same(&r);
	for (uint32_t node = 1; node < 5; node++) {
		cr_expect_str_eq(intern_text(&r.strings, function(&r, node)->file),
				 files[node]);
		cr_expect_eq(function(&r, node)->line,
			     *files[node] ? *name(&r, node) * 1000u : 0u);
	}
	release(&r);
}

static void expect_bad(const struct round *r, const char *why)
{
	struct saved_tree saved = { 0 };
	struct context ctx = { 0 };
	struct packed_tree packed;
	const char *said = NULL;

	cr_assert_eq(tree_data_pack(&ctx, &r->data, 1, &packed), 0);
	cr_assert_not(packed.is_zlib);
	cr_expect_eq(decode_bytes(packed.bytes, packed.whole,
				  (struct intern *)&r->strings, &saved, &said),
		     -EBADMSG);
	cr_expect_str_eq(said, why);
	free(packed.bytes);
}

Test(tree_data, files_that_are_not_there_are_refused)
{
	struct round r = { 0 };
	struct bytes *columns = r.data.columns;

	make_declarations(&r);
	go_round(&r, VIEW_BY_FUNCTION);
	columns[SAVED_FUNCTION_FILE].v[1] = 3;
	expect_bad(&r, "a function has no file");
	columns[SAVED_FUNCTION_FILE].v[1] = 2;
	columns[SAVED_FUNCTION_FILE].count--;
	expect_bad(&r, "a column is cut");
	columns[SAVED_FILE].count--;
	expect_bad(&r, "a file is cut");
	release(&r);
}

Test(tree_data, a_root_alone_comes_back)
{
	struct round r = { 0 };

	tree_init(&r.t);
	tree_add(&r.t, "", 7);
	go_round(&r, VIEW_BY_FUNCTION);
	cr_expect_eq(r.saved.nodes, 1u);
	cr_expect_eq(saved_value(&r.saved, 0, COLUMN_WEIGHT), 7u);
	release(&r);
}

static uint32_t next(uint32_t *x)
{
	*x = *x * 1664525 + 1013904223;
	return *x >> 10;
}

/* Stacks of few functions, so that callees repeat, and of many. */
static void grow(struct tree *t, uint32_t seed, unsigned functions, bool differs)
{
	char stack[400];

	for (int i = 0; i < 400; i++) {
		size_t size = 0;

		for (unsigned n = 1 + next(&seed) % 30; n > 0; n--)
			size += (size_t)snprintf(stack + size, sizeof(stack) - size,
						 "%sf%u", size ? ";" : "",
						 next(&seed) % functions);
		if (differs)
			tree_add_before(t, stack, next(&seed) % 50, next(&seed) % 3);
		else
			tree_add(t, stack, 1 + (uint64_t)next(&seed) * next(&seed));
	}
}

Test(tree_data, any_tree_comes_back)
{
	static const unsigned functions[] = { 1, 2, 7, 300, 100000 };

	for (uint32_t i = 0; i < 5; i++) {
		struct round r = { 0 };

		tree_init(&r.t);
		grow(&r.t, i, functions[i], i & 1);
		go_round(&r, VIEW_BY_FUNCTION);
		expect_same(&r);
		release(&r);
	}
}

Test(tree_data, names_may_hold_any_byte_but_nul)
{
	struct round r = { 0 };
	char many[70000];

	memset(many, 'x', sizeof(many) - 1);
	many[sizeof(many) - 1] = '\0';
	tree_init(&r.t);
	tree_add(&r.t, "\xff\xfe\x01\n\t\"<&]]>;", 1);
	tree_add(&r.t, "\xe6\x97\xa5;\xe6\x97\xa6", 1);
	tree_add(&r.t, many, 1);
	many[sizeof(many) - 2] = 'y';
	tree_add(&r.t, many, 1);
	go_round(&r, VIEW_BY_FUNCTION);
	expect_same(&r);
	release(&r);
}

Test(tree_data, values_that_share_a_factor_are_divided_by_it)
{
	struct round r = { 0 };
	uint64_t three = UINT64_C(3) << 40;

	tree_init(&r.t);
	tree_add(&r.t, "a", three);
	tree_add(&r.t, "b", 5 * three);
	r.t.named.values[COLUMN_SAMPLES][2] = 5;
	go_round(&r, VIEW_BY_FUNCTION);
	expect_same(&r);
	cr_expect_eq(r.data.columns[SAVED_SELF].count, 2u, "a byte each");
	cr_expect_not_null(r.saved.values[COLUMN_SAMPLES].of, "and they are the samples");
	cr_expect_eq(r.data.columns[SAVED_SAMPLES].count, 0u);
	release(&r);
}

Test(tree_data, samples_that_are_not_the_values_have_columns)
{
	struct round r = { 0 };

	tree_init(&r.t);
	tree_add(&r.t, "a", 70);
	tree_add(&r.t, "b", 11);
	go_round(&r, VIEW_BY_FUNCTION);
	expect_same(&r);
	cr_assert_not_null(r.saved.values[COLUMN_SAMPLES].of);
	cr_expect_eq(saved_value(&r.saved, 1, COLUMN_SAMPLES), 1u);
	release(&r);
}

Test(tree_data, a_flame_chart_keeps_its_order_and_its_gaps)
{
	struct round r = { 0 };

	tree_init(&r.t);
	r.t.in.in_order = true;
	tree_add(&r.t, "b;x", 1);
	tree_add(&r.t, "b;", 2);
	tree_add(&r.t, "b;x", 3);
	tree_add(&r.t, "a", 4);
	array_last(&r.t.symbols.functions)->kind = FUNCTION_USER;
	go_round(&r, VIEW_BY_FUNCTION);
	expect_same(&r);
	release(&r);
}

Test(tree_data, labels_of_a_chain_are_text)
{
	struct round r = { 0 };

	tree_init(&r.t);
	tree_add(&r.t, "a;--;b", 1);
	tree_add(&r.t, "c@k", 1);
	go_round(&r, VIEW_CHAIN);
	cr_assert_eq(r.saved.nodes, 6u);
	cr_expect_str_eq(name(&r, 3), "b_[w]");
	cr_expect_str_eq(name(&r, 5), "--");
	cr_expect_eq(function(&r, 4)->kind, SAVED_TEXT);
	release(&r);
}

Test(tree_data, a_chart_of_chains_keeps_its_gaps)
{
	struct round r = { 0 };

	tree_init(&r.t);
	r.t.in.in_order = true;
	tree_add(&r.t, "a;--;b;x", 1);
	tree_add(&r.t, "a;--;b;gap", 2);
	array_last(&r.t.symbols.functions)->kind = FUNCTION_GAP;
	go_round(&r, VIEW_CHAIN);
	cr_assert_eq(r.saved.nodes, 6u);
	cr_expect_str_eq(name(&r, 4), "x_[w]");
	cr_expect_eq(function(&r, 5)->kind & SAVED_KIND, SAVED_GAP);
	cr_expect_eq(r.saved.parent[5], 3u);
	cr_expect_eq(saved_value(&r.saved, 5, COLUMN_WEIGHT), 2u);
	release(&r);
}

/* A payload with something wrong is refused with a word about it, or is another tree. */
static void decode(struct round *r, const uint8_t *bytes, size_t size)
{
	struct saved_tree saved = { 0 };
	const char *why = NULL;
	int err = decode_bytes(bytes, size, &r->strings, &saved, &why);

	if (err < 0)
		cr_expect_not_null(why);
	else
		saved_tree_release(&saved);
}

Test(tree_data, a_payload_without_counts_is_refused)
{
	struct saved_tree saved = { 0 };
	const char *why = NULL;

	cr_expect_eq(decode_bytes((const uint8_t *)"\0\0", 3, NULL, &saved, &why),
		     -EBADMSG);
	cr_expect_str_eq(why, "its counts are cut");
}

Test(tree_data, damage_is_found)
{
	struct round r = { 0 };
	uint8_t *bytes;
	size_t size;

	tree_init(&r.t);
	grow(&r.t, 3, 20, true);
	go_round(&r, VIEW_BY_FUNCTION);
	size = r.packed.whole;
	bytes = malloc(size);
	for (size_t i = 0; i < size; i++) {
		const char *why = NULL;
		struct saved_tree saved = { 0 };

		/* Exactly as large: a sanitizer sees one byte more. */
		bytes = realloc(bytes, i ? i : 1);
		memcpy(bytes, r.payload ? r.payload : r.packed.bytes, i);
		cr_expect_lt(decode_bytes(bytes, i, &r.strings, &saved, &why), 0,
			     "cut at %zu", i);
		cr_expect_not_null(why);
	}
	bytes = realloc(bytes, size);
	for (size_t i = 0; i < size; i++) {
		static const uint8_t others[] = { 0, 1, 0x7f, 0x80, 0xff };

		memcpy(bytes, r.payload ? r.payload : r.packed.bytes, size);
		bytes[i] = others[i % 5];
		decode(&r, bytes, size);
	}
	free(bytes);
	release(&r);
}
