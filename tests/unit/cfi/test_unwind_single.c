/*
 * Rules and functions that are found without a table are those of the table: for what is
 * installed here, and where .eh_frame_hdr is not what it should be.
 */
#include "cfi/unwind_single.h"

#include <dwarf.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "cfi/functions.h"
#include "unit/cfi/cfi_image.h"

#include <criterion/criterion.h>
#include <inttypes.h>

struct both {
	struct object object;
	struct unwind_table table;
	struct cfi_functions functions;
	struct unwind_single single;
	bool cut; /* the file has no bytes any more */
	uint64_t reads, told, wrong;
};

static bool read_bytes(void *arg, uint64_t offset, void *ret, size_t size)
{
	struct both *b = arg;

	b->reads++;
	return !b->cut && object_read(&b->object, offset, ret, size);
}

static void begin(struct both *b)
{
	cr_assert_eq(unwind_compile(&b->object, NULL, &b->table), 0);
	cr_assert_eq(cfi_functions_open(&b->object, NULL, &b->functions), 0);
	cr_assert_eq(unwind_single_open(&b->object, NULL, &b->single), 0);
}

static void end(struct both *b)
{
	unwind_single_release(&b->single);
	cfi_functions_release(&b->functions);
	unwind_release(&b->table);
	object_close(&b->object);
}

static bool same_rule(const struct unwind_rule *a, const struct unwind_rule *b)
{
	return a->cfa_kind == b->cfa_kind && a->flags == b->flags && a->more == b->more &&
	       a->cfa == b->cfa && a->ra == b->ra && a->fp == b->fp;
}

static bool same_function(struct both *b, uint64_t address, uint64_t start)
{
	const struct span *span = spans_find(&b->functions.spans, address);
	const struct cfi_source *from;

	return span && cfi_functions_at(&b->functions, span, &from)->start == start;
}

static void wrong(struct both *b, uint64_t address, const char *what)
{
	if (b->wrong++ < 10)
		cr_log_error("%#jx: %s", (uintmax_t)address, what);
}

/* What visits of a function's rows come to: equal neighbours are one. */
struct visited {
	uint64_t from, to;
	uint64_t hash;
	struct unwind_rule last;
};

static void note_row(void *arg, uint64_t from, uint64_t to,
		     const struct unwind_rule *rule)
{
	struct visited *v = arg;
	bool same = v->to == from && v->to && same_rule(&v->last, rule);

	if (rule->cfa_kind == UNWIND_NONE)
		return;
	if (!same)
		v->hash = hash_u64(v->hash ^ from) ^ hash_bytes(rule, sizeof(*rule));
	if (!v->to)
		v->from = from;
	v->to = to;
	v->last = *rule;
}

static void visit(struct both *b, uint64_t address)
{
	struct visited one = { 0 }, all = { 0 };
	bool there = unwind_visit_function(&b->table, address, note_row, &all);
	const struct unwind_file file = { read_bytes, b };
	int found;

	b->single.left = UINT64_MAX;
	found = unwind_single_visit(&b->single, address, &file, note_row, &one);
	if (found <= 0) {
		if (found < 0 && there)
			wrong(b, address, "rows in the table only");
		return;
	}
	if (one.hash != all.hash || one.from != all.from || one.to != all.to)
		wrong(b, address, "other rows than in the table");
}

/* As often as is asked for. True where it was told. */
static bool ask(struct both *b, uint64_t address)
{
	const struct unwind_file file = { read_bytes, b };
	struct unwind_rule rule;
	uint64_t start;
	int found, function;

	b->single.left = UINT64_MAX;
	found = unwind_single_find(&b->single, address, &file, &rule);
	cr_assert_geq(found, 0);
	b->told += (uint64_t)found;
	if (found && !same_rule(&rule, unwind_find(&b->table, address)))
		wrong(b, address, "another rule than in the table");
	function = unwind_single_function(&b->single, address, &file, &start);
	if ((function == -ENOENT ? 1 : function) != found)
		wrong(b, address, "a rule or a function, but not both");
	else if (function > 0 && !same_function(b, address, start))
		wrong(b, address, "another function");
	else if (function > 0 && address == start)
		visit(b, address);
	else if (function < 0 && spans_find(&b->functions.spans, address))
		wrong(b, address, "no function");
	return found;
}

/* Rows that are there have to be told, too. */
static void ask_all(struct both *b)
{
	const struct unwind_table *t = &b->table;

	for (uint32_t p = 0; p < t->page_count; p++)
		for (uint32_t r = t->pages[p]; r < t->pages[p + 1]; r++) {
			uint64_t page = t->base + ((uint64_t)p << UNWIND_PAGE_BITS);
			uint64_t at = page - (page & UINT16_MAX) + t->low[r];

			ask(b, at - 1);
			if (!ask(b, at) && t->rule[r])
				wrong(b, at, "a row that is not told");
			ask(b, at + 1);
		}
}

static void ask_anywhere(struct both *b, int times)
{
	uint64_t size = b->table.end - b->table.base, seed = 0x9e3779b97f4a7c15u;

	for (int i = 0; i < times; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		ask(b, b->table.base + (seed >> 20) % size);
	}
}

static void compare_file(const char *path)
{
	struct context ctx = { 0 };
	struct both b = { 0 };

	object_prepare();
	if (object_open(&ctx, path, &b.object) < 0)
		cr_skip_test("no '%s' here", path);
	begin(&b);
	cr_assert_gt(b.single.count, 0);
	ask_all(&b);
	ask_anywhere(&b, 20000);
	ask(&b, 0);
	ask(&b, UINT64_MAX);
	cr_expect_eq(b.wrong, 0, "%s: %ju differ", path, (uintmax_t)b.wrong);
	cr_expect_gt(b.told, b.table.row_count);
	end(&b);
}

static bool find_library(const char *name, char *path, size_t room)
{
	static const char *const places[] = { "/lib/x86_64-linux-gnu",
					      "/usr/lib/x86_64-linux-gnu",
					      "/lib/aarch64-linux-gnu",
					      "/usr/lib/aarch64-linux-gnu",
					      "/lib64",
					      "/usr/lib64" };

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, room, "%s/%s", places[i], name);
		if (access(path, R_OK) == 0)
			return true;
	}
	return false;
}

static void compare_library(const char *name)
{
	char path[256];

	if (!find_library(name, path, sizeof(path)))
		cr_skip_test("no '%s' here", name);
	compare_file(path);
}

Test(unwind_single, libc_as_by_the_table)
{
	compare_library("libc.so.6");
}

Test(unwind_single, dynamic_linker_as_by_the_table)
{
	compare_library("ld-linux-x86-64.so.2");
}

Test(unwind_single, libstdcxx_as_by_the_table)
{
	compare_library("libstdc++.so.6");
}

Test(unwind_single, libcrypto_as_by_the_table)
{
	compare_library("libcrypto.so.3");
}

Test(unwind_single, node_as_by_the_table)
{
	compare_file("/usr/bin/node");
}

/* A header as linkers write it, of the functions at @starts; FDEs have 20 bytes here. */
enum { FUNCTIONS = 3, HEADER_SIZE = 12 };

static const uint8_t push_rbp[] = { DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, 16,
				    DW_CFA_offset | 6, 2 };

struct small {
	struct cfi_image image;
	uint64_t entries[FUNCTIONS]; /* from the start of .eh_frame */
	size_t header; /* in the file */
};

static const uint64_t starts[FUNCTIONS] = { 0x1000, 0x1020, 0x1080 };

static void put_i32(struct cfi_part *p, uint64_t value)
{
	uint32_t v = (uint32_t)value;

	cr_assert_leq(p->count + 4, p->room);
	memcpy(p->v + p->count, &v, 4);
	p->count += 4;
}

/* Three functions with a gap between the second and the third. */
static void small_begin(struct small *s, struct both *b)
{
	struct cfi_image *i = &s->image;
	struct cfi_part header = { calloc(1, 64), 4, 64 };
	struct object o;
	uint64_t eh;

	memset(b, 0, sizeof(*b));
	cfi_begin(i, EM_X86_64);
	cfi_cie(i, CIE_X86_64);
	for (int f = 0; f < FUNCTIONS; f++) {
		s->entries[f] = i->eh.count;
		cfi_fde(i, starts[f], 0x20, push_rbp, sizeof(push_rbp));
	}
	cfi_open(i, &o); /* tells where .eh_frame lies */
	object_close(&o);
	eh = i->size - i->eh.count;
	s->header = i->size;
	memcpy(header.v, "\1\x1b\3\x3b", 4);
	put_i32(&header, eh - (s->header + 4));
	put_i32(&header, FUNCTIONS);
	for (int f = 0; f < FUNCTIONS; f++) {
		put_i32(&header, starts[f] - s->header);
		put_i32(&header, eh + s->entries[f] - s->header);
	}
	i->header = header;
	cfi_write(i);
	cfi_open(i, &b->object);
	begin(b);
}

/* Anew, after bytes were changed. */
static void small_again(struct small *s, struct both *b)
{
	end(b);
	memset(b, 0, sizeof(*b));
	cfi_open(&s->image, &b->object);
	begin(b);
}

static void small_end(struct small *s, struct both *b)
{
	end(b);
	cfi_end(&s->image);
}

static void write_i32(struct small *s, size_t at, uint64_t value)
{
	uint32_t v = (uint32_t)value;

	memcpy(s->image.bytes + s->header + at, &v, 4);
}

Test(unwind_single, tells_each_row_and_the_gaps_between_functions_and_behind_them)
{
	struct small s;
	struct both b;

	small_begin(&s, &b);
	cr_assert_eq(b.single.count, FUNCTIONS);
	for (uint64_t at = 0xff0; at < 0x10b0; at++)
		cr_expect(ask(&b, at), "%" PRIx64, at);
	cr_expect_eq(b.wrong, 0);
	small_end(&s, &b);
}

Test(unwind_single, leaves_gaps_to_the_table_where_debug_frame_may_fill_them)
{
	struct small s;
	struct both b;

	small_begin(&s, &b);
	cfi_debug(&s.image);
	cfi_cie(&s.image, CIE_X86_64);
	cfi_fde(&s.image, 0x1040, 0x20, NO_OPS);
	cfi_write(&s.image);
	small_again(&s, &b);
	cr_assert_eq(b.single.count, FUNCTIONS);
	cr_expect(ask(&b, 0x1030));
	cr_expect_not(ask(&b, 0x1050));
	cr_expect_not(ask(&b, 0xff0));
	cr_expect_eq(b.wrong, 0);
	small_end(&s, &b);
}

Test(unwind_single, is_not_used_where_the_header_has_another_form)
{
	static const struct {
		size_t at;
		uint8_t byte;
	} changes[] = { { 0, 2 }, { 1, 0xff }, { 2, 0xff }, { 3, 0x1b },
			{ 4, 0 }, { 8, 4 },    { 8, 0 },    { 11, 0xff } };
	struct small s;
	struct both b;

	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		small_begin(&s, &b);
		cr_assert_neq(s.image.bytes[s.header + changes[i].at], changes[i].byte);
		s.image.bytes[s.header + changes[i].at] = changes[i].byte;
		small_again(&s, &b);
		cr_expect_eq(b.single.count, 0, "byte %zu", changes[i].at);
		cr_expect_not(ask(&b, 0x1000));
		small_end(&s, &b);
	}
}

Test(unwind_single, tells_nothing_where_header_and_entry_do_not_agree)
{
	struct small s;
	struct both b;

	small_begin(&s, &b);
	/* The second function begins later, the third one's entry is that of the first. */
	write_i32(&s, HEADER_SIZE + 8, 0x1024 - s.header);
	write_i32(&s, HEADER_SIZE + 16 + 4, s.image.size);
	small_again(&s, &b);
	cr_expect(ask(&b, 0x1004));
	cr_expect_not(ask(&b, 0x1022));
	cr_expect_not(ask(&b, 0x1028));
	cr_expect_not(ask(&b, 0x1060));
	cr_expect_not(ask(&b, 0x1084));
	write_i32(&s, HEADER_SIZE + 16 + 4, 0);
	small_again(&s, &b);
	cr_expect_not(ask(&b, 0x1084));
	cr_expect_eq(b.wrong, 0);
	small_end(&s, &b);
}

Test(unwind_single, tells_nothing_where_two_begin_at_one_address)
{
	struct small s;
	struct both b;

	small_begin(&s, &b);
	write_i32(&s, HEADER_SIZE, 0x1020 - s.header);
	small_again(&s, &b);
	cr_expect_not(ask(&b, 0x1020));
	cr_expect_not(ask(&b, 0x1000));
	cr_expect(ask(&b, 0x1080));
	small_end(&s, &b);
}

Test(unwind_single, tells_nothing_of_a_file_that_was_cut)
{
	struct small s;
	struct both b;

	small_begin(&s, &b);
	b.cut = true;
	cr_expect_not(ask(&b, 0x1000));
	b.cut = false;
	cr_expect(ask(&b, 0x1000));
	small_end(&s, &b);
}

Test(unwind_single, gives_up_when_a_table_would_have_been_cheaper)
{
	struct unwind_rule rule;
	struct small s;
	struct both b;
	const struct unwind_file file = { read_bytes, &b };
	int told = 0;

	small_begin(&s, &b);
	while (unwind_single_find(&b.single, 0x1000, &file, &rule) == 1)
		cr_assert_lt(++told, 1000);
	cr_expect_gt(told, 10);
	cr_expect_eq(unwind_single_find(&b.single, 0x1080, &file, &rule), 0);
	small_end(&s, &b);
}

Test(unwind_single, gives_up_sooner_where_somebody_waits)
{
	struct unwind_rule rule;
	struct small s;
	struct both b;
	const struct unwind_file file = { read_bytes, &b };
	int told = 0;

	small_begin(&s, &b);
	cr_assert_eq(unwind_single_find(&b.single, 0x1000, &file, &rule), 1);
	unwind_single_waited(&b.single);
	while (unwind_single_find(&b.single, 0x1000, &file, &rule) == 1)
		cr_assert_lt(++told, 10);
	small_end(&s, &b);
}

/* A file's bytes. */
static uint8_t *load(const char *path, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	uint8_t *bytes;

	cr_assert(fd >= 0 && fstat(fd, &st) == 0);
	*size = (size_t)st.st_size;
	bytes = malloc(*size);
	cr_assert_not_null(bytes);
	cr_assert_eq(read(fd, bytes, *size), (ssize_t)*size);
	close(fd);
	return bytes;
}

/* Of a header that lies nothing is believed: each answer is the table's, or none. */
Test(unwind_single, damaged_headers_tell_nothing_that_is_wrong)
{
	enum { ROUNDS = 400, CHANGES = 40, ASKED = 300 };
	struct context ctx = { 0 };
	struct both b = { 0 };
	char path[256];
	uint8_t *bytes, *header;
	size_t size;

	object_prepare();
	if (!find_library("ld-linux-x86-64.so.2", path, sizeof(path)))
		cr_skip_test("no dynamic linker here");
	bytes = load(path, &size);
	cr_assert_eq(object_open_memory(&ctx, bytes, size, &b.object), 0);
	begin(&b);
	cr_assert_gt(b.single.count, 100);
	header = malloc((size_t)b.single.count * 8 + 12);
	cr_assert_not_null(header);
	memcpy(header, bytes + b.single.first - 12, (size_t)b.single.count * 8 + 12);
	srand(7);
	for (int round = 0; round < ROUNDS; round++) {
		uint64_t first = b.single.first, count = b.single.count;

		/* Four bytes are the form; what is said otherwise is not used. */
		for (int i = 0; i < CHANGES; i++)
			bytes[first + (uint64_t)rand() % (count * 8)] = (uint8_t)rand();
		ask_anywhere(&b, ASKED);
		memcpy(bytes + first - 12, header, count * 8 + 12);
		/* What was read of the table is forgotten. */
		unwind_single_release(&b.single);
		cr_assert_eq(unwind_single_open(&b.object, NULL, &b.single), 0);
	}
	cr_expect_eq(b.wrong, 0);
	cr_expect_gt(b.told, 1000);
	end(&b);
	free(header);
	free(bytes);
}
