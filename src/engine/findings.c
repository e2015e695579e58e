/*
 * What makes the picture worse than it could be: each thing once, with its share, its cause and
 * what mends it. Whoever tells people of it prints these sentences.
 *
 * A judge looks at one thing and writes nothing where all is well. What mends it is a command
 * of the program that made the recording, as it can be typed; FILE in it is the input.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/text.h"
#include "cfi/cfi.h"
#include "engine/memory.h"
#include "engine/profile.h"
#include "engine/python.h"

/* What is typed to record again, by who recorded. */
struct recorder {
	const char *name; /* the program's, as its command line begins */
	const char *chains, *dwarf, *dwarf_large, *frame_pointer;
	const char *buffer, *aux_buffer, *rate, *file;
};

/* find_recorder() takes the first where nothing says who recorded. */
static const struct recorder recorders[] = {
	{ "perf", "perf record -g", "perf record --call-graph dwarf",
	  "perf record --call-graph dwarf,65528", "perf record --call-graph fp",
	  "perf record -m 16M", "perf record -m ,16M", "perf record -F",
	  "perf record -o perf.data" },
	{ "flamefold", "flamefold record -g fp", "flamefold record -g dwarf",
	  "flamefold record -g dwarf,65528", "flamefold record -g fp",
	  "flamefold record -m 16M", NULL, "flamefold record -F",
	  "flamefold record -o perf.data" },
	{ "simpleperf", "simpleperf record -g", "simpleperf record --call-graph dwarf",
	  "simpleperf record --call-graph dwarf,65528",
	  "simpleperf record --call-graph fp", "simpleperf record -m 4096", NULL,
	  "simpleperf record -f", "simpleperf record -o perf.data" },
};

/* A profile that is judged, and the sentence that is being written. */
struct warning_context {
	const struct ff_profile *p;
	const struct recorder *by;
	struct text cause, remedy;
	uint64_t part, whole; /* 0 of 0: no share */
};

static void put_count(struct text *t, uint64_t value)
{
	char digits[24];
	int size = snprintf(digits, sizeof(digits), "%" PRIu64, value);

	for (int i = 0; i < size; i++) {
		/* A comma in front of every third digit from the right. */
		if (i && (size - i) % 3 == 0)
			text_char(t, ',');
		text_char(t, digits[i]);
	}
}

/* A part is never shown as nothing, nor as all where it is not. */
static void put_percentage(struct text *t, uint64_t part, uint64_t whole)
{
	double share = whole ? 100.0 * (double)part / (double)whole : 0;

	if (part && share < 0.1)
		text_string(t, "< 0.1 %");
	else if (part < whole && share >= 99.95)
		text_string(t, "> 99.9 %");
	else
		text_printf(t, "%.1f %%", share);
}

/* The sentence begins with its share. */
static void begin_share(struct warning_context *j, uint64_t part, uint64_t whole)
{
	j->part = part;
	j->whole = whole;
	put_percentage(&j->cause, part, whole);
	text_char(&j->cause, ' ');
}

static uint64_t total(const struct warning_context *j, enum ff_total which)
{
	return ff_profile_total(j->p, which);
}

static uint64_t count_of(const struct warning_context *j, enum ff_input_count which)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < j->p->inputs.count; i++)
		sum += ff_input_count(j->p->inputs.v[i], which);
	return sum;
}

/* Whole percents are worth a sentence, less is chance. */
static bool is_much(uint64_t part, uint64_t whole)
{
	return part && part >= whole / 100;
}

static void judge_damage(struct warning_context *j)
{
	for (size_t i = 0; i < j->p->inputs.count; i++) {
		const struct ff_input *in = j->p->inputs.v[i];
		const char *damage = ff_input_text(in, FF_INPUT_DAMAGE);

		if (!damage)
			continue;
		text_string(&j->cause, j->cause.size ? "; " : "");
		if (j->p->inputs.count > 1)
			text_printf(&j->cause, "'%s'", ff_input_text(in, FF_INPUT_PATH));
		else
			text_string(&j->cause, "it");
		text_printf(&j->cause, " is damaged, and only what is whole counts: %s",
			    damage);
	}
}

static uint64_t records_of(const struct warning_context *j, unsigned type)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < j->p->inputs.count; i++)
		sum += ff_input_records(j->p->inputs.v[i], type);
	return sum;
}

/* perf stat record. */
static void judge_counters(struct warning_context *j)
{
	/* A recording may have both: then there is a picture. */
	if (!records_of(j, PERF_RECORD_STAT) || count_of(j, FF_INPUT_SAMPLES))
		return;
	text_string(&j->cause,
		    "it is a recording of perf stat, which has counters and no samples");
	text_string(&j->remedy, "perf record -g");
}

static void judge_trace(struct warning_context *j)
{
	if (!records_of(j, PERF_RECORD_AUXTRACE))
		return;
	text_string(
		&j->cause,
		"the trace of the processor in it (AUX data) is not decoded: perf inject "
		"makes samples of it");
	text_string(&j->remedy, "perf inject --itrace -i FILE -o samples.data");
}

/* What samples have to carry for a filter by a key, and what perf records it with. */
static const struct {
	const char *key, *what, *option;
} filter_fields[] = {
	{ "cpu", "the processor", "perf record --sample-cpu" },
	{ "time", "a time", "perf record --timestamp" },
	{ "pid", "a process", "perf record" },
	{ "tid", "a thread", "perf record" },
	{ "cgroup", "a cgroup", "perf record --all-cgroups" },
};

/* A filter by what samples do not say: the first key that an input has no answer to. */
static void judge_filters(struct warning_context *j)
{
	const char *key = NULL;
	uint64_t samples = 0;

	for (size_t i = 0; i < j->p->inputs.count; i++) {
		const struct recording *rec = input_recording(j->p->inputs.v[i]->input);

		for (size_t k = 0; k < rec->events.count; k++) {
			const struct event *e = &rec->events.v[k];
			const char *lacking = e->samples
						      ? filters_unanswered(j->p->filters,
									   e->sample_type)
						      : NULL;

			/* Of all events, but the sentence has one key. */
			samples += lacking ? e->samples : 0;
			key = key ? key : lacking;
		}
	}
	for (size_t i = 0; key && i < sizeof(filter_fields) / sizeof(*filter_fields); i++)
		if (strcmp(filter_fields[i].key, key) == 0) {
			begin_share(j, samples, count_of(j, FF_INPUT_SAMPLES));
			text_printf(&j->cause,
				    "of the samples do not say %s, which a filter by "
				    "'%s' asks for",
				    filter_fields[i].what, key);
			text_string(&j->remedy, j->by == &recorders[1]
							? "flamefold record"
							: filter_fields[i].option);
			return;
		}
}

static void judge_chains(struct warning_context *j)
{
	uint64_t samples = stacks_walked(j->p);
	uint64_t bare = total(j, FF_TOTAL_SAMPLES_NO_CHAIN);

	/* Of what is left by filters of frames nobody knows it. */
	if (filters_ask_frames(j->p->filters)) {
		samples = count_of(j, FF_INPUT_SAMPLES);
		bare = count_of(j, FF_INPUT_BARE);
	}
	/* What another profiler has listed is no sample without a chain. */
	if (!count_of(j, FF_INPUT_BARE) || !bare || bare < samples / 20)
		return;
	if (bare >= samples)
		text_string(&j->cause, "no call chains, so the picture is flat");
	else {
		begin_share(j, bare, samples);
		text_string(&j->cause, "of the samples have no call chain");
	}
	j->part = bare;
	j->whole = samples;
	text_string(&j->remedy, j->by->dwarf);
	text_printf(&j->remedy, ", or by frame pointers: %s", j->by->chains);
}

/* The weight of stacks that begin in objects of one name. */
struct loser {
	const char *name;
	const struct image *image;
	uint32_t id;
	uint64_t weight;
};

/* The first @most by weight. One name may stand for many objects: of containers, of runs of a
 * runtime. How many there are. */
static size_t list_losers(const struct ff_profile *p, struct loser *v, size_t most)
{
	size_t count = 0;

	for (size_t i = 0; i < p->roots.by_image.count; i++) {
		const struct root_loss *loss = &p->roots.by_image.v[i];
		const struct image *image = &p->images.list.v[loss->image];
		const char *path = intern_text(&p->strings, image->path);
		const char *slash = strrchr(path, '/');
		const char *name = slash && slash[1] ? slash + 1 : path;
		size_t k = 0;

		if (image->kind == IMAGE_UNKNOWN)
			name = "code of no file";
		else if (image->owner)
			name = "code that a runtime made";
		while (k < count && strcmp(v[k].name, name) != 0)
			k++;
		/* There is no more room for names; what they lost is in r->lost all the
		 * same. */
		if (k == most)
			continue;
		if (k == count)
			v[count++] = (struct loser){ name, image, loss->image, 0 };
		v[k].weight += loss->weight;
	}
	return count;
}

static bool has_process(const struct warning_context *j, const char *comm)
{
	for (size_t i = 0; i < j->p->collected.processes.list.count; i++)
		if (strcmp(j->p->collected.processes.list.v[i].comm, comm) == 0)
			return true;
	return false;
}

/* "cc1plus (61.0 %), libc.so.6 (5.0 %), or in what called prog (3.0 %)": where the outermost
 * function does keep frame pointers, its caller does not. */
static void judge_frame_pointers(struct warning_context *j)
{
	enum { MOST = 16, NAMED = 3 };
	const struct roots *r = &j->p->roots;
	struct loser v[MOST];
	size_t count, named = 0;
	bool of_runtime = false;

	/* Prologues and epilogues of the best code lose a few. */
	if (!r->lost || r->lost < r->users / 20 + (r->users % 20 != 0))
		return;
	begin_share(j, r->lost, r->users);
	text_string(&j->cause, "of the weight is on stacks that begin in the middle, not "
			       "where threads start: no frame pointers in ");
	count = list_losers(j->p, v, MOST);
	/* The first is named in any case, the others where they are worth it. */
	for (size_t i = 0; i < count && named < NAMED; i++) {
		struct frame_pointers use = { 0 };
		struct found found;

		if (named && !is_much(v[i].weight, r->users))
			continue;
		text_string(&j->cause, named++ ? ", " : "");
		if (v[i].image->kind == IMAGE_FILE &&
		    image_find_object(&j->p->dirs, &j->p->images, v[i].id, NEED_UNWIND,
				      &found) >= 0) {
			/* An error stands for not known: then nobody that called it is
			 * blamed. */
			if (found.object.elf &&
			    frame_pointers_find(&found.object,
						found.debug.elf ? &found.debug : NULL,
						&use) < 0)
				use = (struct frame_pointers){ 0 };
			found_release(&found);
		}
		if (frame_pointers_use(&use) == FRAME_POINTERS_KEPT)
			text_string(&j->cause, "what called ");
		text_printf(&j->cause, "%s (", v[i].name);
		put_percentage(&j->cause, v[i].weight, r->users);
		text_char(&j->cause, ')');
	}
	if (count > named)
		text_printf(&j->cause, " and %zu more", count - named);
	text_string(&j->remedy, j->by->dwarf);
	for (size_t i = 0; i < r->by_image.count; i++)
		of_runtime |= j->p->images.list.v[r->by_image.v[i].image].owner &&
			      is_much(r->by_image.v[i].weight, r->users);
	if (of_runtime && has_process(j, "java"))
		text_string(&j->remedy, ", or java -XX:+PreserveFramePointer");
	text_string(&j->remedy, ", or compile with -fno-omit-frame-pointer");
}

static void judge_chains_broken(struct warning_context *j)
{
	uint64_t chains = count_of(j, FF_INPUT_CHAINS);
	uint64_t broken = count_of(j, FF_INPUT_CHAINS_BROKEN);

	if (!is_much(broken, chains) || !total(j, FF_TOTAL_SAMPLES_TRUNCATED))
		return;
	begin_share(j, broken, chains);
	text_string(&j->cause, "of the call chains end in garbage and do not reach their "
			       "root, as in code without frame pointers");
	text_printf(&j->remedy, "%s, or compile with -fno-omit-frame-pointer",
		    j->by->dwarf);
}

/* The most frames, or bytes of stack, that an event asks for; 0: none says it. */
static uint32_t most_asked(const struct warning_context *j, bool bytes)
{
	uint32_t most = 0;

	for (size_t i = 0; i < j->p->inputs.count; i++) {
		const struct recording *rec = input_recording(j->p->inputs.v[i]->input);

		for (size_t k = 0; k < rec->events.count; k++) {
			const struct event *e = &rec->events.v[k];
			uint32_t asked = bytes ? e->user_stack : e->max_stack;

			most = asked > most ? asked : most;
		}
	}
	return most;
}

static void judge_chains_cut(struct warning_context *j)
{
	uint64_t chains = count_of(j, FF_INPUT_CHAINS);
	uint64_t cut = count_of(j, FF_INPUT_CHAINS_CUT);
	uint32_t asked = most_asked(j, false);

	if (!is_much(cut, chains) || !total(j, FF_TOTAL_SAMPLES_TRUNCATED))
		return;
	begin_share(j, cut, chains);
	text_string(&j->cause, "of the call chains are cut and do not reach their root: "
			       "they have as many frames as ");
	/* As perf lock record does. The kernel's limit cannot be lower. */
	if (asked)
		text_printf(&j->cause, "were asked for, %u", asked);
	else
		text_string(&j->cause, "were allowed");
	text_string(&j->remedy, asked && asked < 127
					? "perf record -g -e EVENT/max-stack=127/"
					: "sudo sysctl kernel.perf_event_max_stack=1024, "
					  "before recording");
}

static void judge_user_stacks(struct warning_context *j)
{
	uint64_t dumps = total(j, FF_TOTAL_SAMPLES_USER_STACK);

	if (!dumps)
		return;
	begin_share(j, dumps, total(j, FF_TOTAL_SAMPLES_TREE));
	text_string(&j->cause,
		    "of the samples carry a stack dump that cannot be unwound: it "
		    "takes the registers of an x86-64, i386 or aarch64 task");
	text_string(&j->remedy, j->by->dwarf);
}

static void judge_user_stacks_cut(struct warning_context *j)
{
	uint64_t dumps = total(j, FF_TOTAL_SAMPLES_UNWOUND);
	uint64_t cut = total(j, FF_TOTAL_SAMPLES_CUT_DUMP);
	uint32_t asked = most_asked(j, true);

	if (!is_much(cut, dumps))
		return;
	begin_share(j, cut, dumps);
	text_string(&j->cause, "of the stacks are larger than the ");
	put_count(&j->cause, asked);
	text_string(&j->cause, " bytes that were copied of each, and lack the functions "
			       "that they begin with");
	/* One more than a record has room for cannot be asked for. */
	if (asked < 65528)
		text_printf(&j->remedy, "%s, or by ", j->by->dwarf_large);
	text_printf(&j->remedy, "frame pointers: %s", j->by->frame_pointer);
}

static void judge_other_stacks(struct warning_context *j)
{
	uint64_t dumps = total(j, FF_TOTAL_SAMPLES_UNWOUND);
	uint64_t other = total(j, FF_TOTAL_SAMPLES_OTHER_STACK);

	if (!is_much(other, dumps))
		return;
	begin_share(j, other, dumps);
	text_string(&j->cause,
		    "of the stack dumps end where the next frame is on another stack");
	text_printf(&j->remedy, "%s, of code with -fno-omit-frame-pointer",
		    j->by->frame_pointer);
}

static void judge_no_cfi(struct warning_context *j)
{
	uint64_t samples = total(j, FF_TOTAL_SAMPLES_TREE);
	uint64_t lacking = total(j, FF_TOTAL_SAMPLES_NO_CFI);

	if (!is_much(lacking, samples))
		return;
	begin_share(j, lacking, samples);
	text_string(&j->cause,
		    "of stacks end where there is no unwind information and do "
		    "not reach their root");
	if (has_process(j, "java"))
		text_string(&j->remedy, "of Java, java -XX:+PreserveFramePointer; else ");
	text_string(&j->remedy,
		    "flamefold info --symbols FILE names the objects that are "
		    "missing (--symfs, --buildid-dir), or compile with "
		    "-fasynchronous-unwind-tables");
}

/* What no judge above has spoken of. */
static void judge_truncated(struct warning_context *j)
{
	const struct incomplete_words *why = incomplete_most(j->p);
	uint64_t cut = total(j, FF_TOTAL_SAMPLES_TRUNCATED);

	if (!cut)
		return;
	begin_share(j, cut, stacks_walked(j->p));
	text_string(&j->cause, "of the stacks do not reach their root");
	if (why)
		text_printf(&j->cause, ", most of them for: %s", why->words);
	if (why && why->followed)
		text_printf(&j->remedy, "%s, or compile with -fno-omit-frame-pointer",
			    j->by->dwarf);
	else
		text_string(&j->remedy, "flamefold info FILE");
}

/* "7 records were lost (5.0 % of all)": of @of that and these. */
static bool put_loss(struct warning_context *j, enum ff_input_count which,
		     const char *one, const char *many)
{
	uint64_t count = count_of(j, which);

	if (!count)
		return false;
	put_count(&j->cause, count);
	text_printf(&j->cause, " %s", count == 1 ? one : many);
	return true;
}

static void put_share_lost(struct warning_context *j, enum ff_input_count which)
{
	j->part = count_of(j, which);
	/* What was lost is not among the samples, so the whole is both. */
	j->whole = j->part + count_of(j, FF_INPUT_SAMPLES);
	text_string(&j->cause, " (");
	put_percentage(&j->cause, j->part, j->whole);
	text_string(&j->cause, " of what there was)");
}

/* Half the rate that it was recorded with. */
static void put_fewer(struct warning_context *j)
{
	uint64_t rate = 0;

	/* Of a mode's events each one is needed, but not all of each stack. */
	if (profile_rule(j->p)) {
		text_printf(&j->remedy, "smaller samples: %s", j->by->frame_pointer);
		return;
	}
	for (size_t i = 0; i < j->p->inputs.count; i++) {
		const struct recording *rec = input_recording(j->p->inputs.v[i]->input);

		for (size_t k = 0; k < rec->events.count; k++)
			if (rec->events.v[k].frequency > rate)
				rate = rec->events.v[k].frequency;
	}
	/* No rate, as where samples came by period: 99 a second are few for any
	 * machine. */
	text_printf(&j->remedy, "fewer samples: %s %" PRIu64, j->by->rate,
		    rate > 2 ? rate / 2 : 99);
}

static void judge_lost(struct warning_context *j)
{
	if (!put_loss(j, FF_INPUT_LOST, "record was lost", "records were lost"))
		return;
	put_share_lost(j, FF_INPUT_LOST);
	text_printf(&j->remedy, "a larger buffer: %s, or ", j->by->buffer);
	put_fewer(j);
}

static void judge_lost_samples(struct warning_context *j)
{
	if (!put_loss(j, FF_INPUT_LOST_SAMPLES, "sample was lost", "samples were lost"))
		return;
	put_share_lost(j, FF_INPUT_LOST_SAMPLES);
	text_string(&j->cause, ", dropped by the processor or the kernel");
	put_fewer(j);
}

static void judge_throttled(struct warning_context *j)
{
	uint64_t count = count_of(j, FF_INPUT_THROTTLED);

	if (!count)
		return;
	text_string(&j->cause, "the kernel stopped the sampling ");
	if (count == 1) {
		text_string(&j->cause, "once");
	} else {
		put_count(&j->cause, count);
		text_string(&j->cause, " times");
	}
	text_string(&j->cause, ", as it took too long");
	put_fewer(j);
}

static void judge_aux_lost(struct warning_context *j)
{
	if (!put_loss(j, FF_INPUT_AUX_LOST, "piece of AUX data is not whole",
		      "pieces of AUX data are not whole"))
		return;
	if (j->by->aux_buffer)
		text_printf(&j->remedy, "a larger AUX buffer: %s", j->by->aux_buffer);
}

static void judge_late(struct warning_context *j)
{
	if (!put_loss(j, FF_INPUT_LATE_RECORDS, "record came too late to be put in order",
		      "records came too late to be put in order"))
		return;
	text_string(&j->cause, ", and what ran then may have wrong names");
	text_printf(&j->remedy, "record to a file: %s", j->by->file);
}

/* Why the kernel's functions have no names. */
static void judge_kernel(struct warning_context *j)
{
	static const char kernel[] = "[kernel.kallsyms]";
	const struct ff_object *o = NULL;
	const char *problem = NULL, *of = "weight";
	bool named = false;

	while ((o = ff_object_next(j->p, o)))
		if (strncmp(ff_object_path(o), kernel, sizeof(kernel) - 1) == 0) {
			named |= ff_object_file(o) != NULL;
			problem = problem ? problem : ff_object_problem(o);
			j->part += ff_object_weight(o);
		}
	j->whole = total(j, FF_TOTAL_WEIGHT_TREE);
	if (named || (!count_of(j, FF_INPUT_KERNEL_HIDDEN) && !problem))
		return;
	if (count_of(j, FF_INPUT_KERNEL_HIDDEN)) {
		/* The recording's own fault goes first: it cannot be mended here. */
		problem = "kptr_restrict was set";
		text_string(&j->remedy, "sudo sysctl kernel.kptr_restrict=0 "
					"kernel.perf_event_paranoid=1, before recording");
	} else {
		text_string(&j->remedy, "flamefold info --symbols FILE");
	}
	/* Where nothing tells of a map of the kernel, its addresses are of no object. */
	if (!j->part) {
		j->part = count_of(j, FF_INPUT_KERNEL_SAMPLES);
		j->whole = count_of(j, FF_INPUT_SAMPLES);
		of = "samples";
	}
	text_printf(&j->cause, "the kernel addresses have no names: %s (", problem);
	put_percentage(&j->cause, j->part, j->whole);
	text_printf(&j->cause, " of the %s)", of);
}

static void judge_guests(struct warning_context *j)
{
	uint64_t guests = count_of(j, FF_INPUT_GUEST_SAMPLES);

	if (!guests)
		return;
	begin_share(j, guests, count_of(j, FF_INPUT_SAMPLES));
	text_string(&j->cause,
		    "of the samples were taken in guests, whose code has no names here: "
		    "it is [guest]");
}

static void judge_refused(struct warning_context *j)
{
	const struct ff_object *o = NULL;
	uint64_t count = 0;

	while ((o = ff_object_next(j->p, o)))
		if (ff_object_refused(o)) {
			count++;
			j->part += ff_object_weight(o);
		}
	if (!count)
		return;
	j->whole = total(j, FF_TOTAL_WEIGHT_TREE);
	put_count(&j->cause, count);
	text_string(&j->cause,
		    count == 1 ? " object file is not the recorded one: its build id "
				 "differs, or it was replaced ("
			       : " object files are not the recorded ones: their build "
				 "ids differ, or they were replaced (");
	if (j->part)
		put_percentage(&j->cause, j->part, j->whole);
	text_string(&j->cause, j->part ? " of the weight)" : "only among callers)");
	text_string(&j->remedy, "flamefold info --symbols FILE names them; --symfs=DIR "
				"says where to look instead, --force takes them");
}

/* Processes that ran code of a runtime which nothing names. */
static void judge_runtimes(struct warning_context *j)
{
	const struct ff_object *o = NULL, *worst = NULL;
	uint64_t weight = 0;

	while ((o = ff_object_next(j->p, o)))
		if (ff_object_runtime(o) && !ff_object_file(o) && ff_object_weight(o)) {
			/* Objects come in the order of their weight, so the first is the
			 * worst. */
			worst = worst ? worst : o;
			weight += ff_object_weight(o);
		}
	if (!worst)
		return;
	begin_share(j, weight, total(j, FF_TOTAL_WEIGHT_TREE));
	text_printf(&j->cause,
		    "of the weight is code that a runtime made and that no map names "
		    "(process %" PRIu32 ")",
		    ff_object_runtime(worst));
	if (ff_object_problem(worst))
		text_printf(&j->cause, ": %s", ff_object_problem(worst));
	text_string(&j->remedy, "flamefold info --symbols FILE");
}

/* Code of Python, of which only the interpreter shows. */
static void judge_python(struct warning_context *j)
{
	struct python_unnamed u;

	if (!profile_python_unnamed(j->p, &u))
		return;
	begin_share(j, u.weight, total(j, FF_TOTAL_WEIGHT_TREE));
	python_tell(&u, j->by->dwarf, &j->cause, &j->remedy);
}

static void judge_memory(struct warning_context *j)
{
	memory_tell(j->p, &j->cause, &j->remedy);
}

static void judge_unnamed(struct warning_context *j)
{
	uint64_t weight = total(j, FF_TOTAL_WEIGHT_TREE);
	uint64_t unnamed = total(j, FF_TOTAL_WEIGHT_UNNAMED);

	if (!is_much(unnamed, weight))
		return;
	begin_share(j, unnamed, weight);
	text_string(&j->cause, "of the weight has no symbol");
	if (ff_object_next(j->p, NULL))
		text_string(&j->remedy, "flamefold info --symbols FILE");
}

/* Documentation/info-json.md promises these kinds. */
static const struct {
	const char *kind;
	void (*judge)(struct warning_context *j);
	bool explains; /* why stacks are not whole: more exactly than judge_truncated() */
} judges[] = {
	{ "damage", judge_damage, false },
	{ "memory", judge_memory, false },
	{ "counters", judge_counters, false },
	{ "trace", judge_trace, false },
	{ "filters", judge_filters, false },
	{ "chains", judge_chains, false },
	{ "frame_pointers", judge_frame_pointers, true },
	{ "chains_broken", judge_chains_broken, true },
	{ "chains_cut", judge_chains_cut, true },
	{ "user_stacks", judge_user_stacks, false },
	{ "user_stacks_cut", judge_user_stacks_cut, true },
	{ "other_stacks", judge_other_stacks, true },
	{ "no_unwind_information", judge_no_cfi, true },
	{ "truncated", judge_truncated, false },
	{ "lost", judge_lost, false },
	{ "lost_samples", judge_lost_samples, false },
	{ "throttled", judge_throttled, false },
	{ "aux_lost", judge_aux_lost, false },
	{ "late_records", judge_late, false },
	{ "kernel", judge_kernel, false },
	{ "guest_samples", judge_guests, false },
	{ "refused", judge_refused, false },
	{ "runtimes", judge_runtimes, false },
	{ "python", judge_python, false },
	{ "unnamed", judge_unnamed, false },
};

/* simpleperf says who it is; else by the last part of the first word of a command line. */
static const struct recorder *find_recorder(const struct ff_profile *p)
{
	for (size_t i = 0; i < p->inputs.count; i++) {
		const char *form = ff_input_text(p->inputs.v[i], FF_INPUT_FORM), *slash;
		const char *word = ff_input_text(p->inputs.v[i], FF_INPUT_RECORDER);
		size_t size;

		/* A live run is flamefold's own, whoever runs the library. */
		if (form && strcmp(form, "live") == 0)
			return &recorders[1];
		if (!word || strncmp(word, "simpleperf ", 11) != 0)
			word = ff_input_text(p->inputs.v[i], FF_INPUT_COMMAND);
		size = word ? strcspn(word, " ") : 0;
		slash = size ? memrchr(word, '/', size) : NULL;
		size -= slash ? (size_t)(slash + 1 - word) : 0;
		word = slash ? slash + 1 : word;
		for (size_t k = 0; k < sizeof(recorders) / sizeof(*recorders); k++)
			if (size && strlen(recorders[k].name) == size &&
			    strncmp(recorders[k].name, word, size) == 0)
				return &recorders[k];
	}
	return &recorders[0];
}

static const char *keep_sentence(struct ff_profile *p, const struct text *t)
{
	uint32_t id;

	if (!t->size)
		return NULL;
	return intern_add(&p->strings, t->bytes, t->size, &id) < 0
		       ? NULL
		       : intern_text(&p->strings, id);
}

int findings_make(struct ff_profile *p)
{
	const struct recorder *by = find_recorder(p);
	bool explained = false;
	int err = 0;

	p->findings.count = 0;
	for (size_t i = 0; i < sizeof(judges) / sizeof(judges[0]) && err == 0; i++) {
		struct warning_context j = { .p = p, .by = by };
		struct ff_finding *f;

		/* That is of this run, everything else of the one whose pictures these are. */
		if (report_is_all(p) && judges[i].judge != judge_memory)
			continue;
		/* It speaks of what the others, which come before it, are silent about. */
		if (judges[i].judge == judge_truncated && explained)
			continue;
		judges[i].judge(&j);
		if (j.cause.failed || j.remedy.failed) {
			err = -ENOMEM;
		} else if (j.cause.size) {
			explained |= judges[i].explains;
			f = array_add(&p->findings);
			if (f)
				*f = (struct ff_finding){
					.kind = judges[i].kind,
					.cause = keep_sentence(p, &j.cause),
					.remedy = keep_sentence(p, &j.remedy),
					.part = j.part,
					.whole = j.whole,
				};
			if (!f || !f->cause || (!f->remedy && j.remedy.size))
				err = -ENOMEM;
		}
		text_release(&j.cause);
		text_release(&j.remedy);
	}
	return err < 0 ? err : findings_take(p);
}
