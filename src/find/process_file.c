/*
 * Everything is compared as /proc/PID/maps prints it, "START-END rwxp OFFSET MAJ:MIN
 * INODE PATH" (Documentation/filesystems/proc.rst): to learn what that would say of an
 * open file, the file is mapped here, and its line is looked up in /proc/self/maps. The
 * line in a process's maps is found by device and inode, because the kernel splits and
 * joins maps; only where those are not known it is found by address.
 */
#include "find/process_file.h"

#include <inttypes.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/file.h"

enum { MOST_MAPS = 1 << 24 /* bytes of /proc/PID/maps */ };

/* A line of /proc/PID/maps: "START-END PERMISSIONS OFFSET MAJ:MIN INODE PATH". */
struct maps_line {
	uint64_t start, end, ino;
	uint32_t maj, min;
};

static bool is_recorded_file(const struct maps_line *line, const struct file_id *file)
{
	return file->ino && line->ino == file->ino && line->maj == file->maj &&
	       line->min == file->min;
}

/* The line of the file, or where that is not known, of the address: maps are split and
 * joined, files stay. */
static bool find_map(const char *maps_of, const struct file_id *file, uint64_t address,
		     struct maps_line *ret)
{
	struct context ctx = { 0 };
	bool found = false;
	char *maps, *end;
	size_t size;

	if (file_slurp(&ctx, maps_of, MOST_MAPS, &maps, &size) < 0)
		return false;
	for (char *at = maps; *at && !found; at = end) {
		end = strchrnul(at, '\n');
		if (*end)
			*end++ = '\0';
		if (sscanf(at,
			   "%" SCNx64 "-%" SCNx64 " %*s %*x %" SCNx32 ":%" SCNx32
			   " %" SCNu64,
			   &ret->start, &ret->end, &ret->maj, &ret->min, &ret->ino) != 5)
			continue;
		found = file->ino
				? is_recorded_file(ret, file)
				: ret->ino && address >= ret->start && address < ret->end;
	}
	free(maps);
	return found;
}

bool process_file_path(const struct wanted_object *wanted, const struct file_user *user,
		       enum process_file which, struct text *path, bool *same)
{
	struct maps_line line;
	char maps[32];
	size_t size;

	*same = false;
	if (user->pid == 0)
		return false;
	if (which == PROCESS_MAP) {
		snprintf(maps, sizeof(maps), "/proc/%" PRIu32 "/maps", user->pid);
		if (!find_map(maps, &wanted->file, user->start, &line))
			return false;
		*same = is_recorded_file(&line, &wanted->file);
		text_printf(path, "/proc/%" PRIu32 "/map_files/%" PRIx64 "-%" PRIx64,
			    user->pid, line.start, line.end);
		return true;
	}
	text_printf(path, "/proc/%" PRIu32 "%s", user->pid,
		    which == PROCESS_ROOT ? "/root" : "/exe");
	if (which == PROCESS_EXE)
		return true;
	is_deleted(wanted->path, &size);
	text_add(path, wanted->path, size);
	return *wanted->path == '/' && !path_climbs(wanted->path);
}

bool process_file_id(int fd, const struct file_id *recorded, struct file_id *ret)
{
	static const struct file_id any;
	struct maps_line line = { 0 };
	unsigned generation;
	struct stat st;

	if (fstat(fd, &st) == 0) {
		line.maj = major(st.st_dev);
		line.min = minor(st.st_dev);
		line.ino = st.st_ino;
	}
	if (!is_recorded_file(&line, recorded)) {
		void *map = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0);
		bool found;

		if (map == MAP_FAILED)
			return false;
		found = find_map("/proc/self/maps", &any, (uintptr_t)map, &line);
		munmap(map, 1);
		if (!found)
			return false;
	}
	*ret = (struct file_id){ line.maj, line.min, line.ino, 0 };
	if (ioctl(fd, FS_IOC_GETVERSION, &generation) == 0)
		ret->generation = generation;
	return true;
}
