/*
 * tree: calls with their share of all, the heaviest first. What follows each other without a branch,
 * and loses nothing on the way, is one chain, whose later frames stand below the first one without
 * numbers, as perf report --stdio prints them.
 *
 *	  total     self
 *	100.00%    0.00%  main
 *	                  run
 *	 60.00%    0.00%  |-- parse
 *	 60.00%   60.00%  |   `-- next_token
 *	 40.00%   40.00%  `-- write
 *
 * A terminal has room for some steps to the right. A call further in has those that are nearest to it,
 * behind how many there are more: "+3  |   `-- write".
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/columns.h"
#include "cli/summary.h"
#include "cli/terminal.h"

/* perf's own bound; deeper than a terminal is wide nothing can be read. */
#define LEAST 0.5
enum {
	INDENT = 4,
	INDENT_MOST = 40,
	INDENT_LEAST = 2, /* one that tells how many there are, and one of a branch */
	NAME_LEAST = 20,
	NUMBERS = 2 * 7 + 2 * 2, /* and the blanks behind each */
};

/* What is open, by depth: the sibling that is printed next, 0: none. */
struct open_call {
	unsigned sibling;
	bool goes_on; /* below what is printed now, there is one */
};

struct call_printer {
	const struct settings *settings;
	const struct ff_calls *calls;
	struct page page;
	struct open_call *open;
	size_t depth, room;
	size_t steps; /* to the right, as many as are shown */
	bool hides; /* calls that are too light */
	bool cuts; /* steps */
};

/* The next sibling that is printed; siblings are sorted, so the first one that is too light is the
 * last one looked at. */
static unsigned shown_sibling(struct call_printer *c, unsigned node)
{
	struct ff_calls_node n;

	if (!node)
		return 0;
	ff_calls_node(c->calls, node, &n);
	if (share(n.total, c->page.total) >= c->settings->least)
		return node;
	c->hides = true;
	return 0;
}

/* @numbers: of the chain that it begins; NULL: of none. */
static void put_call(struct call_printer *c, const char *name,
		     const struct ff_calls_node *numbers)
{
	const struct page *page = &c->page;
	size_t hidden = c->depth > c->steps ? c->depth - c->steps + 1 : 0;
	size_t used = NUMBERS + INDENT * (hidden ? c->steps : c->depth);
	unsigned width = page->width > used + NAME_LEAST ? page->width - (unsigned)used
							 : NAME_LEAST;

	if (numbers) {
		put_percent(page, numbers->total);
		fputs("  ", page->out);
		put_percent(page, numbers->self);
	} else {
		fprintf(page->out, "%*s", NUMBERS - 2, "");
	}
	fputs("  ", page->out);
	c->cuts |= hidden > 0;
	if (hidden)
		fprintf(page->out, "+%-*zu", INDENT - 1, hidden);
	for (size_t i = hidden; i < c->depth; i++) {
		bool branches = numbers && i + 1 == c->depth;

		if (c->open[i].goes_on)
			fputs(branches ? "|-- " : "|   ", page->out);
		else
			fputs(branches ? "`-- " : "    ", page->out);
	}
	if (page->width)
		put_name(page, name, width, false);
	else
		put_clean(page->out, name);
	putc('\n', page->out);
}

/* A node, and those below it that are alone and have all of its weight, so that only the last of them
 * can have some of its own. Which one that is. */
static unsigned put_chain(struct call_printer *c, unsigned node)
{
	struct ff_calls_node n, below;
	unsigned end = node;

	ff_calls_node(c->calls, node, &n);
	for (below = n; below.first;) {
		struct ff_calls_node next;

		ff_calls_node(c->calls, below.first, &next);
		if (next.total != n.total)
			break;
		end = below.first;
		below = next;
	}
	n.self = below.self;
	put_call(c, n.name, &n);
	while (node != end) {
		node = n.first;
		ff_calls_node(c->calls, node, &n);
		put_call(c, n.name, NULL);
	}
	return end;
}

/* What waits is on no stack of this process: a tree may be deeper than that. */
static int put_calls(struct call_printer *c)
{
	struct ff_calls_node n;
	unsigned node;

	ff_calls_node(c->calls, 0, &n);
	node = shown_sibling(c, n.first);
	while (node) {
		unsigned sibling, below;

		ff_calls_node(c->calls, node, &n);
		sibling = shown_sibling(c, n.next);
		if (c->depth)
			c->open[c->depth - 1].goes_on = sibling != 0;
		ff_calls_node(c->calls, put_chain(c, node), &n);
		below = shown_sibling(c, n.first);
		if (below) {
			if (c->depth == c->room) {
				size_t room = 2 * c->room + 64;
				struct open_call *grown =
					realloc(c->open, room * sizeof(*grown));

				if (!grown)
					return -ENOMEM;
				c->open = grown;
				c->room = room;
			}
			c->open[c->depth++] = (struct open_call){ sibling, false };
			node = below;
			continue;
		}
		node = sibling;
		while (!node && c->depth > 0)
			node = c->open[--c->depth].sibling;
	}
	return 0;
}

/* As many as leave room for a name. */
static size_t steps_of(unsigned width)
{
	size_t steps = width > NUMBERS + NAME_LEAST
			       ? (width - NUMBERS - NAME_LEAST) / INDENT
			       : 0;

	if (!width || steps > INDENT_MOST)
		return INDENT_MOST;
	return steps > INDENT_LEAST ? steps : INDENT_LEAST;
}

static int put_tree(const struct text_job *job, struct ff_profile *p, FILE *out)
{
	struct call_printer c = { .settings = job->settings, .page = page_of(p, out) };
	struct ff_calls *calls;
	struct ff_calls_node root;
	int err = ff_calls_new(p, job->settings->calls_from, &calls);

	if (err < 0)
		return err;
	c.calls = calls;
	c.steps = steps_of(c.page.width);
	ff_calls_node(calls, 0, &root);
	c.page.total = root.total;
	put_heading(&c.page);
	fprintf(out, "#  total    self  %s\n",
		job->settings->calls_from == FF_CALLS_FROM_LEAF
			? "function and its callers"
			: "function and what it calls");
	err = put_calls(&c);
	if (c.hides)
		fprintf(out, "# what has less than %g %% is left out (--min)\n",
			job->settings->least);
	if (c.cuts)
		fputs("# +N: as many steps further to the right\n", out);
	free(c.open);
	ff_calls_free(calls);
	return err;
}

static int tree_run(const struct settings *s)
{
	struct settings wanted = *s;
	struct text_job job = { .settings = &wanted, .put = put_tree };

	if (wanted.least < 0)
		wanted.least = LEAST;
	return print_text(&job);
}

const struct command command_tree = {
	"tree",
	"[options] [INPUT...]",
	"print a call tree, the heaviest calls first",
	COMMAND_TREE,
	tree_run,
};
