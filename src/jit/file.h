#ifndef JIT_FILE_H
#define JIT_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/text.h"
#include "find/find.h"

/*
 * Files in which a runtime says what code it made. They lie where anybody may write, and go
 * by a pid: each has to be shown to be the right one.
 *
 *	perf-PID.map	--map-dir DIR: DIR/perf-PID.map, DIR/tmp/perf-PID.map, nothing else
 *			--symfs DIR: DIR/tmp/perf-PID.map, nothing else
 *			/proc/PID/root/tmp/perf-NSPID.map	while the process lives, or its
 *								/tmp is held
 *			/tmp/perf-PID.map
 *	jitdump		--map-dir DIR: DIR/NAME, DIR/PATH; --symfs DIR: DIR/PATH
 *			/proc/PID/root/PATH, PATH
 *
 * NSPID is the pid that the process has for itself, in the innermost of its pid namespaces.
 * Only regular files count. What is not below a directory that was named must belong to the
 * user of the process; outside of its root also to the caller or to root, under that name only
 * (tools/perf/Documentation/jit-interface.txt). Inside, a process with a user namespace can
 * mount a file that only root may read on the name: there it is the process's user alone. No
 * symbolic link is followed that another user could have made. Processes of other machines
 * are looked for in the named directories only.
 */
struct jit_process {
	uint32_t pid;
	bool here; /* it was recorded on this machine, under the kernel that runs */
	bool elsewhere; /* it was recorded on a machine of another name */
	/* When its program began and when it had code of a runtime: ns of the recording's
	 * clock, which counts from boot; 0: not known. */
	uint64_t started, seen;
	uint32_t pid_namespace; /* inode; 0: not known */
};

struct jit_file {
	int fd; /* -1: none */
	struct text path;
	struct text problem; /* why there is none, or what is odd about it; "": nothing */
	bool refused; /* there is one, but of a foreign owner or no regular file */
};

/* 0, also where there is none; or -ENOMEM. */
int jit_file_open_map(const struct search_dirs *dirs, const struct jit_process *process,
		      struct jit_file *ret);
/* @recorded: the path as the recording has it. */
int jit_file_open_dump(const struct search_dirs *dirs, const struct jit_process *process,
		       const char *recorded, struct jit_file *ret);
/*
 * The /tmp of a process, open: its map can be had from there when the process and its mount
 * namespace have gone. .dir -1: it is ours, and paths lead there; or it cannot be had.
 */
struct jit_tmp {
	int dir;
	uint32_t inner_pid; /* for itself */
	uid_t owner; /* of the process */
	int64_t started; /* ns of CLOCK_REALTIME */
	bool other_mounts; /* than ours: a map that is mounted on its name goes with the process */
};
void jit_tmp_hold(const struct jit_process *process, struct jit_tmp *ret);
/* 0, also where there is none; or -ENOMEM. */
int jit_tmp_open_map(const struct search_dirs *dirs, const struct jit_process *process,
		     const struct jit_tmp *tmp, struct jit_file *ret);
/* Appends where its map is for those who can still go there. */
void jit_tmp_path(const struct jit_process *process, const struct jit_tmp *tmp,
		  struct text *path);

void jit_file_close(struct jit_file *f);

#endif
