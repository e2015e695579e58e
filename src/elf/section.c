/*
 * The names of all sections were read with the object: libelf would look for the zero behind
 * each of them anew, which in a table without one is through all of it.
 *
 * libelf says of a section that it cannot read, or has no memory for, only that it has
 * no data. errno tells which it was, so it is cleared before and kept with the object,
 * for who has to know whether what was found is all there is.
 */
#include "elf/section.h"

#include <errno.h>
#include <string.h>

static bool describe_section(const struct object *o, Elf_Scn *scn, struct section *ret)
{
	if (!scn || !gelf_getshdr(scn, &ret->header))
		return false;
	ret->o = o;
	ret->scn = scn;
	ret->name = "";
	if (ret->header.sh_name < o->names_size)
		ret->name = o->names + ret->header.sh_name;
	return true;
}

bool section_named(const struct object *o, const char *name, struct section *ret)
{
	Elf_Scn *scn = NULL;
	struct section s;

	while ((scn = elf_nextscn(o->elf, scn)))
		if (describe_section(o, scn, &s) && strcmp(s.name, name) == 0) {
			*ret = s;
			return true;
		}
	return false;
}

bool section_of_type(const struct object *o, uint32_t type, struct section *ret)
{
	Elf_Scn *scn = NULL;
	struct section s;

	while ((scn = elf_nextscn(o->elf, scn)))
		if (describe_section(o, scn, &s) && s.header.sh_type == type) {
			*ret = s;
			return true;
		}
	return false;
}

bool section_at(const struct object *o, size_t index, struct section *ret)
{
	return describe_section(o, elf_getscn(o->elf, index), ret);
}

Elf_Data *section_data(const struct section *s, size_t most)
{
	Elf_Data *data;

	if (s->header.sh_type == SHT_NOBITS || s->header.sh_size > most)
		return NULL;
	errno = 0;
	data = elf_getdata(s->scn, NULL);
	if (!data)
		object_note_error(s->o->read_error, errno);
	if (!data || !data->d_buf || data->d_size == 0 || data->d_size > most)
		return NULL;
	return data;
}
