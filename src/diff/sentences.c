/* What was compared, how, and how far it can be trusted, in words: the same ones above a table, in a
 * picture and on standard error. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>

#include "diff/diff.h"

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
		[MATCH_UNNAMED] = "by module, without a symbol",
		[MATCH_NUMBER] = "processes by name without numbers",
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

static void say_detectable(const struct difference *d, struct text *t)
{
	double times = d->detectable / 0.01, seconds = 0, samples = 0;

	times *= times;
	for (int s = 0; s < DIFF_SIDES; s++) {
		if (d->total[s].seconds > seconds)
			seconds = d->total[s].seconds;
		if ((double)d->total[s].samples > samples)
			samples = (double)d->total[s].samples;
	}
	text_printf(t, "a change of %.2g points would have been found wherever it is",
		    100 * d->detectable);
	if (times <= 1)
		return;
	if (seconds > 0)
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
		    d->significant, d->tested, d->options.level, 100 * d->distance);
}

/* Where one side knows fewer names, what it lacks looks new or gone. */
static void say_unnamed(const struct difference *d, struct text *t)
{
	double share[DIFF_SIDES];

	for (int s = 0; s < DIFF_SIDES; s++)
		share[s] = d->total[s].weight ? 100.0 * (double)d->total[s].unnamed /
							(double)d->total[s].weight
					      : 0;
	if (fabs(share[DIFF_A] - share[DIFF_B]) > 1)
		text_printf(t,
			    "without a symbol: %.1f %% of A, %.1f %% of B; what has a "
			    "name on "
			    "one side only looks new or gone",
			    share[DIFF_A], share[DIFF_B]);
}

int difference_sentence(const struct difference *d, unsigned i, struct text *ret)
{
	static void (*const say[])(const struct difference *d, struct text *t) = {
		say_scale,	say_matching, say_noise,
		say_detectable, say_found,    say_unnamed,
	};

	text_clear(ret);
	/* "A: base.data, 12345 samples of cycles in 30.0 s". */
	if (i < DIFF_SIDES) {
		const struct diff_total *total = &d->total[i];
		const char *event = intern_text(&d->strings, total->event);

		text_printf(ret, "%c: %s, %" PRIu64 " samples", 'A' + (int)i,
			    intern_text(&d->strings, total->paths), total->samples);
		if (*event)
			text_printf(ret, " of %s", event);
		if (total->seconds >= 0.05)
			text_printf(ret, " in %.1f s", total->seconds);
		/* On one side only it is no noise. */
		if (total->lost)
			text_printf(ret, ", and %" PRIu64 " were lost", total->lost);
		if (total->are_counts)
			text_string(ret,
				    " (its numbers are taken for counts of samples)");
	} else if (i - DIFF_SIDES < sizeof(say) / sizeof(*say)) {
		say[i - DIFF_SIDES](d, ret);
	}
	/* The last one is there only where something is to be said. */
	return ret->failed ? -ENOMEM : ret->size > 0;
}
