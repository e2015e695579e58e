/*
 * Forecasts are mixed as logits: what is all but sure then counts more than what is not known. How much each one
 * is trusted follows from how it did, as in a neuron: the error of the mixture, in proportion to what a forecast
 * said, is taken from its trust (M. Mahoney, Adaptive weighing of context models, 2005).
 */
#include "tree/forecast.h"

/* 1 / (1 + e^-x), by steps of 1 / 256: each is e^(-1/256) times the one before, 16711808 / 2^24. */
void oracle_init(struct oracle *o)
{
	uint64_t power = 1u << 24;
	int filled = 0;

	for (int i = 0; i <= LOGIT_MOST; i++) {
		o->chance[LOGIT_MOST + i] =
			(uint16_t)((UINT64_C(1) << 40) / ((UINT64_C(1) << 24) + power));
		o->chance[LOGIT_MOST - i] = (uint16_t)(65536 - o->chance[LOGIT_MOST + i]);
		power = power * 16711808 >> 24;
	}
	for (int i = -LOGIT_MOST; i <= LOGIT_MOST; i++)
		while (filled <= o->chance[LOGIT_MOST + i] >> 4)
			o->logit[filled++] = (int16_t)i;
	while (filled < 4096)
		o->logit[filled++] = LOGIT_MOST;
}

/* Before it has answers a forecast says nothing of its own. */
int oracle_logit(const struct oracle *o, const struct forecast *f, int first)
{
	return f->answers ? o->logit[f->chance >> 4] : first;
}

bool oracle_ask(struct oracle *o, int64_t *trust, const int *logits, bool answer)
{
	int64_t sum = 0;
	int error;
	uint32_t chance;

	for (int i = 0; i < FORECASTS; i++)
		sum += trust[i] * logits[i];
	sum >>= 16;
	sum = sum < -LOGIT_MOST ? -LOGIT_MOST : sum > LOGIT_MOST ? LOGIT_MOST : sum;
	chance = o->chance[LOGIT_MOST + sum];
	answer = arithmetic_bit(&o->code, chance, answer);
	error = (answer ? 65536 : 0) - (int)chance;
	for (int i = 0; i < FORECASTS; i++)
		trust[i] += ((int64_t)logits[i] * error + (1 << 15)) >> 16;
	return answer;
}

/* Nothing is so sure that its contrary would cost more than 10 bits. */
bool oracle_ask_one(struct oracle *o, struct forecast *f, bool answer)
{
	uint16_t chance = f->answers ? f->chance : CHANCE_EVEN;

	chance = chance < 64 ? 64 : chance > 65472 ? 65472 : chance;
	answer = arithmetic_bit(&o->code, chance, answer);
	forecast_learn(f, CHANCE_EVEN, answer, STEADIER);
	return answer;
}

/* The mean of all answers at first, and later of the last ones, as the limit keeps the step from becoming small. */
void forecast_learn(struct forecast *f, uint16_t first, bool answer, unsigned steady)
{
	int was = f->answers ? f->chance : first;

	f->chance = (uint16_t)(was + ((answer ? 65535 : 0) - was) / (f->answers + 2));
	f->answers = (uint8_t)(f->answers + (f->answers < steady));
}
