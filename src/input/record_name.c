#include "input/input.h"

/* include/uapi/linux/perf_event.h, and from 64 on tools/lib/perf/include/perf/event.h. */
static const char *const names[] = {
	[1] = "MMAP",
	[2] = "LOST",
	[3] = "COMM",
	[4] = "EXIT",
	[5] = "THROTTLE",
	[6] = "UNTHROTTLE",
	[7] = "FORK",
	[8] = "READ",
	[9] = "SAMPLE",
	[10] = "MMAP2",
	[11] = "AUX",
	[12] = "ITRACE_START",
	[13] = "LOST_SAMPLES",
	[14] = "SWITCH",
	[15] = "SWITCH_CPU_WIDE",
	[16] = "NAMESPACES",
	[17] = "KSYMBOL",
	[18] = "BPF_EVENT",
	[19] = "CGROUP",
	[20] = "TEXT_POKE",
	[21] = "AUX_OUTPUT_HW_ID",
	[22] = "CALLCHAIN_DEFERRED",
	[64] = "HEADER_ATTR",
	[65] = "HEADER_EVENT_TYPE",
	[66] = "HEADER_TRACING_DATA",
	[67] = "HEADER_BUILD_ID",
	[68] = "FINISHED_ROUND",
	[69] = "ID_INDEX",
	[70] = "AUXTRACE_INFO",
	[71] = "AUXTRACE",
	[72] = "AUXTRACE_ERROR",
	[73] = "THREAD_MAP",
	[74] = "CPU_MAP",
	[75] = "STAT_CONFIG",
	[76] = "STAT",
	[77] = "STAT_ROUND",
	[78] = "EVENT_UPDATE",
	[79] = "TIME_CONV",
	[80] = "HEADER_FEATURE",
	[81] = "COMPRESSED",
	[82] = "FINISHED_INIT",
	[83] = "COMPRESSED2",
	[84] = "BPF_METADATA",
	[85] = "SCHEDSTAT_CPU",
	[86] = "SCHEDSTAT_DOMAIN",
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
	return type < sizeof(names) / sizeof(*names) ? names[type] : NULL;
}
