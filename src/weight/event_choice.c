#include <errno.h>
#include <inttypes.h>

#include "base/text.h"
#include "weight/weight.h"

/*
 * What two events have in common that count the same on different kinds of
 * processor: "cpu_core/cycles/u" -> "cycles/u", "cycles:u" -> "cycles:u".
 */
static const char *family(const char *name)
{
	static const char *const pmus[] = { "cpu_core/", "cpu_atom/", "cpu_lowpower/" };

	for (size_t i = 0; i < sizeof(pmus) / sizeof(*pmus); i++)
		if (strncmp(name, pmus[i], strlen(pmus[i])) == 0)
			return name + strlen(pmus[i]);
	return name;
}

/* The first event with samples; as printed: the one of the first sample. */
static const struct event *default_event(const struct recording *rec, bool as_printed)
{
	const struct event *best = NULL;

	for (size_t i = 0; i < rec->events.count; i++) {
		const struct event *e = &rec->events.v[i];

		if (!e->samples || (as_printed && event_is_anonymous(e)))
			continue;
		if (!best || (as_printed && e->first_time < best->first_time))
			best = e;
		if (!as_printed)
			break;
	}
	return best;
}

static void choose_all(struct event_choice *choice)
{
	memset(choice->wanted.v, 1, choice->wanted.count);
}

static void choose_default(struct event_choice *choice, const struct recording *rec,
			   const struct intern *strings, bool as_printed)
{
	const struct event *first = default_event(rec, as_printed);
	const char *name = first ? intern_text(strings, first->name) : "";

	for (size_t i = 0; i < rec->events.count; i++) {
		const char *other = intern_text(strings, rec->events.v[i].name);

		choice->wanted.v[i] = as_printed
					      ? event_is_anonymous(&rec->events.v[i]) ||
							strcmp(name, other) == 0
					      : strcmp(family(name), family(other)) == 0;
	}
}

static int choose_named(struct context *ctx, struct event_choice *choice,
			const struct recording *rec, const struct intern *strings,
			const char *name)
{
	struct text known = { 0 };
	bool found = false;
	int err;

	for (size_t i = 0; i < rec->events.count; i++) {
		const char *other = intern_text(strings, rec->events.v[i].name);

		choice->wanted.v[i] = strcmp(name, other) == 0;
		found |= choice->wanted.v[i];
		text_printf(&known, "%s'%s'", i ? ", " : "", other);
	}
	err = found ? 0
		    : fail(ctx, -EINVAL, "no event '%s': there is %s", name,
			   known.size ? known.bytes : "none");
	text_release(&known);
	return err;
}

/* What was left out is said, once an input. */
static void report(struct context *ctx, const struct event_choice *choice,
		   const struct recording *rec, const struct intern *strings)
{
	struct text out = { 0 };
	uint64_t samples = 0;

	for (size_t i = 0; i < rec->events.count; i++) {
		const struct event *e = &rec->events.v[i];

		if (choice->wanted.v[i] || !e->samples)
			continue;
		text_printf(&out, "%s'%s'", out.size ? ", " : "",
			    intern_text(strings, e->name));
		samples += e->samples;
	}
	if (samples && !out.failed)
		warn(ctx,
		     "left out: %" PRIu64 " samples of %s (--event=all or --event=NAME)",
		     samples, out.bytes);
	text_release(&out);
}

void event_choice_report_split(struct context *ctx, const struct event_choice *choice,
			       const struct recording *rec, const struct intern *strings,
			       const uint64_t *split, size_t count)
{
	struct text out = { 0 };
	uint64_t samples = 0;

	for (size_t i = 0; i < count && i < rec->events.count; i++) {
		const struct event *e = &rec->events.v[i];

		if (event_is_wanted(choice, i) || e->samples || !split[i])
			continue;
		text_printf(&out, "%s'%s'", out.size ? ", " : "",
			    intern_text(strings, e->name));
		samples += split[i];
	}
	if (samples && !out.failed)
		warn(ctx,
		     "left out: %" PRIu64 " samples of %s, which were read with those of "
		     "other events (--event=NAME)",
		     samples, out.bytes);
	text_release(&out);
}

int event_choice_make(struct context *ctx, struct event_choice *choice,
		      const struct recording *rec, const struct intern *strings,
		      const char *name, bool as_printed)
{
	int err = 0;

	*choice = (struct event_choice){ 0 };
	if (!array_reserve(&choice->wanted, rec->events.count + 1))
		return fail_memory(ctx);
	choice->wanted.count = rec->events.count;
	memset(choice->wanted.v, 0, rec->events.count);
	if (!name)
		choose_default(choice, rec, strings, as_printed);
	else if (strcmp(name, "all") == 0)
		choose_all(choice);
	else
		err = choose_named(ctx, choice, rec, strings, name);
	if (err < 0)
		event_choice_release(choice);
	else
		report(ctx, choice, rec, strings);
	return err;
}

void event_choice_release(struct event_choice *choice)
{
	array_release(&choice->wanted);
}
