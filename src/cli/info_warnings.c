#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/info.h"
#include "cli/summary.h"

/* An input that is judged, and the sentence that is being written. */
struct judged {
	const struct ff_profile *p;
	const struct ff_input *in;
	FILE *out;
};

static uint64_t count_of(const struct judged *j, enum ff_input_count which)
{
	return ff_input_count(j->in, which);
}

static void judge_damage(const struct judged *j)
{
	const char *damage = ff_input_text(j->in, FF_INPUT_DAMAGE);

	if (damage)
		fprintf(j->out, "it is damaged, and only what is whole counts: %s",
			damage);
}

static void judge_chains(const struct judged *j)
{
	uint64_t samples = count_of(j, FF_INPUT_SAMPLES);
	uint64_t bare = count_of(j, FF_INPUT_BARE);

	if (samples && bare == samples)
		fputs("no call chains: record with perf record -g (frame pointers) or "
		      "--call-graph dwarf",
		      j->out);
	else if (bare >= samples / 20 && bare)
		fprintf(j->out, "%s of the samples have no call chain",
			percent(bare, samples));
}

static void judge_user_stacks(const struct judged *j)
{
	uint64_t dumps = ff_profile_total(j->p, FF_TOTAL_SAMPLES_USER_STACK);

	if (dumps)
		fprintf(j->out,
			"%s of the samples carry a stack dump that cannot be unwound: it "
			"takes "
			"the registers of an x86-64, i386 or aarch64 task (perf record "
			"--call-graph dwarf)",
			percent(dumps, ff_profile_total(j->p, FF_TOTAL_SAMPLES_TREE)));
}

/* One more than a record has room for cannot be asked for. */
static bool dumps_could_be_larger(const struct ff_input *in)
{
	const struct ff_event *e = NULL;

	while ((e = ff_event_next(in, e)))
		if (ff_event_count(e, FF_EVENT_USER_STACK) &&
		    ff_event_count(e, FF_EVENT_USER_STACK) < 65528)
			return true;
	return false;
}

static void judge_user_stacks_cut(const struct judged *j)
{
	uint64_t dumps = ff_profile_total(j->p, FF_TOTAL_SAMPLES_UNWOUND);
	uint64_t cut = ff_profile_total(j->p, FF_TOTAL_SAMPLES_CUT_DUMP);

	if (cut >= dumps / 100 && cut)
		fprintf(j->out,
			"%s of the stack dumps are cut: record with "
			"%sframe "
			"pointers (--call-graph fp)",
			percent(cut, dumps),
			dumps_could_be_larger(j->in) ? "--call-graph dwarf,65528 or with "
						     : "");
}

static void judge_no_cfi(const struct judged *j)
{
	uint64_t dumps = ff_profile_total(j->p, FF_TOTAL_SAMPLES_UNWOUND);
	uint64_t lacking = ff_profile_total(j->p, FF_TOTAL_SAMPLES_NO_CFI);

	if (lacking >= dumps / 100 && lacking)
		fprintf(j->out,
			"%s of stacks end where there is no unwind information: see the "
			"objects that are missing (--symfs, --buildid-dir), or compile "
			"with "
			"-fasynchronous-unwind-tables",
			percent(lacking, dumps));
}

static void judge_chains_cut(const struct judged *j)
{
	uint64_t chains = count_of(j, FF_INPUT_CHAINS);
	uint64_t cut = count_of(j, FF_INPUT_CHAINS_CUT);

	if (cut >= chains / 100 && cut)
		fprintf(j->out,
			"%s of the call chains are cut: allow more frames before "
			"recording (sysctl kernel.perf_event_max_stack=1024)",
			percent(cut, chains));
}

static void judge_chains_broken(const struct judged *j)
{
	uint64_t chains = count_of(j, FF_INPUT_CHAINS);
	uint64_t broken = count_of(j, FF_INPUT_CHAINS_BROKEN);

	if (broken >= chains / 100 && broken)
		fprintf(j->out,
			"%s of the call chains end in garbage: compile with "
			"-fno-omit-frame-pointer, or record with --call-graph dwarf",
			percent(broken, chains));
}

/* "7 records were lost: record with ..." */
static void put_loss(const struct judged *j, enum ff_input_count which, const char *one,
		     const char *many, const char *advice)
{
	uint64_t count = count_of(j, which);

	if (count)
		fprintf(j->out, "%s %s: %s", grouped(count), count == 1 ? one : many,
			advice);
}

static void judge_lost(const struct judged *j)
{
	put_loss(j, FF_INPUT_LOST, "record was lost", "records were lost",
		 "record with a larger buffer (perf record -m) or fewer samples "
		 "(perf record -F)");
}

static void judge_lost_samples(const struct judged *j)
{
	put_loss(j, FF_INPUT_LOST_SAMPLES, "sample was lost", "samples were lost",
		 "the processor or the kernel dropped them; record fewer (perf record "
		 "-F)");
}

static void judge_throttled(const struct judged *j)
{
	uint64_t count = count_of(j, FF_INPUT_THROTTLED);

	if (count == 1)
		fputs("the kernel stopped the sampling once", j->out);
	else if (count)
		fprintf(j->out, "the kernel stopped the sampling %s times",
			grouped(count));
	if (count)
		fputs(", as it took too long: record fewer samples (perf record -F)",
		      j->out);
}

static void judge_aux_lost(const struct judged *j)
{
	put_loss(j, FF_INPUT_AUX_LOST, "piece of AUX data is not whole",
		 "pieces of AUX data are not whole",
		 "record with a larger AUX buffer (the second number of perf record -m)");
}

static void judge_late(const struct judged *j)
{
	put_loss(j, FF_INPUT_LATE_RECORDS, "record came too late to be put in order",
		 "records came too late to be put in order",
		 "what ran then may have wrong names; record to a file");
}

static bool is_of_kernel(const struct ff_object *o)
{
	static const char name[] = "[kernel.kallsyms]";

	return strncmp(ff_object_path(o), name, sizeof(name) - 1) == 0;
}

/* Why the kernel's functions have no names. */
static void judge_kernel(const struct judged *j)
{
	const struct ff_object *o = NULL;
	const char *problem = NULL;
	bool named = false;

	while ((o = ff_object_next(j->p, o)))
		if (is_of_kernel(o)) {
			named |= ff_object_file(o) != NULL;
			problem = problem ? problem : ff_object_problem(o);
		}
	if (named)
		return;
	if (count_of(j, FF_INPUT_KERNEL_HIDDEN))
		fputs("the kernel addresses have no names: kptr_restrict was set (record "
		      "after sysctl kernel.kptr_restrict=0, or as root)",
		      j->out);
	else if (problem)
		fprintf(j->out, "the kernel addresses have no names: %s", problem);
}

static void judge_guests(const struct judged *j)
{
	uint64_t guests = count_of(j, FF_INPUT_GUEST_SAMPLES);

	if (guests)
		fprintf(j->out,
			"%s of the samples were taken in guests, whose code has no names "
			"here: it is [guest]",
			percent(guests, count_of(j, FF_INPUT_SAMPLES)));
}

static void judge_refused(const struct judged *j)
{
	const struct ff_object *o = NULL;
	uint64_t count = 0, weight = 0;

	while ((o = ff_object_next(j->p, o)))
		if (ff_object_refused(o)) {
			count++;
			weight += ff_object_weight(o);
		}
	if (count == 1)
		fputs("1 object file is not the recorded one: its build id differs",
		      j->out);
	else if (count)
		fprintf(j->out,
			"%s object files are not the recorded ones: their build ids "
			"differ",
			grouped(count));
	if (count)
		fprintf(j->out, " (%s of the weight); --symfs says where to look instead",
			percent(weight, ff_profile_total(j->p, FF_TOTAL_WEIGHT_TREE)));
}

/* Processes that ran code of a runtime which nothing names. */
static void judge_runtimes(const struct judged *j)
{
	const struct ff_object *o = NULL, *worst = NULL;
	uint64_t weight = 0;

	while ((o = ff_object_next(j->p, o)))
		if (ff_object_runtime(o) && !ff_object_file(o) && ff_object_weight(o)) {
			worst = worst ? worst : o;
			weight += ff_object_weight(o);
		}
	if (!worst)
		return;
	fprintf(j->out,
		"%s of the weight is code that a runtime made and that no map names",
		percent(weight, ff_profile_total(j->p, FF_TOTAL_WEIGHT_TREE)));
	fprintf(j->out, " (process %u)", ff_object_runtime(worst));
	if (ff_object_problem(worst))
		fprintf(j->out, ": %s", ff_object_problem(worst));
}

static void judge_unnamed(const struct judged *j)
{
	uint64_t weight = ff_profile_total(j->p, FF_TOTAL_WEIGHT_TREE);
	uint64_t unnamed = ff_profile_total(j->p, FF_TOTAL_WEIGHT_UNNAMED);

	if (unnamed >= weight / 20 && unnamed)
		fprintf(j->out, "%s of the weight has no symbol%s",
			percent(unnamed, weight),
			ff_object_next(j->p, NULL)
				? ": flamefold info --symbols says what would help"
				: "");
}

/* perf stat record. */
static void judge_counters(const struct judged *j)
{
	enum { STAT = 76 };

	if (j->in && ff_input_records(j->in, STAT) && !count_of(j, FF_INPUT_SAMPLES))
		fputs("it is a recording of perf stat, which has counters and no "
		      "samples: "
		      "record with perf record",
		      j->out);
}

static void judge_trace(const struct judged *j)
{
	enum { AUXTRACE = 71 };

	if (j->in && ff_input_records(j->in, AUXTRACE))
		fputs("the trace of the processor in it (AUX data) is not decoded: perf "
		      "inject --itrace makes samples of it",
		      j->out);
}

void info_warnings(const struct ff_profile *p, warning_fn *say, void *arg)
{
	/* Documentation/info-json.md promises these kinds. */
	static const struct {
		const char *kind;
		void (*judge)(const struct judged *j);
	} warnings[] = {
		{ "damage", judge_damage },
		{ "counters", judge_counters },
		{ "trace", judge_trace },
		{ "chains", judge_chains },
		{ "chains_broken", judge_chains_broken },
		{ "chains_cut", judge_chains_cut },
		{ "user_stacks", judge_user_stacks },
		{ "user_stacks_cut", judge_user_stacks_cut },
		{ "no_unwind_information", judge_no_cfi },
		{ "lost", judge_lost },
		{ "lost_samples", judge_lost_samples },
		{ "throttled", judge_throttled },
		{ "aux_lost", judge_aux_lost },
		{ "late_records", judge_late },
		{ "kernel", judge_kernel },
		{ "guest_samples", judge_guests },
		{ "refused", judge_refused },
		{ "runtimes", judge_runtimes },
		{ "unnamed", judge_unnamed },
	};
	struct judged j = { .p = p, .in = ff_input_next(p, NULL) };

	for (size_t i = 0; i < sizeof(warnings) / sizeof(warnings[0]); i++) {
		char *text = NULL;
		size_t size = 0;

		j.out = open_memstream(&text, &size);
		if (!j.out)
			return;
		warnings[i].judge(&j);
		fclose(j.out);
		if (size)
			say(arg, warnings[i].kind, text);
		free(text);
	}
}
