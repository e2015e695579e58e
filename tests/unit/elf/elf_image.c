#include "unit/elf/elf_image.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIRST_SECTION = 0x400 };

static uint32_t add_name(char *names, size_t room, size_t *size, const char *name)
{
	size_t at = *size, length = strlen(name) + 1;

	cr_assert(at + length <= room);
	memcpy(names + at, name, length);
	*size += length;
	return (uint32_t)at;
}

void image_begin(struct elf_image *e)
{
	memset(e, 0, sizeof(*e));
	e->machine = EM_X86_64;
	e->size = FIRST_SECTION;
	e->names_size = e->section_names_size = 1;
	e->section_count = 1;
	e->symbol_count = 1;
}

unsigned image_section(struct elf_image *e, const char *name, uint32_t type,
		       uint64_t flags, const void *bytes, size_t size)
{
	Elf64_Shdr *s = &e->sections[e->section_count];

	e->size = (e->size + 15) & ~(size_t)15;
	cr_assert(e->size + size <= sizeof(e->bytes));
	*s = (Elf64_Shdr){ .sh_type = type,
			   .sh_flags = flags,
			   .sh_offset = e->size,
			   .sh_size = size,
			   .sh_addralign = 1 };
	s->sh_name = add_name(e->section_names, sizeof(e->section_names),
			      &e->section_names_size, name);
	if (bytes)
		memcpy(e->bytes + e->size, bytes, size);
	e->size += size;
	return e->section_count++;
}

unsigned image_code(struct elf_image *e, const char *name, uint64_t address, size_t size)
{
	unsigned s = image_section(e, name, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, NULL,
				   size);

	e->sections[s].sh_addr = address;
	image_segment(e, e->sections[s].sh_offset, size, address, PF_R | PF_X);
	return s;
}

void image_segment(struct elf_image *e, uint64_t offset, uint64_t size, uint64_t address,
		   uint32_t flags)
{
	e->segments[e->segment_count++] = (Elf64_Phdr){
		.p_type = PT_LOAD,
		.p_flags = flags,
		.p_offset = offset,
		.p_vaddr = address,
		.p_filesz = size,
		.p_memsz = size,
		.p_align = 1,
	};
}

Elf64_Sym *image_symbol(struct elf_image *e, const char *name, uint64_t start,
			uint64_t size, unsigned bind, unsigned section)
{
	Elf64_Sym *s = &e->symbols[e->symbol_count++];

	s->st_name = add_name(e->names, sizeof(e->names), &e->names_size, name);
	s->st_info = (unsigned char)ELF64_ST_INFO(bind, STT_FUNC);
	s->st_shndx = (uint16_t)section;
	s->st_value = start;
	s->st_size = size;
	return s;
}

void image_build_id(struct elf_image *e, const void *id, size_t size)
{
	uint8_t note[64] = { 4, 0, 0, 0,   (uint8_t)size, 0,   0, 0, NT_GNU_BUILD_ID,
			     0, 0, 0, 'G', 'N',		  'U', 0 };

	memcpy(note + 16, id, size);
	e->sections[image_section(e, ".note.gnu.build-id", SHT_NOTE, SHF_ALLOC, note,
				  16 + ((size + 3) & ~(size_t)3))]
		.sh_addralign = 4;
}

static void add_symbols(struct elf_image *e)
{
	const char *table = e->dynamic ? ".dynsym" : ".symtab";
	unsigned strings, symbols;

	if (e->symbol_count == 1)
		return;
	strings = image_section(e, e->dynamic ? ".dynstr" : ".strtab", SHT_STRTAB, 0,
				e->names, e->names_size);
	symbols = image_section(e, table, e->dynamic ? SHT_DYNSYM : SHT_SYMTAB, 0,
				e->symbols, e->symbol_count * sizeof(*e->symbols));
	e->sections[symbols].sh_link = strings;
	e->sections[symbols].sh_entsize = sizeof(*e->symbols);
	e->sections[symbols].sh_addralign = 8;
}

void image_write(struct elf_image *e)
{
	Elf64_Ehdr h = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1 },
			 .e_type = ET_DYN,
			 .e_machine = (uint16_t)e->machine,
			 .e_version = 1,
			 .e_phoff = sizeof(h),
			 .e_ehsize = sizeof(h),
			 .e_phentsize = sizeof(Elf64_Phdr),
			 .e_shentsize = sizeof(Elf64_Shdr) };
	size_t table;

	add_symbols(e);
	h.e_shstrndx = (uint16_t)image_section(e, ".shstrtab", SHT_STRTAB, 0, NULL, 512);
	cr_assert(e->section_names_size <= 512);
	memcpy(e->bytes + e->sections[h.e_shstrndx].sh_offset, e->section_names,
	       e->section_names_size);
	h.e_phnum = (uint16_t)e->segment_count;
	h.e_shnum = (uint16_t)e->section_count;
	table = (e->size + 15) & ~(size_t)15;
	h.e_shoff = table;
	e->size = table + e->section_count * sizeof(*e->sections);
	cr_assert(e->size <= sizeof(e->bytes));
	memcpy(e->bytes, &h, sizeof(h));
	memcpy(e->bytes + sizeof(h), e->segments,
	       e->segment_count * sizeof(*e->segments));
	memcpy(e->bytes + table, e->sections, e->section_count * sizeof(*e->sections));
	write_temporary(e->path, e->bytes, e->size);
}

void image_remove(const struct elf_image *e)
{
	unlink(e->path);
}

void write_temporary(char *path, const void *bytes, size_t size)
{
	int fd;

	strcpy(path, "/tmp/flamefold-test-XXXXXX");
	fd = mkstemp(path);
	cr_assert(fd >= 0);
	cr_assert_eq(write(fd, bytes, size), (ssize_t)size);
	close(fd);
}
