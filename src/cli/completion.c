/*
 * Completion for bash, zsh and fish. What the scripts know of options is the option table,
 * row by row: names, for which commands, and by the word for its value what that can be.
 * Words of one option are in a table here, since the rows' functions know them only as
 * they are given.
 *
 * bash gets lists of words and does the parsing itself, as its functions for completion do;
 * zsh gets a specification for _arguments, and fish a line `complete` an option.
 */
#include "cli/completion.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/format.h"
#include "cli/options.h"
#include "cli/terminal.h"

enum value_kind {
	VALUE_ANY,
	VALUE_WORDS,
	VALUE_FILE,
	VALUE_FOLDER,
	VALUE_PROCESS,
	VALUE_USER,
	VALUE_CGROUP,
	VALUE_KINDS
};

/* By the word for a value. */
static const struct {
	const char *arg;
	enum value_kind kind;
} value_kinds[] = {
	{ "FILE", VALUE_FILE },	     { "DIR", VALUE_FOLDER }, { "PID,..", VALUE_PROCESS },
	{ "TID,..", VALUE_PROCESS }, { "USER", VALUE_USER },  { "PATH", VALUE_CGROUP },
};

#define RECORD COMMAND_RECORD

/* Words with a "=" at their end are followed by a value. */
static const struct {
	const char *option;
	unsigned commands;
	const char *words;
} values[] = {
	{ "call-graph", RECORD, "auto fp dwarf lbr no" },
	{ "call-graph", COMMAND_TREE, "caller callee" },
	{ "freq", ~0u, "max" },
	{ "event", RECORD | COMMAND_TOP,
	  "cycles instructions cache-misses branch-misses cpu-clock task-clock "
	  "page-faults "
	  "context-switches cpu-migrations" },
	{ "event", ~(unsigned)(RECORD | COMMAND_TOP), "all" },
	{ "normalize", ~0u, "share robust time none anchor=" },
	{ "table", ~0u, "text json" },
	{ "by", COMMAND_TOP, "function module comm line" },
	{ "by", COMMAND_ARCHIVE, "hour day recording host" },
	{ "order", ~0u, "self total" },
	{ "match", ~0u, "names exact" },
	{ "count", ~0u, "period samples" },
	{ "only", ~0u,
	  "comm= event= cgroup= symbol= dso= pid= tid= cpu= time= state= duration= "
	  "kthread=" },
	{ "drop", ~0u,
	  "comm= event= cgroup= symbol= dso= pid= tid= cpu= time= state= duration= "
	  "kthread=" },
	{ "weight", ~0u, "wall wall-instant" },
	{ "scope", ~0u, "process cgroup selected system" },
	{ "truncated", ~0u, "mark merge drop" },
	{ "demangle", ~0u, "short full no" },
	{ "unnamed", ~0u, "function object address" },
	{ "inline", ~0u, "yes no auto" },
	{ "compat", ~0u, "stackcollapse" },
	{ "colors", ~0u,
	  "module hot mem io wakeup chain java js perl red green blue aqua yellow purple "
	  "orange" },
	{ "bgcolors", ~0u, "yellow blue green grey" },
	{ "theme", ~0u, "light dark auto" },
};

/* NULL: what its values are is not known. Valid until the next call. */
static const char *words_of(const struct option_row *row, unsigned command)
{
	static char formats[FORMAT_LIST_MOST];

	/* The library says which there are. */
	if (strcmp(row->name, "format") == 0) {
		format_list(command, " ", " ", formats, sizeof(formats));
		return formats;
	}
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		if (strcmp(values[i].option, row->name) == 0 &&
		    values[i].commands & command)
			return values[i].words;
	return NULL;
}

static enum value_kind value_kind_of(const struct option_row *row, unsigned command)
{
	/* Words of the table win over what the word for the value would mean. */
	if (words_of(row, command))
		return VALUE_WORDS;
	for (size_t i = 0; i < sizeof(value_kinds) / sizeof(*value_kinds); i++)
		if (strcmp(value_kinds[i].arg, row->arg) == 0)
			return value_kinds[i].kind;
	return VALUE_ANY;
}

/* Its value can be the next word; else it stands behind a "=". */
static bool takes_next_word(const struct option_row *row)
{
	return row->arg && (!row->alone || row->is_value);
}

/* The next row of a command, NULL at the end. */
static const struct option_row *next_row(const struct option_row *row, unsigned command)
{
	for (row = row ? row + 1 : option_rows; row->help; row++)
		if (row->name && row->commands & command)
			return row;
	return NULL;
}

/* A text between single quotes, in which @special characters have a backslash. */
static void put_with_backslashes(const char *text, const char *special)
{
	for (; *text; text++) {
		/* "'\''": out of the quotes, one alone, and into them again. */
		if (*text == '\'')
			fputs("'\\'", stdout);
		else if (strchr(special, *text))
			putchar('\\');
		putchar(*text);
	}
}

static void put_bash_names(const struct option_row *row)
{
	printf("--%s ", row->name);
	if (row->letter)
		printf("-%c ", row->letter);
}

/* What follows an option, a line of a `case` each: "record:-o|record:--output|record:--output=)
 * _flamefold_files -f; return ;;". The command is part of the pattern, since --event has other
 * words for each. */
static void put_bash_values(const struct command *c)
{
	static const char *const actions[VALUE_KINDS] = {
		[VALUE_ANY] = ":",
		[VALUE_FILE] = "_flamefold_files -f",
		[VALUE_FOLDER] = "_flamefold_files -d",
		[VALUE_PROCESS] = "_flamefold_words \"$(cd /proc && echo [0-9]*)\"",
		[VALUE_USER] = "COMPREPLY=($(compgen -u -- \"$cur\"))",
		[VALUE_CGROUP] = "_flamefold_cgroups",
	};

	for (const struct option_row *row = NULL; (row = next_row(row, c->bit));) {
		enum value_kind kind;

		if (!row->arg)
			continue;
		kind = value_kind_of(row, c->bit);
		putchar('\t');
		if (takes_next_word(row)) {
			if (row->letter)
				printf("%s:-%c|", c->name, row->letter);
			printf("%s:--%s|", c->name, row->name);
		}
		printf("%s:--%s=", c->name, row->name);
		if (kind == VALUE_WORDS)
			printf(") _flamefold_words '%s'; return ;;\n",
			       words_of(row, c->bit));
		else
			printf(") %s; return ;;\n", actions[kind]);
	}
}

/* Up to where the words of the table are needed: what is completed, and behind what. */
static const char bash_beginning[] =
	"# bash completion for flamefold, made by flamefold --completion bash\n"
	"_flamefold_words()\n"
	"{\n"
	"\tCOMPREPLY=($(compgen -W \"$1\" -- \"$cur\"))\n"
	"\t[[ ${#COMPREPLY[@]} -eq 1 && $COMPREPLY == *= ]] && compopt -o nospace "
	"2>/dev/null\n"
	"}\n\n"
	"_flamefold_files()\n"
	"{\n"
	"\tcompopt -o filenames 2>/dev/null\n"
	"\tmapfile -t COMPREPLY < <(compgen \"$1\" -- \"$cur\")\n"
	"}\n\n"
	"_flamefold_cgroups()\n"
	"{\n"
	"\tlocal IFS=$'\\n'\n"
	"\tCOMPREPLY=($(cd /sys/fs/cgroup 2>/dev/null && compgen -d -S / -- "
	"\"${cur#/}\"))\n"
	"\tcompopt -o nospace 2>/dev/null\n"
	"}\n\n"
	"_flamefold()\n"
	"{\n"
	"\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
	"\tlocal command=graph commands options valued optional choices first=1 i word "
	"next\n\n"
	"\tCOMPREPLY=()\n"
	"\t# The shell takes --option=value for three words.\n"
	"\tif [[ $cur == = ]]; then\n"
	"\t\tcur= prev+==\n"
	"\telif [[ $prev == = ]]; then\n"
	"\t\tprev=${COMP_WORDS[COMP_CWORD-2]}=\n"
	"\tfi\n";

/* What record starts is completed as the shell would do it without record before it. */
static const char bash_end[] =
	"\t# What record starts, and its words.\n"
	"\tif [[ $command == record ]]; then\n"
	"\t\tfor ((i = first; i < COMP_CWORD; i++)); do\n"
	"\t\t\tword=${COMP_WORDS[i]}\n"
	"\t\t\tif [[ $word == -- ]]; then\n"
	"\t\t\t\t((i++))\n"
	"\t\t\t\tbreak\n"
	"\t\t\telif [[ $valued == *\" $word \"* ]]; then\n"
	"\t\t\t\t[[ ${COMP_WORDS[i+1]} == = ]] && ((i++))\n"
	"\t\t\t\t((i++))\n"
	"\t\t\telif [[ $optional == *\" $word \"* ]]; then\n"
	"\t\t\t\tnext=${COMP_WORDS[i+1]%%,*}\n"
	"\t\t\t\t[[ $choices == *\" $next \"* || $next =~ ^[0-9]+$ ]] && ((i++))\n"
	"\t\t\telif [[ $word == = ]]; then\n"
	"\t\t\t\t((i++))\n"
	"\t\t\telif [[ $word != -* ]]; then\n"
	"\t\t\t\tbreak\n"
	"\t\t\tfi\n"
	"\t\tdone\n"
	"\t\tif ((i < COMP_CWORD)) && declare -F _command_offset >/dev/null; then\n"
	"\t\t\t_command_offset $i\n"
	"\t\t\treturn\n"
	"\t\telif ((i < COMP_CWORD)); then\n"
	"\t\t\t_flamefold_files -f\n"
	"\t\t\treturn\n"
	"\t\telif [[ $cur != -* ]]; then\n"
	"\t\t\tCOMPREPLY=($(compgen -c -- \"$cur\"))\n"
	"\t\t\treturn\n"
	"\t\tfi\n"
	"\tfi\n"
	"\tif [[ $cur == -* ]]; then\n"
	"\t\t_flamefold_words \"$options\"\n"
	"\telif [[ $command == help ]]; then\n"
	"\t\t_flamefold_words \"$commands\"\n"
	"\telse\n"
	"\t\t_flamefold_files -f\n"
	"\t\t((COMP_CWORD == 1)) && COMPREPLY+=($(compgen -W \"$commands\" -- "
	"\"$cur\"))\n"
	"\tfi\n"
	"\treturn 0\n"
	"}\n"
	"complete -F _flamefold flamefold\n";

/*
 * The command is found first, for all else depends on it:
 *
 *	bash_beginning    the word and the one before it
 *	commands          which of them it is, and where its words begin
 *	case, per command for the search of where record's own words end: options whose value is
 *	                  the next word (valued), or may be (optional) if it is one of the choices;
 *	                  then all of them
 *	case, per option  what its value can be (put_bash_values)
 *	bash_end          what record starts, options, files
 */
static void print_bash(void)
{
	fputs(bash_beginning, stdout);
	printf("\tcommands='");
	for (size_t i = 0; commands[i]; i++)
		printf("%s%s", i ? " " : "", commands[i]->name);
	printf("'\n\tif ((COMP_CWORD > 1)) && [[ \" $commands \" == *\" ${COMP_WORDS[1]} "
	       "\"* ]]; then\n"
	       "\t\tcommand=${COMP_WORDS[1]} first=2\n"
	       "\tfi\n"
	       "\tcase $command in\n");
	for (size_t i = 0; commands[i]; i++) {
		const struct option_row *row = NULL;
		unsigned bit = commands[i]->bit;

		printf("\t%s)\n\t\tvalued=' ", commands[i]->name);
		while ((row = next_row(row, bit)))
			if (takes_next_word(row) && !row->is_value)
				put_bash_names(row);
		printf("'\n\t\toptional=' ");
		while ((row = next_row(row, bit)))
			if (row->is_value)
				put_bash_names(row);
		printf("'\n\t\tchoices=' ");
		while ((row = next_row(row, bit)))
			if (row->is_value && words_of(row, bit))
				printf("%s ", words_of(row, bit));
		printf("'\n\t\toptions='");
		while ((row = next_row(row, bit))) {
			if (row->arg && !takes_next_word(row))
				printf("--%s= ", row->name);
			else
				put_bash_names(row);
		}
		printf("' ;;\n");
	}
	printf("\tesac\n\tcase $command:$prev in\n");
	for (size_t i = 0; commands[i]; i++)
		put_bash_values(commands[i]);
	printf("\tesac\n");
	fputs(bash_end, stdout);
}

/* A specification as zshcompsys(1) has it: "'*--inline=-[help]::WHEN:(yes no auto)'". The
 * star lets an option be given again, "=-" wants the value in the same word, and "::" says
 * that it may be missing. */
static void put_zsh_option(const struct option_row *row, unsigned command)
{
	static const char *const actions[VALUE_KINDS] = {
		[VALUE_ANY] = " ",
		[VALUE_FILE] = "_files",
		[VALUE_FOLDER] = "_files -/",
		[VALUE_PROCESS] = "_pids",
		[VALUE_USER] = "_users",
		[VALUE_CGROUP] = "_files -W /sys/fs/cgroup -/",
	};
	char help[OPTION_HELP_MOST];
	const char *joined = !row->arg ? "" : takes_next_word(row) ? "=" : "=-";

	printf(" \\\n\t\t'*'");
	if (row->letter)
		printf("{-%c%s,--%s%s}", row->letter, row->arg ? "+" : "", row->name,
		       joined);
	else
		printf("--%s%s", row->name, joined);
	printf("'[");
	put_with_backslashes(option_help(row, help, sizeof(help)), "[]:\\");
	putchar(']');
	if (row->arg) {
		enum value_kind kind = value_kind_of(row, command);

		printf("%s", row->alone ? "::" : ":");
		put_with_backslashes(row->arg, ":\\");
		putchar(':');
		if (kind == VALUE_WORDS)
			printf("(%s)", words_of(row, command));
		else
			printf("%s", actions[kind]);
	}
	putchar('\'');
}

/* zsh loads the file when it is needed, and runs it as the function. */
static void print_zsh(void)
{
	printf("#compdef flamefold\n"
	       "# zsh completion for flamefold, made by flamefold --completion zsh\n"
	       "local command=graph\n"
	       "local -a commands\n"
	       "commands=(\n");
	for (size_t i = 0; commands[i]; i++) {
		printf("\t'%s:", commands[i]->name);
		put_with_backslashes(commands[i]->summary, ":\\");
		printf("'\n");
	}
	printf(")\n"
	       "if (( CURRENT > 2 )) && [[ -n ${(M)commands:#$words[2]:*} ]]; then\n"
	       "\tcommand=$words[2]\n"
	       "\tshift words\n"
	       "\t(( CURRENT-- ))\n"
	       "elif (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then\n"
	       "\t_describe -t commands command commands\n"
	       "\t_files\n"
	       "\treturn\n"
	       "fi\n"
	       "case $command in\n");
	for (size_t i = 0; commands[i]; i++) {
		const struct command *c = commands[i];

		printf("%s)\n\t_arguments -s -S", c->name);
		for (const struct option_row *row = NULL; (row = next_row(row, c->bit));)
			put_zsh_option(row, c->bit);
		printf(" \\\n\t\t%s ;;\n",
		       c->bit == COMMAND_RECORD ? "'*::command: _normal'"
		       : c->bit == COMMAND_HELP ? "'1:command:((${(q)commands}))'"
						: "'*:input:_files'");
	}
	printf("esac\n");
}

/* What `complete` is told of an option: -x takes nothing but the values of -a, -r also files. */
static void put_fish_option(const struct option_row *row, unsigned command)
{
	static const char *const actions[VALUE_KINDS] = {
		[VALUE_ANY] = " -x",
		[VALUE_FILE] = " -r -F",
		[VALUE_FOLDER] = " -x -a '(__fish_complete_directories)'",
		[VALUE_PROCESS] = " -x -a '(__fish_complete_pids)'",
		[VALUE_USER] = " -x -a '(__fish_complete_users)'",
		[VALUE_CGROUP] = " -x -a '(cd /sys/fs/cgroup; and "
				 "__fish_complete_directories)'",
	};
	char help[OPTION_HELP_MOST];

	printf(" -l %s", row->name);
	if (row->letter)
		printf(" -s %c", row->letter);
	if (row->arg) {
		enum value_kind kind = value_kind_of(row, command);

		if (kind == VALUE_WORDS)
			printf("%s -a '%s'", takes_next_word(row) ? " -x" : " -f",
			       words_of(row, command));
		else if (!row->alone)
			printf("%s", actions[kind]);
	}
	printf(" -d '");
	put_with_backslashes(option_help(row, help, sizeof(help)), "\\");
	printf("'\n");
}

/* fish has one list of lines; a condition says for which command a line is. */
static void print_fish(void)
{
	printf("# fish completion for flamefold, made by flamefold --completion fish\n"
	       "function __fish_flamefold_is\n"
	       "\tset -l words (commandline -opc) graph\n"
	       "\tset -q words[2]; and contains -- $words[2]");
	for (size_t i = 0; commands[i]; i++)
		printf(" %s", commands[i]->name);
	printf("; or set words[2] graph\n"
	       "\ttest \"$words[2]\" = $argv[1]\n"
	       "end\n\n");
	for (size_t i = 0; commands[i]; i++) {
		printf("complete -c flamefold -n '__fish_is_first_arg' -a %s -d '",
		       commands[i]->name);
		put_with_backslashes(commands[i]->summary, "\\");
		printf("'\n");
	}
	for (size_t i = 0; commands[i]; i++) {
		const struct command *c = commands[i];

		for (const struct option_row *row = NULL;
		     (row = next_row(row, c->bit));) {
			printf("complete -c flamefold -n '__fish_flamefold_is %s'",
			       c->name);
			put_fish_option(row, c->bit);
		}
	}
	printf("complete -c flamefold -n '__fish_flamefold_is record' -a "
	       "'(__fish_complete_command)'\n"
	       "complete -c flamefold -n '__fish_flamefold_is help' -f -a '");
	for (size_t i = 0; commands[i]; i++)
		printf("%s%s", i ? " " : "", commands[i]->name);
	printf("'\n");
}

int print_completion(const char *shell)
{
	static const struct {
		const char *shell;
		void (*print)(void);
	} scripts[] = { { "bash", print_bash },
			{ "zsh", print_zsh },
			{ "fish", print_fish } };

	for (size_t i = 0; i < sizeof(scripts) / sizeof(*scripts); i++)
		if (strcmp(scripts[i].shell, shell) == 0) {
			scripts[i].print();
			return EXIT_DONE;
		}
	return usage_error("'--completion' takes bash, zsh or fish, not '%s'", shell);
}
