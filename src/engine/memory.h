#ifndef ENGINE_MEMORY_H
#define ENGINE_MEMORY_H

#include <flamefold.h>
#include <stdbool.h>

#include "base/text.h"

/* A sentence of what the profile's budget of memory refused; false where it was nothing. */
bool memory_tell(const struct ff_profile *p, struct text *cause, struct text *remedy);

#endif
