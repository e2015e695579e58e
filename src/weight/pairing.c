/*
 * A rule meets a recording. For each event the steps that name it are bound: the names in their
 * expressions become fields of its format, which are loaded into slots before any expression of
 * one of its steps is asked.
 *
 *	start sched:sched_switch key prev_pid if blocked(prev_state) && prev_pid
 *
 *	slot 0   prev_pid    offset 24, 4 bytes, signed
 *	slot 1   prev_state  offset 32, 8 bytes, signed
 *
 * An event may be in several steps: a switch is the end of one thread's wait and the beginning of
 * another's.
 */
#include "weight/pairing.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>

#include "base/text.h"
#include "weight/charge.h"

/* One that is bound, and to what. */
struct binding {
	struct pair_sources of;
	struct bound_event *bound;
};

static bool slice_is(struct slice s, const char *text, size_t size)
{
	return s.size == size && memcmp(s.text, text, size) == 0;
}

/* The slot of a field, which the event gets unless it has it. */
static int slot_by_name(void *arg, struct context *ctx, const char *name, size_t size)
{
	struct binding *b = arg;
	struct bound_event *bound = b->bound;
	char *own = strndup(name, size);
	struct pair_source source = { 0 };
	int kind, err = own ? pair_source_find(ctx, &b->of, own, &source)
			    : fail_memory(ctx);

	free(own);
	if (err < 0)
		return err;
	kind = source.is_text ? VALUE_TEXT : VALUE_NUMBER;
	for (uint32_t i = 0; i < bound->slot_count; i++)
		if (bound->slots[i].field == source.field &&
		    bound->slots[i].own == source.own)
			return (int)i | kind;
	if (bound->slot_count == PAIR_SLOTS)
		return fail(ctx, -EINVAL,
			    "a pairing asks for more than %d fields of one event",
			    PAIR_SLOTS);
	bound->slots[bound->slot_count] = source;
	return (int)bound->slot_count++ | kind;
}

/* t, t.wake, t.run; start.F, wake.F, end.F; F of a sample. */
static int find_weight(void *arg, struct context *ctx, const char *name, size_t size)
{
	static const char *const times[] = { "t", "t.wake", "t.run" };
	static const struct {
		const char *prefix;
		enum pair_role role;
	} sides[] = { { "start.", ROLE_START },
		      { "wake.", ROLE_WAKE },
		      { "end.", ROLE_END } };
	struct pairing *p = arg;
	struct pair_value value = { ROLE_SAMPLE, { name, size } };
	bool samples = p->rule.of_samples;

	for (int i = 0; !samples && i < WEIGHT_VALUES; i++)
		if (slice_is(value.field, times[i], strlen(times[i])))
			return i;
	for (size_t i = 0; !samples && i < sizeof(sides) / sizeof(*sides); i++) {
		size_t skip = strlen(sides[i].prefix);

		if (size > skip && memcmp(name, sides[i].prefix, skip) == 0)
			value = (struct pair_value){ sides[i].role,
						     { name + skip, size - skip } };
	}
	if (!samples && value.role == ROLE_SAMPLE)
		return fail(
			ctx, -EINVAL,
			"'%.*s' is not known in a weight: t, t.wake, t.run, start.FIELD, "
			"wake.FIELD and end.FIELD are",
			(int)size, name);
	for (uint32_t i = 0; i < p->value_count; i++)
		if (p->values[i].role == value.role &&
		    slice_is(p->values[i].field, value.field.text, value.field.size))
			return (int)(WEIGHT_VALUES + i);
	if (p->value_count == PAIR_VALUES)
		return fail(ctx, -EINVAL, "a weight is made of at most %d fields",
			    PAIR_VALUES);
	p->values[p->value_count] = value;
	return (int)(WEIGHT_VALUES + p->value_count++);
}

/* Does one of the names between commas, which may be patterns, stand for the event? */
static int list_names(struct context *ctx, struct slice list, const char *name)
{
	const char *at = list.text, *end = list.text + list.size;
	/* "sched:sched_switch:u" has modifiers behind its second colon. */
	const char *colon = strchr(name, ':');
	const char *modifiers = colon ? strchr(colon + 1, ':') : NULL;
	char *bare = strndup(name, modifiers ? (size_t)(modifiers - name) : strlen(name));
	bool found = false;

	while (bare && !found && at < end) {
		const char *comma = memchr(at, ',', (size_t)(end - at));
		size_t size = (size_t)((comma ? comma : end) - at);
		char *pattern;

		while (size && (*at == ' ' || *at == '\t')) {
			at++;
			size--;
		}
		while (size && (at[size - 1] == ' ' || at[size - 1] == '\t'))
			size--;
		pattern = strndup(at, size);
		if (!pattern) {
			free(bare);
			return fail_memory(ctx);
		}
		found = fnmatch(pattern, name, 0) == 0 || fnmatch(pattern, bare, 0) == 0;
		free(pattern);
		at = comma ? comma + 1 : end;
	}
	free(bare);
	return bare ? found : fail_memory(ctx);
}

/* *@ret: the first of the lists with '|' between them that has an event of the recording; .text NULL:
 * none has. 0, or -ENOMEM. */
static int choose_list(struct context *ctx, const struct binding *b, struct slice events,
		       struct slice *ret)
{
	const char *at = events.text, *end = events.text + events.size;

	*ret = (struct slice){ NULL, 0 };
	while (at < end) {
		const char *bar = memchr(at, '|', (size_t)(end - at));
		struct slice list = { at, (size_t)((bar ? bar : end) - at) };

		for (size_t i = 0; i < b->of.rec->events.count; i++) {
			int found = list_names(
				ctx, list,
				intern_text(b->of.strings, b->of.rec->events.v[i].name));

			if (found < 0)
				return found;
			if (found) {
				*ret = list;
				return 0;
			}
		}
		at = bar ? bar + 1 : end;
	}
	return 0;
}

/* "perf record -e 'a,b' -a -g": what the rule's first choices are. */
static void add_record_line(struct text *out, const struct pair_rule *rule)
{
	const char *probe = memmem(rule->steps[0].events.text, rule->steps[0].events.size,
				   "probe:", strlen("probe:"));

	/* perf has no such word, and names those that it makes otherwise. */
	if (probe) {
		text_string(out, "'flamefold record' with the same mode");
		return;
	}
	text_string(out, "perf record -a -g");
	for (size_t i = 0; i < rule->count; i++) {
		struct slice events = rule->steps[i].events;
		const char *bar = memchr(events.text, '|', events.size);
		bool again = false;

		for (size_t k = 0; k < i; k++)
			again |=
				slice_is(rule->steps[k].events, events.text, events.size);
		if (again || rule_role_may_lack(rule->steps[i].role))
			continue;
		events.size = bar ? (size_t)(bar - events.text) : events.size;
		while (events.size && events.text[events.size - 1] == ' ')
			events.size--;
		/* "cpu-clock*" is for modifiers, which nobody asks for. */
		events.size -= !memchr(events.text, ':', events.size) &&
			       events.text[events.size - 1] == '*';
		text_printf(out, " -e '%.*s'", (int)events.size, events.text);
	}
}

static int refuse_events(struct context *ctx, const struct binding *b,
			 const struct pair_rule *rule, struct slice events)
{
	struct text known = { 0 }, line = { 0 };
	int err;

	for (size_t i = 0; i < b->of.rec->events.count; i++)
		text_printf(&known, "%s'%s'", i ? ", " : "",
			    intern_text(b->of.strings, b->of.rec->events.v[i].name));
	add_record_line(&line, rule);
	err = known.failed || line.failed
		      ? fail_memory(ctx)
		      : fail(ctx, -ENODATA,
			     "'%.*s' was not recorded%s: there is %s; %s records it",
			     (int)events.size, events.text,
			     b->of.rec->truncated_at
				     ? ", or its name is behind the end that is missing"
				     : "",
			     known.size ? known.bytes : "nothing", line.bytes);
	text_release(&known);
	text_release(&line);
	return err;
}

static int parse_slice(struct context *ctx, struct slice text, struct binding *b,
		       struct expression *ret)
{
	if (!text.text)
		return 0;
	return expression_parse(ctx, text, slot_by_name, b, ret);
}

static int parse_keys(struct context *ctx, const struct slice keys[RULE_KEYS],
		      struct binding *b, struct expression ret[RULE_KEYS])
{
	int err = 0;

	for (int i = 0; i < RULE_KEYS && err == 0; i++)
		err = parse_slice(ctx, keys[i], b, &ret[i]);
	return err;
}

/* The slot of a field that the weight is made of. */
static int slot_of_weight(struct context *ctx, struct binding *b, struct slice field)
{
	int slot = slot_by_name(b, ctx, field.text, field.size);

	return slot >= 0 && slot & VALUE_TEXT
		       ? fail(ctx, -EINVAL,
			      "field '%.*s' is a text, which weighs nothing",
			      (int)field.size, field.text)
		       : slot;
}

static int bind_step(struct context *ctx, struct pairing *p, struct binding *b,
		     const struct pair_step *step)
{
	struct bound_step *bound = array_add(&p->steps);
	const struct expression_step *operands;
	size_t count;
	bool wakes;
	int err;

	if (!bound)
		return fail_memory(ctx);
	bound->role = step->role;
	/* A thread is woken by another one, or by an interrupt. */
	wakes = step->role == ROLE_WAKE ||
		strncmp(intern_text(b->of.strings, b->of.event->name), "sched:sched_wak",
			15) == 0;
	bound->is_of_key = step->role == ROLE_START && p->threads.is_limited && wakes;
	bound->has_stack = rule_uses_stack(&p->rule, step->role);
	/* A thread is no address. */
	bound->key_base = step->role == ROLE_RELEASE ? PAIR_KEY_OF_OBJECT
			  : step->role == ROLE_LEAVE ? pair_leave_key(0)
						     : 0;
	if (!p->rule.of_samples && !(b->of.event->sample_type & PERF_SAMPLE_TIME))
		return fail(ctx, -ENODATA,
			    "samples of event '%s' were recorded without their times",
			    intern_text(b->of.strings, b->of.event->name));
	err = parse_slice(ctx, step->condition, b, &bound->condition);
	/* Of most switches the one or the other side is the idle thread, 0. */
	operands = bound->condition.steps.v;
	count = bound->condition.steps.count;
	bound->and_slot = -1;
	if (count > 2 && operands[count - 1].what == STEP_AND &&
	    operands[count - 2].what == STEP_SLOT) {
		bound->and_slot = (int8_t)operands[count - 2].number;
		bound->condition.steps.count -= 2;
	}
	if (err == 0)
		err = parse_keys(ctx, step->keys, b, bound->keys);
	if (err == 0)
		err = parse_keys(ctx, step->objects, b, bound->objects);
	if (err == 0)
		err = parse_keys(ctx, step->to, b, bound->to);
	bound->line = step->line;
	if (err == 0)
		err = parse_slice(ctx, step->size, b, &bound->size);
	if (err == 0)
		err = parse_slice(ctx, step->value, b, &bound->value);
	for (uint32_t i = 0; i < PAIR_VALUES && err == 0; i++) {
		const struct pair_value *value = &p->values[i];
		int slot = -1;

		if (i < p->value_count && value->role == step->role) {
			bool own = step->value.text &&
				   slice_is(value->field, "value", strlen("value"));

			slot = own ? SLOT_OF_VALUE : slot_of_weight(ctx, b, value->field);
			err = own || slot >= 0 ? 0 : slot;
		}
		bound->value_slot[i] = (int8_t)slot;
	}
	if (step->role == ROLE_WAKE && b->of.format)
		bound->thread = event_format_find(b->of.format, "common_pid");
	if ((p->rule.stack == PAIR_STACK_WAKEUP ? step->role == ROLE_END : wakes) &&
	    b->of.format)
		bound->context = event_format_find(b->of.format, "common_flags");
	/* The thread is the key of what has none. */
	if (err == 0 && !p->rule.of_samples && expression_is_empty(&bound->keys[0]))
		err = parse_slice(ctx, (struct slice){ "tid", 3 }, b, &bound->keys[0]);
	/* Who leaves does so by the first one. */
	if (step->role == ROLE_LEAVE)
		expression_release(&bound->keys[1]);
	else if (expression_is_empty(&bound->keys[1]))
		bound->key_base += pair_key(0, 0);
	return err;
}

static int bind_event(struct context *ctx, struct pairing *p, struct binding *b,
		      const struct slice *lists)
{
	const struct event *one = b->of.event;
	bool without = one->type == PERF_TYPE_TRACEPOINT &&
		       !(one->sample_type & PERF_SAMPLE_CALLCHAIN);
	struct bound_event *event = array_add(&p->events);
	bool apart = false;
	int err = 0;

	if (!event)
		return fail_memory(ctx);
	/* It may have been recorded twice, with call chains and here without. */
	for (size_t i = 0; without && i < b->of.rec->events.count; i++) {
		const struct event *e = &b->of.rec->events.v[i];

		apart |= e->type == one->type && e->config == one->config &&
			 e->sample_type & PERF_SAMPLE_CALLCHAIN;
	}
	b->bound = event;
	event->first = (uint32_t)p->steps.count;
	b->of.format = recording_format(b->of.rec, b->of.event);
	event->state = event_format_find(b->of.format, "prev_state");
	event->states = b->of.format ? b->of.format->states : NULL;
	event->is_sampled =
		b->of.event->frequency && b->of.event->type == PERF_TYPE_TRACEPOINT;
	for (size_t i = 0; i < p->rule.count && err == 0; i++) {
		const struct pair_step *step = &p->rule.steps[i];
		int found = 0;

		/* Its twin draws it. */
		if (apart && rule_uses_stack(&p->rule, step->role))
			continue;
		if (lists[i].text)
			found = list_names(ctx, lists[i],
					   intern_text(b->of.strings, b->of.event->name));
		err = found < 0 ? found : found ? bind_step(ctx, p, b, step) : 0;
	}
	/* The array of events stays where it is while its steps are bound. */
	event->count = (uint32_t)p->steps.count - event->first;
	for (uint32_t i = event->first; i < p->steps.count; i++)
		p->has_states &= event->state || p->steps.v[i].role != ROLE_START;
	return err;
}

/* Of a step whose event is not known yet. */
static int find_any(void *arg, struct context *ctx, const char *name, size_t size)
{
	(void)arg;
	(void)ctx;
	(void)name;
	(void)size;
	return VALUE_ANY;
}

static int check_expression(struct context *ctx, struct slice text, expression_name *find,
			    void *arg)
{
	struct expression e = { 0 };
	int err = text.text ? expression_parse(ctx, text, find, arg, &e) : 0;

	expression_release(&e);
	return err;
}

int pairing_check(struct context *ctx, const char *rule, unsigned *kind)
{
	const char *next = rule;
	int err = 0;

	*kind = 0;
	while (next && err == 0) {
		struct pairing p = { 0 };
		const char *at;

		err = rule_parse(ctx, next, &p.rule);
		at = p.rule.at;
		for (size_t i = 0; i < p.rule.count && err == 0; i++) {
			const struct pair_step *step = &p.rule.steps[i];

			at = step->events.text;
			err = check_expression(ctx, step->condition, find_any, NULL);
			if (err == 0)
				err = check_expression(ctx, step->value, find_any, NULL);
			for (int k = 0; k < RULE_KEYS && err == 0; k++)
				err = check_expression(ctx, step->keys[k], find_any,
						       NULL);
			for (int k = 0; k < RULE_KEYS && err == 0; k++)
				err = check_expression(ctx, step->objects[k], find_any,
						       NULL);
			for (int k = 0; k < RULE_KEYS && err == 0; k++)
				err = check_expression(ctx, step->to[k], find_any, NULL);
			if (err == 0)
				err = check_expression(ctx, step->size, find_any, NULL);
		}
		for (size_t i = 0; i < p.rule.part_count && err == 0; i++) {
			at = p.rule.parts[i].weight.text;
			err = check_expression(ctx, p.rule.parts[i].weight, find_weight,
					       &p);
		}
		if (err == 0) {
			at = p.rule.weight.text;
			err = check_expression(ctx, p.rule.weight, find_weight, &p);
		}
		if (err < 0)
			return rule_refused_at(ctx, rule, at, err);
		if (pair_kind_of(&p.rule) > *kind)
			*kind = pair_kind_of(&p.rule);
		next = p.rule.otherwise;
	}
	return err;
}

/* The first of the rules with "or" between them whose events were all recorded, with the list of each
 * step. 0, or a negative errno with a sentence: of the first rule, where none is. */
static int choose_rule(struct context *ctx, const struct binding *b, const char *text,
		       struct pair_rule *ret, struct slice *lists)
{
	struct slice missing = { NULL, 0 };
	const char *next = text;
	int err = 0;

	while (next && err == 0) {
		bool has_all = true;

		err = rule_parse(ctx, next, ret);
		for (size_t i = 0; i < ret->count && err == 0; i++) {
			const struct pair_step *step = &ret->steps[i];

			err = choose_list(ctx, b, step->events, &lists[i]);
			/* What was not recorded cancels nothing. */
			if (err < 0 || lists[i].text || rule_role_may_lack(step->role) ||
			    step->is_optional)
				continue;
			has_all = false;
			if (!missing.text)
				missing = step->events;
		}
		for (size_t i = 0; i < ret->count && err == 0; i++) {
			const struct pair_step *step = &ret->steps[i];
			bool has_another = false; /* that is there */

			for (size_t k = 0; k < ret->count; k++)
				has_another |=
					ret->steps[k].role == step->role && lists[k].text;
			if (!step->is_optional || has_another)
				continue;
			has_all = false;
			if (!missing.text)
				missing = step->events;
		}
		if (has_all)
			return err;
		next = ret->otherwise;
	}
	if (err == 0)
		err = rule_parse(ctx, text, ret);
	return err == 0 ? refuse_events(ctx, b, ret, missing) : err;
}

int pairing_bind(struct context *ctx, struct pairing *p, const char *rule,
		 const struct recording *rec, struct intern *strings)
{
	static const char *const contexts[PAIR_CONTEXTS] = {
		[CONTEXT_TASK] = "[no waker]",
		[CONTEXT_SOFTIRQ] = "[softirq]",
		[CONTEXT_HARDIRQ] = "[hardirq]",
		[CONTEXT_NMI] = "[nmi]",
	};
	struct slice lists[RULE_STEPS_MOST];
	struct binding b = { .of = { .rec = rec, .strings = strings } };
	int err = choose_rule(ctx, &b, rule, &p->rule, lists);

	p->rec = rec;
	p->has_states = true;
	if (err == 0 && (intern_add(strings, "--", 2, &p->wakes) < 0 ||
			 intern_add(strings, "[no sample]", 11, &p->no_sample) < 0 ||
			 (p->rule.between.size &&
			  intern_add(strings, p->rule.between.text, p->rule.between.size,
				     &p->parts[PART_BETWEEN].name) < 0)))
		err = fail_memory(ctx);
	for (size_t i = 0; i < p->rule.part_count && err == 0; i++)
		if (intern_add(strings, p->rule.parts[i].name.text,
			       p->rule.parts[i].name.size, &p->parts[i].name) < 0)
			err = fail_memory(ctx);
	for (int i = 0; i < PAIR_CONTEXTS && err == 0; i++)
		if (intern_add(strings, contexts[i], strlen(contexts[i]),
			       &p->contexts[i]) < 0)
			err = fail_memory(ctx);
	if (err == 0 && p->rule.weight.text)
		err = expression_parse(ctx, p->rule.weight, find_weight, p, &p->weight);
	for (size_t i = 0; i < p->rule.part_count && err == 0; i++)
		err = expression_parse(ctx, p->rule.parts[i].weight, find_weight, p,
				       &p->parts[i].weight);
	for (size_t i = 0; i < rec->events.count && err == 0; i++) {
		b.of.event = &rec->events.v[i];
		err = bind_event(ctx, p, &b, lists);
	}
	for (size_t i = 0; i < p->rule.count; i++)
		p->has_wakes |= p->rule.steps[i].role == ROLE_WAKE;
	p->is_bound = err == 0;
	return err;
}

void pairing_release(struct pairing *p)
{
	for (size_t i = 0; i < p->steps.count; i++) {
		expression_release(&p->steps.v[i].condition);
		expression_release(&p->steps.v[i].value);
		expression_release(&p->steps.v[i].size);
		for (int k = 0; k < RULE_KEYS; k++) {
			expression_release(&p->steps.v[i].keys[k]);
			expression_release(&p->steps.v[i].objects[k]);
			expression_release(&p->steps.v[i].to[k]);
		}
	}
	for (int i = 0; i < PAIR_PARTS; i++)
		expression_release(&p->parts[i].weight);
	expression_release(&p->weight);
	array_release(&p->steps);
	array_release(&p->events);
	thread_set_release(&p->threads);
	*p = (struct pairing){ 0 };
}

int pairing_choose(struct context *ctx, const struct pairing *p,
		   const struct recording *rec, const struct intern *strings,
		   struct event_choice *choice)
{
	*choice = (struct event_choice){ 0 };
	if (!array_reserve(&choice->wanted, p->events.count + 1))
		return fail_memory(ctx);
	choice->wanted.count = p->events.count;
	for (size_t i = 0; i < p->events.count; i++)
		choice->wanted.v[i] = p->events.v[i].count > 0;
	event_choice_report_left_out(ctx, choice, rec, strings,
				     "they are not part of the mode");
	return 0;
}

void pairing_match(const struct pairing *p, const struct sample *s,
		   struct pair_match *ret)
{
	const struct bound_event *event;
	bool of_others = p->rule.nested && !pairing_counts(p, s);

	ret->count = 0;
	ret->unread = ret->has_stack = ret->has_others = false;
	if (s->event >= p->events.count)
		return;
	event = &p->events.v[s->event];
	if (!event->count)
		return;
	for (uint32_t i = 0; i < event->slot_count; i++)
		if (!pair_source_load(&event->slots[i], s, &ret->slots[i])) {
			/* The sample lacks a field. */
			ret->unread = true;
			return;
		}
	for (uint32_t i = 0; i < event->count; i++) {
		const struct bound_step *step = &p->steps.v[event->first + i];

		/* Of calls of others nothing is to be known, least of all their stacks, and
		 * these may be many. */
		if (of_others && step->role <= ROLE_END && !step->is_of_key)
			continue;
		if (step->and_slot >= 0 && !ret->slots[step->and_slot])
			continue;
		if (!expression_is_empty(&step->condition) &&
		    !expression_value(&step->condition, ret->slots))
			continue;
		ret->steps[ret->count++] = (uint8_t)i;
		ret->has_stack |= step->has_stack;
		ret->has_others |= step->has_stack && step->role != ROLE_SAMPLE &&
				   (step->role != ROLE_START || step->is_of_key);
	}
}

int64_t pairing_state(const struct pairing *p, const struct sample *s)
{
	const struct bound_event *event =
		s->event < p->events.count ? &p->events.v[s->event] : NULL;
	uint64_t state = 0;

	if (event && event->state)
		event_field_number(event->state, s, &state);
	return event ? (int64_t)event_states_read(event->states, state) : 0;
}

/* A sample that weighs something by itself. */
static int take_sample(struct weigher *w, const struct weighing *x,
		       const struct bound_step *step)
{
	const struct pairing *p = w->pairing;
	int64_t values[WEIGHT_VALUES + PAIR_VALUES] = { 0 }, weight = 1;
	struct charge charge = x->charge;
	int err;

	for (int i = 0; i < PAIR_VALUES; i++)
		if (step->value_slot[i] >= 0)
			values[WEIGHT_VALUES + i] = x->match.slots[step->value_slot[i]];
	if (!expression_is_empty(&p->weight))
		weight = expression_value(&p->weight, values);
	w->target.pairs->samples++;
	w->target.pairs->negative += weight < 0;
	charge.weight = weight < 0 ? 0 : (uint64_t)weight;
	if (!charge.lost &&
	    !filters_kept_time(w->filters, *recording_first(w->rec),
			       recording_last(w->rec), &charge.from, &charge.until))
		charge.lost = LOST_FILTER + 1;
	err = weight_charge(&w->target, &charge);
	if (err > 0)
		err = weight_place(&w->target, &charge, 1);
	return err < 0 ? fail_memory(w->ctx) : err;
}

/* Of bound_step.key_base, of which expressions that are constant are a part. */
static inline uint64_t key_of(const struct expression keys[RULE_KEYS], uint64_t base,
			      const int64_t *slots)
{
	uint64_t key = base + (uint64_t)expression_value(&keys[0], slots);

	return expression_is_empty(&keys[1])
		       ? key
		       : key + hash_u64((uint64_t)expression_value(&keys[1], slots));
}

/* Why a step does not count: enum lost + 1; 0: it does. Filters ask the thread that waits, which is the
 * one of the start; of the others only the stack counts that is drawn. */
static uint8_t step_lost(const struct pairing *p, const struct weighing *x,
			 const struct bound_step *step)
{
	bool waits = step->role == ROLE_START || step->role == ROLE_SAMPLE;
	const int64_t *slots = x->match.slots;

	if (waits &&
	    !(x->match.passed &&
	      (step->is_of_key
		       ? thread_set_has(&p->threads,
					(uint32_t)expression_value(&step->keys[0], slots))
		       : pairing_counts(p, x->sample))))
		return LOST_FILTER + 1;
	return step->has_stack && x->charge.lost == LOST_TRUNCATED + 1
		       ? LOST_TRUNCATED + 1
		       : 0;
}

/* Of what an end makes, or a start takes: @base is PAIR_KEY_OF_OBJECT; or where an interval goes on: 0. */
static uint64_t another_key(const struct expression keys[RULE_KEYS], uint64_t base,
			    const int64_t *slots)
{
	if (expression_is_empty(&keys[1]))
		base += pair_key(0, 0);
	return key_of(keys, base, slots);
}

/* What an end makes, behind it: @made has its stack. */
static int defer_object(struct weigher *w, const struct weighing *x,
			const struct bound_step *step, const struct charge *made)
{
	const int64_t *slots = x->match.slots;
	struct deferred_event *e;
	struct pair_event *pair;
	int found = weight_defer(w, x, DEFERRED_PAIRS, &e);

	if (found <= 0) {
		weight_sum_damaged(w->target.sum, found == 0);
		return found;
	}
	e->node = made->node;
	e->lost = made->lost;
	e->cut = made->cut;
	e->what = PAIR_OBJECT;
	pair = (void *)e->fields;
	pair->key = another_key(step->objects, PAIR_KEY_OF_OBJECT, slots);
	pair->more->woken = pair_leave_key(expression_value(&step->objects[0], slots));
	pair->more->values[1] = (int64_t)key_of(step->keys, step->key_base, slots);
	return 1;
}

static int defer_step(struct weigher *w, const struct weighing *x,
		      const struct bound_step *step)
{
	enum { HARDIRQ = 0x08, SOFTIRQ = 0x10, NMI = 0x40 };
	const struct sample *s = x->sample;
	const int64_t *slots = x->match.slots;
	struct deferred_event *e;
	struct pair_event *pair;
	struct pair_more *more;
	struct charge made;
	uint64_t thread = s->tid, flags = 0;
	int found;

	found = weight_defer(w, x, DEFERRED_PAIRS, &e);
	if (found <= 0) {
		weight_sum_damaged(w->target.sum, found == 0);
		return found;
	}
	e->lost = step_lost(w->pairing, x, step) & 0x7f;
	e->cut = x->charge.cut && step->has_stack;
	if (!step->has_stack)
		e->node = 0;
	e->what = (uint8_t)(step->role | step->line << PAIR_LINE_SHIFT);
	if (step->context && event_field_number(step->context, s, &flags)) {
		enum pair_context context = flags & NMI	      ? CONTEXT_NMI
					    : flags & HARDIRQ ? CONTEXT_HARDIRQ
					    : flags & SOFTIRQ ? CONTEXT_SOFTIRQ
							      : CONTEXT_TASK;

		e->what |= (uint8_t)(context << PAIR_CONTEXT_SHIFT);
	}
	pair = (void *)e->fields;
	pair->key = key_of(step->keys, step->key_base, slots);
	if (!w->pairing->rule.has_more)
		return 1;
	more = pair->more;
	for (int i = 0; i < PAIR_VALUES; i++)
		if (step->value_slot[i] >= 0)
			more->values[i] = slots[step->value_slot[i]];
		else if (step->value_slot[i] == SLOT_OF_VALUE)
			more->values[i] = expression_value(&step->value, slots);
	/* The kernel's own number, as keys are: that of the sample may be one of a namespace. */
	if (step->thread)
		event_field_number(step->thread, s, &thread);
	more->thread = (uint32_t)thread;
	if (w->pairing->rule.has_lines) {
		int64_t size = expression_is_empty(&step->size)
				       ? 0
				       : expression_value(&step->size, slots);

		more->size = size < 0		 ? 0
			     : size > UINT32_MAX ? UINT32_MAX
						 : (uint32_t)size;
		if (!expression_is_empty(&step->to[0]))
			more->woken = another_key(step->to, 0, slots);
		return 1;
	}
	if (expression_is_empty(&step->objects[0]))
		return 1;
	if (step->role == ROLE_START) {
		more->woken = another_key(step->objects, PAIR_KEY_OF_OBJECT, slots);
		return 1;
	}
	/* It may move in memory now. */
	made = (struct charge){ .node = e->node, .lost = e->lost, .cut = e->cut };
	return defer_object(w, x, step, &made);
}

int pairing_take(struct weigher *w, const struct weighing *x)
{
	const struct bound_event *event = &w->pairing->events.v[x->sample->event];
	bool counts = false;

	/* perf record -F is for tracepoints, too: then a sample stands for several of them. */
	if (event->is_sampled && x->sample->period > 1)
		w->target.pairs->skipped += x->sample->period - 1;
	weight_sum_damaged(w->target.sum, x->match.unread);
	w->target.pairs->stacks += x->needs_stack;
	for (uint8_t i = 0; i < x->match.count; i++) {
		const struct bound_step *step =
			&w->pairing->steps.v[event->first + x->match.steps[i]];
		int err = w->pairing->rule.of_samples ? take_sample(w, x, step)
						      : defer_step(w, x, step);

		if (err < 0)
			return err;
		counts |= err > 0 && !x->charge.lost &&
			  (step->role <= ROLE_START || step->role == ROLE_SAMPLE);
	}
	return counts;
}
