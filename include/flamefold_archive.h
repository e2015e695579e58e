/*
 * libflamefold: archives, directories in which many recordings are kept as profile files, with an
 * index that is asked for them.
 *
 *	ff_archive_open(&a, "nightly", &options);
 *	ff_archive_add(a, &recording);		any number of them
 *	ff_archive_commit(a);			from now on they are there, whatever happens
 *	ff_archive_read(a, &query, p);		what was chosen, as one profile
 *	ff_archive_close(a);
 *
 * Any number of processes may use one archive. Functions return 0, or a negative errno;
 * ff_archive_error() then says what went wrong. Documentation/archive.md says what lies in it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef FLAMEFOLD_ARCHIVE_H
#define FLAMEFOLD_ARCHIVE_H

#include <flamefold.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ff_archive;

enum ff_archive_flag {
	FF_ARCHIVE_CREATE = 1 << 0, /* where there is none it is made */
	FF_ARCHIVE_READ_ONLY = 1 << 1,
	FF_ARCHIVE_DRY_RUN = 1 << 2, /* ff_archive_expire(): only tell */
};

/* NULL and 0 are the defaults. */
struct ff_archive_options {
	size_t size; /* of this struct */
	unsigned flags; /* of enum ff_archive_flag */
	/* One line without newline: what ff_archive_check() finds, what stays, what is cleaned up. */
	void (*log)(void *arg, const char *line);
	void *arg;
};

/* *@ret is NULL only without memory; it is to be closed in any case. */
FF_API int ff_archive_open(struct ff_archive **ret, const char *directory,
			   const struct ff_archive_options *options);
FF_API void ff_archive_close(struct ff_archive *a); /* a may be NULL */
FF_API const char *ff_archive_error(const struct ff_archive *a);

/* 1: this recording is in the archive, told by what is in the file, whatever its name. 0: it is not. */
FF_API int ff_archive_has(struct ff_archive *a, const char *path);

struct ff_archive_recording {
	size_t size; /* of this struct */
	const char *path; /* a profile file */
	const char *name; /* what it is called; NULL: its path */
	const char *kernel; /* NULL: not known */
	const char *const *labels; /* "key=value" */
	size_t label_count;
	uint64_t recorded; /* seconds since 1970; 0: as the profile file says */
};

/* 0: its part is written, and the next ff_archive_commit() makes it one of the archive. 1: all that is
 * in it is there already. -EEXIST: some of it is. -EBADMSG and the like: it cannot be read. After a
 * failure what was added before it can be committed, but where the archive itself has failed (-EIO). */
FF_API int ff_archive_add(struct ff_archive *a, const struct ff_archive_recording *r);
FF_API int ff_archive_commit(struct ff_archive *a);

/* Which recordings: those that fit all of it. */
struct ff_archive_query {
	size_t size; /* of this struct */
	/* "key=value"; of several values of a key any is enough. */
	const char *const *labels;
	size_t label_count;
	const char *const *hosts; /* any of them */
	size_t host_count;
	/* It began at @since or later, and before @until: seconds since 1970; 0: any time. */
	uint64_t since, until;
};

struct ff_archive_file {
	const char *name, *host, *kernel, *event, *unit; /* "": not known */
	const char *labels; /* "build=42 dc=north", in order */
	/* ns since 1970; 0: not known. Without .started .ended is how long it took, as far as that is known. */
	uint64_t started, ended;
	uint64_t samples, weight; /* in units of 10^-decimals */
	unsigned decimals;
	const char *part; /* of what its part is: "recording", "hour", "day" */
	const char
		*label_list; /* .labels, each with a NUL behind it, and "" at the end */
};

/* Of each that fits, by the time when it began; less than 0 ends it with that error. */
typedef int ff_archive_each(void *arg, const struct ff_archive_file *file);
FF_API int ff_archive_list(struct ff_archive *a, const struct ff_archive_query *q,
			   ff_archive_each *each, void *arg);

/* All that fit, merged: as a profile file, or into a profile, which is as after ff_profile_read().
 * -ENODATA: there is none. -ESRCH: parts hold more than was asked for. Parts that cannot be read are
 * left out, and *@refused says how many, which the log has named. */
FF_API int ff_archive_write(struct ff_archive *a, const struct ff_archive_query *q,
			    FILE *out, size_t *refused);
FF_API int ff_archive_read(struct ff_archive *a, const struct ff_archive_query *q,
			   struct ff_profile *p, size_t *refused);

/* How much of the weight a function has. */
struct ff_archive_share {
	const char
		*value; /* "2026-11-26", a host, what a label is, or a recording's name */
	const char *event; /* shares of several are told apart */
	uint64_t started; /* ns: of the first one */
	uint64_t files; /* recordings */
	double self, total; /* of 1 */
	int is_listed; /* 0: less than a thousandth of each */
};
typedef int ff_archive_each_share(void *arg, const struct ff_archive_share *share);

/* @by: "hour", "day", "recording", "host" or a label. In order of time. */
struct ff_archive_trend {
	const char *symbol, *by;
	ff_archive_each_share *each;
	void *arg;
};
FF_API int ff_archive_trend(struct ff_archive *a, const struct ff_archive_query *q,
			    const struct ff_archive_trend *trend);

enum ff_archive_level { FF_ARCHIVE_RECORDING, FF_ARCHIVE_HOUR, FF_ARCHIVE_DAY };

/* Parts of one hour or day (UTC) that agree in @keep, "host" or keys of labels, become one; without
 * @keep they agree in the host and all labels. *@before, *@after: how many there are. */
struct ff_archive_compaction {
	enum ff_archive_level level;
	const char *const *keep;
	size_t keep_count; /* 0: all */
	size_t before, after; /* set: parts */
	size_t refused; /* set: parts that cannot be read; others that would be one with these stay, too */
};
FF_API int ff_archive_compact(struct ff_archive *a, struct ff_archive_compaction *c);

/* What fits goes, each of it told first; a part goes when all that is in it does. */
FF_API int ff_archive_expire(struct ff_archive *a, const struct ff_archive_query *q,
			     ff_archive_each *each, void *arg);

/* Reads all there is; *@problems is how many the log has named. What belongs to nobody is removed. */
FF_API int ff_archive_check(struct ff_archive *a, size_t *problems);

#ifdef __cplusplus
}
#endif

#endif
