#ifndef ENGINE_STORE_FILE_H
#define ENGINE_STORE_FILE_H

#include <flamefold_store.h>

#include "store/store.h"

/* What a profile file says of an input, whether it is written of recordings or of other such files. */

/* Of what is in a file. 0, or a negative errno. */
int hash_file(const char *path, uint8_t ret[SHA256_DIGEST_SIZE]);

/* "key=value" of each label, of which @to has room for as many. 0, or a negative errno with a sentence. */
int add_store_labels(struct context *ctx, const struct ff_store_options *o,
		     struct intern *strings, struct store_label *to);

/* The last part of a path: where a file lies is nobody's business. 0, or -ENOMEM. */
int take_store_name(struct intern *strings, const char *path, uint32_t *ret);

#endif
