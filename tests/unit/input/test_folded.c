#include "input/input.h"

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
	check("main;a 3\nno count here\n\nmain;b 4\n", "main;a 3|main;b 4|", 2);
}

Test(folded, carriage_returns_are_no_part_of_a_line)
{
	check("main;a 3\r\nmain;b 4\r\n", "main;a 3|main;b 4|", 0);
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
