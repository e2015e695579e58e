#ifndef INPUT_RECORDING_H
#define INPUT_RECORDING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/hash.h"
#include "input/event_format.h"
#include "input/record.h"

/*
 * What a recording says of itself: its events, the objects and symbols that it knows, when and where it
 * was made, and what was counted while it was read.
 */
struct event {
	uint32_t name;
	uint32_t unit; /* string id, of what its samples weigh; 0: the name tells it */
	uint32_t type; /* PERF_TYPE_* */
	uint64_t config;
	uint64_t address; /* of a breakpoint; config1 of others */
	uint32_t breakpoint; /* when it stops: reading 1, writing 2, running 4 */
	uint64_t sample_type, read_format, period, flags; /* as in perf_event_attr */
	uint64_t samples; /* counted in the first pass */
	uint64_t first_time; /* of its samples; UINT64_MAX without */
	uint64_t frequency; /* samples a second to aim at; 0: the period is fixed */
	uint32_t user_stack; /* bytes of it to copy */
	uint16_t max_stack; /* frames of a chain at the most; 0: the kernel's limit */
	int32_t clock; /* clockid_t; CLOCK_OF_PERF: none was chosen */
};

#define CLOCK_OF_PERF (-1)

/* Inherited counters that are read with a sample are each thread's own (Linux 6.12). */
static inline bool event_counts_threads(const struct event *e)
{
	return e->sample_type & PERF_SAMPLE_TID && e->flags & PERF_ATTR_INHERIT;
}

/* A build id that the header knows for a path. */
struct known_build_id {
	uint32_t path;
	uint8_t mode; /* enum cpu_mode */
	uint8_t size;
	uint8_t id[BUILD_ID_MAX];
};

/*
 * Symbols that came with a recording, as simpleperf has them: those that its samples
 * needed, by file. Kinds are the numbers it gives them.
 */
enum recorded_kind {
	RECORDED_KERNEL,
	RECORDED_MODULE, /* of the kernel */
	RECORDED_ELF,
	RECORDED_DEX, /* Java; also a .jar, .vdex or .apk with such code in it */
	RECORDED_PERF_MAP, /* perf-PID.map */
	RECORDED_OTHER,
};

/* Where its symbols lie: _KERNEL, _PERF_MAP: as recorded; _DEX: offsets in the file;
 * _ELF, _MODULE: @address is at @offset, which of a module is that in memory. */
struct recorded_file {
	uint32_t path;
	uint8_t kind; /* enum recorded_kind */
	bool has_offset;
	uint64_t address, offset;
};

#define RECORDED_SIZELESS UINT64_MAX

struct recorded_symbol {
	uint64_t start, size; /* RECORDED_SIZELESS: up to the next one */
	uint32_t name;
	uint32_t file; /* index in recording.files */
};

/* TIME_CONV: from the processor's clock to that of perf, as in perf_event_mmap_page. */
struct time_conversion {
	bool known;
	bool is_short; /* the clock has only the bits of mask */
	uint64_t shift, multiplier, zero, cycles, mask;
};

/* ns of perf's clock. */
static inline uint64_t time_of_cycles(const struct time_conversion *t, uint64_t cycles)
{
	uint64_t rest;

	if (t->is_short)
		cycles = t->cycles + ((cycles - t->cycles) & t->mask);
	rest = cycles & (((uint64_t)1 << t->shift) - 1);
	return t->zero + (cycles >> t->shift) * t->multiplier +
	       (rest * t->multiplier >> t->shift);
}

/*
 * A LOST record tells of those that had no room in its ring, at the first one that has room again:
 * they were lost since the record before it in that ring, at any time.
 *
 *	processor 0   10   12  ................  LOST at 30	from 12, to 30
 *	processor 1      11   15   18   22   26
 *
 * A recording that has lost more often is of no use for what asks for them.
 */
enum { LOSSES_MOST = 1 << 16 };
enum { PROCESSORS_MOST = 1 << 13 }; /* the kernel's own limit */
struct loss {
	uint64_t from, to; /* from: of this one and of those behind it in the list */
};

/* Of recordings whose clocks are one: the first sample of all, and the last one, ns. */
struct time_axis {
	uint64_t first, last;
};

/* What is known of a recording; complete after the first pass. */
struct recording {
	const char *format; /* "perf.data v2" */
	const char *form; /* "file", "pipe", "directory", "live"; NULL: folded text */
	bool big_endian, compressed;
	bool is_text; /* frames have names already: perf script has printed it, or .is_list */
	bool is_list; /* of samples, by another profiler: what is of no thread has no process frame */
	bool has_no_times; /* of a list: samples stand where they are in the file */
	bool shares_samples; /* its events are several values of the same samples */
	uint32_t values_before; /* so many of them stood before the first event's */
	/* What is counted between two samples, where that is none of the values: "space" of the four that a
	 * heap profile has. Name and unit; 0: not known. */
	uint32_t period_name, period_unit;
	uint64_t period;
	uint64_t
		recorded_ns; /* since 1970, where it is known so exactly; 0: see .recorded */
	bool pids_printed; /* of a text: else threads are known by their numbers alone */
	bool kernel_located; /* where the kernel lay in memory was recorded */
	bool modules_share_ids; /* maps of several modules have one build id */
	ARRAY(struct event) events;
	ARRAY(struct event_format) formats; /* of tracepoints, in no order */
	struct hash_map format_of_id; /* perf_event_attr.config -> index */
	ARRAY(struct known_build_id) build_ids;
	ARRAY(struct recorded_file) files;
	ARRAY(struct recorded_symbol) symbols;
	bool simpleperf; /* Android's recorder: its callers are addresses of calls */
	/* Strings of the header, 0 where it has none. */
	uint32_t command, host, kernel, recorder, arch, cpu;
	uint32_t kallsyms; /* path of the one that came with it; 0: none */
	uint32_t processors,
		processors_there; /* that run; that there are: 0: not known */
	bool comm_exec; /* COMM records say when they are an exec */
	uint64_t bytes, records, samples, chains, user_stacks;
	uint64_t by_type[RECORD_TYPES], by_simpleperf_type[SIMPLEPERF_TYPES], unknown;
	uint64_t lost, lost_samples, throttled;
	uint64_t untimed; /* samples whose time is none (TIME_NEVER) */
	ARRAY(uint32_t)
	threads; /* that were asked for, of those that are there; none: all */
	uint32_t
		recorder_pid; /* of its own process, which does not count; 0: not known */
	ARRAY(struct loss) losses; /* sorted by .to: the first LOSSES_MOST of them */
	uint64_t losses_end; /* the newest one that there was no room for; 0: none */
	uint64_t aux_lost; /* AUX records that say that data was lost or cut */
	uint64_t guest_samples;
	uint64_t first_time, last_time; /* of samples, ns */
	const struct time_axis
		*axis; /* that it lies on with others; NULL: it has its own */
	/* When its file was made and last written to, ns since 1970, 0: not known, or not what
	 * its samples took: a copy says when it was copied. */
	uint64_t began, ended;
	/* The time of day, ns since 1970, when the samples' clock showed .clock_time; 0: not known. */
	uint64_t day_time, clock_time;
	int32_t day_clock; /* which one that is */
	uint64_t
		recorded; /* that of the first sample in seconds, where a picture says so */
	uint64_t truncated_at; /* 0: the file is whole */
	uint32_t damage; /* a sentence; 0: none */
	uint64_t kernel_samples; /* samples taken in the kernel */
	struct time_conversion time_conversion;
};

/* Where its times are counted from, and to: what is asked for by time. */
static inline const uint64_t *recording_first(const struct recording *rec)
{
	return rec->axis ? &rec->axis->first : &rec->first_time;
}

static inline uint64_t recording_last(const struct recording *rec)
{
	return rec->axis ? rec->axis->last : rec->last_time;
}

/* The fields of a tracepoint's raw data, NULL: not known. Valid until another format comes, its fields
 * as long as the recording is. */
const struct event_format *recording_format(const struct recording *rec,
					    const struct event *event);

/*
 * Samples that were lost and are not among the lost records. Since 6.0 the kernel also counts
 * by event what did not fit (PERF_FORMAT_LOST), and perf writes that at the end as
 * LOST_SAMPLES: the same samples again, and those that no LOST came to tell of.
 */
static inline uint64_t recording_lost_apart(const struct recording *rec)
{
	uint64_t told = 0;

	for (size_t i = 0; i < rec->events.count; i++)
		if (rec->events.v[i].read_format & PERF_FORMAT_LOST)
			told = rec->lost;
	return rec->lost_samples > told ? rec->lost_samples - told : 0;
}

#endif
