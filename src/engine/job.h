#ifndef ENGINE_JOB_H
#define ENGINE_JOB_H

#include "engine/profile.h"
#include "weight/weight.h"

/* What all do who read one recording: whose it is, what is wanted of it. */
struct input_job {
	struct ff_profile *p;
	struct ff_input *input;
	struct input *in;
	const struct recording *rec;
	struct processes *processes;
	struct event_choice events;
	struct pairing pairing; /* of a mode; else it is not bound */
	struct wall wall; /* likewise */
	struct chart_source chart; /* likewise, of a chart */
	const char *
		event_words; /* what they were asked for by; NULL: the recorder's command */
	struct weight_options weights;
	struct stack_options stacks;
	bool drop_truncated;
	bool keep_samples;
	struct time_grid
		grid; /* of pieces of its time; without width: none are asked for */
	bool symbols_added; /* the symbolizer has the names that came with it */
	struct worker *workers;
	size_t threads;
	size_t first_chunk; /* of those that are read now */
	/* Of the budget, for what processes do: records, and the timeline they make. */
	struct claim states;
	uint64_t states_allowed;
	uint64_t samples_before, unsure_before, skipped_before; /* of earlier inputs */
	atomic_size_t chunks_done;
};

/* engine/job.c: what is the same for all recordings. */
int input_job_start(struct ff_profile *p, struct ff_input *input, struct input_job *ret);
int input_job_end(struct input_job *j, int err);
/* Once it is known which there are. */
int choose_events(struct input_job *j);
/* When all that the recording tells is known. */
int add_recording_symbols(struct input_job *j);
/* All samples that are older than @until are in @c: what was deferred of them gets its weight. */
int settle_deferred(struct input_job *j, struct collected *c, uint64_t until);
/* A record that is no sample may tell who runs, which @c is to know. 0, or a negative errno with a
 * sentence. */
/* Of a recording that says who was asked for: intervals of others do not count. Before processes are
 * followed. 0, or -ENOMEM with a sentence. */
int limit_threads(struct input_job *j);
int note_running(struct input_job *j, struct collected *c, const struct record *r);

/* engine/timeline.c: the first pass. */
int read_timeline(struct input_job *j);
/* Before it: several threads may go over a large file. */
void scan_in_parts(const struct ff_profile *p, struct input *in);

/* One of those that read samples, and what it has collected. */
struct worker {
	struct context ctx;
	struct input_job *job;
	struct collected collected;
	ARRAY(uint32_t)
	handed; /* by node of these: its id among the first worker's; or 0 */
	struct sample_reader *reader;
	struct filter_memo *memo;
	bool filters; /* there are some */
	bool asks_kthreads; /* one of them */
	struct stack_walker *stacks;
	struct weigher
		weigher; /* refers to what is collected: a worker stays where it is */
	uint64_t found; /* records of samples */
	uint64_t damaged_at; /* where the first pass saw no damage; UINT64_MAX: nowhere */
};

/* engine/engine.c: one sample, from its record to its place in the tree. */
int worker_take(struct worker *w, const struct sample *s);

/* engine/worker.c */
int worker_start(struct input_job *j, struct worker *w);
/* Does the sample pass all filters? 1, 0 or a negative errno. */
int worker_filter(struct worker *w, const struct sample *s);
/* The node of its stack, what is to be known of that, and whether it is lost for it. */
int worker_find_stack(struct worker *w, const struct sample *s, struct charge *ret);
/* It has read its last sample: keeps what came of them. */
void worker_finish(struct worker *w);
void worker_release(struct worker *w); /* a zeroed one is fine */

/* engine/second_pass.c: samples in chunks, by as many workers as there are threads. */
int read_samples(struct input_job *j);
void workers_release(struct input_job *j);

/* engine/merge.c: what workers have collected becomes the profile's. */
int merge_workers(struct input_job *j);
int merge_worker(struct input_job *j, struct worker *w);

/* What is held of it; the rest of its tag is its place in the pipe. */
enum { TAG_SAMPLE, TAG_STATE, TAG_BYTES, TAG_GROWTH, TAG_BITS = 2, TAG_KIND = 3 };

/* engine/stream.c: what is read once, as it comes. */
struct stream_run {
	struct input_job *job;
	struct worker worker;
	struct rounds rounds;
	bool chosen; /* which events count */
	bool live; /* of this machine, now */
	bool fresh; /* live: a file was mapped that was not known before; to be reset */
	uint64_t damaged;
	/* Gets all that goes out, in time order; NULL: there is none. */
	struct save *save;
	bool save_failed; /* and the sentence was said */
	/* Live: frames of the worker that were looked at for code of runtimes, and when
	 * their maps were (ns of CLOCK_MONOTONIC). */
	size_t frames_noted;
	uint64_t looked;
};
int read_stream(struct input_job *j);
/* A zeroed one, with its job, can be ended whatever came of it. */
int stream_run_start(struct stream_run *s);
int stream_run_hold(struct stream_run *s, const struct stream_item *item);
/* A record that is no sample, for the saved file. */
int stream_run_hold_bytes(struct stream_run *s, uint64_t time, const uint8_t *bytes,
			  uint32_t size);
/* Likewise, now. */
int stream_run_save_bytes(struct stream_run *s, const uint8_t *bytes, uint32_t size);
int stream_run_end_round(struct stream_run *s);
/* All of it goes out, and what the worker found becomes the profile's. */
int stream_run_finish(struct stream_run *s);
/* @err: what came of it; returned. */
int stream_run_release(struct stream_run *s, int err);

/* engine/show.c: a stream on its way. */
/* Makes the tree of what went out so far, has it shown, and goes on. */
int stream_run_show(struct stream_run *s, int (*show)(void *arg, struct ff_profile *p),
		    void *arg);
/* Begins a tree anew; what processes do goes on. */
int stream_run_forget(struct stream_run *s);
/* Joins stacks that differ only in addresses of the same functions. */
int stream_run_compact(struct stream_run *s);
/* images_over_limit(): names all frames there are, and lets go of files. */
int stream_run_make_room(struct stream_run *s);

#endif
