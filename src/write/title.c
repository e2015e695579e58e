/*
 * The title of a graph, from what its input says of itself. What is most worth knowing comes
 * first; a command line that is too long is cut in the middle, where options are.
 */
#include "write/title.h"

#include <string.h>
#include <time.h>

#include "write/number.h"

enum {
	COMMAND_MOST = 60, /* bytes of a command line, a file's name */
	PART_MOST = 30, /* of anything else */
};

#define LAST_SECOND 253402300799 /* of the year 9999 */

#define ELLIPSIS "\xe2\x80\xa6"

/* To the beginning of a letter. */
static size_t letter_at(const char *text, size_t at)
{
	while (at > 0 && ((unsigned char)text[at] & 0xc0) == 0x80)
		at--;
	return at;
}

static void add_separator(struct text *t)
{
	if (t->size)
		text_string(t, " \xc2\xb7 ");
}

/* At most @most of the @size bytes of it, and no line's end. */
static void add_bytes(struct text *t, const char *part, size_t size, size_t most)
{
	size_t head, tail;

	if (!size)
		return;
	add_separator(t);
	if (size <= most) {
		text_add(t, part, size);
		return;
	}
	/* More of the beginning, which has the program's name; both cuts fall between
	 * letters. */
	head = letter_at(part, most * 6 / 10);
	tail = letter_at(part, size - (most - head));
	text_add(t, part, head);
	text_string(t, ELLIPSIS);
	text_add(t, part + tail, size - tail);
}

static void add_cut(struct text *t, const char *part, size_t most)
{
	add_bytes(t, part, part ? strlen(part) : 0, most);
}

/* Options of one letter that are followed by no value: perf's, and flamefold's own. */
#define PERF_FLAGS "agqvnsdTPNRBS"
#define OWN_FLAGS "agqvz"

/* Is it the option @name, with or without a value in the same word? */
static bool is_option(const char *word, size_t size, const char *name)
{
	size_t length = strlen(name);

	return size >= length && strncmp(word, name, length) == 0 &&
	       (size == length || word[length] == '=');
}

/* Does it name processes or threads that run already? -p 1, -gp1, --pid=1. */
static bool names_processes(const char *word, size_t size, const char *flags)
{
	static const char *const names[] = { "--pid", "--process", "--tid", "--thread" };
	size_t before = 1 + strspn(word + 1, flags);

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (is_option(word, size, names[i]))
			return true;
	return before < size && (word[before] == 'p' || word[before] == 't');
}

/* Without options that say otherwise, flamefold samples all that runs. */
static bool is_own_recorder(const char *command)
{
	static const char recorder[] = "flamefold record";
	size_t size = strcspn(command, " ");

	while (size && command[size - 1] != '/')
		size--;
	command += size;
	return strncmp(command, recorder, sizeof(recorder) - 1) == 0 &&
	       !strstr(command, " -u") && !strstr(command, " --user") &&
	       !strstr(command, " -G") && !strstr(command, " --cgroup");
}

enum target {
	TARGET_COMMAND, /* or not known */
	TARGET_PROCESSES,
	TARGET_SYSTEM, /* what was run only told how long */
};

/* What was to be sampled. Words behind the options of the recorder are none of its own. */
static enum target sampled_target(const char *command)
{
	bool own = is_own_recorder(command);
	const char *flags = own ? OWN_FLAGS : PERF_FLAGS;
	size_t size;
	int at = 0;
	bool value = false; /* may be that of the option before it */

	/*
	 * By words, of which the first two are the program and "record":
	 *
	 *	perf record -F 99 -a -- sleep 10
	 *	0    1      2  3  4
	 */
	for (const char *p = command; *p; p += size + (p[size] == ' '), at++) {
		size = strcspn(p, " ");
		if (*p == '-') {
			/* Behind a word with any other letter the next word may be a
			 * value. */
			bool flag = size > 1 && p[1] != '-' &&
				    strspn(p + 1, flags) >= size - 1;

			if ((flag && memchr(p, 'a', size)) ||
			    is_option(p, size, "--all-cpus"))
				return TARGET_SYSTEM;
			if (names_processes(p, size, flags))
				return TARGET_PROCESSES;
			if (size == 2 && p[1] == '-')
				return TARGET_COMMAND;
			value = !flag && !memchr(p, '=', size);
		} else if (at > 1 && !value) {
			return TARGET_COMMAND;
		} else if (at > 1) {
			value = false;
		}
	}
	return own ? TARGET_SYSTEM : TARGET_COMMAND;
}

/* Whose stacks they are. */
static void add_target(struct text *t, const struct write_facts *f)
{
	enum target target = f->command ? sampled_target(f->command) : TARGET_COMMAND;
	const char *command = f->command, *behind;
	size_t size;

	if (target == TARGET_SYSTEM) {
		add_cut(t, "whole system", PART_MOST);
	} else if (target == TARGET_PROCESSES && f->process && *f->process) {
		add_cut(t, f->process, PART_MOST);
		if (f->processes > 1)
			text_printf(t, " and %zu more", f->processes - 1);
		else
			text_printf(t, ", process %u", f->pid);
	} else if (command) {
		/* What was run, without the recorder's own options where "--" tells them
		 * apart. */
		behind = strstr(command, " -- ");
		if (behind && behind[4])
			command = behind + 4;
		size = strlen(command) - (behind && !behind[4]);
		/* Nothing was run. */
		if (size > 3 && strncmp(command + size - 3, " --", 3) == 0)
			size -= 3;
		add_bytes(t, command, size, COMMAND_MOST);
	}
}

/* An event without what says how precise it is, and that guests are left out: cpu-clock:pppH. */
static void add_event_name(struct text *t, const char *event)
{
	size_t size = event ? strlen(event) : 0, head = size;

	while (head && strchr("pPH", event[head - 1]))
		head--;
	if (head > 1 && head < size && event[head - 1] == ':' && !strchr(event, ',')) {
		struct text name = { 0 };

		text_add(&name, event, head - 1);
		add_cut(t, name.bytes, PART_MOST);
		t->failed |= name.failed;
		text_release(&name);
	} else {
		add_cut(t, event, PART_MOST);
	}
}

struct unit {
	double size, from; /* used for values from there on */
	const char *name;
};

/* Three digits, or of counts two: 62.0 s, 1.20 ms, 1.3 M. */
static void add_figure(struct text *t, double value, const struct unit *units,
		       unsigned digits)
{
	const struct unit *u = units;

	/* The last unit begins at 0, or the caller knows that the value is above its
	 * least. */
	while (value < u->from)
		u++;
	value /= u->size;
	number_fixed(t, value,
		     u->size == 1 || value >= 99.95 ? 0
		     : value >= 9.995		    ? 1
						    : digits);
	text_string(t, u->name);
}

void title_add_duration(struct text *t, uint64_t ns)
{
	static const struct unit durations[] = {
		{ 3.6e12, 1e13, " h" },	  { 1e9, 0.9995e9, " s" },
		{ 1e6, 0.9995e6, " ms" }, { 1e3, 0.9995e3, " \xc2\xb5s" },
		{ 1, 0, " ns" },
	};

	add_figure(t, (double)ns, durations, 2);
}

void title_add(struct text *t, const struct write_facts *f)
{
	static const struct unit counts[] = {
		{ 1e9, 0.9995e9, " G samples" },
		{ 1e6, 0.9995e6, " M samples" },
		{ 1e3, 1e4, " k samples" },
	};
	time_t time = (time_t)f->recorded;
	struct tm utc;
	char date[64];

	/* A picture or folded text that has a name keeps it, and says nothing else. */
	if (f->subject) {
		add_cut(t, f->subject, 2 * COMMAND_MOST);
		return;
	}
	if (!f->command && !f->host && !f->events)
		return;
	add_target(t, f);
	add_cut(t, f->host, PART_MOST);
	if (f->recorded && f->recorded <= LAST_SECOND && gmtime_r(&time, &utc) &&
	    strftime(date, sizeof(date), "%Y-%m-%d %H:%M UTC", &utc)) {
		add_separator(t);
		text_string(t, date);
	}
	add_event_name(t, f->events);
	if (f->duration) {
		add_separator(t);
		title_add_duration(t, f->duration);
	}
	if (!f->samples)
		return;
	add_separator(t);
	/* A count of four digits is as short as a rounded one. */
	if (f->samples < 10000) {
		number_commas(t, (double)f->samples);
		text_string(t, f->samples == 1 ? " sample" : " samples");
	} else {
		add_figure(t, (double)f->samples, counts, 1);
	}
}
