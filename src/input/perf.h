#ifndef INPUT_PERF_H
#define INPUT_PERF_H

#include "base/cursor.h"
#include "base/file.h"
#include "base/hash.h"
#include "input/input.h"
#include "input/perf_data.h"
#include "input/stream.h"

/* Fields of sample_type. */
enum {
	/* What stands behind the chain and is looked at. */
	SAMPLE_TAIL = PERF_SAMPLE_RAW | PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_REGS_USER |
		      PERF_SAMPLE_STACK_USER | PERF_SAMPLE_CGROUP,
	SAMPLE_TRAILER = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
			 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER,
};

static inline uint64_t u64_at(const uint8_t *p)
{
	uint64_t value;

	memcpy(&value, p, sizeof(value));
	return value;
}

static inline uint32_t u32_at(const uint8_t *p)
{
	uint32_t value;

	memcpy(&value, p, sizeof(value));
	return value;
}

/*
 * Where the fields of an event's records are. Every field of a sample before READ
 * has 8 bytes, so its place is known once the event is; likewise the trailer that
 * other records end with. Places are bytes from the record's start (samples) or
 * back from its end (others); 0: the field is not there.
 */
struct sample_layout {
	uint16_t ip, tid, time, cpu, period;
	uint16_t ring_cpu; /* cpu, where it is asked what was lost of which ring */
	uint16_t fixed; /* bytes up to READ */
	uint16_t trailer, trailer_time, trailer_tid, trailer_cpu;
	uint32_t branch_sample_type;
	/* Samples of perf record --off-cpu are in its own: 1: where these are just such ones; 2: in
	 * all of them. */
	uint8_t off_cpu;
	uint64_t regs_user, regs_intr;
};

/* Which event a record belongs to. */
struct event_finder {
	enum { FIND_NONE, FIND_ONLY, FIND_SAME, FIND_BY_ID } how;
	uint16_t sample_id; /* place of the id in a sample */
	uint16_t trailer_id; /* back from the end of another record; 0: none */
	struct hash_map by_id;
};

/* Where records are: the data of a file, one data.N of a directory. */
struct record_source {
	struct file file;
	uint64_t start, end; /* offsets in the file; end may be UINT64_MAX */
	bool packed; /* cannot be entered in the middle */
};

struct chunk {
	uint32_t source;
	uint64_t start, end; /* offsets in the file */
	uint64_t time; /* newest before it */
	/* Of its samples; after the first pass, of those behind it, too. */
	uint64_t oldest;
};

/* A kind of counters, by the number that stands for it in perf_event_attr.type. */
struct counters {
	uint32_t type, name;
};

enum { DEFERRED_ROUNDS = 3 }; /* a stream's records are held for two */

struct input;

/* A name that others chose, kept as long as the recording is read: "[memory limit]"
 * where the budget has nothing left for it. 0, or -ENOMEM. */
int input_add_name(struct input *in, const char *text, size_t size, uint32_t *ret);

/* Likewise a user chain that came later. */
struct deferred;
struct deferred_chain;
int input_keep_deferred(struct input *in, struct deferred **d,
			const struct deferred_chain *chain);

struct input {
	char *path;
	bool by_descriptor; /* the path is only a name */
	struct arena paths; /* of the files of a directory */
	struct file file;
	struct intern *strings;
	struct budget *budget; /* for names of records; NULL: no limit */
	struct recording rec;
	bool swapped; /* written on a machine of the other byte order */
	bool pipe; /* attributes and features come as records */
	bool live; /* records come one by one from input_take() */
	bool whole; /* the data has its end, so features follow it */
	uint64_t features[FEATURE_WORDS]; /* bits of those in the header */
	ARRAY(struct sample_layout) layouts; /* by index of event */
	struct event_finder finder;
	uint64_t ids_size; /* bytes of ids read so far */
	uint32_t ids_lost; /* events whose ids are not in the file */
	ARRAY(struct counters) counters;
	struct arena formats; /* fields of rec.formats */
	struct hash_map path_bytes; /* by pid: of paths that nobody had mapped before */
	struct hash_map modules; /* build id, hashed -> name of the first with it */
	ARRAY(uint32_t) described; /* names of events, of a pipe that has those first */
	ARRAY(struct record_source) sources; /* the first one's file is the input's */
	ARRAY(struct chunk) chunks;
	/* User chains that came later, NULL: none; those of a stream by round, newest
	 * first. */
	struct deferred *deferred[DEFERRED_ROUNDS];
	/* Threads that records tell of, where samples are packed into others: by number two bits,
	 * of a process's first thread and of its others. */
	ARRAY(uint64_t) known_threads;
	bool has_packed;
	/* By processor: when the newest sample was, where events are tracepoints, whose order may be
	 * asked for. */
	ARRAY(uint64_t) rings;
	bool has_tracepoints;
	struct simpleperf *simpleperf; /* NULL: nothing of it yet */
	/* The first pass. */
	struct parallel_scan *scan; /* NULL: no thread but the caller's */
	size_t threads;
	uint64_t chunk; /* bytes of one of the second pass */
	uint64_t part_least; /* bytes that are worth a thread */
	struct stream stream;
	uint32_t source; /* the one at hand */
	bool started, ended;
	uint64_t newest; /* ns; of the records of the source so far */
	uint64_t done; /* bytes of the sources before it */
	bool timed; /* a sample had a time */
	bool named; /* a stream's events have names */
	bool all_timed, any_timed; /* every event records times; at least one does */
	bool tells_switches; /* somebody wants to know who runs */
	bool asks_build_ids; /* an event wants them in MMAP2 records */
	/* Folded text. */
	struct folded *folded;
	struct script *script; /* NULL: it is no text of perf script */
	struct listed *listed; /* NULL: it is no list of samples */
	struct saved_picture *picture; /* NULL: the input is none */
};

/* Values of the input's byte order. */
static inline uint64_t in_u64(const struct input *in, const uint8_t *p)
{
	return in->swapped ? __builtin_bswap64(u64_at(p)) : u64_at(p);
}

static inline uint32_t in_u32(const struct input *in, const uint8_t *p)
{
	return in->swapped ? __builtin_bswap32(u32_at(p)) : u32_at(p);
}

static inline struct cursor in_cursor(const struct input *in, const void *p, size_t size)
{
	struct cursor c = cursor_of(p, size);

	c.swap = in->swapped;
	return c;
}

/* Records of the same time: those of earlier sources first. */
#define SOURCE_SHIFT 48

#define PRIoff "%#" PRIx64

enum { EVENTS_MOST = 1 << 16 }; /* perf itself stops long before */

/* A ring has a record of that time. What processor it is of has a limit. */
void input_ask_rings(struct input *in); /* samples say of what ring they are */
void input_add_ring(struct input *in, uint32_t cpu, uint64_t time);
static inline void input_see_ring(struct input *in, uint32_t cpu, uint64_t time)
{
	if (cpu >= in->rings.count)
		input_add_ring(in, cpu, time);
	else if (time > in->rings.v[cpu])
		in->rings.v[cpu] = time;
}
/* The newest one so far; 0: none. */
static inline uint64_t input_ring_time(const struct input *in, uint32_t cpu)
{
	return cpu < in->rings.count ? in->rings.v[cpu] : 0;
}

/* input.c: what the first pass notes of a sample, and of any record. */
void input_pass_sample(struct input *in, const struct raw_record *raw);
/* Counts a record to a chunk; a new one begins where the last one has become long
 * enough, or has ended before bytes that are no records. 1 where one began. */
int input_cut_chunk(struct context *ctx, struct input *in, const struct raw_record *raw);

/* perf_file.c: header, attributes and features. */
int perf_file_open(struct context *ctx, struct input *in);

/* perf_attr.c */
/* Adds an event with such an attr. */
int event_add(struct context *ctx, struct input *in, const uint8_t *attr, size_t size);
/* After the last event and id. */
void event_finder_settle(struct input *in);
/* An index of rec.events, or -1 where it cannot be known. */
int event_of_sample(const struct input *in, const uint8_t *record, size_t size);
int event_of_other(const struct input *in, const uint8_t *record, size_t size);
/* The time a record that is no sample ends with; UINT64_MAX: it has none. */
uint64_t trailer_time(const struct input *in, const uint8_t *record, size_t size);

/* Likewise its processor; UINT32_MAX. */
uint32_t trailer_cpu(const struct input *in, const uint8_t *record, size_t size);

/* @newest: where records and samples without a time of their own stand. Both passes see
 * the times of all others. */
static inline void see_time(uint64_t *newest, uint64_t time)
{
	if (time > *newest && time < TIME_NEVER)
		*newest = time;
}

/* perf_name.c: the name perf would print for an event whose name was not recorded. */
int event_name(struct input *in, struct event *event);
/* The name that old recordings give to all events of a config. */
int event_type_name(struct input *in, uint64_t config, const char *text, size_t size);

/* perf_record.c: is it the number of a thread, and of no process? */
bool input_is_thread(const struct input *in, uint32_t id);

/* tracepoints.c: takes formats out of TRACING_DATA; 0, or -ENOMEM. */
enum {
	TRACING_MOST = 8 << 20
}; /* bytes of it; kallsyms behind the formats may have more */
int tracing_read(struct input *in, struct cursor c);
/* The same of the @behind bytes behind the record at hand. */
int tracepoints_read(struct context *ctx, struct input *in, uint64_t behind);
/* That of an event that samples raw data, from tracefs. */
int tracepoint_read_live(struct context *ctx, struct input *in,
			 const struct live_opened *opened);

/* perf_feature.c: what follows the data. Damage there is not fatal: a warning. */
int features_read(struct context *ctx, struct input *in);
/* One feature whose bytes came in a record. */
int feature_decode(struct context *ctx, struct input *in, uint64_t bit,
		   const uint8_t *bytes, size_t size);
/* "record head; pid; id; path", also a record of its own. */
int build_id_decode(struct input *in, const uint8_t *p, size_t size, uint16_t misc);

/* perf_pipe.c: what pipes have in place of a header. 1 if the record was such. */
bool is_perf_pipe(const uint8_t beginning[FILE_BEGINNING]);
int pipe_open(struct context *ctx, struct input *in);
int meta_record(struct context *ctx, struct input *in, const struct raw_record *raw);

/* perf_directory.c */
int directory_open(struct context *ctx, struct input *in);
/* The kallsyms of a recording that is, or lies in, what perf record --kcore wrote. */
int directory_find_kallsyms(struct context *ctx, struct input *in);

/* perf_swap.c: a sample in this machine's byte order, in @to with room for it. False
 * where it does not hold what its event says. */
bool sample_swap(const struct input *in, int event, const uint8_t *from, size_t size,
		 uint8_t *to);

/* perf_record.c: 1 if the record is a change of state, 0 if not, or a negative errno. */
int record_decode(struct context *ctx, struct input *in, const struct raw_record *raw,
		  struct record *ret);
/* Notes that the data cannot be read from @at on; UINT64_MAX: from its end on, wherever
 * that is. */
int note_damage(struct context *ctx, struct input *in, uint64_t at, const char *why);

/* folded.c */
int folded_open(struct context *ctx, struct input *in);
void folded_close(struct input *in);

#endif
