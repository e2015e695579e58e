/*
 * A call may go to a slot that the dynamic linker has filled, by way of a stub of the PLT or not (elf/linkage.h):
 *
 *	e8 distance      call stub            or   ff 15 distance   call *slot(%rip)
 *	stub:            endbr64; bnd
 *	ff 25 distance   jmp *slot(%rip)
 *
 * What it has put there no recording says, and in which order it looked through the objects neither: what was
 * preloaded comes before others, and what was loaded later may be for some of them only. So the function is known where
 * one of the files that the process has code of exports the name, whoever calls it, and all the others do not.
 */
#include "stack/linked.h"

#include <elf.h>

#include "elf/elf.h"
#include "stack/function.h"

/* Is it a slot of the binary? *@name: of what is put there. */
static bool find_name(struct stack_walker *w, const struct binary *binary, uint64_t slot,
		      uint64_t *name)
{
	const struct linkage *imports;

	if (binaries_imports(w->binaries, binary, &imports) < 0) {
		w->failed = true;
		return false;
	}
	return linkage_find(imports, slot, name) && *name != LINKAGE_UNSURE;
}

/* The site @back bytes before @at. */
static struct code_site site_before(const struct code_site *at, uint64_t back)
{
	struct code_site before = *at;

	before.offset -= back;
	before.address -= back;
	return before;
}

/* Where the stub that a direct call leads to has its distance to the slot. */
static bool stub_slot(struct stack_walker *w, const struct code_site *at, uint64_t *slot)
{
	static const uint8_t branch[] = { 0xf3, 0x0f, 0x1e, 0xfa }; /* endbr64 */
	uint8_t call[5], code[11];
	struct code_site site = site_before(at, sizeof(call) - 1);
	size_t jump;

	if (!code_bytes(w, &site, call, sizeof(call)) || call[0] != 0xe8 ||
	    !move_site(&site, near_target(call + 1, sizeof(call))) ||
	    !code_bytes(w, &site, code, sizeof(code)))
		return false;
	jump = memcmp(code, branch, sizeof(branch)) == 0 ? sizeof(branch) : 0;
	jump += code[jump] == 0xf2; /* bnd */
	if (jump + 6 > sizeof(code) || code[jump] != 0xff || code[jump + 1] != 0x25)
		return false;
	*slot = near_target(code + jump + 2, site.address + jump + 6);
	return true;
}

bool linked_slot(struct stack_walker *w, const struct code_site *at, uint64_t *slot)
{
	uint8_t call[6];
	struct code_site site = site_before(at, sizeof(call) - 1);
	uint64_t name;

	if (at->binary->machine->elf != EM_X86_64)
		return false;
	if (code_bytes(w, &site, call, sizeof(call)) && call[0] == 0xff &&
	    call[1] == 0x15) {
		*slot = near_target(call + 2, site.address + sizeof(call));
		if (find_name(w, at->binary, *slot, &name))
			return true;
	}
	if (stub_slot(w, at, slot) && find_name(w, at->binary, *slot, &name))
		return true;
	*slot = 0;
	return false;
}

/* Does the image export a function by that name? 1, 0, -ENOENT where that is not known, or -ENOMEM. */
static int find_export(struct stack_walker *w, uint32_t image, uint64_t name,
		       struct code_site *ret)
{
	const struct exports *exports;
	const struct binary *binary;

	if (binaries_exports(w->binaries, image, &exports) < 0)
		return -ENOMEM;
	if (!exports_find(exports, name, &ret->address))
		return exports->partial ? -ENOENT : 0;
	if (ret->address == LINKAGE_UNSURE)
		return -ENOENT;
	binary = binary_of_image(w, image);
	if (!binary)
		return -ENOMEM;
	if (!binary_offset(binary, ret->address, &ret->offset))
		return -ENOENT;
	ret->image = image;
	ret->binary = binary;
	/* It has to be code. */
	return move_site(ret, 0) ? 1 : -ENOENT;
}

int linked_function(struct stack_walker *w, uint32_t image, uint64_t slot,
		    struct code_site *ret)
{
	const struct binary *binary = binary_of_image(w, image);
	const struct space *space = &w->thread->space;
	struct code_files *files = &w->code_files;
	struct code_site function, only = { 0 };
	uint64_t name;

	if (!files->known || files->of != space->files) {
		files->count = processes_code_files(w->ps, space, files->images,
						    CODE_FILES_MOST);
		files->of = space->files;
		files->known = true;
	}
	if (!binary)
		return -ENOMEM;
	if (files->count > CODE_FILES_MOST || !find_name(w, binary, slot, &name))
		return w->failed ? -ENOMEM : 0;
	for (size_t i = 0; i < files->count; i++) {
		int found = find_export(w, files->images[i], name, &function);

		if (found == -ENOENT)
			return 0;
		if (found < 0)
			return found;
		if (found && only.binary)
			return 0;
		if (found)
			only = function;
	}
	*ret = only;
	return only.binary != NULL;
}
