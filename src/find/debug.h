#ifndef FIND_DEBUG_H
#define FIND_DEBUG_H

#include "find/object.h"

/*
 * Looks for a separate debug file of f->object, by build id and by debug link, where it
 * adds something of @need. @roots: where the systems lie on which it may be, each "" or a
 * directory; NULL ends them. 0, or -ENOMEM.
 */
int find_debug(const struct search_dirs *dirs, const struct wanted_object *wanted,
	       const char *const *roots, unsigned need, struct found *f);

#endif
