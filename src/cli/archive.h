#ifndef CLI_ARCHIVE_H
#define CLI_ARCHIVE_H

#include "cli/settings.h"

/* What archive does: the first word behind it; then the directory. */
struct archive_verb {
	const char *name;
	const char *arguments; /* behind the directory */
	size_t most; /* words behind the directory */
	int (*run)(const struct settings *s, const char *directory);
};

int archive_add(const struct settings *s, const char *directory);
int archive_ls(const struct settings *s, const char *directory);
int archive_query(const struct settings *s, const char *directory);
int archive_compact(const struct settings *s, const char *directory);
int archive_expire(const struct settings *s, const char *directory);
int archive_check(const struct settings *s, const char *directory);

/* 0, or an exit code with its message printed; close @ret in any case. */
int archive_open(const struct settings *s, const char *directory, unsigned flags,
		 struct ff_archive **ret);
/* The archive says what went wrong: EXIT_INPUT. */
int archive_say(const struct ff_archive *a);

/* Which recordings the options ask for; borrowed from them. */
struct ff_archive_query archive_asked(const struct settings *s);

enum { ARCHIVE_TIME = 24 };

/* "2026-11-26T03:00:00Z"; "-": not known. */
const char *archive_time(uint64_t ns, char room[ARCHIVE_TIME]);

#endif
