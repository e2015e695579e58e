#include "live/preexisting/kernel.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "live/preexisting/record.h"
#include "unit/live/events/sysroot.h"

static struct bytes records;

static void setup(void)
{
	sysroot_make();
}

static void teardown(void)
{
	bytes_release(&records);
	sysroot_remove();
}

TestSuite(preexisting_kernel, .init = setup, .fini = teardown);

/* Where things are in a MMAP2 record, its head included. */
enum { START = 16, SIZE = 24, OFFSET = 32, ID_SIZE = 40, ID = 44, NAME = 72 };

static uint64_t u64_at(const uint8_t *p)
{
	uint64_t value;

	memcpy(&value, p, sizeof(value));
	return value;
}

/* The record of the map of this name; NULL: there is none. */
static const uint8_t *find(const char *name)
{
	for (size_t at = 0; at < records.count;) {
		const struct perf_event_header *head = (const void *)(records.v + at);

		cr_assert_eq(head->type, PERF_RECORD_MMAP2);
		cr_assert_eq(head->misc & PERF_RECORD_MISC_CPUMODE_MASK,
			     PERF_RECORD_MISC_KERNEL);
		if (strcmp((const char *)head + NAME, name) == 0)
			return records.v + at;
		at += head->size;
	}
	return NULL;
}

static const uint8_t *must_find(const char *name)
{
	const uint8_t *record = find(name);

	cr_assert_not_null(record, "no '%s'", name);
	return record;
}

static void make_modules(void)
{
	char path[128];
	struct utsname own;

	uname(&own);
	snprintf(path, sizeof(path), "/lib/modules/%s/modules.dep", own.release);
	sysroot_file(path, "kernel/fs/ext4/ext4.ko.xz: kernel/fs/jbd2/jbd2.ko.xz\n"
			   "kernel/net/nf-tables.ko: kernel/x/other.ko\n"
			   "kernel/net/nf-tables-more.ko:\n");
	sysroot_file("/proc/modules",
		     "ext4 1019904 2 - Live 0xffffffffc0a00000\n"
		     "nf_tables 278528 0 [permanent], Live 0xffffffffc0300000 (OE)\n"
		     "homeless 4096 1 ext4,nf_tables, Live 0xffffffffc0500000\n"
		     "hidden 4096 1 - Live 0x0000000000000000\n"
		     "broken\n");
}

Test(preexisting_kernel, its_reference_symbol_says_where_it_lies)
{
	const uint8_t *r;

	sysroot_file("/proc/kallsyms", "0000000000000000 A fixed_percpu_data\n"
				       "ffffffff9a000000 T startup_64\n"
				       "ffffffff9a000040 T not_text\n"
				       "ffffffff9a000000 T _stext\n"
				       "ffffffff9a000000 T _text\n");
	preexisting_kernel_read(sysroot, &records);
	r = must_find("[kernel.kallsyms]_text");
	cr_assert_eq(u64_at(r + START), 0xffffffff9a000000);
	cr_assert_eq(u64_at(r + OFFSET), 0xffffffff9a000000);
	cr_assert_eq(u64_at(r + 8) & UINT32_MAX, UINT32_MAX, "of no process");
	cr_assert_gt(u64_at(r + SIZE), 0);
}

Test(preexisting_kernel, the_other_symbol_does_where_that_is_missing)
{
	sysroot_file("/proc/kallsyms", "ffff800080010000 T _stext\n");
	preexisting_kernel_read(sysroot, &records);
	cr_assert_eq(u64_at(must_find("[kernel.kallsyms]_stext") + START),
		     0xffff800080010000);
}

Test(preexisting_kernel, hidden_addresses_are_no_addresses)
{
	sysroot_file("/proc/kallsyms", "0000000000000000 T _text\n");
	make_modules();
	preexisting_kernel_read(sysroot, &records);
	cr_assert_eq(records.count, 0);
	preexisting_kernel_read("/no/such/root", &records);
	cr_assert_eq(records.count, 0);
}

Test(preexisting_kernel, modules_have_the_paths_of_their_files)
{
	char path[160];
	struct utsname own;

	uname(&own);
	sysroot_file("/proc/kallsyms", "ffffffff9a000000 T _text\n");
	make_modules();
	preexisting_kernel_read(sysroot, &records);
	snprintf(path, sizeof(path), "/lib/modules/%s/kernel/fs/ext4/ext4.ko.xz",
		 own.release);
	cr_assert_eq(u64_at(must_find(path) + START), 0xffffffffc0a00000);
	cr_assert_eq(u64_at(must_find(path) + SIZE), 1019904);
	snprintf(path, sizeof(path), "/lib/modules/%s/kernel/net/nf-tables.ko",
		 own.release);
	cr_assert_eq(u64_at(must_find(path) + START), 0xffffffffc0300000);
	cr_assert_eq(u64_at(must_find("[homeless]") + START), 0xffffffffc0500000);
	cr_assert_null(find("[hidden]"));
}

Test(preexisting_kernel, it_ends_before_its_modules)
{
	const uint8_t *r;

	sysroot_file("/proc/kallsyms", "ffffffff9a000000 T _text\n");
	sysroot_file("/proc/modules", "low 4096 0 - Live 0xffffffffa0000000\n");
	preexisting_kernel_read(sysroot, &records);
	r = must_find("[kernel.kallsyms]_text");
	cr_assert_eq(u64_at(r + START) + u64_at(r + SIZE), 0xffffffffa0000000);
}

/* Notes: two of them, the second one with the build id. */
static void make_notes(const char *path)
{
	static const char notes[] = "\4\0\0\0\2\0\0\0\1\0\0\0Xen\0ab\0\0"
				    "\4\0\0\0\24\0\0\0\3\0\0\0GNU\0"
				    "0123456789abcdefghij";
	char whole[128];
	FILE *file;

	sysroot_file(path, "");
	snprintf(whole, sizeof(whole), "%s%s", sysroot, path);
	file = fopen(whole, "w");
	cr_assert_eq(fwrite(notes, 1, sizeof(notes) - 1, file), sizeof(notes) - 1);
	fclose(file);
}

Test(preexisting_kernel, each_has_its_own_build_id)
{
	static const char *const names[] = { "[kernel.kallsyms]_text", "[homeless]" };

	sysroot_file("/proc/kallsyms", "ffffffff9a000000 T _text\n");
	make_modules();
	make_notes("/sys/kernel/notes");
	make_notes("/sys/module/homeless/notes/.note.gnu.build-id");
	preexisting_kernel_read(sysroot, &records);
	for (size_t i = 0; i < 2; i++) {
		const uint8_t *r = must_find(names[i]);

		cr_assert_eq(r[ID_SIZE], 20);
		cr_assert_eq(memcmp(r + ID, "0123456789abcdefghij", 20), 0);
		cr_assert(((const struct perf_event_header *)r)->misc & 1 << 14);
	}
}

Test(preexisting_kernel, notes_of_any_kind_are_safe)
{
	sysroot_file("/proc/kallsyms", "ffffffff9a000000 T _text\n");
	sysroot_file("/sys/kernel/notes", "\4\1\1\1\377\377\377\377\3\1\1\1GNU!");
	preexisting_kernel_read(sysroot, &records);
	cr_assert_eq(must_find("[kernel.kallsyms]_text")[ID_SIZE], 0);
}
