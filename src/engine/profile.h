#ifndef ENGINE_PROFILE_H
#define ENGINE_PROFILE_H

#include <pthread.h>
#include <stdatomic.h>

#include <flamefold.h>

#include "base/arena.h"
#include "base/budget.h"
#include "chart/chart.h"
#include "engine/collected.h"
#include "engine/phases.h"
#include "filter/filter.h"
#include "order/order.h"
#include "symbol/symbol.h"
#include "tree/tree.h"
#include "write/write.h"

struct ff_event {
	const char *name;
	const struct event *recorded;
	const struct event_format *format; /* NULL: not known */
	uint64_t samples, split;
	uint32_t index;
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

/* What pictures are to be coloured by. */
struct ratio_wish {
	const char *name; /* NULL: nothing */
	struct slice quotient; /* "cycles/instructions" */
	const char *words[2]; /* its sides, as long as no recording says which they are */
	bool is_share;
	unsigned least; /* see struct column_ratio */
	bool of_picture; /* nobody has asked for it: it asks for no events */
	uint32_t columns[2]; /* of its sides; COLUMNS_MOST: not known yet */
};

/* How many of them say what a function is like, and not what chance is. */
enum { RATIO_SAMPLES = 5 };

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

struct store_tree; /* of store/ */
struct ff_input {
	const struct ff_profile *profile;
	struct input *input;
	struct ff_event *events;
	size_t event_count;
	struct sample_tally tally;
	uint64_t delivered, late;
	struct sample_split split;
	uint32_t index;
	/* What was counted: string ids, 0 where it is samples, or not known. */
	uint32_t event_names, unit;
	uint32_t
		title; /* of a picture, where it was chosen or is the name of a file; 0: none */
	uint64_t frequency, period;
	struct saved_report *report; /* of a picture; NULL: it has none */
	struct store_tree
		*stored; /* of a profile file, without its tree; NULL: it is none */
	bool has_samples; /* how many is known */
	bool changed; /* while it was read: the second pass has not found what the first one had */
};

static inline uint64_t input_split(const struct ff_input *in, size_t event)
{
	return event < in->split.by_event.count ? in->split.by_event.v[event] : 0;
}

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
	uint64_t
		scan_least; /* bytes of a file that are worth a thread in the first pass */
	uint64_t chunk; /* bytes of a chunk of the second pass */
	size_t stacks; /* nodes and cells in memory, with FF_MANY */
};

/* With FF_APART: a recording that is not in the profile's place. */
struct set_aside {
	struct collected collected; /* but for the frames, which are those of all */
	struct ff_input *input;
	bool taken; /* once, for what was collected is gone then */
};

/* Stacks of many recordings that are in a file: see engine/spill.c. */
struct spill {
	int fd; /* where there are some */
	ARRAY(uint64_t) starts; /* of parts */
};

/* Of the recordings that are to come: see engine/axis.c. */
struct shared_axis {
	struct time_axis times;
	const char *
		*paths; /* of all, in their order; NULL: each has an axis of its own */
	size_t count;
	const char *why; /* it has, if it is known */
};

struct ff_profile {
	struct context ctx;
	struct arena arena; /* copies of the options' strings, inputs */
	struct ff_options options;
	struct search_dirs dirs; /* of the options */
	struct budget budget; /* of memory, for all that others decide the size of */
	struct part_sizes parts;
	struct collected_limit limit; /* of the profile and its workers */
	pthread_mutex_t progress_lock; /* while the caller's progress() runs */
	struct intern strings;
	struct images images;
	/* With FF_SAMPLES: nodes of its samples are those of its trie, and when the profile is
	 * finished those of named. */
	struct columns columns; /* of the tries, the workers\' too */
	uint64_t
		further_sums[COLUMNS_MOST]; /* of columns without a role: what was read */
	struct wall wall; /* not bound: what was asked for */
	struct ratio_wish ratio;
	struct write_values values; /* name NULL: samples have one */
	uint32_t waits; /* the column of chart_source */
	struct shared_axis axis;
	uint64_t slice; /* ns of a cell of heat; 0: as narrow as memory has room for */
	bool pairs; /* the mode pairs events, or weighs some of them */
	struct collected collected;
	struct spill spill;
	ARRAY(struct set_aside) apart;
	size_t taken; /* of .apart, whose input is lent to .inputs; .apart.count: none */
	struct filters *filters;
	struct binaries *binaries;
	struct stack_walker *walker; /* FF_MANY: of the last recording; NULL: none yet */
	struct symbolizer *symbolizer;
	struct symbols symbols;
	struct named named;
	struct chart chart; /* with FF_CHART */
	bool finished;
	bool unread_said; /* which file could not be read */
	atomic_int stopping; /* times that ff_record_stop() was called */
	atomic_int wake; /* fd that wakes the live run, + 1; 0: there is none */
	int exit_status; /* of the command of a live run; -1: none */
	const char *stacks_sentence; /* see ff_record_stacks() */
	bool save_failed; /* what a live run saved is not whole */
	ARRAY(struct ff_input *) inputs;
	ARRAY(struct ff_object) objects;
	struct roots roots;
	ARRAY(struct ff_finding) findings;
	struct phase_list phases; /* empty: nobody has asked yet */
};

void show_progress(struct ff_profile *p, const char *what, uint64_t done, uint64_t total);

/* engine/fact_list.c: what a picture says of one that FF_VIEW_PICTURE shows. */
void profile_add_total(struct ff_profile *p, enum ff_total which, uint64_t value);
/* Of a clockid_t, as clock_gettime(2) has them, or CLOCK_OF_PERF. */
const char *clock_name(int32_t clock);
/* The fact that a picture has under a key; NULL: none. */
const struct ff_fact *fact_of_key(enum ff_fact_kind kind, const char *key);

/* engine/engine.c */
int read_recording(struct ff_profile *p, struct ff_input *input);
/* ff_profile_finish() of a profile that goes on afterwards. */
int finish_so_far(struct ff_profile *p);

/* engine/finish.c */
size_t profile_threads(const struct ff_profile *p);
/* Names the frames there are. Where another input follows, which may know better, they are
 * named again. */
int name_frames(struct ff_profile *p);
/* Which files could not be: for stacks, and of debuginfod, too. */
void warn_of_stacks(struct ff_profile *p);
void warn_of_unread(struct ff_profile *p);
/* The named tree of what was collected. @left_out: see filter_stacks(). 0, or -ENOMEM. */
int make_named(struct ff_profile *p, const uint8_t *left_out, size_t threads);
/* The same, and lists of objects and processes. */
int make_tree(struct ff_profile *p, const uint8_t *left_out);

/* engine/incomplete.c */
/* Why stacks are not whole, in words; @followed: by frame pointers that are none. */
struct incomplete_words {
	enum ff_total which;
	const char *words;
	bool followed;
};

/* Of how many they are. */
uint64_t stacks_walked(const struct ff_profile *p);

/* What most of them are truncated for; NULL: for nothing that is known. */
const struct incomplete_words *incomplete_most(const struct ff_profile *p);

/* engine/inputs.c */
struct ff_input *add_input(struct ff_profile *p);
int list_events(struct ff_profile *p, struct ff_input *input);
void release_input(struct ff_input *input);

/* engine/save.c: build ids of all that was mapped, for a saved run. 0, or -ENOMEM. */
int save_objects(struct ff_profile *p, struct save *save);

/* engine/batch.c: with FF_MANY a recording's only worker has what the profile has collected, until it is
 * given back, with the tally of that recording alone; and the walker that the one before had. */
bool profile_reads_many(const struct ff_profile *p);
void collected_lend(struct ff_profile *p, struct collected *ret);
void collected_take_back(struct ff_profile *p, struct collected *lent);
/* With it, gives back what only those need who walk stacks, who name frames, and who make the tree. The
 * profile cannot be read into, and finished, any more. */
void batch_end_stacks(struct ff_profile *p);
void batch_end_names(struct ff_profile *p);
void batch_end_tree(struct ff_profile *p);

/* With FF_APART, what was read since the last call leaves the profile to the next recording. 0, or a
 * negative errno with a sentence. */
int batch_set_aside(struct ff_profile *p);
/* Frames of all recordings have their names already. */
bool batch_is_named(const struct ff_profile *p);
void batch_release(struct ff_profile *p);

/* engine/spill.c: with FF_MANY, when a recording has been read; when all have been; and the profile file of
 * what has been spilled. 0, or a negative errno with a sentence. */
struct store_facts;
int spill_some(struct ff_profile *p);
int spill_rest(struct ff_profile *p);
/* @in: with the profile's named tree, in whose place those of the parts are meanwhile. */
int spill_write(struct ff_profile *p, const struct tree_source *in,
		const struct store_facts *facts, FILE *out);
void spill_release(struct ff_profile *p);

/* engine/filter.c: filters by the names of frames. */
int count_line(struct ff_profile *p, uint32_t node);
/* When frames have their names. *@left_out: by node of the trie, 1: nothing of it is in the
 * tree; NULL: there are no such filters. To be freed. */
int filter_stacks(struct ff_profile *p, uint8_t **left_out);

/* engine/log.c: the samples that are kept, and runs of a chart, get their places in the named tree; some
 * are not there. @left_out: see filter_stacks(). 0, or -ENOMEM. */
int place_samples(struct ff_profile *p, const uint8_t *left_out);

/* engine/axis.c: the one that @input, which was just added, lies on with the others; NULL: none. */
const struct time_axis *axis_of_input(const struct ff_profile *p,
				      const struct ff_input *input);

/* engine/folded.c */
int read_folded(struct ff_profile *p, struct ff_input *input);

/* engine/stacks.c: how a live run that was to choose has recorded stacks. 0, or -ENOMEM. */
struct stacks_used {
	uint32_t stack_size; /* bytes of each that were copied; 0: by frame pointers */
	uint64_t bytes; /* of all records */
	double seconds;
};
int profile_say_stacks(struct ff_profile *p, const struct stacks_used *used);

/* engine/saved.c */
/* *@stored: what a profile file says beside its tree, to be freed by stored_free(). */
int decode_saved(struct ff_profile *p, struct input *in, enum input_kind kind,
		 struct saved_tree *ret, struct store_tree **stored);
int read_saved(struct ff_profile *p, struct ff_input *input,
	       const struct saved_tree *tree);

/* engine/stored.c; NULL is fine */
void stored_free(struct store_tree *stored);

/* engine/header.c: for a picture's header. */
int note_events(struct ff_profile *p, struct ff_input *input,
		const struct event_choice *choice, const struct pairing *pairing,
		const struct wall *wall);
/* What the event counts: a string id. 0, or -ENOMEM. */
int event_unit(struct ff_profile *p, const struct event *e, uint32_t *ret);
/* A warning where @input and an earlier one do not count the same. */
void say_mixed_units(struct ff_profile *p, const struct ff_input *input);
struct write_facts profile_facts(const struct ff_profile *p);
/* How long it took, of the time that filters keep: a part's costs are those of that time. */
uint64_t recording_time_kept(const struct ff_profile *p, const struct recording *rec);
/* When its first sample was taken, seconds since 1970; 0: not known. */
uint64_t input_recorded_at(const struct ff_input *input);

struct pairing;
/* engine/ratio.c: "CPI=cycles/instructions". 0, or a negative errno with a sentence. */
int ratio_start(struct ff_profile *p, struct slice of_mode);
/* Which events it takes. */
int ratio_choose(struct ff_profile *p, const struct recording *rec,
		 struct event_wish *wish);
int ratio_take_saved(struct ff_profile *p, const struct saved_picture *picture);
/* Of a mode's weights with names those that it is of become columns. */
int ratio_choose_parts(struct ff_profile *p, struct pairing *pairing);
/* Which columns it is of, when all inputs were read. */
int ratio_finish(struct ff_profile *p);

/* engine/values.c: has each value of the recording's samples a column? */
bool values_are_wanted(const struct ff_profile *p, const struct recording *rec);
/* It gets one. 0, or -ENOSPC with a sentence. */
int values_choose(struct ff_profile *p, const struct recording *rec,
		  struct event_choice *choice);

/* engine/report.c: what a picture says of its recording, written and read back. 0, -ENOMEM, or
 * -EBADMSG with a sentence. */
struct bytes;
int report_write(const struct ff_profile *p, struct bytes *ret);
int report_read(struct ff_profile *p, struct ff_input *in, const void *bytes,
		size_t size);
void report_free(struct saved_report *r); /* NULL is fine */
/* Every input is a picture that has one. */
bool report_is_all(const struct ff_profile *p);

/* engine/write.c: what writers are given. */
struct tree_source tree_source(const struct ff_profile *p);

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

/* engine/modes.c: the rule of a mode or the user's, NULL: none; and the same where it pairs events,
 * NULL: samples weigh what they are. */
const char *profile_mode(const struct ff_profile *p);
const char *profile_rule(const struct ff_profile *p);

/* Are callers put in that the code tells? perf has none. */
static inline bool profile_infers(const struct ff_profile *p)
{
	return !(p->options.flags & (FF_NO_INFER | FF_COMPAT_STACKCOLLAPSE));
}

#endif
