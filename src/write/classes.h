#ifndef WRITE_CLASSES_H
#define WRITE_CLASSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "write/class_colours.h"
#include "write/write.h"

/* What a colour is chosen by. */
struct class_subject {
	const char *name;
	const char *module; /* "": none */
	uint8_t kind; /* enum saved_kind, with its flags */
	bool only_text; /* nothing in the profile has another kind: text is code */
};

/*
 * The default look of one profile. Its heaviest modules of user code have hues of their own;
 * where one module has nearly all of it, or nothing says which module a function is of, that
 * code is a flame of red, orange and amber instead, a colour for each function.
 */
struct class_plan {
	bool only_text; /* see struct class_subject */
	bool has_flame;
	const char *flame; /* its module; NULL: functions without one */
	size_t flame_size;
	/* The modules with a hue of their own, the heaviest first. Names are borrowed from the
	 * strings of the input. */
	struct class_slot {
		const char *name;
		size_t size;
		uint8_t slot;
	} slots[CLASS_SLOTS];
	unsigned count;
};

/* 0, or -ENOMEM. */
int class_plan_make(struct class_plan *plan, const struct tree_source *in);

/* What the plan and the picture's writers say of a function of the input. */
struct class_subject class_subject_of(const struct class_plan *plan,
				      const struct tree_source *in, uint32_t function);

uint8_t class_of(const struct class_plan *plan, const struct class_subject *s);

/* What functions share that a legend names together: the name of a module without its
 * directory, "kernel", "JIT", "inlined", "no symbol". NULL: nothing. Borrowed from the subject. */
const char *class_group(const struct class_plan *plan, const struct class_subject *s,
			size_t *size);

/* By function its own weight: to be freed. NULL: no memory. */
uint64_t *class_weights(const struct tree_source *in);

#endif
