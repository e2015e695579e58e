#include "weight/deferred.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>

/* A kind of its own: how many samples a stack had in each second. */
#define SECOND ((uint64_t)1000000000)

static uint64_t cell_key(const struct deferred_event *e)
{
	return hash_u64(e->time / SECOND) + e->node;
}

/* What was settled, as "1:7 2:7": seconds and stacks. */
struct settlement {
	char order[128];
	size_t size;
};

static int settle_cell(struct deferred_event *e, const struct deferred_event *before,
		       struct settlement *to)
{
	to->size += (size_t)snprintf(to->order + to->size, sizeof(to->order) - to->size,
				     "%s%" PRIu64 ":%u", to->size ? " " : "",
				     e->time / SECOND, e->node);
	e->fields[0] = 1 + (before ? before->fields[0] : 0);
	return 1;
}

static const struct deferred_kind cells = {
	.name = "cells of samples",
	.fields = sizeof(uint64_t),
	.adds_up = true,
	.key = cell_key,
	.settle = settle_cell,
};

static void add(struct deferred_queue *q, uint64_t time, uint64_t position, uint32_t node)
{
	struct deferred_event *e;

	cr_assert_eq(deferred_queue_add(q, NULL, &e), 1);
	e->time = time;
	e->position = position;
	e->node = node;
}

static uint64_t count_of(struct deferred_queue *q, uint64_t second, uint32_t node)
{
	for (size_t i = 0; i < deferred_queue_open(q); i++) {
		const struct deferred_event *e = deferred_queue_open_at(q, i);

		if (e->time / SECOND == second && e->node == node)
			return e->fields[0];
	}
	return 0;
}

Test(deferred, events_are_settled_in_order_of_time_then_of_position)
{
	struct deferred_queue q = { .kind = &cells };
	struct settlement to = { .size = 0 };

	add(&q, 3 * SECOND, 1, 1);
	add(&q, 1 * SECOND, 9, 2);
	add(&q, 1 * SECOND, 4, 3);
	add(&q, 1 * SECOND, 4, 4);
	cr_assert_eq(deferred_queue_settle(&q, &to, UINT64_MAX), 0);
	cr_expect_str_eq(to.order, "1:3 1:4 1:2 3:1");
	deferred_queue_release(&q);
}

Test(deferred, what_is_open_stays_open_from_one_pass_to_the_next)
{
	struct deferred_queue q = { .kind = &cells };
	struct settlement to = { .size = 0 };

	add(&q, 100, 1, 7);
	cr_assert_eq(deferred_queue_settle(&q, &to, UINT64_MAX), 0);
	add(&q, 200, 2, 7);
	add(&q, SECOND, 3, 7);
	cr_assert_eq(deferred_queue_settle(&q, &to, UINT64_MAX), 0);
	cr_expect_eq(count_of(&q, 0, 7), 2);
	cr_expect_eq(count_of(&q, 1, 7), 1);
	deferred_queue_release(&q);
}

Test(deferred, what_is_not_old_enough_waits_for_the_next_pass)
{
	struct deferred_queue q = { .kind = &cells };
	struct settlement to = { .size = 0 };
	/* In runs: 1 3 6 | 2 4 5 */
	static const uint64_t times[] = { 1, 3, 6, 2, 4, 5 };

	for (uint32_t i = 0; i < 6; i++)
		add(&q, times[i] * SECOND, i, i + 1);
	cr_assert_eq(deferred_queue_settle(&q, &to, 4 * SECOND), 0);
	cr_expect_str_eq(to.order, "1:1 2:4 3:2");
	cr_expect_eq(deferred_queue_count(&q), 3);
	cr_expect_eq(deferred_queue_at(&q, 0)->node, 3);
	cr_expect_eq(deferred_queue_at(&q, 1)->node, 5);
	cr_expect_eq(deferred_queue_at(&q, 2)->node, 6);
	/* Of the same time as one that waits, and before it in the input. */
	add(&q, 5 * SECOND, 1, 9);
	cr_assert_eq(deferred_queue_settle(&q, &to, UINT64_MAX), 0);
	cr_expect_str_eq(to.order, "1:1 2:4 3:2 4:5 5:9 5:6 6:3");
	cr_expect_eq(deferred_queue_count(&q), 0);
	add(&q, UINT64_MAX, 1, 2);
	to.size = 0;
	cr_assert_eq(deferred_queue_settle(&q, &to, UINT64_MAX), 0);
	cr_expect_gt(to.size, 0, "all is all");
	deferred_queue_release(&q);
}

Test(deferred, what_is_taken_over_follows_its_stacks_and_leaves_room_for_more)
{
	struct deferred_queue q = { .kind = &cells }, other = { .kind = &cells };
	const uint32_t map[] = { 0, 7, 4 };
	struct budget budget;
	struct deferred_event *e;
	uint64_t left_out, used;

	budget_init(&budget, 1 << 20);
	for (int round = 0; round < 50; round++) {
		for (uint32_t i = 0; i < 600; i++) {
			cr_assert_eq(deferred_queue_add(&other, &budget, &e), 1);
			e->time = i;
			e->node = 1 + i % 2;
		}
		cr_assert_eq(deferred_queue_take(&q, &other, map, &left_out), 0);
		cr_expect_eq(left_out, 0);
		cr_expect_eq(deferred_queue_count(&other), 0);
		cr_expect_eq(deferred_queue_at(&q, 0)->node, 7);
		cr_expect_eq(deferred_queue_at(&q, 1)->node, 4);
		used = budget.used;
		q.events.count = 0;
	}
	cr_expect_eq(used, budget.used);
	/* There is no room for all of these. */
	for (uint32_t i = 0; i < 1024; i++) {
		cr_assert_eq(deferred_queue_add(&other, &budget, &e), 1);
		e->time = 1000 + i;
	}
	budget.most = budget.used;
	for (uint32_t i = 0; i < 900; i++)
		add(&q, 5, 1, 1);
	q.budget = &budget;
	cr_assert_eq(deferred_queue_take(&q, &other, map, &left_out), 0);
	cr_expect_eq(left_out, 900);
	cr_expect(deferred_queue_has_gap(&q, 1200, 1201));
	cr_expect(!deferred_queue_has_gap(&q, 10, 1000));
	deferred_queue_release(&q);
	deferred_queue_release(&other);
	cr_expect_eq(budget.used, 0);
	budget_release(&budget);
}

Test(deferred, events_follow_their_stacks_into_another_queue)
{
	struct deferred_queue q = { .kind = &cells }, other = { .kind = &cells };
	struct settlement to = { .size = 0 };
	const uint32_t map[] = { 0, 7 };

	add(&q, 100, 1, 7);
	add(&other, 50, 2, 1);
	cr_assert_eq(deferred_queue_merge(&q, &other, map, 0), 0);
	cr_assert_eq(deferred_queue_settle(&q, &to, UINT64_MAX), 0);
	cr_expect_str_eq(to.order, "0:7 0:7");
	cr_expect_eq(count_of(&q, 0, 7), 2);
	deferred_queue_release(&q);
}

Test(deferred, open_events_of_stacks_that_become_one_add_up)
{
	struct deferred_queue q = { .kind = &cells };
	struct settlement to = { .size = 0 };
	const uint32_t map[] = { 0, 5, 5, 3 };

	for (uint32_t node = 1; node < 4; node++)
		add(&q, node, node, node);
	cr_assert_eq(deferred_queue_settle(&q, &to, UINT64_MAX), 0);
	cr_assert_eq(deferred_queue_remap(&q, map), 0);
	cr_expect_eq(deferred_queue_open(&q), 2);
	cr_expect_eq(count_of(&q, 0, 5), 2);
	cr_expect_eq(count_of(&q, 0, 3), 1);
	deferred_queue_release(&q);
}

Test(deferred, events_wait_as_long_as_the_budget_has_memory)
{
	struct deferred_queue q = { .kind = &cells };
	struct deferred_event *e;
	struct budget budget;
	size_t count = 0;

	budget_init(&budget, 1 << 20);
	while (deferred_queue_add(&q, &budget, &e) > 0)
		count++;
	cr_expect_gt(count, 1000);
	cr_expect_leq(count * 3 * 40, 1 << 20);
	deferred_queue_release(&q);
	cr_expect_eq(budget.used, 0);
	budget_release(&budget);
}

/* A kind that only says in which order it was settled. */
static struct {
	uint64_t time, position, number;
} * settled;
static size_t settled_count;

static uint64_t number_key(const struct deferred_event *e)
{
	return e->fields[0];
}

static int settle_number(struct deferred_event *e, const struct deferred_event *before,
			 struct settlement *to)
{
	(void)before;
	(void)to;
	settled[settled_count].time = e->time;
	settled[settled_count].position = e->position;
	settled[settled_count++].number = e->fields[0];
	return 0;
}

static const struct deferred_kind numbers = {
	.name = "numbers",
	.fields = sizeof(uint64_t),
	.key = number_key,
	.settle = settle_number,
};

/* By time, then position, then as they came. */
static int compare_settled(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	for (int i = 0; i < 3; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

/* @runs: in how many parts, each in order, the times are; 0: in none. */
static void check_order(size_t count, uint64_t times, size_t runs)
{
	struct deferred_queue q = { .kind = &numbers };
	uint64_t(*expected)[3] = calloc(count + 1, sizeof(*expected));
	size_t run = runs ? count / runs + 1 : 1;

	settled = calloc(count + 1, sizeof(*settled));
	settled_count = 0;
	for (size_t i = 0; i < count; i++) {
		struct deferred_event *e;

		expected[i][0] = runs ? i % run * times / run : (uint64_t)rand() % times;
		/* Two steps of one sample have one position. */
		expected[i][1] = runs ? i / 2 : (uint64_t)rand() % 4;
		expected[i][2] = i;
		cr_assert_eq(deferred_queue_add(&q, NULL, &e), 1);
		e->time = expected[i][0];
		e->position = expected[i][1];
		e->fields[0] = i;
	}
	qsort(expected, count, sizeof(*expected), compare_settled);
	cr_assert_eq(deferred_queue_settle(&q, NULL, UINT64_MAX), 0);
	cr_assert_eq(settled_count, count);
	cr_expect_arr_eq(settled, expected, count * sizeof(*expected));
	deferred_queue_release(&q);
	free(settled);
	free(expected);
}

Test(deferred, any_order_is_settled_as_sorting_has_it)
{
	srand(3);
	for (size_t count = 0; count < 40; count++)
		for (uint64_t times = 1; times < 20; times += 6)
			check_order(count, times, 0);
	check_order(10000, 1000000, 0);
	check_order(10000, 50, 0);
	check_order(10000, 1, 0);
}

Test(deferred, runs_that_are_in_order_are_merged)
{
	for (size_t runs = 1; runs < 20; runs++)
		check_order(5003, 3000, runs);
	check_order(1000, 900, 500);
	check_order(1000, 900, 1000);
}

/* What it says itself is open from now on, or nothing is. */
static int settle_as_said(struct deferred_event *e, const struct deferred_event *before,
			  struct settlement *to)
{
	(void)to;
	cr_expect_eq(before != NULL, e->behind);
	return e->what;
}

static const struct deferred_kind said = {
	.name = "what is said",
	.fields = sizeof(uint64_t),
	.key = number_key,
	.settle = settle_as_said,
};

static void add_said(struct deferred_queue *q, uint64_t time, uint64_t key, bool opens)
{
	struct deferred_event *e;

	cr_assert_eq(deferred_queue_add(q, NULL, &e), 1);
	e->time = time;
	e->fields[0] = key;
	e->what = opens;
	e->behind = !opens;
}

Test(deferred, what_is_not_open_any_more_takes_no_place_for_ever)
{
	struct deferred_queue q = { .kind = &said };
	uint64_t time = 0;

	/* 10 stay open, 100,000 come and go, and one of them again and again. */
	for (uint64_t key = 0; key < 10; key++)
		add_said(&q, ++time, key, true);
	for (uint64_t key = 10; key < 100010; key++) {
		add_said(&q, ++time, key, true);
		add_said(&q, ++time, key, false);
		add_said(&q, ++time, 10, true);
		add_said(&q, ++time, 10, false);
	}
	cr_assert_eq(deferred_queue_settle(&q, NULL, UINT64_MAX), 0);
	cr_expect_leq(q.open.count, (size_t)200 * 5);
	cr_expect_eq(deferred_queue_open(&q), 10);
	for (uint64_t key = 0; key < 12; key++) {
		const struct deferred_event *e = deferred_queue_find(&q, key, 0);

		cr_expect_eq(e != NULL, key < 10);
		cr_expect(!e || (e->fields[0] == key && e->time == key + 1));
	}
	for (size_t i = 0; i < 10; i++)
		cr_expect_lt(deferred_queue_open_at(&q, i)->fields[0], 10);
	deferred_queue_drop(&q, 3, 0);
	deferred_queue_drop(&q, 3, 0);
	cr_expect_null(deferred_queue_find(&q, 3, 0));
	cr_expect_eq(deferred_queue_open(&q), 9);
	cr_expect_eq(deferred_queue_find(&q, 9, 0)->fields[0], 9);
	deferred_queue_release(&q);
}
