#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* U+FFFD: stands for bytes that are no UTF-8 and for what XML cannot hold. */
#define UTF8_REPLACEMENT 0xfffdu

/* The code point at *@p, which is before @end, and moves past it. A byte that begins
 * nothing is passed alone and gives UTF8_REPLACEMENT. */
uint32_t utf8_next(const char **p, const char *end);

/* The same backwards: *@p is behind @start, and moves to where the code point begins. */
uint32_t utf8_previous(const char *start, const char **p);

/* Bytes of the code point that @text begins with, before its NUL; 0 where it begins with
 * none. */
size_t utf8_size(const char *text);

#endif
