#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tree/named.h"

#include "unit/limit.h"

static struct context ctx;
static struct intern strings;
static struct trie trie;
static struct symbols symbols;
static struct named named;
static struct columns columns;
static const uint8_t *left_out; /* by node of the trie */
static struct frames known; /* what is inferred of them; mostly nothing is said */

static void begin(void)
{
	cr_assert_eq(intern_init(&strings), 0);
	cr_assert_eq(trie_init(&trie), 0);
	columns_init(&columns);
}

static void end(void)
{
	named_release(&named);
	symbols_release(&symbols);
	frames_release(&known);
	trie_release(&trie);
	intern_release(&strings);
}

TestSuite(named, .init = begin, .fini = end);

/* Frame f gets a function of its own. */
static struct function *function(const char *name, const char *module)
{
	struct function *f = array_add(&symbols.functions);

	*array_add(&symbols.of_frame) = (uint32_t)symbols.functions.count - 1;
	cr_assert_eq(intern_add(&strings, name, strlen(name), &f->name), 0);
	cr_assert_eq(intern_add(&strings, module, strlen(module), &f->module), 0);
	return f;
}

static void functions(const char *names)
{
	for (char name[2] = ""; *names; names++) {
		name[0] = *names;
		function(name, "m");
	}
}

/* A stack of frames '0' to '9', with a weight. */
static uint32_t stack(const char *frames, uint64_t weight)
{
	uint32_t list[64], node;
	size_t count = strlen(frames);

	for (size_t i = 0; i < count; i++)
		list[i] = (uint32_t)(frames[i] - '0');
	cr_assert_eq(trie_add(&trie, list, count, &node), 0);
	cr_assert_eq(trie_charge(&trie, node, COLUMN_WEIGHT, weight), 0);
	return node;
}

static void make(bool in_order, size_t threads)
{
	struct named_options options = { .columns = &columns,
					 .strings = &strings,
					 .frames = known.list.count ? &known : NULL,
					 .left_out = left_out,
					 .in_order = in_order,
					 .threads = threads };

	cr_assert_eq(named_make(&ctx, &trie, &symbols, &options, &named), 0);
}

/* "a:1(b:2(),c:3())": name, own value and children of each node. */
static const char *tree(bool in_order)
{
	static char line[512];
	char *p = line;

	make(in_order, 1);
	for (uint32_t i = 1; i < named.nodes.count; i++) {
		const struct named_node *n = &named.nodes.v[i];
		const struct function *f = &symbols.functions.v[n->function];

		cr_assert(n->parent < i && n->end <= named.nodes.v[n->parent].end);
		p += sprintf(p, "%s:%d(", intern_text(&strings, f->name),
			     (int)named_value(&named, i, COLUMN_WEIGHT));
		for (uint32_t up = i; up && named.nodes.v[up].end == i + 1;
		     up = named.nodes.v[up].parent)
			*p++ = ')';
	}
	*p = '\0';
	return line;
}

Test(named, children_are_ordered_by_name)
{
	functions("cab");
	stack("0", 1);
	stack("01", 2);
	stack("02", 3);
	stack("2", 4);
	stack("1", 5);
	cr_expect_str_eq(tree(false), "a:5()b:4()c:1(a:2()b:3())");
}

Test(named, addresses_of_one_function_become_one_node)
{
	functions("ab");
	*array_add(&symbols.of_frame) = 0;
	*array_add(&symbols.of_frame) = 1;
	stack("01", 1);
	stack("23", 2);
	stack("21", 4);
	stack("2", 8);
	cr_expect_str_eq(tree(false), "a:8(b:7())");
}

Test(named, what_is_left_out_is_not_there)
{
	static uint8_t out[8];
	uint32_t b, c;

	functions("abc");
	stack("0", 1);
	b = stack("01", 0);
	c = stack("012", 0);
	stack("02", 4);
	out[b] = out[c] = 1;
	left_out = out;
	cr_expect_str_eq(tree(false), "a:1(c:4())");
}

Test(named, equal_names_of_two_modules_stay_apart_and_are_ordered_by_it)
{
	function("f", "z");
	function("f", "a");
	stack("0", 1);
	stack("1", 2);
	cr_expect_str_eq(tree(false), "f:2()f:1()");
}

Test(named, equal_names_and_modules_are_ordered_by_kind)
{
	function("f", "m")->kind = FUNCTION_KERNEL;
	function("f", "m")->kind = FUNCTION_USER;
	stack("0", 1);
	stack("1", 2);
	cr_expect_str_eq(tree(false), "f:2()f:1()");
}

Test(named, in_order_children_stay_as_they_came_and_only_neighbours_are_joined)
{
	functions("abc");
	*array_add(&symbols.of_frame) = 2;
	uint32_t last = 0, node;
	static const uint32_t stacks[][2] = { { 0, 2 }, { 0, 1 }, { 0, 2 }, { 0, 3 } };

	for (size_t i = 0; i < 4; i++) {
		cr_assert_eq(trie_append(&trie, stacks[i], 2, last, &node), 0);
		cr_assert_eq(trie_charge(&trie, node, COLUMN_WEIGHT, i + 1), 0);
		last = node;
	}
	cr_expect_str_eq(tree(true), "a:0(c:1()b:2()c:7())");
}

/* Frame @frame has code of those functions, outermost first, in the one it is of. */
static void inlined(uint32_t frame, const char *indexes)
{
	if (symbols.inlined.count == 0)
		array_add(&symbols.inlined);
	while (symbols.inlined_of_frame.count <= frame)
		array_add(&symbols.inlined_of_frame);
	symbols.inlined_of_frame.v[frame] = (uint32_t)symbols.inlined.count;
	*array_add(&symbols.inlined) = (uint32_t)strlen(indexes);
	for (; *indexes; indexes++)
		*array_add(&symbols.inlined) = (uint32_t)(*indexes - '0');
}

/* Its own value is the innermost one's, and what it calls is called by that. */
Test(named, inlined_functions_are_nodes_of_their_own)
{
	functions("abcd");
	inlined(0, "12");
	stack("0", 1);
	stack("03", 2);
	cr_expect_str_eq(tree(false), "a:0(b:0(c:1(d:2())))");
}

Test(named, an_inlined_function_joins_with_one_that_was_called)
{
	functions("ab");
	*array_add(&symbols.of_frame) = 0;
	inlined(2, "1");
	stack("0", 1);
	stack("01", 2);
	stack("2", 4);
	cr_expect_str_eq(tree(false), "a:1(b:6())");
}

Test(named, in_order_inlined_functions_are_joined_with_neighbours_only)
{
	functions("abc");
	uint32_t last = 0, node;
	static const uint32_t stacks[][2] = { { 0, 2 }, { 1, 2 }, { 0, 2 } };

	inlined(0, "1");
	for (size_t i = 0; i < 3; i++) {
		cr_assert_eq(trie_append(&trie, stacks[i], 2, last, &node), 0);
		cr_assert_eq(trie_charge(&trie, node, COLUMN_WEIGHT, i + 1), 0);
		last = node;
	}
	cr_expect_str_eq(tree(true), "a:0(b:0(c:1()))b:0(c:2())a:0(b:0(c:3()))");
}

Test(named, of_very_many_inlined_functions_there_are_as_many_nodes)
{
	char run[10] = "";

	functions("ab");
	for (uint32_t i = 2; i < 40; i++)
		*array_add(&symbols.of_frame) = 0;
	for (uint32_t i = 0; i < 9; i++) {
		run[i] = '1';
		inlined(i + 2, run);
	}
	for (char frame[2] = "2"; *frame < '2' + 9; ++*frame)
		stack(frame, 1);
	cr_expect_str_eq(tree(false), "a:0(b:1(b:1(b:1(b:1(b:1(b:1(b:1(b:1(b:1()))))))))"
				      ")");
}

Test(named, a_dropped_function_leaves_its_children_and_its_weight_to_its_parent)
{
	functions("axb");
	symbols.functions.v[1].dropped = true;
	stack("01", 1);
	stack("012", 2);
	stack("02", 4);
	stack("1", 8);
	cr_expect_str_eq(tree(false), "a:1(b:6())");
	cr_expect_eq(named_value(&named, 0, COLUMN_WEIGHT), 8);
}

/*
 * The same as slowly as can be: each child is looked for among all of its parent.
 */
enum { FUNCTIONS = 50, FRAMES = 90, STACKS = 1500, NODES_MOST = 40000 };

struct slow {
	uint32_t parent, function;
	uint64_t self;
};

static struct slow slow[NODES_MOST];
static uint32_t slow_count;

static uint32_t slow_child(uint32_t parent, uint32_t function, bool in_order)
{
	for (uint32_t i = slow_count; i-- > 1;) {
		if (slow[i].parent != parent)
			continue;
		if (slow[i].function == function)
			return i;
		if (in_order)
			break;
	}
	cr_assert_lt(slow_count, (uint32_t)NODES_MOST);
	slow[slow_count] = (struct slow){ parent, function, 0 };
	return slow_count++;
}

static uint32_t slow_step(uint32_t node, uint32_t function, bool in_order)
{
	return symbols.functions.v[function].dropped
		       ? node
		       : slow_child(node, function, in_order);
}

static void join_slowly(bool in_order)
{
	static uint32_t of_node[NODES_MOST];

	slow_count = 1;
	slow[0].self = trie_self(&trie, 0, COLUMN_WEIGHT);
	for (uint32_t i = 1; i < trie.count; i++) {
		uint32_t frame = trie.nodes[i].frame, count;
		uint32_t node = of_node[trie.nodes[i].parent];
		const uint32_t *run = symbols_inlined(&symbols, frame, &count);

		if (left_out && left_out[i])
			continue;
		node = slow_step(node, symbols.of_frame.v[frame], in_order);
		for (uint32_t k = 0; k < count; k++)
			node = slow_step(node, run[k], in_order);
		of_node[i] = node;
		slow[node].self += trie_self(&trie, i, COLUMN_WEIGHT);
	}
}

/* The node of @named at *@at is that one, with all below it. */
static void expect_slow(uint32_t id, uint32_t *at, bool in_order)
{
	uint32_t here = (*at)++, last = in_order ? 0 : UINT32_MAX;

	cr_assert_lt(here, named.nodes.count);
	cr_assert_eq(named_value(&named, here, COLUMN_WEIGHT), slow[id].self);
	if (id)
		cr_assert_eq(named.nodes.v[here].function, slow[id].function);
	for (;;) {
		uint32_t next = 0;

		for (uint32_t i = id + 1; i < slow_count; i++)
			if (slow[i].parent == id &&
			    (in_order ? i > last && !next
				      : (last == UINT32_MAX ||
					 slow[i].function > slow[last].function) &&
						(!next ||
						 slow[i].function < slow[next].function)))
				next = i;
		if (!next)
			break;
		cr_assert_eq(named.nodes.v[*at].parent, here);
		expect_slow(next, at, in_order);
		last = next;
	}
	cr_assert_eq(named.nodes.v[here].end, *at);
}

static void make_any(unsigned *seed, bool in_order)
{
	uint32_t frames[6], last = 0;
	char name[8];

	for (int i = 0; i < FUNCTIONS; i++) {
		snprintf(name, sizeof(name), "%03d", i);
		function(name, "m")->dropped = rand_r(seed) % 9 == 0;
	}
	while (symbols.of_frame.count < FRAMES)
		*array_add(&symbols.of_frame) = (uint32_t)rand_r(seed) % FUNCTIONS;
	for (uint32_t i = 0; i < FRAMES; i += 1 + (uint32_t)rand_r(seed) % 5)
		inlined(i, i % 2 ? "12" : "334");
	for (int i = 0; i < STACKS; i++) {
		size_t count = (size_t)(rand_r(seed) % 6);

		for (size_t k = 0; k < count; k++)
			frames[k] = (uint32_t)rand_r(seed) % (k == 2 ? FRAMES : 4);
		cr_assert_eq(in_order ? trie_append(&trie, frames, count, last, &last)
				      : trie_add(&trie, frames, count, &last),
			     0);
		if (rand_r(seed) % 3)
			cr_assert_eq(trie_charge(&trie, last, COLUMN_WEIGHT, 1 + i % 5),
				     0);
	}
}

/* As filters do: what has no values, and nothing on it that has. */
static uint8_t *leave_out_the_rest(void)
{
	uint8_t *ret = malloc(trie.count);

	memset(ret, 1, trie.count);
	for (uint32_t i = trie.count; i-- > 0;) {
		if (trie_self(&trie, i, COLUMN_WEIGHT))
			ret[i] = 0;
		if (!ret[i])
			ret[trie.nodes[i].parent] = 0;
	}
	return ret;
}

Test(named, any_tree_is_what_looking_at_each_child_gives)
{
	for (unsigned run = 0; run < 12; run++) {
		bool in_order = run % 2;
		unsigned seed = run;
		uint8_t *rest;
		uint32_t at = 0;

		make_any(&seed, in_order);
		left_out = rest = run % 3 ? NULL : leave_out_the_rest();
		join_slowly(in_order);
		make(in_order, 1);
		expect_slow(0, &at, in_order);
		cr_assert_eq(at, named.nodes.count);
		free(rest);
		left_out = NULL;
		end();
		memset(&symbols, 0, sizeof(symbols));
		begin();
	}
}

static void infer(const char *wanted)
{
	for (; *wanted; wanted++) {
		struct frame frame = { .address = known.list.count };
		uint32_t id;

		frame.flags = *wanted == 'i' ? FRAME_INFERRED : 0;
		cr_assert_eq(frames_add(&known, &frame, &id), 0);
	}
}

/* By the function of a node: what is inferred of it. */
static uint64_t inferred_of(char name)
{
	uint64_t sum = 0;

	for (uint32_t i = 1; i < named.nodes.count; i++) {
		const struct function *f =
			&symbols.functions.v[named.nodes.v[i].function];

		if (intern_text(&strings, f->name)[0] == name)
			sum += named_value(&named, i, COLUMN_INFERRED);
	}
	return sum;
}

Test(named, what_is_below_an_inferred_frame_is_inferred_of_the_node_that_it_joins)
{
	functions("abc");
	*array_add(&symbols.of_frame) = 1;
	infer("...i");
	stack("012", 1);
	stack("032", 2);
	stack("03", 4);
	stack("0322", 8);
	cr_expect_str_eq(tree(false), "a:0(b:4(c:3(c:8())))");
	cr_expect_eq(inferred_of('b'), 14);
	cr_expect_eq(inferred_of('a') + inferred_of('c'), 0);
}

Test(named, an_inferred_frame_in_what_another_one_called_is_in_both)
{
	functions("abc");
	infer(".ii");
	stack("012", 1);
	stack("01202", 2);
	stack("0121", 4);
	make(false, 1);
	cr_expect_eq(inferred_of('b'), 7 + 4);
	cr_expect_eq(inferred_of('c'), 7 + 2);
}

Test(named, nothing_is_said_where_nothing_is_inferred)
{
	functions("ab");
	infer("..");
	stack("01", 1);
	make(false, 1);
	cr_expect_null(named.values[COLUMN_INFERRED]);
}

Test(named, what_a_picture_says_is_inferred_is_added)
{
	uint32_t node = 0;

	functions("ab");
	stack("01", 6);
	cr_assert_eq(trie_add(&trie, (uint32_t[]){ 0 }, 1, &node), 0);
	cr_assert_eq(trie_charge(&trie, node, COLUMN_INFERRED, 5), 0);
	make(false, 1);
	cr_expect_eq(inferred_of('a'), 5);
	cr_expect_eq(inferred_of('b'), 0);
}

/* A trie that is worth several threads: long stacks that begin alike. */
static void make_large(unsigned *seed)
{
	enum { LARGE = 700000, DEEP = 40 };
	uint32_t frames[DEEP], node;

	make_any(seed, false);
	while (trie.count < LARGE) {
		size_t count = (size_t)(rand_r(seed) % DEEP);

		for (size_t k = 0; k < count; k++)
			frames[k] = (uint32_t)rand_r(seed) % (k < 8 ? 3 : FRAMES);
		cr_assert_eq(trie_add(&trie, frames, count, &node), 0);
		cr_assert_eq(trie_charge(&trie, node, COLUMN_WEIGHT, count + 1), 0);
		cr_assert_eq(trie_charge(&trie, node, COLUMN_SAMPLES, 1), 0);
		cr_assert_eq(trie_charge(&trie, node, COLUMN_BEFORE, count % 3), 0);
	}
	for (int i = 0; i < FRAMES / 3; i++)
		infer(i % 2 ? "..." : "i..");
}

static void expect_same(const struct named *a, const struct named *b)
{
	size_t size = a->nodes.count * sizeof(uint64_t);

	cr_assert_eq(a->nodes.count, b->nodes.count);
	cr_expect_eq(memcmp(a->nodes.v, b->nodes.v, a->nodes.count * sizeof(*a->nodes.v)),
		     0);
	cr_expect_eq(memcmp(a->totals, b->totals, size), 0);
	for (uint32_t i = 0; i < columns.count; i++) {
		cr_assert_eq(a->values[i] != NULL, b->values[i] != NULL);
		if (a->values[i])
			cr_expect_eq(memcmp(a->values[i], b->values[i], size), 0);
	}
}

Test(named, any_number_of_threads_makes_the_same)
{
	work_at_most(60);
	static const size_t threads[] = { 2, 3, 8, 100 };
	struct named one;
	unsigned seed = 7;

	make_large(&seed);
	for (int filtered = 0; filtered < 2; filtered++) {
		uint8_t *rest = filtered ? leave_out_the_rest() : NULL;

		left_out = rest;
		make(false, 1);
		one = named;
		for (int i = 0; i < 4; i++) {
			make(false, threads[i]);
			expect_same(&one, &named);
			named_release(&named);
		}
		named_release(&one);
		left_out = NULL;
		free(rest);
	}
}

/* All are children of the root, and there is no trunk but that. */
Test(named, what_is_flat_is_the_same_for_threads)
{
	work_at_most(60);
	enum { WIDE = 300000 };
	struct named one;
	uint32_t node;
	char name[8];

	for (uint32_t i = 0; i < WIDE; i++) {
		snprintf(name, sizeof(name), "%06u", i * 7 % WIDE);
		function(name, "m");
		cr_assert_eq(trie_add(&trie, &i, 1, &node), 0);
		cr_assert_eq(trie_charge(&trie, node, COLUMN_BEFORE, i), 0);
	}
	make(false, 1);
	one = named;
	cr_expect_eq(one.nodes.count, WIDE + 1);
	make(false, 4);
	expect_same(&one, &named);
	named_release(&one);
}

Test(named, the_empty_trie_is_a_root)
{
	cr_expect_str_eq(tree(false), "");
	cr_assert_eq(named.nodes.count, 1);
	cr_expect_eq(named.nodes.v[0].end, 1);
	cr_expect_eq(named_value(&named, 0, COLUMN_WEIGHT), 0);
	cr_expect_null(named.values[COLUMN_BEFORE]);
}

Test(named, columns_are_summed_apart)
{
	functions("ab");
	uint32_t node = stack("01", 5);

	cr_assert_eq(trie_charge(&trie, node, COLUMN_SAMPLES, 2), 0);
	cr_assert_eq(trie_charge(&trie, 0, COLUMN_BEFORE, 9), 0);
	tree(false);
	cr_assert_not_null(named.values[COLUMN_BEFORE]);
	cr_expect_eq(named_value(&named, 2, COLUMN_WEIGHT), 5);
	cr_expect_eq(named_value(&named, 2, COLUMN_SAMPLES), 2);
	cr_expect_eq(named_value(&named, 0, COLUMN_BEFORE), 9);
	cr_expect_eq(named_value(&named, 2, COLUMN_BEFORE), 0);
}

Test(named, a_very_deep_stack_needs_no_deep_call)
{
	work_at_most(20);
	enum { DEPTH = 500000 };
	uint32_t *frames = calloc(DEPTH, sizeof(*frames)), node;

	functions("a");
	cr_assert_eq(trie_add(&trie, frames, DEPTH, &node), 0);
	make(false, 1);
	cr_expect_eq(named.nodes.count, DEPTH + 1);
	cr_expect_eq(named.nodes.v[1].end, DEPTH + 1);
	free(frames);
}
