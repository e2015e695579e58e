// truth fp: g++ -O2 -fno-omit-frame-pointer -I$HERE -o $BIN $SRC
// truth O0: g++ -O0 -I$HERE -o $BIN $SRC
// truth O2-g (nofp): g++ -O2 -g -I$HERE -o $BIN $SRC
// truth clang: clang++ -O2 -fno-omit-frame-pointer -I$HERE -o $BIN $SRC
// truth static: g++ -O2 -fno-omit-frame-pointer -static -I$HERE -o $BIN $SRC
// Virtual functions, templates, lambdas, an operator, std::function, std::sort's callback.
#include "truth.h"
#include <algorithm>
#include <functional>
#include <vector>

namespace shapes
{
struct shape {
	virtual ~shape() = default;
	virtual void draw(unsigned long n) const = 0;
};

struct circle : shape {
	TRUTH_NOINLINE void draw(unsigned long n) const override
	{
		TRUTH_FRAMED_SPIN(n);
	}
};

struct square : shape {
	TRUTH_NOINLINE void edge(unsigned long n) const
	{
		TRUTH_SPIN(n);
	}
	TRUTH_NOINLINE void draw(unsigned long n) const override
	{
		edge(n);
		TRUTH_STAY();
	}
};

template <typename T> struct holder {
	TRUTH_NOINLINE void spend(T n)
	{
		TRUTH_FRAMED_SPIN(static_cast<unsigned long>(n));
	}
};

template <typename T, int N> TRUTH_NOINLINE void work(T n)
{
	holder<T>().spend(n * N);
	TRUTH_STAY();
}
} // namespace shapes

namespace
{
TRUTH_NOINLINE void draws(const shapes::shape &s, unsigned long n)
{
	s.draw(n);
	TRUTH_STAY();
}

TRUTH_NOINLINE void hidden(unsigned long n)
{
	shapes::work<unsigned, 2>(static_cast<unsigned>(n));
	TRUTH_STAY();
}
} // namespace

struct functor {
	TRUTH_NOINLINE bool operator()(unsigned long n) const
	{
		TRUTH_FRAMED_SPIN(n);
		return true;
	}
};

TRUTH_NOINLINE static void applies(const std::function<bool(unsigned long)> &f, unsigned long n)
{
	f(n);
	TRUTH_STAY();
}

TRUTH_NOINLINE static bool before(int a, int b)
{
	TRUTH_FRAMED_SPIN(1000);
	return a < b;
}

TRUTH_NOINLINE static void sorts(unsigned n)
{
	std::vector<int> v(n);

	for (unsigned i = 0; i < n; i++)
		v[i] = static_cast<int>(i * 7919 % 1009);
	std::sort(v.begin(), v.end(), before);
}

int main()
{
	const shapes::circle c;
	const shapes::square s;
	const functor f;

	while (truth_more()) {
		TRUTH("main;(anonymous namespace)::draws;shapes::circle::draw", draws(c, 10 * TRUTH_MS));
		TRUTH("main;(anonymous namespace)::draws;shapes::square::draw;shapes::square::edge", draws(s, 10 * TRUTH_MS));
		TRUTH("main;(anonymous namespace)::hidden;shapes::work<unsigned int, 2>;shapes::holder<unsigned int>::spend",
		      hidden(5 * TRUTH_MS));
		TRUTH("main;applies;...;functor::operator()", applies(f, 10 * TRUTH_MS));
		TRUTH("main;sorts;...;before", sorts(1000));
	}
	return 0;
}
