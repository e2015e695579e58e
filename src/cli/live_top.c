/*
 * top of what runs now. Who samples and who draws are two threads, so that a key is answered at once:
 *
 *	the library's run      each interval: its tables are added to the tallies
 *	                                          | a lock, and an eventfd that wakes
 *	the screen's thread    keys, and the rows of one tally, drawn
 *
 * Where there is no screen (a pipe, -o, -v) the table is written at the end, and with --every on the way.
 */
#include "cli/live_top.h"

#include <ctype.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "cli/listing.h"
#include "cli/result.h"
#include "cli/screen.h"
#include "cli/short_run.h"
#include "cli/stops.h"
#include "cli/summary.h"
#include "cli/tally.h"
#include "cli/terminal.h"

#define REFRESH 2.0 /* seconds, as perf top has it */
enum { TABLES = FF_TABLE_LINE + 1, FILTER_MOST = 64, LOOK_MS = 250, EDGES = 4 };

/* What the person at the keys wants to see. */
struct choice {
	enum ff_table_by by;
	enum ff_table_order order;
	enum tally_span span;
	size_t first, rows; /* the first row shown, and how many fit */
	bool paused, help, typing;
	char filter[FILTER_MOST];
};

struct live_top {
	const struct settings *settings;
	struct analysis analysis;
	const char *format;
	bool on_screen;
	int failed; /* code of an output on the way, after which nothing is written */
	pthread_mutex_t lock; /* of what is below */
	struct tally tallies[TABLES];
	struct page page; /* of standard output, with names of its own */
	char *unit, *events;
	struct ff_record_status status;
	int news; /* an eventfd */
	atomic_bool is_over;
	struct choice choice; /* of the screen's thread while there is one */
};

int live_top_check(struct settings *s)
{
	static char *whom, *cpus; /* the filters keep them */
	const struct ff_record_options *o = &s->record;
	bool samples = s->record.frequency || o->seconds > 0 || o->every > 0 ||
		       o->delay > 0 || o->flags;

	if (!s->input_count && s->target) {
		s->profile.event = NULL;
		return 0;
	}
	if (samples)
		return usage_error(
			"options of sampling are of what runs now: -p PID, or -a, "
			"and no input");
	if (s->target && (o->who == FF_RECORD_PROCESSES || o->who == FF_RECORD_THREADS)) {
		if (asprintf(&whom, "%s=%s", o->who == FF_RECORD_THREADS ? "tid" : "pid",
			     o->whom) < 0)
			goto no_memory;
		s->filters[s->filter_count++].text = whom;
	} else if (s->target) {
		return usage_error("option '--%s' samples what runs now, and there is an "
				   "input",
				   s->target);
	}
	if (o->cpus) {
		if (asprintf(&cpus, "cpu=%s", o->cpus) < 0)
			goto no_memory;
		s->filters[s->filter_count++].text = cpus;
	}
	s->target = NULL;
	return 0;
no_memory:
	say("out of memory");
	return EXIT_INPUT;
}

static int take_tables(struct live_top *t, struct ff_profile *p)
{
	int tables = t->settings->profile.flags & FF_SRCLINE ? TABLES : FF_TABLE_LINE;
	struct page page;
	int err = 0;

	for (int by = 0; by < tables && err == 0; by++) {
		struct ff_table *table;

		err = ff_table_new(p, (enum ff_table_by)by, FF_TABLE_BY_SELF, &table);
		if (err < 0)
			break;
		pthread_mutex_lock(&t->lock);
		err = tally_add(&t->tallies[by], table);
		pthread_mutex_unlock(&t->lock);
		ff_table_free(table);
	}
	page = page_of(p, stdout);
	pthread_mutex_lock(&t->lock);
	/* The words for the unit are its own: what they were taken from may go. */
	if (!t->unit)
		t->unit = strdup(page.unit.name);
	if (!t->events && page.unit.events)
		t->events = strdup(page.unit.events);
	t->page = page;
	t->page.unit.name = t->unit ? t->unit : "";
	t->page.unit.events = t->events;
	pthread_mutex_unlock(&t->lock);
	eventfd_write(t->news, 1);
	return err;
}

/* The table as it is asked for, to the output. An exit code. */
static int write_listing(struct live_top *t, const struct ff_profile *p)
{
	const struct settings *s = t->settings;
	struct listing l = { .by = t->choice.by,
			     .order = t->choice.order,
			     .least = s->least,
			     .most = s->most };
	struct output out = { 0 };
	struct page page;
	/* Each window stands for itself; else the time since the run began. */
	bool window = s->record.flags & FF_RECORD_WINDOWS;
	int err, code = output_open(&out, s->output);

	if (code)
		return code;
	/* Progress would stand before the first line. */
	status_clear();
	err = tally_list(&t->tallies[l.by], window ? TALLY_LAST : TALLY_ALL,
			 t->choice.filter, &l);
	if (err == 0) {
		page = page_of(p, out.stream);
		page.total = l.total;
		listing_write(&l, t->format, &page);
		free((void *)l.rows);
	}
	return output_close(&out, err, "out of memory");
}

static int take_interval(void *arg, struct ff_profile *p)
{
	struct live_top *t = arg;
	int err = take_tables(t, p);

	if (err == 0 && !t->on_screen && t->settings->record.every > 0 && !t->failed)
		t->failed = write_listing(t, p);
	/* Nobody may be there to read any more, and it would go on for ever. */
	if (t->failed)
		ff_record_stop(p);
	return err;
}

static void take_status(void *arg, const struct ff_record_status *now)
{
	struct live_top *t = arg;

	pthread_mutex_lock(&t->lock);
	t->status = *now;
	pthread_mutex_unlock(&t->lock);
	eventfd_write(t->news, 1);
}

/* A line that is no wider than the screen. */
static void put_screen_line(const struct page *page, const char *text, bool bold)
{
	fputs(bold && page->colours ? "\033[1m" : "", page->out);
	put_name(page, text, page->width, false);
	fputs(bold && page->colours ? "\033[m\n" : "\n", page->out);
}

static void put_heads(const struct live_top *t, const struct page *page)
{
	static const char *const spans[] = {
		[TALLY_LATELY] = "lately: what is older counts less",
		[TALLY_LAST] = "of the last interval",
		[TALLY_ALL] = "since the start",
	};
	const struct ff_record_options *o = &t->settings->record;
	const struct choice *c = &t->choice;
	const char *dot = page->utf8 ? "·" : "-";
	char line[512];

	snprintf(line, sizeof(line),
		 "flamefold top: %s%s%s %s %.0f s %s %s samples %s %s lost%s%s%s",
		 o->whom ? t->settings->target : "the whole system", o->whom ? " " : "",
		 o->whom ? o->whom : "", dot, t->status.seconds, dot,
		 grouped(t->status.samples), dot, grouped(t->status.lost),
		 c->paused ? " " : "", c->paused ? dot : "",
		 c->paused ? " paused (p goes on)" : "");
	put_screen_line(page, line, true);
	snprintf(line, sizeof(line), "# %s %s%s%s, %s%s%s",
		 page->unit.decimals ? weight_text(page, page->total)
				     : grouped(page->total),
		 page->unit.name, page->unit.events ? " of " : "",
		 page->unit.events ? page->unit.events : "", spans[c->span],
		 *c->filter ? "; with " : "", c->filter);
	put_screen_line(page, line, false);
}

static const char *const help[] = {
	"q, Ctrl-C       end",
	"s               sort by self, or by total",
	"f m c l         rows are functions, modules, commands, lines (with --srcline)",
	"w               what counts: lately, the last interval, all since the start",
	"/               show what has a text in it; Enter ends it, Esc takes it away",
	"p, space        keep the picture as it is, and go on",
	"h, ?            this, and back",
	"arrows, Page Up, Page Down, Home, End",
	"                further rows",
};
enum { HELP_LINES = sizeof(help) / sizeof(*help) };

static void draw_screen(struct live_top *t)
{
	struct choice *c = &t->choice;
	struct listing l = { .by = c->by,
			     .order = c->order,
			     .least = t->settings->least };
	struct page page;
	size_t size = 0, shown;
	char *text = NULL;
	char line[FILTER_MOST + 80];

	pthread_mutex_lock(&t->lock);
	page = t->page;
	page.out = open_memstream(&text, &size);
	if (!page.out || tally_list(&t->tallies[c->by], c->span, c->filter, &l) < 0)
		goto out;
	page.total = l.total;
	l.most = page.height > EDGES ? page.height - EDGES : 1;
	if (t->settings->most && t->settings->most < l.most)
		l.most = t->settings->most;
	c->rows = l.most;
	shown = listing_shown(&l);
	if (c->first + l.most > shown)
		c->first = shown > l.most ? shown - l.most : 0;
	l.first = c->first;
	put_heads(t, &page);
	for (size_t i = 0; c->help && i < HELP_LINES && i < l.most; i++)
		put_screen_line(&page, help[i], false);
	if (!c->help)
		listing_put(&l, &page);
	free((void *)l.rows);
	snprintf(line, sizeof(line), "/%s_", c->filter);
	put_screen_line(&page,
			c->typing ? line
				  : "q end  s self/total  f m c rows  w since when  / "
				    "find  p pause  "
				    "h help",
			false);
out:
	pthread_mutex_unlock(&t->lock);
	if (page.out && fclose(page.out) == 0)
		/* Without its last line feed, which would scroll. */
		screen_show(text, size - (size > 0));
	free(text);
}

/* Letters of a filter. */
static void type_key(struct choice *c, int key)
{
	size_t size = strlen(c->filter);

	if (key == KEY_ENTER || key == KEY_ESCAPE)
		c->typing = false;
	if (key == KEY_ESCAPE)
		*c->filter = '\0';
	/* A character of UTF-8 goes as one. */
	if (key == KEY_ERASE && size > 0) {
		while (size > 1 && (c->filter[size - 1] & 0xc0) == 0x80)
			size--;
		c->filter[size - 1] = '\0';
	}
	if (key >= ' ' && key < 256 && size + 1 < sizeof(c->filter)) {
		c->filter[size] = (char)key;
		c->filter[size + 1] = '\0';
	}
	c->first = 0;
}

/* False: it ends. */
static bool take_key(struct live_top *t, int key)
{
	static const char tables[] = { 'f', 'm', 'c', 'l' };
	struct choice *c = &t->choice;
	const char *table =
		key > 0 && key < 256 ? memchr(tables, tolower(key), TABLES) : NULL;
	bool lines = t->settings->profile.flags & FF_SRCLINE;

	if (key == KEY_GONE)
		return false;
	if (c->typing) {
		type_key(c, key);
		return true;
	}
	if (table && (*table != 'l' || lines)) {
		c->by = (enum ff_table_by)(table - tables);
		c->first = 0;
	} else if (key == 's') {
		c->order = c->order == FF_TABLE_BY_SELF ? FF_TABLE_BY_TOTAL
							: FF_TABLE_BY_SELF;
	} else if (key == 'w') {
		c->span = (enum tally_span)((c->span + 1) % TALLY_SPANS);
	} else if (key == 'p' || key == ' ') {
		c->paused = !c->paused;
	} else if (key == 'h' || key == '?') {
		c->help = !c->help;
	} else if (key == '/') {
		c->typing = true;
		*c->filter = '\0';
	} else if (key == KEY_ESCAPE) {
		c->help = false;
		*c->filter = '\0';
	} else if (key == KEY_UP || key == KEY_PAGE_UP) {
		size_t step = key == KEY_UP ? 1 : c->rows;

		c->first -= c->first < step ? c->first : step;
	} else if (key == KEY_DOWN || key == KEY_PAGE_DOWN) {
		c->first += key == KEY_DOWN ? 1 : c->rows;
	} else if (key == KEY_HOME) {
		c->first = 0;
	} else if (key == KEY_END) {
		c->first = SIZE_MAX / 2;
	}
	return key != 'q' && key != 'Q';
}

static void *run_screen(void *arg)
{
	struct live_top *t = arg;
	bool goes_on = true;

	while (goes_on && !atomic_load(&t->is_over)) {
		int key = screen_next_key(t->news, LOOK_MS);
		/* The profile is the other thread's, so only the terminal is asked. */
		struct page now = { .out = stdout };
		eventfd_t news = 0;
		bool is_new, resized;

		page_measure(&now, stdout);
		pthread_mutex_lock(&t->lock);
		resized = now.width != t->page.width || now.height != t->page.height;
		t->page.width = now.width;
		t->page.height = now.height;
		pthread_mutex_unlock(&t->lock);
		is_new = eventfd_read(t->news, &news) == 0 && !t->choice.paused;
		if (key)
			goes_on = take_key(t, key);
		if (key || is_new || resized || screen_was_away())
			draw_screen(t);
	}
	if (!goes_on)
		ff_record_stop(t->analysis.profile);
	return NULL;
}

/* On the screen for as long as the run lasts, or without one. 0, or a negative errno. */
static int sample(struct live_top *t)
{
	const struct settings *s = t->settings;
	struct ff_record_options options = s->record;
	char *said = NULL;
	size_t size = 0;
	FILE *held = NULL;
	pthread_t thread;
	int err;

	options.events = options.event_count ? s->events : NULL;
	options.output = take_interval;
	options.tick = take_status;
	options.arg = t;
	/* The tallies add up what is of one interval each. */
	options.flags |= FF_RECORD_WINDOWS;
	if (t->on_screen && !(options.every > 0))
		options.every = REFRESH;
	t->page = page_of(t->analysis.profile, stdout);
	if (t->on_screen) {
		held = open_memstream(&said, &size);
		t->on_screen = held && screen_open();
	}
	if (t->on_screen) {
		say_hold(held);
		if (pthread_create(&thread, NULL, run_screen, t)) {
			screen_close();
			t->on_screen = false;
		}
	}
	err = ff_profile_record(t->analysis.profile, &options);
	stops_sampling_is_over();
	if (t->on_screen) {
		atomic_store(&t->is_over, true);
		eventfd_write(t->news, 1);
		pthread_join(thread, NULL);
		screen_close();
	}
	say_hold(NULL);
	if (held && fclose(held) == 0)
		fwrite(said, 1, size, stderr);
	free(said);
	if (err == 0)
		err = ff_profile_finish(t->analysis.profile);
	status_clear();
	return err == 0 ? take_tables(t, t->analysis.profile) : err;
}

static void abandon(void)
{
	screen_close();
	output_abandon();
}

int live_top_run(const struct settings *s)
{
	struct live_top t = {
		.settings = s,
		.on_screen = !s->output && !s->format && !s->verbose && screen_can_open(),
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.choice = { .by = s->by, .order = s->order },
	};
	struct format format;
	int code = format_choose(s, &format), err;

	if (code == 0)
		code = output_check(s->output);
	if (code == 0)
		code = analysis_open(s, &t.analysis);
	t.format = format.name;
	t.news = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (code == 0 && t.news < 0) {
		say("out of memory");
		code = EXIT_INPUT;
	}
	if (code == 0) {
		struct ff_profile *p = t.analysis.profile;

		stops_catch(p, abandon);
		err = sample(&t);
		if (err < 0)
			code = refuse_run(p, err);
		else if (t.failed)
			code = t.failed;
		else if (!(t.tallies[s->by].total[TALLY_ALL] > 0)) {
			explain_empty_run(s, p);
			code = EXIT_INPUT;
		} else {
			code = write_listing(&t, p);
		}
		if (code == 0 && !s->quiet)
			print_missing(s, p, NULL);
		code = code == OUTPUT_UNREAD ? EXIT_DONE : code;
	}
	for (int i = 0; i < TABLES; i++)
		tally_clear(&t.tallies[i]);
	free(t.unit);
	free(t.events);
	close(t.news);
	analysis_release(&t.analysis);
	return code;
}
