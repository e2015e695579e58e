#ifndef ELF_INFLATE_H
#define ELF_INFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How a section is packed (ELF gABI, SHF_COMPRESSED). */
enum section_packing { SECTION_NONE, SECTION_ZLIB, SECTION_ZSTD };

/* Where its bytes are. */
struct packed_section {
	enum section_packing packing;
	size_t size;
	/* @size bytes from @at on, all within the packed ones; false where they are not to be
	 * had. */
	bool (*read)(void *arg, size_t at, void *to, size_t size);
	void *arg;
};

/* Unpacks all of it to exactly @room bytes. 0, -EBADMSG, -ENOMEM. */
int inflate_whole(const struct packed_section *from, uint8_t *to, size_t room);

#endif
