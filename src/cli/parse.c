/*
 * Getopt::Long, which flamegraph.pl uses, reads names in any case, with one dash or
 * two, and cut to any prefix that only one option has:
 *
 *	-Title X -hash --color=java		--title=X --hash --colors=java
 *
 * The words become a list of choices first, so that an option that is unknown is told
 * before a value that is wrong; then each choice is set, in the order of the words.
 */
#include "cli/parse.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "cli/habits.h"
#include "cli/mode_file.h"
#include "cli/name_suggestion.h"
#include "cli/options.h"
#include "cli/terminal.h"

#define MATCHES 8

/* The options that a word may stand for. */
struct matches {
	const struct option_row *rows[MATCHES];
	size_t count; /* may be more than fit */
};

/* A name in full wins over all that it begins; two names of one meaning are one. */
static void match(unsigned commands, const char *name, size_t size, struct matches *ret)
{
	const struct option_row *first;

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
		first = ret->count == 1 ? ret->rows[0] : NULL;
		if (first && first->set == row->set && first->at == row->at &&
		    first->flag == row->flag)
			continue;
		if (ret->count < MATCHES)
			ret->rows[ret->count] = row;
		ret->count++;
	}
}

static const struct option_row *find_letter(const struct command *command, char letter)
{
	for (const struct option_row *row = option_rows; row->help; row++)
		if (letter && row->letter == letter && row->commands & command->bit)
			return row;
	return NULL;
}

/* Of the options that the command has. */
static int nearly(const struct command *command, const char *word, size_t dashes,
		  size_t size)
{
	struct name_suggestion meant;

	name_suggestion_start(&meant, word + dashes, size - dashes);
	for (const struct option_row *row = option_rows; row->help; row++)
		if (row->name && row->commands & command->bit)
			name_suggestion_offer(&meant, row->name);
	if (!meant.best)
		return usage_error("unknown option '%.*s'", (int)size, word);
	return usage_error("unknown option '%.*s', but there is '--%s'", (int)size, word,
			   meant.best);
}

/* One that another command has is named with that command; the rest may be mistyped. */
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

/* Words still to be read, and what was chosen by those before. */
struct word_reader {
	const struct command *command;
	char **next, **end;
	struct arguments *out;
};

static int no_memory(void)
{
	say("out of memory");
	return EXIT_INPUT;
}

/* @made: what of @value has to be freed. One word of letters is many choices. */
static int add_choice(struct word_reader *r, const struct option_row *row,
		      const char *value, char *made)
{
	struct arguments *out = r->out;

	if (out->count == out->room) {
		size_t room = out->room ? 2 * out->room : 16;
		struct choice *v = reallocarray(out->v, room, sizeof(*v));

		if (!v) {
			free(made);
			return no_memory();
		}
		out->v = v;
		out->room = room;
	}
	out->v[out->count++] = (struct choice){ row, value, made };
	return 0;
}

static const char *hint_of(const struct word_reader *r, const struct option_row *row)
{
	const char *hint = row->hint;

	if (r->command->bit == COMMAND_RECORD && row->record_hint)
		hint = row->record_hint;
	return hint ? hint : "";
}

/* @value is NULL where the word has none: the next word may be it. */
static int read_option_value(struct word_reader *r, const struct option_row *row,
			     const char *value)
{
	const char *next = r->next < r->end ? *r->next : "";
	/* "--pid 1234", as perf has it: a number that is no file is nobody's input. */
	bool lost_number = !row->arg && !value && *hint_of(r, row) && *next &&
			   !next[strspn(next, "0123456789,")] && access(next, F_OK) < 0;

	if (!row->arg && (value || lost_number))
		return usage_error("option '--%s' takes no value%s", row->name,
				   hint_of(r, row));
	if (row->alone && !value)
		value = r->next < r->end && row->is_value && row->is_value(next)
				? *r->next++
				: row->alone;
	if (row->arg && !value) {
		if (r->next == r->end)
			return usage_error("option '--%s' needs a value: --%s=%s",
					   row->name, row->name, row->arg);
		value = *r->next++;
	}
	return add_choice(r, row, value, NULL);
}

/* @typed: the option as it is written, of @size bytes. */
static int read_habit(struct word_reader *r, const struct habit *h, const char *typed,
		      size_t size, const char *value)
{
	char *made = NULL;
	struct matches m;
	size_t own;

	if (h->value == HABIT_VALUE && !value && h->own) {
		if (r->next == r->end)
			return usage_error("option '%.*s' needs a value", (int)size,
					   typed);
		value = *r->next++;
	}
	if (!h->own || (value && !habit_means(h, value)))
		return usage_error("'%.*s': %s", (int)size, typed, h->sentence);
	/* What is done anyway; else the option of one's own that it stands for. */
	if (!*h->own)
		return 0;
	own = strcspn(h->own, "=");
	match(r->command->bit, h->own, own, &m);
	assert(m.count == 1 && (m.rows[0]->arg != NULL) == (h->own[own] == '='));
	if (h->own[own]) {
		made = habit_translate(h, value);
		if (!made)
			return no_memory();
	}
	return add_choice(r, m.rows[0], made, made);
}

/* "-hV", "-o FILE", "-oFILE", "-agF 99": the first letter with a value has the rest of the word. */
static int read_bundle(struct word_reader *r, const char *letters)
{
	bool ended = false;
	int code = 0;

	for (; *letters && code == 0 && !ended; letters++) {
		const struct option_row *row = find_letter(r->command, *letters);
		const struct habit *h =
			row ? NULL : habit_letter(r->command->bit, *letters);
		const char *value = letters + 1 + (letters[1] == '=');
		char typed[] = { '-', *letters, '\0' };

		if (!row && !h)
			return usage_error("unknown option '-%c'", *letters);
		ended = row ? row->arg != NULL : h->value == HABIT_VALUE;
		if (!ended || !*value)
			value = NULL;
		code = row ? read_option_value(r, row, value)
			   : read_habit(r, h, typed, strlen(typed), value);
	}
	return code;
}

/*
 * A word is tried in this order:
 *
 *	-o                  a letter alone
 *	--output            one of our names, in full
 *	--rate              another program's name, in full
 *	--outp              the beginning of one of ours, and of no other
 *	-oFILE, -agF 99     a letter and what follows it
 */
static int read_option(struct word_reader *r, const char *word)
{
	size_t dashes = word[1] == '-' ? 2 : 1;
	size_t size = strcspn(word, "=");
	const char *value = word[size] ? word + size + 1 : NULL;
	const struct habit *h = habit_letter(r->command->bit, word[1]);
	bool has_value = h && h->value == HABIT_VALUE;
	/* Does a word with one dash begin with a letter? Of letters from elsewhere only where
	 * what follows is a value by its looks, "-F+hz", "-p123": "-tilte" is a slip. */
	bool letter =
		dashes == 1 &&
		(find_letter(r->command, word[1]) ||
		 (h && (!word[2] || (has_value && !isalpha((unsigned char)word[2])))));
	char list[256] = "";
	struct matches m;

	if (letter && size == 2)
		return read_bundle(r, word + 1);
	if (size == dashes)
		return unknown(r->command, word, dashes, strlen(word));
	match(r->command->bit, word + dashes, size - dashes, &m);
	/* What another program has in full comes before what is the beginning of a name. */
	if (m.count != 1 || strlen(m.rows[0]->name) != size - dashes) {
		h = habit_named(r->command->bit, word + dashes, size - dashes);
		if (h)
			return read_habit(r, h, word, size, value);
	}
	if (m.count == 1)
		return read_option_value(r, m.rows[0], value);
	/* All that it could be are named: the next letter is then easy to choose. */
	for (size_t i = 0, used = 0; m.count > 1 && i < m.count && i < MATCHES; i++)
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s--%s",
					 i == 0					? ""
					 : i + 1 == m.count || i + 1 == MATCHES ? " or "
										: ", ",
					 m.rows[i]->name);
	if (m.count > 1)
		return usage_error("option '%.*s' can be %s", (int)size, word, list);
	if (letter)
		return read_bundle(r, word + 1);
	return unknown(r->command, word, dashes, size);
}

/* "--": what was named until here is A. */
static int end_side(struct settings *s)
{
	if (s->inputs_of_a)
		return usage_error("'--' stands once, between the inputs of A and of B");
	if (!s->input_count)
		return usage_error("'--' stands behind the inputs of A: there are none");
	s->inputs_of_a = s->input_count;
	return 0;
}

int parse(const struct command *command, int argc, char **argv, struct arguments *args,
	  struct settings *s)
{
	struct word_reader r = { command, argv + 1, argv + argc, args };
	bool options = true;
	int code = 0;

	*s = (struct settings){
		.command = command,
		.profile = { .size = sizeof(s->profile) },
		.graph = { .size = sizeof(s->graph) },
		.record = { .size = sizeof(s->record) },
		.diff = { .size = sizeof(s->diff) },
		.merge.store.size = sizeof(s->merge.store),
		.archive = { .query.size = sizeof(s->archive.query), .over = -1 },
		.fail_over = -1,
		.least = -1,
		.argc = argc,
		.argv = argv,
	};
	/* No word makes more than one of each, so none of the setters has to look for
	 * room. */
	s->inputs = calloc((size_t)argc, sizeof(*s->inputs));
	s->filters = calloc((size_t)argc, sizeof(*s->filters));
	s->events = calloc((size_t)argc, sizeof(*s->events));
	s->merge.labels = calloc((size_t)argc, sizeof(*s->merge.labels));
	s->merge.store.labels = s->merge.labels;
	s->archive.hosts = calloc((size_t)argc, sizeof(*s->archive.hosts));
	s->archive.query.hosts = s->archive.hosts;
	s->archive.keep = calloc((size_t)argc, sizeof(*s->archive.keep));
	if (!s->inputs || !s->filters || !s->events || !s->merge.labels ||
	    !s->archive.hosts || !s->archive.keep)
		return no_memory();
	while (r.next < r.end && code == 0) {
		const char *word = *r.next++;
		bool ends = strcmp(word, "--") == 0;

		/* Between the sides of a difference, and options may follow. */
		if (ends && command->bit == COMMAND_DIFF) {
			code = add_choice(&r, NULL, NULL, NULL);
			continue;
		}
		if (options && word[0] == '-' && word[1] && !ends) {
			code = read_option(&r, word);
			continue;
		}
		if (!options || !ends)
			code = add_choice(&r, NULL, word, NULL);
		/* The first word of a program to run ends the options: all others are its own. */
		options = options && !ends && command->bit != COMMAND_RECORD;
	}
	/* One word of letters is several. */
	s->given = calloc(args->count + 1, sizeof(*s->given));
	if (!s->given)
		return no_memory();
	/* Defaults are set after the words were understood and before they are, so that
	 * what was typed wins. */
	for (const struct option_row *row = option_rows; row->help && code == 0; row++)
		if (row->initial)
			code = row->set(s, row, row->initial);
	for (size_t i = 0; i < args->count && code == 0; i++) {
		const struct choice *c = &args->v[i];

		if (c->row)
			s->given[s->given_count++] = c->row->name;
		if (c->row)
			code = c->row->set(s, c->row, c->value);
		else if (!c->value)
			code = end_side(s);
		else
			s->inputs[s->input_count++] = c->value;
	}
	if (!s->graph.title)
		s->graph.title = s->mode_title;
	if (!s->graph.colors)
		s->graph.colors = s->mode_colors;
	return code;
}

void arguments_release(struct arguments *args)
{
	for (size_t i = 0; i < args->count; i++)
		free(args->v[i].made);
	free(args->v);
}

void settings_release(struct settings *s)
{
	free(s->inputs);
	free(s->given);
	free(s->filters);
	free(s->events);
	free(s->merge.labels);
	free(s->archive.hosts);
	free(s->archive.keep);
	if (s->own_modes)
		mode_file_release(s->own_modes);
	free(s->own_modes);
}
