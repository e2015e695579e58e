/*
 * For programs that test <flamefold.h> from outside: as C99 and as C++, with the
 * archive and with the shared library. A test is a function; main() calls CHECK()s
 * through them and returns api_failed.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef API_API_H
#define API_API_H

#include <flamefold.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int api_failed;

#define CHECK(condition)                                                                 \
	do {                                                                             \
		if (!(condition)) {                                                      \
			printf("%s:%d: %s: not true: %s\n", __FILE__, __LINE__,          \
			       __func__, #condition);                                    \
			api_failed = 1;                                                  \
		}                                                                        \
	} while (0)

/* Writes @text to a new file, whose name is the caller's to remove. */
static inline const char *api_file(const char *text)
{
	static char name[64];
	FILE *f;
	const char *dir = getenv("TMPDIR");

	snprintf(name, sizeof(name), "%.40s/ff-api-%ld", dir ? dir : "/tmp",
		 (long)rand() ^ (long)(size_t)&name);
	f = fopen(name, "w");
	if (!f || fputs(text, f) < 0 || fclose(f) != 0)
		abort();
	return name;
}

/* A finished profile of folded text. */
static inline struct ff_profile *profile_of(const char *text)
{
	struct ff_profile *p;

	CHECK(ff_profile_new(&p, NULL) == 0);
	CHECK(ff_profile_read_memory(p, text, strlen(text), "text") == 0);
	CHECK(ff_profile_finish(p) == 0);
	return p;
}

#endif
