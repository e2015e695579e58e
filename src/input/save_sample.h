#ifndef INPUT_SAVE_SAMPLE_H
#define INPUT_SAVE_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/perf_abi.h"

/*
 * A sample of the leaf fix as one without it: the caller that was found goes into the
 * chain, what it was found by is left out.
 *
 *	kernel's   | head | fixed | chain             | registers | stack | rest |
 *	saved      | head | fixed | chain with caller | rest |
 *
 * Of a probe the registers stay: they are what it was called with, or has returned.
 */

struct save_found;

/* Does the event record what is left out? */
bool save_sample_shrinks(const struct perf_event_attr *attr);

/* The attributes of the samples that are left. */
void save_sample_attr(struct perf_event_attr *attr, bool keeps_registers);

/*
 * To @to, which has room for @size bytes: the sample gets no longer. How many bytes it
 * has then; 0 where it does not hold what @attr says.
 */
size_t save_sample_shrink(const struct perf_event_attr *attr, const uint8_t *bytes,
			  size_t size, const struct save_found *found, uint8_t *to);

/*
 * The same of a sample with a chain in user space and a copy of the stack: one of them
 * is left. @found's, with its markers, takes the place of the chain's user part, and of
 * registers and copy; NULL: the chain keeps the kernel's part alone.
 *
 *	kernel's   | head | fixed | kernel | user    | registers | stack | rest |
 *	saved      | head | fixed | kernel | found's | no | no | rest |
 *	or         | head | fixed | kernel | registers | stack | rest |
 */
size_t save_sample_unwound(const struct perf_event_attr *attr, const uint8_t *bytes,
			   size_t size, const struct save_found *found, uint8_t *to);

#endif
