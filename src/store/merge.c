/*
 * All streams stand on the way to the node that was written last, or behind it: so of their next
 * nodes a deeper one comes before one that is less deep, as it is below the last one or one above
 * that; and of one depth, where they have the same parent, the one whose frame comes first. That is
 * a number, store_node_key(),
 *
 *	key = (most - depth) << 32 | frame
 *
 * of which a heap has the least on its top; few streams are gone through instead. What has the same key is
 * the same node: its values are added up.
 *
 *	A  a 1, a;b 2, c 4       keys   a 1, a;b 2+3, a;d 5, c 4
 *	B  a;b 3, a;d 5
 */
#include "store/merge.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/parallel.h"
#include "store/nodes.h"
#include "store/tables.h"

enum {
	FAN_MOST = 1024, /* files that are open at once */
	STREAMS_MEMORY = 2 << 20, /* bytes, of all threads */
	GROUP_LEAST = 32, /* files, whatever memory they take: a pass more costs time */
	THREAD_LEAST = 1 << 20, /* bytes of files that are worth a thread */
	PROGRESS_BYTES = 1 << 16,
	COPY = 64 << 10,
	/* Nodes that are unpacked at once: of all streams, of one at least, and at most. What they
	 * refer to is in the cache for so long. */
	NODES = 16 << 10,
	NODES_LEAST = 16,
	NODES_MOST = 1024,
	FEW = 24, /* streams that are gone through */
};

/* A file that is merged. */
struct merge_stream {
	struct store_merge_file *from;
	struct store_source source;
	struct store_map map; /* to the merged tables */
	struct store_node_reader nodes;
	uint64_t *factor; /* by column: to the decimals that all have */
	bool has_factors; /* one at least is not 1 */
	uint32_t *slices; /* by column with slices: its number among those of all */
	int own_fd; /* to be closed; -1: none */
	uint64_t reported; /* bytes of it that progress knows of */
};

#define KEY_NONE UINT64_MAX /* behind all others */

struct heap_entry {
	uint64_t key;
	struct merge_stream *stream;
};

/* Some files that become one. */
struct merge_pass {
	struct context *ctx;
	const struct store_merge_job *job;
	struct store_merge_file *files;
	size_t count;
	uint64_t memory; /* 0: any */
	struct intern strings;
	struct store_tables tables;
	struct store_map map; /* of the merged tables, to their order */
	struct store_unpacker unpacker;
	struct merge_stream *streams;
	struct heap_entry *heap;
	uint32_t *slices; /* by merged column: its number among those with slices */
	uint32_t sliced_columns;
	struct merge_stream
		*timed; /* all there is, and it says when it was; NULL: it is not so */
};

/* What the streams that have a node have in it. */
struct merged_node {
	uint64_t *values; /* by column */
	uint32_t *sliced; /* by column with slices */
	uint64_t *slices;
	bool any; /* one has a value */
};

int store_temporary(struct context *ctx)
{
	const char *directory = getenv("TMPDIR");
	char path[4096];
	int fd;

	directory = directory && *directory ? directory : "/tmp";
	fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
		snprintf(path, sizeof(path), "%s/flamefold-XXXXXX", directory);
		fd = mkostemp(path, O_CLOEXEC);
		if (fd >= 0)
			unlink(path);
	}
	return fd < 0 ? fail(ctx, -errno, "cannot make a temporary file in '%s': %s",
			     directory, strerror(errno))
		      : fd;
}

/* What is packed as flamefold does not pack it is unpacked at once: there may be a thousand. */
static int unpack_file(struct context *ctx, const char *path, struct store_source *s,
		       int *own_fd)
{
	struct file packed = { 0 };
	uint8_t *bytes = malloc(COPY);
	int fd = bytes ? store_temporary(ctx) : fail_memory(ctx);
	int err = fd < 0 ? fd : file_open(ctx, path, &packed);
	size_t got = 1;

	for (uint64_t at = 0; err == 0 && got > 0; at += got) {
		err = file_read(ctx, &packed, (struct file_part){ at, COPY }, bytes,
				&got);
		if (err == 0 && write(fd, bytes, got) != (ssize_t)got)
			err = fail(ctx, errno ? -errno : -EIO,
				   "cannot write a temporary file: %s", strerror(errno));
	}
	if (err == 0 && file_damage(&packed))
		err = fail(ctx, -EBADMSG, "'%s': %s", s->path, file_damage(&packed));
	file_close(&packed);
	free(bytes);
	if (err < 0 && fd >= 0)
		close(fd);
	if (err < 0)
		return err;
	if (*own_fd >= 0)
		close(*own_fd);
	*own_fd = s->file.fd = fd;
	s->by_frames = false;
	s->offset = s->position = 0;
	s->bytes.count = s->at = 0;
	return 0;
}

/* The header of a file has been read when it is open. */
static int open_source(struct context *ctx, const struct store_merge_file *from,
		       struct store_source *s, struct store_unpacker *u, int *own_fd)
{
	static const uint8_t zstd[] = { 0x28, 0xb5, 0x2f, 0xfd };
	uint8_t begin[STORE_MAGIC_SIZE];
	struct stat st;
	int fd = from->fd, err;
	size_t got;

	const char *name = from->name ? from->name : from->path;

	*s = (struct store_source){ .path = name };
	*own_fd = -1;
	if (fd < 0) {
		fd = *own_fd = open(from->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		if (fd < 0)
			return fail(ctx, -errno, "cannot open '%s': %s", name,
				    strerror(errno));
	}
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return fail(ctx, -EBADMSG, "'%s' is not a regular file", name);
	got = file_read_at(fd, begin, sizeof(begin), 0);
	s->file = (struct file){ .fd = fd, .path = name, .size = (uint64_t)st.st_size };
	s->by_frames = got >= sizeof(zstd) && memcmp(begin, zstd, sizeof(zstd)) == 0;
	if (!s->by_frames && !store_begins(begin, got)) {
		err = got ? unpack_file(ctx, from->path, s, own_fd)
			  : fail(ctx, -ENODATA, "'%s' is empty", name);
		return err < 0 ? err : store_source_open(ctx, s, u);
	}
	err = store_source_open(ctx, s, u);
	/* "zstd -19" has made one frame of it, say. */
	if (err == -EBADMSG && s->by_frames &&
	    unpack_file(ctx, from->path, s, own_fd) == 0)
		err = store_source_open(ctx, s, u);
	return err;
}

int store_merge_look(struct context *ctx, const char *path, struct intern *strings,
		     struct store_origin *ret, bool *is_empty)
{
	struct store_section_bytes columns;
	struct store_merge_file file = { .path = path, .fd = -1 };
	struct store_unpacker u = { 0 };
	struct store_source s;
	int own_fd;
	int err = open_source(ctx, &file, &s, &u, &own_fd);

	*ret = (struct store_origin){ 0 };
	if (err == 0)
		err = store_origin_read(ctx, &s, &u, strings, ret);
	if (err == 0)
		err = store_source_next(ctx, &s, &u, &columns);
	if (err == 0)
		*is_empty = cursor_varint(&columns.payload) == 0;
	ret->has_heat = s.flags & STORE_HEAT;
	store_source_release(&s);
	store_unpacker_release(&u);
	if (own_fd >= 0)
		close(own_fd);
	if (err < 0)
		store_origin_release(ret);
	return err;
}

/* The file has failed, not the work. Returns -EBADMSG; but for what has been merged on the way: no
 * file is to be left out then, and doing it again would not help. */
static int blame_file(struct merge_pass *m, struct merge_stream *s, int err)
{
	if (err == -ENOMEM || err == -EFBIG || s->from->fd >= 0)
		return err == -EBADMSG ? -EIO : err;
	if (!s->from->why)
		s->from->why = strdup(m->ctx->error);
	return s->from->why ? -EBADMSG : fail_memory(m->ctx);
}

/* Tables of all files, in which each has its place; and behind them nodes. */
static int open_streams(struct merge_pass *m)
{
	bool valued = false;
	int err = 0;

	for (size_t i = 0; i < m->count && err == 0; i++) {
		struct merge_stream *s = &m->streams[i];

		s->from = &m->files[i];
		err = open_source(m->ctx, s->from, &s->source, &m->unpacker, &s->own_fd);
		if (err == 0)
			err = store_origin_skip(m->ctx, &s->source, &m->unpacker);
		if (err == 0)
			err = store_tables_read(m->ctx, &s->source, &m->unpacker,
						&m->tables, &s->map);
		if (err == 0) {
			/* What is left is of the nodes: mostly nothing, and then the room goes,
			 * which may be that of a large table. */
			struct bytes rest = { 0 };

			bytes_add(&rest, s->source.bytes.v + s->source.at,
				  s->source.bytes.count - s->source.at);
			s->source.position += s->source.at;
			s->source.at = 0;
			bytes_release(&s->source.bytes);
			s->source.bytes = rest;
			err = rest.failed ? fail_memory(m->ctx) : 0;
		}
		/* Of two recordings it is not known which time of the one is which of the other. */
		if (err == 0 && s->map.column_count)
			m->timed = !valued && s->source.flags & STORE_HEAT ? s : NULL;
		valued |= err == 0 && s->map.column_count;
		/* A sum that is too large is that of all, not of this file. */
		if (err < 0 && err != -ERANGE)
			err = blame_file(m, s, err);
	}
	m->tables.has_heat = m->timed;
	return err;
}

/* Each begins with the numbers that its frames and columns have among those of all. */
static int start_streams(struct merge_pass *m)
{
	size_t some = NODES / (m->count + 1);

	some = some < NODES_LEAST ? NODES_LEAST : some > NODES_MOST ? NODES_MOST : some;
	m->slices = calloc((size_t)m->map.column_count + 1, sizeof(*m->slices));
	if (!m->slices)
		return fail_memory(m->ctx);
	for (uint32_t k = 0; k < m->map.column_count; k++)
		if (m->tables.columns.v[k].has_slices)
			m->slices[k] = m->sliced_columns++;
	for (size_t i = 0; i < m->count; i++) {
		struct merge_stream *s = &m->streams[i];
		uint32_t columns = s->map.column_count, sliced = 0;

		s->factor = malloc((columns + 1) * sizeof(*s->factor));
		s->slices = malloc((columns + 1) * sizeof(*s->slices));
		if (!s->factor || !s->slices)
			return fail_memory(m->ctx);
		for (uint32_t k = 1; k < s->map.frame_count; k++)
			s->map.frames[k] = m->map.frames[s->map.frames[k]];
		for (uint32_t k = 0; k < columns; k++) {
			uint32_t column = m->map.columns[s->map.columns[k]];
			unsigned missing =
				m->tables.columns.v[column].decimals - s->map.decimals[k];

			s->map.columns[k] = column;
			for (s->factor[k] = 1; missing > 0; missing--)
				s->factor[k] *= 10;
			s->has_factors |= s->factor[k] != 1;
			if (s->map.has_slices[k])
				s->slices[sliced++] = m->slices[column];
		}
		if (store_node_reader_init(&s->nodes, &s->source, &m->unpacker, &s->map,
					   (uint32_t)some) < 0)
			return fail_memory(m->ctx);
		s->nodes.wants_heat = s == m->timed;
		/* The reader has them. */
		free(s->map.frames);
		s->map.frames = NULL;
	}
	return 0;
}

static void sift_stream(struct merge_pass *m, size_t at)
{
	struct heap_entry *heap = m->heap, moved = heap[at];

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= m->count)
			break;
		if (child + 1 < m->count && heap[child + 1].key < heap[child].key)
			child++;
		if (heap[child].key >= moved.key)
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = moved;
}

/* Nodes of a stream, and the key of the first: KEY_NONE at its end. 1, 0 there, or a negative errno. */
static int fill_stream(struct merge_pass *m, struct heap_entry *e)
{
	struct merge_stream *s = e->stream;
	int more = store_node_fill(m->ctx, &s->nodes);
	uint64_t at = s->source.offset;

	e->key = more > 0 ? s->nodes.keys[0] : KEY_NONE;
	/* Of files that others have made of files nobody wants to know. */
	if (m->job->progress && s->own_fd >= 0 &&
	    (more == 0 || at > s->reported + PROGRESS_BYTES)) {
		m->job->progress(m->job->arg, at - s->reported);
		s->reported = at;
	}
	return more < 0 ? blame_file(m, s, more) : more;
}

static int add_stream_values(struct merge_pass *m, struct merge_stream *s,
			     const struct merged_node *to)
{
	const struct store_node_reader *r = &s->nodes;
	const uint64_t *values = r->values + (size_t)r->at * r->columns;
	bool overflow = false;
	int err = 0;

	for (uint32_t i = 0; i < r->valued; i++) {
		uint32_t column = r->with_values[i].column;
		uint64_t value = values[column],
			 *sum = &to->values[s->map.columns[column]];

		if (s->has_factors)
			overflow |=
				__builtin_mul_overflow(value, s->factor[column], &value);
		overflow |= __builtin_add_overflow(*sum, value, sum);
	}
	if (overflow)
		return fail(m->ctx, -ERANGE, "the values add up to more than 2^64");
	if (r->sliced_columns)
		err = store_node_slices(m->ctx, &s->nodes);
	if (err < 0)
		return blame_file(m, s, err);
	/* No more than the values. */
	for (uint32_t k = 0; k < r->sliced_columns; k++) {
		uint64_t factor = s->factor[r->with_slices[k].column];
		uint64_t *sums = to->slices + (size_t)s->slices[k] * STORE_SLICES;

		to->sliced[s->slices[k]] |= r->sliced[k];
		for (uint32_t i = 0; r->sliced[k] >> i; i++)
			if (r->sliced[k] >> i & 1)
				sums[i] += factor * r->slices[k * STORE_SLICES + i];
	}
	return 0;
}

/* The node at hand of a stream is taken, and the next one is. 1, 0 at the end, or a negative errno. */
static inline int take_node(struct merge_pass *m, struct heap_entry *e,
			    struct merged_node *sum)
{
	struct store_node_reader *r = &e->stream->nodes;
	int more = 1;

	if (r->has_value[r->at]) {
		sum->any = true;
		more = add_stream_values(m, e->stream, sum);
	}
	if (++r->at < r->count)
		e->key = r->keys[r->at];
	else if (more >= 0)
		more = fill_stream(m, e);
	return more;
}

/* What was added up under @key is a node of the merged file. */
static inline void put_merged(const struct merge_pass *m, struct store_node_writer *to,
			      uint64_t key, struct merged_node *sum)
{
	struct store_node node = { UINT32_MAX - (uint32_t)(key >> 32), (uint32_t)key,
				   sum->values, sum->sliced, sum->slices };

	store_node_add(to, &node);
	if (!sum->any)
		return;
	sum->any = false;
	for (uint32_t i = 0; i < m->map.column_count; i++)
		sum->values[i] = 0;
	if (!m->sliced_columns)
		return;
	memset(sum->sliced, 0, m->sliced_columns * sizeof(*sum->sliced));
	memset(sum->slices, 0,
	       (size_t)m->sliced_columns * STORE_SLICES * sizeof(*sum->slices));
}

/* Each node is a walk along all streams, which finds the key of the next one, too. */
static int merge_few(struct merge_pass *m, struct store_node_writer *to,
		     struct merged_node *sum)
{
	struct heap_entry *streams = m->heap;
	uint64_t key = KEY_NONE;
	int more = 1;

	for (size_t i = 0; i < m->count; i++)
		key = streams[i].key < key ? streams[i].key : key;
	while (key != KEY_NONE && more >= 0) {
		uint64_t next = KEY_NONE;

		for (size_t i = 0; i < m->count; i++) {
			if (streams[i].key == key && more >= 0)
				more = take_node(m, &streams[i], sum);
			next = streams[i].key < next ? streams[i].key : next;
		}
		put_merged(m, to, key, sum);
		key = next;
	}
	return more < 0 ? more : 0;
}

/* The entries with the least key are the top of the heap and some of those below: @equal has room for
 * all. The heap is repaired when all of these have their next key, from the last one up. */
static int merge_heap(struct merge_pass *m, struct store_node_writer *to,
		      struct merged_node *sum, uint32_t *equal)
{
	struct heap_entry *heap = m->heap;
	int more = 1;

	for (size_t i = m->count; i-- > 0;)
		sift_stream(m, i);
	while (m->count && heap->key != KEY_NONE && more >= 0) {
		uint64_t key = heap->key;
		size_t count = 1;

		equal[0] = 0;
		for (size_t i = 0; i < count; i++) {
			size_t child = 2 * (size_t)equal[i] + 1;

			if (child < m->count && heap[child].key == key)
				equal[count++] = (uint32_t)child;
			if (child + 1 < m->count && heap[child + 1].key == key)
				equal[count++] = (uint32_t)child + 1;
		}
		for (size_t i = count; i-- > 0 && more >= 0;) {
			more = take_node(m, &heap[equal[i]], sum);
			sift_stream(m, equal[i]);
		}
		put_merged(m, to, key, sum);
	}
	return more < 0 ? more : 0;
}

/* No file at all is a profile of nothing: the root. */
static int write_merged(struct merge_pass *m, bool plain,
			const struct store_origin *origin, const struct intern *strings,
			FILE *out)
{
	static const uint64_t nothing[1];
	struct store_node_writer to = { 0 };
	struct store_sink sink = { 0 };
	struct merged_node sum = { 0 };
	uint32_t *equal = NULL;
	int err = store_sink_init(&sink, out, plain, store_tables_flags(&m->tables));

	if (err == 0) {
		store_origin_write(&sink, origin, strings);
		err = store_tables_write(&sink, &m->tables);
		store_sink_flush(&sink);
	}
	if (err == 0)
		err = store_node_writer_init(&to, &sink, &m->tables);
	if (err == -EFBIG)
		err = fail(m->ctx, -ERANGE,
			   "the names of all are more than a profile file holds");
	else if (err < 0)
		err = fail_memory(m->ctx);
	if (err == 0) {
		sum.values = calloc((size_t)m->map.column_count + 1, sizeof(*sum.values));
		sum.sliced = calloc((size_t)m->sliced_columns + 1, sizeof(*sum.sliced));
		sum.slices = calloc((size_t)m->sliced_columns * STORE_SLICES + 1,
				    sizeof(*sum.slices));
		equal = malloc((m->count + 2) * sizeof(*equal));
		if (!sum.values || !sum.sliced || !sum.slices || !equal)
			err = fail_memory(m->ctx);
	}
	for (size_t i = 0; i < m->count && err >= 0; i++) {
		m->heap[i].stream = &m->streams[i];
		err = fill_stream(m, &m->heap[i]);
	}
	if (err >= 0)
		err = m->count <= FEW ? merge_few(m, &to, &sum)
				      : merge_heap(m, &to, &sum, equal);
	if (err == 0 && to.nodes == 0)
		store_node_add(&to, &(struct store_node){ .values = nothing });
	if (m->timed)
		to.heat = &m->timed->nodes.heat;
	if (err == 0 && store_node_end(&to) < 0)
		err = fail(m->ctx, sink.err, "cannot write: %s", strerror(-sink.err));
	free(sum.values);
	free(sum.sliced);
	free(sum.slices);
	free(equal);
	store_node_writer_release(&to);
	store_sink_release(&sink);
	return err;
}

static int run_pass(struct merge_pass *m, bool plain, const struct store_origin *origin,
		    const struct intern *strings, FILE *out)
{
	struct budget budget = { 0 }, *outer = m->ctx->budget;
	int err = intern_init(&m->strings);

	if (m->memory) {
		budget_init(&budget, m->memory);
		m->ctx->budget = &budget;
	}
	if (err == 0)
		err = store_tables_init(&m->tables, &m->strings);
	m->streams = calloc(m->count + 1, sizeof(*m->streams));
	m->heap = calloc(m->count + 1, sizeof(*m->heap));
	if (!m->streams || !m->heap)
		err = -ENOMEM;
	for (size_t i = 0; i < m->count && err == 0; i++)
		m->streams[i].own_fd = -1;
	err = err < 0 ? fail_memory(m->ctx) : open_streams(m);
	if (err == 0) {
		err = store_tables_sort(&m->tables, &m->map);
		if (err == -EOVERFLOW)
			err = fail(m->ctx, -ERANGE,
				   "the values add up to more than 2^64");
		else if (err < 0)
			err = fail_memory(m->ctx);
	}
	if (err == 0)
		err = start_streams(m);
	if (err == 0)
		err = write_merged(m, plain, origin, strings, out);
	for (size_t i = 0; m->streams && i < m->count; i++) {
		struct merge_stream *s = &m->streams[i];

		store_node_reader_release(&s->nodes);
		store_source_release(&s->source);
		store_map_release(&s->map);
		free(s->factor);
		free(s->slices);
		if (s->own_fd >= 0)
			close(s->own_fd);
	}
	free(m->streams);
	free(m->heap);
	free(m->slices);
	store_tables_release(&m->tables);
	store_map_release(&m->map);
	store_unpacker_release(&m->unpacker);
	intern_release(&m->strings);
	budget_release(&budget);
	m->ctx->budget = outer;
	return err;
}

/* Files that are merged through temporary ones. */
struct merge_level {
	const struct store_merge_job *job;
	struct store_merge_file *files;
	size_t *starts; /* of groups; one more */
	struct store_merge_file *merged; /* by group */
	struct context *contexts; /* by group */
};

static int merge_group(void *arg, size_t group, size_t worker)
{
	static const struct store_origin none;
	struct merge_level *level = arg;
	struct context *ctx = &level->contexts[group];
	size_t start = level->starts[group];
	struct merge_pass m = { .ctx = ctx,
				.job = level->job,
				.files = level->files + start,
				.count = level->starts[group + 1] - start,
				.memory = level->job->memory / level->job->threads };
	int fd = store_temporary(ctx), copy = fd < 0 ? fd : dup(fd), err = 0;
	FILE *out = copy < 0 ? NULL : fdopen(copy, "w");
	struct stat st;

	(void)worker;
	if (!out) {
		if (fd >= 0)
			close(fd);
		return fd < 0 ? fd : fail_memory(ctx);
	}
	err = run_pass(&m, true, &none, level->job->strings, out);
	if (fclose(out) != 0 && err == 0)
		err = fail(ctx, -errno, "cannot write a temporary file: %s",
			   strerror(errno));
	level->merged[group] =
		(struct store_merge_file){ .path = "a temporary file", .fd = fd };
	if (fstat(fd, &st) == 0)
		level->merged[group].size = (uint64_t)st.st_size;
	return err;
}

static int verify_file(void *arg, size_t i, size_t worker)
{
	static const struct store_origin none;
	const struct store_merge_job *job = arg;
	struct context ctx = { 0 };
	struct merge_pass m = {
		.ctx = &ctx,
		.job = job,
		.files = &job->files[i],
		.count = 1,
		.memory = job->memory / job->threads,
	};
	FILE *nowhere = job->files[i].why ? NULL : fopen("/dev/null", "w");
	int err = 0;

	(void)worker;
	if (nowhere) {
		err = run_pass(&m, true, &none, job->strings, nowhere);
		fclose(nowhere);
		if (err == -EFBIG && !(job->files[i].why = strdup(ctx.error)))
			err = -ENOMEM;
	}
	return err == -ENOMEM ? err : 0;
}

int store_merge_verify(struct context *ctx, const struct store_merge_job *job)
{
	struct store_merge_job quiet = *job;

	quiet.progress = NULL;
	return parallel_run(job->threads, job->count, verify_file, &quiet) < 0
		       ? fail_memory(ctx)
		       : 0;
}

/* Where groups begin that are merged at once: as many as there are threads where that is worth it,
 * and none that takes more memory than it may, or more files than may be open. */
static size_t cut_groups(const struct store_merge_job *job,
			 const struct store_merge_file *files, size_t count,
			 size_t *starts)
{
	/* What has been merged in groups is one more pass, if memory allows. */
	bool first = files == job->files;
	uint64_t bytes = 0, memory = 0, part;
	uint64_t most = STREAMS_MEMORY / (first ? job->threads : 1);
	struct rlimit open_files = { .rlim_cur = 256 };
	size_t groups = 1, fan = FAN_MOST, threads = first ? job->threads : 1;

	file_raise_limit();
	getrlimit(RLIMIT_NOFILE, &open_files);
	if (open_files.rlim_cur < (FAN_MOST + 64) * threads)
		fan = open_files.rlim_cur / 2 / threads;
	fan = fan > 2 ? fan : 2;
	for (size_t i = 0; i < count; i++)
		bytes += files[i].size;
	if (bytes / THREAD_LEAST < threads)
		threads = bytes / THREAD_LEAST + 1;
	/* A group of one file would only be copied. */
	if (count / 2 < threads)
		threads = count / 2 ? count / 2 : 1;
	part = bytes / threads + 1;
	bytes = 0;
	starts[0] = 0;
	for (size_t i = 0; i < count; i++) {
		/* By its size: a block of nodes, and two numbers a frame. */
		uint64_t size = files[i].size, names = size / 4;
		uint64_t more = (size < (16 << 10) ? size : 16 << 10) +
				(names < (256 << 10) ? names : 256 << 10) + 1024;
		size_t in_group = i - starts[groups - 1];

		if (in_group >= 2 && ((in_group >= GROUP_LEAST && memory + more > most) ||
				      in_group >= fan || bytes > part)) {
			starts[groups++] = i;
			memory = bytes = 0;
		}
		memory += more;
		bytes += files[i].size;
	}
	starts[groups] = count;
	return groups;
}

int store_merge(struct context *ctx, const struct store_merge_job *job, FILE *out)
{
	struct merge_level level = { .job = job, .files = job->files };
	struct store_merge_file *temporary = NULL; /* .files, where they are */
	size_t count = job->count, groups;
	int err = 0;

	level.starts = malloc((count + 2) * sizeof(*level.starts));
	if (!level.starts)
		return fail_memory(ctx);
	while (err == 0 &&
	       (groups = cut_groups(job, level.files, count, level.starts)) > 1) {
		level.merged = calloc(groups, sizeof(*level.merged));
		level.contexts = calloc(groups, sizeof(*level.contexts));
		for (size_t i = 0; level.merged && i < groups; i++)
			level.merged[i].fd = -1;
		err = level.merged && level.contexts
			      ? parallel_run(job->threads, groups, merge_group, &level)
			      : fail_memory(ctx);
		for (size_t i = 0; level.contexts && i < groups; i++)
			if (err < 0 && level.contexts[i].error[0])
				err = fail(ctx, err, "%s", level.contexts[i].error);
		free(level.contexts);
		for (size_t i = 0; temporary && i < count; i++)
			close(temporary[i].fd);
		free(temporary);
		level.files = temporary = level.merged;
		count = groups;
	}
	if (err == 0) {
		struct merge_pass m = {
			.ctx = ctx,
			.job = job,
			.files = level.files,
			.count = count,
			.memory = job->memory,
		};

		err = run_pass(&m, job->plain, job->origin, job->strings, out);
	}
	for (size_t i = 0; temporary && i < count; i++)
		if (temporary[i].fd >= 0)
			close(temporary[i].fd);
	for (size_t i = 0; temporary && i < count; i++)
		free(temporary[i].why);
	free(temporary);
	free(level.starts);
	return err;
}
