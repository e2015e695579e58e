#include "jit/perf_map.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct perf_map map;
static struct perf_map_question question;

static void read_bytes(const char *text, size_t size, const uint64_t *addresses,
		       size_t count)
{
	int fd = memfd_create("map", MFD_CLOEXEC);

	cr_assert_geq(fd, 0);
	cr_assert_eq(write(fd, text, size), (ssize_t)size);
	question.addresses = addresses;
	question.count = count;
	cr_assert_eq(perf_map_read(fd, &question, NULL, &map), 0);
	close(fd);
}

/* What the map calls an address. */
static const char *name_at(const char *text, uint64_t address)
{
	static char name[PERF_MAP_NAME_MOST + 1];

	read_bytes(text, strlen(text), &address, 1);
	name[0] = '\0';
	if (map.of_address[0]) {
		cr_assert_leq(map.of_address[0], map.list.count);
		strcpy(name, map.names.bytes + map.list.v[map.of_address[0] - 1].name);
	}
	perf_map_release(&map);
	return name;
}

#define expect_name(text, address, name) cr_expect_str_eq(name_at(text, address), name)

Test(perf_map, a_line_names_its_addresses)
{
	const char *text = "1000 20 f\n";

	expect_name(text, 0xfff, "");
	expect_name(text, 0x1000, "f");
	expect_name(text, 0x101f, "f");
	expect_name(text, 0x1020, "");
}

Test(perf_map, numbers_are_hexadecimal_however_they_are_written)
{
	expect_name("0x0000000000001000 0x0000000000000020 both\n", 0x1010, "both");
	expect_name("ABCD000 2F UPPER\n", 0xabcd02e, "UPPER");
	expect_name("0XABCD000 0X2F UPPER\n", 0xabcd02e, "UPPER");
	expect_name("00000000000000000000001000 0020 zeros\n", 0x1010, "zeros");
	expect_name("\t1000   20 \t blanks\n", 0x1010, "blanks");
	expect_name("fffffffffffff000 ffffffffffffffff top\n", 0xfffffffffffffffe, "top");
}

Test(perf_map, a_name_is_the_rest_of_the_line)
{
	expect_name("1000 20 int T.f(int; long) [tier 2]\n", 0x1000,
		    "int T.f(int; long) [tier 2]");
	expect_name("1000 20 f\r\n", 0x1000, "f");
	expect_name("1000 20 f\r\r\n", 0x1000, "f\r");
	expect_name("1000 20 \xff\xfe<&\"\n", 0x1000, "\xff\xfe<&\"");
	read_bytes("1000 20 a\0b\n", 12, (uint64_t[]){ 0x1000 }, 1);
	cr_expect_str_eq(map.names.bytes, "a?b");
	perf_map_release(&map);
}

Test(perf_map, what_is_no_entry_is_passed_over)
{
	const char *text =
		"\n\n12\n1000\n1000 20\n1000 20 \n1000 0 empty\nx 20 f\n1000 y f\n"
		"-1000 20 f\n10000000000000000 20 f\n1000 0x f\n\r\n"
		"ffffffffffffffff 20 f\n";
	uint64_t address = 0x1000;

	read_bytes(text, strlen(text), &address, 1);
	cr_expect_eq(map.entries, 0);
	cr_expect_eq(map.ignored, 14);
	cr_expect_eq(map.of_address[0], 0);
	perf_map_release(&map);
}

Test(perf_map, later_lines_win)
{
	const char *text = "1000 100 old\n1000 100 new\n2000 100 long\n2000 10 short\n"
			   "3040 10 inner\n3000 100 outer\n";

	expect_name(text, 0x1050, "new");
	expect_name(text, 0x2005, "short");
	expect_name(text, 0x2010, "long");
	expect_name(text, 0x3045, "outer");
}

Test(perf_map, what_lies_around_a_later_line_stays)
{
	const char *text =
		"1000 100 outer\n1040 10 inner\n10f8 10 behind\nff8 10 before\n";

	expect_name(text, 0xff8, "before");
	expect_name(text, 0x1007, "before");
	expect_name(text, 0x1008, "outer");
	expect_name(text, 0x1040, "inner");
	expect_name(text, 0x1050, "outer");
	expect_name(text, 0x10f8, "behind");
	expect_name(text, 0x1107, "behind");
	expect_name(text, 0x1108, "");
}

Test(perf_map, a_line_that_is_being_written_is_not_used)
{
	expect_name("1000 20 whole\n1000 20 tor", 0x1000, "whole");
	expect_name("1000 20 tor", 0x1000, "");
}

Test(perf_map, names_and_lines_may_be_of_any_length)
{
	size_t size = (size_t)5 << 20;
	char *text = malloc(size + 64);
	size_t used;

	used = (size_t)sprintf(text, "1000 20 ");
	memset(text + used, 'x', size);
	used += size;
	used += (size_t)sprintf(text + used, "\n2000 20 next\n");
	read_bytes(text, used, (uint64_t[]){ 0x1000, 0x2000 }, 2);
	cr_expect_eq(map.entries, 2);
	cr_expect_eq(strlen(map.names.bytes), PERF_MAP_NAME_MOST);
	cr_expect_str_eq(map.names.bytes + map.list.v[1].name, "next");
	perf_map_release(&map);
	free(text);
}

/* As simple as it can be said: the last line that covers an address. */
static uint32_t stack_bottom(const uint64_t (*lines)[2], size_t count, uint64_t address)
{
	for (size_t i = count; i-- > 0;)
		if (address >= lines[i][0] && address - lines[i][0] < lines[i][1])
			return (uint32_t)i + 1;
	return 0;
}

Test(perf_map, many_lines_are_as_if_each_address_were_looked_up)
{
	enum { LINES = 300000, ADDRESSES = 2000 };
	uint64_t(*lines)[2] = malloc(sizeof(*lines) * LINES);
	uint64_t *addresses = malloc(sizeof(*addresses) * ADDRESSES);
	char *text = malloc((size_t)LINES * 40);
	size_t used = 0;
	uint32_t seed = 1;

	for (size_t i = 0; i < LINES; i++) {
		seed = seed * 1664525 + 1013904223;
		lines[i][0] = seed >> 12;
		seed = seed * 1664525 + 1013904223;
		/* Most are kept, and hide others. */
		lines[i][1] = (seed >> 16) % (i % 10 ? 2000 : 200000) + 1;
		used += (size_t)sprintf(text + used, "%lx %lx f%zu\n",
					(unsigned long)lines[i][0],
					(unsigned long)lines[i][1], i + 1);
	}
	for (size_t i = 0; i < ADDRESSES; i++)
		addresses[i] = i * 520;
	read_bytes(text, used, addresses, ADDRESSES);
	cr_expect_eq(map.entries, LINES);
	cr_expect_leq(map.list.count, ADDRESSES);
	for (size_t i = 0; i < ADDRESSES; i++) {
		uint32_t entry = map.of_address[i];
		char *name =
			entry ? map.names.bytes + map.list.v[entry - 1].name + 1 : "0";

		cr_assert_eq(
			strtoul(name, NULL, 10),
			stack_bottom((const uint64_t(*)[2])lines, LINES, addresses[i]));
	}
	perf_map_release(&map);
	free(lines);
	free(addresses);
	free(text);
}

Test(perf_map, what_ran_before_a_later_line_has_the_older_name)
{
	const char *text = "1000 20 early\n1000 20 late\n1010 8 part\n2000 8 alone\n";
	const struct perf_map_later later[] = {
		{ 27, 0x1000, 0x1020, 1 },
		{ 39, 0x1010, 0x1018, 2 },
		{ 52, 0x2000, 0x2008, 2 },
	};

	question = (struct perf_map_question){ .later = later, .later_count = 3 };
	expect_name(text, 0x1000, "early");
	expect_name(text, 0x1010, "early");
	/* Nothing else is there. */
	expect_name(text, 0x2000, "alone");
	/* They are other lines. */
	question.later = (const struct perf_map_later[]){ { 27, 0x1000, 0x1040, 1 },
							  { 38, 0x1010, 0x1018, 2 } };
	question.later_count = 2;
	expect_name(text, 0x1010, "part");
	question = (struct perf_map_question){ .until = 14 };
	expect_name(text, 0x1010, "early");
	expect_name(text, 0x2000, "alone");
	question = (struct perf_map_question){ 0 };
}

Test(perf_map, of_later_lines_the_earliest_time_names_what_nothing_else_does)
{
	const char *text = "1000 40 outer\n1010 8 inner\n1000 40 other\n";
	const struct perf_map_later later[] = {
		{ 14, 0x1000, 0x1040, 1 },
		{ 27, 0x1010, 0x1018, 1 },
		{ 41, 0x1000, 0x1040, 2 },
	};

	question = (struct perf_map_question){ .later = later, .later_count = 3 };
	expect_name(text, 0x1000, "outer");
	expect_name(text, 0x1010, "inner");
	question = (struct perf_map_question){ 0 };
}
