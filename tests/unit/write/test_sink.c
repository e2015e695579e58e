#include "write/sink.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>

#include "base/parallel.h"

Test(sink, everything_arrives_in_order)
{
	struct context ctx = { 0 };
	struct sink s = { 0 };
	char *bytes = NULL;
	size_t size;

	s.out = open_memstream(&bytes, &size);
	for (int i = 0; i < 500000; i++) {
		text_printf(&s.text, "%07d\n", i);
		sink_drain(&s);
		cr_assert_lt(s.text.size, SINK_BLOCK);
	}
	cr_expect_eq(sink_end(&ctx, &s), 0);
	fclose(s.out);
	cr_assert_eq(size, 4000000u);
	for (int i = 0; i < 500000; i++)
		cr_assert_eq(atoi(bytes + 8 * i), i);
	free(bytes);
}

Test(sink, the_first_failure_is_reported)
{
	struct context ctx = { 0 };
	struct sink s = { .out = fopen("/dev/full", "w") };

	cr_assert_not_null(s.out);
	for (int i = 0; i < 100000; i++) {
		text_string(&s.text, "line\n");
		sink_drain(&s);
	}
	cr_expect_eq(sink_end(&ctx, &s), -ENOSPC);
	cr_expect_str_eq(ctx.error, "cannot write: No space left on device");
	fclose(s.out);
}

/* Turns of few lines and of more than a sink holds, in threads. */
enum { TURNS = 40, LINE = 8, MANY = 16 };

static int lines_of(size_t turn)
{
	return turn % 7 == 3 ? 2 * SINK_HELD / LINE : (int)turn * 10;
}

struct printed {
	struct sink_turns turns;
	struct sink sinks[3], many[MANY];
	bool too_much;
};

static int print_turn(void *arg, size_t turn, size_t worker)
{
	struct printed *p = arg;
	struct sink *s = &p->sinks[worker];

	sink_take_turn(s, &p->turns, turn);
	for (int i = 0; i < lines_of(turn); i++) {
		text_printf(&s->text, "%07u\n", (unsigned)turn);
		sink_drain(s);
		p->too_much |= s->text.size >= SINK_HELD;
	}
	sink_pass_turn(s);
	return 0;
}

static void print_turns(struct printed *p, FILE *out)
{
	*p = (struct printed){ .too_much = false };
	sink_turns_init(&p->turns);
	for (int i = 0; i < 3; i++)
		p->sinks[i].out = out;
	cr_assert_eq(parallel_run(3, TURNS, print_turn, p), 0);
	for (int i = 0; i < 3; i++)
		text_release(&p->sinks[i].text);
}

Test(sink, threads_write_in_turn)
{
	struct printed p;
	char *bytes = NULL, *at;
	FILE *out;
	size_t size;

	out = open_memstream(&bytes, &size);
	print_turns(&p, out);
	fclose(out);
	at = bytes;
	for (size_t turn = 0; turn < TURNS; turn++)
		for (int i = 0; i < lines_of(turn); i++, at += LINE)
			cr_assert_eq((size_t)atoi(at), turn);
	cr_assert_eq((size_t)(at - bytes), size);
	cr_expect_not(p.too_much, "one that waits holds a bounded amount");
	sink_turns_destroy(&p.turns);
	free(bytes);
}

Test(sink, the_first_failure_of_a_turn_stays_that_of_all)
{
	struct printed p;
	FILE *out = fopen("/dev/full", "w");

	cr_assert_not_null(out);
	setvbuf(out, NULL, _IONBF, 0);
	print_turns(&p, out);
	cr_expect_eq(p.turns.err, -ENOSPC);
	fclose(out);
	sink_turns_destroy(&p.turns);
}

static void print(struct sink *s, struct sink_turns *t, size_t turn, const char *text)
{
	sink_take_turn(s, t, turn);
	text_string(&s->text, text);
	sink_drain(s);
}

/* One thread alone: it would wait for itself. */
Test(sink, who_is_done_before_the_turn_has_come_goes_on)
{
	struct sink_turns turns;
	struct sink a = { 0 }, b = { 0 };
	char *bytes = NULL;
	size_t size;
	FILE *out = open_memstream(&bytes, &size);

	a.out = b.out = out;
	sink_turns_init(&turns);
	for (size_t turn = 0; turn < 9; turn += 3) {
		print(&a, &turns, turn, "first ");
		print(&b, &turns, turn + 1, "second ");
		sink_pass_turn(&b);
		print(&b, &turns, turn + 2, "third ");
		sink_pass_turn(&b);
		fflush(out);
		cr_expect_eq(size, turn / 3 * strlen("first second third "),
			     "nothing before its turn");
		sink_pass_turn(&a);
	}
	fclose(out);
	cr_expect_str_eq(bytes, "first second third first second third "
				"first second third ");
	text_release(&a.text);
	text_release(&b.text);
	sink_turns_destroy(&turns);
	free(bytes);
}

/* Many more than may leave theirs to others; all turns are short, or all wait at once. */
static int print_number(void *arg, size_t turn, size_t worker)
{
	struct printed *p = arg;
	char line[LINE + 1];

	snprintf(line, sizeof(line), "%07zu\n", turn);
	print(&p->many[worker], &p->turns, turn, line);
	sink_pass_turn(&p->many[worker]);
	return 0;
}

Test(sink, more_threads_than_turns_that_are_left_write_in_turn)
{
	enum { NUMBERS = 20000 };
	struct printed p = { .too_much = false };
	char *bytes = NULL;
	size_t size;
	FILE *out = open_memstream(&bytes, &size);

	sink_turns_init(&p.turns);
	for (int i = 0; i < MANY; i++)
		p.many[i].out = out;
	cr_assert_eq(parallel_run(MANY, NUMBERS, print_number, &p), 0);
	for (int i = 0; i < MANY; i++)
		text_release(&p.many[i].text);
	sink_turns_destroy(&p.turns);
	fclose(out);
	cr_assert_eq(size, (size_t)NUMBERS * LINE);
	for (int i = 0; i < NUMBERS; i++)
		cr_assert_eq(atoi(bytes + i * LINE), i);
	free(bytes);
}

/* Two sinks of one stream. */
struct two {
	struct sink_turns turns;
	struct sink a, b;
	char *bytes;
	size_t size;
};

static void two_begin(struct two *t)
{
	*t = (struct two){ .bytes = NULL };
	t->a.out = t->b.out = open_memstream(&t->bytes, &t->size);
	sink_turns_init(&t->turns);
}

static void two_end(struct two *t, const char *expected)
{
	fclose(t->a.out);
	cr_expect_str_eq(t->bytes, expected);
	cr_expect_eq(t->turns.err, -ENOMEM);
	cr_expect(t->b.text.failed, "its sink tells of it");
	text_release(&t->a.text);
	text_release(&t->b.text);
	sink_turns_destroy(&t->turns);
	free(t->bytes);
}

Test(sink, behind_what_there_was_no_memory_for_nothing_is_written)
{
	struct two t;

	two_begin(&t);
	print(&t.a, &t.turns, 0, "whole ");
	sink_pass_turn(&t.a);
	print(&t.b, &t.turns, 1, "a part");
	t.b.text.failed = true;
	print(&t.a, &t.turns, 2, "behind it ");
	sink_pass_turn(&t.a);
	sink_pass_turn(&t.b);
	two_end(&t, "whole ");
}

Test(sink, before_what_there_was_no_memory_for_all_is_written)
{
	struct two t;

	two_begin(&t);
	print(&t.a, &t.turns, 0, "whole ");
	print(&t.b, &t.turns, 1, "a part");
	t.b.text.failed = true;
	sink_pass_turn(&t.b);
	sink_pass_turn(&t.a);
	two_end(&t, "whole ");
}
