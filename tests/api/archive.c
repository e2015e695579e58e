/*
 * An archive by the header alone: one handle does all that there is, in any order.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <flamefold_archive.h>
#include <flamefold_store.h>
#include <sys/file.h>
#include <unistd.h>

#include "api.h"

static char directory[80];

static int count_files(void *arg, const struct ff_archive_file *file)
{
	(void)file;
	++*(unsigned *)arg;
	return 0;
}

static int count_shares(void *arg, const struct ff_archive_share *share)
{
	(void)share;
	++*(unsigned *)arg;
	return 0;
}

static void add_text(struct ff_archive *a, const char *text, const char *name)
{
	const char *input = api_file(text);
	struct ff_profile *p;
	struct ff_archive_recording r;
	struct ff_store_options options;
	char path[120];
	FILE *out;

	memset(&r, 0, sizeof(r));
	memset(&options, 0, sizeof(options));
	options.size = sizeof(options);
	/* A file, for that is known again by what is in it. */
	CHECK(ff_profile_new(&p, NULL) == 0);
	CHECK(ff_profile_read(p, input) == 0 && ff_profile_finish(p) == 0);
	snprintf(path, sizeof(path), "%s.ff", directory);
	out = fopen(path, "w");
	CHECK(out && ff_store_write(p, &options, out) == 0 && fclose(out) == 0);
	r.size = sizeof(r);
	r.path = path;
	r.name = name;
	r.recorded = 1700000000;
	CHECK(ff_archive_add(a, &r) == 0);
	remove(path);
	remove(input);
	ff_profile_free(p);
}

static struct ff_archive *open_archive(void)
{
	struct ff_archive_options options;
	struct ff_archive *a;

	memset(&options, 0, sizeof(options));
	options.size = sizeof(options);
	options.flags = FF_ARCHIVE_CREATE;
	CHECK(ff_archive_open(&a, directory, &options) == 0);
	return a;
}

static void one_handle_does_all(void)
{
	struct ff_archive *a = open_archive();
	struct ff_archive_compaction how;
	struct ff_archive_trend trend;
	unsigned files = 0, shares = 0, gone = 0;
	size_t refused = 0, problems = 0;
	FILE *out = tmpfile();

	memset(&how, 0, sizeof(how));
	memset(&trend, 0, sizeof(trend));
	how.level = FF_ARCHIVE_DAY;
	trend.symbol = "b";
	trend.by = "day";
	trend.each = count_shares;
	trend.arg = &shares;
	add_text(a, "a;b 3\n", "one");
	add_text(a, "a;c 4\n", "two");
	CHECK(ff_archive_commit(a) == 0);
	CHECK(ff_archive_list(a, NULL, count_files, &files) == 0 && files == 2);
	CHECK(ff_archive_trend(a, NULL, &trend) == 0 && shares == 1);
	CHECK(ff_archive_check(a, &problems) == 0 && problems == 0);
	CHECK(ff_archive_compact(a, &how) == 0 && how.before == 2 && how.after == 1);
	CHECK(out && ff_archive_write(a, NULL, out, &refused) == 0 && refused == 0);
	CHECK(ff_archive_expire(a, NULL, count_files, &gone) == 0 && gone == 2);
	fclose(out);
	ff_archive_close(a);
}

static void what_is_added_is_safe_until_the_commit(void)
{
	struct ff_archive *a = open_archive();
	struct ff_archive_compaction how;
	char path[120];
	size_t refused = 0, problems = 0;
	FILE *out = tmpfile();
	int fd;

	memset(&how, 0, sizeof(how));
	how.level = FF_ARCHIVE_DAY;
	add_text(a, "a;b 3\n", "one");
	CHECK(ff_archive_commit(a) == 0);
	add_text(a, "a;c 4\n", "two");
	CHECK(out != NULL);
	ff_archive_write(a, NULL, out, &refused);
	/* Nobody else may sweep now, nor does this one. */
	snprintf(path, sizeof(path), "%s/lock", directory);
	fd = open(path, O_RDWR);
	CHECK(fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0);
	CHECK(ff_archive_compact(a, &how) == -EBUSY);
	CHECK(ff_archive_commit(a) == 0);
	CHECK(flock(fd, LOCK_EX | LOCK_NB) == 0);
	close(fd);
	CHECK(ff_archive_check(a, &problems) == 0 && problems == 0);
	fclose(out);
	ff_archive_close(a);
}

int main(void)
{
	const char *parent = getenv("TMPDIR");
	char command[120];

	snprintf(directory, sizeof(directory), "%.40s/ff-archive-XXXXXX",
		 parent ? parent : "/tmp");
	if (!mkdtemp(directory))
		return 1;
	one_handle_does_all();
	what_is_added_is_safe_until_the_commit();
	snprintf(command, sizeof(command), "rm -rf '%.80s'", directory);
	if (system(command) != 0)
		return 1;
	return api_failed;
}
