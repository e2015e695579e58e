#ifndef TESTS_UNIT_LIVE_SYSROOT_H
#define TESTS_UNIT_LIVE_SYSROOT_H

/* A made-up /sys below a directory of its own, which is removed at the end. */
extern char sysroot[64];

void sysroot_make(void);
void sysroot_remove(void);

/* A file with this text; directories are made as needed. */
void sysroot_file(const char *path, const char *text);

#endif
