#include "elf/symtab.h"

#include <criterion/criterion.h>
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * However a linker lays out a program, the offset at which a profiler sees an address of
 * it leads to the symbol that lies there. The program is made and run here, and says at
 * which offset of its file it finds some of its functions.
 */
static char dir[] = "/tmp/flamefold-test-XXXXXX";
static char program[64];

static void begin(void)
{
	object_prepare();
	cr_assert_not_null(mkdtemp(dir));
	snprintf(program, sizeof(program), "%s/offsets", dir);
}

static void end(void)
{
	unlink(program);
	rmdir(dir);
}

TestSuite(layouts, .init = begin, .fini = end, .timeout = 900);

static bool has_command(const char *name)
{
	char command[64];

	snprintf(command, sizeof(command), "command -v %s >/dev/null", name);
	return system(command) == 0;
}

/* The program's source is in its own directory of the tests. */
static void compile(const char *compiler, const char *flags)
{
	const char *source = __FILE__, *unit = strstr(source, "unit/cfi/");
	char command[512];

	cr_assert_not_null(unit);
	snprintf(command, sizeof(command), "%s -O1 -o %s %s %.*sobjects/offsets.c 2>&1",
		 compiler, program, flags, (int)(unit - source), source);
	cr_assert_eq(system(command), 0, "%s", command);
}

static void check_function(const struct object *o, const struct symtab *symbols,
			   const char *line, const char *how)
{
	uint64_t offset, address = 0, expected = 1;
	char name[32];

	cr_assert_eq(sscanf(line, "%" SCNx64 " %31s", &offset, name), 2);
	cr_expect(symtab_find(symbols, name, &expected), "%s: %s", how, name);
	cr_expect(object_address(o, offset, &address), "%s: %s", how, name);
	cr_expect_eq(address, expected, "%s: %s at %" PRIx64 ", not %" PRIx64, how, name,
		     address, expected);
	cr_expect(object_is_code(o, address), "%s: %s", how, name);
}

static void check(const char *how)
{
	FILE *said = popen(program, "r");
	struct context ctx = { 0 };
	struct symtab symbols;
	unsigned functions = 0;
	struct object o;
	char line[64];

	cr_assert_eq(object_open(&ctx, program, &o), 0, "%s: %s", how, ctx.error);
	cr_assert_eq(symtab_read(&symbols, &o, NULL), 0);
	for (; said && fgets(line, sizeof(line), said); functions++)
		check_function(&o, &symbols, line, how);
	cr_expect_eq(functions, 3, "%s: %u functions", how, functions);
	if (said)
		pclose(said);
	symtab_release(&symbols);
	object_close(&o);
}

static void try_layouts(const char *compiler, const char *linker,
			const char *const layouts[])
{
	char flags[256];

	if (!has_command(compiler) || !has_command(linker))
		cr_skip_test("no %s or no %s", compiler, linker);
	for (size_t i = 0; layouts[i]; i++) {
		snprintf(flags, sizeof(flags), "-fuse-ld=%s %s", linker + strlen("ld."),
			 layouts[i]);
		compile(compiler, flags);
		check(flags);
	}
}

Test(layouts, of_the_binutils_linker)
{
	static const char *const layouts[] = {
		"",
		"-no-pie",
		"-static",
		"-static-pie",
		"-Wl,-z,noseparate-code",
		"-no-pie -Wl,-z,noseparate-code",
		"-Wl,-z,max-page-size=0x200000",
		"-no-pie -Wl,-z,max-page-size=0x200000,-z,noseparate-code",
		"-no-pie -Wl,-Ttext-segment=0x10000000",
		"-no-pie -Wl,-Ttext=0x20000123",
		/* As prelink leaves them: one that can be moved, but has a place. */
		"-pie -Wl,-Ttext-segment=0x41000000",
		NULL,
	};

	try_layouts("gcc", "ld.bfd", layouts);
}

Test(layouts, of_gold)
{
	static const char *const layouts[] = {
		"",
		"-no-pie",
		"-static",
		"-Wl,-z,max-page-size=0x200000",
		"-no-pie -Wl,-Ttext-segment=0x20000000",
		"-Wl,--rosegment",
		NULL,
	};

	try_layouts("gcc", "ld.gold", layouts);
}

/* Two segments in one page of the file, each at its own address. */
Test(layouts, of_lld)
{
	static const char *const layouts[] = {
		"",
		"-no-pie",
		"-static",
		"-static-pie",
		"-Wl,--no-rosegment",
		"-Wl,-z,separate-code",
		"-Wl,-z,separate-loadable-segments",
		"-Wl,-z,max-page-size=0x200000",
		"-no-pie -Wl,--image-base=0x30000000",
		NULL,
	};

	try_layouts("gcc", "ld.lld", layouts);
	try_layouts("clang", "ld.lld", layouts);
}

/* Nothing but the loader looks at the alignment of segments. */
Test(layouts, with_any_alignment_in_the_headers)
{
	static const uint64_t odd[] = { 0, 1, 3, 1ull << 63 };

	if (!has_command("gcc"))
		cr_skip_test("no gcc");
	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++) {
		Elf64_Ehdr header;
		Elf64_Phdr segment;
		FILE *file;

		compile("gcc", "-no-pie");
		file = fopen(program, "r+");
		cr_assert_eq(fread(&header, sizeof(header), 1, file), 1);
		for (unsigned j = 0; j < header.e_phnum; j++) {
			long at = (long)header.e_phoff + (long)(j * sizeof(segment));

			fseek(file, at, SEEK_SET);
			cr_assert_eq(fread(&segment, sizeof(segment), 1, file), 1);
			segment.p_align = odd[i];
			fseek(file, at, SEEK_SET);
			if (segment.p_type == PT_LOAD)
				fwrite(&segment, sizeof(segment), 1, file);
		}
		fclose(file);
		check("-no-pie");
	}
}
