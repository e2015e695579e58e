#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Text being built. A zeroed struct is empty. Failure is sticky: print on, and
 * ask once at the end.
 */
struct text {
	char *bytes; /* NUL behind it once something was added */
	size_t size, room;
	bool failed; /* no memory: the text is not whole */
};

void text_release(struct text *t);

/* Empties it and keeps the memory; a failure stays. */
void text_clear(struct text *t);

void text_add(struct text *t, const char *bytes, size_t size);
void text_string(struct text *t, const char *string);
void text_char(struct text *t, char c);
void text_u64(struct text *t, uint64_t value);
void text_printf(struct text *t, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
