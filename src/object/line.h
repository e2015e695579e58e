#ifndef OBJECT_LINE_H
#define OBJECT_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "object/object.h"

/*
 * Source lines of addresses. The units that cover an address come from an index of
 * our own: compilers other than gcc write no .debug_aranges.
 */
struct line;

/* @debug has the debug information of @o, or is @o. Both are used until line_close().
 * -ENODATA where there is none, -ENOMEM. */
int line_open(const struct object *o, const struct object *debug, struct line **ret);
void line_close(struct line *l); /* NULL is fine */

/* Appends "file.c:123"; false, and nothing is appended, where it is not known. */
bool line_find(const struct line *l, uint64_t address, struct text *out);

#endif
