/*
 * Names of record types and of sample fields, for those who list what is in a recording:
 * the words behind PERF_RECORD_ and PERF_SAMPLE_. Sources: include/uapi/linux/perf_event.h,
 * from type 64 on tools/lib/perf/include/perf/event.h, from 32768 on record.h of
 * simpleperf.
 */
#include "input/input.h"

#define NAMED(type) [PERF_RECORD_##type] = #type
static const char *const record_names[] = {
	NAMED(MMAP),
	NAMED(LOST),
	NAMED(COMM),
	NAMED(EXIT),
	NAMED(THROTTLE),
	NAMED(UNTHROTTLE),
	NAMED(FORK),
	NAMED(READ),
	NAMED(SAMPLE),
	NAMED(MMAP2),
	NAMED(AUX),
	NAMED(ITRACE_START),
	NAMED(LOST_SAMPLES),
	NAMED(SWITCH),
	NAMED(SWITCH_CPU_WIDE),
	NAMED(NAMESPACES),
	NAMED(KSYMBOL),
	NAMED(BPF_EVENT),
	NAMED(CGROUP),
	NAMED(TEXT_POKE),
	NAMED(AUX_OUTPUT_HW_ID),
	NAMED(CALLCHAIN_DEFERRED),
	NAMED(HEADER_ATTR),
	NAMED(HEADER_EVENT_TYPE),
	NAMED(HEADER_TRACING_DATA),
	NAMED(HEADER_BUILD_ID),
	NAMED(FINISHED_ROUND),
	NAMED(ID_INDEX),
	NAMED(AUXTRACE_INFO),
	NAMED(AUXTRACE),
	NAMED(AUXTRACE_ERROR),
	NAMED(THREAD_MAP),
	NAMED(CPU_MAP),
	NAMED(STAT_CONFIG),
	NAMED(STAT),
	NAMED(STAT_ROUND),
	NAMED(EVENT_UPDATE),
	NAMED(TIME_CONV),
	NAMED(HEADER_FEATURE),
	NAMED(COMPRESSED),
	NAMED(FINISHED_INIT),
	NAMED(COMPRESSED2),
	NAMED(BPF_METADATA),
	NAMED(SCHEDSTAT_CPU),
	NAMED(SCHEDSTAT_DOMAIN),
};

/* enum perf_event_sample_format */
static const char *const fields[] = {
	"IP",
	"TID",
	"TIME",
	"ADDR",
	"READ",
	"CALLCHAIN",
	"ID",
	"CPU",
	"PERIOD",
	"STREAM_ID",
	"RAW",
	"BRANCH_STACK",
	"REGS_USER",
	"STACK_USER",
	"WEIGHT",
	"DATA_SRC",
	"IDENTIFIER",
	"TRANSACTION",
	"REGS_INTR",
	"PHYS_ADDR",
	"AUX",
	"CGROUP",
	"DATA_PAGE_SIZE",
	"CODE_PAGE_SIZE",
	"WEIGHT_STRUCT",
};

const char *sample_field_name(unsigned bit)
{
	return bit < sizeof(fields) / sizeof(*fields) ? fields[bit] : NULL;
}

/* record.h of simpleperf. */
static const char *const simpleperf_names[] = {
	[1] = "SIMPLEPERF_KERNEL_SYMBOL", [2] = "SIMPLEPERF_DSO",
	[3] = "SIMPLEPERF_SYMBOL",	  [4] = "SIMPLEPERF_SPLIT",
	[5] = "SIMPLEPERF_SPLIT_END",	  [6] = "SIMPLEPERF_EVENT_ID",
	[7] = "SIMPLEPERF_CALLCHAIN",	  [8] = "SIMPLEPERF_UNWINDING_RESULT",
	[9] = "SIMPLEPERF_TRACING_DATA",  [10] = "SIMPLEPERF_DEBUG",
};

const char *record_name(unsigned type)
{
	unsigned own = type - RECORD_SIMPLEPERF;

	if (type >= RECORD_SIMPLEPERF)
		return own < sizeof(simpleperf_names) / sizeof(*simpleperf_names)
			       ? simpleperf_names[own]
			       : NULL;
	return type < sizeof(record_names) / sizeof(*record_names) ? record_names[type]
								   : NULL;
}
