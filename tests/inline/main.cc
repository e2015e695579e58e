#include "templates.hh"

int other(volatile int *seed);

namespace {

volatile int seed = 7;
volatile double wide = 7.5;
volatile unsigned char narrow = 7;

struct hidden {
	int twice(int n) const { return n + seed; }
	int fourth(int n) const { return twice(n) * twice(n + 1); }
};

int helper(int n)
{
	return hidden().fourth(n) + hidden().fourth(n + seed);
}

} // namespace

static inline int plain(int n)
{
	return helper(n) - seed;
}

extern "C" int outside(int n)
{
	auto inner = [n](int i) { return plain(i) ^ n; };

	return shapes::each(n, inner);
}

int main()
{
	return shapes::all(&seed) + shapes::all(&wide) + shapes::all(&narrow) +
	       outside(seed) + other(&seed);
}
