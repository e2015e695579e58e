/*
 * Valgrind's profile format (callgrind-format.html of its manual): what functions weigh themselves, and
 * arcs from callers to callees with what passes over them.
 *
 *	fn=(1) main
 *	5 2                 line, self
 *	cfn=(2) work
 *	calls=7 9           samples with the call, line of the callee
 *	5 8                 line, weight with the call
 *
 * A stack counts for an arc once, by its outermost occurrence, however often recursion passes over it.
 * The arc of a function to itself is left out: readers add up the arcs of a function to what is its
 * total, so that one would count twice what the function's other arcs have.
 *
 * Names are defined where they stand first, "(1) main", and are "(1)" then; there is no escape in
 * them, so control characters are U+FFFD.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "write/exchange.h"

/* A function as readers tell them apart. */
struct callgrind_function {
	uint32_t label, module, file, line;
	uint64_t self, samples;
};

struct arc {
	uint32_t caller, callee;
	uint32_t open; /* nodes of it that the walk is below */
	uint64_t total, samples;
};

struct callgrind {
	struct exchange e;
	ARRAY(struct callgrind_function) functions;
	ARRAY(struct arc) arcs;
	struct hash_map by_key, arcs_by_ends;
	uint32_t *of_node; /* function */
	uint64_t *samples; /* by node: of all below */
	/* What has been defined, by id of a label, a module and a file. */
	uint8_t *labels_known, *strings_known;
	struct sink sink;
};

enum { KNOWN_MODULE = 1, KNOWN_FILE = 2 };

/* Arcs are open as long as the walk is below them. */
static int add_arcs(struct callgrind *c)
{
	struct exchange_walk w = { 0 };
	ARRAY(uint32_t) path = { 0 }; /* arcs, by depth; UINT32_MAX: none */
	int more, err = 0;

	while (err == 0 && (more = exchange_next(&c->e, &w)) > 0) {
		const struct view_node *n = exchange_node(&c->e, w.at.node);
		uint32_t caller = c->of_node[n->parent], callee = c->of_node[w.at.node];
		uint64_t key = (uint64_t)caller << 32 | callee;
		const uint32_t *known;
		struct arc *arc;

		for (uint32_t i = 0; i < w.closed; i++)
			if (path.v[w.at.depth + i] != UINT32_MAX)
				c->arcs.v[path.v[w.at.depth + i]].open--;
		while (path.count <= w.at.depth && err == 0)
			err = array_add(&path) ? 0 : -ENOMEM;
		if (err < 0)
			break;
		path.v[w.at.depth] = UINT32_MAX;
		if (!n->parent || caller == callee)
			continue;
		known = hash_map_get(&c->arcs_by_ends, key);
		path.v[w.at.depth] = known ? *known : (uint32_t)c->arcs.count;
		arc = known ? &c->arcs.v[*known] : array_add(&c->arcs);
		if (!arc || (!known &&
			     !hash_map_set(&c->arcs_by_ends, key, path.v[w.at.depth]))) {
			err = -ENOMEM;
			break;
		}
		arc->caller = caller;
		arc->callee = callee;
		if (arc->open++ == 0) {
			arc->total += n->total;
			arc->samples += c->samples[w.at.node];
		}
	}
	array_release(&path);
	array_release(&w.path);
	return err < 0 ? err : more;
}

/* Functions have their numbers in the order of the view. */
static int arcs_by_caller(const void *left, const void *right)
{
	const struct arc *a = left, *b = right;

	if (a->caller != b->caller)
		return a->caller < b->caller ? -1 : 1;
	return a->callee < b->callee ? -1 : a->callee > b->callee;
}

/* "cob=(3) libc.so.6", and where it is known "cob=(3)". */
static void add_definition(struct callgrind *c, const char *key, uint32_t id,
			   uint8_t known)
{
	struct text *t = &c->sink.text;
	uint8_t *flags = known ? &c->strings_known[id] : &c->labels_known[id];
	uint8_t bit = known ?: 1;
	const char *name;

	text_printf(t, "%s=(%u)", key, id + 1);
	if (!(*flags & bit)) {
		name = known ? intern_text(c->e.in.strings, id)
			     : label_text(&c->e.view.labels, id);
		text_char(t, ' ');
		exchange_add_clean(t, *name ? name : "???", 0);
	}
	*flags |= bit;
	text_char(t, '\n');
}

static void add_cost(struct callgrind *c, uint32_t line, uint64_t weight,
		     uint64_t samples)
{
	struct text *t = &c->sink.text;

	text_printf(t, "%u ", line);
	text_u64(t, weight);
	if (c->e.has_samples) {
		text_char(t, ' ');
		text_u64(t, samples);
	}
	text_char(t, '\n');
}

static void add_callgrind_function(struct callgrind *c, uint32_t index, size_t *arc)
{
	const struct callgrind_function *f = &c->functions.v[index];
	struct text *t = &c->sink.text;

	text_char(t, '\n');
	add_definition(c, "ob", f->module, KNOWN_MODULE);
	add_definition(c, "fl", f->file, KNOWN_FILE);
	add_definition(c, "fn", f->label, 0);
	add_cost(c, f->line, f->self, f->samples);
	for (; *arc < c->arcs.count && c->arcs.v[*arc].caller == index; ++*arc) {
		const struct arc *a = &c->arcs.v[*arc];
		const struct callgrind_function *to = &c->functions.v[a->callee];

		add_definition(c, "cob", to->module, KNOWN_MODULE);
		add_definition(c, "cfi", to->file, KNOWN_FILE);
		add_definition(c, "cfn", to->label, 0);
		/* Readers take a weight without a call for the caller's own. */
		text_printf(t, "calls=%llu %u\n",
			    (unsigned long long)(a->samples ? a->samples : 1), to->line);
		add_cost(c, f->line, a->total, a->samples);
		sink_drain(&c->sink);
	}
	sink_drain(&c->sink);
}

static void add_head(struct callgrind *c)
{
	const struct exchange *e = &c->e;
	struct text *t = &c->sink.text;
	char type[64];

	/* An event is a word. */
	snprintf(type, sizeof(type), "%s", e->type);
	for (char *p = type; *p; p++)
		if ((unsigned char)*p <= ' ' || *p == ':' || *p == ',' || *p == 0x7f)
			*p = '_';
	text_string(t, "# callgrind format\nversion: 1\ncreator: flamefold " FF_VERSION
		       "\n");
	if (e->facts->command) {
		text_string(t, "cmd: ");
		exchange_add_clean(t, e->facts->command, 0);
		text_char(t, '\n');
	}
	text_string(t, "positions: line\n");
	if (e->view.decimals)
		text_printf(t, "event: %s : 1e-%u %s\n", type, e->view.decimals, e->unit);
	else if (strcmp(e->unit, "count") != 0)
		text_printf(t, "event: %s : %s\n", type, e->unit);
	text_printf(t, "events: %s%s\nsummary: ", type, e->has_samples ? " samples" : "");
	text_u64(t, exchange_node(e, 0)->total);
	if (e->has_samples)
		text_printf(t, " %llu", (unsigned long long)c->samples[0]);
	text_char(t, '\n');
}

static int collect(struct callgrind *c)
{
	const struct exchange *e = &c->e;
	size_t count = e->view.nodes.count;
	int err;

	c->of_node = calloc(count, sizeof(*c->of_node));
	c->samples = calloc(count, sizeof(*c->samples));
	c->labels_known = calloc(e->view.labels.sizes.count, 1);
	c->strings_known = calloc(e->in.strings->texts.count, 1);
	if (!c->of_node || !c->samples || !c->labels_known || !c->strings_known)
		return -ENOMEM;
	for (uint32_t i = (uint32_t)count; i-- > 0;) {
		c->samples[i] += exchange_samples(e, i);
		if (i)
			c->samples[exchange_node(e, i)->parent] += c->samples[i];
	}
	/* By label and module: inlined or not, a function is one here. */
	for (uint32_t i = 0; i < count; i++) {
		const struct view_node *n = exchange_node(e, i);
		const struct function *f = exchange_function(e, i);
		uint32_t module = i ? f->module : 0;
		uint64_t key = (uint64_t)n->label << 32 | module;
		const uint32_t *known = hash_map_get(&c->by_key, key);
		struct callgrind_function *own;

		c->of_node[i] = known ? *known : (uint32_t)c->functions.count;
		if (!known) {
			own = array_add(&c->functions);
			if (!own || !hash_map_set(&c->by_key, key, c->of_node[i]))
				return -ENOMEM;
			*own = (struct callgrind_function){
				n->label, module, i ? f->file : 0, i ? f->line : 0, 0, 0
			};
		}
		own = &c->functions.v[c->of_node[i]];
		own->self += n->self;
		own->samples += exchange_samples(e, i);
	}
	err = add_arcs(c);
	if (err == 0 && c->arcs.count)
		qsort(c->arcs.v, c->arcs.count, sizeof(*c->arcs.v), arcs_by_caller);
	return err;
}

int write_callgrind(struct context *ctx, const struct tree_source *in,
		    const struct write_options *options, FILE *out)
{
	struct callgrind c = { .sink.out = out };
	size_t arc = 0;
	int err = exchange_open(ctx, in, options, VIEW_BY_FUNCTION, &c.e);

	if (err < 0)
		return err;
	err = collect(&c);
	if (err == 0)
		add_head(&c);
	/* Function 0 is the root, which may have stacks without a frame. */
	for (uint32_t i = 0; err == 0 && i < c.functions.count; i++)
		if (i || c.functions.v[0].self)
			add_callgrind_function(&c, i, &arc);
	if (err == 0) {
		text_string(&c.sink.text, "totals: ");
		text_u64(&c.sink.text, exchange_node(&c.e, 0)->total);
		if (c.e.has_samples)
			text_printf(&c.sink.text, " %llu",
				    (unsigned long long)c.samples[0]);
		text_char(&c.sink.text, '\n');
	}
	c.sink.text.failed |= err < 0;
	array_release(&c.functions);
	array_release(&c.arcs);
	hash_map_release(&c.by_key);
	hash_map_release(&c.arcs_by_ends);
	free(c.of_node);
	free(c.samples);
	free(c.labels_known);
	free(c.strings_known);
	exchange_close(&c.e);
	return sink_end(ctx, &c.sink);
}
