#ifndef INPUT_PERF_H
#define INPUT_PERF_H

#include "base/file.h"
#include "base/hash.h"
#include "input/input.h"

/* enum perf_event_sample_format */
enum {
	SAMPLE_IP = 1 << 0,
	SAMPLE_TID = 1 << 1,
	SAMPLE_TIME = 1 << 2,
	SAMPLE_ADDR = 1 << 3,
	SAMPLE_READ = 1 << 4,
	SAMPLE_CALLCHAIN = 1 << 5,
	SAMPLE_ID = 1 << 6,
	SAMPLE_CPU = 1 << 7,
	SAMPLE_PERIOD = 1 << 8,
	SAMPLE_STREAM_ID = 1 << 9,
	SAMPLE_RAW = 1 << 10,
	SAMPLE_BRANCH_STACK = 1 << 11,
	SAMPLE_REGS_USER = 1 << 12,
	SAMPLE_STACK_USER = 1 << 13,
	SAMPLE_IDENTIFIER = 1 << 16,
	SAMPLE_TRAILER = SAMPLE_TID | SAMPLE_TIME | SAMPLE_ID | SAMPLE_STREAM_ID |
			 SAMPLE_CPU | SAMPLE_IDENTIFIER,
};

/* Bits of perf_event_attr's flags. */
#define ATTR_FREQ (1ull << 10)
#define ATTR_SAMPLE_ID_ALL (1ull << 18)
#define ATTR_COMM_EXEC (1ull << 24)

/* struct perf_event_header */
struct record_head {
	uint32_t type;
	uint16_t misc, size; /* size with this head */
};
enum { RECORD_HEAD = 8 };

#define MISC_MODE 7u
#define MISC_MMAP_DATA (1u << 13)
#define MISC_COMM_EXEC (1u << 13)
#define MISC_FORK_EXEC (1u << 13)
#define MISC_MMAP_BUILD_ID (1u << 14)
#define MISC_LOST_SAMPLES_BPF (1u << 15)

static inline struct record_head record_head(const uint8_t *p)
{
	struct record_head h;

	memcpy(&h, p, sizeof(h));
	return h;
}

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
struct layout {
	uint16_t ip, tid, time, cpu, period;
	uint16_t fixed; /* bytes up to READ */
	uint16_t trailer, trailer_time, trailer_tid;
	uint32_t branch_sample_type;
	uint64_t regs_user;
};

/* Which event a record belongs to. */
struct event_finder {
	enum { FIND_ONLY, FIND_SAME, FIND_BY_ID } how;
	uint16_t sample_id; /* place of the id in a sample */
	uint16_t trailer_id; /* back from the end of another record; 0: none */
	struct hash_map by_id;
};

struct chunk {
	uint64_t start, end; /* offsets in the file */
	uint64_t time; /* newest before it */
};

struct input {
	char *path;
	struct file file;
	struct intern *strings;
	struct recording rec;
	ARRAY(struct layout) layouts; /* by index of event */
	struct event_finder finder;
	uint64_t ids_size; /* bytes of ids read so far */
	uint64_t data_start, data_end;
	ARRAY(struct chunk) chunks;
	/* The first pass. */
	struct window window;
	uint64_t position;
	uint64_t newest; /* ns; of the records so far */
	bool timed; /* a sample had a time */
	bool all_timed, any_timed; /* every event records times; at least one does */
	/* Folded text. */
	struct folded *folded;
};

#define PRIoff "%#" PRIx64

/* perf_file.c: header, attributes and features. */
int perf_file_open(struct context *ctx, struct input *in);

/* perf_attr.c */
enum { ATTR_SIZE_MIN = 64 };
/* @bytes: @size bytes of a perf_event_attr of any age, missing ones are zero. */
void attr_decode(const uint8_t *bytes, size_t size, struct event *event,
		 struct layout *ret);
/* After the last event and id. */
void event_finder_settle(struct input *in);
/* An index of rec.events, or -1 where it cannot be known. */
int event_of_sample(const struct input *in, const uint8_t *record, size_t size);
int event_of_other(const struct input *in, const uint8_t *record, size_t size);
/* The time a record that is no sample ends with; UINT64_MAX: it has none. */
uint64_t trailer_time(const struct input *in, const uint8_t *record, size_t size);

/* perf_name.c: the name perf would print for an event whose name was not recorded. */
int event_name(struct input *in, struct event *event);

/* perf_feature.c: what follows the data. Damage there is not fatal: a warning. */
int features_read(struct context *ctx, struct input *in, const uint64_t bits[4]);

/* perf_record.c: 1 if the record is a change of state, 0 if not, or a negative errno. */
int record_decode(struct context *ctx, struct input *in, const uint8_t *bytes,
		  size_t size, uint64_t position, struct record *ret);
/* Notes that the data cannot be read from @at on. */
int note_damage(struct context *ctx, struct input *in, uint64_t at, const char *why);

/* folded.c */
int folded_open(struct context *ctx, struct input *in);
void folded_close(struct input *in);

#endif
