#ifndef WRITE_PALETTE_MAP_H
#define WRITE_PALETTE_MAP_H

#include "base/array.h"
#include "base/context.h"
#include "base/intern.h"

/*
 * Colours kept between graphs, flamegraph.pl's palette.map: lines
 * "name->rgb(r,g,b)", sorted by name. A name may itself hold "->".
 */
struct palette_map {
	struct intern texts; /* names and colours */
	ARRAY(uint32_t) colours; /* by name: text of its colour; 0: none */
};

/* A file that does not exist is an empty map. */
int palette_map_read(struct context *ctx, const char *path, struct palette_map *ret);
void palette_map_release(struct palette_map *m);

/* Puts the map in the place of the file, all of it or nothing. */
int palette_map_write(struct context *ctx, const struct palette_map *m, const char *path);

/* The colour of @name: the one it has, or else @colour from now on. 0 or -ENOMEM. */
int palette_map_colour(struct palette_map *m, const char *name, const char *colour,
		       const char **ret);

/* The colour that @name has, or NULL. */
const char *palette_map_find(const struct palette_map *m, const char *name);

#endif
