/*
 * The suffix of a clone is cut before a name is demangled, as demanglers do not know all
 * of them. What is not mangled stays as it is.
 */
#include "symbol/spelling.h"

#include <string.h>

#include "symbol/clone.h"

static bool may_be_mangled(const struct spelling *spelling, const char *name, size_t size)
{
	return !spelling->rust_only || (size > 2 && memcmp(name, "_R", 2) == 0);
}

/* Linkers write "@VERSION", or "@@VERSION" of the default one, into symbol tables, but not
 * where only exported symbols are left. */
static size_t without_version(const char *name, size_t size)
{
	const char *at = memchr(name, '@', size);

	return at && at > name ? (size_t)(at - name) : size;
}

bool spell(const struct spelling *spelling, const char *name, size_t size,
	   struct text *out)
{
	if (spelling->merge_clones)
		size = clone_base(name, size);
	if (may_be_mangled(spelling, name, size) &&
	    demangle(name, size, spelling->form, out))
		return true;
	text_add(out, name, size);
	return false;
}

bool spell_symbol(const struct spelling *spelling, const struct symtab *st,
		  const struct symbol *s, struct text *out)
{
	size_t size, suffix = s->table == TABLE_PLT ? strlen("@plt") : 0;
	const char *name = symtab_name(st, s, &size);
	bool mangled;

	if (size <= suffix)
		return false;
	size -= suffix;
	mangled = spell(spelling, name,
			spelling->no_versions ? without_version(name, size) : size, out);
	text_add(out, name + size, suffix);
	return mangled;
}
