// truth deleted: gcc -O2 -fno-omit-frame-pointer -DDELETE -I$HERE -o $BIN $SRC
// run deleted: cp $BIN $BIN.copy && exec $BIN.copy $BIN.copy
// truth replaced: gcc -O2 -fno-omit-frame-pointer -DREPLACE -I$HERE -o $BIN $SRC && gcc -O0 -I$HERE -o $BIN.other $SRC
// run replaced: cp $BIN $BIN.copy && cp $BIN.other $BIN.next && exec $BIN.copy $BIN.copy $BIN.next
// The program's file is deleted, or another one's in its place, before anybody asks for names. No
// name is better than another's: a stack that is not named is wrong here all the same.
#include "truth.h"

TRUTH_NOINLINE static void leaf(unsigned long n)
{
	TRUTH_FRAMED_SPIN(n);
}

TRUTH_NOINLINE static void work(unsigned long n)
{
	leaf(n);
	TRUTH_STAY();
}

int main(int argc, char **argv)
{
	while (truth_more()) {
		TRUTH("main;work;leaf", work(10 * TRUTH_MS));
		TRUTH("main;leaf", leaf(10 * TRUTH_MS));
	}
	if (argc > 1) {
#if defined(REPLACE)
		if (rename(argv[2], argv[1]) != 0)
			return 1;
#else
		unlink(argv[1]);
#endif
	}
	return 0;
}
