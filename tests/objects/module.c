/*
 * A kernel module: functions in the sections that modules have. It is not linked. What it
 * calls does not exist.
 */
#define SECTION(name) __attribute__((section(name), noinline, used))

int elsewhere(int n);
int module_work(int n);
int module_cold(int n);
int module_exit(int n);
int module_init(int n);
extern const int module_table[];

SECTION(".init.text") int module_init(int n)
{
	return elsewhere(n) + 1;
}

__attribute__((noinline)) int module_work(int n)
{
	return elsewhere(n) * 3;
}

SECTION(".text.unlikely") int module_cold(int n)
{
	return elsewhere(n) - 7;
}

SECTION(".exit.text") int module_exit(int n)
{
	return elsewhere(n) ^ 5;
}

const int module_table[] = { 1, 2, 3 };
