/* One of the libraries of lazy.c: -DNAME=a to l. */
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

unsigned JOIN(NAME, _1)(void)
{
	return 1;
}

unsigned JOIN(NAME, _2)(void)
{
	return 2;
}

unsigned JOIN(NAME, _3)(void)
{
	return 3;
}

unsigned JOIN(NAME, _4)(void)
{
	return 4;
}
