#include "base/budget.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MIB ((uint64_t)1 << 20)

Test(budget, no_more_than_all_of_it_is_given)
{
	struct budget b;

	budget_init(&b, 100);
	cr_assert(budget_take(&b, 60));
	cr_assert_not(budget_take(&b, 41));
	cr_assert(budget_take(&b, 40));
	cr_assert_not(budget_take(&b, 1));
	cr_assert(budget_take(&b, 0));
	budget_give_back(&b, 50);
	cr_assert_not(budget_take(&b, UINT64_MAX));
	cr_assert(budget_take(&b, 50));
	budget_release(&b);
}

Test(budget, who_has_none_gets_all)
{
	struct claim claim = { 0 };

	cr_assert(budget_take(NULL, UINT64_MAX));
	budget_give_back(NULL, 1);
	budget_refuse(NULL, "symbols", "x");
	cr_assert(claim_add(&claim, NULL, 1 << 30));
	claim_release(&claim);
}

Test(budget, a_claim_gives_back_what_it_has_and_no_more)
{
	struct claim a = { 0 }, b = { 0 };
	struct budget budget;

	budget_init(&budget, 100);
	cr_assert(claim_add(&a, &budget, 30));
	cr_assert(claim_add(&b, &budget, 30));
	cr_assert(claim_add(&a, &budget, 30));
	cr_assert_not(claim_add(&a, &budget, 30));
	claim_release(&a);
	claim_release(&a);
	cr_assert_eq(budget.used, 30);
	claim_release(&b);
	cr_assert_eq(budget.used, 0);
	budget_release(&budget);
}

Test(budget, what_is_left_out_is_counted_once_by_its_name)
{
	struct budget b;

	budget_init(&b, 1);
	budget_refuse(&b, "symbols", "/b");
	budget_refuse(&b, "symbols", "/c");
	budget_refuse(&b, "symbols", "/b");
	budget_refuse(&b, "debug information", "/b");
	cr_assert_eq(b.refused, 3);
	cr_assert_str_eq(b.first, "debug information of '/b'");
	budget_release(&b);
}

static void *take_and_give_back(void *arg)
{
	for (int i = 0; i < 20000; i++)
		if (budget_take(arg, 7))
			budget_give_back(arg, 7);
	for (int i = 0; i < 1000; i++)
		budget_take(arg, 1);
	return NULL;
}

Test(budget, several_threads_get_no_more_than_one_would)
{
	pthread_t threads[4];
	struct budget b;

	budget_init(&b, 2500);
	for (int i = 0; i < 4; i++)
		cr_assert_eq(pthread_create(&threads[i], NULL, take_and_give_back, &b),
			     0);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	cr_assert_eq(b.used, 2500);
	budget_release(&b);
}

/* A machine as /proc and the file systems of control groups show it. */
static char root[64];

static void put(const char *path, const char *text)
{
	char whole[512];
	FILE *file;

	snprintf(whole, sizeof(whole), "%s%s", root, path);
	for (char *p = whole + strlen(root) + 1; *p; p++)
		if (*p == '/') {
			*p = '\0';
			mkdir(whole, 0755);
			*p = '/';
		}
	file = fopen(whole, "w");
	cr_assert_not_null(file);
	fputs(text, file);
	fclose(file);
}

static void begin_machine(void)
{
	const char *dir = getenv("TMPDIR");

	snprintf(root, sizeof(root), "%.40s/budget.XXXXXX", dir ? dir : "/tmp");
	cr_assert_not_null(mkdtemp(root));
	put("/proc/meminfo", "MemTotal:       16777216 kB\n"
			     "MemFree:          100000 kB\n"
			     "MemAvailable:   12000000 kB\n");
}

static void end_machine(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", root);
	cr_assert_eq(system(command), 0);
}

#define SECOND_MOUNT                                                                     \
	"25 30 0:23 / /proc rw - proc proc rw\n"                                         \
	"31 23 0:28 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 "              \
	"rw,nsdelegate\n"

TestSuite(usual, .init = begin_machine, .fini = end_machine);

Test(usual, a_quarter_of_the_machine)
{
	cr_assert_eq(budget_usual(root), 4096 * MIB);
}

Test(usual, half_of_what_is_available_where_that_is_less)
{
	put("/proc/meminfo", "MemTotal:       16777216 kB\nMemAvailable:   2097152 kB\n");
	cr_assert_eq(budget_usual(root), 1024 * MIB);
}

Test(usual, never_less_than_what_any_work_takes)
{
	put("/proc/meminfo", "MemTotal:       65536 kB\nMemAvailable:   1024 kB\n");
	cr_assert_eq(budget_usual(root), BUDGET_LEAST);
}

Test(usual, a_group_of_the_second_version)
{
	put("/proc/self/mountinfo", SECOND_MOUNT);
	put("/proc/self/cgroup", "0::/user.slice/job\n");
	put("/sys/fs/cgroup/user.slice/job/memory.max", "2147483648\n");
	put("/sys/fs/cgroup/user.slice/job/memory.high", "max\n");
	put("/sys/fs/cgroup/user.slice/memory.max", "max\n");
	cr_assert_eq(budget_usual(root), 512 * MIB);
	put("/sys/fs/cgroup/user.slice/job/memory.high", "1073741824\n");
	cr_assert_eq(budget_usual(root), 256 * MIB);
}

Test(usual, the_least_of_the_groups_around_it)
{
	put("/proc/self/mountinfo", SECOND_MOUNT);
	put("/proc/self/cgroup", "0::/a/b/c\n");
	put("/sys/fs/cgroup/a/b/c/memory.max", "max\n");
	put("/sys/fs/cgroup/a/b/memory.max", "4294967296\n");
	put("/sys/fs/cgroup/a/memory.max", "1073741824\n");
	cr_assert_eq(budget_usual(root), 256 * MIB);
}

Test(usual, a_container_sees_its_own_group_as_the_root)
{
	put("/proc/self/mountinfo", SECOND_MOUNT);
	put("/proc/self/cgroup", "0::/\n");
	put("/sys/fs/cgroup/memory.max", "536870912\n");
	cr_assert_eq(budget_usual(root), 128 * MIB);
}

Test(usual, a_group_of_the_first_version)
{
	put("/proc/self/mountinfo",
	    "35 31 0:32 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
	    "36 31 0:33 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
	put("/proc/self/cgroup",
	    "5:cpu:/other\n4:memory:/a/b\n1:name=systemd:/x\n0::/\n");
	put("/sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "9223372036854771712\n");
	put("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "838860800\n");
	put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
	put("/sys/fs/cgroup/cpu/other/memory.limit_in_bytes", "1\n");
	cr_assert_eq(budget_usual(root), 200 * MIB);
}

/* The part of the hierarchy that is mounted begins at the container's group. */
Test(usual, a_container_of_the_first_version)
{
	put("/proc/self/mountinfo", "36 31 0:33 /docker/1f /sys/fs/cgroup/memory ro - "
				    "cgroup cgroup rw,memory,hugetlb\n");
	put("/proc/self/cgroup", "4:hugetlb,memory:/docker/1f\n");
	put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "838860800\n");
	cr_assert_eq(budget_usual(root), 200 * MIB);
	put("/proc/self/cgroup", "4:hugetlb,memory:/docker/1f/inner\n");
	put("/sys/fs/cgroup/memory/inner/memory.limit_in_bytes", "419430400\n");
	cr_assert_eq(budget_usual(root), 100 * MIB);
	/* One whose name begins alike is another one. */
	put("/proc/self/cgroup", "4:hugetlb,memory:/docker/1fe\n");
	cr_assert_eq(budget_usual(root), 200 * MIB);
}

Test(usual, nonsense_is_no_limit)
{
	put("/proc/self/mountinfo", "1 2\n - \n" SECOND_MOUNT);
	put("/proc/self/cgroup", "0\n0:\n\n0::/a\n");
	put("/sys/fs/cgroup/a/memory.max", "\n");
	cr_assert_eq(budget_usual(root), 4096 * MIB);
}
