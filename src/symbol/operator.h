#ifndef SYMBOL_OPERATOR_H
#define SYMBOL_OPERATOR_H

#include <stdbool.h>

/*
 * The names of C++ operators hold what elsewhere are brackets: operator(), operator<<,
 * operator->. Behind such a name that begins at @p, "operator" included; @p where none
 * does. The text before @p begins at @name.
 */
const char *operator_end(const char *name, const char *p, const char *end);

/* Of an identifier; bytes of UTF-8 are. */
bool operator_is_letter(char c);

#endif
