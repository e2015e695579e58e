#ifndef FUZZ_DWARF_WRITER_H
#define FUZZ_DWARF_WRITER_H

/*
 * Debug information being written, of versions 2 to 5, in the 32-bit and the 64-bit format, in one file or
 * with a part of it in a .dwo file or in one of dwz: DIEs, each with an abbreviation of its own,
 * whose attributes take any form that their class has. Numbers are those of the DWARF standards;
 * DW_FORM_GNU_* of GCC's fission and of dwz.
 */
#include <dwarf.h>
#include <elf.h>
#include <zlib.h>

#include "profile.h"

#include "base/bytes.h"
#include "choices.h"

enum section_kind {
	INFO,
	ABBREV,
	STR,
	STR_OFFSETS,
	RANGES,
	LINE_STR,
	ADDR,
	LINE,
	DEBUG_FRAME,
	EH_FRAME,
	SYMTAB,
	DYNSYM,
	STRTAB,
	SECTIONS,
};

enum {
	BUILD_ID = 20, /* bytes: 1, 2, 3, 4 and zeros */
	CODE = 0x1000, /* where code is */
	CODE_SIZE = 0xc00,
	FRAMES = 0x8000, /* where .eh_frame is */
};

static inline void put_bytes(struct bytes *b, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++, value >>= 8)
		bytes_u8(b, (uint8_t)value);
}

/* A field of a section's header that is not what it should be. */
struct field_bent {
	uint8_t section, field;
	uint64_t value;
};

enum { BENT_MOST = 4 };

/* One file's sections. */
struct debug_file {
	struct bytes sections[SECTIONS];
	uint32_t strings; /* with a place in STR_OFFSETS */
	unsigned version;
	bool dwo, packed;
	struct field_bent bent[BENT_MOST];
	unsigned bent_count;
};

struct debug_writer {
	struct debug_file object, dwo, alternate;
	struct debug_file *to; /* the one that DIEs go to */
	unsigned version;
	bool wide; /* 64-bit format */
	bool split, dwz;
	struct numbers *numbers;
	size_t unit; /* where it begins */
	uint64_t code; /* of the last abbreviation */
	uint32_t addresses; /* in .debug_addr */
	uint32_t lists; /* in .debug_rnglists */
};

static inline struct bytes *section_of(struct debug_writer *d, enum section_kind kind)
{
	return &d->to->sections[kind];
}

static inline unsigned offset_size(const struct debug_writer *d)
{
	return d->wide ? 8 : 4;
}

static inline void put_offset(struct debug_writer *d, struct bytes *b, uint64_t value)
{
	put_bytes(b, value, offset_size(d));
}

/* A length that is known later; where what it counts begins. */
static inline size_t begin_length(struct debug_writer *d, struct bytes *b)
{
	if (d->wide)
		put_bytes(b, UINT32_MAX, 4);
	put_offset(d, b, 0);
	return b->count;
}

static inline void end_length(struct debug_writer *d, struct bytes *b, size_t start)
{
	uint64_t size = b->count - start;

	memcpy(b->v + start - offset_size(d), &size, offset_size(d));
}

/* A DIE with its tag. Returns its place in the unit. */
static inline uint64_t die_begin(struct debug_writer *d, unsigned tag, bool children)
{
	struct bytes *info = section_of(d, INFO), *abbrev = section_of(d, ABBREV);
	uint64_t at = info->count - d->unit;

	bytes_varint(info, ++d->code);
	bytes_varint(abbrev, d->code);
	bytes_varint(abbrev, tag);
	bytes_u8(abbrev, children);
	return at;
}

static inline void die_end(struct debug_writer *d)
{
	put_bytes(section_of(d, ABBREV), 0, 2);
}

static inline struct bytes *attribute(struct debug_writer *d, unsigned name,
				      unsigned form)
{
	bytes_varint(section_of(d, ABBREV), name);
	bytes_varint(section_of(d, ABBREV), form);
	return section_of(d, INFO);
}

static inline void put_text(struct bytes *b, const char *text)
{
	bytes_add(b, text, strlen(text) + 1);
}

static inline void attribute_number(struct debug_writer *d, unsigned name, uint64_t value)
{
	static const struct {
		uint16_t form;
		uint8_t size;
	} forms[] = { { DW_FORM_data1, 1 },
		      { DW_FORM_data2, 2 },
		      { DW_FORM_udata, 0 },
		      { DW_FORM_data4, 4 },
		      { DW_FORM_data8, 8 } };
	size_t i = number_below(d->numbers, 6);
	struct bytes *info;

	if (i == 5 && d->version == 5 && value < 64) {
		attribute(d, name, DW_FORM_implicit_const);
		/* Signed, so that a byte holds 63 at the most. */
		bytes_u8(section_of(d, ABBREV), (uint8_t)value);
		return;
	}
	i %= 5;
	if (forms[i].size && forms[i].size < 8 && value >> 8 * forms[i].size)
		i = 2;
	info = attribute(d, name, forms[i].form);
	if (forms[i].size)
		put_bytes(info, value, forms[i].size);
	else
		bytes_varint(info, value);
}

/* An index into .debug_str_offsets. */
static inline uint32_t add_string(struct debug_writer *d, const char *text)
{
	struct bytes *str = section_of(d, STR), *offsets = section_of(d, STR_OFFSETS);

	if (offsets->count == 0 && d->version == 5) {
		begin_length(d, offsets);
		put_bytes(offsets, 5, 4);
	}
	put_offset(d, offsets, str->count);
	put_text(str, text);
	return d->to->strings++;
}

static inline void attribute_text(struct debug_writer *d, unsigned name, const char *text)
{
	bool in_dwo = d->to == &d->dwo;
	struct bytes *alternate = &d->alternate.sections[STR];

	switch (number_below(d->numbers, 5)) {
	case 0:
		put_text(attribute(d, name, DW_FORM_string), text);
		return;
	case 1:
		if (d->dwz) {
			put_offset(d, attribute(d, name, DW_FORM_GNU_strp_alt),
				   alternate->count);
			put_text(alternate, text);
			return;
		}
		break;
	case 2:
		if (d->version == 5 && !in_dwo) {
			struct bytes *str = section_of(d, LINE_STR);

			put_offset(d, attribute(d, name, DW_FORM_line_strp), str->count);
			put_text(str, text);
			return;
		}
		break;
	default:
		break;
	}
	if (d->version == 5 && (in_dwo || number_below(d->numbers, 2))) {
		bool small = number_below(d->numbers, 2);
		uint32_t index = add_string(d, text);

		put_bytes(attribute(d, name, small ? DW_FORM_strx2 : DW_FORM_strx4),
			  index, small ? 2 : 4);
	} else if (in_dwo) {
		uint32_t index = add_string(d, text);

		bytes_varint(attribute(d, name, DW_FORM_GNU_str_index), index);
	} else {
		struct bytes *str = section_of(d, STR);

		put_offset(d, attribute(d, name, DW_FORM_strp), str->count);
		put_text(str, text);
	}
}

/* Another DIE of this unit. */
static inline void attribute_reference(struct debug_writer *d, unsigned name,
				       uint64_t die)
{
	switch (number_below(d->numbers, 5)) {
	case 0:
		put_bytes(attribute(d, name, DW_FORM_ref2), die, 2);
		return;
	case 1:
		put_bytes(attribute(d, name, DW_FORM_ref8), die, 8);
		return;
	case 2:
		bytes_varint(attribute(d, name, DW_FORM_ref_udata), die);
		return;
	case 3:
		if (d->to == &d->object) {
			put_bytes(attribute(d, name, DW_FORM_ref_addr), d->unit + die,
				  d->version == 2 ? 8 : offset_size(d));
			return;
		}
		/* Fallthrough. */
	default:
		put_bytes(attribute(d, name, DW_FORM_ref4), die, 4);
	}
}

static inline uint32_t add_address(struct debug_writer *d, uint64_t address)
{
	struct bytes *addr = &d->object.sections[ADDR];

	if (addr->count == 0 && d->version == 5) {
		begin_length(d, addr);
		put_bytes(addr, 5, 2);
		put_bytes(addr, 8, 2);
	}
	put_bytes(addr, address, 8);
	return d->addresses++;
}

static inline void attribute_address(struct debug_writer *d, unsigned name,
				     uint64_t address)
{
	bool in_dwo = d->to == &d->dwo;

	if (d->version == 5 && (in_dwo || number_below(d->numbers, 2)))
		bytes_varint(attribute(d, name, DW_FORM_addrx), add_address(d, address));
	else if (in_dwo)
		bytes_varint(attribute(d, name, DW_FORM_GNU_addr_index),
			     add_address(d, address));
	else
		put_bytes(attribute(d, name, DW_FORM_addr), address, 8);
}

struct span_written {
	uint64_t start, end;
};

/* DWARF 5, 7.25; without a base address, or with one. */
static inline void put_list(struct debug_writer *d, struct bytes *b,
			    const struct span_written *spans, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		switch (number_below(d->numbers, d->version == 5 ? 4 : 1)) {
		case 0:
			if (d->version == 5)
				bytes_u8(b, DW_RLE_start_end);
			put_bytes(b, spans[i].start, 8);
			put_bytes(b, spans[i].end, 8);
			break;
		case 1:
			bytes_u8(b, DW_RLE_start_length);
			put_bytes(b, spans[i].start, 8);
			bytes_varint(b, spans[i].end - spans[i].start);
			break;
		case 2:
			bytes_u8(b, DW_RLE_startx_length);
			bytes_varint(b, add_address(d, spans[i].start));
			bytes_varint(b, spans[i].end - spans[i].start);
			break;
		default:
			bytes_u8(b, DW_RLE_base_address);
			put_bytes(b, spans[i].start, 8);
			bytes_u8(b, DW_RLE_offset_pair);
			bytes_varint(b, 0);
			bytes_varint(b, spans[i].end - spans[i].start);
		}
	put_bytes(b, 0, d->version == 5 ? 1 : 16);
}

static inline void attribute_ranges(struct debug_writer *d,
				    const struct span_written *spans, unsigned count)
{
	/* Version 4 keeps them in the object. */
	struct debug_file *at = d->version == 5 ? d->to : &d->object;
	struct bytes *ranges = &at->sections[RANGES];
	bool before_4 = d->version < 4;

	if (d->version <
	    3) /* an attribute of version 3, which compilers wrote before it */
		before_4 = true;
	if (ranges->count == 0 && d->version == 5) {
		begin_length(d, ranges);
		put_bytes(ranges, 5, 2);
		put_bytes(ranges, 8, 2);
		put_bytes(ranges, 0, 4); /* no offsets: lists are found by their place */
	}
	/* All addresses are whole ones: the base of the unit is 0. */
	put_offset(d,
		   attribute(d, DW_AT_ranges,
			     !before_4 ? DW_FORM_sec_offset
			     : d->wide ? DW_FORM_data8
				       : DW_FORM_data4),
		   ranges->count);
	put_list(d, ranges, spans, count);
}

static inline void attribute_spans(struct debug_writer *d,
				   const struct span_written *spans, unsigned count)
{
	/* In a .dwo of version 5 a list has no index here, so there are none. */
	if (count == 1 && (number_below(d->numbers, 4) || d->to == &d->dwo)) {
		attribute_address(d, DW_AT_low_pc, spans->start);
		if (d->version < 4 || number_below(d->numbers, 4) == 0)
			attribute_address(d, DW_AT_high_pc, spans->end);
		else
			attribute_number(d, DW_AT_high_pc, spans->end - spans->start);
		return;
	}
	attribute_ranges(d, spans, count);
}

/* 0 is none, 1 has the names, 2 and 3 tell of other files, 4 is the code. */
enum { TEXT = 4, OTHERS, ELF_SECTIONS = SECTIONS + OTHERS };

struct elf_writer {
	Elf64_Shdr sections[ELF_SECTIONS];
	struct bytes names, *image;
};

/* Section @i, whose bytes come now. */
static inline void begin_section(struct elf_writer *w, unsigned i, const char *name,
				 uint32_t type)
{
	while (w->image->count % 8)
		bytes_u8(w->image, 0);
	w->sections[i] = (Elf64_Shdr){ .sh_name = (uint32_t)w->names.count,
				       .sh_type = type,
				       .sh_offset = w->image->count,
				       .sh_addralign = 1 };
	put_text(&w->names, name);
}

static inline void end_section(struct elf_writer *w, unsigned i)
{
	w->sections[i].sh_size = w->image->count - w->sections[i].sh_offset;
}

static inline void put_packed_section(struct elf_writer *w, unsigned i,
				      const struct bytes *b)
{
	Elf64_Chdr packing = { ELFCOMPRESS_ZLIB, 0, b->count, 1 };
	uLongf room = compressBound(b->count);

	fuzz_check(bytes_reserve(w->image, sizeof(packing) + room), "memory");
	bytes_add(w->image, &packing, sizeof(packing));
	compress2(w->image->v + w->image->count, &room, b->v, b->count, 1);
	w->image->count += room;
	w->sections[i].sh_flags = SHF_COMPRESSED;
}

static const struct section_named {
	const char *name, *in_dwo;
	uint32_t type;
} sections_named[SECTIONS] = {
	[INFO] = { ".debug_info", ".debug_info.dwo", SHT_PROGBITS },
	[ABBREV] = { ".debug_abbrev", ".debug_abbrev.dwo", SHT_PROGBITS },
	[STR] = { ".debug_str", ".debug_str.dwo", SHT_PROGBITS },
	[STR_OFFSETS] = { ".debug_str_offsets", ".debug_str_offsets.dwo", SHT_PROGBITS },
	[RANGES] = { ".debug_rnglists", ".debug_rnglists.dwo", SHT_PROGBITS },
	[LINE_STR] = { ".debug_line_str", ".debug_line_str", SHT_PROGBITS },
	[ADDR] = { ".debug_addr", ".debug_addr", SHT_PROGBITS },
	[LINE] = { ".debug_line", ".debug_line.dwo", SHT_PROGBITS },
	[DEBUG_FRAME] = { ".debug_frame", ".debug_frame", SHT_PROGBITS },
	[EH_FRAME] = { ".eh_frame", ".eh_frame", SHT_PROGBITS },
	[SYMTAB] = { ".symtab", ".symtab", SHT_SYMTAB },
	[DYNSYM] = { ".dynsym", ".dynsym", SHT_DYNSYM },
	[STRTAB] = { ".strtab", ".strtab", SHT_STRTAB },
};

/* What only debuggers read may be packed. */
static inline bool can_be_packed(unsigned i)
{
	return sections_named[i].type == SHT_PROGBITS && i != EH_FRAME;
}

static inline void put_debug_sections(struct elf_writer *w, const struct debug_file *f)
{
	for (unsigned i = 0; i < SECTIONS; i++) {
		const struct section_named *s = &sections_named[i];
		const struct bytes *b = &f->sections[i];
		bool old = i == RANGES && f->version < 5;

		begin_section(w, OTHERS + i,
			      old      ? ".debug_ranges"
			      : f->dwo ? s->in_dwo
				       : s->name,
			      b->count ? s->type : SHT_NULL);
		if (f->packed && b->count && can_be_packed(i))
			put_packed_section(w, OTHERS + i, b);
		else
			bytes_add(w->image, b->v, b->count);
		end_section(w, OTHERS + i);
	}
	w->sections[OTHERS + EH_FRAME].sh_addr = FRAMES;
	for (unsigned i = SYMTAB; i <= DYNSYM; i++) {
		w->sections[OTHERS + i].sh_link = OTHERS + STRTAB;
		w->sections[OTHERS + i].sh_entsize = sizeof(Elf64_Sym);
	}
}

/* The code is in the file behind its headers, whatever its section says. */
static inline void put_text_section(struct elf_writer *w)
{
	begin_section(w, TEXT, ".text", SHT_PROGBITS);
	w->sections[TEXT].sh_flags = SHF_ALLOC | SHF_EXECINSTR;
	w->sections[TEXT].sh_addr = CODE;
	w->sections[TEXT].sh_offset = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr);
	w->sections[TEXT].sh_size = CODE_SIZE;
}

static inline void bend(struct elf_writer *w, const struct field_bent *bent)
{
	Elf64_Shdr *s = &w->sections[bent->section % ELF_SECTIONS];
	uint64_t *const wide[] = { &s->sh_size,	   &s->sh_size, &s->sh_offset,
				   &s->sh_entsize, &s->sh_addr, &s->sh_flags };
	uint32_t *const narrow[] = { &s->sh_link, &s->sh_type, &s->sh_info };
	unsigned field = bent->field % 9;

	if (field < 6)
		*wide[field] = bent->value;
	else
		*narrow[field - 6] = (uint32_t)bent->value;
}

/* An ELF file with these sections; @link: what .gnu_debugaltlink says, or NULL. */
static inline void write_elf(const struct debug_file *f, const uint8_t *link,
			     size_t link_size, struct bytes *ret)
{
	static const uint8_t note[16] = { 4, 0, 0, 0, BUILD_ID, 0,   0,	 0,
					  3, 0, 0, 0, 'G',	'N', 'U' };
	static const uint8_t id[BUILD_ID] = { 1, 2, 3, 4 };
	static const uint8_t nothing[CODE_SIZE];
	Elf64_Ehdr head = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = f->dwo ? ET_REL : ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phoff = sizeof(Elf64_Ehdr),
		.e_phnum = 1,
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = ELF_SECTIONS,
		.e_shstrndx = 1,
	};
	const Elf64_Phdr code = { .p_type = PT_LOAD,
				  .p_flags = PF_R | PF_X,
				  .p_vaddr = CODE,
				  .p_offset = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr),
				  .p_filesz = CODE_SIZE,
				  .p_memsz = CODE_SIZE };
	struct elf_writer w = { .image = ret };

	ret->count = 0;
	bytes_u8(&w.names, 0);
	bytes_add(ret, &head, sizeof(head));
	bytes_add(ret, &code, sizeof(code));
	bytes_add(ret, nothing, sizeof(nothing));
	put_debug_sections(&w, f);
	begin_section(&w, 2, ".gnu_debugaltlink", link ? SHT_PROGBITS : SHT_NULL);
	if (link)
		bytes_add(ret, link, link_size);
	end_section(&w, 2);
	begin_section(&w, 3, ".note.gnu.build-id", SHT_NOTE);
	bytes_add(ret, note, sizeof(note));
	bytes_add(ret, id, sizeof(id));
	end_section(&w, 3);
	put_text_section(&w);
	begin_section(&w, 1, ".shstrtab", SHT_STRTAB);
	bytes_add(ret, w.names.v, w.names.count);
	end_section(&w, 1);
	for (unsigned i = 0; i < f->bent_count; i++)
		bend(&w, &f->bent[i]);
	while (ret->count % 8)
		bytes_u8(ret, 0);
	head.e_shoff = ret->count;
	bytes_add(ret, w.sections, sizeof(w.sections));
	fuzz_check(!ret->failed && !w.names.failed, "memory");
	memcpy(ret->v, &head, sizeof(head));
	bytes_release(&w.names);
}

#endif
