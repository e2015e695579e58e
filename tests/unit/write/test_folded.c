#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "unit/scarce.h"
#include "unit/write/tree.h"

static void expect(struct tree *t, const char *expected)
{
	int err;
	char *text = tree_fold(t, &err);

	cr_expect_eq(err, 0);
	cr_expect_str_eq(text, expected);
	free(text);
	tree_release(t);
}

Test(folded, stacks_that_end_somewhere_have_a_line)
{
	struct tree t;

	tree_init(&t);
	tree_add(&t, "main;work", 5);
	tree_add(&t, "idle", 3);
	tree_add(&t, "main;work", 1);
	expect(&t, "idle 3\nmain;work 6\n");
}

Test(folded, lines_are_sorted_by_the_whole_stack)
{
	struct tree t;

	tree_init(&t);
	tree_add(&t, "a;b;c", 1);
	tree_add(&t, "a;b.part;b", 1);
	tree_add(&t, "a;b.part", 1);
	tree_add(&t, "a;b", 1);
	tree_add(&t, "a;b.part.0;d", 1);
	tree_add(&t, "a;b!;d", 1);
	tree_add(&t, "a;c", 1);
	tree_add(&t, "a", 1);
	tree_add(&t, "a<", 1);
	tree_add(&t, "a.b;d", 1);
	expect(&t, "a 1\na.b;d 1\na;b 1\na;b!;d 1\na;b.part 1\na;b.part.0;d 1\n"
		   "a;b.part;b 1\na;b;c 1\na;c 1\na< 1\n");
}

Test(folded, functions_with_the_same_label_share_a_line)
{
	struct tree t;

	tree_init(&t);
	t.in.mark_kernel = true;
	tree_add(&t, "a;f@1", 1);
	tree_add(&t, "a;f@2", 2);
	tree_add(&t, "a;f@k", 4);
	expect(&t, "a;f 3\na;f_[k] 4\n");
}

Test(folded, a_difference_has_two_columns)
{
	struct tree t;

	tree_init(&t);
	tree_add_before(&t, "a;b", 3, 5);
	tree_add_before(&t, "a;gone", 7, 0);
	tree_add_before(&t, "a", 0, 1);
	expect(&t, "a 0 1\na;b 3 5\na;gone 7 0\n");
}

/* Where it would be taken for the end of the name before it. */
Test(folded, an_empty_name_at_the_end_is_written_so_that_it_comes_back)
{
	struct tree t;

	tree_init(&t);
	tree_add(&t, "a;b;;;", 1);
	tree_add(&t, "a;;b", 2);
	tree_add(&t, "a", 3);
	expect(&t, "a 3\na;;b 2\na;b;;; 1\n");
}

Test(folded, fractions_are_kept)
{
	struct tree t;

	tree_init(&t);
	t.named.decimals = 2;
	tree_add(&t, "a", 1250);
	tree_add(&t, "b", 300);
	expect(&t, "a 12.5\nb 3\n");
}

Test(folded, an_empty_stack_keeps_its_weight)
{
	struct tree t;

	tree_init(&t);
	tree_add(&t, "", 30);
	tree_add(&t, "a", 1);
	expect(&t, " 30\na 1\n");
}

Test(folded, an_empty_tree_has_no_lines)
{
	struct tree t;

	tree_init(&t);
	expect(&t, "");
}

Test(folded, a_stream_that_fails_is_an_error)
{
	struct tree t;
	FILE *out = fopen("/dev/full", "w");

	tree_init(&t);
	tree_add(&t, "a", 1);
	cr_assert_not_null(out);
	tree_sum_up(&t);
	cr_expect_eq(write_folded(&t.ctx, &t.in, NULL, out), -ENOSPC);
	cr_expect_str_not_empty(t.ctx.error);
	fclose(out);
	tree_release(&t);
}

Test(folded, a_very_deep_stack_is_written)
{
	struct tree t;
	size_t depth = 2000;
	struct text stack = { 0 };
	char *text;
	int err;

	tree_init(&t);
	for (size_t i = 0; i < depth; i++)
		text_string(&stack, i ? ";f" : "f");
	tree_add(&t, stack.bytes, 1);
	text = tree_fold(&t, &err);
	cr_expect_eq(err, 0);
	cr_expect_eq(strlen(text), 2 * depth - 1 + 3);
	free(text);
	text_release(&stack);
	tree_release(&t);
}

enum { STACKS = 3000, DEEPEST = 6 };

struct line {
	char text[128]; /* as printed, and as it is sorted */
	uint64_t weight;
};

static int compare_lines(const void *a, const void *b)
{
	return strcmp(((const struct line *)a)->text, ((const struct line *)b)->text);
}

/* A stack for tree_add(), and what is printed of it. */
static void make_stack(unsigned *seed, char *stack, struct line *line)
{
	static const char *const frames[] = { "a",    "a@2",	  "a@3", "a@k",
					      "a.b",  "a!",	  "a:",	 "a<",
					      "b",    "b@k",	  "b@j", "ab",
					      "ab@2", "\xc3\xa9", "_",	 "a_[k" };
	int depth = 1 + (int)(rand_r(seed) % DEEPEST);

	*stack = 0;
	*line = (struct line){ .weight = 1 + (uint64_t)(rand_r(seed) % 9) };
	for (int i = 0; i < depth; i++) {
		const char *frame = frames[(unsigned)rand_r(seed) % 16];

		size_t used = strlen(line->text);

		strcat(strcat(stack, i ? ";" : ""), frame);
		snprintf(line->text + used, sizeof(line->text) - used, "%s%.*s%s",
			 i ? ";" : "", (int)strcspn(frame, "@"), frame,
			 strstr(frame, "@k") ? "_[k]" : "");
	}
}

static char *sort_and_sum(struct line *lines)
{
	struct text text = { 0 };

	qsort(lines, STACKS, sizeof(*lines), compare_lines);
	for (int i = 0; i < STACKS; i++) {
		if (i + 1 < STACKS && strcmp(lines[i].text, lines[i + 1].text) == 0)
			lines[i + 1].weight += lines[i].weight;
		else
			text_printf(&text, "%s %lu\n", lines[i].text,
				    (unsigned long)lines[i].weight);
	}
	return text.bytes;
}

Test(folded, any_stacks_are_the_lines_that_sorting_gives)
{
	static struct line lines[STACKS];
	char stack[128], *expected;
	unsigned seed = 1;
	struct tree t;

	tree_init(&t);
	t.in.mark_kernel = true;
	for (int i = 0; i < STACKS; i++) {
		make_stack(&seed, stack, &lines[i]);
		tree_add(&t, stack, lines[i].weight);
	}
	expected = sort_and_sum(lines);
	expect(&t, expected);
	free(expected);
}

static void add_large(struct tree *t)
{
	char name[40];

	for (uint32_t i = 0; i < 70000; i++) {
		struct function f = { .kind = FUNCTION_USER };

		snprintf(name, sizeof(name), "%031x", i);
		cr_assert_eq(intern_add(&t->strings, name, 31, &f.name), 0);
		*array_add(&t->symbols.functions) = f;
		*array_add(&t->named.nodes) = (struct named_node){ i + 1, 0, i + 2 };
	}
	t->named.nodes.v[0].end = 70001;
	t->named.values[COLUMN_WEIGHT] =
		realloc(t->named.values[COLUMN_WEIGHT], 70001 * sizeof(uint64_t));
	for (uint32_t i = 1; i <= 70000; i++)
		t->named.values[COLUMN_WEIGHT][i] = 1;
}

Test(folded, many_children_of_one_node_are_whole_and_in_order)
{
	struct tree t;
	char *text, expected[64];
	int err;

	tree_init(&t);
	add_large(&t);
	text = tree_fold(&t, &err);
	cr_expect_eq(err, 0);
	cr_assert_eq(strlen(text), 70000 * 34);
	for (uint32_t i = 0; i < 70000; i++) {
		snprintf(expected, sizeof(expected), "%031x", i);
		memcpy(expected + 31, " 1\n", 4);
		cr_assert_eq(memcmp(text + 34 * (size_t)i, expected, 34), 0);
	}
	free(text);
	tree_release(&t);
}

Test(folded, what_is_below_a_stack_stands_behind_names_that_come_between)
{
	struct tree t;

	tree_init(&t);
	tree_add_before(&t, "a;b", 1, 1);
	tree_add_before(&t, "a;b;c", 1, 2);
	tree_add_before(&t, "a;b;c!;d", 0, 1);
	tree_add_before(&t, "a;b;c;d", 1, 0);
	tree_add_before(&t, "a;b!", 2, 1);
	tree_add_before(&t, "a;b!;c", 2, 2);
	tree_add_before(&t, "a;b!!", 3, 1);
	tree_add_before(&t, "a;b!!;c", 3, 2);
	tree_add_before(&t, "a;b;;", 4, 1);
	tree_add_before(&t, "a;bc", 5, 1);
	expect(&t, "a;b 1 1\na;b! 2 1\na;b!! 3 1\na;b!!;c 3 2\na;b!;c 2 2\n"
		   "a;b;; 4 1\na;b;c 1 2\na;b;c!;d 0 1\na;b;c;d 1 0\na;bc 5 1\n");
}

/* A node, and children down to a depth; some look alike, some have no value, some levels
 * have one child only. */
static void grow(struct tree *t, unsigned *seed, uint32_t parent, uint32_t function,
		 int depth)
{
	uint32_t id = (uint32_t)t->named.nodes.count;
	uint32_t count = depth % 3 == 2 ? 1 : 11, functions = 12, gap = 10;

	*array_add(&t->named.nodes) = (struct named_node){ function, parent, 0 };
	for (uint32_t i = 0; depth > 0 && function != gap && i < count; i++)
		if (rand_r(seed) % 8)
			grow(t, seed, id, i % functions, depth - 1);
	t->named.nodes.v[id].end = (uint32_t)t->named.nodes.count;
}

static void add_random(struct tree *t, unsigned seed)
{
	static const char *const names[12] = { "a", "a",  "a.", "a!",  "b", "b;",
					       "c", "ab", "c",	"gap", "d", "e" };

	for (int i = 0; i < 12; i++) {
		struct function f = { .kind = i == 9 ? FUNCTION_GAP : FUNCTION_USER };

		cr_assert_eq(intern_add(&t->strings, names[i], strlen(names[i]), &f.name),
			     0);
		*array_add(&t->symbols.functions) = f;
	}
	t->named.nodes.count = 0;
	grow(t, &seed, 0, 0, 8);
	t->named.values[COLUMN_WEIGHT] = realloc(t->named.values[COLUMN_WEIGHT],
						 t->named.nodes.count * sizeof(uint64_t));
	for (size_t i = 0; i < t->named.nodes.count; i++)
		t->named.values[COLUMN_WEIGHT][i] = (uint64_t)(rand_r(&seed) % 4);
	t->named.values[COLUMN_WEIGHT][0] = 5;
}

Test(folded, the_value_of_a_gap_is_its_parents)
{
	struct tree t;

	tree_init(&t);
	tree_add(&t, "a;b", 1);
	tree_add(&t, "a;gap", 2);
	tree_add(&t, "gap", 4);
	t.symbols.functions.v[3].kind = FUNCTION_GAP;
	expect(&t, " 4\na 2\na;b 1\n");
}

/* A file of a certain size. */
struct written {
	size_t size;
	char bytes[64 << 20];
};

static ssize_t take_bytes(void *cookie, const char *bytes, size_t size)
{
	struct written *w = cookie;

	cr_assert_leq(size, sizeof(w->bytes) - w->size);
	memcpy(w->bytes + w->size, bytes, size);
	w->size += size;
	return (ssize_t)size;
}

/* Without allocation @n. Did it fail? */
static bool fold_without(struct tree *t, long n, const char *all)
{
	static struct written w;
	cookie_io_functions_t functions = { .write = take_bytes };
	FILE *out = fopencookie(&w, "w", functions);
	int err;

	cr_assert_not_null(out);
	setvbuf(out, NULL, _IONBF, 0);
	w.size = 0;
	scarce_at = n;
	err = write_folded(&t->ctx, &t->in, NULL, out);
	n = scarce_at;
	scarce_at = 0;
	fclose(out);
	cr_assert(err == 0 || err == -ENOMEM);
	cr_assert_leq(w.size, strlen(all));
	cr_assert_eq(memcmp(w.bytes, all, w.size), 0, "there is a gap");
	if (err == 0)
		cr_assert_eq(w.size, strlen(all));
	return n == 0;
}

Test(folded, without_memory_lines_are_missing_at_the_end_alone)
{
	struct tree t;
	char *all;
	int err;

	if (SCARCE_NEVER)
		cr_skip_test("sanitizers have an allocator of their own");
	tree_init(&t);
	add_random(&t, 1);
	all = tree_fold(&t, &err);
	cr_assert_eq(err, 0);
	for (long n = 1; fold_without(&t, n, all); n++)
		;
	free(all);
	tree_release(&t);
}
