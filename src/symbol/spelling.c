/*
 * The suffix of a clone is cut before a name is demangled, as demanglers do not know all
 * of them. What is not mangled stays as it is.
 */
#include "symbol/spelling.h"

#include <string.h>

#include "symbol/clone.h"

bool spell(const struct spelling *spelling, const char *name, size_t size,
	   struct text *out)
{
	if (spelling->merge_clones)
		size = clone_base(name, size);
	if ((!spelling->rust_only || (size > 2 && memcmp(name, "_R", 2) == 0)) &&
	    demangle(name, size, spelling->form, out))
		return true;
	text_add(out, name, size);
	return false;
}

bool spell_symbol(const struct spelling *spelling, const struct symtab *st,
		  const struct symbol *s, struct text *out)
{
	/* Stubs of the PLT are named after their function, which alone can be
	 * demangled. */
	size_t size, suffix = s->table == TABLE_PLT ? strlen("@plt") : 0;
	const char *name = symtab_name(st, s, &size), *at = NULL;
	bool mangled;

	if (size <= suffix)
		return false;
	size -= suffix;
	/* Linkers write "@VERSION", or "@@VERSION" of the default one, into symbol tables, but
	 * not where only exported symbols are left. */
	if (spelling->no_versions)
		at = memchr(name, '@', size);
	mangled =
		spell(spelling, name, at && at > name ? (size_t)(at - name) : size, out);
	text_add(out, name + size, suffix);
	return mangled;
}
