#ifndef LIVE_PREEXISTING_KERNEL_H
#define LIVE_PREEXISTING_KERNEL_H

#include "base/bytes.h"

/*
 * The kernel and its modules, as MMAP2 records with build ids: that of the kernel says where
 * "_text" lies. Nothing where addresses are hidden. @root: in front of /proc, /sys and
 * /lib, for tests; "": nothing.
 */
void preexisting_kernel_read(const char *root, struct bytes *to);

#endif
