/*
 * A mode, live: its rule says which events are opened, each time they happen, with a stack only where
 * it is drawn. Events of one thread alone (system calls, faults) are opened on whom was asked for. What
 * ends a wait happens elsewhere: another thread is switched from, an interrupt says that a disk is
 * done. Such are opened on whole processors, and whose they are is asked when a wait begins:
 *
 *	-p 10    open: all switches of the machine    counts: waits of 10, and of what it starts
 */
#include "engine/live_mode.h"

#include <errno.h>
#include <flamefold_chart.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Who looks for the events of a rule. */
struct mode_asker {
	struct context *ctx;
	const struct live_options *wanted;
	struct live_mode *mode;
};

static int is_event_here(void *arg, const char *name)
{
	struct mode_asker *asker = arg;
	struct context unheard = { .log = NULL };
	bool probe = strstr(name, "probe:libc:") != NULL;
	int err = 0;

	/* Of those that perf probe has made it is not said that they are not there, where
	 * it was said why ours are not. */
	if (strncmp(name, "probe_", 6) == 0 && asker->ctx->error[0])
		return live_has_event(&unheard, name, NULL);
	if (probe && !asker->mode->probed)
		err = live_probed_find(asker->ctx, &asker->wanted->record,
				       &asker->mode->probed);
	return err < 0 ? err : live_has_event(asker->ctx, name, asker->mode->probed);
}

static int check_mode_options(struct ff_profile *p, const struct live_options *o,
			      const struct pair_rule *rule)
{
	if (o->record.event_count)
		return fail(
			&p->ctx, -EINVAL,
			"a mode opens the events that it needs: -e cannot go with it");
	if ((o->record.frequency || o->record.period) && !rule->has_between)
		return fail(&p->ctx, -EINVAL,
			    "a mode takes every one of its events: they have no rate "
			    "(-F) and no period (-c)");
	if (o->record.flags & (FF_RECORD_ALL_KERNEL | FF_RECORD_ALL_USER))
		return fail(
			&p->ctx, -EINVAL,
			"the events of a mode are the kernel's, whose stacks go on in "
			"user space: both sides are needed");
	return 0;
}

static void ask_for_event(const struct rule_event *e, const struct pair_rule *rule,
			  struct live_asked *ret)
{
	*ret = (struct live_asked){
		.every = !e->rated,
		.no_chain = !e->has_stack,
		.is_apart = e->is_apart,
		.filter = e->filter,
		.threads = { e->threads[0], e->threads[1] },
		/* Who wakes the waker may be anybody. */
		.any_thread = rule->stack == PAIR_STACK_CHAIN,
		.registers = e->registers,
	};
}

/*
 * Who runs is told by SWITCH records, which need no permission; what a thread waits in by the call chains
 * of switches, where those are permitted. Beside them is sampled what was asked for, or what is by default.
 */
static int choose_switches(struct ff_profile *p, struct live_options *wanted,
			   struct live_mode *ret)
{
	bool is_chart = !p->wall.weight;
	const char *const usual[] = { is_chart ? "cycles" : "cpu-clock" };
	const char *const *events =
		wanted->record.event_count ? wanted->record.events : usual;
	size_t count = wanted->record.event_count ? wanted->record.event_count : 1;

	/* Its samples alone make a chart, too. */
	if (wanted->record.who == FF_RECORD_CGROUP && is_chart)
		return 0;
	if (wanted->record.who == FF_RECORD_CGROUP)
		return fail(&p->ctx, -EINVAL,
			    "switches of a cgroup's threads are not told: use -a, and "
			    "--only cgroup=%s",
			    wanted->record.whom);
	ret->words = calloc(count + 1, sizeof(*ret->words));
	ret->asked = calloc(count + 1, sizeof(*ret->asked));
	if (!ret->words || !ret->asked)
		return fail_memory(&p->ctx);
	for (size_t i = 0; i < count; i++) {
		ret->words[i] = events[i];
		ret->asked[i] = (struct live_asked){ .filter = "" };
	}
	if ((is_chart || p->wall.weight == WALL_EXACT) &&
	    live_has_event(&p->ctx, "sched:sched_switch", NULL) > 0) {
		ret->words[count] = "sched:sched_switch";
		ret->asked[count++] = (struct live_asked){ .every = true,
							   .filter = "",
							   .optional = true };
	}
	wanted->record.events = ret->words;
	wanted->record.event_count = count;
	wanted->asked = ret->asked;
	wanted->record.flags |= FF_RECORD_RAW_SAMPLES;
	wanted->switches = true;
	return 0;
}

/* As long as something runs it goes on. */
static bool counts_time(const char *event)
{
	return strncmp(event, "cycles", 6) == 0 || strncmp(event, "cpu-clock", 9) == 0 ||
	       strncmp(event, "task-clock", 10) == 0;
}

/* Those of the first of the rules with "or" between them that has all of its events here, which *@rule is
 * then. What is missing is told of the first one. */
static int find_rule_events(struct ff_profile *p, const struct event_asker *asker,
			    struct pair_rule *rule, struct rule_events *ret)
{
	struct pair_rule other = *rule;
	char *why;
	int err = rule_events_find(&p->ctx, rule, asker, ret);

	if (err != -ENOENT || !rule->otherwise)
		return err;
	why = strdup(p->ctx.error);
	if (!why)
		return fail_memory(&p->ctx);
	while (err == -ENOENT && other.otherwise) {
		rule_events_release(ret);
		*ret = (struct rule_events){ 0 };
		p->ctx.error[0] = '\0';
		err = rule_parse(&p->ctx, other.otherwise, &other);
		if (err == 0)
			err = rule_events_find(&p->ctx, &other, asker, ret);
	}
	if (err == 0)
		*rule = other;
	else if (err == -ENOENT)
		err = fail(&p->ctx, -ENOENT, "%s", why);
	free(why);
	return err;
}

int live_mode_choose(struct ff_profile *p, struct live_options *wanted,
		     struct live_mode *ret, bool on_the_way)
{
	struct mode_asker who = { &p->ctx, wanted, ret };
	const struct event_asker asker = { is_event_here, &who,
					   wanted->record.chain == FF_RECORD_NO_CHAIN };
	struct pair_rule rule;
	size_t count;
	bool swap;
	int err;

	if (p->wall.weight || p->options.flags & FF_CHART)
		return choose_switches(p, wanted, ret);
	if (!profile_rule(p)) {
		if (wanted->record.event_count || !p->ratio.name)
			return 0;
		/* A ratio is of two events, where none are named: of one group, so that both are
		 * of the same stretches of time. These a clock cuts, if there is one. */
		ret->words = calloc(2, sizeof(*ret->words));
		if (!ret->words)
			return fail_memory(&p->ctx);
		swap = !counts_time(p->ratio.words[0]) && counts_time(p->ratio.words[1]);
		ret->words[0] = p->ratio.words[swap];
		ret->words[1] = p->ratio.words[!swap];
		wanted->record.events = ret->words;
		wanted->record.event_count = 2;
		wanted->group = true;
		return 0;
	}
	err = rule_parse(&p->ctx, profile_rule(p), &rule);
	if (err == 0)
		err = check_mode_options(p, wanted, &rule);
	if (err == 0 && on_the_way && rule.open != PAIR_OPEN_DROP)
		err = fail(&p->ctx, -EINVAL,
			   "what is open is known at the end: this mode has no outputs "
			   "before that (--every)");
	if (err == 0)
		err = find_rule_events(p, &asker, &rule, &ret->events);
	if (err < 0)
		return err;
	if (ret->events.everywhere && wanted->record.who == FF_RECORD_CGROUP)
		return fail(&p->ctx, -EINVAL,
			    "what ends a wait happens outside of a cgroup: use -a, and "
			    "--only cgroup=%s",
			    wanted->record.whom);
	count = ret->events.list.count;
	ret->words = calloc(count, sizeof(*ret->words));
	ret->asked = calloc(count, sizeof(*ret->asked));
	if (!ret->words || !ret->asked)
		return fail_memory(&p->ctx);
	for (size_t i = 0; i < count; i++) {
		ret->words[i] = ret->events.list.v[i].name;
		ask_for_event(&ret->events.list.v[i], &rule, &ret->asked[i]);
	}
	wanted->record.events = ret->words;
	wanted->record.event_count = count;
	/* Copies of the stacks of all who block on a machine are more than it can bear. */
	if (ret->events.scheduler && wanted->record.who == FF_RECORD_SYSTEM &&
	    wanted->record.chain == FF_RECORD_AUTO && !wanted->record.stack_size)
		wanted->record.chain = FF_RECORD_FRAME_POINTER;
	wanted->asked = ret->asked;
	wanted->probed = ret->probed;
	wanted->everywhere = ret->events.everywhere;
	wanted->record.flags |= FF_RECORD_RAW_SAMPLES;
	return 0;
}

void live_mode_release(struct live_mode *mode)
{
	rule_events_release(&mode->events);
	free(mode->words);
	free(mode->asked);
	live_probed_free(mode->probed);
}

int live_mode_begin(struct live *live, const struct live_options *wanted,
		    struct pairing *pairing)
{
	const pid_t *threads;
	size_t count;
	int err = 0;

	/* Whole processors run us, too. */
	if (wanted->everywhere || wanted->record.who == FF_RECORD_SYSTEM ||
	    wanted->record.who == FF_RECORD_CGROUP)
		pairing->threads.but = wanted->asked ? (uint32_t)getpid() : 0;
	pairing->threads.is_limited = live_asked_for(live, &threads, &count);
	for (size_t i = 0; pairing->threads.is_limited && i < count && err == 0; i++)
		err = thread_set_add(&pairing->threads, (uint32_t)threads[i]);
	return err;
}

int live_mode_follow(struct pairing *pairing, const struct record *record)
{
	struct thread_set *set = &pairing->threads;

	if (record->type == PERF_RECORD_EXIT)
		thread_set_remove(set, record->tid);
	return record->type == PERF_RECORD_FORK
		       ? thread_set_follow(set, record->ptid, record->tid)
		       : 0;
}

/* As a shell takes it for one word. */
static void add_quoted(struct text *t, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-+=:,./@%";

	if (*word && !word[strspn(word, plain)]) {
		text_string(t, word);
		return;
	}
	text_char(t, '\'');
	for (; *word; word++)
		if (*word == '\'')
			text_string(t, "'\\''");
		else
			text_char(t, *word);
	text_char(t, '\'');
}

/* What perf calls registers of this machine. */
#if defined(__aarch64__)
static const char *const perf_arguments[] = { "%x0", "%x1", "%x2", "%x3", "%x4", "%x5" };
#else
static const char *const perf_arguments[] = { "%di", "%si", "%dx", "%cx", "%r8", "%r9" };
#endif

static const char entry[] = "uprobe:libc:", back[] = "uretprobe:libc:";

/* "perf probe -x FILE ...", a line for each file of a C library; those of the second one are added
 * to the names of the first. */
static int add_perf_probes(struct ff_profile *p, const struct live_options *wanted,
			   struct text *ret)
{
	const size_t arguments = sizeof(perf_arguments) / sizeof(*perf_arguments);
	const char *path = NULL;
	bool libc = false;

	for (size_t i = 0; i < wanted->record.event_count; i++) {
		const char *words = wanted->record.events[i];

		libc |= strstr(words, "probe:libc:") != NULL;
		if (strstr(words, "probe:/"))
			return fail(&p->ctx, -EINVAL,
				    "perf names probes otherwise than '%s', so no rule "
				    "is for both: --print-perf knows those of the C "
				    "library (uprobe:libc:FUNCTION)",
				    words);
	}
	while (libc && (path = live_probed_next(wanted->probed, path))) {
		bool more = live_probed_next(wanted->probed, NULL) != path;

		text_printf(ret, "perf probe %s-x ", more ? "-f " : "");
		add_quoted(ret, path);
		/* " --add 'malloc arg1=%di'": probes of perf's own have what ours have. */
		for (size_t i = 0; i < wanted->record.event_count; i++) {
			const char *words = wanted->record.events[i];
			bool returns = strncmp(words, back, strlen(back)) == 0;
			unsigned registers = returns ? 0 : wanted->asked[i].registers;

			if (!strstr(words, "probe:libc:"))
				continue;
			words += returns ? strlen(back) : strlen(entry);
			text_printf(ret, " --add 'probe_libc:%s=%s%s", words, words,
				    returns ? "%return ret=$retval" : "");
			for (size_t k = 0; k < arguments; k++)
				if (registers >> k & 1)
					text_printf(ret, " arg%zu=%s", k + 1,
						    perf_arguments[k]);
			text_char(ret, '\'');
		}
		text_char(ret, '\n');
	}
	return 0;
}

/* "cycles:u": where its modifiers are; NULL: it has none. */
static const char *modifiers_of(const char *words)
{
	const char *colon = strrchr(words, ':');

	return colon && colon[1] && !colon[1 + strspn(colon + 1, "ukhHGpPSDIWeb")] ? colon
										   : NULL;
}

/* "cycles/TERMS/u", "cpu/event=0x3c,TERMS/": before what is behind the event's own. */
static void add_perf_terms(struct text *t, const char *words, const char *terms)
{
	const char *modifiers = modifiers_of(words), *last = strrchr(words, '/');
	const char *first = strchr(words, '/');
	size_t size = modifiers ? (size_t)(modifiers - words) : strlen(words);

	if (last && last > first)
		text_printf(t, "%.*s%s%s%s", (int)(last - words), words,
			    last[-1] == '/' ? "" : ",", terms, last);
	else
		text_printf(t, "%.*s/%s/%s", (int)size, words, terms,
			    modifiers ? modifiers + 1 : "");
}

/* @rate: of what is sampled. "-e sched:sched_waking/call-graph=no/ --filter '...'": perf's --filter is for the event before it. */
static void add_perf_event(struct text *t, const struct live_options *wanted,
			   size_t index, const char *rate)
{
	const char *words = wanted->record.events[index], *but = NULL;
	const struct live_asked *asked = &wanted->asked[index];
	const char *colon = strchr(words, ':');
	bool tracepoint = colon && colon != modifiers_of(words) && !strchr(words, '/');
	struct text name = { 0 }, terms = { 0 }, event = { 0 }, filter = { 0 };

	if (strncmp(words, entry, strlen(entry)) == 0)
		text_printf(&name, "probe_libc:%s", words + strlen(entry));
	else if (strncmp(words, back, strlen(back)) == 0)
		text_printf(&name, "probe_libc:%s__return", words + strlen(back));
	else
		text_string(&name, words);
	if (!asked->every && rate)
		text_string(&terms, rate);
	else if (asked->no_chain || !tracepoint)
		text_printf(&terms, "%s%s%s", tracepoint ? "" : "period=1",
			    asked->no_chain && !tracepoint ? "," : "",
			    asked->no_chain ? "call-graph=no" : "");
	if (name.bytes && terms.size)
		add_perf_terms(&event, name.bytes, terms.bytes);
	else
		text_string(&event, name.bytes ? name.bytes : words);
	text_string(t, " -e ");
	add_quoted(t, event.bytes ? event.bytes : words);
	for (size_t i = 0;
	     asked->is_apart && asked->no_chain && i < wanted->record.event_count; i++)
		if (!wanted->asked[i].no_chain &&
		    strcmp(wanted->record.events[i], words) == 0)
			but = wanted->asked[i].filter;
	if (*asked->filter) {
		text_string(t, " --filter ");
		text_printf(&filter, but ? "(%s) && !(%s)" : "%s%s", asked->filter,
			    but ? but : "");
		add_quoted(t, filter.bytes ? filter.bytes : "");
	}
	t->failed |= name.failed || terms.failed || event.failed || filter.failed;
	text_release(&name);
	text_release(&terms);
	text_release(&event);
	text_release(&filter);
}

int live_mode_print_perf(struct ff_profile *p, const struct live_options *wanted,
			 struct text *ret)
{
	static const char *const targets[] = {
		[FF_RECORD_PROCESSES] = " -p ",
		[FF_RECORD_THREADS] = " -t ",
		[FF_RECORD_USER] = " -u ",
		[FF_RECORD_CGROUP] = " -G ",
	};
	bool all = wanted->everywhere || wanted->record.who == FF_RECORD_SYSTEM;
	int err = add_perf_probes(p, wanted, ret);
	struct text group = { 0 };
	char rate[48];

	snprintf(rate, sizeof(rate),
		 wanted->record.period ? "period=%" PRIu64 : "freq=%" PRIu64,
		 wanted->record.period	    ? wanted->record.period
		 : wanted->record.frequency ? wanted->record.frequency
					    : LIVE_USUAL_RATE);

	if (err < 0)
		return err;
	text_string(ret, all ? "perf record -a" : "perf record");
	if (wanted->record.cpus)
		text_printf(ret, " -C %s", wanted->record.cpus);
	if (wanted->record.chain == FF_RECORD_AUTO ||
	    wanted->record.chain == FF_RECORD_DWARF)
		text_printf(ret, " --call-graph dwarf,%u",
			    wanted->record.stack_size ? wanted->record.stack_size : 8192);
	else if (wanted->record.chain == FF_RECORD_LBR)
		text_string(ret, " --call-graph lbr");
	else if (wanted->record.chain == FF_RECORD_FRAME_POINTER)
		text_string(ret, " --call-graph fp");
	if (wanted->switches)
		text_string(ret, " --switch-events");
	for (size_t i = 0; !wanted->group && i < wanted->record.event_count; i++)
		add_perf_event(ret, wanted, i, rate);
	if (wanted->group) {
		text_string(&group, "{");
		add_perf_terms(&group, wanted->record.events[0], rate);
		text_printf(&group, ",%s}:S", wanted->record.events[1]);
		text_string(ret, " -e ");
		add_quoted(ret, group.bytes ? group.bytes : "");
		ret->failed |= group.failed;
		text_release(&group);
	}
	if (!all && wanted->record.who != FF_RECORD_COMMAND) {
		text_string(ret, targets[wanted->record.who]);
		add_quoted(ret, wanted->record.whom);
	}
	if (wanted->record.command)
		text_string(ret, " --");
	for (char *const *word = wanted->record.command; word && *word; word++) {
		text_char(ret, ' ');
		add_quoted(ret, *word);
	}
	text_char(ret, '\n');
	return ret->failed ? fail_memory(&p->ctx) : 0;
}
