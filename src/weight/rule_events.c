/*
 * What has to be recorded so that a rule can be asked: of each step the first of its lists of which
 * this machine knows an event, each event once, whatever the number of its steps.
 *
 *	start sched:sched_switch ...	sched:sched_switch	with its stack, for the start weighs
 *	wake sched:sched_waking ...	sched:sched_waking	without one, unless the waker's is drawn
 *	end sched:sched_switch ...
 *
 * What the kernel can be told to leave out it does not write: a condition that is a field alone,
 * where no other step asks for the event.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "weight/rule.h"

/* Names between commas; false at the end. */
static bool next_name(struct slice *list, struct slice *ret)
{
	const char *comma = memchr(list->text, ',', list->size);
	size_t size = comma ? (size_t)(comma - list->text) : list->size;

	if (!list->size)
		return false;
	*ret = rule_trimmed((struct slice){ list->text, size });
	list->text += size + (comma != NULL);
	list->size -= size + (comma != NULL);
	return true;
}

static bool is_identifier(struct slice s)
{
	for (size_t i = 0; i < s.size; i++)
		if (!isalnum((unsigned char)s.text[i]) && s.text[i] != '_')
			return false;
	return s.size && !isdigit((unsigned char)s.text[0]);
}

/* Is it of the thread that its sample is of? Then events of that thread alone are enough. */
static bool is_key_of_thread(struct slice key)
{
	static const char *const own[] = { "tid", "pid" };

	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		if (key.size == strlen(own[i]) && !memcmp(key.text, own[i], key.size))
			return true;
	return !key.text;
}

static bool begins_with(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* The fields that say which threads it is about, where these are not its sample's. */
static void set_thread_fields(struct rule_event *e)
{
	if (strcmp(e->name, "sched:sched_switch") == 0) {
		e->threads[0] = "prev_pid";
		e->threads[1] = "next_pid";
	} else if (begins_with(e->name, "sched:sched_wak")) {
		e->threads[0] = "pid";
	}
}

static int add_rule_event(struct context *ctx, const struct pair_rule *rule,
			  const struct pair_step *step, const char *name,
			  struct rule_events *ret)
{
	struct rule_event *e = NULL;

	for (size_t i = 0; i < ret->list.count && !e; i++)
		if (strcmp(ret->list.v[i].name, name) == 0)
			e = &ret->list.v[i];
	if (e) {
		/* Another step wants what this one's condition leaves out. */
		e->filter[0] = '\0';
	} else {
		e = array_add(&ret->list);
		if (!e)
			return fail_memory(ctx);
		*e = (struct rule_event){ .name = strdup(name) };
		if (!e->name)
			return fail_memory(ctx);
		set_thread_fields(e);
		if (is_identifier(step->condition))
			snprintf(e->filter, sizeof(e->filter), "%.*s != 0",
				 (int)step->condition.size, step->condition.text);
	}
	e->has_stack |= rule_uses_stack(rule, step->role);
	ret->scheduler |= begins_with(name, "sched:");
	ret->everywhere |= ret->scheduler || !is_key_of_thread(step->keys[0]);
	return 0;
}

/* A name without a system may be a pattern for modifiers: "page-faults*" for "page-faults:u". */
static char *name_to_record(struct slice name)
{
	bool open = !memchr(name.text, ':', name.size) && name.size &&
		    name.text[name.size - 1] == '*';

	return strndup(name.text, name.size - open);
}

/* 1: one of the list is there. */
static int add_list(struct context *ctx, const struct pair_rule *rule,
		    const struct pair_step *step, struct slice list,
		    const struct event_asker *asker, struct rule_events *ret)
{
	struct slice name;
	int there = 0, err = 0;

	while (err >= 0 && next_name(&list, &name)) {
		char *text = name_to_record(name);

		err = text ? asker->is_there(asker->arg, text) : fail_memory(ctx);
		there |= err > 0;
		if (err > 0)
			err = add_rule_event(ctx, rule, step, text, ret);
		free(text);
	}
	return err < 0 ? err : there;
}

int rule_events_find(struct context *ctx, const struct pair_rule *rule,
		     const struct event_asker *asker, struct rule_events *ret)
{
	int err = 0;

	for (size_t i = 0; i < rule->count && err >= 0; i++) {
		const struct pair_step *step = &rule->steps[i];
		struct slice left = step->events;

		err = 0;
		while (err == 0 && left.size) {
			const char *bar = memchr(left.text, '|', left.size);
			size_t size = bar ? (size_t)(bar - left.text) : left.size;

			err = add_list(ctx, rule, step, (struct slice){ left.text, size },
				       asker, ret);
			left.text += size + (bar != NULL);
			left.size -= size + (bar != NULL);
		}
		/* Of the last one that was looked for it was said why not. What does not
		 * happen here cancels nothing. */
		if (err == 0 && step->role != ROLE_CANCEL && step->role != ROLE_FORGET)
			err = ctx->error[0]
				      ? -ENOENT
				      : fail(ctx, -ENOENT,
					     "there is no event '%.*s' here",
					     (int)step->events.size, step->events.text);
		/* What was not found does not matter then. */
		if (err >= 0)
			ctx->error[0] = '\0';
	}
	return err < 0 ? err : 0;
}

void rule_events_release(struct rule_events *events)
{
	for (size_t i = 0; i < events->list.count; i++)
		free(events->list.v[i].name);
	array_release(&events->list);
}
