/*
 * A profile file, read and merged. The first byte chooses: 0, the rest is the file; else what stands
 * behind its header without the checksums, so that the fuzzer need not invent these (bits 1, 2 and 4 are its
 * flags, bit 3 has it symbolized, too), and the file is merged with itself as well: where that is done it can be read, and is what it was, twice.
 */
#include <flamefold_store.h>
#include <flamefold_time.h>
#include <stdbool.h>
#include <zlib.h>

#include "profile.h"

static size_t varint_at(const uint8_t *data, size_t size, uint64_t *ret)
{
	*ret = 0;
	for (size_t i = 0; i < size && i < 10; i++) {
		*ret |= (uint64_t)(data[i] & 0x7f) << (7 * i);
		if (data[i] < 0x80)
			return i + 1;
	}
	return 0;
}

/* Each section with its checksum, as far as they are whole; the rest as it is. */
static void put_sections(FILE *out, uint8_t flags, const uint8_t *data, size_t size)
{
	fwrite("\x89"
	       "FFP\r\n\x1a\n\x02",
	       1, 9, out);
	putc(flags, out);
	while (size) {
		uint64_t id, length;
		size_t first = varint_at(data, size, &id);
		size_t second =
			first ? varint_at(data + first, size - first, &length) : 0;
		size_t head = first + second;
		uint32_t sum;

		if (!second || length > size - head)
			break;
		sum = (uint32_t)crc32(0, data + head, (uInt)length);
		fwrite(data, 1, head + length, out);
		for (unsigned i = 0; i < 4; i++)
			putc((int)(sum >> 8 * i & 0xff), out);
		data += head + length;
		size -= head + length;
	}
	fwrite(data, 1, size, out);
}

static uint64_t weight_of(const void *bytes, size_t size)
{
	struct ff_profile *p = fuzz_new(0, "/nonexistent");
	uint64_t weight = UINT64_MAX;

	if (ff_profile_read_memory(p, bytes, size, "fuzzed") == 0 &&
	    ff_profile_finish(p) == 0)
		weight = ff_profile_total(p, FF_TOTAL_WEIGHT_TREE);
	ff_profile_free(p);
	return weight;
}

static void merge_with_itself(const char *bytes, size_t size, bool symbolizes)
{
	struct ff_options names = { .size = sizeof(names), .symfs = "/nonexistent" };
	struct ff_store_options options = { .size = sizeof(options),
					    .flags = FF_STORE_PLAIN | FF_STORE_DUPLICATES,
					    .threads = 1,
					    .memory = 64 << 20,
					    .symbolize = symbolizes ? &names : NULL };
	int fd = memfd_create("profile", MFD_CLOEXEC), err;
	char path[64], *merged = NULL;
	struct ff_merge *m;
	size_t length = 0;
	FILE *out = open_memstream(&merged, &length);

	fuzz_check(fd >= 0 && out && write(fd, bytes, size) == (ssize_t)size, "memory");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	fuzz_check(ff_merge_new(&m, &options) == 0, "a merge");
	err = ff_merge_add(m, path, NULL);
	if (err == 0)
		err = ff_merge_add(m, path, NULL);
	if (err == 0)
		err = ff_merge_finish(m);
	if (err == 0)
		err = ff_merge_write(m, 0, out);
	fuzz_check(err == 0 || ff_merge_error(m)[0], "a failure explains itself");
	ff_merge_free(m);
	fclose(out);
	if (err == 0) {
		uint64_t once = weight_of(bytes, size), twice = weight_of(merged, length);

		/* What is merged is of all events, and what is read of one. */
		fuzz_check(once == UINT64_MAX || twice == 2 * once, "twice is twice");
	}
	free(merged);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *file = NULL;
	size_t length;
	FILE *out;

	if (size < 2)
		return 0;
	if (data[0] == 0) {
		fuzz_profile(data + 1, size - 1, 0);
		return 0;
	}
	out = open_memstream(&file, &length);
	fuzz_check(out != NULL, "memory");
	put_sections(out, (data[0] >> 1 & 3) | (data[0] >> 2 & 4), data + 1, size - 1);
	fclose(out);
	fuzz_profile((const uint8_t *)file, length,
		     data[0] & 16 ? FF_HEAT | FF_PHASES : 0);
	merge_with_itself(file, length, data[0] & 8);
	free(file);
	return 0;
}
