#ifndef BASE_PERF_ABI_H
#define BASE_PERF_ABI_H

/*
 * The kernel's numbers of perf events, for all that reads or writes records: those of
 * its own header, and by the kernel's names what the header of Linux 6.1 lacks or has
 * as a bit-field only.
 */
#include <linux/perf_event.h>

/* Macros, so that an enumerator of the same name in a newer header does no harm. */
#define PERF_RECORD_CALLCHAIN_DEFERRED 22
#define PERF_CONTEXT_USER_DEFERRED ((__u64)-640)
#define PERF_SAMPLE_BRANCH_COUNTERS (1U << 19)
/* Of LOST_SAMPLES: a BPF filter has dropped them (perf 6.11). */
#ifndef PERF_RECORD_MISC_LOST_SAMPLES_BPF
#define PERF_RECORD_MISC_LOST_SAMPLES_BPF (1 << 15)
#endif

/* Of each record: struct perf_event_header, whose size is a u16. */
enum {
	RECORD_HEAD = sizeof(struct perf_event_header),
	RECORD_MOST = 1 << 16,
	/* PERF_SAMPLE_STACK_USER, perf_copy_attr(): below 64 KiB, whole u64. */
	RECORD_STACK_MOST = 65528,
};

/* The bit-field of perf_event_attr as a number, on a little-endian machine. */
#define PERF_ATTR_INHERIT (1ull << 1)
#define PERF_ATTR_EXCLUDE_USER (1ull << 4)
#define PERF_ATTR_EXCLUDE_KERNEL (1ull << 5)
#define PERF_ATTR_EXCLUDE_HV (1ull << 6)
#define PERF_ATTR_FREQ (1ull << 10)
#define PERF_ATTR_PRECISE_IP_SHIFT 15 /* of two bits */
#define PERF_ATTR_SAMPLE_ID_ALL (1ull << 18)
#define PERF_ATTR_EXCLUDE_HOST (1ull << 19)
#define PERF_ATTR_COMM_EXEC (1ull << 24)
#define PERF_ATTR_USE_CLOCKID (1ull << 25)
#define PERF_ATTR_SWITCHES (1ull << 26)
#define PERF_ATTR_BUILD_ID (1ull << 34)

#endif
