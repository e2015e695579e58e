#ifndef PROFILE_H
#define PROFILE_H

#include <stdatomic.h>

#include <flamefold.h>

#include "base/arena.h"
#include "symbol/symbol.h"
#include "weight/weight.h"

struct ff_event {
	const char *name;
	uint64_t samples;
	uint32_t index;
};

struct ff_input {
	const struct ff_profile *profile;
	struct input *input;
	struct ff_event *events;
	size_t event_count;
	uint64_t chains, user_stacks;
	uint32_t index;
};

struct ff_process {
	uint32_t pid;
	const char *comm;
	uint64_t samples;
};

struct ff_object {
	const struct ff_profile *profile;
	uint32_t image;
	uint64_t weight;
	char build_id[2 * BUILD_ID_MAX + 1]; /* hex */
};

struct ff_profile {
	struct context ctx;
	struct arena arena; /* copies of the options' strings, inputs */
	struct ff_options options;
	struct intern strings;
	struct images images;
	struct frames frames;
	struct trie trie;
	struct filters *filters;
	struct symbolizer *symbolizer;
	struct symbols symbols;
	struct named named;
	uint64_t *totals; /* by node of named: self and all below */
	struct weight_sum sum;
	uint64_t poorer[POORER_ALL]; /* samples by set of reasons */
	unsigned decimals; /* weights are in units of 10^-decimals */
	bool finished;
	ARRAY(struct ff_input *) inputs;
	ARRAY(struct ff_process) processes;
	struct hash_map process_by_pid;
	ARRAY(struct ff_object) objects;
};

/* What the workers of one input share. */
struct reading {
	struct ff_profile *p;
	struct input *in;
	const struct recording *rec;
	struct processes *processes;
	struct event_choice events;
	struct weight_options weights;
	struct stack_options stacks;
	struct worker *workers;
	size_t threads;
	atomic_size_t chunks_done;
};

void show_progress(struct ff_profile *p, const char *what, uint64_t done, uint64_t total);

/* Makes the weights in a trie and in its sum 10^@decimals times as large. */
void scale_weights(struct trie *t, struct weight_sum *sum, unsigned decimals);

/* profile_samples.c: the second pass. */
int read_samples(struct reading *r, struct ff_input *input);

/* profile_folded.c */
int read_folded(struct ff_profile *p, struct ff_input *input);

/* profile_result.c: objects, processes and totals, in the order they are shown in. */
int list_results(struct ff_profile *p);

#endif
