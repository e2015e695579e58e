#ifndef ARCHIVE_SYMBOL_IDS_H
#define ARCHIVE_SYMBOL_IDS_H

#include "archive/archive.h"

/* The id that a function has in the index, where it gets one if it has none; in a transaction. 0, or a
 * negative errno with a sentence. */
int symbol_ids_find(struct ff_archive *a, const char *name, const char *module,
		    int64_t *ret);
/* What was asked for may not be there any more. */
void symbol_ids_forget(struct ff_archive *a);
void symbol_ids_release(struct ff_archive *a);

#endif
