#ifndef TREE_FORECAST_H
#define TREE_FORECAST_H

#include "tree/arithmetic.h"

/*
 * Answers of yes and no in as few bits as can be: each is foreseen by those that came before, and costs the less
 * the better it was foreseen. Who reads asks the same questions in the same order, and has the same forecasts.
 * All of it is in whole numbers, so that every machine has the same.
 */

/* The chance of a yes, of 2^16, by the answers that came. Zeroed, there were none. */
struct forecast {
	uint16_t chance;
	uint8_t answers;
	uint8_t last; /* the last five of them behind a 1, where a place asks for these */
};

enum {
	CHANCE_EVEN = 32768,
	LOGIT_MOST = 2047, /* 8 times 256, of which the chance is 1 in 3,000 */
	STEADY = 18, /* so many answers have a say in the forecast of one place, */
	STEADIER = 200, /* and in one that many places share */
	FORECASTS = 3, /* are mixed */
};

struct oracle {
	struct arithmetic code; /* where answers are written to, or read from */
	/* Of a chance / 16 its logit, which is the logarithm of its odds, times 256; and of a logit the chance. */
	int16_t logit[4096];
	uint16_t chance[2 * LOGIT_MOST + 1];
};

/* But for the code. */
void oracle_init(struct oracle *o);

/* The logit of a forecast; @first: of one that has no answers yet. */
int oracle_logit(const struct oracle *o, const struct forecast *f, int first);

/* @trust: how much each of the logits counts, of 2^16, which the answer changes. Returns the answer, which is
 * @answer where it is written; and so do the next ones. */
bool oracle_ask(struct oracle *o, int64_t *trust, const int *logits, bool answer);

/* By one forecast, which learns from it. */
bool oracle_ask_one(struct oracle *o, struct forecast *f, bool answer);

/* @first: the chance before any answer; @steady: STEADY, or STEADIER. */
void forecast_learn(struct forecast *f, uint16_t first, bool answer, unsigned steady);

#endif
