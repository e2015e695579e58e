/*
 * Profiles that are in memory, or behind a descriptor.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <fcntl.h>
#include <flamefold.h>
#include <flamefold_time.h>
#include <unistd.h>

#include "api.h"

static const char text[] = "a;b 7\na;c 20\n";

static struct ff_profile *fresh(void)
{
	struct ff_profile *p;

	CHECK(ff_profile_new(&p, NULL) == 0);
	return p;
}

static void finish(struct ff_profile *p, uint64_t total, const char *name)
{
	CHECK(ff_profile_finish(p) == 0);
	CHECK(ff_node_total(p, ff_profile_root(p)) == total);
	CHECK(strcmp(ff_input_text(ff_input_next(p, NULL), FF_INPUT_PATH), name) == 0);
	ff_profile_free(p);
}

static void memory_is_read_during_the_call_only(void)
{
	struct ff_profile *p = fresh();
	char *bytes = (char *)malloc(sizeof(text));

	memcpy(bytes, text, sizeof(text));
	CHECK(ff_profile_read_memory(p, bytes, sizeof(text) - 1, NULL) == 0);
	memset(bytes, 'x', sizeof(text));
	free(bytes);
	CHECK(ff_profile_read_memory(p, "a;b 100\n", 8, "more") == 0);
	finish(p, 127, "memory");
}

static void what_is_wrong_names_what_it_was_called(void)
{
	struct ff_profile *p = fresh();

	CHECK(ff_profile_read_memory(p, "", 0, "nothing at all") == -ENODATA);
	CHECK(strstr(ff_profile_error(p), "'nothing at all'") != NULL);
	CHECK(ff_profile_read_memory(p, "\177ELF\0\0\0", 8, "program") < 0);
	CHECK(strstr(ff_profile_error(p), "'program'") != NULL);
	CHECK(ff_profile_read_fd(p, -1, NULL) == -EBADF);
	CHECK(strstr(ff_profile_error(p), "'descriptor -1'") != NULL);
	CHECK(ff_profile_finish(p) == 0);
	CHECK(ff_profile_read_memory(p, text, sizeof(text) - 1, NULL) == -EINVAL);
	ff_profile_free(p);
}

/* A name is a name only: no folder of that name is read. */
static void no_file_of_the_name_is_looked_for(void)
{
	struct ff_profile *p = fresh();

	CHECK(ff_profile_read_memory(p, text, sizeof(text) - 1, "/tmp") == 0);
	finish(p, 27, "/tmp");
	p = fresh();
	CHECK(ff_profile_read_memory(p, text, sizeof(text) - 1, "-") == 0);
	finish(p, 27, "-");
}

static void a_file_is_read_from_its_beginning_and_stays_open(void)
{
	struct ff_profile *p = fresh();
	const char *path = api_file(text);
	int fd = open(path, O_RDONLY);

	CHECK(lseek(fd, 5, SEEK_SET) == 5);
	CHECK(ff_profile_read_fd(p, fd, path) == 0);
	CHECK(lseek(fd, 0, SEEK_CUR) == 5);
	CHECK(ff_profile_read_fd(p, fd, path) == 0);
	finish(p, 54, path);
	CHECK(close(fd) == 0);
	remove(path);
}

static void a_pipe_is_read_from_where_it_stands(void)
{
	struct ff_profile *p = fresh();
	char name[32], c[6];
	int ends[2];

	CHECK(pipe(ends) == 0);
	CHECK(write(ends[1], text, sizeof(text) - 1) == (ssize_t)sizeof(text) - 1);
	CHECK(close(ends[1]) == 0);
	CHECK(read(ends[0], c, 6) == 6);
	CHECK(ff_profile_read_fd(p, ends[0], NULL) == 0);
	CHECK(close(ends[0]) == 0);
	snprintf(name, sizeof(name), "descriptor %d", ends[0]);
	finish(p, 20, name);
}

static void what_was_expected_need_not_come(void)
{
	static const char *const paths[] = { "/nowhere/a", "/nowhere/b" };
	struct ff_options options = { 0 };
	struct ff_profile *p;

	options.size = sizeof(options);
	options.flags = FF_HEAT;
	CHECK(ff_profile_new(&p, &options) == 0);
	CHECK(ff_profile_expect(p, paths, 2) == 0);
	CHECK(ff_profile_expect(p, paths, 2) == -EINVAL);
	CHECK(ff_profile_read_memory(p, text, sizeof(text) - 1, NULL) == 0);
	finish(p, 27, "memory");
	p = fresh();
	CHECK(ff_profile_read_memory(p, text, sizeof(text) - 1, NULL) == 0);
	CHECK(ff_profile_expect(p, paths, 2) == -EINVAL);
	finish(p, 27, "memory");
}

int main(void)
{
	memory_is_read_during_the_call_only();
	what_is_wrong_names_what_it_was_called();
	no_file_of_the_name_is_looked_for();
	a_file_is_read_from_its_beginning_and_stays_open();
	a_pipe_is_read_from_where_it_stands();
	what_was_expected_need_not_come();
	return api_failed;
}
