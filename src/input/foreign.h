#ifndef INPUT_FOREIGN_H
#define INPUT_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>

/* Text of another program that is no folded text, told apart by its first lines. */
struct foreign {
	const char *name; /* "the output of DTrace" */
	const char *remedy; /* "pipe it through stackcollapse.pl" */
};

enum { FOREIGN_BEGINNING = 1 << 14 /* bytes of a file that are enough */ };

/* What text looks like that is known not to be folded. NULL: nobody knows. */
const struct foreign *foreign_guess(const char *text, size_t size);

/* The same before its lines were looked at: only what folded text never looks like, though its
 * lines may end in counts. */
const struct foreign *foreign_recognise(const char *text, size_t size);

/* "main;f;g 12" */
bool foreign_is_stack(const char *line, size_t size);

#endif
