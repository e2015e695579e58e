/*
 * Two libraries come and go, mostly at one address:
 *
 *	main -> use_left  -> left_work  -> left_leaf
 *	main -> use_right -> right_work -> right_leaf
 *
 * usage: churn TIMES LEFT.so RIGHT.so
 */
#include "frame.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef unsigned work(unsigned n);

static volatile unsigned sink;
static void *places[2];

/* A library's function; the caller closes *@library. */
static work *load(const char *path, const char *name, void **library)
{
	work *ret;

	*library = dlopen(path, RTLD_NOW);
	ret = *library ? (work *)dlsym(*library, name) : NULL;
	if (!ret) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	return ret;
}

FRAME void use_left(work *left)
{
	sink += left(800000);
	AFTER_CALL();
}

FRAME void use_right(work *right)
{
	sink += right(800000);
	AFTER_CALL();
}

int main(int argc, char **argv)
{
	unsigned times = argc > 1 ? atoi(argv[1]) : 0, same = 0;

	if (argc < 4)
		return 2;
	for (unsigned i = 0; i < times; i++) {
		void *library;
		work *w = load(argv[2], "left_work", &library);

		places[0] = (void *)w;
		use_left(w);
		dlclose(library);
		w = load(argv[3], "right_work", &library);
		places[1] = (void *)w;
		use_right(w);
		dlclose(library);
		same += ((size_t)places[0] ^ (size_t)places[1]) < 65536;
	}
	printf("%u of %u times near each other\n", same, times);
	return 0;
}
