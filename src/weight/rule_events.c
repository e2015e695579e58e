/*
 * What has to be recorded so that a rule can be asked: of each step the first of its lists of which
 * this machine knows an event, each event once, whatever the number of its steps.
 *
 *	start sched:sched_switch ...	sched:sched_switch	with its stack, for the start weighs
 *	wake sched:sched_waking ...	sched:sched_waking	without one, unless the waker's is drawn
 *	end sched:sched_switch ...
 *
 * What the kernel can be told to leave out it does not write (rule_filter.c). An event of which few have
 * to have a stack, and all others none, is opened twice:
 *
 *	sched:sched_switch	prev_state & 255	who begins to wait, with its stack
 *	sched:sched_switch	next_pid != 0		others, of which one's wait is over
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "weight/rule.h"

static bool is_key(struct slice key, const char *word)
{
	return key.size == strlen(word) && memcmp(key.text, word, key.size) == 0;
}

static bool begins_with(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* "uprobe:FILE:FUNCTION" is where a function begins, "uretprobe:..." where it returns to. */
static bool is_uprobe(const char *name)
{
	return begins_with(name, "uprobe:") || begins_with(name, "uretprobe:");
}

/* Which of arg1 to arg6 and ret stand in it, as words or behind "start." and "end." */
static uint8_t registers_in(struct slice s)
{
	uint8_t found = 0;

	for (size_t i = 0; i + 3 <= s.size; i++) {
		const char *at = s.text + i;
		char before = i ? at[-1] : ' ', digit = i + 4 <= s.size ? at[3] : ' ';
		bool inside = isalnum((unsigned char)before) || before == '_';

		if (inside)
			continue;
		if (!memcmp(at, "ret", 3) && !isalnum((unsigned char)digit) &&
		    digit != '_')
			found |= RULE_RETURN;
		if (!memcmp(at, "arg", 3) && digit >= '1' && digit < '1' + RULE_ARGUMENTS)
			found |= (uint8_t)(RULE_ARGUMENT << (digit - '1'));
	}
	return found;
}

static int add_rule_event(struct context *ctx, const struct pair_rule *rule, size_t index,
			  const char *name, struct rule_events *ret)
{
	const struct pair_step *step = &rule->steps[index];
	struct rule_event *e = NULL;
	uint8_t found = registers_in(step->condition) | registers_in(step->value) |
			registers_in(step->size) | registers_in(rule->weight);

	for (size_t i = 0; i < rule->part_count; i++)
		found |= registers_in(rule->parts[i].weight);
	for (size_t i = 0; i < ret->list.count && !e; i++)
		if (strcmp(ret->list.v[i].name, name) == 0)
			e = &ret->list.v[i];
	if (!e) {
		e = array_add(&ret->list);
		if (!e)
			return fail_memory(ctx);
		*e = (struct rule_event){ .name = strdup(name) };
		if (!e->name)
			return fail_memory(ctx);
	}
	e->steps |= 1u << index;
	for (int i = 0; i < RULE_KEYS; i++)
		found |= registers_in(step->keys[i]) | registers_in(step->objects[i]) |
			 registers_in(step->to[i]);
	/* A call has no value yet, and one that is over has no arguments any more. */
	if (is_uprobe(name))
		e->registers |= found & (begins_with(name, "uprobe:") ? RULE_RETURN - 1
								      : RULE_RETURN);
	e->has_stack |= rule_uses_stack(rule, step->role);
	e->rated = rule->has_between && step->role == ROLE_SAMPLE && !strchr(name, ':');
	/* Who becomes another program does so itself. */
	ret->scheduler |= begins_with(name, "sched:") &&
			  strcmp(name, "sched:sched_process_exec") != 0;
	/* Where keys are of the thread that a sample is of, events of that thread alone are
	 * enough. */
	ret->everywhere |= ret->scheduler || is_uprobe(name) ||
			   (step->keys[0].text && !is_key(step->keys[0], "tid") &&
			    !is_key(step->keys[0], "pid"));
	return 0;
}

/* The steps that draw its stack, where these are of few of them and others ask for many: it costs
 * three times as much to record one with its stack. 0: there are none. */
static uint32_t steps_apart(const struct pair_rule *rule, const struct rule_event *e)
{
	uint32_t drawn = 0;

	for (size_t i = 0; i < rule->count; i++) {
		if (!(e->steps >> i & 1) || !rule_uses_stack(rule, rule->steps[i].role))
			continue;
		if (!rule_condition_selects(rule->steps[i].condition))
			return 0;
		drawn |= 1u << i;
	}
	return drawn == e->steps ? 0 : drawn;
}

/* What is known of an event when all steps have been seen. */
static int complete_events(struct context *ctx, const struct pair_rule *rule,
			   bool no_stacks, struct rule_events *ret)
{
	static const char *const sides[] = { "prev_pid", "next_pid" };

	for (size_t i = 0, count = ret->list.count; i < count; i++) {
		uint32_t apart = steps_apart(rule, &ret->list.v[i]);
		struct rule_event *e = &ret->list.v[i], *with;

		if (!apart || no_stacks)
			continue;
		with = array_add(&ret->list);
		if (!with)
			return fail_memory(ctx);
		/* It may have moved. */
		e = &ret->list.v[i];
		e->is_apart = true;
		*with = *e;
		e->has_stack = false;
		e->steps &= ~apart;
		with->steps = apart;
		with->name = strdup(e->name);
		if (!with->name)
			return fail_memory(ctx);
	}
	for (size_t i = 0; i < ret->list.count; i++) {
		struct rule_event *e = &ret->list.v[i];

		/* Of a probe the kernel knows no fields. */
		if (rule_filter(rule, is_uprobe(e->name) ? 0 : e->steps, &e->filter) < 0)
			return fail_memory(ctx);
		/* The fields that say which threads it is about, where these are not its sample's. */
		e->threads[0] = e->threads[1] = NULL;
		if (strcmp(e->name, "sched:sched_switch") == 0) {
			size_t sides_asked = 0;

			for (int k = 0; k < 2; k++) {
				bool asked = false;

				for (size_t n = 0; n < rule->count; n++)
					asked |= e->steps >> n & 1 &&
						 is_key(rule->steps[n].keys[0], sides[k]);
				if (asked)
					e->threads[sides_asked++] = sides[k];
			}
			/* It is about both. */
			if (!sides_asked)
				memcpy(e->threads, sides, sizeof(sides));
		} else if (begins_with(e->name, "sched:sched_wak")) {
			e->threads[0] = "pid";
		} else if (is_uprobe(e->name)) {
			/* Opened on whole processors, for the children of a thread have none. */
			e->threads[0] = "common_pid";
		}
	}
	return 0;
}

/* A rule's events are looked for on this machine. */
struct event_search {
	struct context *ctx;
	const struct pair_rule *rule;
	const struct event_asker *asker;
	struct rule_events *found;
};

/* 1: one of the list is there. */
static int add_list(const struct event_search *s, size_t step, struct slice list)
{
	int there = 0, err = 0;

	while (err >= 0 && list.size) {
		const char *comma = memchr(list.text, ',', list.size);
		size_t size = comma ? (size_t)(comma - list.text) : list.size;
		struct slice name = rule_trimmed((struct slice){ list.text, size });
		/* A name without a system may be a pattern for modifiers: "page-faults*" for
		 * "page-faults:u". */
		bool open = !memchr(name.text, ':', name.size) && name.size &&
			    name.text[name.size - 1] == '*';
		char *text = strndup(name.text, name.size - open);

		list.text += size + (comma != NULL);
		list.size -= size + (comma != NULL);
		err = text ? s->asker->is_there(s->asker->arg, text)
			   : fail_memory(s->ctx);
		there |= err > 0;
		if (err > 0)
			err = add_rule_event(s->ctx, s->rule, step, text, s->found);
		free(text);
	}
	return err < 0 ? err : there;
}

static int no_event(struct context *ctx, const struct pair_step *step)
{
	return fail(ctx, -ENOENT, "there is no event '%.*s' here", (int)step->events.size,
		    step->events.text);
}

int rule_events_find(struct context *ctx, const struct pair_rule *rule,
		     const struct event_asker *asker, struct rule_events *ret)
{
	const struct event_search s = { ctx, rule, asker, ret };
	unsigned found = 0; /* bits of roles */
	int err = 0;

	for (size_t i = 0; i < rule->count && err >= 0; i++) {
		const struct pair_step *step = &rule->steps[i];
		struct slice left = step->events;
		bool is_last = true; /* of its role */

		for (size_t k = i + 1; k < rule->count; k++)
			is_last &= rule->steps[k].role != step->role;
		err = 0;
		while (err == 0 && left.size) {
			const char *bar = memchr(left.text, '|', left.size);
			size_t size = bar ? (size_t)(bar - left.text) : left.size;

			err = add_list(&s, i, (struct slice){ left.text, size });
			left.text += size + (bar != NULL);
			left.size -= size + (bar != NULL);
		}
		/* Of the last one that was looked for it was said why not. What does not
		 * happen here cancels nothing. */
		found |= err > 0 ? 1u << step->role : 0;
		if (err == 0 && !step->is_optional && !rule_role_may_lack(step->role))
			err = ctx->error[0] ? -ENOENT : no_event(ctx, step);
		if (err == 0 && step->is_optional && !(found >> step->role & 1) &&
		    is_last)
			err = ctx->error[0] ? -ENOENT : no_event(ctx, step);
		/* What was not found does not matter then. */
		if (err >= 0)
			ctx->error[0] = '\0';
	}
	return err < 0 ? err : complete_events(ctx, rule, asker->no_stacks, ret);
}

void rule_events_release(struct rule_events *events)
{
	for (size_t i = 0; i < events->list.count; i++) {
		free(events->list.v[i].name);
		free(events->list.v[i].filter);
	}
	array_release(&events->list);
}
