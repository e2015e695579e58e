#ifndef WRITE_COLOUR_H
#define WRITE_COLOUR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The colour of a frame, equal to flamegraph.pl's for every name and palette: people
 * know their graphs by it.
 */
struct colour {
	uint8_t r, g, b;
};

struct palette;

/* NULL where there is none of that name. */
const struct palette *palette_find(const char *name);

/* "hot, mem, io, ..." for messages. */
extern const char palette_names[];

/* Is it "chain", which looks at whole stacks? */
bool palette_is_chain(const struct palette *p);

/* "yellow", "blue", "green" or "grey": the background that goes with it. */
const char *palette_background(const struct palette *p);

enum colour_by {
	COLOUR_BY_SUM, /* of the code points of the name */
	COLOUR_BY_HASH, /* of its first and of its last letters */
	COLOUR_BY_CHANCE,
};

struct colouring {
	const struct palette *palette;
	enum colour_by by;
	uint64_t chance; /* state of COLOUR_BY_CHANCE */
};

/* The frames "-" and "--" are grey, whatever else decides. False for any other name. */
bool colour_of_separator(const char *name, size_t size, struct colour *ret);

/* @name with its mark; a separator's colour is its own. */
struct colour colour_of(struct colouring *c, const char *name, size_t size);

/* A difference, where @most is the largest one: red for more, blue for less. */
struct colour colour_of_delta(double delta, double most);

/* What people write by hand into a map of colours: "rgb(1,2,3)", "#123", "#112233", or one of
 * the names of CSS 2.1. False where it is none of them. */
bool colour_parse(const char *text, struct colour *ret);

/* From 0 to below 1. The sum as a seed of POSIX's drand48(). */
double colour_sum(const char *name, size_t size);

/* From 0 to 1; of the first letters, or of the last ones. */
double colour_hash(const char *name, size_t size);
double colour_hash_reversed(const char *name, size_t size);

#endif
