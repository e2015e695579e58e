/* What is read of units without libdw is what libdw reads. */
#include <criterion/criterion.h>
#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "dwarf/units.h"
#include "unit/dwarf/info_writer.h"

static struct object o;
static struct debug_image image;
static struct debug_handle handle;
static struct debug_units units;
static struct debug_work work = { .most = UINT64_MAX };
static struct debug_meter meter = { .work = &work };
static struct context ctx;

static void open_units(const char *path)
{
	object_prepare();
	cr_assert_eq(object_open(&ctx, path, &o), 0);
	cr_assert_eq(debug_image_read(&ctx, &o, false, &image), 0);
	cr_assert_eq(debug_handle_open(&image, NULL, &handle), 0);
	cr_assert_eq(debug_units_read(&units, &image, &meter), 0);
}

static void close_units(void)
{
	debug_units_release(&units);
	debug_handle_close(&handle);
	debug_image_release(&image);
	object_close(&o);
}

/* A sum that does not depend on the order. */
static uint64_t sum_of_libdw(uint64_t offset, size_t *count)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;
	uint64_t sum = 0;
	Dwarf_Die cu;

	*count = 0;
	cr_assert_not_null(dwarf_offdie(handle.dwarf, offset, &cu));
	while ((at = dwarf_ranges(&cu, at, &base, &low, &high)) > 0)
		if (low < high) {
			sum += hash_u64(low) ^ high;
			++*count;
		}
	return sum;
}

/* How many units were plain. */
static size_t compare_all(void)
{
	size_t plain = 0;

	for (size_t i = 0; i < units.list.count; i++) {
		uint64_t low, high, sum = 0;
		size_t count = 0, expected;
		struct debug_base base;
		struct die_ranges r;

		if (!unit_root_ranges(&image, &units.list.v[i].head, &base, &r))
			continue;
		while (die_ranges_next(&r, &low, &high)) {
			sum += hash_u64(low) ^ high;
			count++;
		}
		cr_assert_eq(sum_of_libdw(units.list.v[i].head.die, &expected), sum,
			     "unit %zu", i);
		cr_assert_eq(count, expected, "unit %zu", i);
		plain++;
	}
	return plain;
}

Test(unit_root, of_this_program_is_what_libdw_reads)
{
	open_units("/proc/self/exe");
	cr_assert_gt(units.list.count, 10u);
	cr_assert_gt(compare_all(), units.list.count / 2, "compilers write plain units");
	close_units();
}

/* In the folder, because .dwo files are written to where the compiler runs. */
static int compile(const char *compiler, const char *options, const char *folder)
{
	char command[512];

	snprintf(command, sizeof(command),
		 "cd %s && printf 'int f(int x){return x+1;}\\n"
		 "__attribute__((section(\".text.hot\"))) int g(int x){return f(x);}\\n"
		 "int main(void){return g(1);}\\n' | %s %s -x c -o program - 2>/dev/null",
		 folder, compiler, options);
	return system(command);
}

Test(unit_root, of_any_version_and_compiler_is_what_libdw_reads)
{
	static const char *const compilers[] = { "gcc", "clang" };
	static const char *const options[] = { "-gdwarf-2 -gstrict-dwarf",
					       "-gdwarf-3",
					       "-gdwarf-4",
					       "-gdwarf-5",
					       "-gdwarf-5 -ffunction-sections -O2",
					       "-gdwarf-4 -gsplit-dwarf",
					       "-gdwarf-5 -gdwarf64" };
	char folder[] = "/tmp/unit_root.XXXXXX", path[64], command[64];
	size_t tried = 0, plain = 0;

	cr_assert_not_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/program", folder);
	for (size_t c = 0; c < 2; c++)
		for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
			if (compile(compilers[c], options[i], folder) != 0)
				continue;
			open_units(path);
			plain += compare_all();
			close_units();
			tried++;
		}
	snprintf(command, sizeof(command), "rm -r %s", folder);
	cr_assert_eq(system(command), 0);
	cr_assert_gt(tried, 4u);
	cr_assert_gt(plain, 4u);
}

enum { CODE = 0x401000 };

/* A unit that is cut anywhere, or says anything, is read or left to libdw. */
Test(unit_root, that_is_broken_is_left_alone)
{
	struct elf_image e;
	struct info_writer d;
	struct debug_base base;
	struct die_ranges r;
	uint64_t low, high;

	image_begin(&e);
	image_code(&e, ".text", CODE, 0x1000);
	info_begin(&d);
	info_abbreviation(&d, 1, DW_TAG_compile_unit, DW_CHILDREN_no, DW_AT_name,
			  DW_FORM_string, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc,
			  DW_FORM_data4, 0);
	info_unit(&d, 4);
	info_die(&d, 1);
	put32(&d.info, 0x61616161);
	put32(&d.info, 0x61); /* "aaaaa", NUL, NUL, NUL */
	info_end_unit(&d);
	info_add(&d, &e);
	image_write(&e);
	open_units(e.path);
	cr_assert_eq(units.list.count, 1);
	cr_assert_not(unit_root_ranges(&image, &units.list.v[0].head, &base, &r));
	for (unsigned i = 0; i < 100000; i++) {
		struct unit_head head = { hash_u64(i) % 64, hash_u64(i + 1) % 64,
					  hash_u64(i) % 32, (uint16_t)(i % 7),
					  (uint8_t)(i % 8), (uint8_t)(i % 9),
					  (uint8_t)(i % 10) };

		if (unit_root_ranges(&image, &head, &base, &r))
			while (die_ranges_next(&r, &low, &high))
				cr_assert_lt(low, high);
	}
	close_units();
	image_remove(&e);
}
