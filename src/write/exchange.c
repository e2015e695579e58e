/*
 * Formats of other programs see one view, and what they have in common is here: which frames are
 * processes, what a weight is called, and numbers for functions in the order in which a reader meets
 * them. A difference has a place in pprof's only.
 */
#include "write/exchange.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "input/input.h"

static const struct write_facts nothing_known;

int exchange_open(struct context *ctx, const struct tree_source *in,
		  const struct write_options *options, unsigned flags,
		  struct exchange *ret)
{
	struct exchange e = { .in = *in, .facts = options ? options->facts : NULL };
	const char *unit, *events;
	int err;

	if (named_is_difference(in->tree) && !(flags & EXCHANGE_DIFFERENCES))
		return fail(
			ctx, -EINVAL,
			"a difference has no place in this format: svg, html, folded and "
			"pprof have one");
	if (!e.facts)
		e.facts = &nothing_known;
	e.in.in_order = false;
	flags &= ~(unsigned)EXCHANGE_DIFFERENCES;
	err = view_make(ctx, &e.in, flags | VIEW_COLUMNS, &e.view);
	if (err < 0)
		return err;
	e.has_code = tree_has_code(in);
	/* "cpu-clock:u" counts processor time, and pprof's own name for that is "cpu". */
	unit = e.facts->unit ? e.facts->unit : "samples";
	events = e.facts->events;
	if (strcmp(unit, "ns") == 0) {
		e.unit = "nanoseconds";
		e.type = !events || strstr(events, "-clock") ? "cpu" : events;
	} else if (strcmp(unit, "bytes") == 0) {
		e.unit = unit;
		e.type = events ? events : "space";
	} else {
		e.unit = "count";
		e.type = unit;
	}
	/* Samples that weigh one each are counted once. */
	e.has_samples = e.facts->samples > 0 && strcmp(unit, "samples") != 0 &&
			view_has(&e.view, COLUMN_SAMPLES);
	*ret = e;
	return 0;
}

void exchange_close(struct exchange *e)
{
	view_release(&e->view);
}

const char *exchange_kind(const struct function *f)
{
	static const char *const kinds[] = {
		[FUNCTION_USER] = "user",
		[FUNCTION_KERNEL] = "kernel",
		[FUNCTION_JIT] = "jit",
		[FUNCTION_INLINED] = "inlined",
	};

	return f->kind < sizeof(kinds) / sizeof(*kinds) ? kinds[f->kind] : NULL;
}

bool exchange_is_label(const struct exchange *e, uint32_t node)
{
	const struct function *f = exchange_function(e, node);

	return node && f->kind == FUNCTION_LABEL && f->module &&
	       strncmp(intern_text(e->in.strings, f->module), PRINTED_LABEL,
		       sizeof(PRINTED_LABEL) - 1) == 0;
}

struct sample_label exchange_label(const struct exchange *e, uint32_t node)
{
	static const char number[] = PRINTED_LABEL_NUMBER;
	const struct function *f = exchange_function(e, node);
	const char *kind = intern_text(e->in.strings, f->module);
	struct sample_label label = { intern_text(e->in.strings, f->file),
				      intern_text(e->in.strings, f->name), NULL, 0 };

	label.value += strlen(label.key);
	label.value += *label.value == '=';
	if (strncmp(kind, number, sizeof(number) - 1) == 0) {
		label.unit = kind + sizeof(number) - 1;
		label.unit += *label.unit == ' ';
		label.unit_size = strcspn(label.unit, "]");
	}
	return label;
}

/* The number that ends before @end, and where it begins; 0 digits: there is none. */
static size_t number_before(const char *text, size_t end, uint64_t *ret)
{
	size_t at = end;

	while (at > 0 && text[at - 1] >= '0' && text[at - 1] <= '9' && end - at < 18)
		at--;
	*ret = at < end ? strtoull(text + at, NULL, 10) : 0;
	return at;
}

struct process_name exchange_process(const struct exchange *e, uint32_t node)
{
	uint32_t label = exchange_node(e, node)->label;
	struct process_name p = { label_text(&e->view.labels, label),
				  e->view.labels.sizes.v[label], 0, 0 };
	size_t at = p.size;

	if (e->facts->root == FF_ROOT_TID) {
		at = number_before(p.comm, at, &p.tid);
		if (at == 0 || at == p.size || p.comm[--at] != '/') {
			p.tid = 0;
			return p;
		}
	}
	if (e->facts->root != FF_ROOT_COMM) {
		size_t digits = number_before(p.comm, at, &p.pid);

		if (digits > 0 && digits < at && p.comm[digits - 1] == '-')
			p.size = digits - 1;
		else
			p.pid = p.tid = 0;
	}
	return p;
}

void exchange_add_name(const struct exchange *e, struct text *t, uint32_t node)
{
	uint32_t label = exchange_node(e, node)->label;

	json_string(t, label_text(&e->view.labels, label), e->view.labels.sizes.v[label]);
}

void exchange_add_clean(struct text *t, const char *name, char twice)
{
	const char *end = name + strlen(name), *plain = name;

	while (name < end) {
		const char *from = name;
		uint32_t c = utf8_next(&name, end);

		if (c >= ' ' && (c < 0x7f || c >= 0xa0) && c != UTF8_REPLACEMENT &&
		    c != (unsigned char)twice)
			continue;
		/* What needs no change goes out at once. */
		text_add(t, plain, (size_t)(from - plain));
		plain = name;
		if (twice && c == (unsigned char)twice)
			text_printf(t, "%c%c", twice, twice);
		else
			text_string(t, "\xef\xbf\xbd");
	}
	text_add(t, plain, (size_t)(end - plain));
}

void exchange_add_weight(const struct exchange *e, struct text *t, uint64_t weight)
{
	number_decimal(t, weight, e->view.decimals);
}

int numbering_make(const struct exchange *e, enum numbered what, bool processes,
		   struct numbering *ret)
{
	size_t count = what == NUMBER_LABELS ? e->view.labels.sizes.count
					     : e->in.symbols->functions.count;
	struct numbering n = { .of = malloc((count + 1) * sizeof(*n.of)) };
	int err = n.of ? 0 : -ENOMEM;

	if (err == 0)
		memset(n.of, 0xff, (count + 1) * sizeof(*n.of));
	for (uint32_t i = 1; err == 0 && i < e->view.nodes.count; i++) {
		const struct view_node *v = exchange_node(e, i);
		uint32_t *number = &n.of[what == NUMBER_LABELS ? v->label : v->function];
		uint32_t *node;

		if (*number != UINT32_MAX || (!processes && (exchange_is_process(e, i) ||
							     exchange_is_label(e, i))))
			continue;
		*number = (uint32_t)n.nodes.count;
		node = array_add(&n.nodes);
		if (node)
			*node = i;
		else
			err = -ENOMEM;
	}
	if (err < 0)
		numbering_release(&n);
	else
		*ret = n;
	return err;
}

void numbering_release(struct numbering *n)
{
	free(n->of);
	n->of = NULL;
	array_release(&n->nodes);
}

int exchange_next(const struct exchange *e, struct exchange_walk *w)
{
	uint32_t before = w->at.depth;
	bool begins = w->path.count == 0, goes_on = begins;

	if (!begins)
		goes_on = view_next(&e->view, &w->at, VIEW_INTO);
	w->closed = goes_on ? (begins ? 0 : before + 1 - w->at.depth) : before + 1;
	if (!goes_on)
		return 0;
	while (w->path.count <= w->at.depth)
		if (!array_add(&w->path))
			return -ENOMEM;
	w->path.v[w->at.depth] = w->at.node;
	return 1;
}
