/*
 * From a DIE a chain of references leads to its name. Where that has a linkage name
 * there is no more to do: a demangler makes the rest later. Else the name is put
 * together: the last DIE of the chain lies in the scopes that belong to it, and as DIEs
 * do not know their parents the unit's outline finds those.
 *
 *	namespace a, class B, subprogram f    ->  a::B::f
 *	... in subprogram g                   ->  g::B::f, with g's own scopes before it
 *
 * A DIE is named once for a unit. Files can send a reader around: MOST_REFERENCES bounds
 * the chain, MOST_LOCAL functions in functions, MOST_NAME the text, and libdw's reading
 * of abbreviations is counted as work before it begins.
 */
#include "dwarf/names.h"

#include <dwarf.h>
#include <errno.h>
#include <string.h>

#include "dwarf/die.h"

enum {
	MOST_REFERENCES = 16, /* from a DIE to the one with the name: real ones make 3 */
	MOST_SCOPES = 64,
	MOST_LOCAL = 4, /* functions in classes in functions */
	MOST_NAME = 1 << 14, /* bytes; the rest is left out */
	TEXT_BYTES_A_STEP = 16,
};

/* Names of a unit; in C and what is compiled to it a name is the whole name. */
enum { PLAIN = 1, SCOPED };

int debug_names_init(struct debug_names *n, struct debug_meter *meter)
{
	struct debug_name *none;

	*n = (struct debug_names){ .meter = meter };
	none = array_add(&n->list);
	if (!none)
		return -ENOMEM;
	*none = (struct debug_name){ .text = "" };
	return 0;
}

void debug_names_release(struct debug_names *n)
{
	outline_release(&n->outline);
	for (size_t i = 0; i < FOREIGN_OUTLINES; i++)
		outline_release(&n->foreign[i]);
	arena_release(&n->texts);
	hash_map_release(&n->by_die);
	hash_map_release(&n->units);
	array_release(&n->list);
	text_release(&n->text);
}

/* Before libdw reads the first DIE below that of a unit, and with it the abbreviations.
 * 0, -ENOMEM, or -ETIME where that is too much. */
static int count_unit(struct debug_names *n, const Dwarf_Die *die)
{
	uint64_t steps = 0;
	uint64_t key = (uintptr_t)die->cu;
	uint32_t names;
	Dwarf_Off abbreviations;
	Dwarf_Die unit;

	if (hash_map_get(&n->units, key))
		return 0;
	if (!dwarf_cu_die(die->cu, &unit, NULL, &abbreviations, NULL, NULL, NULL, NULL))
		return 0;
	for (size_t i = 0; i < sizeof(n->images) / sizeof(*n->images); i++) {
		const struct debug_image *image = n->images[i];
		const uint8_t *at = die->addr;

		if (image && at >= image->bytes && at < image->bytes + image->size)
			steps = debug_abbreviations(image, abbreviations, 0);
	}
	if (!debug_meter_add(n->meter, steps))
		return -ETIME;
	switch (dwarf_srclang(&unit)) {
	case DW_LANG_C89:
	case DW_LANG_C:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case 0x2c: /* C17, of the list of languages for DWARF 6 */
	case DW_LANG_Mips_Assembler:
	case DW_LANG_Go: /* its names are whole */
		names = PLAIN;
		break;
	default:
		names = SCOPED;
	}
	return hash_map_set(&n->units, key, names) ? 0 : -ENOMEM;
}

int debug_names_begin(struct debug_names *n, Dwarf_Die *unit)
{
	for (size_t i = 0; i < FOREIGN_OUTLINES; i++)
		n->foreign[i].cu = NULL;
	hash_map_release(&n->by_die);
	hash_map_release(&n->units);
	outline_begin(&n->outline, unit->cu);
	n->next_foreign = 0;
	return count_unit(n, unit);
}

/* The outline of a unit, that of another one from the few that are kept; NULL: no memory. */
static const struct outline *outline_of(struct debug_names *n, Dwarf_Die *cu)
{
	struct outline *o;

	if (n->outline.cu == cu->cu)
		return &n->outline;
	for (size_t i = 0; i < FOREIGN_OUTLINES; i++)
		if (n->foreign[i].cu == cu->cu)
			return &n->foreign[i];
	o = &n->foreign[n->next_foreign++ % FOREIGN_OUTLINES];
	return outline_read(o, cu, n->meter) < 0 ? NULL : o;
}

/* NULL where there is none, or an empty one. */
static const char *die_string(struct die_facts *f, enum die_attribute a)
{
	const char *text = die_has(f, a) ? dwarf_formstring(&f->v[a]) : NULL;

	return text && *text ? text : NULL;
}

/* What a function refers to on the way to its name. */
struct declaration {
	Dwarf_Die die; /* the last one: it lies in the scopes that belong to the name */
	const char *linkage, *name; /* NULL: none */
	/* Of the first DIEs that have one; the file by its number in that unit. */
	struct Dwarf_CU *unit;
	uint32_t file, line;
};

/* Follows DW_AT_abstract_origin and DW_AT_specification (DWARF 5, 3.3.8.2 and 2.13.2)
 * until all that is asked for is known. */
static int find_declaration(struct debug_names *n, const Dwarf_Die *function,
			    struct declaration *ret)
{
	struct declaration d = { .die = *function };

	for (int i = 0; i < MOST_REFERENCES; i++) {
		struct die_facts f;
		Dwarf_Die next;
		int err;

		die_read(&d.die, &f);
		if (!debug_meter_add(n->meter, die_read_steps(&f)))
			return -ETIME;
		if (!d.linkage)
			d.linkage = die_string(&f, DIE_LINKAGE_NAME);
		if (!d.name)
			d.name = die_string(&f, DIE_NAME);
		if (n->declared && !d.line)
			d.line = (uint32_t)die_number(&f, DIE_DECL_LINE);
		/* A definition has a file only if it is another one than that of what it
		 * defines. */
		if (n->declared && !d.unit && die_has(&f, DIE_DECL_FILE)) {
			d.file = (uint32_t)die_number(&f, DIE_DECL_FILE);
			d.unit = d.die.cu;
		}
		if (d.linkage && (!n->declared || (d.unit && d.line)))
			break;
		if (!die_has(&f, DIE_ORIGIN) ||
		    !dwarf_formref_die(&f.v[DIE_ORIGIN], &next))
			break;
		err = next.cu == d.die.cu ? 0 : count_unit(n, &next);
		if (err < 0)
			return err;
		d.die = next;
	}
	*ret = d;
	return 0;
}

/* Adds the name with its scopes to the text. @local: how many functions it lies in that
 * have been begun. */
static int add_qualified(struct debug_names *n, const struct declaration *d, int local)
{
	bool called = d->name && strcmp(d->name, "operator()") == 0;
	Dwarf_Die cu, die = d->die, path[MOST_SCOPES];
	const uint32_t *unit = hash_map_get(&n->units, (uintptr_t)die.cu);
	size_t count = 0, first = 0;
	int err = 0;

	if (local < MOST_LOCAL && dwarf_diecu(&die, &cu, NULL, NULL) &&
	    !(unit && *unit == PLAIN)) {
		const struct outline *o = outline_of(n, &cu);

		if (o)
			count = outline_path(o, &die, path, MOST_SCOPES, n->meter);
		else
			err = -ENOMEM;
	}
	/* The name of a function has the scopes in it that it lies in. */
	for (size_t i = 0; i < count; i++)
		if (dwarf_tag(&path[i]) == DW_TAG_subprogram)
			first = i;
	for (size_t i = first; i < count && err == 0; i++) {
		int tag = dwarf_tag(&path[i]);
		struct declaration around;

		if (!outline_has(tag))
			continue; /* a block */
		err = find_declaration(n, &path[i], &around);
		if (err < 0)
			return err;
		if (tag == DW_TAG_subprogram)
			err = add_qualified(n, &around, local + 1);
		else if (around.name)
			text_string(&n->text, around.name);
		else if (tag == DW_TAG_namespace)
			text_string(&n->text, "(anonymous namespace)");
		else /* a class without a name around what is called is that of a lambda */
			text_string(&n->text, called && i + 1 == count
						      ? "{lambda}"
						      : "(anonymous class)");
		text_string(&n->text, "::");
	}
	text_string(&n->text, d->name ? d->name : "(anonymous function)");
	return err;
}

static int intern_function_name(struct debug_names *n, const char *text, size_t size,
				bool mangled, uint32_t *ret)
{
	struct debug_name *name = array_add(&n->list);

	if (!name)
		return -ENOMEM;
	debug_meter_add(n->meter, size / TEXT_BYTES_A_STEP);
	name->text = arena_text(&n->texts, text, size < MOST_NAME ? size : MOST_NAME);
	name->mangled = mangled;
	name->unit = NULL;
	*ret = (uint32_t)n->list.count - 1;
	return name->text ? 0 : -ENOMEM;
}

int debug_names_find(struct debug_names *n, const Dwarf_Die *function, uint32_t *ret)
{
	uint64_t key = (uintptr_t)function->addr;
	const uint32_t *known = hash_map_get(&n->by_die, key);
	struct declaration d;
	int err;

	if (known) {
		*ret = *known;
		return 0;
	}
	if (!debug_meter_add(n->meter, 1))
		return -ETIME;
	err = find_declaration(n, function, &d);
	if (err < 0)
		return err;
	if (d.linkage) {
		err = intern_function_name(n, d.linkage, strnlen(d.linkage, MOST_NAME),
					   true, ret);
	} else if (d.name) {
		text_clear(&n->text);
		err = add_qualified(n, &d, 0);
		if (err == 0 && n->text.failed)
			err = -ENOMEM;
		if (err == 0)
			err = intern_function_name(n, n->text.bytes, n->text.size, false,
						   ret);
	} else {
		*ret = 0; /* the name of what has none */
	}
	if (err < 0)
		return err;
	if (*ret && d.line) {
		n->list.v[*ret].unit = d.unit;
		n->list.v[*ret].file = d.file;
		n->list.v[*ret].line = d.line;
	}
	return hash_map_set(&n->by_die, key, *ret) ? 0 : -ENOMEM;
}
