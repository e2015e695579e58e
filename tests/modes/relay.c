/*
 * relay ROUNDS: four threads hand a token on over pipes. src sleeps, and wakes low, which wakes mid,
 * which wakes app; app tells src that the round is over.
 *
 *	timer -> src -> low -> mid -> app
 *
 * Each works for a while before it hands the token on, and behind it, when the next one can
 * run and does not. So the wait of app is for mid, that for low, that
 * for src, that for a timer: as far as each of them began to wait before app was woken, which
 * the threads write down.
 */
#include <pthread.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "known.h"

enum { SRC, LOW, MID, APP, RUNNERS, ROUNDS_MOST = 1000 };
enum { SLEEP = 20000000, WORK = 2000000 /* ns */ };

/* What one thread has seen of one round. */
struct seen {
	uint64_t wait, woken; /* before and behind the read(), or the sleep */
	uint64_t hand; /* before it hands the token on */
	bool blocked;
};

static struct seen seen[RUNNERS][ROUNDS_MOST];
static int pipes[RUNNERS][2]; /* those that each one reads */
static int rounds;
static const char *const names[] = { "src", "low", "mid", "app" };

NOINLINE static void take_token(int who)
{
	char token;

	if (read(pipes[who][0], &token, 1) != 1)
		abort();
	AFTERWARDS();
}

NOINLINE static void pass_token(int whom)
{
	if (write(pipes[whom][1], "", 1) != 1)
		abort();
	AFTERWARDS();
}

NOINLINE static void rest(void)
{
	sleep_ns(SLEEP);
	AFTERWARDS();
}

NOINLINE static void toil(void)
{
	work_ns(WORK);
	AFTERWARDS();
}

static void *runner(void *arg)
{
	int who = (int)(intptr_t)arg;

	prctl(PR_SET_NAME, names[who]);
	keep_processor();
	for (int i = 0; i < rounds; i++) {
		struct seen *s = &seen[who][i];
		long before = times_blocked();

		s->wait = now_ns();
		if (who == SRC)
			rest();
		else
			take_token(who);
		s->woken = now_ns();
		s->blocked = times_blocked() > before;
		toil();
		s->hand = now_ns();
		pass_token((who + 1) % RUNNERS);
		toil();
		if (who == SRC)
			take_token(SRC);
	}
	return NULL;
}

/* The waits of @who for its token in which everybody before it was woken, too. */
static void say_chain(int who)
{
	char frames[256];
	int n = snprintf(frames, sizeof(frames), "%s;take_token", names[who]);
	uint64_t whole = 0;

	for (int i = 0; i < rounds; i++) {
		const struct seen *s = &seen[who][i];
		int first = who;

		while (first > SRC && seen[first - 1][i].blocked &&
		       seen[first - 1][i].woken > s->wait)
			first--;
		if (s->blocked && first == SRC)
			whole += s->woken - s->wait;
	}
	for (int i = who - 1; i >= SRC; i--)
		n += snprintf(frames + n, sizeof(frames) - (size_t)n, ";--;pass_token;%s",
			      names[i]);
	snprintf(frames + n, sizeof(frames) - (size_t)n, ";--;[hardirq];$");
	say("chain", TIMES, whole, frames);
}

static void say_waits(int who)
{
	uint64_t waits = 0, until_woken = 0, until_run = 0;
	char frames[64];

	for (int i = 0; i < rounds; i++) {
		const struct seen *s = &seen[who][i];

		if (!s->blocked)
			continue;
		waits += s->woken - s->wait;
		if (who == SRC)
			continue;
		until_woken += seen[who - 1][i].hand - s->wait;
		until_run += s->woken - seen[who - 1][i].hand;
	}
	snprintf(frames, sizeof(frames), "%s;%s", names[who],
		 who == SRC ? "rest" : "take_token");
	say("offcpu", TIMES, waits, frames);
	say("chain", TIMES, waits, frames);
	if (who == SRC)
		return;
	snprintf(frames, sizeof(frames), "%s;take_token;--;pass_token;%s;$", names[who],
		 names[who - 1]);
	say("offwake", TIMES, waits, frames);
	snprintf(frames, sizeof(frames), "%s;pass_token;%s;$", names[who - 1],
		 names[who]);
	say("wakeup", TIMES, until_woken, frames);
	snprintf(frames, sizeof(frames), "%s;pass_token", names[who - 1]);
	say("schedlat", TIMES, until_run, frames);
	say_chain(who);
}

int main(int argc, char **argv)
{
	pthread_t ids[RUNNERS];

	rounds = argc > 1 ? atoi(argv[1]) : 30;
	if (rounds < 1 || rounds > ROUNDS_MOST)
		return 2;
	for (int i = 0; i < RUNNERS; i++)
		if (pipe(pipes[i]) != 0)
			return 1;
	for (int i = RUNNERS - 1; i >= SRC; i--)
		if (pthread_create(&ids[i], NULL, runner, (void *)(intptr_t)i) != 0)
			return 1;
	for (int i = SRC; i < RUNNERS; i++)
		pthread_join(ids[i], NULL);
	for (int who = SRC; who < RUNNERS; who++)
		say_waits(who);
	return 0;
}
