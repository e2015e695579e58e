/* Work in a few named functions, for a recording. */
#include <stdlib.h>

static volatile unsigned long sink;

__attribute__((noinline)) static void leaf(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sink += i * i;
}

__attribute__((noinline)) static void middle(unsigned long n)
{
	leaf(n);
	leaf(n / 2);
	sink++;
}

__attribute__((noinline)) static void recurse(int depth)
{
	if (depth)
		recurse(depth - 1);
	else
		middle(100000);
	sink++;
}

__attribute__((noinline)) static int compare(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	static int numbers[20000];
	int rounds = argc > 1 ? atoi(argv[1]) : 100;

	for (int i = 0; i < rounds; i++) {
		recurse(i % 20);
		for (int j = 0; j < 20000; j++)
			numbers[j] = (j * 7919 + i) % 20011;
		qsort(numbers, 20000, sizeof(int), compare);
	}
	return 0;
}
