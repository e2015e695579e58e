#include "write/title.h"

#include <criterion/criterion.h>

static void expect(struct write_facts facts, const char *expected)
{
	struct text t = { 0 };

	title_add(&t, &facts);
	cr_expect_str_eq(t.size ? t.bytes : "", expected);
	text_release(&t);
}

Test(title, says_what_was_recorded_where_and_when)
{
	expect((struct write_facts){ .command = "perf record -g -- make -j8",
				     .host = "build1",
				     .recorded = 1714739460,
				     .events = "cycles",
				     .duration = 62012000000,
				     .samples = 1312345 },
	       "make -j8 · build1 · 2024-05-03 12:31 UTC · cycles · 62.0 s · 1.3 M "
	       "samples");
}

Test(title, has_only_what_is_known)
{
	expect((struct write_facts){ 0 }, "");
	expect((struct write_facts){ .samples = 5, .duration = 7 }, "");
	expect((struct write_facts){ .events = "cycles", .samples = 1 },
	       "cycles · 1 sample");
	expect((struct write_facts){ .command = "a",
				     .samples = 9999,
				     .duration = 250000 },
	       "a · 250 µs · 9,999 samples");
	expect((struct write_facts){ .host = "h",
				     .samples = 512000,
				     .duration = 1200000 },
	       "h · 1.20 ms · 512 k samples");
	expect((struct write_facts){ .host = "h", .recorded = UINT64_MAX }, "h");
}

static void expect_command(const char *command, const char *expected)
{
	expect((struct write_facts){ .command = command }, expected);
}

Test(title, of_a_whole_system_is_not_what_only_took_the_time)
{
	expect_command("/usr/bin/perf record -F 999 -a -g -- sleep 14", "whole system");
	expect_command("perf record -ag sleep 14", "whole system");
	expect_command("perf record --all-cpus -o x sleep 14", "whole system");
	expect_command("perf record --call-graph=dwarf -e cycles -a", "whole system");
	expect_command("flamefold record -F 99 -a -d 30 -o now.svg", "whole system");
	expect_command("perf record -g -- ls -a", "ls -a");
	expect_command("perf record -g ls -a", "perf record -g ls -a");
	expect_command("perf record -o -- ls -a", "ls -a");
	expect_command("perf record -F 99 ls -a", "perf record -F 99 ls -a");
	expect_command("ls", "ls");
	expect_command("/usr/bin/flamefold record -d 2 -o now.svg", "whole system");
	expect_command("flamefold record -q -F 99 ls -a",
		       "flamefold record -q -F 99 ls -a");
	expect_command("flamefold record -u www -o x.svg",
		       "flamefold record -u www -o x.svg");
}

static void expect_process(const char *command, size_t count, const char *expected)
{
	expect((struct write_facts){ .command = command,
				     .process = "nginx",
				     .pid = 17,
				     .processes = count },
	       expected);
}

Test(title, of_a_process_that_ran_already_is_its_name)
{
	expect_process("flamefold record -p 17 -d 5 -o x.svg", 1, "nginx, process 17");
	expect_process("flamefold record -p 17 --", 1, "nginx, process 17");
	expect_process("perf record -gp17 -- sleep 5", 1, "nginx, process 17");
	expect_process("perf record -g --pid=17,18 sleep 5", 2, "nginx and 1 more");
	expect_process("perf record --tid 17 sleep 5", 1, "nginx, process 17");
	expect_process("perf record -g -- nginx -p 17", 1, "nginx -p 17");
	expect_process("perf record --threads -g ls", 1, "perf record --threads -g ls");
	expect_command("perf record -p 17 --", "perf record -p 17");
	expect_command("perf record -p 17 -- ", "perf record -p 17");
}

Test(title, says_no_more_of_an_event_than_what_it_counts)
{
	expect((struct write_facts){ .events = "cpu-clock:pppH" }, "cpu-clock");
	expect((struct write_facts){ .events = "cycles:P" }, "cycles");
	expect((struct write_facts){ .events = "cycles:u" }, "cycles:u");
	expect((struct write_facts){ .events = "cycles:upp" }, "cycles:upp");
	expect((struct write_facts){ .events = "sched:sched_switch" },
	       "sched:sched_switch");
	expect((struct write_facts){ .events = ":p" }, ":p");
	expect((struct write_facts){ .events = "cycles:p,cpu-clock:p" },
	       "cycles:p,cpu-clock:p");
}

Test(title, is_what_was_chosen)
{
	expect((struct write_facts){ .subject = "app.folded", .command = "a" },
	       "app.folded");
}

Test(title, a_long_command_is_cut_in_the_middle_and_not_through_a_letter)
{
	expect((struct write_facts){ .command =
					     "0123456789012345678901234567890123456789"
					     "0123456789012345678901234567890123456789" },
	       "012345678901234567890123456789012345…678901234567890123456789");
	expect((struct write_facts){ .host = "äääääääääääääääääääääääääääääää" },
	       "äääääääää…ääääää");
}
