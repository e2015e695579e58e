/*
 * Records as perf makes them up for a kernel that is there already
 * (tools/perf/util/synthetic-events.c): a map from the reference symbol's address on,
 * which has that address as its offset, and one for each line of /proc/modules. Paths of
 * modules are those of modules.dep, build ids those that /sys shows as ELF notes.
 *
 * No file says how long the kernel is. Its map goes to where other code may begin: the
 * lowest module, or where the architecture has modules begin.
 */
#include "live/preexisting/kernel.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/array.h"
#include "base/file.h"
#include "live/events/proc.h"
#include "live/preexisting/record.h"

enum {
	NOTES_ROOM = 4096,
	SYMBOLS_FEW = 16 << 10, /* bytes of /proc/kallsyms that are read first */
	SYMBOLS_ROOM = 4 << 20,
	MODULES_MOST = 16 << 20,
	PATH_ROOM = 4096,
};

#define NO_PROCESS UINT32_MAX

/* Notes of an ELF file: "u32 name size, size, type; name; bytes", each padded to 4. */
static void read_notes(const char *root, const char *path, struct preexisting_map *map)
{
	char whole[PATH_ROOM];
	uint8_t notes[NOTES_ROOM];
	ssize_t size;

	snprintf(whole, sizeof(whole), "%s%s", root, path);
	size = proc_read(AT_FDCWD, whole, (char *)notes, sizeof(notes));
	for (ssize_t at = 0; at + 12 <= size;) {
		uint32_t head[3];
		uint64_t name, bytes;

		memcpy(head, notes + at, sizeof(head));
		name = ((uint64_t)head[0] + 3) & ~3ull;
		bytes = ((uint64_t)head[1] + 3) & ~3ull;
		if (name + bytes > (uint64_t)(size - at - 12))
			return;
		if (head[2] == NT_GNU_BUILD_ID && head[0] == 4 &&
		    memcmp(notes + at + 12, "GNU", 4) == 0 &&
		    head[1] <= sizeof(map->build_id)) {
			map->build_id_size = (uint8_t)head[1];
			memcpy(map->build_id, notes + at + 12 + name, head[1]);
			return;
		}
		at += 12 + (ssize_t)(name + bytes);
	}
}

/* Files of modules, by their names: lines of modules.dep, "kernel/fs/ext4/ext4.ko.xz: ...". */
struct module_files {
	char directory[PATH_ROOM / 4];
	char *text;
};

/* Or "[name]", as perf names one whose file is not there. In names '-' and '_' are the
 * same. */
static size_t module_path(const struct module_files *files, const char *module,
			  size_t size, char room[PATH_ROOM])
{
	for (const char *line = files->text; line && *line;) {
		const char *colon = strchr(line, ':'), *end = strchr(line, '\n');
		const char *file =
			colon ? memrchr(line, '/', (size_t)(colon - line)) : NULL;
		size_t same = 0;

		while (file && same < size &&
		       module[same] == (file[1 + same] == '-' ? '_' : file[1 + same]))
			same++;
		if (file && same == size && strncmp(file + 1 + size, ".ko", 3) == 0)
			return (size_t)snprintf(room, PATH_ROOM, "%s/%.*s",
						files->directory, (int)(colon - line),
						line);
		line = end ? end + 1 : NULL;
	}
	return (size_t)snprintf(room, PATH_ROOM, "[%.*s]", (int)size, module);
}

/* The lowest address of a module is where the kernel ends at the latest. */
static void add_modules(const char *root, struct bytes *to, uint64_t *lowest)
{
	struct context unheard = { .log = NULL };
	struct module_files files = { .text = NULL };
	char *text, *save = NULL, path[PATH_ROOM];
	struct utsname name;
	size_t size;

	snprintf(path, sizeof(path), "%s/proc/modules", root);
	if (file_slurp(&unheard, path, MODULES_MOST, &text, &size) < 0)
		return;
	if (uname(&name) == 0) {
		snprintf(files.directory, sizeof(files.directory), "/lib/modules/%s",
			 name.release);
		snprintf(path, sizeof(path), "%s%s/modules.dep", root, files.directory);
		if (file_slurp(&unheard, path, MODULES_MOST, &files.text, &size) < 0)
			files.text = NULL;
	}
	for (char *line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		struct preexisting_map map = { .pid = NO_PROCESS,
					       .prot = PROT_READ | PROT_EXEC };
		char *word = line, *rest = NULL;

		/* "NAME SIZE USERS DEPENDENCIES STATE ADDRESS". */
		size = strcspn(line, " ");
		for (int i = 0; i < 6 && word; i++) {
			word = strtok_r(i ? NULL : line, " ", &rest);
			if (word && i == 1)
				map.size = strtoull(word, NULL, 10);
		}
		map.start = word ? strtoull(word, NULL, 16) : 0;
		if (!map.start || !map.size || size > 128)
			continue;
		if (map.start < *lowest)
			*lowest = map.start;
		snprintf(path, sizeof(path), "/sys/module/%.*s/notes/.note.gnu.build-id",
			 (int)size, line);
		read_notes(root, path, &map);
		map.name = path;
		map.name_size = module_path(&files, line, size, path);
		preexisting_map(to, PERF_RECORD_MISC_KERNEL, &map);
	}
	free(files.text);
	free(text);
}

void preexisting_kernel_read(const char *root, struct bytes *to)
{
#if defined(__x86_64__)
	/* Modules begin 1 GiB above the lowest place of the kernel (Documentation/arch/x86/
	 * x86_64/mm.rst); BPF programs are there, too. */
	const uint64_t modules = 0xffffffffc0000000;
#else
	const uint64_t modules = UINT64_MAX;
#endif
	static const char *const begins[] = { "_text", "_stext" };
	char *text = malloc(SYMBOLS_ROOM), path[PATH_ROOM], needle[16], name[64];
	uint64_t start = 0, end, lowest = UINT64_MAX;
	bool more = text != NULL;
	const char *symbol = "";
	struct preexisting_map map = { .pid = NO_PROCESS, .prot = PROT_READ | PROT_EXEC };

	/* Where the first of the two symbols is that begin the kernel's code. They are among the
	 * first ones, and all of them take tens of ms to read: one that has filled its room was
	 * cut, and is read once more, with room for all. */
	snprintf(path, sizeof(path), "%s/proc/kallsyms", root);
	for (size_t room = SYMBOLS_FEW; more && !start; room = SYMBOLS_ROOM) {
		ssize_t size = proc_read(AT_FDCWD, path, text, room);

		more = size == (ssize_t)room - 1 && room < SYMBOLS_ROOM;
		for (size_t i = 0; size > 0 && i < 2 && !start; i++) {
			const char *at;

			/* "ADDRESS TYPE NAME": lines of modules have more behind the
			 * name, so the newline is looked for, too. */
			symbol = begins[i];
			snprintf(needle, sizeof(needle), " %s\n", symbol);
			at = strstr(text, needle);
			while (at && at > text && at[-1] != '\n')
				at--;
			start = at ? strtoull(at, NULL, 16) : 0;
		}
	}
	free(text);
	/* Neither is there, or they are hidden from this user. */
	if (!start)
		return;
	add_modules(root, to, &lowest);
	/* Where the kernel's own code ends at the latest. */
	end = start < modules ? modules : UINT64_MAX;
	if (lowest > start && lowest < end)
		end = lowest;
	map.start = start;
	map.size = end - start;
	map.offset = start;
	map.name = name;
	map.name_size =
		(size_t)snprintf(name, sizeof(name), "[kernel.kallsyms]%s", symbol);
	read_notes(root, "/sys/kernel/notes", &map);
	preexisting_map(to, PERF_RECORD_MISC_KERNEL, &map);
}
