#ifndef WRITE_LOCATIONS_H
#define WRITE_LOCATIONS_H

#include "write/exchange.h"

/*
 * Frames as pprof and OpenTelemetry have them: a location is a function with all that was inlined
 * there, up to one of these, and a stack is a list of locations, the leaf first. Nobody has addresses
 * at this stage, so a location of a module stands for all of its function.
 *
 *	stack	main, work, (inlined:) inl, read
 *	lists	read | inl work | main
 */
struct code_location {
	uint32_t outer; /* the location whose function it is inlined in; 0: it is none */
	uint32_t node; /* one with its function */
	uint32_t module; /* 0: none */
	bool used; /* by a stack */
};

struct locations {
	const struct exchange *e;
	/* Number 0 is nothing. */
	ARRAY(struct code_location) list;
	uint32_t *of_node; /* 0: a process, a label, or the root */
	struct numbering functions;
	/* By module, from 1 on: the first is the main program's, as readers expect. */
	ARRAY(struct write_module) modules;
};

/* 0, or -ENOMEM. A view by function. */
int locations_make(const struct exchange *e, struct locations *ret);
void locations_release(struct locations *l);

/* The location at a node of a stack, and *@node: that of its caller; 0: the stack has begun. */
uint32_t locations_next(const struct locations *l, uint32_t *node);

/* The node of a stack's leaf, where what ends at @node may be labelled. */
uint32_t locations_leaf(const struct locations *l, uint32_t node);

/* The process at the root of the stack of a node; 0: it is not known. */
uint32_t locations_process(const struct locations *l, uint32_t node);

#endif
