#ifndef ENGINE_COLLECTED_H
#define ENGINE_COLLECTED_H

#include <flamefold.h>

#include "stack/stack.h"
#include "trie/trie.h"
#include "weight/weight.h"

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

struct ff_process {
	uint32_t pid;
	const char *comm; /* NULL: not known yet */
	uint64_t samples;
};

struct process_list {
	ARRAY(struct ff_process) list;
	struct hash_map by_pid; /* index in the list */
	size_t last; /* the one that was counted last */
};

/*
 * What was collected: all that samples leave behind. Each worker has one of its own, and the
 * profile has one that these end in:
 *
 *	worker 0   collected --.
 *	worker 1   collected ---+-- merge --> profile's collected --> names, tree
 *	live       collected -- snapshot ---> the same, for as long as somebody looks
 *	                \_____ compact
 *
 * Node ids are stack ids. Whoever holds one (the sample log, deferred events) is in here, so
 * that a merge or a compaction reaches all of them.
 */
struct collected {
	const struct columns *columns; /* of the trie: the profile's */
	struct frames frames;
	struct trie trie;
	uint64_t spilled; /* weight that is in a file: see collected_spill() */
	struct weight_sum sum;
	unsigned decimals; /* weights are in units of 10^-decimals */
	struct incomplete_counts incomplete;
	struct stack_counts unwound;
	struct sample_tally tally;
	struct process_list processes;
	struct sample_log samples;
	struct time_blocks blocks;
	struct heat heat, processors; /* by stack, and by the processor it ran on */
	struct pair_counts pairs;
	struct wall_counts wall;
	struct chart_log chart;
	struct deferred_queue deferred[DEFERRED_KINDS];
};

/* What is counted, whom it asks for memory, and what stacks end in that there is none left for. */
struct collected_limit {
	const struct columns *columns;
	struct budget *budget;
	uint32_t frame; /* string id of "[memory limit]" */
	unsigned pair_kind; /* of the rule that events are paired by: pair_kind_of() */
};

/* 0, or -ENOMEM: nothing to be released. */
int collected_init(struct collected *c, const struct collected_limit *limit);
void collected_release(struct collected *c); /* a zeroed one is fine */

/*
 * As trie_add(). What the budget has nothing left for ends at the last frame that is there, and
 * where none is it is below "[memory limit]": 1 then; 0, or -ENOMEM.
 */
int collected_add_stack(struct collected *c, const uint32_t *frames, size_t count,
			uint32_t *ret);

/* What is counted of a process, at first nothing; until the next call. NULL without memory. */
struct ff_process *collected_process(struct collected *c, uint32_t pid);
/* A sample of a process is in the tree. 0, or -ENOMEM. */
int collected_count_process(struct collected *c, const struct sample *s);

struct weight_target collected_target(struct collected *c);

/* Every weight that was read is in the tree or counted as lost. */
bool collected_is_conserved(const struct collected *c);

/* Weights have at least so many decimals from now on. */
void collected_scale(struct collected *c, unsigned decimals);

/*
 * All that @from has becomes @c's, in two steps, as names need the frames only: first the frames,
 * then the rest. @from is to be released. *@frame_map: for each frame of @from its id in @c, to
 * be freed; NULL: the same, for @c was empty. A zeroed @from has nothing. 0, or -ENOMEM.
 */
int collected_merge_frames(struct collected *c, struct collected *from,
			   uint32_t **frame_map);
int collected_merge_rest(struct collected *c, struct collected *from,
			 const uint32_t *frame_map);
int collected_merge(struct collected *c, struct collected *from);

/* One frame for all that show the same: @frame_map has for each frame the one that stands for
 * it. *@node_map: for each node its id from now on, to be freed; node_map may be NULL. 0, or
 * -ENOMEM. */
int collected_compact(struct collected *c, const uint32_t *frame_map,
		      uint32_t **node_map);

/*
 * Stacks, and what of them is in which slice of time, go to the end of a file of this process; they are
 * still counted in the sum. Nobody else may hold a node. A copy of them, to be looked at, comes back from
 * *@at, which is behind them then, in place of what is there. 0, -ENOMEM, or what reading or writing says.
 */
int collected_spill(struct collected *c, int fd);
int collected_unspill(struct collected *c, int fd, uint64_t *at);

/* Deferred events get their weights, in order of time, by what is of their input. */
struct settle_by {
	const struct weight_options *options;
	const struct event_choice *events;
	const struct pairing *pairing;
	const struct wall *wall;
	const struct chart_source *chart;
	const struct filters *filters;
	struct sample_split *split;
};
/* Those older than @until, of kinds that can be settled before all is queued; UINT64_MAX: all. */
int collected_settle(struct collected *c, const struct settle_by *by, uint64_t until);
/* What is queued of such kinds in @from becomes @to's, with its stacks. @node_map, of as many as @from
 * has nodes: the ids in @to of those that are there already; else 0. 0, or -ENOMEM. */
int collected_hand_over(struct collected *to, struct collected *from, uint32_t *node_map);
/* Intervals that are open have no end: @last is when the last sample was. 0, or -ENOMEM. */
int collected_end_pairs(struct collected *c, const struct settle_by *by, uint64_t last);
/* Who runs does so up to here. 0, or -ENOMEM. */
int collected_end_wall(struct collected *c, const struct settle_by *by);
/* What is open in @from is so in @to, which has nothing yet, with its stacks, and nothing else: the rest can
 * be forgotten. @from is released afterwards. 0, or -ENOMEM. */
int collected_carry_on(struct collected *to, struct collected *from);
void collected_end_input(struct collected *c);

/* A look at @c, which shares its stacks and is not to grow until it is released: then the sum
 * and the stacks are as the look has left them: filters by frames take weight out, cuts at interrupts
 * move it. Kept samples, which get places in a tree, and processes, whose names are not known yet, are not in it. */
void snapshot_take(struct collected *ret, const struct collected *c);
void snapshot_release(struct collected *snapshot, struct collected *c);

void incomplete_count(struct incomplete_counts *counts, unsigned incomplete);
void sample_tally_add(struct sample_tally *to, const struct sample_tally *from);

static inline void sample_tally_count(struct sample_tally *tally,
				      const struct event *event, const struct sample *s)
{
	tally->chains += s->chain_count > 0 || s->printed_count > 1 ? sample_times(s) : 0;
	tally->user_stacks += s->has_user_stack;
	tally->user_stacks_cut += s->user_stack_cut;
	tally->branch_stacks += s->branch_count > 0;
	/* What another profiler has listed had no other callers. */
	tally->bare += s->chain_count == 0 && s->printed_count < 2 &&
		       !s->has_user_stack && !s->times;
	tally->chains_cut += stack_chain_is_cut(s, event);
}

#endif
