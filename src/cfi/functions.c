/*
 * .eh_frame is what the program itself unwinds by, so its functions stay as they are,
 * and .debug_frame of the object and then of the debug file fill the holes between them; a Go
 * program that was stripped of both has what they would say in its own table (go_frames.c).
 * The id of a span says where its function was read: two bits for the source, below them
 * its index there.
 */
#include "cfi/functions.h"

#include <errno.h>
#include <gelf.h>

#include "cfi/go_frames.h"

enum {
	SOURCES = sizeof(((struct cfi_functions *)0)->sources) /
		  sizeof(((struct cfi_functions *)0)->sources[0]),
	SOURCE_SHIFT = 30, /* in the id of a span; below it the index of the function */
};

const struct machine *cfi_machine(const struct object *o)
{
	const char *ident = elf_getident(o->elf, NULL);

	if (!ident || ident[EI_DATA] != ELFDATA2LSB || o->relocatable)
		return NULL;
	return machine_by_elf(o->machine);
}

int cfi_functions_open(const struct object *o, const struct object *debug,
		       struct cfi_functions *ret)
{
	const struct machine *m = cfi_machine(o);
	struct cfi_functions *f = ret;
	int err;

	*f = (struct cfi_functions){ 0 };
	if (!m)
		return 0;
	cfi_columns_few(m, &f->columns);
	err = code_ranges_of(o, &f->code);
	if (err == 0)
		err = cfi_section_eh(o, &f->sources[0].section);
	if (err == 0)
		err = cfi_section_debug(o, &f->sources[1].section);
	if (err == 0 && debug && debug->machine == o->machine)
		err = cfi_section_debug(debug, &f->sources[2].section);
	if (err == 0 && !f->sources[1].section.size && !f->sources[2].section.size)
		err = cfi_section_go(o, m, &f->sources[3].section);
	for (uint32_t i = 0; i < SOURCES && err == 0; i++) {
		struct cfi_source *s = &f->sources[i];

		err = cfi_source_read(s, &f->columns, &f->code);
		f->bytes += s->section.size;
		f->refused += s->reader.refused;
		if (err == 0 && i > 0) {
			err = spans_fill(&f->spans, &s->spans, i << SOURCE_SHIFT);
		} else if (err == 0) {
			f->spans = s->spans;
			s->spans = (struct spans){ 0 };
		}
	}
	if (err < 0)
		cfi_functions_release(f);
	return err;
}

void cfi_functions_release(struct cfi_functions *f)
{
	for (int i = 0; i < SOURCES; i++)
		cfi_source_release(&f->sources[i]);
	spans_release(&f->spans);
	code_ranges_release(&f->code);
	*f = (struct cfi_functions){ 0 };
}

const struct cfi_fde *cfi_functions_at(const struct cfi_functions *f,
				       const struct span *span,
				       const struct cfi_source **source)
{
	*source = &f->sources[span->id >> SOURCE_SHIFT];
	return &(*source)->functions.v[span->id & ((1u << SOURCE_SHIFT) - 1)];
}
