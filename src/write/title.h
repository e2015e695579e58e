#ifndef WRITE_TITLE_H
#define WRITE_TITLE_H

#include "write/write.h"

/* What a graph is of, in one line: "make -j8 · build1 · 2024-05-03 12:31 UTC · cycles · 62.0 s ·
 * 1.3 M samples", as far as @f knows. Nothing where it does not know what was recorded. */
void title_add(struct text *t, const struct write_facts *f);

/* "62.0 s", "526 µs": three digits. */
void title_add_duration(struct text *t, uint64_t ns);

#endif
