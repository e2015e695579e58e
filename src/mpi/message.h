#ifndef MPI_MESSAGE_H
#define MPI_MESSAGE_H

#include <stdint.h>
#include <stdio.h>

/*
 * What a rank tells the one above it: a profile file, and which inputs are not in it. It comes in pieces,
 * for a count of MPI-3 is an int, and a file may be larger.
 */
struct part_head {
	uint64_t failed; /* the text is the sentence why, and all is over */
	uint64_t text_size;
	uint64_t file_size; /* 0: there is none */
};

/* 0, or a negative errno: @file, NULL where there is none, could not be read. The one above gets as much
 * as the head says in any case. */
int part_send(int to, const struct part_head *head, const char *text, FILE *file);

/* From whoever comes first. *@text has a NUL behind it, and is to be freed; the file is written to @path.
 * 0, or a negative errno; all was received then, too. */
int part_receive(struct part_head *ret, char **text, const char *path);

#endif
