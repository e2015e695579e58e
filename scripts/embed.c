/*
 * The viewer's sources without what only people need: comments, indentation, empty
 * lines, names. Part of the build.
 *
 *	embed js WORDS FILE... [+ FILE...]
 *				the files one after the other, as one function; names
 *				become short, but for those in the file WORDS. What
 *				stands behind the + is a line of its own, the second
 *				of three: without it the others are a whole script
 *	embed css FILE...
 *
 * It knows JavaScript as far as that: strings, templates and regular expressions stay as
 * they are. What it cannot tell apart stops the build. Every statement of the sources ends
 * in a ';' or a '}': a line's end never does that.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "embed.h"

struct source {
	const char *path, *start, *p, *end;
};

/* What was read, and what the next piece depends on. */
struct sink {
	struct tokens *tokens; /* NULL: what is put is printed at once */
	char last; /* last character; 0: nothing yet */
	bool space; /* white space is due */
	char word[16]; /* the last word, if it comes last */
	bool after_condition; /* a ')' that ends if (...), while (...), for (...) */
};

struct js {
	struct source *in;
	struct sink out;
	char open
		[DEPTH]; /* brackets that are open: ( [ {, $ for a template's, c for if ( */
	int depth;
};

static void die(const struct source *s, const char *why)
{
	unsigned line = 1;

	for (const char *p = s->start; p < s->p; p++)
		line += *p == '\n';
	fprintf(stderr, "%s:%u: %s\n", s->path, line, why);
	exit(1);
}

bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '#' ||
	       (c & 0x80);
}

/* Would what ends with the two be read as something else without a space before the next one? "]]>" ends
 * CDATA, "<!--" and "-->" are comments. */
static bool needs_space(char before, char last, char next)
{
	if (is_word(last))
		return is_word(next);
	return (last == next && last && strchr("+-/", last)) ||
	       (before == ']' && last == ']' && next == '>') ||
	       (last == '<' && next == '!') || (last == '-' && next == '>');
}

static void add_token(struct tokens *t, const char *from, const char *to, bool spaced)
{
	if (t->count == t->room) {
		t->room = t->room ? 2 * t->room : 1024;
		t->v = realloc(t->v, t->room * sizeof(*t->v));
		if (!t->v)
			exit(1);
	}
	t->v[t->count++] = (struct token){
		.from = from,
		.to = to,
		.word = is_word(*from) && !isdigit((unsigned char)*from),
		.text = *from == '"' || *from == '\'',
		.spaced = spaced,
	};
}

static void put(struct sink *o, const char *from, const char *to)
{
	if (from == to)
		return;
	if (o->tokens)
		add_token(o->tokens, from, to, o->space);
	else
		fwrite(from, 1, (size_t)(to - from), stdout);
	o->last = to[-1];
	o->space = false;
	o->word[0] = '\0';
	o->after_condition = false;
}

static bool begins(const struct source *s, const char *text)
{
	size_t n = strlen(text);

	return (size_t)(s->end - s->p) >= n && memcmp(s->p, text, n) == 0;
}

static void skip_comment(struct source *s, struct sink *o)
{
	bool block = s->p[1] == '*';

	for (s->p += 2; s->p < s->end; s->p++) {
		if (!block && *s->p == '\n')
			return;
		if (block && begins(s, "*/")) {
			s->p += 2;
			o->space = true;
			return;
		}
	}
	if (block)
		die(s, "a comment does not end");
}

static void copy_string(struct source *s, struct sink *o)
{
	const char *from = s->p;
	char quote = *s->p++;

	for (; s->p < s->end && *s->p != quote; s->p++) {
		if (*s->p == '\n')
			die(s, "a string does not end");
		s->p += *s->p == '\\';
	}
	if (s->p >= s->end)
		die(s, "a string does not end");
	s->p++;
	put(o, from, s->p);
}

static void push(struct js *j, char bracket)
{
	if (j->depth == DEPTH)
		die(j->in, "brackets are too deep");
	j->open[j->depth++] = bracket;
}

/* From a '`', or from the '}' that ends a ${...}, to the next of either kind. */
static void copy_template(struct js *j)
{
	struct source *s = j->in;
	const char *from = s->p++;

	for (; s->p < s->end; s->p++) {
		if (*s->p == '`') {
			s->p++;
			put(&j->out, from, s->p);
			return;
		}
		if (begins(s, "${")) {
			s->p += 2;
			push(j, '$');
			put(&j->out, from, s->p);
			return;
		}
		s->p += *s->p == '\\';
	}
	die(s, "a template does not end");
}

/* Does a '/' begin a regular expression here? */
static bool expects_expression(const struct js *j)
{
	static const char *const words[] = { "return", "typeof",    "case", "in",
					     "of",     "delete",    "void", "new",
					     "throw",  "do",	    "else", "yield",
					     "await",  "instanceof" };
	const struct sink *o = &j->out;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(o->word, words[i]) == 0)
			return true;
	if (o->last == '}')
		die(j->in, "'/' behind '}': a division or a regular expression?");
	if (o->last == ')')
		return o->after_condition;
	return !(is_word(o->last) || (o->last && strchr("]`\"'", o->last)));
}

static void copy_regex(struct source *s, struct sink *o)
{
	const char *from = s->p++;
	bool set = false;

	for (; s->p < s->end && (set || *s->p != '/'); s->p++) {
		if (*s->p == '\n')
			die(s, "a regular expression does not end");
		if (*s->p == '[')
			set = true;
		else if (*s->p == ']')
			set = false;
		s->p += *s->p == '\\';
	}
	if (s->p >= s->end)
		die(s, "a regular expression does not end");
	for (s->p++; s->p < s->end && is_word(*s->p); s->p++)
		;
	put(o, from, s->p);
}

static void copy_word(struct source *s, struct sink *o)
{
	const char *from = s->p;
	size_t size;

	while (s->p < s->end && is_word(*s->p))
		s->p++;
	size = (size_t)(s->p - from);
	/* a.in is no keyword */
	bool property = o->last == '.';
	put(o, from, s->p);
	if (!property && size < sizeof(o->word)) {
		memcpy(o->word, from, size);
		o->word[size] = '\0';
	}
}

static bool is_condition(const char *word)
{
	return strcmp(word, "if") == 0 || strcmp(word, "while") == 0 ||
	       strcmp(word, "for") == 0;
}

static void copy_sign(struct js *j)
{
	static const char pairs[] = "()[]{}";
	struct source *s = j->in;
	char c = *s->p, open = 0;

	if (strchr("([{", c)) {
		push(j, c == '(' && is_condition(j->out.word) ? 'c' : c);
	} else if (strchr(")]}", c)) {
		if (j->depth == 0)
			die(s, "a bracket was not opened");
		open = j->open[--j->depth];
		if (open == '$' && c == '}') {
			copy_template(j);
			return;
		}
		if ((open == 'c' ? '(' : open) != strchr(pairs, c)[-1])
			die(s, "a bracket of another kind was opened");
	}
	s->p++;
	put(&j->out, s->p - 1, s->p);
	j->out.after_condition = open == 'c';
}

static void copy_js(struct js *j)
{
	struct source *s = j->in;

	while (s->p < s->end) {
		char c = *s->p;

		if (isspace((unsigned char)c)) {
			j->out.space = true;
			s->p++;
		} else if (begins(s, "//") || begins(s, "/*")) {
			skip_comment(s, &j->out);
		} else if (c == '\'' || c == '"') {
			copy_string(s, &j->out);
		} else if (c == '`') {
			copy_template(j);
		} else if (c == '/' && expects_expression(j)) {
			copy_regex(s, &j->out);
		} else if (is_word(c)) {
			copy_word(s, &j->out);
		} else {
			copy_sign(j);
		}
	}
	if (j->depth)
		die(s, "a bracket is not closed");
}

/* Does white space between the two mean nothing? Around a '+' in brackets, which is a sum, it does. */
static bool joins_in_css(char last, char next, int depth)
{
	return !last || strchr("{};:,", last) || strchr("{};,!", next) ||
	       (depth == 0 && (strchr(">+~", last) || strchr(">+~", next)));
}

/* The ';' behind a block's last declaration says nothing, nor does the 0 of 0.5. */
static bool is_idle_in_css(const struct source *s, char last)
{
	const char *p = s->p + 1;

	if (*s->p == '0')
		return p + 1 < s->end && *p == '.' && isdigit((unsigned char)p[1]) &&
		       last != '.' && !is_word(last);
	while (*s->p == ';' && p < s->end && isspace((unsigned char)*p))
		p++;
	return *s->p == ';' && p < s->end && *p == '}';
}

static void copy_css(struct source *s, struct sink *o)
{
	int depth = 0;

	while (s->p < s->end) {
		char c = *s->p;

		depth += (c == '(') - (c == ')');
		if (isspace((unsigned char)c)) {
			o->space = true;
			s->p++;
		} else if (begins(s, "/*")) {
			skip_comment(s, o);
		} else if (c == '"' || c == '\'') {
			copy_string(s, o);
		} else if (is_idle_in_css(s, o->space ? ' ' : o->last)) {
			s->p++;
		} else {
			if (o->space && !joins_in_css(o->last, c, depth))
				putchar(' ');
			put(o, s->p, s->p + 1);
			s->p++;
		}
	}
	o->space = true;
}

char *slurp(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	char *bytes = malloc(1 << 20);

	if (!f || !bytes) {
		perror(path);
		exit(1);
	}
	*size = fread(bytes, 1, 1 << 20, f);
	if (*size == 1 << 20 || ferror(f)) {
		fprintf(stderr, "%s: too large\n", path);
		exit(1);
	}
	fclose(f);
	return bytes;
}

bool is(const struct token *t, const char *text)
{
	size_t size = (size_t)(t->to - t->from);

	return size == strlen(text) && memcmp(t->from, text, size) == 0;
}

bool same(const struct token *a, const struct token *b)
{
	size_t size = (size_t)(a->to - a->from);

	return size == (size_t)(b->to - b->from) && memcmp(a->from, b->from, size) == 0;
}

void replace(struct token *t, const char *text)
{
	t->from = text;
	t->to = text + strlen(text);
	t->word = is_word(*text);
}

int opened_by(const struct token *t)
{
	char first = *t->from, last = t->to[-1];

	if (t->from == t->to || t->text || (first == '/' && t->to - t->from > 1) ||
	    is(t, "(1/0)"))
		return 0;
	/* Pieces of a template: `a${, }b${ and }c` */
	return (last == '{' || strchr("([", first) != NULL) -
	       (strchr(")]}", first) != NULL);
}

/* Where the statement that begins at token @i ends: at a ';' that is in no bracket. */
static size_t end_of_statement(const struct tokens *t, size_t i)
{
	int depth = 0;

	for (; i < t->count; i++) {
		depth += opened_by(t->v + i);
		if (depth < 0 || (depth == 0 && is(t->v + i, ";")))
			break;
	}
	return i;
}

/* The bracket that closes the one at token @i. */
static size_t closing(const struct tokens *t, size_t i)
{
	int depth = 0;

	for (; i < t->count; i++) {
		depth += opened_by(t->v + i);
		if (depth == 0)
			break;
	}
	return i;
}

/* function name() { } is let name = () => { }; async function too. That goes on in one
 * statement with the next one. The sources use nothing that makes a difference. */
static void make_arrows(struct tokens *t)
{
	struct tokens out = { 0 };
	char *insert = calloc(t->count, 1);

	if (!insert)
		exit(1);
	for (size_t i = 1; i + 2 < t->count; i++) {
		struct token *v = t->v + i;

		if (is(v, "function") && v[1].word && is(v + 2, "(")) {
			bool is_async = is(v - 1, "async");
			size_t end = closing(t, i + 2);

			if (is_async) {
				v[0] = v[1];
				replace(v - 1, "let");
				replace(v + 1, "async");
			} else {
				replace(v, "let");
			}
			insert[is_async ? i : i + 1] = '=';
			insert[end] = '>';
			insert[closing(t, end + 1)] = ';';
		}
	}
	for (size_t i = 0; i < t->count; i++) {
		static const char signs[] = "=>;";

		add_token(&out, t->v[i].from, t->v[i].to, t->v[i].spaced);
		if (insert[i] == '>')
			add_token(&out, signs, signs + 1, false);
		if (insert[i])
			add_token(&out, strchr(signs, insert[i]),
				  strchr(signs, insert[i]) + 1, false);
	}
	free(insert);
	free(t->v);
	*t = out;
}

static bool closes(const struct token *t)
{
	return is(t, ")") || is(t, "]") || is(t, "}");
}

static bool declares(const struct token *t)
{
	return is(t, "const") || is(t, "let");
}

/* "abc", but nothing that a number could be equal to. */
static bool is_letters(const struct token *t)
{
	return t->text && isalpha((unsigned char)t->from[1]);
}

/* What is as well said in less: a `const` is a `let` to those who do not change it,
 * neighbouring ones are one, and what comes before a closing bracket needs no end. */
static void squeeze(struct tokens *t)
{
	static const char *const shorter[][2] = {
		{ "const", "let" },
		{ "true", "!0" },
		{ "false", "!1" },
		{ "Infinity", "(1/0)" },
	};
	struct token *v = t->v;

	for (size_t i = 0; i + 4 < t->count; i++) {
		size_t end = declares(v + i) ? end_of_statement(t, i) : t->count;

		for (size_t k = 0; k < sizeof(shorter) / sizeof(*shorter); k++)
			if (is(v + i, shorter[k][0]))
				replace(v + i, shorter[k][1]);
		for (; end + 1 < t->count && is(v + end, ";") && declares(v + end + 1);
		     end = end_of_statement(t, end + 2)) {
			replace(v + end, ",");
			replace(v + end + 1, "");
		}
		if ((is(v + i, ";") && is(v + i + 1, "}")) ||
		    (is(v + i, ",") && closes(v + i + 1)))
			replace(v + i, "");
		if (is(v + i, "Boolean") && is(v + i + 1, "("))
			replace(v + i, "!!");
		/* x === "abc" */
		if ((is(v + i, "=") || is(v + i, "!")) && is(v + i + 1, "=") &&
		    is(v + i + 2, "=") && is_letters(v + i + 3))
			replace(v + i + 2, "");
		/* 0.5 */
		if (is(v + i, "0") && is(v + i + 1, ".") &&
		    isdigit((unsigned char)*v[i + 2].from))
			replace(v + i, "");
		/* (one) => one */
		if (is(v + i, "(") && v[i + 1].word && is(v + i + 2, ")") &&
		    is(v + i + 3, "=") && is(v + i + 4, ">")) {
			replace(v + i, "");
			replace(v + i + 2, "");
		}
	}
}

static void print_tokens(const struct tokens *t)
{
	char before = ';', last = ';';
	bool regex = false;

	for (size_t i = 0; i < t->count; i++) {
		const struct token *one = t->v + i;

		if (one->from == one->to)
			continue;
		if (one->key) {
			fwrite(one->key, 1, (size_t)(one->key_end - one->key), stdout);
			putchar(last = ':');
		}
		/* A regular expression has letters behind it, too. */
		if ((needs_space(before, last, *one->from) &&
		     (one->spaced || is_word(*one->from))) ||
		    (regex && is_word(*one->from)))
			putchar(' ');
		regex = *one->from == '/' && one->to - one->from > 1;
		fwrite(one->from, 1, (size_t)(one->to - one->from), stdout);
		before = one->to - one->from > 1 ? one->to[-2] : last;
		last = one->to[-1];
	}
}

static void embed_js(const char *words, int count, char **paths)
{
	static const char line_end[] = "\n";
	struct tokens tokens = { 0 };
	struct js j = { .out = { .tokens = &tokens, .last = ';' } };

	printf("(()=>{\"use strict\";");
	for (int i = 0; i < count; i++) {
		size_t size;
		char *bytes;

		if (strcmp(paths[i], "+") == 0) {
			add_token(&tokens, line_end, line_end + 1, false);
			continue;
		}
		bytes = slurp(paths[i], &size);
		j.in = &(struct source){ paths[i], bytes, bytes, bytes + size };
		copy_js(&j);
	}
	add_token(&tokens, line_end, line_end + 1, false);
	make_arrows(&tokens);
	squeeze(&tokens);
	shorten_names(&tokens, words);
	print_tokens(&tokens);
	printf("})();\n");
}

static void embed_css(int count, char **paths)
{
	struct sink o = { 0 };

	for (int i = 0; i < count; i++) {
		size_t size;
		char *bytes = slurp(paths[i], &size);

		copy_css(&(struct source){ paths[i], bytes, bytes, bytes + size }, &o);
		free(bytes);
	}
	putchar('\n');
}

int main(int argc, char **argv)
{
	if (argc >= 3 && strcmp(argv[1], "js") == 0)
		embed_js(argv[2], argc - 3, argv + 3);
	else if (argc >= 2 && strcmp(argv[1], "css") == 0)
		embed_css(argc - 2, argv + 2);
	else
		return fprintf(stderr, "embed js WORDS FILE... | css FILE...\n"), 2;
	return ferror(stdout) || fflush(stdout) ? 1 : 0;
}
