/*
 * The maps of a live run's processes are held open: a container may be gone before names are looked
 * up. Runtimes make their map some time after their first code, so it is looked for in each pass
 * while the process is young (map_tail.c has to know how long it was when something was written
 * over older code), and then once a second.
 */
#include "process/keep_map.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "process/keep.h"
#include "process/map_tail.h"

enum {
	MAPS_MOST = 1024, /* processes whose map is looked for again and again */
	TRIES = 32, /* of a young one, a pass each */
};

/* Two processes may meet in one key, so kept_maps_find() compares. */
static uint64_t process_key(const struct image *image)
{
	return (uint64_t)image->owner << 32 ^ hash_u64(image->origin.started) ^
	       image->origin.pid_namespace;
}

struct kept_map *kept_maps_find(const struct kept_maps *k, const struct images *im,
				uint32_t image)
{
	const struct image *of = &im->list.v[image];
	const uint32_t *index = hash_map_get(&k->by_process, process_key(of));
	struct kept_map *m = index ? &k->list.v[*index] : NULL;
	const struct image *known = m ? &im->list.v[m->image] : NULL;

	/* Pids are used again. */
	return known && known->owner == of->owner &&
			       known->origin.started == of->origin.started &&
			       known->origin.pid_namespace == of->origin.pid_namespace
		       ? m
		       : NULL;
}

int kept_maps_want(struct kept_maps *k, const struct images *im)
{
	for (; k->images < im->list.count; k->images++) {
		const struct image *image = &im->list.v[k->images];
		struct kept_map *m;

		/* Only code can be named by a perf-PID.map, and it has an owner. */
		if (image->kind != IMAGE_ANON || !image->owner ||
		    k->waiting >= MAPS_MOST || kept_maps_find(k, im, (uint32_t)k->images))
			continue;
		m = array_add(&k->list);
		if (!m || !hash_map_set(&k->by_process, process_key(image),
					(uint32_t)k->list.count - 1))
			return -ENOMEM;
		*m = (struct kept_map){ .image = (uint32_t)k->images, .fd = -1 };
		k->waiting++;
	}
	return 0;
}

static bool has_ended(const struct images *im, const struct kept_map *m)
{
	char proc[32];

	snprintf(proc, sizeof(proc), "/proc/%" PRIu32, im->list.v[m->image].owner);
	return access(proc, F_OK) != 0;
}

/* In the place where it is while its process lives. */
static int look_for(struct kept_maps *k, struct images *im, struct kept_map *m)
{
	struct jit_process process =
		image_jit_process(im->strings, &im->list.v[m->image]);
	struct jit_file f;
	int err;

	/* Asked before its map is looked for: if it ends in between, we come again and
	 * find what it wrote last. */
	m->ended = has_ended(im, m);
	err = im->dirs ? jit_file_open_map(im->dirs, &process, &f) : -ENOENT;
	if (err == 0 && f.fd >= 0) {
		m->path = strdup(f.path.bytes);
		m->fd = f.fd;
		f.fd = -1;
		k->held++;
		map_tail_begin(m);
	}
	if (err == 0)
		jit_file_close(&f);
	k->waiting -= m->fd >= 0 || m->ended;
	return err == -ENOMEM || (m->fd >= 0 && !m->path) ? -ENOMEM : 0;
}

int kept_maps_look_soon(struct kept_maps *k, struct images *im)
{
	int err = 0;

	/* The newest first: behind one that has had its tries all have. */
	for (size_t i = k->list.count; i-- > 0 && err == 0;) {
		struct kept_map *m = &k->list.v[i];

		if (m->tries++ >= TRIES || !images_may_hold(im))
			break;
		if (m->fd < 0 && !m->ended)
			err = look_for(k, im, m);
	}
	return err;
}

int kept_maps_look(struct kept_maps *k, struct images *im)
{
	int err = 0;

	for (size_t i = 0; err == 0 && i < k->list.count; i++) {
		struct kept_map *m = &k->list.v[i];

		if (m->ended)
			continue;
		if (m->fd >= 0)
			m->ended = has_ended(im, m);
		else if (images_may_hold(im))
			err = look_for(k, im, m);
	}
	return err;
}

void kept_maps_release(struct kept_maps *k)
{
	for (size_t i = 0; i < k->list.count; i++) {
		struct kept_map *m = &k->list.v[i];

		if (m->fd >= 0)
			close(m->fd);
		free(m->path);
		array_release(&m->ran);
		ranges_release(&m->lines);
	}
	array_release(&k->list);
	hash_map_release(&k->by_process);
}
