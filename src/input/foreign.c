/*
 * What text is that somebody gives for folded text: what DTrace, bpftrace and other profilers
 * print. FlameGraph has a stackcollapse-*.pl for most of them, and
 * who forgets it is to be told which.
 *
 * Each kind is known by a line among the first ones: a headline, or how its frames
 * look. A row of the table is a pattern for such a line, as fnmatch(3) has it; blanks
 * before a line do not count. Rows come in order, so that what looks like much else
 * comes last. Most rows are asked only when too many lines were no folded text. Those
 * that are CERTAIN are asked at once, as their lines may well end in counts. Frames
 * have any name ("select f(x) = 5", "GET /a 1.234567: b"), so a line with frames and a
 * count tells nothing then.
 */
#include "input/foreign.h"

#include <ctype.h>
#include <fnmatch.h>
#include <string.h>

enum {
	/* Lines that are no comments. */
	LINES_GUESSED = 200,
	LINES_RECOGNISED = 16, /* of folded text, too */
	/* Bytes of a line that are compared; of a longer one its beginning and its end. */
	LINE_MOST = 255,
	LINE_END = 55,
};

enum foreign_flag {
	CERTAIN = 1 << 0,
	FIRST_LINE = 1 << 1, /* no other one tells */
};

struct foreign_row {
	const char *line;
	struct foreign is;
	unsigned flags;
};

#define COLLAPSE(script) "pipe it through FlameGraph's " script
#define SAMPLE "to sample the program: flamefold record -p PID"
#define PERF_SCRIPT                                                                      \
	{                                                                                \
		"frames of perf script without their samples",                           \
			"let it print -F comm,tid,time,event,ip,sym,dso"                 \
	}
#define BPFTRACE                                                                         \
	{                                                                                \
		"the output of bpftrace", COLLAPSE("stackcollapse-bpftrace.pl")          \
	}
#define DTRACE                                                                           \
	{                                                                                \
		"the output of DTrace", COLLAPSE("stackcollapse.pl")                     \
	}
#define JSTACK                                                                           \
	{                                                                                \
		"thread dumps of Java", COLLAPSE("stackcollapse-jstack.pl")              \
	}
#define GDB                                                                              \
	{                                                                                \
		"backtraces of gdb", COLLAPSE("stackcollapse-gdb.pl")                    \
	}
#define ELFUTILS                                                                         \
	{                                                                                \
		"the output of eu-stack", COLLAPSE("stackcollapse-elfutils.pl")          \
	}
#define INSTRUMENTS                                                                      \
	{                                                                                \
		"a call tree of Instruments", COLLAPSE("stackcollapse-instruments.pl")   \
	}
#define BCC                                                                              \
	{                                                                                \
		"the output of a tool of bcc",                                           \
			"give the tool -f: it prints folded text then"                   \
	}
#define CALLGRIND                                                                        \
	{                                                                                \
		"a profile of callgrind",                                                \
			"it has calls, not stacks; kcachegrind shows it"                 \
	}
#define JSON                                                                             \
	{                                                                                \
		"JSON", "flamefold reads perf.data, and lines like main;f;g 12"          \
	}
#define PYTHON                                                                           \
	{                                                                                \
		"stacks of Python's faulthandler",                                       \
			COLLAPSE("stackcollapse-faulthandler.pl")                        \
	}
#define WPA                                                                              \
	{                                                                                \
		"a table of Windows Performance Analyzer",                               \
			"UIforETW's xperf_to_collapsedstacks.py makes folded text of it" \
	}

/* clang-format off */
static const struct foreign_row rows[] = {
	{ "#!*", { "a script", "flamefold record -- SCRIPT samples one" }, CERTAIN | FIRST_LINE },
	{ "# Total Lost Samples: *", { "the output of perf report", "give the perf.data itself" }, CERTAIN },
	{ "# tracer: *", { "a trace of ftrace", "perf record writes what flamefold reads, and so does flamefold record --save" }, CERTAIN },
	{ "PeriodType: *", { "the output of pprof -raw", "give the profile itself" }, CERTAIN },
	{ "@*]: [0-9]*", BPFTRACE, CERTAIN },
	{ "events: *", CALLGRIND, CERTAIN },
	{ "[a-z]*(*) = [0-9]*", { "the output of strace", "it has calls, not samples; " SAMPLE }, CERTAIN },

	{ "Attaching [0-9]* probe*", BPFTRACE, 0 },
	{ "@*[[]", BPFTRACE, 0 },
	{ "@*[[]*,", { "the output of bpftrace", "stacks have to come first, as in @[ustack, comm], for FlameGraph's stackcollapse-bpftrace.pl" }, 0 },
	{ "event_type: *", { "the output of simpleperf report-sample", "give the perf.data itself" }, 0 },
	{ "CPU * ID * FUNCTION:NAME", DTRACE, CERTAIN },
	{ "dtrace: *", DTRACE, 0 },
	{ "*[a-zA-Z0-9_]`[a-zA-Z_]*", DTRACE, 0 },
	{ "0x* : *+0x*/0x*", { "the output of SystemTap", COLLAPSE("stackcollapse-stap.pl") }, 0 },
	{ "Sampling at * Hit Ctrl-C to end*", BCC, 0 },
	{ "Tracing * Hit Ctrl-C to end*", BCC, 0 },
	{ "Showing nodes accounting for *", { "a report of pprof", "give the profile itself" }, CERTAIN },
	{ "goroutine [0-9]* [[]*]:", { "a dump of Go's goroutines", "it has no counts; " SAMPLE }, 0 },
	{ "Full thread dump *", JSTACK, CERTAIN },
	{ "\"*\" * tid=0x*", JSTACK, 0 },
	{ "3XMTHREADINFO *", { "a core dump of IBM's Java", COLLAPSE("stackcollapse-ibmjava.pl") }, 0 },
	{ "0SECTION *", { "a core dump of IBM's Java", COLLAPSE("stackcollapse-ibmjava.pl") }, 0 },
	{ "at *(*.java:[0-9]*)", { "exceptions of Java", COLLAPSE("stackcollapse-java-exceptions.pl") }, 0 },
	{ "PID [0-9]* - *", ELFUTILS, 0 },
	{ "TID [0-9]*:", ELFUTILS, 0 },
	{ "Thread [0-9]* (*", GDB, 0 },
	{ "#[0-9]* * in * (*", GDB, 0 },
	{ "#[0-9]* * (*) at *", GDB, 0 },
	{ "[[]<*>] *+0x*/0x*", { "stacks of the kernel, as in /proc/PID/stack", "they have no counts; to sample the system: flamefold record -a" }, 0 },
	{ "*Thread 0x* (most recent call first):", PYTHON, 0 },
	{ "File \"*\", line [0-9]*, in *", PYTHON, 0 },
	{ "File \"*\", line [0-9]* in *", PYTHON, 0 },
	{ "Flat profile:", { "a report of gprof", "it has no stacks; to sample the program: flamefold record -- PROGRAM" }, CERTAIN },
	{ "% * cumulative * self *", { "a report of gprof", "it has no stacks; to sample the program: flamefold record -- PROGRAM" }, 0 },
	{ "creator: callgrind*", CALLGRIND, 0 },
	{ "*Time and Allocation Profiling Report*", { "a profile of GHC", "inferno-collapse-ghcprof makes folded text of it" }, CERTAIN },
	{ "Analysis of sampling *", { "the output of sample of macOS", COLLAPSE("stackcollapse-sample.awk") }, CERTAIN },
	{ "Running Time*Symbol Name*", INSTRUMENTS, 0 },
	{ "Weight*Self Weight*Symbol Name*", INSTRUMENTS, 0 },
	{ "*Function Stack*,*", { "a table of VTune", COLLAPSE("stackcollapse-vtune.pl") }, 0 },
	{ "*Level,Function Name,*", { "a table of Visual Studio", COLLAPSE("stackcollapse-vsprof.pl") }, 0 },
	{ "*Process*,*Stack*,*", WPA, 0 },
	{ "BeginHeader*", WPA, 0 },
	{ "@ * [[][0-9]* samples]*", { "the output of pmcstat", COLLAPSE("stackcollapse-pmc.pl") }, 0 },
	{ "[0-9]*.[0-9]*% *[[][0-9]*]* *", { "the output of pmcstat", COLLAPSE("stackcollapse-pmc.pl") }, 0 },
	{ "TRACE START [[]*", { "a trace of xdebug", COLLAPSE("stackcollapse-xdebug.php") }, 0 },
	{ "--- Execution profile ---*", { "text of async-profiler", "let it write -o collapsed" }, 0 },
	{ "Process [0-9]*: *python*", { "the output of py-spy dump", "py-spy record -f raw writes folded text" }, 0 },
	{ "Performance counter stats for *", { "the output of perf stat", "it has no stacks; to sample the program: flamefold record -- PROGRAM" }, CERTAIN },
	{ "*\"traceEvents\"*", { "a trace of Chrome", COLLAPSE("stackcollapse-chrome-tracing.py") }, 0 },
	{ "{\"nodes\":[[]*", { "a CPU profile of V8", "it cannot be read; to sample the program: flamefold record -- node --perf-basic-prof SCRIPT" }, 0 },
	{ "{", JSON, FIRST_LINE },
	{ "[[]", JSON, FIRST_LINE },
	{ "{*\"*", JSON, FIRST_LINE },
	{ "[[]*{*", JSON, FIRST_LINE },
	/* ffffffff8103d0ca native_write_msr ([kernel.kallsyms]) */
	{ "[0-9a-f][0-9a-f][0-9a-f]* * (*)", PERF_SCRIPT, 0 },
	{ "[0-9]* *;*[!0-9]", { "stacks with their counts in front", "sed -E 's/^ *([0-9]+) (.*)/\\2 \\1/' puts them behind" }, 0 },
	{ "*,*,*[!0-9]", { "CSV", "flamefold reads perf.data, and lines like main;f;g 12" }, FIRST_LINE },
	{ "*;*[!0-9]", { "stacks without counts", "sort | uniq -c | sed -E 's/^ *([0-9]+) (.*)/\\2 \\1/' counts them" }, FIRST_LINE },
};
/* clang-format on */

/* The next line of what lies between @at and @end, without blanks around it. */
static bool next_stripped_line(const char **at, const char *end, char line[LINE_MOST + 1])
{
	const char *stop;
	size_t size;

	while (*at < end && isspace((unsigned char)**at))
		++*at;
	if (*at == end)
		return false;
	stop = memchr(*at, '\n', (size_t)(end - *at));
	if (!stop)
		stop = end;
	size = (size_t)(stop - *at);
	if (size > LINE_MOST) {
		memcpy(line, *at, LINE_MOST - LINE_END);
		memcpy(line + LINE_MOST - LINE_END, stop - LINE_END, LINE_END);
		size = LINE_MOST;
	} else {
		memcpy(line, *at, size);
	}
	while (size && isspace((unsigned char)line[size - 1]))
		size--;
	line[size] = '\0';
	*at = stop;
	return true;
}

bool foreign_is_stack(const char *line, size_t size)
{
	size_t digits = size;

	while (digits > 0 &&
	       (isdigit((unsigned char)line[digits - 1]) || line[digits - 1] == '.'))
		digits--;
	return digits > 0 && digits < size && isdigit((unsigned char)line[digits]) &&
	       line[digits - 1] == ' ' && memchr(line, ';', digits);
}

/* The first row whose pattern one of the first @most lines fits. Comments do not count among
 * those. */
static const struct foreign *match_row(const char *text, size_t size, unsigned flags,
				       size_t most)
{
	char line[LINE_MOST + 1];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct foreign_row *row = &rows[i];
		const char *at = text;
		size_t count = 0;

		if ((row->flags & flags) != flags)
			continue;
		while (count < most && next_stripped_line(&at, text + size, line)) {
			if (fnmatch(row->line, line, 0) == 0 &&
			    !(flags & CERTAIN && foreign_is_stack(line, strlen(line))))
				return &row->is;
			if (row->flags & FIRST_LINE)
				break;
			count += *line != '#';
		}
	}
	return NULL;
}

const struct foreign *foreign_guess(const char *text, size_t size)
{
	return match_row(text, size, 0, LINES_GUESSED);
}

const struct foreign *foreign_recognise(const char *text, size_t size)
{
	return match_row(text, size, CERTAIN, LINES_RECOGNISED);
}
