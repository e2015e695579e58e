#ifndef ORDER_ORDER_H
#define ORDER_ORDER_H

#include "input/input.h"

/*
 * Time order.
 *
 * perf writes each processor's ring in time order but drains the rings one after
 * another, so a file is a pile of pieces that overlap in time. Of a file that can
 * be read twice only the changes of state are put in order; samples ask the
 * timeline that they make, whatever order they come in:
 *
 *	cpu 0   M--C-----M            time ->
 *	cpu 1      M--F-----X
 *	file    M C M M F X           order_add()
 *	out     M M C F M X           order_next(), after order_end_input()
 */
struct order {
	ARRAY(struct record) records;
	size_t next;
	bool sorted; /* what was added is in order so far */
};

void order_init(struct order *o);
void order_release(struct order *o);

/* Copies @rec. -ENOMEM leaves everything as it was. */
int order_add(struct order *o, const struct record *rec);
void order_end_input(struct order *o);

/* 1 and the oldest record left, borrowed until order_release(), or 0. Records of the
 * same time keep the order of the file. */
int order_next(struct order *o, const struct record **ret);

#endif
