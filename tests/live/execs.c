/*
 * A chain of programs in one process: each works 30 ms in its function NAME, makes a copy of
 * the next one, deletes its own file and becomes that copy. It ends after LEFT of them.
 *
 *	execs LEFT THIS NEXT		both built of this file
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static double processor_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static volatile unsigned sink;

__attribute__((noinline)) void NAME(void)
{
	double end = processor_time() + 0.03;

	do {
		for (unsigned i = 0; i < 20000; i++)
			sink += i * i;
	} while (processor_time() < end);
}

static void copy(const char *from, const char *to)
{
	int in = open(from, O_RDONLY | O_CLOEXEC);
	int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
	struct stat st;

	if (in < 0 || out < 0 || fstat(in, &st) < 0 ||
	    sendfile(out, in, NULL, (size_t)st.st_size) != st.st_size)
		exit(3);
	close(in);
	close(out);
}

int main(int argc, char **argv)
{
	char left[16], name[64];

	if (argc != 4)
		return 2;
	NAME();
	if (strncmp(argv[0], "./exec-", 7) == 0)
		unlink(argv[0]);
	if (atoi(argv[1]) <= 0)
		return 0;
	snprintf(left, sizeof(left), "%d", atoi(argv[1]) - 1);
	snprintf(name, sizeof(name), "./exec-%d-%s", getpid(), left);
	copy(argv[3], name);
	execl(name, name, left, argv[3], argv[2], NULL);
	return 4;
}
