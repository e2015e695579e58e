/*
 * convoy FILE: threads queue for a mutex, each of which holds it in its sleep for a known time, and
 * then for the lock of an inode: those who write a little wait for who writes much. FILE is
 * removed.
 */
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "known.h"

enum { CARS = 4, TURNS = 8, HOLD = 4000000 /* ns */ };
enum { MUCH = 96 << 20, LITTLE = 1 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t start;
static uint64_t waited[CARS], blocked[CARS];
static int file;
static struct car {
	pthread_t id;
	int number;
} cars[CARS];

NOINLINE static void wait_turn(void)
{
	pthread_mutex_lock(&mutex);
	AFTERWARDS();
}

NOINLINE static void hold(void)
{
	sleep_ns(HOLD);
	AFTERWARDS();
}

static void *drive(void *arg)
{
	struct car *car = arg;
	char name[16];

	snprintf(name, sizeof(name), "car%d", car->number);
	prctl(PR_SET_NAME, name);
	keep_processor();
	pthread_barrier_wait(&start);
	for (int i = 0; i < TURNS; i++) {
		long before = times_blocked();
		uint64_t begin = now_ns();

		wait_turn();
		if (times_blocked() > before)
			waited[car->number] += now_ns() - begin;
		hold();
		pthread_mutex_unlock(&mutex);
		/* Who comes back at once would take it from those who were woken. */
		sleep_ns(100000);
	}
	return NULL;
}

NOINLINE static void write_behind(void)
{
	if (pwrite(file, "", 1, 0) != 1)
		exit(1);
	AFTERWARDS();
}

/* Comes when the long write has begun, and waits for its end. */
static void *van(void *arg)
{
	struct car *car = arg;
	long before;
	uint64_t begin;

	sleep_ns(3000000);
	before = times_blocked();
	begin = now_ns();
	write_behind();
	if (times_blocked() > before)
		blocked[car->number] = now_ns() - begin;
	return NULL;
}

static void say_locks(void)
{
	char *much = calloc(1, MUCH);
	uint64_t sum = 0;

	if (!much)
		exit(1);
	memset(much, 'x', MUCH);
	for (int i = 0; i < CARS; i++)
		if (pthread_create(&cars[i].id, NULL, van, &cars[i]) != 0)
			exit(1);
	if (pwrite(file, much, MUCH, 0) < 0)
		exit(1);
	for (int i = 0; i < CARS; i++) {
		pthread_join(cars[i].id, NULL);
		sum += blocked[i];
	}
	say("locks", TIMES, sum, "write_behind");
	say("offcpu", TIMES, sum, "write_behind");
	free(much);
}

int main(int argc, char **argv)
{
	char frames[64];

	if (argc != 2)
		return 2;
	file = open(argv[1], O_CREAT | O_TRUNC | O_RDWR, 0600);
	if (file < 0 || unlink(argv[1]) != 0)
		return 1;
	pthread_barrier_init(&start, NULL, CARS);
	for (int i = 0; i < CARS; i++) {
		cars[i].number = i;
		if (pthread_create(&cars[i].id, NULL, drive, &cars[i]) != 0)
			return 1;
	}
	for (int i = 0; i < CARS; i++)
		pthread_join(cars[i].id, NULL);
	for (int i = 0; i < CARS; i++) {
		snprintf(frames, sizeof(frames), "car%d;wait_turn", i);
		say("futex", TIMES, waited[i], frames);
		say("offcpu", TIMES, waited[i], frames);
	}
	say_locks();
	return 0;
}
