// truth fp: g++ -O2 -fno-omit-frame-pointer -I$HERE -o $BIN $SRC
// truth clang: clang++ -O2 -fno-omit-frame-pointer -I$HERE -o $BIN $SRC
// truth O2 (nofp): g++ -O2 -I$HERE -o $BIN $SRC
// Functions without names of their own, operators with strange ones, and clones of one function.
#include "truth.h"

template <typename F> TRUTH_NOINLINE static void applies(F f, unsigned long n)
{
	f(n);
	TRUTH_STAY();
}

struct number {
	unsigned long n;
};

TRUTH_NOINLINE static number operator<<(number a, number b)
{
	TRUTH_FRAMED_SPIN(a.n + b.n);
	return a;
}

TRUTH_NOINLINE static number operator""_spins(unsigned long long n)
{
	TRUTH_FRAMED_SPIN(n);
	return { n };
}

TRUTH_NOINLINE static void shifts(unsigned long n)
{
	number{ n } << number{ 1 };
	TRUTH_STAY();
}

int main()
{
	auto named = [](unsigned long n) TRUTH_NOINLINE { TRUTH_FRAMED_SPIN(n); };

	while (truth_more()) {
		TRUTH("main;applies<*>;main::{lambda*}::operator()|main::$_*::operator()", applies(named, 10 * TRUTH_MS));
		TRUTH("main;shifts;operator<<", shifts(10 * TRUTH_MS));
		TRUTH("main;operator\"\"*_spins", 10000000_spins);
	}
	return 0;
}
