#include "archive/parts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <flamefold_store.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "archive/sql.h"

enum { LOCK_TRIES = 600, LOCK_NS = 100000000 };

static int fail_file(struct ff_archive *a, const char *what, const char *path)
{
	int err = errno ? errno : EIO;

	return fail(&a->ctx, -err, "cannot %s '%s': %s", what, path, strerror(err));
}

static int make_folder(struct ff_archive *a, const char *path)
{
	if (mkdir(path, 0777) < 0 && errno != EEXIST)
		return fail_file(a, "make", path);
	return 0;
}

/* A file's bytes, or a directory's names: these are there for good when it is on the disk. */
static int sync_path(struct ff_archive *a, const char *path, int flags)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | flags);
	int err = 0;

	/* Some file systems have nothing to be done for a directory. */
	if (fd < 0 || (fsync(fd) < 0 && (errno != EINVAL || !flags)))
		err = fail_file(a, "write", path);
	if (fd >= 0)
		close(fd);
	return err;
}

int parts_open(struct ff_archive *a)
{
	static const char *const ours[] = { ".", "..", "lock", "parts", "tmp" };
	bool create = a->options.flags & FF_ARCHIVE_CREATE;
	bool is_archive = false, others = false;
	char path[PART_PATH_MOST];
	int err = create ? make_folder(a, a->directory) : 0;
	DIR *d = create && err == 0 ? opendir(a->directory) : NULL;
	struct dirent *e;

	if (create && err == 0 && !d)
		err = fail_file(a, "open", a->directory);
	while (d && (e = readdir(d))) {
		size_t i = 0;

		while (i < sizeof(ours) / sizeof(*ours) && strcmp(e->d_name, ours[i]))
			i++;
		is_archive |= strcmp(e->d_name, "index.db") == 0;
		others |= i == sizeof(ours) / sizeof(*ours);
	}
	if (d)
		closedir(d);
	/* Somebody's directory does not become an archive: it is one, or as far as one ever gets. */
	if (err == 0 && others && !is_archive)
		err = fail(&a->ctx, -EEXIST,
			   "'%s' is not an archive, and not empty: name a directory that "
			   "is, or that is not there yet",
			   a->directory);
	snprintf(path, sizeof(path), "%s/parts", a->directory);
	if (create && err == 0)
		err = make_folder(a, path);
	snprintf(path, sizeof(path), "%s/tmp", a->directory);
	if (create && err == 0)
		err = make_folder(a, path);
	if (create && err == 0)
		err = sync_path(a, a->directory, O_DIRECTORY);
	snprintf(path, sizeof(path), "%s/lock", a->directory);
	a->lock = err < 0 ? -1
			  : open(path, (create ? O_RDWR | O_CREAT : O_RDWR) | O_CLOEXEC,
				 0666);
	/* Who may only read can share it. */
	if (err == 0 && a->lock < 0)
		a->lock = open(path, O_RDONLY | O_CLOEXEC);
	if (err == 0 && a->lock < 0 && !(a->options.flags & FF_ARCHIVE_READ_ONLY))
		err = errno == ENOENT ? fail(&a->ctx, -ENOENT, "'%s' is not an archive",
					     a->directory)
				      : fail_file(a, "open", path);
	return err;
}

/* A new index knows none of them, and whoever sweeps then would remove them all. */
int parts_expect_none(struct ff_archive *a)
{
	char path[PART_PATH_MOST];
	struct dirent *e = NULL;
	DIR *d;

	snprintf(path, sizeof(path), "%s/parts", a->directory);
	d = opendir(path);
	if (!d)
		return fail_file(a, "open", path);
	while ((e = readdir(d)) && e->d_name[0] == '.')
		;
	closedir(d);
	return !e ? 0
		  : fail(&a->ctx, -EEXIST,
			 "'%s' has parts, and has lost its index: 'flamefold archive add "
			 "NEW %s/*/*.ff' makes another one",
			 a->directory, path);
}

int parts_lock(struct ff_archive *a, bool alone)
{
	const struct timespec pause = { .tv_nsec = LOCK_NS };

	/* What is added holds it until the commit: others would sweep its parts away. */
	if (a->adding && alone)
		return fail(&a->ctx, -EBUSY,
			    "'%s': what was added is to be committed first",
			    a->directory);
	if (a->lock < 0 || a->adding)
		return 0;
	for (int i = 0; i < LOCK_TRIES; i++) {
		if (flock(a->lock, (alone ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0)
			return 0;
		if (errno != EWOULDBLOCK && errno != EINTR)
			break;
		nanosleep(&pause, NULL);
	}
	if (errno == EWOULDBLOCK)
		return fail(&a->ctx, -EBUSY,
			    "'%s': somebody else has been using it for a minute",
			    a->directory);
	/* A file system without locks has one user, or is read only. */
	return alone ? fail_file(a, "lock", a->directory) : 0;
}

void parts_unlock(struct ff_archive *a)
{
	if (a->lock >= 0 && !a->adding)
		flock(a->lock, LOCK_UN);
}

/* What is behind it is @suffix. */
static bool from_hex(const char *text, const char *suffix, uint8_t *ret)
{
	size_t digits = strspn(text, "0123456789abcdef");

	if (digits != 2 * SHA256_DIGEST_SIZE || strcmp(text + digits, suffix) != 0)
		return false;
	for (size_t i = 0; i < SHA256_DIGEST_SIZE; i++) {
		char digits[3] = { text[2 * i], text[2 * i + 1], '\0' };

		ret[i] = (uint8_t)strtoul(digits, NULL, 16);
	}
	return true;
}

struct part_path parts_path(const struct ff_archive *a, const uint8_t *hash)
{
	char hex[2 * SHA256_DIGEST_SIZE + 1];
	struct part_path path;

	for (size_t i = 0; i < SHA256_DIGEST_SIZE; i++)
		snprintf(hex + 2 * i, 3, "%02x", hash[i]);
	snprintf(path.text, sizeof(path.text), "%s/parts/%.2s/%s.ff", a->directory, hex,
		 hex);
	return path;
}

int parts_hash(const char *path, uint8_t *ret)
{
	char hex[2 * SHA256_DIGEST_SIZE + 1];
	int err = ff_store_hash(path, hex);

	return err < 0 ? err : from_hex(hex, "", ret) ? 0 : -EIO;
}

static void name_temporary(const struct ff_archive *a, unsigned number,
			   char ret[PART_PATH_MOST])
{
	snprintf(ret, PART_PATH_MOST, "%s/tmp/%d-%u", a->directory, (int)getpid(),
		 number);
}

int parts_begin(struct ff_archive *a, struct new_part *p)
{
	/* Never what is there already: who was killed left it, or it is a link to somewhere. */
	do {
		p->number = a->parts_made++;
		name_temporary(a, p->number, p->path);
		p->stream = fopen(p->path, "wxe");
	} while (!p->stream && errno == EEXIST);
	return p->stream ? 0 : fail_file(a, "write", p->path);
}

int parts_end(struct ff_archive *a, struct new_part *p)
{
	struct written_part *slot;
	struct stat st = { 0 };
	int err = 0;

	errno = 0;
	if (fflush(p->stream) != 0 || ferror(p->stream) ||
	    fstat(fileno(p->stream), &st) < 0)
		err = fail_file(a, "write", p->path);
	p->bytes = (uint64_t)st.st_size;
	if (fclose(p->stream) != 0 && err == 0)
		err = fail_file(a, "write", p->path);
	p->stream = NULL;
	if (err == 0 && (err = parts_hash(p->path, p->hash)) < 0)
		err = fail(&a->ctx, err, "cannot read '%s': %s", p->path, strerror(-err));
	slot = err == 0 ? array_add(&a->written) : NULL;
	if (err == 0 && !slot)
		err = fail_memory(&a->ctx);
	if (err < 0) {
		parts_discard(p);
		return err;
	}
	slot->number = p->number;
	memcpy(slot->hash, p->hash, sizeof(slot->hash));
	return 0;
}

void parts_discard(struct new_part *p)
{
	if (p->stream)
		fclose(p->stream);
	p->stream = NULL;
	unlink(p->path);
}

int parts_settle(struct ff_archive *a)
{
	char from[PART_PATH_MOST], path[PART_PATH_MOST];
	bool touched[256] = { false }, made = false;
	int err = 0;

	for (size_t i = 0; i < a->written.count && err == 0; i++) {
		name_temporary(a, a->written.v[i].number, from);
		err = sync_path(a, from, 0);
	}
	for (size_t i = 0; i < a->written.count && err == 0; i++) {
		const struct written_part *w = &a->written.v[i];

		snprintf(path, sizeof(path), "%s/parts/%02x", a->directory, w->hash[0]);
		touched[w->hash[0]] = true;
		if (mkdir(path, 0777) == 0)
			made = true;
		else if (errno != EEXIST)
			err = fail_file(a, "make", path);
		name_temporary(a, w->number, from);
		/* What has this name has these bytes, or had them before it was damaged. */
		if (err == 0 && rename(from, parts_path(a, w->hash).text) < 0)
			err = fail_file(a, "write", parts_path(a, w->hash).text);
	}
	for (unsigned i = 0; i < 256 && err == 0; i++) {
		snprintf(path, sizeof(path), "%s/parts/%02x", a->directory, i);
		if (touched[i])
			err = sync_path(a, path, O_DIRECTORY);
	}
	snprintf(path, sizeof(path), "%s/parts", a->directory);
	if (err == 0 && made)
		err = sync_path(a, path, O_DIRECTORY);
	parts_drop(a, 0);
	return err;
}

void parts_drop(struct ff_archive *a, size_t first)
{
	char path[PART_PATH_MOST];

	/* What has got its name is not there under this one any more. */
	for (size_t i = first; i < a->written.count; i++) {
		name_temporary(a, a->written.v[i].number, path);
		unlink(path);
	}
	if (first < a->written.count)
		a->written.count = first;
}

void parts_remove(struct ff_archive *a, const part_list *gone)
{
	for (size_t i = 0; i < gone->count; i++)
		unlink(parts_path(a, gone->v[i].hash).text);
}

/* Nothing is removed behind a link: whoever made the archive chose where that leads. */
static DIR *open_own_folder(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);

	if (fd >= 0 && !d)
		close(fd);
	return d;
}

/* Those in a folder that the index does not name. */
static int sweep_folder(struct ff_archive *a, const char *path, bool is_tmp)
{
	DIR *d = open_own_folder(path);
	uint8_t hash[SHA256_DIGEST_SIZE];
	struct dirent *e;
	int err = 0;

	while (d && err >= 0 && (e = readdir(d))) {
		const char *name = e->d_name;

		/* What is not named as we do is somebody's, and stays. */
		if (is_tmp ? name[strspn(name, "0123456789-")] != '\0'
			   : !from_hex(name, ".ff", hash))
			continue;
		err = is_tmp ? 0
			     : sql_run(a, NULL, "SELECT 1 FROM part WHERE sha256=?", "h",
				       hash);
		if (err == 0 && unlinkat(dirfd(d), e->d_name, 0) == 0)
			warn(&a->ctx, "removed '%s/%s', which is no part of the archive",
			     path, e->d_name);
	}
	if (d)
		closedir(d);
	return err < 0 ? err : 0;
}

int parts_sweep(struct ff_archive *a)
{
	char path[PART_PATH_MOST];
	DIR *parts;
	int err;

	snprintf(path, sizeof(path), "%s/tmp", a->directory);
	err = sweep_folder(a, path, true);
	snprintf(path, sizeof(path), "%s/parts", a->directory);
	parts = open_own_folder(path);
	for (unsigned i = 0; i < 256 && err == 0 && parts; i++) {
		snprintf(path, sizeof(path), "%s/parts/%02x", a->directory, i);
		err = sweep_folder(a, path, false);
	}
	if (parts)
		closedir(parts);
	return err;
}
