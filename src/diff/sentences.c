/* What was compared, how, and how far it can be trusted, in words: the same ones above a table, in a
 * picture and on standard error. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>

#include "diff/diff.h"

#define TOLD 0.001 /* part of a side that is worth a word */
#define APART 0.01 /* parts of the sides that differ by more explain something */

static const char *const normalizes[DIFF_NORMALIZES] = {
	[DIFF_SHARE] = "share", [DIFF_TIME] = "time",	  [DIFF_NONE] = "none",
	[DIFF_PER] = "per",	[DIFF_ANCHOR] = "anchor", [DIFF_ROBUST] = "robust",
};

const char *difference_normalize_name(enum diff_normalize n)
{
	return normalizes[n];
}

const char *difference_kind_name(enum diff_kind k)
{
	static const char *const names[] = {
		[DIFF_CHANGED] = "changed",
		[DIFF_NEW] = "new",
		[DIFF_GONE] = "gone",
		[DIFF_MOVED] = "moved",
	};

	return names[k];
}

static void say_scale(const struct difference *d, struct text *t)
{
	const struct diff_options *o = &d->options;

	text_printf(t, "A is multiplied by %.6g (--normalize=%s: ", d->scale,
		    normalizes[o->normalize]);
	switch (o->normalize) {
	case DIFF_SHARE:
		text_string(t, "either side is 100 %");
		break;
	case DIFF_TIME:
		text_string(t, "by how long was recorded");
		break;
	case DIFF_NONE:
		text_string(t, "as it is");
		break;
	case DIFF_PER:
		text_printf(t, "%g and %g units of work", o->per[DIFF_A], o->per[DIFF_B]);
		break;
	case DIFF_ANCHOR:
		text_printf(t, "'%s' has not changed", o->anchor);
		break;
	default:
		if (d->fell_back)
			text_printf(t,
				    "only %" PRIu64
				    " path%s on both sides, so either side is 100 %%",
				    d->scale_nodes,
				    d->scale_nodes == 1
					    ? " has 30 samples by itself"
					    : "s have 30 samples by themselves");
		else
			text_printf(t, "the median of %" PRIu64 " paths has not changed",
				    d->scale_nodes);
	}
	text_char(t, ')');
}

static void say_matching(const struct difference *d, struct text *t)
{
	static const char *const how[DIFF_MATCHES] = {
		[MATCH_DIRECTORY] = "by modules in other directories",
		[MATCH_VERSION] = "by modules of other versions",
		[MATCH_CLONE] = "by name without suffixes of clones",
		[MATCH_TEMPLATE] = "by name without arguments of templates and numbers "
				   "of lambdas",
		[MATCH_UNNAMED] = "by module, without a symbol",
		[MATCH_NUMBER] = "of processes, by name without numbers",
		[MATCH_PROGRAM] = "of the program, which has another name",
		[MATCH_NAME] = "by name alone",
	};

	text_printf(t, "functions on both sides: %" PRIu64 " by name and module",
		    d->matched[MATCH_EXACT]);
	for (int i = MATCH_DIRECTORY; i < DIFF_MATCHES; i++)
		if (d->matched[i])
			text_printf(t, ", %" PRIu64 " %s", d->matched[i], how[i]);
	if (d->exact)
		text_string(t, " (--match=exact)");
	text_printf(t, "; in A only: %" PRIu64 ", in B only: %" PRIu64, d->alone[DIFF_A],
		    d->alone[DIFF_B]);
}

static void say_noise(const struct difference *d, struct text *t)
{
	const struct diff_total *a = &d->total[DIFF_A], *b = &d->total[DIFF_B];
	bool within = !a->are_files || !b->are_files;

	text_string(t, "noise: ");
	for (int s = 0; s < DIFF_SIDES && (a->blocks || b->blocks); s++) {
		const struct diff_total *total = &d->total[s];

		text_printf(t, "%s%c ", s ? ", " : "", 'A' + s);
		if (total->blocks)
			text_printf(t, "by %u %s, %.1f times that of independent samples",
				    total->blocks,
				    total->are_files ? "inputs" : "pieces of its time",
				    sqrt(total->phi));
		else
			text_string(t, "by that of the other side");
	}
	if (!a->blocks && !b->blocks)
		text_printf(
			t, "as if samples were independent, for %s; real noise is larger",
			a->has_times && b->has_times
				? "recordings are too short to be cut into pieces"
				: "there are no times");
	if (within)
		text_string(
			t,
			"; one recording a side tells the noise within a run only: name "
			"several a side, with -- between");
}

/* So that 1 % is found: of more inputs the mean is surer, and how far they differ, too. */
static unsigned inputs_needed(const struct difference *d, unsigned inputs)
{
	double error = d->detectable / d->reach * sqrt(inputs), found = d->detectable;
	unsigned count = inputs;

	while (found > 0.01 && count < UINT_MAX / 2) {
		count += 1 + count / 50;
		found = difference_reach(d, 2.0 * (count - 1)) * error / sqrt(count);
	}
	return count;
}

static void say_detectable(const struct difference *d, struct text *t)
{
	const struct diff_total *a = &d->total[DIFF_A], *b = &d->total[DIFF_B];
	double times = d->detectable / 0.01, seconds = 0, samples = 0;
	/* Longer ones would not differ less from each other. */
	bool by_files = a->are_files && a->blocks && b->are_files && b->blocks;

	for (int s = 0; s < DIFF_SIDES; s++)
		if (!d->total[s].weight)
			text_printf(
				t, "%sside %c is empty",
				t->size ? ", and " : "nothing is compared: ", 'A' + s);
	if (t->size)
		return;
	if (!d->tests.count) {
		text_printf(t, "nothing can be found: no path has %g samples",
			    d->options.fewest);
		return;
	}
	if (!(d->detectable > 0)) {
		text_string(t, "nothing can be found: each path is all of either side");
		return;
	}
	times *= times;
	for (int s = 0; s < DIFF_SIDES; s++) {
		if (d->total[s].seconds > seconds)
			seconds = d->total[s].seconds;
		if ((double)d->total[s].samples > samples)
			samples = (double)d->total[s].samples;
	}
	if (d->detectable < 1)
		text_printf(
			t, "a change of %.2g points would have been found wherever it is",
			100 * d->detectable);
	else
		text_string(t, by_files
				       ? "the inputs of a side differ too much to find a "
					 "change wherever it is"
				       : "there are too few samples to find a change "
					 "wherever it is");
	if (times <= 1)
		return;
	if (by_files)
		text_printf(
			t, "; for 1 %% take %u inputs a side",
			inputs_needed(d, a->blocks > b->blocks ? a->blocks : b->blocks));
	else if (seconds > 0)
		text_printf(t, "; for 1 %% record %.0f s a side", ceil(seconds * times));
	else
		text_printf(t, "; for 1 %% take %.0f samples a side", samples * times);
}

static void say_found(const struct difference *d, struct text *t)
{
	text_printf(t,
		    "%" PRIu64 " of %" PRIu64
		    " paths have changed (q <= %g); all in all the "
		    "sides differ by %.1f %%",
		    d->significant, (uint64_t)d->tests.count, d->options.level,
		    100 * d->distance);
}

static void say_parts(struct text *t, const char *what, const double part[DIFF_SIDES])
{
	text_printf(t, "%s: %.1f %% of A, %.1f %% of B", what, 100 * part[DIFF_A],
		    100 * part[DIFF_B]);
}

/* Where one side knows fewer names, what it lacks looks new or gone. */
static void say_unnamed(const struct difference *d, struct text *t)
{
	if (d->unnamed[DIFF_A] < TOLD && d->unnamed[DIFF_B] < TOLD)
		return;
	say_parts(t, "without a symbol", d->unnamed);
	if (fabs(d->unnamed[DIFF_A] - d->unnamed[DIFF_B]) > APART)
		text_string(t, "; what has a name on one side only looks new or gone");
	if (d->uncoloured)
		text_string(t, ", so nothing is coloured (--force)");
}

/* What is on one side only makes shares of all others larger on the other. */
static void say_idle(const struct difference *d, struct text *t)
{
	bool only_a = d->idle[DIFF_B] == 0;

	if (d->idle[DIFF_A] >= TOLD && d->idle[DIFF_B] >= TOLD)
		return;
	if (d->idle[DIFF_A] >= TOLD || d->idle[DIFF_B] >= TOLD)
		text_printf(
			t,
			"idle processors are in %c only, where swapper is %.1f %%: leave "
			"them out with --drop %s=swapper",
			only_a ? 'A' : 'B', 100 * d->idle[only_a ? DIFF_A : DIFF_B],
			d->total[only_a ? DIFF_A : DIFF_B].are_counts ? "symbol"
								      : "comm");
}

/* Stacks without a root are compared with their like. */
static void say_rootless(const struct difference *d, struct text *t)
{
	if (d->rootless[DIFF_A] < TOLD && d->rootless[DIFF_B] < TOLD)
		return;
	say_parts(t, "in stacks that lack their root, which are compared by themselves",
		  d->rootless);
	if (fabs(d->rootless[DIFF_A] - d->rootless[DIFF_B]) > APART)
		text_string(t, "; what lacks it on one side more looks moved");
}

/* Inlined by one compiler and not by the other, or with debug information of one side only. */
static void say_inlines(const struct difference *d, struct text *t)
{
	double less = d->lone - d->lone_outlined;

	if (less > APART && less > APART * d->lone)
		text_printf(
			t,
			"%.0f %% of what is new or gone disappears with --no-inline: one "
			"side inlines what the other does not, or does not tell",
			100 * less / d->lone);
}

int difference_sentence(const struct difference *d, unsigned i, struct text *ret)
{
	static void (*const say[])(const struct difference *d, struct text *t) = {
		say_scale,   say_matching, say_noise, say_detectable, say_found,
		say_unnamed, say_rootless, say_idle,  say_inlines,
	};

	text_clear(ret);
	/* "A: base.data, 12345 samples of cycles in 30.0 s". */
	if (i < DIFF_SIDES) {
		const struct diff_total *total = &d->total[i];
		const char *event = intern_text(&d->strings, total->event);

		text_printf(ret, "%c: %s, %" PRIu64 " sample%s", 'A' + (int)i,
			    total->brief.bytes, total->samples,
			    total->samples == 1 ? "" : "s");
		if (*event)
			text_printf(ret, " of %s", event);
		if (total->seconds >= 0.05)
			text_printf(ret, " in %.1f s", total->seconds);
		/* On one side only it is no noise. */
		if (total->lost)
			text_printf(ret, ", and %" PRIu64 " were lost", total->lost);
		if (total->are_counts && total->samples)
			text_string(ret,
				    " (its numbers are taken for counts of samples)");
		return ret->failed ? -ENOMEM : 1;
	}
	/* Where one has nothing to say the next one is asked. */
	for (size_t k = 0; k < sizeof(say) / sizeof(*say); k++) {
		text_clear(ret);
		say[k](d, ret);
		if (ret->failed)
			return -ENOMEM;
		if (ret->size && i-- == DIFF_SIDES)
			return 1;
	}
	return 0;
}
