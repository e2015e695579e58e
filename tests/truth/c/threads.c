// truth fp: gcc -O2 -fno-omit-frame-pointer -momit-leaf-frame-pointer -pthread -I$HERE -o $BIN $SRC
// truth O2 (nofp): gcc -O2 -pthread -I$HERE -o $BIN $SRC
// truth static: gcc -O2 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -static -pthread -I$HERE -o $BIN $SRC
// truth musl: musl-gcc -O2 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -pthread -I$HERE -o $BIN $SRC
// truth c11: gcc -O2 -DC11 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -pthread -I$HERE -o $BIN $SRC
// Three threads, each of them with stacks of its own; the main thread waits.
#include "truth.h"
#include <pthread.h>
#include <threads.h>

TRUTH_NOINLINE static void leaf(unsigned long n)
{
	TRUTH_FRAMED_SPIN(n);
}

TRUTH_NOINLINE static void work(unsigned long n)
{
	leaf(n);
	TRUTH_STAY();
}

__attribute__((always_inline)) static inline void first(void)
{
	TRUTH("first_thread;work;leaf", work(10 * TRUTH_MS));
	TRUTH("first_thread;leaf", leaf(5 * TRUTH_MS));
}

#ifdef C11
#define RETURNS int
#define START(thread, function) thrd_create(thread, function, NULL)
#define WAIT(thread) thrd_join(thread, NULL)
typedef thrd_t handle;
#else
#define RETURNS void *
#define START(thread, function) pthread_create(thread, NULL, function, NULL)
#define WAIT(thread) pthread_join(thread, NULL)
typedef pthread_t handle;
#endif

static RETURNS first_thread(void *unused)
{
	(void)unused;
	while (truth_more())
		first();
	return 0;
}

static RETURNS second_thread(void *unused)
{
	(void)unused;
	while (truth_more())
		TRUTH("second_thread;work;leaf", work(10 * TRUTH_MS));
	return 0;
}

int main(void)
{
	handle threads[3];

	START(threads, first_thread);
	START(threads + 1, second_thread);
	START(threads + 2, second_thread);
	for (int i = 0; i < 3; i++)
		WAIT(threads[i]);
	return 0;
}
