/*
 * libflamefold: two profiles side by side, and what of their difference is more than noise.
 *
 * Each side is one profile or several; several tell how far runs of the same program differ.
 * Functions return 0, or a negative errno; ff_diff_error() then says what went wrong.
 *
 *	ff_diff_new(&d, NULL);
 *	ff_diff_add(d, FF_DIFF_A, base);	finished profiles; they may be freed afterwards
 *	ff_diff_add(d, FF_DIFF_B, new);
 *	ff_diff_finish(d);
 *	ff_diff_write(d, ff_format_find("svg"), NULL, stdout);
 *	ff_diff_free(d);
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef FLAMEFOLD_DIFF_H
#define FLAMEFOLD_DIFF_H

#include <flamefold.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ff_diff;

enum ff_diff_side { FF_DIFF_A, FF_DIFF_B };

enum { FF_DIFF_INPUTS_MOST = 65536 }; /* of both sides */

/* A flag of struct ff_options: keep how much of each stack is in which piece of a recording's time, for
 * ff_diff_add(). It takes no more than some twenty sums a stack, however long the recording is. */
enum { FF_TIME_BLOCKS = 1 << 16 };

/* What A's weights are multiplied by before they are compared with B's. */
enum ff_diff_normalize {
	FF_DIFF_SHARE, /* so that either side is 100 % */
	FF_DIFF_TIME, /* by how long was recorded */
	FF_DIFF_NONE, /* as they are */
	FF_DIFF_PER, /* by units of work: .units */
	FF_DIFF_ANCHOR, /* so that a function has not changed: .anchor */
	FF_DIFF_ROBUST, /* so that most of the code has not changed */
};

enum ff_diff_flag {
	FF_DIFF_UNLIKE_EVENTS = 1 << 0, /* compare them all the same */
	FF_DIFF_SCALED =
		1 << 1, /* folded text has A's numbers multiplied, without decimals */
	FF_DIFF_STRIP_HEX = 1 << 2, /* addresses in names, 0x12ab, are 0x... */
	FF_DIFF_EXACT =
		1 << 3, /* functions are the same only where name and module are */
	FF_DIFF_UNLIKE_NAMES = 1
			       << 4, /* colour it though one side lacks many more names */
};

/* Strings are copied. NULL and 0 are the defaults. */
struct ff_diff_options {
	size_t size; /* of this struct */
	enum ff_diff_normalize normalize;
	double units[2]; /* of work, of A and of B */
	const char *anchor; /* name of a function */
	double level; /* of what is found this part is false, on average; 0: 0.05 */
	unsigned flags; /* of enum ff_diff_flag */
};

FF_API int ff_diff_new(struct ff_diff **ret, const struct ff_diff_options *options);
FF_API void ff_diff_free(struct ff_diff *d); /* d may be NULL */
FF_API const char *ff_diff_error(const struct ff_diff *d); /* "" while nothing failed */

/*
 * A finished profile, which is not used afterwards. With FF_TIME_BLOCKS a recording is cut into pieces
 * of its time, which tell how much noise there is. -EINVAL where it counts other events
 * than what was added before.
 */
FF_API int ff_diff_add(struct ff_diff *d, enum ff_diff_side side, struct ff_profile *p);
/* Both sides at once, of what difffolded.pl, or this, has written: -EINVAL where it is no
 * difference. */
FF_API int ff_diff_add_both(struct ff_diff *d, struct ff_profile *p);

/* When all is there. -ENODATA where one of the sides is missing. */
FF_API int ff_diff_finish(struct ff_diff *d);

/* What was compared and how far it can be trusted, a sentence each; NULL at the end. */
FF_API const char *ff_diff_sentence(const struct ff_diff *d, unsigned i);

/* As ff_write(): folded text has two numbers a line, A and B, as they were read. A picture's colours
 * and order are those of a difference, whatever palette @options have. */
FF_API int ff_diff_write(struct ff_diff *d, const struct ff_format *f,
			 const struct ff_graph_options *options, FILE *out);

enum ff_diff_table { FF_DIFF_TEXT, FF_DIFF_JSON };
/* The largest @most changes that are no noise, of deepest frames that explain them; 0: all. */
FF_API int ff_diff_write_table(struct ff_diff *d, enum ff_diff_table form, size_t most,
			       FILE *out);

/* How many changes there are: paths that explain the difference. */
FF_API size_t ff_diff_changes(const struct ff_diff *d);
/* How many paths have grown by more than @percent of the whole, and neither noise nor another caller
 * explains it. */
FF_API int ff_diff_regressions(struct ff_diff *d, double percent, uint64_t *ret);

#ifdef __cplusplus
}
#endif

#endif
