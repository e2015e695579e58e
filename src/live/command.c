/*
 * The command to sample is forked at once and execs only when its events are open, so that
 * not one instruction of it is missed (the events have enable_on_exec, perf_event_open(2)).
 * Until then it waits for a byte; whether exec succeeds it tells through a pipe that exec
 * itself closes. Its end is seen on a pidfd, because SIGCHLD belongs to the library's caller.
 *
 *	caller		go	child
 *	 open events	 ...	 read() waits
 *	 write()  -----------> 	 exec
 *	 read()   <-----------	 errno, or the end of the file: exec closes its end
 *			failed
 */
#include "live/command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* The system call has a number of its own on few machines only, none of which we have. */
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif

enum { LOOK_AGAIN_MS = 10 /* where there is no pidfd */ };

static void close_pipe(int pipe[2])
{
	close(pipe[0]);
	close(pipe[1]);
}

int live_command_fork(struct context *ctx, char *const *argv, struct live_command *ret)
{
	int go[2], failed[2];
	pid_t pid;

	/* No pipe: writing to one that nobody reads kills by SIGPIPE. */
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, go) < 0)
		return fail(ctx, -errno, "cannot make a socket: %s", strerror(errno));
	if (pipe2(failed, O_CLOEXEC) < 0) {
		int err = -errno;

		close_pipe(go);
		return fail(ctx, err, "cannot make a pipe: %s", strerror(-err));
	}
	pid = fork();
	if (pid < 0) {
		int err = -errno;

		close_pipe(go);
		close_pipe(failed);
		return fail(ctx, err, "cannot start '%s': %s", argv[0], strerror(-err));
	}
	if (pid == 0) {
		int err = ENOENT;
		char word;
		ssize_t got;

		/* The end of the caller's pipe is to be seen. */
		close(go[1]);
		/* Which a recorder ignores, and what it runs should not. */
		signal(SIGPIPE, SIG_DFL);
		signal(SIGXFSZ, SIG_DFL);
		do
			got = read(go[0], &word, 1);
		while (got < 0 && errno == EINTR);
		if (got == 1) {
			execvp(argv[0], argv);
			err = errno;
			/* Nobody is left to hear it if that fails. */
			got = write(failed[1], &err, sizeof(err));
		}
		/* As a shell. */
		_exit(err == ENOENT ? 127 : 126);
	}
	close(go[0]);
	close(failed[1]);
	*ret = (struct live_command){ .pid = pid,
				      .go = go[1],
				      .failed = failed[0],
				      .ended = (int)syscall(SYS_pidfd_open, pid, 0),
				      .name = argv[0] };
	return 0;
}

static void reap(struct live_command *c)
{
	pid_t got;

	do
		got = waitpid(c->pid, &c->status, 0);
	while (got < 0 && errno == EINTR);
	c->reaped = true;
}

/* -1 is as good as a closed one. */
static void close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

int live_command_run(struct context *ctx, struct live_command *c)
{
	int err = 0;
	ssize_t got;

	do
		got = send(c->go, "", 1, MSG_NOSIGNAL);
	while (got < 0 && errno == EINTR);
	close_end(&c->go);
	do
		got = read(c->failed, &err, sizeof(err));
	while (got < 0 && errno == EINTR);
	close_end(&c->failed);
	/* The end of the file: exec has closed the other end. */
	if (got != (ssize_t)sizeof(err)) {
		c->running = true;
		return 0;
	}
	/* As in a shell, which exits with 127 where a program is not there, else with 126. */
	reap(c);
	if (err == ENOENT && !strchr(c->name, '/'))
		return fail(ctx, -err, "there is no command '%s'", c->name);
	return fail(ctx, -err, "cannot run '%s': %s", c->name, strerror(err));
}

bool live_command_ended(struct live_command *c)
{
	pid_t got;

	if (!c->pid || c->reaped)
		return c->reaped;
	got = waitpid(c->pid, &c->status, WNOHANG);
	/* Where SIGCHLD is ignored, by whom the caller was started by, the kernel has reaped
	 * it, and its status is lost. */
	c->reaped = got == c->pid || (got < 0 && errno == ECHILD);
	return c->reaped;
}

/* By the pidfd alone: another thread calls it, and meanwhile the command may be reaped
 * and its pid given away. */
void live_command_end_early(struct live_command *c)
{
	if (c->ended >= 0 && !atomic_exchange(&c->told, true))
		syscall(SYS_pidfd_send_signal, c->ended, SIGTERM, NULL, 0);
}

void live_command_end(struct live_command *c)
{
	/* Its pid may be another's then. */
	if (!c->pid || live_command_ended(c))
		return;
	live_command_end_early(c);
	if (!atomic_exchange(&c->told, true))
		kill(c->pid, SIGTERM);
}

bool live_command_wait(struct live_command *c, int ms)
{
	struct pollfd fd = { .fd = c->ended, .events = POLLIN };

	if (!c->pid || live_command_ended(c))
		return true;
	if (c->ended >= 0)
		poll(&fd, 1, ms);
	for (; c->ended < 0 && ms > 0 && !live_command_ended(c); ms -= LOOK_AGAIN_MS)
		poll(NULL, 0, LOOK_AGAIN_MS);
	return live_command_ended(c);
}

int live_command_status(const struct live_command *c)
{
	if (WIFSIGNALED(c->status))
		return 128 + WTERMSIG(c->status);
	return WEXITSTATUS(c->status);
}

void live_command_release(struct live_command *c)
{
	if (!c->pid)
		return;
	close_end(&c->go);
	close_end(&c->failed);
	close_end(&c->ended);
	/* Without its end of the pipe it exits by itself. */
	if (!c->running && !c->reaped)
		reap(c);
	*c = (struct live_command){ .go = -1, .failed = -1, .ended = -1 };
}
