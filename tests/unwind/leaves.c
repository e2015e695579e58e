/*
 * Frames of all forms that compilers for aarch64 give functions, each with a leaf that has none. Every leaf has
 * one caller, in whose name it is:
 *
 *	main -> plain -> plain_leaf
 *	main -> late -> late_leaf: it has returned by then where it needs no frame
 *	main -> large -> large_leaf: offsets that no single instruction has
 *	main -> growing -> growing_leaf: alloca()
 *	main -> passing -> passing_leaf: arguments on the stack, below the frame record
 *	main -> choosing -> choosing_leaf: a table of jumps
 *	main -> rarely -> rarely_leaf: from its cold part
 *	main -> last -> last_leaf, to which it has jumped at its end
 *	main -> ends -> middle -> middle_leaf: two calls, then one that is a jump
 *	main -> busy_one -> busy_one_leaf: the frame pointer is a register like others
 *	main -> sorts -> qsort() of the C library -> compare -> compare_leaf
 *
 * usage: leaves
 */
#include "frame.h"
#include <stdlib.h>
#include <string.h>

static volatile unsigned sink;

#define LEAF_OF(name)                                                                    \
	FRAME unsigned name##_leaf(unsigned n)                                           \
	{                                                                                \
		return busy(ROUNDS + n % 2);                                             \
	}
LEAF_OF(plain)
LEAF_OF(late)
LEAF_OF(large)
LEAF_OF(growing)
LEAF_OF(choosing)
LEAF_OF(rarely)
LEAF_OF(last)
LEAF_OF(middle)
LEAF_OF(busy_one)
LEAF_OF(compare)

FRAME unsigned passing_leaf(unsigned a, unsigned b, unsigned c, unsigned d, unsigned e,
			    unsigned f, unsigned g, unsigned h, unsigned i, unsigned j)
{
	return busy(ROUNDS) + a + b + c + d + e + f + g + h + i * j;
}

FRAME unsigned plain(unsigned n)
{
	unsigned x = plain_leaf(n);

	AFTER_CALL();
	return x + n;
}

FRAME unsigned late(unsigned n)
{
	unsigned x;

	if (n % 2)
		return n * 3;
	x = late_leaf(n) + late_leaf(n + 1);
	AFTER_CALL();
	return x + n;
}

FRAME unsigned large(unsigned n)
{
	char room[40000];
	unsigned x;

	room[n] = 1;
	__asm__ volatile("" : : "r"(room) : "memory");
	x = large_leaf(n);
	AFTER_CALL();
	return x + room[n];
}

FRAME unsigned growing(unsigned n)
{
	char room[n * 100 + 1];
	unsigned x;

	room[n] = 1;
	__asm__ volatile("" : : "r"(room) : "memory");
	x = growing_leaf(n);
	AFTER_CALL();
	return x + room[n];
}

FRAME unsigned passing(unsigned n)
{
	unsigned x = passing_leaf(n, n, n, n, n, n, n, n, n, n + 1);

	AFTER_CALL();
	return x + n;
}

FRAME unsigned choosing(unsigned n)
{
	unsigned x = choosing_leaf(n);

	AFTER_CALL();
	switch (n) {
	case 0:
		return choosing_leaf(x + 2) + 1;
	case 1:
		return sink + 12;
	case 2:
		return sink * 123;
	case 3:
		sink = 1;
		return choosing_leaf(x) + 9;
	case 4:
		return sink ^ 77;
	case 5:
		return x / 3;
	case 6:
		return choosing_leaf(x * 3) * 2;
	default:
		return x + n;
	}
}

FRAME __attribute__((cold)) unsigned unlikely(unsigned n)
{
	unsigned x = rarely_leaf(n);

	AFTER_CALL();
	return x * 5;
}

FRAME unsigned rarely(unsigned n)
{
	unsigned x = rarely_leaf(n);

	AFTER_CALL();
	if (__builtin_expect(n != 1000, 0)) {
		x += unlikely(n);
		x += unlikely(n + 1);
	}
	return x + n;
}

FRAME unsigned last(unsigned n)
{
	unsigned x = plain_leaf(n);

	return last_leaf(x);
}

FRAME unsigned middle(unsigned n)
{
	unsigned x = middle_leaf(n);

	AFTER_CALL();
	return x * 7;
}

FRAME unsigned ends(unsigned n)
{
	unsigned x = plain_leaf(n) + late_leaf(n);

	return middle(x);
}

#ifndef __clang__
__attribute__((optimize("omit-frame-pointer")))
#endif
FRAME unsigned
busy_one(unsigned n)
{
	unsigned a = n + 1, b = n * 3, c = n ^ 5, d = n + 7, e = n * 11, f = n - 3,
		 g = n / 3, h = n + 9, i = n * 13, j = n ^ 21, k = n + 31;

	for (unsigned at = 0; at < 2; at++) {
		unsigned x = busy_one_leaf(a + at);

		a += x, b ^= a, c += b, d ^= c, e += d, f ^= e, g += f, h ^= g, i += h,
			j ^= i, k += j;
	}
	return a + b + c + d + e + f + g + h + i + j + k;
}

FRAME int compare(const void *a, const void *b)
{
	unsigned x = compare_leaf(1);

	AFTER_CALL();
	return *(const int *)a - *(const int *)b + (x == 7);
}

FRAME unsigned sorts(unsigned n)
{
	int list[] = { (int)n, 1, 4 };

	qsort(list, 3, sizeof(*list), compare);
	AFTER_CALL();
	return (unsigned)list[0];
}

int main(void)
{
	for (unsigned n = 0; n < 2; n++) {
		sink += plain(n) + late(n) + large(n) + growing(n) + passing(n);
		sink += choosing(n * 3) + rarely(n) + last(n) + ends(n) + busy_one(n);
		sink += sorts(n);
	}
	return sink == 42;
}
