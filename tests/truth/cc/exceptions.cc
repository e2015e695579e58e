// truth fp: g++ -O2 -fno-omit-frame-pointer -I$HERE -o $BIN $SRC
// truth O2 (nofp): g++ -O2 -I$HERE -o $BIN $SRC
// Work in what runs while an exception is on its way, and where it is caught.
#include "truth.h"

TRUTH_NOINLINE static void leaf(unsigned long n)
{
	TRUTH_FRAMED_SPIN(n);
}

struct guard {
	TRUTH_NOINLINE ~guard()
	{
		leaf(10 * TRUTH_MS);
		TRUTH_STAY();
	}
};

__attribute__((cold)) TRUTH_NOINLINE static void throws(int n)
{
	leaf(10 * TRUTH_MS);
	if (n)
		throw n;
}

TRUTH_NOINLINE static void guarded(int n)
{
	guard g;

	throws(n);
}

TRUTH_NOINLINE static void catches(int n)
{
	uint64_t begin = truth_now();

	try {
		guarded(n);
	} catch (int) {
		uint64_t caught = truth_now();

		truth_add("main;catches;guarded;throws;leaf", (caught - begin) / 2);
		truth_add("main;catches;guarded;guard::~guard;leaf", (caught - begin) / 2);
		TRUTH("main;catches;leaf", leaf(10 * TRUTH_MS));
	}
}

int main()
{
	while (truth_more())
		catches(1);
	return 0;
}
