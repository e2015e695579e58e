/*
 * A file gets its name only when it is whole:
 *
 *	O_TMPFILE, written -> linkat() to its name                  nothing was there
 *	                   -> linkat() to .flamefold-*, rename()    something was
 *	.flamefold-* by O_EXCL, written -> rename()                 no O_TMPFILE there
 *
 * A file without a name vanishes with the program, whatever ends it. While a file has a
 * temporary name, signals that would end the program remove it first; they are blocked
 * while it gets or loses that name. The directory is opened once and all names are
 * looked up in it, so it does not matter what happens to the path meanwhile.
 */
#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <flamefold.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/terminal.h"

enum {
	LINK_ROOM = 32, /* "/proc/self/fd/7" */
	NAME_ROOM = 32, /* ".flamefold-" and 16 digits */
	NAMES_TRIED = 1000,
};

/* The file that a signal must not leave behind. */
static struct {
	char name[NAME_ROOM];
	int directory;
	volatile sig_atomic_t is; /* there */
} temporary;
static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXFSZ, SIGXCPU };
#define SIGNALS (sizeof(signals) / sizeof(signals[0]))

void output_abandon(void)
{
	if (temporary.is)
		unlinkat(temporary.directory, temporary.name, 0);
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

/* What is done with a path. */
enum kind { KIND_FILE, KIND_SPECIAL, KIND_NUMBER };

/* Of what lies at the place; or a negative errno. */
static int look(const struct ff_place *place, const char **why)
{
	int flags = place->follow ? 0 : AT_SYMLINK_NOFOLLOW, err = 0;
	struct stat st;

	if (fstatat(place->directory, place->name, &st, flags) < 0)
		err = errno == ENOENT ? 0 : -errno;
	else if (S_ISDIR(st.st_mode))
		err = -EISDIR;
	/* Renaming would get past a file's mode; whoever made it read-only meant it. */
	else if (faccessat(place->directory, place->name, W_OK, 0) < 0)
		err = -errno;
	else
		return S_ISREG(st.st_mode) ? KIND_FILE : KIND_SPECIAL;
	*why = strerror(-err);
	return err < 0 ? err : KIND_FILE;
}

/* A kind, or a negative errno. The place is to be closed, but of a number there is none. */
static int find_place(const char *path, struct ff_place *ret, const char **why)
{
	int err;

	*ret = (struct ff_place){ .directory = -1 };
	if (has_number(path))
		return KIND_NUMBER;
	err = ff_place_open(path, ret, why);
	return err < 0 ? err : look(ret, why);
}

int output_check(const char *path)
{
	struct ff_place place;
	const char *why;
	int code = EXIT_DONE, kind;

	if (is_stdout(path))
		return EXIT_DONE;
	kind = find_place(path, &place, &why);
	/* Renaming needs a directory that can be written to, whatever the file's mode. */
	if (kind == KIND_FILE && faccessat(place.directory, ".", W_OK | X_OK, 0) < 0) {
		kind = -errno;
		why = strerror(errno);
	}
	if (kind < 0)
		code = cannot_write(NULL, path, why);
	ff_place_close(&place);
	return code;
}

/* In @directory, without a name for as long as it is written: whatever ends the program leaves
 * nothing behind. -1 where the file system, or a missing /proc, is no good for that. */
static int make_nameless(int directory)
{
	int fd = openat(directory, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	char path[LINK_ROOM];

	if (fd < 0)
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (access(path, F_OK) == 0)
		return fd;
	close(fd);
	return -1;
}

/* Names that nobody can know before. */
static void choose_name(char name[NAME_ROOM])
{
	uint64_t random = 0;

	if (getrandom(&random, sizeof(random), GRND_NONBLOCK) < 0)
		random = (uint64_t)getpid() << 32 | (uint64_t)clock();
	snprintf(name, NAME_ROOM, ".flamefold-%016" PRIx64, random);
}

/* A temporary name, which is a signal handler's business from the moment it is there. */
static int try_names(struct output *o, int (*make)(struct output *o, const char *name))
{
	char name[NAME_ROOM];
	int made = -EEXIST;

	for (unsigned i = 0; made == -EEXIST && i < NAMES_TRIED; i++) {
		choose_name(name);
		made = make(o, name);
	}
	if (made < 0)
		return made;
	memcpy(temporary.name, name, sizeof(name));
	temporary.directory = o->place.directory;
	temporary.is = 1;
	return made;
}

static int make_file(struct output *o, const char *name)
{
	int fd = openat(o->place.directory, name,
			O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	return fd < 0 ? -errno : fd;
}

static int make_named(struct output *o)
{
	sigset_t before;
	int fd;

	catch_signals();
	block_signals(&before);
	fd = try_names(o, make_file);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return fd;
}

static int make_temporary(struct output *o)
{
	mode_t mask = umask(0);
	int fd = make_nameless(o->place.directory);

	umask(mask);
	o->nameless = fd >= 0;
	if (fd < 0)
		fd = make_named(o);
	if (fd < 0)
		return fd;
	/* As any program would have made it, or as it was. */
	fchmod(fd, ff_place_mode(&o->place, 0666 & ~mask));
	o->beside = true;
	return fd;
}

static int open_path(struct output *o, const char **why)
{
	int kind = find_place(o->path, &o->place, why), fd;

	if (kind < 0)
		return kind;
	if (kind == KIND_SPECIAL)
		return ff_place_open_special(&o->place, why);
	fd = kind == KIND_NUMBER ? open_number(o->path) : make_temporary(o);
	*why = fd < 0 ? strerror(kind == KIND_NUMBER ? errno : -fd) : NULL;
	return fd;
}

static void remove_temporary(void)
{
	sigset_t before;

	block_signals(&before);
	output_abandon();
	temporary.is = 0;
	sigprocmask(SIG_SETMASK, &before, NULL);
}

int output_open(struct output *o, const char *path)
{
	const char *why;
	int fd;

	*o = (struct output){ .path = path,
			      .place.directory = -1,
			      .stream = stdout,
			      .sentence = o->sentence,
			      .sentence_size = o->sentence_size };
	if (is_stdout(path))
		return 0;
	fd = open_path(o, &why);
	if (fd < 0) {
		ff_place_close(&o->place);
		return cannot_write(o, path, why);
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
	return o->beside && faccessat(o->place.directory, o->place.name, F_OK,
				      AT_SYMLINK_NOFOLLOW) == 0;
}

static void release(struct output *o)
{
	if (o->stream && o->stream != stdout)
		fclose(o->stream);
	/* Nothing has been opened where there is no name. */
	if (o->place.name)
		ff_place_close(&o->place);
	*o = (struct output){ .place.directory = -1,
			      .sentence = o->sentence,
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

static int link_stream(struct output *o, const char *name)
{
	char from[LINK_ROOM];

	snprintf(from, sizeof(from), "/proc/self/fd/%d", fileno(o->stream));
	return linkat(AT_FDCWD, from, o->place.directory, name, AT_SYMLINK_FOLLOW) < 0
		       ? -errno
		       : 0;
}

/* 1: nothing was there, and now it is. 0: it has the name of a temporary file, because what is
 * there already is replaced by a rename. */
static int give_name(struct output *o)
{
	int err = link_stream(o, o->place.name);

	if (err == -EEXIST)
		return try_names(o, link_stream);
	return err < 0 ? err : 1;
}

static int replace(struct output *o)
{
	int done = o->nameless ? give_name(o) : 0;

	if (done != 0)
		return done < 0 ? done : 0;
	if (renameat(o->place.directory, temporary.name, o->place.directory,
		     o->place.name) < 0)
		return -errno;
	temporary.is = 0;
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
