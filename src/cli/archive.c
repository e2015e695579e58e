/*
 * archive: a directory of many recordings, kept as profile files, and an index of them.
 *
 *	flamefold archive add nightly --label build=42 *.data
 *	flamefold archive query nightly --label build=42 -o 42.svg
 *	flamefold archive query nightly --symbol parse --by build
 */
#include "cli/archive.h"

#include <string.h>
#include <time.h>

#include "cli/sheet.h"
#include "cli/terminal.h"

enum { ADD, LS, QUERY, COMPACT, EXPIRE, CHECK, VERBS };

static const struct archive_verb verbs[VERBS] = {
	[ADD] = { "add", " FILE...", SIZE_MAX, archive_add },
	[LS] = { "ls", "", 0, archive_ls },
	[QUERY] = { "query", "", 0, archive_query },
	[COMPACT] = { "compact", " hour|day", 1, archive_compact },
	[EXPIRE] = { "expire", " --older-than=AGE", 0, archive_expire },
	[CHECK] = { "check", "", 0, archive_check },
};

/* Where options mean something. One that is passed over would be taken for obeyed: compact --dry-run. */
static const struct {
	const char *name;
	unsigned verbs;
} verb_options[] = {
	{ "output", 1 << LS | 1 << QUERY },
	{ "format", 1 << LS | 1 << QUERY },
	{ "label", 1 << ADD | 1 << LS | 1 << QUERY | 1 << EXPIRE },
	{ "host", 1 << LS | 1 << QUERY | 1 << EXPIRE },
	{ "since", 1 << LS | 1 << QUERY | 1 << EXPIRE },
	{ "until", 1 << LS | 1 << QUERY | 1 << EXPIRE },
	{ "from", 1 << ADD },
	{ "recorded", 1 << ADD },
	{ "symbol", 1 << QUERY },
	{ "by", 1 << QUERY },
	{ "over", 1 << QUERY },
	{ "only", 1 << ADD | 1 << QUERY },
	{ "drop", 1 << ADD | 1 << QUERY },
	{ "event", 1 << ADD | 1 << QUERY },
	{ "mode", 1 << ADD | 1 << QUERY },
	{ "pair", 1 << ADD | 1 << QUERY },
	{ "count", 1 << ADD | 1 << QUERY },
	{ "keep", 1 << COMPACT },
	{ "older-than", 1 << EXPIRE },
	{ "dry-run", 1 << EXPIRE },
};

static void log_archive(void *arg, const char *line)
{
	(void)arg;
	say_warning("%s", line);
}

int archive_open(const struct settings *s, const char *directory, unsigned flags,
		 struct ff_archive **ret)
{
	struct ff_archive_options options = { .size = sizeof(options), .flags = flags };

	/* Of check it is what was asked for. */
	options.log = s->quiet && strcmp(s->inputs[0], "check") != 0 ? NULL : log_archive;
	if (ff_archive_open(ret, directory, &options) == 0)
		return 0;
	return archive_say(*ret);
}

int archive_say(const struct ff_archive *a)
{
	status_clear();
	say("%s", a ? ff_archive_error(a) : "out of memory");
	return EXIT_INPUT;
}

struct ff_archive_query archive_asked(const struct settings *s)
{
	struct ff_archive_query q = s->archive.query;

	q.labels = s->merge.store.labels;
	q.label_count = s->merge.store.label_count;
	return q;
}

const char *archive_time(uint64_t ns, char room[ARCHIVE_TIME])
{
	time_t at = (time_t)(ns / 1000000000);
	struct tm tm;

	if (!ns || !gmtime_r(&at, &tm) ||
	    !strftime(room, ARCHIVE_TIME, "%Y-%m-%dT%H:%M:%SZ", &tm))
		return "-";
	return room;
}

static int print_file(void *arg, const struct ff_archive_file *f)
{
	char began[ARCHIVE_TIME], samples[24], seconds[32] = "";
	struct sheet *l = arg;

	snprintf(samples, sizeof(samples), "%llu", (unsigned long long)f->samples);
	/* Of text it is not known. */
	if (f->ended)
		snprintf(seconds, sizeof(seconds), "%.1f",
			 (double)(f->ended - f->started) / 1e9);
	l->list = f->label_list;
	sheet_row(l, (const char *const[]){ archive_time(f->started, began), seconds,
					    samples, f->host, f->event, f->part, f->name,
					    f->labels, f->kernel });
	return 0;
}

static const struct sheet_column file_columns[] = {
	{ "began", 20, SHEET_WORDS },	  { "seconds", -7, SHEET_NUMBER },
	{ "samples", -9, SHEET_NUMBER },  { "host", 8, SHEET_WORDS },
	{ "event", 10, SHEET_WORDS },	  { "part", 9, SHEET_WORDS },
	{ "recording", 16, SHEET_WORDS }, { "labels", 12, SHEET_LIST },
	{ "kernel", 0, SHEET_WORDS },
};

int archive_ls(const struct settings *s, const char *directory)
{
	struct sheet l = { .columns = file_columns,
			   .count = sizeof(file_columns) / sizeof(*file_columns) };
	struct ff_archive_query q = archive_asked(s);
	struct ff_archive *a = NULL;
	int code = archive_open(s, directory, FF_ARCHIVE_READ_ONLY, &a);

	if (code == 0)
		code = sheet_open(&l, s);
	if (code == 0 && ff_archive_list(a, &q, print_file, &l) < 0) {
		output_discard(&l.out);
		code = archive_say(a);
	} else if (code == 0) {
		code = sheet_close(&l);
	}
	ff_archive_close(a);
	return code;
}

int archive_compact(const struct settings *s, const char *directory)
{
	const char *what = s->input_count > 2 ? s->inputs[2] : "";
	struct ff_archive_compaction c = { .keep = s->archive.keep,
					   .keep_count = s->archive.keep_count };
	struct ff_archive *a = NULL;
	int code;

	c.level = strcmp(what, "hour") == 0  ? FF_ARCHIVE_HOUR
		  : strcmp(what, "day") == 0 ? FF_ARCHIVE_DAY
					     : FF_ARCHIVE_RECORDING;
	if (c.level == FF_ARCHIVE_RECORDING)
		return usage_error("'archive compact %s' is followed by hour or day",
				   directory);
	code = archive_open(s, directory, 0, &a);
	if (code == 0 && ff_archive_compact(a, &c) < 0)
		code = archive_say(a);
	if (code == 0 && !s->quiet)
		say_note("%zu parts are %zu", c.before, c.after);
	if (code == 0 && c.refused)
		code = EXIT_PART;
	ff_archive_close(a);
	return code;
}

struct expiring {
	bool dry_run;
	size_t count;
};

static int print_expired(void *arg, const struct ff_archive_file *f)
{
	struct expiring *e = arg;
	char began[ARCHIVE_TIME];

	printf("%s %s ",
	       e->dry_run ? "would go:" : "goes:", archive_time(f->started, began));
	put_clean(stdout, *f->host ? f->host : "-");
	putchar(' ');
	put_clean(stdout, f->name);
	putchar('\n');
	e->count++;
	return 0;
}

int archive_expire(const struct settings *s, const char *directory)
{
	struct expiring e = { .dry_run = s->archive.dry_run };
	struct ff_archive_query q = archive_asked(s);
	struct ff_archive *a = NULL;
	int code;

	if (!s->archive.before)
		return usage_error("'archive expire' needs an age: --older-than=90d");
	if (!q.until || q.until > s->archive.before)
		q.until = s->archive.before;
	code = archive_open(s, directory, e.dry_run ? FF_ARCHIVE_DRY_RUN : 0, &a);
	if (code == 0 && ff_archive_expire(a, &q, print_expired, &e) < 0)
		code = archive_say(a);
	if (code == 0 && !s->quiet)
		say_note("%zu recordings %s", e.count,
			 e.dry_run ? "would go" : "are gone");
	ff_archive_close(a);
	return code;
}

int archive_check(const struct settings *s, const char *directory)
{
	struct ff_archive *a = NULL;
	size_t problems = 0;
	int code = archive_open(s, directory, 0, &a);

	if (code == 0 && ff_archive_check(a, &problems) < 0)
		code = archive_say(a);
	if (code == 0 && problems)
		say("'%s': %zu problems", directory, problems);
	ff_archive_close(a);
	return code == 0 && problems ? EXIT_INPUT : code;
}

/* 0, or an exit code with its message printed. */
static int check_verb_options(const struct settings *s, size_t verb)
{
	enum { OPTIONS = sizeof(verb_options) / sizeof(*verb_options) };
	char where[64] = "";
	size_t end = 0;

	for (size_t i = 0; i < s->given_count; i++) {
		size_t k = 0;

		while (k < OPTIONS && strcmp(verb_options[k].name, s->given[i]) != 0)
			k++;
		if (k == OPTIONS || verb_options[k].verbs & 1u << verb)
			continue;
		for (size_t v = 0; v < VERBS; v++)
			if (verb_options[k].verbs & 1u << v)
				end += (size_t)snprintf(where + end, sizeof(where) - end,
							"%s%s", end ? ", " : "",
							verbs[v].name);
		return usage_error(
			"option '--%s' is for 'archive %s', not for 'archive %s'",
			s->given[i], where, verbs[verb].name);
	}
	return 0;
}

static int archive_run(const struct settings *s)
{
	const char *word = s->input_count ? s->inputs[0] : "";
	size_t i = 0;
	int code;

	while (i < VERBS && strcmp(verbs[i].name, word) != 0)
		i++;
	if (i == VERBS)
		return usage_error("'archive' is followed by add, ls, query, compact, "
				   "expire or check%s%s%s",
				   *word ? ", not '" : "", word, *word ? "'" : "");
	if (s->input_count < 2 || s->input_count - 2 > verbs[i].most)
		return usage_error("it is 'archive %s DIR%s'", word, verbs[i].arguments);
	code = check_verb_options(s, i);
	return code ? code : verbs[i].run(s, s->inputs[1]);
}

const struct command command_archive = {
	"archive",
	"add|ls|query|compact|expire|check DIR [options] [FILE...]",
	"keep many recordings, and ask for some of them",
	COMMAND_ARCHIVE,
	archive_run,
};
