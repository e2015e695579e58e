/*
 * What was read is either kept or lost for one reason, so kept and lost add up to it,
 * which can be asked of any sum. Sums of workers and inputs are added up; those of
 * inputs that were only lent are taken off again.
 */
#include "weight/weight.h"

void weight_sum_add(struct weight_sum *to, const struct weight_sum *from)
{
	weight_sum_count(to, from->read, from->samples_read);
	weight_sum_before(to, from->before);
	to->overflow |= from->overflow;
	to->kept += from->kept;
	to->cut += from->cut;
	for (int i = 0; i < LOST_REASONS; i++)
		to->lost[i] += from->lost[i];
	to->samples_kept += from->samples_kept;
}

void weight_sum_remove(struct weight_sum *from, const struct weight_sum *added)
{
	from->read -= added->read;
	from->kept -= added->kept;
	from->cut -= added->cut;
	for (int i = 0; i < LOST_REASONS; i++)
		from->lost[i] -= added->lost[i];
	from->samples_read -= added->samples_read;
	from->before -= added->before;
	from->samples_kept -= added->samples_kept;
}

bool weight_sum_conserved(const struct weight_sum *sum)
{
	uint64_t all = sum->kept;

	for (int i = 0; i < LOST_REASONS; i++)
		all += sum->lost[i];
	return all == sum->read;
}

/* What stackcollapse-perf.pl makes of a line of perf script. */
static uint64_t printed_period(const struct event *event, const struct sample *s)
{
	return event_is_anonymous(event) ? 1 : s->period;
}

uint64_t weight_of(const struct weight_options *options, const struct event *event,
		   const struct sample *s)
{
	uint64_t period = options->as_printed ? printed_period(event, s) : s->period;

	/* A sample without a period was taken all the same. */
	return options->count_samples || period == 0 ? 1 : period;
}
