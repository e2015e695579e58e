#include "unit/cfi/cfi_image.h"

#include <criterion/criterion.h>
#include <dwarf.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADERS = 0x40, SECTIONS = 0x200, SECTION_COUNT = 5, PAGE = 0x1000 };

static const char names[] = "\0.text\0.eh_frame\0.shstrtab\0.debug_frame\0.zdebug_frame";
enum { NAME_TEXT = 1, NAME_EH = 7, NAME_NAMES = 17, NAME_DEBUG = 27, NAME_ZDEBUG = 40 };

void cfi_begin(struct cfi_image *i, unsigned machine)
{
	memset(i, 0, sizeof(*i));
	i->machine = machine;
	i->word = machine == EM_386 ? 4 : 8;
	i->text_size = PAGE;
	i->to = &i->eh;
	i->debug_name = ".debug_frame";
}

void cfi_end(struct cfi_image *i)
{
	free(i->eh.v);
	free(i->debug.v);
	free(i->header.v);
	free(i->bytes);
}

void cfi_debug(struct cfi_image *i)
{
	i->to = &i->debug;
}

void cfi_bytes(struct cfi_image *i, const void *bytes, size_t size)
{
	struct cfi_part *p = i->to;

	if (p->room - p->count < size) {
		p->room = 2 * (p->room + size);
		p->v = realloc(p->v, p->room);
		cr_assert_not_null(p->v);
	}
	if (size > 0)
		memcpy(p->v + p->count, bytes, size);
	p->count += size;
}

void cfi_number(struct cfi_image *i, uint64_t value, unsigned size)
{
	cfi_bytes(i, &value, size);
}

static void put_leb(struct cfi_image *i, int64_t value, bool is_signed)
{
	for (;;) {
		uint8_t byte = value & 0x7f;
		bool last;

		value = is_signed ? value >> 7 : (int64_t)((uint64_t)value >> 7);
		last = is_signed ? (value == 0 && !(byte & 0x40)) ||
					   (value == -1 && byte & 0x40)
				 : value == 0;
		cfi_number(i, byte | (last ? 0 : 0x80), 1);
		if (last)
			return;
	}
}

size_t cfi_entry(struct cfi_image *i, bool wide)
{
	if (wide)
		cfi_number(i, UINT32_MAX, 4);
	cfi_number(i, 0, wide ? 8 : 4);
	return i->to->count;
}

void cfi_entry_end(struct cfi_image *i, size_t entry, bool wide)
{
	uint64_t length;

	while ((i->to->count - entry) % 4)
		cfi_number(i, DW_CFA_nop, 1);
	length = i->to->count - entry;
	memcpy(i->to->v + entry - (wide ? 8 : 4), &length, wide ? 8 : 4);
}

static void put_augmentation(struct cfi_image *i, const struct cie *cie)
{
	size_t size = i->to->count;

	if (cie->letters[0] == 'z')
		cfi_number(i, 0, 1);
	for (const char *l = cie->letters; *l; l++) {
		if (*l == 'R')
			cfi_number(i, cie->encoding, 1);
		if (*l == 'L')
			cfi_number(i, DW_EH_PE_udata4, 1);
		if (*l == 'P') {
			cfi_number(i,
				   DW_EH_PE_indirect | DW_EH_PE_pcrel | DW_EH_PE_udata4,
				   1);
			cfi_number(i, 0x12345678, 4);
		}
	}
	if (cie->letters[0] == 'z')
		i->to->v[size] = (uint8_t)(i->to->count - size - 1);
}

void cfi_cie(struct cfi_image *i, struct cie cie)
{
	bool eh = i->to == &i->eh;
	size_t entry;

	i->cie = i->to->count;
	i->encoding = strchr(cie.letters, 'R') ? cie.encoding : 0;
	i->sized = cie.letters[0] == 'z';
	entry = cfi_entry(i, cie.wide);
	cfi_number(i, eh ? 0 : UINT64_MAX, cie.wide && !eh ? 8 : 4);
	cfi_number(i, cie.version, 1);
	cfi_bytes(i, cie.letters, strlen(cie.letters) + 1);
	if (cie.version == 4) {
		cfi_number(i, i->word, 1);
		cfi_number(i, 0, 1);
	}
	if (strcmp(cie.letters, "eh") == 0)
		cfi_number(i, 0x1234, i->word);
	put_leb(i, (int64_t)cie.code_align, false);
	put_leb(i, cie.data_align, true);
	if (cie.version == 1)
		cfi_number(i, cie.ra, 1);
	else
		put_leb(i, (int64_t)cie.ra, false);
	if (strcmp(cie.letters, "eh") != 0)
		put_augmentation(i, &cie);
	cfi_bytes(i, cie.ops, cie.ops_size);
	cfi_entry_end(i, entry, cie.wide);
}

static uint64_t eh_address(const struct cfi_image *i)
{
	return CFI_TEXT + i->text_size;
}

/* As the CIE says; sizes have no base. */
static void put_pointer(struct cfi_image *i, uint64_t value, bool is_size)
{
	uint64_t at = eh_address(i) + i->to->count;

	if (i->encoding == DW_EH_PE_aligned && !is_size)
		while ((eh_address(i) + i->to->count) % i->word)
			cfi_number(i, 0xcc, 1);
	if (!is_size && (i->encoding & 0x70) == DW_EH_PE_pcrel)
		value -= at;
	if (!is_size && (i->encoding & 0x70) == DW_EH_PE_textrel)
		value -= CFI_TEXT;
	switch (i->encoding & 0x0f) {
	case DW_EH_PE_uleb128:
		put_leb(i, (int64_t)value, false);
		return;
	case DW_EH_PE_sleb128:
		put_leb(i, (int64_t)value, true);
		return;
	case DW_EH_PE_udata2:
	case DW_EH_PE_sdata2:
		cfi_number(i, value, 2);
		return;
	case DW_EH_PE_udata4:
	case DW_EH_PE_sdata4:
		cfi_number(i, value, 4);
		return;
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		cfi_number(i, value, 8);
		return;
	default:
		cfi_number(i, value, i->word);
	}
}

void cfi_fde(struct cfi_image *i, uint64_t start, uint64_t size, const uint8_t *ops,
	     size_t ops_size)
{
	bool eh = i->to == &i->eh;
	bool wide = memcmp(i->to->v + i->cie, "\xff\xff\xff\xff", 4) == 0;
	size_t entry = cfi_entry(i, wide);

	cfi_number(i, eh ? i->to->count - i->cie : i->cie, wide && !eh ? 8 : 4);
	put_pointer(i, start, false);
	put_pointer(i, size, true);
	if (i->sized)
		cfi_number(i, 0, 1);
	cfi_bytes(i, ops, ops_size);
	cfi_entry_end(i, entry, wide);
}

/* The fields of both classes have the same names. */
#define PUT_HEADER(type, i)                                                              \
	do {                                                                             \
		type##_Ehdr *h = (type##_Ehdr *)(i)->bytes;                              \
		h->e_type = (i)->relocatable ? ET_REL : ET_DYN;                          \
		h->e_machine = (uint16_t)(i)->machine;                                   \
		h->e_version = EV_CURRENT;                                               \
		h->e_phoff = HEADERS;                                                    \
		h->e_ehsize = sizeof(type##_Ehdr);                                       \
		h->e_phentsize = sizeof(type##_Phdr);                                    \
		h->e_phnum = (i)->header.count ? 3 : 2;                                  \
		h->e_shentsize = sizeof(type##_Shdr);                                    \
		h->e_shoff = (i)->stripped ? 0 : SECTIONS;                               \
		h->e_shnum = (i)->stripped ? 0 : SECTION_COUNT;                          \
		h->e_shstrndx = (i)->stripped ? 0 : 2;                                   \
	} while (0)

#define PUT_SEGMENT(type, i, n, kind, rights, at, bytes_)                                \
	((type##_Phdr *)((i)->bytes + HEADERS))[n] = (type##_Phdr)                       \
	{                                                                                \
		.p_type = kind, .p_flags = rights, .p_offset = at, .p_vaddr = at,        \
		.p_filesz = bytes_, .p_memsz = bytes_, .p_align = 1                      \
	}

#define PUT_SECTION(type, i, n, name, kind, flags, addr, at, bytes_)                     \
	((type##_Shdr *)((i)->bytes + SECTIONS))[n] = (type##_Shdr)                      \
	{                                                                                \
		.sh_name = name, .sh_type = kind, .sh_flags = flags, .sh_addr = addr,    \
		.sh_offset = at, .sh_size = bytes_, .sh_addralign = 1                    \
	}

#define PUT_ALL(type, i, debug, header, eh)                                              \
	do {                                                                             \
		PUT_HEADER(type, i);                                                     \
		PUT_SEGMENT(type, i, 0, PT_LOAD, PF_R | PF_X, CFI_TEXT, (i)->text_size); \
		PUT_SEGMENT(type, i, 1, PT_LOAD, PF_R, eh,                               \
			    (i)->eh.count + (i)->header.count);                          \
		if ((i)->header.count)                                                   \
			PUT_SEGMENT(type, i, 2, PT_GNU_EH_FRAME, PF_R, header,           \
				    (i)->header.count);                                  \
		if ((i)->stripped)                                                       \
			break;                                                           \
		PUT_SECTION(type, i, 1, NAME_TEXT, SHT_PROGBITS,                         \
			    SHF_ALLOC | SHF_EXECINSTR, CFI_TEXT, CFI_TEXT,               \
			    (i)->text_size);                                             \
		PUT_SECTION(type, i, 2, NAME_NAMES, SHT_STRTAB, 0, 0, SECTIONS - 0x80,   \
			    sizeof(names));                                              \
		PUT_SECTION(type, i, 3, NAME_EH,                                         \
			    (i)->eh.count ? SHT_PROGBITS : SHT_NULL, SHF_ALLOC, eh, eh,  \
			    (i)->eh.count);                                              \
		PUT_SECTION(type, i, 4,                                                  \
			    (i)->debug_name[1] == 'z' ? NAME_ZDEBUG : NAME_DEBUG,        \
			    SHT_PROGBITS, (i)->debug_flags, 0, debug, (i)->debug.count); \
	} while (0)

static void put_part(struct cfi_image *i, const struct cfi_part *part, size_t at)
{
	if (part->count > 0)
		memcpy(i->bytes + at, part->v, part->count);
}

/* .debug_frame lies between the headers and the code. */
void cfi_write(struct cfi_image *i)
{
	size_t debug = 0x400, eh = eh_address(i), header = eh + i->eh.count;
	uint8_t ident[EI_NIDENT] = { 0x7f,
				     'E',
				     'L',
				     'F',
				     i->word == 4 ? ELFCLASS32 : ELFCLASS64,
				     i->big_endian ? ELFDATA2MSB : ELFDATA2LSB,
				     EV_CURRENT };

	cr_assert_leq(i->debug.count, CFI_TEXT - debug);
	free(i->bytes);
	i->size = header + i->header.count;
	i->bytes = calloc(1, i->size);
	cr_assert_not_null(i->bytes);
	memcpy(i->bytes, ident, sizeof(ident));
	memcpy(i->bytes + SECTIONS - 0x80, names, sizeof(names));
	put_part(i, &i->debug, debug);
	put_part(i, &i->eh, eh);
	put_part(i, &i->header, header);
	if (i->word == 4)
		PUT_ALL(Elf32, i, debug, header, eh);
	else
		PUT_ALL(Elf64, i, debug, header, eh);
}

void cfi_open(struct cfi_image *i, struct object *ret)
{
	struct context ctx = { 0 };

	object_prepare();
	if (!i->bytes)
		cfi_write(i);
	cr_assert_eq(object_open_memory(&ctx, i->bytes, i->size, ret), 0);
}

void cfi_compile(struct cfi_image *i, struct unwind_table *ret)
{
	struct object o;

	cfi_open(i, &o);
	cr_assert_eq(unwind_compile(&o, NULL, ret), 0);
	object_close(&o);
}

static void put_cfa(const struct unwind_rule *rule, char *to, size_t room)
{
	switch (rule->cfa_kind) {
	case UNWIND_SP:
		snprintf(to, room, "sp%+d", rule->cfa);
		break;
	case UNWIND_FP:
		snprintf(to, room, "fp%+d", rule->cfa);
		break;
	case UNWIND_PLT:
		snprintf(to, room, "plt sp%+d>=%d", rule->cfa, rule->more);
		break;
	case UNWIND_SP_DEREF:
		snprintf(to, room, "*(sp%+d)%+d", rule->cfa, rule->more);
		break;
	case UNWIND_FP_DEREF:
		snprintf(to, room, "*(fp%+d)%+d", rule->cfa, rule->more);
		break;
	default:
		snprintf(to, room, "?");
	}
}

const char *row_at(const struct unwind_table *t, uint64_t address)
{
	static char row[128];
	const struct unwind_rule *rule = unwind_find(t, address);
	char cfa[48], ra[24] = " ra=lr", fp[24] = "";

	if (rule->cfa_kind == UNWIND_NONE)
		return rule->flags ? "none with flags" : "none";
	if (rule->cfa_kind == UNWIND_END)
		return rule->flags ? "end with flags" : "end";
	if (rule->cfa_kind == UNWIND_OTHER)
		return rule->flags ? "other with flags" : "other";
	put_cfa(rule, cfa, sizeof(cfa));
	if (!(rule->flags & UNWIND_RA_SAME))
		snprintf(ra, sizeof(ra), " ra=%c%+d",
			 rule->flags & UNWIND_RA_AT_BASE ? 'b' : 'c', rule->ra);
	if (rule->flags & UNWIND_FP_SAVED)
		snprintf(fp, sizeof(fp), " fp=%c%+d",
			 rule->flags & UNWIND_FP_AT_BASE ? 'b' : 'c', rule->fp);
	snprintf(row, sizeof(row), "%s%s%s%s%s", cfa, ra, fp,
		 rule->flags & UNWIND_SIGNED ? " signed" : "",
		 rule->flags & UNWIND_SIGNAL ? " signal" : "");
	return row;
}
