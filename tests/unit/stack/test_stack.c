#include "stack/stack.h"

#include <flamefold.h>

#include "../process/timeline.h"

enum { PID = 1, TID = 2 };

#define KERNEL_IP 0xffffffff81000000ull
#define CONTEXT_HV ((uint64_t)-32)
#define CONTEXT_KERNEL ((uint64_t)-128)
#define CONTEXT_USER ((uint64_t)-512)
#define CONTEXT_GUEST ((uint64_t)-2048)
#define CONTEXT_GUEST_KERNEL ((uint64_t)-2176)
#define CONTEXT_GUEST_USER ((uint64_t)-2560)
#define CONTEXT_MAX ((uint64_t)-4095)

/*
 * A process whose code is one file that is mapped at its own offsets, 0x1000 to 0x100000,
 * and a kernel: addresses in images are those of the chain.
 */
struct stage {
	struct timeline t;
	struct frames frames;
	struct binaries *binaries;
	struct stack_walker *walker;
	struct sample sample;
};

static struct binaries *no_binaries(struct timeline *t)
{
	struct search_dirs dirs = { .symfs = "/nowhere" };
	struct binaries *ret;

	cr_assert_eq(binaries_new(&t->ctx, &dirs, &t->images, false, &ret), 0);
	return ret;
}

static struct stack_walker *new_walker(struct timeline *t, struct binaries *binaries,
				       struct frames *frames,
				       struct stack_options options)
{
	struct stack_sources sources = {
		.ps = t->ps,
		.rec = &t->rec,
		.strings = &t->strings,
		.binaries = binaries,
	};
	struct stack_walker *ret;

	cr_assert_eq(stack_walker_new(&t->ctx, &sources, frames, &options, &ret), 0);
	return ret;
}

static void stage_begin(struct stage *s, struct stack_options options)
{
	memset(s, 0, sizeof(*s));
	timeline_begin(&s->t);
	kernel_map(&s->t, KERNEL_IP, 0x1000000, KERNEL_IP, "[kernel.kallsyms]_text");
	comm(&s->t, 1, PID, PID, "main", NO_EXEC);
	comm(&s->t, 1, PID, TID, "worker", NO_EXEC);
	map(&s->t, 1, PID, 0x1000, 0xff000, 0x1000, "/bin/x");
	cr_assert(array_add(&s->t.rec.events));
	s->binaries = no_binaries(&s->t);
	s->walker = new_walker(&s->t, s->binaries, &s->frames, options);
	s->sample = (struct sample){ .time = 5,
				     .pid = PID,
				     .tid = TID,
				     .period = 1,
				     .mode = MODE_USER,
				     .has_chain = true };
}

static void stage_end(struct stage *s)
{
	stack_walker_free(s->walker);
	binaries_free(s->binaries);
	frames_release(&s->frames);
	array_release(&s->t.rec.events);
	timeline_end(&s->t);
}

static struct stack walk(struct stage *s, const uint64_t *chain, size_t count)
{
	struct stack stack = { 0 };
	struct stack_key key;

	s->sample.chain = (const uint8_t *)chain;
	s->sample.chain_count = (uint32_t)count;
	stack_key(s->walker, &s->sample, &key);
	cr_assert_eq(stack_walk(s->walker, &s->sample, &stack), 0);
	return stack;
}

#define WALK(s, ...)                                                                     \
	walk(s, (const uint64_t[]){ __VA_ARGS__ },                                       \
	     sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

static const struct frame *frame(const struct stage *s, struct stack stack, size_t i)
{
	cr_assert_lt(i, stack.count);
	return &s->frames.list.v[stack.frames[i]];
}

/* The address that is looked up; frame 0 is the process. */
static uint64_t address(const struct stage *s, struct stack stack, size_t i)
{
	const struct frame *f = frame(s, stack, i);

	return f->image == IMAGE_ID_UNKNOWN ? UINT64_MAX : f->address;
}

static const char *label(const struct stage *s, struct stack stack)
{
	const struct frame *f = frame(s, stack, 0);

	cr_assert_eq(f->image, IMAGE_ID_NAMES);
	return intern_text(&s->t.strings, (uint32_t)f->address);
}

static enum image_kind kind(const struct stage *s, struct stack stack, size_t i)
{
	return s->t.images.list.v[frame(s, stack, i)->image].kind;
}

Test(stack, is_root_first_with_the_thread_name_below_all)
{
	struct stage s;
	struct stack stack;

	stage_begin(&s, (struct stack_options){ 0 });
	stack = WALK(&s, CONTEXT_USER, 0x3000, 0x2001, 0x1001);
	cr_assert_eq(stack.count, 4);
	cr_assert_str_eq(label(&s, stack), "worker");
	cr_assert_eq(address(&s, stack, 1), 0x1000);
	cr_assert_eq(address(&s, stack, 2), 0x2000);
	cr_assert_eq(address(&s, stack, 3), 0x3000);
	stage_end(&s);
}

Test(stack, callers_are_looked_up_one_below_their_return_address)
{
	struct stage s;
	struct stack stack;

	stage_begin(&s, (struct stack_options){ 0 });
	stack = WALK(&s, CONTEXT_USER, 0x3000, 0x2000);
	cr_assert_eq(address(&s, stack, 2), 0x3000,
		     "the leaf is where it was interrupted");
	cr_assert_not(frame(&s, stack, 2)->flags & FRAME_CALLER);
	cr_assert_eq(address(&s, stack, 1), 0x1fff);
	cr_assert(frame(&s, stack, 1)->flags & FRAME_CALLER);
	stage_end(&s);
}

Test(stack, the_first_frame_after_a_marker_is_no_caller)
{
	struct stage s;
	struct stack stack;

	stage_begin(&s, (struct stack_options){ 0 });
	s.sample.mode = MODE_KERNEL;
	s.sample.ip = KERNEL_IP + 0x10;
	stack = WALK(&s, CONTEXT_KERNEL, KERNEL_IP + 0x10, KERNEL_IP + 0x20, CONTEXT_USER,
		     0x3000, 0x2000);
	cr_assert_eq(stack.count, 5);
	cr_assert_eq(address(&s, stack, 1), 0x1fff);
	cr_assert_eq(address(&s, stack, 2), 0x3000, "where user code was interrupted");
	cr_assert_eq(address(&s, stack, 3), KERNEL_IP + 0x1f);
	cr_assert_eq(address(&s, stack, 4), KERNEL_IP + 0x10);
	cr_assert_not(frame(&s, stack, 2)->flags & FRAME_CALLER);
	cr_assert_not(frame(&s, stack, 4)->flags & FRAME_CALLER);
	cr_assert_eq(kind(&s, stack, 2), IMAGE_FILE);
	cr_assert_eq(kind(&s, stack, 3), IMAGE_KERNEL);
	stage_end(&s);
}

Test(stack, before_any_marker_the_mode_is_that_of_the_sample)
{
	struct stage s;
	struct stack stack;

	stage_begin(&s, (struct stack_options){ 0 });
	stack = WALK(&s, 0x3000, 0x2001);
	cr_assert_eq(stack.count, 3);
	cr_assert_eq(kind(&s, stack, 2), IMAGE_FILE);
	s.sample.mode = MODE_KERNEL;
	stack = WALK(&s, KERNEL_IP + 4, KERNEL_IP + 9);
	cr_assert_eq(stack.count, 3);
	cr_assert_eq(kind(&s, stack, 1), IMAGE_KERNEL);
	cr_assert_eq(kind(&s, stack, 2), IMAGE_KERNEL);
	stage_end(&s);
}

Test(stack, a_marker_is_believed_more_than_the_address)
{
	struct stage s;
	struct stack stack;

	stage_begin(&s, (struct stack_options){ 0 });
	stack = WALK(&s, CONTEXT_USER, 0x900000, KERNEL_IP + 0x11);
	cr_assert_eq(stack.count, 3);
	cr_assert_neq(kind(&s, stack, 1), IMAGE_KERNEL,
		      "user code cannot call from the kernel");
	stage_end(&s);
}

Test(stack, an_odd_value_cuts_the_chain_and_keeps_what_was_before_it)
{
	const uint64_t odd[] = { (uint64_t)-1, (uint64_t)-8, (uint64_t)-100,
				 (uint64_t)-4000 };

	for (size_t i = 0; i < 4; i++) {
		struct stage s;
		struct stack stack;

		stage_begin(&s, (struct stack_options){ 0 });
		stack = WALK(&s, CONTEXT_USER, 0x3000, 0x2001, odd[i], 0x1001);
		cr_assert_eq(stack.incomplete, INCOMPLETE_ODD_CONTEXT);
		cr_assert_eq(address(&s, stack, stack.count - 1), 0x3000);
		cr_assert_eq(address(&s, stack, stack.count - 2), 0x2000);
		for (size_t f = 1; f < stack.count; f++)
			cr_assert_neq(address(&s, stack, f), 0x1000,
				      "nothing after the cut");
		stage_end(&s);
	}
}

Test(stack, known_markers_are_no_odd_values)
{
	struct stage s;
	struct stack stack;

	stage_begin(&s, (struct stack_options){ 0 });
	stack = WALK(&s, CONTEXT_HV, 0x3000, CONTEXT_KERNEL, KERNEL_IP, CONTEXT_USER,
		     0x3000);
	cr_assert_eq(stack.incomplete, 0);
	stack = WALK(&s, CONTEXT_GUEST_KERNEL, KERNEL_IP, CONTEXT_GUEST_USER, 0x3000,
		     CONTEXT_GUEST, 0x1);
	cr_assert_eq(stack.incomplete, 0);
	stage_end(&s);
}

Test(stack, the_largest_address_that_is_no_marker_is_an_address)
{
	struct stage s;
	struct stack stack;

	stage_begin(&s, (struct stack_options){ 0 });
	stack = WALK(&s, CONTEXT_USER, 0x900000, CONTEXT_MAX - 1, 0x2001);
	cr_assert_eq(stack.incomplete, 0);
	cr_assert_eq(stack.count, 4);
	cr_assert_eq(address(&s, stack, 1), 0x2000);
	cr_assert_eq(frame(&s, stack, 2)->image, IMAGE_ID_UNKNOWN);
	stage_end(&s);
}

Test(stack, guest_frames_are_never_looked_up_here)
{
	struct stage s;
	struct stack stack;

	stage_begin(&s, (struct stack_options){ 0 });
	s.sample.mode = MODE_GUEST_KERNEL;
	s.sample.ip = KERNEL_IP + 4;
	stack = WALK(&s, CONTEXT_GUEST_KERNEL, KERNEL_IP + 4, CONTEXT_GUEST_USER, 0x3000);
	cr_assert_gt(stack.count, 1);
	for (size_t i = 1; i < stack.count; i++)
		cr_assert_eq(kind(&s, stack, i), IMAGE_GUEST, "frame %zu", i);
	stage_end(&s);
}

Test(stack, without_a_chain_it_is_the_address_of_the_sample)
{
	struct stage s;
	struct stack stack;

	stage_begin(&s, (struct stack_options){ 0 });
	s.sample.has_chain = false;
	s.sample.ip = 0x3000;
	stack = walk(&s, NULL, 0);
	cr_assert_eq(stack.count, 2);
	cr_assert_eq(address(&s, stack, 1), 0x3000, "no caller");
	cr_assert_eq(stack.incomplete, INCOMPLETE_NO_CHAIN);
	s.sample.mode = MODE_KERNEL;
	s.sample.ip = KERNEL_IP + 7;
	stack = walk(&s, NULL, 0);
	cr_assert_eq(stack.count, 2);
	cr_assert_eq(kind(&s, stack, 1), IMAGE_KERNEL);
	stage_end(&s);
}

Test(stack, an_empty_chain_is_the_address_of_the_sample)
{
	struct stage s;
	struct stack stack;

	stage_begin(&s, (struct stack_options){ 0 });
	s.sample.ip = 0x3000;
	stack = walk(&s, NULL, 0);
	cr_assert_eq(stack.count, 2);
	cr_assert_eq(address(&s, stack, 1), 0x3000);
	cr_assert_eq(stack.incomplete, INCOMPLETE_NO_CHAIN);
	stage_end(&s);
}

Test(stack, an_empty_chain_stays_empty_where_that_is_asked_for)
{
	struct stage s;
	struct stack stack;

	stage_begin(&s, (struct stack_options){ .empty_chains = true });
	s.sample.ip = 0x3000;
	stack = WALK(&s, CONTEXT_USER);
	cr_assert_eq(stack.count, 1);
	cr_assert_str_eq(label(&s, stack), "worker");
	stage_end(&s);
}

Test(stack, addresses_without_a_map_are_one_frame_and_told_apart_only_when_asked)
{
	struct stage s;
	struct stack a, b;
	uint32_t first;

	stage_begin(&s, (struct stack_options){ 0 });
	a = WALK(&s, CONTEXT_USER, 0x900000);
	first = a.frames[1];
	b = WALK(&s, CONTEXT_USER, 0x900010);
	cr_assert_eq(b.frames[1], first);
	stage_end(&s);

	stage_begin(&s, (struct stack_options){ .by_address = true });
	a = WALK(&s, CONTEXT_USER, 0x900000);
	first = a.frames[1];
	b = WALK(&s, CONTEXT_USER, 0x900010);
	cr_assert_neq(b.frames[1], first);
	cr_assert_eq(frame(&s, b, 1)->address, 0x900010);
	stage_end(&s);
}

Test(stack, max_stack_keeps_the_frames_nearest_to_the_leaf)
{
	struct stage s;
	struct stack stack;

	stage_begin(&s, (struct stack_options){ .max_stack = 2 });
	stack = WALK(&s, CONTEXT_USER, 0x4000, 0x3001, 0x2001, 0x1001);
	cr_assert_str_eq(label(&s, stack), "worker");
	cr_assert_eq(address(&s, stack, stack.count - 1), 0x4000);
	cr_assert_eq(address(&s, stack, stack.count - 2), 0x3000);
	for (size_t i = 1; i < stack.count; i++) {
		cr_assert_neq(address(&s, stack, i), 0x2000);
		cr_assert_neq(address(&s, stack, i), 0x1000);
	}
	cr_assert_eq(stack.incomplete, INCOMPLETE_MAX_STACK);
	stage_end(&s);
}

Test(stack, max_stack_does_not_count_markers_and_leaves_short_chains_alone)
{
	struct stage s;
	struct stack stack;

	stage_begin(&s, (struct stack_options){ .max_stack = 3 });
	stack = WALK(&s, CONTEXT_KERNEL, KERNEL_IP, CONTEXT_USER, 0x3000, 0x2001);
	cr_assert_eq(stack.count, 4);
	cr_assert_eq(stack.incomplete, 0);
	stage_end(&s);
}

Test(stack, the_root_names_process_and_thread_as_asked)
{
	struct stage s;
	struct stack stack;
	const struct frame *f;
	const struct thread_label *thread;

	stage_begin(&s, (struct stack_options){ .root = FF_ROOT_PID });
	stack = WALK(&s, CONTEXT_USER, 0x3000);
	f = frame(&s, stack, 0);
	cr_assert(f->flags & FRAME_PID);
	cr_assert_eq(f->address >> 32, PID);
	cr_assert_str_eq(intern_text(&s.t.strings, (uint32_t)f->address), "worker");
	stage_end(&s);

	stage_begin(&s, (struct stack_options){ .root = FF_ROOT_TID });
	stack = WALK(&s, CONTEXT_USER, 0x3000);
	f = frame(&s, stack, 0);
	cr_assert(f->flags & FRAME_TID);
	cr_assert_lt(f->address, s.frames.threads.count);
	thread = &s.frames.threads.v[f->address];
	cr_assert(thread->pid == PID && thread->tid == TID);
	cr_assert_str_eq(intern_text(&s.t.strings, thread->comm), "worker");
	stage_end(&s);
}

Test(stack, equal_chains_have_equal_keys_and_frames)
{
	const uint64_t chain[] = { CONTEXT_USER, 0x3000, 0x2001 };
	uint64_t copy[] = { CONTEXT_USER, 0x3000, 0x2001 };
	struct stack_key a, b;
	struct stack stack;
	uint32_t leaf;
	struct stage s;

	stage_begin(&s, (struct stack_options){ 0 });
	leaf = walk(&s, chain, 3).frames[2];
	stack_key(s.walker, &s.sample, &a);
	s.sample.time = 6;
	s.sample.period = 99;
	stack = walk(&s, copy, 3);
	stack_key(s.walker, &s.sample, &b);
	cr_assert_eq(stack.frames[2], leaf);
	cr_assert(a.low == b.low && a.high == b.high);
	stage_end(&s);
}

/* Stacks are remembered by their keys, with why they are not whole. */
Test(stack, whatever_changes_a_stack_or_what_it_lacks_changes_its_key)
{
	const uint64_t chain[] = { CONTEXT_USER, 0x3000, 0x2001 };
	const uint64_t branches = 1 << 11;
	struct stack_key keys[10];
	struct stage s;
	struct event *event;

	stage_begin(&s,
		    (struct stack_options){ .root = FF_ROOT_TID, .empty_chains = true });
	event = &s.t.rec.events.v[0];
	s.sample.chain = (const uint8_t *)chain;
	s.sample.chain_count = 3;
	stack_key(s.walker, &s.sample, &keys[0]);
	s.sample.chain_count = 2;
	stack_key(s.walker, &s.sample, &keys[1]);
	s.sample.chain = (const uint8_t *)(chain + 1);
	stack_key(s.walker, &s.sample, &keys[2]);
	s.sample.mode = MODE_KERNEL; /* no marker: the mode decides */
	stack_key(s.walker, &s.sample, &keys[3]);
	s.sample.pid = s.sample.tid = 99;
	stack_key(s.walker, &s.sample, &keys[4]);
	s.sample.tid = 98;
	stack_key(s.walker, &s.sample, &keys[5]);
	s.sample.has_chain = false; /* then its address is shown */
	stack_key(s.walker, &s.sample, &keys[6]);
	s.sample.has_user_stack = true; /* of a machine that is not known */
	stack_key(s.walker, &s.sample, &keys[7]);
	event->max_stack = 3; /* with so many addresses it is cut */
	stack_key(s.walker, &s.sample, &keys[8]);
	event->sample_type = branches; /* no frame pointers have led anywhere */
	stack_key(s.walker, &s.sample, &keys[9]);
	for (int i = 0; i < 10; i++)
		for (int j = 0; j < i; j++)
			cr_assert(keys[i].low != keys[j].low ||
					  keys[i].high != keys[j].high,
				  "keys %d and %d", i, j);
	stage_end(&s);
}

Test(stack, the_maps_and_the_name_are_those_of_the_samples_time)
{
	const uint64_t chain[] = { CONTEXT_USER, 0x3000 };
	struct stack_key before, after;
	struct frames frames = { 0 };
	struct stack_options options = { 0 };
	struct binaries *binaries;
	struct stack_walker *walker;
	struct timeline t;
	struct stack stack;
	struct sample sample = { .pid = 1,
				 .tid = 1,
				 .mode = MODE_USER,
				 .has_chain = true,
				 .chain = (const uint8_t *)chain,
				 .chain_count = 2 };
	uint32_t first;

	timeline_begin(&t);
	comm(&t, 1, 1, 1, "one", NO_EXEC);
	map(&t, 1, 1, 0x3000, 0x1000, 0x3000, "/one");
	comm(&t, 10, 1, 1, "two", EXEC);
	map(&t, 10, 1, 0x3000, 0x1000, 0x3000, "/two");
	cr_assert(array_add(&t.rec.events));
	binaries = no_binaries(&t);
	walker = new_walker(&t, binaries, &frames, options);
	for (uint64_t round = 0; round < 2; round++) {
		sample.time = 15;
		stack_key(walker, &sample, &after);
		cr_assert_eq(stack_walk(walker, &sample, &stack), 0);
		first = stack.frames[1];
		cr_assert_str_eq(intern_text(&t.strings, stack_comm(walker, &sample)),
				 "two");
		sample.time = 5;
		stack_key(walker, &sample, &before);
		cr_assert_eq(stack_walk(walker, &sample, &stack), 0);
		cr_assert_neq(stack.frames[1], first);
		cr_assert_str_eq(intern_text(&t.strings, stack_comm(walker, &sample)),
				 "one");
		cr_assert(before.low != after.low || before.high != after.high);
	}
	stack_walker_free(walker);
	binaries_free(binaries);
	frames_release(&frames);
	array_release(&t.rec.events);
	timeline_end(&t);
}

enum { PAGES = 24, TIMES = 120 };

/* A map of a few pages, of code or of data, of a file or of none; or a fork, or an exec. */
static void apply_any(struct timeline *t, unsigned *seed, uint64_t time)
{
	static const char *const names[] = { "/a", "/b", "//anon", "[heap]" };
	uint64_t page = 1 + (uint64_t)rand_r(seed) % PAGES;
	uint64_t size = 1 + (uint64_t)rand_r(seed) % 3;
	uint32_t pid = 1 + (uint32_t)rand_r(seed) % 3;

	switch (rand_r(seed) % 24) {
	case 0:
		comm(t, time, pid, pid, "x", EXEC);
		break;
	case 1:
		fork_process(t, time, pid, pid % 3 + 1);
		break;
	default:
		map_any(t, time, pid, page << 12, size << 12,
			(uint64_t)(rand_r(seed) % 4) << 12, names[rand_r(seed) % 4],
			rand_r(seed) % 3 == 0);
	}
}

/* One that has seen much says what one says that has seen nothing. */
static void expect_same_as_new(struct stage *s, uint64_t time, unsigned *seed)
{
	uint64_t chain[8] = { CONTEXT_USER };
	uint32_t seen[8];
	struct stack_key key;
	struct stack stack;
	struct stack_walker *fresh;
	unsigned incomplete;
	size_t count;

	for (int i = 1; i < 8; i++)
		chain[i] = (1 + (uint64_t)rand_r(seed) % PAGES) << 12 |
			   (uint64_t)(rand_r(seed) % 16) << 8;
	s->sample.pid = s->sample.tid = 1 + (uint32_t)rand_r(seed) % 3;
	s->sample.time = time;
	s->sample.chain = (const uint8_t *)chain;
	s->sample.chain_count = 8;
	stack_key(s->walker, &s->sample, &key);
	cr_assert_eq(stack_walk(s->walker, &s->sample, &stack), 0);
	count = stack.count;
	incomplete = stack.incomplete;
	cr_assert_leq(count, 8);
	memcpy(seen, stack.frames, count * sizeof(*seen));
	fresh = new_walker(&s->t, s->binaries, &s->frames, (struct stack_options){ 0 });
	stack_key(fresh, &s->sample, &key);
	cr_assert_eq(stack_walk(fresh, &s->sample, &stack), 0);
	cr_assert_eq(stack.count, count);
	cr_assert_eq(stack.incomplete, incomplete);
	for (size_t i = 0; i < count; i++)
		cr_assert_eq(stack.frames[i], seen[i], "frame %zu at %lu", i,
			     (unsigned long)time);
	stack_walker_free(fresh);
}

Test(stack, what_was_seen_before_changes_no_answer)
{
	struct stage s;

	for (unsigned run = 1; run < 6; run++) {
		unsigned seed = run;

		stage_begin(&s, (struct stack_options){ 0 });
		for (uint64_t time = 10; time < TIMES; time++)
			apply_any(&s.t, &seed, time);
		for (int i = 0; i < 400; i++)
			expect_same_as_new(&s, 5 + (uint64_t)rand_r(&seed) % TIMES,
					   &seed);
		stage_end(&s);
	}
}

Test(stack, what_was_seen_before_changes_no_answer_while_maps_come)
{
	struct stage s;

	for (unsigned run = 1; run < 6; run++) {
		unsigned seed = run;

		stage_begin(&s, (struct stack_options){ 0 });
		for (uint64_t time = 10; time < TIMES; time++) {
			apply_any(&s.t, &seed, time);
			for (int i = 0; i < 4; i++)
				expect_same_as_new(&s, time, &seed);
		}
		stage_end(&s);
	}
}

Test(stack, a_chain_at_an_odd_place_in_memory_reads_the_same)
{
	uint64_t bytes[6];
	uint8_t *odd = (uint8_t *)bytes + 3;
	const uint64_t chain[] = { CONTEXT_USER, 0x3000, 0x2001 };
	struct stack stack;
	struct stage s;

	memcpy(odd, chain, sizeof(chain));
	stage_begin(&s, (struct stack_options){ 0 });
	stack = walk(&s, (const uint64_t *)(const void *)odd, 3);
	cr_assert_eq(stack.count, 3);
	cr_assert_eq(address(&s, stack, 2), 0x3000);
	stage_end(&s);
}

Test(stack, a_return_address_of_0_is_below_every_map)
{
	struct stage s;
	struct stack stack;

	stage_begin(&s, (struct stack_options){ 0 });
	stack = WALK(&s, CONTEXT_USER, 0x3000, 0);
	for (size_t i = 1; i + 1 < stack.count; i++)
		cr_assert_eq(frame(&s, stack, i)->image, IMAGE_ID_UNKNOWN);
	cr_assert_eq(address(&s, stack, stack.count - 1), 0x3000);
	stage_end(&s);
}

/* A chain with @count addresses; the event records as many as @most, 0: the kernel's. */
static unsigned incomplete_of(size_t count, uint16_t most, bool exact)
{
	static uint64_t chain[256] = { CONTEXT_USER };
	struct stage s;
	unsigned incomplete;

	for (uint64_t i = 1; i <= count; i++)
		chain[i] = 0x1000 + i * 8;
	stage_begin(&s, (struct stack_options){ 0 });
	s.t.rec.events.v[0].max_stack = most;
	s.sample.exact_chain = exact;
	incomplete = walk(&s, chain, count + 1).incomplete;
	stage_end(&s);
	return incomplete;
}

Test(stack, a_chain_as_long_as_the_recorders_limit_is_cut)
{
	cr_assert_eq(incomplete_of(127, 0, false), INCOMPLETE_CUT_CHAIN);
	cr_assert_eq(incomplete_of(126, 0, false), 0);
	cr_assert_eq(incomplete_of(128, 0, false), 0, "there was another limit");
	cr_assert_eq(incomplete_of(127, 200, false), 0);
	cr_assert_eq(incomplete_of(10, 10, false), INCOMPLETE_CUT_CHAIN);
	cr_assert_eq(incomplete_of(127, 0, true), 0, "of branches: no such limit");
}

/* The marks of a stack: how many there are, right above the process. */
static size_t marks(struct stack_options options, struct sample like,
		    const uint64_t *chain, size_t count)
{
	struct stage s;
	struct stack stack;
	size_t found = 0;

	stage_begin(&s, options);
	s.sample.has_user_stack = like.has_user_stack;
	stack = walk(&s, chain, count);
	for (size_t i = 1; i < stack.count; i++) {
		const struct frame *f = frame(&s, stack, i);

		if (f->image != IMAGE_ID_NAMES)
			continue;
		cr_assert_eq(f->address, options.truncated);
		cr_assert_eq(i, 1);
		found++;
	}
	stage_end(&s);
	return found;
}

Test(stack, cut_stacks_stand_below_a_mark_where_one_is_wanted)
{
	const uint64_t odd[] = { CONTEXT_USER, 0x3000, (uint64_t)-1 };
	const uint64_t whole[] = { CONTEXT_USER, 0x3000, 0x2001 };
	struct sample plain = { 0 }, dumped = { .has_user_stack = true };
	enum { MARK = 7 }; /* any string */

	cr_assert_eq(marks((struct stack_options){ .truncated = MARK }, plain, odd, 3),
		     1);
	cr_assert_eq(marks((struct stack_options){ .truncated = MARK, .max_stack = 1 },
			   plain, whole, 3),
		     1);
	cr_assert_eq(marks((struct stack_options){ .truncated = MARK }, plain, whole, 3),
		     0);
	cr_assert_eq(marks((struct stack_options){ .truncated = MARK }, dumped, whole, 3),
		     0, "a dump that is not unwound cuts nothing");
	cr_assert_eq(marks((struct stack_options){ 0 }, plain, odd, 3), 0);
}

Test(stack, only_what_the_kernel_found_by_frame_pointers_was_followed)
{
	const uint64_t branches = 1 << 11, exclude_user = 1 << 4;
	struct stage s;

	stage_begin(&s, (struct stack_options){ 0 });
	cr_assert(WALK(&s, CONTEXT_USER, 0x3000).followed);
	cr_assert(WALK(&s, CONTEXT_KERNEL, KERNEL_IP, CONTEXT_USER, 0x3000).followed);
	cr_assert_not(WALK(&s, CONTEXT_KERNEL, KERNEL_IP).followed);
	s.t.rec.events.v[0].sample_type = branches;
	cr_assert_not(WALK(&s, CONTEXT_USER, 0x3000).followed);
	s.t.rec.events.v[0].sample_type = 0;
	s.t.rec.events.v[0].flags = exclude_user;
	cr_assert_not(WALK(&s, CONTEXT_USER, 0x3000).followed);
	s.t.rec.events.v[0].flags = 0;
	s.t.rec.events.v[0].max_stack = 1;
	cr_assert_not(WALK(&s, CONTEXT_USER, 0x3000).followed);
	stage_end(&s);
}

Test(stack, a_stack_dump_that_is_not_unwound_is_counted)
{
	struct stage s;

	stage_begin(&s, (struct stack_options){ 0 });
	s.sample.has_user_stack = true;
	cr_assert_eq(WALK(&s, CONTEXT_USER, 0x3000).incomplete, INCOMPLETE_USER_STACK);
	stage_end(&s);
}

Test(stack, the_longest_chain_a_record_can_hold_is_whole)
{
	enum { COUNT = 8187 };
	static uint64_t chain[COUNT] = { CONTEXT_USER };
	struct stage s;
	struct stack stack;

	for (uint64_t i = 1; i < COUNT; i++)
		chain[i] = 0x1000 + i * 8;
	stage_begin(&s, (struct stack_options){ 0 });
	stack = walk(&s, chain, COUNT);
	cr_assert_eq(stack.count, COUNT);
	cr_assert_eq(address(&s, stack, 1), 0x1000 + (COUNT - 1) * 8 - 1);
	stage_end(&s);
}
