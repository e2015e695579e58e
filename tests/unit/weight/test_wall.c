#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>

#include "weight/weight.h"

/* Events are queued as workers and readers of records do it, and settled in one batch or several. */
static struct intern strings;
static struct budget budget;
static struct trie trie;
static struct frames frames;
static struct weight_sum sum;
static struct sample_log sample_log;
static struct pair_counts pairs;
static struct wall_counts counts;
static struct deferred_queue queues[DEFERRED_KINDS];
static struct weight_options options;
static struct wall wall;
static struct recording rec;
static uint64_t position;

static void begin(void)
{
	cr_assert_eq(intern_init(&strings), 0);
	cr_assert_eq(trie_init(&trie), 0);
	budget_init(&budget, 1 << 28);
	for (int i = 0; i < DEFERRED_KINDS; i++)
		queues[i].kind = deferred_kinds[i];
	wall = (struct wall){ .weight = WALL_EXACT, .cpu = COLUMN_ROLES, .rec = &rec };
	cr_assert_eq(intern_add(&strings, "[waiting]", 9, &wall.waiting), 0);
	cr_assert_eq(intern_add(&strings, "[runqueue]", 10, &wall.runqueue), 0);
	cr_assert_eq(intern_add(&strings, "[not sampled]", 13, &wall.unsampled), 0);
}

static void end(void)
{
	for (int i = 0; i < DEFERRED_KINDS; i++)
		deferred_queue_release(&queues[i]);
	trie_release(&trie);
	frames_release(&frames);
	array_release(&rec.losses);
	intern_release(&strings);
	budget_release(&budget);
}

static struct settlement settlement(void)
{
	return (struct settlement){
		.target = { &trie, &sum, &sample_log, queues, &frames, &pairs, &counts,
			    NULL },
		.options = &options,
		.wall = &wall,
		.factor = 1,
	};
}

static void settle(void)
{
	struct settlement to = settlement();

	cr_assert_eq(deferred_queue_settle(&queues[DEFERRED_WALL], &to, UINT64_MAX), 0);
}

static void finish(void)
{
	struct settlement to = settlement();

	settle();
	cr_assert_eq(wall_end(&to), 0);
	cr_assert(weight_sum_conserved(&sum));
}

/* "app;work": the first one is a process. "": none. */
static uint32_t node_of(const char *stack)
{
	uint32_t path[8], count = 0, node = 0;

	while (*stack) {
		size_t size = strcspn(stack, ";");
		struct frame f = { .image = count ? 99 : IMAGE_ID_NAMES };
		uint32_t id;

		cr_assert_eq(intern_add(&strings, stack, size, &id), 0);
		f.address = id;
		cr_assert_geq(frames_add(&frames, &f, &path[count++]), 0);
		stack += size + (stack[size] != '\0');
	}
	cr_assert_eq(trie_add(&trie, path, count, &node), 0);
	return node;
}

static struct deferred_event *add(enum wall_what what, uint64_t time, uint32_t tid)
{
	struct deferred_event *e;

	cr_assert_eq(deferred_queue_add(&queues[DEFERRED_WALL], &budget, &e), 1);
	e->time = time;
	e->position = ++position;
	e->what = (uint8_t)what;
	*wall_event_of(e) = (struct wall_event){ .tid = tid, .pid = 7 };
	return e;
}

static void tick(uint64_t time, uint32_t tid, uint64_t period, const char *stack)
{
	uint32_t node = node_of(stack);
	struct deferred_event *e = add(WALL_TICK, time, tid);

	e->node = node;
	wall_event_of(e)->period = period;
}

static uint64_t column_of(const char *stack, uint32_t column)
{
	return trie_self(&trie, node_of(stack), column);
}

static uint64_t weight(const char *stack)
{
	return column_of(stack, COLUMN_WEIGHT);
}

Test(wall, a_column_has_the_cpu_time, .init = begin, .fini = end)
{
	add(WALL_IN, 1000, 7);
	add(WALL_IN, 1000, 8);
	tick(1100, 7, 100, "app;a");
	tick(1100, 8, 100, "app;b");
	add(WALL_OUT, 1100, 8);
	tick(1200, 7, 100, "app;a");
	add(WALL_OUT, 1200, 7);
	add(WALL_IN, 1300, 7);
	finish();
	cr_expect_eq(weight("app;a"), 150);
	cr_expect_eq(column_of("app;a", COLUMN_ROLES), 200);
	cr_expect_eq(weight("app;b"), 50);
	cr_expect_eq(column_of("app;b", COLUMN_ROLES), 100);
	cr_expect_eq(weight("app;[waiting]"), 0, "a frame of another kind");
	cr_expect_eq(sum.kept, 300);
}

/* A few more ns than W has room for: what is left of them must not pass for a weight. */
Test(wall, a_jump_of_days_is_no_time, .init = begin, .fini = end)
{
	const uint64_t later = (UINT64_C(1) << 48) + 5000;

	add(WALL_IN, 1000, 7);
	tick(1100, 7, 100, "app;a");
	tick(later, 7, 100, "app;a");
	tick(later + 100, 7, 100, "app;a");
	add(WALL_OUT, later + 200, 7);
	add(WALL_IN, later + 200, 8);
	finish();
	cr_expect_eq(weight("app;a"), 300);
	cr_expect_eq(counts.broken, 1);
}

/* Rounds of a stream, between which stacks get other nodes. */
Test(wall, batches_are_as_one, .init = begin, .fini = end)
{
	for (int i = 0; i < 4; i++) {
		uint64_t t = 1000 + 100 * (uint64_t)i;

		add(i % 2 ? WALL_OUT : WALL_IN, t, 8);
		if (i == 0)
			add(WALL_IN, t, 7);
		tick(t + 50, 7, 100, "app;a");
		settle();
	}
	finish();
	/* 8 runs from 1000 to 1100 and from 1200 to 1300 */
	cr_expect_eq(sum.kept, 350);
	cr_expect_eq(weight("app;a"), 25 + 25 + 50 + 50 + 25 + 25 + 50);
	cr_expect_eq(counts.repairs, 0);
}

Test(wall, stacks_that_are_known_follow_their_nodes, .init = begin, .fini = end)
{
	uint32_t map[64];
	struct deferred_event *e;

	node_of("app;elsewhere");
	add(WALL_IN, 1000, 7);
	tick(1100, 7, 100, "app;a");
	e = add(WALL_OUT, 1100, 7);
	settle();
	e = add(WALL_STACK, 1100, 7);
	e->node = node_of("app;wait");
	settle();
	for (uint32_t i = 0; i < 64; i++)
		map[i] = i;
	map[node_of("app;wait")] = node_of("app;b");
	map[node_of("app;a")] = node_of("app;b");
	cr_assert_eq(deferred_queue_remap(&queues[DEFERRED_WALL_STATE], map), 0);
	add(WALL_IN, 1300, 7);
	add(WALL_OUT, 1370, 7);
	finish();
	cr_expect_eq(weight("app;wait"), 0);
	/* what it waited in, and its last sample's */
	cr_expect_eq(weight("app;b"), 200 + 70);
}

static void lose(uint64_t from, uint64_t to)
{
	struct loss *loss = array_add(&rec.losses);

	cr_assert_not_null(loss);
	*loss = (struct loss){ from, to };
}

static size_t kept(enum wall_kept_what what)
{
	struct deferred_queue *state = &queues[DEFERRED_WALL_STATE];
	size_t count = 0;

	for (size_t i = 0; i < deferred_queue_open(state); i++)
		count += deferred_queue_open_at(state, i)->what == what;
	return count;
}

Test(wall, a_process_that_has_ended_takes_its_set_along, .init = begin, .fini = end)
{
	for (uint32_t i = 0; i < 100; i++) {
		add(WALL_IN, 1000 + 10 * i, 7);
		tick(1005 + 10 * i, 7, 5, "app;a");
		add(WALL_EXIT, 1006 + 10 * i, 7);
		if (i % 2)
			settle();
		cr_assert(i % 2 == 0 || kept(KEPT_SET) == 0);
	}
	finish();
	cr_expect_eq(sum.kept, 100 * 6);
	cr_expect_eq(counts.gap_time, 0);
}

Test(wall, an_exec_ends_the_threads_of_its_process_alone, .init = begin, .fini = end)
{
	static const enum wall_scope scopes[] = { WALL_PROCESS, WALL_SYSTEM };

	for (int round = 0; round < 2; round++) {
		wall.scope = scopes[round];
		for (uint32_t tid = 7; tid < 12; tid++) {
			add(WALL_IN, 1000, tid);
			wall_event_of(add(WALL_IN, 1000, 100 + tid))->pid = 107;
		}
		/* From the middle, and from both ends. */
		add(WALL_EXIT, 1010, 9);
		add(WALL_EXIT, 1010, 11);
		add(WALL_EXIT, 1010, 7);
		settle();
		cr_expect_eq(kept(KEPT_THREAD), 7);
		add(WALL_EXEC, 1020, 7);
		settle();
		cr_expect_eq(kept(KEPT_THREAD), 6);
		cr_expect_eq(kept(KEPT_THREADS), 2);
		add(WALL_EXIT, 1030, 7);
		wall_event_of(add(WALL_EXEC, 1040, 107))->pid = 107;
		settle();
		cr_expect_eq(kept(KEPT_THREAD), 1);
		cr_expect_eq(kept(KEPT_THREADS), 1);
		finish();
		deferred_queue_end_input(&queues[DEFERRED_WALL_STATE]);
	}
}

/* One that was not seen to begin may wait for the others. */
Test(wall, a_first_thread_that_was_never_seen_may_be_alive, .init = begin, .fini = end)
{
	add(WALL_IN, 1000, 8);
	add(WALL_EXIT, 1010, 8);
	add(WALL_IN, 1030, 7);
	tick(1040, 7, 10, "app;a");
	settle();
	cr_expect_eq(kept(KEPT_SET), 1);
	finish();
	cr_expect_eq(counts.gap_time, 20);
	/* 8's 10 ns have no sample, 7's has its own. */
	cr_expect_eq(sum.kept, 40);
}

Test(wall, a_number_that_is_forked_anew_is_another_thread, .init = begin, .fini = end)
{
	struct deferred_event *e;

	add(WALL_IN, 1000, 8);
	tick(1010, 8, 10, "app;a");
	/* Its end was not seen. Now it is one of process 9. */
	e = add(WALL_BORN, 1020, 8);
	wall_event_of(e)->pid = 9;
	tick(1050, 8, 10, "other;b");
	wall_event_of(deferred_queue_at(&queues[DEFERRED_WALL], 3))->pid = 9;
	add(WALL_IN, 1060, 9);
	wall_event_of(deferred_queue_at(&queues[DEFERRED_WALL], 4))->pid = 9;
	settle();
	cr_expect_eq(counts.repairs, 1);
	cr_expect_eq(weight("app;a"), 20);
	cr_expect_eq(weight("other;b"), 30, "from its fork on");
	cr_expect_eq(wall_kept_of(deferred_queue_find(&queues[DEFERRED_WALL_STATE],
						      wall_key(KEPT_THREAD, 8), 0))
			     ->thread.scope,
		     9);
}

Test(wall, what_may_not_have_run_for_a_record_was_lost_is_not_owed, .init = begin,
     .fini = end)
{
	lose(5000, 5001);
	/* It went out, which was lost, and comes again. */
	add(WALL_IN, 1000, 7);
	tick(1010, 7, 10, "app;a");
	add(WALL_IN, 9000, 7);
	tick(9004, 7, 10, "app;b");
	add(WALL_OUT, 9020, 7);
	settle();
	cr_expect_eq(weight("app;a"), 10);
	cr_expect_eq(weight("app;b"), 4);
	cr_expect_eq(counts.gap_time, 0);
	cr_expect_eq(counts.broken, 1);
	cr_expect_eq(counts.repairs, 1);
	/* A gap with a loss in it. */
	lose(9500, 9501);
	add(WALL_IN, 9900, 7);
	settle();
	cr_expect_eq(counts.gap_time, 0);
	cr_expect_eq(counts.broken, 2);
	/* Of a run that ends after one its last sample has nothing. */
	lose(9950, 9951);
	add(WALL_OUT, 9999, 7);
	finish();
	cr_expect_eq(counts.broken, 3);
	cr_expect_eq(weight("app;b"), 20);
	cr_expect_eq(sum.kept, 30);
}

Test(wall, after_a_loss_a_sample_stands_for_its_period, .init = begin, .fini = end)
{
	lose(5000, 5001);
	add(WALL_IN, 1000, 7);
	tick(1010, 7, 10, "app;a");
	tick(9000, 7, 10, "app;b");
	finish();
	cr_expect_eq(weight("app;b"), 10);
	cr_expect_eq(counts.broken, 1);
}

Test(wall, threads_that_no_memory_is_left_for_do_not_count, .init = begin, .fini = end)
{
	struct deferred_queue *state = &queues[DEFERRED_WALL_STATE];
	struct budget small;

	for (uint32_t i = 0; i < 20000; i++) {
		add(WALL_IN, 1000 + i, 100 + i);
		tick(1001 + i, 100 + i, 10, "app;a");
	}
	budget_init(&small, 1 << 20);
	queues[DEFERRED_WALL].budget = &small;
	finish();
	cr_expect_gt(sum.kept, 1000);
	cr_expect_leq(sum.kept, 20000);
	cr_expect_gt(state->open_refused, 0);
	/* And no sample of theirs is in no counter. */
	cr_expect_gt(sum.lost[LOST_DAMAGED], 1000);
	cr_expect_eq(sum.lost[LOST_DAMAGED] + deferred_queue_open(state) - 2, 20000);
	claim_release(&state->claim);
	budget_release(&small);
}

/* Whatever happens, a set's weights are the time from its first event to its last one. */
Test(wall, all_of_the_time_is_there, .init = begin, .fini = end)
{
	enum { THREADS = 9, STEPS = 4000 };
	uint64_t samples = 0;

	srand(1);
	for (int round = 0; round < 20; round++) {
		bool runs[THREADS] = { false };
		uint64_t time = 1000000, first = 0, running = 0, last = 0;

		sum = (struct weight_sum){ 0 };
		counts = (struct wall_counts){ 0 };
		for (int i = 0; i < STEPS; i++) {
			uint32_t t = (uint32_t)rand() % THREADS;
			/* Of a lost record the level is wrong, but the time is not. */
			bool lost = round > 10 && rand() % 50 == 0;

			time += (uint64_t)rand() % 1000 + 1;
			if (rand() % 3 == 0 && runs[t]) {
				tick(time, 100 + t, 100, t % 2 ? "app;odd" : "app;even");
				samples++;
				last = time;
				continue;
			}
			runs[t] = !runs[t];
			running += runs[t] ? 1 : -1ull;
			first = first ? first : time;
			if (lost)
				continue;
			add(runs[t] ? WALL_IN : WALL_OUT, time, 100 + t);
			last = time;
			if (rand() % 64 == 0)
				settle();
		}
		finish();
		if (round <= 10)
			cr_assert_eq(counts.repairs, 0);
		/* Each thread has a part of a ns left at the most. */
		if (round <= 10)
			cr_assert(sum.kept + THREADS >= last - first &&
					  sum.kept <= last - first + THREADS,
				  "%" PRIu64 " of %" PRIu64, sum.kept, last - first);
		else
			cr_assert_leq(sum.kept, last - first + THREADS);
		for (int i = 0; i < DEFERRED_KINDS; i++)
			deferred_queue_end_input(&queues[i]);
	}
}
