#include "live/events/event.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "elf/elf.h"
#include "unit/live/events/sysroot.h"

static struct context ctx;
static struct arena arena;
static struct live_events events;

static void setup(void)
{
	sysroot_make();
	events.root = sysroot;
}

static void teardown(void)
{
	live_events_release(&events);
	arena_release(&arena);
	sysroot_remove();
}

TestSuite(event, .init = setup, .fini = teardown);

#define DEVICES "/sys/bus/event_source/devices/"

static void make_cpu(void)
{
	sysroot_file(DEVICES "cpu/type", "4\n");
	sysroot_file(DEVICES "cpu/format/event", "config:0-7\n");
	sysroot_file(DEVICES "cpu/format/umask", "config:8-15\n");
	sysroot_file(DEVICES "cpu/format/inv", "config:23\n");
	sysroot_file(DEVICES "cpu/format/ldlat", "config1:0-15\n");
	sysroot_file(DEVICES "cpu/format/split", "config:0-3,32-35\n");
	sysroot_file(DEVICES "cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n");
	sysroot_file(DEVICES "cpu/events/loop", "loop\n");
	sysroot_file(DEVICES "uncore/type", "11\n");
	sysroot_file(DEVICES "uncore/cpumask", "0,8\n");
	sysroot_file(DEVICES "uncore/format/event", "config:0-63\n");
}

static void make_tracefs(void)
{
	static const char tracing[] = "/sys/kernel/tracing/events/";
	const char *const ids[][2] = { { "sched/sched_switch", "321" },
				       { "sched/sched_waking", "322" },
				       { "sched/sched_wakeup", "323" },
				       { "syscalls/sys_enter_read", "701" } };
	char path[128], id[8];

	for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++) {
		snprintf(path, sizeof(path), "%s%s/id", tracing, ids[i][0]);
		snprintf(id, sizeof(id), "%s\n", ids[i][1]);
		sysroot_file(path, id);
	}
	sysroot_file("/sys/kernel/tracing/events/sched/enable", "0\n");
	sysroot_file("/sys/kernel/tracing/available_events",
		     "sched:sched_switch\nsched:sched_waking\nsched:sched_wakeup\n"
		     "syscalls:sys_enter_read\n");
}

static const struct live_event *parse(const char *text)
{
	int err = live_events_parse(&ctx, &arena, text, &events);

	cr_assert_eq(err, 0, "%s: %s", text, ctx.error);
	return array_last(&events.list);
}

static const struct perf_event_attr *attr(const char *text)
{
	return &parse(text)->attr;
}

static void refused(const char *text, int err, const char *why)
{
	int got = live_events_parse(&ctx, &arena, text, &events);

	cr_assert_eq(got, err, "%s: %d", text, got);
	cr_assert_not_null(strstr(ctx.error, why), "%s: %s", text, ctx.error);
}

static void is(const char *text, uint32_t type, uint64_t config)
{
	const struct live_event *e = parse(text);

	cr_assert_eq(e->attr.type, type, "%s: type %u", text, e->attr.type);
	cr_assert_eq(e->attr.config, config, "%s: config %#llx", text,
		     (unsigned long long)e->attr.config);
	cr_assert_str_eq(e->name, text);
	cr_assert_eq(e->attr.size, sizeof(e->attr));
}

Test(event, the_usual_names_have_the_kernels_numbers)
{
	is("cycles", PERF_TYPE_HARDWARE, 0);
	is("cpu-cycles", PERF_TYPE_HARDWARE, 0);
	is("instructions", PERF_TYPE_HARDWARE, 1);
	is("cache-misses", PERF_TYPE_HARDWARE, 3);
	is("branches", PERF_TYPE_HARDWARE, 4);
	is("ref-cycles", PERF_TYPE_HARDWARE, 9);
	is("cpu-clock", PERF_TYPE_SOFTWARE, 0);
	is("task-clock", PERF_TYPE_SOFTWARE, 1);
	is("page-faults", PERF_TYPE_SOFTWARE, 2);
	is("faults", PERF_TYPE_SOFTWARE, 2);
	is("context-switches", PERF_TYPE_SOFTWARE, 3);
	is("cs", PERF_TYPE_SOFTWARE, 3);
	is("cpu-migrations", PERF_TYPE_SOFTWARE, 4);
	is("minor-faults", PERF_TYPE_SOFTWARE, 5);
	is("major-faults", PERF_TYPE_SOFTWARE, 6);
}

Test(event, caches_are_named_by_three_words)
{
	is("L1-dcache-loads", PERF_TYPE_HW_CACHE, 0);
	is("L1-dcache-load-misses", PERF_TYPE_HW_CACHE, 0x10000);
	is("L1-icache-load-misses", PERF_TYPE_HW_CACHE, 0x10001);
	is("LLC-stores", PERF_TYPE_HW_CACHE, 0x102);
	is("dTLB-store-misses", PERF_TYPE_HW_CACHE, 0x10103);
	is("iTLB-misses", PERF_TYPE_HW_CACHE, 0x10004);
	is("node-prefetches", PERF_TYPE_HW_CACHE, 0x206);
	refused("LLC", -EINVAL, "unknown event 'LLC'");
	refused("LLC-loads-x", -EINVAL, "unknown event");
}

Test(event, a_raw_event_is_the_processors_number)
{
	is("r1a8", PERF_TYPE_RAW, 0x1a8);
	is("r0x1A8", PERF_TYPE_RAW, 0x1a8);
	is("rffffffffffffffff", PERF_TYPE_RAW, UINT64_MAX);
	refused("r", -EINVAL, "unknown event");
	refused("r1ffffffffffffffff", -EINVAL, "unknown event");
	refused("r12g", -EINVAL, "unknown event");
}

Test(event, modifiers_say_in_which_modes)
{
	cr_assert(attr("cycles:u")->exclude_kernel && attr("cycles:u")->exclude_hv);
	cr_assert_not(attr("cycles:u")->exclude_user);
	cr_assert(attr("cycles:k")->exclude_user && !attr("cycles:k")->exclude_kernel);
	cr_assert_not(attr("cycles:uk")->exclude_user ||
		      attr("cycles:uk")->exclude_kernel);
	cr_assert_not(attr("cycles")->exclude_user || attr("cycles")->exclude_kernel);
	cr_assert(parse("cycles:u")->mode_given && !parse("cycles:p")->mode_given);
	cr_assert_eq(attr("cycles:pp")->precise_ip, 2);
	cr_assert(parse("cycles:P")->precise_most && attr("cycles:P")->precise_ip == 3);
	cr_assert(attr("cycles")->exclude_guest && !attr("cycles:G")->exclude_guest);
	cr_assert(attr("cycles:G")->exclude_host && !attr("cycles:GH")->exclude_host);
	refused("cycles:x", -EINVAL, "no modifier is called 'x'");
	refused("cycles:pppp", -EINVAL, "more than 3 times p");
}

Test(event, a_list_is_split_at_commas_that_are_not_between_slashes)
{
	make_cpu();
	parse("cycles:u,cpu/event=0x3c,umask=0x1/k,cpu-clock");
	cr_assert_eq(events.list.count, 3);
	cr_assert_str_eq(events.list.v[0].name, "cycles:u");
	cr_assert_str_eq(events.list.v[1].name, "cpu/event=0x3c,umask=0x1/k");
	cr_assert_eq(events.list.v[1].attr.config, 0x13c);
	cr_assert(events.list.v[1].attr.exclude_user);
	cr_assert_str_eq(events.list.v[2].name, "cpu-clock");
	refused("cycles,", -EINVAL, "without a name");
	refused("", -EINVAL, "without a name");
	refused("{cycles,instructions}:S", -EINVAL, "groups in braces");
}

Test(event, terms_go_where_the_format_says)
{
	make_cpu();
	is("cpu/event=0x3c,umask=1/", 4, 0x13c);
	is("cpu/event=60,inv/", 4, 0x80003c);
	is("cpu/split=0xab/", 4, 0xa0000000bull);
	is("cpu/config=0x1234/", 4, 0x1234);
	is("cpu/mem-loads/", 4, 0x1cd);
	cr_assert_eq(attr("cpu/mem-loads/")->config1, 3);
	cr_assert_eq(attr("cpu/mem-loads,ldlat=30/")->config1, 30);
	cr_assert_eq(attr("mem-loads")->config, 0x1cd, "without its PMU, too");
	cr_assert_eq(attr("cpu/r1a8/")->config, 0x1a8);
}

Test(event, terms_that_do_not_fit_are_explained)
{
	make_cpu();
	refused("cpu/event=0x100/", -EINVAL, "0x100 is too much for 'event'");
	refused("cpu/umsk=1/", -EINVAL, "no term 'umsk': did you mean 'umask'?");
	refused("cpu/mem-load/", -EINVAL, "did you mean 'mem-loads'?");
	refused("cpu/event=x/", -EINVAL, "'event' wants a number");
	refused("cpu/event=1", -EINVAL, "a '/' is missing");
	refused("uncor/event=1/", -EINVAL, "no PMU 'uncor': did you mean 'uncore'?");
	refused("cpu/loop/", -EINVAL, "'loop'");
	refused("cpu/call-graph=fp/", -EINVAL, "cannot be chosen for one event");
	refused("../cpu/event=1/", -EINVAL, "'../cpu/event=1/'");
}

Test(event, a_term_names_it_or_sets_its_rate)
{
	const struct live_event *e;

	make_cpu();
	e = parse("cycles/period=1000,name=often/u");
	cr_assert(e->rated && e->attr.sample_period == 1000 && !e->attr.freq);
	cr_assert_str_eq(e->name, "often");
	cr_assert(e->attr.exclude_kernel);
	e = parse("cpu/event=1,freq=49/");
	cr_assert(e->rated && e->attr.sample_freq == 49 && e->attr.freq);
	cr_assert_not(parse("cycles")->rated);
	refused("cycles/period=0/", -EINVAL, "wants a number");
	refused("cycles/x=1/", -EINVAL, "there is no term 'x'");
}

Test(event, a_pmu_says_on_which_processors)
{
	const struct live_event *e;

	make_cpu();
	e = parse("uncore/event=1/");
	cr_assert_eq(e->cpu_count, 2);
	cr_assert(e->cpus[0] == 0 && e->cpus[1] == 8);
	cr_assert_eq(parse("cpu/event=1/")->cpu_count, 0);
}

Test(event, each_kind_of_processor_counts_its_own_cycles)
{
	sysroot_file(DEVICES "cpu_core/type", "4\n");
	sysroot_file(DEVICES "cpu_core/cpus", "0-3\n");
	sysroot_file(DEVICES "cpu_atom/type", "10\n");
	sysroot_file(DEVICES "cpu_atom/cpus", "4-5\n");
	parse("cycles:u");
	cr_assert_eq(events.list.count, 2);
	cr_assert_str_eq(events.list.v[0].name, "cpu_core/cycles/u");
	cr_assert_eq(events.list.v[0].attr.config, 4ull << 32);
	cr_assert_eq(events.list.v[0].cpu_count, 4);
	cr_assert_str_eq(events.list.v[1].name, "cpu_atom/cycles/u");
	cr_assert_eq(events.list.v[1].attr.config, 10ull << 32);
	cr_assert(events.list.v[1].cpu_count == 2 && events.list.v[1].cpus[0] == 4);
	cr_assert(events.list.v[1].attr.exclude_kernel);
	parse("cpu-clock");
	cr_assert_eq(events.list.count, 3, "the clock is the same everywhere");
}

Test(event, tracepoints_are_looked_up)
{
	make_tracefs();
	is("sched:sched_switch", PERF_TYPE_TRACEPOINT, 321);
	is("sched:sched_switch:u", PERF_TYPE_TRACEPOINT, 321);
	cr_assert(attr("sched:sched_switch:u")->exclude_kernel);
}

Test(event, a_pattern_stands_for_all_tracepoints_that_match)
{
	make_tracefs();
	parse("sched:sched_wak*");
	cr_assert_eq(events.list.count, 2);
	cr_assert_str_eq(events.list.v[0].name, "sched:sched_wakeup");
	cr_assert_str_eq(events.list.v[1].name, "sched:sched_waking");
	parse("s*:*");
	cr_assert_eq(events.list.count, 2 + 4);
}

Test(event, what_is_no_tracepoint_is_explained)
{
	refused("sched:sched_switch", -ENOENT, "mount -t tracefs");
	make_tracefs();
	refused("sched:sched_swich", -ENOENT, "did you mean 'sched:sched_switch'?");
	refused("sch:sched_switch", -ENOENT, "did you mean 'sched:sched_switch'?");
	refused("x:sched_waking", -ENOENT, "did you mean 'sched:sched_waking'?");
	refused("sched_waking", -EINVAL, "did you mean 'sched:sched_waking'?");
	refused("sched:nothing_like_it", -ENOENT, "no tracepoint 'sched:nothing");
	refused("../x:y", -EINVAL, "");
}

Test(event, an_unknown_name_is_answered_with_what_is_close)
{
	refused("cylces", -EINVAL, "unknown event 'cylces': did you mean 'cycles'?");
	refused("cylces:u", -EINVAL, "did you mean 'cycles'?");
	refused("LLC-load-mises", -EINVAL, "did you mean 'LLC-load-misses'?");
	refused("elephant", -EINVAL, "unknown event 'elephant'");
	cr_assert_null(strstr(ctx.error, "did you mean"));
}

Test(event, memory_is_watched_at_an_address)
{
	const struct perf_event_attr *a = attr("mem:0x1000/8:w:u");

	cr_assert(a->type == PERF_TYPE_BREAKPOINT && a->bp_addr == 0x1000);
	cr_assert(a->bp_len == 8 && a->bp_type == 2 && a->exclude_kernel);
	a = attr("mem:4096");
	cr_assert(a->bp_addr == 4096 && a->bp_type == 3 && a->bp_len == 4);
	cr_assert_eq(attr("mem:0x1000:x")->bp_len, sizeof(long));
	/* The kernel's half has more than INT64_MAX. */
	cr_assert_eq(attr("mem:0xffffffff81000000:w")->bp_addr, 0xffffffff81000000);
	refused("mem:", -EINVAL, "mem:ADDRESS");
	refused("mem:-5", -EINVAL, "mem:ADDRESS");
	refused("mem:0x1ffffffffffffffff", -EINVAL, "mem:ADDRESS");
	refused("mem:0x1000/0", -EINVAL, "1 to 8");
	refused("mem:0x1000/4294967297", -EINVAL, "1 to 8");
	refused("mem:1q", -EINVAL, "what is 'q'?");
}

/* Whatever the words are, they are answered. */
static void make_probes(void)
{
	sysroot_file(DEVICES "uprobe/type", "8\n");
	sysroot_file(DEVICES "uprobe/format/retprobe", "config:0\n");
}

Test(event, a_probe_is_at_an_offset_in_a_file)
{
	const struct live_event *e;

	make_probes();
	is("uprobe:/a b/c:d.so:0x1234", 8, 0);
	e = parse("uretprobe:/lib/x.so:4660");
	cr_expect_eq(e->attr.config, 1);
	cr_expect_eq(e->attr.config2, 0x1234);
	cr_expect_str_eq((const char *)(uintptr_t)e->attr.config1, "/lib/x.so");
	cr_expect_eq(e->probe, PROBE_RETURN);
	/* Others follow. */
	parse("uprobe:/lib/x.so:1,cpu-clock,uprobe:/lib/y.so:2");
	cr_expect_eq(events.list.count, 5);
}

Test(event, the_function_of_a_probe_is_found_in_its_file)
{
	Dl_info here;
	char text[600];
	const struct live_event *e;

	object_prepare();
	make_probes();
	cr_assert(dladdr((void *)(uintptr_t)&free, &here));
	snprintf(text, sizeof(text), "uprobe:%s:strtol", here.dli_fname);
	e = parse(text);
	cr_expect_str_eq(e->name, text);
	cr_expect_gt(e->attr.config2, 0);
	snprintf(text, sizeof(text), "uprobe:%s:nothing_is_called_so", here.dli_fname);
	refused(text, -ENOENT, "there is no function 'nothing_is_called_so' in /");
	refused("uprobe:/nothing:main", -ENOENT, "/nothing");
	refused("uprobe:libc:malloc", -ENOENT, "no C library");
	refused("uprobe:libm:sin", -EINVAL, "neither a whole path");
	refused("uprobe:/lib/x.so", -EINVAL, "it is 'uprobe:FILE:FUNCTION'");
	refused("uretprobe:/lib/x.so:", -EINVAL, "it is 'uretprobe:FILE:FUNCTION'");
}

Test(event, without_the_kernels_probes_there_are_none)
{
	refused("uprobe:/lib/x.so:1", -ENOENT, "CONFIG_UPROBE_EVENTS");
}

Test(event, any_words_are_safe)
{
	static const char *const words[] = {
		"/",	      "//",	 "///",	       ":",
		"::",	      ":::",	 "cpu/",       "/u",
		"cpu//",      ",,",	 "a/",	       "/,/",
		"x:",	      "r:",	 "cpu/=/",     "cpu/,,/",
		"cpu/=1,=2/", "mem:/",	 "cpu/name=/", "mem:0x1/9999999999",
		"cycles::u",  "cycles/", "cycles//:u",
	};
	char text[9000];

	make_cpu();
	make_tracefs();
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		live_events_parse(&ctx, &arena, words[i], &events);
	memset(text, 'a', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	for (size_t at = 0; at < 400; at += 7) {
		text[at] = "/:,=*"[at % 5];
		live_events_parse(&ctx, &arena, text, &events);
	}
}
