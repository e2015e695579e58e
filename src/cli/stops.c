/*
 * What the handler reads and writes is volatile, and set before the handler is. It makes only calls
 * that a signal handler may make.
 */
#include "cli/stops.h"

#include <errno.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

static const int stops[] = { SIGINT, SIGTERM, SIGHUP };
#define STOPS (sizeof(stops) / sizeof(stops[0]))

enum { SAME_REQUEST_NS = 1000000000 };

static struct ff_profile *volatile sampled; /* whom the first one stops */
static volatile sig_atomic_t stopped; /* by the first one */
static volatile sig_atomic_t sampling_over;
static void (*abandon_output)(void);
static volatile int64_t stopped_at; /* ns of CLOCK_MONOTONIC */

static int64_t clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void take_stop(int number, siginfo_t *info, void *context)
{
	static const char sentence[] = "\nflamefold: sampling is over, its result is "
				       "being written; once more ends "
				       "without it\n";
	/* Whoever was interrupted may be about to look at it. */
	int error = errno;
	/* timeout(1) signals its child and then its group, which the child is in; npm and
	 * others hand on the Ctrl-C that a terminal has sent to all. Nobody means that as a
	 * second one. */
	bool same_request =
		info->si_code != SI_KERNEL && clock_ns() - stopped_at < SAME_REQUEST_NS;

	(void)context;
	if (!stopped) {
		stopped = 1;
		stopped_at = clock_ns();
		if (!sampling_over)
			ff_record_stop(sampled);
		else if (write(STDERR_FILENO, sentence, sizeof(sentence) - 1) < 0)
			errno = error;
	} else if (!same_request) {
		abandon_output();
		signal(number, SIG_DFL);
		raise(number);
	}
	errno = error;
}

/* The shell of a script has SIGINT ignored by what it runs in the background; only SIGHUP
 * was ignored on purpose, by nohup. */
void stops_catch(struct ff_profile *p, void (*abandon)(void))
{
	/* What is just being read or written goes on. */
	struct sigaction action = { .sa_sigaction = take_stop,
				    .sa_flags = SA_RESTART | SA_SIGINFO };
	sigset_t set;

	sampled = p;
	abandon_output = abandon;
	sigemptyset(&set);
	for (size_t i = 0; i < STOPS; i++)
		sigaddset(&set, stops[i]);
	action.sa_mask = set;
	for (size_t i = 0; i < STOPS; i++) {
		struct sigaction before;

		if (sigaction(stops[i], NULL, &before) == 0 &&
		    (before.sa_handler == SIG_DFL || stops[i] != SIGHUP))
			sigaction(stops[i], &action, NULL);
	}
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

void stops_sampling_is_over(void)
{
	sampling_over = 1;
}

bool stops_came(void)
{
	return stopped;
}
