#ifndef CLI_HABITS_H
#define CLI_HABITS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Words that hands know from perf, FlameGraph, inferno, bcc and other profilers, and that are
 * not flamefold's own. Each either stands for an option of its own, or asks for nothing
 * that is not done anyway, or is answered with a sentence that names what does it.
 */
enum habit_value {
	HABIT_ALONE, /* takes no value, or one behind '=' */
	HABIT_VALUE, /* takes one: behind '=', or the next word */
};

struct habit {
	const char *name; /* without its dashes; NULL: only a letter */
	char letter; /* 0: none */
	unsigned commands; /* of enum command_bit */
	enum habit_value value;
	/* What is written in its place, without dashes: "width=" is followed by the value. "":
	 * nothing. NULL: there is only something to be said. */
	const char *own;
	const char *sentence;
	const char *values; /* NULL, or those that are meant so, "mono CLOCK_MONOTONIC" */
	bool exact; /* the value is a list of names, which a pattern has to match exactly */
};

/* NULL: there is none. */
const struct habit *habit_named(unsigned commands, const char *name, size_t size);
const struct habit *habit_letter(unsigned commands, char letter);

/* Are these the words of @h, or has it no list of them? */
bool habit_means(const struct habit *h, const char *value);

/* What the option that stands for @h gets for @value (NULL: none), "800"; to be freed. NULL
 * without memory. For those with a '=' in their .own. */
char *habit_translate(const struct habit *h, const char *value);

/* What is to be said of a first word that another profiler has as a command; NULL: none
 * has. */
const char *habit_command(const char *word);

#endif
