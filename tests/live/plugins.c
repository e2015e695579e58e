/*
 * Loads a copy of each shared object in turn, calls plugin() of it, and deletes the copy at
 * once: after SECONDS of processor time nothing of what ran is left.
 *
 *	plugins SECONDS OBJECT...
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void copy(const char *from, const char *to)
{
	int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0700);
	struct stat st;

	if (in < 0 || out < 0 || fstat(in, &st) < 0 ||
	    sendfile(out, in, NULL, (size_t)st.st_size) != st.st_size)
		exit(3);
	close(in);
	close(out);
}

int main(int argc, char **argv)
{
	double end = argc > 2 ? now() + atof(argv[1]) : 0;
	char name[64];

	for (int number = 0; now() < end; number++) {
		void (*plugin)(void);
		void *object;

		snprintf(name, sizeof(name), "./copy-%d-%d.so", getpid(), number);
		copy(argv[2 + number % (argc - 2)], name);
		object = dlopen(name, RTLD_NOW);
		if (!object) {
			fprintf(stderr, "%s\n", dlerror());
			return 4;
		}
		plugin = (void (*)(void))dlsym(object, "plugin");
		plugin();
		unlink(name);
		dlclose(object);
	}
	return 0;
}
