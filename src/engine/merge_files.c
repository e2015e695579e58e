/*
 * Many profile files become one, or one a group.
 *
 * What comes twice counts once: the same recording again, or one that a file has in it already. Which of
 * two files stays does not depend on who came first: the one with more inputs does.
 */
#include <errno.h>
#include <flamefold_store.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/parallel.h"
#include "base/text.h"
#include "engine/late.h"
#include "engine/profile.h"
#include "engine/store_file.h"
#include "store/store.h"

enum { COPY = 64 << 10 };

/* What is known of a file that is to be merged. */
struct candidate {
	char *path, *name;
	char *why; /* it is refused; NULL: it is not */
	struct store_origin origin;
	uint8_t hash
		[SHA256_DIGEST_SIZE]; /* of the file, where not all its inputs are listed */
	bool is_empty, is_duplicate;
	bool vouches; /* another one is a duplicate, or refused, for what is in it */
	bool verified;
	bool has_twins; /* it is refused for inputs that are in others */
	uint32_t group;
	uint64_t size;
};

struct ff_merge {
	struct context ctx;
	struct budget budget; /* for what files list of their inputs */
	struct ff_store_options options;
	char *by;
	struct intern strings;
	ARRAY(struct store_label) labels;
	ARRAY(struct candidate) files;
	ARRAY(uint32_t) groups; /* string ids */
	pthread_mutex_t progress_lock;
	uint64_t done, total; /* bytes */
	bool finished;
	struct ff_merge_named named;
};

/*
 * Options are as large as the caller's version of the library has them: what is behind that is as if it had not been
 * chosen. Threads and memory that are not said follow from the machine. Failure leaves a merge that can say why
 * and be freed.
 */
int ff_merge_new(struct ff_merge **ret, const struct ff_store_options *options)
{
	struct ff_merge *m = calloc(1, sizeof(*m));
	int err;

	*ret = m;
	if (!m)
		return -ENOMEM;
	pthread_mutex_init(&m->progress_lock, NULL);
	if (options)
		memcpy(&m->options, options,
		       options->size < sizeof(m->options) ? options->size
							  : sizeof(m->options));
	if (!m->options.threads)
		m->options.threads = (unsigned)parallel_processors();
	if (!m->options.memory)
		m->options.memory = budget_usual("");
	budget_init(&m->budget, m->options.memory);
	m->by = m->options.by ? strdup(m->options.by) : NULL;
	if (intern_init(&m->strings) < 0 || (m->options.by && !m->by) ||
	    !array_reserve(&m->labels, m->options.label_count + 1))
		return fail_memory(&m->ctx);
	err = add_store_labels(&m->ctx, &m->options, &m->strings, m->labels.v);
	if (err == 0)
		m->labels.count = m->options.label_count;
	/* They are the caller's, and not looked at again. */
	m->options.labels = NULL;
	return err;
}

void ff_merge_free(struct ff_merge *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->files.count; i++) {
		struct candidate *c = &m->files.v[i];

		store_origin_release(&c->origin);
		free(c->path);
		free(c->name);
		free(c->why);
	}
	array_release(&m->files);
	array_release(&m->groups);
	array_release(&m->labels);
	intern_release(&m->strings);
	budget_release(&m->budget);
	pthread_mutex_destroy(&m->progress_lock);
	free(m->by);
	free(m);
}

const char *ff_merge_error(const struct ff_merge *m)
{
	return m->ctx.error;
}

/*
 * Only what stands at a file's beginning is read: of what recordings it is. What it lists is told apart by their
 * hashes; where it does not list all, as it is of too many, the hash of the file itself stands for those that are
 * not seen.
 */
int ff_merge_add(struct ff_merge *m, const char *path, const char *name)
{
	struct candidate c = { 0 }, *slot;
	struct store_input *in;
	struct stat st;
	uint64_t listed = 0;
	int err;

	m->ctx.budget = &m->budget;
	err = store_merge_look(&m->ctx, path, &m->strings, &c.origin, &c.is_empty);
	m->ctx.budget = NULL;
	if (err < 0)
		return err;
	for (size_t i = 0; i < c.origin.inputs.count; i++)
		listed += c.origin.inputs.v[i].times;
	/* A profile of nothing adds nothing, and needs no name. */
	if (listed < c.origin.input_count || (!c.origin.input_count && !c.is_empty))
		err = hash_file(path, c.hash);
	if (err == 0 && !c.origin.input_count && !c.is_empty) {
		in = array_add(&c.origin.inputs);
		if (!in ||
		    take_store_name(&m->strings, name ? name : path, &in->name) < 0) {
			err = -ENOMEM;
		} else {
			memcpy(in->hash, c.hash, SHA256_DIGEST_SIZE);
			c.origin.input_count = in->times = 1;
		}
	}
	/* What has just been made of one input is called what that is called. */
	if (err == 0 && name && c.origin.inputs.count == 1 &&
	    take_store_name(&m->strings, name, &c.origin.inputs.v[0].name) < 0)
		err = -ENOMEM;
	c.size = stat(path, &st) == 0 ? (uint64_t)st.st_size : 0;
	c.path = strdup(path);
	c.name = strdup(name ? name : path);
	slot = err == 0 && c.path && c.name ? array_add(&m->files) : NULL;
	if (slot) {
		*slot = c;
		return 0;
	}
	store_origin_release(&c.origin);
	free(c.path);
	free(c.name);
	return err < 0 && err != -ENOMEM
		       ? fail(&m->ctx, err, "cannot read '%s': %s", path, strerror(-err))
		       : fail_memory(&m->ctx);
}

static int refuse_file(struct candidate *c, const char *why)
{
	c->why = strdup(why);
	return c->why ? 0 : -ENOMEM;
}

/* Files with more inputs come first, and of those with as many the one with the least hash. */
static int compare_candidates(const void *left, const void *right, void *arg)
{
	const struct candidate *files = arg;
	const struct candidate *a = &files[*(const uint32_t *)left];
	const struct candidate *b = &files[*(const uint32_t *)right];
	size_t both = a->origin.inputs.count;

	if (a->origin.input_count != b->origin.input_count)
		return a->origin.input_count > b->origin.input_count ? -1 : 1;
	if (a->origin.inputs.count != b->origin.inputs.count)
		return a->origin.inputs.count > b->origin.inputs.count ? -1 : 1;
	for (size_t i = 0; i < both; i++) {
		int order = memcmp(a->origin.inputs.v[i].hash, b->origin.inputs.v[i].hash,
				   SHA256_DIGEST_SIZE);

		if (order)
			return order;
	}
	return memcmp(a->hash, b->hash, SHA256_DIGEST_SIZE);
}

/* The hashes of all inputs that are counted so far. */
struct known_inputs {
	struct hash_set set;
	ARRAY(const uint8_t *) hashes;
	ARRAY(struct candidate *) owners;
};

/* The file that has it; NULL: none. */
static struct candidate *know_input(const struct known_inputs *k, const uint8_t *hash)
{
	uint64_t h = hash_bytes(hash, SHA256_DIGEST_SIZE), at = hash_start(h);
	uint32_t id;

	while ((id = hash_find(&k->set, h, &at)) != HASH_NONE)
		if (memcmp(k->hashes.v[id], hash, SHA256_DIGEST_SIZE) == 0)
			return k->owners.v[id];
	return NULL;
}

static int add_known(struct known_inputs *k, const uint8_t *hash, struct candidate *c)
{
	const uint8_t **slot = array_add(&k->hashes);
	struct candidate **owner = array_add(&k->owners);

	if (!slot || !owner ||
	    !hash_add(&k->set, hash_bytes(hash, SHA256_DIGEST_SIZE),
		      (uint32_t)k->hashes.count - 1))
		return -ENOMEM;
	*slot = hash;
	*owner = c;
	return 0;
}

/*
 * Of a file whose inputs are all there already nothing is lost if it is left out. If some of them are there and some
 * are not, the file cannot be added without counting those twice, nor left out without losing these: it is
 * refused. Files with more inputs have been judged before.
 */
static int judge_duplicate(struct candidate *c, struct known_inputs *known)
{
	static const uint8_t no_hash[SHA256_DIGEST_SIZE];
	bool has_hash = memcmp(c->hash, no_hash, SHA256_DIGEST_SIZE) != 0;
	size_t count = c->origin.inputs.count, there = 0;
	char why[160];
	int err = 0;

	for (size_t i = 0; i < count + has_hash; i++) {
		struct candidate *owner = know_input(
			known, i < count ? c->origin.inputs.v[i].hash : c->hash);

		there += i < count && owner;
		if (owner)
			owner->vouches = true;
	}
	if ((has_hash && know_input(known, c->hash)) ||
	    (count && there == count && !has_hash)) {
		c->is_duplicate = true;
		return 0;
	}
	if (there) {
		snprintf(why, sizeof(why),
			 "%zu of its %zu inputs are in other files as well, which would "
			 "count them twice",
			 there, count);
		c->has_twins = true;
		return refuse_file(c, why);
	}
	for (size_t i = 0; i < count && err == 0; i++)
		err = add_known(known, c->origin.inputs.v[i].hash, c);
	return err == 0 && has_hash && !know_input(known, c->hash)
		       ? add_known(known, c->hash, c)
		       : err;
}

/* What is left out because another file has it must be in that. False: all that vouch for others are
 * sound, as far as they are known. */
static int verify_vouching(struct ff_merge *m, bool *refused)
{
	struct store_merge_job job = { .strings = &m->strings,
				       .threads = m->options.threads,
				       .memory = m->options.memory };
	ARRAY(struct store_merge_file) files = { 0 };
	ARRAY(uint32_t) numbers = { 0 };
	int err = 0;

	for (uint32_t i = 0; i < m->files.count && err == 0; i++) {
		struct candidate *c = &m->files.v[i];
		struct store_merge_file *file;
		uint32_t *number;

		if (!c->vouches || c->verified)
			continue;
		file = array_add(&files);
		number = array_add(&numbers);
		if (!file || !number) {
			err = -ENOMEM;
			break;
		}
		*file = (struct store_merge_file){ c->path, c->name, -1, c->size, NULL };
		*number = i;
		c->verified = true;
	}
	job.files = files.v;
	job.count = files.count;
	if (err == 0 && job.count)
		err = store_merge_verify(&m->ctx, &job);
	for (size_t i = 0; i < files.count; i++) {
		if (err == 0 && files.v[i].why) {
			*refused = true;
			err = refuse_file(&m->files.v[numbers.v[i]], files.v[i].why);
		}
		free(files.v[i].why);
	}
	array_release(&files);
	array_release(&numbers);
	return err;
}

/*
 * A file that is damaged must not be the reason that a sound one is left out. So those that others were left out
 * for are read to their end, and if one of them is damaged, all are judged once more without it.
 */
static int drop_duplicates(struct ff_merge *m)
{
	size_t count = m->files.count;
	uint32_t *order = malloc((count + 1) * sizeof(*order));
	struct known_inputs known = { 0 };
	int err = order ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < count && err == 0; i++)
		order[i] = i;
	if (err == 0 && count)
		qsort_r(order, count, sizeof(*order), compare_candidates, m->files.v);
	for (bool again = true; again && err == 0;) {
		for (size_t i = 0; i < count && err == 0; i++)
			if (!m->files.v[order[i]].why)
				err = judge_duplicate(&m->files.v[order[i]], &known);
		again = false;
		if (err == 0)
			err = verify_vouching(m, &again);
		/* Without the damaged ones others may not be there twice. */
		for (size_t i = 0; i < count && again; i++) {
			struct candidate *c = &m->files.v[i];

			c->is_duplicate = c->vouches = false;
			if (c->has_twins) {
				free(c->why);
				c->why = NULL;
				c->has_twins = false;
			}
		}
		hash_release(&known.set);
		array_release(&known.hashes);
		array_release(&known.owners);
	}
	free(order);
	return err;
}

/* What a file is of, in words of its own: "web-3", "2026-11-27T09". NULL: several, so it is of none. */
static const char *group_value(const struct ff_merge *m, const struct candidate *c,
			       char *room, size_t size)
{
	const struct store_origin *o = &c->origin;
	bool by_hour = strcmp(m->by, "hour") == 0;
	bool by_input = by_hour || strcmp(m->by, "host") == 0;
	const char *found = NULL;

	for (size_t i = 0; by_input && i < o->inputs.count; i++) {
		const struct store_input *in = &o->inputs.v[i];
		const char *value = intern_text(&m->strings, in->host);
		time_t at = (time_t)in->recorded;
		char text[64];
		struct tm hour;

		if (by_hour)
			value = at && gmtime_r(&at, &hour) &&
						strftime(text, sizeof(text),
							 "%Y-%m-%dT%H", &hour)
					? text
					: "";
		value = *value ? value : "unknown";
		if (found && strcmp(found, value) != 0)
			return NULL;
		if (value == text) {
			snprintf(room, size, "%s", text);
			value = room;
		}
		found = value;
	}
	by_input = found;
	for (size_t i = 0; !by_input && i < o->labels.count; i++) {
		const char *value = intern_text(&m->strings, o->labels.v[i].value);

		if (strcmp(intern_text(&m->strings, o->labels.v[i].key), m->by) != 0)
			continue;
		if (found && strcmp(found, value) != 0)
			return NULL;
		found = value;
	}
	return found ? found : "unknown";
}

/* From here on it is known what is merged with what. Groups are in the order in which their first files came. */
int ff_merge_finish(struct ff_merge *m)
{
	struct hash_map known = { 0 }; /* groups by their values */
	int err = 0;

	if (m->finished)
		return 0;
	if (!(m->options.flags & FF_STORE_DUPLICATES))
		err = drop_duplicates(m);
	for (size_t i = 0; i < m->files.count && err == 0; i++) {
		struct candidate *c = &m->files.v[i];
		char room[64], why[160];
		const char *value;
		const uint32_t *group;
		uint32_t id, *slot;

		if (c->is_duplicate || c->why)
			continue;
		value = m->by ? group_value(m, c, room, sizeof(room)) : "";
		if (!value) {
			snprintf(why, sizeof(why), "it is of several values of %s",
				 m->by);
			err = refuse_file(c, why);
			continue;
		}
		m->total += c->size;
		err = intern_add(&m->strings, value, strlen(value), &id);
		group = err < 0 ? NULL : hash_map_get(&known, id);
		c->group = group ? *group : (uint32_t)m->groups.count;
		if (err < 0 || group)
			continue;
		slot = hash_map_set(&known, id, c->group) ? array_add(&m->groups) : NULL;
		if (slot)
			*slot = id;
		else
			err = -ENOMEM;
	}
	hash_map_release(&known);
	if (err < 0)
		return fail_memory(&m->ctx);
	m->finished = true;
	return m->groups.count ? 0 : fail(&m->ctx, -ENODATA, "there is nothing to merge");
}

const char *ff_merge_group(const struct ff_merge *m, size_t i)
{
	return i < m->groups.count ? intern_text(&m->strings, m->groups.v[i]) : NULL;
}

static void count_merged(void *arg, uint64_t bytes)
{
	struct ff_merge *m = arg;

	pthread_mutex_lock(&m->progress_lock);
	m->done += bytes;
	if (m->options.progress)
		m->options.progress(m->options.arg, m->done, m->total);
	pthread_mutex_unlock(&m->progress_lock);
}

/* What is to be merged, by the files' numbers, and where it comes from. */
struct group_job {
	ARRAY(struct store_merge_file) files;
	ARRAY(uint32_t) numbers;
	struct store_origin origin;
};

static int group_job_make(struct ff_merge *m, uint32_t group, struct group_job *g)
{
	int err = 0;

	for (uint32_t i = 0; i < m->files.count && err == 0; i++) {
		const struct candidate *c = &m->files.v[i];
		struct store_merge_file *file;
		uint32_t *number;

		if (c->is_duplicate || c->why || c->group != group)
			continue;
		file = array_add(&g->files);
		number = array_add(&g->numbers);
		if (!file || !number)
			return fail_memory(&m->ctx);
		*file = (struct store_merge_file){ c->path, c->name, -1, c->size, NULL };
		*number = i;
		err = store_origin_add(&g->origin, &c->origin);
	}
	for (size_t i = 0; i < m->labels.count && err == 0; i++) {
		struct store_label *slot = array_add(&g->origin.labels);

		if (slot)
			*slot = m->labels.v[i];
		else
			err = -ENOMEM;
	}
	store_origin_sort(&g->origin, &m->strings);
	if (m->options.flags & FF_STORE_NO_INPUTS)
		g->origin.inputs.count = 0;
	if (err == -EOVERFLOW)
		return fail(&m->ctx, -ERANGE, "the counts add up to more than 2^64");
	return err < 0 ? fail_memory(&m->ctx) : 0;
}

/* Once: 0, -EAGAIN where files have turned out to be damaged and were refused, or a failure. */
static int try_merge(struct ff_merge *m, uint32_t group, FILE *to)
{
	struct group_job g = { 0 };
	struct store_merge_job job = {
		.strings = &m->strings,
		.origin = &g.origin,
		.threads = m->options.threads,
		.plain = m->options.flags & FF_STORE_PLAIN,
		.memory = m->options.memory,
		.progress = count_merged,
		.arg = m,
	};
	int err = group_job_make(m, group, &g);

	job.files = g.files.v;
	job.count = g.files.count;
	if (err == 0 && !job.count)
		err = fail(&m->ctx, -ENODATA, "there is nothing to merge");
	if (err == 0)
		err = store_merge(&m->ctx, &job, to);
	if (err == -EBADMSG || err == -EFBIG) {
		size_t refused = 0;
		int verified;

		/* If one is damaged others may be, and each would cost a merge of all. */
		verified = store_merge_verify(&m->ctx, &job);
		for (size_t i = 0; i < job.count && verified == 0; i++)
			if (job.files[i].why) {
				verified = refuse_file(&m->files.v[g.numbers.v[i]],
						       job.files[i].why);
				refused++;
			}
		if (verified < 0)
			err = fail_memory(&m->ctx);
		/* It is all of them together that take too much memory. */
		else if (refused)
			err = -EAGAIN;
	}
	for (size_t i = 0; i < g.files.count; i++)
		free(g.files.v[i].why);
	array_release(&g.files);
	array_release(&g.numbers);
	store_origin_release(&g.origin);
	return err;
}

int ff_merge_write(struct ff_merge *m, size_t i, FILE *out)
{
	int fd, copy, err = -EAGAIN;
	uint8_t *bytes;
	uint64_t at = 0;
	size_t got = COPY;
	FILE *to;

	if (!m->finished || i >= m->groups.count)
		return fail(&m->ctx, -EINVAL, "there is no such file to be written");
	/* What is written of damaged files is written again, so it does not go out at once. */
	fd = store_temporary(&m->ctx);
	if (fd < 0)
		return fd;
	copy = dup(fd);
	to = copy < 0 ? NULL : fdopen(copy, "w");
	if (!to) {
		close(fd);
		return fail_memory(&m->ctx);
	}
	m->named = i == 0 ? (struct ff_merge_named){ 0 } : m->named;
	while (err == -EAGAIN) {
		rewind(to);
		err = ftruncate(fd, 0) < 0
			      ? fail(&m->ctx, -errno, "cannot cut a temporary file: %s",
				     strerror(errno))
			      : try_merge(m, (uint32_t)i, to);
	}
	if (fclose(to) != 0 && err == 0)
		err = fail(&m->ctx, -errno, "cannot write a temporary file: %s",
			   strerror(errno));
	if (err == 0 && m->options.symbolize) {
		struct late_job late = { fd, m->options.flags & FF_STORE_PLAIN,
					 m->options.symbolize, &m->named };

		err = late_symbolize(&m->ctx, &late, out);
	} else if (err == 0) {
		bytes = malloc(COPY);
		err = bytes ? 0 : fail_memory(&m->ctx);
		while (err == 0 && got == COPY) {
			errno = 0;
			got = file_read_at(fd, bytes, COPY, at);
			at += got;
			if (got < COPY && errno)
				err = fail(&m->ctx, -errno,
					   "cannot read a temporary file: %s",
					   strerror(errno));
			errno = 0;
			if (err == 0 && fwrite(bytes, 1, got, out) != got)
				err = fail(&m->ctx, errno ? -errno : -EIO,
					   "cannot write: %s",
					   strerror(errno ? errno : EIO));
		}
		free(bytes);
	}
	close(fd);
	return err;
}

void ff_merge_named(const struct ff_merge *m, struct ff_merge_named *ret)
{
	*ret = m->named;
}

int ff_merge_refused(const struct ff_merge *m, size_t i, const char **name,
		     const char **why)
{
	for (size_t k = 0; k < m->files.count; k++) {
		if (!m->files.v[k].why || i-- > 0)
			continue;
		*name = m->files.v[k].name;
		*why = m->files.v[k].why;
		return 1;
	}
	return 0;
}

size_t ff_merge_count(const struct ff_merge *m)
{
	size_t count = 0;

	for (size_t i = 0; i < m->files.count; i++)
		count += !m->files.v[i].why && !m->files.v[i].is_duplicate;
	return count;
}

size_t ff_merge_untimed(const struct ff_merge *m)
{
	size_t all = 0, timed = 0;

	for (size_t i = 0; i < m->files.count; i++) {
		const struct candidate *c = &m->files.v[i];

		all += !c->why && !c->is_duplicate && !c->is_empty;
		timed += !c->why && !c->is_duplicate && c->origin.has_heat;
	}
	return all > 1 || m->options.symbolize ? timed : 0;
}

size_t ff_merge_duplicates(const struct ff_merge *m)
{
	size_t count = 0;

	for (size_t i = 0; i < m->files.count; i++)
		count += m->files.v[i].is_duplicate;
	return count;
}
