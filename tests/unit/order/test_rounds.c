#include "order/order.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Its bytes are its tag, so that it can be seen that they are there still. */
static void add(struct rounds *r, uint64_t time, uint64_t tag)
{
	cr_assert_eq(rounds_add(r, time, tag, &tag, sizeof(tag)), 0);
}

/* The tags of what can go, as text. */
static const char *gone(struct rounds *r)
{
	static char text[256];
	struct round_item item;
	uint64_t tag;

	text[0] = '\0';
	while (rounds_next(r, &item)) {
		memcpy(&tag, item.bytes, sizeof(tag));
		cr_assert_eq(tag, item.tag);
		sprintf(text + strlen(text), "%s%d", *text ? " " : "", (int)tag);
	}
	return text;
}

static const char *end_round(struct rounds *r)
{
	cr_assert_eq(rounds_end_round(r), 0);
	return gone(r);
}

static const char *end_input(struct rounds *r)
{
	cr_assert_eq(rounds_end_input(r), 0);
	return gone(r);
}

Test(rounds, what_is_of_no_time_goes_behind_its_round)
{
	struct rounds r;

	rounds_init(&r);
	add(&r, TIME_NEVER + 1, 9);
	add(&r, 10, 1);
	add(&r, TIME_NEVER, 8);
	add(&r, 20, 2);
	cr_expect_str_eq(end_round(&r), "");
	/* It is no clock: what comes is not late, and not out before its time. */
	add(&r, 15, 3);
	add(&r, 30, 4);
	cr_expect_str_eq(end_round(&r), "1 3 9 8 2");
	add(&r, TIME_NEVER, 7);
	add(&r, 25, 5);
	cr_expect_str_eq(end_input(&r), "5 4 7");
	cr_expect_eq(r.late, 0);
	rounds_release(&r);
}

Test(rounds, a_round_goes_out_at_the_end_of_the_next_one)
{
	struct rounds r;

	rounds_init(&r);
	add(&r, 10, 1);
	add(&r, 30, 3);
	add(&r, 20, 2); /* of another ring */
	add(&r, 40, 4);
	cr_expect_str_eq(end_round(&r), "");
	add(&r, 35, 5);
	add(&r, 45, 6);
	cr_expect_str_eq(end_round(&r), "1 2 3 5 4");
	add(&r, 50, 7);
	cr_expect_str_eq(end_input(&r), "6 7");
	cr_expect_eq(r.late, 0);
	rounds_release(&r);
}

Test(rounds, equal_times_keep_the_order_of_the_stream)
{
	struct rounds r;

	rounds_init(&r);
	for (uint64_t tag = 0; tag < 6; tag++)
		add(&r, tag % 2 ? 7 : 5, tag);
	end_round(&r);
	add(&r, 7, 6);
	add(&r, 5, 7);
	cr_expect_str_eq(end_round(&r), "0 2 4 7 1 3 5 6");
	rounds_release(&r);
}

Test(rounds, held_ones_go_out_as_if_they_were_one)
{
	struct rounds r;

	rounds_init(&r);
	add(&r, 10, 1);
	rounds_hold_round(&r);
	add(&r, 30, 3);
	add(&r, 20, 2);
	rounds_hold_round(&r);
	add(&r, 25, 4);
	add(&r, 40, 5);
	/* What the round before had is complete, this one is not. */
	cr_expect_str_eq(end_round(&r), "1 2 4 3");
	rounds_hold_round(&r);
	add(&r, 50, 6);
	rounds_hold_round(&r);
	cr_expect_str_eq(end_round(&r), "5 6");
	add(&r, 60, 7);
	cr_expect_str_eq(end_input(&r), "7");
	cr_expect_eq(r.late, 0);
	rounds_release(&r);
}

/* Rings of processors in turn, as many as a pass finds; held for any number of passes. */
Test(rounds, all_goes_out_once_and_in_order)
{
	enum { RINGS = 5, PASSES = 400 };
	uint64_t last = 0, tag = 0, out = 0, until = 0;
	struct round_item item;
	struct rounds r;

	srand(1);
	rounds_init(&r);
	for (int pass = 0; pass < PASSES; pass++) {
		for (int ring = 0; ring < RINGS; ring++) {
			uint64_t time = until;

			for (int n = rand() % 20; n > 0; n--)
				add(&r, time += (uint64_t)(rand() % 9), tag++);
		}
		until += 180; /* no later record is older */
		if (rand() % 3) {
			rounds_hold_round(&r);
			continue;
		}
		cr_assert_eq(rounds_end_round(&r), 0);
		for (; rounds_next(&r, &item); out++) {
			cr_assert_geq(item.time, last);
			cr_assert_eq(memcmp(item.bytes, &item.tag, sizeof(item.tag)), 0);
			last = item.time;
		}
	}
	cr_assert_eq(rounds_end_input(&r), 0);
	for (; rounds_next(&r, &item); out++) {
		cr_assert_geq(item.time, last);
		last = item.time;
	}
	cr_expect_eq(out, tag);
	cr_expect_eq(r.late, 0);
	rounds_release(&r);
}
