#ifndef WRITE_CLASS_COLOURS_H
#define WRITE_CLASS_COLOURS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "write/colour.h"

/*
 * The classes of the default look, and the colour of each on light and on dark pages. From
 * CLASS_USER on every colour has five shades, so that neighbours part.
 */
enum {
	CLASS_TEXT, /* processes, markers */
	CLASS_UNNAMED, /* no symbol */
	CLASS_WAKER,
	CLASS_SHADES = 5,
	CLASS_SLOTS = 12, /* hues for modules */
	CLASS_QUIET = 4, /* for modules that have got none */
	CLASS_USER = CLASS_WAKER + 1,
	CLASS_INLINED = CLASS_USER + (CLASS_SLOTS + CLASS_QUIET) * CLASS_SHADES,
	CLASS_KERNEL = CLASS_INLINED + (CLASS_SLOTS + CLASS_QUIET) * CLASS_SHADES,
	CLASS_MODULE = CLASS_KERNEL + CLASS_SHADES, /* of the kernel */
	CLASS_MODULES = 2,
	CLASS_JIT = CLASS_MODULE + CLASS_MODULES * CLASS_SHADES,
	CLASS_JITS = 4,
	CLASS_FLAME = CLASS_JIT + CLASS_JITS * CLASS_SHADES,
	CLASS_FLAMES = 8,
	CLASS_FLAME_INLINED = CLASS_FLAME + CLASS_FLAMES * CLASS_SHADES,
	/* Ratios, from little to much: no shades, for each is a step of a scale. */
	CLASS_RATIO = CLASS_FLAME_INLINED + CLASS_SHADES,
	CLASS_RATIOS = 13,
	CLASSES = CLASS_RATIO + CLASS_RATIOS,
};

enum page_theme { PAGE_LIGHT, PAGE_DARK };

/* What is written on a dark page, and the page. */
#define PAGE_DARK_INK "#fff"
#define PAGE_DARK_COLOUR "#16171a"

struct colour class_colour(enum page_theme theme, uint8_t class);

/* Of many frames that are too narrow to be drawn: further from the page. */
struct colour class_run_colour(enum page_theme theme, uint8_t class);

/* The one in the middle of a class's shades: narrow frames do not need more. */
uint8_t class_middle(uint8_t class);

/* How far two slots are from each other in OKLab, squared; their lightness does not count. */
int class_slots_apart(unsigned one, unsigned other);

/* Is the slot red, orange or amber, as flames are? */
bool class_slot_is_warm(unsigned slot);

/* "#rrggbb" */
void class_colour_add(struct text *t, struct colour c);

/* All of them, with spaces between. */
void class_colours_list(struct text *t, enum page_theme theme);

#endif
