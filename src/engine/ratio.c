/*
 * What pictures are coloured by: the quotient of two columns, "CPI=cycles/instructions". A side is
 * an event, of which the one that does not weigh gets a column of its own, or a column that a mode
 * or a picture has. Names of events may have a '/' in them: it is the one between two sides that are
 * there.
 */
#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "engine/profile.h"

/* What one side is: an event, or a column that is always there. */
struct side {
	struct slice name;
	const struct event *event; /* the first one of that name; NULL: none */
	uint32_t column; /* COLUMNS_MOST: the event's, or none */
};

static bool is_named(struct slice s, const char *text)
{
	return strlen(text) == s.size && memcmp(s.text, text, s.size) == 0;
}

/* The next place where the sides may part; false: there is none. */
static bool next_sides(struct slice quotient, size_t *at, struct slice ret[2])
{
	for (; *at < quotient.size; (*at)++) {
		if (quotient.text[*at] != '/')
			continue;
		ret[0] = rule_trimmed((struct slice){ quotient.text, *at });
		ret[1] = rule_trimmed((struct slice){ quotient.text + *at + 1,
						      quotient.size - *at - 1 });
		if (!ret[0].size || !ret[1].size)
			continue;
		(*at)++;
		return true;
	}
	return false;
}

int ratio_start(struct ff_profile *p, struct slice of_mode)
{
	const char *given = p->options.ratio, *equals;
	struct slice text = given ? (struct slice){ given, strlen(given) } : of_mode;
	struct ratio_wish *r = &p->ratio;
	struct slice name = text, sides[2];
	size_t at = 0;

	r->columns[0] = r->columns[1] = COLUMNS_MOST;
	if (!text.text)
		return 0;
	equals = memchr(text.text, '=', text.size);
	/* "cpu/event=0x3c/": one behind a '/' is an event's. */
	if (equals && memchr(text.text, '/', (size_t)(equals - text.text)))
		equals = NULL;
	r->quotient = text;
	if (equals) {
		name.size = (size_t)(equals - text.text);
		r->quotient.text += name.size + 1;
		r->quotient.size -= name.size + 1;
	}
	r->quotient = rule_trimmed(r->quotient);
	name = rule_trimmed(name);
	r->is_share = equals && name.size && name.text[name.size - 1] == '%';
	name.size -= r->is_share;
	name = rule_trimmed(name);
	if (!name.size || !next_sides(r->quotient, &at, sides))
		return fail(&p->ctx, -EINVAL,
			    "ratio '%.*s' is none: cycles/instructions is one, and "
			    "CPI=cycles/instructions names it",
			    (int)text.size, text.text);
	r->name = arena_text(&p->arena, name.text, name.size);
	for (int i = 0; i < 2; i++)
		r->words[i] = arena_text(&p->arena, sides[i].text, sides[i].size);
	return r->name && r->words[0] && r->words[1] ? 0 : fail_memory(&p->ctx);
}

/* Those of columns that every profile has are not to be told apart from events of that name. */
static bool find_side(const struct ff_profile *p, const struct recording *rec,
		      struct slice name, struct side *ret)
{
	*ret = (struct side){ .name = name, .column = COLUMNS_MOST };
	if (is_named(name, "weight"))
		ret->column = COLUMN_WEIGHT;
	else if (is_named(name, "samples"))
		ret->column = COLUMN_SAMPLES;
	for (size_t i = 0; i < rec->events.count && ret->column == COLUMNS_MOST; i++)
		if (event_is_called(&rec->events.v[i], &p->strings, name)) {
			ret->event = &rec->events.v[i];
			break;
		}
	return ret->event || ret->column < COLUMNS_MOST;
}

static int refuse_sides(struct ff_profile *p, const struct recording *rec,
			struct slice missing)
{
	struct text known = { 0 };
	struct slice sides[2];
	size_t at = 0;
	int err;

	next_sides(p->ratio.quotient, &at, sides);
	for (size_t i = 0; i < rec->events.count; i++)
		text_printf(&known, "%s'%s'", i ? ", " : "",
			    intern_text(&p->strings, rec->events.v[i].name));
	err = known.failed
		      ? fail_memory(&p->ctx)
		      : fail(&p->ctx, -ENODATA,
			     "'%.*s' was not recorded: there is %s; perf record -g -e "
			     "'{%.*s,%.*s}:S' records both",
			     (int)missing.size, missing.text,
			     known.size ? known.bytes : "nothing", (int)sides[0].size,
			     sides[0].text, (int)sides[1].size, sides[1].text);
	text_release(&known);
	return err;
}

/* The column of an event that does not weigh. */
static int add_event_column(struct ff_profile *p, const struct side *side, uint32_t *ret)
{
	char *name = arena_text(&p->arena, side->name.text, side->name.size);
	struct column column = { .name = name, .makes_stacks = true };
	const struct column *known = name ? columns_find(&p->columns, name) : NULL;
	uint32_t unit = 0;
	int err = name ? 0 : -ENOMEM;

	if (known) {
		*ret = (uint32_t)(known - p->columns.v);
		return 0;
	}
	if (err == 0 && p->options.count != FF_COUNT_SAMPLES &&
	    side->event->type != PERF_TYPE_TRACEPOINT)
		err = event_unit(p, side->event, &unit);
	column.unit = unit ? intern_text(&p->strings, unit) : "samples";
	if (err == 0)
		err = columns_add(&p->columns, &column, ret);
	return err < 0 ? fail_memory(&p->ctx) : 0;
}

int ratio_choose(struct ff_profile *p, const struct recording *rec,
		 struct event_wish *wish)
{
	struct ratio_wish *r = &p->ratio;
	struct slice sides[2], missing = { 0 };
	struct side side[2];
	size_t at = 0;
	int weighs = -1, err = 0;
	bool found = false;

	if (!r->name || r->of_picture)
		return 0;
	while (!found && next_sides(r->quotient, &at, sides)) {
		bool first = find_side(p, rec, sides[0], &side[0]);

		found = find_side(p, rec, sides[1], &side[1]) && first;
		if (!missing.text)
			missing = sides[first];
	}
	if (!found)
		return refuse_sides(p, rec, missing);
	/* What weighs is the event that was asked for, or the one that was recorded first. */
	for (int i = 0; i < 2; i++) {
		const struct event *other = side[!i].event;

		if (side[i].event &&
		    (wish->name ? is_named(side[i].name, wish->name) ||
					  strcmp(intern_text(&p->strings,
							     side[i].event->name),
						 wish->name) == 0
				: weighs < 0 && (!other || side[i].event <= other)))
			weighs = i;
	}
	/* Its column is the first one of the wish. */
	for (int turn = 0; turn < 2 && err == 0; turn++) {
		int i = weighs < 0 ? turn : turn ? !weighs : weighs;
		uint32_t *column = &r->columns[i];

		*column = side[i].column;
		if (i == weighs)
			*column = COLUMN_WEIGHT;
		else if (side[i].event)
			err = add_event_column(p, &side[i], column);
		if (err == 0 && side[i].event && !(i == weighs && wish->name))
			wish->columns[wish->column_count++] =
				(struct event_column){ side[i].name, *column };
	}
	/* An event that weighs and is no side of the ratio was asked for. */
	r->least = RATIO_SAMPLES;
	return err;
}

int ratio_choose_parts(struct ff_profile *p, struct pairing *pairing)
{
	int err = 0;

	/* It is that of the alternative whose events were recorded. */
	if (!p->options.ratio && !p->ratio.of_picture) {
		p->ratio.name = NULL;
		err = ratio_start(p, pairing->rule.ratio);
		if (err < 0)
			return err;
	}
	for (int i = 0; p->ratio.name && i < PAIR_PARTS && err == 0; i++) {
		struct bound_part *part = &pairing->parts[i];
		const char *name = intern_text(&p->strings, part->name);
		const struct column *known = columns_find(&p->columns, name);
		struct column column = { .name = name };

		if (!part->name || (strcmp(name, p->ratio.words[0]) != 0 &&
				    strcmp(name, p->ratio.words[1]) != 0))
			continue;
		part->column = known ? (uint32_t)(known - p->columns.v) : 0;
		if (!known)
			err = columns_add(&p->columns, &column, &part->column);
	}
	return err < 0 ? fail_memory(&p->ctx) : 0;
}

int ratio_take_saved(struct ff_profile *p, const struct saved_picture *picture)
{
	struct ratio_wish *r = &p->ratio;
	const char *text = intern_text(&p->strings, picture->ratio_columns);

	if (r->name || !picture->ratio)
		return 0;
	r->name = intern_text(&p->strings, picture->ratio);
	r->quotient = (struct slice){ text, strlen(text) };
	r->is_share = picture->ratio_share;
	r->least = (unsigned)picture->ratio_least;
	r->of_picture = true;
	return 0;
}

/* By its name, the weight also by what it counts, as pictures have it. */
static uint32_t find_column(const struct ff_profile *p, struct slice name)
{
	for (uint32_t i = 0; i < p->columns.count; i++)
		if (is_named(name, p->columns.v[i].name))
			return i;
	for (size_t i = 0; i < p->inputs.count; i++) {
		const struct ff_input *in = p->inputs.v[i];

		if (is_named(name, intern_text(&p->strings, in->unit)) ||
		    is_named(name, intern_text(&p->strings, in->event_names)))
			return COLUMN_WEIGHT;
	}
	return COLUMNS_MOST;
}

int ratio_finish(struct ff_profile *p)
{
	struct ratio_wish *r = &p->ratio;
	struct slice sides[2];
	size_t at = 0;

	if (!r->name)
		return 0;
	while ((r->columns[0] == COLUMNS_MOST || r->columns[1] == COLUMNS_MOST) &&
	       next_sides(r->quotient, &at, sides))
		for (int i = 0; i < 2; i++)
			r->columns[i] = find_column(p, sides[i]);
	if (r->columns[0] < COLUMNS_MOST && r->columns[1] < COLUMNS_MOST) {
		p->columns.ratio = (struct column_ratio){
			.name = r->name,
			.of = r->columns[0],
			.by = r->columns[1],
			.least = r->least,
			.is_share = r->is_share,
		};
		return 0;
	}
	/* Where nothing was read there are no columns: that there are no samples says more. */
	if (!p->options.ratio || !p->inputs.count || !p->collected.sum.samples_read)
		return 0;
	return fail(&p->ctx, -EINVAL,
		    "there is no ratio '%s': the inputs lack one of its columns",
		    p->options.ratio);
}
