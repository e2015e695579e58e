#ifndef INPUT_SAVED_H
#define INPUT_SAVED_H

#include "input/input.h"

/* A picture with its tree: SVG, or HTML with an SVG in it. Documentation/svg-format.md. */

/* By its first bytes. */
bool saved_begins(const uint8_t *bytes, size_t size);

/* Reads all of it. -EBADMSG with a sentence for a picture without a tree, or with a
 * damaged one. */
int saved_open(struct context *ctx, struct input *in);
void saved_close(struct input *in);

/* The header's attributes, and what was packed. */
struct saved_header {
	uint64_t format, bytes, samples, frequency, period, duration, lost, truncated;
	uint64_t recorded;
	bool is_zlib, chart, chain;
	uint32_t unit, events, command, title; /* string ids */
};

/* saved_tree.c: the payload of a tree, in a format that is known. -EBADMSG: *@why says what is
 * wrong; -EFBIG where the budget has too little left for it. */
int saved_tree_decode(const uint8_t *payload, size_t size, uint64_t format,
		      struct intern *strings, struct budget *budget,
		      struct saved_tree *ret, const char **why);
void saved_tree_release(struct saved_tree *t);

#endif
