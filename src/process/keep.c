/*
 * Files of a live run. One that was mapped may be replaced, deleted or out of reach, with
 * the container it was in, before anybody looks at it:
 *
 *	MMAP2 read ---- process ends, file deleted ---- tick or end: names are looked up
 *	 open                                            /proc/self/fd/N
 */
#include "process/keep.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "find/find.h"
#include "process/keep_map.h"
#include "process/keep_tmp.h"

#define SETTLED_NS ((uint64_t)1000000000)
#define PINNED_MOST ((uint64_t)1 << 30) /* bytes of deleted files */

struct kept_file {
	uint32_t path; /* string id */
	uint8_t build_id_size, tries;
	uint8_t build_id[BUILD_ID_MAX];
	uint32_t maj, min;
	uint64_t ino, generation;
	uint64_t time; /* of its map; ns */
	int fd; /* -1: not held */
	bool refused; /* for want of room, when it was mapped last */
};

enum {
	PINNED_EVERY = 16, /* calls of images_keep_maps() */
	TRIES = 3, /* of a file that no process still had when it was opened */
	FILES_MANY = 16384, /* open at once; twice of what is held */
	FILES_FEW = 64, /* held where the limit is not known */
	SOME_FILES = 256, /* of which the budget is asked at a time */
	FILE_MEMORY = 3 * sizeof(struct kept_file), /* with room and what finds it */
};

struct kept {
	ARRAY(struct kept_file) list;
	struct hash_set by_key;
	struct kept_maps maps;
	unsigned calls; /* of images_keep_maps() */
	struct kept_tmps tmps;
	size_t held, most; /* without those of @maps and @tmps */
	/* For files that can be found again, when so many are known: old ones, and all. */
	size_t look_again, look_at_all;
	bool over_limit;
	struct claim claim; /* for so many of the list */
	size_t allowed;
};

/* Only what an image has, too: image_kept_path() makes a key of an image. */
static uint64_t hash_key(const struct kept_file *f)
{
	uint64_t words[] = {
		(uint64_t)f->path << 8 | f->build_id_size,
		f->build_id_size ? hash_bytes(f->build_id, BUILD_ID_MAX) : 0,
		(uint64_t)f->maj << 32 | f->min,
		f->ino,
		f->generation,
	};

	return hash_bytes(words, sizeof(words));
}

static struct kept_file *find_kept_file(const struct kept *k, const struct kept_file *key)
{
	uint64_t hash = hash_key(key), i = hash_start(hash);
	uint32_t id;

	while ((id = hash_find(&k->by_key, hash, &i)) != HASH_NONE) {
		struct kept_file *f = &k->list.v[id];

		if (f->path == key->path && f->build_id_size == key->build_id_size &&
		    memcmp(f->build_id, key->build_id, BUILD_ID_MAX) == 0 &&
		    f->maj == key->maj && f->min == key->min && f->ino == key->ino &&
		    f->generation == key->generation)
			return f;
	}
	return NULL;
}

/* Half of the files that this process may still open: the rest is for what is done with
 * them. */
static struct kept *get_kept(struct images *im)
{
	struct rlimit limit, more;
	size_t used = 0;
	DIR *files;

	if (im->kept)
		return im->kept;
	im->kept = calloc(1, sizeof(*im->kept));
	if (!im->kept)
		return NULL;
	im->kept->most = FILES_FEW;
	/* A run has events by the thousand. */
	files = opendir("/proc/self/fd");
	while (files && readdir(files))
		used++;
	if (files)
		closedir(files);
	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return im->kept;
	/* A desktop has more objects mapped than the usual 1024. */
	more = limit;
	more.rlim_cur = limit.rlim_max < FILES_MANY ? limit.rlim_max : FILES_MANY;
	if (more.rlim_cur > limit.rlim_cur && setrlimit(RLIMIT_NOFILE, &more) == 0)
		limit = more;
	im->kept->most = limit.rlim_cur > used ? (limit.rlim_cur - used) / 2 : 0;
	return im->kept;
}

/* Its file, which a device is not even for a moment. */
static int open_object(const char *path)
{
	struct context ctx = { 0 };
	int fd = object_open_file(&ctx, path);
	char magic[4];

	if (fd < 0)
		return -1;
	/* Memory without a name that runs code is no object, and holding it would pin
	 * it. */
	if (file_read_at(fd, magic, sizeof(magic), 0) == sizeof(magic) &&
	    memcmp(magic, "\177ELF", sizeof(magic)) == 0)
		return fd;
	close(fd);
	return -1;
}

/* Another file may have the path since: its own may be had from the next process. */
static int open_same(const char *path, const struct record *rec)
{
	struct file_id wanted = { rec->maj, rec->min, rec->ino, rec->generation }, id;
	int fd = open_object(path);

	if (fd < 0)
		return fd;
	if (wanted.ino && process_file_id(fd, &wanted, &id) && id.maj == wanted.maj &&
	    id.min == wanted.min && id.ino == wanted.ino)
		return fd;
	close(fd);
	return -1;
}

/*
 * As long as the process lives, what it has mapped is exactly that file. First the link
 * to the mapping itself. Where that cannot be opened, the path as the process sees it and
 * then as we do: there another file may be by now, so device and inode have to be those
 * of the record.
 */
static int open_mapped_now(const char *path, const struct record *rec)
{
	char name[64 + 4096];
	int fd;

	snprintf(name, sizeof(name), "/proc/%" PRIu32 "/map_files/%" PRIx64 "-%" PRIx64,
		 rec->pid, rec->start, rec->start + rec->size);
	fd = open_object(name);
	if (fd >= 0 || path_climbs(path))
		return fd;
	snprintf(name, sizeof(name), "/proc/%" PRIu32 "/root%s", rec->pid, path);
	fd = open_same(name, rec);
	return fd >= 0 ? fd : open_same(path, rec);
}

/* It may be opened again where a process still has it mapped. */
static void close_kept(struct kept *k, struct kept_file *f)
{
	close(f->fd);
	f->fd = -1;
	f->tries = 0;
	k->held--;
}

/* Not so many that there is no room for what comes before the next look. */
static size_t many(const struct kept *k)
{
	return k->most - k->most / 4;
}

/* Room for others: those that their path still leads to can be found by that. */
static void close_reachable(struct kept *k, const struct intern *strings,
			    uint64_t mapped_by)
{
	for (size_t i = 0; i < k->list.count; i++) {
		struct kept_file *f = &k->list.v[i];
		struct stat held, found;

		if (f->fd >= 0 && f->time <= mapped_by && fstat(f->fd, &held) == 0 &&
		    stat(intern_text(strings, f->path), &found) == 0 &&
		    held.st_dev == found.st_dev && held.st_ino == found.st_ino)
			close_kept(k, f);
	}
}

/* What was mapped just now may be deleted as soon: it goes last. Not again for each file that
 * comes. */
static void close_reachable_if_full(struct kept *k, const struct intern *strings,
				    uint64_t now)
{
	/* A look is two calls of stat for each file, so the next is due when as many
	 * files have come as an eighth of the limit. */
	if (k->held >= many(k) && k->list.count >= k->look_again) {
		close_reachable(k, strings, now > SETTLED_NS ? now - SETTLED_NS : 0);
		k->look_again = k->list.count + k->most / 8;
		k->over_limit = k->held >= many(k);
	}
	if (k->held >= k->most && k->list.count >= k->look_at_all) {
		close_reachable(k, strings, UINT64_MAX);
		k->look_at_all = k->list.count + k->most / 8;
	}
}

/* Bytes of a file that is there for us only. */
static uint64_t pinned_size(const struct kept_file *f)
{
	struct stat st;

	if (f->fd < 0 || fstat(f->fd, &st) < 0 || st.st_nlink)
		return 0;
	return (uint64_t)st.st_size;
}

static uint64_t pinned_bytes(const struct kept *k)
{
	uint64_t pinned = 0;

	for (size_t i = 0; i < k->list.count; i++)
		pinned += pinned_size(&k->list.v[i]);
	return pinned;
}

bool images_over_limit(const struct images *im)
{
	return im->kept && im->kept->over_limit;
}

void images_close_oldest(struct images *im, uint64_t time)
{
	struct kept *k = im->kept;
	uint64_t pinned = k ? pinned_bytes(k) : 0;

	for (size_t i = 0; k && i < k->list.count; i++) {
		struct kept_file *f = &k->list.v[i];
		/* The list is in the order in which files came, so the oldest go
		 * first. */
		uint64_t size = pinned_size(f);

		if (f->fd < 0 || f->time > time ||
		    (k->held <= k->most / 2 && (!size || pinned <= PINNED_MOST)))
			continue;
		close_kept(k, f);
		pinned -= size;
	}
	/* Where that was not enough, maps of runtimes fill it: the next file that comes asks again. */
	if (k)
		k->over_limit = false;
}

size_t images_refused(const struct images *im)
{
	const struct kept *k = im->kept;
	size_t count = 0;

	for (size_t i = 0; k && i < k->list.count; i++) {
		const struct kept_file *f = &k->list.v[i];
		struct stat st;

		count +=
			f->refused && (stat(intern_text(im->strings, f->path), &st) < 0 ||
				       (f->ino && st.st_ino != f->ino));
	}
	return count;
}

static bool is_file(const char *path)
{
	static const char *const others[] = { "//anon", "/dev/zero", "/SYSV",
					      "/anon_hugepage" };

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (strncmp(path, others[i], strlen(others[i])) == 0)
			return false;
	return path[0] == '/';
}

/* A process may map new files without end. */
static bool allow_file(struct kept *k, struct budget *budget)
{
	if (!budget || k->list.count < k->allowed)
		return true;
	if (!claim_add_part(&k->claim, budget, BUDGET_NAMES, SOME_FILES * FILE_MEMORY)) {
		budget_refuse(budget, "files", "what processes have mapped");
		return false;
	}
	k->allowed = k->list.count + SOME_FILES;
	return true;
}

static int keep_file(struct images *im, struct kept *k, const struct record *rec)
{
	const char *path = intern_text(im->strings, rec->name);
	struct kept_file key = { .path = rec->name,
				 .build_id_size = rec->build_id_size,
				 .maj = rec->maj,
				 .min = rec->min,
				 .ino = rec->ino,
				 .generation = rec->generation,
				 .time = rec->time,
				 .fd = -1 };
	struct kept_file *f;

	if (rec->type != PERF_RECORD_MMAP || !rec->executable || rec->mode != MODE_USER ||
	    !is_file(path))
		return 0;
	memcpy(key.build_id, rec->build_id, BUILD_ID_MAX);
	f = find_kept_file(k, &key);
	if (!f) {
		if (!allow_file(k, im->dirs ? im->dirs->budget : NULL))
			return 0;
		if (!array_reserve(&k->list, 1) ||
		    !hash_add(&k->by_key, hash_key(&key), (uint32_t)k->list.count))
			return -ENOMEM;
		f = array_add(&k->list);
		*f = key;
	}
	if (f->fd >= 0 || f->tries >= TRIES)
		return 0;
	close_reachable_if_full(k, im->strings, rec->time);
	/* One without room stays in the list: its next map asks again, and
	 * images_refused() counts it if nobody finds it by its path. */
	f->refused = k->held >= k->most;
	if (f->refused)
		return 0;
	f->tries++;
	f->time = rec->time;
	f->fd = open_mapped_now(path, rec);
	k->held += f->fd >= 0;
	return 1;
}

int images_keep(struct images *im, const struct record *rec)
{
	struct kept *k = get_kept(im);
	int tmp, file;

	if (!k)
		return -ENOMEM;
	tmp = kept_tmps_take(&k->tmps, im->dirs, im->strings, rec, images_may_hold(im));
	file = tmp < 0 ? tmp : keep_file(im, k, rec);
	return tmp > 0 && file == 0 ? tmp : file;
}

void images_look_for_maps(struct images *im)
{
	if (im->kept && im->dirs)
		kept_tmps_look(&im->kept->tmps, im->dirs, false);
}

bool image_kept_path(const struct images *im, const struct image *image,
		     struct text *path)
{
	struct kept_file key = { .path = image->path,
				 .build_id_size = image->build_id_size,
				 .maj = image->maj,
				 .min = image->min,
				 .ino = image->ino,
				 .generation = image->generation };
	const struct kept_file *f;

	if (!im->kept)
		return false;
	memcpy(key.build_id, image->build_id, BUILD_ID_MAX);
	f = find_kept_file(im->kept, &key);
	if (!f || f->fd < 0)
		return false;
	text_printf(path, "/proc/self/fd/%d", f->fd);
	return true;
}

struct kept_maps *images_kept_maps(const struct images *im)
{
	return im->kept ? &im->kept->maps : NULL;
}

bool images_may_hold(const struct images *im)
{
	const struct kept *k = im->kept;

	return k->held + k->maps.held + k->tmps.held < k->most;
}

int images_keep_maps(struct images *im)
{
	struct kept *k = get_kept(im);
	int err = k ? kept_maps_want(&k->maps, im) : -ENOMEM;

	if (err < 0)
		return err;
	/* A stat for each file that is held: every 16 seconds, as we are called once a
	 * second. */
	if (++k->calls % PINNED_EVERY == 0)
		k->over_limit |= pinned_bytes(k) > PINNED_MOST;
	if (im->dirs)
		kept_tmps_look(&k->tmps, im->dirs, true);
	return kept_maps_look(&k->maps, im);
}

int image_open_kept_map(const struct images *im, uint32_t image, struct jit_file *ret)
{
	const struct kept_map *m;
	struct jit_file f = { .fd = -1 };

	if (!im->kept || !im->dirs)
		return 0;
	m = kept_maps_find(&im->kept->maps, im, image);
	if (!m || m->fd < 0)
		return kept_tmps_open(&im->kept->tmps, im->dirs, &im->list.v[image], ret);
	text_string(&f.path, m->path);
	/* The caller closes its own one. They share an offset, but maps are read with
	 * pread. */
	f.fd = fcntl(m->fd, F_DUPFD_CLOEXEC, 0);
	if (f.path.failed) {
		jit_file_close(&f);
		return -ENOMEM;
	}
	jit_file_close(ret);
	*ret = f;
	return 0;
}

void images_drop_kept(struct images *im)
{
	if (!im->kept)
		return;
	kept_maps_release(&im->kept->maps);
	kept_tmps_release(&im->kept->tmps);
	for (size_t i = 0; i < im->kept->list.count; i++)
		if (im->kept->list.v[i].fd >= 0)
			close(im->kept->list.v[i].fd);
	array_release(&im->kept->list);
	hash_release(&im->kept->by_key);
	claim_release(&im->kept->claim);
	free(im->kept);
	im->kept = NULL;
}
