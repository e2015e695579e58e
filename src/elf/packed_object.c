/*
 * Unpacked block by block into a memfd. Each block is claimed of the budget before it is
 * written, and the sum is compared with what so many packed bytes may become: a bomb is
 * found out when it has grown to that, not when memory is gone. The claim goes to the
 * object that is opened from the memfd, and ends with it.
 */
#include "elf/packed_object.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/unpack.h"
#include "elf/section.h"

enum {
	BLOCK = 1 << 18,
	FREE_OF_RATIO = 1 << 20,
};

/* Packed bytes in a file. */
struct packed_bytes {
	int fd;
	uint64_t offset, size;
	const char *name; /* for sentences */
	struct claim claim; /* for what it unpacks to */
};

static int copy_unpacked(struct context *ctx, struct packed_bytes *p, struct unpacker *u,
			 uint8_t *block, int to)
{
	uint64_t at = 0, most = PACKED_OBJECT_MOST;
	size_t got;
	int err;

	if (p->size <= PACKED_OBJECT_MOST / PACKED_OBJECT_RATIO)
		most = p->size * PACKED_OBJECT_RATIO;
	if (most < FREE_OF_RATIO)
		most = FREE_OF_RATIO;
	while ((err = unpacker_read(u, at, block, BLOCK, &got)) == 0 && got > 0) {
		at += got;
		if (at > most)
			return fail(ctx, -EFBIG, "what is packed in '%s' is too large",
				    p->name);
		if (!claim_add(&p->claim, ctx->budget, got)) {
			budget_refuse(ctx->budget, "what is packed", p->name);
			return fail(ctx, -EFBIG,
				    "no memory is left for what is packed in '%s'",
				    p->name);
		}
		if (!file_write(to, block, got))
			return fail_memory(ctx);
	}
	if (err == -ENOMEM)
		return fail_memory(ctx);
	if (err < 0)
		return fail(ctx, err, "cannot read '%s': %s", p->name, strerror(-err));
	if (unpacker_damage(u))
		return fail(ctx, -EBADMSG, "'%s': %s", p->name, unpacker_damage(u));
	return 0;
}

/* The object that is in it has the claim until it is closed. */
static int open_unpacked(struct context *ctx, struct packed_bytes *p, int fd,
			 const char *name, struct object *ret)
{
	int err = object_open_fd(ctx, fd, name, ret);

	if (err < 0)
		claim_release(&p->claim);
	else
		ret->claim = p->claim;
	return err;
}

/* A descriptor of what is unpacked; -ENODATA where it is not packed. */
static int unpack_part(struct context *ctx, struct packed_bytes *p, int *ret)
{
	struct unpacker *u = NULL;
	int err = unpacker_open_part(p->fd, p->offset, p->size, &u), fd;
	uint8_t *block;

	if (err == -ENOMEM)
		return fail_memory(ctx);
	if (err < 0)
		return fail(ctx, err, "cannot read '%s': %s", p->name, strerror(-err));
	if (!u)
		return -ENODATA;
	unpacker_limit(u, ctx->budget);
	block = malloc(BLOCK);
	fd = memfd_create("object", MFD_CLOEXEC);
	err = block && fd >= 0 ? copy_unpacked(ctx, p, u, block, fd) : fail_memory(ctx);
	free(block);
	unpacker_close(u);
	if (err == 0) {
		*ret = fd;
		return 0;
	}
	if (fd >= 0)
		close(fd);
	claim_release(&p->claim);
	return err;
}

int packed_object_open(struct context *ctx, const char *path, struct object *ret)
{
	int fd = object_open_file(ctx, path), unpacked, err;
	struct packed_bytes p = { .fd = fd, .name = path };
	struct stat st;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) == 0)
		p.size = (uint64_t)st.st_size;
	err = unpack_part(ctx, &p, &unpacked);
	if (err == -ENODATA)
		return object_open_fd(ctx, fd, path, ret);
	close(fd);
	return err < 0 ? err : open_unpacked(ctx, &p, unpacked, path, ret);
}

int packed_object_open_inner(struct context *ctx, const struct object *o,
			     const char *name, struct object *ret)
{
	struct packed_bytes p = { .fd = o->fd, .name = name };
	struct section s;
	int unpacked, err;

	if (o->fd < 0 || !section_named(o, ".gnu_debugdata", &s) ||
	    s.header.sh_type == SHT_NOBITS || s.header.sh_offset > o->size ||
	    s.header.sh_size > o->size - s.header.sh_offset)
		return -ENODATA;
	p.offset = s.header.sh_offset;
	p.size = s.header.sh_size;
	err = unpack_part(ctx, &p, &unpacked);
	return err < 0 ? err : open_unpacked(ctx, &p, unpacked, name, ret);
}
