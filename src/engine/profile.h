#ifndef ENGINE_PROFILE_H
#define ENGINE_PROFILE_H

#include <pthread.h>
#include <stdatomic.h>

#include <flamefold.h>

#include "base/arena.h"
#include "base/budget.h"
#include "filter/filter.h"
#include "order/order.h"
#include "symbol/symbol.h"
#include "tree/tree.h"
#include "weight/weight.h"

struct ff_event {
	const char *name;
	const struct event *recorded;
	uint64_t samples, split;
	uint32_t index;
};

/* What came with samples, for those who judge a recording. */
struct sample_tally {
	uint64_t chains, chains_broken, chains_cut;
	uint64_t user_stacks, user_stacks_cut, branch_stacks, bare;
	uint64_t inferred; /* with a caller that the code alone tells */
	uint64_t skipped; /* with a mark where frames are missing in their midst */
};

/* Samples by why their stacks are not whole. */
struct incomplete_counts {
	uint64_t of[INCOMPLETE_BITS]; /* by bit of enum incomplete_reason */
	uint64_t truncated; /* any of INCOMPLETE_TRUNCATED */
};

struct ff_finding {
	const char *kind, *cause, *remedy; /* remedy: NULL: there is none */
	uint64_t part, whole;
};

/* What a picture says of an object; texts as the public functions give them. */
struct saved_object {
	const char *path, *file, *debug_file, *problem;
	enum ff_object_kind kind;
	enum ff_object_names names;
	bool debug_info, refused;
	uint64_t weight, unnamed, addresses, addresses_unnamed, entries;
	uint32_t runtime;
	char build_id[2 * BUILD_ID_MAX + 1];
};

struct record_count {
	unsigned type;
	uint64_t count;
};

/* What a picture says of the recording it was made of. */
struct saved_report {
	const char *texts[FF_INPUT_TEXTS]; /* by enum ff_input_text */
	uint64_t counts[FF_INPUT_COUNTS]; /* by enum ff_input_count */
	ARRAY(struct ff_event) events;
	ARRAY(struct record_count) records;
	ARRAY(struct saved_object) objects;
	ARRAY(struct ff_finding) findings;
};

struct ff_input {
	const struct ff_profile *profile;
	struct input *input;
	struct ff_event *events;
	size_t event_count;
	struct sample_tally tally;
	uint64_t delivered, late;
	/* Samples that groups of counters were split into, by event; NULL: no groups. */
	uint64_t *split;
	size_t split_count;
	uint32_t index;
	/* What was counted: string ids, 0 where it is samples, or not known. */
	uint32_t event_names, unit;
	uint32_t
		title; /* of a picture, where it was chosen or is the name of a file; 0: none */
	uint64_t frequency, period;
	struct saved_report *report; /* of a picture; NULL: it has none */
	bool has_samples; /* how many is known */
	bool changed; /* while it was read: the second pass has not found what the first one had */
};

static inline uint64_t input_split(const struct ff_input *in, size_t event)
{
	return event < in->split_count ? in->split[event] : 0;
}

struct ff_process {
	uint32_t pid;
	const char *comm;
	uint64_t samples;
};

struct ff_object {
	const struct ff_profile *profile;
	uint32_t image;
	const struct saved_object *saved; /* of a picture: stands for the image */
	uint64_t weight, unnamed; /* of leaf frames; of those without a symbol */
	char build_id[2 * BUILD_ID_MAX + 1]; /* hex */
};

/* Stacks that were followed by frame pointers and do not begin where threads do. */
struct root_loss {
	uint32_t image; /* of the outermost code */
	uint64_t weight;
};
struct roots {
	/* Weight: of all stacks with a user's part, and of those that lack their root. */
	uint64_t users, lost;
	ARRAY(struct root_loss) by_image; /* most first */
};

/* How an input is shared out to threads; 0: as is good for files. Tests have smaller parts. */
struct part_sizes {
	uint64_t ahead; /* bytes of a file that are worth a thread in the first pass */
	uint64_t chunk; /* bytes of a chunk of the second pass */
};

struct ff_profile {
	struct context ctx;
	struct arena arena; /* copies of the options' strings, inputs */
	struct ff_options options;
	struct object_places places; /* of the options */
	struct budget budget; /* of memory, for all that others decide the size of */
	struct part_sizes parts;
	uint32_t memory_limit; /* string id of what it has nothing left for */
	pthread_mutex_t progress_lock; /* while the caller's progress() runs */
	struct intern strings;
	struct images images;
	struct frames frames;
	struct columns columns; /* of the tries, the workers' too */
	struct trie trie;
	struct filters *filters;
	struct binaries *binaries;
	struct symbolizer *symbolizer;
	struct symbols symbols;
	struct named named;
	/* With FF_SAMPLES; when the profile is finished nodes are those of named, before that
	 * those of the trie. */
	struct sample_log samples;
	/* By node of the trie, where frames are filtered: samples of inputs that are stacks,
	 * not samples. */
	ARRAY(uint64_t) lines;
	struct weight_sum sum;
	uint64_t
		further_sums[COLUMNS_MOST]; /* of columns without a role: what was read */
	struct incomplete_counts incomplete;
	struct stack_counts unwound;
	unsigned decimals; /* weights are in units of 10^-decimals */
	bool finished;
	bool unread_said; /* which file could not be read */
	atomic_int stopping; /* times that ff_record_stop() was called */
	atomic_int wake; /* fd that wakes the live run, + 1; 0: there is none */
	int exit_status; /* of the command of a live run; -1: none */
	const char *stacks_sentence; /* see ff_record_stacks() */
	bool save_failed; /* what a live run saved is not whole */
	ARRAY(struct ff_input *) inputs;
	ARRAY(struct ff_process) processes;
	struct hash_map process_by_pid;
	ARRAY(struct ff_object) objects;
	struct roots roots;
	ARRAY(struct ff_finding) findings;
};

/* What the workers of one input share. */
struct input_job {
	struct ff_profile *p;
	struct input *in;
	const struct recording *rec;
	struct processes *processes;
	struct event_choice events;
	const char *
		event_words; /* what they were asked for by; NULL: the recorder's command */
	struct weight_options weights;
	struct stack_options stacks;
	bool drop_truncated;
	bool keep_samples;
	bool known; /* the symbolizer has the names that came with it */
	struct worker *workers;
	struct counter_reads counters;
	size_t threads;
	uint16_t index; /* of the input */
	/* Of the budget, for what processes do: records, and the timeline they make. */
	struct claim states;
	uint64_t states_allowed;
	uint64_t samples_before; /* of earlier inputs */
	atomic_size_t chunks_done;
};

/* One of those that read samples, with a trie of its own. */
struct worker {
	struct context ctx;
	struct input_job *job;
	struct sample_reader *reader;
	struct frames frames;
	struct trie trie;
	struct stack_walker *stacks;
	struct filter_memo *memo;
	bool filters; /* there are some */
	size_t last_process; /* index in processes */
	struct weight_sum sum;
	struct incomplete_counts incomplete;
	struct sample_tally tally;
	struct counter_reads counters;
	uint64_t found; /* records of samples */
	uint64_t damaged_at; /* where the first pass saw no damage; UINT64_MAX: nowhere */
	struct sample_log log; /* of keep_samples; nodes are those of the trie */
	bool absorbed; /* another worker has its stacks */
	bool first; /* of the profile: its frames and trie become the profile's own */
	uint32_t *frame_map; /* to the profile's frames, once they are merged */
	ARRAY(struct ff_process) processes;
	struct hash_map process_by_pid;
};

void show_progress(struct ff_profile *p, const char *what, uint64_t done, uint64_t total);

/* Makes what is in the unit of weights, in a trie and in its sum, 10^@decimals times as large. */
void scale_weights(const struct columns *columns, struct trie *t, struct weight_sum *sum,
		   unsigned decimals);

/* Names the frames there are. Where another input follows, which may know better, they are
 * named again. */
int name_frames(struct ff_profile *p);

/* ff_profile_finish() of a profile that goes on afterwards. */
int finish_so_far(struct ff_profile *p);

/* engine/samples.c: the second pass. */
int read_samples(struct input_job *r, struct ff_input *input);
/* Once it is known which there are. */
int choose_events(struct input_job *r);
int worker_start(struct input_job *r, struct worker *w);
int worker_take(struct worker *w, const struct sample *s);
/* It has read its last sample: keeps what came of them. */
void worker_finish(struct worker *w);
void worker_release(struct worker *w); /* a zeroed one is fine */

/* engine/merge.c: of all workers of an input, or of the only one. What they lack then are
 * their frames and tries. */
int workers_merge(struct input_job *r);
int worker_merge(struct ff_profile *p, struct worker *w);
int settle_counters(struct input_job *r, struct ff_input *input);

/* engine/seen.c */
/* Why stacks are not whole, in words; @followed: by frame pointers that are none. */
struct incomplete_words {
	enum ff_total which;
	const char *words;
	bool followed;
};

/* What most of them are truncated for; NULL: for nothing that is known. */
const struct incomplete_words *incomplete_most(const struct ff_profile *p);
void incomplete_count(struct incomplete_counts *count, unsigned incomplete);
void incomplete_counts_add(struct incomplete_counts *to,
			   const struct incomplete_counts *from);
void sample_tally_add(struct sample_tally *to, const struct sample_tally *from);

static inline void sample_tally_count(struct sample_tally *tally,
				      const struct event *event, const struct sample *s)
{
	tally->chains += s->chain_count > 0;
	tally->user_stacks += s->has_user_stack;
	tally->user_stacks_cut += s->user_stack_cut;
	tally->branch_stacks += s->branch_count > 0;
	tally->bare += s->chain_count == 0 && !s->has_user_stack;
	tally->chains_cut += stack_chain_is_cut(s, event);
}

/* engine/stream.c: what is read once, as it comes. */
struct stream_run {
	struct input_job *r;
	struct worker worker;
	struct rounds rounds;
	bool chosen; /* which events count */
	bool live; /* of this machine, now */
	bool fresh; /* live: a file was mapped that was not seen before; to be reset */
	uint64_t damaged;
	/* Gets all that goes out, in time order; NULL: there is none. */
	struct save *save;
	bool save_failed; /* and the sentence was said */
};
int read_stream(struct input_job *r, struct ff_input *input);
/* A zeroed one, with its job, can be ended whatever came of it. */
int stream_run_start(struct stream_run *f);
int stream_run_hold(struct stream_run *f, const struct stream_item *item);
/* A record that is no sample, for the saved file. */
int stream_run_hold_bytes(struct stream_run *f, uint64_t time, const uint8_t *bytes,
			  uint32_t size);
int stream_run_end_round(struct stream_run *f);
/* All of it goes out, and what the worker found becomes the profile's. */
int stream_run_finish(struct stream_run *f, struct ff_input *input);
/*
 * On the way: makes the tree of what went out so far, has it shown, and goes on.
 */
int stream_run_show(struct stream_run *f, struct ff_input *input,
		    int (*show)(void *arg, struct ff_profile *p), void *arg);
/* Begins a tree anew; what processes do goes on. */
int stream_run_forget(struct stream_run *f);
/* Joins stacks that differ only in addresses of the same functions. */
int stream_run_compact(struct stream_run *f);

/* images_are_crowded(): names all frames there are, and lets go of files. */
int stream_run_make_room(struct stream_run *f);
/* @err: what came of it; returned. */
int stream_run_release(struct stream_run *f, int err);

/* engine/engine.c: what is the same for all recordings. The job refers to @input. */
int input_job_start(struct ff_profile *p, struct ff_input *input, struct input_job *ret);
int input_job_end(struct input_job *r, struct ff_input *input, int err);
struct ff_input *add_input(struct ff_profile *p);
int list_events(struct ff_profile *p, struct ff_input *input);

/* engine/save.c: build ids of all that was mapped, for a saved run. 0, or -ENOMEM. */
int save_objects(struct ff_profile *p, struct save *save);

/* engine/filter.c: filters by the names of frames. */
int count_line(struct ff_profile *p, uint32_t node);
/* When frames have their names. *@left_out: by node of the trie, 1: nothing of it is in the
 * tree; NULL: there are no such filters. To be freed. */
int filter_stacks(struct ff_profile *p, uint8_t **left_out);

/* engine/log.c: the samples that are kept get their places in the named tree; some are not
 * there. @left_out: see filter_stacks(). 0, or -ENOMEM. */
int place_samples(struct ff_profile *p, const uint8_t *left_out);

/* engine/folded.c */
int read_folded(struct ff_profile *p, struct ff_input *input);

/* engine/stacks.c: how a live run that was to choose has recorded stacks. 0, or -ENOMEM. */
struct stacks_used {
	uint32_t stack_size; /* bytes of each that were copied; 0: by frame pointers */
	uint64_t bytes; /* of all records */
	double seconds;
};
int profile_say_stacks(struct ff_profile *p, const struct stacks_used *used);

/* engine/saved.c: the tree of a picture, and its stacks. */
int decode_saved(struct ff_profile *p, struct input *in, struct saved_tree *ret);
int read_saved(struct ff_profile *p, struct ff_input *input,
	       const struct saved_tree *tree);

/* engine/header.c: for a picture's header. */
int note_events(struct ff_profile *p, struct ff_input *input,
		const struct event_choice *choice);
/* A warning where @input and an earlier one do not count the same. */
void say_mixed_units(struct ff_profile *p, const struct ff_input *input);
struct write_facts profile_facts(const struct ff_profile *p);

/* engine/report.c: what a picture says of its recording, written and read back. 0, -ENOMEM, or
 * -EBADMSG with a sentence. */
struct bytes;
int report_write(const struct ff_profile *p, struct bytes *ret);
int report_read(struct ff_profile *p, struct ff_input *in, const void *bytes,
		size_t size);
void report_free(struct saved_report *r); /* NULL is fine */
/* Every input is a picture that has one. */
bool report_is_all(const struct ff_profile *p);

/* engine/findings.c: when there are results and the tree. 0, or -ENOMEM. */
int findings_make(struct ff_profile *p);
/* engine/found.c: those of pictures, each once, of kinds that were not judged by all inputs.
 * 0, or -ENOMEM. */
int findings_take(struct ff_profile *p);

/* engine/result.c: objects and processes in the order they are shown in, which takes the
 * names of frames. 0, or -ENOMEM. */
int list_results(struct ff_profile *p);
/* engine/roots.c: when frames have their names. 0, or -ENOMEM. */
int roots_judge(const struct ff_profile *p, struct roots *ret);
void roots_release(struct roots *r);

/* What ff_profile_finish() has made. */
void forget_results(struct ff_profile *p);

/* Are callers put in that the code tells? perf has none. */
static inline bool profile_infers(const struct ff_profile *p)
{
	return !(p->options.flags & (FF_NO_INFER | FF_COMPAT_STACKCOLLAPSE));
}

#endif
