#ifndef WRITE_CLASSES_H
#define WRITE_CLASSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "write/colour.h"

/*
 * The default look: what a function is, and in which module, chooses one of a few
 * classes; a class has a colour for light and one for dark pages. Black and white labels
 * can be read on all of them, and they can be told apart with any colour vision. The same
 * function has the same class in every profile.
 */
enum {
	CLASS_TEXT, /* processes, markers */
	CLASS_UNNAMED, /* no symbol */
	CLASS_USER,
	CLASS_USERS = 8,
	CLASS_INLINED = CLASS_USER + CLASS_USERS,
	CLASS_KERNEL = CLASS_INLINED + CLASS_USERS, /* the kernel itself */
	CLASS_MODULE, /* of the kernel */
	CLASS_MODULES = 3,
	CLASS_JIT = CLASS_MODULE + CLASS_MODULES,
	CLASS_JITS = 6,
	CLASS_WAKER = CLASS_JIT + CLASS_JITS,
	CLASS_SEPARATOR, /* "--" */
	CLASS_LIGHT_SEPARATOR, /* "-" */
	CLASSES,
};

struct class_colours {
	struct colour light, dark;
};
extern const struct class_colours class_colours[CLASSES];

/* What decides. */
struct class_subject {
	const char *name;
	const char *module; /* "": none */
	uint8_t kind; /* enum saved_kind, with its flags */
	bool only_text; /* nothing in the profile has another kind: text is code */
};

uint8_t class_of(const struct class_subject *s);

/* What functions of its class share, for a legend: the name of a module without its
 * directory, or the beginning of a name. NULL: nothing. Borrowed from the subject. */
const char *class_group(const struct class_subject *s, size_t *size);

/* Style rules for dark pages: fills of .c0, .c1, ..., strokes of .t0, ... */
void classes_style(struct text *t, const char *selector);

/* "#rrggbb" */
void class_colour_add(struct text *t, struct colour c);

/* All of them, with spaces between. */
void classes_list(struct text *t, bool dark);

#endif
