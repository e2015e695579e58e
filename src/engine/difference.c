/*
 * The library's differences: finished profiles in, and what writers draw out. A profile is copied
 * into the difference when it is added, so however many inputs there are, no more than one need be in
 * memory at a time.
 */
#include <errno.h>
#include <flamefold_diff.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "base/text.h"
#include "diff/diff.h"
#include "engine/profile.h"
#include "store/store.h"
#include "write/write.h"

struct ff_diff {
	struct context ctx;
	struct difference difference;
	struct diff_options options;
	char *anchor;
	unsigned flags;
	char *unit; /* what weights count; NULL: not known */
	char *event, *event_unit; /* of the first input that has one */
	ARRAY(char *) sentences; /* NULL at the end */
	bool finished;
};

int ff_diff_new(struct ff_diff **ret, const struct ff_diff_options *options)
{
	struct ff_diff_options given = { 0 };
	struct ff_diff *d = calloc(1, sizeof(*d));

	*ret = d;
	if (!d)
		return -ENOMEM;
	if (options)
		memcpy(&given, options,
		       options->size < sizeof(given) ? options->size : sizeof(given));
	d->flags = given.flags;
	d->anchor = given.anchor ? strdup(given.anchor) : NULL;
	if (difference_init(&d->difference) < 0 || (given.anchor && !d->anchor))
		return fail_memory(&d->ctx);
	d->options = (struct diff_options){
		.normalize = (enum diff_normalize)given.normalize,
		.per = { given.units[0], given.units[1] },
		.anchor = d->anchor,
		.level = given.level,
		.force = d->flags & FF_DIFF_UNLIKE_NAMES,
	};
	d->difference.exact = d->flags & FF_DIFF_EXACT;
	d->difference.strip_hex = d->flags & FF_DIFF_STRIP_HEX;
	if ((unsigned)given.normalize >= DIFF_NORMALIZES ||
	    (given.normalize == FF_DIFF_ANCHOR && !d->anchor) ||
	    (given.normalize == FF_DIFF_PER &&
	     (!(given.units[0] > 0) || !(given.units[1] > 0))))
		return fail(&d->ctx, -EINVAL, "options do not say how to compare");
	return 0;
}

void ff_diff_free(struct ff_diff *d)
{
	if (!d)
		return;
	difference_release(&d->difference);
	for (size_t i = 0; i < d->sentences.count; i++)
		free(d->sentences.v[i]);
	array_release(&d->sentences);
	free(d->anchor);
	free(d->unit);
	free(d->event);
	free(d->event_unit);
	free(d);
}

const char *ff_diff_error(const struct ff_diff *d)
{
	return d->ctx.error;
}

/* Time of waits and of what ran is both in ns. */
static bool is_mode(const char *event)
{
	return mode_find(event) && strcmp(event, "cpu") != 0;
}

/* speedscope keeps the unit, and not what is counted in it. */
static bool is_unnamed(const char *event)
{
	return strcmp(event, "time") == 0 || strcmp(event, "space") == 0;
}

/* Cycles and nanoseconds have nothing to do with each other. Text does not say what it counts. */
static int check_events(struct ff_diff *d, const struct diff_input *input,
			const char *unit)
{
	const struct difference *diff = &d->difference;
	const char *known = d->event, *event = input->event;
	bool other_unit, other_event;

	if (!d->unit && unit)
		d->unit = strdup(unit);
	if (unit && !d->unit)
		return fail_memory(&d->ctx);
	if (!event || d->flags & FF_DIFF_UNLIKE_EVENTS)
		return 0;
	if (!known) {
		d->event = strdup(event);
		d->event_unit = unit ? strdup(unit) : NULL;
		return d->event && (d->event_unit || !unit) ? 0 : fail_memory(&d->ctx);
	}
	other_event = strcmp(known, event) != 0;
	/* Samples of one event are like its periods, where shares are compared. */
	other_unit = d->event_unit && unit ? strcmp(d->event_unit, unit) != 0
					   : other_event && d->event_unit != unit;
	for (int s = 0; s < DIFF_SIDES && other_unit; s++)
		if (diff->total[s].inputs)
			return fail(
				&d->ctx, -EINVAL,
				"cannot compare '%s', which counts %s, with '%s', which "
				"counts %s (--event=NAME, --count=samples, --force)",
				input->path, unit ?: "samples",
				diff->total[s].brief.bytes, d->event_unit ?: "samples");
	return other_event && (is_mode(known) || is_mode(event)) && !is_unnamed(known) &&
			       !is_unnamed(event)
		       ? fail(&d->ctx, -EINVAL,
			      "cannot compare '%s', which is of %s, with what is of %s "
			      "(--force)",
			      input->path, event, known)
		       : 0;
}

static int add_profile(struct ff_diff *d, enum diff_side side, struct ff_profile *p,
		       uint32_t column)
{
	struct tree_source in = { .tree = &p->named,
				  .symbols = &p->symbols,
				  .strings = &p->strings };
	struct write_facts facts = profile_facts(p);
	struct diff_input input = { .in = &in,
				    .column = column,
				    .has_samples = facts.samples > 0,
				    .lost = facts.lost,
				    .event = facts.events,
				    .path = "" };
	int err;

	if (p->inputs.count)
		input.path = input_path(p->inputs.v[0]->input);
	if (p->inputs.count == 1 && column == COLUMN_WEIGHT) {
		const struct recording *rec = input_recording(p->inputs.v[0]->input);

		/* Pieces are of all time that was asked for, whether anything was sampled in
		 * it or not. */
		input.first = rec->first_time;
		input.last = rec->last_time;
		input.spent = filters_time(p->filters, &input.first, &input.last);
		/* Of a profile file it is known how long its inputs took, and not when. */
		if (p->inputs.v[0]->stored) {
			input.first = 0;
			input.last = input.spent =
				p->inputs.v[0]->stored->origin.counts[COUNT_DURATION];
		}
		if (!p->collected.blocks.refused)
			input.blocks = &p->collected.blocks;
	}
	err = check_events(d, &input, facts.unit);
	if (err < 0)
		return err;
	err = difference_add(&d->difference, side, &input);
	if (err == -E2BIG)
		return fail(&d->ctx, -E2BIG,
			    "no more than %d inputs are compared at once",
			    FF_DIFF_INPUTS_MOST);
	if (err == -EOVERFLOW)
		return fail(&d->ctx, -ERANGE, "the weights add up to more than 2^64");
	return err < 0 ? fail_memory(&d->ctx) : 0;
}

static int check_profile(struct ff_diff *d, const struct ff_profile *p)
{
	if (d->finished)
		return fail(&d->ctx, -EINVAL, "the difference is finished");
	return p->finished ? 0 : fail(&d->ctx, -EINVAL, "the profile is not finished");
}

int ff_diff_add(struct ff_diff *d, enum ff_diff_side side, struct ff_profile *p)
{
	int err = check_profile(d, p);

	if (err == 0 && side != FF_DIFF_A && side != FF_DIFF_B)
		err = fail(&d->ctx, -EINVAL, "a difference has two sides");
	return err < 0 ? err : add_profile(d, (enum diff_side)side, p, COLUMN_WEIGHT);
}

int ff_diff_add_both(struct ff_diff *d, struct ff_profile *p)
{
	int err = check_profile(d, p);

	if (err == 0 && !named_is_difference(&p->named))
		err = fail(&d->ctx, -EINVAL,
			   "'%s' is one profile: name another one to compare it with",
			   p->inputs.count ? input_path(p->inputs.v[0]->input) : "");
	if (err == 0)
		err = add_profile(d, DIFF_A, p, COLUMN_BEFORE);
	return err < 0 ? err : add_profile(d, DIFF_B, p, COLUMN_WEIGHT);
}

int ff_diff_finish(struct ff_diff *d)
{
	const struct difference *diff = &d->difference;
	struct text t = { 0 };
	int err, more;

	if (d->finished)
		return 0;
	for (int s = 0; s < DIFF_SIDES; s++)
		if (!diff->total[s].inputs)
			return fail(&d->ctx, -ENODATA, "side %c has no input", 'A' + s);
	err = difference_finish(&d->ctx, &d->difference, &d->options);
	more = err == 0;
	/* Sentences are made once, as who asks for them owns none. */
	for (unsigned i = 0; more > 0; i++) {
		char **slot = array_add(&d->sentences);

		more = slot ? difference_sentence(&d->difference, i, &t) : -ENOMEM;
		if (more > 0) {
			*slot = strdup(t.bytes);
			more = *slot ? 1 : -ENOMEM;
		}
	}
	text_release(&t);
	if (more < 0)
		err = fail_memory(&d->ctx);
	d->finished = err == 0;
	return err;
}

const char *ff_diff_sentence(const struct ff_diff *d, unsigned i)
{
	return i < d->sentences.count ? d->sentences.v[i] : NULL;
}

int ff_diff_write(struct ff_diff *d, const struct ff_format *f,
		  const struct ff_graph_options *options, FILE *out)
{
	struct ff_graph_options given = { .size = sizeof(given) };
	struct tree_source in = d->difference.tree;
	struct write_facts facts = { .unit = d->unit };
	struct write_options how = { .graph = &given,
				     .facts = &facts,
				     .difference = &d->difference };
	struct text all = { 0 }, title = { 0 };
	int err;

	if (!d->finished || !f)
		return fail(&d->ctx, -EINVAL, "the difference is not finished");
	if (options)
		memcpy(&given, options,
		       options->size < sizeof(given) ? options->size : sizeof(given));
	/* What has changed is told by colour, of frames that both sides have in one order. */
	given.colors = given.palette_map = NULL;
	given.flags &= ~(unsigned)(FF_GRAPH_HASH | FF_GRAPH_RANDOM | FF_GRAPH_REVERSE |
				   FF_GRAPH_NEGATE);
	in.threads = (unsigned)parallel_processors();
	if (d->flags & FF_DIFF_SCALED && f->traits & FF_FORMAT_LINES)
		difference_scale_before(&d->difference);
	for (unsigned i = 0; ff_diff_sentence(d, i); i++)
		text_printf(&all, "%s%s", i ? " · " : "", ff_diff_sentence(d, i));
	facts.findings = all.bytes;
	text_printf(&title, "What changed from %s to %s",
		    d->difference.total[DIFF_A].brief.bytes,
		    d->difference.total[DIFF_B].brief.bytes);
	if (!given.title)
		given.title = title.bytes;
	/* The grey of what has not changed shows on it. */
	if (!given.bgcolors)
		given.bgcolors = "#ffffff";
	err = all.failed || title.failed ? fail_memory(&d->ctx)
					 : f->write(&d->ctx, &in, &how, out);
	text_release(&all);
	text_release(&title);
	return err;
}

int ff_diff_write_table(struct ff_diff *d, enum ff_diff_table form, size_t most,
			FILE *out)
{
	if (!d->finished)
		return fail(&d->ctx, -EINVAL, "the difference is not finished");
	most = most ? most : SIZE_MAX;
	return form == FF_DIFF_JSON
		       ? difference_write_json(&d->ctx, &d->difference, most, out)
		       : difference_write_table(&d->ctx, &d->difference, most, out);
}

size_t ff_diff_changes(const struct ff_diff *d)
{
	return d->difference.rows.count;
}

int ff_diff_regressions(struct ff_diff *d, double percent, uint64_t *ret)
{
	*ret = 0;
	if (!d->finished)
		return fail(&d->ctx, -EINVAL, "the difference is not finished");
	return difference_regressions(&d->difference, percent, ret) < 0
		       ? fail_memory(&d->ctx)
		       : 0;
}
