#ifndef STACK_CHAIN_H
#define STACK_CHAIN_H

#include "input/input.h"

/*
 * The chain that the kernel recorded, entry by entry. Markers among the addresses
 * say whose the following ones are (enum perf_callchain_context):
 *
 *	KERNEL ip ra ra ra USER ip ra ra
 *
 * The first address behind a marker is where that side stood: the sampled
 * instruction, or the one that entered the kernel. The others are return addresses.
 */
struct chain {
	const struct sample *sample;
	uint32_t next;
	uint8_t mode; /* enum cpu_mode of what follows */
	bool exact; /* what follows is no return address */
	bool entered; /* what follows is where a process entered the kernel */
	bool odd; /* cut at a value that is neither address nor known marker */
};

struct chain_entry {
	uint64_t ip;
	uint8_t mode; /* enum cpu_mode */
	bool caller; /* ip is a return address */
	bool entered; /* the kernel was entered from here */
};

/* The marker in front of what is the user's. */
#define CHAIN_USER PERF_CONTEXT_USER

/* Addresses that a chain of the event has at the most, so one that has as many is cut. */
uint32_t chain_limit(const struct event *event);

void chain_start(struct chain *c, const struct sample *s);

/* The next address or marker; 0: none. */
static inline uint64_t chain_peek(const struct chain *c)
{
	return c->next < c->sample->chain_count ? sample_chain(c->sample, c->next) : 0;
}

/* Leaf first. False at the end. */
bool chain_next(struct chain *c, struct chain_entry *ret);

#endif
