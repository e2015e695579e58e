/*
 * What a node is: the kernel's, a runtime's, a program's or only text; where its code is from
 * and where it is declared. The recording is of this program.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <flamefold.h>

#include "api.h"
#include "recording.h"

#ifdef __SANITIZE_ADDRESS__
enum { OUTER_BYTES = 400 }; /* checks are between them */
#else
enum { OUTER_BYTES = 24 };
#endif
enum { PID = 4321 };
static const uint64_t jit = (uint64_t)0x70 << 32, kernel = (uint64_t)-0x7f000000;

/* Its first bytes are sampled: some are its own, some of what is in it. */
static __inline __attribute__((always_inline)) unsigned inner(unsigned n)
{
	volatile unsigned k = n * 2654435761u;

	return k ^ (k >> 7) ^ (n << 3) ^ (k << 9);
}

static const unsigned outer_line = __LINE__ + 1;
static __attribute__((noinline)) unsigned outer(unsigned n)
{
	return inner(n);
}

/* IP, TID */
static void put_sample(uint16_t misc, uint64_t ip)
{
	put_record(PERF_RECORD_SAMPLE, misc, 16);
	put_u64(ip);
	put_u64((uint64_t)PID << 32 | PID);
}

static void put_map(uint32_t pid, uint64_t start, uint64_t size, const char *path,
		    uint64_t offset)
{
	char name[256];

	memset(name, 0, sizeof(name));
	snprintf(name, sizeof(name), "%s", path);
	put_record(PERF_RECORD_MMAP,
		   pid == PID ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL,
		   32 + sizeof(name));
	put_u64(pid);
	put_u64(start);
	put_u64(size);
	put_u64(offset);
	put(name, sizeof(name));
}

/* Where the code of this program lies. */
static void put_own_map(void)
{
	const uint64_t code = (uint64_t)(size_t)&outer;
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long start, stop, offset;
	char line[512], path[256];

	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %255s", &start, &stop, &offset,
			   path) == 4 &&
		    start <= code && code < stop)
			put_map(PID, start, stop - start, path, offset);
	if (!maps || fclose(maps) != 0)
		abort();
}

static void make_file(void)
{
	unsigned i;

	recording_begin(PERF_SAMPLE_IP | PERF_SAMPLE_TID);
	put_comm(PID, PID, "it");
	put_own_map();
	put_map(PID, jit, 4096, "//anon", 0);
	put_map((uint32_t)-1, kernel, 4096, "[kernel.kallsyms]_text", kernel);
	for (i = 0; i < OUTER_BYTES; i++)
		put_sample(PERF_RECORD_MISC_USER, (uint64_t)(size_t)&outer + i);
	put_sample(PERF_RECORD_MISC_USER, jit + 8);
	put_sample(PERF_RECORD_MISC_KERNEL, kernel + 8);
	recording_finish();
}

static struct ff_profile *p;

static const struct ff_node *find(const struct ff_node *below, const char *name)
{
	const struct ff_node *n, *found = NULL;

	if (strcmp(ff_node_name(p, below), name) == 0)
		return below;
	for (n = ff_node_child(p, below); n && !found; n = ff_node_next(p, n))
		found = find(n, name);
	return found;
}

static void is(const char *name, enum ff_node_kind kind, const char *module)
{
	const struct ff_node *n = find(ff_profile_root(p), name);

	CHECK(n != NULL);
	if (!n)
		printf("no '%s'\n", name);
	CHECK(n && ff_node_kind(p, n) == kind);
	CHECK(n && strstr(ff_node_module(p, n), module) != NULL);
}

int main(void)
{
	struct ff_options options = FF_OPTIONS_INIT;
	const char *dir = getenv("TMPDIR");
	const struct ff_node *n;
	char map[256];
	FILE *f;

	CHECK(outer(3) != 1);
	make_file();
	options.map_dir = dir ? dir : "/tmp";
	options.kallsyms = "/dev/null";
	options.flags = FF_PLACES | FF_INLINE | FF_MARK_INLINED | FF_TRUST_MAPS;
	snprintf(map, sizeof(map), "%s/perf-%d.map", options.map_dir, PID);
	f = fopen(map, "w");
	CHECK(f && fprintf(f, "%lx 1000 compiled\n", (unsigned long)jit) > 0);
	CHECK(f && fclose(f) == 0);
	CHECK(ff_profile_new(&p, &options) == 0);
	CHECK(ff_profile_read_memory(p, file, end, NULL) == 0);
	CHECK(ff_profile_finish(p) == 0);
	remove(map);
	CHECK(ff_node_kind(p, ff_profile_root(p)) == FF_NODE_TEXT);
	CHECK(ff_node_line(p, ff_profile_root(p)) == 0);
	is("it", FF_NODE_TEXT, "");
	is("outer", FF_NODE_USER, "nodes.");
	is("inner", FF_NODE_INLINED, "nodes.");
	is("compiled", FF_NODE_JIT, "");
	is("[kernel.kallsyms]", FF_NODE_KERNEL, "kernel");
	n = find(ff_profile_root(p), "outer");
	CHECK(n && ff_node_file(p, n) && strstr(ff_node_file(p, n), "nodes.c") != NULL);
	CHECK(n && ff_node_line(p, n) == outer_line);
	n = find(ff_profile_root(p), "it");
	CHECK(n && ff_node_file(p, n) == NULL && ff_node_line(p, n) == 0);
	ff_profile_free(p);
	return api_failed;
}
