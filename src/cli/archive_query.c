/* archive query: what was chosen as one graph, the share of a function over time, or the first recording
 * where it is more than somebody wants. */
#include <errno.h>
#include <string.h>

#include "cli/archive.h"
#include "cli/result.h"
#include "cli/sheet.h"
#include "cli/summary.h"
#include "cli/terminal.h"

/* Is it all that was asked for, as it is? Else a tree is made of it. */
static bool wants_whole_parts(const struct settings *s)
{
	const struct ff_options *o = &s->profile;

	return !s->filter_count && !o->event && !o->mode && !o->pair &&
	       o->count != FF_COUNT_SAMPLES;
}

static int query_graph(struct ff_archive *a, const struct settings *s)
{
	struct ff_archive_query q = archive_asked(s);
	struct analysis analysis = { 0 };
	struct format format = { 0 };
	struct output out = { 0 };
	struct settings wanted;
	const char *path;
	size_t refused = 0;
	int err, code = result_prepare(s, &format, &path);

	if (code)
		return code;
	if (strcmp(format.name, "ff") == 0 && wants_whole_parts(s)) {
		/* It is a profile file already when parts are merged. */
		code = output_open(&out, path);
		if (code)
			return code;
		err = ff_archive_write(a, &q, out.stream, &refused);
		code = output_close(&out, err, ff_archive_error(a));
	} else {
		wanted = result_settings(s, &format);
		code = analysis_open(&wanted, &analysis);
		if (code == 0 && ff_archive_read(a, &q, analysis.profile, &refused) < 0)
			code = archive_say(a);
		if (code == 0 && ff_profile_finish(analysis.profile) < 0) {
			say("%s", ff_profile_error(analysis.profile));
			code = EXIT_INPUT;
		}
		status_clear();
		if (code == 0)
			code = result_write(&analysis, s, &format, &out, path);
		if (code == 0 && path && !s->output && !s->quiet)
			say_note("wrote %s", path);
		analysis_release(&analysis);
	}
	code = code == OUTPUT_UNREAD ? 0 : code;
	return code == 0 && refused ? EXIT_PART : code;
}

struct shares {
	struct sheet sheet;
	double over; /* percent; negative: all */
	bool found;
};

static int print_share(void *arg, const struct ff_archive_share *share)
{
	struct shares *w = arg;
	char files[24], self[24], total[24], began[ARCHIVE_TIME];
	/* In text it is not known how much less than a thousandth it is. */
	const char *unlisted = w->sheet.form == SHEET_TEXT ? "<0.1%" : "0";
	const char *percent = w->sheet.form == SHEET_TEXT ? "%" : "";

	if (w->over >= 0 && share->total * 100 <= w->over)
		return 0;
	snprintf(files, sizeof(files), "%llu", (unsigned long long)share->files);
	snprintf(self, sizeof(self), "%.2f%s", share->self * 100, percent);
	snprintf(total, sizeof(total), "%.2f%s", share->total * 100, percent);
	sheet_row(&w->sheet, (const char *const[]){
				     archive_time(share->started, began), files,
				     share->is_listed ? self : unlisted,
				     share->is_listed ? total : unlisted,
				     *share->value ? share->value : "-", share->event });
	w->found = true;
	return w->over >= 0 ? -ECANCELED : 0;
}

static int query_symbol(struct ff_archive *a, const struct settings *s)
{
	const char *by = s->archive.over >= 0 ? "recording" : s->archive.by;
	const struct sheet_column columns[] = {
		{ "began", 20, SHEET_WORDS }, { "recordings", -10, SHEET_NUMBER },
		{ "self", -7, SHEET_NUMBER }, { "total", -7, SHEET_NUMBER },
		{ by, 16, SHEET_WORDS },      { "event", 0, SHEET_WORDS },
	};
	struct shares w = { .sheet = { .columns = columns,
				       .count = sizeof(columns) / sizeof(*columns) },
			    .over = s->archive.over };
	struct ff_archive_query q = archive_asked(s);
	struct ff_archive_trend trend = {
		.symbol = s->archive.symbol, .by = by, .each = print_share, .arg = &w
	};
	int err, code = sheet_open(&w.sheet, s);

	if (code)
		return code;
	err = ff_archive_trend(a, &q, &trend);
	if (err < 0 && err != -ECANCELED) {
		output_discard(&w.sheet.out);
		return archive_say(a);
	}
	code = sheet_close(&w.sheet);
	if (code == 0 && !w.found && w.over >= 0)
		say("no recording has more than %g %% of '%s'", w.over,
		    s->archive.symbol);
	else if (code == 0 && !w.found)
		say("nothing fits what was asked for");
	return code == 0 && !w.found ? EXIT_INPUT : code;
}

int archive_query(const struct settings *s, const char *directory)
{
	struct ff_archive *a = NULL;
	int code = 0;

	for (size_t i = 0; i < s->given_count && !s->archive.symbol; i++)
		if (strcmp(s->given[i], "over") == 0 || strcmp(s->given[i], "by") == 0)
			return usage_error(
				"option '--%s' is of a function: --symbol=NAME",
				s->given[i]);
	/* The index knows shares of recordings, and of no part of them. */
	if (s->archive.symbol && s->filter_count)
		return usage_error("options '--only' and '--drop' are of a graph: "
				   "'--symbol' has shares of whole recordings");
	if (s->archive.symbol && !*s->archive.symbol)
		return usage_error("option '--symbol' takes the name of a function");
	code = archive_open(s, directory, FF_ARCHIVE_READ_ONLY, &a);
	if (code == 0)
		code = s->archive.symbol ? query_symbol(a, s) : query_graph(a, s);
	ff_archive_close(a);
	return code;
}
