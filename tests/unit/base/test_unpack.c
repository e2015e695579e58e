#include "base/unpack.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <lzma.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/text.h"
#include "unit/limit.h"

enum {
	SIZE = 1200000, /* some times what can be read again without a restart */
	SMALL = 700,
	RECENT = 1 << 18,
};

static uint8_t plain[SIZE], bytes[SIZE + 1];
static uint64_t seed = 1;

/* Below @most, and the same ones each time. */
static size_t some(size_t most)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (size_t)(seed >> 33) % most;
}

/* Compressible, but not all of it. */
static void make_plain(void)
{
	for (size_t i = 0; i < SIZE; i++)
		plain[i] = some(100) < 30 || i < 1000 ? (uint8_t)some(256)
						      : plain[i - 1000 + some(2)];
}

static void add_gzip(struct text *to, const uint8_t *p, size_t size)
{
	uint8_t *out = malloc(size + 4096);
	z_stream z = { 0 };

	deflateInit2(&z, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
	z.next_in = (uint8_t *)p;
	z.avail_in = (uInt)size;
	z.next_out = out;
	z.avail_out = (uInt)size + 4096;
	cr_assert_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
	text_add(to, (char *)out, z.total_out);
	deflateEnd(&z);
	free(out);
}

static void add_zstd(struct text *to, const uint8_t *p, size_t size)
{
	size_t room = ZSTD_compressBound(size), made;
	uint8_t *out = malloc(room);
	ZSTD_CCtx *c = ZSTD_createCCtx();

	ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1);
	made = ZSTD_compress2(c, out, room, p, size);
	cr_assert(!ZSTD_isError(made));
	text_add(to, (char *)out, made);
	ZSTD_freeCCtx(c);
	free(out);
}

static void add_xz(struct text *to, const uint8_t *p, size_t size)
{
	size_t room = lzma_stream_buffer_bound(size), made = 0;
	uint8_t *out = malloc(room);

	cr_assert_eq(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC32, NULL, p, size, out,
					     &made, room),
		     LZMA_OK);
	text_add(to, (char *)out, made);
	free(out);
}

static void add_skippable(struct text *to, uint8_t kind, uint32_t size)
{
	const uint8_t head[] = { 0x50 | kind, 0x2a, 0x4d, 0x18 };

	text_add(to, (char *)head, sizeof(head));
	text_add(to, (char *)&size, sizeof(size));
	for (uint32_t i = 0; i < size; i++)
		text_add(to, "\xfd", 1);
}

static void (*const packers[])(struct text *to, const uint8_t *p, size_t size) = {
	add_gzip,
	add_zstd,
	add_xz,
};

enum { KINDS = sizeof(packers) / sizeof(*packers) };

static struct unpacker *open_bytes(const char *p, size_t size, int *fd)
{
	struct unpacker *u = NULL;

	*fd = memfd_create("packed", MFD_CLOEXEC);
	cr_assert_eq(write(*fd, p, size), (ssize_t)size);
	cr_assert_eq(unpacker_open(*fd, &u), 0);
	return u;
}

/* All of it, by reads of @step bytes: how many bytes there are. */
static size_t read_all(struct unpacker *u, size_t step)
{
	size_t done = 0, got;

	do {
		size_t room = sizeof(bytes) - done;

		cr_assert_eq(unpacker_read(u, done, bytes + done,
					   step < room ? step : room, &got),
			     0);
		done += got;
	} while (got > 0 && done < sizeof(bytes));
	cr_assert_eq(unpacker_size(u), done);
	return done;
}

/* What @packed unpacks to are the first *@count bytes of plain; what is wrong with it. */
static void check_prefix(const char *packed, size_t size, size_t *count, char damage[200])
{
	int fd;
	struct unpacker *u = open_bytes(packed, size, &fd);

	cr_assert(u);
	cr_assert_null(unpacker_damage(u));
	*count = read_all(u, sizeof(bytes));
	cr_assert_leq(*count, SIZE);
	cr_assert_eq(memcmp(bytes, plain, *count), 0);
	strcpy(damage, unpacker_damage(u) ? unpacker_damage(u) : "");
	unpacker_close(u);
	close(fd);
}

static void check_whole(const struct text *packed, size_t size)
{
	char damage[200];
	size_t count;

	check_prefix(packed->bytes, packed->size, &count, damage);
	cr_assert_eq(count, size);
	cr_assert_str_eq(damage, "");
}

/* Somewhere in the file: mostly a bit ahead of @at or behind it. */
static size_t some_place(size_t at)
{
	size_t far = some(10) ? 5000 : SIZE, step = some(far);

	if (some(3) == 0)
		return at > step ? at - step : 0;
	return (at + step) % SIZE;
}

Test(unpack, gives_the_plain_bytes_of_any_place_in_any_order, .init = make_plain)
{
	for (int kind = 0; kind < KINDS; kind++) {
		struct text packed = { 0 };
		struct unpacker *u;
		size_t at = 0, got;
		int fd;

		packers[kind](&packed, plain, SIZE);
		u = open_bytes(packed.bytes, packed.size, &fd);
		for (int i = 0; i < 1000; i++) {
			size_t size = some(some(20) ? 5000 : 2 * RECENT);
			size_t want = size < SIZE - at ? size : SIZE - at;

			cr_assert_eq(unpacker_read(u, at, bytes, size, &got), 0);
			cr_assert_eq(got, want, "%zu at %zu", size, at);
			cr_assert_eq(memcmp(bytes, plain + at, got), 0, "at %zu", at);
			at = some_place(at + got);
		}
		cr_assert_null(unpacker_damage(u));
		unpacker_close(u);
		close(fd);
		text_release(&packed);
	}
}

Test(unpack, gives_the_same_whatever_the_size_of_the_reads, .init = make_plain)
{
	static const size_t steps[] = { 1,	  2,	  7,	      1000,   131071,
					131072,	  131073, RECENT - 1, RECENT, RECENT + 1,
					SIZE - 1, SIZE,	  SIZE + 1 };

	for (int kind = 0; kind < KINDS; kind++) {
		struct text packed = { 0 };

		packers[kind](&packed, plain, SIZE);
		for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
			int fd;
			struct unpacker *u = open_bytes(packed.bytes, packed.size, &fd);

			cr_assert_eq(read_all(u, steps[i]), SIZE);
			cr_assert_eq(memcmp(bytes, plain, SIZE), 0, "step %zu", steps[i]);
			unpacker_close(u);
			close(fd);
		}
		text_release(&packed);
	}
}

Test(unpack, the_recent_bytes_can_be_read_again_and_older_ones_too, .init = make_plain)
{
	for (size_t back = RECENT - 2; back < RECENT + 4; back++) {
		struct text packed = { 0 };
		struct unpacker *u;
		size_t got;
		int fd;

		packers[back % KINDS](&packed, plain, SIZE);
		u = open_bytes(packed.bytes, packed.size, &fd);
		cr_assert_eq(unpacker_read(u, 500000, bytes, 100000, &got), 0);
		cr_assert_eq(unpacker_read(u, 600000 - back, bytes, RECENT + 99, &got),
			     0);
		cr_assert_eq(got, RECENT + 99);
		cr_assert_eq(memcmp(bytes, plain + 600000 - back, got), 0);
		unpacker_close(u);
		close(fd);
		text_release(&packed);
	}
}

Test(unpack, a_size_is_known_once_a_read_came_to_the_end, .init = make_plain)
{
	for (int kind = 0; kind < KINDS; kind++) {
		struct text packed = { 0 };
		struct unpacker *u;
		size_t got;
		int fd;

		packers[kind](&packed, plain, SIZE);
		u = open_bytes(packed.bytes, packed.size, &fd);
		cr_assert_eq(unpacker_size(u), UINT64_MAX);
		cr_assert_eq(unpacker_read(u, SIZE - 9, bytes, 9, &got), 0);
		cr_assert_eq(got, 9);
		cr_assert_eq(unpacker_size(u), UINT64_MAX);
		cr_assert_eq(unpacker_read(u, SIZE + 500, bytes, 9, &got), 0);
		cr_assert_eq(got, 0);
		cr_assert_eq(unpacker_size(u), SIZE);
		cr_assert_eq(unpacker_read(u, 3, bytes, 9, &got), 0);
		cr_assert_eq(got, 9);
		cr_assert_eq(unpacker_size(u), SIZE, "going back forgets nothing");
		unpacker_close(u);
		close(fd);
		text_release(&packed);
	}
}

Test(unpack, members_and_frames_that_follow_each_other_are_one_stream, .init = make_plain)
{
	for (int kind = 0; kind < KINDS; kind++) {
		struct text packed = { 0 };
		size_t at = 0;

		packers[kind](&packed, plain, 0);
		for (size_t size = 1; at + size < SIZE; size = 1 + some(70000)) {
			packers[kind](&packed, plain + at, size);
			at += size;
		}
		packers[kind](&packed, plain, 0);
		check_whole(&packed, at);
		text_release(&packed);
	}
}

Test(unpack, skippable_frames_are_passed_over_wherever_they_are, .init = make_plain)
{
	struct text packed = { 0 };

	add_skippable(&packed, 0, 0);
	add_skippable(&packed, 0xf, 300000);
	add_zstd(&packed, plain, 1000);
	for (uint8_t kind = 0; kind < 16; kind++)
		add_skippable(&packed, kind, kind);
	add_zstd(&packed, plain + 1000, SIZE - 1000);
	add_skippable(&packed, 5, 70);
	check_whole(&packed, SIZE);
	text_clear(&packed);
	add_skippable(&packed, 5, 70);
	check_whole(&packed, 0);
	text_release(&packed);
}

Test(unpack, zeros_between_and_behind_gzip_members_are_padding, .init = make_plain)
{
	static const char zeros[200000];
	struct text packed = { 0 };

	add_gzip(&packed, plain, 5000);
	text_add(&packed, zeros, 512);
	add_gzip(&packed, plain + 5000, 5000);
	text_add(&packed, zeros, sizeof(zeros));
	check_whole(&packed, 10000);
	text_release(&packed);
}

Test(unpack, a_part_of_a_file_is_read_as_if_there_were_no_more, .init = make_plain)
{
	for (int kind = 0; kind < KINDS; kind++) {
		struct text packed = { 0 };
		struct unpacker *u = NULL;
		size_t size;
		int fd = memfd_create("packed", MFD_CLOEXEC);

		text_string(&packed, "before");
		packers[kind](&packed, plain, SIZE);
		size = packed.size - 6;
		text_string(&packed, "behind");
		cr_assert_eq(write(fd, packed.bytes, packed.size), (ssize_t)packed.size);
		cr_assert_eq(unpacker_open_part(fd, 6, size, &u), 0);
		cr_assert(u);
		for (int again = 0; again < 2; again++) {
			cr_assert_eq(read_all(u, 70001), SIZE);
			cr_assert_eq(memcmp(bytes, plain, SIZE), 0);
		}
		cr_assert_null(unpacker_damage(u));
		unpacker_close(u);
		close(fd);
		text_release(&packed);
	}
}

Test(unpack, other_bytes_behind_the_packed_ones_are_damage, .init = make_plain)
{
	static const char *const said[KINDS] = {
		"packed data is damaged: incorrect header check",
		"packed data is damaged: Unknown frame descriptor",
		"packed data is damaged: no xz stream",
	};

	for (int kind = 0; kind < KINDS; kind++) {
		struct text packed = { 0 };
		char damage[200];
		size_t count;

		packers[kind](&packed, plain, SIZE);
		text_string(&packed, "what is this?");
		check_prefix(packed.bytes, packed.size, &count, damage);
		cr_assert_eq(count, SIZE);
		cr_assert_str_eq(damage, said[kind]);
		text_release(&packed);
	}
}

Test(unpack, a_file_cut_anywhere_gives_what_is_before_the_cut, .init = make_plain)
{
	static const size_t magic[KINDS] = { 2, 4, 6 };

	for (int kind = 0; kind < KINDS; kind++) {
		struct text packed = { 0 };
		size_t first, before = 0;

		packers[kind](&packed, plain, SMALL);
		first = packed.size;
		packers[kind](&packed, plain + SMALL, SMALL);
		for (size_t cut = magic[kind]; cut <= packed.size; cut++) {
			bool whole = cut == first || cut == packed.size;
			char damage[200];
			size_t count;

			check_prefix(packed.bytes, cut, &count, damage);
			cr_assert_geq(count, before);
			cr_assert(cut < first || count >= SMALL);
			cr_assert_str_eq(damage, whole ? "" : "packed data ends early");
			before = count;
		}
		cr_assert_eq(before, 2 * SMALL);
		text_release(&packed);
	}
}

Test(unpack, no_byte_before_a_cut_is_lost_though_all_checks_are_behind_it,
     .init = make_plain)
{
	for (int kind = 0; kind < KINDS; kind++) {
		struct text packed = { 0 };
		char damage[200];
		size_t count, trailer = kind ? 4 : 8;

		packers[kind](&packed, plain, SIZE);
		for (size_t cut = 1; cut <= trailer; cut++) {
			check_prefix(packed.bytes, packed.size - cut, &count, damage);
			cr_assert_eq(count, SIZE);
			cr_assert_str_eq(damage, "packed data ends early");
		}
		text_release(&packed);
	}
}

/* Where the zstd frame at the start of @p has the head of block @n. */
static size_t block_head(const uint8_t *p, size_t n)
{
	static const size_t size_fields[] = { 0, 2, 4, 8 };
	bool single = p[4] >> 5 & 1;
	size_t at = 5 + !single + size_fields[p[4] >> 6] + (single && p[4] >> 6 == 0);

	while (n-- > 0) {
		uint32_t head = (uint32_t)(p[at] | p[at + 1] << 8 | p[at + 2] << 16);

		at += 3 + ((head >> 1 & 3) == 1 ? 1 : head >> 3);
	}
	return at;
}

Test(unpack, a_damaged_block_takes_no_block_before_it_away, .init = make_plain)
{
	enum { BLOCK = 1 << 17, BLOCKS = SIZE / BLOCK };

	for (size_t n = 0; n <= BLOCKS; n++) {
		struct text packed = { 0 };
		char damage[200];
		size_t count, at;

		add_zstd(&packed, plain, SIZE);
		at = block_head((uint8_t *)packed.bytes, n);
		packed.bytes[at] |= 6; /* the type that is none */
		for (size_t step = 999; step < SIZE; step *= 30) {
			int fd;
			struct unpacker *u = open_bytes(packed.bytes, packed.size, &fd);

			cr_assert_eq(read_all(u, step), n * BLOCK);
			unpacker_close(u);
			close(fd);
		}
		check_prefix(packed.bytes, packed.size, &count, damage);
		cr_assert_eq(count, n * BLOCK);
		cr_assert_str_eq(damage,
				 "packed data is damaged: Data corruption detected");
		text_release(&packed);
	}
}

/* Changes one byte. Whatever comes out: it ends, it is checked, it comes out again. */
static void check_flipped(struct text *packed, size_t size)
{
	size_t at = some(packed->size), count;
	char flip = (char)(1 + some(255));
	struct unpacker *u;
	bool equal;
	int fd;

	packed->bytes[at] ^= flip;
	u = open_bytes(packed->bytes, packed->size, &fd);
	packed->bytes[at] ^= flip;
	if (!u) {
		cr_assert_lt(at, 6);
		close(fd);
		return;
	}
	count = read_all(u, 1 + some(2 * size));
	equal = count == size && memcmp(bytes, plain, size) == 0;
	cr_assert(equal || unpacker_damage(u), "byte %zu by %d", at, flip);
	seed++;
	cr_assert_eq(read_all(u, 1 + some(2 * size)), count);
	unpacker_close(u);
	close(fd);
}

Test(unpack, a_flipped_byte_is_found_or_harmless, .init = make_plain)
{
	work_at_most(300);
	for (int kind = 0; kind < KINDS; kind++)
		for (size_t size = SMALL; size < SIZE; size *= 40) {
			struct text packed = { 0 };

			packers[kind](&packed, plain, size / 2);
			packers[kind](&packed, plain + size / 2, size - size / 2);
			for (int i = 0; i < (size == SMALL ? 2000 : 25); i++)
				check_flipped(&packed, size);
			text_release(&packed);
		}
}

/* A frame with a window of @window (RFC 8878, 3.1.1.1.2), then a raw block of "hello". */
static void add_window(struct text *to, uint8_t window)
{
	const uint8_t head[] = { 0x28, 0xb5, 0x2f, 0xfd, 0, window, 5 << 3 | 1, 0, 0 };

	text_add(to, (char *)head, sizeof(head));
	text_string(to, "hello");
}

Test(unpack, a_window_too_large_is_refused_and_the_largest_one_is_not)
{
	struct text packed = { 0 };
	char damage[200];
	size_t count;

	memcpy(plain, "hello", 5);
	add_window(&packed, (27 - 10) << 3);
	check_whole(&packed, 5);
	add_window(&packed, (27 - 10) << 3 | 1);
	check_prefix(packed.bytes, packed.size, &count, damage);
	cr_assert_eq(count, 5);
	cr_assert_str_eq(damage, "packed data needs a window of more than 128 MiB");
	text_clear(&packed);
	add_window(&packed, 0xff);
	check_prefix(packed.bytes, packed.size, &count, damage);
	cr_assert_eq(count, 0);
	cr_assert_str_eq(damage, "packed data needs a window of more than 128 MiB");
	text_release(&packed);
}

Test(unpack, a_bomb_is_decoded_only_as_far_as_it_is_read)
{
	work_at_most(60);
	enum { BLOCK = 1 << 17 };
	const uint8_t head[] = { 0x28, 0xb5, 0x2f, 0xfd, 0, 0x38 };
	const uint8_t block[] = { 1 << 1, 0, BLOCK >> 13, 'x' }; /* one byte repeated */
	const uint8_t bad[] = { 3 << 1, 0, 0 };
	struct text packed = { 0 };
	struct unpacker *u;
	uint64_t size = (uint64_t)4000 * BLOCK;
	size_t got;
	int fd;

	text_add(&packed, (char *)head, sizeof(head));
	for (int i = 0; i < 4000; i++)
		text_add(&packed, (char *)block, sizeof(block));
	text_add(&packed, (char *)bad, sizeof(bad));
	u = open_bytes(packed.bytes, packed.size, &fd);
	cr_assert_eq(unpacker_read(u, size - 2, bytes, 2, &got), 0);
	cr_assert_eq(got, 2);
	cr_assert_eq(memcmp(bytes, "xx", 2), 0);
	cr_assert_null(unpacker_damage(u));
	cr_assert_eq(unpacker_read(u, size - 2, bytes, 9, &got), 0);
	cr_assert_eq(got, 2);
	cr_assert(unpacker_damage(u));
	cr_assert_eq(unpacker_size(u), size);
	unpacker_close(u);
	close(fd);
	text_release(&packed);
}

Test(unpack, plain_bytes_need_no_unpacker)
{
	static const char *const plains[] = { "",	  "\x1f", "\x28\xb5\x2f",
					      "PERFILE2", "a;b",  "\x8b\x1f" };

	for (size_t i = 0; i < sizeof(plains) / sizeof(*plains); i++) {
		int fd;

		cr_assert_null(open_bytes(plains[i], strlen(plains[i]), &fd));
		close(fd);
	}
}

Test(unpack, a_shared_one_begins_anew_and_knows_what_is_known, .init = make_plain)
{
	struct text packed = { 0 };
	struct unpacker *u, *other = NULL;
	size_t got;
	int fd;

	add_gzip(&packed, plain, SIZE);
	u = open_bytes(packed.bytes, packed.size - 3, &fd);
	cr_assert_eq(read_all(u, sizeof(bytes)), SIZE);
	cr_assert_eq(unpacker_share(u, fd, &other), 0);
	unpacker_close(u);
	cr_assert_eq(unpacker_size(other), SIZE);
	cr_assert_str_eq(unpacker_damage(other), "packed data ends early");
	cr_assert_eq(unpacker_read(other, 77777, bytes, 7, &got), 0);
	cr_assert_eq(got, 7);
	cr_assert_eq(memcmp(bytes, plain + 77777, 7), 0);
	unpacker_close(other);
	unpacker_close(NULL);
	close(fd);
	text_release(&packed);
}

Test(unpack, a_failed_read_can_be_repeated, .init = make_plain)
{
	for (int kind = 0; kind < KINDS; kind++) {
		struct text packed = { 0 };
		struct unpacker *u;
		size_t got;
		int fd, kept;

		packers[kind](&packed, plain, SIZE);
		u = open_bytes(packed.bytes, packed.size, &fd);
		cr_assert_eq(unpacker_read(u, 0, bytes, 5000, &got), 0);
		kept = dup(fd);
		close(fd);
		cr_assert_eq(unpacker_read(u, 5000, bytes, SIZE, &got), -EBADF);
		cr_assert_eq(dup2(kept, fd), fd);
		cr_assert_eq(unpacker_read(u, 5000, bytes, 5000, &got), 0);
		cr_assert_eq(got, 5000);
		cr_assert_eq(memcmp(bytes, plain + 5000, got), 0);
		unpacker_close(u);
		close(kept);
		close(fd);
		text_release(&packed);
	}
}

/* A zstd frame of @blocks times 128 KiB of one byte, four bytes each (RFC 8878, 3.1.1). */
static struct unpacker *open_rle(size_t blocks, int *fd)
{
	static const uint8_t head[] = { 0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x50 };
	uint8_t block[] = { 0x02, 0x00, 0x10, 'x' };
	struct text packed = { 0 };
	struct unpacker *u;

	text_add(&packed, (const char *)head, sizeof(head));
	for (size_t i = 0; i < blocks; i++) {
		block[0] |= i + 1 == blocks;
		text_add(&packed, (const char *)block, sizeof(block));
	}
	cr_assert_not(packed.failed);
	u = open_bytes(packed.bytes, packed.size, fd);
	text_release(&packed);
	return u;
}

enum { BLOCK = 128 << 10 };
#define GIB ((uint64_t)1 << 30)

Test(unpack, what_unpacks_to_a_gigabyte_and_500_times_its_size_ends_there)
{
	size_t got;
	int fd;
	struct unpacker *u = open_rle(6 * GIB / BLOCK, &fd);

	work_at_most(60);
	cr_assert_eq(unpacker_read(u, 6 * GIB - 1, bytes, 1, &got), 0);
	cr_expect_eq(got, 0);
	cr_expect_str_eq(unpacker_damage(u),
			 "packed data is damaged: so few bytes cannot unpack to so much");
	cr_expect_geq(unpacker_size(u), GIB);
	cr_expect_lt(unpacker_size(u), GIB + GIB / 4);
	unpacker_close(u);
	close(fd);
}

Test(unpack, nobody_begins_anew_again_and_again)
{
	const uint64_t last = 200 * GIB / 1024;
	int err = 0, rounds = 0, fd;
	struct unpacker *u = open_rle(last / BLOCK + 1, &fd);
	size_t got;

	for (; err == 0 && rounds < 100; rounds++) {
		err = unpacker_read(u, last, bytes, 1, &got);
		if (err == 0)
			err = unpacker_read(u, 0, bytes, 1, &got);
	}
	cr_expect_eq(err, -EBADMSG);
	cr_expect_eq(rounds, 17, "%d", rounds);
	unpacker_close(u);
	close(fd);
}
