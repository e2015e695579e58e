/*
 * What a sample costs is decided here, once: the rate, which is no more than the kernel
 * takes, and the bytes of stack, which are no more than a busy processor can copy at
 * that rate without that being seen, and no more than a ring can hold. Attributes follow
 * from this plan. The last event also reports what processes do. Tracepoints are sampled
 * each time they are passed, unless a rate was asked for. Fields: perf_event_open(2).
 */
#include "live/events/attr.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "live/events/stacks.h"

enum {
	KERNELS_RATE = 100000, /* the most, where nothing was set */
	USUAL_STACK = 8192,
	STACK_LEAST = 1024,
	COPIED_A_SECOND = 41 << 20, /* bytes, of one processor */
	SAMPLES_HELD = 16, /* by a ring, at the least */
	LEAF_STACK = 512, /* holds the frames that leaves without a frame pointer have */
	USUAL_CHAIN = 64, /* addresses */
	SAMPLE_FIELDS = 12, /* u64 before and behind the chain */
	USUAL_RAW = 256, /* bytes; most tracepoints have some 64, with names more */
};

/* Registers by the kernel's numbers of them (asm/perf_regs.h): all that an unwinder can
 * use, and those that a leaf's caller is found with. */
#if defined(__x86_64__)
#define ALL_REGISTERS 0xff0fffull /* no DS, ES, FS, GS */
static const uint8_t argument_registers[] = { 5, 4, 3, 2, 16, 17, 0 }; /* DI ..., AX */
#define LEAF_REGISTERS (1ull << 6 | 1ull << 7 | 1ull << 8 | 1ull << 20) /* BP SP IP R12 */
#elif defined(__aarch64__)
#define ALL_REGISTERS ((1ull << 33) - 1)
static const uint8_t argument_registers[] = { 0, 1, 2, 3, 4, 5, 0 };
#define LEAF_REGISTERS                                                                   \
	(1ull << 29 | 1ull << 30 | 1ull << 31 | 1ull << 32) /* FP LR SP PC */
#else
#define ALL_REGISTERS 0ull
static const uint8_t argument_registers[7];
#define LEAF_REGISTERS 0ull
#endif

/*
 * So many bytes of each stack as a processor that is busy all the time can copy without that
 * being seen: 65,528 at 99 samples a second, 32 KiB at 999, 8 KiB at 4,999. How often an event with
 * a period comes is not known, and neither are the events of a mode; beside switches of threads something
 * is sampled at a rate. A ring has to hold some of them.
 */
static uint32_t usual_stack(const struct live_options *options,
			    const struct live_permission *permission,
			    const struct live_plan *plan)
{
	uint64_t most = USUAL_STACK, size = STACK_LEAST, ring = UINT64_MAX;

	if (plan->chain == FF_RECORD_DWARF)
		return USUAL_STACK;
	if ((!options->asked || options->switches) &&
	    (options->record.frequency || !options->record.period))
		most = COPIED_A_SECOND / (plan->frequency ? plan->frequency : 1);
	if (!permission->ipc_lock && permission->paranoid != -1)
		ring = permission->mlock_kb << 10;
	if (options->record.ring_size)
		ring = options->record.ring_size;
	if (most > ring / SAMPLES_HELD)
		most = ring / SAMPLES_HELD;
	while (size * 2 <= most && size <= RECORD_STACK_MOST)
		size *= 2;
	return size > RECORD_STACK_MOST ? RECORD_STACK_MOST : (uint32_t)size;
}

int live_plan_make(struct context *ctx, const struct live_options *options,
		   const struct live_permission *permission,
		   const struct live_target *target, struct live_plan *ret)
{
	struct live_plan plan = { .period = options->record.period,
				  .chain = options->record.chain };
	uint64_t wanted =
		options->record.frequency ? options->record.frequency : LIVE_USUAL_RATE;
	uint64_t most = permission->rate_most;
	char allow[96] = "";
	uint32_t size;

	if (!most)
		most = wanted == UINT64_MAX ? KERNELS_RATE : wanted;
	/* As often as was asked for. No rate is higher than what the kernel keeps it in, an int
	 * (sysctl_perf_event_sample_rate). */
	if (!plan.period)
		plan.frequency = wanted < most ? wanted : most;
	if (!plan.period && wanted > most && wanted != UINT64_MAX) {
		if (wanted <= INT_MAX)
			snprintf(allow, sizeof(allow),
				 "; 'sudo sysctl "
				 "kernel.perf_event_max_sample_rate=%" PRIu64
				 "' allows them",
				 wanted);
		warn(ctx,
		     "%" PRIu64
		     " samples a second are more than the kernel takes: taking %" PRIu64
		     "%s",
		     wanted, most, allow);
	}
	/* Registers and copies cannot be had on each machine, and are of no use for the
	 * kernel; frame pointers cost less where all programs keep them. */
	if (plan.chain == FF_RECORD_AUTO &&
	    (!ALL_REGISTERS || options->record.flags & FF_RECORD_ALL_KERNEL ||
	     (!options->record.stack_size && live_keeps_frame_pointers(target))))
		plan.chain = FF_RECORD_FRAME_POINTER;
	if (plan.chain == FF_RECORD_FRAME_POINTER) {
		plan.leaf_fix = !(options->record.flags & FF_RECORD_NO_LEAF_FIX) &&
				LEAF_REGISTERS != 0 &&
				!(options->record.flags & FF_RECORD_ALL_KERNEL);
		plan.stack_size = plan.leaf_fix ? LEAF_STACK : 0;
	} else if (plan.chain == FF_RECORD_DWARF || plan.chain == FF_RECORD_AUTO) {
		if (!ALL_REGISTERS)
			return fail(ctx, -EOPNOTSUPP,
				    "stacks cannot be unwound by DWARF on this kind of "
				    "machine: use -g fp");
		size = options->record.stack_size
			       ? options->record.stack_size
			       : usual_stack(options, permission, &plan);
		/* PERF_SAMPLE_STACK_USER, perf_copy_attr(): below 64 KiB, whole u64. */
		if (size > RECORD_STACK_MOST || size % 8)
			return fail(ctx, -EINVAL,
				    "cannot copy %u bytes of each stack: it takes a "
				    "multiple of 8, %d at the most",
				    size, RECORD_STACK_MOST);
		plan.stack_size = size;
	}
	*ret = plan;
	return 0;
}

static void ask_for_chain(struct perf_event_attr *attr, const struct live_plan *plan)
{
	if (plan->chain == FF_RECORD_NO_CHAIN)
		return;
	attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
	if (plan->chain == FF_RECORD_LBR) {
		attr->sample_type |= PERF_SAMPLE_BRANCH_STACK;
		attr->branch_sample_type =
			PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK |
			PERF_SAMPLE_BRANCH_NO_FLAGS | PERF_SAMPLE_BRANCH_NO_CYCLES;
		attr->exclude_callchain_user = 1;
	}
	if (!plan->stack_size)
		return;
	attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	attr->sample_stack_user = plan->stack_size;
	attr->sample_regs_user = plan->leaf_fix ? LEAF_REGISTERS : ALL_REGISTERS;
	/* FF_RECORD_AUTO: what the copy is too short for may be in the chain. */
	attr->exclude_callchain_user = plan->chain == FF_RECORD_DWARF;
}

/* A function's arguments where it begins, or its value where it has returned; not inherited: the
 * kernel would look for the path in the memory of who forks (perf_uprobe_init()). */
static void complete_probe(struct live_event *event)
{
	enum { ARGUMENTS = 0x3f, VALUE = 0x40 };
	unsigned asked = event->asked ? event->asked->registers : ARGUMENTS | VALUE;

	asked &= event->probe == PROBE_ENTRY ? ARGUMENTS : VALUE;
	for (unsigned i = 0; i < sizeof(argument_registers); i++)
		if (asked >> i & 1)
			event->attr.sample_regs_user |= 1ull << argument_registers[i];
	if (event->attr.sample_regs_user)
		event->attr.sample_type |= PERF_SAMPLE_REGS_USER;
	event->attr.inherit = 0;
}

static void complete_attr(struct live_event *event, const struct live_options *options,
			  const struct live_plan *plan)
{
	struct perf_event_attr *attr = &event->attr;
	bool tracepoint = attr->type == PERF_TYPE_TRACEPOINT || event->probe;
	bool is_clock = attr->config == PERF_COUNT_SW_CPU_CLOCK ||
			attr->config == PERF_COUNT_SW_TASK_CLOCK;
	bool counted = tracepoint || (attr->type == PERF_TYPE_SOFTWARE && !is_clock);

	attr->size = sizeof(*attr);
	attr->sample_type |= LIVE_SAMPLE_TYPE | PERF_SAMPLE_CGROUP;
	/* lost.c reads both at the end. */
	attr->read_format = PERF_FORMAT_ID | PERF_FORMAT_LOST;
	attr->sample_id_all = 1;
	attr->disabled = 1;
	attr->inherit = 1;
	attr->use_clockid = 1;
	attr->clockid = CLOCK_MONOTONIC;
	if (!event->no_chain)
		ask_for_chain(attr, plan);
	if (event->probe)
		complete_probe(event);
	if (options->record.flags & FF_RECORD_RAW_SAMPLES && tracepoint && !event->probe)
		attr->sample_type |= PERF_SAMPLE_RAW;
	/* Every pass of a tracepoint counts unless a rate was asked for. */
	if (!event->rated && tracepoint && !options->record.frequency &&
	    !options->record.period) {
		attr->sample_period = 1;
	} else if (!event->rated && plan->period) {
		attr->sample_period = plan->period;
	} else if (!event->rated) {
		attr->freq = 1;
		attr->sample_freq = plan->frequency;
	}
	/* Where samples have a field for the period, the kernel makes one of every event that
	 * is counted in software, whatever the period (perf_swevent_event()). Without it the
	 * attribute says how many one stands for. */
	if (counted && !attr->freq && attr->sample_period > 1)
		attr->sample_type &= ~(uint64_t)PERF_SAMPLE_PERIOD;
	/* How often one with a period comes is not known. */
	if (plan->chain == FF_RECORD_AUTO && !attr->freq && !options->record.stack_size &&
	    attr->sample_stack_user > USUAL_STACK)
		attr->sample_stack_user = USUAL_STACK;
	if (options->record.flags & FF_RECORD_ALL_KERNEL)
		attr->exclude_user = 1;
	if (options->record.flags & FF_RECORD_ALL_USER)
		attr->exclude_kernel = attr->exclude_hv = 1;
	if (options->record.who == FF_RECORD_COMMAND && !options->everywhere)
		attr->enable_on_exec = 1;
	if (!event->group)
		return;
	/* With what is lost beside each value a saved file could not be read by all. Whole
	 * processors hand nothing on, and before 6.13 a group that is read cannot be. */
	attr->read_format = PERF_FORMAT_ID | PERF_FORMAT_GROUP;
	attr->sample_type |= PERF_SAMPLE_READ;
	attr->inherit = options->record.who != FF_RECORD_SYSTEM &&
			options->record.who != FF_RECORD_CGROUP;
	if (event->group == GROUP_MEMBER) {
		/* It counts whenever the leader does. */
		attr->disabled = attr->enable_on_exec = 0;
		attr->freq = 0;
		attr->sample_period = 0;
	}
}

void live_attr_complete(const struct live_options *options, const struct live_plan *plan,
			struct live_events *events)
{
	struct perf_event_attr *last = NULL;

	for (size_t i = 0; i < events->list.count; i++)
		complete_attr(&events->list.v[i], options, plan);
	if (!events->list.count)
		return;
	/* What processes do, of one event only: each would report it. The last one is the one
	 * that is open on all processors; what may be refused is not relied on. */
	for (size_t i = events->list.count - 1; i > 0; i--)
		if (events->list.v[i].group != GROUP_MEMBER &&
		    (!events->list.v[i].asked || !events->list.v[i].asked->optional))
			last = last ? last : &events->list.v[i].attr;
	last = last ? last : &events->list.v[0].attr;
	last->mmap = 1;
	last->mmap2 = 1;
	last->comm = 1;
	last->comm_exec = 1;
	last->task = 1;
	last->namespaces = 1;
	last->ksymbol = 1;
	last->bpf_event = 1;
	last->cgroup = 1;
	last->context_switch = options->switches;
	/* Not build_id: as long as one event has it, the kernel marks the maps of all events
	 * on the machine as such that have one, and perf 6.1 dies of that. */
}

/*
 *	fields | call chain | raw | registers | copy of the stack
 *
 * What is not known beforehand counts as it usually is.
 */
size_t live_attr_sample_size(const struct perf_event_attr *attr)
{
	size_t size = 8 * (SAMPLE_FIELDS + USUAL_CHAIN) + attr->sample_stack_user;

	if (attr->sample_type & PERF_SAMPLE_RAW)
		size += USUAL_RAW;
	return size + 8 * (size_t)__builtin_popcountll(attr->sample_regs_user);
}
