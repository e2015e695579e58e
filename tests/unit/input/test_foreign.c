#include "input/foreign.h"

#include <criterion/criterion.h>
#include <string.h>

static const char *guessed(const char *text)
{
	const struct foreign *is = foreign_guess(text, strlen(text));

	return is ? is->name : "nothing";
}

static bool recognised(const char *text)
{
	return foreign_recognise(text, strlen(text));
}

Test(foreign, a_line_among_the_first_ones_tells)
{
	cr_assert_str_eq(guessed("Attaching 1 probe...\n\n\n@[\n  f+1\n]: 3\n"),
			 "the output of bpftrace");
	cr_assert_str_eq(guessed("\n\n  0  1  :tick-60s\n   mod`f+0x20\n   7\n"),
			 "the output of DTrace");
	cr_assert_str_eq(guessed(" \t[<0>] do_wait+0x5/0x90\n"),
			 "stacks of the kernel, as in /proc/PID/stack");
}

Test(foreign, text_of_nobody_is_nothing)
{
	cr_assert_str_eq(guessed(""), "nothing");
	cr_assert_str_eq(guessed("\n\n"), "nothing");
	cr_assert_str_eq(guessed("dear diary\n"), "nothing");
	cr_assert_str_eq(guessed("main;a;b 3\nmain;c 4\n"), "nothing");
}

Test(foreign, of_a_long_line_the_beginning_and_the_end_count)
{
	char line[1000];

	memset(line, 'f', sizeof(line));
	memcpy(line, "main;", 5);
	memcpy(line + sizeof(line) - 3, " 12", 3);
	cr_assert_null(foreign_guess(line, sizeof(line)));
	memcpy(line, "Analysis of sampling ", 21);
	cr_assert_not_null(foreign_guess(line, sizeof(line)));
}

Test(foreign, folded_text_is_not_recognised_as_something_else)
{
	static const char *const texts[] = {
		"main;a;b 3\n",
		"swapper;[unknown];[[kernel.kallsyms]] 7\n[unknown];f 1\n",
		"P12;T12;/a/b.py:main:7;f:12 1234\n",
		"java;Foo::bar(int, char);{lambda()#1}::operator() 1.5\n",
		"@plt;f 2\nsh-12/[001];f 3\n",
		"{closure};f 3\n[libc.so.6 <8e2f1>] 4\n",
		"# by hand\n#!f 3\n",
		"main;events 12\nmain;PeriodType 3\n",
		"main;f 3 4\n",
		"unix`main;unix`f+0x12 3\n",
		"main;f.c:12.345678;g 3\n",
		"at java.lang.Foo(Foo.java:12);b 3\n",
		" 12\n",
		"db;select * from t where lower(name) = 5 10\n",
		"events: poll;main 12\n",
		"node;GET /x 12:00 1.234567: f 10\n",
		"@main;f[1]: 5\n",
		"Performance counter stats for x;y 1.5\n",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		cr_assert_not(recognised(texts[i]), "%s", texts[i]);
}

Test(foreign, what_is_recognised_is_guessed_as_well)
{
	static const char *const texts[] = {
		"#!/bin/sh\n",
		"# Total Lost Samples: 0\n",
		"PeriodType: cpu nanoseconds\nPeriod: 10000000\n",
		"read(3, \"\", 4096) = 0\n",
		"write(1, \"a;b\", 3) = 3\nread(3, \"\", 4096) = 0\n",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		cr_assert(recognised(texts[i]), "%s", texts[i]);
		cr_assert_str_neq(guessed(texts[i]), "nothing");
	}
}
