#ifndef FIND_PROCESS_FILE_H
#define FIND_PROCESS_FILE_H

#include "find/object.h"

/*
 * Files as a process of this machine still has them: deleted, replaced, made by
 * memfd_create(), or in the mount namespace of a container.
 *
 *	PROCESS_MAP	/proc/PID/map_files/START-END	needs CAP_CHECKPOINT_RESTORE
 *	PROCESS_ROOT	/proc/PID/root/PATH
 *	PROCESS_EXE	/proc/PID/exe
 *
 * A pid says little: it may have been given to another process, or have been one of
 * another machine. So what lies there counts only where it has the recorded build id, or
 * is the recorded file.
 */
enum process_file { PROCESS_MAP, PROCESS_ROOT, PROCESS_EXE, PROCESS_FILES };

/*
 * Appends the path. False where there is none. *@same: the process has the very file
 * mapped that was recorded, which /proc/PID/maps and MMAP2 say in the same terms on any
 * file system, while stat() may not.
 */
bool process_file_path(const struct wanted_object *wanted, const struct file_user *user,
		       enum process_file which, struct text *path, bool *same);

/*
 * Device and inode of an open file, in the terms of MMAP2. Where stat() says the same as
 * was @recorded, that is it; else the file is mapped for a moment (not read), because on
 * some file systems stat() says something else. The generation is 0 where the file system
 * does not tell it. False where that cannot be done.
 */
bool process_file_id(int fd, const struct file_id *recorded, struct file_id *ret);

#endif
