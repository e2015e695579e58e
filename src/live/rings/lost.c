/*
 * For each processor two sums, what records have told and what events have counted. They
 * are compared once, at the end, when no record comes any more: before that a loss may
 * be counted and not yet told. The difference goes out as one more LOST record a
 * processor, so that a saved file has all of it, too.
 */
#include "live/rings/lost.h"

#include <string.h>
#include <unistd.h>

enum {
	LOST_COUNT = 16, /* behind head and u64 event */
	LOST_LEAST = 24,
	/* read(2) of an event: PERF_FORMAT_ID | PERF_FORMAT_LOST. */
	READ_VALUES = 3,
	READ_ID = 1,
	READ_LOST = 2,
};

bool lost_init(struct lost *l, const struct live_target *target)
{
	for (size_t i = 0; i < target->cpus.count; i++)
		while (l->cpus.count <= (size_t)target->cpus.v[i])
			if (!array_add(&l->cpus))
				return false;
	return true;
}

void lost_release(struct lost *l)
{
	array_release(&l->cpus);
}

static void add_told(struct lost *l, uint32_t cpu, uint64_t lost)
{
	l->told += lost;
	if (cpu < l->cpus.count)
		l->cpus.v[cpu].told += lost;
}

/*
 *	LOST      head | u64 event, lost | trailer, with the processor
 */
void lost_take(struct lost *l, const uint8_t *record, size_t size)
{
	struct live_trailer trailer;
	uint64_t lost;

	if (size < LOST_LEAST + sizeof(trailer))
		return;
	memcpy(&lost, record + LOST_COUNT, sizeof(lost));
	memcpy(&trailer, record + size - sizeof(trailer), sizeof(trailer));
	add_told(l, trailer.cpu, lost);
}

void lost_count(struct lost *l, const struct rings *rings,
		const struct live_events *events)
{
	for (size_t i = 0; i < rings->opened.count; i++) {
		const struct open_event *opened = &rings->opened.v[i];
		uint64_t values[READ_VALUES];
		struct lost_cpu *cpu;

		if (!(events->list.v[opened->event].attr.read_format &
		      PERF_FORMAT_LOST) ||
		    (size_t)opened->cpu >= l->cpus.count ||
		    read(opened->fd, values, sizeof(values)) != sizeof(values))
			continue;
		cpu = &l->cpus.v[opened->cpu];
		/* Summed up by processor, as records tell of it. */
		cpu->counted += values[READ_LOST];
		cpu->id = values[READ_ID];
	}
}

bool lost_remainder(struct lost *l, uint64_t time, struct lost_record *ret)
{
	for (; l->next < l->cpus.count; l->next++) {
		const struct lost_cpu *cpu = &l->cpus.v[l->next];
		struct lost_record made = {
			.head = { .type = PERF_RECORD_LOST, .size = sizeof(made) },
			.event = cpu->id,
			.lost = cpu->counted - cpu->told,
			.trailer = { .time = time,
				     .cpu = (uint32_t)l->next,
				     .id = cpu->id },
		};

		if (cpu->counted <= cpu->told)
			continue;
		add_told(l, (uint32_t)l->next, made.lost);
		*ret = made;
		l->next++;
		return true;
	}
	return false;
}
