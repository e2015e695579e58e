#ifndef BASE_EDIT_DISTANCE_H
#define BASE_EDIT_DISTANCE_H

#include <stddef.h>

enum { EDIT_DISTANCE_MOST = 64 }; /* longer words are near to nothing */

/* Letters to be left out, added, replaced or swapped with their neighbour for one word to
 * become the other; case does not count. UINT_MAX where one has more than EDIT_DISTANCE_MOST. */
unsigned edit_distance(const char *a, size_t a_size, const char *b, size_t b_size);

#endif
