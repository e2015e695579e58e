/*
 * Processors that went offline and came back, and those that came anew, are sampled from then on:
 * all events are opened once more, for those that are online now. Events of threads need none of
 * that: these are kept with the thread, and go on wherever it runs; but on a processor that was
 * not online when they were opened, there are none.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "live/run.h"

static bool is_of_threads(const struct live *l)
{
	return l->target.who != FF_RECORD_SYSTEM && l->target.who != FF_RECORD_CGROUP;
}

/* With -C others are watched only for what processes do there. */
static bool is_wanted(const struct live *l, int cpu)
{
	struct id_list wanted = { 0 };
	bool yes = !l->options->record.cpus ||
		   (id_list_parse(l->options->record.cpus, ID_CPU_MOST, &wanted) == 0 &&
		    id_list_has(&wanted, cpu));

	array_release(&wanted);
	return yes;
}

static void add_cpu(struct text *t, int cpu)
{
	text_printf(t, "%s%d", t->size ? ", " : "", cpu);
}

/* "processor 1 has" or "processors 1, 2 have"; nothing where the list is empty. */
static void warn_of_cpus(struct context *ctx, const struct text *list, const char *one,
			 const char *many, const char *rest)
{
	bool several = list->size && strchr(list->bytes, ',');

	if (list->size)
		warn(ctx, "processor%s %s %s %s", several ? "s" : "", list->bytes,
		     several ? many : one, rest);
}

int run_set_cpus(struct live *l, const struct id_list *online)
{
	struct live_target *t = &l->target;

	t->cpus.count = 0;
	if (!array_reserve(&t->cpus, online->count))
		return -ENOMEM;
	memcpy(t->cpus.v, online->v, online->count * sizeof(*online->v));
	t->cpus.count = online->count;
	return 0;
}

/* All events once more, for the processors that are online; says which have come, and
 * which are back that had gone. 1: the events are other ones now. */
static int open_again(struct context *ctx, struct live *l, const struct id_list *online)
{
	struct text fresh = { 0 }, back = { 0 };
	uint64_t now, most = 0;
	char rest[96];
	int err = run_set_cpus(l, online);

	if (err == 0)
		err = run_reopen(ctx, l);
	if (err == -ERANGE) {
		warn(ctx, "a processor has come online, and is not sampled: %s",
		     ctx->error);
		/* It is not tried again: every look would say so. */
		l->blind = true;
		return 0;
	}
	if (err < 0)
		return fail_memory(ctx);
	now = run_now();
	for (size_t i = 0; i < online->count; i++) {
		const struct hotplug_cpu *c = hotplug_find(&l->hotplug, online->v[i]);
		bool sampled = false;

		for (size_t j = 0; j < l->rings.list.count && !sampled; j++)
			sampled = l->rings.list.v[j].cpu == online->v[i];
		if (!sampled || !is_wanted(l, online->v[i]) || (c && !c->away))
			continue;
		add_cpu(c ? &back : &fresh, online->v[i]);
		if (c && now - c->seen > most)
			most = now - c->seen;
	}
	snprintf(rest, sizeof(rest), "sampled again: nothing was for %.2f s",
		 (double)most / 1e9);
	warn_of_cpus(ctx, &back, "was offline and is", "were offline and are", rest);
	warn_of_cpus(ctx, &fresh, "has", "have",
		     "come online and is sampled from now on");
	text_release(&fresh);
	text_release(&back);
	return lost_init(&l->lost, &l->target) &&
			       hotplug_watch(&l->hotplug, online->v, online->count)
		       ? 1
		       : fail_memory(ctx);
}

/* Threads that are sampled may be so by somebody who may not watch processors. */
bool run_watch_cpus(struct live *l)
{
	return is_of_threads(l)
		       ? hotplug_know(&l->hotplug, l->target.cpus.v, l->target.cpus.count)
		       : hotplug_watch(&l->hotplug, l->target.cpus.v,
				       l->target.cpus.count);
}

/* Says which processors have gone, and opens events where one is online that has none. */
static int keep_cpus_of_system(struct context *ctx, struct live *l,
			       const struct id_list *online)
{
	struct text gone = { 0 };
	bool come = false;
	int err = 0;

	if (hotplug_look(&l->hotplug, online->v, online->count)) {
		for (size_t i = 0; i < l->hotplug.cpus.count; i++) {
			struct hotplug_cpu *c = &l->hotplug.cpus.v[i];

			if (c->away && !c->told && !id_list_has(online, c->cpu) &&
			    is_wanted(l, c->cpu))
				add_cpu(&gone, c->cpu);
			c->told = c->away;
		}
		warn_of_cpus(ctx, &gone, "has", "have",
			     "gone offline and cannot be sampled");
		text_release(&gone);
	}
	for (size_t i = 0; i < online->count && !come; i++) {
		const struct hotplug_cpu *c = hotplug_find(&l->hotplug, online->v[i]);

		come = !c || c->away;
	}
	if (!come || !run_can_reopen(l) || l->blind)
		return 0;
	if (l->readers)
		readers_pause(l->readers);
	/* What is stopped must not run again. */
	pthread_mutex_lock(&l->watch.lock);
	if (!l->watch.stopped)
		err = open_again(ctx, l, online);
	pthread_mutex_unlock(&l->watch.lock);
	if (l->readers && readers_resume(ctx, l->readers) < 0)
		return -ENOMEM;
	return err;
}

int live_keep_cpus(struct context *ctx, struct live *l)
{
	struct id_list online = { 0 };
	struct text fresh = { 0 };
	int err = rings_online(&online);

	if (err == -ENOMEM) {
		err = fail_memory(ctx);
	} else if (err < 0) {
		/* What cannot be understood now may be the next time. */
		err = 0;
	} else if (!is_of_threads(l)) {
		err = keep_cpus_of_system(ctx, l, &online);
	} else {
		/* Threads are not sampled on processors that they had no events for. */
		for (size_t i = 0; i < online.count; i++)
			if (!hotplug_find(&l->hotplug, online.v[i]) &&
			    is_wanted(l, online.v[i]))
				add_cpu(&fresh, online.v[i]);
		warn_of_cpus(ctx, &fresh, "has", "have",
			     "come online since, and what runs there is not sampled");
		if (!hotplug_know(&l->hotplug, online.v, online.count))
			err = fail_memory(ctx);
	}
	text_release(&fresh);
	array_release(&online);
	return err;
}

void live_tell_away(struct context *ctx, struct live *l)
{
	struct text list = { 0 };
	uint64_t now = run_now(), most = 0;
	char rest[64];

	if (is_of_threads(l))
		return;
	for (size_t i = 0; i < l->hotplug.cpus.count; i++) {
		const struct hotplug_cpu *c = &l->hotplug.cpus.v[i];

		if (!c->away || !is_wanted(l, c->cpu))
			continue;
		add_cpu(&list, c->cpu);
		most = now - c->seen > most ? now - c->seen : most;
	}
	snprintf(rest, sizeof(rest), "not sampled for the last %.2f s",
		 (double)most / 1e9);
	warn_of_cpus(ctx, &list, "was", "were", rest);
	text_release(&list);
}
