/* A process of somebody else's, for tests that root runs. */
#ifndef TESTS_UNIT_CHILD_H
#define TESTS_UNIT_CHILD_H

#include <criterion/criterion.h>
#include <grp.h>
#include <signal.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILD_NOBODY = 65534 };

/* With these user ids, the effective one's group, and @group beside it (0: none); it has this
 * program mapped, and waits for child_stop(). */
static inline pid_t child_start_with(uid_t real, uid_t effective, uid_t saved,
				     gid_t group)
{
	int ends[2];
	pid_t child;
	char byte;

	cr_assert_eq(pipe(ends), 0);
	child = fork();
	if (child == 0) {
		if (setgroups(group ? 1 : 0, &group) < 0 || setgid(effective) < 0 ||
		    setresuid(real, effective, saved) < 0 || write(ends[1], "", 1) < 0)
			_exit(1);
		pause();
	}
	close(ends[1]);
	cr_assert_eq(read(ends[0], &byte, 1), 1);
	close(ends[0]);
	return child;
}

/* Nobody's, in @group, too, if it is not 0. */
static inline pid_t child_start(gid_t group)
{
	return child_start_with(CHILD_NOBODY, CHILD_NOBODY, CHILD_NOBODY, group);
}

static inline void child_stop(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

#endif
