/*
 * A PLT entry jumps through a slot of the GOT; the relocation of that slot has the
 * name:
 *
 *	.plt.sec                        .rela.plt
 *	f3 0f 1e fa   endbr64           slot 3fd0  JUMP_SLOT  memcpy
 *	ff 25 disp32  jmp *slot   --->
 *
 * A first-stage entry of a PLT for branch tracking pushes the number of its
 * relocation instead. What an entry does is read from its code, because linkers
 * order and pad the sections as they like.
 */
#include "elf/plt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cursor.h"
#include "base/hash.h"
#include "elf/section.h"

enum {
	MOST_CODE = 1 << 26, /* bytes of a section */
	RELOCATION = 24, /* bytes of an Elf64_Rela */
	BLOCK = RELOCATION << 12,
	MOST_SYMBOLS = 1 << 29,
	NO_SYMBOL = 0,
	/* A name is in three entries at most; in hostile files one long name is in all. */
	NAMES_A_BYTE = 16,
	NAMES_FREE = 1 << 20,
};

struct slot {
	uint32_t symbol; /* index in .dynsym; NO_SYMBOL: the resolver */
	uint64_t resolver;
};

struct plt {
	struct symtab *st;
	const struct object *o;
	struct hash_map by_address; /* GOT slot -> index in slots */
	ARRAY(struct slot) slots;
	size_t jump_slots; /* those of .rela.plt come first, in its order */
	Elf_Data *symbols;
	const struct names *names;
};

static bool names_a_slot(unsigned machine, unsigned type)
{
	if (machine == EM_X86_64)
		return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT ||
		       type == R_X86_64_IRELATIVE;
	return type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT ||
	       type == R_AARCH64_IRELATIVE;
}

/* The slots that a section of relocations names. They are read block by block: most of
 * megabytes are relocations of data, and not kept. */
static int read_slot_section(struct plt *p, const char *name)
{
	struct section s;
	uint8_t *block;
	uint64_t at;
	size_t left;
	int err = 0;

	if (!section_named(p->o, name, &s) || s.header.sh_type != SHT_RELA ||
	    s.header.sh_offset > INT64_MAX)
		return 0;
	block = malloc(BLOCK);
	if (!block)
		return -ENOMEM;
	at = s.header.sh_offset;
	left = s.header.sh_size;
	while (err == 0 && left >= RELOCATION) {
		size_t got =
			object_read_some(p->o, at, block, left < BLOCK ? left : BLOCK);
		struct cursor c = cursor_of(block, got);

		if (got < RELOCATION)
			break;
		while (err == 0 && cursor_left(&c) >= RELOCATION) {
			uint64_t address = cursor_u64(&c), info = cursor_u64(&c);
			uint64_t addend = cursor_u64(&c);
			struct slot *slot;

			if (!names_a_slot(p->o->machine, GELF_R_TYPE(info)))
				continue;
			slot = array_add(&p->slots);
			if (slot && hash_map_set(&p->by_address, address,
						 (uint32_t)p->slots.count - 1))
				*slot = (struct slot){ (uint32_t)GELF_R_SYM(info),
						       addend };
			else
				err = -ENOMEM;
		}
		got -= got % RELOCATION;
		left -= got;
		at += got;
	}
	free(block);
	return err;
}

static int add_plt_entry(struct plt *p, const struct slot *slot, uint64_t start,
			 uint64_t end)
{
	struct text *names = &p->st->plt_names;
	size_t at = names->size, size = 0;
	const char *name = NULL;
	struct symbol *s;
	GElf_Sym sym;

	if (slot->symbol != NO_SYMBOL && p->symbols && slot->symbol <= INT32_MAX &&
	    gelf_getsym(p->symbols, (int)slot->symbol, &sym) && sym.st_name != 0 &&
	    sym.st_name < p->names->size)
		name = names_at(p->names, sym.st_name, &size);
	if (!name && slot->resolver == 0)
		return 0;
	if (at > NAMES_FREE + NAMES_A_BYTE * p->names->size || at > UINT32_MAX / 2)
		return 0;
	s = array_add(&p->st->symbols);
	if (!s)
		return -ENOMEM;
	*s = (struct symbol){ start, end, (uint32_t)at, TABLE_PLT, 0 };
	if (name)
		text_add(names, name, size);
	else
		text_printf(names, "*ABS*+0x%llx", (unsigned long long)slot->resolver);
	text_add(names, "@plt", 5); /* with its NUL */
	return names->failed ? -ENOMEM : 0;
}

/* The slot that one entry of @size bytes jumps through; NULL where none is known. */
static const struct slot *decode_x86_64(const struct plt *p, const uint8_t *code,
					size_t size, uint64_t address)
{
	uint32_t value;

	for (size_t i = 0; i + 6 <= size; i++) {
		const uint32_t *slot;

		memcpy(&value, code + i + 2, sizeof(value));
		if (code[i] != 0xff || code[i + 1] != 0x25)
			continue;
		/* jmp *disp32(%rip): it counts from the next instruction. */
		slot = hash_map_get(&p->by_address,
				    address + i + 6 + (uint64_t)(int32_t)value);
		return slot ? &p->slots.v[*slot] : NULL;
	}
	/* endbr64; push imm32 */
	if (size < 9 || memcmp(code, "\xf3\x0f\x1e\xfa\x68", 5) != 0)
		return NULL;
	memcpy(&value, code + 5, sizeof(value));
	return value < p->jump_slots ? &p->slots.v[value] : NULL;
}

static int read_x86_64(struct plt *p, const struct section *s, Elf_Data *data)
{
	/* 8 without branch tracking, in .plt.got only. */
	size_t one = s->header.sh_entsize == 8 ? 8 : 16;

	for (size_t at = 0; at + one <= data->d_size; at += one) {
		uint64_t address = s->header.sh_addr + at;
		const struct slot *slot =
			decode_x86_64(p, (uint8_t *)data->d_buf + at, one, address);

		if (slot && add_plt_entry(p, slot, address, address + one) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* adrp x16, page; ldr x17, [x16, #offset], maybe behind bti c. */
static int read_aarch64(struct plt *p, const struct section *s, Elf_Data *data)
{
	struct cursor c = cursor_of(data->d_buf, data->d_size);
	uint64_t at = s->header.sh_addr;
	uint32_t before = 0, here = cursor_u32(&c);

	for (; !c.bad; at += 4) {
		uint32_t next = cursor_u32(&c);
		uint64_t pages = (here >> 5 & 0x7ffff) << 2 | (here >> 29 & 3);
		uint64_t page = (at & ~(uint64_t)0xfff) +
				(uint64_t)((int64_t)(pages << 43) >> 31);
		uint64_t start = before == 0xd503245f ? at - 4 : at;
		const uint32_t *i;

		before = here;
		if ((here & 0x9f00001f) == 0x90000010 &&
		    (next & 0xffc003ff) == 0xf9400211) {
			i = hash_map_get(&p->by_address, page + (next >> 10 & 0xfff) * 8);
			if (i && add_plt_entry(p, &p->slots.v[*i], start, at + 16) < 0)
				return -ENOMEM;
		}
		here = next;
	}
	return 0;
}

int plt_read(struct symtab *st, const struct object *o)
{
	static const char *const code[] = { ".plt", ".plt.sec", ".plt.got", ".iplt" };
	struct plt p = { .st = st, .o = o, .names = &st->names[TABLE_DYNSYM] };
	const char *ident = elf_getident(o->elf, NULL);
	struct section s;
	int err;

	/* Both machines have only this form in use, and nothing else is looked for. */
	if ((o->machine != EM_X86_64 && o->machine != EM_AARCH64) || o->fd < 0 ||
	    !ident || ident[EI_CLASS] != ELFCLASS64 || ident[EI_DATA] != ELFDATA2LSB)
		return 0;
	err = read_slot_section(&p, ".rela.plt");
	if (err == 0)
		err = read_slot_section(&p, ".rela.iplt");
	p.jump_slots = p.slots.count;
	/* Only these go through slots of the other table, which may be very long. */
	if (err == 0 && section_named(o, ".plt.got", &s))
		err = read_slot_section(&p, ".rela.dyn");
	if (err == 0 && p.slots.count > 0 && section_of_type(o, SHT_DYNSYM, &s))
		p.symbols = section_data(&s, MOST_SYMBOLS);
	if (p.symbols && p.symbols->d_type != ELF_T_SYM)
		p.symbols = NULL;
	for (size_t i = 0;
	     err == 0 && p.slots.count > 0 && i < sizeof(code) / sizeof(*code); i++) {
		Elf_Data *data = section_named(o, code[i], &s)
					 ? section_data(&s, MOST_CODE)
					 : NULL;

		if (data)
			err = o->machine == EM_X86_64 ? read_x86_64(&p, &s, data)
						      : read_aarch64(&p, &s, data);
	}
	st->names[TABLE_PLT] = (struct names){ .bytes = st->plt_names.bytes,
					       .size = st->plt_names.size };
	hash_map_release(&p.by_address);
	array_release(&p.slots);
	return err;
}
