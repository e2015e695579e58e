/*
 * Which events count: one that was named, or the first that has samples, each with those that
 * are the same thing to whoever recorded them. A pattern, "syscalls:sys_enter_*", is one
 * thing: what it stands for is drawn together, an event beside the other. No file says which
 * events came from a pattern, but the recorder's command line has it.
 */
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/text.h"
#include "weight/charge.h"

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

/* The first event with samples; as printed: the one of the first sample. Beside others: also one that
 * may have some yet. */
static const struct event *default_event(const struct recording *rec,
					 const struct event_wish *wish)
{
	const struct event *best = NULL, *silent = NULL;
	bool as_printed = wish->weights->as_printed;

	for (size_t i = 0; i < rec->events.count; i++) {
		const struct event *e = &rec->events.v[i];
		bool beside = false;

		for (uint32_t k = 0; k < wish->beside_count; k++)
			beside |= (size_t)wish->beside[k] == i;
		if (beside)
			continue;
		if (wish->beside_count && !silent && !event_is_dummy(e))
			silent = e;
		if (!e->samples || (as_printed && event_is_anonymous(e)))
			continue;
		if (!best || (as_printed && e->first_time < best->first_time))
			best = e;
		if (!as_printed)
			break;
	}
	return best ? best : silent;
}

static bool is_pattern(const char *text)
{
	return strpbrk(text, "*?[") != NULL;
}

/* "sched:sched_switch:u" without what is behind its second colon. */
static char *without_modifiers(const char *name, size_t size)
{
	const char *colon = memchr(name, ':', size);
	const char *second =
		colon ? memchr(colon + 1, ':', (size_t)(name + size - colon - 1)) : NULL;

	return strndup(name, second ? (size_t)(second - name) : size);
}

/*
 * With its modifiers, or of a pattern without any: -1 without memory. A recorded name has
 * modifiers, "sched:sched_switch:u", which the pattern may lack.
 */
static int pattern_has(const char *pattern, const char *name)
{
	char *bare = without_modifiers(name, strlen(name));
	bool same = bare &&
		    (fnmatch(pattern, name, 0) == 0 || fnmatch(pattern, bare, 0) == 0);

	free(bare);
	return bare ? same : -1;
}

bool event_is_called(const struct event *e, const struct intern *strings,
		     struct slice name)
{
	const char *full = intern_text(strings, e->name), *text = family(full);
	/* The name of a tracepoint has a colon in it, so one is where modifiers begin only if the
	 * wanted name has one, too. */
	const char *ends =
		e->type == PERF_TYPE_TRACEPOINT && !memchr(name.text, ':', name.size)
			? ""
			: ":/";

	if (strlen(full) == name.size && memcmp(full, name.text, name.size) == 0)
		return true;
	return strlen(text) >= name.size && memcmp(text, name.text, name.size) == 0 &&
	       (!text[name.size] || strchr(ends, text[name.size]));
}

/* Two that are added up have to be of one unit. */
static bool have_one_unit(const struct event *a, const struct event *b,
			  const char *a_name, const char *b_name)
{
	size_t size;

	if (a->type == PERF_TYPE_TRACEPOINT || b->type == PERF_TYPE_TRACEPOINT)
		return a->type == b->type;
	/* cpu-clock and task-clock: ns */
	if (a->type == PERF_TYPE_SOFTWARE && b->type == PERF_TYPE_SOFTWARE &&
	    a->config <= 1 && b->config <= 1)
		return true;
	/* Modifiers behind '/' or ':' say where something is counted, not what. */
	a_name = family(a_name);
	b_name = family(b_name);
	size = strcspn(a_name, "/:");
	return strcspn(b_name, "/:") == size && memcmp(a_name, b_name, size) == 0;
}

static int check_units(struct context *ctx, const struct event_choice *choice,
		       const struct recording *rec, const struct intern *strings)
{
	const struct event *first = NULL;

	for (size_t i = 0; i < rec->events.count; i++) {
		const struct event *e = &rec->events.v[i];

		if (!choice->wanted.v[i])
			continue;
		/* To compare with the first is enough: have_one_unit() sorts events into
		 * classes. */
		first = first ? first : e;
		if (!have_one_unit(first, e, intern_text(strings, first->name),
				   intern_text(strings, e->name)))
			return fail(
				ctx, -EINVAL,
				"'%s' stands for '%s' and '%s', which count different "
				"things: name one of them, or --count=samples",
				choice->pattern, intern_text(strings, first->name),
				intern_text(strings, e->name));
	}
	return 0;
}

/* Each event at the root of its stacks, where there is more than one. */
static int label_events(struct event_choice *choice, const struct recording *rec)
{
	size_t count = 0;

	for (size_t i = 0; i < rec->events.count; i++)
		count += choice->wanted.v[i];
	if (count < 2)
		return 0;
	choice->labels.v = calloc(rec->events.count, sizeof(*choice->labels.v));
	if (!choice->labels.v)
		return -ENOMEM;
	choice->labels.count = rec->events.count;
	for (size_t i = 0; i < rec->events.count; i++)
		if (choice->wanted.v[i])
			choice->labels.v[i] = rec->events.v[i].name;
	return 0;
}

/* 1 where there are any, else 0. @pattern: to be freed with @choice; NULL without memory. */
static int choose_pattern(struct event_choice *choice, const struct recording *rec,
			  const struct intern *strings, char *pattern)
{
	int found = 0;

	choice->pattern = pattern;
	for (size_t i = 0; i < rec->events.count; i++) {
		int has =
			pattern ? pattern_has(pattern,
					      intern_text(strings, rec->events.v[i].name))
				: -1;

		if (has < 0)
			return -ENOMEM;
		choice->wanted.v[i] = (uint8_t)has;
		found |= has;
	}
	return found;
}

/* The first event and its family, or what the recorder's pattern stands for, if that is what the first
 * event came from: "record -e sched:*:u,irq:* -a", "--event=syscalls:*". 0, or -ENOMEM. */
static int choose_default(struct event_choice *choice, const struct recording *rec,
			  const struct intern *strings, const struct event_wish *wish)
{
	static const char between[] = " ,=\t\n";
	const struct event *first = default_event(rec, wish);
	const char *name = first ? intern_text(strings, first->name) : "";
	const char *words = wish->words;
	char *pattern = NULL;
	int has = 0;

	for (size_t i = 0; i < rec->events.count; i++) {
		const char *other = intern_text(strings, rec->events.v[i].name);

		/* As printed: stackcollapse-perf.pl sees no event in the line of an
		 * anonymous one, so its choice by name leaves none of these out. */
		choice->wanted.v[i] = wish->weights->as_printed
					      ? event_is_anonymous(&rec->events.v[i]) ||
							strcmp(name, other) == 0
					      : strcmp(family(name), family(other)) == 0;
	}
	if (wish->weights->as_printed || !first || first->type != PERF_TYPE_TRACEPOINT ||
	    !words)
		return 0;
	while (*words && has == 0) {
		size_t size = strcspn(words, between);
		size_t letter = strncmp(words, "-e", 2) == 0 ? 2 : 0;

		free(pattern);
		pattern = without_modifiers(words + letter, size - letter);
		if (!pattern)
			return -ENOMEM;
		/* A tracepoint has a colon in its name; a file pattern of the command
		 * that was run seldom has one. */
		if (is_pattern(pattern) && strchr(pattern, ':'))
			has = pattern_has(pattern, name);
		words += size;
		words += strspn(words, between);
	}
	if (has > 0)
		has = choose_pattern(choice, rec, strings, pattern);
	else
		free(pattern);
	return has < 0 ? -ENOMEM : 0;
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

		/* A name that exists as it is written is never taken for a pattern. */
		choice->wanted.v[i] = strcmp(name, other) == 0;
		found |= choice->wanted.v[i];
		text_printf(&known, "%s'%s'", i ? ", " : "", other);
	}
	err = found;
	if (!found && is_pattern(name))
		err = choose_pattern(choice, rec, strings, strdup(name));
	if (err < 0)
		err = fail_memory(ctx);
	else
		err = err > 0 ? 0
			      : fail(ctx, -EINVAL, "no event '%s': there is %s", name,
				     known.size ? known.bytes : "none");
	text_release(&known);
	return err;
}

void event_choice_report_left_out(struct context *ctx, const struct event_choice *choice,
				  const struct recording *rec,
				  const struct intern *strings, const char *remedy)
{
	struct text out = { 0 };
	uint64_t samples = 0;

	/* Another value of samples that are in the tree is nothing that is missing there. */
	if (rec->shares_samples)
		return;
	for (size_t i = 0; i < rec->events.count; i++) {
		const struct event *e = &rec->events.v[i];

		if (choice->wanted.v[i] || !e->samples)
			continue;
		text_printf(&out, "%s'%s'", out.size ? ", " : "",
			    intern_text(strings, e->name));
		samples += e->samples;
	}
	if (samples && !out.failed)
		warn(ctx, "left out: %" PRIu64 " samples of %s (%s)", samples, out.bytes,
		     remedy);
	text_release(&out);
}

void event_choice_report_split(struct context *ctx, const struct event_choice *choice,
			       const struct recording *rec, const struct intern *strings,
			       const struct sample_split *split)
{
	struct text out = { 0 };
	uint64_t samples = 0;

	for (size_t i = 0; i < split->by_event.count && i < rec->events.count; i++) {
		const struct event *e = &rec->events.v[i];

		if (event_is_wanted(choice, i) || e->samples || !split->by_event.v[i])
			continue;
		text_printf(&out, "%s'%s'", out.size ? ", " : "",
			    intern_text(strings, e->name));
		samples += split->by_event.v[i];
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
		      const struct event_wish *wish)
{
	bool as_printed = wish->weights->as_printed;
	int err = 0;

	*choice = (struct event_choice){ 0 };
	/* One more than needed: memset() gets an address even where there are no
	 * events. */
	if (!array_reserve(&choice->wanted, rec->events.count + 1) ||
	    !array_reserve(&choice->column, rec->events.count + 1)) {
		event_choice_release(choice);
		return fail_memory(ctx);
	}
	choice->wanted.count = choice->column.count = rec->events.count;
	memset(choice->wanted.v, 0, rec->events.count);
	memset(choice->column.v, COLUMN_WEIGHT, rec->events.count);
	if (!wish->name && wish->column_count) {
		/* Its columns say which events there are to be. */
	} else if (!wish->name) {
		if (choose_default(choice, rec, strings, wish) < 0)
			err = fail_memory(ctx);
	} else if (strcmp(wish->name, "all") == 0) {
		/* "all" makes no pattern, so its units are not checked: whoever asks for
		 * it mixes them. */
		memset(choice->wanted.v, 1, choice->wanted.count);
	} else {
		err = choose_named(ctx, choice, rec, strings, wish->name);
	}
	if (err == 0 && choice->pattern && !wish->weights->count_samples)
		err = check_units(ctx, choice, rec, strings);
	if (err == 0 && choice->pattern && !as_printed && label_events(choice, rec) < 0)
		err = fail_memory(ctx);
	for (uint32_t i = 0; i < wish->beside_count && err == 0; i++)
		choice->wanted.v[wish->beside[i]] = EVENT_BESIDE;
	/* Events that are wanted beside those that weigh, which stay what they are. */
	for (size_t i = 0; i < wish->column_count && err == 0; i++)
		for (size_t k = 0; k < rec->events.count; k++) {
			const struct event_column *c = &wish->columns[i];

			if (choice->wanted.v[k] ||
			    !event_is_called(&rec->events.v[k], strings, c->name))
				continue;
			choice->wanted.v[k] = 1;
			choice->column.v[k] = (uint8_t)c->column;
		}
	if (err < 0)
		event_choice_release(choice);
	else
		event_choice_report_left_out(ctx, choice, rec, strings,
					     "--event=all or --event=NAME");
	return err;
}

void event_choice_release(struct event_choice *choice)
{
	array_release(&choice->wanted);
	array_release(&choice->column);
	free(choice->labels.v);
	free(choice->pattern);
	choice->labels = (struct event_labels){ 0 };
	choice->pattern = NULL;
}

void say_some_switches(struct context *ctx)
{
	warn(ctx,
	     "only some switches between threads were recorded, for -F and -c are of "
	     "all events: give the clock its own, "
	     "-e cpu-clock/freq=999/ -e sched:sched_switch");
}
