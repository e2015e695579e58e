/*
 * Facts that simpleperf records in its own way are turned into what perf's would be:
 * meta info into the header's strings and names of events, symbols into tables by file,
 * chains that were unwound later into deferred ones. A table of readers by type has the
 * records, each with its layout above it; a record of more than 64 KiB comes in pieces,
 * which are put together and read again as one.
 *
 * Two things are missing in it and made up after the last record: where a file's symbols
 * lie, from the maps that were seen, and maps of code without a file, from the symbols
 * that perf-PID.map gave it.
 */
#include "input/simpleperf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "input/deferred.h"

enum {
	KERNEL_SYMBOL = 32769,
	DSO,
	SYMBOL,
	SPLIT,
	SPLIT_END,
	EVENT_ID,
	CALLCHAIN,
	SIMPLEPERF_TRACING_DATA = 32777,
	SPLIT_MOST = 64 << 20, /* bytes of a record that comes in pieces */
	PAGE = 4096,
};

/* What is needed to read, but is no part of what is known of the recording. */
struct simpleperf {
	struct text pieces; /* of a record of more than 64 KiB */
	struct hash_map file_of_dso; /* id of a DSO record -> index in rec.files */
	/* At which offsets a path is mapped, and which is the lowest. */
	struct hash_map mapped, lowest; /* index in offsets */
	ARRAY(uint64_t) offsets;
	struct hash_map last_exec; /* of a process, index in times */
	ARRAY(uint64_t) times;
	size_t mapped_symbols; /* those before have their map */
	/* Chains recorded apart, by thread and time: as unwound, and joined to whole
	 * ones. */
	struct deferred *unwound, *joined;
};

static struct simpleperf *get(struct input *in)
{
	if (!in->simpleperf)
		in->simpleperf = calloc(1, sizeof(*in->simpleperf));
	return in->simpleperf;
}

void simpleperf_free(struct simpleperf *sp)
{
	if (!sp)
		return;
	text_release(&sp->pieces);
	hash_map_release(&sp->file_of_dso);
	hash_map_release(&sp->mapped);
	hash_map_release(&sp->lowest);
	array_release(&sp->offsets);
	hash_map_release(&sp->last_exec);
	array_release(&sp->times);
	deferred_free(sp->unwound);
	deferred_free(sp->joined);
	free(sp);
}

/* A text in an info; not NUL-terminated. */
struct info_word {
	const char *text;
	size_t size;
};

/* The part of @from before the first @c, which is passed over; all of it without one. */
static struct info_word cut_word(struct info_word *from, char c)
{
	const char *end = from->size ? memchr(from->text, c, from->size) : NULL;
	struct info_word part = { from->text,
				  end ? (size_t)(end - from->text) : from->size };
	size_t passed = part.size + (end != NULL);

	from->text += passed;
	from->size -= passed;
	return part;
}

static uint64_t word_number(struct info_word w)
{
	uint64_t value = 0;

	for (size_t i = 0; i < w.size && w.text[i] >= '0' && w.text[i] <= '9'; i++)
		value = value * 10 + (uint64_t)(w.text[i] - '0');
	return value;
}

/* A word behind the last @c, which is cut off together with it. */
static struct info_word cut_last(struct info_word *from, char c)
{
	const char *at = from->size ? memrchr(from->text, c, from->size) : NULL;
	struct info_word part = { at ? at + 1 : "", 0 };

	if (!at)
		return part;
	part.size = from->size - (size_t)(part.text - from->text);
	from->size = (size_t)(at - from->text);
	return part;
}

static bool word_is(struct info_word w, const char *name)
{
	return w.size == strlen(name) && memcmp(w.text, name, w.size) == 0;
}

static uint64_t event_key(uint64_t type, uint64_t config)
{
	return hash_u64(config) ^ type;
}

/* Lines of "name,type,config". Of a kind that the kernel numbers when it starts, such as
 * cs-etm, the event may have been configured further: then the first name of its kind. */
static int name_listed_events(struct input *in, struct info_word lines)
{
	struct hash_map names = { 0 }, kinds = { 0 };
	int err = 0;

	while (lines.size > 0 && err == 0) {
		struct info_word line = cut_word(&lines, '\n');
		uint64_t config = word_number(cut_last(&line, ','));
		uint64_t type = word_number(cut_last(&line, ','));
		uint32_t name;

		if (line.size == 0)
			continue;
		if (intern_add(in->strings, line.text, line.size, &name) < 0 ||
		    !hash_map_set(&names, event_key(type, config), name) ||
		    (!hash_map_get(&kinds, type) && !hash_map_set(&kinds, type, name)))
			err = -ENOMEM;
	}
	for (size_t i = 0; i < in->rec.events.count && err == 0; i++) {
		struct event *e = &in->rec.events.v[i];
		const uint32_t *name =
			hash_map_get(&names, event_key(e->type, e->config));

		if (!name && e->type >= PERF_TYPE_MAX)
			name = hash_map_get(&kinds, e->type);
		if (name && !e->name)
			e->name = *name;
	}
	hash_map_release(&names);
	hash_map_release(&kinds);
	return err;
}

/* "Google:Pixel 5:redfin", and "11" -> "Google Pixel 5 (redfin), Android 11" */
static int name_host(struct input *in, struct info_word product, struct info_word android)
{
	struct info_word maker = cut_word(&product, ':'), model = cut_word(&product, ':');
	struct text name = { 0 };
	int err = 0;

	if (in->rec.host)
		return 0;
	text_add(&name, maker.text, maker.size);
	if (maker.size && model.size)
		text_char(&name, ' ');
	text_add(&name, model.text, model.size);
	if (product.size) {
		text_string(&name, name.size ? " (" : "(");
		text_add(&name, product.text, product.size);
		text_char(&name, ')');
	}
	if (android.size) {
		text_string(&name, name.size ? ", Android " : "Android ");
		text_add(&name, android.text, android.size);
	}
	if (name.failed)
		err = -ENOMEM;
	else if (name.size)
		err = intern_add(in->strings, name.bytes, name.size, &in->rec.host);
	text_release(&name);
	return err;
}

/* "key NUL value NUL", in any order. */
int simpleperf_read_meta_info(struct input *in, struct cursor *c)
{
	struct info_word product = { "", 0 }, android = { "", 0 };
	struct info_word all = { (const char *)c->p, cursor_left(c) };
	int err = 0;

	in->rec.simpleperf = true;
	while (all.size > 0 && err == 0) {
		struct info_word key = cut_word(&all, '\0'), value = cut_word(&all, '\0');

		if (word_is(key, "event_type_info")) {
			err = name_listed_events(in, value);
		} else if (word_is(key, "simpleperf_version")) {
			char text[128];
			int size = snprintf(text, sizeof(text), "simpleperf %.*s",
					    value.size < 100 ? (int)value.size : 100,
					    value.text);

			err = intern_add(in->strings, text, (size_t)size,
					 &in->rec.recorder);
		} else if (word_is(key, "kernel_version") && !in->rec.kernel) {
			err = intern_add(in->strings, value.text, value.size,
					 &in->rec.kernel);
		} else if (word_is(key, "product_props")) {
			product = value;
		} else if (word_is(key, "android_version")) {
			android = value;
		}
	}
	return err < 0 ? err : name_host(in, product, android);
}

/* "u32 size; char kallsyms[size]" */
static int read_kernel_symbols(struct input *in, struct cursor *c)
{
	size_t size;
	const char *text = cursor_text(c, cursor_u32(c), &size);

	return c->bad ? 0 : simpleperf_read_kallsyms(in, text, size);
}

/* "u64 kind, id, address; char path[]" */
static int read_dso(struct input *in, struct cursor *c)
{
	struct simpleperf_file file = { .kind = cursor_u64(c) };
	uint64_t id = cursor_u64(c);
	uint32_t index;

	file.address = cursor_u64(c);
	file.path = cursor_text(c, cursor_left(c), &file.path_size);
	if (c->bad)
		return 0;
	if (simpleperf_add_file(in, &file, &index) < 0 ||
	    !hash_map_set(&in->simpleperf->file_of_dso, id, index))
		return -ENOMEM;
	return 0;
}

/* "u64 start, size, dso; char name[]" */
static int read_symbol(struct input *in, struct cursor *c)
{
	struct recorded_symbol s = { .start = cursor_u64(c) };
	const uint32_t *file;
	const char *name;
	size_t size;

	s.size = cursor_u64(c);
	file = hash_map_get(&in->simpleperf->file_of_dso, cursor_u64(c));
	name = cursor_text(c, cursor_left(c), &size);
	return c->bad || !file ? 0 : simpleperf_add_symbol(in, *file, &s, name, size);
}

/* "u64 count; {u64 event, id}[count]": ids of events opened while it recorded. */
static int read_event_ids(struct input *in, struct cursor *c)
{
	for (uint64_t n = cursor_u64(c); n > 0 && !c->bad; n--) {
		uint64_t event = cursor_u64(c), id = cursor_u64(c);

		if (!c->bad && event < in->rec.events.count &&
		    !hash_map_set(&in->finder.by_id, id, (uint32_t)event))
			return -ENOMEM;
	}
	return 0;
}

/* "u32 pid, tid; u64 kind, time, count; u64 ips[count], sps[count]" */
static int read_chain(struct input *in, struct cursor *c)
{
	enum { JOINED_OFFLINE = 2 };
	struct simpleperf *sp = in->simpleperf;
	uint64_t kind, time, count, *chain;
	uint32_t tid;
	int err;

	cursor_u32(c); /* pid */
	tid = cursor_u32(c);
	kind = cursor_u64(c);
	time = cursor_u64(c);
	count = cursor_u64(c);
	if (c->bad || count == 0 || count > cursor_left(c) / 16)
		return 0;
	chain = malloc(8 * (size_t)count);
	if (!chain)
		return -ENOMEM;
	for (uint64_t i = 0; i < count; i++)
		chain[i] = cursor_u64(c);
	err = input_keep_deferred(
		in, kind >= JOINED_OFFLINE ? &sp->joined : &sp->unwound,
		&(struct deferred_chain){ tid, time, (const uint8_t *)chain, count });
	free(chain);
	return err;
}

/* A record of more than 64 KiB, as pieces of less. Its own head comes first. */
static int read_piece(struct input *in, struct cursor *c)
{
	struct text *pieces = &in->simpleperf->pieces;
	size_t left = cursor_left(c);

	if (left > SPLIT_MOST - pieces->size) {
		in->rec.unknown++;
		return 0;
	}
	text_add(pieces, (const char *)c->p, left);
	return pieces->failed ? -ENOMEM : 0;
}

static int read_body(struct input *in, uint32_t type, struct cursor *c);

/* "u32 type; u16 high, low", the halves of the size. */
static int end_pieces(struct input *in, struct cursor *c)
{
	struct text *pieces = &in->simpleperf->pieces;
	struct cursor whole = in_cursor(in, pieces->bytes, pieces->size);
	uint32_t type = cursor_u32(&whole), size;
	int err = 0;

	(void)c;
	size = (uint32_t)cursor_u16(&whole) << 16;
	size |= cursor_u16(&whole);
	if (whole.bad || size != pieces->size || type == SPLIT || type == SPLIT_END)
		in->rec.unknown++;
	else
		err = read_body(in, type, &whole);
	text_release(pieces);
	return err;
}

/* "u32 size; the same as perf's" */
static int read_tracing_record(struct input *in, struct cursor *c)
{
	uint32_t size = cursor_u32(c);
	const void *data = cursor_bytes(c, size);

	return data ? tracing_read(in, in_cursor(in, data, size)) : 0;
}

/* A record by its type, without its head: whole as it came, or put together from
 * pieces. */
static int read_body(struct input *in, uint32_t type, struct cursor *c)
{
	static int (*const readers[])(struct input * in, struct cursor * c) = {
		[KERNEL_SYMBOL - RECORD_SIMPLEPERF] = read_kernel_symbols,
		[DSO - RECORD_SIMPLEPERF] = read_dso,
		[SYMBOL - RECORD_SIMPLEPERF] = read_symbol,
		[SPLIT - RECORD_SIMPLEPERF] = read_piece,
		[SPLIT_END - RECORD_SIMPLEPERF] = end_pieces,
		[EVENT_ID - RECORD_SIMPLEPERF] = read_event_ids,
		[CALLCHAIN - RECORD_SIMPLEPERF] = read_chain,
		[SIMPLEPERF_TRACING_DATA - RECORD_SIMPLEPERF] = read_tracing_record,
	};
	size_t i = type - RECORD_SIMPLEPERF;
	int err;

	if (i >= sizeof(readers) / sizeof(*readers) || !readers[i])
		return 0;
	err = readers[i](in, c);
	in->rec.unknown += err == 0 && c->bad;
	return err;
}

int simpleperf_record(struct input *in, const struct raw_record *raw)
{
	struct cursor c = in_cursor(in, raw->bytes + RECORD_HEAD,
				    raw->head.size - (size_t)RECORD_HEAD);

	return get(in) ? read_body(in, raw->head.type, &c) : -ENOMEM;
}

static uint64_t offset_key(uint32_t path, uint64_t offset)
{
	return hash_u64(path) ^ offset;
}

/* Where paths are mapped, and when programs began. */
int simpleperf_note(struct input *in, const struct record *rec)
{
	struct simpleperf *sp = get(in);
	const uint32_t *known;
	uint64_t *offset, *time;

	if (!sp)
		return -ENOMEM;
	if (rec->type == PERF_RECORD_COMM && rec->exec) {
		time = array_add(&sp->times);
		if (!time || !hash_map_set(&sp->last_exec, rec->pid,
					   (uint32_t)sp->times.count - 1))
			return -ENOMEM;
		*time = rec->time;
		return 0;
	}
	if (rec->type != PERF_RECORD_MMAP || !rec->executable || rec->mode != MODE_USER)
		return 0;
	if (!hash_map_set(&sp->mapped, offset_key(rec->name, rec->offset), 0))
		return -ENOMEM;
	known = hash_map_get(&sp->lowest, rec->name);
	offset = known ? &sp->offsets.v[*known] : array_add(&sp->offsets);
	if (!known && (!offset || !hash_map_set(&sp->lowest, rec->name,
						(uint32_t)sp->offsets.count - 1)))
		return -ENOMEM;
	if (!known || rec->offset < *offset)
		*offset = rec->offset;
	return 0;
}

/*
 * Old tables only have the lowest address that runs, which simpleperf took for where the
 * map begins. Offsets in files and addresses mostly are the same; where no map has it as
 * its offset, the first one begins with it.
 */
void simpleperf_settle(struct input *in)
{
	const struct simpleperf *sp = in->simpleperf;

	for (size_t i = 0; i < in->rec.files.count && sp; i++) {
		struct recorded_file *f = &in->rec.files.v[i];
		const uint32_t *lowest;

		if (f->has_offset || f->kind != RECORDED_ELF)
			continue;
		lowest = hash_map_get(&sp->lowest, f->path);
		if (!lowest || hash_map_get(&sp->mapped, offset_key(f->path, f->address)))
			f->offset = f->address;
		else
			f->offset = sp->offsets.v[*lowest];
	}
}

int simpleperf_next_map(struct input *in, struct record *ret)
{
	const struct recorded_symbol *symbols = in->rec.symbols.v;
	struct simpleperf *sp = in->simpleperf;

	while (sp && sp->mapped_symbols < in->rec.symbols.count) {
		const struct recorded_symbol *s = &symbols[sp->mapped_symbols];
		uint32_t index = s->file;
		const struct recorded_file *file = &in->rec.files.v[index];
		const char *path = intern_text(in->strings, file->path);
		uint64_t last, behind = s->start & -(uint64_t)PAGE;
		unsigned long number = 0;
		const uint32_t *exec;
		uint32_t pid;
		char *end;

		/* "perf-1234.map" */
		if (file->kind == RECORDED_PERF_MAP && strncmp(path, "perf-", 5) == 0)
			number = strtoul(path + 5, &end, 10);
		if (!number || number > INT32_MAX || strcmp(end, ".map") != 0) {
			sp->mapped_symbols++;
			continue;
		}
		pid = (uint32_t)number;
		*ret = (struct record){ .type = PERF_RECORD_MMAP,
					.mode = MODE_USER,
					.executable = true,
					.pid = pid,
					.tid = pid,
					.start = behind };
		/* The pages of symbols that stand side by side. */
		for (; sp->mapped_symbols < in->rec.symbols.count; sp->mapped_symbols++) {
			s = &symbols[sp->mapped_symbols];
			if (s->file != index || s->start < ret->start ||
			    s->start > behind + PAGE ||
			    __builtin_add_overflow(s->start, s->size + PAGE - 1, &last))
				break;
			last &= -(uint64_t)PAGE;
			behind = last > behind ? last : behind;
		}
		ret->size = behind - ret->start;
		/* One that makes no sense is passed over. */
		sp->mapped_symbols += ret->size == 0;
		exec = hash_map_get(&sp->last_exec, pid);
		ret->time = exec ? sp->times.v[*exec] : 0;
		ret->position = exec ? UINT64_MAX : 0;
		if (ret->size)
			return intern_add(in->strings, "//anon", 6, &ret->name) < 0
				       ? -ENOMEM
				       : 1;
	}
	return 0;
}

const uint8_t *simpleperf_chain(const struct input *in, uint32_t tid, uint64_t time,
				uint32_t *count)
{
	const struct simpleperf *sp = in->simpleperf;
	const uint8_t *chain = NULL;

	if (sp && sp->joined)
		chain = deferred_find(sp->joined, tid, time, count);
	if (!chain && sp && sp->unwound)
		chain = deferred_find(sp->unwound, tid, time, count);
	return chain;
}

const char *jit_file_name(const char *path)
{
	static const char *const names[][2] = {
		{ "_jit_app_cache:", "JIT app cache" },
		{ "_jit_zygote_cache:", "JIT zygote cache" },
	};
	static const char temporary[] = "TemporaryFile-";
	const char *slash = strrchr(path, '/');

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strstr(path, names[i][0]))
			return names[i][1];
	if (strncmp(slash ? slash + 1 : path, temporary, sizeof(temporary) - 1) == 0)
		return "JIT cache";
	return NULL;
}
