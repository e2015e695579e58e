/*
 * The file is passed once, through a window of 64 KiB, and the next call goes on where the last whole
 * record ended. Only offsets are kept: names, lines and bytes of code are read when somebody asks for
 * them. A MOVE finds its function by the index that its LOAD gave. All sizes come from the writer, so a record
 * ends where its size says, and what is kept is claimed from the budget before.
 */
#include "jit/jitdump.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cursor.h"
#include "base/file.h"

#define MAGIC 0x4A695444u
#define FLAG_ARCH_TIME 1

enum {
	HEADER = JITDUMP_HEADER,
	RECORD = 16, /* u32 type, size; u64 time */
	LOAD = 40, /* u32 pid, tid; u64 vma, address, size, index */
	MOVE = 48, /* u32 pid, tid; u64 vma, from, to, size, index */
	DEBUG_INFO = 16, /* u64 address, entries */
	DEBUG_ENTRY = 17, /* u64 address; u32 line, column; name */
	UNWINDING_INFO = 24, /* u64 size, size of the header, mapped size */
	ROOM = 1 << 16, /* bytes read at once: names have to fit */
	LINES_MOST = 1 << 20, /* bytes of a function's lines */
	INDEX_MEMORY = 48, /* bytes of a function in by_index */
};

enum record_type {
	RECORD_LOAD,
	RECORD_MOVE,
	RECORD_DEBUG_INFO,
	RECORD_CLOSE,
	RECORD_UNWINDING_INFO,
};

/* What cannot be read is an end, and *@error says so. */
static size_t read_at(int fd, uint64_t offset, void *ret, size_t size, int *error)
{
	size_t got = file_read_at(fd, ret, size, offset);

	if (got < size && errno)
		*error = errno;
	return got;
}

int jitdump_open(int fd, struct jitdump *ret)
{
	uint8_t bytes[HEADER];
	struct jitdump d = { .fd = fd };
	struct cursor c =
		cursor_of(bytes, read_at(fd, 0, bytes, sizeof(bytes), &d.error));
	uint32_t magic = cursor_u32(&c), version;

	d.swap = c.swap = magic == __builtin_bswap32(MAGIC);
	version = cursor_u32(&c);
	d.offset = cursor_u32(&c);
	d.machine = cursor_u32(&c);
	cursor_u32(&c);
	d.pid = cursor_u32(&c);
	/* Some runtimes write the time of day there. */
	cursor_u64(&c);
	d.arch_time = cursor_u64(&c) & FLAG_ARCH_TIME;
	if (c.bad || (magic != MAGIC && !d.swap) || version != 1 || d.offset < HEADER) {
		close(fd);
		return d.error ? -d.error : -EBADMSG;
	}
	*ret = d;
	return 0;
}

void jitdump_close(struct jitdump *d)
{
	if (d->fd >= 0)
		close(d->fd);
	array_release(&d->functions);
	array_release(&d->codes);
	hash_map_release(&d->by_index);
	claim_release(&d->claim);
	*d = (struct jitdump){ .fd = -1 };
}

/* A record, of which as much is in memory as fits. */
struct record {
	uint32_t type;
	uint64_t offset, size, time; /* with its head */
	struct cursor body;
};

/* It is kept as long as its process is known, so stacks get theirs. */
static bool claim_memory(struct jitdump *d, size_t size)
{
	if (claim_add_part(&d->claim, d->budget, BUDGET_NAMES, size))
		return true;
	budget_refuse(d->budget, "functions", "a jitdump");
	return false;
}

static int add_code(struct jitdump *d, uint64_t time, uint64_t start, uint64_t size,
		    uint32_t function)
{
	struct jitdump_code *code;
	uint64_t end;

	if (size == 0 || __builtin_add_overflow(start, size, &end))
		return 0;
	if (d->codes.count >= JITDUMP_CODES_MOST || !claim_memory(d, 2 * sizeof(*code))) {
		d->full = true;
		return 0;
	}
	code = array_add(&d->codes);
	if (!code)
		return -ENOMEM;
	*code = (struct jitdump_code){ time, start, end, function };
	return 0;
}

/* Of another process: a child wrote what it had inherited unwritten. */
static bool is_of_other(const struct jitdump *d, uint32_t pid)
{
	return pid && d->pid && pid != d->pid;
}

static int take_load(struct jitdump *d, struct record *r)
{
	struct jitdump_function f = d->next;
	uint64_t index, left = r->size - RECORD;
	uint32_t pid = cursor_u32(&r->body);
	const uint8_t *end;

	d->next = (struct jitdump_function){ 0 };
	cursor_u32(&r->body);
	cursor_u64(&r->body);
	f.address = cursor_u64(&r->body);
	f.size = cursor_u64(&r->body);
	index = cursor_u64(&r->body);
	end = r->body.bad ? NULL : memchr(r->body.p, '\0', cursor_left(&r->body));
	if (!end || is_of_other(d, pid))
		return 0;
	f.name = r->offset + RECORD + LOAD;
	f.name_size = (uint32_t)(end - r->body.p);
	f.bytes = f.name + f.name_size + 1;
	left -= LOAD + f.name_size + 1;
	if (f.size > left)
		return 0;
	if (f.lines && d->lines_address != f.address)
		f.lines = 0;
	if (d->functions.count >= JITDUMP_FUNCTIONS_MOST ||
	    !claim_memory(d, 2 * sizeof(f) + INDEX_MEMORY)) {
		d->full = true;
		return 0;
	}
	if (!array_reserve(&d->functions, 1) ||
	    !hash_map_set(&d->by_index, index, (uint32_t)d->functions.count))
		return -ENOMEM;
	*array_add(&d->functions) = f;
	return add_code(d, r->time, f.address, f.size, (uint32_t)d->functions.count - 1);
}

static int take_move(struct jitdump *d, struct record *r)
{
	uint32_t pid = cursor_u32(&r->body);
	const uint32_t *function;
	uint64_t to, size;

	cursor_u32(&r->body);
	cursor_u64(&r->body);
	cursor_u64(&r->body);
	to = cursor_u64(&r->body);
	size = cursor_u64(&r->body);
	function = hash_map_get(&d->by_index, cursor_u64(&r->body));
	if (r->body.bad || !function || is_of_other(d, pid))
		return 0;
	if (size > d->functions.v[*function].size)
		size = d->functions.v[*function].size;
	return add_code(d, r->time, to, size, *function);
}

static void take_lines(struct jitdump *d, struct record *r)
{
	uint64_t size = r->size - RECORD;

	d->next.lines = 0;
	d->lines_address = cursor_u64(&r->body);
	if (r->body.bad || size < DEBUG_INFO)
		return;
	size -= DEBUG_INFO;
	d->next.lines = r->offset + RECORD + DEBUG_INFO;
	d->next.lines_size = size > LINES_MOST ? LINES_MOST : (uint32_t)size;
}

/* "u64 size of both, of .eh_frame_hdr, mapped size; .eh_frame; .eh_frame_hdr" */
static void take_unwinding(struct jitdump *d, struct record *r)
{
	uint64_t size = cursor_u64(&r->body), header = cursor_u64(&r->body);

	d->next.unwind = 0;
	if (r->size < RECORD + UNWINDING_INFO ||
	    size > r->size - RECORD - UNWINDING_INFO || header >= size)
		return;
	d->next.unwind = r->offset + RECORD + UNWINDING_INFO;
	d->next.unwind_size = (uint32_t)(size - header);
}

static int take_record(struct jitdump *d, struct record *r)
{
	switch (r->type) {
	case RECORD_LOAD:
		return r->size >= RECORD + LOAD ? take_load(d, r) : 0;
	case RECORD_MOVE:
		return take_move(d, r);
	case RECORD_DEBUG_INFO:
		take_lines(d, r);
		break;
	case RECORD_UNWINDING_INFO:
		take_unwinding(d, r);
		break;
	case RECORD_CLOSE:
		d->closed = true;
		break;
	}
	return 0;
}

/* What has been read of the file: bytes from start on. */
struct dump_window {
	uint8_t *bytes;
	uint64_t start;
	size_t size;
};

/* The next record: 1; 0 where it is not all there. */
static int next_record(struct jitdump *d, struct dump_window *w, struct record *r)
{
	size_t at, have;
	uint8_t last;

	if (d->offset < w->start || d->offset - w->start + RECORD > w->size ||
	    (w->size == ROOM && w->size - (size_t)(d->offset - w->start) < ROOM / 2)) {
		w->start = d->offset;
		w->size = read_at(d->fd, w->start, w->bytes, ROOM, &d->error);
	}
	at = (size_t)(d->offset - w->start);
	r->body = cursor_of(w->bytes + at, w->size - at);
	r->body.swap = d->swap;
	r->type = cursor_u32(&r->body);
	r->size = cursor_u32(&r->body);
	r->time = cursor_u64(&r->body);
	r->offset = d->offset;
	if (r->body.bad)
		return 0;
	if (r->size < RECORD) {
		d->damaged = true;
		return 0;
	}
	have = cursor_left(&r->body);
	if (have > r->size - RECORD)
		r->body.end = r->body.p + (r->size - RECORD);
	else if (have < r->size - RECORD &&
		 read_at(d->fd, r->offset + r->size - 1, &last, 1, &d->error) < 1)
		return 0;
	return 1;
}

int jitdump_read(struct jitdump *d)
{
	struct dump_window w = { .bytes = malloc(ROOM) };
	struct record r;
	int err = w.bytes ? 0 : -ENOMEM;

	while (err == 0 && !d->closed && !d->damaged && !d->full &&
	       next_record(d, &w, &r)) {
		err = take_record(d, &r);
		d->offset += r.size;
	}
	free(w.bytes);
	return err;
}

const struct jitdump_function *jitdump_find(const struct jitdump *d, uint64_t offset)
{
	size_t low = 0, high = d->functions.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct jitdump_function *f = &d->functions.v[middle];

		if (f->bytes + f->size <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == d->functions.count || d->functions.v[low].bytes > offset)
		return NULL;
	return &d->functions.v[low];
}

int jitdump_name(const struct jitdump *d, const struct jitdump_function *f,
		 struct text *out)
{
	char name[JITDUMP_NAME_MOST];
	size_t size = f->name_size < sizeof(name) ? f->name_size : sizeof(name);
	int error = 0;

	text_add(out, name, read_at(d->fd, f->name, name, size, &error));
	return error;
}

void jitdump_lines_release(struct jitdump_lines *lines)
{
	free(lines->bytes);
	array_release(&lines->list);
	*lines = (struct jitdump_lines){ 0 };
}

/* Ones at the same address stay in the file's order, which is that of their names. */
static int compare_lines(const void *a, const void *b)
{
	const struct jitdump_line *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->position < y->position ? -1 : x->position > y->position;
}

/* The last part of the path at @text. */
static void set_file(struct jitdump_line *line, const char *bytes, const char *text,
		     size_t size)
{
	const char *slash = memrchr(text, '/', size);
	const char *file = slash ? slash + 1 : text;

	line->file = (uint32_t)(file - bytes);
	line->file_size = (uint32_t)(size - (size_t)(file - text));
}

/* Entry after entry; "\xff" is the name before it. */
static bool list_lines(struct jitdump_lines *lines, struct cursor *c)
{
	const char *name = lines->bytes;
	size_t size = 0;

	while (cursor_left(c) >= DEBUG_ENTRY) {
		uint64_t address = cursor_u64(c);
		uint32_t number = cursor_u32(c);
		struct jitdump_line *line;
		const char *text;

		cursor_u32(c);
		text = (const char *)c->p;
		if (!memchr(text, '\0', cursor_left(c)))
			break;
		if (strcmp(text, "\xff") != 0) {
			name = text;
			size = strlen(text);
		}
		cursor_bytes(c, strlen(text) + 1);
		line = array_add(&lines->list);
		if (!line)
			return false;
		line->address = address;
		line->line = number;
		line->position = (uint32_t)lines->list.count;
		set_file(line, lines->bytes, name, size);
	}
	return true;
}

/* What there is no memory for has no lines. */
static void read_lines(const struct jitdump *d, struct jitdump_lines *lines,
		       const struct jitdump_function *f)
{
	size_t read = lines->read;
	struct cursor c;
	int error = 0;

	jitdump_lines_release(lines);
	lines->of = f->lines;
	lines->bytes = malloc(f->lines_size + (size_t)1);
	if (!lines->bytes)
		return;
	c = cursor_of(lines->bytes,
		      read_at(d->fd, f->lines, lines->bytes, f->lines_size, &error));
	c.swap = d->swap;
	lines->read = read + f->lines_size;
	if (!list_lines(lines, &c))
		lines->list.count = 0;
	if (lines->list.count > 1)
		qsort(lines->list.v, lines->list.count, sizeof(*lines->list.v),
		      compare_lines);
}

/* The last at or before the address. */
static const struct jitdump_line *find_line(const struct jitdump_lines *lines,
					    uint64_t address)
{
	size_t low = 0, high = lines->list.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (lines->list.v[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &lines->list.v[low - 1] : NULL;
}

void jitdump_line(const struct jitdump *d, struct jitdump_lines *lines,
		  const struct jitdump_function *f, uint64_t offset, struct text *out)
{
	const struct jitdump_line *line;

	if (!f->lines)
		return;
	if (lines->of != f->lines)
		read_lines(d, lines, f);
	line = find_line(lines, f->address + (offset - f->bytes));
	if (!line)
		return;
	text_add(out, lines->bytes + line->file, line->file_size);
	text_printf(out, ":%u", line->line);
}
