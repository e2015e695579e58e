/*
 * A process that is in a mount namespace of its own (unshare -m, systemd's PrivateTmp,
 * containers) may have a /tmp of its own, in which its runtime says what code it made. When the
 * last process there ends, the namespace goes, and no path leads to the file any more. But a
 * directory that somebody has open stays, with what is in it:
 *
 *	MMAP2 of code read -------- map written -------- process and namespace gone
 *	 open /proc/PID/root/tmp                          openat(it, "perf-NSPID.map")
 *
 * So it is opened as soon as a process is seen to have such code, whether the map is there or
 * not. The map itself is opened, too, when it is seen, for it may be deleted. Where the /tmp is ours
 * and the mounts are not, a file may be mounted on the map's name, and only the map is opened.
 */
#include "process/keep_tmp.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "process/classify.h"

enum {
	TMPS_MOST = 1024, /* held at once */
	TRIES = 100, /* of a young one, a pass each */
};

#define TMP_SHARED UINT32_MAX

static void close_tmp(struct kept_tmps *k, struct kept_tmp *t)
{
	if (t->tmp.dir >= 0) {
		close(t->tmp.dir);
		k->held--;
	}
	t->tmp.dir = -1;
}

static void look_into(struct kept_tmps *k, const struct search_dirs *dirs,
		      struct kept_tmp *t)
{
	struct jit_file f;

	/* Without its directory there is the map that the process has on its name while it
	 * lives. */
	if (t->tmp.dir < 0) {
		if (!t->tmp.other_mounts || t->fd >= 0 ||
		    jit_file_open_map(dirs, &t->process, &f) < 0)
			return;
		/* Not the one that paths lead to anyway. */
		if (f.fd >= 0 && strncmp(f.path.bytes, "/proc/", strlen("/proc/")) == 0) {
			t->fd = f.fd;
			f.fd = -1;
			k->held++;
		}
		jit_file_close(&f);
		return;
	}
	if (jit_tmp_open_map(dirs, &t->process, &t->tmp, &f) < 0)
		return;
	t->fd = f.fd;
	f.fd = -1;
	jit_file_close(&f);
	if (t->fd < 0)
		return;
	/* The map is what was wanted: its descriptor takes the place of the
	 * directory's. */
	close_tmp(k, t);
	k->held++;
}

static int hold(struct kept_tmps *k, const struct search_dirs *dirs,
		const struct record *rec, bool room)
{
	struct kept_tmp t = {
		.process = { .pid = rec->pid, .here = true, .seen = rec->time },
		.tmp = { .dir = -1 },
		.fd = -1
	};
	struct kept_tmp *slot;

	if (room && k->held < TMPS_MOST)
		jit_tmp_hold(&t.process, &t.tmp);
	if (t.tmp.dir < 0 && !t.tmp.other_mounts)
		return hash_map_set(&k->of_pid, rec->pid, TMP_SHARED) ? 1 : -ENOMEM;
	slot = array_reserve(&k->list, 1) &&
			       hash_map_set(&k->of_pid, rec->pid, (uint32_t)k->list.count)
		       ? array_add(&k->list)
		       : NULL;
	if (!slot) {
		if (t.tmp.dir >= 0)
			close(t.tmp.dir);
		return -ENOMEM;
	}
	*slot = t;
	k->held += t.tmp.dir >= 0;
	/* At once: it may end any moment. */
	if (dirs)
		look_into(k, dirs, slot);
	return 1;
}

int kept_tmps_take(struct kept_tmps *k, const struct search_dirs *dirs,
		   const struct intern *strings, const struct record *rec, bool room)
{
	if (rec->type == PERF_RECORD_FORK) {
		if (rec->pid == rec->ppid)
			return 0;
		/* The child goes on with its parent's code, and writes a map of its own. */
		hash_map_remove(&k->of_pid, rec->pid);
		return hash_map_get(&k->of_pid, rec->ppid) ? hold(k, dirs, rec, room) : 0;
	}
	/* Another program, which may be in another place; or none. */
	if ((rec->type == PERF_RECORD_COMM && rec->exec) ||
	    (rec->type == PERF_RECORD_EXIT && rec->pid == rec->tid))
		hash_map_remove(&k->of_pid, rec->pid);
	if (rec->type != PERF_RECORD_MMAP || rec->mode != MODE_USER ||
	    !is_code_of_runtime(rec, intern_text(strings, rec->name)) ||
	    hash_map_get(&k->of_pid, rec->pid))
		return 0;
	return hold(k, dirs, rec, room);
}

void kept_tmps_look(struct kept_tmps *k, const struct search_dirs *dirs, bool all)
{
	size_t i = all ? 0 : k->untried;

	for (; i < k->list.count; i++) {
		struct kept_tmp *t = &k->list.v[i];
		char proc[32];
		bool ended;

		if (all && t->tmp.dir >= 0) {
			snprintf(proc, sizeof(proc), "/proc/%" PRIu32, t->process.pid);
			ended = access(proc, F_OK) < 0;
			look_into(k, dirs, t);
			/* Nothing comes to it any more once its process has ended. */
			if (ended)
				close_tmp(k, t);
		} else if (t->tries++ < TRIES) {
			look_into(k, dirs, t);
		}
	}
	while (k->untried < k->list.count && k->list.v[k->untried].tries >= TRIES)
		k->untried++;
}

int kept_tmps_open(const struct kept_tmps *k, const struct search_dirs *dirs,
		   const struct image *image, struct jit_file *ret)
{
	const struct kept_tmp *t = NULL;
	struct jit_file f = { .fd = -1 };
	int err = 0;

	/* Of processes that had that pid one after another: the last one that had code when
	 * the image was mapped. A child's images say when its parent's were: the first that
	 * there is. */
	for (size_t i = 0; i < k->list.count; i++) {
		const struct kept_tmp *other = &k->list.v[i];

		if (other->process.pid == image->owner &&
		    (!t || other->process.seen <= image->origin.seen))
			t = other;
	}
	if (!t || (t->fd < 0 && t->tmp.dir < 0))
		return 0;
	if (t->fd < 0)
		err = jit_tmp_open_map(dirs, &t->process, &t->tmp, &f);
	else
		f.fd = fcntl(t->fd, F_DUPFD_CLOEXEC, 0);
	if (err < 0 || f.fd < 0) {
		jit_file_close(&f);
		return err;
	}
	if (!f.path.size)
		jit_tmp_path(&t->process, &t->tmp, &f.path);
	if (f.path.failed) {
		jit_file_close(&f);
		return -ENOMEM;
	}
	jit_file_close(ret);
	*ret = f;
	return 0;
}

void kept_tmps_release(struct kept_tmps *k)
{
	for (size_t i = 0; i < k->list.count; i++) {
		close_tmp(k, &k->list.v[i]);
		if (k->list.v[i].fd >= 0)
			close(k->list.v[i].fd);
	}
	array_release(&k->list);
	hash_map_release(&k->of_pid);
}
