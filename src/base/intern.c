/*
 * Each text lies once in an arena, and a set of ids by hash finds it; the arena never
 * moves, so a text can be borrowed as long as the intern lives. What is not found is
 * hashed once for both, search and addition.
 */
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

static bool find_known(const struct intern *in, const char *text, size_t size,
		       uint64_t hash, uint32_t *ret)
{
	uint64_t i = hash_start(hash);
	uint32_t id;

	while ((id = hash_find(&in->ids, hash, &i)) != HASH_NONE) {
		const char *known = in->texts.v[id];

		/* What is known may be shorter: its NUL ends the comparison. */
		if (strncmp(known, text, size) == 0 && known[size] == '\0') {
			*ret = id;
			return true;
		}
	}
	return false;
}

bool intern_find(const struct intern *in, const char *text, size_t size, uint32_t *ret)
{
	return find_known(in, text, size, hash_bytes(text, size), ret);
}

/* One that is not there. */
static int add_new(struct intern *in, const char *text, size_t size, uint64_t hash,
		   uint32_t *ret)
{
	const char **slot;
	char *copy;

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

int intern_add(struct intern *in, const char *text, size_t size, uint32_t *ret)
{
	uint64_t hash = hash_bytes(text, size);

	return find_known(in, text, size, hash, ret) ? 0
						     : add_new(in, text, size, hash, ret);
}

int intern_add_within(struct intern *in, struct budget *budget, const char *text,
		      size_t size, uint32_t *ret)
{
	static const char limit[] = "[memory limit]";
	uint64_t hash = hash_bytes(text, size);
	int err;

	if (find_known(in, text, size, hash, ret))
		return 0;
	if (budget_take_part(budget, BUDGET_NAMES, size + INTERN_AROUND))
		return add_new(in, text, size, hash, ret);
	err = intern_add(in, limit, sizeof(limit) - 1, ret);
	return err < 0 ? err : 1;
}
