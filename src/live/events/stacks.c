/*
 * How stacks are best recorded, by what the processes run: each file that one of them has mapped
 * code from is asked whether it keeps frame pointers. The first one that does not ends it, so
 * that mostly one file is read.
 */
#include "live/events/stacks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cfi/cfi.h"

enum {
	PROCESSES_MOST = 256, /* more are as good as all */
	FILES_MOST = 64,
};

/* Files that were asked already: all of them keep frame pointers. */
struct keepers {
	size_t count;
	dev_t dev[FILES_MOST];
	ino_t ino[FILES_MOST];
};

static bool file_keeps(struct keepers *k, pid_t pid, const char *path)
{
	struct frame_pointers f = { 0 };
	struct context ctx = { 0 };
	struct object object;
	char whole[4200];
	struct stat st;
	int err;

	snprintf(whole, sizeof(whole), "/proc/%d/root%s", (int)pid, path);
	if (stat(whole, &st) < 0 || k->count == FILES_MOST)
		return false;
	for (size_t i = 0; i < k->count; i++)
		if (k->dev[i] == st.st_dev && k->ino[i] == st.st_ino)
			return true;
	if (object_open(&ctx, whole, &object) < 0)
		return false;
	err = frame_pointers_find(&object, NULL, &f);
	object_close(&object);
	if (err < 0 || frame_pointers_use(&f) != FRAME_POINTERS_KEPT)
		return false;
	k->dev[k->count] = st.st_dev;
	k->ino[k->count++] = st.st_ino;
	return true;
}

/*
 * proc_pid_maps(5): "start-end r-xp offset dev inode   path". Code without a file is a JIT's,
 * which is not known to keep any; the kernel's own pages keep what they must.
 */
bool live_keeps_frame_pointers(const struct live_target *target)
{
	struct keepers k = { 0 };
	size_t count = target->processes.count, room = 0;
	bool keeps = count > 0 && count <= PROCESSES_MOST;
	char *line = NULL;

	if (keeps)
		object_prepare();
	for (size_t i = 0; i < count && keeps; i++) {
		pid_t pid = target->processes.v[i];
		bool any = false;
		char path[64];
		FILE *f;

		snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
		f = fopen(path, "re");
		while (f && keeps && getline(&line, &room, f) > 0) {
			char permissions[8] = "", *file;
			int at = 0;

			any = true;
			line[strcspn(line, "\n")] = '\0';
			keeps = sscanf(line, "%*x-%*x %7s %*x %*s %*u %n", permissions,
				       &at) == 1 &&
				at;
			if (!keeps || permissions[2] != 'x')
				continue;
			file = line + at;
			if (strcmp(file, "[vdso]") != 0 &&
			    strcmp(file, "[vsyscall]") != 0)
				keeps = file[0] == '/' && file_keeps(&k, pid, file);
		}
		keeps &= any;
		if (f)
			fclose(f);
	}
	free(line);
	/* Where no file was asked nothing is known of them. */
	return keeps && k.count > 0;
}
