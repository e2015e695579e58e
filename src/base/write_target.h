#ifndef BASE_WRITE_TARGET_H
#define BASE_WRITE_TARGET_H

#include <flamefold.h>
#include <sys/types.h>

/*
 * Where a file is to be written: its directory, open, and its name there. The way is gone
 * once; what is done after that (openat, renameat) cannot be led elsewhere by somebody who
 * puts a link in it meanwhile.
 *
 *	/tmp/x.svg          dir /tmp            name x.svg
 *	/tmp/mine.svg -> ~/y.svg    dir /home/me    name y.svg
 *
 * Symbolic links are followed, but not one of another user in a directory where everybody may
 * make some: what the kernel refuses with fs.protected_symlinks=1, here with any setting, and
 * anywhere on the way. directory is opened O_PATH; a link of /proc to something that has no path is
 * opened by following it.
 */

/* 0; or a negative errno, *@why says what it was. Nothing need lie there. */
int write_target_open(const char *path, struct ff_place *ret, const char **why);
void write_target_close(struct ff_place *p); /* twice is fine, a zeroed one not */

/* The mode that a file gets which takes the place of another: that one's, where it is the
 * caller's own and has no second name; else nobody may more than there and than @usual.
 * @usual where nothing is. */
mode_t write_target_mode(const struct ff_place *p, mode_t usual);

/*
 * What is there and no regular file, to be written to: a FIFO, a device, a terminal. -EEXIST
 * where it is a regular file by now, -EACCES for a FIFO that another user has put in a
 * directory of everybody, as with fs.protected_fifos=1; *@why says what it was.
 */
int write_target_open_special(const struct ff_place *p, int flags, const char **why);

#endif
