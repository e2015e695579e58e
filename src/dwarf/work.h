#ifndef DWARF_WORK_H
#define DWARF_WORK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * What reading the debug information of one object may cost. Counted in steps (a DIE, a
 * range, 16 bytes passed over: 50 to 100 ns each), not in seconds: the same file has to
 * give the same answer on every machine. All threads that read an object add to the same
 * sum, each in parts by a meter of its own; whether the sum is too much does not depend
 * on who adds what when.
 */
struct debug_work {
	_Atomic uint64_t done;
	uint64_t most;
};

/* Real debug information costs a step for each five bytes of .debug_info that are read.
 * The most of it, 600 MB, are 4 seconds. */
#define DEBUG_WORK_BASE ((uint64_t)4 << 20)
#define DEBUG_WORK_PER_BYTE ((uint64_t)2)
#define DEBUG_WORK_PER_SPLIT ((uint64_t)1 << 18) /* of a unit in a .dwo file */
#define DEBUG_WORK_MOST ((uint64_t)64 << 20)

static inline uint64_t debug_work_limit(uint64_t bytes, uint64_t splits)
{
	uint64_t limit = DEBUG_WORK_BASE + DEBUG_WORK_PER_BYTE * bytes +
			 DEBUG_WORK_PER_SPLIT * splits;

	return limit < DEBUG_WORK_MOST ? limit : DEBUG_WORK_MOST;
}

struct debug_meter {
	struct debug_work *work;
	uint64_t pending; /* not added yet */
	bool spent; /* it was too much: whoever sees this stops */
};

enum { DEBUG_METER_PART = 4096 };

static inline bool debug_meter_flush(struct debug_meter *m)
{
	uint64_t done = atomic_fetch_add(&m->work->done, m->pending) + m->pending;

	m->pending = 0;
	m->spent |= done > m->work->most;
	return !m->spent;
}

/* False where it is too much now. */
static inline bool debug_meter_add(struct debug_meter *m, uint64_t steps)
{
	m->pending += steps;
	return m->pending < DEBUG_METER_PART ? !m->spent : debug_meter_flush(m);
}

#endif
