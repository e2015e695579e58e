/*
 * No memory is taken before all is known that it depends on: first sections are found,
 * then the sizes that they state are summed up and compared with what is allowed and
 * what the budget has, and then all are read or unpacked into one block of zeroed
 * memory. A section may be called ".debug_info", ".zdebug_info" (packed as GNU did it
 * first) or, of a .dwo file, ".debug_info.dwo"; in the image it always has the first of
 * these names.
 *
 * The table of sections has the same entries in every image, SHT_NULL where the file has
 * no such section. Class and byte order are those of the file, because libdw reads the
 * sections by them. Bytes that the file has lost since it was opened stay zero.
 */
#include "dwarf/image.h"

#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cursor.h"
#include "base/pages.h"
#include "elf/elf.h"

enum {
	PADDING = 1024, /* behind each section; at least DIE_DEPTH_MOST */
	FREE_OF_RATIO = 1 << 20,
	NAMES_OFFSET = sizeof(Elf64_Ehdr), /* the section names follow the header */
};

/* Names of the sections in the image, and in the files. */
static const char section_names[DEBUG_SECTIONS][20] = {
	[DEBUG_INFO] = ".debug_info",
	[DEBUG_TYPES] = ".debug_types",
	[DEBUG_ABBREV] = ".debug_abbrev",
	[DEBUG_STR] = ".debug_str",
	[DEBUG_STR_OFFSETS] = ".debug_str_offsets",
	[DEBUG_LINE_STR] = ".debug_line_str",
	[DEBUG_RANGES] = ".debug_ranges",
	[DEBUG_RNGLISTS] = ".debug_rnglists",
	[DEBUG_ADDR] = ".debug_addr",
	[DEBUG_LINE] = ".debug_line",
};
static const char table_name[] = ".shstrtab";

/* A section of the file on its way into the image. */
struct section_source {
	uint64_t offset, stored; /* bytes in the file */
	uint64_t size; /* unpacked; 0: there is none */
	enum section_packing packing;
	struct debug_bytes given; /* in place of bytes of the file */
};

struct image_reader {
	struct context *ctx;
	const struct object *o;
	struct section_source sources[DEBUG_SECTIONS];
	bool swapped, is_32bit; /* the file's byte order and class */
};

static bool read_object_at(const struct object *o, uint64_t offset, void *to, size_t size)
{
	return object_read_some(o, offset, to, size) == size;
}

/* Packed sections begin with how they are packed and how large they were. */
static bool read_packing(const struct image_reader *r, struct section_source *s, bool old)
{
	uint8_t head[24];
	size_t size = old ? 12 : r->is_32bit ? 12 : 24;
	struct cursor c = cursor_of(head, size);
	uint32_t type;

	if (s->stored < size || !read_object_at(r->o, s->offset, head, size))
		return false;
	s->offset += size;
	s->stored -= size;
	c.swap = r->swapped;
	if (old) {
		s->packing = SECTION_ZLIB;
		c.swap = true; /* this size is always big-endian */
		cursor_bytes(&c, 4);
		s->size = cursor_u64(&c);
		return memcmp(head, "ZLIB", 4) == 0;
	}
	type = cursor_u32(&c);
	if (!r->is_32bit)
		cursor_u32(&c);
	s->size = r->is_32bit ? cursor_u32(&c) : cursor_u64(&c);
	s->packing = type == ELFCOMPRESS_ZLIB ? SECTION_ZLIB : SECTION_ZSTD;
	return type == ELFCOMPRESS_ZLIB || type == 2 /* ELFCOMPRESS_ZSTD */;
}

static void find_sections(struct image_reader *r, bool lines, bool split)
{
	struct section in;

	for (size_t k = 1; section_at(r->o, k, &in); k++) {
		bool old = strncmp(in.name, ".z", 2) == 0;
		const char *name = in.name + (old ? 2 : 1);
		int i = in.name[0] == '.' ? 0 : DEBUG_SECTIONS;
		struct section_source s = { .offset = in.header.sh_offset,
					    .stored = in.header.sh_size,
					    .size = in.header.sh_size };

		for (; i < DEBUG_SECTIONS; i++) {
			size_t length = strlen(section_names[i]) - 1;

			if (strncmp(name, section_names[i] + 1, length) == 0 &&
			    strcmp(name + length, split ? ".dwo" : "") == 0)
				break;
		}
		/* The first of a name counts. Those of a group belong to one function of
		 * a .o file. */
		if (i == DEBUG_SECTIONS || r->sources[i].size ||
		    in.header.sh_type == SHT_NOBITS || in.header.sh_flags & SHF_GROUP ||
		    s.offset > r->o->size || s.stored > r->o->size - s.offset)
			continue;
		if ((old || in.header.sh_flags & SHF_COMPRESSED) &&
		    !read_packing(r, &s, old))
			continue;
		r->sources[i] = s;
	}
	if (!lines)
		r->sources[DEBUG_LINE] = (struct section_source){ 0 };
}

/* Before memory is taken. The ratio stops a small file that unpacks to gigabytes. */
static int check_image_sizes(const struct image_reader *r)
{
	uint64_t sum = 0, packed = 0, unpacked = 0;
	bool fits = true;

	if (r->sources[DEBUG_INFO].size == 0 || r->sources[DEBUG_ABBREV].size == 0)
		return fail(r->ctx, -ENODATA, "it has no debug information");
	/* Each by itself first, so that the sum cannot wrap around. */
	for (int i = 0; i < DEBUG_SECTIONS && fits; i++) {
		const struct section_source *s = &r->sources[i];

		fits = s->size <= DEBUG_IMAGE_MOST;
		sum += s->size;
		if (s->packing) {
			packed += s->stored;
			unpacked += s->size;
		}
	}
	if (unpacked > FREE_OF_RATIO && unpacked / DEBUG_IMAGE_RATIO > packed)
		fits = false;
	if (!fits || sum > DEBUG_IMAGE_MOST)
		return fail(r->ctx, -EFBIG, "its debug information is too large");
	return 0;
}

/* Of a section's stored bytes. */
struct stored {
	const struct image_reader *r;
	const struct section_source *s;
};

static bool read_stored(void *arg, size_t at, void *to, size_t size)
{
	const struct stored *in = arg;

	return read_object_at(in->r->o, in->s->offset + at, to, size);
}

/* A file that was cut since it was opened: what is left is zeros, as it was taken. */
static int fill_image(const struct image_reader *r, struct debug_image *image,
		      const size_t offsets[DEBUG_SECTIONS])
{
	for (int i = 0; i < DEBUG_SECTIONS; i++) {
		const struct section_source *s = &r->sources[i];
		struct stored stored = { r, s };
		struct packed_section from = { s->packing, s->stored, read_stored,
					       &stored };
		uint8_t *to = image->bytes + offsets[i];
		int err = 0;

		if (s->size == 0)
			continue;
		image->sections[i] = (struct debug_bytes){ to, s->size };
		if (s->given.p)
			memcpy(to, s->given.p, s->size);
		else if (s->packing)
			err = inflate_whole(&from, to, s->size);
		else
			read_object_at(r->o, s->offset, to, s->size);
		if (err == -ENOMEM)
			return fail_memory(r->ctx);
		if (err < 0)
			return fail(r->ctx, err,
				    "its debug information cannot be unpacked");
	}
	return 0;
}

/* In the class and byte order of the file: libdw takes both from here. */
static void put_elf_header(const struct image_reader *r, uint8_t *to, const void *from,
			   size_t size, Elf_Type type)
{
	unsigned encode = r->swapped ? ELFDATA2MSB : ELFDATA2LSB;
	Elf_Data in = { .d_buf = (void *)from, .d_size = size, .d_type = type };
	Elf_Data out = { .d_buf = to, .d_size = size, .d_type = type };

	in.d_version = out.d_version = EV_CURRENT;
	if (r->is_32bit)
		elf32_xlatetof(&out, &in, encode);
	else
		elf64_xlatetof(&out, &in, encode);
}

static void put_section(const struct image_reader *r, uint8_t *to, const Elf64_Shdr *s)
{
	Elf32_Shdr elf32 = {
		.sh_name = s->sh_name,
		.sh_type = s->sh_type,
		.sh_offset = (Elf32_Off)s->sh_offset,
		.sh_size = (Elf32_Word)s->sh_size,
		.sh_addralign = 1,
	};

	if (r->is_32bit)
		put_elf_header(r, to, &elf32, sizeof(elf32), ELF_T_SHDR);
	else
		put_elf_header(r, to, s, sizeof(*s), ELF_T_SHDR);
}

/* The header, the names of sections, and the table of them at @table. */
static void put_tables(const struct image_reader *r, struct debug_image *image,
		       size_t table)
{
	size_t entry = r->is_32bit ? sizeof(Elf32_Shdr) : sizeof(Elf64_Shdr);
	Elf64_Shdr strings = { .sh_name = 1 + sizeof(section_names),
			       .sh_type = SHT_STRTAB,
			       .sh_offset = NAMES_OFFSET,
			       .sh_size = 1 + sizeof(section_names) + sizeof(table_name),
			       .sh_addralign = 1 };
	Elf64_Ehdr elf64 = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
			     r->swapped ? ELFDATA2MSB : ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_EXEC,
		.e_machine = (Elf64_Half)r->o->machine,
		.e_version = EV_CURRENT,
		.e_shoff = table,
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = DEBUG_SECTIONS + 2,
		.e_shstrndx = DEBUG_SECTIONS + 1,
	};
	Elf32_Ehdr elf32 = {
		.e_type = elf64.e_type,
		.e_machine = elf64.e_machine,
		.e_version = EV_CURRENT,
		.e_shoff = (Elf32_Off)table,
		.e_ehsize = sizeof(Elf32_Ehdr),
		.e_shentsize = sizeof(Elf32_Shdr),
		.e_shnum = elf64.e_shnum,
		.e_shstrndx = elf64.e_shstrndx,
	};

	memcpy(elf32.e_ident, elf64.e_ident, sizeof(elf32.e_ident));
	elf32.e_ident[EI_CLASS] = ELFCLASS32;
	if (r->is_32bit)
		put_elf_header(r, image->bytes, &elf32, sizeof(elf32), ELF_T_EHDR);
	else
		put_elf_header(r, image->bytes, &elf64, sizeof(elf64), ELF_T_EHDR);
	memcpy(image->bytes + NAMES_OFFSET + 1, section_names, sizeof(section_names));
	memcpy(image->bytes + NAMES_OFFSET + strings.sh_name, table_name,
	       sizeof(table_name));
	for (int i = 0; i < DEBUG_SECTIONS; i++) {
		const struct debug_bytes *in = &image->sections[i];
		Elf64_Shdr s = { .sh_name =
					 (Elf64_Word)(1 + i * sizeof(section_names[0])),
				 .sh_type = in->size ? SHT_PROGBITS : SHT_NULL,
				 .sh_size = in->size,
				 .sh_addralign = 1 };

		if (in->size)
			s.sh_offset = (Elf64_Off)(in->p - image->bytes);
		put_section(r, image->bytes + table + (i + 1) * entry, &s);
	}
	put_section(r, image->bytes + table + (DEBUG_SECTIONS + 1) * entry, &strings);
}

static int make_image(const struct image_reader *r, struct debug_image *ret)
{
	size_t at = NAMES_OFFSET + 1 + sizeof(section_names) + sizeof(table_name);
	size_t offsets[DEBUG_SECTIONS];
	struct debug_image image = { .swapped = r->swapped };
	int err;

	for (int i = 0; i < DEBUG_SECTIONS; i++) {
		at = (at + 15) & ~(size_t)15;
		offsets[i] = at;
		if (r->sources[i].size)
			at += r->sources[i].size + PADDING;
	}
	at = (at + 15) & ~(size_t)15; /* of the table of sections */
	image.size = at + (DEBUG_SECTIONS + 2) * sizeof(Elf64_Shdr);
	if (!claim_add(&image.claim, r->o->budget, image.size)) {
		object_refuse(r->o, "debug information");
		return fail(r->ctx, -EFBIG,
			    "no memory is left for its debug information");
	}
	/* Zeroed: padding, and what the file turns out not to have. */
	image.bytes = pages_take(image.size);
	if (!image.bytes) {
		claim_release(&image.claim);
		return fail_memory(r->ctx);
	}
	err = fill_image(r, &image, offsets);
	if (err < 0) {
		debug_image_release(&image);
		return err;
	}
	put_tables(r, &image, at);
	*ret = image;
	return 0;
}

static int begin_image(struct image_reader *r)
{
	const unsigned char *ident = (const void *)elf_getident(r->o->elf, NULL);

	if (!ident || r->o->fd < 0)
		return fail(r->ctx, -ENODATA, "it has no debug information");
	r->is_32bit = ident[EI_CLASS] == ELFCLASS32;
	r->swapped = ident[EI_DATA] == ELFDATA2MSB;
	return 0;
}

int debug_image_read(struct context *ctx, const struct object *o, bool lines,
		     struct debug_image *ret)
{
	struct image_reader r = { .ctx = ctx, .o = o };
	struct section s;
	int err = begin_image(&r);

	if (err < 0)
		return err;
	/* Its addresses would have to be filled in by relocations first. What dwz makes
	 * is called relocatable, too, but has none. */
	if (o->relocatable &&
	    (section_of_type(o, SHT_RELA, &s) || section_of_type(o, SHT_REL, &s)))
		return fail(ctx, -ENODATA, "it is not linked");
	find_sections(&r, lines, false);
	err = check_image_sizes(&r);
	return err < 0 ? err : make_image(&r, ret);
}

static void give(struct image_reader *r, int section, struct debug_bytes bytes)
{
	r->sources[section] =
		(struct section_source){ .size = bytes.size, .given = bytes };
}

int debug_image_read_split(struct context *ctx, const struct object *o, bool lines,
			   const struct debug_split_parts *given, struct debug_image *ret)
{
	struct image_reader r = { .ctx = ctx, .o = o };
	int err = begin_image(&r);

	if (err < 0)
		return err;
	find_sections(&r, lines, true);
	give(&r, DEBUG_ADDR, given->addresses);
	give(&r, DEBUG_RANGES, given->ranges);
	err = check_image_sizes(&r);
	return err < 0 ? err : make_image(&r, ret);
}

int debug_image_cut(struct context *ctx, const struct object *o,
		    const struct debug_extent parts[DEBUG_SECTIONS],
		    const struct debug_split_parts *given, struct debug_image *ret)
{
	struct image_reader r = { .ctx = ctx, .o = o };
	int err = begin_image(&r);

	if (err < 0)
		return err;
	for (int i = 0; i < DEBUG_SECTIONS; i++)
		r.sources[i] = (struct section_source){ .offset = parts[i].offset,
							.stored = parts[i].size,
							.size = parts[i].size };
	give(&r, DEBUG_ADDR, given->addresses);
	give(&r, DEBUG_RANGES, given->ranges);
	give(&r, DEBUG_STR, given->strings);
	give(&r, DEBUG_STR_OFFSETS, given->string_offsets);
	err = check_image_sizes(&r);
	return err < 0 ? err : make_image(&r, ret);
}

uint64_t debug_first_code(const struct object *o)
{
	uint64_t first = UINT64_MAX;
	struct section s;

	for (size_t i = 1; section_at(o, i, &s); i++)
		if (s.header.sh_flags & SHF_EXECINSTR && s.header.sh_addr < first)
			first = s.header.sh_addr;
	return first == UINT64_MAX || first == 0 ? 1 : first;
}

void debug_image_release(struct debug_image *image)
{
	pages_give_back(image->bytes, image->size);
	claim_release(&image->claim);
	*image = (struct debug_image){ 0 };
}
