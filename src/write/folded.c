#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "write/label.h"
#include "write/number.h"
#include "write/sink.h"
#include "write/view.h"

/*
 * Stacks in the bytewise order of their lines, straight from the named tree, which is in
 * order already but for what is printed behind names. A node has up to two items among
 * its siblings', its line and what is below it, because that ';' takes part in the order:
 *
 *	a;b         the line of b
 *	a;b.part.0  '.' < ';'
 *	a;b;c       what is below b
 *
 * Items of one rank, of functions that print alike, are one line, or one level below.
 */
struct item {
	uint32_t rank; /* of the label, alone or with the ';' behind it */
	uint32_t node;
	bool below;
};

struct level {
	size_t first, next; /* items: its first one, and the one to go on with */
	size_t path; /* size of the path above it */
};

enum {
	/* Nodes of a tree whose lines take some milliseconds to write. */
	LARGE_TREE = 1 << 16,
};

/* What stands for a function that is no frame: its value is its parent's own. */
#define GAP UINT32_MAX

struct folder {
	const struct named *tree;
	struct labels labels;
	uint32_t *label; /* by function */
	uint64_t *self, *before; /* by node, with its gaps'; NULL: as in the tree */
	struct sink sink;
	struct text path; /* labels down to the current level, with ';' behind each */
	ARRAY(struct level) levels;
	ARRAY(struct item) items; /* of all levels that are open, the last one's last */
	bool failed; /* no memory */
};

static uint64_t own_value(const struct folder *f, uint32_t node)
{
	return f->self ? f->self[node] : f->tree->self[node];
}

static uint64_t own_before(const struct folder *f, uint32_t node)
{
	const uint64_t *before = f->before ? f->before : f->tree->before;

	return before ? before[node] : 0;
}

static uint32_t label_of(const struct folder *f, uint32_t node)
{
	return f->label[f->tree->nodes.v[node].function];
}

static int label_functions(struct folder *f, const struct write_input *in, bool *gaps)
{
	size_t functions = in->symbols->functions.count;
	enum { UNSEEN = UINT32_MAX - 1 };
	int err = 0;

	*gaps = false;
	f->label = malloc((functions + 1) * sizeof(*f->label));
	if (!f->label)
		return -ENOMEM;
	for (size_t i = 0; i < functions; i++)
		f->label[i] = UNSEEN;
	for (size_t i = 1; i < f->tree->nodes.count && err == 0; i++) {
		uint32_t *label = &f->label[f->tree->nodes.v[i].function];
		const struct function *function =
			&in->symbols->functions.v[f->tree->nodes.v[i].function];

		if (*label != UNSEEN)
			continue;
		*label = GAP;
		if (function->kind == FUNCTION_GAP)
			*gaps = true;
		else
			err = labels_add(&f->labels,
					 intern_text(in->strings, function->name),
					 view_mark(in, function->kind), label);
	}
	return err < 0 ? err : labels_rank(&f->labels);
}

static int add_gaps(const struct folder *f, const uint64_t *values, uint64_t **ret)
{
	size_t count = f->tree->nodes.count;

	if (!values)
		return 0;
	*ret = malloc((count + 1) * sizeof(**ret));
	if (!*ret)
		return -ENOMEM;
	memcpy(*ret, values, count * sizeof(**ret));
	for (uint32_t i = 1; i < count; i++)
		if (label_of(f, i) == GAP)
			(*ret)[f->tree->nodes.v[i].parent] += values[i];
	return 0;
}

static void add_item(struct folder *f, uint32_t node, bool below)
{
	uint32_t label = label_of(f, node);
	struct item *item = array_add(&f->items);

	if (!item) {
		f->failed = true;
		return;
	}
	*item = (struct item){ below ? label_rank_below(&f->labels, label)
				     : label_rank(&f->labels, label),
			       node, below };
}

static void add_children(struct folder *f, uint32_t node)
{
	const struct named_node *nodes = f->tree->nodes.v;

	for (uint32_t i = node + 1; i < nodes[node].end; i = nodes[i].end) {
		if (label_of(f, i) == GAP)
			continue;
		if (own_value(f, i) || own_before(f, i))
			add_item(f, i, false);
		if (nodes[i].end > i + 1)
			add_item(f, i, true);
	}
}

static int compare_items(const void *left, const void *right)
{
	const struct item *a = left, *b = right;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return a->node < b->node ? -1 : a->node > b->node;
}

static void sort_items(struct item *items, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (items[i].rank < items[i - 1].rank) {
			qsort(items, count, sizeof(*items), compare_items);
			return;
		}
}

static struct level *open_level(struct folder *f)
{
	struct level *level = array_add(&f->levels);

	if (level)
		*level = (struct level){ f->items.count, f->items.count, f->path.size };
	else
		f->failed = true;
	return level;
}

/* One level down, below the nodes of the items from @from to @to. */
static void enter(struct folder *f, size_t from, size_t to)
{
	uint32_t label = label_of(f, f->items.v[from].node);
	struct level *level = open_level(f);

	if (!level)
		return;
	text_add(&f->path, label_text(&f->labels, label), f->labels.sizes.v[label]);
	text_char(&f->path, ';');
	for (size_t i = from; i < to; i++)
		add_children(f, f->items.v[i].node);
	sort_items(&f->items.v[level->first], f->items.count - level->first);
}

static void leave(struct folder *f)
{
	const struct level *level = array_last(&f->levels);

	f->items.count = level->first;
	f->path.size = level->path;
	f->levels.count--;
}

static void add_line(struct folder *f, uint32_t label, uint64_t before, uint64_t self)
{
	struct text *t = &f->sink.text;

	if (f->path.size)
		text_add(t, f->path.bytes, f->path.size);
	text_add(t, label_text(&f->labels, label), f->labels.sizes.v[label]);
	if (f->tree->before) {
		text_char(t, ' ');
		number_decimal(t, before, f->tree->decimals);
	}
	text_char(t, ' ');
	number_decimal(t, self, f->tree->decimals);
	text_char(t, '\n');
	sink_drain(&f->sink);
}

static void add_sum(struct folder *f, size_t from, size_t to)
{
	uint64_t before = 0, self = 0;

	for (size_t i = from; i < to; i++) {
		before += own_before(f, f->items.v[i].node);
		self += own_value(f, f->items.v[i].node);
	}
	add_line(f, label_of(f, f->items.v[from].node), before, self);
}

/* All lines but the root's. */
static void add_lines(struct folder *f)
{
	if (!open_level(f))
		return;
	add_children(f, 0);
	sort_items(f->items.v, f->items.count);
	while (f->levels.count && !f->failed) {
		struct level *level = array_last(&f->levels);
		size_t from = level->next, to = from + 1;

		if (from == f->items.count) {
			leave(f);
			continue;
		}
		while (to < f->items.count &&
		       f->items.v[to].rank == f->items.v[from].rank)
			to++;
		level->next = to;
		if (f->items.v[from].below)
			enter(f, from, to);
		else
			add_sum(f, from, to);
	}
}

static int prepare(struct folder *f, const struct write_input *in)
{
	bool gaps;
	int err = labels_init(&f->labels);

	if (err == 0)
		err = label_functions(f, in, &gaps);
	if (err == 0 && gaps)
		err = add_gaps(f, f->tree->self, &f->self);
	if (err == 0 && gaps)
		err = add_gaps(f, f->tree->before, &f->before);
	return err;
}

static void release(struct folder *f)
{
	labels_release(&f->labels);
	free(f->label);
	free(f->self);
	free(f->before);
	text_release(&f->path);
	array_release(&f->levels);
	array_release(&f->items);
}

int write_folded(struct context *ctx, const struct write_input *in, FILE *out)
{
	struct folder f = { .tree = in->tree, .sink.out = out };
	int err = prepare(&f, in), ended;

	if (in->threads > 1 && f.tree->nodes.count > LARGE_TREE)
		sink_write_behind(&f.sink);
	if (err == 0 && f.tree->nodes.count) {
		if (own_value(&f, 0) || own_before(&f, 0))
			add_line(&f, 0, own_before(&f, 0), own_value(&f, 0));
		add_lines(&f);
	}
	if (err < 0 || f.failed || f.path.failed)
		err = fail_memory(ctx);
	ended = sink_end(ctx, &f.sink);
	release(&f);
	return err < 0 ? err : ended;
}
