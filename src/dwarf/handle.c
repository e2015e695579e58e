/*
 * libdw may fail in ways that a library cannot: what it does then leaves to where it was called.
 * It tells its handler nothing, nor does a signal, so where to go is kept by thread.
 */
#include "dwarf/handle.h"

#include <errno.h>
#include <libelf.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	FROM_HANDLER = 1,
	FROM_CRASH,
	NEXT_TO_NULL = 1 << 16,
	/* For the handler, where the stack itself is what has run out. */
	CRASH_STACK = 16 << 10,
};

/* NULL outside of debug_guarded(). */
static _Thread_local sigjmp_buf *way_out;
static _Thread_local const char *reading;
static atomic_bool catching;

__attribute__((noreturn)) static void leave_job(void)
{
	if (!way_out)
		abort(); /* used outside of debug_guarded(): a bug */
	siglongjmp(*way_out, FROM_HANDLER);
}

static void put_sentence(const char *text)
{
	size_t size = strlen(text);

	if (write(STDERR_FILENO, text, size) < 0)
		return;
}

/* Only what a signal's handler may use. */
__attribute__((noreturn)) static void end_with_sentence(int signal)
{
	put_sentence("flamefold: libdw crashed (");
	put_sentence(signal == SIGABRT ? "an assertion failed" : "an access to memory");
	put_sentence(") in the debug information of '");
	put_sentence(reading ? reading : "?");
	put_sentence("': --no-inline does without\n");
	_exit(1);
}

static void crashed(int signal, siginfo_t *info, void *context)
{
	struct sigaction standard = { .sa_handler = SIG_DFL };

	(void)context;
	if (way_out && signal == SIGSEGV && info->si_code > 0 &&
	    (uintptr_t)info->si_addr < NEXT_TO_NULL)
		siglongjmp(*way_out, FROM_CRASH);
	if (way_out)
		end_with_sentence(signal);
	/* Not ours: what has happened happens again. */
	sigaction(signal, &standard, NULL);
	if (info->si_code <= 0)
		raise(signal);
}

void debug_catch_crashes(void)
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGABRT };
	struct sigaction ours = { .sa_sigaction = crashed,
				  .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK };

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
		struct sigaction there;

		if (sigaction(signals[i], NULL, &there) == 0 &&
		    !(there.sa_flags & SA_SIGINFO) && there.sa_handler == SIG_DFL &&
		    sigaction(signals[i], &ours, NULL) == 0)
			atomic_store(&catching, true);
	}
}

void debug_reading(const char *name)
{
	reading = name;
}

/* On return, too, where the lack of memory was taken for the end of what there is. */
static int run_guarded(int (*job)(void *arg), void *arg)
{
	sigjmp_buf here, *outer = way_out;
	int err, from;

	errno = 0;
	way_out = &here;
	/* Without the mask of signals: that costs a call of the kernel. */
	from = sigsetjmp(here, 0);
	if (from == 0)
		err = job(arg);
	else
		err = from == FROM_CRASH ? -EFAULT : -ENOMEM;
	way_out = outer;
	return err >= 0 && errno == ENOMEM ? -ENOMEM : err;
}

int debug_guarded(int (*job)(void *arg), void *arg)
{
	stack_t before, room = { .ss_size = CRASH_STACK };
	char bytes[CRASH_STACK];
	bool has_room;
	int err, why;

	if (way_out || !atomic_load(&catching))
		return run_guarded(job, arg);
	room.ss_sp = bytes;
	has_room = sigaltstack(&room, &before) == 0;
	err = run_guarded(job, arg);
	why = errno;
	if (has_room)
		sigaltstack(&before, NULL);
	errno = why;
	return err;
}

static int open_image(const struct debug_image *image, Elf **elf, Dwarf **dwarf)
{
	errno = 0;
	/* elf_memory() wants memory it could write; to read, it does not. */
	*elf = elf_memory((char *)image->bytes, image->size);
	if (!*elf)
		return -ENOMEM;
	*dwarf = dwarf_begin_elf(*elf, DWARF_C_READ, NULL);
	if (!*dwarf)
		return errno == ENOMEM ? -ENOMEM : -EBADMSG;
	dwarf_new_oom_handler(*dwarf, leave_job);
	return 0;
}

struct opening {
	const struct debug_image *image, *alternate;
	struct debug_handle h;
};

static int open_in_guard(void *arg)
{
	struct opening *o = arg;
	int err = open_image(o->image, &o->h.elf, &o->h.dwarf);

	if (err == 0 && o->alternate) {
		err = open_image(o->alternate, &o->h.alternate_elf, &o->h.alternate);
		if (err == 0)
			dwarf_setalt(o->h.dwarf, o->h.alternate);
	}
	return err;
}

int debug_handle_open(const struct debug_image *image,
		      const struct debug_image *alternate, struct debug_handle *ret)
{
	struct opening o = { .image = image, .alternate = alternate };
	int err = debug_guarded(open_in_guard, &o);

	if (err == 0)
		*ret = o.h;
	else if (err != -EFAULT)
		debug_handle_close(&o.h);
	return err;
}

void debug_handle_forget(struct debug_handle *h)
{
	*h = (struct debug_handle){ 0 };
}

void debug_handle_close(struct debug_handle *h)
{
	dwarf_end(h->dwarf);
	dwarf_end(h->alternate);
	elf_end(h->elf);
	elf_end(h->alternate_elf);
	*h = (struct debug_handle){ 0 };
}
