#include "live/rings/readers.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { SIZE = 4096, RINGS = 3 };

static struct rings rings;
static uint8_t data[RINGS][SIZE];
static struct perf_event_mmap_page *pages[RINGS];
static struct readers *readers;
static struct context ctx;

static void begin(void)
{
	rings = (struct rings){ .size = SIZE };
	for (int i = 0; i < RINGS; i++) {
		struct ring *ring = array_add(&rings.list);

		pages[i] = calloc(1, sizeof(*pages[i]));
		*ring = (struct ring){ .page = pages[i],
				       .data = data[i],
				       .cpu = i,
				       .fd = eventfd(0, EFD_NONBLOCK) };
	}
	cr_assert_eq(readers_new(&ctx, &rings, 2, &readers), 0);
}

static void end(void)
{
	readers_free(readers);
	for (int i = 0; i < RINGS; i++) {
		close(rings.list.v[i].fd);
		free(pages[i]);
	}
	array_release(&rings.list);
}

TestSuite(readers, .init = begin, .fini = end);

/* As the kernel does: the data, then the head. Waits for room, and wakes the reader. */
static void put(int ring, uint16_t size, uint32_t number)
{
	struct perf_event_header head = { .type = number, .size = size };
	uint64_t at = pages[ring]->data_head, one = 1;
	uint8_t record[SIZE] = { 0 };

	while (at + size - __atomic_load_n(&pages[ring]->data_tail, __ATOMIC_ACQUIRE) >
	       SIZE)
		usleep(100);
	memcpy(record, &head, sizeof(head));
	for (uint16_t i = 0; i < size; i++)
		data[ring][(at + i) % SIZE] = record[i];
	__atomic_store_n(&pages[ring]->data_head, at + size, __ATOMIC_RELEASE);
	cr_assert_eq(write(rings.list.v[ring].fd, &one, sizeof(one)),
		     (ssize_t)sizeof(one));
}

static uint32_t next_type(void)
{
	struct perf_event_header head;
	const uint8_t *bytes;
	uint32_t size;
	int found = readers_next(readers, &bytes, &size);

	cr_assert_geq(found, 0);
	if (found == 0)
		return 0;
	memcpy(&head, bytes, sizeof(head));
	cr_assert_eq(head.size, size);
	return head.type;
}

Test(readers, a_pass_takes_what_is_in_the_rings_of_all)
{
	for (uint32_t i = 0; i < RINGS; i++)
		put((int)i, 64, i + 1);
	for (uint32_t i = 0; i < RINGS; i++)
		cr_expect_eq(next_type(), i + 1);
	cr_expect_eq(next_type(), 0);
	cr_expect_eq(next_type(), 0);
}

/* More than fits into the rings: only because they are emptied does it end. */
Test(readers, threads_empty_the_rings_meanwhile, .timeout = 900)
{
	uint32_t count = 0, type, last[RINGS] = { 0 };

	cr_assert_eq(readers_resume(&ctx, readers), 0);
	for (uint32_t i = 0; i < 3000; i++)
		put((int)(i % RINGS), 1000, i + 1);
	readers_pause(readers);
	while ((type = next_type())) {
		uint32_t *before = &last[(type - 1) % RINGS];

		cr_expect_gt(type, *before, "a ring's records keep their order");
		*before = type;
		count++;
	}
	cr_expect_eq(count, 3000);
}

Test(readers, a_pause_loses_nothing)
{
	cr_assert_eq(readers_resume(&ctx, readers), 0);
	put(0, 64, 1);
	readers_pause(readers);
	put(0, 64, 2);
	cr_assert_eq(readers_resume(&ctx, readers), 0);
	put(0, 64, 3);
	readers_pause(readers);
	for (uint32_t i = 1; i <= 3; i++)
		cr_expect_eq(next_type(), i);
	cr_expect_eq(next_type(), 0);
}

Test(readers, sizes_that_cannot_be_end_what_was_taken)
{
	uint16_t wrong = 4000;

	put(0, 64, 1);
	put(0, 64, 2);
	memcpy(data[0] + 64 + 6, &wrong, sizeof(wrong));
	put(1, 64, 3);
	cr_expect_eq(next_type(), 1);
	cr_expect_eq(next_type(), 3);
	cr_expect_eq(next_type(), 0);
}
