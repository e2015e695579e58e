#include "cli/parse.h"

#include <argp.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "cli/habits.h"
#include "cli/nearest_name.h"
#include "cli/options.h"
#include "cli/terminal.h"

/*
 * Getopt::Long, which flamegraph.pl uses, reads names in any case, with one dash or
 * two, and cut to any prefix that only one option has. So every option is first
 * written under its full name, as argp wants it:
 *
 *	-Title X -hash --color=java		--title=X --hash --colors=java
 */

#define FIRST_KEY 256 /* argp: keys below are letters */
#define MATCHES 8

struct matches {
	const struct option_row *rows[MATCHES];
	size_t count; /* may be more than fit */
};

static bool same_meaning(const struct option_row *a, const struct option_row *b)
{
	return a->set == b->set && a->at == b->at && a->flag == b->flag;
}

static void add_match(struct matches *m, const struct option_row *row)
{
	if (m->count == 1 && same_meaning(m->rows[0], row))
		return;
	if (m->count < MATCHES)
		m->rows[m->count] = row;
	m->count++;
}

/* A name in full wins over all that it begins. */
static void match(unsigned commands, const char *name, size_t size, struct matches *ret)
{
	ret->count = 0;
	for (const struct option_row *row = option_rows; row->help; row++) {
		if (!row->name || !(row->commands & commands) ||
		    strncasecmp(row->name, name, size))
			continue;
		if (!row->name[size]) {
			ret->rows[0] = row;
			ret->count = 1;
			return;
		}
		add_match(ret, row);
	}
}

static const struct option_row *find_letter(const struct command *command, char letter)
{
	for (const struct option_row *row = option_rows; row->help; row++)
		if (letter && row->letter == letter && row->commands & command->bit)
			return row;
	return NULL;
}

static int ambiguous(const char *word, size_t size, const struct matches *m)
{
	char list[256] = "";
	size_t used = 0;
	size_t shown = m->count < MATCHES ? m->count : MATCHES;

	for (size_t i = 0; i < shown; i++)
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s--%s",
					 i == 0		  ? ""
					 : i == shown - 1 ? " or "
							  : ", ",
					 m->rows[i]->name);
	return usage_error("option '%.*s' can be %s", (int)size, word, list);
}

/* Of the options that the command has. */
static int nearly(const struct command *command, const char *word, size_t dashes,
		  size_t size)
{
	struct nearest_name meant;

	nearest_name_start(&meant, word + dashes, size - dashes);
	for (const struct option_row *row = option_rows; row->help; row++)
		if (row->name && row->commands & command->bit)
			nearest_name_offer(&meant, row->name);
	if (!meant.best)
		return usage_error("unknown option '%.*s'", (int)size, word);
	return usage_error("unknown option '%.*s', but there is '--%s'", (int)size, word,
			   meant.best);
}

static int unknown(const struct command *command, const char *word, size_t dashes,
		   size_t size)
{
	struct matches m;

	match(~0u, word + dashes, size - dashes, &m);
	if (size == dashes || m.count != 1)
		return nearly(command, word, dashes, size);
	for (size_t i = 0; commands[i]; i++)
		if (m.rows[0]->commands & commands[i]->bit)
			return usage_error("option '--%s' is not for '%s', but for '%s'",
					   m.rows[0]->name, command->name,
					   commands[i]->name);
	return nearly(command, word, dashes, size);
}

/* Words still to be read, and those already written under full names. */
struct reader {
	const struct command *command;
	char **next, **end;
	struct arguments *out;
};

static int no_memory(void)
{
	say("out of memory");
	return EXIT_INPUT;
}

static int write_word(struct reader *r, char *word)
{
	if (!word)
		return no_memory();
	r->out->v[r->out->count++] = word;
	return 0;
}

static const char *hint_of(const struct reader *r, const struct option_row *row)
{
	const char *hint = row->hint;

	if (r->command->bit == COMMAND_RECORD && row->record_hint)
		hint = row->record_hint;
	return hint ? hint : "";
}

/* "--pid 1234", as perf has it: a number that is no file is nobody's input. */
static bool is_lost_number(const struct reader *r)
{
	const char *word = r->next < r->end ? *r->next : "";

	return *word && !word[strspn(word, "0123456789,")] && access(word, F_OK) < 0;
}

/* @value is NULL where the word has none: the next word may be it. */
static int write_option(struct reader *r, const struct option_row *row, const char *value)
{
	char *word = NULL;

	if (!row->arg && (value || (*hint_of(r, row) && is_lost_number(r))))
		return usage_error("option '--%s' takes no value%s", row->name,
				   hint_of(r, row));
	if (row->alone && !value)
		value = r->next < r->end && row->is_value && row->is_value(*r->next)
				? *r->next++
				: row->alone;
	if (row->arg && !value) {
		if (r->next == r->end)
			return usage_error("option '--%s' needs a value: --%s=%s",
					   row->name, row->name, row->arg);
		value = *r->next++;
	}
	if (asprintf(&word, "--%s%s%s", row->name, value ? "=" : "", value ? value : "") <
	    0)
		return no_memory();
	return write_word(r, word);
}

/* @typed: the option as it is written, of @size bytes. */
static int write_habit(struct reader *r, const struct habit *h, const char *typed,
		       size_t size, const char *value)
{
	if (h->value == HABIT_VALUE && !value && h->own) {
		if (r->next == r->end)
			return usage_error("option '%.*s' needs a value", (int)size,
					   typed);
		value = *r->next++;
	}
	if (!h->own || (value && !habit_means(h, value)))
		return usage_error("'%.*s': %s", (int)size, typed, h->sentence);
	return *h->own ? write_word(r, habit_translate(h, value)) : 0;
}

/* One letter, and what follows it in its word. */
static int write_letter(struct reader *r, const char *letters, bool *ended)
{
	const struct option_row *row = find_letter(r->command, *letters);
	const struct habit *h = row ? NULL : habit_letter(r->command->bit, *letters);
	const char *value = letters + 1 + (letters[1] == '=');
	char typed[] = { '-', *letters, '\0' };

	if (!row && !h)
		return usage_error("unknown option '-%c'", *letters);
	*ended = row ? row->arg != NULL : h->value == HABIT_VALUE;
	if (!*ended || !*value)
		value = NULL;
	return row ? write_option(r, row, value)
		   : write_habit(r, h, typed, strlen(typed), value);
}

/* "-hV", "-o FILE", "-oFILE", "-agF 99". */
static int write_letters(struct reader *r, const char *letters)
{
	bool ended = false;
	int code = 0;

	for (; *letters && code == 0 && !ended; letters++)
		code = write_letter(r, letters, &ended);
	return code;
}

/* Does a word with one dash begin with a letter? Of letters from elsewhere only where what
 * follows is a value by its looks, "-F+hz", "-p123": "-tilte" is a slip. */
static bool begins_with_letter(const struct command *command, const char *word)
{
	const struct habit *h = habit_letter(command->bit, word[1]);

	if (find_letter(command, word[1]))
		return true;
	return h && (!word[2] ||
		     (h->value == HABIT_VALUE && !isalpha((unsigned char)word[2])));
}

static int read_option(struct reader *r, const char *word)
{
	size_t dashes = word[1] == '-' ? 2 : 1;
	size_t size = strcspn(word, "=");
	const char *value = word[size] ? word + size + 1 : NULL;
	bool letter = dashes == 1 && begins_with_letter(r->command, word);
	const struct habit *h;
	struct matches m;

	if (letter && size == 2)
		return write_letters(r, word + 1);
	if (size == dashes)
		return unknown(r->command, word, dashes, strlen(word));
	match(r->command->bit, word + dashes, size - dashes, &m);
	/* What another program has in full comes before what is the beginning of a name. */
	if (m.count != 1 || strlen(m.rows[0]->name) != size - dashes) {
		h = habit_named(r->command->bit, word + dashes, size - dashes);
		if (h)
			return write_habit(r, h, word, size, value);
	}
	if (m.count == 1)
		return write_option(r, m.rows[0], value);
	if (m.count > 1)
		return ambiguous(word, size, &m);
	if (letter)
		return write_letters(r, word + 1);
	return unknown(r->command, word, dashes, size);
}

/* The first word of a program to run ends the options: all others are its own. */
static bool ends_options(const struct reader *r)
{
	return r->command->bit == COMMAND_RECORD;
}

/* All words with options under their full names. */
static int normalise(struct reader *r)
{
	int code = write_word(r, strdup("flamefold"));
	bool options = true;

	while (r->next < r->end && code == 0) {
		const char *word = *r->next++;

		if (options && word[0] == '-' && word[1] && strcmp(word, "--")) {
			code = read_option(r, word);
			continue;
		}
		if (options && ends_options(r) && strcmp(word, "--")) {
			code = write_word(r, strdup("--"));
			options = false;
		}
		options = options && strcmp(word, "--");
		if (code == 0)
			code = write_word(r, strdup(word));
	}
	return code;
}

static error_t take(int key, char *arg, struct argp_state *state)
{
	struct settings *s = state->input;

	if (key == ARGP_KEY_ARG) {
		s->inputs[s->input_count++] = arg;
		return 0;
	}
	if (key < FIRST_KEY || key >= ARGP_KEY_END)
		return ARGP_ERR_UNKNOWN;
	return option_rows[key - FIRST_KEY].set(s, &option_rows[key - FIRST_KEY], arg);
}

static size_t count_rows(void)
{
	size_t n = 0;

	while (option_rows[n].help)
		n++;
	return n;
}

/* From here on nothing can be unknown: argp only takes the words apart. */
static int run_argp(struct arguments *args, struct settings *s)
{
	struct argp_option *options = calloc(count_rows() + 1, sizeof(*options));
	struct argp argp = { .options = options, .parser = take };
	struct argp_option *o = options;
	int code;

	if (!options)
		return no_memory();
	for (const struct option_row *row = option_rows; row->help; row++)
		if (row->name && row->commands & s->command->bit)
			*o++ = (struct argp_option){
				.name = row->name,
				.key = FIRST_KEY + (int)(row - option_rows),
				.arg = row->arg,
			};
	code = argp_parse(&argp, args->count, args->v,
			  ARGP_IN_ORDER | ARGP_NO_ERRS | ARGP_NO_HELP | ARGP_NO_EXIT,
			  NULL, s);
	free(options);
	return code == ENOMEM ? no_memory() : code;
}

static int set_defaults(struct settings *s)
{
	for (const struct option_row *row = option_rows; row->help; row++) {
		int code = row->initial ? row->set(s, row, row->initial) : 0;

		if (code)
			return code;
	}
	return 0;
}

int parse(const struct command *command, int argc, char **argv, struct arguments *args,
	  struct settings *s)
{
	struct reader r = { command, argv + 1, argv + argc, args };
	int code;

	*s = (struct settings){
		.command = command,
		.profile = { .size = sizeof(s->profile) },
		.graph = { .size = sizeof(s->graph) },
		.record = { .size = sizeof(s->record) },
		.argc = argc,
		.argv = argv,
	};
	args->v = calloc((size_t)argc + 2, sizeof(*args->v));
	s->inputs = calloc((size_t)argc, sizeof(*s->inputs));
	s->filters = calloc((size_t)argc, sizeof(*s->filters));
	s->events = calloc((size_t)argc, sizeof(*s->events));
	if (!args->v || !s->inputs || !s->filters || !s->events)
		return no_memory();
	code = normalise(&r);
	if (code == 0)
		code = set_defaults(s);
	return code ? code : run_argp(args, s);
}

void arguments_release(struct arguments *args)
{
	for (int i = 0; i < args->count; i++)
		free(args->v[i]);
	free(args->v);
}

void settings_release(struct settings *s)
{
	free(s->inputs);
	free(s->filters);
	free(s->events);
}
