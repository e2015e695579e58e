/*
 * A neighbour who is always quick enough: preloaded, it comes before the PLANT_AT-th call that
 * has to do with the name PLANT_NAME (the last part of a path), takes away what lies at
 * PLANT_PATH and puts a symbolic link of user PLANT_USER to PLANT_TARGET there. A race is won
 * at each step of a program in turn, not by chance.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int calls;

static void plant(void)
{
	const char *path = getenv("PLANT_PATH");

	unlink(path);
	if (symlink(getenv("PLANT_TARGET"), path) < 0 ||
	    lchown(path, (uid_t)atoi(getenv("PLANT_USER")), (gid_t)-1) < 0)
		abort();
}

static void see(const char *path)
{
	const char *name = getenv("PLANT_NAME"), *slash = strrchr(path, '/');

	if (name && strcmp(slash ? slash + 1 : path, name) == 0 &&
	    ++calls == atoi(getenv("PLANT_AT")))
		plant();
}

int open(const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = va_arg(args, mode_t);
	va_end(args);
	see(path);
	return NEXT(open)(path, flags, mode);
}

int openat(int dir, const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = va_arg(args, mode_t);
	va_end(args);
	see(path);
	return NEXT(openat)(dir, path, flags, mode);
}

FILE *fopen(const char *path, const char *mode)
{
	see(path);
	return NEXT(fopen)(path, mode);
}

int stat(const char *path, struct stat *st)
{
	see(path);
	return NEXT(stat)(path, st);
}

int fstatat(int dir, const char *path, struct stat *st, int flags)
{
	see(path);
	return NEXT(fstatat)(dir, path, st, flags);
}

int access(const char *path, int mode)
{
	see(path);
	return NEXT(access)(path, mode);
}

int faccessat(int dir, const char *path, int mode, int flags)
{
	see(path);
	return NEXT(faccessat)(dir, path, mode, flags);
}

char *realpath(const char *path, char *to)
{
	see(path);
	return NEXT(realpath)(path, to);
}

int rename(const char *from, const char *to)
{
	see(from);
	see(to);
	return NEXT(rename)(from, to);
}

int renameat(int from_dir, const char *from, int to_dir, const char *to)
{
	see(from);
	see(to);
	return NEXT(renameat)(from_dir, from, to_dir, to);
}

int linkat(int from_dir, const char *from, int to_dir, const char *to, int flags)
{
	see(to);
	return NEXT(linkat)(from_dir, from, to_dir, to, flags);
}
