/*
 * Something to profile: workload SECONDS. Makes documents, and for each one parses,
 * sorts, indexes, compresses and saves it. Every step is a function of its own, so that
 * the graph is easy to read; nothing hot is left to the C library, so that frame
 * pointers lead through all of it.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define STEP static __attribute__((noinline))

/* gcc leaves frame pointers out of functions that call nothing, whatever its options
 * say: their callers would be missing from the stacks. */
#define KEEP_FRAME() __asm__ volatile("" : : "r"(__builtin_frame_address(0)))

enum {
	RECORDS = 4000,
	TEXT_ROOM = RECORDS * 24,
	SLOTS = 1 << 13,
	MATCH_SLOTS = 1 << 12,
};

struct record {
	uint32_t key;
	uint32_t amount;
};

struct document {
	char text[TEXT_ROOM];
	size_t length;
	struct record records[RECORDS], spare[RECORDS];
	uint32_t index[SLOTS];
	const char *recent[MATCH_SLOTS]; /* where a word was seen last */
	uint8_t packed[2 * TEXT_ROOM];
	size_t packed_length;
};

static uint32_t random_state = 1;

STEP uint32_t next_random(void)
{
	KEEP_FRAME();
	random_state ^= random_state << 13;
	random_state ^= random_state >> 17;
	random_state ^= random_state << 5;
	return random_state;
}

STEP size_t print_number(char *to, uint32_t n)
{
	char digits[10];
	size_t count = 0;

	KEEP_FRAME();
	do
		digits[count++] = (char)('0' + n % 10);
	while (n /= 10);
	for (size_t i = 0; i < count; i++)
		to[i] = digits[count - 1 - i];
	return count;
}

STEP void make_document(struct document *d)
{
	d->length = 0;
	for (size_t i = 0; i < RECORDS; i++) {
		d->length += print_number(d->text + d->length, next_random() % 1000000);
		d->text[d->length++] = '=';
		d->length += print_number(d->text + d->length, next_random() % 5000);
		d->text[d->length++] = '\n';
	}
}

STEP const char *parse_number(const char *p, uint32_t *ret)
{
	KEEP_FRAME();
	*ret = 0;
	while (*p >= '0' && *p <= '9')
		*ret = *ret * 10 + (uint32_t)(*p++ - '0');
	return p;
}

STEP const char *parse_record(const char *p, struct record *ret)
{
	p = parse_number(p, &ret->key);
	p = parse_number(p + 1, &ret->amount);
	return p + 1;
}

STEP void parse_document(struct document *d)
{
	const char *p = d->text;

	for (size_t i = 0; i < RECORDS; i++)
		p = parse_record(p, &d->records[i]);
}

STEP void merge_runs(const struct record *a, size_t half, size_t count, struct record *to)
{
	size_t left = 0, right = half;

	KEEP_FRAME();
	for (size_t i = 0; i < count; i++) {
		if (right == count || (left < half && a[left].key <= a[right].key))
			to[i] = a[left++];
		else
			to[i] = a[right++];
	}
}

STEP void sort_records(struct record *a, struct record *spare, size_t count)
{
	if (count < 2)
		return;
	sort_records(a, spare, count / 2);
	sort_records(a + count / 2, spare, count - count / 2);
	merge_runs(a, count / 2, count, spare);
	for (size_t i = 0; i < count; i++)
		a[i] = spare[i];
}

STEP uint32_t hash_key(uint32_t key)
{
	KEEP_FRAME();
	for (int round = 0; round < 8; round++)
		key = (key ^ key >> 15) * 0x2c1b3c6d;
	return key;
}

STEP void index_records(struct document *d)
{
	for (size_t i = 0; i < SLOTS; i++)
		d->index[i] = 0;
	for (uint32_t i = 0; i < RECORDS; i++) {
		uint32_t slot = hash_key(d->records[i].key) % SLOTS;

		while (d->index[slot] != 0)
			slot = (slot + 1) % SLOTS;
		d->index[slot] = i + 1;
	}
}

STEP size_t match_length(const char *a, const char *b, const char *end)
{
	size_t n = 0;

	KEEP_FRAME();
	while (b + n < end && a[n] == b[n] && n < 255)
		n++;
	return n;
}

STEP const char *find_match(const char *p, const char **recent)
{
	uint32_t word;
	const char **slot, *found;

	memcpy(&word, p, sizeof(word));
	slot = &recent[hash_key(word) % MATCH_SLOTS];
	found = *slot;
	*slot = p;
	return found;
}

STEP void compress_document(struct document *d)
{
	const char *p = d->text, *end = d->text + d->length;
	uint8_t *out = d->packed;

	memset(d->recent, 0, sizeof(d->recent));
	while (p + sizeof(uint32_t) <= end) {
		const char *match = find_match(p, d->recent);
		size_t length = match ? match_length(match, p, end) : 0;

		if (length >= 4) {
			*out++ = 0xff;
			*out++ = (uint8_t)length;
			p += length;
		} else {
			*out++ = (uint8_t)*p++;
		}
	}
	d->packed_length = (size_t)(out - d->packed);
}

STEP void save_document(const struct document *d, int file)
{
	for (size_t done = 0; done < d->packed_length; done += 4096) {
		if (pwrite(file, d->packed + done, 4096, (off_t)done) != 4096)
			abort();
	}
}

STEP void handle_document(struct document *d, int file)
{
	make_document(d);
	parse_document(d);
	sort_records(d->records, d->spare, RECORDS);
	index_records(d);
	compress_document(d);
	save_document(d, file);
}

STEP double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	double end = now() + (argc > 1 ? atof(argv[1]) : 3);
	struct document *d = calloc(1, sizeof(*d));
	FILE *file = tmpfile();

	if (!d || !file)
		return 1;
	while (now() < end)
		handle_document(d, fileno(file));
	fclose(file);
	free(d);
	return 0;
}
