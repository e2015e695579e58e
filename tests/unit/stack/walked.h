#ifndef TESTS_WALKED_H
#define TESTS_WALKED_H

#include "stack/stack.h"

#include "../process/timeline.h"
#include "unit/cfi/cfi_image.h"

/*
 * A process with one file mapped, whose call frame information and code are written byte
 * by byte, and a sample in it with registers and a copy of its stack:
 *
 *	struct walked w;
 *
 *	walked_begin(&w, EM_X86_64);
 *	cfi_cie(&w.cfi, CIE_X86_64);
 *	cfi_fde(&w.cfi, 0x1000, 0x10, NO_OPS);
 *	w.word[0] = CODE(0x1020);
 *	cr_assert_str_eq(walked(&w), "1000 1020- root");
 *	walked_end(&w);
 *
 * The file is mapped at WALKED_BASE; word[0] of the stack is at WALKED_STACK, to which sp
 * is set, and what is copied begins at sp.
 */
enum { WALKED_WORDS = 512, WALKED_PID = 1 };

#define WALKED_BASE 0x400000u
#define WALKED_STACK 0x7ff000u
#define CODE(address) (WALKED_BASE + (uint64_t)(address))
#define STACK(index) (WALKED_STACK + 8u * (uint64_t)(index))

struct walked {
	struct timeline t;
	struct cfi_image cfi;
	char path[64];
	struct search_dirs dirs;
	struct binaries *binaries;
	struct frames frames;
	struct stack_options options;
	struct stack_walker *walker;
	const struct machine *machine;
	struct sample sample;
	uint64_t chain[64];
	uint64_t value[REGISTERS_MOST]; /* by DWARF number */
	uint64_t known; /* bit i: value[i] is recorded */
	uint64_t word[WALKED_WORDS]; /* of the stack; i386 has two in each */
	size_t words; /* those above were not copied */
	uint64_t registers[64];
	bool ready; /* the file was mapped, and the walker made */
	struct stack stack; /* what the last walk gave */
	bool keyed;
	struct stack_key key; /* only with keyed */
	char text[4096];
};

/* Machine and pc, sp, fp and all others are set; the pc to CODE(0x1000). */
void walked_begin(struct walked *w, unsigned machine);
void walked_end(struct walked *w);

/*
 * The same with functions as compilers make them: a leaf at 0x1000, and at 0x1060 the first,
 * which nobody called. Each has 0x20 bytes.
 */
void walked_begin_x86_64(struct walked *w);
void walked_begin_i386(struct walked *w);
void walked_begin_aarch64(struct walked *w);

/* push %rbp; mov %rsp,%rbp */
#define FRAME_OPS                                                                        \
	OPS(DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, 16, DW_CFA_offset | 6, 2,     \
	    DW_CFA_advance_loc | 3, DW_CFA_def_cfa_register, 6)

/* The words of i386's stack. */
void walked_set32(struct walked *w, size_t i, uint32_t value);
#define STACK32(index) ((uint32_t)WALKED_STACK + 4u * (uint32_t)(index))

/* A call of 5 bytes before that address. */
void walked_call(struct walked *w, uint64_t address);

/* Code of the file. After the last FDE. */
void walked_code(struct walked *w, uint64_t address, const void *bytes, size_t size);
#define CODE_BYTES(w, address, ...)                                                      \
	walked_code(w, address, (const uint8_t[]){ __VA_ARGS__ },                        \
		    sizeof((const uint8_t[]){ __VA_ARGS__ }))

/* Maps the file, once; another file, or none, can be mapped beside it afterwards. */
void walked_map(struct walked *w);

/*
 * Walks the stack and says what came out, leaf first: addresses in the file, those of
 * callers as they were recorded and with a "-" behind; "?" for what no map covers, "j"
 * for memory, "v" for the vdso, "k" for the kernel; and why it ended: "root", "cut",
 * "no cfi", "bad", "deep", "repeated", "most", "chain", "dump" (not unwound).
 */
const char *walked(struct walked *w);

#endif
