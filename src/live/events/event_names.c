/*
 * Three kinds of names, tried in this order: a table, words for caches, and 'r' with a
 * hexadecimal number. Case does not matter but for that 'r'. perf's spellings of the
 * parts of a cache event are those of tools/perf/util/evsel.c; they are put together as
 * perf_event_open(2) says:
 *
 *	LLC-load-misses    config = LL | READ << 8 | MISS << 16
 */
#include "live/events/event_names.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const struct named_event {
	const char *name;
	uint8_t type, config;
} plain_events[] = {
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	{ "cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES },
	{ "cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
	{ "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES },
	{ "bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES },
	{ "stalled-cycles-frontend", PERF_TYPE_HARDWARE,
	  PERF_COUNT_HW_STALLED_CYCLES_FRONTEND },
	{ "idle-cycles-frontend", PERF_TYPE_HARDWARE,
	  PERF_COUNT_HW_STALLED_CYCLES_FRONTEND },
	{ "stalled-cycles-backend", PERF_TYPE_HARDWARE,
	  PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
	{ "idle-cycles-backend", PERF_TYPE_HARDWARE,
	  PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
	{ "ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES },
	{ "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK },
	{ "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
	{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN },
	{ "major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ },
	{ "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "alignment-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS },
	{ "emulation-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS },
	{ "cgroup-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CGROUP_SWITCHES },
	{ "bpf-output", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT },
	{ "dummy", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY },
};

/* The words of "CACHE[-OPERATION][-RESULT]", the usual one of each number first. */
struct cache_word {
	const char *text;
	uint8_t value;
};

static const struct cache_word cache_words[] = {
	{ "L1-dcache", PERF_COUNT_HW_CACHE_L1D },
	{ "l1-d", PERF_COUNT_HW_CACHE_L1D },
	{ "l1d", PERF_COUNT_HW_CACHE_L1D },
	{ "L1-data", PERF_COUNT_HW_CACHE_L1D },
	{ "L1-icache", PERF_COUNT_HW_CACHE_L1I },
	{ "l1-i", PERF_COUNT_HW_CACHE_L1I },
	{ "l1i", PERF_COUNT_HW_CACHE_L1I },
	{ "L1-instruction", PERF_COUNT_HW_CACHE_L1I },
	{ "LLC", PERF_COUNT_HW_CACHE_LL },
	{ "L2", PERF_COUNT_HW_CACHE_LL },
	{ "dTLB", PERF_COUNT_HW_CACHE_DTLB },
	{ "d-tlb", PERF_COUNT_HW_CACHE_DTLB },
	{ "Data-TLB", PERF_COUNT_HW_CACHE_DTLB },
	{ "iTLB", PERF_COUNT_HW_CACHE_ITLB },
	{ "i-tlb", PERF_COUNT_HW_CACHE_ITLB },
	{ "Instruction-TLB", PERF_COUNT_HW_CACHE_ITLB },
	{ "branch", PERF_COUNT_HW_CACHE_BPU },
	{ "bpu", PERF_COUNT_HW_CACHE_BPU },
	{ "btb", PERF_COUNT_HW_CACHE_BPU },
	{ "bpc", PERF_COUNT_HW_CACHE_BPU },
	{ "node", PERF_COUNT_HW_CACHE_NODE },
};
static const struct cache_word operation_words[] = {
	{ "loads", PERF_COUNT_HW_CACHE_OP_READ },
	{ "load", PERF_COUNT_HW_CACHE_OP_READ },
	{ "read", PERF_COUNT_HW_CACHE_OP_READ },
	{ "stores", PERF_COUNT_HW_CACHE_OP_WRITE },
	{ "store", PERF_COUNT_HW_CACHE_OP_WRITE },
	{ "write", PERF_COUNT_HW_CACHE_OP_WRITE },
	{ "prefetches", PERF_COUNT_HW_CACHE_OP_PREFETCH },
	{ "prefetch", PERF_COUNT_HW_CACHE_OP_PREFETCH },
	{ "speculative-read", PERF_COUNT_HW_CACHE_OP_PREFETCH },
	{ "speculative-load", PERF_COUNT_HW_CACHE_OP_PREFETCH },
};
static const struct cache_word result_words[] = {
	{ "misses", PERF_COUNT_HW_CACHE_RESULT_MISS },
	{ "miss", PERF_COUNT_HW_CACHE_RESULT_MISS },
	{ "refs", PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "Reference", PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "ops", PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "access", PERF_COUNT_HW_CACHE_RESULT_ACCESS },
};
#define COUNT(table) (sizeof(table) / sizeof(*(table)))

static bool named_event(const char *word, size_t size, uint32_t *type, uint64_t *config)
{
	for (size_t i = 0; i < COUNT(plain_events); i++)
		if (strlen(plain_events[i].name) == size &&
		    strncasecmp(word, plain_events[i].name, size) == 0) {
			*type = plain_events[i].type;
			*config = plain_events[i].config;
			return true;
		}
	return false;
}

/* The words of @table that @word begins with, up to a '-' or its end; NULL: none. */
static const struct cache_word *take_word(const struct cache_word *table, size_t count,
					  const char **word, size_t *size)
{
	for (size_t i = 0; i < count; i++) {
		size_t length = strlen(table[i].text);

		if (length > *size || (length < *size && (*word)[length] != '-') ||
		    strncasecmp(*word, table[i].text, length) != 0)
			continue;
		*word += length;
		*size -= length;
		if (*size) {
			++*word;
			--*size;
		}
		return &table[i];
	}
	return NULL;
}

bool event_name_known(const char *word, size_t size, uint32_t *type, uint64_t *config)
{
	const struct cache_word *cache, *operation = NULL, *result = NULL;
	const char *part = word;
	size_t left = size;
	uint64_t value = 0;

	if (named_event(word, size, type, config))
		return true;
	/*
	 * Without an operation it is a read, without a result an access.
	 *
	 *	L1-dcache  -  load        -  misses
	 *	caches        operations     results
	 */
	cache = take_word(cache_words, COUNT(cache_words), &part, &left);
	if (cache && left) {
		operation =
			take_word(operation_words, COUNT(operation_words), &part, &left);
		result = take_word(result_words, COUNT(result_words), &part, &left);
	}
	if (left == 0 && (operation || result)) {
		value = operation ? operation->value : PERF_COUNT_HW_CACHE_OP_READ;
		*config = cache->value | value << 8 |
			  (uint64_t)(result ? result->value
					    : PERF_COUNT_HW_CACHE_RESULT_ACCESS)
				  << 16;
		*type = PERF_TYPE_HW_CACHE;
		return true;
	}
	/* "r1a8", "r0x1a8": the processor's own number. */
	if (size < 2 || word[0] != 'r')
		return false;
	if (size > 3 && word[1] == '0' && word[2] == 'x')
		word += 2, size -= 2;
	if (size > 17)
		return false;
	for (size_t i = 1; i < size; i++) {
		const char *digits = "0123456789abcdef0123456789ABCDEF";
		const char *digit = word[i] ? strchr(digits, word[i]) : NULL;

		if (!digit)
			return false;
		value = value << 4 | (uint64_t)((digit - digits) & 15);
	}
	*type = PERF_TYPE_RAW;
	*config = value;
	return true;
}

void event_names_offer(struct suggestion *n)
{
	char text[SUGGESTION_MOST];

	for (size_t i = 0; i < COUNT(plain_events); i++)
		suggestion_offer(n, plain_events[i].name, strlen(plain_events[i].name));
	for (size_t c = 0; c < COUNT(cache_words); c++) {
		if (c > 0 && cache_words[c].value == cache_words[c - 1].value)
			continue;
		/* "LLC-loads", but "LLC-load-misses". */
		for (size_t o = 0; o < COUNT(operation_words); o++) {
			const char *operation = operation_words[o].text;
			bool many = operation[strlen(operation) - 1] == 's';

			snprintf(text, sizeof(text), "%s-%s%s", cache_words[c].text,
				 operation, many ? "" : "-misses");
			suggestion_offer(n, text, strlen(text));
		}
	}
}
