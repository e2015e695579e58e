#include "base/guard.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct guarded_library library = {
	.name = "libthat",
	.material = "the tables",
	.cure = "--no-tables does without",
};
static const struct guarded_library incurable = { "libother", "the format", NULL };

static int answer(void *arg)
{
	return *(int *)arg;
}

Test(guard, the_result_is_that_of_the_job)
{
	cr_expect_eq(guard_run(&library, answer, &(int){ 42 }), 42);
	cr_expect_eq(guard_run(&library, answer, &(int){ -EBADMSG }), -EBADMSG);
}

static int leave(void *arg)
{
	(void)arg;
	guard_leave_without_memory();
}

Test(guard, a_library_without_memory_leaves_the_job)
{
	cr_expect_eq(guard_run(&library, leave, NULL), -ENOMEM);
}

static int guarded_again(void *arg)
{
	return guard_run(&incurable, leave, arg) == -ENOMEM ? 7 : 8;
}

Test(guard, guards_stand_in_each_other)
{
	cr_expect_eq(guard_run(&library, guarded_again, NULL), 7);
}

static int without_memory(void *arg)
{
	(void)arg;
	errno = ENOMEM;
	return 0;
}

Test(guard, what_there_was_no_memory_for_is_not_taken_for_nothing)
{
	cr_expect_eq(guard_run(&library, without_memory, NULL), -ENOMEM);
}

/* Sanitizers handle these signals themselves, and allow no stack to run out. */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
static int read_nothing(void *arg)
{
	int *volatile nothing = arg;

	return nothing[7];
}

/* As where libdw looks into what it had no memory for. */
Test(guard, a_crash_leaves_the_job_and_the_next_one_runs)
{
	guard_catch_crashes();
	for (int i = 0; i < 3; i++)
		cr_expect_eq(guard_run(&library, read_nothing, NULL), -EFAULT);
	cr_expect_eq(guard_run(&library, answer, &(int){ 42 }), 42);
}

static int crash_inside(void *arg)
{
	int err = guard_run(&incurable, read_nothing, arg);

	return err == -EFAULT ? read_nothing(arg) : err;
}

Test(guard, each_crash_leaves_the_innermost_job)
{
	guard_catch_crashes();
	cr_expect_eq(guard_run(&library, crash_inside, NULL), -EFAULT);
}

static int deep(void *arg)
{
	volatile char room[1 << 16];

	room[0] = room[sizeof(room) - 1] = 0;
	return arg ? deep(arg) + room[0] : 0;
}

/* There is no stack left for whoever handles that, either. */
Test(guard, a_stack_that_runs_out_ends_the_process_with_a_sentence, .exit_code = 1)
{
	guard_catch_crashes();
	guard_run(&library, deep, &(int){ 1 });
}

Test(guard, elsewhere_a_crash_is_a_crash, .signal = SIGSEGV)
{
	guard_catch_crashes();
	cr_expect_eq(read_nothing(NULL), 0);
}

static int fail_assertion(void *arg)
{
	(void)arg;
	abort();
}

/* What a process says, and its exit status, whose library fails an assertion in a file of that name. */
static int last_words(const struct guarded_library *l, const char *name, char *ret,
		      size_t room)
{
	ssize_t size = 0, n;
	int ends[2], status;
	pid_t pid;

	cr_assert_eq(pipe(ends), 0);
	pid = fork();
	cr_assert_geq(pid, 0);
	if (pid == 0) {
		dup2(ends[1], STDERR_FILENO);
		guard_catch_crashes();
		guard_reading(name);
		_exit(guard_run(l, fail_assertion, NULL));
	}
	close(ends[1]);
	while ((n = read(ends[0], ret + size, room - 1 - (size_t)size)) > 0)
		size += n;
	ret[size] = '\0';
	close(ends[0]);
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

Test(guard, an_assertion_ends_the_process_with_the_name_of_the_library_and_the_file)
{
	char words[256];

	/* Criterion has handlers of its own. */
	signal(SIGABRT, SIG_DFL);
	cr_expect_eq(last_words(&library, "libthis.so", words, sizeof(words)), 1);
	cr_expect_str_eq(words, "flamefold: libthat crashed (an assertion failed) in "
				"the tables of 'libthis.so': --no-tables does without\n");
	cr_expect_eq(last_words(&incurable, NULL, words, sizeof(words)), 1);
	cr_expect_str_eq(words, "flamefold: libother crashed (an assertion failed) in "
				"the format\n");
}
#endif
