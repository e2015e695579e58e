#ifndef STACK_BINARIES_H
#define STACK_BINARIES_H

#include "cfi/cfi.h"
#include "elf/elf.h"
#include "stack/code_windows.h"
#include "stack/stack.h"

/*
 * One file that code was mapped from. It is looked for when it is asked for first, by
 * whoever asks; another one that wants the same waits for that one only. Images whose
 * files have one build id and lie alike in memory share a binary.
 */
struct binary {
	const struct machine *machine; /* NULL: it has no rules */
	bool there; /* a file was found */
	bool go; /* made by Go's compiler, whose code keeps frame pointers */
	uint64_t entry; /* address of a program's first instruction; 0: none */
	bool omits_frame_pointers; /* as good as all of it; only if they are judged */
};

/* NULL without memory. The result stays until binaries_free(). Any thread may ask, while
 * no image is added. */
const struct binary *binaries_get(struct binaries *b, uint32_t image);

/* The rule at an address of the file, if its table has been made: true. */
bool binary_table_rule(const struct binary *binary, uint64_t address,
		       struct unwind_rule *ret);

/* Empty ones, of their files. Each thread that looks has its own. */
struct code_windows binaries_windows(struct binaries *b);

/* The rule at an address of it; UNWIND_NONE where none is known. Its table is made when
 * single answers would cost more. 0 or -ENOMEM. Any thread, with windows of its own, while no image is added. */
int binary_rule(struct code_windows *w, const struct binary *binary, uint64_t address,
		struct unwind_rule *ret);

/* The rows of the function that call frame information knows at an address of it. 1, 0 where there is
 * none, or -ENOMEM. Likewise. */
int binary_function(struct code_windows *w, const struct binary *binary, uint64_t address,
		    unwind_visit *visit, void *arg);

enum image_kind binaries_kind(const struct binaries *b, uint32_t image);

/* An address of the binary; false where @offset, into the file, is in no segment. *@code
 * says whether that segment may be executed. */
bool binary_address(const struct binary *b, uint64_t offset, uint64_t *ret, bool *code);

/* The other way: where what is at an address of the binary is in the file. */
bool binary_offset(const struct binary *b, uint64_t address, uint64_t *ret);

/* Bytes that no process can have changed: those of a segment that is not writable.
 * False where @offset is not in one, or the file is not there any more. */
bool binary_constant(struct code_windows *w, const struct binary *binary, uint64_t offset,
		     void *ret, size_t size);

/* Bytes that the file has, whatever a process has written there since. Likewise. */
bool binary_bytes(struct code_windows *w, const struct binary *binary, uint64_t offset,
		  void *ret, size_t size);

/* All images, those of jitdumps with them. Any thread, while none is added. */
const struct images *binaries_images(const struct binaries *b);

/* What steps with all registers are made with; *@ret is NULL where there is nothing. 0,
 * or -ENOMEM. Any thread, while no image is added. */
int binaries_frames(struct binaries *b, const struct binary *binary,
		    const struct frame_info **ret);

/* Does its code keep frame pointers? Found once. 0, or -ENOMEM. Any thread, while no image is
 * added. */
int binaries_frame_pointers(struct binaries *b, const struct binary *binary,
			    enum frame_pointer_use *ret);

/* The functions that stacks begin with. Found once; *@ret stays. 0, or -ENOMEM. Any thread, while no
 * image is added. */
int binaries_starts(struct binaries *b, const struct binary *binary,
		    const struct starts **ret);

/* What the dynamic linker fills in of it. Likewise. */
int binaries_imports(struct binaries *b, const struct binary *binary,
		     const struct linkage **ret);

/* What the dynamic linker takes from the image; .partial, where its file is not there. The binary
 * is not made for that. Likewise. */
int binaries_exports(struct binaries *b, uint32_t image, const struct exports **ret);

/* What most of the files that were mapped are for: for a recording that does not say.
 * NULL where none is there. */
const struct machine *binaries_machine(struct binaries *b);

#endif
