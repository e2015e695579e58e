#ifndef FIND_OBJECT_H
#define FIND_OBJECT_H

#include "base/text.h"
#include "elf/elf.h"
#include "find/search_dirs.h"

/*
 * From what a recording says of an object to the files that hold it now.
 *
 * A recorded build id decides alone: a file without that id is never used, and a file
 * with it is the object, wherever it lies. In this order:
 *
 *	the recorded path	with symfs: below that
 *	/proc/self/fd		live: what was opened when it was mapped
 *	perf's build-id cache	DIR/.build-id/xx/rest/elf
 *	the debug directory	DIR/.build-id/xx/rest
 *	/proc/PID		what a process that was recorded still has mapped
 *
 * Where no build id was recorded there is only the recorded path, and its file is taken
 * for the object. Two things speak against it. The path says that the file was deleted;
 * or the recording was made here and tells which file it was (device, inode and
 * generation, as MMAP2 has them), and this one is another. What a process here provably
 * has mapped is the recorded file then. Devices are numbered anew at each boot: with the
 * same inode on another one the file counts, unless a process has that of the same.
 *
 * An id of the path (id_of_path) is as good as that. Where the file there is provably
 * another one than was mapped, it may have been replaced before the recording ended, and
 * then so was the id: what a process provably has mapped is better. Else it is refused where
 * it came to its path while the recording was made, on the device of what was mapped. One that
 * came later has the recorded id all the same, and one that was there before is that of a
 * container, or of a directory that was renamed: these are used, but the problem says so.
 *
 * What is refused at the recorded path is taken all the same where dirs->force says so, and
 * nothing better is found.
 *
 * In a live run as root the recorded path is opened with the rights of a process that has the file
 * mapped, or of nobody where none has it any more; what those cannot open counts only where it
 * is provably the file that was mapped. The paths of a recording are opened as whoever calls.
 *
 * With symfs nothing outside of it is looked at, but for a build_id_dir that was given.
 */

/* A file of the machine that was recorded. */
struct file_id {
	uint32_t maj, min;
	uint64_t ino; /* 0: not known */
	uint64_t generation; /* 0: not known */
};

/* A process that had the file mapped there. */
struct file_user {
	uint32_t pid; /* of the recorder's pid namespace; 0: not known */
	uint64_t start, end;
	/* When it was recorded: time of day, ns since 1970; 0: not known. */
	uint64_t began, ended;
};

enum { FILE_USERS = 2 };

/* An object as it was recorded. */
struct wanted_object {
	const char *path;
	const uint8_t *build_id;
	size_t build_id_size; /* 0: not known */
	/* The id is that of the file which had the path when the recording ended, and not
	 * of what was mapped before. */
	bool id_of_path;
	struct file_id file;
	struct file_user users[FILE_USERS];
	/* The recording says that it was made on a machine of this one's name, with the
	 * kernel that runs here: its processes may still live, and its inodes mean
	 * something. */
	bool here;
	/* A live run: the path is what a process says now, whose user may be anybody. */
	bool live;
	bool vdso; /* no file: only caches have it */
	const char *
		kept; /* leads to what was opened when it was mapped; NULL: nothing was */
};

/* What is wanted of an object: a debug file is looked for where it lacks that. */
enum object_need {
	NEED_SYMBOLS = 1,
	NEED_LINES = 2,
	NEED_UNWIND = 4,
};

/* Files of an object. */
struct found {
	struct object object; /* .elf is NULL: none */
	struct object debug; /* .elf is NULL: none, or none needed */
	struct text file; /* path of the object */
	struct text debug_file; /* path of the debug file, or "PATH (.gnu_debugdata)" */
	struct text problem; /* a sentence; "": none */
	bool trouble; /* the problem is one to be warned of */
	bool refused; /* there is only a file that is provably not the recorded one */
};

/*
 * The file of an object, and its debug file where that adds something of @need (of enum
 * object_need). 0, also where there is none: the problem says why. -ENOMEM.
 */
int find_object(const struct search_dirs *dirs, const struct wanted_object *wanted,
		unsigned need, struct found *ret);
/* A file could not be opened, for @why: that is the problem where it is more than that there is
 * no such file. */
void found_note_trouble(struct found *f, int err, const char *why);
/* The file at @path has another build id than the recorded one. */
void found_refuse(struct found *f, const char *path, const struct object *o,
		  const uint8_t *build_id, size_t size);
void found_release(struct found *f); /* a zeroed one is fine */

#endif
