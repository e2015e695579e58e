/*
 * First the functions that set something, one for each way in which values are read,
 * then the rows that name them. A row says where in the settings its value goes (.at),
 * so a new option that is like others is one row and no code. Values are checked when
 * they are read: the message names what would be taken and, where the option means
 * something else in perf, the option that does that here.
 */
#include "cli/options.h"

#include <ctype.h>
#include <errno.h>
#include <flamefold_chart.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/archive_options.h"
#include "cli/diff_options.h"
#include "cli/format.h"
#include "cli/memory_option.h"
#include "cli/merge_options.h"
#include "cli/name_suggestion.h"
#include "cli/own_modes.h"
#include "cli/picture_options.h"
#include "cli/record_options.h"
#include "cli/table_options.h"
#include "cli/terminal.h"

enum { DEBUGINFOD_SECONDS = 30 };

/* Where the value of a row goes, of the type that its function sets. */
static void *setting_at(struct settings *s, const struct option_row *row)
{
	return (char *)s + row->at;
}

static int set_text(struct settings *s, const struct option_row *row, const char *arg)
{
	*(const char **)setting_at(s, row) = arg;
	return 0;
}

static int set_true(struct settings *s, const struct option_row *row, const char *arg)
{
	(void)arg;
	*(bool *)setting_at(s, row) = true;
	return 0;
}

/* Times are taken only if they are asked for. */
static int set_stats(struct settings *s, const struct option_row *row, const char *arg)
{
	(void)row;
	(void)arg;
	s->stats = true;
	s->profile.flags |= FF_TIMED;
	return 0;
}

static int set_flag(struct settings *s, const struct option_row *row, const char *arg)
{
	(void)arg;
	*(unsigned *)setting_at(s, row) |= row->flag;
	return 0;
}

/* --tid wins over --pid, whatever their order, as in stackcollapse-perf.pl. */
static int set_root(struct settings *s, const struct option_row *row, const char *arg)
{
	(void)arg;
	if (s->profile.root < row->flag)
		s->profile.root = row->flag;
	return 0;
}

int option_refuse(const struct settings *s, const struct option_row *row, const char *arg,
		  const char *wanted)
{
	const char *hint = row->hint;

	if (s->command->bit == COMMAND_RECORD && row->record_hint)
		hint = row->record_hint;
	return usage_error("option '--%s' takes %s, not '%s'%s", row->name, wanted, arg,
			   hint ? hint : "");
}

/* strtoul() alone takes "-1" for a large number. */
static int set_whole(struct settings *s, const struct option_row *row, const char *arg)
{
	char wanted[80];
	char *end;
	unsigned long value;

	errno = 0;
	value = strtoul(arg, &end, 10);
	if (*arg < '0' || *arg > '9' || *end || errno || (double)value < row->min ||
	    (double)value > row->max) {
		snprintf(wanted, sizeof(wanted), "a whole number from %.0f to %.0f",
			 row->min, row->max);
		return option_refuse(s, row, arg, wanted);
	}
	*(unsigned *)setting_at(s, row) = (unsigned)value;
	return 0;
}

/* strtod() alone takes "-1", " 1", "inf", "nan" and "0x1p3", too. @end: what is behind the number. */
bool option_real_number(const char *arg, char **end, double *ret)
{
	if ((*arg < '0' || *arg > '9') && *arg != '.')
		return false;
	errno = 0;
	*ret = strtod(arg, end);
	return *end != arg && !errno && isfinite(*ret) && !memchr(arg, 'x', *end - arg);
}

static int set_real(struct settings *s, const struct option_row *row, const char *arg)
{
	char wanted[80];
	char *end;
	double value;

	if (!option_real_number(arg, &end, &value) || *end || value < row->min ||
	    value > row->max) {
		snprintf(wanted, sizeof(wanted), "a number from %g to %g", row->min,
			 row->max);
		return option_refuse(s, row, arg, wanted);
	}
	*(double *)setting_at(s, row) = value;
	return 0;
}

/* A rule, or "@FILE" with one. */
static int set_pair(struct settings *s, const struct option_row *row, const char *arg)
{
	*(const char **)setting_at(s, row) = arg;
	s->pair_is_of_file = false;
	return *arg == '@' ? own_mode_of_file(s, arg + 1) : 0;
}

static int set_count(struct settings *s, const struct option_row *row, const char *arg)
{
	if (!strcasecmp(arg, "period"))
		s->profile.count = FF_COUNT_PERIOD;
	else if (!strcasecmp(arg, "samples"))
		s->profile.count = FF_COUNT_SAMPLES;
	else
		return option_refuse(s, row, arg, "period or samples");
	return 0;
}

/* Without a rule a mode has its title when all is read. */
static int set_mode(struct settings *s, const struct option_row *row, const char *arg)
{
	const struct ff_mode *mode = ff_mode_next(NULL);
	struct name_suggestion meant;
	bool found = false;
	int code;

	name_suggestion_start(&meant, arg, strlen(arg));
	while (mode && strcasecmp(ff_mode_name(mode), arg)) {
		name_suggestion_offer(&meant, ff_mode_name(mode));
		mode = ff_mode_next(mode);
	}
	if (!mode) {
		code = own_mode_find(s, arg, &found);
		if (found || code)
			return code;
		if (meant.best)
			return usage_error("no mode '%s', but there is '%s'", arg,
					   meant.best);
		return option_refuse(s, row, arg, "a mode of --list-modes");
	}
	s->profile.mode = ff_mode_name(mode);
	/* The last one counts; a rule of --pair goes before it. */
	if (s->pair_is_of_file)
		s->profile.pair = NULL;
	s->pair_is_of_file = false;
	s->mode_title = *ff_mode_rule(mode) && strncmp(ff_mode_rule(mode), "ratio", 5)
				? ff_mode_title(mode)
				: NULL;
	s->mode_colors = mode != ff_mode_next(NULL) ? ff_mode_colors(mode) : NULL;
	return 0;
}

static int set_compat(struct settings *s, const struct option_row *row, const char *arg)
{
	if (strcasecmp(arg, "stackcollapse"))
		return option_refuse(s, row, arg, "stackcollapse");
	s->profile.flags |= FF_COMPAT_STACKCOLLAPSE;
	return 0;
}

/* One of three words; the row's setting gets its number. */
static int set_word(struct settings *s, const struct option_row *row, const char *arg,
		    const char *const words[3])
{
	char wanted[80];

	for (unsigned i = 0; i < 3; i++)
		if (!strcasecmp(arg, words[i])) {
			*(unsigned *)setting_at(s, row) = i;
			return 0;
		}
	snprintf(wanted, sizeof(wanted), "%s, %s or %s", words[0], words[1], words[2]);
	return option_refuse(s, row, arg, wanted);
}

static int set_truncated(struct settings *s, const struct option_row *row,
			 const char *arg)
{
	static const char *const words[] = {
		[FF_TRUNCATED_MARK] = "mark",
		[FF_TRUNCATED_MERGE] = "merge",
		[FF_TRUNCATED_DROP] = "drop",
	};

	return set_word(s, row, arg, words);
}

/* The last one of --inline and --no-inline wins. */
static int set_inline(struct settings *s, const struct option_row *row, const char *arg)
{
	static const struct {
		const char *name;
		unsigned flag;
	} whens[] = { { "auto", 0 }, { "yes", FF_INLINE }, { "no", FF_NO_INLINE } };

	for (size_t i = 0; i < sizeof(whens) / sizeof(*whens); i++)
		if (!strcasecmp(arg, whens[i].name)) {
			s->profile.flags &= ~(unsigned)(FF_INLINE | FF_NO_INLINE);
			s->profile.flags |= whens[i].flag;
			return 0;
		}
	return option_refuse(s, row, arg, "auto, yes or no");
}

static int set_demangle(struct settings *s, const struct option_row *row, const char *arg)
{
	static const char *const words[] = {
		[FF_DEMANGLE_SHORT] = "short",
		[FF_DEMANGLE_FULL] = "full",
		[FF_DEMANGLE_NO] = "no",
	};

	return set_word(s, row, arg, words);
}

static int set_unnamed(struct settings *s, const struct option_row *row, const char *arg)
{
	static const char *const words[] = {
		[FF_UNNAMED_FUNCTION] = "function",
		[FF_UNNAMED_OBJECT] = "object",
		[FF_UNNAMED_ADDRESS] = "address",
	};

	return set_word(s, row, arg, words);
}

static int set_no_inline(struct settings *s, const struct option_row *row,
			 const char *arg)
{
	(void)arg;
	return set_inline(s, row, "no");
}

/* flamegraph.pl keeps the map in the current directory. */
static int set_palette_map(struct settings *s, const struct option_row *row,
			   const char *arg)
{
	(void)row;
	(void)arg;
	s->graph.palette_map = "palette.map";
	return 0;
}

/* The parser has made room for as many as there are words. */
static int set_filter(struct settings *s, const struct option_row *row, const char *arg)
{
	s->filters[s->filter_count++] = (struct filter_option){ arg, row->flag };
	return 0;
}

/* Seconds, or servers. The environment is where each client of debuginfod has them. */
static int set_debuginfod(struct settings *s, const struct option_row *row,
			  const char *arg)
{
	if (s->profile.debuginfod == 0)
		s->profile.debuginfod = DEBUGINFOD_SECONDS;
	if (strspn(arg, "0123456789") == strlen(arg) && *arg)
		return set_whole(s, row, arg);
	if (*arg && setenv("DEBUGINFOD_URLS", arg, 1) < 0)
		return usage_error("option '--%s': %s", row->name, strerror(errno));
	return 0;
}

static int set_large(struct settings *s, const struct option_row *row, const char *arg)
{
	char *end;
	unsigned long long value;

	errno = 0;
	value = strtoull(arg, &end, 10);
	if (*arg < '0' || *arg > '9' || *end || errno || value == 0)
		return option_refuse(s, row, arg, "a whole number from 1 on");
	*(uint64_t *)setting_at(s, row) = value;
	return 0;
}

/* As perf has it, "max" is what the kernel allows. */
static int set_rate(struct settings *s, const struct option_row *row, const char *arg)
{
	if (strcasecmp(arg, "max"))
		return set_large(s, row, arg);
	*(uint64_t *)setting_at(s, row) = UINT64_MAX;
	return 0;
}

/* For the value of an option that may stand alone: "-z 5" has one, "-z prog" has none. */
static bool is_number(const char *word)
{
	return word[0] && word[strspn(word, "0123456789")] == '\0';
}

/* "5", "500ms", "2m": in units of @unit seconds where it names none. False where it is none. */
static bool parse_duration(const char *arg, double unit, double *ret)
{
	static const struct {
		const char *name;
		double seconds;
	} units[] = {
		{ "ns", 1e-9 }, { "us", 1e-6 }, { "ms", 1e-3 }, { "s", 1 },
		{ "m", 60 },	{ "min", 60 },	{ "h", 3600 },	{ "d", 86400 },
	};
	char *end;
	double value;

	if (!option_real_number(arg, &end, &value))
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units) && *end; i++)
		if (strcmp(end, units[i].name) == 0) {
			unit = units[i].seconds;
			end += strlen(end);
		}
	*ret = value * unit;
	return !*end;
}

static int set_seconds(struct settings *s, const struct option_row *row, const char *arg)
{
	char wanted[80];
	double value;

	if (!parse_duration(arg, 1, &value) || value < row->min || value > row->max) {
		snprintf(wanted, sizeof(wanted),
			 "seconds, or a time like 500ms or 2m, from %gs on", row->min);
		return option_refuse(s, row, arg, wanted);
	}
	*(double *)setting_at(s, row) = value;
	return 0;
}

/* As perf has it: milliseconds. */
static int set_delay(struct settings *s, const struct option_row *row, const char *arg)
{
	double value;

	if (strcmp(arg, "-1") == 0)
		return usage_error(
			"option '--delay' takes a time: a run that waits for a command "
			"to begin, perf's '-D -1', is not supported");
	if (!parse_duration(arg, 1e-3, &value) || value > row->max)
		return option_refuse(s, row, arg,
				     "milliseconds, or a time like 500ms or 2s");
	*(double *)setting_at(s, row) = value;
	return 0;
}

/* A time: what else follows "--switch-output" is the program to start. */
static bool begins_with_digit(const char *word)
{
	return isdigit((unsigned char)*word);
}

/* Of what perf switches by, a signal, a size or a time, it is the time. */
static int set_switch(struct settings *s, const struct option_row *row, const char *arg)
{
	size_t digits = strspn(arg, "0123456789");

	if (strcmp(arg, "signal") == 0 ||
	    (digits && strchr("BKMG", arg[digits]) && arg[digits] && !arg[digits + 1]))
		return usage_error("option '--switch-output' switches by time, like "
				   "--switch-output=30s, and not by signal or size");
	return set_seconds(s, row, arg);
}

static int set_input(struct settings *s, const struct option_row *row, const char *arg)
{
	(void)row;
	s->inputs[s->input_count++] = arg;
	return 0;
}

#define AT(field) .at = offsetof(struct settings, field)
/* Sets of commands that have an option. */
#define RECORD COMMAND_RECORD
#define DIFF COMMAND_DIFF
#define MERGE COMMAND_MERGE
#define ARCHIVE COMMAND_ARCHIVE
#define TOP COMMAND_TOP
#define KEEPS (COMMAND_GRAPH | MERGE)
#define TREE COMMAND_TREE
#define TEXTS (TOP | TREE | COMMAND_EXPORT)
#define GRAPH (COMMAND_GRAPH | RECORD | DIFF | ARCHIVE)
#define NAMES (COMMAND_GRAPH | COMMAND_FOLD | RECORD | DIFF | TEXTS | MERGE | ARCHIVE)
#define FILES                                                                            \
	(COMMAND_GRAPH | COMMAND_FOLD | COMMAND_INFO | DIFF | TEXTS | MERGE | ARCHIVE)
#define READS (FILES | RECORD)
#define ALL (READS | COMMAND_HELP)

/* The library has the list of formats, and so the help is made of it. */
static void tell_formats(char *help, size_t size)
{
	char graph[80], export[FORMAT_LIST_MOST], info[80], top[80];

	format_words(COMMAND_GRAPH, graph, sizeof(graph));
	format_words(COMMAND_EXPORT, export, sizeof(export));
	format_words(COMMAND_INFO, info, sizeof(info));
	format_words(COMMAND_TOP, top, sizeof(top));
	snprintf(help, size, "%s; for export: %s; for info: %s; for top: %s", graph,
		 export, info, top);
}

/*
 * Rows are in the order in which --help prints them, and one without a name is a heading
 * for those below it. Two rows may have one name if no command has both: the command
 * tells which is meant.
 */
/* clang-format off */
const struct option_row option_rows[] = {
	{ .help = "Input:" },
	{ "input", 'i', "FILE", "read FILE, as if it stood without this option", FILES & ~ARCHIVE,
	  .set = set_input },

	{ .help = "Output:" },
	{ "output", 'o', "FILE", "write FILE; .svg, .html, .folded, .ff, .txt or .json choose "
	  "the format; - is standard output", READS, set_text, AT(output) },
	{ "format", 'f', "FORMAT", "", READS & ~MERGE, set_text, AT(format), .tell = tell_formats },
	{ "open", 0, NULL, "show the picture: by $BROWSER, or xdg-open", GRAPH, set_true, AT(open) },
	{ "open", 0, NULL, "open the written file: by $BROWSER, or xdg-open", COMMAND_EXPORT,
	  set_true, AT(open) },

	{ "symbols", 0, NULL, "for each object: where its names come from, how much has none, "
	  "and what to install or copy", COMMAND_INFO, set_true, AT(symbols) },
	/* record alone, in perf's letters where perf has them */
	{ .help = "Whom to sample:" },
	{ "all-cpus", 'a', NULL, "the whole system (default, where nobody is named)",
	  RECORD | TOP, record_set_target, .flag = FF_RECORD_SYSTEM },
	{ "process", 'p', "PID,..", "processes, with their threads and children",
	  RECORD | TOP, record_set_target, .flag = FF_RECORD_PROCESSES },
	{ "thread", 't', "TID,..", "threads, with those that they start",
	  RECORD | TOP, record_set_target, .flag = FF_RECORD_THREADS },
	{ "user", 'u', "USER", "all processes of a user, by name or id",
	  RECORD | TOP, record_set_target, .flag = FF_RECORD_USER },
	{ "cgroup", 'G', "PATH", "a cgroup, by its path below /sys/fs/cgroup",
	  RECORD | TOP, record_set_target, .flag = FF_RECORD_CGROUP },
	{ "cpus", 'C', "CPUS", "on these processors only: 0-3,5",
	  RECORD | TOP, set_text, AT(record.cpus) },

	{ .help = "How to sample:" },
	{ "freq", 'F', "HZ", "samples a second of each processor (default: 99); max: as many as "
	  "the kernel allows", RECORD | TOP, set_rate, AT(record.frequency) },
	{ "period", 'c', "N", "a sample every N events instead",
	  RECORD, set_large, AT(record.period),
	  .hint = "; perf's own --period is always on: what a sample weighs is in it" },
	{ "event", 'e', "EVENT", "sample on EVENT, in perf's words; any number of times "
	  "(default: cycles, or cpu-clock)", RECORD, .set = record_set_event },
	{ "event", 'e', "EVENT", "of a file, what counts, by its name or a pattern; of what runs now, "
	  "what it is sampled on, in perf's words", TOP, .set = record_set_event_of_top },
	{ "call-graph", 'g', "HOW", "auto: what the programs need (default); fp: by frame pointers; "
	  "dwarf or dwarf,SIZE: from copies of the stack; lbr: by the processor's record of "
	  "branches; no: none",
	  RECORD, record_set_call_graph, .alone = "auto", .is_value = record_is_call_graph },
	{ "no-leaf-fix", 0, NULL, "do not look for the callers that frame pointers miss",
	  RECORD, set_flag, AT(record.flags), .flag = FF_RECORD_NO_LEAF_FIX },
	{ "all-kernel", 0, NULL, "only what runs in the kernel",
	  RECORD, set_flag, AT(record.flags), .flag = FF_RECORD_ALL_KERNEL },
	{ "all-user", 0, NULL, "only what runs outside of it",
	  RECORD, set_flag, AT(record.flags), .flag = FF_RECORD_ALL_USER },
	{ "raw-samples", 'R', NULL, "with --save: samples of tracepoints have their fields",
	  RECORD, set_flag, AT(record.flags), .flag = FF_RECORD_RAW_SAMPLES },
	{ "mmap-pages", 'm', "SIZE", "buffer of each processor: pages, or bytes like 4M "
	  "(default: by rate and stack size)", RECORD, .set = record_set_ring },
	{ "print-perf", 0, NULL, "with --mode: print the perf record that records the same, "
	  "and exit", RECORD, set_true, AT(print_perf) },
	{ "adapt", 0, NULL, "where records are lost, copy less of stacks, then sample less",
	  RECORD, set_flag, AT(record.flags), .flag = FF_RECORD_ADAPT },

	{ .help = "How long, and what is kept:" },
	{ "duration", 'd', "SECONDS", "end after SECONDS, or a time like 500ms or 2m (default: "
	  "with COMMAND, or Ctrl-C)", RECORD | TOP, set_seconds, AT(record.seconds), .min = 0.001,
	  .max = 1e9, .hint = "; addresses of data, perf's -d, are not sampled; bcc's -df 10 "
	  "is '-d 10 -f folded'" },
	{ "delay", 'D', "MS", "samples count from MS milliseconds on, or a time like 2s; what "
	  "-d says begins then", RECORD, set_delay, AT(record.delay), .max = 1e9 },
	{ "every", 0, "SECONDS", "write the output every SECONDS, too; %t in its name is "
	  "the time", RECORD, set_seconds, AT(record.every), .min = 0.1, .max = 1e9 },
	{ "every", 0, "SECONDS", "draw the table every SECONDS (default: 2); in a pipe, print it "
	  "as often", TOP, set_seconds, AT(record.every), .min = 0.1, .max = 1e9 },
	{ "window", 0, NULL, "with --every: each output is of its own time only",
	  RECORD | TOP, set_flag, AT(record.flags), .flag = FF_RECORD_WINDOWS },
	{ "save", 0, "FILE", "write a perf.data as well; -o FILE.data writes that alone",
	  RECORD, set_text, AT(saved) },
	{ "switch-output", 0, "TIME", "begin another perf.data after TIME, 30s or 2m; %t in its "
	  "name is the time, or stands behind it", RECORD, .set = set_switch,
	  AT(record.save_every), .alone = "signal", .is_value = begins_with_digit, .min = 0.1, .max = 1e9 },
	{ "compress", 'z', "LEVEL", "pack it by zstd, 1 to 22; alone: 1",
	  RECORD, set_whole, AT(record.save_level), .alone = "1", .is_value = is_number,
	  .min = 1, .max = 22 },

	{ .help = "Tables and call trees:" },
	{ "by", 0, "WHAT", "what is a row: function, module, comm, or line, of the source",
	  TOP, table_set_by, .initial = "function" },
	{ "order", 0, "COLUMN", "what the rows are sorted by: self, or total",
	  TOP, table_set_order, .initial = "self" },
	{ "rows", 'n', "N", "print N rows (default: 30, or what the terminal has room for; all of csv "
	  "and json)", TOP, set_whole, AT(most), .min = 1, .max = 4e9 },
	{ "min", 0, "PERCENT", "leave out what has less of the total (default: 0.5 for tree, 0 for top)",
	  TOP | TREE, set_real, AT(least), .max = 100 },
	{ "callers", 0, NULL, "from where stacks end to who called, with the heaviest ends first",
	  TREE, set_flag, AT(calls_from), .flag = FF_CALLS_FROM_LEAF },
	{ "call-graph", 'g', "ORDER", "the same in perf report's words: caller prints callees below "
	  "their callers, callee the other way round; a number is --min; alone: caller",
	  TREE, table_set_calls, .alone = "caller", .is_value = table_is_calls },

	{ .help = "What is compared:" },
	{ "normalize", 0, "HOW", "what A is multiplied by: share makes either side 100 %; robust lets "
	  "most of the code be unchanged; time: by how long was recorded; none; per=N,M: by units of "
	  "work, of A and B; anchor=FUNCTION: so that it is unchanged",
	  DIFF, .set = diff_set_normalize, .initial = "share" },
	{ "match", 0, "HOW", "which functions are the same: names, those whose names differ only as those "
	  "of builds and workers do, too; exact, as difffolded.pl has it (default: names; with "
	  "-f folded: exact)", DIFF, .set = diff_set_match },
	{ "range", 0, "START,END", "twice, of one recording: the time that is A, and the time that "
	  "is B; as in --only time=", DIFF, .set = diff_set_range },
	{ "table", 0, "FORM", "print what changed and is no noise: text, or json; alone: text. "
	  "A picture is written with -o only", DIFF, .set = diff_set_table, .alone = "text" },
	{ "rows", 0, "N", "of the table", DIFF, set_whole, AT(rows), .initial = "30",
	  .min = 1, .max = 1e6 },
	{ "fail-over", 0, "PERCENT", "exit with 3 where a path has grown by more than PERCENT of all, "
	  "and it is no noise; 1%,q=0.01: of what is listed one in a hundred may be noise, not one in "
	  "twenty; alone: 1%", DIFF, .set = diff_set_fail_over, .alone = "1%" },
	{ "scaled", 'n', NULL, "folded: multiply the numbers of A, as difffolded.pl -n does",
	  DIFF, set_flag, AT(diff.flags), .flag = FF_DIFF_SCALED },
	{ "strip-hex", 's', NULL, "addresses in names, 0x12ab, are 0x..., as difffolded.pl -s has it",
	  DIFF, set_flag, AT(diff.flags), .flag = FF_DIFF_STRIP_HEX },

	{ .help = "What is merged:" },
	{ "from", 'f', "FILE", "merge the files that FILE names, too, a line each or with a NUL behind "
	  "each; -: standard input", MERGE, set_text, AT(merge.list) },
	{ "by", 0, "WHAT", "a file for each host, for each hour of the first sample, or for each value of a "
	  "label; its value is put into the name of the output", MERGE, merge_set_key, AT(merge.store.by) },
	{ "label", 0, "KEY=VALUE", "what is written has this label; any number of times",
	  MERGE, .set = merge_set_label },
	{ "no-inputs", 0, NULL, "count what was read, do not list it",
	  MERGE, set_flag, AT(merge.store.flags), .flag = FF_STORE_NO_INPUTS },
	{ "add-duplicates", 0, NULL, "what is named twice counts twice",
	  MERGE, set_flag, AT(merge.store.flags), .flag = FF_STORE_DUPLICATES },
	{ "no-pack", 0, NULL, "write it without zstd",
	  MERGE, set_flag, AT(merge.store.flags), .flag = FF_STORE_PLAIN },
	{ "keep-addresses", 0, NULL, "keep where code is, beside names without debug information (ff)",
	  KEEPS, set_flag, AT(profile.flags), .flag = FF_KEEP_ADDRESSES },
	{ "no-slices", 0, NULL, "do not keep how weight is spread over time (ff)", KEEPS, set_true,
	  AT(no_slices) },
	{ "symbolize", 0, NULL, "name what was kept by its address, each file once", MERGE, set_true,
	  AT(merge.symbolize) },
	{ "classes", 0, "WHAT", "tell which hosts, or values of a label, are alike, and what makes the "
	  "others differ; alone: host", MERGE, set_text, AT(merge.classes), .alone = "host" },
	{ "watch", 0, "DIR", "merge what arrives in DIR until interrupted", MERGE, set_text, AT(merge.watch) },
	{ "tree", 0, "DIR", "keep in DIR what was made of each recording, by its content, and take what is "
	  "there", MERGE, set_text, AT(merge.tree) },

	{ .help = "What is in an archive:" },
	{ "label", 0, "KEY=VALUE", "add: what is added has this label; else: only what has it; any number "
	  "of times, and of several values of a key one is enough", ARCHIVE, .set = merge_set_label },
	{ "from", 0, "FILE", "add: the files that FILE names, too, a line each or with a NUL behind each; -: "
	  "standard input", ARCHIVE, set_text, AT(merge.list) },
	{ "host", 0, "HOST", "only what was recorded there; any number of times",
	  ARCHIVE, .set = archive_set_host },
	{ "since", 0, "WHEN", "only what began then or later: 2026-11-26, 2026-11-26T03:30 (UTC), today, "
	  "yesterday, 36h (ago), @SECONDS", ARCHIVE, archive_set_time, AT(archive.query.since) },
	{ "until", 0, "WHEN", "only what began before", ARCHIVE, archive_set_time, AT(archive.query.until) },
	{ "recorded", 0, "WHEN", "add: it began then, whatever the recording says",
	  ARCHIVE, archive_set_time, AT(archive.recorded) },
	{ "symbol", 0, "NAME", "query: print what share this function has had, in place of a graph",
	  ARCHIVE, set_text, AT(archive.symbol) },
	{ "by", 0, "WHAT", "with --symbol, what is a row: hour, day, recording, host, or the key of a label",
	  ARCHIVE, merge_set_key, AT(archive.by), .initial = "day" },
	{ "over", 0, "PERCENT", "with --symbol: print the first recording in which it has more than that",
	  ARCHIVE, .set = archive_set_over },
	{ "keep", 0, "KEY", "compact: keep apart what differs in host, or in the label KEY; any number of times "
	  "(default: in anything)", ARCHIVE, .set = archive_set_keep },
	{ "older-than", 0, "AGE", "expire: what began longer ago: 90d, 36h, 8w",
	  ARCHIVE, archive_set_age, AT(archive.before) },
	{ "dry-run", 0, NULL, "expire: only say what would go", ARCHIVE, set_true, AT(archive.dry_run) },

	{ .help = "Slices of time:" },
	{ "by-time", 0, "TIME", "a block of text for each TIME, 1s or 100ms, behind a line with "
	  "its begin and end", COMMAND_FOLD, .set = picture_set_slice },

	/* --event stands twice: record samples on it, the others count it. */
	{ .help = "What counts:" },
	{ "event", 0, "NAME", "count samples of this event, or of all that a pattern like sched:* "
	  "stands for; all: of every event "
	  "(default: the first event with samples)", FILES & ~TOP, set_text, AT(profile.event) },
	{ "event-filter", 0, "NAME", "the same, by its old name; for record: of several "
	  "events, which one counts",
	  READS, set_text, AT(profile.event) },
	{ "count", 0, "WHAT", "period: a sample weighs its period; samples: it weighs 1",
	  READS, set_count, .initial = "period", .hint = "; for the label: --countname",
	  .record_hint = "; to sample every N events: -c N" },
	{ "mode", 0, "NAME", "what a stack weighs: cpu, wall, offcpu, wakeup, chain, blockio, ...; "
	  "--list-modes names them", READS, set_mode, AT(profile.mode) },
	{ "pair", 0, "RULE", "the same by a rule of one's own, or by one of a file: @FILE, @FILE:NAME; "
	  "flamefold(1)", READS, set_pair, AT(profile.pair) },
	{ "weight", 0, "NAME", "the same as --mode", READS, set_mode, AT(profile.mode) },
	{ "scope", 0, "WHOM", "of --mode wall, who shares the time: process (default), cgroup, selected, system", READS, set_text, AT(profile.scope) },
	{ "ratio", 0, "[NAME=]A/B", "colour by A for each B: CPI=cycles/instructions", READS & ~(DIFF | TEXTS), set_text, AT(profile.ratio) },
	{ "list-modes", 0, NULL, "print what --mode knows, those of ~/.config/flamefold/modes/*.mode, "
	  "too, and exit; with -v their rules",
	  ALL, set_true, AT(list_modes) },
	{ "only", 0, "KEY=VALUE", "keep samples that match; keys: comm, event, cgroup, symbol, "
	  "dso (patterns), pid, tid, cpu (1,5-9), time (START,END in seconds, or like 100ms,2s or 10%-20%); "
	  "of a mode state (DS), duration (1ms.., ..2s), kthread (0, 1)",
	  READS, set_filter, .flag = 0 },
	{ "drop", 0, "KEY=VALUE", "leave out samples that match",
	  READS, set_filter, .flag = 1 },
	{ "max-stack", 0, "N", "keep N frames of a call chain, from the leaf (default: all)",
	  READS, set_whole, AT(profile.max_stack), .min = 1, .max = 1e6 },
	{ "no-infer", 0, NULL, "do not put in the callers of functions without a frame, which frame "
	  "pointers miss and the code tells",
	  READS, set_flag, AT(profile.flags), .flag = FF_NO_INFER },
	{ "truncated", 0, "WHAT", "stacks that do not reach their root: mark puts them below "
	  "[truncated], merge among the others, drop leaves them out",
	  READS, set_truncated, AT(profile.truncated), .initial = "mark" },

	/* In the words of stackcollapse-perf.pl where it has them */
	{ .help = "Names of frames:" },
	{ "pid", 0, NULL, "the process frame is comm-PID", NAMES, set_root,
	  .flag = FF_ROOT_PID, .hint = ": '--only pid=N' keeps one process",
	  .record_hint = ": to sample process N, use -p N" },
	{ "tid", 0, NULL, "the process frame is comm-PID/TID", NAMES, set_root,
	  .flag = FF_ROOT_TID, .hint = ": '--only tid=N' keeps one thread",
	  .record_hint = ": to sample thread N, use -t N" },
	{ "kernel", 0, NULL, "append _[k] to frames of the kernel",
	  NAMES, set_flag, AT(profile.flags), .flag = FF_MARK_KERNEL },
	{ "jit", 0, NULL, "append _[j] to frames of JIT code",
	  NAMES, set_flag, AT(profile.flags), .flag = FF_MARK_JIT },
	{ "all", 0, NULL, "--kernel and --jit",
	  NAMES, set_flag, AT(profile.flags), .flag = FF_MARK_KERNEL | FF_MARK_JIT },
	{ "labels", 0, NULL, "append what samples of pprof's profiles are labelled with: key=value",
	  NAMES, set_flag, AT(profile.flags), .flag = FF_LABELS },
	{ "demangle", 0, "HOW", "names of C++, Rust and D: short has no parameters, full has "
	  "them, no leaves names mangled", NAMES, set_demangle, AT(profile.demangle), .initial = "short" },
	{ "merge-clones", 0, NULL, "leave out what compilers append to names of copies and "
	  "parts: .isra.0, .part.0, .constprop.0, .cold, .llvm.1, .lto_priv.0",
	  NAMES, set_flag, AT(profile.flags), .flag = FF_MERGE_CLONES },
	{ "unnamed", 0, "HOW", "frames without a symbol: function is [libx.so+0x1c40], where "
	  "their function begins, object is [libx.so], address adds the frame's own",
	  NAMES, set_unnamed, AT(profile.unnamed), .initial = "function" },
	{ "addrs", 0, NULL, "the same as --unnamed=address",
	  NAMES, set_flag, AT(profile.flags), .flag = FF_ADDRS },
	{ "inline", 0, "WHEN", "functions whose code was put into another one's: yes, no, or "
	  "auto: where debug information is on this machine; alone: yes",
	  NAMES, set_inline, .alone = "yes", .initial = "auto" },
	{ "no-inline", 0, NULL, "leave them out", NAMES, .set = set_no_inline },
	{ "inline-mark", 0, NULL, "append _[i] to them",
	  NAMES, set_flag, AT(profile.flags), .flag = FF_MARK_INLINED },
	{ "srcline", 0, NULL, "append :file:line where debug information has it",
	  NAMES, set_flag, AT(profile.flags), .flag = FF_SRCLINE },
	{ "context", 0, NULL, "the same, by its old name",
	  NAMES, set_flag, AT(profile.flags), .flag = FF_SRCLINE },
	{ "compat", 0, "PROGRAM", "stackcollapse: cut and bracket names exactly as "
	  "stackcollapse-perf.pl does", NAMES, .set = set_compat },

	{ .help = "Where symbols come from:" },
	{ "symfs", 0, "DIR", "look for object files below DIR",
	  READS, set_text, AT(profile.symfs) },
	{ "kallsyms", 0, "FILE", "symbols of the kernel (default: /proc/kallsyms, if it "
	  "is of the recorded kernel)", READS, set_text, AT(profile.kallsyms) },
	{ "vmlinux", 0, "FILE", "image of the kernel",
	  READS, set_text, AT(profile.vmlinux) },
	{ "debug-dir", 0, "DIR", "separate debug information",
	  READS, set_text, AT(profile.debug_dir), .initial = "/usr/lib/debug" },
	{ "debuginfod", 0, "URLS", "ask debuginfod servers for files that are not here: those of "
	  "URLS, or of $DEBUGINFOD_URLS; a number: seconds for a file (30). Without this "
	  "option no network is used", READS, set_debuginfod, AT(profile.debuginfod),
	  .alone = "", .min = 1, .max = 86400 },
	{ "buildid-dir", 0, "DIR", "object files by build id, as perf record keeps them "
	  "(default: ~/.debug)", READS, set_text, AT(profile.build_id_dir) },

	{ "force", 0, NULL, "take files that are not the recorded ones: of another build id, or "
	  "replaced since, and compare what is not alike. Names may be wrong", READS, set_flag, AT(profile.flags),
	  .flag = FF_FORCE },
	{ "map-dir", 0, "DIR", "perf-PID.map and jit-PID.dump of runtimes "
	  "(default: where they put them)", READS, set_text, AT(profile.map_dir) },
	{ "trust-maps", 0, NULL, "use them whoever owns them",
	  READS, set_flag, AT(profile.flags), .flag = FF_TRUST_MAPS },

	/* In the words of flamegraph.pl where it has them */
	{ .help = "Picture:" },
	{ "title", 0, "TEXT", "title (default: what was recorded where and when, or the file's name)",
	  GRAPH, set_text, AT(graph.title) },
	{ "subtitle", 0, "TEXT", "second line of the title",
	  GRAPH, set_text, AT(graph.subtitle) },
	{ "width", 0, "PIXELS", "width of the picture (default: of the page, 1200 without script)",
	  GRAPH, set_whole, AT(graph.width), .min = 100, .max = 1e6 },
	{ "height", 0, "PIXELS", "height of a frame",
	  GRAPH, set_whole, AT(graph.height), .initial = "16", .min = 1, .max = 1000 },
	{ "minwidth", 0, "PIXELS", "what the static picture shows as frames with titles; 0.1%: of "
	  "the total (default: 0.5, titles from 2 on). Zoom shows all",
	  GRAPH, .set = picture_set_minwidth },
	{ "fonttype", 0, "FONT", "font",
	  GRAPH, set_text, AT(graph.fonttype), .initial = "Verdana" },
	{ "fontsize", 0, "PIXELS", "size of the font",
	  GRAPH, set_real, AT(graph.fontsize), .initial = "12", .min = 1, .max = 1000 },
	{ "fontwidth", 0, "RATIO", "average width of a letter, by the size of the font",
	  GRAPH, set_real, AT(graph.fontwidth), .initial = "0.59", .min = 0.01, .max = 100 },
	{ "encoding", 0, "NAME", "for scripts only: the output is UTF-8",
	  GRAPH, set_text, AT(graph.encoding) },
	{ "countname", 0, "TEXT", "what is counted, for the details (default: samples, or what "
	  "the event counts)", GRAPH, set_text, AT(graph.countname) },
	{ "nametype", 0, "TEXT", "what the line of details begins with",
	  GRAPH, set_text, AT(graph.nametype), .initial = "Function:" },
	{ "nameattr", 0, "FILE", "attributes of frames: function, tab, name=value, ...",
	  GRAPH, set_text, AT(graph.nameattr) },
	{ "total", 0, "NUMBER", "what is 100 %, if more than the sum",
	  GRAPH, set_real, AT(graph.total), .max = 1e18 },
	{ "factor", 0, "NUMBER", "multiplies the counts that are shown",
	  GRAPH, set_real, AT(graph.factor), .initial = "1", .min = 1e-12, .max = 1e12 },
	{ "colors", 0, "PALETTE", "module: by module and kind; as flamegraph.pl: hot, mem, io, "
	  "wakeup, chain, java, js, perl, red, green, blue, aqua, yellow, purple or orange "
	  "(default: module; with --hash, --random or --cp: hot)",
	  GRAPH & ~DIFF, set_text, AT(graph.colors) },
	{ "bgcolors", 0, "COLOR", "yellow, blue, green, grey or #rrggbb "
	  "(default: by palette)", GRAPH, set_text, AT(graph.bgcolors) },
	{ "theme", 0, "THEME", "light, dark, or auto: that of who looks at it",
	  GRAPH, set_text, AT(graph.theme), .initial = "auto" },
	{ "hash", 0, NULL, "color by the first letters of names",
	  GRAPH & ~DIFF, set_flag, AT(graph.flags), .flag = FF_GRAPH_HASH },
	{ "random", 0, NULL, "random colors",
	  GRAPH & ~DIFF, set_flag, AT(graph.flags), .flag = FF_GRAPH_RANDOM },
	{ "cp", 0, NULL, "keep colors from graph to graph, in ./palette.map",
	  GRAPH & ~DIFF, .set = set_palette_map },
	{ "reverse", 0, NULL, "merge stacks from the leaf",
	  GRAPH & ~DIFF, set_flag, AT(graph.flags), .flag = FF_GRAPH_REVERSE },
	{ "inverted", 0, NULL, "root at the top: an icicle graph",
	  GRAPH, set_flag, AT(graph.flags), .flag = FF_GRAPH_INVERTED },
	{ "chart", 0, NULL, "what each thread did when: time from left to right (svg, chrome, "
	  "speedscope)", (GRAPH & ~DIFF) | COMMAND_EXPORT, set_flag, AT(profile.flags), .flag = FF_CHART },
	{ "flamechart", 0, NULL, "keep the order of folded text; join only equal neighbours; of a "
	  "recording: --chart", GRAPH & ~DIFF, set_flag, AT(profile.flags), .flag = FF_FLAMECHART },
	{ "negate", 0, NULL, "swap red and blue of a differential graph",
	  GRAPH & ~DIFF, set_flag, AT(graph.flags), .flag = FF_GRAPH_NEGATE },
	{ "notes", 0, "TEXT", "a comment in the file", GRAPH, set_text, AT(graph.notes) },
	{ "heat", 0, NULL, "a map of time above the graph: what is chosen in it is what the graph is of "
	  "(default: for recordings of 2 seconds and more; in profile files, and "
	  "without the viewer, only with it)",
	  GRAPH & ~DIFF, .set = picture_set_heat, .flag = 1 },
	{ "no-heat", 0, NULL, "without it", GRAPH & ~DIFF, .set = picture_set_heat },
	{ "phases", 0, NULL, "find where the recording changes: marks in the map of time, or lines of info",
	  (GRAPH & ~DIFF) | COMMAND_INFO, set_true, AT(phases) },
	{ "no-js", 0, NULL, "without the viewer: picture and data only",
	  GRAPH, set_flag, AT(graph.flags), .flag = FF_GRAPH_NO_SCRIPT },
	{ "static", 0, NULL, "the picture alone; it cannot be read back",
	  GRAPH, set_flag, AT(graph.flags), .flag = FF_GRAPH_STATIC },

	{ .help = "Running:" },
	{ "threads", 0, "N", "threads at work (default: one per processor)",
	  READS, set_whole, AT(profile.threads), .min = 1, .max = 1024 },
	{ "jobs", 'j', "N", "the same as --threads", MERGE | ARCHIVE, set_whole, AT(profile.threads), .min = 1,
	  .max = 1024 },
	{ "memory", 0, "SIZE", "memory for what inputs and the files that they name make large; "
	  "what it does not do for is left out, and named (default: a quarter of what is there)",
	  READS, .set = memory_set, .min = 1 << 20, .max = 1e18 },
	{ "stats", 0, NULL, "print where weight and time went, on standard error",
	  READS & ~(DIFF | MERGE | ARCHIVE), set_stats, AT(stats) },
	{ "quiet", 'q', NULL, "print errors only", READS, set_true, AT(quiet) },
	{ "verbose", 'v', NULL, "say what is done, and where names come from, on standard error",
	  READS, set_true, AT(verbose) },
	{ "help", 'h', NULL, "print this; after a command: its options",
	  ALL, set_true, AT(help) },
	{ "version", 'V', NULL, "print the version", ALL, set_true, AT(version) },
	{ 0 },
};
/* clang-format on */
