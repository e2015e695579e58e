/*
 * Recordings are folded together where what comes of it is the same, byte for byte. Some of that only
 * who reads them knows (ff_store_is_sum()); here stands what is known before. Two files of one content
 * must not be in one batch, for they count once: it takes their hashes to be sure of that, which cost
 * as much as reading them, so those that look alike are folded alone.
 */
#include "cli/fold_plan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

enum {
	BATCH_FILES = 1000,
	LOOKED_AT = 32 << 10, /* bytes at the end, where perf has the host */
	LARGE_FILE = 32 << 20, /* there is nothing to be saved */
	PIPE_HEADER = 16, /* bytes: what came through a pipe is read in another way */
	BATCH_BYTES = 256 << 20,
	APART_BYTES = 32 << 20, /* the stacks of all are in memory */
};

struct file_look {
	uint64_t hash; /* of some of its bytes */
	uint64_t size; /* 0: it is folded alone */
	size_t task;
};

/* Those of this machine are folded alone (ff_store_is_sum()), and who reads some of them together would only
 * find that out. A header's text has a length before it, and is filled up with zeros. */
static bool names_host(const void *bytes, size_t size, const char *host)
{
	char text[sizeof(((struct utsname *)0)->nodename) + 2] = "";
	size_t length = strlen(host);

	memcpy(text + 1, host, length);
	return length && memmem(bytes, size, text, length + 2);
}

/* A recording of perf record that has been finished, or what may be one. */
static struct file_look look_at(const char *path, size_t task, const char *host)
{
	struct file_look look = { .task = task };
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	uint64_t words[LOOKED_AT / sizeof(uint64_t)] = { 0 };
	ssize_t got = 0;
	struct stat st;

	if (fd < 0)
		return look;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size < LARGE_FILE &&
	    pread(fd, words, 16, 0) == 16 && memcmp(words, "PERFILE2", 8) == 0 &&
	    words[1] > PIPE_HEADER)
		got = pread(fd, words, sizeof(words),
			    st.st_size > LOOKED_AT ? st.st_size - LOOKED_AT : 0);
	close(fd);
	if (got <= 0 || names_host(words, (size_t)got, host))
		return look;
	look.size = (uint64_t)st.st_size;
	look.hash = look.size;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		look.hash = (look.hash ^ words[i]) * 0x9e3779b97f4a7c15 ^ look.hash >> 29;
	return look;
}

static int compare_looks(const void *left, const void *right)
{
	const struct file_look *a = left, *b = right;

	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	return a->task < b->task ? -1 : a->task > b->task;
}

static int compare_tasks(const void *left, const void *right)
{
	const struct file_look *a = left, *b = right;

	/* Those that are folded alone come last. */
	if (!a->size != !b->size)
		return a->size ? -1 : 1;
	return a->task < b->task ? -1 : a->task > b->task;
}

int fold_plan_make(const struct settings *s, const struct fold_task *tasks, size_t count,
		   size_t jobs, struct fold_plan *ret)
{
	struct file_look *looks = calloc(count + 1, sizeof(*looks));
	size_t together = 0, batches, most;
	struct utsname own = { .nodename = "" };
	bool apart = s->command->bit == COMMAND_ARCHIVE;
	/* What is kept by the content of each, or is parted by it, is made of each. A profile
	 * file may hold what a recording has, and filters of time begin with each. */
	bool share = (s->command->bit == COMMAND_MERGE || apart) && !s->merge.tree &&
		     !s->merge.store.by && !s->merge.classes && !s->merge.watch &&
		     !s->filter_count && !(s->profile.flags & FF_KEEP_ADDRESSES) &&
		     !s->profile.mode && !s->profile.pair && !s->profile.map_dir;

	uname(&own);
	for (size_t i = 0; i < count; i++)
		share &= !tasks[i].made || apart;
	*ret = (struct fold_plan){ .order = calloc(count + 1, sizeof(*ret->order)),
				   .waiting = calloc(count + 1, sizeof(*ret->waiting)),
				   .apart = apart };
	if (!looks || !ret->order || !ret->waiting) {
		free(looks);
		return -ENOMEM;
	}
	for (size_t i = 0; i < count; i++)
		if (!tasks[i].made && !tasks[i].why)
			looks[ret->count++] =
				share ? look_at(tasks[i].path, i, own.nodename)
				      : (struct file_look){ .task = i };
	qsort(looks, ret->count, sizeof(*looks), compare_looks);
	for (size_t i = ret->count; i-- > 1;)
		if (looks[i].hash == looks[i - 1].hash && !apart)
			looks[i].size = 0;
	qsort(looks, ret->count, sizeof(*looks), compare_tasks);
	for (size_t i = 0; i < ret->count; i++) {
		ret->order[i] = looks[i].task;
		together += looks[i].size > 0;
	}
	/* As many for each process. */
	batches = (together + BATCH_FILES - 1) / BATCH_FILES;
	batches = (batches + jobs - 1) / jobs * jobs;
	most = batches ? (together + batches - 1) / batches : 0;
	for (size_t i = 0, n; i < ret->count; i += n) {
		uint64_t bytes = looks[i].size;

		for (n = 1; n < most && i + n < together &&
			    bytes < (apart ? APART_BYTES : BATCH_BYTES);
		     n++)
			bytes += looks[i + n].size;
		ret->waiting[ret->waiting_count++] = (struct fold_batch){ i, n };
	}
	/* The last one is the next: from the front to the back. */
	for (size_t i = 0; i < ret->waiting_count / 2; i++) {
		struct fold_batch *other = &ret->waiting[ret->waiting_count - 1 - i];
		struct fold_batch first = ret->waiting[i];

		ret->waiting[i] = *other;
		*other = first;
	}
	free(looks);
	return 0;
}

void fold_plan_release(struct fold_plan *plan)
{
	free(plan->order);
	free(plan->waiting);
	*plan = (struct fold_plan){ 0 };
}

void fold_plan_split(struct fold_plan *plan, struct fold_batch batch, size_t failed)
{
	size_t end = batch.start + batch.count, half = batch.count / 2;
	struct fold_batch parts[3] = {
		{ batch.start, failed },
		{ batch.start + failed, 1 },
		{ batch.start + failed + 1, end - (batch.start + failed + 1) },
	};

	if (failed >= batch.count) {
		parts[0].count = half;
		parts[1] = (struct fold_batch){ batch.start + half, batch.count - half };
		parts[2].count = 0;
	}
	for (size_t i = 3; i-- > 0;)
		if (parts[i].count)
			plan->waiting[plan->waiting_count++] = parts[i];
}
