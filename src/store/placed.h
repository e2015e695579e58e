#ifndef STORE_PLACED_H
#define STORE_PLACED_H

#include "store/nodes.h"
#include "store/tables.h"
#include "weight/weight.h"

/*
 * A tree in memory, on its way into a file: nodes are put below each other by their frames, in any order;
 * values of one node are added up, and a walk tells all in preorder.
 */
struct placed_node {
	uint32_t frame, parent;
	uint32_t first, last, next; /* children in the order of their frames; 0: none */
	uint32_t slices; /* the first one; 0: none */
};

/* Most nodes have little in few slices of time: those are a list. */
struct placed_slice {
	uint64_t value;
	uint32_t place; /* column with slices * STORE_SLICES + slice: their order */
	uint32_t next; /* 0: none */
};

struct placed {
	ARRAY(struct placed_node) nodes; /* 0: the root */
	uint32_t columns, sliced; /* sliced: columns with slices of time */
	ARRAY(uint64_t) values; /* by node and column */
	ARRAY(struct placed_slice) slices; /* 0: nobody's */
	uint32_t last_node, last_slice; /* what was added to last */
	/* By node, or nothing: when the values of the weight were there. Its bytes, if the tables say so. */
	struct heat heat;
	const struct heat *processors; /* the same by processor; NULL: not known */
};

/* Of sorted tables; @nodes: as many as there will be at most, where that is known. 0, or -ENOMEM. */
int placed_init(struct placed *p, const struct store_tables *tables, size_t nodes);
void placed_release(struct placed *p);

/* The child of a frame, made if there is none, in its place among the others. 0, or -ENOMEM. */
int placed_child(struct placed *p, uint32_t parent, uint32_t frame, uint32_t *ret);

static inline uint64_t *placed_values(struct placed *p, uint32_t node)
{
	return p->values.v + (size_t)node * p->columns;
}

/* Adds to a slice of a node; @place: see struct placed_slice. 0, or -ENOMEM. */
int placed_add_slice(struct placed *p, uint32_t node, uint32_t place, uint64_t value);

/* All of it, and the end. 0, or why the sink has failed. */
int placed_write(struct placed *p, struct store_sink *sink,
		 const struct store_tables *tables);

#endif
