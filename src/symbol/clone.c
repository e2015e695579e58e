/*
 * Suffixes are peeled off from the end, one after another, as long as the last one is a
 * known word, with a number where that word needs one; what is left is never empty. A
 * table of words decides and not the form, because dots are parts of names in other
 * languages.
 */
#include "symbol/clone.h"

#include <stdbool.h>
#include <string.h>

static const struct {
	const char *word;
	bool alone; /* also without a number */
} words[] = {
	{ "isra", false },	{ "part", false },   { "constprop", false },
	{ "cold", true },	{ "llvm", false },   { "lto_priv", false },
	{ "localalias", true }, { "clone", false },  { "org", false },
	{ "unlikely", true },	{ "__uniq", false },
};

static bool is_clone_word(const char *text, size_t size, bool numbered)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strlen(words[i].word) == size &&
		    memcmp(words[i].word, text, size) == 0)
			return numbered || words[i].alone;
	return false;
}

/* Where the last ".word" begins; @size where there is no dot. */
static size_t last_part(const char *name, size_t size)
{
	const char *dot = memrchr(name, '.', size);

	return dot ? (size_t)(dot - name) : size;
}

static bool is_clone_number(const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (text[i] < '0' || text[i] > '9')
			return false;
	return size > 0;
}

/*
 * Without ".word" and ".word.0" at the end, as often as they are there.
 *
 *	f.isra.0.cold  ->  f.isra.0  ->  f
 */
static size_t peel_dots(const char *name, size_t size)
{
	for (;;) {
		size_t end = size, dot = last_part(name, size);
		bool numbered =
			dot < size && is_clone_number(name + dot + 1, size - dot - 1);

		if (numbered) {
			end = dot;
			dot = last_part(name, end);
		}
		if (dot >= end || !is_clone_word(name + dot + 1, end - dot - 1, numbered))
			return size;
		size = dot;
	}
}

/* Without one " [clone .word.0]" at the end. */
static size_t peel_brackets(const char *name, size_t size)
{
	static const char open[] = " [clone ";
	const char *bracket =
		size && name[size - 1] == ']' ? memrchr(name, '[', size) : NULL;
	size_t at = bracket ? (size_t)(bracket - name) : 0, inside;

	if (at < 2 || size - at < sizeof(open) ||
	    memcmp(bracket - 1, open, sizeof(open) - 1) != 0)
		return size;
	inside = at - 1 + sizeof(open) - 1;
	return peel_dots(name + inside, size - 1 - inside) == 0 ? at - 1 : size;
}

size_t clone_base(const char *name, size_t size)
{
	size_t before, base;

	do {
		before = size;
		base = peel_dots(name, peel_brackets(name, size));
		/* Something has to be left. */
		size = base ? base : size;
	} while (size < before);
	return size;
}
