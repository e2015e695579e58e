#ifndef CLI_MODE_FILE_H
#define CLI_MODE_FILE_H

#include <stddef.h>

/*
 * A file of modes, one below the other:
 *
 *	# What a debugger holds.
 *	mode stopped
 *	question how long are processes stopped?
 *	colors io
 *	title Stopped Time
 *	start sched:sched_switch key prev_pid if (prev_state & 12) != 0
 *	end sched:sched_switch key next_pid
 *	weight t; unit ns
 *
 * Clauses of the rule are as --pair takes them; mode, question, colors and title are words of the
 * file, each on a line of its own. A file with one mode needs no name for it.
 */
enum {
	MODE_FILE_MOST = 64 << 10, /* bytes */
	MODE_FILE_MODES_MOST = 64,
};

struct own_mode {
	char *name; /* "" where the file has no line for it */
	char *question, *colors, *title; /* NULL: not said */
	char *rule; /* in the lines that it is in in the file, so that these can be told */
};

struct mode_file {
	struct own_mode *modes;
	size_t count;
};

/* 0; or a negative errno, with a sentence in @why for -EINVAL. What came before stays in *@ret. */
int mode_file_parse(const char *text, size_t size, struct mode_file *ret, char *why,
		    size_t why_size);
void mode_file_release(struct mode_file *file); /* a zeroed one is fine */

#endif
