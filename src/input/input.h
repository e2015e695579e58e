#ifndef INPUT_INPUT_H
#define INPUT_INPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/array.h"
#include "base/context.h"
#include "base/intern.h"

/*
 * Bytes of a recording -> records.
 *
 * A seekable recording is read twice. The first pass walks the record headers and
 * hands out what changes the state of processes; it also cuts the data into
 * chunks at record borders. The second pass reads the samples of each chunk, any
 * number of chunks at once:
 *
 *	| chunk 0     | chunk 1     | chunk 2     |
 *	  ^ M C M S S   S S F S S M   S S S S X
 *	  pass 1: M M C F M X         pass 2: S S | S S S S | S S S S
 *
 * Formats: tools/perf/Documentation/perf.data-file-format.txt and
 * include/uapi/linux/perf_event.h of the kernel.
 */

enum {
	RECORD_MMAP = 1,
	RECORD_LOST = 2,
	RECORD_COMM = 3,
	RECORD_EXIT = 4,
	RECORD_THROTTLE = 5,
	RECORD_UNTHROTTLE = 6,
	RECORD_FORK = 7,
	RECORD_SAMPLE = 9,
	RECORD_MMAP2 = 10,
	RECORD_LOST_SAMPLES = 13,
	RECORD_KSYMBOL = 17,
	RECORD_TYPES = 128, /* counted one by one below this; above, together */
};

/* Who ran: bits 0 to 2 of a record's misc. */
enum cpu_mode {
	MODE_UNKNOWN,
	MODE_KERNEL,
	MODE_USER,
	MODE_HYPERVISOR,
	MODE_GUEST_KERNEL,
	MODE_GUEST_USER,
};

#define BUILD_ID_MAX 20

/* A change of state. Strings are ids of the intern given to input_open(). */
struct record {
	uint64_t
		time; /* ns; where it has none itself, just after the newest one before it */
	uint64_t
		position; /* bytes from the start of the file: decides between equal times */
	uint16_t type; /* RECORD_MMAP (also for MMAP2), _COMM, _FORK, _EXIT, _KSYMBOL */
	uint8_t mode; /* enum cpu_mode */
	bool exec; /* COMM: the process began a new program */
	bool no_clone; /* FORK: the maps are not those of the parent */
	bool executable; /* MMAP */
	bool gone; /* KSYMBOL: unregistered */
	uint8_t build_id_size; /* MMAP; 0: not known */
	uint8_t build_id[BUILD_ID_MAX];
	uint32_t pid, tid;
	uint32_t ppid, ptid; /* FORK */
	uint32_t name; /* MMAP: path; COMM: comm; KSYMBOL: symbol */
	uint32_t maj, min; /* MMAP: device, 0 where not recorded */
	uint64_t ino, generation;
	uint64_t start, size, offset; /* MMAP, KSYMBOL */
};

struct sample {
	uint64_t time; /* as for a record */
	uint64_t position;
	uint64_t ip, period;
	uint32_t pid, tid, cpu;
	uint16_t event; /* index in the recording's events */
	uint8_t mode; /* enum cpu_mode */
	bool has_chain; /* the event records call chains */
	bool has_user_stack; /* a copy of the user stack came with it */
	uint32_t chain_count;
	const uint8_t
		*chain; /* chain_count u64, unaligned, leaf first; until the next call */
};

static inline uint64_t sample_chain(const struct sample *s, uint32_t i)
{
	uint64_t ip;

	memcpy(&ip, s->chain + 8 * (size_t)i, sizeof(ip));
	return ip;
}

struct event {
	uint32_t name;
	uint32_t type; /* PERF_TYPE_* */
	uint64_t config;
	uint64_t sample_type, read_format, period, flags; /* as in perf_event_attr */
	uint64_t samples; /* counted in the first pass */
	uint64_t first_time; /* of its samples; UINT64_MAX without */
};

#define TYPE_TRACEPOINT 2u

/* A build id that the header knows for a path. */
struct known_build_id {
	uint32_t path;
	uint8_t mode; /* enum cpu_mode */
	uint8_t size;
	uint8_t id[BUILD_ID_MAX];
};

/* What is known of a recording; complete after the first pass. */
struct recording {
	const char *format; /* "perf.data v2" */
	ARRAY(struct event) events;
	ARRAY(struct known_build_id) build_ids;
	/* Strings of the header, 0 where it has none. */
	uint32_t command, host, kernel, recorder, arch, cpu;
	uint32_t processors;
	bool comm_exec; /* COMM records say when they are an exec */
	uint64_t bytes, records, samples, chains, user_stacks;
	uint64_t by_type[RECORD_TYPES], unknown;
	uint64_t lost, lost_samples, throttled;
	uint64_t first_time, last_time; /* of samples, ns */
	uint64_t truncated_at; /* 0: the file is whole */
	uint32_t damage; /* a sentence; 0: none */
	uint64_t kernel_samples; /* samples taken in the kernel */
};

struct input;

/* What the bytes are, by their beginning. */
enum input_kind {
	INPUT_PERF,
	INPUT_FOLDED,
};

/*
 * Opens a recording and reads its header. -EBADMSG for what is no recording.
 * *@kind says what it is; folded text is read with folded_next(), anything else
 * with state_next() and then sample_next().
 */
int input_open(struct context *ctx, const char *path, struct intern *strings,
	       struct input **ret, enum input_kind *kind);
void input_close(struct input *in); /* NULL is fine */

/* Both passes are done: closes the file and keeps what is known of the recording. */
void input_finish(struct input *in);

/* Valid until input_close(); grows until the first pass is done. */
const struct recording *input_recording(const struct input *in);
const char *input_path(const struct input *in);

/* Type of what state_next() hands out now and then where nothing has changed, for the
 * caller to look up: every chunk at least once. */
#define RECORD_NONE 0

/*
 * First pass: the next change of state. 1, 0 at the end, or a negative errno.
 * Damage ends the pass with 0: what was whole before it counts, and
 * recording.truncated_at and .damage say where and what.
 */
int state_next(struct context *ctx, struct input *in, struct record *ret);

/* Bytes of the data the first pass has behind it. */
uint64_t state_progress(const struct input *in);

/* Second pass. */
size_t input_chunks(const struct input *in);

struct sample_reader;

/* One reader a worker; it can be used for any number of chunks, one after another. */
int sample_reader_new(struct context *ctx, const struct input *in,
		      struct sample_reader **ret);
void sample_reader_free(struct sample_reader *r); /* NULL is fine */
int sample_reader_start(struct sample_reader *r, size_t chunk);

/* 1 and the next sample, 0 at the end of the chunk, or a negative errno. A sample
 * that cannot be understood is passed over and counted in *@damaged. */
int sample_next(struct context *ctx, struct sample_reader *r, struct sample *ret,
		uint64_t *damaged);

/* One line of folded text: "a;b;c 12" or, differential, "a;b;c 10 12". */
struct folded_line {
	const char *stack; /* until the next call */
	size_t size;
	uint64_t before, weight; /* in units of 10^-decimals */
	bool has_before;
};

/* How many decimals the counts of the text need, 0 to 6. */
unsigned folded_decimals(const struct input *in);

/* 1, 0 at the end, or a negative errno. Lines without a count are passed over and
 * counted in *@ignored. */
int folded_next(struct context *ctx, struct input *in, struct folded_line *ret,
		uint64_t *ignored);

const char *record_name(unsigned type); /* NULL: no such type */

#endif
