#ifndef FILTER_FILTER_H
#define FILTER_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/context.h"
#include "base/intern.h"

/*
 * Filters: "KEY=VALUE" to keep only, or to drop. The same key again: or; different
 * keys: and.
 */
struct filters;

int filters_new(struct filters **ret);
void filters_free(struct filters *f); /* NULL is fine */

enum filter_side { FILTER_ONLY, FILTER_DROP };
/* -EINVAL with a sentence for what cannot be understood. */
int filters_add(struct context *ctx, struct filters *f, enum filter_side side,
		const char *text);

/* Are there any for samples; for frames (symbol, dso); for objects (dso)? */
bool filters_ask_samples(const struct filters *f);
bool filters_ask_frames(const struct filters *f);
bool filters_ask_times(const struct filters *f);
bool filters_ask_objects(const struct filters *f);
/* Any for intervals; which of them? */
bool filters_ask_intervals(const struct filters *f);
bool filters_ask_states(const struct filters *f);
bool filters_ask_durations(const struct filters *f);
bool filters_ask_kthreads(const struct filters *f);
/* The first key that is asked for and that samples with these fields (bits of sample_type) have
 * no answer to; NULL: none. */
const char *filters_unanswered(const struct filters *f, uint64_t fields);
/* How much of the time between these is kept, in ns; they become the beginning and the end of that. */
uint64_t filters_time(const struct filters *f, uint64_t *first, uint64_t *last);
/* *@from and *@until become those of a piece that is kept, the first one or a part of it, of an input that
 * goes from @first to @last; false: nothing between them is. Where both are one time it is that which is
 * asked about. */
bool filters_kept_time(const struct filters *f, uint64_t first, uint64_t last,
		       uint64_t *from, uint64_t *until);
/* Has one a part of the whole time, which is known when all has been read? */
bool filters_need_end(const struct filters *f);

/* What a sample is asked about. */
struct filter_subject {
	uint32_t pid, tid, cpu;
	uint32_t comm; /* string id */
	uint32_t event; /* string id */
	uint32_t cgroup; /* string id of the path; that of "": none was recorded */
	uint64_t time, first, last; /* ns; first and last of the whole input */
	bool any_time; /* it is the beginning or the end of what is asked about later */
	uint32_t kthread; /* 1: a thread of the kernel */
	int64_t state; /* prev_state of sched_switch */
};

/* Not for several threads with one memo: each worker has its own. */
struct filter_memo;
int filter_memo_new(const struct filters *f, struct filter_memo **ret);
void filter_memo_free(struct filter_memo *m); /* NULL is fine */
/* 1, 0, or a negative errno with a sentence: -EINVAL where a pattern takes too many steps. */
int filters_pass(struct context *ctx, const struct filters *f, struct filter_memo *memo,
		 const struct intern *strings, const struct filter_subject *subject);

/* An interval has its length when it ends. */
bool filters_pass_duration(const struct filters *f, uint64_t ns);

/*
 * Frames are asked when they have their names. A stack passes where each key that is wanted
 * was matched by one of its frames (not all by the same), and none that is to be dropped by
 * any: the bits of its frames are or-ed.
 */
struct filter_name {
	const char *text; /* needs no NUL behind it */
	size_t size;
};
struct filter_frame {
	struct filter_name name, module; /* an empty module: it is of no object */
};
enum { FILTER_FRAME_BITS = 4 };
/* Those bits, or as filters_pass(). */
int filters_match_frame(struct context *ctx, const struct filters *f,
			struct filter_memo *memo, const struct filter_frame *frame);
bool filters_pass_frames(const struct filters *f, unsigned matched);

#endif
