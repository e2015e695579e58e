/*
 * A live run:
 *
 *	live -> input -> order (two rounds) -> process, or stack -> trie -> weight
 *
 * The same as for a pipe, but that rounds are passes over rings, and that the tree can be
 * had on the way. One thread goes round: it sleeps until rings fill, a file was mapped, or
 * something is due by the clock (an output, another saved file, the second's work), takes all
 * that has come, and does what is due. What went wrong without being an error is said when
 * sampling has ended, from the kernel's own counts: perf_event_open(2), LOST and ring sizes.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "engine/job.h"
#include "engine/live_mode.h"
#include "engine/map_lines.h"
#include "live/live.h"

enum {
	DRAIN_MS = 100,
	/* For a while after a new file was mapped: others may follow, and be gone soon. */
	FRESH_MS = 10,
	FRESH_LASTS_MS = 200,
	/* Held at the most while what was there before is still read. */
	HELD_MOST = 256 << 20,
	/* Held for up to a second: stacks are walked at less cost many at a time, as long as
	 * a cache has room for them. */
	HELD_LIGHTLY = 256 << 10,
	/* Percent of a ring: its reader is woken at a quarter. */
	LEFT_MANY = 50,
	COMPACT_LEAST = 1 << 16, /* nodes: 2 MiB */
	SECONDS_MOST = 1 << 30, /* 34 years */
	FILES_MORE = 64, /* for what was not counted */
};

struct live_session {
	struct ff_profile *p;
	struct ff_record_options options;
	struct live_options wanted;
	struct live_mode mode; /* a zeroed one: none */
	struct live *live;
	struct ff_input *input;
	struct input_job job;
	struct stream_run stream;
	struct save *save;
	struct text event_words; /* "syscalls:*,cycles": as they were asked for */
	int wake;
	double fresh_until;
	double began, next_tick, next_output, next_save,
		ends; /* seconds of the clock; INFINITY: never */
	uint64_t lost; /* by the last second */
	bool grown; /* there are threads that filters of the kernel do not know */
	uint32_t compacted; /* nodes there were left when that was last done */
};

/* The clock of all that is due; double is exact to less than a microsecond for years. */
static double seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/*
 * Stacks are copied, and frame pointers are followed as well, where neither was chosen.
 */
static bool joins_stacks(const struct live_session *r)
{
	uint32_t size;

	return live_chain(r->live, &size) == FF_RECORD_AUTO;
}

/* @before: the file that this one follows, finished; NULL: none. */
static int open_save(struct live_session *r, const char *path, struct save *before)
{
	const struct ff_record_options *o = &r->options;
	struct save_options options = {
		.path = path,
		.level = o->save_level,
		.command = o->arguments,
		.command_count = o->argument_count,
		.recorder = "flamefold " FF_VERSION,
		/* What only this machine can tell of a stack goes into the file: the
		 * caller of a leaf, or the stack that was walked. */
		.stacks = live_fixes_leaves(r->live) ? SAVE_CALLERS
			  : joins_stacks(r)	     ? SAVE_UNWOUND
						     : SAVE_RECORDED,
		.goes_on = o->save_every > 0,
		.before = before,
	};
	size_t count;
	const struct live_opened *events = live_events(r->live, &count);

	/* Without a path there is no file, and r->save stays NULL. */
	return path ? save_open(&r->p->ctx, events, count, &options, &r->save) : 0;
}

/* The recording that the run is, with its command line. */
static int open_live_input(struct live_session *r)
{
	struct ff_profile *p = r->p;
	size_t count;
	const struct live_opened *events = live_events(r->live, &count);
	struct text words = { 0 };
	struct input *opened;
	int err = input_open_live(&p->ctx, &p->strings, events, count, &opened);

	if (err < 0)
		return err;
	r->input = add_input(p);
	if (!r->input) {
		input_close(opened);
		return fail_memory(&p->ctx);
	}
	r->input->input = opened;
	for (size_t i = 0; i < r->options.argument_count; i++) {
		text_string(&words, i ? " " : "");
		text_string(&words, r->options.arguments[i]);
	}
	if (words.size && !words.failed)
		err = input_set_command(opened, words.bytes);
	text_release(&words);
	return err < 0 ? fail_memory(&p->ctx) : 0;
}

static int start_stream(struct live_session *r)
{
	int err = input_job_start(r->p, r->input, &r->job);

	if (err == 0 && live_mode_begin(r->live, &r->wanted, &r->job.pairing) < 0)
		err = fail_memory(&r->p->ctx);

	for (size_t i = 0; i < r->options.event_count; i++) {
		text_string(&r->event_words, i ? "," : "");
		text_string(&r->event_words, r->options.events[i]);
	}
	if (err == 0 && r->event_words.failed)
		err = fail_memory(&r->p->ctx);
	/* "" and not NULL, which would stand for the recorder's command line. */
	r->job.event_words = r->event_words.size ? r->event_words.bytes : "";
	r->job.stacks.leaf_only = live_fixes_leaves(r->live);
	/* Kept samples would grow with time, without an end. */
	r->job.keep_samples = false;
	r->job.stacks.join = joins_stacks(r);
	r->stream = (struct stream_run){ .job = &r->job, .live = true, .save = r->save };
	return err < 0 ? err : stream_run_start(&r->stream);
}

/* Of whole processors, whom they were asked for, and that we are nobody. Without that a file has those of
 * all. */
static int save_asked_for(struct live_session *r)
{
	const struct thread_set *set = &r->job.pairing.threads;
	uint32_t tids[SAVE_THREADS_MOST];
	size_t count = 0;
	int err = 0;

	if (r->save && set->but)
		err = save_threads(&r->p->ctx, r->save, &set->but, 1,
				   RECORD_MISC_RECORDER);
	for (uint32_t tid = 0; r->save && set->is_limited && err == 0; tid++) {
		bool end = tid / 64 == set->words.count;

		if (!end && thread_set_has(set, tid))
			tids[count++] = tid;
		if (count == SAVE_THREADS_MOST || (end && count)) {
			err = save_threads(&r->p->ctx, r->save, tids, count,
					   RECORD_MISC_ASKED_FOR);
			count = 0;
		}
		if (end)
			break;
	}
	return err;
}

/* The kernel is to let pass what the thread that has begun does, too. Of what was there before, which has no
 * time, only those that count are of interest. */
static bool is_left_out(const struct live_session *r, const struct record *fork)
{
	const struct thread_set *threads = &r->job.pairing.threads;
	bool counts = thread_set_has(threads, fork->ptid) &&
		      !thread_set_has(threads, fork->tid);

	return (counts || fork->time) &&
	       live_leaves_out(r->live, (pid_t)fork->tid, counts);
}

/*
 * All that has come by now. A round need not go out at once: held and not delivered, many stacks
 * are walked at less cost. But something new is looked at while its process lives, and before the
 * second's work or an output nothing is left behind.
 */
static int take_pending(struct live_session *r, double now)
{
	const struct thread_set *threads = &r->job.pairing.threads;
	struct live_record record;
	struct stream_item item;
	int err = 0, found = 1, taken;

	while (err == 0 && (found = live_next(&r->p->ctx, r->live, &record)) > 0) {
		struct live_trailer trailer = { 0 };
		bool due = false;

		if (record.kind == LIVE_RECORD) {
			taken = input_take(&r->p->ctx, r->job.in, record.bytes,
					   record.size, &item);
			if (taken < 0)
				return taken;
			if (taken > 0 && item.kind == ITEM_STATE &&
			    item.record.type == PERF_RECORD_FORK && threads->is_limited)
				r->grown |= is_left_out(r, &item.record);
			/* Samples are saved when they are delivered, with what was found; all else
			 * as it came, in the order of time, which stands at its end. */
			if (r->stream.save && (taken == 0 || item.kind == ITEM_STATE)) {
				if (record.size >=
				    sizeof(struct perf_event_header) + sizeof(trailer))
					memcpy(&trailer,
					       record.bytes + record.size -
						       sizeof(trailer),
					       sizeof(trailer));
				err = stream_run_hold_bytes(&r->stream, trailer.time,
							    record.bytes, record.size);
			}
			if (err == 0 && taken > 0)
				err = stream_run_hold(&r->stream, &item);
			if (err < 0)
				return err;
			due = rounds_full(&r->stream.rounds, HELD_MOST);
		} else if (r->stream.save || r->stream.fresh || now < r->fresh_until ||
			   now >= r->next_tick || now >= r->next_output ||
			   /* room is made of what went out */
			   images_over_limit(&r->p->images) ||
			   rounds_full(&r->stream.rounds, HELD_LIGHTLY)) {
			due = true;
		} else {
			rounds_hold_round(&r->stream.rounds);
		}
		if (due)
			err = stream_run_end_round(&r->stream);
	}
	return err < 0 ? err : found;
}

/* Events that were opened anew have other ids. */
static int learn_ids(struct live_session *r)
{
	size_t count;
	const struct live_opened *events = live_events(r->live, &count);
	int err = input_add_ids(&r->p->ctx, r->job.in, events, count);

	return err == 0 && r->stream.save ? save_add_ids(&r->p->ctx, r->stream.save)
					  : err;
}

/* Once a second: how it gets on is told, and what follows the machine is brought up to date. */
static int work_of_second(struct live_session *r, double now)
{
	struct trie *trie = &r->stream.worker.collected.trie;
	struct ff_record_status status = {
		.seconds = now - r->began,
		.samples = r->job.rec->samples,
		.frequency = live_frequency(r->live),
		.stacks = trie->count,
	};
	struct live_counts counts;
	int err;

	if (now < r->next_tick)
		return 0;
	live_count(r->live, &counts);
	status.lost = counts.lost;
	status.fullest = counts.fullest;
	if (r->options.tick)
		r->options.tick(r->options.arg, &status);
	/* A second that was missed is not made up for. */
	while (r->next_tick <= now)
		r->next_tick += 1;
	/* Maps of runtimes may be gone with a container, so they are kept while they are
	 * there. */
	if (images_keep_maps(&r->p->images) < 0)
		return fail_memory(&r->p->ctx);
	err = live_keep_cpus(&r->p->ctx, r->live);
	if (err > 0)
		err = learn_ids(r);
	/* Only those who asked for it get less than they asked for. */
	if (err == 0 && counts.lost > r->lost && r->options.flags & FF_RECORD_ADAPT) {
		err = live_adapt(&r->p->ctx, r->live);
		if (err == 0)
			err = learn_ids(r);
		/* Nothing is left to ask less of; losses are told at the end. */
		if (err == -ERANGE)
			err = 0;
	}
	r->lost = counts.lost;
	/* So that memory follows distinct stacks of functions, not of addresses. When
	 * there are twice as many as were left the last time, so that all compactions
	 * together cost a small multiple of the last one. */
	if (err == 0 && trie->count >= COMPACT_LEAST && trie->count / 2 >= r->compacted) {
		err = stream_run_compact(&r->stream);
		r->compacted = trie->count;
	}
	return err;
}

/* What is wrong with a saved file is said, and the profile goes on without. */
static int finish_file(struct live_session *r)
{
	struct save *save = r->stream.save;
	int err = save ? save_objects(r->p, save) : 0;

	if (err == 0 && save)
		err = save_finish(&r->p->ctx, save);
	if (err < 0)
		warn(&r->p->ctx, "%s", r->p->ctx.error);
	r->stream.save_failed |= err < 0;
	return err;
}

/* The file is finished, and what comes now goes to another one. */
static void switch_save(struct live_session *r, double now)
{
	struct save *before = r->stream.save;
	int err;

	if (now < r->next_save)
		return;
	/* The time goes on even where there is nothing to switch. */
	while (r->next_save <= now)
		r->next_save += r->options.save_every;
	if (!before)
		return;
	err = finish_file(r);
	r->stream.save = r->save = NULL;
	if (err == 0) {
		err = open_save(r, r->options.save_name(r->options.arg), before);
		if (err == 0)
			err = save_asked_for(r);
		if (err < 0)
			warn(&r->p->ctx, "%s", r->p->ctx.error);
		r->stream.save_failed |= err < 0;
	}
	/* After open_save(), which takes from it what the next file has to begin with. */
	save_free(before);
	r->stream.save = r->save;
}

static double sooner(double a, double b)
{
	return a < b ? a : b;
}

static int run_session(struct live_session *r)
{
	bool ends_command = r->options.flags & FF_RECORD_END_COMMAND;
	double now = seconds_now(), until;
	int err = live_watch(&r->p->ctx, r->live, r->wake, ends_command);

	while (err == 0 && !atomic_load(&r->p->stopping) && now < r->ends &&
	       !live_ended(r->live)) {
		/* A file that is new makes the next passes shorter, for others are likely
		 * to follow it. */
		if (r->stream.fresh)
			r->fresh_until = now + FRESH_LASTS_MS / 1e3;
		r->stream.fresh = false;
		until = now + (now < r->fresh_until ? FRESH_MS : DRAIN_MS) / 1e3;
		until = sooner(sooner(sooner(r->next_output, r->next_save), r->ends),
			       until);
		/* Rounded up: what is to come has come then. */
		err = live_wait(&r->p->ctx, r->live,
				until > now ? 1 + (int)((until - now) * 1e3) : 0,
				r->wake);
		now = seconds_now();
		if (err == 0)
			err = take_pending(r, now);
		/* Threads that have begun are to be seen as soon as that is known. */
		if (err == 0 && r->grown) {
			r->grown = false;
			err = live_widen(&r->p->ctx, r->live);
			err = err > 0 ? learn_ids(r) : err;
		}
		/* Of young processes with a /tmp of their own, which may be over within
		 * the second. */
		images_look_for_maps(&r->p->images);
		if (err == 0)
			err = map_lines_look(&r->stream);
		if (err == 0 && images_over_limit(&r->p->images))
			err = stream_run_make_room(&r->stream);
		if (err == 0)
			err = work_of_second(r, now);
		if (err == 0 && now >= r->next_output) {
			err = stream_run_show(&r->stream, r->options.output,
					      r->options.arg);
			/* Each output is of its own window, so the tree begins anew. */
			if (err == 0 && r->options.flags & FF_RECORD_WINDOWS) {
				err = stream_run_forget(&r->stream);
				r->compacted = 0;
			}
			while (r->next_output <= now)
				r->next_output += r->options.every;
		}
		if (err == 0)
			switch_save(r, now);
	}
	/* Sampling stops before the last pass, so that it has an end: what is in the
	 * rings. */
	live_stop(r->live);
	if (ends_command && (err < 0 || atomic_load(&r->p->stopping)))
		live_end_command(r->live);
	if (err == 0)
		err = take_pending(r, now);
	/* What has ended by now has written all it will. */
	return err < 0 ? err : map_lines_look(&r->stream);
}

/* One busy processor, or too small rings for all? And what is left to ask less of. Where nothing
 * was lost, was it near? */
static int tell_lost(struct live_session *r)
{
	struct text list = { 0 }, remedies = { 0 };
	uint64_t rate = live_frequency(r->live);
	const char *remedy = "larger rings help (-m)";
	char slower[64];
	struct live_counts counts;
	bool failed;

	live_count(r->live, &counts);
	for (size_t i = 0; i < counts.cpu_count; i++)
		if (live_lost_on(r->live, i))
			text_printf(&list, "%s%" PRIu64 " on processor %zu",
				    list.size ? ", " : "", live_lost_on(r->live, i), i);
	if (list.size)
		live_remedies(r->live, r->job.rec->samples,
			      r->options.flags & FF_RECORD_ADAPT, &remedies);
	failed = list.failed || remedies.failed;
	if (list.size && !failed)
		warn(&r->p->ctx,
		     "the kernel dropped records because its rings were full: %s%s%s",
		     list.bytes, remedies.size ? "; each of these loses fewer: " : "",
		     remedies.size ? remedies.bytes : "");
	text_release(&list);
	text_release(&remedies);
	if (failed)
		return fail_memory(&r->p->ctx);
	if (counts.lost || counts.left < LEFT_MANY)
		return 0;
	/* Of a mode's events each one is needed, but not all of each stack. */
	if (r->wanted.asked && r->wanted.record.chain != FF_RECORD_FRAME_POINTER)
		remedy = "smaller samples help (-g fp)";
	else if (rate > 1 && !r->wanted.asked) {
		snprintf(slower, sizeof(slower), "a lower rate helps (-F %" PRIu64 ")",
			 rate / 2);
		remedy = slower;
	}
	warn(&r->p->ctx,
	     "samples came faster than they could be used: a ring was %u %% full when "
	     "sampling ended, and a longer run would lose some; %s",
	     counts.left, remedy);
	return 0;
}

static int sample_session(struct live_session *r)
{
	const struct ff_record_options *o = &r->options;
	struct stacks_used used = { 0 };
	struct live_counts counts;
	char hint[FILES_HINT_ROOM];
	struct rlimit files;
	size_t refused;
	int err = start_stream(r);

	if (err == 0)
		err = save_asked_for(r);
	if (err == 0)
		err = live_start(&r->p->ctx, r->live);
	r->began = seconds_now();
	r->next_tick = r->began + 1;
	/* All from one beginning, so that outputs and files do not drift against each
	 * other. */
	r->next_output = o->every > 0 && o->output ? r->began + o->every : INFINITY;
	r->next_save =
		o->save_every > 0 && o->save_name ? r->began + o->save_every : INFINITY;
	r->ends = o->seconds > 0 ? r->began + o->delay + o->seconds : INFINITY;
	if (o->seconds > 0 && o->seconds < SECONDS_MOST)
		live_until(r->live, (uint64_t)(r->ends * 1e9));
	if (err == 0)
		err = run_session(r);
	if (err == 0)
		err = stream_run_finish(&r->stream);
	/* The profile has what the worker collected; from here on it is asked, not the
	 * stream. */
	err = stream_run_release(&r->stream, err);
	if (err == 0) {
		finish_file(r);
		r->p->save_failed = r->stream.save_failed;
		err = tell_lost(r);
	}
	if (err == 0) {
		live_tell_away(&r->p->ctx, r->live);
		/* More came and went at once than may be open. Of what the limit
		 * allows, half are for files of programs. */
		refused = images_refused(&r->p->images);
		if (refused && getrlimit(RLIMIT_NOFILE, &files) == 0)
			warn(&r->p->ctx,
			     "%zu file%s that programs ran could not be held open and "
			     "%s gone: what they did there may have no names; '%s' "
			     "allows as many",
			     refused, refused > 1 ? "s" : "", refused > 1 ? "are" : "is",
			     live_files_hint((size_t)files.rlim_cur + 2 * refused +
						     FILES_MORE,
					     hint));
	}
	/* Nothing is to be said of stacks where they were asked for, or where no user's is
	 * sampled. */
	if (err == 0 && r->wanted.record.chain == FF_RECORD_AUTO &&
	    !(r->wanted.record.flags & FF_RECORD_ALL_KERNEL) &&
	    r->p->collected.sum.samples_read) {
		live_count(r->live, &counts);
		used.seconds = seconds_now() - r->began;
		used.bytes = counts.bytes;
		if (live_chain(r->live, &used.stack_size) != FF_RECORD_AUTO)
			used.stack_size = 0;
		err = profile_say_stacks(r->p, &used);
	}
	err = input_job_end(&r->job, err);
	return err < 0 ? err : list_events(r->p, r->input);
}

/* What is asked for, in the words of live/, with the events of a mode. */
static int choose_live_options(struct live_session *r,
			       const struct ff_record_options *options)
{
	const struct ff_record_options *o = &r->options;
	struct ff_profile *p = r->p;

	/* Members that an older caller does not know stay 0, which is their default. */
	memcpy(&r->options, options,
	       options->size < sizeof(r->options) ? options->size : sizeof(r->options));
	if (p->finished || p->inputs.count)
		return fail(&p->ctx, -EINVAL,
			    "a live run has to be the only input of a profile");
	if (o->who == FF_RECORD_COMMAND && !o->command)
		return fail(&p->ctx, -EINVAL, "no command to sample");
	/* Written so that a NaN fails, too. */
	if (!(o->delay >= 0 && o->delay < SECONDS_MOST))
		return fail(&p->ctx, -EINVAL, "a delay cannot be %g seconds", o->delay);
	if (o->frequency && o->period)
		return fail(&p->ctx, -EINVAL,
			    "samples are taken at a rate or by a period, not both");
	if (o->flags & FF_RECORD_ALL_KERNEL && o->flags & FF_RECORD_ALL_USER)
		return fail(&p->ctx, -EINVAL,
			    "the kernel alone and user space alone leave nothing to "
			    "sample");
	r->wanted = (struct live_options){
		.record = *o,
		/* The caller's is one of the threads. */
		.readers = p->options.threads > 1 ? p->options.threads - 1 : 0,
	};
	return live_mode_choose(p, &r->wanted, &r->mode, o->every > 0);
}

int ff_record_print_perf(struct ff_profile *p, const struct ff_record_options *options,
			 FILE *f)
{
	struct live_session r = { .p = p };
	struct text line = { 0 };
	int err = choose_live_options(&r, options);

	if (err == 0 && !r.wanted.asked && !r.wanted.group)
		err = fail(&p->ctx, -EINVAL,
			   "perf's line is printed for a mode: --mode NAME, or --pair "
			   "RULE");
	if (err == 0)
		err = live_mode_print_perf(p, &r.wanted, &line);
	if (err == 0 && fputs(line.bytes, f) == EOF)
		err = fail(&p->ctx, -EIO, "cannot write: %s", strerror(errno));
	live_mode_release(&r.mode);
	text_release(&line);
	return err;
}

int ff_profile_record(struct ff_profile *p, const struct ff_record_options *options)
{
	struct live_session r = { .p = p };
	int err = choose_live_options(&r, options);
	pid_t unended;

	if (err == 0) {
		r.wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		if (r.wake < 0)
			err = fail(&p->ctx, -errno, "eventfd: %s", strerror(errno));
	}
	if (err < 0) {
		live_mode_release(&r.mode);
		return err;
	}
	/* ff_record_stop() may be called from a signal handler or another thread from now
	 * on. + 1, for a descriptor may be 0. */
	atomic_store(&p->wake, r.wake + 1);
	err = live_open(&p->ctx, &r.wanted, &r.live);
	if (err == 0)
		err = open_live_input(&r);
	if (err == 0)
		err = open_save(&r, r.options.save, NULL);
	if (err == 0)
		err = sample_session(&r);
	unended = r.live ? live_unended_command(r.live) : 0;
	if (unended)
		warn(&p->ctx, "'%s' (process %d) was told to end (SIGTERM) and goes on",
		     r.options.command[0], (int)unended);
	/* What ended sampling may have ended the command, too. */
	if (r.live && live_ended(r.live))
		p->exit_status = live_exit_status(r.live);
	if (r.input)
		input_finish(r.input->input);
	/* Before the descriptor is closed, when its number may become another file's. */
	atomic_store(&p->wake, 0);
	save_free(r.save);
	live_close(r.live);
	close(r.wake);
	live_mode_release(&r.mode);
	text_release(&r.event_words);
	return err;
}

void ff_record_stop(struct ff_profile *p)
{
	uint64_t one = 1;
	int wake;

	/* Counted first: who wakes up by the descriptor finds it set. */
	atomic_fetch_add(&p->stopping, 1);
	wake = atomic_load(&p->wake);
	if (wake && write(wake - 1, &one, sizeof(one)) < 0)
		return; /* it is awake already */
}

int ff_record_exit_status(const struct ff_profile *p)
{
	return p->exit_status;
}

int ff_record_saved(const struct ff_profile *p)
{
	return p->save_failed ? -EIO : 0;
}
