// truth std: g++ -O2 -fno-omit-frame-pointer -pthread -I$HERE -o $BIN $SRC
// truth std-O2 (nofp): g++ -O2 -g -pthread -I$HERE -o $BIN $SRC
// std::thread: the library's own frames stand between the system's and the function.
#include "truth.h"
#include <thread>

TRUTH_NOINLINE static void leaf(unsigned long n)
{
	TRUTH_FRAMED_SPIN(n);
}

TRUTH_NOINLINE static void worker(unsigned long n)
{
	while (truth_more())
		TRUTH("worker;leaf", leaf(n));
}

int main()
{
	std::thread first(worker, 10 * TRUTH_MS), second(worker, 20 * TRUTH_MS);

	while (truth_more())
		TRUTH("main;leaf", leaf(10 * TRUTH_MS));
	first.join();
	second.join();
	return 0;
}
