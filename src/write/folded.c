#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "write/number.h"
#include "write/sink.h"
#include "write/write.h"

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
 * A reader takes a ';' at the end for the end of the last name, so a stack whose last name is
 * empty gets one more.
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

/* Where the lines of a large tree are cut, so that threads print one piece each: what
 * .next of each level is there. */
struct cut {
	size_t first, depth; /* among .nexts */
};

enum {
	PIECE = 1 << 13, /* nodes: half a millisecond's lines */
	LARGE_TREE = 8 * PIECE,
	DEPTH_MOST = 4096, /* of a cut; what is deeper is left in one piece */
};

/* What stands for a function that is no frame: its value is its parent's own. */
#define GAP UINT32_MAX

struct folder {
	const struct named *tree;
	struct labels labels;
	uint32_t *label; /* by function */
	uint64_t *self, *before; /* by node, with its gaps'; NULL: as in the tree */
	ARRAY(struct cut) cuts; /* where pieces but the first begin */
	ARRAY(size_t) nexts;
	struct sink_turns turns;
	size_t threads;
	struct printer *printers; /* one a thread */
};

/* Goes through the lines, or a piece of them. */
struct printer {
	const struct folder *folder;
	struct sink sink;
	struct text path; /* labels down to the current level, with ';' behind each */
	ARRAY(struct level) levels;
	ARRAY(struct item) items; /* of all levels that are open, the last one's last */
	bool failed; /* no memory */
};

static uint64_t own_value(const struct folder *f, uint32_t node)
{
	return f->self ? f->self[node] : named_value(f->tree, node, COLUMN_WEIGHT);
}

static uint64_t own_before(const struct folder *f, uint32_t node)
{
	return f->before ? f->before[node] : named_value(f->tree, node, COLUMN_BEFORE);
}

static uint32_t label_of(const struct folder *f, uint32_t node)
{
	return f->label[f->tree->nodes.v[node].function];
}

static int label_functions(struct folder *f, const struct tree_source *in, bool *gaps)
{
	size_t functions = in->symbols->functions.count;
	int err = 0;

	*gaps = false;
	f->label = malloc((functions + 1) * sizeof(*f->label));
	if (!f->label)
		return -ENOMEM;
	for (size_t i = 0; i < functions && err == 0; i++) {
		const struct function *function = &in->symbols->functions.v[i];

		f->label[i] = GAP;
		if (function->kind == FUNCTION_GAP)
			*gaps = true;
		else
			err = labels_add(&f->labels,
					 intern_text(in->strings, function->name),
					 view_mark(in, function->kind), &f->label[i]);
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

static void add_item(struct printer *p, uint32_t node, bool below)
{
	const struct labels *labels = &p->folder->labels;
	uint32_t label = label_of(p->folder, node);
	struct item *item = array_add(&p->items);

	if (!item) {
		p->failed = true;
		return;
	}
	*item = (struct item){ below ? label_rank_below(labels, label)
				     : label_rank(labels, label),
			       node, below };
}

static void add_children(struct printer *p, uint32_t node)
{
	const struct folder *f = p->folder;
	const struct named_node *nodes = f->tree->nodes.v;

	for (uint32_t i = node + 1; i < nodes[node].end; i = nodes[i].end) {
		if (label_of(f, i) == GAP)
			continue;
		if (own_value(f, i) || own_before(f, i))
			add_item(p, i, false);
		if (nodes[i].end > i + 1)
			add_item(p, i, true);
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

static struct level *open_level(struct printer *p)
{
	struct level *level = array_add(&p->levels);

	if (level)
		*level = (struct level){ p->items.count, p->items.count, p->path.size };
	else
		p->failed = true;
	return level;
}

/* One level down, below the nodes of the items from @from to @to. */
static void enter(struct printer *p, size_t from, size_t to)
{
	const struct labels *labels = &p->folder->labels;
	uint32_t label = label_of(p->folder, p->items.v[from].node);
	struct level *level = open_level(p);

	if (!level)
		return;
	text_add(&p->path, label_text(labels, label), labels->sizes.v[label]);
	text_char(&p->path, ';');
	for (size_t i = from; i < to; i++)
		add_children(p, p->items.v[i].node);
	sort_items(&p->items.v[level->first], p->items.count - level->first);
}

static void leave(struct printer *p)
{
	const struct level *level = array_last(&p->levels);

	p->items.count = level->first;
	p->path.size = level->path;
	p->levels.count--;
}

/* To the first item of all. */
static void start(struct printer *p)
{
	p->levels.count = p->items.count = 0;
	text_clear(&p->path);
	if (!open_level(p))
		return;
	add_children(p, 0);
	sort_items(p->items.v, p->items.count);
}

/* The items of one rank that a level goes on with; leaves levels that are done with. False
 * at the end of all. */
static bool next_items(struct printer *p, size_t *from, size_t *to)
{
	while (p->levels.count && !p->failed) {
		struct level *level = array_last(&p->levels);

		*from = level->next;
		if (*from == p->items.count) {
			leave(p);
			continue;
		}
		for (*to = *from + 1; *to < p->items.count; ++*to)
			if (p->items.v[*to].rank != p->items.v[*from].rank)
				break;
		return true;
	}
	return false;
}

/* On behind these items; below them first, where there is anything. */
static void go_on(struct printer *p, size_t from, size_t to)
{
	array_last(&p->levels)->next = to;
	if (p->items.v[from].below)
		enter(p, from, to);
}

static void add_values(struct printer *p, uint64_t before, uint64_t self)
{
	const struct folder *f = p->folder;
	struct text *t = &p->sink.text;

	if (f->tree->values[COLUMN_BEFORE]) {
		text_char(t, ' ');
		number_decimal(t, before, f->tree->decimals);
	}
	text_char(t, ' ');
	number_decimal(t, self, f->tree->decimals);
	text_char(t, '\n');
	sink_drain(&p->sink);
}

static void add_stack(struct printer *p, uint32_t label)
{
	const struct labels *labels = &p->folder->labels;
	struct text *t = &p->sink.text;

	if (p->path.size)
		text_add(t, p->path.bytes, p->path.size);
	text_add(t, label_text(labels, label), labels->sizes.v[label]);
	if (!labels->sizes.v[label])
		text_char(t, ';');
}

static void add_sum(struct printer *p, size_t from, size_t to)
{
	const struct folder *f = p->folder;
	uint64_t before = 0, self = 0;

	for (size_t i = from; i < to; i++) {
		before += own_before(f, p->items.v[i].node);
		self += own_value(f, p->items.v[i].node);
	}
	add_stack(p, label_of(f, p->items.v[from].node));
	add_values(p, before, self);
}

/* Nodes below items, with themselves. */
static size_t count_below(const struct printer *p, size_t from, size_t to)
{
	const struct named_node *nodes = p->folder->tree->nodes.v;
	size_t sum = 0;

	for (size_t i = from; i < to; i++)
		sum += nodes[p->items.v[i].node].end - p->items.v[i].node;
	return sum;
}

static bool add_cut(struct folder *f, const struct printer *p)
{
	struct cut *cut = array_add(&f->cuts);

	if (!cut || !array_reserve(&f->nexts, p->levels.count))
		return false;
	*cut = (struct cut){ f->nexts.count, p->levels.count };
	for (size_t i = 0; i < p->levels.count; i++)
		*array_add(&f->nexts) = p->levels.v[i].next;
	return true;
}

/* How large a piece is that begins here: who begins it has to sort all items above again,
 * and each thread does so once for a node with very many children. */
static size_t piece_here(const struct folder *f, const struct printer *p)
{
	size_t share = p->items.count / f->threads;

	return share > PIECE ? share : PIECE;
}

/* Goes over all that is no larger than a piece, and into what is. */
static int cut_lines(struct folder *f, struct printer *p)
{
	size_t from, to, sum = 0;

	start(p);
	while (next_items(p, &from, &to)) {
		size_t size = p->items.v[from].below ? count_below(p, from, to) : 1;

		if (size > PIECE && p->levels.count < DEPTH_MOST) {
			go_on(p, from, to);
			continue;
		}
		if (sum + size > piece_here(f, p) && sum > 0) {
			if (!add_cut(f, p))
				return -ENOMEM;
			sum = 0;
		}
		sum += size;
		array_last(&p->levels)->next = to;
	}
	return p->failed ? -ENOMEM : 0;
}

/* To where a piece begins. */
static void start_at(struct printer *p, const struct cut *cut)
{
	const size_t *nexts = &p->folder->nexts.v[cut->first];

	start(p);
	for (size_t i = 0; i < cut->depth && !p->failed; i++) {
		size_t to = nexts[i], from = to - 1;

		array_last(&p->levels)->next = to;
		if (i + 1 == cut->depth)
			break;
		while (from > p->levels.v[i].first &&
		       p->items.v[from - 1].rank == p->items.v[to - 1].rank)
			from--;
		enter(p, from, to);
	}
}

static bool is_at(const struct printer *p, const struct cut *cut)
{
	const size_t *nexts = &p->folder->nexts.v[cut->first];

	if (p->levels.count != cut->depth)
		return false;
	for (size_t i = cut->depth; i-- > 0;)
		if (p->levels.v[i].next != nexts[i])
			return false;
	return true;
}

/* The lines of a piece. */
static void add_lines(struct printer *p, size_t piece)
{
	const struct folder *f = p->folder;
	const struct cut *until = piece < f->cuts.count ? &f->cuts.v[piece] : NULL;
	size_t from, to;

	if (piece == 0 && (own_value(f, 0) || own_before(f, 0)))
		add_values(p, own_before(f, 0), own_value(f, 0));
	if (piece == 0)
		start(p);
	else
		start_at(p, &f->cuts.v[piece - 1]);
	while (next_items(p, &from, &to) && !(until && is_at(p, until))) {
		if (!p->items.v[from].below)
			add_sum(p, from, to);
		go_on(p, from, to);
	}
}

static int print_piece(void *arg, size_t piece, size_t worker)
{
	struct folder *f = arg;
	struct printer *p = &f->printers[worker];

	sink_take_turn(&p->sink, &f->turns, piece);
	add_lines(p, piece);
	/* A piece with a gap is none, and nothing is written behind it. */
	p->sink.text.failed |= p->failed || p->path.failed;
	sink_pass_turn(&p->sink);
	return p->sink.text.failed ? -ENOMEM : 0;
}

static int prepare(struct folder *f, const struct tree_source *in)
{
	bool gaps;
	int err = labels_init(&f->labels);

	if (err == 0)
		err = label_functions(f, in, &gaps);
	if (err == 0 && gaps)
		err = add_gaps(f, f->tree->values[COLUMN_WEIGHT], &f->self);
	if (err == 0 && gaps)
		err = add_gaps(f, f->tree->values[COLUMN_BEFORE], &f->before);
	return err;
}

static int make_printers(struct folder *f, FILE *out)
{
	f->printers = calloc(f->threads, sizeof(*f->printers));
	for (size_t i = 0; f->printers && i < f->threads; i++)
		f->printers[i] = (struct printer){ .folder = f, .sink.out = out };
	return f->printers ? 0 : -ENOMEM;
}

static void release(struct folder *f)
{
	for (size_t i = 0; f->printers && i < f->threads; i++) {
		text_release(&f->printers[i].path);
		text_release(&f->printers[i].sink.text);
		array_release(&f->printers[i].levels);
		array_release(&f->printers[i].items);
	}
	free(f->printers);
	labels_release(&f->labels);
	free(f->label);
	free(f->self);
	free(f->before);
	array_release(&f->cuts);
	array_release(&f->nexts);
	sink_turns_destroy(&f->turns);
}

/* Never more than there is work for. */
static size_t thread_count(const struct tree_source *in)
{
	size_t nodes = in->tree->nodes.count;

	if (nodes <= LARGE_TREE || in->threads == 0)
		return 1;
	return in->threads < nodes / PIECE ? in->threads : nodes / PIECE;
}

int write_folded(struct context *ctx, const struct tree_source *in,
		 const struct write_options *options, FILE *out)
{
	struct folder f = { .tree = in->tree, .threads = thread_count(in) };
	struct sink end = { .out = out };
	int err, ended;

	(void)options;
	sink_turns_init(&f.turns);
	err = prepare(&f, in);
	if (err == 0)
		err = make_printers(&f, out);
	if (err == 0 && f.threads > 1)
		err = cut_lines(&f, &f.printers[0]);
	if (err == 0 && f.tree->nodes.count)
		err = parallel_run(f.threads, f.cuts.count + 1, print_piece, &f);
	end.err = f.turns.err;
	release(&f);
	ended = sink_end(ctx, &end);
	return err < 0 ? fail_memory(ctx) : ended;
}
