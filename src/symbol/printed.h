#ifndef SYMBOL_PRINTED_H
#define SYMBOL_PRINTED_H

#include "symbol/symbol.h"

/* The function of a frame that has come as text (input/printed.h), @id: named by the same rules as one
 * that was looked up. @room: for its texts. 0, or -ENOMEM. */
int printed_function(const struct symbol_options *options, struct intern *strings,
		     uint32_t id, struct text *room, struct function *ret);

#endif
