/*
 * Short names for the viewer's sources: see embed.c.
 *
 * Properties and variables have names of their own: `a.a` is two. A unit is a function, or
 * what else is declared on the outside. Variables that are declared there are shared by all
 * units; others are a unit's own, and so the same letter can be another one in the next:
 *
 *	const total = (boxes) => boxes.length;		let Z=a=>a.length,
 *	const widest = (graph) => total(graph.boxes);	Y=a=>Z(a.a);
 *
 * What is both, `{ boxes }`, is `{a}` where the variable's name is the property's, and else
 * `{a:b}`: a variable takes the name of its property where that is less to write.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "embed.h"

#include <stdlib.h>
#include <string.h>

/* A name, and what it becomes. */
struct name {
	struct token word, text; /* text: nothing yet, or what it is from now on */
	size_t uses, number; /* it was the number-th to be seen */
	size_t brief; /* of a variable: how often it is { name }, */
	const struct name *property; /* and the property that it is there */
	bool shared; /* a variable of all units */
	char made[4]; /* where the text is, if it was made up */
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

static void keep_word(struct names *n, const char *from, const char *to)
{
	struct name *name = find_name(n, &(struct token){ .from = from, .to = to });

	if (name)
		name->text = name->word;
}

static void release_word(struct names *n, const char *from, const char *to)
{
	struct name *name = find_name(n, &(struct token){ .from = from, .to = to });

	if (name)
		name->text = (struct token){ 0 };
}

/* What is the browser's: lines that begin with a '.' are names of properties alone. One that begins with a
 * '-' is none of that: strings have those words, but no property is looked up by them. */
static void keep_words(struct names *variables, struct names *properties,
		       const char *path)
{
	size_t size;
	const char *p = slurp(path, &size), *end = p + size;
	char kind = 0, last = '\n';

	while (p < end) {
		const char *from = p;

		if (last == '\n')
			kind = *p;
		while (p < end && is_word(*p))
			p++;
		if (kind == '-')
			release_word(properties, from, p);
		else
			keep_word(properties, from, p);
		if (kind != '-' && kind != '.')
			keep_word(variables, from, p);
		last = *from;
		p += p == from;
	}
}

/* Where the walk through the tokens is. */
struct place {
	char open
		[DEPTH]; /* brackets: { of a block, o of an object, a pattern or a class, f of a for, others */
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

static const char no_token[] = ";";
static const struct token nothing = { .from = no_token, .to = no_token + 1 };

/* The last token before @i that was not made nothing. */
static const struct token *before(const struct tokens *t, size_t i)
{
	while (i > 0 && t->v[i - 1].from == t->v[i - 1].to)
		i--;
	return i ? t->v + i - 1 : &nothing;
}

/* The next one behind it. */
static const struct token *behind(const struct tokens *t, size_t i)
{
	do
		i++;
	while (i < t->count && t->v[i].from == t->v[i].to);
	return i < t->count ? t->v + i : &nothing;
}

static void go_on(struct place *p, struct tokens *t, size_t i)
{
	struct token *one = t->v + i;
	int opened = opened_by(one);

	p->depth -= opened < 0 && p->depth > 0;
	if (p->depth == 0)
		p->pattern =
			opened > 0 && (is(before(t, i), "let") || is(before(t, i), ","));
	if (opened > 0 && p->depth < DEPTH)
		p->open[p->depth++] = is(before(t, i), "for")	  ? 'f'
				      : !is(one, "{")		  ? '('
				      : opens_block(before(t, i)) ? '{'
								  : 'o';
	p->unit += p->depth == 0 && (is(one, ";") || is(one, ","));
	one->unit = p->unit;
}

/* A word is the name of a variable, of a property, of both, or neither. */
static void tell_kind(const struct place *p, const struct tokens *t, size_t i)
{
	struct token *one = t->v + i;
	const struct token *last = before(t, i), *next = behind(t, i);
	bool inside = p->depth > 0 && p->open[p->depth - 1] == 'o';

	if (is(one, "of") && p->depth > 0 && p->open[p->depth - 1] == 'f' &&
	    !is(last, "let"))
		return; /* for (... of ...) */
	if (is(last, ".") && !is(before(t, (size_t)(last - t->v)), ".")) {
		one->property = true; /* a.name, but not ...name */
	} else if (inside && last->word && !last->variable && !last->property) {
		one->property = true; /* get name() */
	} else if (inside && (is(last, "{") || is(last, ",") || is(last, "}"))) {
		one->property = !next->word;
		one->variable = is(next, ",") || is(next, "}") || is(next, "=");
	} else {
		one->variable = true;
	}
}

static bool is_declared_outside(const struct place *p, const struct tokens *t, size_t i)
{
	const struct token *last = before(t, i);

	return p->pattern ||
	       (p->depth == 0 && (is(last, "let") || is(last, ",") || is(last, "class")));
}

static void collect_names(struct names *variables, struct names *properties,
			  struct tokens *t)
{
	struct place p = { 0 };

	for (size_t i = 0; i < t->count; i++) {
		struct token *one = t->v + i;
		struct name *variable, *property;

		one->unit = p.unit;
		if (one->from == one->to)
			continue;
		go_on(&p, t, i);
		if (!one->word)
			continue;
		tell_kind(&p, t, i);
		property = one->property ? use_name(properties, one) : NULL;
		if (!one->variable)
			continue;
		variable = use_name(variables, one);
		variable->shared |= is_declared_outside(&p, t, i);
		if (property) {
			variable->brief++;
			variable->property = property;
		}
	}
}

/* The most used ones come first. */
static int by_uses(const void *a, const void *b)
{
	const struct name *one = *(struct name *const *)a,
			  *other = *(struct name *const *)b;

	if (one->uses != other->uses)
		return one->uses < other->uses ? 1 : -1;
	return one->number < other->number ? -1 : 1;
}

/* a, b, ... z, A, ... Z, aa, ba, ...; backwards Z, ... A, z, ... a, ZZ, YZ, ... */
static void make_name(size_t i, bool backwards, char made[4])
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyz_$ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	size_t count = sizeof(letters) - 1, first = i % count, second = i / count;

	made[0] = letters[backwards ? count - 1 - first : first];
	made[1] = !second ? '\0' : letters[backwards ? count - second : second - 1];
	made[2] = '\0';
}

static bool is_taken(const struct names *n, const struct token *text)
{
	for (size_t i = 0; i < n->count; i++)
		if (n->v[i].text.from && same(&n->v[i].text, text))
			return true;
	return is(text, "if") || is(text, "in") || is(text, "do") || is(text, "of");
}

/* A variable takes the name of its property, if that is free and less to write: where it is both, another
 * name would come with the property's and a colon. */
static void take_property(const struct names *n, struct name *name)
{
	const struct token *text = name->brief ? &name->property->text : NULL;
	size_t size = text ? (size_t)(text->to - text->from) : 0;

	if (text && !is_taken(n, text) &&
	    size * name->uses <= name->uses + (size + 1) * name->brief)
		name->text = *text;
}

/* Of @n those that have no text yet get the shortest that no other has, the most used ones first. */
static void choose_names(struct names *n, bool shared_only, bool backwards)
{
	struct name **order = calloc(n->count + 1, sizeof(*order));
	size_t count = 0, made = 0;

	if (!order)
		exit(1);
	for (size_t i = 0; i < n->count; i++)
		if (!n->v[i].text.from && (!shared_only || n->v[i].shared))
			order[count++] = n->v + i;
	qsort(order, count, sizeof(*order), by_uses);
	for (size_t i = 0; i < count; i++)
		take_property(n, order[i]);
	for (size_t i = 0; i < count; i++) {
		struct token text;

		if (order[i]->text.from)
			continue;
		do {
			make_name(made++, backwards, order[i]->made);
			replace(&text, order[i]->made);
		} while (is_taken(n, &text));
		order[i]->text = text;
	}
	free(order);
}

/* Tokens @from to, but not including, @to: what is not shared gets names that nothing else in there has. */
static void shorten_unit(struct tokens *t, const struct names *variables,
			 const struct names *properties, size_t from, size_t to)
{
	struct names known;

	start_names(&known, to - from);
	for (size_t i = from; i < to; i++) {
		const struct name *name = find_name(variables, t->v + i);
		struct name *here;

		if (!t->v[i].variable)
			continue;
		here = use_name(&known, t->v + i);
		here->text = name->text;
		if (t->v[i].property) {
			here->brief++;
			here->property = find_name(properties, t->v + i);
		}
	}
	choose_names(&known, false, false);
	for (size_t i = from; i < to; i++) {
		struct token *one = t->v + i;
		const struct name *variable =
			one->variable ? find_name(&known, one) : NULL;
		const struct name *property =
			one->property ? find_name(properties, one) : NULL;

		if (variable && property && !same(&variable->text, &property->text))
			one->key = property->text.from, one->key_end = property->text.to;
		if (variable || property) {
			one->from = (variable ? variable : property)->text.from;
			one->to = (variable ? variable : property)->text.to;
		}
	}
}

/* Words of one or two letters are the browser's as often as not. */
static void keep_brief(struct names *properties)
{
	for (size_t i = 0; i < properties->count; i++)
		if (properties->v[i].word.to - properties->v[i].word.from < 3)
			properties->v[i].text = properties->v[i].word;
}

void shorten_names(struct tokens *t, const char *words)
{
	struct names variables, properties;

	start_names(&variables, t->count);
	start_names(&properties, t->count);
	collect_names(&variables, &properties, t);
	keep_brief(&properties);
	/* What is in a string may be the name of a property. */
	for (size_t i = 0; i < t->count; i++)
		if (t->v[i].text)
			keep_word(&properties, t->v[i].from + 1, t->v[i].to - 1);
	keep_words(&variables, &properties, words);
	choose_names(&properties, false, false);
	choose_names(&variables, true, true);
	for (size_t from = 0, to; from < t->count; from = to) {
		for (to = from; to < t->count && t->v[to].unit == t->v[from].unit;)
			to++;
		shorten_unit(t, &variables, &properties, from, to);
	}
}
