#include "base/intern.h"

#include <errno.h>
#include <string.h>

int intern_init(struct intern *in)
{
	uint32_t empty;

	*in = (struct intern){ 0 };
	return intern_add(in, "", 0, &empty);
}

void intern_release(struct intern *in)
{
	arena_release(&in->bytes);
	array_release(&in->texts);
	hash_release(&in->ids);
}

static bool equal(const char *known, const char *text, size_t size)
{
	return strncmp(known, text, size) == 0 && known[size] == '\0';
}

int intern_add(struct intern *in, const char *text, size_t size, uint32_t *ret)
{
	uint64_t hash = hash_bytes(text, size), i = hash_start(hash);
	const char **slot;
	char *copy;
	uint32_t id;

	while ((id = hash_find(&in->ids, hash, &i)) != HASH_NONE)
		if (equal(in->texts.v[id], text, size)) {
			*ret = id;
			return 0;
		}
	if (in->texts.count >= HASH_NONE - 1 || !array_reserve(&in->texts, 1))
		return -ENOMEM;
	copy = arena_text(&in->bytes, text, size);
	if (!copy || !hash_add(&in->ids, hash, (uint32_t)in->texts.count))
		return -ENOMEM;
	slot = array_add(&in->texts);
	*slot = copy;
	*ret = (uint32_t)in->texts.count - 1;
	return 0;
}
