#include "live/command.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct context ctx;
static struct live_command command;

static int run(char *const *argv)
{
	cr_assert_eq(live_command_fork(&ctx, argv, &command), 0, "%s", ctx.error);
	return live_command_run(&ctx, &command);
}

static int status_of(const char *script)
{
	int status;

	cr_assert_eq(run((char *const[]){ "sh", "-c", (char *)script, NULL }), 0);
	while (!live_command_ended(&command))
		usleep(1000);
	status = live_command_status(&command);
	live_command_release(&command);
	return status;
}

Test(command, its_status_is_as_a_shell_says_it)
{
	cr_assert_eq(status_of("exit 0"), 0);
	cr_assert_eq(status_of("exit 7"), 7);
	cr_assert_eq(status_of("kill -TERM $$"), 128 + SIGTERM);
}

/* As a program is started by one that ignores it. */
Test(command, one_whose_end_is_ignored_ends_all_the_same, .timeout = 20)
{
	signal(SIGCHLD, SIG_IGN);
	cr_assert_eq(run((char *const[]){ "true", NULL }), 0);
	while (!live_command_ended(&command))
		usleep(1000);
	live_command_end(&command);
	cr_assert_not(atomic_load(&command.told), "its pid may be another's");
	live_command_release(&command);
	signal(SIGCHLD, SIG_DFL);
}

Test(command, it_waits_until_it_may_run)
{
	char path[] = "/tmp/flamefold-test-XXXXXX";

	cr_assert_not_null(mkdtemp(path));
	cr_assert_eq(
		live_command_fork(&ctx, (char *const[]){ "rmdir", path, NULL }, &command),
		0);
	usleep(50000);
	cr_assert_eq(access(path, F_OK), 0, "it ran at once");
	cr_assert_not(live_command_ended(&command));
	cr_assert_eq(live_command_run(&ctx, &command), 0);
	while (!live_command_ended(&command))
		usleep(1000);
	cr_assert_eq(access(path, F_OK), -1);
	live_command_release(&command);
}

Test(command, one_that_is_not_there_is_named)
{
	/* A directory that may not be read would be the reason. */
	setenv("PATH", "/usr/bin:/bin", 1);
	cr_assert_eq(run((char *const[]){ "no-such-command", NULL }), -ENOENT);
	cr_assert_str_eq(ctx.error, "there is no command 'no-such-command'");
	live_command_release(&command);
	cr_assert_eq(run((char *const[]){ "/", NULL }), -EACCES);
	cr_assert_str_eq(ctx.error, "cannot run '/': Permission denied");
	live_command_release(&command);
	cr_assert_eq(waitpid(-1, NULL, WNOHANG), -1, "a child is left");
	cr_assert_eq(errno, ECHILD);
}

Test(command, one_that_never_ran_is_gone)
{
	cr_assert_eq(live_command_fork(&ctx, (char *const[]){ "sleep", "100", NULL },
				       &command),
		     0);
	live_command_release(&command);
	cr_assert_eq(waitpid(-1, NULL, WNOHANG), -1);
	cr_assert_eq(errno, ECHILD);
	live_command_release(&command);
}

Test(command, killed_before_it_may_run_it_has_ended)
{
	cr_assert_eq(live_command_fork(&ctx, (char *const[]){ "sleep", "100", NULL },
				       &command),
		     0);
	kill(command.pid, SIGKILL);
	usleep(20000);
	/* SIGPIPE would end this process. */
	cr_assert_eq(live_command_run(&ctx, &command), 0);
	while (!live_command_ended(&command))
		usleep(1000);
	cr_assert_eq(live_command_status(&command), 128 + SIGKILL);
	live_command_release(&command);
}

Test(command, its_end_can_be_waited_for)
{
	struct pollfd fd = { .events = POLLIN };

	cr_assert_eq(run((char *const[]){ "sleep", "0.1", NULL }), 0);
	if (command.ended < 0)
		cr_skip("this kernel has no pidfd_open()");
	fd.fd = command.ended;
	cr_assert_eq(poll(&fd, 1, 0), 0);
	cr_assert_eq(poll(&fd, 1, 60000), 1);
	cr_assert(live_command_ended(&command));
	live_command_release(&command);
}

Test(command, it_is_told_to_end_once)
{
	cr_assert_eq(run((char *const[]){ "sleep", "100", NULL }), 0);
	live_command_end(&command);
	cr_assert(live_command_wait(&command, 60000));
	cr_assert_eq(live_command_status(&command), 128 + SIGTERM);
	live_command_end(&command);
	live_command_release(&command);
	/* One that was told already is not told again. */
	cr_assert_eq(run((char *const[]){ "sleep", "0.2", NULL }), 0);
	atomic_store(&command.told, true);
	live_command_end(&command);
	cr_assert(live_command_wait(&command, 60000));
	cr_assert_eq(live_command_status(&command), 0);
	live_command_release(&command);
}

Test(command, without_a_pidfd_it_is_told_by_the_one_that_reaps)
{
	cr_assert_eq(run((char *const[]){ "sleep", "100", NULL }), 0);
	close(command.ended);
	command.ended = -1;
	live_command_end_early(&command);
	cr_assert_not(atomic_load(&command.told));
	live_command_end(&command);
	cr_assert(live_command_wait(&command, 60000));
	cr_assert_eq(live_command_status(&command), 128 + SIGTERM);
	live_command_release(&command);
}

Test(command, one_that_goes_on_is_waited_for_no_longer_than_said)
{
	signal(SIGTERM, SIG_IGN);
	cr_assert_eq(run((char *const[]){ "sleep", "100", NULL }), 0);
	live_command_end(&command);
	cr_assert_not(live_command_wait(&command, 20));
	kill(command.pid, SIGKILL);
	cr_assert(live_command_wait(&command, 60000));
	live_command_release(&command);
}

Test(command, it_has_none_of_our_files)
{
	cr_assert_eq(run((char *const[]){ "true", NULL }), 0);
	cr_assert(command.ended < 0 || fcntl(command.ended, F_GETFD) & FD_CLOEXEC);
	live_command_release(&command);
	cr_assert_eq(live_command_fork(&ctx, (char *const[]){ "true", NULL }, &command),
		     0);
	cr_assert(fcntl(command.go, F_GETFD) & FD_CLOEXEC);
	cr_assert(fcntl(command.failed, F_GETFD) & FD_CLOEXEC);
	live_command_release(&command);
}

Test(command, it_hears_the_signals_that_a_recorder_ignores)
{
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	cr_assert_eq(status_of("kill -PIPE $$; exit 3"), 128 + SIGPIPE);
	cr_assert_eq(status_of("kill -XFSZ $$; exit 3"), 128 + SIGXFSZ);
}
