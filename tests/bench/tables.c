/*
 * What unwind tables cost: tables FILE...
 *
 * For each file: rows, functions and rules; the best of RUNS compilations, reading of the
 * file included; the table's size; a look-up of random addresses (cold: each is another
 * one, hot: the same few over and over).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/hash.h"
#include "cfi/unwind.h"

enum { RUNS = 7, LOOKUPS = 1 << 20, HOT = 1 << 8 };

static double cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* 0, or -1 where there is nothing to compile. */
static int compile(const char *path, struct unwind_table *ret, double *best)
{
	struct context ctx = { 0 };
	struct object o;

	*best = 0;
	for (int i = 0; i < RUNS; i++) {
		double begin;

		if (object_open(&ctx, path, &o) < 0)
			return -1;
		if (i > 0)
			unwind_release(ret);
		begin = cpu_ms();
		if (unwind_compile(&o, NULL, ret) < 0)
			abort();
		if (i == 0 || cpu_ms() - begin < *best)
			*best = cpu_ms() - begin;
		object_close(&o);
	}
	return ret->row_count > 0 ? 0 : -1;
}

static double size_of(const struct unwind_table *t)
{
	return 4.0 * t->row_count + 4.0 * t->page_count + 4.0 * t->function_count +
	       (double)(t->rules.count * sizeof(*t->rules.v));
}

/* ns for each of LOOKUPS, of @distinct addresses. */
static double look_up(const struct unwind_table *t, uint64_t *addresses, size_t distinct)
{
	uint64_t sum = 0, code = t->end - t->base;
	double begin;

	for (size_t i = 0; i < distinct; i++)
		addresses[i] = t->base + hash_u64(i) % code;
	begin = cpu_ms();
	/* Each address hangs on the rule before it: no two look-ups overlap. */
	for (size_t i = 0; i < LOOKUPS; i++)
		sum += unwind_find(t, addresses[i & (distinct - 1)] + (sum & 0))
			       ->cfa_kind;
	begin = (cpu_ms() - begin) * 1e6 / LOOKUPS;
	return sum == UINT64_MAX ? 0 : begin;
}

int main(int argc, char **argv)
{
	uint64_t *addresses = malloc(LOOKUPS * sizeof(*addresses));

	if (!addresses)
		return 1;
	object_prepare();
	printf("%-28s %9s %9s %6s %8s %7s %7s %7s %7s\n", "file", "rows", "functions",
	       "rules", "ms", "ns/row", "B/row", "ns cold", "ns hot");
	for (int i = 1; i < argc; i++) {
		const char *slash = strrchr(argv[i], '/');
		struct unwind_table t = { 0 };
		double best;

		if (compile(argv[i], &t, &best) < 0) {
			printf("%s: no table\n", argv[i]);
			unwind_release(&t);
			continue;
		}
		printf("%-28s %9u %9u %6zu %8.2f %7.1f %7.2f",
		       slash ? slash + 1 : argv[i], t.row_count, t.function_count,
		       t.rules.count, best, best * 1e6 / t.row_count,
		       size_of(&t) / t.row_count);
		printf(" %7.1f", look_up(&t, addresses, LOOKUPS));
		printf(" %7.1f\n", look_up(&t, addresses, HOT));
		unwind_release(&t);
	}
	free(addresses);
	return 0;
}
