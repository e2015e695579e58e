// Templates that are inlined deeply, without any header: it compiles in a moment. Both
// files that include it have copies of all that is not inlined, of which the linker keeps
// one each.
#ifndef TEMPLATES_H
#define TEMPLATES_H

namespace shapes {

template <class T> struct less {
	bool operator()(const T &a, const T &b) const { return a < b; }
};

template <class T, int N> class array {
	T items[N];

public:
	static constexpr int size() { return N; }
	T &operator[](int i) { return items[i]; }
	const T &operator[](int i) const { return items[i]; }
	T *begin() { return items; }
	T *end() { return items + N; }
};

template <class T> inline void swap(T &a, T &b)
{
	T c = a;

	a = b;
	b = c;
}

template <class T, class Less> T *middle(T *a, T *b, T *c, Less before)
{
	if (before(*a, *b))
		return before(*b, *c) ? b : before(*a, *c) ? c : a;
	return before(*a, *c) ? a : before(*b, *c) ? c : b;
}

template <class T, class Less> T *part(T *first, T *last, Less before)
{
	T pivot = *middle(first, first + (last - first) / 2, last - 1, before);

	for (;; first++) {
		while (before(*first, pivot))
			first++;
		do
			last--;
		while (before(pivot, *last));
		if (first >= last)
			return first;
		swap(*first, *last);
	}
}

template <class T, class Less> void insert(T *first, T *last, Less before)
{
	for (T *i = first + 1; i < last; i++)
		for (T *k = i; k > first && before(*k, k[-1]); k--)
			swap(*k, k[-1]);
}

template <class T, class Less> void sort(T *first, T *last, Less before)
{
	while (last - first > 8) {
		T *cut = part(first, last, before);

		sort(cut, last, before);
		last = cut;
	}
	insert(first, last, before);
}

template <class T, int N> struct matrix {
	array<array<T, N>, N> rows;

	const T &at(int i, int k) const { return rows[i][k]; }
	T &at(int i, int k) { return rows[i][k]; }
	matrix operator*(const matrix &o) const
	{
		matrix r;

		for (int i = 0; i < N; i++)
			for (int k = 0; k < N; k++)
				r.at(i, k) = cell(o, i, k);
		return r;
	}
	T cell(const matrix &o, int i, int k) const
	{
		T sum = 0;

		for (int j = 0; j < N; j++)
			sum += at(i, j) * o.at(j, k);
		return sum;
	}
};

struct visitor {
	virtual ~visitor() {}
	virtual int visit(int) = 0;
};

template <int Step> struct counter : visitor {
	int seen = 0;
	int visit(int n) override { return add(n % 2 ? n : -n); }
	int add(int n) { return seen += n * Step; }
};

template <class F> int each(int n, F f)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += f(i);
	return sum;
}

// Splits off a cold part.
template <class T> T checked(T value)
{
	if (__builtin_expect(value == T(123456), 0))
		__builtin_trap();
	return value;
}

template <class T, int N> int work(volatile T *seed)
{
	array<T, N> values;
	matrix<T, 2 + N % 3> a, b;
	counter<N> counted;
	int sum = 0;

	for (T &v : values)
		v = checked(T(*seed));
	sort(values.begin(), values.end(), less<T>());
	sort(values.begin(), values.end(), [&](const T &x, const T &y) { return y < x; });
	for (int i = 0; i < 2 + N % 3; i++)
		for (int k = 0; k < 2 + N % 3; k++)
			a.at(i, k) = b.at(k, i) = values[i];
	sum += int((a * b).at(1, 1));
	sum += each(N, [&](int i) { return counted.visit(i) + int(values[i % N]); });
	return sum;
}

template <class T> int all(volatile T *seed)
{
	return work<T, 3>(seed) + work<T, 7>(seed) + work<T, 20>(seed) +
	       work<T, 41>(seed);
}

} // namespace shapes

#endif
