/* Lines of perf-PID.map that were written over code which had run. */
#include <stdlib.h>

#include "timeline.h"

enum { PID = 7, CODE = 0x70000, SIZE = 0x20, NOT_OPEN = -1 };

static struct timeline t;

static void line(uint64_t time, uint64_t offset, const char *name)
{
	struct record rec = { .type = PERF_RECORD_MMAP,
			      .mode = MODE_USER,
			      .executable = true,
			      .time = time,
			      .pid = PID,
			      .tid = PID,
			      .start = CODE,
			      .size = SIZE,
			      .ino = offset };

	cr_assert_eq(intern_add(&t.strings, "//anon", 6, &rec.name), 0);
	cr_assert_eq(intern_add(&t.strings, name, strlen(name), &rec.code), 0);
	apply(&t, rec);
}

static const char *line_at(uint64_t time, uint64_t address)
{
	struct space space;
	struct location location;

	processes_space(t.ps, PID, time, &space);
	cr_assert(processes_locate(t.ps, &space, address, &location));
	return intern_text(&t.strings, t.images.list.v[location.image].code);
}

static void begin(void)
{
	grow(&t);
	comm(&t, 1, PID, PID, "runtime", NO_EXEC);
	map(&t, 10, PID, CODE, 0x1000, 0, "//anon");
	line(20, 50, "second");
	line(30, 70, "third");
}

static void end(void)
{
	timeline_end(&t);
}

TestSuite(map_lines, .init = begin, .fini = end);

Test(map_lines, code_has_the_line_of_its_time)
{
	cr_expect_str_eq(line_at(19, CODE), "");
	cr_expect_str_eq(line_at(20, CODE), "second");
	cr_expect_str_eq(line_at(29, CODE + SIZE - 1), "second");
	cr_expect_str_eq(line_at(30, CODE), "third");
	cr_expect_str_eq(line_at(30, CODE + SIZE), "");
}

Test(map_lines, what_ran_before_is_told_which_lines_are_later)
{
	struct perf_map_question q = { 0 };
	struct space space;
	struct location location;

	processes_space(t.ps, PID, 19, &space);
	cr_assert(processes_locate(t.ps, &space, CODE, &location));
	cr_assert_eq(images_later_lines(&t.images, location.image, NOT_OPEN, &q), 0);
	cr_assert_eq(q.later_count, 2);
	cr_expect_eq(q.later[0].offset, 50);
	cr_expect_eq(q.later[0].turn, 1);
	cr_expect_eq(q.later[1].offset, 70);
	cr_expect_eq(q.later[1].turn, 2);
	free((void *)q.later);
}

Test(map_lines, a_line_that_says_the_same_begins_nothing)
{
	struct space before, after;

	processes_space(t.ps, PID, 30, &before);
	line(40, 90, "third");
	processes_space(t.ps, PID, 40, &after);
	cr_expect_eq(before.epoch, after.epoch);
}

Test(map_lines, a_line_of_a_process_that_is_not_known_makes_none)
{
	struct record rec = { .type = PERF_RECORD_MMAP,
			      .mode = MODE_USER,
			      .executable = true,
			      .time = 50,
			      .pid = PID + 1,
			      .start = CODE,
			      .size = SIZE };
	struct space space;

	cr_assert_eq(intern_add(&t.strings, "f", 1, &rec.code), 0);
	rec.name = rec.code;
	apply(&t, rec);
	processes_space(t.ps, PID + 1, 50, &space);
	cr_expect_eq(space.maps + space.codes, 0);
}
