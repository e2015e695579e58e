/*
 * The bytes of a file are read into memory of their own, or unpacked there: libelf would
 * keep them as long as the object is open. Before that, MEMORY_A_BYTE times their size
 * is claimed of the budget, which is what it takes to make a table of them. A section
 * that the budget refuses, or that would unpack to more than RATIO_MOST times its size,
 * is no error: it is empty then.
 *
 * The section is found by name. Where section headers are stripped, .eh_frame_hdr, which
 * has a segment, points at .eh_frame (LSB 5.0, 10.6.2). Nothing says how long that is:
 * it goes on to an entry of length 0, or to the end of its segment.
 */
#include "cfi/section.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/encoded.h"
#include "cfi/pointer.h"
#include "elf/elf.h"

enum {
	COMPRESSED_ZSTD = 2, /* newer than libelf's <elf.h> */
	MOST_BYTES = 1 << 28, /* browsers have a tenth of it */
	/* What all debug information may be unpacked by; more than a megabyte only hostile
	 * files have at a higher ratio. Compilers' tables have one of 2 to 5. */
	RATIO_MOST = 64,
	FREE_OF_RATIO = 1 << 20,
	/* What it takes to compile a byte: an entry has 16 or more, and makes a function, a
	 * span, what they are sorted by, and rows. */
	MEMORY_A_BYTE = 8,
};

/* Size is 0 where no memory is left for it. */
static bool claim_bytes(const struct object *o, struct cfi_section *s, uint64_t size)
{
	if (claim_add(&s->claim, o->budget, size * MEMORY_A_BYTE))
		return true;
	object_refuse(o, "call frame information");
	return false;
}

/* Reads @size bytes at @offset of the file, or as many as there are. Read, and given back
 * after the table is built: libelf would keep them as long as the object is open. */
static int read_bytes(const struct object *o, uint64_t offset, uint64_t size,
		      struct cfi_section *s)
{
	size_t whole;
	const char *image;

	if (offset >= o->size)
		return 0;
	if (size > o->size - offset)
		size = o->size - offset;
	if (size == 0 || size > MOST_BYTES)
		return 0;
	if (o->fd < 0) {
		image = elf_rawfile(o->elf, &whole);
		if (image && offset < whole && size <= whole - offset) {
			s->bytes = (const uint8_t *)image + offset;
			s->size = size;
		}
		return 0;
	}
	if (!claim_bytes(o, s, size))
		return 0;
	s->owned = malloc(size);
	if (!s->owned)
		return -ENOMEM;
	s->bytes = s->owned;
	s->size = object_read_some(o, offset, s->owned, size);
	return 0;
}

static void take_unpacked(struct cfi_section *s, uint8_t *bytes, size_t size)
{
	free(s->owned);
	s->owned = bytes;
	s->bytes = bytes;
	s->size = bytes ? size : 0;
}

/* Packed bytes -> @size of them; what is damaged becomes nothing. */
static int unpack_section(const struct object *o, struct cfi_section *s,
			  struct cursor packed, uint64_t size, bool zstd)
{
	uint8_t *bytes;
	uLongf got = size;
	bool fine;

	if (packed.bad || size == 0 || size > MOST_BYTES ||
	    (size > FREE_OF_RATIO && size / RATIO_MOST > cursor_left(&packed)) ||
	    !claim_bytes(o, s, size)) {
		take_unpacked(s, NULL, 0);
		return 0;
	}
	bytes = malloc(size);
	if (!bytes)
		return -ENOMEM;
	if (zstd)
		fine = ZSTD_decompress(bytes, size, packed.p, cursor_left(&packed)) ==
		       size;
	else
		fine = uncompress(bytes, &got, packed.p, cursor_left(&packed)) == Z_OK &&
		       got == size;
	if (!fine) {
		free(bytes);
		bytes = NULL;
	}
	take_unpacked(s, bytes, size);
	return 0;
}

static bool prepare_section(const struct object *o, struct cfi_section *s)
{
	const char *ident = elf_getident(o->elf, NULL);
	struct section of;

	*s = (struct cfi_section){ 0 };
	if (!ident || ident[EI_DATA] != ELFDATA2LSB)
		return false;
	s->word = ident[EI_CLASS] == ELFCLASS64 ? 8 : 4;
	if (section_named(o, ".text", &of))
		s->text = of.header.sh_addr;
	if (section_named(o, ".got.plt", &of) || section_named(o, ".got", &of))
		s->data = of.header.sh_addr;
	return true;
}

static bool header_segment(const struct object *o, GElf_Phdr *ret)
{
	size_t count;

	if (elf_getphdrnum(o->elf, &count) < 0)
		return false;
	for (size_t i = 0; i < count; i++)
		if (gelf_getphdr(o->elf, (int)i, ret) && ret->p_type == PT_GNU_EH_FRAME)
			return true;
	return false;
}

/* .eh_frame_hdr: version, three encodings, then the pointer to .eh_frame (LSB 5.0,
 * 10.6.2). */
static int read_by_segment(const struct object *o, struct cfi_section *s)
{
	enum { HEADER_MOST = 32 };
	struct cfi_section header = *s;
	uint64_t address, behind;
	const uint8_t *start;
	bool found = false;
	struct cursor c;
	GElf_Phdr segment;
	int err;

	if (!header_segment(o, &segment))
		return 0;
	err = read_bytes(o, segment.p_offset, HEADER_MOST, &header);
	if (err < 0)
		return err;
	c = cursor_of(header.bytes, header.size);
	header.address = header.data = segment.p_vaddr;
	start = cursor_bytes(&c, 4);
	if (!start || start[0] != 1 || !read_pointer(&c, start[1], &header, &address))
		goto out;
	for (size_t i = 0; i < o->segments.count && !found; i++) {
		const struct segment *g = &o->segments.v[i];

		found = address >= g->address && address - g->address < g->size;
		if (!found)
			continue;
		behind = address - g->address;
		s->address = address;
		s->terminated = true;
		err = read_bytes(o, g->offset + behind, g->size - behind, s);
	}
out:
	cfi_section_release(&header);
	return err;
}

int cfi_section_eh(const struct object *o, struct cfi_section *ret)
{
	struct section found;

	if (!prepare_section(o, ret))
		return 0;
	ret->eh = true;
	if (!section_named(o, ".eh_frame", &found))
		return read_by_segment(o, ret);
	if (found.header.sh_type == SHT_NOBITS)
		return 0;
	ret->address = found.header.sh_addr;
	return read_bytes(o, found.header.sh_offset, found.header.sh_size, ret);
}

bool cfi_section_parts(const struct object *o, struct cfi_section *s,
		       struct cfi_extent *eh, struct cfi_extent *header)
{
	struct section found;
	GElf_Phdr segment;

	if (!prepare_section(o, s) || !section_named(o, ".eh_frame", &found) ||
	    found.header.sh_type == SHT_NOBITS || found.header.sh_size > MOST_BYTES ||
	    !header_segment(o, &segment))
		return false;
	s->eh = true;
	s->address = found.header.sh_addr;
	*eh = (struct cfi_extent){ found.header.sh_offset, found.header.sh_size,
				   found.header.sh_addr };
	*header = (struct cfi_extent){ segment.p_offset, segment.p_filesz,
				       segment.p_vaddr };
	return eh->offset <= o->size && eh->size <= o->size - eh->offset &&
	       header->offset <= o->size && header->size <= o->size - header->offset;
}

int cfi_section_debug(const struct object *o, struct cfi_section *ret)
{
	struct section found;
	const char *magic;
	bool gnu = false;
	struct cursor c;
	uint32_t type;
	uint64_t size;
	int err;

	if (!prepare_section(o, ret))
		return 0;
	if (!section_named(o, ".debug_frame", &found)) {
		gnu = section_named(o, ".zdebug_frame", &found);
		if (!gnu)
			return 0;
	}
	if (found.header.sh_type == SHT_NOBITS)
		return 0;
	err = read_bytes(o, found.header.sh_offset, found.header.sh_size, ret);
	c = cursor_of(ret->bytes, ret->size);
	if (err == 0 && gnu) {
		/* "ZLIB", the size as a big-endian number, then the packed bytes. */
		magic = cursor_bytes(&c, 4);
		c.swap = true;
		size = cursor_u64(&c);
		if (!magic || memcmp(magic, "ZLIB", 4) != 0)
			c.bad = true;
		err = unpack_section(o, ret, c, size, false);
	} else if (err == 0 && found.header.sh_flags & SHF_COMPRESSED) {
		/* An Elf_Chdr, then the packed bytes. */
		type = cursor_u32(&c);
		if (ret->word == 8)
			cursor_u32(&c);
		size = read_sized(&c, ret->word);
		read_sized(&c, ret->word); /* alignment */
		if (type != ELFCOMPRESS_ZLIB && type != COMPRESSED_ZSTD)
			c.bad = true;
		err = unpack_section(o, ret, c, size, type == COMPRESSED_ZSTD);
	}
	if (err < 0)
		cfi_section_release(ret);
	return err;
}

void cfi_section_release(struct cfi_section *s)
{
	free(s->owned);
	claim_release(&s->claim);
	*s = (struct cfi_section){ 0 };
}
