// truth fork: gcc -O2 -fno-omit-frame-pointer -I$HERE -o $BIN $SRC
// truth exec: gcc -O2 -DEXEC -fno-omit-frame-pointer -I$HERE -o $BIN $SRC
// truth exec-O2 (nofp): gcc -O2 -DEXEC -I$HERE -o $BIN $SRC
// Processes that the program starts: they go on in its code, or in that of another run of it.
#include "truth.h"
#include <sys/wait.h>

TRUTH_NOINLINE static void leaf(unsigned long n)
{
	TRUTH_FRAMED_SPIN(n);
}

TRUTH_NOINLINE static void child_work(unsigned long n)
{
	leaf(n);
	TRUTH_STAY();
}

TRUTH_NOINLINE static void parent_work(unsigned long n)
{
	leaf(n);
	TRUTH_STAY();
}

TRUTH_NOINLINE static void child(char **argv)
{
#ifdef EXEC
	char *again[] = { argv[0], "again", NULL };

	execv("/proc/self/exe", again);
#else
	memset(truth_stacks, 0, sizeof(truth_stacks));
	for (int i = 0; i < 10; i++)
		TRUTH("main;child;child_work;leaf", child_work(10 * TRUTH_MS));
	truth_write();
	(void)argv;
#endif
	_exit(0);
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		for (int i = 0; i < 10; i++)
			TRUTH("main;child_work;leaf", child_work(10 * TRUTH_MS));
		return 0;
	}
	while (truth_more()) {
		pid_t pid = fork();

		if (pid == 0)
			child(argv);
		for (int i = 0; i < 10; i++)
			TRUTH("main;parent_work;leaf", parent_work(10 * TRUTH_MS));
		waitpid(pid, NULL, 0);
	}
	return 0;
}
