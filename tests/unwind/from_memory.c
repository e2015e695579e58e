/* Executes a program from a copy in memory: from_memory PROGRAM [ARGUMENT]... */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>

extern char **environ;

int main(int argc, char **argv)
{
	int from = argc > 1 ? open(argv[1], O_RDONLY) : -1,
	    to = memfd_create("copy", MFD_CLOEXEC);

	if (from < 0 || to < 0)
		return 1;
	while (sendfile(to, from, NULL, 1 << 20) > 0)
		;
	fexecve(to, argv + 1, environ);
	perror("fexecve");
	return 1;
}
