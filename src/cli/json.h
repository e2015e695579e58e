#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/*
 * JSON being written, indented. Any bytes may be given as text: what is no UTF-8
 * becomes U+FFFD. A key is NULL in arrays and at the top.
 */
struct json {
	FILE *out;
	int depth;
	bool filled; /* the open object or array has a member */
};

void json_open(struct json *j, const char *key, char bracket);
void json_close(struct json *j, char bracket);
void json_text(struct json *j, const char *key, const char *text); /* NULL: null */
void json_number(struct json *j, const char *key, uint64_t value);
void json_bool(struct json *j, const char *key, bool value);
void json_null(struct json *j, const char *key);

#endif
