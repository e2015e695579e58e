/* What is written to the map of a process while that is sampled. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "here.h"

enum { CODE = 0x10000, OTHER = 0x20000, LINES_MOST = 8 };

static struct here h;
static char directory[] = "/tmp/flamefold-test-XXXXXX";
static char path[80];
static int map_fd = -1; /* of the file, at its end */
static uint32_t image;
static struct map_growth growth;
static unsigned growths;

static struct {
	struct map_line line;
	char name[64];
} lines[LINES_MOST];
static unsigned line_count;

static void put_lines(const char *text)
{
	cr_assert_eq(write(map_fd, text, strlen(text)), (ssize_t)strlen(text));
}

/* A process with code, whose map has @text when it is found. */
static void begin_map(const char *text)
{
	struct record rec = { .time = 1,
			      .type = PERF_RECORD_MMAP,
			      .mode = MODE_USER,
			      .pid = (uint32_t)getpid(),
			      .tid = (uint32_t)getpid(),
			      .start = CODE,
			      .size = 0x1000,
			      .executable = true };
	struct location p;

	h.dirs.map_dir = directory;
	map_fd = open(path, O_CREAT | O_WRONLY | O_APPEND, 0600);
	cr_assert_geq(map_fd, 0);
	put_lines(text);
	rec.name = name_id(&h.t, "//anon");
	apply(&h.t, rec);
	cr_assert(location_of(&h.t, 1, rec.pid, rec.start, &p));
	image = p.image;
	cr_assert_eq(images_keep_maps(&h.t.images), 0);
}

static void begin(void)
{
	here_begin(&h);
	cr_assert_not_null(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/perf-%d.map", directory, getpid());
}

static void end(void)
{
	close(map_fd);
	unlink(path);
	rmdir(directory);
	here_end(&h);
}

TestSuite(map_tail, .init = begin, .fini = end);

static int note_growth(void *arg, const struct map_growth *g)
{
	(void)arg;
	growth = *g;
	growths++;
	return 0;
}

static int note_line(void *arg, const struct map_line *line, const char *name,
		     size_t size)
{
	(void)arg;
	cr_assert_lt(line_count, LINES_MOST);
	lines[line_count].line = *line;
	snprintf(lines[line_count].name, sizeof(lines->name), "%.*s", (int)size, name);
	line_count++;
	return 0;
}

static void look(void)
{
	cr_assert_eq(images_look_at_maps(&h.t.images, note_growth, NULL), 0);
}

static void ran(uint64_t address)
{
	cr_assert_eq(images_ran(&h.t.images, image, address), 0);
}

/* Writes @text, and takes what has come. */
static void write_and_take(const char *text)
{
	unsigned before = growths;

	put_lines(text);
	look();
	cr_assert_eq(growths, before + 1);
	line_count = 0;
	cr_assert_eq(images_take_lines(&h.t.images, &growth, note_line, NULL), 0);
}

Test(map_tail, lines_over_code_that_ran_are_told_and_no_others)
{
	static const char first[] = "10000 40 early\n";
	uint64_t at = sizeof(first) - 1;

	begin_map(first);
	ran(CODE + 8);
	ran(CODE + 0x100);
	write_and_take("10040 40 beside\n10000 40 late\n10100 1 exact\n10101 9 behind\n");
	cr_assert_eq(line_count, 2);
	cr_expect_str_eq(lines[0].name, "late");
	cr_expect_eq(lines[0].line.owner, (uint32_t)getpid());
	cr_expect_eq(lines[0].line.start, CODE);
	cr_expect_eq(lines[0].line.end, CODE + 0x40);
	cr_expect_eq(lines[0].line.time, growth.time);
	cr_expect_eq(lines[0].line.offset,
		     at + strlen("10040 40 beside\n10000 40 late\n"));
	cr_expect_str_eq(lines[1].name, "exact");
	cr_expect_eq(growth.until, lines[1].line.offset + strlen("10101 9 behind\n"));
}

Test(map_tail, lines_over_such_lines_are_told_wherever_code_ran)
{
	begin_map("10000 40 early\n");
	ran(CODE + 8);
	write_and_take("10000 40 late\n");
	cr_assert_eq(line_count, 1);
	write_and_take("10030 40 later\n10080 8 elsewhere\n");
	cr_assert_eq(line_count, 1);
	cr_expect_str_eq(lines[0].name, "later");
}

Test(map_tail, where_no_code_ran_nothing_is_told_then_or_afterwards)
{
	begin_map("10000 40 early\n");
	write_and_take("10000 40 unseen\n");
	cr_expect_eq(line_count, 0);
	ran(CODE);
	write_and_take("10000 40 late\n");
	cr_assert_eq(line_count, 1);
	cr_expect_str_eq(lines[0].name, "late");
}

Test(map_tail, the_first_lines_are_over_nothing)
{
	begin_map("");
	ran(CODE);
	write_and_take("10000 40 first\n");
	cr_expect_eq(line_count, 0);
	write_and_take("10000 40 second\n");
	cr_expect_eq(line_count, 1);
}

Test(map_tail, a_map_that_does_not_grow_is_not_told)
{
	begin_map("10000 40 early\n");
	look();
	look();
	cr_expect_eq(growths, 0);
}

Test(map_tail, a_line_without_its_end_waits_for_it)
{
	begin_map("10000 40 early\n");
	ran(CODE);
	write_and_take("10000 40 la");
	cr_expect_eq(line_count, 0);
	write_and_take("te\n10000 4");
	cr_assert_eq(line_count, 1);
	cr_expect_str_eq(lines[0].name, "late");
}

Test(map_tail, a_map_that_was_written_anew_begins_anew)
{
	begin_map("10000 40 early\n10040 40 more\n");
	ran(CODE);
	cr_assert_eq(ftruncate(map_fd, 0), 0);
	put_lines("10000 40 anew\n");
	look();
	cr_expect_eq(growths, 0, "nothing is known of when it was written");
	write_and_take("10000 40 newest\n");
	cr_assert_eq(line_count, 1);
	cr_expect_str_eq(lines[0].name, "newest");
}

/* Growths wait in the rounds. When the first of these is taken, the file has got longer than it
 * was with the second one. */
Test(map_tail, lines_are_taken_once_though_the_map_was_cut_meanwhile)
{
	struct map_growth first;

	begin_map("10000 40 early\n");
	ran(CODE);
	put_lines("10000 40 longer_than_others\n");
	look();
	first = growth;
	cr_assert_eq(ftruncate(map_fd, 0), 0);
	put_lines("10000 40 a\n");
	look();
	put_lines("10000 40 b\n");
	look();
	cr_assert_eq(growths, 2);
	put_lines("10000 40 c\n");
	cr_assert_eq(images_take_lines(&h.t.images, &first, note_line, NULL), 0);
	cr_assert_eq(line_count, 2);
	cr_expect_str_eq(lines[1].name, "c");
	cr_assert_eq(images_take_lines(&h.t.images, &growth, note_line, NULL), 0);
	cr_assert_eq(line_count, 2);
	write_and_take("10000 40 d\n");
	cr_assert_eq(line_count, 1);
	cr_expect_str_eq(lines[0].name, "d");
}

Test(map_tail, what_is_no_line_is_passed_over)
{
	char longest[5000];

	begin_map("10000 40 early\n");
	ran(CODE);
	memset(longest, 'x', sizeof(longest));
	memcpy(longest, "10000 40 ", 9);
	memcpy(longest + sizeof(longest) - 2, "\n", 2);
	write_and_take("\n \n10000\n10000 40\n10000 0 empty\nzzz 40 no\n"
		       "ffffffffffffffff ffffffffffffffff beyond\n10000 40 late\n");
	cr_assert_eq(line_count, 1);
	cr_expect_str_eq(lines[0].name, "late");
	write_and_take(longest);
	cr_assert_eq(line_count, 1, "a long name is a name");
}

Test(map_tail, the_time_of_a_growth_is_that_of_the_write)
{
	struct timespec now, times[2] = { { .tv_nsec = UTIME_OMIT }, { 0 } };

	begin_map("10000 40 early\n");
	ran(CODE);
	put_lines("10000 40 late\n");
	clock_gettime(CLOCK_REALTIME, &times[1]);
	times[1].tv_sec -= 3;
	cr_assert_eq(futimens(map_fd, times), 0);
	look();
	clock_gettime(CLOCK_MONOTONIC, &now);
	cr_expect_leq(growth.time / 1000000000, (uint64_t)now.tv_sec - 2);
	/* The writer may say anything. */
	times[1].tv_sec += 1000000;
	put_lines("10000 40 latest\n");
	cr_assert_eq(futimens(map_fd, times), 0);
	look();
	clock_gettime(CLOCK_MONOTONIC, &now);
	cr_expect_leq(growth.time / 1000000000, (uint64_t)now.tv_sec);
}
