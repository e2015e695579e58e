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

/* The file that a signal must not leave behind. There is one at a time, as an output is
 * finished before the next one is opened. */
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

/* It makes only calls that a signal handler may make. */
static void remove_and_die(int number)
{
	output_abandon();
	/* The handler is gone, SA_RESETHAND: this ends the process as the signal would. */
	raise(number);
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

static void report(const struct output *o, const char *sentence)
{
	if (o && o->sentence)
		snprintf(o->sentence, o->sentence_size, "%s", sentence);
	else
		say("%s", sentence);
}

/* @o may be NULL. */
static int refuse_output(const struct output *o, const char *path, const char *why)
{
	char sentence[2048];

	if (is_stdout(path))
		snprintf(sentence, sizeof(sentence),
			 "cannot write to standard output: %s", why);
	else
		snprintf(sentence, sizeof(sentence), "cannot write '%.1900s': %s", path,
			 why);
	report(o, sentence);
	return EXIT_INPUT;
}

/*
 * What is done with a path.
 *
 *	KIND_FILE       a file, there or not: made beside it, and given its name
 *	KIND_SPECIAL    a device, a FIFO: written to as it is
 *	KIND_NUMBER     /dev/stdout, /dev/fd/N: what is open already
 */
enum kind { KIND_FILE, KIND_SPECIAL, KIND_NUMBER };

/* A kind, or a negative errno and why. The place is to be closed; a number has none. */
static int classify_path(const char *path, struct ff_place *ret, const char **why)
{
	struct stat st;
	int err;

	*ret = (struct ff_place){ .directory = -1 };
	if (strcmp(path, "/dev/stdout") == 0 || strncmp(path, "/dev/fd/", 8) == 0)
		return KIND_NUMBER;
	err = ff_place_open(path, ret, why);
	if (err < 0)
		return err;
	if (fstatat(ret->directory, ret->name, &st,
		    ret->follow ? 0 : AT_SYMLINK_NOFOLLOW) < 0) {
		if (errno == ENOENT)
			return KIND_FILE;
		err = -errno;
	} else if (S_ISDIR(st.st_mode)) {
		err = -EISDIR;
	} else if (faccessat(ret->directory, ret->name, W_OK, 0) < 0) {
		/* Renaming would get past a file's mode; whoever made it read-only meant it. */
		err = -errno;
	} else {
		return S_ISREG(st.st_mode) ? KIND_FILE : KIND_SPECIAL;
	}
	*why = strerror(-err);
	return err;
}

int output_check(const char *path)
{
	struct ff_place place;
	const char *why;
	int code = EXIT_DONE, kind;

	if (is_stdout(path))
		return EXIT_DONE;
	kind = classify_path(path, &place, &why);
	/* Renaming needs a directory that can be written to, whatever the file's mode. */
	if (kind == KIND_FILE && faccessat(place.directory, ".", W_OK | X_OK, 0) < 0) {
		kind = -errno;
		why = strerror(errno);
	}
	if (kind < 0)
		code = refuse_output(NULL, path, why);
	ff_place_close(&place);
	return code;
}

/* A temporary name that nobody can know before. A signal handler removes it from the moment it is
 * there. */
static int try_names(struct output *o, int (*make)(struct output *o, const char *name))
{
	char name[NAME_ROOM];
	int made = -EEXIST;

	for (unsigned i = 0; made == -EEXIST && i < NAMES_TRIED; i++) {
		uint64_t random = 0;

		if (getrandom(&random, sizeof(random), GRND_NONBLOCK) < 0)
			random = (uint64_t)getpid() << 32 | (uint64_t)clock();
		snprintf(name, sizeof(name), ".flamefold-%016" PRIx64, random);
		made = make(o, name);
	}
	if (made < 0)
		return made;
	memcpy(temporary.name, name, sizeof(name));
	temporary.directory = o->place.directory;
	temporary.is = 1;
	return made;
}

static int create_exclusively(struct output *o, const char *name)
{
	int fd = openat(o->place.directory, name,
			O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	return fd < 0 ? -errno : fd;
}

/* Without a name for as long as it is written, where that can be: whatever ends the program leaves
 * nothing behind. */
static int make_temporary(struct output *o)
{
	/* A mask can only be read by setting it. */
	mode_t mask = umask(0);
	int fd = openat(o->place.directory, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	struct sigaction action = { .sa_handler = remove_and_die,
				    .sa_flags = SA_RESETHAND };
	char path[LINK_ROOM];
	sigset_t before;

	umask(mask);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	o->nameless = fd >= 0 && access(path, F_OK) == 0;
	/* It could get no name later: there is no /proc. */
	if (fd >= 0 && !o->nameless)
		close(fd);
	/* Else under a name that signals which end the program take away again. */
	for (size_t i = 0; !o->nameless && i < SIGNALS; i++) {
		struct sigaction old;

		/* What nohup ignores stays ignored. */
		if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
			sigaction(signals[i], &action, NULL);
	}
	if (!o->nameless) {
		block_signals(&before);
		fd = try_names(o, create_exclusively);
		sigprocmask(SIG_SETMASK, &before, NULL);
	}
	if (fd < 0)
		return fd;
	/* As any program would have made it, or as it was. */
	fchmod(fd, ff_place_mode(&o->place, 0666 & ~mask));
	o->in_temp_file = true;
	return fd;
}

int output_open(struct output *o, const char *path)
{
	const char *why = NULL;
	long number = STDOUT_FILENO;
	char *end;
	int kind, fd;

	*o = (struct output){ .path = path,
			      .place.directory = -1,
			      .stream = stdout,
			      .sentence = o->sentence,
			      .sentence_size = o->sentence_size };
	if (is_stdout(path))
		return 0;
	kind = classify_path(path, &o->place, &why);
	if (kind < 0) {
		fd = kind;
	} else if (kind == KIND_SPECIAL) {
		fd = ff_place_open_special(&o->place, &why);
	} else if (kind == KIND_FILE) {
		fd = make_temporary(o);
	} else {
		/* What the shell calls by number is not opened again: that would begin at its
		 * start. */
		if (strcmp(path, "/dev/stdout") != 0) {
			number = strtol(path + strlen("/dev/fd/"), &end, 10);
			if (*end || number > INT_MAX)
				number = -1;
		}
		fd = dup((int)number);
		fd = fd < 0 ? -errno : fd;
	}
	if (fd < 0) {
		ff_place_close(&o->place);
		return refuse_output(o, path, why ? why : strerror(-fd));
	}
	o->stream = fdopen(fd, "w");
	if (o->stream)
		return 0;
	close(fd);
	output_discard(o);
	return refuse_output(o, path, "out of memory");
}

bool output_replaces(const struct output *o)
{
	return o->in_temp_file && faccessat(o->place.directory, o->place.name, F_OK,
					    AT_SYMLINK_NOFOLLOW) == 0;
}

void output_discard(struct output *o)
{
	sigset_t before;

	if (o->in_temp_file) {
		block_signals(&before);
		output_abandon();
		temporary.is = 0;
		sigprocmask(SIG_SETMASK, &before, NULL);
	}
	if (o->stream && o->stream != stdout)
		fclose(o->stream);
	/* Nothing has been opened where there is no name. */
	if (o->place.name)
		ff_place_close(&o->place);
	*o = (struct output){ .place.directory = -1,
			      .sentence = o->sentence,
			      .sentence_size = o->sentence_size };
}

static int link_stream(struct output *o, const char *name)
{
	char from[LINK_ROOM];

	snprintf(from, sizeof(from), "/proc/self/fd/%d", fileno(o->stream));
	return linkat(AT_FDCWD, from, o->place.directory, name, AT_SYMLINK_FOLLOW) < 0
		       ? -errno
		       : 0;
}

/* linkat() replaces nothing: where a file has the name already, the new one gets a temporary name
 * and takes its place by a rename. */
static int give_final_name(struct output *o)
{
	sigset_t before;
	bool replaces;
	int err;

	/* Some file systems tell of a full disk only here. */
	if (close(dup(fileno(o->stream))) < 0)
		return -errno;
	block_signals(&before);
	err = o->nameless ? link_stream(o, o->place.name) : 0;
	replaces = !o->nameless || err == -EEXIST;
	if (o->nameless && replaces)
		err = try_names(o, link_stream);
	if (replaces && err >= 0) {
		err = renameat(o->place.directory, temporary.name, o->place.directory,
			       o->place.name) < 0
			      ? -errno
			      : 0;
		if (err == 0)
			temporary.is = 0;
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return err;
}

/* First what stdio still holds, then what the writer says of itself, and only a file that
 * is whole gets its name. Whatever happens the temporary file is gone afterwards. */
int output_close(struct output *o, int err, const char *why)
{
	struct pollfd reader = { .fd = fileno(o->stream) };
	int flushed = err, code = EXIT_DONE;

	/* The writer may not know why: what is still in the buffer fails again, and says so. */
	errno = 0;
	if (fflush(o->stream) != 0 || ferror(o->stream))
		flushed = errno ? -errno : err < 0 ? err : -EIO;
	if (flushed < 0 && ferror(o->stream)) {
		code = OUTPUT_UNREAD;
		/* Whoever read the pipe has closed it, which write(2) need not have met. */
		if (flushed != -EPIPE &&
		    !(poll(&reader, 1, 0) == 1 && reader.revents & (POLLERR | POLLHUP)))
			code = refuse_output(o, o->path, strerror(-flushed));
	} else if (err < 0) {
		report(o, why);
		code = err == -EINVAL ? EXIT_USAGE : EXIT_INPUT;
	} else if (o->in_temp_file) {
		err = give_final_name(o);
		if (err < 0)
			code = refuse_output(o, o->path, strerror(-err));
	}
	output_discard(o);
	return code;
}
