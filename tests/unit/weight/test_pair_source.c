#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "weight/pairing.h"

static struct context ctx;
static struct intern strings;
static struct recording rec;
static struct event event = { .type = 8, .sample_type = PERF_SAMPLE_REGS_USER };

static uint32_t interned(const char *text)
{
	uint32_t id;

	cr_assert_eq(intern_add(&strings, text, strlen(text), &id), 0);
	return id;
}

static void begin(void)
{
	cr_assert_eq(intern_init(&strings), 0);
	event.name = interned("probe");
}

static void end(void)
{
	intern_release(&strings);
}

#define SourceTest(name) Test(pair_source, name, .init = begin, .fini = end)

static int find(const struct event_format *format, const char *name,
		struct pair_source *ret)
{
	const struct pair_sources of = { &rec, &strings, &event, format };

	return pair_source_find(&ctx, &of, name, ret);
}

/* Each register has the value 100 + its number; those of @mask are recorded. */
static struct sample sample_with(uint64_t mask, uint8_t abi, uint64_t room[64])
{
	size_t count = 0;

	for (uint64_t i = 0; i < 64; i++)
		if (mask >> i & 1)
			room[count++] = 100 + i;
	return (struct sample){ .user_abi = abi,
				.user_mask = mask,
				.user_registers = (const uint8_t *)room };
}

static void expect_register(const char *name, uint64_t mask, int64_t expected)
{
	struct pair_source source;
	uint64_t room[64];
	struct sample s = sample_with(mask, 2, room);
	int64_t value = 0;

	cr_assert_eq(find(NULL, name, &source), 0, "%s", ctx.error);
	cr_expect_eq(pair_source_load(&source, &s, &value), expected != 0, "%s", name);
	cr_expect_eq(value, expected, "%s is %d", name, (int)value);
}

SourceTest(arguments_are_in_the_registers_of_the_recording_s_machine)
{
	static const int64_t x86_64[] = { 105, 104, 103, 102, 116, 117 };
	char name[] = "arg1";

	for (int64_t i = 0; i < 6; i++) {
		name[3] = (char)('1' + i);
		rec.arch = interned("x86_64");
		expect_register(name, 0xff0fff, x86_64[i]);
		rec.arch = interned("aarch64");
		expect_register(name, 0x1ffffffff, 100 + i);
	}
	expect_register("ret", 1, 100);
	rec.arch = interned("x86_64");
	expect_register("ret", 1, 100);
	expect_register("arg2", 1 << 4 | 1 << 5, 104);
	/* It is not there. */
	expect_register("arg2", 1 << 5, 0);
}

SourceTest(who_is_no_task_of_64_bits_has_no_arguments)
{
	struct pair_source source;
	uint64_t room[64];
	struct sample s = sample_with(1 << 5, 1, room);
	int64_t value;

	rec.arch = interned("x86_64");
	cr_assert_eq(find(NULL, "arg1", &source), 0);
	cr_expect_not(pair_source_load(&source, &s, &value));
	s = (struct sample){ .user_abi = 2, .user_mask = 1 << 5 };
	cr_expect_not(pair_source_load(&source, &s, &value));
}

SourceTest(without_registers_there_are_no_arguments)
{
	struct pair_source source;

	event.sample_type = 0;
	cr_expect_eq(find(NULL, "arg1", &source), -ENODATA);
	cr_expect_str_eq(ctx.error, "event 'probe' has no field 'arg1'");
	cr_expect_eq(find(NULL, "arg7", &source), -ENODATA);
	cr_expect_eq(find(NULL, "tid", &source), 0);
}

SourceTest(registers_of_other_events_and_machines_are_no_arguments)
{
	struct pair_source source;

	event.sample_type = PERF_SAMPLE_REGS_USER;
	rec.arch = interned("x86_64");
	event.type = PERF_TYPE_TRACEPOINT;
	cr_expect_eq(find(NULL, "arg1", &source), -ENODATA);
	event.type = PERF_TYPE_HARDWARE;
	cr_expect_eq(find(NULL, "ret", &source), -ENODATA);
	event.type = 8;
	cr_expect_eq(find(NULL, "arg1", &source), 0);
	rec.arch = interned("ppc64le");
	cr_expect_eq(find(NULL, "arg1", &source), -ENODATA);
	cr_expect(strstr(ctx.error, "'ppc64le'"));
	rec.arch = 0;
	cr_expect_eq(find(NULL, "arg1", &source), 0);
}

SourceTest(of_a_probe_of_perf_s_they_are_the_fields_behind_its_own)
{
	static const struct event_field fields[] = {
		{ "common_type", 0, 2, 2, 0 }, { "__probe_ip", 8, 8, 8, 0 },
		{ "n", 16, 8, 8, 0 },	       { "size", 24, 8, 8, 0 },
		{ "arg1", 32, 8, 8, 0 },
	};
	static const struct event_field returned[] = {
		{ "__probe_func", 8, 8, 8, 0 },
		{ "__probe_ret_ip", 16, 8, 8, 0 },
		{ "ptr", 24, 8, 8, 0 },
	};
	struct event_format entry = { .own_name = "calloc",
				      .count = 4,
				      .fields = fields };
	struct event_format back = { .own_name = "calloc__return",
				     .count = 3,
				     .fields = returned };
	struct pair_source source;

	event.type = PERF_TYPE_TRACEPOINT;
	event.sample_type = PERF_SAMPLE_RAW;
	cr_assert_eq(find(&entry, "arg1", &source), 0);
	cr_expect_eq(source.field, &fields[2]);
	cr_assert_eq(find(&entry, "arg2", &source), 0);
	cr_expect_eq(source.field, &fields[3]);
	cr_expect_eq(find(&entry, "arg3", &source), -ENODATA);
	cr_expect_eq(find(&entry, "ret", &source), -ENODATA);
	cr_assert_eq(find(&back, "ret", &source), 0);
	cr_expect_eq(source.field, &returned[2]);
	cr_expect_eq(find(&back, "arg1", &source), -ENODATA);
	/* One that has the name is it. */
	entry.count = 5;
	cr_assert_eq(find(&entry, "arg1", &source), 0);
	cr_expect_eq(source.field, &fields[4]);
}

SourceTest(a_text_is_its_first_eight_characters)
{
	static const struct event_field fields[] = {
		{ "rwbs", 0, 10, 1, EVENT_FIELD_ARRAY | EVENT_FIELD_TEXT },
		{ "args", 0, 8, 4, EVENT_FIELD_ARRAY },
	};
	const struct event_format format = { .own_name = "x",
					     .count = 2,
					     .fields = fields };
	struct sample s = { .raw = (const uint8_t *)"FF\0WSMabcd", .raw_size = 10 };
	struct pair_source source;
	int64_t value;

	event.type = PERF_TYPE_TRACEPOINT;
	cr_assert_eq(find(&format, "rwbs", &source), 0, "%s", ctx.error);
	cr_expect(source.is_text && !source.plain);
	cr_expect(pair_source_load(&source, &s, &value));
	cr_expect_eq(value, expression_text("FF", 2));
	s.raw = (const uint8_t *)"abcdefghij";
	cr_expect(pair_source_load(&source, &s, &value));
	cr_expect_eq(value, expression_text("abcdefgh", 8));
	s.raw_size = 9;
	cr_expect_not(pair_source_load(&source, &s, &value));
	cr_expect_eq(find(&format, "args", &source), -EINVAL);
	cr_expect_str_eq(ctx.error,
			 "field 'args' of event 'probe' is neither a number nor a text");
}
