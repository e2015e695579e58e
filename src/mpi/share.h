#ifndef MPI_SHARE_H
#define MPI_SHARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/cli.h"

/* What every rank knows of an input. */
struct shared_input {
	char hash[65]; /* of its content; "": it could not be read */
	uint8_t duplicate; /* of one before it */
	uint64_t size;
};

/* All inputs, and which are this rank's. */
struct share {
	struct merge_list
		named; /* rank 0: as they were named; others: what that has told them */
	struct shared_input *inputs; /* by input */
	size_t *own; /* numbers of inputs, sorted */
	size_t count; /* of these */
	size_t duplicates; /* of all inputs */
	char name[65]; /* what is made of .own is called in --tree; "": it has none */
};

/* All ranks at once. 0, or an exit code, the same in all of them, with its message printed by one. */
int share_out(const struct settings *s, struct share *ret);
void share_release(struct share *share);

#endif
