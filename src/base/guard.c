/*
 * A crash is left by siglongjmp() from the handler of its signal to where the library was called;
 * a process of its own for the library would cost a fork for each file. A signal tells its handler
 * nothing but the address, so what was called, and where to go, is kept by thread. Only an
 * access next to address 0 is left so: it has changed nothing, and comes of a pointer that nobody
 * looked at. After anything else memory may be as damaged as it likes, and the process ends, in
 * words. Rules for handlers: signal-safety(7), sigaltstack(2).
 */
#include "base/guard.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	WITHOUT_MEMORY = 1,
	CRASHED,
	NEXT_TO_NULL = 1 << 16,
	/* For the handler, where the stack itself is what has run out. */
	CRASH_STACK = 16 << 10,
};

struct guard {
	sigjmp_buf way_out;
	const struct guarded_library *library;
};

/* The innermost one; NULL outside of guard_run(). */
static _Thread_local struct guard *standing;
static _Thread_local const char *reading;
static atomic_bool catching;

void guard_leave_without_memory(void)
{
	if (!standing)
		abort(); /* the library is used outside of guard_run(): a bug */
	siglongjmp(standing->way_out, WITHOUT_MEMORY);
}

static void put_words(const char *text)
{
	size_t size = strlen(text);

	if (write(STDERR_FILENO, text, size) < 0)
		return;
}

/* Only what a signal's handler may use. */
__attribute__((noreturn)) static void end_with_sentence(int signal)
{
	const struct guarded_library *library = standing->library;

	put_words("flamefold: ");
	put_words(library->name);
	put_words(" crashed (");
	put_words(signal == SIGABRT ? "an assertion failed" : "an access to memory");
	put_words(") in ");
	put_words(library->material);
	if (reading) {
		put_words(" of '");
		put_words(reading);
		put_words("'");
	}
	if (library->cure) {
		put_words(": ");
		put_words(library->cure);
	}
	put_words("\n");
	_exit(1);
}

static void take_crash(int signal, siginfo_t *info, void *context)
{
	struct sigaction standard = { .sa_handler = SIG_DFL };

	(void)context;
	if (standing && signal == SIGSEGV && info->si_code > 0 &&
	    (uintptr_t)info->si_addr < NEXT_TO_NULL)
		siglongjmp(standing->way_out, CRASHED);
	if (standing)
		end_with_sentence(signal);
	/* Not ours: what has happened happens again. */
	sigaction(signal, &standard, NULL);
	if (info->si_code <= 0)
		raise(signal);
}

void guard_catch_crashes(void)
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGABRT };
	struct sigaction ours = { .sa_sigaction = take_crash,
				  .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK };

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
		struct sigaction there;

		if (sigaction(signals[i], NULL, &there) == 0 &&
		    !(there.sa_flags & SA_SIGINFO) && there.sa_handler == SIG_DFL &&
		    sigaction(signals[i], &ours, NULL) == 0)
			atomic_store(&catching, true);
	}
}

void guard_reading(const char *name)
{
	reading = name;
}

static int run_standing(const struct guarded_library *library, int (*job)(void *arg),
			void *arg)
{
	struct guard here = { .library = library }, *outer = standing;
	int err, from;

	errno = 0;
	standing = &here;
	/* Without the mask of signals: that costs a call of the kernel. */
	from = sigsetjmp(here.way_out, 0);
	if (from == 0)
		err = job(arg);
	else
		err = from == CRASHED ? -EFAULT : -ENOMEM;
	standing = outer;
	return err >= 0 && errno == ENOMEM ? -ENOMEM : err;
}

int guard_run(const struct guarded_library *library, int (*job)(void *arg), void *arg)
{
	stack_t before, room = { .ss_size = CRASH_STACK };
	char bytes[CRASH_STACK];
	bool has_room;
	int err, why;

	if (standing || !atomic_load(&catching))
		return run_standing(library, job, arg);
	room.ss_sp = bytes;
	has_room = sigaltstack(&room, &before) == 0;
	err = run_standing(library, job, arg);
	why = errno;
	if (has_room)
		sigaltstack(&before, NULL);
	errno = why;
	return err;
}
