/*
 * flamefold: perf samples in, flame graph out.
 *
 * The first word may be a command; where it is none, the first command of the table draws what the
 * words name, so that "flamefold perf.data" needs no manual. Everything else is in the commands.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/completion.h"
#include "cli/habits.h"
#include "cli/help.h"
#include "cli/parse.h"
#include "cli/terminal.h"

/* A first word that is no command, though other profilers have it, it is nearly one, or
 * it looks like one. 0: it is none of that, but a file. */
static int refuse_command(const char *word)
{
	const char *elsewhere, *meant;
	char list[128] = "";
	size_t used = 0;

	/* An option, or an input, even where it is called like a command elsewhere. */
	if (*word == '-' || access(word, F_OK) == 0 || errno != ENOENT)
		return 0;
	elsewhere = habit_command(word);
	meant = command_like(word);
	if (elsewhere)
		return usage_error("no command '%s': %s", word, elsewhere);
	if (meant)
		return usage_error("no command or file '%s', but there is '%s'", word,
				   meant);
	/* "merge" looks like a command, "merge.data" and "dir/merge" do not. */
	if (!*word || word[strspn(word, "abcdefghijklmnopqrstuvwxyz-")])
		return 0;
	for (size_t i = 0; commands[i] && used < sizeof(list); i++)
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s",
					 i == 0		   ? ""
					 : commands[i + 1] ? ", "
							   : " and ",
					 commands[i]->name);
	return usage_error("no command or file '%s'; the commands are %s", word, list);
}

/* What the process needs of the system, whatever it does then. */
static void set_up_process(void)
{
	static const int wrong[] = { O_WRONLY, O_RDONLY, O_RDONLY };

	/* Memory that is given back to the kernel and asked for again costs page faults
	 * and, with several threads, interrupts of the other processors: a tenth of a
	 * short run. */
	mallopt(M_MMAP_THRESHOLD, 32 << 20);
	mallopt(M_TRIM_THRESHOLD, 1 << 30);
	mallopt(M_TOP_PAD, 4 << 20);
	/* A file that takes the number of a closed standard stream would be written to.
	 * What stands there instead fails as the closed stream would. */
	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", wrong[fd]) != fd)
			_exit(EXIT_INPUT);
	/* A closed pipe and a file too large are errors of a write, which then ends the
	 * work in order. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	ff_catch_crashes();
}

/* What help and version have printed; the commands have seen to theirs. A reader that has
 * seen enough and closed the pipe is no failure. */
static int finish_stdout(int code)
{
	if (code != EXIT_DONE || fflush(stdout) == 0 || errno == EPIPE)
		return code;
	say("cannot write to standard output: %s", strerror(errno));
	return EXIT_INPUT;
}

int main(int argc, char **argv)
{
	const struct command *command = argc > 1 ? command_find(argv[1]) : NULL;
	bool named = command != NULL; /* on the command line */
	struct arguments args = { 0 };
	struct settings s = { 0 };
	int code;

	set_up_process();
	if (argc < 1)
		return EXIT_USAGE;
	/* --completion SHELL, or --completion=SHELL: for packagers, and so in no table. */
	if (argc > 1 && strncmp(argv[1], "--completion", 12) == 0 &&
	    strchr("=", argv[1][12])) {
		const char *value = strchr(argv[1], '=');

		if (argc == (value ? 2 : 3))
			return finish_stdout(
				print_completion(value ? value + 1 : argv[2]));
		return usage_error(
			"'--completion' takes the name of a shell: bash, zsh or fish");
	}
	code = argc > 1 && !named ? refuse_command(argv[1]) : 0;
	if (code)
		return code;
	if (!named)
		command = commands[0];
	/* The word of the command goes: parse() passes over the first one, as if it were
	 * the program. */
	code = parse(command, argc - named, argv + named, &args, &s);
	/* Help and version win over the work, but not over a mistake. */
	if (code == 0 && s.help)
		print_help(named ? command : NULL);
	else if (code == 0 && s.version)
		printf("flamefold %s\n", ff_version());
	else if (code == 0 && s.list_modes)
		print_modes(s.verbose);
	else if (code == 0)
		code = command->run(&s);
	settings_release(&s);
	arguments_release(&args);
	return finish_stdout(code);
}
