#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/terminal.h"

enum {
	LINK_ROOM = 32, /* "/proc/self/fd/7" */
	NAMES_TRIED = 1000,
};

/* The file that a signal must not leave behind; NULL: none. */
static char *volatile temporary;
static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXFSZ, SIGXCPU };
#define SIGNALS (sizeof(signals) / sizeof(signals[0]))

void output_abandon(void)
{
	if (temporary)
		unlink(temporary);
}

static void remove_and_die(int number)
{
	output_abandon();
	/* The handler is gone, SA_RESETHAND: this ends the process as the signal would. */
	raise(number);
}

static void catch_signals(void)
{
	struct sigaction action = {
		.sa_handler = remove_and_die,
		.sa_flags = SA_RESETHAND,
	};

	for (size_t i = 0; i < SIGNALS; i++) {
		struct sigaction before;

		/* What nohup ignores stays ignored. */
		if (sigaction(signals[i], NULL, &before) == 0 &&
		    before.sa_handler == SIG_DFL)
			sigaction(signals[i], &action, NULL);
	}
}

static void block_signals(sigset_t *before)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < SIGNALS; i++)
		sigaddset(&set, signals[i]);
	sigprocmask(SIG_BLOCK, &set, before);
}

static bool is_stdout(const char *path)
{
	return !path || strcmp(path, "-") == 0;
}

static void tell(const struct output *o, const char *sentence)
{
	if (o && o->sentence)
		snprintf(o->sentence, o->sentence_size, "%s", sentence);
	else
		say("%s", sentence);
}

/* @o may be NULL. */
static int cannot_write(const struct output *o, const char *path, const char *why)
{
	char sentence[2048];

	if (is_stdout(path))
		snprintf(sentence, sizeof(sentence),
			 "cannot write to standard output: %s", why);
	else
		snprintf(sentence, sizeof(sentence), "cannot write '%.1900s': %s", path,
			 why);
	tell(o, sentence);
	return EXIT_INPUT;
}

/* What the shell calls by number is not opened again: that would begin at its start. */
static int open_number(const char *path)
{
	char *end;
	long number;

	if (strcmp(path, "/dev/stdout") == 0)
		return dup(STDOUT_FILENO);
	number = strtol(path + strlen("/dev/fd/"), &end, 10);
	return dup(*end || number > INT_MAX ? -1 : (int)number);
}

static bool has_number(const char *path)
{
	return strcmp(path, "/dev/stdout") == 0 || strncmp(path, "/dev/fd/", 8) == 0;
}

/* 0: make or replace a file; 1: write into what is there; or a negative errno. */
static int direct(const char *path)
{
	struct stat st;

	if (has_number(path))
		return 1;
	if (stat(path, &st) < 0)
		return errno == ENOENT ? 0 : -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	/* Renaming would get past a file's mode; whoever made it read-only meant it. */
	if (access(path, W_OK) < 0)
		return -errno;
	return !S_ISREG(st.st_mode);
}

/* What a symbolic link leads to, so that the link stays. */
static char *resolve(const char *path)
{
	char *target = realpath(path, NULL);

	return target ? target : strdup(path);
}

/* To be freed by the caller, NULL without memory. */
static char *beside(const char *target, const char *name)
{
	char *copy = strdup(target);
	char *path = NULL;

	if (copy && asprintf(&path, "%s/%s", dirname(copy), name) < 0)
		path = NULL;
	free(copy);
	return path;
}

/* Renaming needs a directory that can be written to, whatever the file's mode. */
static int check_directory(const char *path)
{
	char *target = resolve(path);
	char *directory = target ? beside(target, ".") : NULL;
	int err = 0;

	if (!directory)
		err = -ENOMEM;
	else if (access(directory, W_OK | X_OK) < 0)
		err = -errno;
	free(directory);
	free(target);
	return err;
}

int output_check(const char *path)
{
	int err = is_stdout(path) ? 1 : direct(path);

	if (err == 0)
		err = check_directory(path);
	return err < 0 ? cannot_write(NULL, path, strerror(-err)) : 0;
}

/* In @directory, without a name for as long as it is written: whatever ends the program leaves
 * nothing behind. -1 where the file system, or a missing /proc, is no good for that. */
static int make_nameless(const char *directory)
{
	int fd = open(directory, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	char path[LINK_ROOM];

	if (fd < 0)
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (access(path, F_OK) == 0)
		return fd;
	close(fd);
	return -1;
}

/* The name is a signal handler's business from the moment the file is there. */
static int make_file(char *path)
{
	sigset_t before;
	int fd;

	block_signals(&before);
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		fd = -errno;
	else
		temporary = path;
	sigprocmask(SIG_SETMASK, &before, NULL);
	return fd;
}

static int make_named(struct output *o)
{
	char *path = beside(o->target, ".flamefold-XXXXXX");
	int fd;

	if (!path)
		return -ENOMEM;
	catch_signals();
	fd = make_file(path);
	if (fd < 0)
		free(path);
	return fd;
}

static int make_temporary(struct output *o)
{
	mode_t mask = umask(0);
	char *directory = beside(o->target, ".");
	int fd = directory ? make_nameless(directory) : -1;

	umask(mask);
	free(directory);
	o->nameless = fd >= 0;
	if (fd < 0)
		fd = make_named(o);
	if (fd < 0)
		return fd;
	/* As any program would have made it. */
	fchmod(fd, 0666 & ~mask);
	o->beside = true;
	return fd;
}

static int open_path(struct output *o)
{
	int fd, kind = direct(o->path);

	if (kind < 0)
		return kind;
	if (kind == 1) {
		fd = has_number(o->path) ? open_number(o->path)
					 : open(o->path, O_WRONLY | O_TRUNC | O_CLOEXEC);
		return fd < 0 ? -errno : fd;
	}
	o->target = resolve(o->path);
	return o->target ? make_temporary(o) : -ENOMEM;
}

static void remove_temporary(void)
{
	char *path = temporary;
	sigset_t before;

	if (!path)
		return;
	block_signals(&before);
	unlink(path);
	temporary = NULL;
	sigprocmask(SIG_SETMASK, &before, NULL);
	free(path);
}

int output_open(struct output *o, const char *path)
{
	int fd;

	*o = (struct output){ .path = path,
			      .stream = stdout,
			      .sentence = o->sentence,
			      .sentence_size = o->sentence_size };
	if (is_stdout(path))
		return 0;
	fd = open_path(o);
	if (fd < 0) {
		free(o->target);
		return cannot_write(o, path, strerror(-fd));
	}
	o->stream = fdopen(fd, "w");
	if (o->stream)
		return 0;
	close(fd);
	output_discard(o);
	return cannot_write(o, path, "out of memory");
}

bool output_replaces(const struct output *o)
{
	return o->beside && access(o->target, F_OK) == 0;
}

static void release(struct output *o)
{
	if (o->stream && o->stream != stdout)
		fclose(o->stream);
	free(o->target);
	*o = (struct output){ .sentence = o->sentence,
			      .sentence_size = o->sentence_size };
}

void output_discard(struct output *o)
{
	if (o->beside)
		remove_temporary();
	release(o);
}

static bool reader_gone(FILE *stream)
{
	struct pollfd p = { .fd = fileno(stream) };

	return poll(&p, 1, 0) == 1 && p.revents & (POLLERR | POLLHUP);
}

/* The writer may not know why: what is still in the buffer fails again, and says so. */
static int flush(struct output *o, int err)
{
	errno = 0;
	if (fflush(o->stream) == 0 && !ferror(o->stream))
		return err;
	return errno ? -errno : err < 0 ? err : -EIO;
}

/* What is there already is replaced by a rename, for which it takes a name. */
static int name_beside(struct output *o, const char *from)
{
	char name[sizeof(".flamefold-") + 24];
	int err = -EEXIST;

	for (unsigned i = 0; err == -EEXIST && i < NAMES_TRIED; i++) {
		char *path;

		snprintf(name, sizeof(name), ".flamefold-%d-%u", (int)getpid(), i);
		path = beside(o->target, name);
		if (!path)
			return -ENOMEM;
		err = linkat(AT_FDCWD, from, AT_FDCWD, path, AT_SYMLINK_FOLLOW) < 0
			      ? -errno
			      : 0;
		if (err == 0)
			temporary = path;
		else
			free(path);
	}
	return err;
}

/* 1: nothing was there, and now it is. 0: it has the name of a temporary file. */
static int give_name(struct output *o)
{
	char from[LINK_ROOM];

	snprintf(from, sizeof(from), "/proc/self/fd/%d", fileno(o->stream));
	if (linkat(AT_FDCWD, from, AT_FDCWD, o->target, AT_SYMLINK_FOLLOW) == 0)
		return 1;
	return errno == EEXIST ? name_beside(o, from) : -errno;
}

static int replace(struct output *o)
{
	int done = o->nameless ? give_name(o) : 0;
	char *path = temporary;

	if (done != 0)
		return done < 0 ? done : 0;
	if (rename(path, o->target) < 0)
		return -errno;
	temporary = NULL;
	free(path);
	return 0;
}

static int rename_temporary(struct output *o)
{
	sigset_t before;
	int err;

	/* Some file systems tell of a full disk only here. */
	if (close(dup(fileno(o->stream))) < 0)
		return -errno;
	block_signals(&before);
	err = replace(o);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return err;
}

int output_close(struct output *o, int err, const char *why)
{
	int flushed = flush(o, err);
	int code = EXIT_DONE;

	if (flushed < 0 && ferror(o->stream)) {
		code = OUTPUT_UNREAD;
		if (flushed != -EPIPE && !reader_gone(o->stream))
			code = cannot_write(o, o->path, strerror(-flushed));
	} else if (err < 0) {
		tell(o, why);
		code = err == -EINVAL ? EXIT_USAGE : EXIT_INPUT;
	} else if (o->beside) {
		err = rename_temporary(o);
		if (err < 0)
			code = cannot_write(o, o->path, strerror(-err));
	}
	output_discard(o);
	return code;
}
