#ifndef INPUT_SPEEDSCOPE_H
#define INPUT_SPEEDSCOPE_H

#include "input/listed.h"

/* A file of speedscope (www.speedscope.app/file-format-schema.json). */

/* By the first @size bytes of a text, which has to have more than one of them. */
bool speedscope_begins(const char *text, size_t size);

/* *@is false: the file is some other text, and nothing was opened. */
int speedscope_open(struct context *ctx, struct input *in, bool *is);

#endif
