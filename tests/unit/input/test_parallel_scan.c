/* The first pass by one thread and by several: what it says has to be the same. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>

#include "base/hash.h"
#include "recording.h"
#include "unit/limit.h"

enum {
	LEAST = 64 << 10, /* bytes of a part: recordings of a few MiB have many */
	ROUND = 68,
	AUXTRACE = 71,
	COMPRESSED2 = 83,
};

/* Two events, told apart by their ids: all of a sample that counts lies at its front. */
static const struct attr events[] = {
	{ .sample_type = ST_IDENTIFIER | ST_IP | ST_TID | ST_TIME | ST_CPU | ST_PERIOD |
			 ST_CALLCHAIN | ST_RAW,
	  .flags = FLAG_SAMPLE_ID_ALL,
	  .id = 77 },
	{ .type = PERF_TYPE_TRACEPOINT,
	  .sample_type =
		  ST_IDENTIFIER | ST_IP | ST_TID | ST_TIME | ST_CPU | ST_PERIOD | ST_RAW,
	  .flags = FLAG_SAMPLE_ID_ALL,
	  .id = 78 },
};

/* What was put into the recording at hand. */
static struct {
	uint64_t samples[2], first[2], last[2], states;
} truth;

static void begin_made(struct made *m)
{
	memset(&truth, 0, sizeof(truth));
	truth.first[0] = truth.first[1] = UINT64_MAX;
	made_begin(m, events, 2);
}

static void event_trailer(struct made *m, uint64_t time)
{
	two(m, 5, 6);
	u64(m, time);
	two(m, time % 4, 0);
	u64(m, 77); /* IDENTIFIER */
}

/* What a dump holds. Decoys look like heads of records, one leading to the next; the last
 * one leads to a real record, where @size is a multiple of 16. */
static void fill(struct made *m, size_t size, bool decoys)
{
	const struct record_like {
		uint32_t type;
		uint16_t misc, size;
	} like = { PERF_RECORD_COMM, 0, 16 };

	for (size_t i = 0; i + 8 <= size; i += 8) {
		if (decoys && i % 16 == 0)
			bytes(m, &like, 8);
		else
			u64(m, decoys ? 0 : i % 256);
	}
}

static void event_sample(struct made *m, int event, uint64_t time, size_t size,
			 bool decoys)
{
	truth.samples[event]++;
	if (time < truth.first[event])
		truth.first[event] = time;
	if (time < TIME_NEVER && time > truth.last[event])
		truth.last[event] = time;
	begin_record(m, PERF_RECORD_SAMPLE, event ? MODE_KERNEL : MODE_USER);
	u64(m, events[event].id);
	u64(m, 0x1000 + time);
	two(m, 5, 6);
	u64(m, time);
	two(m, time % 4, 0);
	u64(m, 1);
	if (event == 0)
		u64(m, 0); /* no chain */
	u32(m, (uint32_t)size + 4);
	u32(m, 0);
	fill(m, size, decoys);
	end_record(m);
}

static void comm(struct made *m, uint64_t time)
{
	char name[16];

	truth.states++;
	snprintf(name, sizeof(name), "c%u", (unsigned)time);
	begin_record(m, PERF_RECORD_COMM, 0);
	two(m, 5, 6);
	string(m, name);
	event_trailer(m, time);
	end_record(m);
}

static void finished_round(struct made *m)
{
	begin_record(m, ROUND, 0);
	end_record(m);
}

/* Everything at once, in no order. */
static void mixed(struct made *m, size_t records, size_t largest, bool decoys)
{
	begin_made(m);
	for (size_t i = 0; i < records; i++) {
		uint64_t chance = hash_u64(i + 1), time = 1000 + (chance >> 32) % 50000;

		switch (chance % 8) {
		case 0:
			comm(m, time);
			break;
		case 1:
			finished_round(m);
			break;
		case 2:
			begin_record(m, PERF_RECORD_LOST, 0);
			u64(m, 77);
			u64(m, 3);
			event_trailer(m, time);
			end_record(m);
			break;
		case 3:
			event_sample(m, 1, chance >> 20 & 1 ? time : TIME_NEVER + i, 48,
				     false);
			break;
		default:
			event_sample(m, chance >> 8 & 1, time,
				     (chance >> 16) % largest & ~7ull, decoys);
		}
	}
}

/* What both passes say, as one number for each kind of thing. */
struct said {
	size_t states, samples;
	uint64_t of_states, of_samples, of_losses, damaged;
	uint64_t records, kernel, untimed, lost, first, last, truncated_at;
	uint64_t event_samples[2], event_first[2];
	const char *damage;
};

static uint64_t mix(uint64_t hash, uint64_t value)
{
	return hash_u64(hash ^ value) + value;
}

static void pass_all_states(struct made *m, struct said *ret)
{
	struct record r;

	while (next_state(m, &r) == 1) {
		const char *name = text(m, r.name);

		ret->states++;
		ret->of_states = mix(ret->of_states, r.type);
		ret->of_states = mix(ret->of_states, r.time);
		ret->of_states = mix(ret->of_states, r.position);
		ret->of_states = mix(ret->of_states, hash_bytes(name, strlen(name)));
	}
}

static void pass_all_samples(struct made *m, struct said *ret)
{
	struct sample_reader *r;
	struct sample s;

	cr_assert_eq(sample_reader_new(&m->ctx, m->in, &r), 0);
	for (size_t i = 0; i < input_chunks(m->in); i++) {
		cr_assert_eq(sample_reader_start(&m->ctx, r, i), 0);
		while (sample_next(&m->ctx, r, &s, &ret->damaged) == 1) {
			ret->samples++;
			ret->of_samples = mix(ret->of_samples, s.position);
			ret->of_samples = mix(ret->of_samples, s.ip);
			ret->of_samples = mix(ret->of_samples, s.time);
		}
	}
	sample_reader_free(r);
}

static struct said listen_to(struct made *m, size_t threads)
{
	struct said said = { 0 };
	const struct recording *rec;

	cr_assert_eq(input_open(&m->ctx, m->path, &m->strings, &m->in, &m->kind), 0);
	input_set_parallel_scan(m->in, threads, LEAST);
	pass_all_states(m, &said);
	pass_all_samples(m, &said);
	rec = input_recording(m->in);
	said.records = rec->records;
	said.kernel = rec->kernel_samples;
	said.untimed = rec->untimed;
	for (size_t i = 0; i < rec->losses.count; i++)
		said.of_losses = mix(mix(said.of_losses, rec->losses.v[i].from),
				     rec->losses.v[i].to);
	said.lost = rec->lost;
	said.first = rec->first_time;
	said.last = rec->last_time;
	said.truncated_at = rec->truncated_at;
	for (int i = 0; i < 2; i++) {
		said.event_samples[i] = rec->events.v[i].samples;
		said.event_first[i] = rec->events.v[i].first_time;
	}
	said.damage = text(m, rec->damage);
	input_close(m->in);
	m->in = NULL;
	return said;
}

static void compare(const struct said *a, const struct said *b)
{
	cr_assert_eq(a->states, b->states);
	cr_assert_eq(a->of_states, b->of_states);
	cr_assert_eq(a->samples, b->samples);
	cr_assert_eq(a->of_samples, b->of_samples);
	cr_assert_eq(a->damaged, b->damaged);
	cr_assert_eq(a->untimed, b->untimed);
	cr_assert_eq(a->of_losses, b->of_losses);
	cr_assert_eq(a->records, b->records);
	cr_assert_eq(a->kernel, b->kernel);
	cr_assert_eq(a->lost, b->lost);
	cr_assert_eq(a->first, b->first);
	cr_assert_eq(a->last, b->last);
	cr_assert_eq(a->truncated_at, b->truncated_at);
	cr_assert_eq(memcmp(a->event_samples, b->event_samples, 16), 0);
	cr_assert_eq(memcmp(a->event_first, b->event_first, 16), 0);
	cr_assert_str_eq(a->damage, b->damage);
}

/* The file at m->path by any number of threads; what one says. */
static struct said same_by_any_number(struct made *m)
{
	static const size_t threads[] = { 2, 3, 5, 64 };
	struct said one = listen_to(m, 1);

	for (size_t i = 0; i < sizeof(threads) / sizeof(*threads); i++) {
		struct said many = listen_to(m, threads[i]);

		compare(&one, &many);
	}
	return one;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Of a recording without damage. */
static void check_truth(const struct said *said)
{
	uint64_t first = least(truth.first[0], truth.first[1]);

	cr_assert_eq(said->truncated_at, 0);
	cr_assert_eq(said->damaged, 0);
	cr_assert_eq(said->states, truth.states);
	cr_assert_eq(said->samples, truth.samples[0] + truth.samples[1]);
	cr_assert_eq(memcmp(said->event_samples, truth.samples, 16), 0);
	cr_assert_eq(memcmp(said->event_first, truth.first, 16), 0);
	cr_assert_eq(said->kernel, truth.samples[1]);
	cr_assert_eq(said->first, first);
	cr_assert_eq(said->last,
		     truth.last[0] > truth.last[1] ? truth.last[0] : truth.last[1]);
}

/* Writes what was made, and closes what made_open() has opened. */
static void put(struct made *m)
{
	made_open(m);
	input_close(m->in);
	m->in = NULL;
}

Test(parallel_scan, any_number_of_threads_says_what_is_there)
{
	struct said said;
	struct made m;

	/* Windows end at any byte of a head. */
	for (size_t largest = 150; largest < 600; largest += 50) {
		mixed(&m, 20000, largest, false);
		put(&m);
		said = same_by_any_number(&m);
		check_truth(&said);
		made_end(&m);
	}
}

Test(parallel_scan, samples_that_are_stepped_over_are_counted_with_their_times)
{
	struct said said;
	struct made m;

	mixed(&m, 1000, 60000, false);
	put(&m);
	said = same_by_any_number(&m);
	check_truth(&said);
	made_end(&m);
}

Test(parallel_scan, what_looks_like_records_in_a_dump_is_not_taken_for_some)
{
	struct said said;
	struct made m;

	mixed(&m, 1000, 60000, true);
	put(&m);
	said = same_by_any_number(&m);
	check_truth(&said);
	made_end(&m);
}

Test(parallel_scan, damage_is_where_it_is)
{
	struct made m;

	mixed(&m, 400, 40000, false);
	put(&m);
	/* A head without size, somewhere in the last third. */
	for (int i = 0; i < 20; i++) {
		off_t at = (off_t)((m.bytes.size * 2 / 3 + 4096 * (size_t)i) & ~7ull);
		int fd = open(m.path, O_RDWR);
		uint64_t none[128] = { 0 };

		cr_assert_geq(fd, 0);
		cr_assert_eq(pwrite(fd, none, sizeof(none), at), (ssize_t)sizeof(none));
		close(fd);
		same_by_any_number(&m);
	}
	made_end(&m);
}

Test(parallel_scan, a_cut_file_ends_where_it_is_cut)
{
	struct said said;
	struct made m;
	size_t size;

	mixed(&m, 100, 30000, false);
	put(&m);
	size = m.bytes.size;
	for (int i = 0; i < 60; i++) {
		size -= 1 + (size_t)(hash_u64((uint64_t)i) % 9000);
		cr_assert_eq(truncate(m.path, (off_t)size), 0);
		said = same_by_any_number(&m);
		cr_assert_neq(said.truncated_at, 0);
	}
	made_end(&m);
}

Test(parallel_scan, more_records_than_a_thread_keeps_are_all_handed_out)
{
	enum { COMMS = 120000 };
	struct said said;
	struct made m;

	begin_made(&m);
	for (uint64_t i = 0; i < COMMS; i++)
		comm(&m, i);
	put(&m);
	said = same_by_any_number(&m);
	cr_assert_eq(said.states, COMMS);
	made_end(&m);
}

/* Chains of the smallest records, all of which end at one of a kind that nobody knows: each
 * begins where a part could, and each is as long as it can be. */
Test(parallel_scan, chains_that_lead_nowhere_are_not_followed_one_by_one)
{
	work_at_most(10);
	enum { ROUNDS = 16000, TIMES = 64, UNHEARD_OF = 120 };
	struct said said;
	struct made m;

	begin_made(&m);
	for (int i = 0; i < TIMES; i++) {
		for (int k = 0; k < ROUNDS; k++)
			finished_round(&m);
		begin_record(&m, UNHEARD_OF, 0);
		end_record(&m);
	}
	comm(&m, 5);
	put(&m);
	said = same_by_any_number(&m);
	cr_assert_eq(said.records, TIMES * (ROUNDS + 1) + 1);
	cr_assert_eq(said.states, 1);
	made_end(&m);
}

static size_t most_memory(void)
{
	struct rusage usage;

	cr_assert_eq(getrusage(RUSAGE_SELF, &usage), 0);
	return (size_t)usage.ru_maxrss << 10;
}

/* Each part has tallies of all events. */
Test(parallel_scan, very_many_events_are_not_tallied_once_for_each_part)
{
	enum { EVENTS = 60000, SAMPLES = 80000 };
	struct attr *many = calloc(EVENTS, sizeof(*many));
	struct said said = { 0 };
	struct made m;
	size_t before;

	for (uint64_t i = 0; i < EVENTS; i++)
		many[i] = (struct attr){ .sample_type = events[1].sample_type,
					 .flags = FLAG_SAMPLE_ID_ALL,
					 .id = 1 + i };
	made_begin(&m, many, EVENTS);
	for (uint64_t i = 0; i < SAMPLES; i++) {
		begin_record(&m, PERF_RECORD_SAMPLE, MODE_USER);
		u64(&m, 1 + i % EVENTS);
		u64(&m, 0x1000 + i);
		two(&m, 5, 6);
		u64(&m, i);
		u64(&m, 1);
		u32(&m, 20);
		zeros(&m, 20);
		end_record(&m);
	}
	put(&m);
	before = most_memory();
	cr_assert_eq(input_open(&m.ctx, m.path, &m.strings, &m.in, &m.kind), 0);
	input_set_parallel_scan(m.in, 64, LEAST);
	pass_all_states(&m, &said);
	cr_assert_eq(input_recording(m.in)->samples, SAMPLES);
	cr_assert_eq(input_recording(m.in)->events.v[0].samples, 2);
	cr_assert_lt(most_memory() - before, 100u << 20);
	free(many);
	made_end(&m);
}

Test(parallel_scan, data_behind_a_record_is_stepped_over_by_all)
{
	struct made m;

	begin_made(&m);
	for (int i = 0; i < 300; i++) {
		event_sample(&m, 0, 1000 + (uint64_t)i, 2000, false);
		begin_record(&m, AUXTRACE, 0);
		u64(&m, 4096);
		zeros(&m, 32);
		end_record(&m);
		fill(&m, 4096, i % 2);
	}
	put(&m);
	cr_assert_eq(same_by_any_number(&m).samples, 300);
	made_end(&m);
}

Test(parallel_scan, data_that_runs_past_the_end_is_damage)
{
	struct said said;
	struct made m;

	mixed(&m, 300, 20000, false);
	begin_record(&m, AUXTRACE, 0);
	u64(&m, 1 << 20);
	zeros(&m, 32);
	end_record(&m);
	fill(&m, 4096, false);
	put(&m);
	said = same_by_any_number(&m);
	cr_assert_neq(said.truncated_at, 0);
	cr_assert_eq(said.event_samples[0], truth.samples[0]);
	made_end(&m);
}

/* A sample of the second event, in a frame of zstd that holds it as it is. */
static void compressed_sample(struct made *m, uint64_t time)
{
	static const uint8_t head[] = { 0x28, 0xb5, 0x2f, 0xfd, 0x20, 64, 0x01, 2, 0 };

	begin_record(m, COMPRESSED2, 0);
	u64(m, sizeof(head) + 64);
	bytes(m, head, sizeof(head));
	two(m, PERF_RECORD_SAMPLE, MODE_KERNEL | 64 << 16);
	u64(m, events[1].id);
	u64(m, 0x1000 + time);
	two(m, 5, 6);
	u64(m, time);
	two(m, time % 4, 0);
	u64(m, 1);
	two(m, 4, 0);
	zeros(m, 7); /* to a multiple of 8 */
	end_record(m);
	truth.samples[1]++;
}

Test(parallel_scan, compressed_records_are_left_to_the_one_who_reads_in_order)
{
	struct said said;
	struct made m;

	mixed(&m, 200, 20000, false);
	for (uint64_t i = 0; i < 200; i++) {
		event_sample(&m, 0, 50000 + i, 20000, false);
		if (i % 50 == 0)
			compressed_sample(&m, 50000 + i);
	}
	put(&m);
	said = same_by_any_number(&m);
	check_truth(&said);
	made_end(&m);
}

Test(parallel_scan, bytes_that_are_not_in_memory_are_read_all_the_same)
{
	struct said cached, fetched;
	struct made m;
	int fd;

	mixed(&m, 1000, 60000, false);
	put(&m);
	cached = same_by_any_number(&m);
	fd = open(m.path, O_RDWR);
	cr_assert_geq(fd, 0);
	cr_assert_eq(fsync(fd), 0);
	for (size_t threads = 1; threads < 4; threads++) {
		cr_assert_eq(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), 0);
		fetched = listen_to(&m, threads);
		compare(&cached, &fetched);
	}
	close(fd);
	made_end(&m);
}

Test(parallel_scan, a_pass_can_be_given_up_anywhere)
{
	struct record r;
	struct made m;

	mixed(&m, 1000, 60000, false);
	put(&m);
	for (int stop = 0; stop < 60; stop += 7) {
		cr_assert_eq(input_open(&m.ctx, m.path, &m.strings, &m.in, &m.kind), 0);
		input_set_parallel_scan(m.in, 4, LEAST);
		for (int i = 0; i < stop; i++)
			cr_assert_eq(state_next(&m.ctx, m.in, &r), 1);
		input_close(m.in);
		m.in = NULL;
	}
	made_end(&m);
}
