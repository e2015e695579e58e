/*
 * Loads libraries one after the other and works in each: reload SECONDS LIBRARY...
 *
 * Prints the address at which each one's function lies.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "now.h"

static int work_in(const char *path, double seconds)
{
	void *library = dlopen(path, RTLD_NOW);
	void (*const *work)(void) = library ? dlsym(library, "work") : NULL;
	double end = now() + seconds;

	if (!work) {
		fprintf(stderr, "reload: %s\n", dlerror());
		return 1;
	}
	printf("%p\n", (void *)*work);
	while (now() < end)
		(*work)();
	return dlclose(library);
}

int main(int argc, char **argv)
{
	for (int i = 2; i < argc; i++)
		if (work_in(argv[i], atof(argv[1])))
			return 1;
	return 0;
}
