/*
 * Frames are merged first: they say which frame of the one is which of the other. Tries follow,
 * and say the same of nodes; with that map the sample log and deferred events follow. Who has
 * nothing yet takes all of the other one's without a look at it.
 */
#include "engine/collected.h"

#include <errno.h>
#include <stdlib.h>

#include "base/decimal.h"
#include "weight/weight.h"

int collected_init(struct collected *c, const struct collected_limit *limit)
{
	*c = (struct collected){ .columns = limit->columns };
	if (trie_init(&c->trie) < 0)
		return -ENOMEM;
	frames_limit(&c->frames, limit->budget, limit->frame);
	trie_limit(&c->trie, limit->budget);
	for (int i = 0; i < DEFERRED_KINDS; i++)
		c->deferred[i].kind = deferred_kinds[i];
	c->deferred[DEFERRED_PAIRS].kind = &pair_kinds[limit->pair_kind];
	return 0;
}

void collected_release(struct collected *c)
{
	frames_release(&c->frames);
	trie_release(&c->trie);
	array_release(&c->processes.list);
	hash_map_release(&c->processes.by_pid);
	sample_log_release(&c->samples);
	time_blocks_release(&c->blocks);
	chart_log_release(&c->chart);
	heat_release(&c->heat);
	heat_release(&c->processors);
	for (int i = 0; i < DEFERRED_KINDS; i++)
		deferred_queue_release(&c->deferred[i]);
	*c = (struct collected){ 0 };
}

int collected_add_stack(struct collected *c, const uint32_t *frames, size_t count,
			uint32_t *ret)
{
	return weight_add_stack(&c->trie, &c->frames,
				&(struct stack){ .frames = frames, .count = count }, ret);
}

struct ff_process *collected_process(struct collected *c, uint32_t pid)
{
	struct process_list *all = &c->processes;
	const uint32_t *index = hash_map_get(&all->by_pid, pid);
	struct ff_process *process;

	if (index)
		return &all->list.v[*index];
	/* The index of the one that is added next. */
	if (!hash_map_set(&all->by_pid, pid, (uint32_t)all->list.count))
		return NULL;
	process = array_add(&all->list);
	if (process)
		process->pid = pid;
	return process;
}

/* Samples of a processor come in runs of one process. */
int collected_count_process(struct collected *c, const struct sample *s)
{
	struct process_list *all = &c->processes;
	struct ff_process *process;

	if (!all->list.count || all->list.v[all->last].pid != s->pid) {
		process = collected_process(c, s->pid);
		if (!process)
			return -ENOMEM;
		all->last = (size_t)(process - all->list.v);
	}
	all->list.v[all->last].samples += sample_times(s);
	return 0;
}

struct weight_target collected_target(struct collected *c)
{
	return (struct weight_target){ &c->trie,   &c->sum,   &c->samples,   c->deferred,
				       &c->frames, &c->pairs, &c->wall,	     &c->blocks,
				       &c->chart,  &c->heat,  &c->processors };
}

static uint64_t weight_in_trie(const struct collected *c)
{
	uint64_t sum = 0;

	/* Row 0 is no node's. */
	for (size_t row = 1; row < c->trie.rows.count; row++)
		sum += trie_row_self(&c->trie, row, COLUMN_WEIGHT);
	return sum;
}

/*
 * Weight in the tree is counted twice, by the trie and by the sum, on purpose: a stage
 * that loses some of it makes these differ.
 */
bool collected_is_conserved(const struct collected *c)
{
	return weight_in_trie(c) + c->spilled == c->sum.kept &&
	       weight_sum_conserved(&c->sum);
}

/*
 * Weights are whole numbers of 10^-decimals. An input with more decimals raises the unit
 * of all that is there already, so it can be added exactly:
 *
 *	decimals 0    17  ->  decimals 2    1700
 *	              + 0.25                  25
 */
void collected_scale(struct collected *c, unsigned decimals)
{
	struct weight_sum *sum = &c->sum;
	uint64_t factor;

	if (decimals <= c->decimals)
		return;
	factor = power_of_ten(decimals - c->decimals);
	c->decimals = decimals;
	for (uint32_t i = 0; i < c->columns->count; i++)
		/* A column with a unit of its own counts something else than weight. */
		if (!c->columns->v[i].unit)
			trie_scale(&c->trie, i, factor);
	heat_scale(&c->heat, factor);
	heat_scale(&c->processors, factor);
	sum->overflow |= __builtin_mul_overflow(sum->read, factor, &sum->read);
	sum->overflow |= __builtin_mul_overflow(sum->before, factor, &sum->before);
	sum->kept *= factor;
	sum->cut *= factor;
	for (int i = 0; i < LOST_REASONS; i++)
		sum->lost[i] *= factor;
}

void incomplete_count(struct incomplete_counts *counts, unsigned incomplete)
{
	counts->truncated += (incomplete & INCOMPLETE_TRUNCATED) != 0;
	/* One step for each bit that is set: this takes the lowest away. */
	for (; incomplete; incomplete &= incomplete - 1)
		counts->of[__builtin_ctz(incomplete)]++;
}

void sample_tally_add(struct sample_tally *to, const struct sample_tally *from)
{
	to->chains += from->chains;
	to->chains_broken += from->chains_broken;
	to->chains_cut += from->chains_cut;
	to->user_stacks += from->user_stacks;
	to->user_stacks_cut += from->user_stacks_cut;
	to->branch_stacks += from->branch_stacks;
	to->bare += from->bare;
	to->inferred += from->inferred;
	to->skipped += from->skipped;
}

int collected_merge_frames(struct collected *c, struct collected *from,
			   uint32_t **frame_map)
{
	struct frames frames = c->frames;

	*frame_map = NULL;
	if (from->trie.count == 0)
		return 0;
	/* Only where @c has nothing yet do the ids of @from stay: the two change
	 * places. */
	if (!trie_is_empty(&c->trie) || frames.list.count)
		return frames_merge(&c->frames, &from->frames, frame_map);
	c->frames = from->frames;
	from->frames = frames;
	return 0;
}

int collected_merge_rest(struct collected *c, struct collected *from,
			 const uint32_t *frame_map)
{
	uint32_t kept = (uint32_t)c->samples.list.count, *node_map = NULL;
	struct trie trie = c->trie;
	int err = 0;

	if (from->trie.count == 0)
		return 0;
	/* Both in one unit before any weight is added. */
	collected_scale(from, c->decimals);
	if (frame_map) {
		/* What finds nodes by their frames is of no use to a trie that is only
		 * read. */
		trie_drop_index(&from->trie);
		err = trie_merge(&c->trie, &from->trie, frame_map, &node_map);
	} else {
		c->trie = from->trie;
		from->trie = trie;
	}
	/* The sample log and what is deferred follow their stacks. */
	if (err == 0)
		err = sample_log_merge(&c->samples, &from->samples, node_map);
	if (err == 0)
		err = time_blocks_merge(&c->blocks, &from->blocks, node_map);
	if (err == 0)
		err = chart_log_merge(&c->chart, &from->chart, node_map);
	if (err == 0)
		err = heat_merge(&c->heat, &from->heat, node_map);
	if (err == 0)
		err = heat_merge(&c->processors, &from->processors, NULL);
	for (int i = 0; i < DEFERRED_KINDS && err == 0; i++)
		err = deferred_queue_merge(&c->deferred[i], &from->deferred[i], node_map,
					   kept);
	free(node_map);
	/* The first input that knows a process's name says what it is called. */
	for (size_t i = 0; i < from->processes.list.count && err == 0; i++) {
		const struct ff_process *other = &from->processes.list.v[i];
		struct ff_process *process = collected_process(c, other->pid);

		if (!process) {
			err = -ENOMEM;
			break;
		}
		if (!process->comm || !*process->comm)
			process->comm = other->comm;
		process->samples += other->samples;
	}
	weight_sum_add(&c->sum, &from->sum);
	stack_counts_add(&c->unwound, &from->unwound);
	sample_tally_add(&c->tally, &from->tally);
	pair_counts_add(&c->pairs, &from->pairs);
	wall_counts_add(&c->wall, &from->wall);
	c->incomplete.truncated += from->incomplete.truncated;
	for (int i = 0; i < INCOMPLETE_BITS; i++)
		c->incomplete.of[i] += from->incomplete.of[i];
	return err;
}

int collected_merge(struct collected *c, struct collected *from)
{
	uint32_t *frame_map;
	int err = collected_merge_frames(c, from, &frame_map);

	if (err == 0)
		err = collected_merge_rest(c, from, frame_map);
	free(frame_map);
	return err;
}

int collected_compact(struct collected *c, const uint32_t *frame_map, uint32_t **node_map)
{
	uint32_t *map = NULL;
	struct trie joined;
	int err;

	if (trie_init(&joined) < 0)
		return -ENOMEM;
	trie_limit(&joined, c->trie.budget);
	err = trie_merge_collapsing(&joined, &c->trie, frame_map, &map);
	if (err < 0) {
		trie_release(&joined);
		return err;
	}
	/* From here on c->trie has new ids, and all that holds the old ones has to
	 * follow. */
	trie_release(&c->trie);
	c->trie = joined;
	for (size_t i = 0; i < c->samples.list.count; i++)
		c->samples.list.v[i].node = map[c->samples.list.v[i].node];
	err = time_blocks_remap(&c->blocks, map);
	chart_log_remap(&c->chart, map);
	if (err == 0)
		err = heat_remap(&c->heat, map);
	for (int i = 0; i < DEFERRED_KINDS && err == 0; i++)
		err = deferred_queue_remap(&c->deferred[i], map);
	if (err == 0 && node_map)
		*node_map = map;
	else
		free(map);
	return err;
}

/* Without stacks; what is looked up by their frames has to be made again. */
static int forget_stacks(struct collected *c)
{
	struct budget *budget = c->trie.budget;

	trie_release(&c->trie);
	time_blocks_clear(&c->blocks);
	if (trie_init(&c->trie) < 0)
		return -ENOMEM;
	trie_limit(&c->trie, budget);
	return 0;
}

int collected_spill(struct collected *c, int fd)
{
	uint64_t weight = weight_in_trie(c);
	int err = trie_save(&c->trie, fd);

	if (err == 0)
		err = time_blocks_save(&c->blocks, fd);
	if (err < 0)
		return err;
	c->spilled += weight;
	return forget_stacks(c);
}

int collected_unspill(struct collected *c, int fd, uint64_t *at)
{
	int err = forget_stacks(c);

	if (err == 0)
		err = trie_load(&c->trie, fd, at);
	return err < 0 ? err : time_blocks_load(&c->blocks, fd, at);
}

static struct settlement settlement_of(struct collected *c, const struct settle_by *by)
{
	return (struct settlement){ .target = collected_target(c),
				    .options = by->options,
				    .events = by->events,
				    .pairing = by->pairing,
				    .wall = by->wall,
				    .chart = by->chart,
				    .filters = by->filters,
				    .split = by->split,
				    .factor = power_of_ten(c->decimals) };
}

int collected_settle(struct collected *c, const struct settle_by *by, uint64_t until)
{
	struct settlement to = settlement_of(c, by);
	int err = 0;

	for (int i = 0; i < DEFERRED_KINDS && err == 0; i++)
		if (until == UINT64_MAX || c->deferred[i].kind->settles_early)
			err = deferred_queue_settle(&c->deferred[i], &to, until);
	return err;
}

int collected_end_pairs(struct collected *c, const struct settle_by *by, uint64_t last)
{
	struct settlement to = settlement_of(c, by);

	return pairing_end(&to, last);
}

int collected_end_wall(struct collected *c, const struct settle_by *by)
{
	struct settlement to = settlement_of(c, by);

	return wall_end(&to);
}

/* A stack of @from becomes one of @to. */
static int carry_stack(struct collected *to, const struct collected *from, uint32_t node,
		       uint32_t *map)
{
	const struct trie_node *nodes = from->trie.nodes;
	size_t depth = 0, at;
	uint32_t *frames;
	int err = 0;

	if (!node || map[node])
		return 0;
	for (uint32_t n = node; n; n = nodes[n].parent)
		depth++;
	frames = calloc(depth, sizeof(*frames));
	if (!frames)
		return -ENOMEM;
	at = depth;
	for (uint32_t n = node; n && err == 0; n = nodes[n].parent)
		err = frames_add(&to->frames, &from->frames.list.v[nodes[n].frame],
				 &frames[--at]) < 0
			      ? -ENOMEM
			      : 0;
	if (err == 0)
		err = collected_add_stack(to, frames, depth, &map[node]);
	free(frames);
	return err < 0 ? err : 0;
}

int collected_hand_over(struct collected *to, struct collected *from, uint32_t *node_map)
{
	int err = 0;

	for (int i = 0; i < DEFERRED_KINDS && err == 0; i++) {
		struct deferred_queue *q = &from->deferred[i];
		uint64_t left_out;

		for (size_t k = 0;
		     q->kind->settles_early && err == 0 && k < deferred_queue_count(q);
		     k++)
			err = carry_stack(to, from, deferred_queue_at(q, k)->node,
					  node_map);
		if (err < 0 || !q->kind->settles_early)
			continue;
		err = deferred_queue_take(&to->deferred[i], q, node_map, &left_out);
		weight_sum_damaged(&to->sum, left_out);
	}
	return err;
}

int collected_carry_on(struct collected *to, struct collected *from)
{
	uint32_t *map = calloc(from->trie.count, sizeof(*map));
	int err = map ? 0 : -ENOMEM;

	for (int i = 0; i < DEFERRED_KINDS && err == 0; i++) {
		struct deferred_queue *q = &from->deferred[i];

		for (size_t k = 0; k < deferred_queue_open(q) && err == 0; k++) {
			const struct deferred_event *e = deferred_queue_open_at(q, k);

			err = carry_stack(to, from, e->node, map);
			if (err == 0)
				err = carry_stack(to, from, e->behind, map);
		}
	}
	for (int i = 0; i < DEFERRED_KINDS && err == 0; i++)
		err = deferred_queue_merge(&to->deferred[i], &from->deferred[i], map, 0);
	free(map);
	return err;
}

void collected_end_input(struct collected *c)
{
	for (int i = 0; i < DEFERRED_KINDS; i++)
		deferred_queue_end_input(&c->deferred[i]);
}

/*
 * The copy shares tries and frames with @c, so it must not be released as a collected of
 * its own.
 */
void snapshot_take(struct collected *ret, const struct collected *c)
{
	*ret = *c;
	ret->samples = (struct sample_log){ 0 };
	ret->blocks = (struct time_blocks){ 0 };
	ret->heat = ret->processors = (struct heat){ 0 };
	ret->processes = (struct process_list){ 0 };
}

void snapshot_release(struct collected *snapshot, struct collected *c)
{
	/* Filters by frames have moved weight from kept to lost, in the shared trie, too, and
	 * stacks were cut at interrupts, which has added others. */
	c->sum = snapshot->sum;
	c->trie = snapshot->trie;
	c->frames = snapshot->frames;
	*snapshot = (struct collected){ 0 };
}
