/*
 * What users of other profilers type. One table for options and one for commands; a word is
 * looked for here only where flamefold has none of that name itself. An option that asks
 * for what is done anyway is taken in silence; one that has another name here is
 * written under that; for all others a sentence says what does it, or that nothing does.
 */
#include "cli/habits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/command.h"

#define RECORD COMMAND_RECORD
#define PICTURE (COMMAND_GRAPH | COMMAND_RECORD)
#define TOP COMMAND_TOP
#define TREE COMMAND_TREE
#define FILES (COMMAND_GRAPH | COMMAND_FOLD | COMMAND_INFO | TOP | TREE | COMMAND_EXPORT)
#define READS (FILES | COMMAND_RECORD)
#define ALONE HABIT_ALONE
#define VALUE HABIT_VALUE

static const char waits[] =
	"record samples what runs; 'record --mode offcpu' weighs the time that threads "
	"wait, by the stack in which they do";
static const char no_table[] =
	"'flamefold top' prints a table of functions, 'flamefold tree' "
	"a call tree";
static const char no_colour[] = "the viewer's colors follow --colors and --bgcolors";
static const char filter_frames[] =
	"'--only dso=PATTERN' keeps stacks with a frame of that file";
static const char filter_symbols[] =
	"'--only symbol=PATTERN' keeps stacks with such a function";
static const char bcc_words[] =
	"bcc's 'profile -F 99 -adf 10' is 'record -a -d 10 -f folded'";
static const char offcputime[] =
	"'flamefold record --mode offcpu -a -d 10' weighs the time that threads wait";
static const char offwaketime[] = "'flamefold record --mode offwake -a -d 10' weighs the "
				  "time that threads wait, with the "
				  "stack of who woke them";
static const char wakeuptime[] = "'flamefold record --mode wakeup -a -d 10' weighs the "
				 "time that threads wait by the "
				 "stack of who woke them";
static const char branches[] =
	"'-g lbr' takes stacks from the processor's branches; branches "
	"themselves are not drawn";

/* clang-format off */
static const struct habit habits[] = {
	/* perf record: what is done anyway */
	{ "buildid-all", 0, RECORD, ALONE, .own = "" },
	{ "buildid-mmap", 0, RECORD, ALONE, .own = "" },
	{ "no-buildid", 'B', RECORD, ALONE, .own = "" },
	{ "no-buildid-cache", 'N', RECORD, ALONE, .own = "" },
	{ "timestamp", 'T', RECORD, ALONE, .own = "" },
	{ "stat", 's', RECORD, ALONE, .own = "" },
	{ "sample-cpu", 0, RECORD, ALONE, .own = "" },
	{ "namespaces", 0, RECORD, ALONE, .own = "" },
	{ "all-cgroups", 0, RECORD, ALONE, .own = "" },
	{ "per-thread", 0, RECORD, ALONE, .own = "" },
	{ "tail-synthesize", 0, RECORD, ALONE, .own = "" },
	{ "timestamp-boundary", 0, RECORD, ALONE, .own = "" },
	{ "aio", 0, RECORD, ALONE, .own = "" },
	{ "affinity", 0, RECORD, VALUE, .own = "" },
	{ "mmap-flush", 0, RECORD, VALUE, .own = "" },
	{ "proc-map-timeout", 0, RECORD, VALUE, .own = "" },
	{ "num-thread-synthesize", 0, RECORD, VALUE, .own = "" },
	{ "clockid", 'k', RECORD, VALUE, .own = "", .sentence = "times are those of CLOCK_MONOTONIC",
	  .values = "mono monotonic CLOCK_MONOTONIC" },
	/* and what is not */
	{ "no-inherit", 'i', RECORD, ALONE, .sentence = "record follows children; '-t TID' samples "
	  "threads, and 'graph -i FILE' reads a file" },
	{ "no-samples", 'n', RECORD, ALONE, .sentence = "record is for samples: 'perf stat' counts" },
	{ "branch-any", 'b', RECORD, ALONE, .sentence = branches },
	{ "branch-filter", 'j', RECORD, VALUE, .sentence = branches },
	{ "realtime", 'r', RECORD, VALUE, .sentence = "samples a second are '-F HZ'; for a realtime "
	  "priority: 'chrt -f PRIORITY flamefold record ...'" },
	{ "group", 0, RECORD, ALONE, .sentence = "events are sampled each on its own: one -e for each" },
	{ "overwrite", 0, RECORD, ALONE, .sentence = "'--every SECONDS --window' keeps the latest "
	  "stretch of time, in a file of each" },
	{ "snapshot", 'S', RECORD, ALONE, .sentence = "there is no AUX area tracing" },
	{ "intr-regs", 'I', RECORD, ALONE, .sentence = "registers are taken where '-g dwarf' needs them" },
	{ "user-regs", 0, RECORD, ALONE, .sentence = "registers are taken where '-g dwarf' needs them" },
	{ "filter", 0, RECORD, VALUE, .sentence = "events cannot be filtered in the kernel; --only and "
	  "--drop choose among samples" },
	{ "exclude-perf", 0, RECORD, ALONE, .sentence = "'--drop comm=flamefold' leaves out what "
	  "flamefold does" },
	{ "control", 0, RECORD, VALUE, .sentence = "a run cannot be switched from outside; -D MS starts "
	  "it later, and TERM ends it" },
	{ "off-cpu", 0, READS, ALONE, .own = "mode=offcpu" },
	{ "dry-run", 0, RECORD, ALONE, .sentence = "wrong options are found before anything runs; "
	  "'record -d 0.1 -f folded -o /dev/null' tries events" },
	{ "user-callchains", 0, RECORD, ALONE, .sentence = "there is no option for stacks without their "
	  "kernel part; --all-user samples only what runs outside of the kernel" },
	{ "kernel-callchains", 0, RECORD, ALONE, .sentence = "there is no option for stacks without "
	  "their user part; --all-kernel samples only what runs in the kernel" },
	{ "strict-freq", 0, RECORD, ALONE, .sentence = "more than the kernel takes is lowered, and that "
	  "is said; '-F max' asks for the most" },
	{ "max-size", 0, RECORD, VALUE, .sentence = "'-d SECONDS' limits a run; its size has no limit" },
	{ "weight", 'W', RECORD, ALONE, .sentence = "weights of memory accesses are not sampled" },
	{ "phys-data", 0, RECORD, ALONE, .sentence = "addresses of data are not sampled" },
	{ "timestamp-filename", 0, RECORD, ALONE, .sentence = "with --every or --switch-output %t in the "
	  "name of a file is the time" },
	{ "switch-max-files", 0, RECORD, VALUE, .sentence = "--switch-output keeps all files" },
	/* bcc */
	{ "adf", 0, RECORD, ALONE, .sentence = bcc_words },
	{ "df", 0, RECORD, ALONE, .sentence = bcc_words },
	{ "adfp", 0, RECORD, VALUE, .sentence = bcc_words },
	{ "dfp", 0, RECORD, VALUE, .sentence = bcc_words },
	{ NULL, 'U', RECORD, ALONE, .sentence = "--all-user samples only what runs outside of the "
	  "kernel" },
	{ NULL, 'K', RECORD, ALONE, .sentence = "--all-kernel samples only what runs in the kernel" },
	{ "stack-storage-size", 0, RECORD, VALUE, .own = "" },
	/* other samplers: py-spy, rbspy, async-profiler, pprof */
	{ "rate", 0, RECORD, VALUE, .own = "freq=" },
	{ "frequency", 0, RECORD, VALUE, .own = "freq=" },
	{ "seconds", 0, RECORD, VALUE, .own = "duration=" },
	{ "subprocesses", 0, RECORD, ALONE, .own = "" },
	{ "native", 0, RECORD, ALONE, .own = "" },
	{ "idle", 0, RECORD, ALONE, .sentence = waits },
	{ "wall", 0, RECORD, ALONE, .own = "mode=wall" },
	{ "gil", 0, RECORD, ALONE, .sentence = "record knows nothing of Python's lock" },
	{ "nonblocking", 0, RECORD, ALONE, .own = "" }, /* nothing is ever stopped */

	/* perf report, of tables and call trees */
	{ "stdio", 0, TOP | TREE, ALONE, .own = "" },
	{ "stdio2", 0, TOP | TREE, ALONE, .own = "" },
	{ "tui", 0, TOP | TREE, ALONE, .sentence = "the text is the same in a terminal and in a pipe; "
	  "'flamefold graph --open' shows a picture that can be searched" },
	{ "sort", 's', TOP, VALUE, .own = "by=" },
	{ "sort", 's', TREE, VALUE, .sentence = "calls are of functions; '--only' and '--drop' choose "
	  "which stacks, and 'top --by' prints modules and processes" },
	{ "children", 0, TOP, ALONE, .own = "order=total" },
	{ "no-children", 0, TOP, ALONE, .own = "order=self" },
	{ "percent-limit", 0, TOP | TREE, VALUE, .own = "min=" },
	{ "call-graph", 'g', TOP, ALONE, .sentence = "'flamefold tree' prints calls" },
	{ "inverted", 'G', TREE, ALONE, .own = "call-graph=caller" },
	{ "caller", 0, TREE, ALONE, .own = "call-graph=caller" },
	{ "callee", 0, TREE, ALONE, .own = "call-graph=callee" },
	{ "show-nr-samples", 0, TOP | TREE, ALONE, .own = "count=samples" },
	{ "show-total-period", 0, TOP, ALONE, .own = "" },
	{ "lines", 0, TOP, VALUE, .own = "rows=" },
	/* pprof */
	{ "cum", 0, TOP, ALONE, .own = "order=total" },
	{ "flat", 0, TOP, ALONE, .own = "order=self" },
	{ "nodecount", 0, TOP, VALUE, .own = "rows=" },
	{ "functions", 0, TOP, ALONE, .own = "by=function" },
	/* perf report and perf script */
	{ "process", 'p', FILES, VALUE, .own = "only=pid=" },
	{ "pids", 0, FILES, VALUE, .own = "only=pid=" },
	{ "thread", 't', FILES, VALUE, .own = "only=tid=" },
	{ "tids", 0, FILES, VALUE, .own = "only=tid=" },
	{ "cpu", 'C', FILES, VALUE, .own = "only=cpu=" },
	{ "cpus", 0, FILES, VALUE, .own = "only=cpu=" },
	{ "comm", 'c', FILES, VALUE, .own = "only=comm=", .exact = true },
	{ "comms", 0, FILES, VALUE, .own = "only=comm=", .exact = true },
	{ "time", 0, FILES, VALUE, .own = "only=time=" },
	{ "dso", 0, FILES, VALUE, .sentence = filter_frames },
	{ "dsos", 'd', FILES, VALUE, .sentence = filter_frames },
	{ "symbol", 0, FILES, VALUE, .sentence = filter_symbols },
	{ "symbols", 'S', COMMAND_GRAPH | COMMAND_FOLD, VALUE, .sentence = filter_symbols },
	{ "symbol-filter", 0, FILES, VALUE, .sentence = filter_symbols },
	{ "children", 0, FILES, ALONE, .own = "" },
	{ "no-children", 0, FILES, ALONE, .own = "" },
	{ "fields", 'F', FILES, VALUE, .own = "" },
	{ "ns", 0, FILES, ALONE, .own = "" },
	{ "demangle-kernel", 0, FILES, ALONE, .own = "" },
	{ "no-demangle", 0, COMMAND_GRAPH | COMMAND_FOLD, ALONE, .own = "demangle=no" },
	{ NULL, 'k', FILES, VALUE, .own = "vmlinux=" },
	{ "stdio", 0, FILES, ALONE, .sentence = no_table },
	{ "tui", 0, FILES, ALONE, .sentence = no_table },
	{ "gtk", 0, FILES, ALONE, .sentence = "--open shows the picture in a browser" },
	{ "header", 0, FILES, ALONE, .sentence = "'flamefold info' tells what is in a recording" },
	{ "header-only", 'I', FILES, ALONE, .sentence = "'flamefold info' tells what is in a recording" },
	{ "show-nr-samples", 'n', FILES, ALONE, .sentence = "'--count=samples' counts samples; 'info' "
	  "tells how many there are" },
	{ "sort", 's', FILES, VALUE, .sentence = "frames stand in the order of their names; --pid and "
	  "--tid tell processes and threads apart" },
	{ "percent-limit", 0, FILES, VALUE, .sentence = "'--minwidth=1%' draws what has 1 % or more" },
	{ "parent", 0, FILES, VALUE, .sentence = filter_symbols },
	{ "call-graph", 'g', FILES, ALONE, .sentence = "stacks are those of the recording, and 'record "
	  "-g HOW' chooses; --inverted draws the root at the top, --reverse from the leaf" },
	{ NULL, 'G', FILES, ALONE, .sentence = "'--only cgroup=PATTERN' keeps a control group; "
	  "--inverted draws the root at the top" },
	{ "branch-stack", 'b', FILES, ALONE, .sentence = branches },
	{ "itrace", 0, FILES, VALUE, .sentence = "AUX area traces are not decoded: 'perf inject "
	  "--itrace' makes samples of them" },
	{ "exclude-other", 'x', FILES, ALONE, .sentence = filter_symbols },
	/* inferno and cargo flamegraph */
	{ "image-width", 0, PICTURE, VALUE, .own = "width=" },
	{ "frame-height", 0, PICTURE, VALUE, .own = "height=" },
	{ "font-type", 0, PICTURE, VALUE, .own = "fonttype=" },
	{ "font-size", 0, PICTURE, VALUE, .own = "fontsize=" },
	{ "font-width", 0, PICTURE, VALUE, .own = "fontwidth=" },
	{ "name-type", 0, PICTURE, VALUE, .own = "nametype=" },
	{ "count-name", 0, PICTURE, VALUE, .own = "countname=" },
	{ "min-width", 0, PICTURE, VALUE, .own = "minwidth=" },
	{ "palette", 0, PICTURE, VALUE, .own = "colors=" },
	{ "no-javascript", 0, PICTURE, ALONE, .own = "no-js" },
	{ "consistent-palette", 0, PICTURE, ALONE, .own = "cp" },
	{ "flame-chart", 0, PICTURE, ALONE, .own = "flamechart" },
	{ "nthreads", 0, READS, VALUE, .own = "threads=" },
	{ "deterministic", 0, READS, ALONE, .own = "" },
	{ "pretty-xml", 0, PICTURE, ALONE, .own = "" },
	{ "skip-after", 0, READS, VALUE, .sentence = "stacks cannot be cut at a function yet; '--only "
	  "symbol=PATTERN' keeps those with it, and a click on its frame draws what is above" },
	{ "base", 0, FILES, VALUE, .sentence = "stacks cannot be cut at a function yet; a click on its "
	  "frame draws what is above it" },
	{ "no-sort", 0, FILES, ALONE, .sentence = "--flamechart keeps the order of folded text" },
	{ "search-color", 0, PICTURE, VALUE, .sentence = no_colour },
	{ "stroke-color", 0, PICTURE, VALUE, .sentence = no_colour },
	{ "ui-color", 0, PICTURE, VALUE, .sentence = no_colour },
	{ "color-diffusion", 0, PICTURE, ALONE, .sentence = no_colour },
	{ "truncate-text-right", 0, PICTURE, ALONE, .sentence = "names that do not fit are cut at "
	  "their end" },
	{ "text-truncate-direction", 0, PICTURE, VALUE, .sentence = "names that do not fit are cut at "
	  "their end" },
	/* pprof and async-profiler */
	{ "focus", 0, FILES, VALUE, .own = "only=symbol=" },
	{ "include", 0, FILES, VALUE, .own = "only=symbol=" },
	{ "ignore", 0, FILES, VALUE, .own = "drop=symbol=" },
	{ "exclude", 0, FILES, VALUE, .own = "drop=symbol=" },
	{ "svg", 0, COMMAND_GRAPH, ALONE, .own = "format=svg" },
	{ "collapsed", 0, COMMAND_GRAPH | COMMAND_FOLD, ALONE, .own = "format=folded" },
	{ "http", 0, FILES, VALUE, .sentence = "there is no server: '-o FILE.svg --open' shows a picture "
	  "in a browser" },
	{ "web", 0, FILES, ALONE, .sentence = "'--open' shows the picture in a browser" },
	{ "top", 0, FILES, ALONE, .sentence = no_table },
	{ "text", 0, FILES, ALONE, .sentence = no_table },
	{ "tree", 0, FILES, ALONE, .sentence = no_table },
	{ "png", 0, FILES, ALONE, .sentence = "pictures are SVG: a browser or rsvg-convert makes a PNG" },
	{ "pdf", 0, FILES, ALONE, .sentence = "pictures are SVG: a browser prints them as PDF" },
};

/* First words. */
static const struct {
	const char *word;
	const char *sentence;
} commands_elsewhere[] = {
	{ "report", "'flamefold top' prints a table of functions, 'flamefold tree' their calls, and "
	  "'flamefold graph' draws them" },
	{ "script", "'flamefold fold' prints a recording's stacks, one line each" },
	{ "stat", "flamefold samples: 'perf stat' counts" },
	{ "annotate", "instructions are not shown: '--srcline' tells lines of source" },
	{ "list", "'perf list' lists events; '-e' takes perf's words" },
	{ "profile", "'flamefold record -a -d 10' samples for ten seconds" },
	{ "profile.py", "'flamefold record -a -d 10' samples for ten seconds" },
	{ "profile-bpfcc", "'flamefold record -a -d 10' samples for ten seconds" },
	{ "offcputime", offcputime },
	{ "offcputime.py", offcputime },
	{ "offcputime-bpfcc", offcputime },
	{ "offwaketime", offwaketime },
	{ "offwaketime.py", offwaketime },
	{ "offwaketime-bpfcc", offwaketime },
	{ "wakeuptime", wakeuptime },
	{ "wakeuptime.py", wakeuptime },
	{ "wakeuptime-bpfcc", wakeuptime },
	{ "stackcount", "'flamefold record -e EVENT -c 1' counts an event's stacks" },
	{ "stackcount-bpfcc", "'flamefold record -e EVENT -c 1' counts an event's stacks" },
	{ "flamegraph", "'flamefold graph' draws, and 'flamefold record -- PROGRAM' samples" },
	{ "flamegraph.pl", "'flamefold graph' draws a flame graph, with the same options" },
	{ "stackcollapse-perf.pl", "'flamefold fold' prints folded stacks, with the same options" },
	{ "collapse", "'flamefold fold' prints folded stacks" },
	{ "collapse-perf", "'flamefold fold' prints folded stacks" },
	{ "difffolded.pl", "'flamefold diff -f folded A B' prints what difffolded.pl does" },
	{ "dump", "'flamefold fold' prints stacks; stacks of this moment: 'eu-stack -p PID'" },
	{ "web", "'flamefold graph -o FILE.svg --open' shows a picture in a browser" },
};
/* clang-format on */

#define COUNT(a) (sizeof(a) / sizeof(*(a)))

const struct habit *habit_named(unsigned commands, const char *name, size_t size)
{
	for (size_t i = 0; i < COUNT(habits); i++)
		if (habits[i].name && habits[i].commands & commands &&
		    strlen(habits[i].name) == size &&
		    strncasecmp(habits[i].name, name, size) == 0)
			return &habits[i];
	return NULL;
}

const struct habit *habit_letter(unsigned commands, char letter)
{
	/* Rows without a letter have 0. */
	for (size_t i = 0; letter && i < COUNT(habits); i++)
		if (habits[i].letter == letter && habits[i].commands & commands)
			return &habits[i];
	return NULL;
}

bool habit_means(const struct habit *h, const char *value)
{
	size_t size = strlen(value), word;

	/* Without a list any value is meant. */
	if (!h->values)
		return true;
	for (const char *p = h->values; *p; p += word + (p[word] == ' ')) {
		word = strcspn(p, " ");
		if (word == size && strncasecmp(p, value, size) == 0)
			return true;
	}
	return false;
}

/*
 *	own           typed   becomes
 *	only=pid=     12      pid=12
 *	only=comm=    a,b     comm=^(?:\Qa\E|\Qb\E)$      where .exact is set
 *	format=svg            svg
 */
char *habit_translate(const struct habit *h, const char *value)
{
	const char *before = strchr(h->own, '=') + 1; /* "pid=" of "only=pid=" */
	size_t size = strlen(h->own), count = 1, used;
	char *ret;

	if (!h->exact || !value) {
		if (asprintf(&ret, "%s%s", before,
			     h->own[size - 1] == '=' && value ? value : "") < 0)
			return NULL;
		return ret;
	}
	/* "a,b" as a pattern that matches a and b and nothing else: what is between \Q and
	 * \E is taken as it stands. */
	for (const char *p = value; *p; p++)
		/* Each comma becomes five characters, which is four more. */
		count += *p == ',';
	ret = malloc(strlen(before) + strlen(value) + 4 * count + 16);
	if (!ret)
		return NULL;
	used = (size_t)sprintf(ret, "%s^(?:\\Q", before);
	for (const char *p = value; *p; p++)
		if (*p == ',')
			used += (size_t)sprintf(ret + used, "\\E|\\Q");
		else
			ret[used++] = *p;
	strcpy(ret + used, "\\E)$");
	return ret;
}

const char *habit_command(const char *word)
{
	for (size_t i = 0; i < COUNT(commands_elsewhere); i++)
		if (strcmp(commands_elsewhere[i].word, word) == 0)
			return commands_elsewhere[i].sentence;
	return NULL;
}
