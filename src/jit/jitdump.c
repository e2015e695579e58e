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
static size_t dump_read_at(int fd, uint64_t offset, void *ret, size_t size, int *error)
{
	size_t got = file_read_at(fd, ret, size, offset);

	if (got < size && errno)
		*error = errno;
	return got;
}

/*
 *	 0 u32 magic     12 u32 machine    24 u64 time
 *	 4 u32 version   16 u32 -          32 u64 flags
 *	 8 u32 size      20 u32 pid        size: first record
 *
 * The magic number tells the byte order of all that follows.
 */
int jitdump_open(int fd, struct jitdump *ret)
{
	uint8_t bytes[HEADER];
	struct jitdump d = { .fd = fd };
	struct cursor c =
		cursor_of(bytes, dump_read_at(fd, 0, bytes, sizeof(bytes), &d.error));
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
struct dump_record {
	uint32_t type;
	uint64_t offset, size, time; /* with its head */
	struct cursor body;
};

/* It is kept as long as its process is known, so stacks get theirs. Callers ask for twice
 * a size, as an array may have as much room again. */
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

/*
 *	| RECORD | pid tid vma address size index | name NUL | code |
 *	^ offset                                  ^ f.name   ^ f.bytes
 *
 * The body may be longer than the window: what is used of it here lies at its beginning.
 */
static int take_load(struct jitdump *d, struct dump_record *r)
{
	struct jitdump_function f = d->next;
	uint64_t index, left = r->size - RECORD;
	uint32_t pid = cursor_u32(&r->body);
	const uint8_t *end;

	if (r->size < RECORD + LOAD)
		return 0;
	/* Lines and unwinding have come before the function that they are of. */
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
	/* They are of the code at their address, whatever is loaded next. */
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

static int take_move(struct jitdump *d, struct dump_record *r)
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
	/* Behind its own bytes there is another one's code. */
	if (size > d->functions.v[*function].size)
		size = d->functions.v[*function].size;
	return add_code(d, r->time, to, size, *function);
}

/* Only where the entries lie: the LOAD that follows says whether they are its own. */
static int note_lines(struct jitdump *d, struct dump_record *r)
{
	uint64_t size = r->size - RECORD;

	d->next.lines = 0;
	d->lines_address = cursor_u64(&r->body);
	if (r->body.bad || size < DEBUG_INFO)
		return 0;
	size -= DEBUG_INFO;
	d->next.lines = r->offset + RECORD + DEBUG_INFO;
	d->next.lines_size = size > LINES_MOST ? LINES_MOST : (uint32_t)size;
	return 0;
}

/* "u64 size of both, of .eh_frame_hdr, mapped size; .eh_frame; .eh_frame_hdr" */
static int note_unwinding(struct jitdump *d, struct dump_record *r)
{
	uint64_t size = cursor_u64(&r->body), header = cursor_u64(&r->body);

	d->next.unwind = 0;
	if (r->size < RECORD + UNWINDING_INFO ||
	    size > r->size - RECORD - UNWINDING_INFO || header >= size)
		return 0;
	d->next.unwind = r->offset + RECORD + UNWINDING_INFO;
	d->next.unwind_size = (uint32_t)(size - header);
	return 0;
}

/* The runtime has ended its session: nothing is read behind that. */
static int note_close(struct jitdump *d, struct dump_record *r)
{
	(void)r;
	d->closed = true;
	return 0;
}

/* By type; of others only the size counts. 0, or -ENOMEM. */
static int (*const takers[])(struct jitdump *d, struct dump_record *r) = {
	[RECORD_LOAD] = take_load,
	[RECORD_MOVE] = take_move,
	[RECORD_DEBUG_INFO] = note_lines,
	[RECORD_CLOSE] = note_close,
	[RECORD_UNWINDING_INFO] = note_unwinding,
};

/* What has been read of the file: bytes from start on. */
struct dump_window {
	uint8_t *bytes;
	uint64_t start;
	size_t size;
};

/* The next record: 1; 0 where it is not all there. */
static int next_dump_record(struct jitdump *d, struct dump_window *w,
			    struct dump_record *r)
{
	size_t at, have;
	uint8_t last;

	/* Half a window has room for any name; more of the file is read before less is left. */
	if (d->offset < w->start || d->offset - w->start + RECORD > w->size ||
	    (w->size == ROOM && w->size - (size_t)(d->offset - w->start) < ROOM / 2)) {
		w->start = d->offset;
		w->size = dump_read_at(d->fd, w->start, w->bytes, ROOM, &d->error);
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
	/* Of a record that is being written the end is not there yet, whatever is of its body. */
	have = cursor_left(&r->body);
	if (have > r->size - RECORD)
		r->body.end = r->body.p + (r->size - RECORD);
	else if (have < r->size - RECORD &&
		 dump_read_at(d->fd, r->offset + r->size - 1, &last, 1, &d->error) < 1)
		return 0;
	return 1;
}

int jitdump_read(struct jitdump *d)
{
	struct dump_window w = { .bytes = malloc(ROOM) };
	struct dump_record r;
	int err = w.bytes ? 0 : -ENOMEM;

	while (err == 0 && !d->closed && !d->damaged && !d->full &&
	       next_dump_record(d, &w, &r)) {
		if (r.type < sizeof(takers) / sizeof(*takers))
			err = takers[r.type](d, &r);
		/* Of a type that is not known, too. What is not all there yet is read by
		 * the next call. */
		d->offset += r.size;
	}
	free(w.bytes);
	return err;
}

/* Functions are in the order of their records, so their bytes are in that of the file. */
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

	text_add(out, name, dump_read_at(d->fd, f->name, name, size, &error));
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

/* Reads all lines of a function, sorted, in place of another one's. What there is no memory for has
 * no lines. Entry after entry; a path counts by its last part, and "\xff" is the path before it. */
static void read_dump_lines(const struct jitdump *d, struct jitdump_lines *lines,
			    const struct jitdump_function *f)
{
	size_t read = lines->read, size = 0;
	const char *name;
	struct cursor c;
	int error = 0;

	jitdump_lines_release(lines);
	lines->of = f->lines;
	lines->bytes = malloc(f->lines_size + (size_t)1);
	if (!lines->bytes)
		return;
	c = cursor_of(lines->bytes,
		      dump_read_at(d->fd, f->lines, lines->bytes, f->lines_size, &error));
	c.swap = d->swap;
	lines->read = read + f->lines_size;
	name = lines->bytes;
	while (cursor_left(&c) >= DEBUG_ENTRY) {
		uint64_t address = cursor_u64(&c);
		uint32_t number = cursor_u32(&c);
		struct jitdump_line *line;
		const char *text;

		cursor_u32(&c); /* column */
		text = (const char *)c.p;
		if (!memchr(text, '\0', cursor_left(&c)))
			break;
		if (strcmp(text, "\xff") != 0) {
			const char *slash = strrchr(text, '/');

			name = slash ? slash + 1 : text;
			size = strlen(name);
		}
		cursor_bytes(&c, strlen(text) + 1);
		line = array_add(&lines->list);
		if (!line) {
			lines->list.count = 0;
			return;
		}
		*line = (struct jitdump_line){
			.address = address,
			.line = number,
			.position = (uint32_t)lines->list.count,
			.file = (uint32_t)(name - lines->bytes),
			.file_size = (uint32_t)size,
		};
	}
	if (lines->list.count > 1)
		qsort(lines->list.v, lines->list.count, sizeof(*lines->list.v),
		      compare_lines);
}

void jitdump_line(const struct jitdump *d, struct jitdump_lines *lines,
		  const struct jitdump_function *f, uint64_t offset, struct text *out)
{
	uint64_t address = f->address + (offset - f->bytes);
	const struct jitdump_line *line;
	size_t low = 0, high;

	if (!f->lines)
		return;
	if (lines->of != f->lines)
		read_dump_lines(d, lines, f);
	/* The last at or before the address. */
	high = lines->list.count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (lines->list.v[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return;
	line = &lines->list.v[low - 1];
	text_add(out, lines->bytes + line->file, line->file_size);
	text_printf(out, ":%u", line->line);
}
