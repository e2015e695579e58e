#ifndef TREE_LABEL_H
#define TREE_LABEL_H

#include "base/intern.h"

/*
 * What is printed of a function: its name and the mark of its kind. Labels are told
 * apart by their text alone. Label 0 is the empty one.
 */
struct labels {
	struct intern texts;
	ARRAY(uint32_t) sizes; /* by label */
	uint32_t *ranks; /* see labels_rank() */
};

/* 0, or -ENOMEM. */
int labels_init(struct labels *l);
void labels_release(struct labels *l);

/* @name with @mark behind it. What would break a line of folded text is replaced. */
int labels_add(struct labels *l, const char *name, const char *mark, uint32_t *ret);

static inline const char *label_text(const struct labels *l, uint32_t label)
{
	return intern_text(&l->texts, label);
}

/*
 * Fills `ranks`: the place of every label among all, and of every label with a ';'
 * behind it. Whole stacks are sorted bytewise, and the ';' takes part in that:
 *
 *	a;b 1           the stack that ends at b
 *	a;b.part.0 1    '.' comes before ';'
 *	a;b;c 1         what is below b
 */
int labels_rank(struct labels *l);

static inline uint32_t label_rank(const struct labels *l, uint32_t label)
{
	return l->ranks[2 * (size_t)label];
}

static inline uint32_t label_rank_below(const struct labels *l, uint32_t label)
{
	return l->ranks[2 * (size_t)label + 1];
}

#endif
