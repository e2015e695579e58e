/*
 * Words of the command line: events, filters, values of options. A step (choices.h) makes one by
 * the grammar that the manual gives, and with it what it means, told here a second time; that is
 * what it has to be read as. A part of the words is then damaged: those may be refused, with a
 * sentence, or mean something else.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile.h"

#include "base/arena.h"
#include "base/text.h"
#include "choices.h"
#include "cli/options.h"
#include "cli/parse.h"
#include "filter/values.h"
#include "live/events/event.h"
#include "live/events/id_list.h"

enum {
	STEPS_MOST = 16,
	TRACE_ID = 314,
};

#define PICK(list, number) ((list)[(number) % (sizeof(list) / sizeof(*(list)))])

/* One character more, less or another. */
static void damage(struct text *word, struct numbers *n)
{
	static const char odd[] = ",:/-=%.[](){}*+\\0x9 \"'\n\t\x1b\xff\x80zZukp";
	size_t at = number_below(n, word->size + 1);
	char c = odd[number_below(n, sizeof(odd) - 1)];
	struct text made = { 0 };

	text_add(&made, word->bytes ? word->bytes : "", at);
	if (number_below(n, 3))
		text_char(&made, c);
	at += number_below(n, 2);
	if (word->bytes && at < word->size)
		text_add(&made, word->bytes + at, word->size - at);
	text_release(word);
	*word = made;
}

static const char *text_of(const struct text *word)
{
	fuzz_check(!word->failed, "memory");
	return word->bytes ? word->bytes : "";
}

/* A /sys with one PMU and one tracepoint, made once. */
static char root[] = "/tmp/fuzz-sys-XXXXXX";

static const struct {
	const char *path, *text; /* NULL: a directory */
} root_files[] = {
	{ "/sys", NULL },
	{ "/sys/bus", NULL },
	{ "/sys/bus/event_source", NULL },
	{ "/sys/bus/event_source/devices", NULL },
	{ "/sys/bus/event_source/devices/cpu", NULL },
	{ "/sys/bus/event_source/devices/cpu/format", NULL },
	{ "/sys/bus/event_source/devices/cpu/events", NULL },
	{ "/sys/bus/event_source/devices/cpu/type", "4\n" },
	{ "/sys/bus/event_source/devices/cpu/format/event", "config:0-7\n" },
	{ "/sys/bus/event_source/devices/cpu/format/umask", "config:8-15\n" },
	{ "/sys/bus/event_source/devices/cpu/format/split", "config1:0-3,32-35\n" },
	{ "/sys/bus/event_source/devices/cpu/events/loads", "event=0xcd,umask=0x1\n" },
	{ "/sys/kernel", NULL },
	{ "/sys/kernel/tracing", NULL },
	{ "/sys/kernel/tracing/events", NULL },
	{ "/sys/kernel/tracing/events/sched", NULL },
	{ "/sys/kernel/tracing/events/sched/sched_switch", NULL },
	{ "/sys/kernel/tracing/events/sched/sched_switch/id", "314\n" },
};

static void remove_root(void)
{
	char path[128];

	for (size_t i = sizeof(root_files) / sizeof(*root_files); i-- > 0;) {
		snprintf(path, sizeof(path), "%s%s", root, root_files[i].path);
		remove(path);
	}
	rmdir(root);
}

static void make_root(void)
{
	char path[128];

	if (!strstr(root, "XXXXXX"))
		return;
	fuzz_check(mkdtemp(root) != NULL, "a directory");
	atexit(remove_root);
	for (size_t i = 0; i < sizeof(root_files) / sizeof(*root_files); i++) {
		FILE *out;

		snprintf(path, sizeof(path), "%s%s", root, root_files[i].path);
		if (!root_files[i].text) {
			fuzz_check(mkdir(path, 0700) == 0, "a directory");
			continue;
		}
		out = fopen(path, "w");
		fuzz_check(out && fputs(root_files[i].text, out) >= 0, "a file");
		fclose(out);
	}
}

/* What an event is in perf_event_attr. */
struct event_meant {
	uint32_t type, bp_type;
	uint64_t config, config1, config2, period;
	bool freq;
};

static void make_memory(struct numbers *n, struct text *word, struct event_meant *want)
{
	static const char *const kinds[] = { "r", "w", "rw", "x", "wr" };
	static const uint32_t bits[] = { 1, 2, 3, 4, 3 };
	uint64_t kind = number_below(n, 6);

	want->type = PERF_TYPE_BREAKPOINT;
	want->config1 = number_below(n, 2) ? number_odd(n) : number_next(n);
	text_printf(word, number_below(n, 4) ? "mem:0x%llx" : "mem:%llu",
		    (unsigned long long)want->config1);
	want->config2 = number_below(n, 2) ? 1ull << number_below(n, 4) : 0;
	if (want->config2)
		text_printf(word, "/%u", (unsigned)want->config2);
	want->bp_type = kind < 5 ? bits[kind] : 3;
	if (kind < 5)
		text_printf(word, ":%s", kinds[kind]);
	if (!want->config2)
		want->config2 = want->bp_type == 4 ? sizeof(long) : 4;
}

static void make_cache(struct numbers *n, struct text *word, struct event_meant *want)
{
	static const char *const caches[] = { "L1-dcache", "L1-icache", "LLC",
					      "dTLB",	   "iTLB",	"branch" };
	static const char *const operations[] = { "load", "store", "prefetch" };
	uint64_t cache = number_below(n, 6), operation = number_below(n, 3);
	bool misses = number_below(n, 2);

	/* Nobody fetches ahead into a TLB, nor stores instructions. */
	if (cache == 1 || cache >= 4)
		operation = 0;
	want->type = PERF_TYPE_HW_CACHE;
	want->config = cache | operation << 8 | (uint64_t)misses << 16;
	text_printf(word, "%s-%s%s", caches[cache], operations[operation],
		    misses	     ? "-misses"
		    : operation == 2 ? "es"
				     : "s");
}

static void make_terms(struct numbers *n, struct text *word, struct event_meant *want)
{
	uint64_t event = number_below(n, 256), umask = number_below(n, 256);
	uint64_t split = number_below(n, 256);

	want->type = PERF_TYPE_RAW;
	want->config = event | umask << 8;
	text_printf(word,
		    number_below(n, 2) ? "cpu/event=%#llx,umask=%llu"
				       : "cpu/event=%llu,umask=%#llx",
		    (unsigned long long)event, (unsigned long long)umask);
	if (number_below(n, 2)) {
		want->config1 = (split & 15) | (split & 0xf0) << 28;
		text_printf(word, ",split=%#llx", (unsigned long long)split);
	}
	want->period = number_below(n, 2) ? 1 + number_below(n, 1 << 20) : 0;
	want->freq = want->period & 1;
	if (want->period)
		text_printf(word, ",%s=%llu", want->freq ? "freq" : "period",
			    (unsigned long long)want->period);
	text_char(word, '/');
}

static void make_name(struct numbers *n, struct text *word, struct event_meant *want)
{
	static const struct {
		const char *name;
		uint32_t type;
		uint64_t config;
	} names[] = {
		{ "cycles", 0, 0 },
		{ "cpu-cycles", 0, 0 },
		{ "instructions", 0, 1 },
		{ "cache-references", 0, 2 },
		{ "cache-misses", 0, 3 },
		{ "branches", 0, 4 },
		{ "branch-misses", 0, 5 },
		{ "ref-cycles", 0, 9 },
		{ "cpu-clock", 1, 0 },
		{ "task-clock", 1, 1 },
		{ "page-faults", 1, 2 },
		{ "context-switches", 1, 3 },
		{ "cs", 1, 3 },
		{ "sched:sched_switch", 2, TRACE_ID },
		{ "cpu/loads/", 4, 0x1cd },
	};
	size_t i = number_below(n, sizeof(names) / sizeof(*names));

	want->type = names[i].type;
	want->config = names[i].config;
	text_string(word, names[i].name);
}

static void make_raw(struct numbers *n, struct text *word, struct event_meant *want)
{
	want->type = PERF_TYPE_RAW;
	want->config = number_below(n, 2) ? number_odd(n) : number_next(n);
	text_printf(word, "r%llx", (unsigned long long)want->config);
}

/* perf list(1): who is counted, and how precisely. */
static void make_modifiers(struct numbers *n, struct text *word,
			   struct perf_event_attr *want)
{
	static const char letters[] = "ukhGHpIDe";
	bool user = false, kernel = false, hypervisor = false, guest = false,
	     host = false;
	unsigned count = (unsigned)number_below(n, 5);

	if (count && word->bytes[word->size - 1] != '/')
		text_char(word, ':');
	for (; count > 0; count--) {
		char c = letters[number_below(n, sizeof(letters) - 1)];

		if (c == 'p' && want->precise_ip == 3)
			continue;
		want->precise_ip += c == 'p';
		user |= c == 'u';
		kernel |= c == 'k';
		hypervisor |= c == 'h';
		guest |= c == 'G';
		host |= c == 'H';
		want->exclude_idle |= c == 'I';
		want->pinned |= c == 'D';
		want->exclusive |= c == 'e';
		text_char(word, c);
	}
	if (user || kernel || hypervisor) {
		want->exclude_user = !user;
		want->exclude_kernel = !kernel;
		want->exclude_hv = !hypervisor;
	}
	want->exclude_guest = !guest;
	want->exclude_host = guest && !host;
}

static void check_event(const struct perf_event_attr *is, const struct event_meant *meant,
			const struct perf_event_attr *modes, const char *word)
{
	bool same = is->type == meant->type && is->config == meant->config &&
		    is->config1 == meant->config1 && is->config2 == meant->config2 &&
		    is->bp_type == meant->bp_type && is->sample_period == meant->period &&
		    is->freq == meant->freq && is->exclude_user == modes->exclude_user &&
		    is->exclude_kernel == modes->exclude_kernel &&
		    is->exclude_hv == modes->exclude_hv &&
		    is->exclude_guest == modes->exclude_guest &&
		    is->exclude_host == modes->exclude_host &&
		    is->exclude_idle == modes->exclude_idle &&
		    is->pinned == modes->pinned && is->exclusive == modes->exclusive &&
		    is->precise_ip == modes->precise_ip;

	if (!same)
		fprintf(stderr, "'%s'\n", word);
	fuzz_check(same, "an event is what its words say");
}

static void do_event(const struct step *s)
{
	static void (*const makers[])(struct numbers *, struct text *,
				      struct event_meant *) = {
		make_name, make_raw, make_memory, make_terms, make_cache,
	};
	struct numbers n = numbers_of(s);
	struct live_events events = { .root = root };
	struct perf_event_attr modes = { 0 };
	struct event_meant meant = { 0 };
	struct context ctx = { 0 };
	struct arena arena = { 0 };
	struct text word = { 0 };
	bool damaged = s->flags & 1;
	int err;

	make_root();
	PICK(makers, s->what)(&n, &word, &meant);
	make_modifiers(&n, &word, &modes);
	for (unsigned i = 0; damaged && i <= (s->flags >> 1 & 3); i++)
		damage(&word, &n);
	if (memchr(text_of(&word), 0, word.size) == NULL) {
		err = live_events_parse(&ctx, &arena, text_of(&word), &events);
		if (err < 0 && !damaged)
			fprintf(stderr, "'%s': %s\n", word.bytes, ctx.error);
		fuzz_check(err == 0 || damaged, "an event is understood");
		fuzz_check(err == 0 || ctx.error[0], "a refusal says why");
		fuzz_check(err < 0 || events.list.count > 0, "no event is none");
		if (!damaged) {
			fuzz_check(events.list.count == 1, "one event is one");
			check_event(&events.list.v[0].attr, &meant, &modes, word.bytes);
		}
	}
	live_events_release(&events);
	arena_release(&arena);
	text_release(&word);
}

/* "1,5-9,20-": and the numbers around the borders that are in it. */
static void do_numbers(const struct step *s)
{
	struct {
		uint64_t first, last;
	} ranges[4];
	struct numbers n = numbers_of(s);
	struct number_list list = { 0 };
	struct context ctx = { 0 };
	struct text word = { 0 };
	size_t count = 1 + number_below(&n, 4);
	bool damaged = s->flags & 1;
	int err;

	for (size_t i = 0; i < count; i++) {
		uint64_t kind = number_below(&n, 3);

		ranges[i].first = s->flags & 2 ? number_odd(&n) & UINT32_MAX
					       : number_below(&n, 100);
		ranges[i].last = kind == 0   ? ranges[i].first
				 : kind == 1 ? UINT32_MAX
					     : ranges[i].first + number_below(&n, 9);
		if (ranges[i].last > UINT32_MAX)
			ranges[i].last = UINT32_MAX;
		text_printf(&word, "%s%llu", i ? "," : "",
			    (unsigned long long)ranges[i].first);
		if (kind == 1)
			text_char(&word, '-');
		else if (kind == 2)
			text_printf(&word, "-%llu", (unsigned long long)ranges[i].last);
	}
	if (damaged)
		damage(&word, &n);
	err = number_list_parse(&ctx, "pid=", text_of(&word), &list);
	fuzz_check(err == 0 || (damaged && ctx.error[0]), "a list is understood");
	for (size_t i = 0; !damaged && i < 4 * count; i++) {
		uint64_t number = (i & 1 ? ranges[i / 4].last : ranges[i / 4].first) +
				  (i & 2 ? 1 : 0);
		bool in = false;

		for (size_t k = 0; k < count; k++)
			in |= number >= ranges[k].first && number <= ranges[k].last;
		if (number <= UINT32_MAX)
			fuzz_check(number_list_has(&list, (uint32_t)number) == in,
				   "a list has what it says");
	}
	number_list_release(&list);
	text_release(&word);
}

/* A time in ns that can be written in a unit. */
static uint64_t make_time(struct numbers *n, struct text *word)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = { { "ns", 1 },
		      { "us", 1000 },
		      { "ms", 1000000 },
		      { "s", 1000000000 },
		      { "", 1000000000 },
		      { "m", 60000000000 },
		      { "min", 60000000000 },
		      { "h", 3600000000000 } };
	size_t unit = number_below(n, sizeof(units) / sizeof(*units));
	uint64_t whole = number_below(n, 5000), tenths = number_below(n, 2) * 5;

	text_printf(word, "%llu", (unsigned long long)whole);
	if (tenths && units[unit].ns > 1)
		text_printf(word, ".%llu", (unsigned long long)tenths);
	else
		tenths = 0;
	text_string(word, units[unit].name);
	return whole * units[unit].ns + tenths * units[unit].ns / 10;
}

static void check_times(const struct time_range *r, uint64_t start, uint64_t end)
{
	const uint64_t first = 1ull << 40, last = UINT64_MAX / 2;

	fuzz_check(time_range_has(r, first + start, first, last) == (start < end),
		   "its start is in");
	fuzz_check(start == 0 || !time_range_has(r, first + start - 1, first, last),
		   "what is before its start is not");
	if (end == UINT64_MAX)
		return;
	fuzz_check(!time_range_has(r, first + end, first, last), "its end is not");
	fuzz_check(end <= start || time_range_has(r, first + end - 1, first, last),
		   "what is before its end is");
}

static void do_times(const struct step *s)
{
	struct numbers n = numbers_of(s);
	struct context ctx = { 0 };
	struct text word = { 0 };
	struct time_range range;
	bool damaged = s->flags & 1, open_end = s->flags & 2, open_start = s->flags & 4;
	uint64_t start = 0, end = UINT64_MAX;
	int err;

	if (!open_start)
		start = make_time(&n, &word);
	text_char(&word, ',');
	if (!open_end)
		end = make_time(&n, &word);
	if (damaged)
		damage(&word, &n);
	err = time_range_parse(&ctx, "time=", text_of(&word), &range);
	fuzz_check(err == 0 || ctx.error[0], "a refusal says why");
	if (!damaged) {
		fuzz_check((err == 0) == (start <= end && !(open_start && open_end)),
			   "a time is understood");
		if (err == 0)
			check_times(&range, start, end);
	}
	text_release(&word);
}

/* A filter through the public function: any key, any value. */
static void do_filter(const struct step *s)
{
	static const char *const keys[] = {
		"comm=", "event=", "cgroup=", "symbol=", "dso=", "pid=",   "tid=",
		"cpu=",	 "time=",  "Comm=",   "comm",	 "=",	 "no=such"
	};
	static const char *const values[] = { "sh",	 "^a.*b$",	  "(a|b)+?",
					      "[^;]",	 "\\d{2,5}",	  "(?i)X",
					      "(?<=a)b", "a(?R)?b",	  "1,5-9",
					      "10%-20%", "100ms,2s",	  "\\Qa",
					      "(*UTF)é", "x{1000}{1000}", "" };
	struct numbers n = numbers_of(s);
	struct ff_profile *p = fuzz_new(0, "/nonexistent");
	struct text word = { 0 };
	int err;

	text_string(&word, PICK(keys, s->what));
	text_string(&word, PICK(values, s->who));
	for (unsigned i = 0; i < (s->flags >> 1 & 3); i++)
		damage(&word, &n);
	err = s->flags & 1 ? ff_profile_only(p, text_of(&word))
			   : ff_profile_drop(p, text_of(&word));
	fuzz_check(err == 0 || ff_profile_error(p)[0], "a refusal says why");
	ff_profile_free(p);
	text_release(&word);
}

/* All numbers and texts that options set. */
static void print_settings(const struct settings *s, int code, struct text *to)
{
	const char *const texts[] = {
		s->output,	s->format,	    s->saved,	      s->target,
		s->record.whom, s->record.cpus,	    s->graph.title,   s->graph.minwidth,
		s->graph.theme, s->graph.countname, s->profile.event, s->graph.colors,
	};

	text_printf(to, "%d", code);
	if (code)
		return;
	text_printf(to, " %d %d %x %u %u %d %d %d %u", s->profile.count, s->profile.root,
		    s->profile.flags, s->profile.threads, s->profile.max_stack,
		    s->profile.truncated, s->profile.demangle, s->profile.unnamed,
		    s->profile.debuginfod);
	text_printf(to, " %u %u %a %a %a %a %x", s->graph.width, s->graph.height,
		    s->graph.fontsize, s->graph.fontwidth, s->graph.total,
		    s->graph.factor, s->graph.flags);
	text_printf(to, " %d %llu %llu %d %u %u %x %a %a %a %u %a", s->record.who,
		    (unsigned long long)s->record.frequency,
		    (unsigned long long)s->record.period, s->record.chain,
		    s->record.stack_size, s->record.ring_size, s->record.flags,
		    s->record.seconds, s->record.every, s->record.delay,
		    s->record.save_level, s->record.save_every);
	text_printf(to, " %zu %zu %zu", s->input_count, s->filter_count,
		    s->record.event_count);
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		text_printf(to, " '%s'", texts[i] ? texts[i] : "");
}

/* What the words are read as; @heard: that something was said. */
static void read_words(const struct command *command, char **words, int count,
		       struct text *to)
{
	struct arguments args = { 0 };
	struct settings s;
	char *said = NULL;
	size_t size = 0;
	FILE *real = stderr;
	int code;

	stderr = open_memstream(&said, &size);
	fuzz_check(stderr != NULL, "memory");
	code = parse(command, count, words, &args, &s);
	fclose(stderr);
	stderr = real;
	fuzz_check((code == 0) == (size == 0),
		   "a refusal says why, nothing else says a word");
	fuzz_check(code == 0 || code == EXIT_USAGE, "wrong words are wrong usage");
	for (size_t i = 0; i + 1 < size; i++)
		fuzz_check((unsigned char)said[i] >= ' ', "a refusal is one clean line");
	print_settings(&s, code, to);
	free(said);
	settings_release(&s);
	arguments_release(&args);
}

static void make_value(struct numbers *n, const struct step *s, struct text *word)
{
	static const char *const values[] = {
		"auto",
		"dwarf",
		"dwarf,8192",
		"fp",
		"no",
		"yes",
		"short",
		"full",
		"samples",
		"period",
		"mark",
		"drop",
		"max",
		"signal",
		"stackcollapse",
		"function",
		"0.1%",
		"512K",
		"4M",
		"65M",
		"1e3",
		"0x10",
		"1,5-9",
		"-1",
		"-",
		"--",
		"=",
		"a b",
		"json",
		"cycles:u",
		"comm=a",
		"\x1b[31m",
		"é",
		"18446744073709551616",
	};

	switch (s->what % 4) {
	case 0:
		text_printf(word, "%llu", (unsigned long long)number_odd(n));
		break;
	case 1:
		make_time(n, word);
		break;
	case 2:
		text_printf(word, "%.3g", (double)number_below(n, 100000) / 7);
		break;
	default:
		text_string(word, PICK(values, s->who));
	}
	for (unsigned i = 0; s->flags & 1 && i <= (s->flags >> 1 & 1); i++)
		damage(word, n);
}

/* An option with a value, in each way in which it can be written. */
static void do_option(const struct step *s)
{
	static const unsigned bits[] = { COMMAND_GRAPH, COMMAND_FOLD, COMMAND_INFO,
					 COMMAND_RECORD };
	struct numbers n = numbers_of(s);
	const struct option_row *row = option_rows;
	struct text value = { 0 }, joined = { 0 }, apart = { 0 }, one = { 0 },
		    other = { 0 };
	const struct command *command = commands[0];
	char name[64], self[] = "flamefold";
	size_t rows = 0;

	for (size_t i = 0; commands[i]; i++)
		if (commands[i]->bit == PICK(bits, s->flags >> 2))
			command = commands[i];
	while (row[rows].help)
		rows++;
	row += s->a % rows;
	/* It writes to the environment. */
	if (!row->name || strcmp(row->name, "debuginfod") == 0)
		return;
	make_value(&n, s, &value);
	if (memchr(text_of(&value), 0, value.size))
		text_clear(&value);
	text_printf(&joined, "--%s=%s", row->name, text_of(&value));
	read_words(command, (char *[]){ self, joined.bytes }, 2, &one);
	if (row->arg && !row->alone) {
		snprintf(name, sizeof(name), "--%s", row->name);
		text_string(&apart, text_of(&value));
		read_words(command,
			   (char *[]){ self, name, apart.size ? apart.bytes : self + 9 },
			   3, &other);
		if (strcmp(one.bytes, other.bytes) != 0)
			fprintf(stderr, "%s:\n%s\n%s\n", joined.bytes, one.bytes,
				other.bytes);
		fuzz_check(strcmp(one.bytes, other.bytes) == 0,
			   "a value means the same behind '=' and as the next word");
	}
	text_release(&value);
	text_release(&joined);
	text_release(&apart);
	text_release(&one);
	text_release(&other);
}

/* "0-3,5" of processors. */
static void do_ids(const struct step *s)
{
	struct numbers n = numbers_of(s);
	struct id_list list = { 0 };
	struct text word = { 0 };
	uint64_t first = number_below(&n, 70000), last = first + number_below(&n, 70);
	bool damaged = s->flags & 1;
	int err;

	text_printf(&word, "%llu-%llu", (unsigned long long)first,
		    (unsigned long long)last);
	if (damaged)
		damage(&word, &n);
	err = id_list_parse(text_of(&word), ID_CPU_MOST, &list);
	if (!damaged) {
		fuzz_check((err == 0) == (last <= ID_CPU_MOST),
			   "processors are understood");
		fuzz_check(err < 0 || list.count == last - first + 1,
			   "each is there once");
	}
	for (size_t i = 1; err == 0 && i < list.count; i++)
		fuzz_check(list.v[i - 1] < list.v[i], "numbers ascend");
	array_release(&list);
	text_release(&word);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const parsers[])(const struct step *) = {
		do_event,  do_numbers, do_times,  do_filter,
		do_option, do_ids,     do_option, do_event,
	};
	size_t steps = size / STEP_SIZE < STEPS_MOST ? size / STEP_SIZE : STEPS_MOST;

	for (size_t i = 0; i < steps; i++) {
		struct step s = step_at(data, i);

		PICK(parsers, s.kind)(&s);
	}
	return 0;
}

MUTATE_BY_STEPS(STEPS_MOST)
