/*
 * libflamefold: profile files, and many of them merged into one.
 *
 * A profile file holds the stacks of a profile sorted by what they are, so that the same samples are
 * the same bytes; ff_profile_read() reads it like a recording. Files are merged as sorted streams:
 * memory does not follow their number.
 *
 *	ff_merge_new(&m, NULL);
 *	ff_merge_add(m, "monday.ff", NULL);
 *	ff_merge_add(m, "tuesday.ff", NULL);
 *	ff_merge_finish(m);
 *	ff_merge_write(m, 0, stdout);
 *	ff_merge_free(m);
 *
 * Functions return 0, or a negative errno; ff_merge_error() then says what went wrong.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef FLAMEFOLD_STORE_H
#define FLAMEFOLD_STORE_H

#include <flamefold.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ff_options.flags: frames of files with a build id that were not named, or not with debug information, are
 * kept by where they are in their file: profile files have that beside their names, and
 * ff_store_options.symbolize names them later. Of other formats they have a node each. */
enum { FF_KEEP_ADDRESSES = 1 << 18 };

enum ff_store_flag {
	FF_STORE_NO_INPUTS =
		1 << 0, /* what was read to make it is counted, and not listed */
	FF_STORE_PLAIN = 1 << 1, /* it is not packed */
	FF_STORE_DUPLICATES =
		1 << 2, /* of ff_merge_add(): what is added twice counts twice */
};

/* NULL and 0 are the defaults. */
struct ff_store_options {
	size_t size; /* of this struct */
	unsigned flags; /* of enum ff_store_flag */
	const char *const *labels; /* "key=value", which the file has then */
	size_t label_count;
	/* ff_merge: one file for each "host", "hour" of the first sample, or value of a label;
	 * NULL: one of all. */
	const char *by;
	unsigned threads; /* 0: one per processor */
	/* ff_merge: @done of @total bytes are merged; by any thread, one at a time. */
	void (*progress)(void *arg, uint64_t done, uint64_t total);
	void *arg;
	/* ff_merge: bytes for what files make large; 0: a quarter of what there is. */
	uint64_t memory;
	/* ff_merge: what was kept by its address is named, by what these options find; NULL: it is
	 * not. They are used as long as files are written. */
	const struct ff_options *symbolize;
};

/* The finished profile as a profile file that names its inputs: files, whose content it reads again.
 * ff_profile_error() says what is wrong. */
FF_API int ff_store_write(struct ff_profile *p, const struct ff_store_options *options,
			  FILE *out);

/* A flag of struct ff_options: many recordings follow, small ones, and this thread alone reads them. What
 * was learned of code is kept for the next one; their stacks are in memory in parts, the others in a
 * temporary file, so the whole is only for ff_store_write(). Where one cannot be read the profile is of no
 * use. */
enum { FF_MANY = 1 << 19 };

/* A flag beside FF_MANY: recordings are not added up. Each is in memory until it is taken to be written. */
enum { FF_APART = 1 << 24 };

/* When all are read: the @i'th recording alone is what the profile has, as if it had been finished with that.
 * 1, 0 where there are no more, or a negative errno with ff_profile_error(). */
FF_API int ff_store_take(struct ff_profile *p, size_t i);

/* 1: all that was read so far gives, as one file, what files of each recording add up to, byte for byte,
 * unless two are of one content. 0: not surely. To be asked after each is read, and when the profile is
 * finished. With FF_APART: the last one that was read or taken gives the file that it does by itself. */
FF_API int ff_store_is_sum(const struct ff_profile *p);

/* SHA-256 of what is in a file, which is what an input is known by, in hexadecimal. A negative errno. */
FF_API int ff_store_hash(const char *path, char ret[65]);

/* 1 for a profile file, told by its first bytes, packed or not. */
FF_API int ff_is_profile(const char *path);

/*
 * Of an input that is a profile file: what it was made of. Functions with @i return 1, or 0 where there
 * are no more. Texts are the profile's; NULL: not known.
 */
struct ff_stored_input {
	const char *name, *host, *kernel;
	char hash[65]; /* SHA-256 of its content, hexadecimal */
	uint64_t recorded; /* seconds since 1970; 0: not known */
	uint64_t times; /* it was added */
};

struct ff_stored_column {
	const char *event, *name, *unit; /* unit: NULL: samples */
	unsigned decimals; /* values are in units of 10^-decimals */
	uint64_t total; /* of all its values */
};

struct ff_stored_period {
	uint64_t start, size; /* seconds, since 1970 */
	size_t column;
	uint64_t sum; /* of the column's values in that time */
};

/* How many were read, be they listed or not; 0: none, or it is no profile file. */
FF_API uint64_t ff_stored_inputs(const struct ff_input *in);
FF_API int ff_stored_input(const struct ff_input *in, size_t i,
			   struct ff_stored_input *ret);
FF_API int ff_stored_label(const struct ff_input *in, size_t i, const char **key,
			   const char **value);
FF_API int ff_stored_column(const struct ff_input *in, size_t i,
			    struct ff_stored_column *ret);
FF_API int ff_stored_period(const struct ff_input *in, size_t i,
			    struct ff_stored_period *ret);

struct ff_merge;

FF_API int ff_merge_new(struct ff_merge **ret, const struct ff_store_options *options);
FF_API void ff_merge_free(struct ff_merge *m); /* m may be NULL */
FF_API const char *ff_merge_error(const struct ff_merge *m);

/* A profile file, which is read when files are merged; @name is what it is called where it is refused;
 * NULL: its path. -EBADMSG and the like for one that cannot be added, and it is as if it had never
 * been named. */
FF_API int ff_merge_add(struct ff_merge *m, const char *path, const char *name);

/* When all are there: what counts once is found. -ENODATA where nothing is left. */
FF_API int ff_merge_finish(struct ff_merge *m);

/* The value that the @i'th file to be written is of, "" where it is of all; NULL: there are no more. */
FF_API const char *ff_merge_group(const struct ff_merge *m, size_t i);

/* Merges and writes it. A file that turns out to be damaged is refused, the others are merged.
 * -ENODATA where none is left. */
FF_API int ff_merge_write(struct ff_merge *m, size_t i, FILE *out);

/* The @i'th file that was refused, and why; 0: there are no more. */
FF_API int ff_merge_refused(const struct ff_merge *m, size_t i, const char **name,
			    const char **why);

/* With .symbolize: addresses that have been named, of so many in files with so many build ids. */
struct ff_merge_named {
	uint64_t named, addresses;
	uint64_t found, build_ids; /* files that were there, of so many */
};
FF_API void ff_merge_named(const struct ff_merge *m, struct ff_merge_named *ret);

/* Of those that were added: files that are merged, and those that were there already. */
FF_API size_t ff_merge_count(const struct ff_merge *m);
FF_API size_t ff_merge_duplicates(const struct ff_merge *m);
/* And those that say when it was (FF_HEAT), if what they are merged to does not: it is of several, or has
 * been given names. */
FF_API size_t ff_merge_untimed(const struct ff_merge *m);

#ifdef __cplusplus
}
#endif

#endif
