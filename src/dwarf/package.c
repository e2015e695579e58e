/*
 * The index is a hash table, which is not asked: its filled slots are sorted once, so that a
 * table that is all one collision costs no more than any other. A row that no slot leads to, or
 * that lies outside of its sections, is not there.
 *
 * Strings of a unit stand in .debug_str of all of them, which is as large as the rest. A unit gets
 * those that its .debug_str_offsets names, each once, and the offsets become those of the copy:
 *
 *	all        main\0 int\0 f\0 g\0 h\0         offsets   0, 12
 *	the unit's \0 main\0 h\0                    become    1, 6
 *
 * Offsets outside of the strings become that of the empty one. Where strings that overlap make
 * more than twice what there is of them, the unit is refused.
 */
#include "dwarf/package.h"

#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cursor.h"
#include "base/hash.h"
#include "base/text.h"
#include "elf/elf.h"

enum {
	PART_MOST = 1 << 30, /* bytes of what is read whole */
	COLUMNS_MOST = 64, /* there are 8 kinds */
	SLOT_SIZE = 12, /* of the hash table: an id and a row */
};

/* DW_SECT_*: what is in a column, by version of the index; 0: nothing that is read. */
static const uint8_t section_numbers[][DEBUG_SECTIONS] = {
	{ [DEBUG_INFO] = 1,
	  [DEBUG_ABBREV] = 3,
	  [DEBUG_LINE] = 4,
	  [DEBUG_STR_OFFSETS] = 6 },
	{ [DEBUG_INFO] = 1,
	  [DEBUG_ABBREV] = 3,
	  [DEBUG_LINE] = 4,
	  [DEBUG_STR_OFFSETS] = 6,
	  [DEBUG_RNGLISTS] = 8 },
};

static int fail_broken(struct context *ctx)
{
	return fail(ctx, -EBADMSG, "its index of units is broken");
}

/* Bytes of the file, all of them, and a zero; NULL with *@err. */
static uint8_t *read_unit_part(struct context *ctx, struct debug_package *p,
			       const struct debug_extent *at, int *err)
{
	enum { AT_A_TIME = 1 << 16 };
	uint64_t done = 0, next, size;
	uint8_t *bytes;

	if (at->size > PART_MOST) {
		*err = fail(ctx, -EFBIG, "its sections are too large");
		return NULL;
	}
	bytes = calloc(at->size + 1, 1);
	if (!bytes) {
		*err = fail_memory(ctx);
		return NULL;
	}
	*err = 0;
	while (done < at->size && *err == 0) {
		/* Holes stay untouched zeros and take no memory. */
		next = object_next_data(&p->file, at->offset + done);
		if (next > at->offset + done)
			done = next - at->offset;
		if (done >= at->size)
			break;
		size = at->size - done < AT_A_TIME ? at->size - done : AT_A_TIME;
		if (!claim_add(&p->claim, p->file.budget, size)) {
			object_refuse(&p->file, "debug information");
			*err = fail(ctx, -EFBIG,
				    "no memory is left for its debug information");
		} else if (!object_read(&p->file, at->offset + done, bytes + done,
					size)) {
			*err = fail(ctx, -EBADMSG, "it ends before its sections");
		}
		done += size;
	}
	if (*err == 0)
		return bytes;
	free(bytes);
	return NULL;
}

static struct cursor cursor_in(const struct debug_package *p, uint64_t offset)
{
	struct cursor c = cursor_of(p->index, p->index_size);

	c.swap = p->swapped;
	cursor_bytes(&c, offset);
	return c;
}

/* The head and the columns; *@slots: how many the hash table has. */
static int read_index_header(struct context *ctx, struct debug_package *p,
			     uint32_t *slots)
{
	struct cursor c = cursor_in(p, 0);
	const uint8_t *numbers;
	uint64_t table;

	/* GNU's version is of four bytes, that of DWARF 5 of two, with two of padding behind. */
	p->version = cursor_u32(&c);
	if (p->version != 2) {
		c = cursor_in(p, 0);
		p->version = cursor_u16(&c);
		cursor_u16(&c);
	}
	if (!c.bad && p->version != 2 && p->version != 5)
		return fail(ctx, -EOPNOTSUPP, "its index of units has version %u",
			    p->version);
	p->columns = cursor_u32(&c);
	p->rows = cursor_u32(&c);
	*slots = cursor_u32(&c);
	if (c.bad || p->columns > COLUMNS_MOST)
		return fail_broken(ctx);
	table = (uint64_t)*slots * SLOT_SIZE;
	cursor_bytes(&c, table);
	numbers = section_numbers[p->version == 5];
	for (int s = 0; s < DEBUG_SECTIONS; s++)
		p->column_of[s] = -1;
	for (uint32_t i = 0; i < p->columns; i++) {
		uint32_t number = cursor_u32(&c);

		for (int s = 0; s < DEBUG_SECTIONS; s++)
			if (numbers[s] && numbers[s] == number)
				p->column_of[s] = (int)i;
	}
	p->offsets = 16 + table + 4 * (uint64_t)p->columns;
	if (c.bad || cursor_left(&c) / 8 < (uint64_t)p->columns * p->rows)
		return fail_broken(ctx);
	return 0;
}

static int sort_rows(struct context *ctx, struct debug_package *p, uint32_t slots)
{
	struct cursor ids = cursor_in(p, 16);
	struct cursor rows = cursor_in(p, 16 + 8 * (uint64_t)slots);

	/* They are sorted beside a copy. */
	if (!claim_add(&p->claim, p->file.budget, 2 * slots * sizeof(*p->by_id)))
		return fail(ctx, -EFBIG, "no memory is left for its debug information");
	p->by_id = malloc(((size_t)slots + 1) * sizeof(*p->by_id));
	if (!p->by_id)
		return fail_memory(ctx);
	for (uint32_t i = 0; i < slots; i++) {
		uint64_t id = cursor_u64(&ids);
		uint32_t row = cursor_u32(&rows);

		if (row > 0 && row <= p->rows)
			p->by_id[p->count++] = (struct keyed){ id, row - 1 };
	}
	return keyed_sort(p->by_id, p->count) < 0 ? fail_memory(ctx) : 0;
}

static const char *const packed_names[DEBUG_SECTIONS] = {
	[DEBUG_INFO] = ".debug_info.dwo",
	[DEBUG_ABBREV] = ".debug_abbrev.dwo",
	[DEBUG_STR] = ".debug_str.dwo",
	[DEBUG_STR_OFFSETS] = ".debug_str_offsets.dwo",
	[DEBUG_RNGLISTS] = ".debug_rnglists.dwo",
	[DEBUG_LINE] = ".debug_line.dwo",
};

/* Tools that make packages do not pack their sections. */
static bool find_package_section(const struct debug_package *p, const char *name,
				 struct debug_extent *ret)
{
	struct section s;

	if (!section_named(&p->file, name, &s) || s.header.sh_type == SHT_NOBITS ||
	    s.header.sh_flags & SHF_COMPRESSED || s.header.sh_offset > p->file.size ||
	    s.header.sh_size > p->file.size - s.header.sh_offset)
		return false;
	*ret = (struct debug_extent){ s.header.sh_offset, s.header.sh_size };
	return true;
}

int debug_package_open(struct context *ctx, struct object *file,
		       struct debug_package *ret)
{
	struct debug_package p = { .file = *file };
	const unsigned char *ident = (const void *)elf_getident(p.file.elf, NULL);
	struct debug_extent index;
	uint32_t slots = 0;
	int err = 0;

	if (!ident || p.file.fd < 0 ||
	    !find_package_section(&p, ".debug_cu_index", &index)) {
		err = fail(ctx, -EBADMSG, "it has no index of units");
		goto out;
	}
	p.swapped = ident[EI_DATA] == ELFDATA2MSB;
	for (int s = 0; s < DEBUG_SECTIONS; s++)
		if (packed_names[s])
			find_package_section(&p, packed_names[s], &p.sections[s]);
	p.index = read_unit_part(ctx, &p, &index, &err);
	if (!p.index)
		goto out;
	p.index_size = index.size;
	err = read_index_header(ctx, &p, &slots);
	if (err == 0)
		err = sort_rows(ctx, &p, slots);
	if (err < 0)
		goto out;
	p.strings = read_unit_part(ctx, &p, &p.sections[DEBUG_STR], &err);
	p.strings_size = p.sections[DEBUG_STR].size;
out:
	if (err < 0)
		debug_package_release(&p);
	else
		*ret = p;
	return err;
}

void debug_package_release(struct debug_package *p)
{
	free(p->index);
	free(p->by_id);
	free(p->strings);
	object_close(&p->file);
	claim_release(&p->claim);
	*p = (struct debug_package){ .file.fd = -1 };
}

bool debug_package_find(const struct debug_package *p, uint64_t id, uint32_t *row)
{
	size_t low = 0, high = p->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (p->by_id[middle].key < id)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == p->count || p->by_id[low].key != id)
		return false;
	*row = p->by_id[low].id;
	return true;
}

/* The strings of a unit on their way out of the package. */
struct string_copy {
	const struct debug_package *p;
	struct text strings;
	struct hash_map known; /* offset in the package's strings -> in these */
	uint64_t most; /* bytes */
	struct claim claim; /* for so many */
};

/* Where the string is in the copy; false where there is no room for it. */
static bool copy_string(struct string_copy *s, uint64_t offset, uint32_t *ret)
{
	enum { CLAIM_AT_A_TIME = 1 << 20 };
	const char *from = (const char *)s->p->strings + offset;
	const uint32_t *known = hash_map_get(&s->known, offset);
	uint64_t needed;
	size_t size;

	*ret = known ? *known : 0;
	if (known || offset >= s->p->strings_size)
		return true;
	size = strlen(from) + 1;
	if (size > s->most - s->strings.size)
		return false;
	needed = s->strings.size + size;
	if (needed > s->claim.size &&
	    !claim_add(&s->claim, s->p->file.budget,
		       needed - s->claim.size + CLAIM_AT_A_TIME))
		return false;
	*ret = (uint32_t)s->strings.size;
	text_add(&s->strings, from, size);
	s->strings.failed |= !hash_map_set(&s->known, offset, *ret);
	return !s->strings.failed;
}

/* @part becomes the unit's own, and *@s has its strings. Offsets are of eight bytes in a @wide
 * unit; in DWARF 5 (7.26) they begin behind a head, whose length says how wide they are. */
static bool copy_strings(struct string_copy *s, uint8_t *part, size_t part_size,
			 bool wide)
{
	struct cursor head = cursor_of(part, part_size);
	bool swapped = s->p->swapped;
	unsigned size = wide ? 8 : 4, at = 0;
	uint32_t copied;

	if (s->p->version != 2) {
		size = cursor_u32(&head) == UINT32_MAX ? 8 : 4;
		at = size == 8 ? 16 : 8;
	}
	text_char(&s->strings, '\0');
	for (size_t i = at; i < part_size && part_size - i >= size; i += size) {
		struct cursor c = cursor_of(part + i, size);
		uint64_t offset;

		c.swap = swapped;
		offset = size == 8 ? cursor_u64(&c) : cursor_u32(&c);
		if (!copy_string(s, offset, &copied))
			return false;
		/* In the byte order of the file: big-endian where that is swapped. */
		memset(part + i, 0, size);
		for (unsigned k = 0; k < sizeof(copied); k++)
			part[i + (swapped ? size - 1 - k : k)] =
				(uint8_t)(copied >> (8 * k));
	}
	return true;
}

/* What the index says of a row (DWARF 5, 7.3.5.3): a table of offsets, and one of sizes
 * behind it. Each has to lie in its section. */
static int find_row_parts(struct context *ctx, const struct debug_package *p,
			  uint32_t row, struct debug_extent parts[DEBUG_SECTIONS])
{
	uint64_t sizes = p->offsets + 4 * (uint64_t)p->columns * p->rows;

	for (int s = 0; s < DEBUG_SECTIONS; s++) {
		const struct debug_extent *whole = &p->sections[s];
		uint64_t cell = (uint64_t)row * p->columns + (uint64_t)p->column_of[s];
		struct cursor offset, size;

		parts[s] = (struct debug_extent){ 0 };
		if (p->column_of[s] < 0)
			continue;
		offset = cursor_in(p, p->offsets + 4 * cell);
		size = cursor_in(p, sizes + 4 * cell);
		parts[s].offset = cursor_u32(&offset);
		parts[s].size = cursor_u32(&size);
		if (offset.bad || size.bad || parts[s].offset > whole->size ||
		    parts[s].size > whole->size - parts[s].offset)
			return fail_broken(ctx);
		parts[s].offset += whole->offset;
	}
	if (parts[DEBUG_INFO].size == 0 || parts[DEBUG_ABBREV].size == 0)
		return fail_broken(ctx);
	return 0;
}

int debug_package_read(struct context *ctx, const struct debug_package *p,
		       const struct package_unit *unit, struct debug_meter *m,
		       struct debug_image *ret)
{
	struct debug_extent parts[DEBUG_SECTIONS], *offsets = &parts[DEBUG_STR_OFFSETS];
	struct debug_split_parts all = unit->given;
	struct string_copy s = { .p = p, .most = 2 * p->strings_size + 1 };
	struct claim claim = { 0 };
	uint32_t length; /* of the unit: so large where its offsets have eight bytes */
	uint8_t *part = NULL;
	int err = find_row_parts(ctx, p, unit->row, parts);

	if (err < 0)
		return err;
	if (!debug_meter_add(m, offsets->size / 8))
		return fail(ctx, -ETIME, "it is too much work");
	if (s.most > UINT32_MAX)
		s.most = UINT32_MAX;
	/* The offsets, and what finds strings by them. */
	if (!claim_add(&claim, p->file.budget, 16 * offsets->size)) {
		object_refuse(&p->file, "debug information");
		return fail(ctx, -EFBIG, "no memory is left for its debug information");
	}
	part = malloc(offsets->size + 1);
	if (!part)
		err = fail_memory(ctx);
	else if (!object_read(&p->file, offsets->offset, part, offsets->size))
		err = fail(ctx, -EBADMSG, "it ends before its sections");
	else if (!copy_strings(&s, part, offsets->size,
			       object_read(&p->file, parts[DEBUG_INFO].offset, &length,
					   sizeof(length)) &&
				       length == UINT32_MAX))
		err = s.strings.failed ? fail_memory(ctx)
				       : fail(ctx, -EFBIG, "its strings are too many");
	all.strings =
		(struct debug_bytes){ (const uint8_t *)s.strings.bytes, s.strings.size };
	all.string_offsets = (struct debug_bytes){ part, offsets->size };
	if (!unit->lines)
		parts[DEBUG_LINE] = (struct debug_extent){ 0 };
	if (err == 0)
		err = debug_image_cut(ctx, &p->file, parts, &all, ret);
	free(part);
	text_release(&s.strings);
	hash_map_release(&s.known);
	claim_release(&claim);
	claim_release(&s.claim);
	return err;
}
