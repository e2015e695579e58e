#ifndef INPUT_RECORD_H
#define INPUT_RECORD_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/perf_abi.h"

/*
 * Records, as all forms of input hand them out: what changes the state of processes,
 * and samples.
 */
enum {
	RECORD_TYPES = 128, /* counted one by one below this; above, together */
	RECORD_SIMPLEPERF = 32768, /* Android's recorder has types of its own from here */
	SIMPLEPERF_TYPES = 16,
};

/*
 * Records that perf makes, which end with no trailer: enum perf_user_event_type of
 * tools/lib/perf/include/perf/event.h. The kernel's are in its own header.
 */
enum {
	PERF_RECORD_USER_TYPE_START = 64,
	PERF_RECORD_HEADER_ATTR = 64,
	PERF_RECORD_HEADER_EVENT_TYPE = 65,
	PERF_RECORD_HEADER_TRACING_DATA = 66,
	PERF_RECORD_HEADER_BUILD_ID = 67,
	PERF_RECORD_FINISHED_ROUND = 68,
	PERF_RECORD_ID_INDEX = 69,
	PERF_RECORD_AUXTRACE_INFO = 70,
	PERF_RECORD_AUXTRACE = 71,
	PERF_RECORD_AUXTRACE_ERROR = 72,
	PERF_RECORD_THREAD_MAP = 73,
	PERF_RECORD_CPU_MAP = 74,
	PERF_RECORD_STAT_CONFIG = 75,
	PERF_RECORD_STAT = 76,
	PERF_RECORD_STAT_ROUND = 77,
	PERF_RECORD_EVENT_UPDATE = 78,
	PERF_RECORD_TIME_CONV = 79,
	PERF_RECORD_HEADER_FEATURE = 80,
	PERF_RECORD_COMPRESSED = 81,
	PERF_RECORD_FINISHED_INIT = 82,
	PERF_RECORD_COMPRESSED2 = 83,
	PERF_RECORD_BPF_METADATA = 84,
	PERF_RECORD_SCHEDSTAT_CPU = 85,
	PERF_RECORD_SCHEDSTAT_DOMAIN = 86,
};

/* THREAD_MAP, in misc: flamefold's, of events that were opened on whole processors though only these
 * threads were asked for; or of its own process, which was on them, too, and does not count. perf writes
 * one into each file, and 0. */
enum { RECORD_MISC_ASKED_FOR = 1 << 15, RECORD_MISC_RECORDER = 1 << 14 };

/* Who ran: bits 0 to 2 of a record's misc. */
enum cpu_mode {
	MODE_UNKNOWN = PERF_RECORD_MISC_CPUMODE_UNKNOWN,
	MODE_KERNEL = PERF_RECORD_MISC_KERNEL,
	MODE_USER = PERF_RECORD_MISC_USER,
	MODE_HYPERVISOR = PERF_RECORD_MISC_HYPERVISOR,
	MODE_GUEST_KERNEL = PERF_RECORD_MISC_GUEST_KERNEL,
	MODE_GUEST_USER = PERF_RECORD_MISC_GUEST_USER,
};

#define BUILD_ID_MAX 20

/* Namespaces of a process, in the order of the record. The kernel's device and inode
 * numbers of them have 32 bits. */
enum namespace_kind {
	NAMESPACE_NET = NET_NS_INDEX,
	NAMESPACE_UTS = UTS_NS_INDEX,
	NAMESPACE_IPC = IPC_NS_INDEX,
	NAMESPACE_PID = PID_NS_INDEX,
	NAMESPACE_USER = USER_NS_INDEX,
	NAMESPACE_MNT = MNT_NS_INDEX,
	NAMESPACE_CGROUP = CGROUP_NS_INDEX,
	NAMESPACE_KINDS = NR_NAMESPACES,
};
struct namespace_id {
	uint32_t dev, ino; /* both 0: not recorded */
};

/* A change of state. Strings are ids of the intern given to input_open(). */
struct record {
	uint64_t
		time; /* ns; where it has none itself, just after the newest one before it */
	uint64_t
		position; /* bytes from the start of the file: decides between equal times */
	uint16_t
		type; /* PERF_RECORD_MMAP (also for MMAP2), _COMM, _FORK, _EXIT, _KSYMBOL,
			  _NAMESPACES, _CGROUP, _BPF_EVENT; _SWITCH (also for
			  SWITCH_CPU_WIDE) where they were asked for */
	uint8_t mode; /* enum cpu_mode */
	bool exec; /* COMM: the process began a new program */
	bool no_clone; /* FORK: the maps are not those of the parent */
	bool executable; /* MMAP */
	bool gone; /* KSYMBOL: unregistered; BPF_EVENT: unloaded */
	uint8_t build_id_size; /* MMAP; 0: not known */
	uint8_t build_id[BUILD_ID_MAX];
	uint32_t pid, tid;
	/* MMAP: path; COMM: comm; KSYMBOL: symbol; CGROUP: path */
	uint32_t name;
	union {
		struct {
			uint32_t ppid; /* FORK */
			union {
				uint32_t ptid; /* FORK */
				/* MMAP: the name that a line of perf-PID.map gives to
				 * the code there from now on; 0: it is a map. The line
				 * ends before the byte at .ino of that file. */
				uint32_t code;
			};
			uint32_t maj, min; /* MMAP: device, 0 where not recorded */
			uint64_t ino, generation;
			uint64_t start, size, offset; /* MMAP, KSYMBOL */
		};
		struct {
			bool leaves; /* SWITCH: the thread went out, and */
			bool preempted; /* could go on */
		};
		struct namespace_id namespaces[NAMESPACE_KINDS]; /* NAMESPACES */
		uint64_t id; /* CGROUP, BPF_EVENT */
	};
};

/* From here on times are none: perf record --off-cpu puts what it has added up behind all
 * else. */
#define TIME_NEVER (UINT64_MAX << 32)

struct sample {
	uint64_t time; /* as for a record */
	uint64_t position;
	uint64_t ip, period;
	uint32_t pid, tid, cpu;
	uint16_t event; /* index in the recording's events */
	uint32_t times; /* as many were taken as one; 0: this one */
	uint8_t mode; /* enum cpu_mode */
	bool has_chain; /* the event records call chains */
	bool has_user_stack; /* a copy of the user stack came with it */
	bool exact_chain; /* its addresses are those of calls, not return addresses */
	uint32_t chain_count;
	const uint8_t *chain; /* u64 each, unaligned, leaf first; until the next call */
	bool is_wait; /* it weighs what its thread did not run: it is of no processor */
	bool user_stack_cut; /* the stack went on behind the copy */
	/* The user's registers: 1: of a 32-bit task, 2: of a 64-bit one; 0: none, as of a
	 * kernel thread. Bit i of the mask: the recorder's register i is there. */
	uint8_t user_abi;
	uint64_t user_mask;
	const uint8_t *user_registers; /* u64 each, unaligned, lowest bit first */
	/* The bytes from the user's stack pointer up that could be copied. */
	const uint8_t *user_stack;
	uint32_t user_stack_size;
	const uint8_t *raw; /* what the event itself says (event_format.h), as recorded */
	uint32_t raw_size;
	uint32_t branch_count; /* branch records that came with it */
	uint64_t cgroup; /* id; 0: not recorded */
	/* Of text: frames by what was printed of them, leaf first, each a string id (see
	 * input/printed.h). NULL: it has addresses. */
	const uint32_t *printed;
	uint32_t printed_count;
	/* Counters of its group, "value, id, ..." each group_stride u64 long. */
	uint32_t group_count, group_stride;
	const uint8_t *group; /* NULL: a group of one, in value */
	uint64_t value[2];
};

/* As how many it counts. */
static inline uint32_t sample_times(const struct sample *s)
{
	return s->times ? s->times : 1;
}

/* Counter value @i that was read with the sample, and the id it belongs to. */
static inline uint64_t sample_value(const struct sample *s, uint32_t i, uint64_t *id)
{
	const uint8_t *p = s->group ? s->group + 8 * (size_t)i * s->group_stride
				    : (const uint8_t *)s->value;
	uint64_t value;

	memcpy(&value, p, sizeof(value));
	memcpy(id, p + 8, sizeof(*id));
	return value;
}

static inline uint64_t sample_chain(const struct sample *s, uint32_t i)
{
	uint64_t ip;

	memcpy(&ip, s->chain + 8 * (size_t)i, sizeof(ip));
	return ip;
}

#endif
