/*
 * Recordings of one program have the same functions, and each of these is one row of the index. Which one it
 * is the index is asked once a transaction: that far nobody else changes it. What is kept is bounded, however
 * long names are and however many.
 */
#include "archive/symbol_ids.h"

#include <string.h>

#include "archive/sql.h"

enum { KEPT_MOST = 1 << 16, TEXT_MOST = 1 << 10 };

void symbol_ids_release(struct ff_archive *a)
{
	intern_release(&a->symbols.texts);
	hash_map_release(&a->symbols.by_texts);
	array_release(&a->symbols.ids);
	a->symbols = (struct symbol_ids){ 0 };
}

void symbol_ids_forget(struct ff_archive *a)
{
	if (a->symbols.ids.count)
		symbol_ids_release(a);
}

static int ask_index(struct ff_archive *a, const char *name, const char *module,
		     int64_t *ret)
{
	static const char find[] = "SELECT id FROM symbol WHERE name=? AND module=?";
	static const char add[] = "INSERT INTO symbol(name, module) VALUES(?, ?)";
	int err = sql_run(a, ret, find, "tt", name, module);

	if (err != 0)
		return err < 0 ? err : 0;
	err = sql_run(a, NULL, add, "tt", name, module);
	*ret = sqlite3_last_insert_rowid(a->db);
	return err;
}

int symbol_ids_find(struct ff_archive *a, const char *name, const char *module,
		    int64_t *ret)
{
	struct symbol_ids *s = &a->symbols;
	size_t size = strlen(name), module_size = strlen(module);
	uint32_t text, of;
	const uint32_t *known;
	uint64_t key;
	int64_t *slot;
	int err;

	if (size > TEXT_MOST || module_size > TEXT_MOST)
		return ask_index(a, name, module, ret);
	if (s->ids.count == KEPT_MOST)
		symbol_ids_release(a);
	if ((!s->texts.texts.count && intern_init(&s->texts) < 0) ||
	    intern_add(&s->texts, name, size, &text) < 0 ||
	    intern_add(&s->texts, module, module_size, &of) < 0)
		return fail_memory(&a->ctx);
	key = (uint64_t)text << 32 | of;
	known = hash_map_get(&s->by_texts, key);
	if (known) {
		*ret = s->ids.v[*known];
		return 0;
	}
	err = ask_index(a, name, module, ret);
	if (err < 0)
		return err;
	slot = array_add(&s->ids);
	if (!slot)
		return fail_memory(&a->ctx);
	*slot = *ret;
	return hash_map_set(&s->by_texts, key, (uint32_t)s->ids.count - 1)
		       ? 0
		       : fail_memory(&a->ctx);
}
