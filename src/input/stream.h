#ifndef INPUT_STREAM_H
#define INPUT_STREAM_H

#include "base/file.h"
#include "base/perf_abi.h"
#include "input/input.h"

enum {
	SAMPLE_HEAD = 128, /* of a sample's record: all fields up to READ are in it */
};

/*
 * The records of one stream: the data of a file, a data.N of a directory, what perf
 * wrote to a pipe. Compressed records are unpacked on the way; a record may straddle
 * two of them:
 *
 *	outer   | M | COMPRESSED      | COMPRESSED      | ROUND | M |
 *	inner   | M | S S S S  M  S S - S S S S S       | ROUND | M |
 *
 * Memory is bounded: a window of the file, the decoder's own window and a piece of
 * what it has unpacked, whatever a compressed record claims to hold.
 */
struct stream {
	const struct file *file;
	struct window window;
	bool swapped; /* the other byte order */
	bool skips_text; /* a pipe: tracing data lies behind its record */
	bool packed; /* has had a compressed record */
	bool cut; /* the last compressed record is not whole */
	bool heads; /* of samples only SAMPLE_HEAD bytes are wanted */
	uint8_t margin; /* bytes behind a record that are read with it */
	uint64_t offset, end; /* in the file: the next outer record, and where all ends */
	uint64_t position; /* of the next record, see struct raw_record */
	uint64_t overflow_end; /* of the data of an overflowed record at hand; 0: none */
	struct unpacking *unpacking; /* NULL: nothing compressed yet */
	const char *damage; /* why it ended before its end; NULL: it did not */
	uint64_t damaged_at; /* in the file */
};

/* Why a stream ends where the first bytes of a recording are in the place of a record. */
#define ANOTHER_RECORDING                                                                \
	"behind it is another recording, which is not read: name each by itself"

/* Those bytes, of either byte order: @p has 8. */
bool recording_begins(const uint8_t *p);

/* A whole record, borrowed until the next call. Its bytes are as in the file, but those of
 * the head are in this machine's order. */
struct raw_record {
	struct perf_event_header head;
	/* head.size of them, the file's head among them; of a sample perhaps only
	 * SAMPLE_HEAD, where the stream is asked for heads. */
	const uint8_t *bytes;
	/* Grows from record to record. Where nothing is compressed it is the offset. */
	uint64_t position;
	uint64_t behind; /* bytes that follow it and are no records */
	/* Bytes behind .bytes that can be looked at, whatever they are: those of the stream's
	 * margin that the file has, or as many as have been unpacked. */
	size_t margin;
};

struct perf_event_header record_head_at(const uint8_t *p, bool swapped);

/* @file outlives it. 0, or -ENOMEM. */
int stream_init(struct stream *s, const struct file *file, bool swapped);
void stream_release(struct stream *s);

/* Goes to a record at @start; all ends at @end. */
void stream_start(struct stream *s, uint64_t start, uint64_t end);

/*
 * 1, 0 at the end, or a negative errno. Damage is an end, too: .damage says which, and
 * everything whole before it has been handed out.
 */
int stream_next(struct context *ctx, struct stream *s, struct raw_record *ret);

#endif
