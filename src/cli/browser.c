/*
 * A browser is nobody's child: it may run for days, and say what it likes. So a child forks it
 * and ends, it has a session of its own and no terminal, and a pipe that exec closes tells
 * whether there was one to run.
 *
 *	flamefold --fork--> child --fork--> browser, in a session of its own
 *	  waitpid()          _exit()          exec closes the pipe
 *	  read() <--------------------------- or writes its errno into it
 */
#include "cli/browser.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/terminal.h"

#define OPENER "xdg-open"

void show_picture(const char *path)
{
	const char *wanted = getenv("BROWSER");
	char *list = strdup(wanted && *wanted ? wanted : OPENER);
	char *whole = realpath(path, NULL), *rest = list, *name;
	int ends[2], null, err = ENOMEM;
	pid_t child;

	if (!list || !whole)
		goto out;
	err = pipe2(ends, O_CLOEXEC) < 0 ? errno : 0;
	if (err)
		goto out;
	child = fork();
	if (child == 0) {
		if (fork())
			_exit(0);
		null = open("/dev/null", O_RDWR);
		setsid();
		for (int fd = 0; fd < 3 && null >= 0; fd++)
			dup2(null, fd);
		/* The browser must not hold pipes open that others wait at the end of. */
		close_range(3, ~0u, CLOSE_RANGE_CLOEXEC);
		signal(SIGPIPE, SIG_DFL);
		signal(SIGXFSZ, SIG_DFL);
		/* $BROWSER is a list, "firefox:lynx", of which the first that is there will do. */
		while ((name = strsep(&rest, ":")) != NULL)
			if (*name)
				execlp(name, name, whole, (char *)NULL);
		err = errno;
		if (write(ends[1], &err, sizeof(err)) < 0)
			_exit(127);
		_exit(127);
	}
	if (child < 0)
		err = errno;
	/* Else the end of the file would never come. */
	close(ends[1]);
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	/* Nothing to read: a browser runs. */
	if (child > 0 && read(ends[0], &err, sizeof(err)) < (ssize_t)sizeof(err))
		err = 0;
	close(ends[0]);
out:
	if (err)
		say("cannot show '%s' by %s: %s; $BROWSER says which program does", path,
		    wanted && *wanted ? "$BROWSER" : OPENER, strerror(err));
	free(list);
	free(whole);
}
