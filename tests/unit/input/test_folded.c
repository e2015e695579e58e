#include "input/input.h"

#include <errno.h>
#include <stdio.h>

#include "recording.h"

static void open_text(struct made *m, const char *text)
{
	int err;

	memset(m, 0, sizeof(*m));
	cr_assert_eq(intern_init(&m->strings), 0);
	bytes(m, text, strlen(text));
	err = made_try(m);
	cr_assert_eq(err, 0, "%s", m->ctx.error);
	cr_assert_eq(m->kind, INPUT_FOLDED);
}

/* The lines as "stack weight|stack weight|", and how many were no lines. */
static const char *lines(struct made *m, uint64_t *ignored)
{
	static char text[4096];
	struct folded_line line;
	int err;

	text[0] = '\0';
	*ignored = 0;
	while ((err = folded_next(&m->ctx, m->in, &line, ignored)) == 1) {
		size_t used = strlen(text);

		if (line.has_before)
			snprintf(text + used, sizeof(text) - used, "%.*s %lu %lu|",
				 (int)line.size, line.stack, line.before, line.weight);
		else
			snprintf(text + used, sizeof(text) - used, "%.*s %lu|",
				 (int)line.size, line.stack, line.weight);
	}
	cr_assert_eq(err, 0, "%s", m->ctx.error);
	return text;
}

static void check(const char *text, const char *expected, uint64_t expected_ignored)
{
	uint64_t ignored;
	struct made m;

	open_text(&m, text);
	cr_assert_str_eq(lines(&m, &ignored), expected);
	cr_assert_eq(ignored, expected_ignored);
	made_end(&m);
}

Test(folded, a_line_is_a_stack_and_a_count)
{
	check("main;a;b 3\nmain 1\n", "main;a;b 3|main 1|", 0);
}

Test(folded, the_last_line_may_have_no_end)
{
	check("main;a 3\nmain;b 4", "main;a 3|main;b 4|", 0);
}

Test(folded, only_the_last_number_is_the_count)
{
	check("main;operator new[] 8;b c 12\n", "main;operator new[] 8;b c 12|", 0);
}

Test(folded, two_numbers_at_the_end_are_before_and_after)
{
	check("main;a 10 12\n", "main;a 10 12|", 0);
}

Test(folded, lines_without_a_count_are_passed_over_and_counted)
{
	check("a 1\nb 2\nno count here\n\nc 3\nd 4\ne 5\nf 6\ng 7\nh 8\ni 9\n",
	      "a 1|b 2|c 3|d 4|e 5|f 6|g 7|h 8|i 9|", 1);
}

static void check_refused(const char *text, const char *sentence)
{
	struct made m;

	memset(&m, 0, sizeof(m));
	cr_assert_eq(intern_init(&m.strings), 0);
	bytes(&m, text, strlen(text));
	cr_assert_eq(made_try(&m), -EBADMSG);
	cr_assert(strstr(m.ctx.error, sentence), "'%s' does not say '%s'", m.ctx.error,
		  sentence);
	made_end(&m);
}

Test(folded, text_of_which_more_than_a_tenth_has_no_count_is_refused)
{
	check_refused("a 1\nb 2\nc 3\nd 4\ne 5\nf 6\ng 7\nh 8\nno count here\n",
		      "1 of its 9 lines do not end in a count");
	check_refused("no count\n", "no line ends in a count");
}

Test(folded, comments_and_blank_lines_are_no_lines)
{
	check("# by hand\n#\n\n \n\t\nmain;a 3\n", "main;a 3|", 0);
	check("# version 3.5\nmain;a 3 4\n", "main;a 3 4|", 0);
	/* A line of a backtrace is no comment. */
	check_refused("a 1\n#0 main () at a.c:3\n", "backtraces of gdb");
}

Test(folded, text_that_is_known_not_to_be_folded_is_refused_though_its_lines_have_counts)
{
	check_refused("@[sh]: 3\n@[cc]: 4\n", "bpftrace");
	check_refused(
		"events: Ir\n16 5\n17 5\n18 5\n19 5\n20 5\n21 5\n22 5\n23 5\n24 5\n",
		"callgrind");
}

Test(folded, carriage_returns_are_no_part_of_a_line)
{
	check("main;a 3\r\nmain;b 4\r\n", "main;a 3|main;b 4|", 0);
}

Test(folded, blanks_behind_a_count_are_no_part_of_a_line)
{
	check("main;a 3  \nmain;b 4\t\r\nmain;c  5 \n", "main;a 3|main;b 4|main;c  5|",
	      0);
	check("main;a 3 4 \nmain;b 5 6\n", "main;a 3 4|main;b 5 6|", 0);
	check("# by hand \n  \nmain;a b\nmain;a 3\nmain;a 4\nmain;a 5\nmain;a 6\nmain;a "
	      "7\n"
	      "main;a 3\nmain;a 4\nmain;a 5\nmain;a 6\n",
	      "main;a 3|main;a 4|main;a 5|main;a 6|main;a 7|main;a 3|main;a 4|main;a 5|"
	      "main;a 6|",
	      1);
}

Test(folded, a_count_as_large_as_can_be_is_whole)
{
	check("a 18446744073709551615\n", "a 18446744073709551615|", 0);
}

Test(folded, a_stack_longer_than_any_buffer_is_whole)
{
	enum { FRAMES = 200000 };
	struct folded_line line;
	struct text text = { 0 };
	uint64_t ignored = 0;
	struct made m;

	for (int i = 0; i < FRAMES; i++)
		text_string(&text, "frame;");
	text_string(&text, "leaf 7\nmain 1\n");
	open_text(&m, text.bytes);
	cr_assert_eq(folded_next(&m.ctx, m.in, &line, &ignored), 1);
	cr_assert_eq(line.size, FRAMES * 6 + 4);
	cr_assert_eq(line.weight, 7);
	cr_assert_eq(folded_next(&m.ctx, m.in, &line, &ignored), 1);
	cr_assert_eq(line.size, 4);
	cr_assert_eq(folded_next(&m.ctx, m.in, &line, &ignored), 0);
	text_release(&text);
	made_end(&m);
}

Test(folded, counts_with_decimals_share_one_unit)
{
	uint64_t ignored;
	struct made m;

	open_text(&m, "a 1.5\nb 2\nc 0.25\n");
	cr_assert_eq(folded_decimals(m.in), 2);
	cr_assert_str_eq(lines(&m, &ignored), "a 150|b 200|c 25|");
	made_end(&m);
	open_text(&m, "a 1\nb 2\n");
	cr_assert_eq(folded_decimals(m.in), 0);
	made_end(&m);
}
