/*
 * Bytes are asked for by how many have to be there, and read in pieces: a size that a file claims
 * takes no memory before its bytes have come.
 */
#include "store/source.h"

#include <errno.h>
#include <inttypes.h>
#include <libdeflate.h>
#include <zstd.h>

enum {
	READ_LEAST = 4 << 10,
	READ_MOST = 1 << 20, /* of a packed frame of ours */
	PLAIN_PIECE = 64 << 10,
	CLAIMED = 1 << 20, /* bytes that are not asked for */
};

bool store_begins(const uint8_t *bytes, size_t size)
{
	return size >= STORE_MAGIC_SIZE &&
	       memcmp(bytes, STORE_MAGIC, STORE_MAGIC_SIZE) == 0;
}

void store_unpacker_release(struct store_unpacker *u)
{
	ZSTD_freeDCtx(u->zstd);
	bytes_release(&u->packed);
	u->zstd = NULL;
}

void store_source_release(struct store_source *s)
{
	bytes_release(&s->bytes);
	claim_release(&s->claim);
}

int store_damaged(struct context *ctx, const struct store_source *s,
		  const struct store_section_bytes *section, const char *why)
{
	return fail(ctx, -EBADMSG, "'%s' is damaged at byte %" PRIu64 ": %s", s->path,
		    section->position, why);
}

int store_too_large(struct context *ctx, const struct store_source *s)
{
	return fail(ctx, -EFBIG,
		    "'%s': the profile takes more memory than what is read may: "
		    "--memory=SIZE with more",
		    s->path);
}

/* As store_damaged() where no section is known yet. */
static int damaged_here(struct context *ctx, const struct store_source *s,
			const char *why)
{
	struct store_section_bytes here = { .position = s->position + s->at };

	return store_damaged(ctx, s, &here, why);
}

/* Memory for @more bytes behind those that are there. 0, or a negative errno. */
static int reserve_source(struct context *ctx, struct store_source *s, size_t more)
{
	size_t all = s->bytes.count + more;

	/* As large as the array will be, which doubles. */
	if (all > s->bytes.room && all > CLAIMED && 2 * all > s->claim.size &&
	    !claim_add(&s->claim, ctx->budget, 2 * all - s->claim.size))
		return fail(ctx, -EFBIG,
			    "'%s': a section takes more memory than what is read may: "
			    "--memory=SIZE with more",
			    s->path);
	return bytes_reserve(&s->bytes, more) ? 0 : fail_memory(ctx);
}

/* One frame more behind what there is: 1, 0 at the end, or a negative errno. */
static int add_source_frame(struct context *ctx, struct store_source *s,
			    struct store_unpacker *u)
{
	size_t want = s->expected > READ_LEAST ? s->expected : READ_LEAST, size, got;
	unsigned long long whole;
	int err;

	/* As many bytes as the one before had, or more until it is all there. */
	for (;; want *= 4) {
		u->packed.count = 0;
		if (!bytes_reserve(&u->packed, want))
			return fail_memory(ctx);
		errno = 0;
		got = file_read_at(s->file.fd, u->packed.v, want, s->offset);
		if (got < want && errno)
			return fail(ctx, -errno, "cannot read '%s': %s", s->path,
				    strerror(errno));
		if (got == 0)
			return 0;
		size = ZSTD_findFrameCompressedSize(u->packed.v, got);
		if (!ZSTD_isError(size))
			break;
		if (got < want)
			return damaged_here(ctx, s, "it is cut, or no longer packed");
		if (want >= READ_MOST)
			return damaged_here(ctx, s,
					    "a part is larger than flamefold packs");
	}
	whole = ZSTD_getFrameContentSize(u->packed.v, size);
	if (whole > READ_MOST)
		return damaged_here(ctx, s, "a part is larger than flamefold packs");
	if (!u->zstd && !(u->zstd = ZSTD_createDCtx()))
		return fail_memory(ctx);
	err = reserve_source(ctx, s, (size_t)whole + 1);
	if (err < 0)
		return err;
	got = ZSTD_decompressDCtx(u->zstd, s->bytes.v + s->bytes.count, (size_t)whole,
				  u->packed.v, size);
	if (ZSTD_isError(got) || got != whole)
		return damaged_here(ctx, s, "it cannot be unpacked");
	s->bytes.count += got;
	s->offset += size;
	s->expected = size + size / 4;
	return 1;
}

/* @size bytes from .at on, if there are so many: 1, 0, or a negative errno. */
static int have_bytes(struct context *ctx, struct store_source *s,
		      struct store_unpacker *u, size_t size)
{
	while (s->bytes.count - s->at < size) {
		size_t got;
		int err;

		if (s->at) {
			s->bytes.count -= s->at;
			memmove(s->bytes.v, s->bytes.v + s->at, s->bytes.count);
			s->position += s->at;
			s->at = 0;
		}
		if (s->by_frames) {
			err = add_source_frame(ctx, s, u);
			if (err <= 0)
				return err;
			continue;
		}
		err = reserve_source(ctx, s, PLAIN_PIECE);
		if (err < 0)
			return err;
		err = file_read(ctx, &s->file,
				(struct file_part){ s->offset, PLAIN_PIECE },
				s->bytes.v + s->bytes.count, &got);
		if (err < 0)
			return err;
		if (got == 0)
			return 0;
		s->offset += got;
		s->bytes.count += got;
	}
	return 1;
}

/* A number of at most ten bytes: 1, 0 at the end of the file, or a negative errno. */
static int next_number(struct context *ctx, struct store_source *s,
		       struct store_unpacker *u, uint64_t *ret)
{
	for (size_t size = 1; size <= VARINT_SIZE; size++) {
		int more = have_bytes(ctx, s, u, size);
		struct cursor c;

		if (more < 0 || (more == 0 && size == 1))
			return more;
		if (more == 0)
			break;
		if (s->bytes.v[s->at + size - 1] & 0x80)
			continue;
		c = cursor_of(s->bytes.v + s->at, size);
		*ret = cursor_varint(&c);
		if (c.bad)
			break;
		s->at += size;
		return 1;
	}
	return damaged_here(ctx, s, "a number has no end");
}

/* All that a version has. Version 1 is from before there were flags, though the number stands there as well; in
 * version 2 times had another form and a flag of their own. */
static uint64_t flags_in(uint64_t version)
{
	return version == STORE_VERSION		 ? STORE_FLAGS
	       : version == STORE_VERSION_BEFORE ? STORE_FLAGS_BEFORE
						 : 0;
}

int store_source_open(struct context *ctx, struct store_source *s,
		      struct store_unpacker *u)
{
	uint64_t version = 0, flags = 0;
	int more = have_bytes(ctx, s, u, STORE_MAGIC_SIZE);

	if (more < 0)
		return more;
	if (more == 0 || !store_begins(s->bytes.v + s->at, STORE_MAGIC_SIZE))
		return fail(ctx, -EBADMSG, "'%s' is not a profile file", s->path);
	s->at += STORE_MAGIC_SIZE;
	more = next_number(ctx, s, u, &version);
	if (more > 0)
		more = next_number(ctx, s, u, &flags);
	if (more == 0)
		return damaged_here(ctx, s, "it ends within its header");
	if (more > 0 && (version < STORE_FIRST_VERSION || version > STORE_VERSION ||
			 flags > flags_in(version) ||
			 (version == STORE_VERSION) != !!(flags & STORE_HEAT)))
		return fail(ctx, -EBADMSG,
			    "'%s' is a profile file of version %" PRIu64
			    ", and this flamefold knows version %d",
			    s->path, version, STORE_VERSION);
	s->version = version;
	s->flags = flags;
	return more < 0 ? more : 0;
}

int store_source_next(struct context *ctx, struct store_source *s,
		      struct store_unpacker *u, struct store_section_bytes *ret)
{
	uint64_t id = 0, size = 0, position = s->position + s->at;
	const uint8_t *end;
	uint64_t most = s->section_most ? s->section_most : STORE_SECTION_MOST;
	uint32_t sum;
	int more = next_number(ctx, s, u, &id);

	if (more > 0)
		more = next_number(ctx, s, u, &size);
	if (more < 0)
		return more;
	if (more == 0)
		return damaged_here(ctx, s, "it is cut between two sections");
	if (id < SECTION_INPUTS || id > SECTION_HEAT)
		return damaged_here(ctx, s, "there is no such section");
	if (size > most)
		return damaged_here(ctx, s, "a section is larger than any can be");
	more = have_bytes(ctx, s, u, (size_t)size + sizeof(sum));
	if (more < 0)
		return more;
	if (more == 0)
		return damaged_here(ctx, s, "it is cut within a section");
	*ret = (struct store_section_bytes){
		.id = (enum store_section)id,
		.payload = cursor_of(s->bytes.v + s->at, (size_t)size),
		.position = position,
	};
	end = s->bytes.v + s->at + size;
	sum = (uint32_t)end[0] | (uint32_t)end[1] << 8 | (uint32_t)end[2] << 16 |
	      (uint32_t)end[3] << 24;
	if (libdeflate_crc32(0, s->bytes.v + s->at, (size_t)size) != sum)
		return store_damaged(ctx, s, ret, "the checksum of a section is wrong");
	s->at += (size_t)size + sizeof(sum);
	return 0;
}

int store_source_at_end(struct context *ctx, struct store_source *s,
			struct store_unpacker *u)
{
	return have_bytes(ctx, s, u, 1) == 0
		       ? 0
		       : damaged_here(ctx, s, "something is behind its end");
}
