/*
 * The pipeline: connects the stages.
 *
 *	input -> order -> process          first pass: the timeline of processes
 *	input -> stack -> trie -> weight   second pass: samples, in parallel chunks
 *	symbol -> write                    at the end, once
 */
#include "engine/profile.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/parallel.h"
#include "find/find.h"
#include "order/order.h"

enum {
	/* Bytes of a file; to start a thread takes a tenth of a ms. */
	AHEAD_LEAST = 16 << 20,
	TREE_LARGE = 1 << 16, /* nodes: likewise */
};

void show_progress(struct ff_profile *p, const char *what, uint64_t done, uint64_t total)
{
	if (!p->options.progress)
		return;
	pthread_mutex_lock(&p->progress_lock);
	p->options.progress(p->options.arg, what, done, total);
	pthread_mutex_unlock(&p->progress_lock);
}

void scale_weights(const struct columns *columns, struct trie *t, struct weight_sum *sum,
		   unsigned decimals)
{
	uint64_t factor = 1;

	for (; decimals > 0; decimals--)
		factor *= 10;
	for (uint32_t i = 0; factor > 1 && i < columns->count; i++)
		if (!columns->v[i].unit)
			trie_scale(t, i, factor);
	sum->overflow |= __builtin_mul_overflow(sum->read, factor, &sum->read);
	sum->overflow |= __builtin_mul_overflow(sum->before, factor, &sum->before);
	sum->kept *= factor;
	sum->cut *= factor;
	for (int i = 0; i < LOST_REASONS; i++)
		sum->lost[i] *= factor;
}

/* A record, which few bytes can be, is held until all are in order, and its process keeps as much. */
static bool allow_state(struct input_job *r)
{
	enum { SOME = 1024, A_STATE = 2 * sizeof(struct record) };

	if (r->states_allowed == 0 &&
	    claim_add_part(&r->states, &r->p->budget, BUDGET_NAMES,
			   (uint64_t)SOME * A_STATE))
		r->states_allowed = SOME;
	if (r->states_allowed == 0) {
		budget_refuse(&r->p->budget, "records of processes", input_path(r->in));
		return false;
	}
	r->states_allowed--;
	return true;
}

/* First pass: what changes the state of processes, in time order. */
static int read_states(struct input_job *r, struct order *order)
{
	const struct recording *rec = r->rec;
	struct ff_profile *p = r->p;
	struct input *in = r->in;
	struct record record;
	int err;

	while ((err = state_next(&p->ctx, in, &record)) > 0) {
		if (record.type != RECORD_NONE) {
			if (allow_state(r) && order_add(order, &record) < 0)
				return fail_memory(&p->ctx);
			continue;
		}
		if (rec->kernel_samples && !rec->kallsyms)
			symbolizer_expect_kernel(p->symbolizer);
		show_progress(p, "reading maps", state_progress(in), rec->bytes);
	}
	order_end_input(order);
	return err;
}

/* What is known of the processes: after the first pass, when the header is, too. */
static int make_timeline(struct ff_profile *p, struct order *order, struct input_job *r)
{
	const struct record *record;
	int err = processes_new(&p->ctx, r->rec, &p->images, &p->strings, PROCESSES_WHOLE,
				&r->processes);

	if (err == 0 && p->options.flags & FF_COMPAT_STACKCOLLAPSE)
		processes_label_as_printed(r->processes);
	while (err == 0 && order_next(order, &record) > 0)
		if (processes_apply(r->processes, record) < 0)
			err = fail_memory(&p->ctx);
	return err;
}

static int first_pass(struct ff_profile *p, struct input_job *r)
{
	struct order order;
	int err;

	order_init(&order);
	err = read_states(r, &order);
	if (err == 0)
		err = make_timeline(p, &order, r);
	order_release(&order);
	return err;
}

static size_t thread_count(const struct ff_profile *p)
{
	return p->options.threads ? p->options.threads : parallel_processors();
}

/* When all that it tells is known. */
static int add_recording_symbols(struct input_job *r)
{
	if (r->known)
		return 0;
	r->known = true;
	return symbolizer_add_recording(r->p->symbolizer, r->rec) < 0
		       ? fail_memory(&r->p->ctx)
		       : 0;
}

int choose_events(struct input_job *r)
{
	struct ff_profile *p = r->p;
	struct event_wish wish = {
		.name = p->options.event,
		.words = r->event_words,
		.weights = &r->weights,
	};

	if (!wish.words && r->rec->command)
		wish.words = intern_text(&p->strings, r->rec->command);
	return event_choice_make(&p->ctx, &r->events, r->rec, &p->strings, &wish);
}

static int read_twice(struct input_job *r, struct ff_input *input)
{
	struct ff_profile *p = r->p;
	size_t threads = thread_count(p), chunks;
	int err;

	input_read_ahead(r->in, threads, p->parts.ahead ? p->parts.ahead : AHEAD_LEAST);
	if (p->parts.chunk)
		input_set_chunk(r->in, p->parts.chunk);
	err = first_pass(p, r);
	if (err == 0)
		err = add_recording_symbols(r);
	if (err < 0)
		return err;
	if (r->rec->kernel_samples)
		symbolizer_expect_kernel(p->symbolizer);
	err = choose_events(r);
	if (err < 0)
		return err;
	chunks = input_chunks(r->in);
	r->threads = threads < chunks ? threads : chunks ? chunks : 1;
	return read_samples(r, input);
}

static int make_marks(struct ff_profile *p, struct stack_options *stacks)
{
	if (stacks->infer &&
	    intern_add(&p->strings, "[skipped]", 9, &stacks->skipped) < 0)
		return -ENOMEM;
	if (stacks->as_perf || p->options.truncated != FF_TRUNCATED_MARK)
		return 0;
	return intern_add(&p->strings, "[truncated]", 11, &stacks->truncated);
}

int input_job_start(struct ff_profile *p, struct ff_input *input, struct input_job *ret)
{
	bool compat = p->options.flags & FF_COMPAT_STACKCOLLAPSE;

	*ret = (struct input_job){
		.p = p,
		.in = input->input,
		.rec = input_recording(input->input),
		.weights = { p->options.count == FF_COUNT_SAMPLES, compat },
		.stacks = { .root = (int)p->options.root,
			    .max_stack = p->options.max_stack,
			    .by_address = p->options.flags & FF_ADDRS,
			    .empty_chains = compat,
			    .timed = p->options.flags & FF_TIMED,
			    .as_perf = compat,
			    .infer = profile_infers(p),
			    .labels = &ret->events.labels },
		.drop_truncated = p->options.truncated == FF_TRUNCATED_DROP,
		.keep_samples = p->options.flags & FF_SAMPLES,
		.index = (uint16_t)input->index,
		.samples_before = p->sum.samples_read,
	};
	if (make_marks(p, &ret->stacks) < 0)
		return fail_memory(&p->ctx);
	if (p->options.flags & FF_FLAMECHART)
		return fail(&p->ctx, -EOPNOTSUPP,
			    "cannot read '%s': a flame chart needs folded text",
			    input_path(ret->in));
	return 0;
}

int input_job_end(struct input_job *r, struct ff_input *input, int err)
{
	struct ff_profile *p = r->p;

	input->delivered = p->sum.samples_read - r->samples_before;
	if (err == 0)
		err = add_recording_symbols(r);
	if (err == 0)
		event_choice_report_split(&p->ctx, &r->events, r->rec, &p->strings,
					  input->split, input->split_count);
	if (err == 0 && note_events(p, input, &r->events) < 0)
		err = fail_memory(&p->ctx);
	if (err == 0)
		say_mixed_units(p, input);
	event_choice_release(&r->events);
	processes_free(r->processes);
	claim_release(&r->states);
	return err;
}

static int read_perf(struct ff_profile *p, struct ff_input *input)
{
	struct input_job r;
	int err = input_job_start(p, input, &r);

	if (err == 0)
		err = input_is_stream(r.in) ? read_stream(&r, input)
					    : read_twice(&r, input);
	return input_job_end(&r, input, err);
}

struct ff_input *add_input(struct ff_profile *p)
{
	struct ff_input *input = arena_alloc(&p->arena, sizeof(*input));
	struct ff_input **slot = input ? array_add(&p->inputs) : NULL;

	if (!slot)
		return NULL;
	*slot = input;
	input->profile = p;
	input->index = (uint32_t)p->inputs.count - 1;
	return input;
}

/* For those who ask later what events there were. */
int list_events(struct ff_profile *p, struct ff_input *input)
{
	const struct recording *rec = input_recording(input->input);

	if (input->report) {
		input->events = input->report->events.v;
		input->event_count = input->report->events.count;
		return 0;
	}
	input->events =
		arena_alloc(&p->arena, (rec->events.count + 1) * sizeof(*input->events));
	if (!input->events)
		return fail_memory(&p->ctx);
	input->event_count = rec->events.count;
	for (uint32_t i = 0; i < rec->events.count; i++)
		input->events[i] = (struct ff_event){
			intern_text(&p->strings, rec->events.v[i].name),
			&rec->events.v[i],
			rec->events.v[i].samples,
			input_split(input, i),
			i,
		};
	return 0;
}

/* The sum is no number then, and so is the tree's. */
static int refuse_overflow(struct ff_profile *p, const char *path)
{
	if (!p->sum.overflow)
		return 0;
	return fail(&p->ctx, -ERANGE,
		    "cannot add '%s': its weights%s add up to more than 2^64%s", path,
		    p->inputs.count > 1 ? " and those of the inputs before it" : "",
		    p->decimals ? ", in units of their last decimal place" : "");
}

static int read_input(struct ff_profile *p, struct input *opened, enum input_kind kind)
{
	struct saved_tree tree = { 0 };
	struct ff_input *input = NULL;
	int err = kind == INPUT_SAVED ? decode_saved(p, opened, &tree) : 0;

	if (err == 0 && !(input = add_input(p)))
		err = fail_memory(&p->ctx);
	if (err < 0) {
		saved_tree_release(&tree);
		input_close(opened);
		return err;
	}
	input->input = opened;
	switch (kind) {
	case INPUT_FOLDED:
		err = read_folded(p, input);
		break;
	case INPUT_SAVED:
		err = read_saved(p, input, &tree);
		break;
	case INPUT_PERF:
		err = read_perf(p, input);
		break;
	}
	if (err == 0)
		err = refuse_overflow(p, input_path(opened));
	if (err == 0)
		err = list_events(p, input);
	input_finish(opened);
	saved_tree_release(&tree);
	return err;
}

/* Before an input is opened. */
static int check_open(struct ff_profile *p, const char *name)
{
	if (p->finished)
		return fail(&p->ctx, -EINVAL, "cannot add '%s': the profile is finished",
			    name);
	symbols_forget(&p->symbols);
	return 0;
}

int ff_profile_read(struct ff_profile *p, const char *path)
{
	enum input_kind kind;
	struct input *opened;
	int err = check_open(p, path);

	if (err == 0)
		err = input_open(&p->ctx, path, &p->strings, &opened, &kind);
	return err < 0 ? err : read_input(p, opened, kind);
}

int ff_profile_read_fd(struct ff_profile *p, int fd, const char *name)
{
	enum input_kind kind;
	struct input *opened;
	char number[32];
	int err;

	snprintf(number, sizeof(number), "descriptor %d", fd);
	name = name ? name : number;
	err = check_open(p, name);
	if (err == 0 && fd < 0)
		err = fail(&p->ctx, -EBADF, "cannot open '%s': %s", name,
			   strerror(EBADF));
	if (err == 0)
		err = input_open_descriptor(&p->ctx, fd, name, &p->strings, &opened,
					    &kind);
	return err < 0 ? err : read_input(p, opened, kind);
}

/* What reads it reads files, by parts and by several threads. */
int ff_profile_read_memory(struct ff_profile *p, const void *bytes, size_t size,
			   const char *name)
{
	int fd = file_of_memory(&p->ctx, bytes, size), err;

	if (fd < 0)
		return fd;
	err = ff_profile_read_fd(p, fd, name ? name : "memory");
	close(fd);
	return err;
}

int ff_is_recording(const char *path)
{
	return input_is_recording(path);
}

/* Every weight that was read is in the tree or counted as lost. */
static void check_conservation(const struct ff_profile *p)
{
	uint64_t sum = 0;

	for (size_t row = 1; row < p->trie.rows.count; row++)
		sum += trie_row_self(&p->trie, row, COLUMN_WEIGHT);
	assert(sum == p->sum.kept);
	assert(weight_sum_conserved(&p->sum));
	(void)sum;
}

static void warn_of_debuginfod(struct ff_profile *p)
{
	struct debuginfod *d = p->places.debuginfod;
	const char *problem = d ? debuginfod_problem(d) : NULL;

	if (problem)
		warn(&p->ctx, "debuginfod was given up: %s", problem);
}

/* Stacks that run through it may end there; what its functions are called is another matter. */
static void warn_of_unread(struct ff_profile *p)
{
	const char *why = p->binaries ? binaries_trouble(p->binaries) : NULL;

	if (why && !p->unread_said)
		warn(&p->ctx, "stacks may end too early: %s", why);
	p->unread_said |= why != NULL;
}

int name_frames(struct ff_profile *p)
{
	return symbolizer_run(&p->ctx, p->symbolizer, &p->frames, &p->symbols);
}

struct finishing {
	struct ff_profile *profile;
	const uint8_t *left_out;
	size_t threads;
};

static int make_named(const struct finishing *f)
{
	struct ff_profile *p = f->profile;
	struct named_options options = {
		.in_order = p->options.flags & FF_FLAMECHART,
		.columns = &p->columns,
		.frames = &p->frames,
		.left_out = f->left_out,
		.threads = f->threads,
	};
	int err = named_make(&p->ctx, &p->trie, &p->symbols, &p->strings, &options,
			     &p->named);

	p->named.decimals = p->decimals;
	return err;
}

enum { JOB_TREE, JOB_RESULTS, FINISH_JOBS };

/* Neither looks at what the other one makes. */
static int finish_job(void *arg, size_t job, size_t worker)
{
	const struct finishing *f = arg;

	(void)worker;
	return job == JOB_TREE ? make_named(f) : list_results(f->profile);
}

int finish_so_far(struct ff_profile *p)
{
	struct finishing f = { .profile = p };
	uint8_t *left_out = NULL;
	int err;

	if (p->finished)
		return 0;
	if (p->sum.overflow)
		return fail(&p->ctx, -ERANGE, "the weights add up to more than 2^64");
	check_conservation(p);
	show_progress(p, "reading symbols", 0, p->frames.list.count);
	err = name_frames(p);
	if (err < 0)
		return err;
	warn_of_debuginfod(p);
	warn_of_unread(p);
	err = filter_stacks(p, &left_out);
	if (err == 0) {
		check_conservation(p);
		f.left_out = left_out;
		f.threads = p->trie.count < TREE_LARGE ? 1 : thread_count(p);
		err = parallel_run(f.threads, FINISH_JOBS, finish_job, &f);
	}
	if (err == 0)
		err = place_samples(p, left_out);
	free(left_out);
	if (err == 0)
		err = findings_make(p);
	if (err < 0) {
		forget_results(p);
		return err == -ENOMEM ? fail_memory(&p->ctx) : err;
	}
	p->finished = true;
	return 0;
}

int ff_profile_finish(struct ff_profile *p)
{
	trie_drop_index(&p->trie);
	return finish_so_far(p);
}
