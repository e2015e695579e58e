#ifndef INPUT_INPUT_H
#define INPUT_INPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/array.h"
#include "base/budget.h"
#include "base/context.h"
#include "base/intern.h"
#include "live/live.h"

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
	RECORD_AUX = 11,
	RECORD_LOST_SAMPLES = 13,
	RECORD_NAMESPACES = 16,
	RECORD_KSYMBOL = 17,
	RECORD_BPF_EVENT = 18,
	RECORD_CGROUP = 19,
	RECORD_CALLCHAIN_DEFERRED = 22,
	RECORD_TYPES = 128, /* counted one by one below this; above, together */
	RECORD_SIMPLEPERF = 32768, /* Android's recorder has types of its own from here */
	SIMPLEPERF_TYPES = 16,
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

/* Namespaces of a process, in the order of the record. The kernel's device and inode
 * numbers of them have 32 bits. */
enum namespace_kind {
	NAMESPACE_NET,
	NAMESPACE_UTS,
	NAMESPACE_IPC,
	NAMESPACE_PID,
	NAMESPACE_USER,
	NAMESPACE_MNT,
	NAMESPACE_CGROUP,
	NAMESPACE_KINDS,
};
struct namespace_id {
	uint32_t dev, ino; /* both 0: not recorded */
};

/* A change of state. Strings are ids of the intern given to input_open(). */
struct record {
	uint64_t
		time; /* ns; where it has none itself, just after the newest one before it */
	uint64_t
		position; /* bytes from the start of the file: decides between equal times */
	uint16_t type; /* RECORD_MMAP (also for MMAP2), _COMM, _FORK, _EXIT, _KSYMBOL,
			  _NAMESPACES, _CGROUP, _BPF_EVENT */
	uint8_t mode; /* enum cpu_mode */
	bool exec; /* COMM: the process began a new program */
	bool no_clone; /* FORK: the maps are not those of the parent */
	bool executable; /* MMAP */
	bool gone; /* KSYMBOL: unregistered; BPF_EVENT: unloaded */
	uint8_t build_id_size; /* MMAP; 0: not known */
	uint8_t build_id[BUILD_ID_MAX];
	uint32_t pid, tid;
	/* MMAP: path; COMM: comm; KSYMBOL: symbol; CGROUP: path; BPF_EVENT: the tag, hex */
	uint32_t name;
	union {
		struct {
			uint32_t ppid, ptid; /* FORK */
			uint32_t maj, min; /* MMAP: device, 0 where not recorded */
			uint64_t ino, generation;
			uint64_t start, size, offset; /* MMAP, KSYMBOL */
		};
		struct namespace_id namespaces[NAMESPACE_KINDS]; /* NAMESPACES */
		uint64_t id; /* CGROUP, BPF_EVENT */
	};
};

/* From here on times are none: perf record --off-cpu puts what it has added up behind all
 * else. */
#define TIME_NEVER (UINT64_MAX << 32)

struct sample {
	uint64_t time; /* as for a record */
	uint64_t position;
	uint64_t ip, period;
	uint32_t pid, tid, cpu;
	uint16_t event; /* index in the recording's events */
	uint8_t mode; /* enum cpu_mode */
	bool has_chain; /* the event records call chains */
	bool has_user_stack; /* a copy of the user stack came with it */
	bool exact_chain; /* its addresses are those of calls, not return addresses */
	uint32_t chain_count;
	const uint8_t *chain; /* u64 each, unaligned, leaf first; until the next call */
	bool user_stack_cut; /* the stack went on behind the copy */
	/* The user's registers: 1: of a 32-bit task, 2: of a 64-bit one; 0: none, as of a
	 * kernel thread. Bit i of the mask: the recorder's register i is there. */
	uint8_t user_abi;
	uint64_t user_mask;
	const uint8_t *user_registers; /* u64 each, unaligned, lowest bit first */
	/* The bytes from the user's stack pointer up that could be copied. */
	const uint8_t *user_stack;
	uint32_t user_stack_size;
	uint32_t branch_count; /* branch records that came with it */
	uint64_t cgroup; /* id; 0: not recorded */
	/* Counters of its group, "value, id, ..." each group_stride u64 long. */
	uint32_t group_count, group_stride;
	const uint8_t *group; /* NULL: a group of one, in value */
	uint64_t value[2];
};

/* Counter value @i that was read with the sample, and the id it belongs to. */
static inline uint64_t sample_value(const struct sample *s, uint32_t i, uint64_t *id)
{
	const uint8_t *p = s->group ? s->group + 8 * (size_t)i * s->group_stride
				    : (const uint8_t *)s->value;
	uint64_t value;

	memcpy(&value, p, sizeof(value));
	memcpy(id, p + 8, sizeof(*id));
	return value;
}

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

#define TYPE_TRACEPOINT 2u

/* Inherited counters that are read with a sample are each thread's own (perf 6.12). */
static inline bool event_counts_threads(const struct event *e)
{
	const uint64_t sample_tid = 1 << 1, attr_inherit = 1 << 1;

	return e->sample_type & sample_tid && e->flags & attr_inherit;
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

/* What is known of a recording; complete after the first pass. */
struct recording {
	const char *format; /* "perf.data v2" */
	const char *form; /* "file", "pipe", "directory", "live"; NULL: folded text */
	bool big_endian, compressed;
	bool kernel_located; /* where the kernel lay in memory was recorded */
	bool modules_share_ids; /* maps of several modules have one build id */
	ARRAY(struct event) events;
	ARRAY(struct known_build_id) build_ids;
	ARRAY(struct recorded_file) files;
	ARRAY(struct recorded_symbol) symbols;
	bool simpleperf; /* Android's recorder: its callers are addresses of calls */
	/* Strings of the header, 0 where it has none. */
	uint32_t command, host, kernel, recorder, arch, cpu;
	uint32_t kallsyms; /* path of the one that came with it; 0: none */
	uint32_t processors;
	bool comm_exec; /* COMM records say when they are an exec */
	uint64_t bytes, records, samples, chains, user_stacks;
	uint64_t by_type[RECORD_TYPES], by_simpleperf_type[SIMPLEPERF_TYPES], unknown;
	uint64_t lost, lost_samples, throttled;
	uint64_t aux_lost; /* AUX records that say that data was lost or cut */
	uint64_t guest_samples;
	uint64_t first_time, last_time; /* of samples, ns */
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

/*
 * Samples that were lost and are not among the lost records. Since 6.0 the kernel also counts
 * by event what did not fit (PERF_FORMAT_LOST), and perf writes that at the end as
 * LOST_SAMPLES: the same samples again, and those that no LOST came to tell of.
 */
static inline uint64_t recording_lost_apart(const struct recording *rec)
{
	const uint64_t format_lost = 1 << 4;
	uint64_t told = 0;

	for (size_t i = 0; i < rec->events.count; i++)
		if (rec->events.v[i].read_format & format_lost)
			told = rec->lost;
	return rec->lost_samples > told ? rec->lost_samples - told : 0;
}

struct input;

/* What the bytes are, by their beginning. */
enum input_kind {
	INPUT_PERF,
	INPUT_FOLDED,
	INPUT_SAVED, /* a picture of ours, with its tree */
};

/* A perf.data, packed or not, or what belongs to one that is a directory. False where that
 * cannot be found out, too. */
bool input_is_recording(const char *path);

/*
 * Opens a recording and reads its header. -EBADMSG for what is no recording.
 * *@kind says what it is; folded text is read with folded_next(), what was saved is there
 * with input_saved(), anything else is read with state_next() and then sample_next().
 */
int input_open(struct context *ctx, const char *path, struct intern *strings,
	       struct input **ret, enum input_kind *kind);
/* The same of a descriptor, which stays the caller's; @name is for messages. */
int input_open_descriptor(struct context *ctx, int fd, const char *name,
			  struct intern *strings, struct input **ret,
			  enum input_kind *kind);
void input_close(struct input *in); /* NULL is fine */

/* Both passes are done: closes the file and keeps what is known of the recording. */
void input_finish(struct input *in);

/* Valid until input_close(); grows until the first pass is done. */
const struct recording *input_recording(const struct input *in);
const char *input_path(const struct input *in);

/* Before the first pass: @threads may read parts of a file of @least bytes or more, the
 * caller's is one of them. What is handed out is the same. */
void input_read_ahead(struct input *in, size_t threads, uint64_t least);

/* Before the first pass: bytes of a chunk of the second one, if not 2 MiB. */
void input_set_chunk(struct input *in, uint64_t size);

/* Type of what state_next() hands out now and then where nothing has changed, for the
 * caller to look up: at every chunk that no other thread reads. */
#define RECORD_NONE 0

/*
 * First pass: the next change of state. 1, 0 at the end, or a negative errno.
 * Damage ends the pass with 0: what was whole before it counts, and
 * recording.truncated_at and .damage say where and what.
 */
int state_next(struct context *ctx, struct input *in, struct record *ret);

/* Bytes of the data the first pass has behind it. */
uint64_t state_progress(const struct input *in);

/*
 * A pipe that perf writes is read once, as it comes: what has to be put in order, and where
 * its rounds end. recording.* grows meanwhile.
 */
bool input_flows(const struct input *in);

enum flow_kind { FLOW_STATE, FLOW_SAMPLE, FLOW_ROUND };
struct flow {
	enum flow_kind kind;
	uint64_t time, position;
	struct record record; /* FLOW_STATE */
	const uint8_t *bytes; /* FLOW_SAMPLE: for sample_decode(); until the next call */
	uint32_t size;
};

/* 1, 0 at the end, or a negative errno; damage is an end. */
int flow_next(struct context *ctx, struct input *in, struct flow *ret);

/*
 * A live run is a flow whose records the caller brings: events are known from the start,
 * and rounds are his. @events outlive the call only.
 */
int input_open_live(struct context *ctx, struct intern *strings,
		    const struct live_opened *events, size_t count, struct input **ret);

/* The ids that @events have by now. They are the same ones, in the same order. */
int input_add_ids(struct context *ctx, struct input *in, const struct live_opened *events,
		  size_t count);

/* What goes for the recorder's command line. 0, or -ENOMEM. */
int input_set_command(struct input *in, const char *command);

/* A record in place of flow_next(): 1 where it is one that goes on, 0 where it has been
 * counted only, or a negative errno. */
int input_take(struct context *ctx, struct input *in, const uint8_t *bytes, uint32_t size,
	       struct flow *ret);

/* The caller has taken a round for complete: what came for older ones can go. */
void flow_end_round(struct input *in);

/* Second pass. */
size_t input_chunks(const struct input *in);

/* The event that an id of a group's value belongs to, or -1. */
int input_event_of_id(const struct input *in, uint64_t id);

struct sample_reader;

/* One reader a worker; it can be used for any number of chunks, one after another. */
int sample_reader_new(struct context *ctx, const struct input *in,
		      struct sample_reader **ret);
void sample_reader_free(struct sample_reader *r); /* NULL is fine */

/*
 * As perf reads LBR call graphs, before the first chunk: where no branch was recorded, the
 * word that would be the newest one's target is taken for it, be it behind the record, as
 * long as the file has it. Without this, the chain is the recorded one. Pipes have no such.
 */
void sample_reader_take_any_target(struct sample_reader *r);

int sample_reader_start(struct context *ctx, struct sample_reader *r, size_t chunk);

/* The sample of a flow: 1, 0 where it cannot be understood, or a negative errno. */
int sample_decode(struct context *ctx, struct sample_reader *r, const uint8_t *bytes,
		  uint64_t position, struct sample *ret);

/* 1 and the next sample, 0 at the end of the chunk, or a negative errno. A sample
 * that cannot be understood is passed over and counted in *@damaged. */
int sample_next(struct context *ctx, struct sample_reader *r, struct sample *ret,
		uint64_t *damaged);

/* Where the chunk at hand has ended before its end, which it had in the first pass;
 * UINT64_MAX: it has not. */
uint64_t sample_reader_damaged_at(const struct sample_reader *r);

/* The second pass has found @samples records of samples, which are not as many as the first
 * one, or its bytes damaged from @at on (UINT64_MAX: they are not): says so. 0, or -ENOMEM. */
int input_note_change(struct context *ctx, struct input *in, uint64_t samples,
		      uint64_t at);

/* One line of folded text: "a;b;c 12" or, differential, "a;b;c 10 12". */
struct folded_line {
	const char *stack; /* until the next call */
	size_t size;
	uint64_t before, weight; /* in units of 10^-decimals */
	bool has_before;
};

/* How many decimals the counts of the text need, 0 to 6. */
unsigned folded_decimals(const struct input *in);

/* Lines with a count that were there when the text was opened and are not any more, when all
 * has been handed out. *@changed: it is not the same text. */
uint64_t folded_lines_missing(const struct input *in, bool *changed);

/* 1, 0 at the end, or a negative errno. Lines without a count are passed over and
 * counted in *@ignored. */
int folded_next(struct context *ctx, struct input *in, struct folded_line *ret,
		uint64_t *ignored);

/*
 * A tree that was saved in a picture: columns by number, and what their values mean, as
 * Documentation/svg-format.md says.
 */
enum saved_column {
	SAVED_COUNTS = 1,
	SAVED_NAME_START,
	SAVED_NAME_REST,
	SAVED_MODULE,
	SAVED_FUNCTION_NAME,
	SAVED_FUNCTION_MODULE,
	SAVED_FUNCTION_KIND,
	SAVED_FUNCTION_LEVEL,
	SAVED_FUNCTION_CLASS,
	SAVED_FUNCTION_COLOUR,
	SAVED_RUN,
	SAVED_UP,
	SAVED_KNOWN,
	SAVED_CALLEE,
	SAVED_NEW_LOW,
	SAVED_NEW_HIGH,
	SAVED_FILE,
	SAVED_FUNCTION_FILE,
	SAVED_FUNCTION_LINE,
	SAVED_SELF = 32, /* of leaves; of inner nodes: one more */
	SAVED_SAMPLES = 34,
	SAVED_BEFORE = 36,
	SAVED_REPORT = 38, /* of the recording: bytes that input does not look into */
	SAVED_INFERRED = 39, /* numbers of nodes and values */
	SAVED_CALLEES_OF = 40, /* and the length of a list, 2 to SAVED_SHORT_LIST */
	SAVED_COLUMNS = 49,
};

/* Indexes into lists that are no longer lie in columns of their own, several in a byte. */
enum { SAVED_SHORT_LIST = SAVED_COLUMNS - SAVED_CALLEES_OF - 1 };

enum saved_kind {
	SAVED_TEXT, /* a process, or a frame of folded text */
	SAVED_USER,
	SAVED_KERNEL,
	SAVED_JIT,
	SAVED_GAP,
	SAVED_KIND = 7, /* these bits */
	SAVED_UNNAMED = 8, /* no symbol */
	SAVED_INLINED = 16,
};

/* Where samples are. */
enum saved_samples { SAMPLES_UNKNOWN, SAMPLES_ARE_SELF, SAMPLES_HAVE_COLUMNS };

/* What is written; what is read begins at the first one. */
enum { SAVED_FORMAT = 2, SAVED_FIRST_FORMAT = 1 };

/* Texts are string ids. */
struct saved_function {
	uint32_t name, module;
	uint32_t file, line; /* where it is declared; 0: not known */
	uint8_t kind; /* enum saved_kind, with its flags */
};

/* Nodes are in preorder, node 0 is the root; node i + 1's parent is i or one of those
 * above it. */
struct saved_tree {
	struct saved_function *functions; /* 0 is the root's */
	uint32_t *function, *parent; /* by node */
	uint64_t *self; /* by node, in units of 10^-decimals */
	uint64_t *samples, *before; /* likewise; NULL: not known, no difference */
	/* Of nodes whose frame was inferred in some stacks, in their order: the weight of these. */
	struct saved_inferred {
		uint32_t node;
		uint64_t weight;
	} * inferred;
	uint32_t inferred_count;
	uint32_t function_count, nodes;
	unsigned decimals;
	bool chart; /* siblings are in the order of input */
	bool chain; /* functions are as --colors=chain shows them */
	/* What its header says; texts are string ids, 0: nothing. */
	uint32_t unit, events, title;
	uint64_t frequency, period, truncated;
	uint8_t *report; /* what it says of its recording; NULL: nothing */
	size_t report_size;
	struct claim claim; /* of the budget */
};

/* NULL where the input is something else. Valid until input_finish(). */
const struct saved_tree *input_saved(const struct input *in);

const char *record_name(unsigned type); /* NULL: no such type */
const char *sample_field_name(unsigned bit); /* of sample_type; NULL: no such bit */

/* What the code goes by that a runtime made and simpleperf kept in the file @path, which
 * is mapped at the addresses its symbols have: "JIT app cache". NULL for other files. */
const char *jit_file_name(const char *path);

#endif
