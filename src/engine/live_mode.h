#ifndef ENGINE_LIVE_MODE_H
#define ENGINE_LIVE_MODE_H

#include "base/text.h"
#include "engine/job.h"
#include "live/live.h"

/* The events that a mode is sampled by, in the words of live/. */
struct live_mode {
	struct rule_events events;
	const char **words;
	struct live_asked *asked;
	struct live_probed *probed; /* NULL: no event needs it */
};

/*
 * Looks for the events of the profile's rule on this machine, and completes @wanted, which borrows from
 * @ret. Without a rule it stays as it is. 0, or a negative errno with a sentence.
 */
int live_mode_choose(struct ff_profile *p, struct live_options *wanted,
		     struct live_mode *ret, bool on_the_way);
void live_mode_release(struct live_mode *mode); /* a zeroed one is fine */

/* The threads that count are known: tells the pairing of a job. 0, or -ENOMEM. */
int live_mode_begin(struct live *live, const struct live_options *wanted,
		    struct pairing *pairing);

/* A thread has begun or ended: one that was begun by one that counts does so, too. */
int live_mode_follow(struct pairing *pairing, const struct record *record);

/* The line of perf record that records the same, for @wanted as it was completed, and before it those
 * of perf probe that it needs. 0, or a negative errno with a sentence. */
int live_mode_print_perf(struct ff_profile *p, const struct live_options *wanted,
			 struct text *ret);

#endif
