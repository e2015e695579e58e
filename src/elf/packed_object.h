#ifndef ELF_PACKED_OBJECT_H
#define ELF_PACKED_OBJECT_H

#include "elf/object.h"

/*
 * Objects that are packed: a kernel module (.ko.xz, .ko.gz, .ko.zst), or the symbols that
 * an object has in a section of its own (.gnu_debugdata, xz). They are unpacked into
 * memory, and are files there (memfd_create), so that all that reads objects reads them.
 *
 * A few bytes could be very many: PACKED_OBJECT_MOST and PACKED_OBJECT_RATIO bound what is
 * unpacked.
 */
#define PACKED_OBJECT_MOST ((uint64_t)256 << 20)
enum { PACKED_OBJECT_RATIO = 64 }; /* unpacked to packed, above the first MiB */

/* As object_open(), also of a file that is packed. -EFBIG where it would be too much. */
int packed_object_open(struct context *ctx, const char *path, struct object *ret);

/* What .gnu_debugdata of @o holds. -ENODATA where there is none; else likewise. */
int packed_object_open_inner(struct context *ctx, const struct object *o,
			     const char *name, struct object *ret);

#endif
