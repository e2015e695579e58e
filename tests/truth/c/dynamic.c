// truth fp: gcc -DLIBRARY -O2 -fno-omit-frame-pointer -fPIC -shared -o one.so $SRC -I$HERE && cp one.so two.so && gcc -O2 -fno-omit-frame-pointer -I$HERE -o $BIN $SRC -ldl
// truth O2 (nofp): gcc -DLIBRARY -O2 -fPIC -shared -o one.so $SRC -I$HERE && cp one.so two.so && gcc -O2 -I$HERE -o $BIN $SRC -ldl
// Libraries that are opened, used and closed again, one at another's addresses.
#include "truth.h"
#include <dlfcn.h>

#ifdef LIBRARY
TRUTH_NOINLINE void plugin_leaf(unsigned long n)
{
	TRUTH_FRAMED_SPIN(n);
}

void plugin(unsigned long n)
{
	plugin_leaf(n);
	TRUTH_STAY();
}
#else
TRUTH_NOINLINE static void use(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);
	void (*plugin)(unsigned long) =
		library ? (void (*)(unsigned long))dlsym(library, "plugin") : NULL;

	if (!plugin)
		exit(1);
	TRUTH("main;use;plugin;plugin_leaf", plugin(20 * TRUTH_MS));
	dlclose(library);
}

int main(void)
{
	while (truth_more()) {
		use("./one.so");
		use("./two.so");
	}
	return 0;
}
#endif
