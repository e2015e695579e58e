#include "unit/dwarf/info_writer.h"

#include <criterion/criterion.h>
#include <stdarg.h>
#include <string.h>

void put_sized(struct bytes *b, uint64_t value, size_t size)
{
	cr_assert(b->size + size <= sizeof(b->v));
	memcpy(b->v + b->size, &value, size);
	b->size += size;
}

void put_uleb(struct bytes *b, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		put8(b, (value & 0x7f) | 0x80);
	put8(b, value);
}

void put_text(struct bytes *b, const char *text)
{
	for (; *text; text++)
		put8(b, (uint8_t)*text);
	put8(b, 0);
}

void info_begin(struct info_writer *d)
{
	memset(d, 0, sizeof(*d));
	put8(&d->abbrev, 0);
}

void info_abbreviation(struct info_writer *d, unsigned code, unsigned tag,
		       unsigned children, ...)
{
	va_list args;
	unsigned attribute;

	d->abbrev.size--; /* the end of the table */
	put_uleb(&d->abbrev, code);
	put_uleb(&d->abbrev, tag);
	put8(&d->abbrev, children);
	va_start(args, children);
	while ((attribute = va_arg(args, unsigned)) != 0) {
		put_uleb(&d->abbrev, attribute);
		put_uleb(&d->abbrev, va_arg(args, unsigned));
	}
	va_end(args);
	put16(&d->abbrev, 0);
	put8(&d->abbrev, 0);
}

void info_unit(struct info_writer *d, unsigned version)
{
	d->unit = d->info.size;
	put32(&d->info, 0); /* the length, later */
	put16(&d->info, version);
	if (version >= 5) {
		put8(&d->info, DW_UT_compile);
		put8(&d->info, 8);
	}
	put32(&d->info, 0); /* abbreviations */
	if (version < 5)
		put8(&d->info, 8);
}

void info_end_unit(struct info_writer *d)
{
	uint32_t length = (uint32_t)(d->info.size - d->unit - 4);

	memcpy(d->info.v + d->unit, &length, 4);
}

uint32_t info_die(struct info_writer *d, unsigned code)
{
	uint32_t at = (uint32_t)(d->info.size - d->unit);

	put_uleb(&d->info, code);
	return at;
}

void info_close(struct info_writer *d)
{
	put8(&d->info, 0);
}

static void add(struct elf_image *e, const char *name, const struct bytes *b)
{
	if (b->size)
		image_section(e, name, SHT_PROGBITS, 0, b->v, b->size);
}

void info_add(const struct info_writer *d, struct elf_image *e)
{
	add(e, ".debug_info", &d->info);
	add(e, ".debug_abbrev", &d->abbrev);
	add(e, ".debug_line", &d->line);
	add(e, ".debug_ranges", &d->ranges);
	add(e, ".debug_rnglists", &d->rnglists);
	add(e, ".debug_addr", &d->addr);
}
