/*
 * Short names for the viewer's sources: see embed.c.
 *
 * A unit is a function, or what else is declared on the outside. What is declared there and
 * the names of properties are shared by all units; other names are a unit's own, and so the
 * same letter can be another one in the next:
 *
 *	const total = (boxes) => boxes.length;		let a=b=>b.length,
 *	const widest = (graph) => total(graph.boxes);	c=b=>a(b.d);
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "embed.h"

#include <stdlib.h>
#include <string.h>

/* A name, and what it becomes. */
struct name {
	struct token word;
	size_t uses, number; /* it was the number-th to be seen */
	bool shared; /* the same in all units */
	bool kept;
	char text[4]; /* empty: the name stays */
};

struct names {
	struct name *v;
	size_t count;
};

static struct name *find_name(const struct names *n, const struct token *word)
{
	for (size_t i = 0; i < n->count; i++)
		if (same(&n->v[i].word, word))
			return n->v + i;
	return NULL;
}

static void start_names(struct names *n, size_t most)
{
	*n = (struct names){ calloc(most + 1, sizeof(*n->v)), 0 };
	if (!n->v)
		exit(1);
}

/* One more use of a name. */
static struct name *use_name(struct names *n, const struct token *word)
{
	struct name *name = find_name(n, word);

	if (!name) {
		name = n->v + n->count++;
		*name = (struct name){ .word = *word, .number = n->count };
	}
	name->uses++;
	return name;
}

/* Names may be made up in strings: what is one of those stays. */
static void keep_word(struct names *n, const char *from, const char *to)
{
	struct name *name = find_name(n, &(struct token){ .from = from, .to = to });

	if (name)
		name->kept = true;
}

static void keep_words(struct names *n, const char *path)
{
	size_t size;
	const char *p = slurp(path, &size), *end = p + size;

	while (p < end) {
		const char *from = p;

		while (p < end && is_word(*p))
			p++;
		keep_word(n, from, p);
		p += p == from;
	}
}

/* Where the walk through the tokens is. */
struct place {
	char open
		[DEPTH]; /* brackets: { of a block, o of an object or a pattern, others */
	int depth;
	bool pattern; /* of what is declared on the outside: let { a: b } = c */
	size_t unit;
};

/* Behind what a '{' opens a block; behind "=>", too. */
static bool opens_block(const struct token *before)
{
	static const char *const words[] = { ">",    ")",   ";",  "{",	   "}",
					     "else", "try", "do", "catch", "finally" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (is(before, words[i]))
			return true;
	return false;
}

/* The last token before @i that is left of it. */
static const struct token *before(const struct tokens *t, size_t i)
{
	static const char end[] = ";";
	static const struct token nothing = { .from = end, .to = end + 1 };

	while (i > 0 && t->v[i - 1].from == t->v[i - 1].to)
		i--;
	return i ? t->v + i - 1 : &nothing;
}

/*
 * A unit is a function, or what else is declared on the outside. Names that are declared
 * there, and those of properties, are shared by all of them; the others are a unit's own.
 */
static void go_on(struct place *p, struct tokens *t, size_t i)
{
	struct token *one = t->v + i;
	int opened = opened_by(one);

	p->depth -= opened < 0 && p->depth > 0;
	if (p->depth == 0)
		p->pattern =
			opened > 0 && (is(before(t, i), "let") || is(before(t, i), ","));
	if (opened > 0 && p->depth < DEPTH)
		p->open[p->depth++] = !is(one, "{")		  ? '('
				      : opens_block(before(t, i)) ? '{'
								  : 'o';
	p->unit += p->depth == 0 && (is(one, ";") || is(one, ","));
	one->unit = p->unit;
}

static bool is_shared(const struct place *p, const struct tokens *t, size_t i)
{
	const struct token *last = before(t, i);

	if (is(last, ".")) /* a.name, but not ...name */
		return !is(before(t, (size_t)(last - t->v)), ".");
	if (p->depth == 0 || p->pattern)
		return true;
	return p->open[p->depth - 1] == 'o' && (is(last, "{") || is(last, ","));
}

static void collect_names(struct names *n, struct tokens *t)
{
	struct place p = { 0 };

	for (size_t i = 0; i < t->count; i++) {
		struct token *one = t->v + i;

		one->unit = p.unit;
		if (one->from == one->to)
			continue;
		go_on(&p, t, i);
		if (one->word)
			use_name(n, one)->shared |= is_shared(&p, t, i);
	}
}

/* The most used ones get the shortest names. */
static int by_uses(const void *a, const void *b)
{
	const struct name *one = a, *other = b;

	if (one->uses != other->uses)
		return one->uses < other->uses ? 1 : -1;
	return one->number < other->number ? -1 : 1;
}

/* The names a, b, ... z, A, ... Z, aa, ba, ... */
static void next_name(unsigned *number, char text[4])
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	unsigned count = sizeof(letters) - 1, i = (*number)++;

	text[0] = letters[i % count];
	text[1] = i < count ? '\0' : letters[i / count - 1];
	text[2] = '\0';
}

/* Some words stay: those with a meaning to the browser, and what is short already. */
static bool stays(const struct name *name)
{
	return name->kept || name->word.to - name->word.from < 3;
}

static bool is_taken(const struct names *n, const char *text)
{
	const struct token word = { .from = text, .to = text + strlen(text) };

	return find_name(n, &word) || is(&word, "if") || is(&word, "in") ||
	       is(&word, "do");
}

/* The most used ones of @n get the shortest names that @known has not. */
static void choose_names(struct names *n, const struct names *known)
{
	unsigned number = 0;

	qsort(n->v, n->count, sizeof(*n->v), by_uses);
	for (size_t i = 0; i < n->count; i++)
		do
			next_name(&number, n->v[i].text);
		while (is_taken(known, n->v[i].text));
}

/* Tokens @from to, but not including, @to; of the texts of @n they take. */
static void replace_names(struct tokens *t, const struct names *n, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		const struct name *name = t->v[i].word ? find_name(n, t->v + i) : NULL;

		if (name)
			replace(t->v + i, name->text);
	}
}

/* Names of properties must not be what somebody calls a short name of his own. */
static void shorten_shared(struct tokens *t, const struct names *all)
{
	struct names shared;

	start_names(&shared, all->count);
	for (size_t i = 0; i < all->count; i++)
		if (!stays(all->v + i) && all->v[i].shared)
			shared.v[shared.count++] = all->v[i];
	choose_names(&shared, all);
	replace_names(t, &shared, 0, t->count);
}

/* Its own names become such as the unit does not know. */
static void shorten_unit(struct tokens *t, const struct names *all, size_t from,
			 size_t to)
{
	struct names own, known;

	start_names(&own, to - from);
	start_names(&known, to - from);
	for (size_t i = from; i < to; i++) {
		const struct name *name;

		if (!t->v[i].word || t->v[i].from == t->v[i].to)
			continue;
		name = find_name(all, t->v + i);
		use_name(name && !stays(name) && !name->shared ? &own : &known, t->v + i);
	}
	choose_names(&own, &known);
	replace_names(t, &own, from, to);
	free(known.v);
}

void shorten_names(struct tokens *t, const char *words)
{
	struct names names;

	start_names(&names, t->count);
	collect_names(&names, t);
	keep_words(&names, words);
	for (size_t i = 0; i < t->count; i++)
		if (t->v[i].text)
			keep_word(&names, t->v[i].from + 1, t->v[i].to - 1);
	shorten_shared(t, &names);
	for (size_t from = 0, to; from < t->count; from = to) {
		for (to = from; to < t->count && t->v[to].unit == t->v[from].unit;)
			to++;
		shorten_unit(t, &names, from, to);
	}
}
