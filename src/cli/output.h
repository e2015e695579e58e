#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <flamefold.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * Where a result goes. A file is written beside its place and renamed, so that
 * neither a failure nor a signal costs the one that was there. Standard output and
 * what is no regular file (a FIFO, a device) are written directly.
 */
struct output {
	const char *path; /* as given; NULL or "-": standard output */
	struct ff_place place; /* where it is, or what it links to */
	FILE *stream;
	bool nameless; /* that has no name as yet */
	bool in_temp_file; /* a temporary file is in use */
	/* Where the message of a failure goes; NULL: it is printed. */
	char *sentence;
	size_t sentence_size;
};

/* Before the work: can it be written at all? 0, or an exit code, message printed. */
int output_check(const char *path);

/* 0, or an exit code with its message printed. @o is zeroed, but for .sentence. */
int output_open(struct output *o, const char *path);

/* True where a file is there already that closing would replace. */
bool output_replaces(const struct output *o);

/* Whoever read the pipe has gone. That is no failure, and ends in silence. */
#define OUTPUT_UNREAD (-1)

/*
 * Puts the file in its place, or, where writing failed, takes it away: @err is what
 * the writer said, and @why its sentence. An exit code with its message printed, or
 * OUTPUT_UNREAD.
 */
int output_close(struct output *o, int err, const char *why);
void output_discard(struct output *o);

/* For a signal handler that ends the process: nothing half written stays behind. */
void output_abandon(void);

#endif
