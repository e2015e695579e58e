#include "unit/live/events/sysroot.h"

#include <criterion/criterion.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

char sysroot[64];

void sysroot_make(void)
{
	strcpy(sysroot, "/tmp/flamefold-test-XXXXXX");
	cr_assert_not_null(mkdtemp(sysroot));
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)st, (void)kind, (void)ftw;
	return remove(path);
}

void sysroot_remove(void)
{
	nftw(sysroot, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

void sysroot_file(const char *path, const char *text)
{
	char whole[512];
	FILE *file;

	snprintf(whole, sizeof(whole), "%s%s", sysroot, path);
	for (char *p = whole + strlen(sysroot) + 1; (p = strchr(p, '/')) != NULL; p++) {
		*p = '\0';
		mkdir(whole, 0700);
		*p = '/';
	}
	file = fopen(whole, "w");
	cr_assert_not_null(file, "%s", whole);
	fputs(text, file);
	fclose(file);
}
