/*
 * A build id decides where both sides have one: the kernel that runs tells its own in
 * /sys/kernel/notes, modules theirs in /sys/module/NAME/notes, as ELF notes. Where one
 * side has none, releases of kernels are compared, which only makes it likely that they
 * are the same: a kernel may be built again under the same release.
 */
#include "find/kernel_id.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>

#include "base/cursor.h"
#include "base/file.h"

#define NOTES "/sys/kernel/notes"

enum {
	MOST_NOTES = 1 << 16,
	MEGABYTE = 1 << 20,
};

static size_t align4(size_t size)
{
	return (size + 3) & ~(size_t)3;
}

/* The build id in a file of notes; *@size is 0 where it has none. */
static void read_notes_id(const char *path, uint8_t id[OBJECT_BUILD_ID_MAX], size_t *size)
{
	struct context ctx = { 0 };
	size_t notes_size;
	struct cursor c;
	char *notes;

	*size = 0;
	if (file_slurp(&ctx, path, MOST_NOTES, &notes, &notes_size) < 0)
		return;
	c = cursor_of(notes, notes_size);
	/* Sizes of name and description, type, then both, each padded to 4 bytes. */
	while (cursor_left(&c) > 0 && !c.bad) {
		uint32_t name_size = cursor_u32(&c), desc_size = cursor_u32(&c);
		uint32_t type = cursor_u32(&c);
		const char *name = cursor_bytes(&c, align4(name_size));
		const uint8_t *desc = cursor_bytes(&c, align4(desc_size));

		if (c.bad || type != NT_GNU_BUILD_ID || name_size != 4 ||
		    memcmp(name, "GNU", 4) != 0)
			continue;
		if (desc_size <= OBJECT_BUILD_ID_MAX) {
			*size = desc_size;
			memcpy(id, desc, desc_size);
		}
		break;
	}
	free(notes);
}

static bool compare_build_id(const char *path, const uint8_t *build_id, size_t size,
			     bool *equal)
{
	uint8_t id[OBJECT_BUILD_ID_MAX];
	size_t own;

	if (size == 0)
		return false;
	read_notes_id(path, id, &own);
	*equal = own == size && memcmp(id, build_id, size) == 0;
	return own > 0;
}

bool kernel_build_id_here(char hex[2 * OBJECT_BUILD_ID_MAX + 1])
{
	uint8_t id[OBJECT_BUILD_ID_MAX];
	size_t size;

	read_notes_id(NOTES, id, &size);
	for (size_t i = 0; i < size; i++)
		snprintf(hex + 2 * i, 3, "%02x", id[i]);
	return size > 0;
}

enum kernel_match kernel_match(const uint8_t *build_id, size_t size, const char *release)
{
	struct utsname here;
	bool equal;

	if (compare_build_id(NOTES, build_id, size, &equal))
		return equal ? KERNEL_SAME : KERNEL_OTHER;
	if (!*release || uname(&here) < 0)
		return KERNEL_MAYBE;
	return strcmp(release, here.release) == 0 ? KERNEL_LIKELY : KERNEL_OTHER;
}

enum kernel_match kernel_module_match(const char *name, const uint8_t *build_id,
				      size_t size)
{
	char path[128];
	bool equal;
	int length = snprintf(path, sizeof(path),
			      "/sys/module/%s/notes/.note.gnu.build-id", name);

	if (length >= (int)sizeof(path) || strchr(name, '/') ||
	    !compare_build_id(path, build_id, size, &equal))
		return KERNEL_MAYBE;
	return equal ? KERNEL_SAME : KERNEL_OTHER;
}

/* Where x86-64 kernels and several generations of arm64 kernels are linked to. */
bool kernel_is_default_address(uint64_t address)
{
	static const uint64_t known[] = { 0xffffffff81000000, 0xffff800008000000,
					  0xffff800010000000, 0xffff800080000000,
					  0xffffffc008000000, 0xffffffc010000000,
					  0xffffffc080000000, 0xffffffc000080000 };

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (address >= known[i] && address - known[i] < MEGABYTE)
			return true;
	return false;
}
