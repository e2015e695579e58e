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
#define WORDS (sizeof(words) / sizeof(*words))

/* Where the last ".word" begins; @size where there is no dot. */
static size_t last_part(const char *name, size_t size)
{
	const char *dot = memrchr(name, '.', size);

	return dot ? (size_t)(dot - name) : size;
}

/*
 * Without ".word" and ".word.0" at the end, as often as they are there.
 *
 *	f.isra.0.cold  ->  f.isra.0  ->  f
 */
static size_t peel_dots(const char *name, size_t size)
{
	for (;;) {
		size_t end = size, dot = last_part(name, size), digit = dot + 1, i = 0;
		bool numbered;

		while (digit < size && name[digit] >= '0' && name[digit] <= '9')
			digit++;
		numbered = dot + 1 < size && digit == size;
		if (numbered) {
			end = dot;
			dot = last_part(name, end);
		}
		if (dot >= end)
			return size;
		while (i < WORDS &&
		       (strlen(words[i].word) != end - dot - 1 ||
			memcmp(words[i].word, name + dot + 1, end - dot - 1) != 0))
			i++;
		if (i == WORDS || !(numbered || words[i].alone))
			return size;
		size = dot;
	}
}

/* As the kernel's symbols have it, " [clone .word.0]" may stand at the end as well. */
size_t clone_base(const char *name, size_t size)
{
	static const char open[] = " [clone ";
	const size_t length = sizeof(open) - 1;
	size_t before, base;

	do {
		const char *bracket =
			size && name[size - 1] == ']' ? memrchr(name, '[', size) : NULL;
		size_t at = bracket ? (size_t)(bracket - name) : 0;

		before = base = size;
		if (at >= 2 && size - at > length &&
		    memcmp(bracket - 1, open, length) == 0 &&
		    peel_dots(bracket - 1 + length, size - at - length) == 0)
			base = at - 1;
		base = peel_dots(name, base);
		/* Something has to be left. */
		size = base ? base : size;
	} while (size < before);
	return size;
}
