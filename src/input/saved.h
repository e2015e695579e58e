#ifndef INPUT_SAVED_H
#define INPUT_SAVED_H

#include "input/input.h"

/* A picture with its tree: SVG, or HTML with an SVG in it. Documentation/svg-format.md. */

/* By its first bytes. */
bool saved_begins(const uint8_t *bytes, size_t size);

/* Reads its header and unpacks its tree. -EBADMSG with a sentence for a picture without a
 * tree, or with a damaged one. */
int saved_open(struct context *ctx, struct input *in);
void saved_close(struct input *in);

#endif
