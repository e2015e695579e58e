/*
 * Names of C++ operators inside of demangled names, "operator<<" or "operator new[]":
 * what looks like brackets in them is none.
 */
#include "symbol/operator.h"

#include <ctype.h>
#include <string.h>

/* Longer ones first: "<" of "operator< <int>" is no "<<". */
static const char *const symbols[] = {
	"<<=", ">>=", "<=>", "->*", "()", "[]", "->",	"<<", ">>", "<=",
	">=",  "==",  "!=",  "&&",  "||", "++", "--",	"+=", "-=", "*=",
	"/=",  "%=",  "^=",  "&=",  "|=", "+",	"\"\"", "-",  "*",  "/",
	"%",   "^",   "&",   "|",   "~",  "!",	"=",	"<",  ">",  ",",
};

bool operator_is_letter(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || (c & 0x80);
}

const char *operator_end(const char *name, const char *p, const char *end)
{
	static const char word[] = "operator";
	const size_t size = sizeof(word) - 1;

	if (*p != 'o' || (size_t)(end - p) < size || memcmp(p, word, size) != 0 ||
	    (p > name && operator_is_letter(p[-1])))
		return p;
	for (size_t i = 0; i < sizeof(symbols) / sizeof(*symbols); i++) {
		size_t length = strlen(symbols[i]);

		if ((size_t)(end - p) - size >= length &&
		    memcmp(p + size, symbols[i], length) == 0)
			return p + size + length;
	}
	return p;
}
