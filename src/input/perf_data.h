#ifndef INPUT_PERF_DATA_H
#define INPUT_PERF_DATA_H

#include <stdint.h>

/*
 * What perf itself adds to the kernel's records to make a perf.data of them; its reader
 * and its writer share these. Source:
 * tools/perf/Documentation/perf.data-file-format.txt. The types of its records are in
 * input/record.h.
 */

/* The magic number of version 2, as it is read on a machine of either byte order; and
 * of version 1. */
#define PERF_MAGIC "PERFILE2"
#define PERF_MAGIC_SWAPPED "2ELIFREP"
#define PERF_MAGIC_1 "PERFFILE"
#define PERF_MAGIC_1_SWAPPED "ELIFFREP"

/* Bytes of things in the header. */
enum {
	HEADER_FULL = 104, /* struct perf_file_header */
	HEADER_WITHOUT_FEATURES = 72, /* of the first versions */
	HEADER_PIPE = 16,
	HEADER_SECTION = 16, /* u64 offset, size */
	FEATURE_WORDS = 4, /* u64 with a bit for each feature */
};

/* Sections of the header that follow the data, by the number of their bit: HEADER_* in
 * the format's description. */
enum {
	FEATURE_TRACING_DATA = 1,
	FEATURE_BUILD_ID = 2,
	FEATURE_HOSTNAME = 3,
	FEATURE_OSRELEASE = 4,
	FEATURE_VERSION = 5,
	FEATURE_ARCH = 6,
	FEATURE_NRCPUS = 7,
	FEATURE_CPUDESC = 8,
	FEATURE_TOTAL_MEM = 10,
	FEATURE_CMDLINE = 11,
	FEATURE_EVENT_DESC = 12,
	FEATURE_BRANCH_STACK = 15,
	FEATURE_PMU_MAPPINGS = 16,
	FEATURE_SAMPLE_TIME = 21,
	FEATURE_CLOCKID = 23,
	FEATURE_COMPRESSED = 27,
	FEATURE_CLOCK_DATA = 29,
};

/* Of a HEADER_BUILD_ID's misc: how many bytes the id has stands behind it. */
#define MISC_BUILD_ID_SIZE (1u << 15)

#endif
