/*
 * "libc" in the name of a probe is whatever has malloc in the processes that were asked for:
 *
 *	a file with code that is mapped	libc.so.6, ld-musl-x86_64.so.1, libjemalloc.so.2 ...
 *	the program itself		that is linked statically, or has an allocator of its own
 *
 * The kernel is told a path, which it looks up for us, and probes the inode. That of a container is
 * found through its process, /proc/PID/root; one that has been replaced since through the map,
 * /proc/PID/map_files. Of a command nothing is mapped yet: it is the libc.so.6 that lies beside
 * the dynamic linker which its program asks for, or that linker, where it is musl's.
 */
#include "live/events/probed.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "elf/elf.h"
#include "live/events/proc.h"
#include "live/events/target.h"

enum {
	SCRIPTS_MOST = 4, /* that start each other */
	LINE_ROOM = 256, /* of "#!", as the kernel has it */
};

/* The first ones are the library's own names. */
static const char *const allocators[] = { "libc.so",	 "libc-2",	"libc.musl-",
					  "ld-musl-",	 "libjemalloc", "libtcmalloc",
					  "libmimalloc", "libhoard",	"libasan" };

struct probed_search {
	struct context *ctx;
	struct live_probed *found;
};

/*
 * The file that @seen leads to, a link of /proc or a path. @path, as its process names it: it goes by
 * that where it is there for us, by the process's root, or else by the link. 0 or -ENOMEM.
 */
static int add_probed_file(struct probed_search *s, const char *seen, pid_t pid,
			   const char *path)
{
	struct context unheard = { .log = NULL };
	struct live_probed *found = s->found;
	struct stat st, other;
	struct probed_file *file;
	struct object object;
	char rooted[PATH_MAX + 32];
	uint64_t offset;
	bool has_malloc;

	if (stat(seen, &st) < 0 || !S_ISREG(st.st_mode))
		return 0;
	for (size_t i = 0; i < found->files.count; i++)
		if (found->files.v[i].ino == st.st_ino &&
		    found->files.v[i].dev == st.st_dev)
			return 0;
	file = array_add(&found->files);
	if (!file)
		return fail_memory(s->ctx);
	*file = (struct probed_file){ st.st_dev, st.st_ino, NULL };
	if (object_open(&unheard, seen, &object) < 0)
		return 0;
	has_malloc = machine_by_elf(object.machine) &&
		     probe_offset_find(&object, "malloc", &offset) == 0;
	object_close(&object);
	if (!has_malloc)
		return 0;
	snprintf(rooted, sizeof(rooted), "/proc/%d/root%s", (int)pid, path);
	if (stat(path, &other) == 0 && other.st_ino == st.st_ino &&
	    other.st_dev == st.st_dev)
		seen = path;
	else if (stat(rooted, &other) == 0 && other.st_ino == st.st_ino &&
		 other.st_dev == st.st_dev)
		seen = rooted;
	file->path = arena_text(&found->arena, seen, strlen(seen));
	return file->path ? 0 : fail_memory(s->ctx);
}

/*
 * Its program, and what it has mapped of libraries. One that ends meanwhile has none.
 *
 *	7f00-7f80 r-xp 00026000 fe:00 1234    /usr/lib/libc.so.6	its code, in /proc/PID/maps
 */
static int add_process_files(void *arg, pid_t pid)
{
	struct probed_search *s = arg;
	char name[64], *line = NULL, path[PATH_MAX], seen[128];
	size_t room = 0;
	ssize_t size;
	FILE *maps;
	int err = 0;

	snprintf(name, sizeof(name), "/proc/%d/exe", (int)pid);
	size = readlink(name, path, sizeof(path) - 1);
	if (size > 0) {
		path[size] = '\0';
		err = add_probed_file(s, name, pid, path);
	}
	snprintf(name, sizeof(name), "/proc/%d/maps", (int)pid);
	maps = fopen(name, "re");
	while (maps && err == 0 && (size = getline(&line, &room, maps)) > 0) {
		const char *library, *mode = strchr(line, ' '), *base;
		bool named = false;

		line[size - 1] = line[size - 1] == '\n' ? '\0' : line[size - 1];
		library = strchr(line, '/');
		if (!library || !mode || mode > library || strnlen(mode, 4) < 4 ||
		    mode[3] != 'x')
			continue;
		base = strrchr(library, '/') + 1;
		for (size_t i = 0; i < sizeof(allocators) / sizeof(*allocators); i++)
			named |= strncmp(base, allocators[i], strlen(allocators[i])) == 0;
		if (!named)
			continue;
		snprintf(seen, sizeof(seen), "/proc/%d/map_files/%.*s", (int)pid,
			 (int)strcspn(line, " "), line);
		err = add_probed_file(s, access(seen, F_OK) == 0 ? seen : library, pid,
				      library);
	}
	if (maps)
		fclose(maps);
	free(line);
	return err;
}

/* As execvp(3) finds it. */
static bool find_program(const char *name, char path[PATH_MAX])
{
	const char *dirs = getenv("PATH");

	if (strchr(name, '/'))
		return snprintf(path, PATH_MAX, "%s", name) < PATH_MAX;
	for (dirs = dirs ? dirs : "/bin:/usr/bin"; *dirs;) {
		size_t size = strcspn(dirs, ":");

		if (snprintf(path, PATH_MAX, "%.*s%s%s", (int)size, dirs, size ? "/" : "",
			     name) < PATH_MAX &&
		    access(path, X_OK) == 0)
			return true;
		dirs += size + (dirs[size] != '\0');
	}
	return false;
}

/* The interpreter of a script takes the place of @path; false: it is none. */
static bool follow_script(char path[PATH_MAX])
{
	char line[LINE_ROOM], *at = line + 2;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t size = fd < 0 ? -1 : read(fd, line, sizeof(line) - 1);

	if (fd >= 0)
		close(fd);
	if (size < 3 || line[0] != '#' || line[1] != '!')
		return false;
	line[size] = '\0';
	at += strspn(at, " \t");
	at[strcspn(at, " \t\r\n")] = '\0';
	return *at && snprintf(path, PATH_MAX, "%s", at) < PATH_MAX;
}

/* What loads the program at @path; false: it needs nobody, or is no program. */
static bool find_loader(const char *path, char ret[PATH_MAX])
{
	struct context unheard = { .log = NULL };
	struct object object;
	size_t count = 0;
	bool found = false;
	GElf_Phdr header;

	if (object_open(&unheard, path, &object) < 0)
		return false;
	if (elf_getphdrnum(object.elf, &count) < 0)
		count = 0;
	for (size_t i = 0; i < count && i < UINT16_MAX && !found; i++) {
		char name[PATH_MAX] = "";

		if (!gelf_getphdr(object.elf, (int)i, &header) ||
		    header.p_type != PT_INTERP || header.p_filesz >= sizeof(name))
			continue;
		found = object_read(&object, header.p_offset, name,
				    (size_t)header.p_filesz) &&
			realpath(name, ret);
	}
	object_close(&object);
	return found;
}

static int add_command_files(struct probed_search *s, const char *command)
{
	char path[PATH_MAX], loader[PATH_MAX], library[PATH_MAX + 16];
	char *slash;
	int err;

	if (!find_program(command, path))
		return 0; /* which is said when it is to be run */
	for (int i = 0; i < SCRIPTS_MOST && follow_script(path); i++)
		continue;
	err = add_probed_file(s, path, getpid(), path);
	if (err < 0 || !find_loader(path, loader))
		return err;
	err = add_probed_file(s, loader, getpid(), loader);
	slash = strrchr(loader, '/');
	if (err < 0 || !slash)
		return err;
	snprintf(library, sizeof(library), "%.*s/libc.so.6", (int)(slash - loader),
		 loader);
	return add_probed_file(s, library, getpid(), library);
}

int live_probed_find(struct context *ctx, const struct ff_record_options *options,
		     struct live_probed **ret)
{
	struct live_probed *found = calloc(1, sizeof(*found));
	struct live_target target = { .cgroup = -1 };
	struct probed_search s = { ctx, found };
	struct id_list online = { 0 };
	/* Of several who is not there is said when events are opened. */
	struct context unheard = { .log = NULL };
	struct ff_record_options of = *options;
	int err = found ? 0 : fail_memory(ctx), *one = array_add(&online);

	if (one)
		*one = 0;
	object_prepare();
	of.cpus = NULL;
	if (err == 0 && one && of.who != FF_RECORD_SYSTEM && of.who != FF_RECORD_CGROUP) {
		err = live_target_resolve(&unheard, &of, &online, &target);
		if (err < 0)
			err = fail(ctx, err, "%s", unheard.error);
		for (size_t i = 0; i < target.processes.count && err == 0; i++)
			err = add_process_files(&s, target.processes.v[i]);
	}
	if (err == 0 && (of.who == FF_RECORD_SYSTEM || of.who == FF_RECORD_CGROUP))
		err = proc_each(AT_FDCWD, "/proc", add_process_files, &s);
	if (err == 0 && of.command)
		err = add_command_files(&s, of.command[0]);
	live_target_release(&target);
	array_release(&online);
	if (err < 0)
		live_probed_free(found);
	else
		*ret = found;
	return err;
}

void live_probed_free(struct live_probed *probed)
{
	if (!probed)
		return;
	arena_release(&probed->arena);
	array_release(&probed->files);
	free(probed);
}

const char *live_probed_next(const struct live_probed *probed, const char *path)
{
	for (size_t i = 0; probed && i < probed->files.count; i++) {
		const char *one = probed->files.v[i].path;

		if (one && !path)
			return one;
		if (one == path)
			path = NULL;
	}
	return NULL;
}
