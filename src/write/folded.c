#include <stdlib.h>

#include "write/number.h"
#include "write/sink.h"
#include "write/view.h"

/*
 * Stacks in the bytewise order of their lines. The siblings of a view are in the order
 * of their own lines; what is below a node has to wait for the siblings that come
 * before its ';':
 *
 *	a;b         b is reached, its own line goes out, what is below waits
 *	a;b.part.0  '.' < ';'
 *	a;b;c       the next sibling is behind "b;", or there is none
 */
struct level {
	uint32_t next; /* the sibling to go on with when this level is done */
	size_t path; /* size of the path above it */
};

struct folder {
	const struct view *view;
	struct sink sink;
	struct text path; /* labels down to the current level, with ';' behind each */
	ARRAY(struct level) levels;
	ARRAY(uint32_t) waiting; /* nodes whose children wait */
	bool failed; /* no memory */
};

static void add_line(struct folder *f, uint32_t node)
{
	const struct view *v = f->view;
	const struct view_node *n = &v->nodes.v[node];
	struct text *t = &f->sink.text;

	if (f->path.size)
		text_add(t, f->path.bytes, f->path.size);
	text_add(t, label_text(&v->labels, n->label), v->labels.sizes.v[n->label]);
	if (v->before.count) {
		text_char(t, ' ');
		number_decimal(t, v->before.v[node], v->decimals);
	}
	text_char(t, ' ');
	number_decimal(t, n->self, v->decimals);
	text_char(t, '\n');
	sink_drain(&f->sink);
}

/* Below @node, and then on with @next. */
static uint32_t enter(struct folder *f, uint32_t node, uint32_t next)
{
	const struct view_node *n = &f->view->nodes.v[node];
	struct level *level = array_add(&f->levels);

	if (!level) {
		f->failed = true;
		return 0;
	}
	*level = (struct level){ next, f->path.size };
	text_add(&f->path, label_text(&f->view->labels, n->label),
		 f->view->labels.sizes.v[n->label]);
	text_char(&f->path, ';');
	return n->first;
}

/* Back in the level above; there may be nothing left in that one, too. */
static uint32_t leave(struct folder *f)
{
	struct level *level = array_last(&f->levels);

	f->path.size = level->path;
	f->levels.count--;
	return level->next;
}

static bool goes_before(const struct folder *f, uint32_t node, uint32_t waiting)
{
	const struct view_node *nodes = f->view->nodes.v;
	const struct labels *labels = &f->view->labels;
	uint32_t rank = view_is_leaf(f->view, node)
				? label_rank(labels, nodes[node].label)
				: label_rank_below(labels, nodes[node].label);

	return rank < label_rank_below(labels, nodes[waiting].label);
}

static void wait_for_siblings(struct folder *f, uint32_t node)
{
	uint32_t *waiting = array_add(&f->waiting);

	if (waiting)
		*waiting = node;
	else
		f->failed = true;
}

/* The last one that waits below @parent, if it need not wait for @next. */
static uint32_t stop_waiting(struct folder *f, uint32_t parent, uint32_t next)
{
	uint32_t node;

	if (f->waiting.count == 0)
		return 0;
	node = *array_last(&f->waiting);
	if (f->view->nodes.v[node].parent != parent ||
	    (next && goes_before(f, next, node)))
		return 0;
	f->waiting.count--;
	return node;
}

static void add_lines(struct folder *f)
{
	const struct view_node *nodes = f->view->nodes.v;
	uint32_t node = nodes[0].first, parent = 0, ready;

	while (!f->failed) {
		ready = stop_waiting(f, parent, node);
		if (!ready && !node && f->levels.count == 0)
			break;
		if (!ready && !node) {
			node = leave(f);
			parent = nodes[parent].parent;
			continue;
		}
		if (!ready) {
			ready = node;
			node = nodes[node].next;
			if (view_is_leaf(f->view, ready)) {
				add_line(f, ready);
				if (nodes[ready].first)
					wait_for_siblings(f, ready);
				continue;
			}
		}
		node = enter(f, ready, node);
		parent = ready;
	}
}

int write_folded(struct context *ctx, const struct write_input *in, FILE *out)
{
	struct write_input sorted = *in;
	struct folder f = { .sink.out = out };
	struct view view;
	int err, ended;

	sorted.in_order = false;
	err = view_make(ctx, &sorted, 0, &view);
	if (err < 0)
		return err;
	f.view = &view;
	if (view_is_leaf(&view, 0))
		add_line(&f, 0);
	add_lines(&f);
	if (f.failed || f.path.failed)
		err = fail_memory(ctx);
	ended = sink_end(ctx, &f.sink);
	text_release(&f.path);
	array_release(&f.levels);
	array_release(&f.waiting);
	view_release(&view);
	return err < 0 ? err : ended;
}
