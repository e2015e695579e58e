#ifndef TESTS_ELF_IMAGE_H
#define TESTS_ELF_IMAGE_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

/*
 * An ELF file for tests, for x86-64, written piece by piece:
 *
 *	struct elf_image e;
 *	unsigned text;
 *
 *	image_begin(&e);
 *	text = image_code(&e, ".text", 0x1000, 0x100);	its own load segment
 *	image_symbol(&e, "main", 0x1010, 0x20, STB_GLOBAL, text);
 *	image_write(&e);
 *	...e.path...
 *	image_remove(&e);
 *
 * Sections lie one after another from 0x400 on; symbols make .symtab, or with
 * e.dynamic .dynsym.
 */
enum { ELF_IMAGE_SIZE = 1 << 16, ELF_IMAGE_PIECES = 32 };

struct elf_image {
	char path[64];
	uint8_t bytes[ELF_IMAGE_SIZE];
	size_t size;
	Elf64_Shdr sections[ELF_IMAGE_PIECES];
	unsigned section_count;
	Elf64_Phdr segments[ELF_IMAGE_PIECES];
	unsigned segment_count;
	Elf64_Sym symbols[1024];
	unsigned symbol_count;
	char names[1 << 14], section_names[1 << 10];
	size_t names_size, section_names_size;
	unsigned machine, dynamic;
};

void image_begin(struct elf_image *e);

/* Indexes in the section table. NULL bytes are zeros. */
unsigned image_section(struct elf_image *e, const char *name, uint32_t type,
		       uint64_t flags, const void *bytes, size_t size);
unsigned image_code(struct elf_image *e, const char *name, uint64_t address, size_t size);

void image_segment(struct elf_image *e, uint64_t offset, uint64_t size, uint64_t address,
		   uint32_t flags);
/* A function; the type of its symbol can be changed in what is returned. */
Elf64_Sym *image_symbol(struct elf_image *e, const char *name, uint64_t start,
			uint64_t size, unsigned bind, unsigned section);
void image_build_id(struct elf_image *e, const void *id, size_t size);

/* Puts everything together in a new temporary file. */
void image_write(struct elf_image *e);
void image_remove(const struct elf_image *e);

/* A temporary file of those bytes; its name goes to @path, which has 64 bytes. */
void write_temporary(char *path, const void *bytes, size_t size);

#endif
