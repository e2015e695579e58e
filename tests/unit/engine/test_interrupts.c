#include "engine/interrupts.h"

#include <criterion/criterion.h>
#include <stdio.h>

static struct columns columns;
static struct budget budget;
static struct intern strings;
static struct collected c;
static struct symbols symbols;

static void begin(void)
{
	const struct collected_limit limit = { &columns, &budget, 1, false };

	columns_init(&columns);
	budget_init(&budget, 1 << 26);
	cr_assert_eq(intern_init(&strings), 0);
	cr_assert_eq(collected_init(&c, &limit), 0);
}

static void end(void)
{
	symbols_release(&symbols);
	collected_release(&c);
	intern_release(&strings);
	budget_release(&budget);
}

TestSuite(interrupts, .init = begin, .fini = end);

/*
 * A frame that shows a name: (app) is a process, .main a user's function, all else are the kernel's;
 * -- is a link, <hardirq>, <nmi> and <softirq> are marks.
 */
static uint32_t frame_of(const char *word)
{
	struct frame frame = { .image = IMAGE_ID_NAMES };
	char name[64];
	uint32_t id, text;

	snprintf(name, sizeof(name), "%s", word);
	if (strcmp(word, "--") == 0) {
		frame.flags = FRAME_LINK;
	} else if (word[0] == '<') {
		frame.flags = FRAME_INTERRUPT;
		frame.flags |= strcmp(word, "<softirq>") == 0 ? FRAME_SOFTIRQ : 0;
		snprintf(name, sizeof(name), "[%.*s]", (int)strlen(word) - 2, word + 1);
	} else if (word[0] != '(') {
		frame.image = IMAGE_ID_UNKNOWN;
	}
	cr_assert_eq(intern_add(&strings, name, strlen(name), &text), 0);
	frame.address = text;
	cr_assert_eq(frames_add(&c.frames, &frame, &id), 0);
	return id;
}

/* Root first, words with spaces between them. */
static uint32_t stack(const char *words, uint64_t weight)
{
	char text[256], *rest = text;
	uint32_t frames[32], node;
	size_t count = 0;

	snprintf(text, sizeof(text), "%s", words);
	for (char *word; (word = strsep(&rest, " ")); count++)
		frames[count] = frame_of(word);
	cr_assert_eq(trie_add(&c.trie, frames, count, &node), 0);
	cr_assert_eq(trie_charge(&c.trie, node, COLUMN_WEIGHT, weight), 0);
	cr_assert_eq(trie_charge(&c.trie, node, COLUMN_SAMPLES, 1), 0);
	return node;
}

static void cut(void)
{
	for (size_t i = symbols.of_frame.count; i < c.frames.list.count; i++) {
		const struct frame *frame = &c.frames.list.v[i];
		const char *name = intern_text(&strings, (uint32_t)frame->address);
		struct function *function = array_add(&symbols.functions);

		function->name = (uint32_t)frame->address;
		function->kind = frame->image == IMAGE_ID_NAMES ? FUNCTION_LABEL
				 : name[0] == '.'		? FUNCTION_USER
								: FUNCTION_KERNEL;
		*array_add(&symbols.of_frame) = (uint32_t)i;
	}
	cr_assert_eq(interrupts_cut(&c, &symbols, &strings), 0);
}

/* All the weight of a stack is on this one. */
static void expect(const char *words, uint64_t weight)
{
	uint64_t found = 0;

	for (size_t row = 1; row < c.trie.rows.count; row++) {
		char text[512] = "", longer[512];

		for (uint32_t n = trie_row_node(&c.trie, row); n;
		     n = c.trie.nodes[n].parent) {
			uint64_t name = c.frames.list.v[c.trie.nodes[n].frame].address;

			snprintf(longer, sizeof(longer), "%s%s%s",
				 intern_text(&strings, (uint32_t)name), *text ? " " : "",
				 text);
			memcpy(text, longer, sizeof(text));
		}
		if (strcmp(text, words) == 0)
			found += trie_row_self(&c.trie, row, COLUMN_WEIGHT);
	}
	cr_expect_eq(found, weight, "%s", words);
}

/* The only stack becomes that one. */
static void expect_cut(const char *before, const char *after)
{
	stack(before, 7);
	cut();
	expect(after, 7);
}

Test(interrupts, what_ran_in_the_kernel_is_no_part_of_the_interrupt)
{
	expect_cut("(app) .main (-) read -- <hardirq> wake hrtimer_interrupt "
		   "asm_sysvec_apic_timer_interrupt do_idle start_kernel",
		   "(app) .main (-) read -- wake hrtimer_interrupt "
		   "asm_sysvec_apic_timer_interrupt [hardirq]");
}

Test(interrupts, who_ran_in_user_space_is_no_waker)
{
	expect_cut("(app) read -- <softirq> wake asm_common_interrupt (-) .loop (other)",
		   "(app) read -- wake asm_common_interrupt [softirq]");
}

Test(interrupts, a_softirq_without_an_entry_is_its_tasks)
{
	expect_cut(
		"(app) read -- <softirq> wake handle_softirqs local_bh_enable send (-) "
		".send (other)",
		"(app) read -- wake handle_softirqs local_bh_enable send (-) "
		".send (other)");
}

Test(interrupts, the_chain_goes_on_behind_a_softirq_of_a_task_only)
{
	stack("(app) read -- <softirq> wake local_bh_enable (other) -- <hardirq> timer "
	      "asm_sysvec_x do_idle",
	      3);
	stack("(app) read -- <softirq> wake asm_sysvec_x (other) -- <hardirq> timer "
	      "asm_sysvec_x do_idle",
	      4);
	cut();
	expect("(app) read -- wake local_bh_enable (other) -- timer asm_sysvec_x "
	       "[hardirq]",
	       3);
	expect("(app) read -- wake asm_sysvec_x [softirq]", 4);
}

Test(interrupts, the_last_waker_of_a_chain_may_be_one)
{
	expect_cut(
		"(app) read -- write (-) .send (mid) -- <nmi> wake exc_nmi asm_exc_nmi "
		"asm_page_fault",
		"(app) read -- write (-) .send (mid) -- wake exc_nmi asm_exc_nmi [nmi]");
}

Test(interrupts, an_interrupt_that_was_interrupted_is_cut_off)
{
	expect_cut("(app) read -- <hardirq> wake sysvec_x asm_sysvec_x handle_softirqs "
		   "common_interrupt asm_common_interrupt do_idle",
		   "(app) read -- wake sysvec_x asm_sysvec_x [hardirq]");
}

Test(interrupts, an_entry_that_calls_another_one_is_the_entry)
{
	expect_cut(
		"(app) read -- <hardirq> wake common_interrupt asm_common_interrupt idle",
		"(app) read -- wake common_interrupt asm_common_interrupt [hardirq]");
}

Test(interrupts, without_an_entry_the_kernels_part_is_the_interrupts)
{
	expect_cut("(app) read -- <hardirq> wake [kernel] (-) .main (other)",
		   "(app) read -- wake [kernel] [hardirq]");
}

Test(interrupts, without_a_stack_the_name_is_left)
{
	stack("(app) read -- <hardirq>", 1);
	stack("<nmi> (app)", 2);
	cut();
	expect("(app) read -- [hardirq]", 1);
	expect("[nmi] (app)", 2);
}

Test(interrupts, who_wakes_is_cut_where_it_comes_first)
{
	stack("do_idle asm_sysvec_x hrtimer_interrupt wake <hardirq> (app)", 1);
	stack("(other) .loop (-) el0t_64_irq gic wake <softirq> (app)", 2);
	stack("(other) .send (-) send local_bh_enable wake <softirq> (app)", 4);
	cut();
	expect("[hardirq] asm_sysvec_x hrtimer_interrupt wake (app)", 1);
	expect("[softirq] el0t_64_irq gic wake (app)", 2);
	expect("(other) .send (-) send local_bh_enable wake (app)", 4);
}

Test(interrupts, a_users_function_is_no_entry)
{
	expect_cut("(app) read -- <softirq> wake (-) .nmi nmi (other)",
		   "(app) read -- wake (-) .nmi nmi (other)");
}

Test(interrupts, stacks_without_marks_stay_and_others_join_them)
{
	uint32_t same, marked;

	same = stack("(app) read -- wake asm_sysvec_x ([hardirq])", 1);
	stack("(app) read", 2);
	stack("(app) read -- <hardirq> wake asm_sysvec_x idle", 4);
	marked = stack("(app) read -- <hardirq> wake asm_sysvec_x work (other)", 8);
	cut();
	cr_expect_eq(trie_self(&c.trie, same, COLUMN_WEIGHT), 1);
	cr_expect_eq(trie_self(&c.trie, marked, COLUMN_WEIGHT), 0);
	cr_expect_eq(trie_self(&c.trie, marked, COLUMN_SAMPLES), 0);
	expect("(app) read", 2);
	expect("(app) read -- wake asm_sysvec_x [hardirq]", 12);
}

Test(interrupts, a_later_look_adds_to_what_was_cut_before)
{
	uint32_t nodes;

	expect_cut("(app) read -- <hardirq> wake asm_sysvec_x idle",
		   "(app) read -- wake asm_sysvec_x [hardirq]");
	nodes = c.trie.count;
	stack("(app) read -- <hardirq> wake asm_sysvec_x idle", 2);
	cut();
	cr_expect_eq(c.trie.count, nodes);
	expect("(app) read -- wake asm_sysvec_x [hardirq]", 9);
	cut();
	expect("(app) read -- wake asm_sysvec_x [hardirq]", 9);
}
