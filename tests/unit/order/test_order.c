#include "order/order.h"

#include <criterion/criterion.h>

#include "unit/limit.h"

static void add(struct order *o, uint64_t time, uint64_t position)
{
	struct record rec = { .time = time,
			      .position = position,
			      .type = PERF_RECORD_COMM };

	cr_assert_eq(order_add(o, &rec), 0);
}

/* What comes out, in order: positions. */
static size_t drain(struct order *o, uint64_t *positions, size_t room)
{
	const struct record *rec;
	size_t n = 0;
	int err;

	order_end_input(o);
	while ((err = order_next(o, &rec)) == 1) {
		cr_assert_lt(n, room);
		positions[n++] = rec->position;
	}
	cr_assert_eq(err, 0);
	cr_assert_eq(order_next(o, &rec), 0, "the end stays the end");
	return n;
}

Test(order, gives_records_by_time_whatever_order_they_came_in)
{
	uint64_t times[] = { 50, 10, 40, 20, 30, 0, UINT64_MAX };
	uint64_t expected[] = { 5, 1, 3, 4, 2, 0, 6 }, got[7];
	struct order o;

	order_init(&o);
	for (uint64_t i = 0; i < 7; i++)
		add(&o, times[i], i);
	cr_assert_eq(drain(&o, got, 7), 7);
	cr_assert_arr_eq(got, expected, sizeof(got));
	order_release(&o);
}

Test(order, keeps_input_order_of_equal_times)
{
	enum { COUNT = 5000 };
	static uint64_t got[COUNT];
	struct order o;
	uint64_t i;

	order_init(&o);
	/* Later times first, so that something has to be moved. */
	for (i = 0; i < COUNT; i++)
		add(&o, 10 - i / (COUNT / 10), i);
	cr_assert_eq(drain(&o, got, COUNT), COUNT);
	for (i = 0; i < COUNT; i++) {
		uint64_t group = 9 - i / (COUNT / 10);

		cr_assert_eq(got[i], group * (COUNT / 10) + i % (COUNT / 10));
	}
	order_release(&o);
}

Test(order, records_that_come_in_order_stay_as_they_are)
{
	uint64_t got[3], expected[] = { 100, 200, 300 };
	struct order o;

	order_init(&o);
	add(&o, 1, 100);
	add(&o, 1, 200);
	add(&o, 2, 300);
	cr_assert_eq(drain(&o, got, 3), 3);
	cr_assert_arr_eq(got, expected, sizeof(got));
	order_release(&o);
}

Test(order, one_late_record_at_the_end_comes_first)
{
	uint64_t got[3], expected[] = { 300, 100, 200 };
	struct order o;

	order_init(&o);
	add(&o, 2, 100);
	add(&o, 3, 200);
	add(&o, 1, 300);
	cr_assert_eq(drain(&o, got, 3), 3);
	cr_assert_arr_eq(got, expected, sizeof(got));
	order_release(&o);
}

Test(order, copies_the_whole_record)
{
	struct record rec = {
		.time = 7,
		.position = 8,
		.type = PERF_RECORD_MMAP,
		.mode = MODE_KERNEL,
		.executable = true,
		.build_id_size = 20,
		.build_id = { 1, 2, 3 },
		.pid = 9,
		.tid = 10,
		.name = 11,
		.maj = 12,
		.min = 13,
		.ino = 14,
		.generation = 15,
		.start = 16,
		.size = 17,
		.offset = 18,
	};
	struct record copy = rec;
	const struct record *got;
	struct order o;

	order_init(&o);
	cr_assert_eq(order_add(&o, &rec), 0);
	memset(&rec, 0xff, sizeof(rec));
	add(&o, 1, 1);
	order_end_input(&o);
	cr_assert_eq(order_next(&o, &got), 1);
	cr_assert_eq(order_next(&o, &got), 1);
	cr_assert_eq(got->time, copy.time);
	cr_assert(got->type == copy.type && got->mode == copy.mode && got->executable);
	cr_assert_arr_eq(got->build_id, copy.build_id, BUILD_ID_MAX);
	cr_assert(got->pid == 9 && got->tid == 10 && got->name == 11);
	cr_assert(got->ino == 14 && got->generation == 15);
	cr_assert(got->start == 16 && got->size == 17 && got->offset == 18);
	order_release(&o);
}

Test(order, an_empty_one_ends_at_once)
{
	uint64_t got[1];
	struct order o;

	order_init(&o);
	cr_assert_eq(drain(&o, got, 1), 0);
	order_release(&o);
	order_release(&o);
}

Test(order, many_records_in_the_worst_order_are_fast)
{
	work_at_most(20);
	enum { COUNT = 1000000 };
	const struct record *rec;
	uint64_t last = 0;
	struct order o;
	size_t n = 0;

	order_init(&o);
	for (uint64_t i = 0; i < COUNT; i++)
		add(&o, (COUNT - i) ^ (i & 1 ? 0x5555 : 0), i);
	order_end_input(&o);
	for (; order_next(&o, &rec) == 1; n++) {
		cr_assert_geq(rec->time, last);
		last = rec->time;
	}
	cr_assert_eq(n, COUNT);
	order_release(&o);
}
