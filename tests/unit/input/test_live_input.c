#include <criterion/criterion.h>
#include <string.h>
#include <sys/utsname.h>

#include "input/input.h"
#include "live/live.h"

static struct context ctx;
static struct intern strings;
static struct input *in;
static const uint64_t ids[] = { 7, 8, 9 };

/* Two events, of which the second one has the last id. */
static void begin(void)
{
	struct live_opened events[2] = {
		{ .name = "cpu-clock", .ids = ids, .id_count = 2 },
		{ .name = "page-faults:u", .ids = ids + 2, .id_count = 1 }
	};

	for (int i = 0; i < 2; i++) {
		struct perf_event_attr *attr = &events[i].attr;

		attr->size = sizeof(*attr);
		attr->type = PERF_TYPE_SOFTWARE;
		attr->config = i ? PERF_COUNT_SW_PAGE_FAULTS : PERF_COUNT_SW_CPU_CLOCK;
		attr->sample_type = LIVE_SAMPLE_TYPE;
		attr->sample_id_all = 1;
		attr->freq = 1;
		attr->sample_freq = 99;
	}
	cr_assert_eq(intern_init(&strings), 0);
	cr_assert_eq(input_open_live(&ctx, &strings, events, 2, &in), 0);
}

static void end(void)
{
	input_close(in);
	intern_release(&strings);
}

TestSuite(live_input, .init = begin, .fini = end);

static const char *text(uint32_t id)
{
	return intern_text(&strings, id);
}

static int take(const void *record, uint32_t size, struct stream_item *ret)
{
	return input_take(&ctx, in, record, size, ret);
}

Test(live_input, what_a_header_would_say_is_known_from_the_start)
{
	const struct recording *rec = input_recording(in);
	struct utsname name;

	cr_assert_eq(uname(&name), 0);
	cr_expect(input_is_stream(in));
	cr_expect_str_eq(rec->form, "live");
	cr_expect_str_eq(text(rec->host), name.nodename);
	cr_expect_str_eq(text(rec->kernel), name.release);
	cr_expect_str_eq(text(rec->arch), name.machine);
	cr_assert_eq(rec->events.count, 2);
	cr_expect_str_eq(text(rec->events.v[0].name), "cpu-clock");
	cr_expect_str_eq(text(rec->events.v[1].name), "page-faults:u");
	cr_expect_eq(rec->events.v[0].frequency, 99);
}

Test(live_input, a_sample_goes_on_with_its_time_and_counts_for_its_event)
{
	struct {
		struct perf_event_header head;
		uint64_t id, ip;
		uint32_t pid, tid;
		uint64_t time;
		uint32_t cpu, reserved;
		uint64_t period;
	} sample = { { 9, MODE_USER, sizeof(sample) }, 9, 0x1000, 5, 6, 1234, 1, 0, 77 };
	struct sample_reader *reader;
	struct sample decoded;
	struct stream_item item;

	cr_assert_eq(take(&sample, sizeof(sample), &item), 1);
	cr_expect_eq(item.kind, ITEM_SAMPLE);
	cr_expect_eq(item.time, 1234);
	cr_expect_eq(input_recording(in)->events.v[1].samples, 1);
	cr_assert_eq(sample_reader_new(&ctx, in, &reader), 0);
	cr_assert_eq(sample_decode(&ctx, reader, item.bytes, item.position, &decoded), 1);
	cr_expect_eq(decoded.event, 1);
	cr_expect_eq(decoded.ip, 0x1000);
	cr_expect_eq(decoded.pid, 5);
	cr_expect_eq(decoded.tid, 6);
	cr_expect_eq(decoded.period, 77);
	sample_reader_free(reader);
}

Test(live_input, a_change_of_state_goes_on_and_what_was_lost_is_counted)
{
	struct {
		struct perf_event_header head;
		uint32_t pid, tid;
		char comm[8];
		struct live_trailer trailer;
	} comm = {
		{ PERF_RECORD_COMM, 0, sizeof(comm) }, 5, 5, "sh", { 5, 5, 99, 0, 0, 7 }
	};
	struct {
		struct perf_event_header head;
		uint64_t id, lost;
		struct live_trailer trailer;
	} lost = { { PERF_RECORD_LOST, 0, sizeof(lost) }, 7, 42, { 5, 5, 100, 0, 0, 7 } };
	struct stream_item item;

	cr_assert_eq(take(&comm, sizeof(comm), &item), 1);
	cr_expect_eq(item.kind, ITEM_STATE);
	cr_expect_eq(item.time, 99);
	cr_expect_eq(item.record.type, PERF_RECORD_COMM);
	cr_expect_str_eq(text(item.record.name), "sh");
	cr_expect_eq(take(&lost, sizeof(lost), &item), 0);
	cr_expect_eq(input_recording(in)->lost, 42);
}

Test(live_input, a_record_that_is_not_what_it_says_is_passed_over)
{
	struct perf_event_header head = { PERF_RECORD_COMM, 0, 64 };
	struct stream_item item;

	cr_expect_eq(take(&head, sizeof(head), &item), 0);
	cr_expect_eq(take(&head, 4, &item), 0);
	head.size = sizeof(head);
	cr_expect_eq(take(&head, sizeof(head), &item), 0, "no comm in it");
}
