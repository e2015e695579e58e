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

static bool is_word(const char *text, size_t size, bool numbered)
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

static bool is_number(const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (text[i] < '0' || text[i] > '9')
			return false;
	return size > 0;
}

/* Without one ".word" or ".word.0" at the end. */
static size_t peel_dots(const char *name, size_t size)
{
	size_t end = size, dot = last_part(name, size);
	bool numbered = dot < size && is_number(name + dot + 1, size - dot - 1);

	if (numbered) {
		end = dot;
		dot = last_part(name, end);
	}
	return dot < end && is_word(name + dot + 1, end - dot - 1, numbered) ? dot : size;
}

static size_t peel_all_dots(const char *name, size_t size)
{
	size_t before;

	do {
		before = size;
		size = peel_dots(name, size);
	} while (size < before);
	return size;
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
	return peel_all_dots(name + inside, size - 1 - inside) == 0 ? at - 1 : size;
}

/* Something has to be left. */
static size_t peel(const char *name, size_t size)
{
	size_t base = peel_all_dots(name, peel_brackets(name, size));

	return base ? base : size;
}

size_t clone_base(const char *name, size_t size)
{
	size_t before;

	do {
		before = size;
		size = peel(name, size);
	} while (size < before);
	return size;
}
