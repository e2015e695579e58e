/*
 * An object file: any bytes, as the program that a recording is of. Its symbols, its
 * debug information, whatever the file says that it has.
 */
#include "profile.h"

#include <elf.h>
#include <linux/perf_event.h>
#include <stdbool.h>

enum {
	SAMPLES = 1024,
	START = 0x100000, /* where the file is mapped to */
};

/* A perf.data file, piece by piece. */
struct recording {
	uint8_t bytes[1 << 15];
	size_t size;
};

static void put(struct recording *r, const void *bytes, size_t size)
{
	fuzz_check(r->size + size <= sizeof(r->bytes), "room for the recording");
	memcpy(r->bytes + r->size, bytes, size);
	r->size += size;
}

static void put64(struct recording *r, uint64_t value)
{
	put(r, &value, sizeof(value));
}

static void put_record(struct recording *r, uint32_t type, uint16_t misc, size_t size)
{
	struct perf_event_header h = { type, misc, (uint16_t)(sizeof(h) + size) };

	put(r, &h, sizeof(h));
}

/* The header, and one event; the data follow. */
static void begin(struct recording *r)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID,
		.sample_period = 1,
	};
	uint64_t entry = sizeof(attr) + 16, at = 104 + entry;

	memset(r, 0, sizeof(*r));
	put(r, "PERFILE2", 8);
	put64(r, 104);
	put64(r, entry);
	put64(r, 104); /* attributes */
	put64(r, entry);
	put64(r, at); /* data; their size comes later */
	put64(r, 0);
	for (int i = 0; i < 6; i++)
		put64(r, 0); /* event types, features */
	put(r, &attr, sizeof(attr));
	put64(r, 0);
	put64(r, 0);
}

/* A map of the whole file, and samples all over it. */
static void put_samples(struct recording *r, size_t size)
{
	static const char name[16] = "/fuzzed";
	const uint32_t ids[2] = { 1, 1 };
	uint64_t data = r->size;

	put_record(r, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER, 8 + 24 + sizeof(name));
	put(r, ids, sizeof(ids));
	put64(r, START);
	put64(r, (size + 4095) & ~(size_t)4095);
	put64(r, 0);
	put(r, name, sizeof(name));
	for (uint64_t i = 0; i < SAMPLES; i++) {
		put_record(r, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, 16);
		put64(r, START + size * i / SAMPLES);
		put(r, ids, sizeof(ids));
	}
	data = r->size - data;
	memcpy(r->bytes + 48, &data, sizeof(data));
}

static char directory[] = "/tmp/fuzz-XXXXXX";

static void clean(void)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/fuzzed", directory);
	unlink(path);
	rmdir(directory);
}

static void write_object(const uint8_t *data, size_t size)
{
	char path[64];
	int fd;

	if (strstr(directory, "XXXXXX")) {
		fuzz_check(mkdtemp(directory) != NULL, "a directory for the object");
		atexit(clean);
	}
	snprintf(path, sizeof(path), "%s/fuzzed", directory);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	fuzz_check(fd >= 0 && write(fd, data, size) == (ssize_t)size, "an object");
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct recording r;
	struct ff_profile *p;

	write_object(data, size);
	begin(&r);
	put_samples(&r, size);
	p = fuzz_new(FF_SRCLINE | FF_MARK_INLINED | FF_PLACES, directory);
	fuzz_end(p, ff_profile_read_memory(p, r.bytes, r.size, "fuzzed"));
	return 0;
}

/*
 * Bytes anywhere in a file mostly break its section table, and that is all they do. So
 * most mutations stay inside of one section.
 */
extern size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size)
	__attribute__((weak));

static bool section_of(const uint8_t *data, size_t size, unsigned seed, Elf64_Shdr *ret)
{
	Elf64_Ehdr head;

	if (size < sizeof(head))
		return false;
	memcpy(&head, data, sizeof(head));
	if (head.e_shnum < 2 || head.e_shoff > size ||
	    (size - head.e_shoff) / sizeof(*ret) < head.e_shnum)
		return false;
	memcpy(ret, data + head.e_shoff + seed % head.e_shnum * sizeof(*ret),
	       sizeof(*ret));
	return ret->sh_size > 0 && ret->sh_offset < size &&
	       ret->sh_size <= size - ret->sh_offset;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
			       unsigned int seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
			       unsigned int seed)
{
	Elf64_Shdr s;

	if (!LLVMFuzzerMutate)
		return size;
	if (seed % 8 == 0 || !section_of(data, size, seed / 8, &s))
		return LLVMFuzzerMutate(data, size, max_size);
	LLVMFuzzerMutate(data + s.sh_offset, s.sh_size, s.sh_size);
	return size;
}
