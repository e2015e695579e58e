// truth fp: gcc -O2 -fsplit-stack -fno-omit-frame-pointer -fuse-ld=gold -I$HERE -o $BIN $SRC || gcc -O2 -fsplit-stack -fno-omit-frame-pointer -I$HERE -o $BIN $SRC
// truth threads: gcc -O2 -DTHREAD -pthread -fsplit-stack -fno-omit-frame-pointer -I$HERE -o $BIN $SRC
// Stacks in pieces: a function that needs much gets another piece.
#include "truth.h"
#include <pthread.h>

TRUTH_NOINLINE static void leaf(unsigned long n)
{
	TRUTH_FRAMED_SPIN(n);
}

TRUTH_NOINLINE static void large(unsigned long n)
{
	volatile char room[200000];

	room[n % sizeof(room)] = 1;
	leaf(n);
	room[n % sizeof(room)]++;
}

TRUTH_NOINLINE static void larger(unsigned long n)
{
	volatile char room[400000];

	room[n % sizeof(room)] = 1;
	large(n);
	room[n % sizeof(room)]++;
}

#ifdef THREAD
#define ROOT "thread;"
static void *thread(void *unused)
#else
#define ROOT "main;"
int main(void)
#endif
{
	while (truth_more()) {
		TRUTH(ROOT "large;leaf", large(10 * TRUTH_MS));
		TRUTH(ROOT "larger;large;leaf", larger(10 * TRUTH_MS));
		TRUTH(ROOT "leaf", leaf(10 * TRUTH_MS));
	}
	return 0;
#ifdef THREAD
	(void)unused;
#endif
}

#ifdef THREAD
int main(void)
{
	pthread_attr_t attributes;
	pthread_t handle;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 1 << 17);
	pthread_create(&handle, &attributes, thread, NULL);
	pthread_join(handle, NULL);
	return 0;
}
#endif
