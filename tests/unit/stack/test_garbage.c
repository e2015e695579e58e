#include "walked.h"

#include <dwarf.h>
#include <elf.h>

#define CONTEXT_USER ((uint64_t)-512)

/* A chain without registers, from a leaf at 0x1000; calls are before 0x1200, 0x1300 and 0x1070, which is in the
 * outermost function. */
static void begin(struct walked *w)
{
	walked_begin_x86_64(w);
	cfi_fde(&w->cfi, 0x1040, 0x20, FRAME_OPS);
	walked_call(w, 0x1070);
	walked_call(w, 0x1200);
	walked_call(w, 0x1300);
	w->known = 0;
	w->sample.user_abi = 0;
	w->sample.has_user_stack = false;
	w->words = 0;
}

static const char *chained(struct walked *w, const uint64_t *chain, size_t count)
{
	w->chain[0] = CONTEXT_USER;
	memcpy(w->chain + 1, chain, count * sizeof(*chain));
	w->sample.chain_count = (uint32_t)count + 1;
	return walked(w);
}

#define CHAINED(w, ...)                                                                  \
	chained(w, (const uint64_t[]){ __VA_ARGS__ },                                    \
		sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

Test(garbage, an_address_behind_no_call_ends_the_chain)
{
	struct walked w;

	begin(&w);
	cr_assert_str_eq(CHAINED(&w, CODE(0x1000), CODE(0x1200), CODE(0x1300)),
			 "1000 1200- 1300- root");
	cr_assert_str_eq(
		CHAINED(&w, CODE(0x1000), CODE(0x1200), CODE(0x1404), CODE(0x1300)),
		"1000 1200- no call");
	cr_assert_str_eq(CHAINED(&w, CODE(0x1404), CODE(0x1200)), "1404 1200- root",
			 "nobody returns to where the sample was taken");
	walked_end(&w);
}

Test(garbage, calls_through_registers_and_memory_are_calls)
{
	struct walked w;

	begin(&w);
	CODE_BYTES(&w, 0x1400 - 2, 0xff, 0xd0);
	CODE_BYTES(&w, 0x1480 - 6, 0xff, 0x15, 1, 2, 3, 4);
	CODE_BYTES(&w, 0x1500 - 7, 0xff, 0x94, 0x24, 1, 2, 3, 4);
	CODE_BYTES(&w, 0x1580 - 3, 0x41, 0xff, 0xd4);
	cr_assert_str_eq(CHAINED(&w, CODE(0x1000), CODE(0x1400), CODE(0x1480),
				 CODE(0x1500), CODE(0x1580)),
			 "1000 1400- 1480- 1500- 1580- root");
	walked_end(&w);
}

Test(garbage, an_address_without_code_ends_the_chain)
{
	struct walked w;

	begin(&w);
	cr_assert_str_eq(CHAINED(&w, CODE(0x1000), CODE(0x1200), 0x900000, 0x910000),
			 "1000 1200- bad");
	map_any(&w.t, 1, WALKED_PID, 0x7ff00000, 0x10000, 0, "[stack]", false);
	cr_assert_str_eq(CHAINED(&w, CODE(0x1000), CODE(0x1200), 0x7ff00100),
			 "1000 1200- bad", "a stack is no code");
	walked_end(&w);
}

Test(garbage, what_fills_up_a_page_is_no_code)
{
	struct walked w;

	begin(&w);
	cr_assert_str_eq(CHAINED(&w, CODE(0x1000), CODE(0x1200), CODE(0xf000)),
			 "1000 1200- no call");
	walked_end(&w);
}

Test(garbage, what_leads_back_to_calls_was_code_of_a_map_that_was_lost)
{
	struct walked w;

	begin(&w);
	cr_assert_str_eq(CHAINED(&w, CODE(0x1000), 0x900000, 0x910000, CODE(0x1200)),
			 "1000 ? ? 1200- root");
	cr_assert_str_eq(CHAINED(&w, CODE(0x1000), 0x900000, 0x910000, CODE(0x1404)),
			 "1000 bad");
	walked_end(&w);
}

Test(garbage, of_a_process_without_maps_nothing_is_known)
{
	struct walked w;

	begin(&w);
	cr_assert_str_eq(CHAINED(&w, 0x900000, 0x910000, 0x920000), "? ? ? root");
	walked_end(&w);
}

Test(garbage, code_that_a_program_makes_may_be_returned_to)
{
	struct walked w;

	begin(&w);
	map_any(&w.t, 1, WALKED_PID, 0x900000, 0x10000, 0, "//anon", true);
	cr_assert_str_eq(CHAINED(&w, CODE(0x1000), 0x900100, CODE(0x1200)),
			 "1000 j 1200- root");
	walked_end(&w);
}

Test(garbage, behind_the_outermost_function_takes_nothing_from_a_stack)
{
	struct walked w;

	begin(&w);
	cr_assert_str_eq(CHAINED(&w, CODE(0x1000), CODE(0x1200), CODE(0x1070), 0x900000),
			 "1000 1200- 1070- root");
	cr_assert_str_eq(CHAINED(&w, CODE(0x1000), CODE(0x1070), CODE(0x1404)),
			 "1000 1070- root");
	walked_end(&w);
}

Test(garbage, a_return_address_of_0_is_nothing)
{
	struct walked w;

	begin(&w);
	cr_assert_str_eq(CHAINED(&w, CODE(0x1000), CODE(0x1070), 0), "1000 1070- root");
	cr_assert_str_eq(CHAINED(&w, CODE(0x1000), CODE(0x1200), 0), "1000 1200- root",
			 "nothing is known of that function");
	walked_end(&w);
}

Test(garbage, a_signals_trampoline_is_returned_to)
{
	struct walked w;

	begin(&w);
	CODE_BYTES(&w, 0x1400, 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05);
	cr_assert_str_eq(CHAINED(&w, CODE(0x1000), CODE(0x1400), CODE(0x1200)),
			 "1000 1400- 1200- root");
	walked_end(&w);
}

Test(garbage, the_beginning_of_a_function_is_returned_to_at_the_end)
{
	struct walked w;

	begin(&w);
	cr_assert_str_eq(CHAINED(&w, CODE(0x1000), CODE(0x1200), CODE(0x1040)),
			 "1000 1200- 1040- root");
	cr_assert_str_eq(CHAINED(&w, CODE(0x1000), CODE(0x1040), CODE(0x1200)),
			 "1000 no call");
	walked_end(&w);
}

Test(garbage, stays_where_perf_has_it_and_where_nobody_followed_frame_pointers)
{
	struct walked w;

	begin(&w);
	w.options.as_perf = true;
	cr_assert_str_eq(CHAINED(&w, CODE(0x1000), CODE(0x1404), 0x900000),
			 "1000 1404- ? root");
	walked_end(&w);

	begin(&w);
	w.t.rec.events.v[0].sample_type = 1 << 11;
	cr_assert_str_eq(CHAINED(&w, CODE(0x1000), CODE(0x1404), 0x900000),
			 "1000 1404- ? root", "branches of the processor");
	walked_end(&w);
}
