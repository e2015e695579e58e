/*
 * --help is printed from the table of options and the table of commands, so it cannot leave out
 * what they have: two columns in 80, text broken at blanks.
 */
#include "cli/help.h"

#include <stdio.h>
#include <string.h>

#include "cli/options.h"
#include "cli/own_modes.h"
#include "cli/terminal.h"

#define MARGIN 26 /* where the second column begins */
#define WIDTH 80

const char *option_help(const struct option_row *row, char *room, size_t size)
{
	if (!row->tell)
		return row->help;
	row->tell(room, size);
	return room;
}

/*
 * Names that are too long for the first column have a line of their own.
 *
 *	  -o, --output=FILE       write FILE; ...
 *	      --inline[=WHEN]     ...
 *	                          ^ MARGIN
 */
static void print_row(const struct option_row *row)
{
	char left[64], text[512], room[OPTION_HELP_MOST];
	const char *help = option_help(row, room, sizeof(room));
	size_t column = MARGIN; /* where the cursor stands */
	int size;

	size = snprintf(left, sizeof(left), "  %c%c%s --%s%s%s%s",
			row->letter ? '-' : ' ', row->letter ? row->letter : ' ',
			row->letter ? "," : " ", row->name,
			!row->arg    ? ""
			: row->alone ? "[="
				     : "=",
			row->arg ? row->arg : "", row->alone ? "]" : "");
	printf("%s", left);
	if (size > MARGIN - 2) {
		putchar('\n');
		size = 0;
	}
	printf("%*s", MARGIN - size, "");
	snprintf(text, sizeof(text), row->initial ? "%s (default: %s)" : "%s", help,
		 row->initial);
	/* Breaks at blanks. A word that is longer than a line sticks out. */
	for (const char *p = text; *p; p += strspn(p, " ")) {
		size_t word = strcspn(p, " ");

		if (column + 1 + word > WIDTH) {
			printf("\n%*s", MARGIN, "");
			column = MARGIN;
		} else if (column > MARGIN) {
			putchar(' ');
			column++;
		}
		printf("%.*s", (int)word, p);
		column += word;
		p += word;
	}
	putchar('\n');
}

/* A heading is printed with the first option below it that is for any of @bits. */
static void print_options(unsigned bits)
{
	const struct option_row *heading = NULL;

	for (const struct option_row *row = option_rows; row->help; row++) {
		if (!row->name) {
			heading = row;
			continue;
		}
		if (!(row->commands & bits))
			continue;
		if (heading)
			printf("\n%s\n", heading->help);
		heading = NULL;
		print_row(row);
	}
}

void print_help(const struct command *command)
{
	if (command) {
		printf("Usage: flamefold %s %s\n", command->name, command->arguments);
		printf("\n%s: %s.\n", command->name, command->summary);
		print_options(command->bit);
		return;
	}
	printf("Turns Linux perf samples into flame graphs.\n\n"
	       "Usage: flamefold [options] [INPUT...]\n"
	       "       flamefold COMMAND [options] ...\n\n"
	       "Commands:\n");
	for (size_t i = 0; commands[i]; i++)
		printf("  %-8s%s%s\n", commands[i]->name, commands[i]->summary,
		       i == 0 ? " (if no command is named)" : "");
	printf("\nINPUT is a perf.data file, what perf script prints of one, or folded "
	       "text; - is\n"
	       "standard input. If none is named it is what a pipe or <FILE brings, or\n"
	       "./perf.data. Several are added up.\n"
	       "record samples what runs now.\n");
	print_options(~0u);
	printf("\n'flamefold help COMMAND' shows the options of one command.\n");
}

static int help_run(const struct settings *s)
{
	const struct command *topic;
	const char *meant;

	if (s->input_count == 0) {
		print_help(NULL);
		return EXIT_DONE;
	}
	topic = command_find(s->inputs[0]);
	meant = topic ? NULL : command_like(s->inputs[0]);
	if (meant)
		return usage_error("no command '%s', but there is '%s'", s->inputs[0],
				   meant);
	if (!topic)
		return usage_error("no command '%s'", s->inputs[0]);
	if (s->input_count > 1)
		return usage_error("help takes one command, not '%s' as well",
				   s->inputs[1]);
	print_help(topic);
	return EXIT_DONE;
}

const struct command command_help = {
	"help", "[COMMAND]", "show how a command is used", COMMAND_HELP, help_run,
};

void print_modes(bool rules)
{
	const struct ff_mode *mode = NULL;

	while ((mode = ff_mode_next(mode))) {
		const char *rule = ff_mode_rule(mode);

		printf("  %-13s %s\n", ff_mode_name(mode), ff_mode_question(mode));
		if (rules)
			print_rule(rule);
	}
	own_modes_print(rules);
}
