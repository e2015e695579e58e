#ifndef STACK_FUNCTION_H
#define STACK_FUNCTION_H

#include "stack/addr_cache.h"

/* What the code and the call frame information of a function say of it. */

/* The return address is where the call has left it, on top of the stack or in the link: nothing has been pushed yet,
 * or all has been popped, though compilers for x86 do not say of the frame pointer that it was. */
bool is_as_called(const struct unwind_rule *rule, const struct machine *m);

/* @size bytes of code; false where they cannot be read. */
bool code_bytes(struct stack_walker *w, const struct code_site *at, void *ret,
		size_t size);

/* The site that is @distance bytes behind another one of the same segment, if it is code. */
bool move_site(struct code_site *at, uint64_t distance);

/* Does the function that begins there have a frame, and keep it until it returns? *@size: of it. 1,
 * 0, or -ENOMEM. */
int function_keeps_frame(struct stack_walker *w, const struct code_site *at,
			 uint32_t *size);

/* Where the function begins that call frame information knows at @address of the same file. 1, 0 and UINT64_MAX where
 * it knows none, or -ENOMEM. */
int function_start(struct stack_walker *w, const struct code_site *at, uint64_t address,
		   uint64_t *ret);

/* Could the function that begins there, of @size bytes, have called the one that begins at @start of @to, or one
 * that has jumped to it? What is not known could. 1, 0, or -ENOMEM. */
int function_leads_to(struct stack_walker *w, const struct code_site *function,
		      uint32_t size, const struct binary *to, uint64_t start);

#endif
