/*
 * Every row of what is installed here against libdw's dwarf_cfi_addrframe(): at its first
 * address, and at the last one before the next row.
 */
#include <criterion/criterion.h>
#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cfi/unwind.h"
#include "unit/cfi/libdw_frame.h"

enum { STEPS_EVERY = 61 }; /* rows, for the full step too */

struct rows {
	struct object object;
	struct unwind_table table;
	struct frame_info *info;
	int fd;
	Elf *elf;
	Dwarf_CFI *cfi;
	uint64_t rows, other, wrong, steps;
};

static uint64_t word_at(const struct machine *m, uint64_t address)
{
	uint64_t value;

	read_invented(NULL, m->word == 8 ? address : (uint32_t)address, m->word, &value);
	return value;
}

static uint64_t cfa_by_rule(const struct machine *m, const struct unwind_rule *rule,
			    uint64_t base, uint64_t pc)
{
	uint64_t cfa = base + (uint64_t)rule->cfa;

	if (rule->cfa_kind == UNWIND_SP_DEREF || rule->cfa_kind == UNWIND_FP_DEREF)
		cfa = word_at(m, cfa) + (uint64_t)rule->more;
	else if (rule->cfa_kind == UNWIND_PLT && (pc & 15) >= (uint64_t)rule->more)
		cfa += m->word;
	return m->word == 8 ? cfa : (uint32_t)cfa;
}

/* What the rule makes of the registers: the walker's step. */
static void step_by_rule(const struct machine *m, const struct unwind_rule *rule,
			 const struct registers *regs, struct libdw_row *ret)
{
	bool by_fp = rule->cfa_kind == UNWIND_FP || rule->cfa_kind == UNWIND_FP_DEREF;
	uint64_t base = regs->value[by_fp ? m->fp : m->sp], from;

	memset(ret, 0, sizeof(*ret));
	ret->cfa = cfa_by_rule(m, rule, base, regs->pc);
	from = rule->flags & UNWIND_RA_AT_BASE ? base : ret->cfa;
	if (!(rule->flags & UNWIND_RA_SAME))
		ret->value[m->ra] = word_at(m, from + (uint64_t)rule->ra);
	from = rule->flags & UNWIND_FP_AT_BASE ? base : ret->cfa;
	ret->value[m->fp] = rule->flags & UNWIND_FP_SAVED
				    ? word_at(m, from + (uint64_t)rule->fp)
				    : regs->value[m->fp];
	ret->signal = rule->flags & UNWIND_SIGNAL;
}

static bool same_value(const struct machine *m, const struct registers *regs,
		       const struct libdw_row *libdw, uint8_t reg, uint64_t value)
{
	uint64_t bit = (uint64_t)1 << reg;

	if (libdw->known & bit)
		return value == libdw->value[reg];
	return libdw->unchanged & bit && reg < m->registers && value == regs->value[reg];
}

static void wrong(struct rows *r, uint64_t address, const char *what)
{
	if (r->wrong++ < 10)
		cr_log_error("%#jx: %s", (uintmax_t)address, what);
}

/* Rules that say CFA and two values say the same as libdw. */
static void compare_rule(struct rows *r, const struct unwind_rule *rule, uint64_t address,
			 const struct registers *regs, const struct libdw_row *libdw)
{
	const struct machine *m = r->table.machine;
	struct libdw_row ours;

	step_by_rule(m, rule, regs, &ours);
	if (!libdw->cfa_known || ours.cfa != libdw->cfa)
		wrong(r, address, "CFA differs");
	else if (!same_value(m, regs, libdw, m->fp, ours.value[m->fp]))
		wrong(r, address, "frame pointer differs");
	else if (!same_value(m, regs, libdw, m->sp, ours.cfa))
		wrong(r, address, "the caller's sp is not the CFA");
	else if (!(rule->flags & UNWIND_RA_SAME) &&
		 !same_value(m, regs, libdw, m->ra, ours.value[m->ra]))
		wrong(r, address, "return address differs");
	else if (rule->flags & UNWIND_RA_SAME && !(libdw->unchanged >> m->ra & 1))
		wrong(r, address, "return address is not in its register");
	else if (ours.signal != libdw->signal)
		wrong(r, address, "signal frame or not");
}

/* The full step: all that libdw knows. What it calls not kept is what no row mentions,
 * or what one calls undefined. */
static void compare_step(struct rows *r, uint64_t address, const struct registers *regs,
			 const struct libdw_row *libdw)
{
	const struct machine *m = r->table.machine;
	struct registers caller = *regs;
	bool signal;
	enum frame_found found = frame_step(
		r->info, address, &(struct frame_memory){ m, .read = read_invented },
		&caller, &signal);

	r->steps++;
	/* To libdw a column that no rule mentions is the end, too. */
	if (libdw->end && found != FRAME_END && found != FRAME_NOTHING)
		wrong(r, address, "step is not the end");
	if (libdw->end)
		return;
	if (found != FRAME_CALLER_FOUND || signal != libdw->signal) {
		wrong(r, address, "step found nothing");
		return;
	}
	for (uint8_t i = 0; i < m->registers; i++) {
		bool kept = (libdw->known | libdw->unchanged) >> i & 1;

		if (i == m->pc)
			continue;
		if (kept && !(caller.known >> i & 1))
			wrong(r, address, "step lost a register");
		else if (kept && !same_value(m, regs, libdw, i, caller.value[i]))
			wrong(r, address, "step differs in a register");
	}
}

static void compare(struct rows *r, const struct unwind_rule *rule, uint64_t address)
{
	struct registers regs;
	struct libdw_row libdw;

	invented_registers(r->table.machine, address, &regs);
	if (unwind_find(&r->table, address) != rule)
		wrong(r, address, "look-up finds another row");
	if (!libdw_row(r->cfi, r->table.machine, address, &regs, &libdw)) {
		if (rule->cfa_kind != UNWIND_NONE)
			wrong(r, address, "libdw has no row");
		return;
	}
	if (rule->cfa_kind == UNWIND_NONE)
		wrong(r, address, "row is missing");
	else if (rule->cfa_kind == UNWIND_OTHER) {
		r->other++;
		if (libdw_row_is_simple(r->cfi, r->table.machine, address))
			wrong(r, address, "row could have been compiled");
	} else if ((rule->cfa_kind == UNWIND_END) != libdw.end) {
		wrong(r, address, "end of the stack or not");
	} else if (rule->cfa_kind != UNWIND_END) {
		compare_rule(r, rule, address, &regs, &libdw);
	}
	if (rule->cfa_kind != UNWIND_NONE &&
	    (rule->cfa_kind == UNWIND_OTHER || r->rows % STEPS_EVERY == 0))
		compare_step(r, address, &regs, &libdw);
}

/* The addresses of all rows, and where the last one ends. */
static uint64_t *addresses_of(const struct unwind_table *t)
{
	uint64_t *at = malloc((t->row_count + 1u) * sizeof(*at));

	cr_assert_not_null(at);
	for (uint64_t page = 0; page < t->page_count; page++) {
		uint64_t start = t->base + (page << UNWIND_PAGE_BITS);

		for (uint32_t i = t->pages[page]; i < t->pages[page + 1]; i++) {
			at[i] = (start & ~(uint64_t)UINT16_MAX) | t->low[i];
			cr_assert(at[i] >= start && (i == 0 || at[i] > at[i - 1]));
		}
	}
	at[t->row_count] = t->end;
	return at;
}

static void compare_all(struct rows *r)
{
	const struct unwind_table *t = &r->table;
	uint64_t *at = addresses_of(t);

	for (uint32_t i = 0; i < t->row_count && at[i] < t->end; i++, r->rows++) {
		const struct unwind_rule *rule = &t->rules.v[t->rule[i]];

		compare(r, rule, at[i]);
		compare(r, rule, at[i + 1] - 1);
	}
	free(at);
}

static void compare_file(const char *path, double most_other)
{
	struct context ctx = { 0 };
	struct rows r = { 0 };

	object_prepare();
	if (object_open(&ctx, path, &r.object) < 0)
		cr_skip_test("no '%s' here", path);
	cr_assert_eq(unwind_compile(&r.object, NULL, &r.table), 0);
	cr_assert_eq(frame_info_open(&r.object, NULL, &r.info), 0);
	r.fd = open(path, O_RDONLY | O_CLOEXEC);
	r.elf = elf_begin(r.fd, ELF_C_READ_MMAP, NULL);
	r.cfi = dwarf_getcfi_elf(r.elf);
	cr_assert_not_null(r.cfi);
	cr_assert_gt(r.table.row_count, 100);
	compare_all(&r);
	cr_log_info("%s: %ju rows, %ju other, %ju steps", path, (uintmax_t)r.rows,
		    (uintmax_t)r.other, (uintmax_t)r.steps);
	cr_expect_eq(r.wrong, 0, "%s: %ju rows are wrong", path, (uintmax_t)r.wrong);
	cr_expect_eq(r.table.refused, 0);
	cr_expect_leq((double)r.other, 2 * most_other * (double)r.rows);
	dwarf_cfi_end(r.cfi);
	elf_end(r.elf);
	close(r.fd);
	frame_info_close(r.info);
	unwind_release(&r.table);
	object_close(&r.object);
}

/* The path of a library that the dynamic linker would take. */
static void compare_library(const char *name, double most_other)
{
	static const char *const places[] = { "/lib/x86_64-linux-gnu",
					      "/usr/lib/x86_64-linux-gnu",
					      "/lib/aarch64-linux-gnu",
					      "/usr/lib/aarch64-linux-gnu",
					      "/lib64",
					      "/usr/lib64" };
	char path[256];

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", places[i], name);
		if (access(path, R_OK) == 0) {
			compare_file(path, most_other);
			return;
		}
	}
	cr_skip_test("no '%s' here", name);
}

/* What the shell's command prints. */
static void compare_printed(const char *command, double most_other)
{
	char path[512] = "";
	FILE *f = popen(command, "re");

	if (f && fgets(path, sizeof(path), f))
		path[strcspn(path, "\n")] = '\0';
	if (f)
		pclose(f);
	if (path[0] != '/')
		cr_skip_test("'%s' finds nothing", command);
	compare_file(path, most_other);
}

Test(unwind_rows, of_libc_are_those_of_libdw)
{
	compare_library("libc.so.6", 0.001);
}

/* The lazy binder counts from rbx, in each of its forms. */
Test(unwind_rows, of_the_dynamic_linker_are_those_of_libdw)
{
	struct link_map *map = _r_debug.r_map;

	for (; map; map = map->l_next)
		if (strstr(map->l_name, "/ld-linux") || strstr(map->l_name, "/ld64")) {
			compare_file(map->l_name, 0.01);
			return;
		}
	cr_skip_test("no dynamic linker");
}

Test(unwind_rows, of_libstdcxx_are_those_of_libdw)
{
	compare_library("libstdc++.so.6", 0.001);
}

/* Hand-written loops count from other registers. */
Test(unwind_rows, of_libcrypto_are_those_of_libdw)
{
	compare_library("libcrypto.so.3", 0.01);
}

/* Distributions have nearly all of it in a library. */
Test(unwind_rows, of_node_are_those_of_libdw)
{
	compare_printed("program=$(command -v node) && "
			"library=$(ldd \"$program\" | awk '/libnode/ { print $3 }'); "
			"readlink -f \"${library:-$program}\" 2>&1",
			0.001);
}

Test(unwind_rows, of_cc1plus_are_those_of_libdw)
{
	compare_printed("gcc -print-prog-name=cc1plus 2>&1", 0.001);
}

Test(unwind_rows, of_libllvm_are_those_of_libdw)
{
	compare_library("libLLVM-14.so.1", 0.001);
}

/* This program, static or not, gcc or clang. */
Test(unwind_rows, of_this_program_are_those_of_libdw)
{
	compare_file("/proc/self/exe", 0.01);
}
