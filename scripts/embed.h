#ifndef SCRIPTS_EMBED_H
#define SCRIPTS_EMBED_H

#include <stdbool.h>
#include <stddef.h>

enum { DEPTH = 256 }; /* of brackets in brackets */

/* A piece of the script. */
struct token {
	const char *from, *to;
	bool word; /* a name or a keyword */
	bool variable, property; /* what it is the name of; a keyword is as a variable */
	const char *key,
		*key_end; /* of { key: name } where it was { name }; NULL: of nothing */
	bool text; /* between quotes */
	bool spaced; /* behind white space */
	size_t unit; /* what of the script it is in */
};

struct tokens {
	struct token *v;
	size_t count, room;
};

bool is_word(char c);
char *slurp(const char *path, size_t *size);

bool is(const struct token *t, const char *text);
bool same(const struct token *a, const struct token *b);
void replace(struct token *t, const char *text);

/* 1 at what opens a bracket, -1 at what closes one. */
int opened_by(const struct token *t);

/* Names become short, but for those in the file @words and in strings. */
void shorten_names(struct tokens *t, const char *words);

#endif
