/*
 * First all processes are looked at: who may ask which file is known before the first is read.
 * The one who asks a file of several first reads it, with the addresses of all of them, and the
 * others find it read.
 */
#include "symbol/map_files.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/cover.h"

struct map_file {
	struct stat st;
	ARRAY(const struct image_names *) jobs; /* that may ask it */
	pthread_mutex_t lock; /* of what follows */
	bool asked, left_out;
	uint64_t *addresses; /* of all jobs, ascending */
	size_t count;
	struct perf_map map;
};

struct map_files {
	const struct source_finder *finder;
	const struct frames *frames;
	_Atomic uint64_t bytes; /* that were read */
	ARRAY(struct map_file *) list;
	struct hash_set by_inode;
	struct hash_map of_image; /* index in list, or NO_FILE */
};

enum { NO_FILE = UINT32_MAX };

uint64_t map_files_address(const struct source_finder *finder, const struct frame *f)
{
	return f->address + (finder->options->compat && f->flags & FRAME_CALLER);
}

uint32_t map_files_first(const struct source_finder *finder, uint32_t image)
{
	const struct image *images = finder->images->list.v;

	for (int i = 0;
	     finder->options->compat && images[image].forked_from && i < MAP_PARENTS_MOST;
	     i++)
		image = images[image].forked_from;
	return image;
}

int map_files_open(const struct source_finder *finder, uint32_t image,
		   struct jit_file *ret)
{
	struct jit_process process =
		image_jit_process(finder->strings, &finder->images->list.v[image]);
	int err = jit_file_open_map(&finder->options->dirs, &process, ret);

	if (err == 0 && ret->fd < 0)
		err = image_open_kept_map(finder->images, image, ret);
	return err;
}

static uint64_t hash_inode(const struct stat *st)
{
	return hash_u64(st->st_ino + hash_u64(st->st_dev));
}

/* Its index; NO_FILE where it is not known. */
static uint32_t find_map_file(const struct map_files *m, const struct stat *st)
{
	uint64_t hash = hash_inode(st), i = hash_start(hash);
	uint32_t id;

	while ((id = hash_find(&m->by_inode, hash, &i)) != HASH_NONE) {
		const struct stat *other = &m->list.v[id]->st;

		/* One that was written to between two looks is another one. */
		if (other->st_dev == st->st_dev && other->st_ino == st->st_ino &&
		    other->st_size == st->st_size &&
		    other->st_mtim.tv_sec == st->st_mtim.tv_sec &&
		    other->st_mtim.tv_nsec == st->st_mtim.tv_nsec)
			return id;
	}
	return NO_FILE;
}

/* Each process is looked at once, however many children it has. */
static int file_of_image(struct map_files *m, uint32_t image, uint32_t *ret)
{
	const uint32_t *known = hash_map_get(&m->of_image, image);
	struct map_file *f = NULL;
	struct jit_file opened;
	struct stat st;
	int err;

	if (known) {
		*ret = *known;
		return 0;
	}
	err = map_files_open(m->finder, image, &opened);
	if (err < 0)
		return err;
	/* That there is none is noted as well: it is not looked for again. */
	*ret = NO_FILE;
	if (opened.fd < 0 || fstat(opened.fd, &st) < 0)
		goto out;
	*ret = find_map_file(m, &st);
	if (*ret != NO_FILE)
		goto out;
	if (array_reserve(&m->list, 1))
		f = calloc(1, sizeof(*f));
	*ret = (uint32_t)m->list.count;
	if (!f || !hash_add(&m->by_inode, hash_inode(&st), *ret)) {
		free(f);
		err = -ENOMEM;
		goto out;
	}
	pthread_mutex_init(&f->lock, NULL);
	f->st = st;
	*array_add(&m->list) = f;
out:
	jit_file_close(&opened);
	if (err == 0 && !hash_map_set(&m->of_image, image, *ret))
		err = -ENOMEM;
	return err;
}

static bool may_ask(const struct map_files *m, const struct image_names *job)
{
	const struct image *image = &m->finder->images->list.v[job->image];

	return image->owner && image->kind != IMAGE_JIT && !image->code;
}

int map_files_new(const struct source_finder *finder, const struct frames *frames,
		  struct image_names *const *jobs, size_t count, struct map_files **ret)
{
	struct map_files *m = calloc(1, sizeof(*m));
	const struct image_names **slot;
	size_t asking = 0;
	uint32_t file;

	if (!m)
		return -ENOMEM;
	m->finder = finder;
	m->frames = frames;
	for (size_t i = 0; i < count; i++)
		asking += may_ask(m, jobs[i]);
	/* One alone shares with nobody. */
	for (size_t i = 0; asking > 1 && i < count; i++) {
		uint32_t id = map_files_first(finder, jobs[i]->image);

		if (!may_ask(m, jobs[i]))
			continue;
		for (int k = 0; id && k < MAP_PARENTS_MOST; k++) {
			if (file_of_image(m, id, &file) < 0)
				goto no_memory;
			id = finder->images->list.v[id].forked_from;
			if (file == NO_FILE)
				continue;
			/* Its parent may have the same. */
			if (m->list.v[file]->jobs.count &&
			    *array_last(&m->list.v[file]->jobs) == jobs[i])
				continue;
			slot = array_add(&m->list.v[file]->jobs);
			if (!slot)
				goto no_memory;
			*slot = jobs[i];
		}
	}
	*ret = m;
	return 0;
no_memory:
	map_files_free(m);
	return -ENOMEM;
}

void map_files_free(struct map_files *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->list.count; i++) {
		struct map_file *f = m->list.v[i];

		array_release(&f->jobs);
		perf_map_release(&f->map);
		pthread_mutex_destroy(&f->lock);
		free(f->addresses);
		free(f);
	}
	array_release(&m->list);
	hash_release(&m->by_inode);
	hash_map_release(&m->of_image);
	free(m);
}

/* Added first and taken back: two threads must not both find room for the last bytes. */
static bool is_within_total(struct map_files *m, const struct stat *st)
{
	uint64_t size =
		st->st_size < PERF_MAP_MOST ? (uint64_t)st->st_size : PERF_MAP_MOST;

	if (atomic_fetch_add(&m->bytes, size) + size <= MAP_FILES_MOST)
		return true;
	atomic_fetch_sub(&m->bytes, size);
	return false;
}

static int compare_map_addresses(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Lines that are later than code which ran count for the map of that process. */
static int read_map_names(struct map_files *m, const struct map_question *q,
			  const uint64_t *addresses, size_t count, struct perf_map *ret)
{
	struct perf_map_question question = { .addresses = addresses, .count = count };
	int err = images_later_lines(m->finder->images, q->image, q->fd, &question);

	if (err == 0)
		err = perf_map_read(q->fd, &question, m->finder->options->dirs.budget,
				    ret);
	free((void *)question.later);
	return err;
}

/* The first one who asks reads it for all. */
static int ask_shared(struct map_files *m, struct map_file *f,
		      const struct map_question *q, struct map_answer *ret)
{
	size_t count = 0, different = 0;
	int err = 0;

	pthread_mutex_lock(&f->lock);
	if (f->asked)
		goto answer;
	f->left_out = !is_within_total(m, &f->st);
	f->asked = f->left_out;
	if (f->left_out)
		goto answer;
	/* The addresses of all jobs, each once. */
	for (size_t i = 0; i < f->jobs.count; i++)
		count += f->jobs.v[i]->count;
	f->addresses = malloc((count + 1) * sizeof(*f->addresses));
	err = f->addresses ? 0 : -ENOMEM;
	if (err < 0)
		goto answer;
	count = 0;
	for (size_t i = 0; i < f->jobs.count; i++)
		for (size_t k = 0; k < f->jobs.v[i]->count; k++)
			f->addresses[count++] = map_files_address(
				m->finder,
				&m->frames->list.v[f->jobs.v[i]->frames[k].id]);
	qsort(f->addresses, count, sizeof(*f->addresses), compare_map_addresses);
	for (size_t i = 0; i < count; i++)
		if (different == 0 || f->addresses[i] != f->addresses[different - 1])
			f->addresses[different++] = f->addresses[i];
	f->count = different;
	err = read_map_names(m, q, f->addresses, f->count, &f->map);
	if (err < 0) {
		/* Who asks next collects them again. */
		free(f->addresses);
		f->addresses = NULL;
	}
	f->asked = err == 0;
answer:
	pthread_mutex_unlock(&f->lock);
	if (err < 0 || f->left_out)
		return err;
	/* All addresses of the question are in the list, as its job is one of those that
	 * may ask. */
	ret->map = &f->map;
	for (size_t i = 0; i < q->count; i++)
		ret->of_address[i] = f->map.of_address[cover_first(f->addresses, f->count,
								   q->addresses[i])];
	return 0;
}

int map_files_ask(struct map_files *m, const struct map_question *q,
		  struct map_answer *ret)
{
	struct stat st = { 0 };
	uint32_t id;
	int err = 0;

	*ret = (struct map_answer){ 0 };
	ret->of_address = calloc(q->count + 1, sizeof(*ret->of_address));
	if (!ret->of_address)
		return -ENOMEM;
	/* A file that one job alone asks is read for its addresses, and nobody keeps
	 * it. */
	id = fstat(q->fd, &st) < 0 ? NO_FILE : find_map_file(m, &st);
	if (id != NO_FILE && m->list.v[id]->jobs.count > 1) {
		err = ask_shared(m, m->list.v[id], q, ret);
	} else if (is_within_total(m, &st)) {
		err = read_map_names(m, q, q->addresses, q->count, &ret->own);
		if (err == 0) {
			ret->map = &ret->own;
			memcpy(ret->of_address, ret->own.of_address,
			       q->count * sizeof(*ret->of_address));
		}
	}
	if (err < 0)
		map_answer_release(ret);
	return err;
}

void map_answer_release(struct map_answer *a)
{
	perf_map_release(&a->own);
	free(a->of_address);
	*a = (struct map_answer){ 0 };
}
