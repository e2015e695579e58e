/*
 * The grammar is perf's (tools/perf/util/parse-events.y), without groups:
 *
 *	NAME[:MODIFIERS]		cycles:u  r1a8:k  sched:sched_switch:u
 *	NAME/TERMS/[MODIFIERS]		cycles/period=1000/u
 *	PMU/TERMS/[MODIFIERS]		cpu/event=0x3c,umask=1/p
 *	mem:ADDRESS[/SIZE][:rwx][:MODIFIERS]
 *	uprobe:FILE:FUNCTION		(perf has no such word)
 *
 * "mem:", a '/' or a ':' in a text tells which of these it is. A name is looked for in
 * perf's table first, then among the events of all PMUs; what has a ':' in it and is
 * neither is a tracepoint. Where a machine has several kinds of processor an event of
 * the kernel's numbering becomes one for each kind.
 */
#include "live/events/event.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "live/events/event_names.h"
#include "live/events/event_pmu.h"
#include "live/events/event_trace.h"
#include "live/events/event_uprobe.h"

enum {
	EVENTS_MOST = 4096, /* a pattern may stand for thousands of tracepoints */
	KINDS_MOST = 4, /* of processor */
	PRECISE_MOST = 3,
	BREAKPOINT_MOST = 8, /* bytes: HW_BREAKPOINT_LEN_8 */
};

struct parsing {
	struct event_lookup lookup;
	struct live_events *events;
	struct live_event event; /* the one at hand */
	struct text_part modifiers;
};

void live_events_release(struct live_events *events)
{
	array_release(&events->list);
}

/* Adds the event at hand; @name where its terms gave it none. Its modifiers are perf's letters: of
 * user, kernel and hypervisor none means all, and without G guests are left out, as perf
 * did until 6.12. */
static int add_parsed(struct parsing *p, const char *name, size_t size)
{
	struct context *ctx = p->lookup.ctx;
	struct text_part m = p->modifiers;
	bool user = m.size && memchr(m.p, 'u', m.size);
	bool kernel = m.size && memchr(m.p, 'k', m.size);
	bool hypervisor = m.size && memchr(m.p, 'h', m.size);
	bool guest = m.size && memchr(m.p, 'G', m.size);
	bool host = m.size && memchr(m.p, 'H', m.size);
	unsigned precise = 0;
	struct live_event *e;

	if (p->events->list.count >= EVENTS_MOST)
		return fail(ctx, -EINVAL, "'%s': more than %d events", p->lookup.text,
			    EVENTS_MOST);
	e = array_add(&p->events->list);
	if (!e)
		return fail_memory(ctx);
	*e = p->event;
	e->attr.size = sizeof(e->attr);
	e->mode_given = user || kernel || hypervisor;
	if (e->mode_given) {
		e->attr.exclude_user = !user;
		e->attr.exclude_kernel = !kernel;
		e->attr.exclude_hv = !hypervisor;
	}
	e->attr.exclude_guest = !guest;
	e->attr.exclude_host = guest && !host;
	for (size_t i = 0; i < m.size; i++) {
		precise += m.p[i] == 'p';
		e->precise_most |= m.p[i] == 'P';
		e->attr.exclude_idle |= m.p[i] == 'I';
		e->attr.pinned |= m.p[i] == 'D';
		e->attr.exclusive |= m.p[i] == 'e';
		if (!strchr("ukhGHpPIDe", m.p[i]) || !m.p[i])
			return fail(
				ctx, -EINVAL,
				"'%s': no modifier is called '%c'; there are u (user), k "
				"(kernel), h (hypervisor), G (guest), H (host), p "
				"(precise), P (as precise as can be), I (not idle), D "
				"(pinned), e (exclusive)",
				p->lookup.text, m.p[i]);
	}
	if (precise > PRECISE_MOST)
		return fail(ctx, -EINVAL, "'%s': more than 3 times p", p->lookup.text);
	e->attr.precise_ip = e->precise_most ? PRECISE_MOST : precise;
	if (!e->name)
		e->name = arena_text(p->lookup.arena, name, size);
	return e->name ? 0 : fail_memory(ctx);
}

static int add_as_written(void *arg)
{
	struct parsing *p = arg;

	return add_parsed(p, p->lookup.text, strlen(p->lookup.text));
}

/*
 * An event that perf has a name for. Where there are several kinds of processor, those of
 * one count on their own, as "PMU/NAME/MODIFIERS". The high half of config says which PMU
 * an event of the kernel's numbering is for (PERF_PMU_TYPE_SHIFT); a raw one is the PMU's
 * own.
 */
static int add_named(struct parsing *p, struct text_part name, uint32_t type,
		     uint64_t config)
{
	struct live_event *e = &p->event;
	const char *kinds[KINDS_MOST], *written = e->name;
	bool raw = type == PERF_TYPE_RAW;
	size_t count = 0;
	int err = 0;

	e->attr.type = type;
	e->attr.config = config;
	if (type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE || raw)
		count = event_pmu_hybrid(&p->lookup, kinds, KINDS_MOST);
	if (count == 0)
		return add_as_written(p);
	for (size_t i = 0; i < count && err == 0; i++) {
		struct text_part pmu = { kinds[i], strlen(kinds[i]) }, none = { "", 0 };
		struct live_event of_pmu = { .name = NULL };
		char made[256];
		int size;

		err = event_pmu_set(&p->lookup, pmu, none, &of_pmu);
		if (err < 0)
			break;
		e->cpus = of_pmu.cpus;
		e->cpu_count = of_pmu.cpu_count;
		e->attr.type = raw ? of_pmu.attr.type : type;
		e->attr.config = raw ? config : config | (uint64_t)of_pmu.attr.type << 32;
		e->name = NULL;
		size = snprintf(made, sizeof(made), "%s/%.*s/%.*s", kinds[i],
				(int)(name.size < 96 ? name.size : 96), name.p,
				(int)(p->modifiers.size < 16 ? p->modifiers.size : 16),
				p->modifiers.p);
		err = written ? add_parsed(p, written, strlen(written))
			      : add_parsed(p, made, (size_t)size);
	}
	return err;
}

static int parse_slashes(struct parsing *p, struct text_part text)
{
	const char *first = memchr(text.p, '/', text.size);
	const char *last = memrchr(text.p, '/', text.size);
	struct text_part name = { text.p, (size_t)(first - text.p) };
	struct text_part terms = { first + 1, 0 };
	uint64_t config;
	uint32_t type;
	int err;

	if (first == last)
		return fail(p->lookup.ctx, -EINVAL, "'%s': a '/' is missing at its end",
			    p->lookup.text);
	terms.size = (size_t)(last - terms.p);
	p->modifiers.p = last + 1;
	p->modifiers.size = (size_t)(text.p + text.size - p->modifiers.p);
	if (p->modifiers.size && p->modifiers.p[0] == ':') {
		p->modifiers.p++;
		p->modifiers.size--;
	}
	if (event_name_known(name.p, name.size, &type, &config)) {
		err = event_terms_set(&p->lookup, terms, &p->event);
		return err < 0 ? err : add_named(p, name, type, config);
	}
	err = event_pmu_set(&p->lookup, name, terms, &p->event);
	return err < 0 ? err : add_as_written(p);
}

/* One tracepoint of those that a pattern stands for; each has the modifiers of the pattern. */
static int add_tracepoint(void *arg, const char *name, uint64_t id)
{
	struct parsing *p = arg;
	char made[600];
	int size;

	p->event.attr.type = PERF_TYPE_TRACEPOINT;
	p->event.attr.config = id;
	size = snprintf(
		made, sizeof(made), "%s%s%.*s", name, p->modifiers.size ? ":" : "",
		(int)(p->modifiers.size < 16 ? p->modifiers.size : 16), p->modifiers.p);
	return add_parsed(p, made, (size_t)size);
}

/* A number as C has it, and what is behind it; false for one that 64 bits do not hold. */
static bool read_c_number(const char **p, uint64_t *ret)
{
	char *end;

	if (**p < '0' || **p > '9')
		return false;
	errno = 0;
	*ret = strtoull(*p, &end, 0);
	*p = end;
	return errno == 0;
}

/* "mem:0x1000/4:rw:u": accesses to memory. Without a size it is the one perf has: of a word
 * where code is executed there (as the kernel demands), else of 4 bytes. */
static int parse_memory(struct parsing *p, struct text_part text)
{
	struct perf_event_attr *attr = &p->event.attr;
	const char *at = text.p + strlen("mem:");
	char kinds[8] = "rw";
	uint64_t address, size = 0;
	int more = 0;

	if (!read_c_number(&at, &address))
		return fail(p->lookup.ctx, -EINVAL,
			    "'%s': it is 'mem:ADDRESS[/SIZE][:rwx]'", p->lookup.text);
	if (*at == '/') {
		at++;
		if (!read_c_number(&at, &size) || size < 1 || size > BREAKPOINT_MOST)
			return fail(p->lookup.ctx, -EINVAL,
				    "'%s': behind '/' is a number of bytes, 1 to 8",
				    p->lookup.text);
	}
	if (sscanf(at, ":%3[rwx]%n", kinds, &more) == 1)
		at += more;
	if (*at == ':') {
		p->modifiers.p = at + 1;
		p->modifiers.size = (size_t)(text.p + text.size - p->modifiers.p);
	} else if (*at) {
		return fail(p->lookup.ctx, -EINVAL, "'%s': what is '%s'?", p->lookup.text,
			    at);
	}
	attr->type = PERF_TYPE_BREAKPOINT;
	/* HW_BREAKPOINT_R, _W and _X */
	attr->bp_type = (strchr(kinds, 'r') ? 1 : 0) | (strchr(kinds, 'w') ? 2 : 0) |
			(strchr(kinds, 'x') ? 4 : 0);
	attr->bp_addr = address;
	attr->bp_len = size ? size : attr->bp_type == 4 ? sizeof(long) : 4;
	return add_as_written(p);
}

/* A word without '/' and without a ':' but that of modifiers. */
static int parse_word(struct parsing *p, struct text_part name)
{
	char room[SUGGESTION_MOST + 32];
	uint64_t config;
	uint32_t type;
	const char *pmu;
	struct suggestion n;
	int err;

	if (event_name_known(name.p, name.size, &type, &config))
		return add_named(p, name, type, config);
	suggestion_start(&n, name.p, name.size);
	err = event_pmu_of_event(&p->lookup, name, &pmu, &n);
	if (err < 0)
		return err;
	if (err == 0) {
		/* Nothing is called so: what may have been meant? */
		event_names_offer(&n);
		if (!n.best[0])
			event_trace_by_name(&p->lookup, name, n.best);
		return fail(p->lookup.ctx, -EINVAL, "unknown event '%s'%s",
			    p->lookup.text, suggestion_question(&n, room));
	}
	err = event_pmu_set(&p->lookup, (struct text_part){ pmu, strlen(pmu) }, name,
			    &p->event);
	return err < 0 ? err : add_as_written(p);
}

static int parse_colons(struct parsing *p, struct text_part text)
{
	const char *colon = memchr(text.p, ':', text.size), *second;
	struct text_part name = { text.p, (size_t)(colon - text.p) };
	struct text_part rest = { colon + 1, text.size - name.size - 1 };
	uint64_t config;
	uint32_t type;

	if (event_name_known(name.p, name.size, &type, &config)) {
		p->modifiers = rest;
		return add_named(p, name, type, config);
	}
	/* "cylces:u": only modifiers are behind the colon. */
	if (rest.size && strspn(rest.p, "ukhGHpPIDe") >= rest.size) {
		p->modifiers = rest;
		return parse_word(p, name);
	}
	second = memchr(rest.p, ':', rest.size);
	if (second) {
		p->modifiers.p = second + 1;
		p->modifiers.size = (size_t)(rest.p + rest.size - p->modifiers.p);
		rest.size = (size_t)(second - rest.p);
	}
	return event_trace_find(&p->lookup, name, rest,
				&(struct trace_taker){ add_tracepoint, p });
}

int live_events_parse(struct context *ctx, struct arena *arena, const char *text,
		      struct live_events *ret)
{
	struct parsing p = { .lookup = { ctx, arena, ret->root ? ret->root : "", NULL,
					 ret->probed },
			     .events = ret };
	int err = 0;

	for (const char *end; err == 0; text = end + 1) {
		/* A '/' of "mem:" is before a size; others come in pairs, and what is between
		 * them may have commas. Braces are refused as a whole. */
		bool memory = strncmp(text, "mem:", 4) == 0, inside = false;
		bool probe = event_is_uprobe(text);
		struct text_part whole;

		end = strchr(text, '{') ? text + strlen(text) : text;
		for (; *end && (*end != ',' || inside); end++)
			inside ^= *end == '/' && !memory && !probe;
		p.lookup.text = arena_text(arena, text, (size_t)(end - text));
		if (!p.lookup.text)
			return fail_memory(ctx);
		whole = (struct text_part){ p.lookup.text, strlen(p.lookup.text) };
		p.event = (struct live_event){ .name = NULL };
		p.modifiers = (struct text_part){ "", 0 };
		/* The first of these marks that is there says which part of the grammar
		 * it is. */
		if (whole.size == 0)
			err = fail(ctx, -EINVAL, "an event without a name");
		else if (strchr(whole.p, '{') || strchr(whole.p, '}'))
			err = fail(ctx, -EINVAL,
				   "'%s': events are sampled each on its own, groups in "
				   "braces are not supported",
				   whole.p);
		else if (memory)
			err = parse_memory(&p, whole);
		else if (probe)
			err = event_uprobe_find(
				&p.lookup, &p.event,
				&(struct uprobe_taker){ add_as_written, &p });
		else if (strchr(whole.p, '/'))
			err = parse_slashes(&p, whole);
		else if (strchr(whole.p, ':'))
			err = parse_colons(&p, whole);
		else
			err = parse_word(&p, whole);
		if (!*end)
			break;
	}
	return err;
}
