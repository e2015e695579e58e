/* The formats are those of kernels from 4.4 to 6.18, by their shapes. */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/guard.h"
#include "base/text.h"
#include "input/event_format.h"
#include "input/recording.h"

#define COMMON                                                                           \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"           \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"           \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"   \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
#define HEAD(name, id) "name: " name "\nID: " id "\nformat:\n" COMMON

static struct arena arena;
static struct event_format format;
static uint8_t raw[256];
static struct sample sample;

static void begin(void)
{
	sample.raw = raw;
	sample.raw_size = sizeof(raw);
}

static void end(void)
{
	arena_release(&arena);
}

TestSuite(event_format, .init = begin, .fini = end);

static int try(const char *text, size_t size, bool swapped)
{
	return event_format_parse(&arena, text, size, swapped, &format);
}

static void parse(const char *text)
{
	cr_assert_eq(try(text, strlen(text), false), 1, "%s", text);
}

static void parse_swapped(const char *text)
{
	cr_assert_eq(try(text, strlen(text), true), 1, "%s", text);
}

static const struct event_field *field(const char *of)
{
	const struct event_field *f = event_format_find(&format, of);

	cr_assert(f, "there is a field %s", of);
	return f;
}

static void expect_field(const char *of, unsigned offset, unsigned size, unsigned element,
			 unsigned flags)
{
	const struct event_field *f = field(of);

	cr_expect_eq(f->offset, offset, "%s: offset %u", of, f->offset);
	cr_expect_eq(f->size, size, "%s: size %u", of, f->size);
	cr_expect_eq(f->element, element, "%s: elements of %u", of, f->element);
	cr_expect_eq(f->flags, flags, "%s: flags %x", of, f->flags);
}

static uint64_t number(const char *of)
{
	uint64_t ret = 0;

	cr_assert(event_field_number(field(of), &sample, &ret), "%s is a number", of);
	return ret;
}

static bool is_number(const char *of)
{
	uint64_t ret;

	return event_field_number(field(of), &sample, &ret);
}

static void expect_text(const char *of, const char *expected)
{
	const char *p;
	uint32_t size;

	cr_assert(event_field_text(field(of), &sample, &p, &size), "%s is a text", of);
	cr_assert_eq(size, strlen(expected));
	cr_expect(memcmp(p, expected, size) == 0, "%s is %.*s", of, (int)size, p);
}

static bool is_text(const char *of)
{
	const char *p;
	uint32_t size;

	return event_field_text(field(of), &sample, &p, &size);
}

static void put(size_t at, const void *p, size_t size)
{
	memcpy(raw + at, p, size);
}

static void put_u32(size_t at, uint32_t value)
{
	put(at, &value, sizeof(value));
}

static const char sched_switch[] =
	HEAD("sched_switch",
	     "316") "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:1;\n"
		    "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
		    "\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
		    "\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
		    "\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:1;\n"
		    "\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
		    "\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n"
		    "\nprint fmt: \"prev_comm=%s prev_pid=%d prev_prio=%d "
		    "prev_state=%s%s ==> next_comm=%s\", "
		    "REC->prev_comm, REC->prev_pid, (REC->prev_state & ((((0x0000 | "
		    "0x0001)) + 1) << 1)) ? "
		    "__print_flags(REC->prev_state, \"|\", { 0x0001, \"S\" }) : \"R\"\n";

Test(event_format, sched_switch_has_its_fields_and_the_common_ones)
{
	enum { SIGNED = EVENT_FIELD_SIGNED };

	parse(sched_switch);
	cr_expect_str_eq(format.own_name, "sched_switch");
	cr_expect_eq(format.id, 316);
	cr_expect_eq(format.count, 11);
	expect_field("common_type", 0, 2, 2, 0);
	expect_field("common_pid", 4, 4, 4, SIGNED);
	expect_field("prev_comm", 8, 16, 1,
		     SIGNED | EVENT_FIELD_ARRAY | EVENT_FIELD_TEXT);
	expect_field("prev_state", 32, 8, 8, SIGNED);
	expect_field("next_prio", 60, 4, 4, SIGNED);
	cr_expect_null(event_format_find(&format, "prev"));
	cr_expect_null(event_format_find(NULL, "prev_pid"));
}

Test(event_format, values_are_read_by_their_size_and_sign)
{
	int64_t state = -2;

	parse(sched_switch);
	put(8, "kworker/0:1", 12);
	put_u32(24, (uint32_t)-1);
	put(32, &state, 8);
	put(40, "sixteen bytes is", 16);
	expect_text("prev_comm", "kworker/0:1");
	expect_text("next_comm", "sixteen bytes is");
	cr_expect_eq((int64_t)number("prev_pid"), -1);
	cr_expect_eq((int64_t)number("prev_state"), -2);
	cr_expect_not(is_number("prev_comm"), "a text is no number");
	cr_expect_not(is_text("prev_pid"), "a number is no text");
}

Test(event_format, values_of_a_big_endian_machine_are_turned)
{
	parse_swapped(sched_switch);
	put(2, "\x08", 1);
	put(24, "\0\0\x12\x34", 4);
	put(32, "\xff\xff\xff\xff\xff\xff\xff\xfe", 8);
	cr_expect_eq(number("common_flags"), 8);
	cr_expect_eq(number("prev_pid"), 0x1234);
	cr_expect_eq((int64_t)number("prev_state"), -2);
}

Test(event_format, arguments_of_system_calls_are_an_array_of_numbers)
{
	uint64_t args[6] = { 1, 2, 3, 4, 5, UINT64_MAX }, value = 0;

	parse(HEAD(
		"sys_enter",
		"21") "\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
		      "\tfield:unsigned long args[6];\toffset:16;\tsize:48;\tsigned:0;\n"
		      "\nprint fmt: \"NR %ld (%lx)\", REC->id, REC->args[0]\n");
	expect_field("args", 16, 48, 8, EVENT_FIELD_ARRAY);
	put(16, args, sizeof(args));
	cr_expect_not(is_number("args"));
	cr_assert(event_field_element(field("args"), &sample, 5, &value));
	cr_expect_eq(value, UINT64_MAX);
	cr_expect_not(event_field_element(field("args"), &sample, 6, &value));
	cr_expect(event_field_element(field("id"), &sample, 0, &value));
	cr_expect_not(event_field_element(field("id"), &sample, 1, &value));
}

Test(event_format, types_that_kernels_have)
{
	uint64_t value;

	parse(HEAD("x",
		   "7") "\tfield:bool success;\toffset:8;\tsize:1;\tsigned:0;\n"
			"\tfield:dev_t dev;\toffset:12;\tsize:4;\tsigned:0;\n"
			"\tfield:const void * ptr;\toffset:16;\tsize:8;\tsigned:0;\n"
			"\tfield:enum fault_flag flag;\toffset:24;\tsize:4;\tsigned:0;\n"
			"\tfield:u64 lengths[4];\toffset:32;\tsize:32;\tsigned:0;\n"
			"\tfield:char rwbs[8];\toffset:64;\tsize:8;\tsigned:1;\n"
			"\tfield:u8 mac[6];\toffset:72;\tsize:6;\tsigned:0;\n"
			"\tfield:const char __attribute__((btf_type_tag(\"user\"))) * "
			"name;\toffset:80;\t"
			"size:8;\tsigned:0;\n"
			"\tfield:unsigned long long "
			"last;\toffset:88;\tsize:8;\tsigned:0;\n\nprint fmt: \"\"\n");
	expect_field("success", 8, 1, 1, 0);
	expect_field("dev", 12, 4, 4, 0);
	expect_field("ptr", 16, 8, 8, 0);
	expect_field("lengths", 32, 32, 8, EVENT_FIELD_ARRAY);
	expect_field("mac", 72, 6, 1, EVENT_FIELD_ARRAY);
	expect_field("name", 80, 8, 8, 0);
	raw[77] = 9;
	cr_assert(event_field_element(field("mac"), &sample, 5, &value));
	cr_expect_eq(value, 9);
	cr_expect_eq(number("last"), 0);
}

static const char dynamic[] = HEAD(
	"y", "8") "\tfield:__data_loc char[] filename;\toffset:8;\tsize:4;\tsigned:1;\n"
		  "\tfield:__rel_loc char[] tail;\toffset:12;\tsize:4;\tsigned:1;\n"
		  "\tfield:__data_loc u32[] "
		  "list;\toffset:16;\tsize:4;\tsigned:0;\n\nprint fmt: \"\"\n";

Test(event_format, what_lies_elsewhere_is_found)
{
	uint64_t value = 0;

	parse(dynamic);
	put_u32(8, 5 << 16 | 32);
	put(32, "a.so", 5);
	put_u32(12, 3 << 16 | (40 - 16));
	put(40, "xyz", 3);
	put_u32(16, 8 << 16 | 48);
	put_u32(52, 77);
	expect_text("filename", "a.so");
	expect_text("tail", "xyz");
	cr_expect(event_field_element(field("list"), &sample, 1, &value));
	cr_expect_eq(value, 77);
	cr_expect_not(event_field_element(field("list"), &sample, 2, &value));
}

Test(event_format, what_lies_beyond_the_raw_data_is_not_there)
{
	parse(dynamic);
	put_u32(8, 5u << 16 | 252);
	cr_expect_not(is_text("filename"), "its end is beyond");
	put_u32(8, 0xffffffff);
	cr_expect_not(is_text("filename"));
	put_u32(12, 1u << 16 | 0xfff0);
	cr_expect_not(is_text("tail"));
	put_u32(8, 4u << 16 | 252);
	memcpy(raw + 252, "last", 4);
	expect_text("filename", "last");
	sample.raw_size = 11;
	cr_expect_not(is_text("filename"), "what says where it is has been cut");
	sample.raw_size = 0;
	sample.raw = NULL;
	cr_expect_not(is_text("filename"));
	cr_expect_not(is_number("common_pid"));
}

Test(event_format, raw_data_that_ends_within_a_field)
{
	parse(sched_switch);
	sample.raw_size = 40;
	cr_expect(is_number("prev_state"));
	sample.raw_size = 39;
	cr_expect_not(is_number("prev_state"));
	cr_expect_not(is_text("next_comm"));
	cr_expect(is_number("prev_pid"));
}

Test(event_format, fields_that_cannot_be_are_left_out)
{
	parse(HEAD("z",
		   "9") "\tfield:int far;\toffset:4294967295;\tsize:4;\tsigned:1;\n"
			"\tfield:int beyond;\toffset:70000;\tsize:4;\tsigned:1;\n"
			"\tfield:int empty;\toffset:8;\tsize:0;\tsigned:1;\n"
			"\tfield:char huge[99999];\toffset:8;\tsize:99999;\tsigned:1;\n"
			"\tfield:int minus;\toffset:8;\tsize:-1;\tsigned:1;\n"
			"\tfield:int odd;\toffset:8;\tsize:3;\tsigned:1;\n"
			"\tfield:__data_loc char[] "
			"short_one;\toffset:8;\tsize:2;\tsigned:1;\n"
			"\tfield:int good;\toffset:12;\tsize:4;\tsigned:1;\n\nprint fmt: "
			"\"\"\n");
	cr_expect_null(event_format_find(&format, "far"));
	cr_expect_null(event_format_find(&format, "beyond"));
	cr_expect_null(event_format_find(&format, "empty"));
	cr_expect_null(event_format_find(&format, "huge"));
	cr_expect_null(event_format_find(&format, "minus"));
	cr_expect_null(event_format_find(&format, "short_one"));
	cr_expect_not(is_number("odd"), "nothing has three bytes");
	expect_field("good", 12, 4, 4, EVENT_FIELD_SIGNED);
}

Test(event_format, a_field_that_is_not_understood_hides_no_other)
{
	parse(HEAD(
		"z",
		"9") "\tfield:u32 matrix[4][2];\toffset:8;\tsize:32;\tsigned:0;\n"
		     "\tfield:int (*call)(int, \"x\");\toffset:40;\tsize:8;\tsigned:0;\n"
		     "\tfield:int without_end\n"
		     "\tfield:int;\n"
		     "\tfield:;\n"
		     "\tfield:int last;\toffset:48;\tsize:4;\tsigned:1;\n\nprint fmt: "
		     "\"\"\n");
	expect_field("common_pid", 4, 4, 4, EVENT_FIELD_SIGNED);
	expect_field("last", 48, 4, 4, EVENT_FIELD_SIGNED);
}

Test(event_format, of_fields_with_one_name_the_first_holds)
{
	parse(HEAD("z", "9") "\tfield:int a;\toffset:8;\tsize:4;\tsigned:1;\n"
			     "\tfield:long a;\toffset:16;\tsize:8;\tsigned:1;\n\nprint "
			     "fmt: \"\"\n");
	expect_field("a", 8, 4, 4, EVENT_FIELD_SIGNED);
	cr_expect_eq(format.count, 5);
}

/* libtraceevent 1.7.1 reads through NULL, or loses memory, at the first four. */
Test(event_format, declarations_that_are_not_whole_do_not_reach_the_library)
{
	static const char *const declared[] = {
		"__data_loc char[",
		"__data_loc char[\tlost",
		"unss",
		"enumchar[sizeof(u64) * 4]",
		"__data_loc char[] ",
		"__data_loc char[]",
		"__rel_loc [] a",
		"[] a",
		"int a[",
		"int a]",
		"int a[2]b",
		"int []",
		"* a",
		"int *",
		"int \"a",
		"int a[2][2]",
		"",
	};

	for (size_t i = 0; i < sizeof(declared) / sizeof(*declared); i++) {
		struct text t = { 0 };

		text_printf(&t, "%s\tfield:%s;\toffset:8;\tsize:4;\tsigned:1;\n",
			    HEAD("x", "5"), declared[i]);
		text_string(&t, "\tfield:int last;\toffset:8;\tsize:4;\tsigned:1;\n");
		parse(t.bytes);
		cr_expect_eq(format.count, 5, "'%s'", declared[i]);
		text_release(&t);
	}
	parse(HEAD("x", "5") "\tfield:__data_loc cpumask_t "
			     "cpumask;\toffset:8;\tsize:4;\tsigned:0;\n");
	cr_expect(field("cpumask")->flags & EVENT_FIELD_DYNAMIC);
}

Test(event_format, a_format_may_have_no_fields)
{
	parse("name: bare\nID: 5\nformat:\n\nprint fmt: \"\"\n");
	cr_expect_eq(format.count, 0);
	parse("name: bare\nID: 5\n");
	cr_expect_str_eq(format.own_name, "bare");
	cr_expect_eq(format.id, 5);
	parse("name: bare\nID: 6\nformat:\n\tfield:int "
	      "a;\toffset:8;\tsize:4;\tsigned:1;");
	expect_field("a", 8, 4, 4, EVENT_FIELD_SIGNED);
}

Test(event_format, what_is_no_format_is_none)
{
	static const char *const texts[] = {
		"",
		"\n",
		"name: x\n",
		"ID: 5\n",
		"name:\nID: 5\n",
		"name: x\nID:\n",
		"name: x\nID: x\n",
		"name: x\nID: -5\n",
		"name: x\nID: 99999999999999999999\n",
		"name: x y\nID: 5\n",
		"name: x\"\nID: 5\n",
		"print fmt: \"\"\nname: x\nID: 5\n",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		cr_expect_eq(try(texts[i], strlen(texts[i]), false), 0, "%s", texts[i]);
	cr_expect_eq(try("name: x\0\nID: 5\n", 15, false), 0);
}

/* 1.7.1 frees twice what is behind sizeof, and takes a level of its stack for each parenthesis. */
Test(event_format, print_formats_are_not_looked_at, .timeout = 10)
{
	struct text t = { 0 };

	parse(HEAD("x", "5") "\nprint fmt: \"%d\", sizeof(REC->a\n");
	parse(HEAD("x", "5") "\n print   fmt : \"%d\", sizeof(REC->a\nprint\nfmt: \"\", "
			     "sizeof(a\n");
	text_string(&t, HEAD("x", "5") "\nprint fmt: \"%d\", ");
	for (int i = 0; i < 1 << 20; i++)
		text_char(&t, '(');
	cr_expect_eq(try(t.bytes, t.size, false), 1);
	cr_expect_eq(format.count, 4);
	text_release(&t);
}

static void fill(struct text *t, const char *with, size_t size)
{
	text_string(t, HEAD("x", "5"));
	while (t->size < size)
		text_string(t, with);
}

Test(event_format, a_megabyte_of_anything_is_read_in_time, .timeout = 20)
{
	static const char *const fillings[] = {
		"(",
		"[",
		"a ",
		"\tfield:int a;\toffset:8;\tsize:4;\tsigned:1;\n",
		"\tfield:a[a[a[;\toffset:8;\tsize:4;\n",
		"\tfield:",
		"\n",
		"\tfield:(((((\n",
		"\tfield:a __attribute__((",
		";",
		"\tfield:int a*;\n",
	};

	for (size_t i = 0; i < sizeof(fillings) / sizeof(*fillings); i++) {
		struct text t = { 0 };

		fill(&t, fillings[i], 1 << 20);
		cr_expect_eq(try(t.bytes, t.size, false), 1, "%s", fillings[i]);
		cr_expect(event_format_find(&format, "common_pid"));
		text_clear(&t);
		text_string(&t, HEAD("x", "5") "\tfield:");
		while (t.size < 1 << 20)
			text_string(&t, fillings[i]);
		cr_expect_eq(try(t.bytes, t.size, false), 1);
		text_release(&t);
	}
}

/* Sanitizers handle crashes themselves. */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
static enum { COPIES, HAS_NO_MEMORY, FAILS_ASSERTION } strdup_now;

/* The one that libtraceevent calls for names. */
__attribute__((visibility("default"))) char *strdup(const char *text)
{
	if (strdup_now == FAILS_ASSERTION)
		abort();
	return strdup_now == HAS_NO_MEMORY ? NULL : strndup(text, strlen(text));
}

Test(event_format, without_memory_the_library_costs_the_format_and_no_other)
{
	static const char text[] = HEAD("ping", "7") "print fmt: \"\"\n";

	guard_catch_crashes();
	strdup_now = HAS_NO_MEMORY;
	cr_expect_eq(try(text, sizeof(text) - 1, false), -ENOMEM);
	strdup_now = COPIES;
	parse(text);
	cr_expect_str_eq(format.own_name, "ping");
}

Test(event_format, where_the_library_ends_the_process_it_and_the_event_are_named)
{
	static const char text[] = HEAD("ping", "7") "print fmt: \"\"\n";
	char words[256] = "";
	int ends[2], status;
	pid_t pid;

	/* Criterion has handlers of its own. */
	signal(SIGABRT, SIG_DFL);
	cr_assert_eq(pipe(ends), 0);
	pid = fork();
	cr_assert_geq(pid, 0);
	if (pid == 0) {
		dup2(ends[1], STDERR_FILENO);
		guard_catch_crashes();
		strdup_now = FAILS_ASSERTION;
		_exit(try(text, sizeof(text) - 1, false));
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 1, "%#x", status);
	cr_expect_gt(read(ends[0], words, sizeof(words) - 1), 0);
	cr_expect_str_eq(words,
			 "flamefold: libtraceevent crashed (an assertion failed) in "
			 "the format of 'ping'\n");
}
#endif

/* What is printed of the state, behind the fields of sched_switch. */
static void parse_states(const char *print)
{
	struct text text = { 0 };
	const char *end = strstr(sched_switch, "\nprint fmt");

	text_add(&text, sched_switch, (size_t)(end - sched_switch));
	text_printf(&text, "\nprint fmt: \"prev_state=%%s\", %s\n", print);
	parse(text.bytes);
	text_release(&text);
}

static void state_is(uint64_t state, uint64_t expected)
{
	uint64_t is = event_states_read(format.states, state);

	cr_expect_eq(is, expected, "%#lx is %#lx, not %#lx", (unsigned long)state,
		     (unsigned long)is, (unsigned long)expected);
}

enum { S = 1, D = 2, T = 4, t = 8, X = 16, Z = 32, P = 64, I = 128, PREEMPTED = 256 };

Test(event_format, states_of_linux_3_10)
{
	parse_states("REC->prev_state & (1024-1) ? __print_flags(REC->prev_state & "
		     "(1024-1), \"|\", { 1, \"S\"} , { 2, \"D\" }, { 4, \"T\" }, "
		     "{ 8, \"t\" }, { 16, \"Z\" }, { 32, \"X\" }, { 64, \"x\" }, "
		     "{ 128, \"K\" }, { 256, \"W\" }, { 512, \"P\" }) : \"R\", "
		     "REC->prev_state & 1024 ? \"+\" : \"\", REC->next_comm");
	cr_assert_not_null(format.states);
	for (uint64_t i = 0; i < 4; i++)
		state_is(1u << i, 1u << i);
	state_is(0, 0);
	state_is(16, Z);
	state_is(32, X);
	state_is(64, X);
	/* What can be killed waits for a disk. */
	state_is(128 | 2, D);
	state_is(512 | 1, P | S);
	state_is(1024, PREEMPTED);
	state_is(1024 | 1, PREEMPTED | S);
	/* No bit of the state at all. */
	state_is(2048 | 1, S);
	state_is(UINT64_MAX << 32, 0);
}

/* A damaged format may end before that. With a sanitizer it is seen that no text is asked. */
Test(event_format, states_are_not_known_where_nothing_says_how_they_are_printed)
{
	parse(HEAD("sched_switch",
		   "316") "\tfield:long prev_state;\toffset:8;\tsize:8;\tsigned:1;\n");
	cr_assert_null(format.states);
}

Test(event_format, states_of_linux_4_9)
{
	parse_states("REC->prev_state & (4096-1) ? __print_flags(REC->prev_state & "
		     "(4096-1), \"|\", { 1, \"S\"} , { 2, \"D\" }, { 4, \"T\" }, "
		     "{ 8, \"t\" }, { 16, \"X\" }, { 32, \"Z\" }, { 64, \"x\" }, "
		     "{ 128, \"K\" }, { 256, \"W\" }, { 512, \"P\" }, "
		     "{ 1024, \"N\" }) : \"R\", REC->prev_state & 4096 ? \"+\" : \"\"");
	cr_assert_not_null(format.states);
	state_is(16, X);
	state_is(32, Z);
	state_is(64, X);
	state_is(1024 | 2, I);
	state_is(1024, 0);
	state_is(128, 0);
	state_is(4096, PREEMPTED);
	state_is(2048, 0);
}

Test(event_format, states_since_4_14_are_what_they_are)
{
	parse_states(
		"(REC->prev_state & ((((0x0000 | 0x0001 | 0x0002) + 1) << 1) - 1)) ? "
		"__print_flags(REC->prev_state & ((((0x0000 | 0x0001) + 1) << 1) - "
		"1), \"|\", { 0x0001, \"S\" }, { 0x0002, \"D\" }, { 0x0004, "
		"\"T\" }, { 0x0008, \"t\" }, { 0x0010, \"X\" }, { 0x0020, "
		"\"Z\" }, { 0x0040, \"P\" }, { 0x0080, \"I\" }) : \"R\", "
		"REC->prev_state & (((0x0000 | 0x0001) + 1) << 1) ? \"+\" : \"\"");
	cr_expect_null(format.states);
	parse(sched_switch);
	cr_expect_null(format.states);
}

Test(event_format, states_that_nobody_could_print)
{
	static const char *const odd[] = {
		"REC->prev_state",
		"REC->prev_state, __print_flags(",
		"REC->prev_state, __print_flags({ 16",
		"REC->prev_state, __print_flags({ 16, \"",
		"REC->prev_state, __print_flags({ 16, \"Z",
		"REC->prev_state, __print_flags({ 0, \"Z\" }",
		"REC->prev_state, __print_flags({ 3, \"Z\" }",
		"REC->prev_state, __print_flags({ 0x, \"Z\" }",
		"REC->prev_state, __print_flags({ 99999999999999999999, \"Z\" }",
		"REC->prev_state, __print_flags({ 1a, \"Z\" }",
	};

	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++) {
		parse_states(odd[i]);
		cr_expect_null(format.states, "%s", odd[i]);
	}
	parse_states("REC->prev_state, __print_flags({ 0x80000000, \"D\" }, { 1");
	state_is(1ull << 31, D);
	/* Of another event they are nothing. */
	parse(HEAD("other", "5") "\tfield:long state;\toffset:8;\tsize:8;\tsigned:1;\n\n"
				 "print fmt: \"\", REC->prev_state, __print_flags({ 16, "
				 "\"Z\" })\n");
	cr_expect_null(format.states);
}
