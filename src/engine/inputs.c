/* What a profile is made of: its inputs, told apart by content, and what is remembered of them. */
#include <errno.h>
#include <flamefold_chart.h>
#include <unistd.h>

#include "base/file.h"
#include "engine/job.h"

/* An input is in the arena, not in the array: callers hold its address. */
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

void release_input(struct ff_input *input)
{
	input_close(input->input);
	report_free(input->report);
	stored_free(input->stored);
	array_release(&input->split.by_event);
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
			recording_format(rec, &rec->events.v[i]),
			rec->events.v[i].samples,
			input_split(input, i),
			i,
		};
	return 0;
}

/* Takes over @opened: it is the profile's input from here on, or closed. */
static int read_input(struct ff_profile *p, struct input *opened, enum input_kind kind)
{
	struct saved_tree tree = { 0 };
	struct store_tree *stored = NULL;
	struct ff_input *input = NULL;
	/* A picture is decoded before there is an input: one that is damaged leaves
	 * nothing behind. */
	bool saved = kind == INPUT_SAVED || kind == INPUT_PROFILE;
	int err = 0;

	/* Others may have decimals, which what was spilled has not. */
	if (profile_reads_many(p) && kind != INPUT_PERF)
		err = fail(&p->ctx, -EINVAL,
			   "cannot add '%s': of many inputs each is a recording",
			   input_path(opened));
	else if (saved)
		err = decode_saved(p, opened, kind, &tree, &stored);

	if (err == 0 && !(input = add_input(p)))
		err = fail_memory(&p->ctx);
	if (err < 0) {
		saved_tree_release(&tree);
		stored_free(stored);
		input_close(opened);
		return err;
	}
	input->input = opened;
	input->stored = stored;
	if (p->options.flags & FF_CHART && kind != INPUT_PERF) {
		saved_tree_release(&tree);
		return saved ? fail(&p->ctx, -EINVAL,
				    "cannot draw a chart of '%s': it does not say which "
				    "thread ran when",
				    input_path(opened))
			     : fail(&p->ctx, -EINVAL,
				    "cannot draw a chart of '%s': it has no times; "
				    "--flamechart draws folded text in its order",
				    input_path(opened));
	}
	switch (kind) {
	case INPUT_FOLDED:
		err = read_folded(p, input);
		break;
	case INPUT_SAVED:
	case INPUT_PROFILE:
		err = read_saved(p, input, &tree);
		break;
	case INPUT_PERF:
		err = read_recording(p, input);
		break;
	}
	/* The sum is no number then, and so is the tree's. */
	if (err == 0 && p->collected.sum.overflow)
		err = fail(
			&p->ctx, -ERANGE,
			"cannot add '%s': its weights%s add up to more than 2^64%s",
			input_path(opened),
			p->inputs.count > 1 ? " and those of the inputs before it" : "",
			p->collected.decimals ? ", in units of their last decimal place"
					      : "");
	if (profile_reads_many(p))
		input_forget(opened);
	if (err == 0)
		err = spill_some(p);
	if (err == 0)
		err = list_events(p, input);
	input_finish(opened);
	saved_tree_release(&tree);
	return err;
}

/* Before an input is opened. */
static int check_unfinished(struct ff_profile *p, const char *name)
{
	if (p->finished || !p->binaries)
		return fail(&p->ctx, -EINVAL, "cannot add '%s': the profile is finished",
			    name);
	/* Another input may tell more of the same files, so frames are named anew. */
	symbols_forget(&p->symbols);
	return batch_set_aside(p);
}

int ff_profile_read(struct ff_profile *p, const char *path)
{
	enum input_kind kind;
	struct input *opened;
	int err = check_unfinished(p, path);

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

	/* For sentences that have to name the input. */
	snprintf(number, sizeof(number), "descriptor %d", fd);
	name = name ? name : number;
	err = check_unfinished(p, name);
	if (err == 0 && fd < 0)
		err = fail(&p->ctx, -EBADF, "cannot open '%s': %s", name,
			   strerror(EBADF));
	if (err == 0)
		err = input_open_origin(&p->ctx, (struct input_origin){ name, fd },
					&p->strings, &opened, &kind);
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
