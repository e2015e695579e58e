// truth fp: gcc -DLIBRARY -O2 -fno-omit-frame-pointer -momit-leaf-frame-pointer -fPIC -shared -I$HERE -o libplt.so $SRC && gcc -O2 -fno-omit-frame-pointer -I$HERE -o $BIN $SRC -L. -lplt -Wl,-rpath,$PWD
// truth cet: gcc -DLIBRARY -O2 -fcf-protection -fno-omit-frame-pointer -momit-leaf-frame-pointer -fPIC -shared -I$HERE -o libplt.so $SRC && gcc -O2 -fcf-protection -Wl,-z,ibtplt -fno-omit-frame-pointer -I$HERE -o $BIN $SRC -L. -lplt -Wl,-rpath,$PWD
// truth noplt: gcc -DLIBRARY -O2 -fno-omit-frame-pointer -momit-leaf-frame-pointer -fPIC -fno-plt -shared -I$HERE -o libplt.so $SRC && gcc -O2 -fno-plt -fno-omit-frame-pointer -I$HERE -o $BIN $SRC -L. -lplt -Wl,-rpath,$PWD
// truth O2 (nofp): gcc -DLIBRARY -O2 -fPIC -shared -I$HERE -o libplt.so $SRC && gcc -O2 -I$HERE -o $BIN $SRC -L. -lplt -Wl,-rpath,$PWD
// truth preload: gcc -DLIBRARY -O2 -fno-omit-frame-pointer -momit-leaf-frame-pointer -fPIC -shared -Wl,-Bsymbolic -I$HERE -o libplt.so $SRC && strip libplt.so && gcc -O2 -fno-omit-frame-pointer -I$HERE -o $BIN $SRC -L. -lplt -Wl,-rpath,$PWD
// Calls into a shared library through the PLT, and from one of its functions to another.
#include "truth.h"

void lib_leaf(unsigned long n);
void lib_framed(unsigned long n);
void lib_calls(unsigned long n);
void lib_back(void (*function)(unsigned long), unsigned long n);

#ifdef LIBRARY
TRUTH_NOINLINE void lib_leaf(unsigned long n)
{
	TRUTH_SPIN(n);
}

void lib_framed(unsigned long n)
{
	TRUTH_FRAMED_SPIN(n);
}

void lib_calls(unsigned long n)
{
	lib_leaf(n);
	TRUTH_STAY();
}

void lib_back(void (*function)(unsigned long), unsigned long n)
{
	function(n);
	TRUTH_STAY();
}
#else
TRUTH_NOINLINE static void user(unsigned long n)
{
	lib_leaf(n);
	TRUTH_STAY();
}

TRUTH_NOINLINE static void user_framed(unsigned long n)
{
	lib_framed(n);
	TRUTH_STAY();
}

TRUTH_NOINLINE static void user_far(unsigned long n)
{
	lib_calls(n);
	TRUTH_STAY();
}

int main(void)
{
	while (truth_more()) {
		TRUTH("main;user;lib_leaf", user(10 * TRUTH_MS));
		TRUTH("main;user_far;lib_calls;lib_leaf", user_far(10 * TRUTH_MS));
		TRUTH("main;lib_back;user;lib_leaf", lib_back(user, 10 * TRUTH_MS));
		TRUTH("main;user_framed;lib_framed", user_framed(10 * TRUTH_MS));
	}
	return 0;
}
#endif
