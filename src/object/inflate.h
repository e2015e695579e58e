#ifndef OBJECT_INFLATE_H
#define OBJECT_INFLATE_H

#include <stddef.h>
#include <stdint.h>

/* How a section is packed (ELF gABI, SHF_COMPRESSED). */
enum packing { PACKING_NONE, PACKING_ZLIB, PACKING_ZSTD };

/* Unpacks all of it to exactly @room bytes. 0, -EBADMSG, -ENOMEM. */
int inflate_whole(enum packing packing, const uint8_t *from, size_t size, uint8_t *to,
		  size_t room);

#endif
