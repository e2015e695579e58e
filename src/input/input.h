#ifndef INPUT_INPUT_H
#define INPUT_INPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/budget.h"
#include "base/context.h"
#include "base/intern.h"
#include "input/folded.h"
#include "input/printed.h"
#include "input/record.h"
#include "input/recording.h"
#include "input/save.h"

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
struct input;

/* What the bytes are, by their beginning. */
enum input_kind {
	INPUT_PERF,
	INPUT_FOLDED,
	INPUT_SAVED, /* a picture of ours, with its tree */
	INPUT_PROFILE, /* a profile file, which store/ reads */
};

/* What a profile file begins with: no text does, and what has changed the ends of lines in it shows. */
#define INPUT_PROFILE_MAGIC                                                              \
	"\x89"                                                                           \
	"FFP\r\n\x1a\n"

/* A perf.data, packed or not, or what belongs to one that is a directory. False where that
 * cannot be found out, too. */
bool input_is_recording(const char *path);

/*
 * Opens a recording and reads its header. -EBADMSG for what is no recording.
 * *@kind says what it is; folded text is read with folded_next(), a picture is there
 * with input_picture(), anything else is read with state_next() and then sample_next().
 */
int input_open(struct context *ctx, const char *path, struct intern *strings,
	       struct input **ret, enum input_kind *kind);

struct input_origin {
	const char *path; /* for messages only, where there is a descriptor */
	int fd; /* stays the caller's; -1: none */
};
int input_open_origin(struct context *ctx, struct input_origin origin,
		      struct intern *strings, struct input **ret, enum input_kind *kind);
void input_close(struct input *in); /* NULL is fine */

/* Both passes are done: closes the file and keeps what is known of the recording. */
void input_finish(struct input *in);

/* Likewise, where there are many more: but for its texts, its events and what was counted, nothing is kept. No
 * pointer to an event is valid any more. */
void input_forget(struct input *in);

/* Valid until input_close(); grows until the first pass is done. */
const struct recording *input_recording(const struct input *in);
const char *input_path(const struct input *in);

/* Before the first pass: @threads may read parts of a file of @least bytes or more, the
 * caller's is one of them. What is handed out is the same. */
void input_set_parallel_scan(struct input *in, size_t threads, uint64_t least);

/* Its times are counted from the beginning of @axis, which is the caller's. */
void input_set_axis(struct input *in, const struct time_axis *axis);

/* Before the first pass: who goes on a processor, and off it, is handed out, too. */
void input_tell_switches(struct input *in);

/* Before the first pass of a text: frames without a symbol are told apart by their addresses. */
void input_keep_addresses(struct input *in);

/* Before the first pass: what samples are labelled with is kept as frames behind their leaves
 * (PRINTED_LABEL). Others than pprof have no labels. */
void input_keep_labels(struct input *in);

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
bool input_is_stream(const struct input *in);

enum stream_item_kind { ITEM_STATE, ITEM_SAMPLE, ITEM_ROUND };
struct stream_item {
	enum stream_item_kind kind;
	uint64_t time, position;
	struct record record; /* ITEM_STATE */
	const uint8_t *bytes; /* ITEM_SAMPLE: for sample_decode(); until the next call */
	uint32_t size;
};

/* 1, 0 at the end, or a negative errno; damage is an end. */
int input_next(struct context *ctx, struct input *in, struct stream_item *ret);

/*
 * A live run is a stream whose records the caller brings: events are known from the start,
 * and rounds are his. @events outlive the call only.
 */
struct live_opened;
int input_open_live(struct context *ctx, struct intern *strings,
		    const struct live_opened *events, size_t count, struct input **ret);

/* The ids that @events have by now. They are the same ones, in the same order. */
int input_add_ids(struct context *ctx, struct input *in, const struct live_opened *events,
		  size_t count);

/* What goes for the recorder's command line. 0, or -ENOMEM. */
int input_set_command(struct input *in, const char *command);

/* A record in place of input_next(): 1 where it is one that goes on, 0 where it has been
 * counted only, or a negative errno. */
int input_take(struct context *ctx, struct input *in, const uint8_t *bytes, uint32_t size,
	       struct stream_item *ret);

/* The caller has taken a round for complete: what came for older ones can go. */
void input_end_round(struct input *in);

/* Second pass. */
size_t input_chunks(const struct input *in);
/* No sample of the chunk and those behind it is older. UINT64_MAX: there is none. */
uint64_t input_oldest_from(const struct input *in, size_t chunk);

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

/* The sample of a stream item: 1, 0 where it cannot be understood, or a negative errno. */
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

/*
 * A picture with a tree in it: what its header says, and the tree as it was before it was packed,
 * for tree/ to decode. Texts are string ids, 0: nothing.
 */
struct saved_picture {
	uint64_t format; /* of the payload */
	uint64_t samples, frequency, period, duration, lost, truncated, recorded;
	bool chart; /* siblings are in the order of input */
	bool chain; /* functions are as --colors=chain shows them */
	uint32_t unit, events, command, title;
	/* What it is coloured by: its name, and that of two columns, "cycles/instructions". */
	uint32_t ratio, ratio_columns;
	uint64_t ratio_least;
	bool ratio_share;
	uint8_t *payload;
	size_t size;
	struct claim claim; /* of the budget, for the payload */
};

/* Of a profile file: its bytes; and what was found in it, which goes for a picture's header from then
 * on. 0, or -ENOMEM. */
struct file *input_file(struct input *in);
int input_set_picture(struct input *in, const struct saved_picture *picture);

/* NULL where the input is something else. Valid until input_finish(). */
const struct saved_picture *input_picture(const struct input *in);

/* The payload has been decoded, or cannot be: its memory goes. */
void input_drop_payload(struct input *in);

/* The sentence for what came of a payload: -ENOMEM, -EFBIG where the budget has too little left,
 * or -EBADMSG, where @why says what is wrong with it. Returns @err. */
int input_picture_fail(struct context *ctx, const struct input *in, int err,
		       const char *why);

/* Formats of payloads: what is written; what is read begins at the first one; up to which they are
 * base64, as those behind it are base91. */
enum { SAVED_FORMAT = 3, SAVED_FIRST_FORMAT = 1, SAVED_BASE64_FORMAT = 2 };

const char *record_name(unsigned type); /* NULL: no such type */
const char *sample_field_name(unsigned bit); /* of sample_type; NULL: no such bit */

/* What the code goes by that a runtime made and simpleperf kept in the file @path, which
 * is mapped at the addresses its symbols have: "JIT app cache". NULL for other files. */
const char *jit_file_name(const char *path);

#endif
