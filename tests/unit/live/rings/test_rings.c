#include "live/rings/rings.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 4096, HEAD = sizeof(struct perf_event_header) };

static struct rings rings;
static uint8_t data[2][SIZE];
static struct perf_event_mmap_page *pages[2];

/* Rings whose memory is ours: rings_release() would unmap it. */
static void begin(void)
{
	rings = (struct rings){ .size = SIZE, .straddling = malloc(1 << 16) };
	for (int i = 0; i < 2; i++) {
		struct ring *ring = array_add(&rings.list);

		pages[i] = calloc(1, sizeof(*pages[i]));
		*ring = (struct ring){ .page = pages[i], .data = data[i], .cpu = i };
	}
}

static void end(void)
{
	free(rings.straddling);
	free(pages[0]);
	free(pages[1]);
	array_release(&rings.list);
}

TestSuite(rings, .init = begin, .fini = end);

/* As the kernel writes them: @fill in all bytes behind the head. */
static void put(int ring, uint16_t size, uint8_t fill)
{
	struct perf_event_header head = { .type = 9, .size = size };
	uint8_t record[SIZE];

	memset(record, fill, sizeof(record));
	memcpy(record, &head, HEAD);
	for (uint16_t i = 0; i < size; i++)
		data[ring][(pages[ring]->data_head + i) % SIZE] = record[i];
	pages[ring]->data_head += size;
}

static void next_is(uint16_t size, uint8_t fill)
{
	const uint8_t *bytes;
	uint32_t got;

	cr_assert_eq(rings_next(&rings, &bytes, &got), 1);
	cr_assert_eq(got, size);
	for (uint16_t i = HEAD; i < size; i++)
		cr_assert_eq(bytes[i], fill, "byte %d is %d", i, bytes[i]);
}

static void pass_ends(void)
{
	const uint8_t *bytes;
	uint32_t got;

	cr_assert_eq(rings_next(&rings, &bytes, &got), 0);
}

Test(rings, a_pass_goes_over_all_of_them)
{
	put(0, 64, 1);
	put(1, 32, 2);
	put(0, 16, 3);
	next_is(64, 1);
	next_is(16, 3);
	next_is(32, 2);
	pass_ends();
	pass_ends();
	put(1, 24, 4);
	next_is(24, 4);
	pass_ends();
}

Test(rings, what_comes_during_a_pass_is_of_the_next_one)
{
	put(0, 64, 1);
	next_is(64, 1);
	put(0, 64, 2);
	put(1, 64, 3);
	pass_ends();
	next_is(64, 2);
	next_is(64, 3);
	pass_ends();
}

Test(rings, a_record_that_wraps_is_whole)
{
	for (int i = 0; i < 200; i++) {
		put(0, 1000, (uint8_t)i);
		next_is(1000, (uint8_t)i);
		pass_ends();
	}
}

Test(rings, the_kernel_gets_its_room_back_after_the_pass)
{
	put(0, 64, 1);
	next_is(64, 1);
	cr_expect_eq(pages[0]->data_tail, 0, "it is still in use");
	pass_ends();
	cr_expect_eq(pages[0]->data_tail, 64);
}

Test(rings, sizes_that_cannot_be_end_what_is_there)
{
	static const uint16_t sizes[] = { 0, 7, 72, 65535 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		put(0, 64, 1);
		memcpy(data[0] + (pages[0]->data_head - 64) % SIZE + 6, &sizes[i], 2);
		pass_ends();
		put(0, 64, 2);
		next_is(64, 2);
		pass_ends();
	}
}

Test(rings, the_fullest_of_a_pass_is_known)
{
	put(0, 1024, 1);
	put(1, 2048, 2);
	next_is(1024, 1);
	cr_expect_eq(rings.fullest, 50);
	next_is(2048, 2);
	pass_ends();
	pass_ends();
	cr_expect_eq(rings.fullest, 0);
}

Test(rings, where_a_thread_has_ended_another_one_is_waited_for)
{
	static const struct open_event opened[] = {
		{ 10, 0, 7, 0 }, { 11, 0, 7, 1 }, { 12, 0, 8, 0 },
		{ 13, 0, 8, 1 }, { 14, 1, 7, 0 },
	};

	for (size_t i = 0; i < sizeof(opened) / sizeof(*opened); i++)
		*(struct open_event *)array_add(&rings.opened) = opened[i];
	cr_expect_eq(rings_wait_on(&rings, 10), 12);
	cr_expect_eq(rings_wait_on(&rings, 12), 14);
	cr_expect_eq(rings_wait_on(&rings, 14), -1);
	cr_expect_eq(rings_wait_on(&rings, 11), 13);
	cr_expect_eq(rings_wait_on(&rings, 13), -1);
	cr_expect_eq(rings_wait_on(&rings, 99), -1);
	array_release(&rings.opened);
}

Test(rings, what_nobody_has_read_yet_can_be_asked_for)
{
	cr_assert_eq(rings_left(&rings), 0);
	pages[0]->data_head = SIZE / 4;
	pages[1]->data_head = 5 * SIZE + SIZE / 2;
	pages[1]->data_tail = 5 * SIZE;
	cr_assert_eq(rings_left(&rings), 50);
	pages[1]->data_tail = pages[1]->data_head;
	cr_assert_eq(rings_left(&rings), 25);
}
