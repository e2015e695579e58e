#ifndef INPUT_JSON_READER_H
#define INPUT_JSON_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/*
 * JSON (RFC 8259) in memory, read as it is asked for: no tree is made, so what it takes is what the caller
 * keeps, however the text is made. What is wrong is an end: .why says what, at .at.
 *
 *	for (json_begin(&j, '{'); json_next(&j, '}');)
 *		if (json_key_is(&j, "frames"))
 *			...one value is read, or json_read_past()
 */
struct json_reader {
	const char *at, *end;
	const char *why; /* NULL: nothing is wrong */
	bool first; /* nothing of the list at hand was read */
	const char *key; /* of the value that comes next: with its escapes */
	size_t key_size;
};

struct json_reader json_reader_of(const char *text, size_t size);

/* What the next value begins with: '{', '[', '"', 't', 'f', 'n', '-' for any number; 0: none. */
char json_peek(struct json_reader *j);

/* Goes into a list; false where the value is something else, which is wrong. */
bool json_begin(struct json_reader *j, char open);
/* Is there one more value in it? In '{' its key has been read. The list is left where there is none. */
bool json_next(struct json_reader *j, char close);
bool json_key_is(const struct json_reader *j, const char *key);

/* Each reads one value, and gives 0 or "" where it is of another kind, which is wrong. */
double json_read_number(struct json_reader *j);
void json_read_string(struct json_reader *j,
		      struct text *ret); /* decoded; replaces what is in it */
void json_read_past(struct json_reader *j);

void json_fail(struct json_reader *j, const char *why);

#endif
