#include "unit/weight/paired.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filter/filter.h"

struct context paired_ctx;
struct intern paired_strings;
struct recording paired_rec;
struct pairing paired_pairing;
struct event_choice paired_choice;
struct weigher paired_weigher;
struct worked paired;
uint64_t paired_period = 1;
static struct budget budget;
static struct weight_options options;
static struct sample_split split;
static struct filters *filters;
static uint64_t position;

static const char *const event_names[EVENTS] = { "s:out", "s:in", "s:wake", "s:call",
						 "plain" };

#define INT(name, offset)                                                                \
	{                                                                                \
		name, offset, 4, 4, EVENT_FIELD_SIGNED                                   \
	}
static const struct event_field fields[] = {
	{ "common_flags", 2, 1, 1, 0 },
	INT("common_pid", 4),
	INT("a", 8),
	INT("b", 12),
	INT("c", 16),
};

void paired_work_begin(struct worked *w)
{
	*w = (struct worked){ 0 };
	cr_assert_eq(trie_init(&w->trie), 0);
	for (int i = 0; i < DEFERRED_KINDS; i++)
		w->deferred[i].kind = deferred_kinds[i];
	/* As collected_init() does it. */
	w->deferred[DEFERRED_PAIRS].kind =
		&pair_kinds[pair_kind_of(&paired_pairing.rule)];
}

void paired_work_end(struct worked *w)
{
	trie_release(&w->trie);
	frames_release(&w->frames);
	sample_log_release(&w->log);
	for (int i = 0; i < DEFERRED_KINDS; i++)
		deferred_queue_release(&w->deferred[i]);
}

struct weight_target paired_target_of(struct worked *w)
{
	return (struct weight_target){ &w->trie,   &w->sum,   &w->log, w->deferred,
				       &w->frames, &w->pairs, NULL,    NULL,
				       NULL,	   NULL,      NULL };
}

void paired_begin(void)
{
	cr_assert_eq(intern_init(&paired_strings), 0);
	budget_init(&budget, 1 << 30);
	paired_ctx.budget = &budget;
	for (uint64_t i = 0; i < EVENTS; i++) {
		struct event *e = array_add(&paired_rec.events);
		struct event_format *f;

		cr_assert_eq(intern_add(&paired_strings, event_names[i],
					strlen(event_names[i]), &e->name),
			     0);
		e->type = i == PLAIN ? PERF_TYPE_SOFTWARE : PERF_TYPE_TRACEPOINT;
		e->config = i;
		e->sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_RAW;
		if (i == PLAIN)
			continue;
		f = array_add(&paired_rec.formats);
		*f = (struct event_format){ i,
					    e->name,
					    event_names[i] + 2,
					    sizeof(fields) / sizeof(*fields),
					    fields,
					    NULL };
		cr_assert(hash_map_set(&paired_rec.format_of_id, i, (uint32_t)i));
	}
	paired_work_begin(&paired);
	cr_assert_eq(filters_new(&filters), 0);
}

void paired_end(void)
{
	paired_work_end(&paired);
	filters_free(filters);
	pairing_release(&paired_pairing);
	event_choice_release(&paired_choice);
	array_release(&paired_rec.events);
	array_release(&paired_rec.formats);
	array_release(&paired_rec.losses);
	hash_map_release(&paired_rec.format_of_id);
	intern_release(&paired_strings);
	budget_release(&budget);
}

void paired_filter(enum filter_side side, const char *text)
{
	cr_assert_eq(filters_add(&paired_ctx, filters, side, text), 0, "%s",
		     paired_ctx.error);
}

void paired_bind(const char *rule)
{
	cr_assert_eq(pairing_bind(&paired_ctx, &paired_pairing, rule, &paired_rec,
				  &paired_strings),
		     0, "%s", paired_ctx.error);
	cr_assert_eq(pairing_choose(&paired_ctx, &paired_pairing, &paired_rec,
				    &paired_strings, &paired_choice),
		     0);
	/* As collected_init() does it. */
	paired.deferred[DEFERRED_PAIRS].kind =
		&pair_kinds[pair_kind_of(&paired_pairing.rule)];
	paired_weigher = (struct weigher){ .ctx = &paired_ctx,
					   .options = &options,
					   .events = &paired_choice,
					   .pairing = &paired_pairing,
					   .filters = filters,
					   .rec = &paired_rec,
					   .target = paired_target_of(&paired) };
}

uint32_t paired_node_of(struct worked *w, const char *stack)
{
	uint32_t path[64], count = 0, node;

	while (*stack) {
		size_t size = strcspn(stack, ";");
		struct frame f = { .image = 99 };
		uint32_t id;

		cr_assert_eq(intern_add(&paired_strings, stack, size, &id), 0);
		f.address = id;
		if (count == 0 || (size == 1 && stack[0] == '-'))
			f.image = IMAGE_ID_NAMES;
		cr_assert_geq(frames_add(&w->frames, &f, &path[count++]), 0);
		stack += size + (stack[size] != '\0');
	}
	cr_assert_eq(trie_add(&w->trie, path, count, &node), 0);
	return node;
}

void paired_take_as(uint16_t event, uint64_t time, uint32_t tid, const char *stack,
		    const int32_t *said)
{
	struct worked *w = (struct worked *)((char *)paired_weigher.target.trie -
					     offsetof(struct worked, trie));
	uint8_t raw[20] = { 0 };
	struct sample s = { .time = time,
			    .position = ++position,
			    .event = event,
			    .pid = tid,
			    .tid = tid,
			    .period = paired_period,
			    .raw = raw,
			    .raw_size = sizeof(raw) };
	struct weighing x;

	raw[2] = (uint8_t)said[FLAGS];
	memcpy(raw + 4, &tid, 4);
	memcpy(raw + 8, said, 12);
	weight_begin(&paired_weigher, &s, !said[FILTERED], &x);
	if (x.needs_stack)
		x.charge.node = paired_node_of(w, stack);
	cr_assert_geq(weight_take(&paired_weigher, &x), 0);
}

struct settlement paired_settlement(void)
{
	return (struct settlement){ .target = paired_target_of(&paired),
				    .options = &options,
				    .pairing = &paired_pairing,
				    .filters = filters,
				    .split = &split,
				    .factor = 1 };
}

void paired_lose(uint64_t from, uint64_t to)
{
	*array_add(&paired_rec.losses) = (struct loss){ from, to };
}

void paired_settle(void)
{
	struct settlement to = paired_settlement();

	for (int i = 0; i < DEFERRED_KINDS; i++)
		cr_assert_eq(deferred_queue_settle(&paired.deferred[i], &to, UINT64_MAX),
			     0);
}

void paired_finish(uint64_t last)
{
	const struct pair_counts *c = &paired.pairs;
	struct settlement to = paired_settlement();

	paired_settle();
	cr_assert_eq(pairing_end(&to, last), 0);
	cr_expect_eq(c->starts,
		     c->paired + c->broken + c->cancelled + c->restarted + c->still_open);
	cr_expect_eq(c->ends, c->paired + c->broken + c->unopened);
	cr_expect(weight_sum_conserved(&paired.sum));
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

const char *paired_folded(void)
{
	static char text[8192];
	char *lines[256];
	size_t count = 0;

	text[0] = '\0';
	for (size_t row = 1; row < paired.trie.rows.count; row++) {
		uint32_t path[200], depth = 0;
		char line[4096];
		size_t size = 0;

		for (uint32_t n = trie_row_node(&paired.trie, row); n;
		     n = paired.trie.nodes[n].parent)
			path[depth++] = paired.trie.nodes[n].frame;
		while (depth-- > 0)
			size += (size_t)snprintf(
				line + size, sizeof(line) - size, "%s%s", size ? ";" : "",
				intern_text(&paired_strings,
					    (uint32_t)paired.frames.list.v[path[depth]]
						    .address));
		snprintf(line + size, sizeof(line) - size, " %" PRIu64,
			 trie_row_self(&paired.trie, row, COLUMN_WEIGHT));
		lines[count++] = strdup(line);
	}
	qsort(lines, count, sizeof(*lines), compare_lines);
	for (size_t i = 0; i < count; i++) {
		strcat(strcat(text, i ? "|" : ""), lines[i]);
		free(lines[i]);
	}
	return text;
}
