#include "recording.h"

enum { EXCLUDE_USER = 1 << 4, EXCLUDE_KERNEL = 1 << 5, EXCLUDE_HV = 1 << 6 };
enum { PRECISE = 1 << 15, EXCLUDE_HOST = 1 << 19, EXCLUDE_GUEST = 1 << 20 };

/* A feature behind the data: "u32 count; {u32 type; string name}". */
static void add_counters(struct made *m)
{
	size_t table = m->bytes.size;

	poke_u64(m, DATA_SIZE_AT, table - m->data);
	poke_u64(m, 72, 1u << 16);
	u64(m, table + 16);
	u64(m, 40);
	u32(m, 2);
	two(m, 4, 12);
	bytes(m, "cpu_core\0\0\0", 12);
	two(m, 8, 4);
	bytes(m, "odd\0", 4);
	zeros(m, 4);
}

static void expect(const struct attr *attr, bool counters, const char *name)
{
	struct made m;

	made_begin(&m, attr, 1);
	begin_record(&m, 68, 0);
	end_record(&m);
	poke_u64(&m, DATA_SIZE_AT, m.bytes.size - m.data);
	if (counters)
		add_counters(&m);
	cr_assert_eq(made_try(&m), 0, "%s", m.ctx.error);
	pass_states(&m);
	cr_assert_str_eq(text(&m, input_recording(m.in)->events.v[0].name), name);
	made_end(&m);
}

/* As perf evlist prints them, but for ":HG". */
Test(perf_name, numbers_have_their_names)
{
	static const struct {
		struct attr attr;
		const char *name;
	} events[] = {
		{ { .type = 0, .config = 0 }, "cycles" },
		{ { .type = 0, .config = 9 }, "ref-cycles" },
		{ { .type = 1, .config = 0 }, "cpu-clock" },
		{ { .type = 1, .config = 11 }, "cgroup-switches" },
		{ { .type = 3, .config = 0x10002 }, "LLC-load-misses" },
		{ { .type = 3, .config = 0x1 }, "L1-icache-loads" },
		{ { .type = 3, .config = 0x10103 }, "dTLB-store-misses" },
		{ { .type = 3, .config = 0x00200 }, "L1-dcache-prefetches" },
		{ { .type = 3, .config = 0x00006 }, "node-loads" },
		{ { .type = 4, .config = 0x1a8 }, "raw 0x1a8" },
		{ { .type = 4 }, "raw 0x0" },
		{ { .type = 5 }, "mem:0x0:" },
	};

	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++)
		expect(&events[i].attr, false, events[i].name);
}

Test(perf_name, what_has_none_is_its_number)
{
	expect(&(struct attr){ .type = 0, .config = 10 }, false, "type 0, config 0xa");
	expect(&(struct attr){ .type = 1, .config = 12 }, false, "type 1, config 0xc");
	expect(&(struct attr){ .type = 2, .config = 77 }, false, "type 2, config 0x4d");
	expect(&(struct attr){ .type = 3, .config = 7 }, false, "type 3, config 0x7");
	expect(&(struct attr){ .type = 3, .config = 0x300 }, false,
	       "type 3, config 0x300");
	expect(&(struct attr){ .type = 3, .config = 0x20000 }, false,
	       "type 3, config 0x20000");
	expect(&(struct attr){ .type = 9, .config = 0x3c }, false, "type 9, config 0x3c");
}

Test(perf_name, what_was_left_out_stands_behind_a_colon)
{
	static const struct {
		uint64_t flags;
		const char *name;
	} kinds[] = {
		{ EXCLUDE_GUEST, "cycles" },
		{ EXCLUDE_KERNEL | EXCLUDE_HV, "cycles:u" },
		{ EXCLUDE_USER | EXCLUDE_HV, "cycles:k" },
		{ EXCLUDE_USER, "cycles:kh" },
		{ PRECISE, "cycles:p" },
		{ 3 * PRECISE | EXCLUDE_KERNEL | EXCLUDE_HV, "cycles:uppp" },
		{ EXCLUDE_HOST, "cycles:G" },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		expect(&(struct attr){ .flags = kinds[i].flags }, false, kinds[i].name);
}

Test(perf_name, the_upper_half_of_a_config_says_which_counters)
{
	expect(&(struct attr){ .config = 4ull << 32 }, false, "cycles");
	expect(&(struct attr){ .config = 9ull << 32 }, false, "cycles");
	expect(&(struct attr){ .config = 4ull << 32 }, true, "cpu_core/cycles/");
	expect(&(struct attr){ .config = 9ull << 32 }, true, "cycles");
	expect(&(struct attr){ .config = 8ull << 32 | 1,
			       .flags = EXCLUDE_KERNEL | EXCLUDE_HV },
	       true, "odd/instructions/:u");
	expect(&(struct attr){ .type = 3, .config = 4ull << 32 | 2 }, true,
	       "cpu_core/LLC-loads/");
	expect(&(struct attr){ .type = 8, .config = 0x3c }, true, "odd/config=0x3c/");
	expect(&(struct attr){ .type = 4, .config = 0x3c }, true, "raw 0x3c");
	expect(&(struct attr){ .type = 0, .config = 4ull << 32 | 10 }, true,
	       "type 0, config 0x40000000a");
}
