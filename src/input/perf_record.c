/*
 * Records that are no samples: a table has a function for each type that tells
 * something about processes, code or losses. They end with a trailer of pid, time and
 * id where the event asks for it (sample_id_all), which is taken off first: a name goes
 * up to it. Layouts are those of include/uapi/linux/perf_event.h and, from type 64 on,
 * of tools/lib/perf/include/perf/event.h.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "input/deferred.h"
#include "input/perf.h"
#include "live/live.h"

enum {
	/* Bytes of paths that a process may be the first to map. */
	PATHS_MOST = 8 << 20,
};

/* A record while it is decoded: its fields, and how many bytes its trailer takes. */
struct body {
	struct input *in;
	struct perf_event_header head;
	struct cursor c;
	size_t trailer;
	bool has_tid; /* at the trailer's start */
	uint32_t cpu; /* whose ring it lay in; UINT32_MAX: not known */
};

int input_add_name(struct input *in, const char *text, size_t size, uint32_t *ret)
{
	int found = intern_add_within(in->strings, in->budget, text, size, ret);

	if (found > 0)
		budget_refuse(in->budget, "names of processes and files", in->path);
	return found < 0 ? found : 0;
}

/* A name goes from here to the trailer; a NUL within may end it earlier. */
static int read_name(struct body *b, uint32_t *ret)
{
	size_t left = cursor_left(&b->c), size;
	const char *text;

	if (left < b->trailer) {
		b->c.bad = true;
		return 0;
	}
	text = cursor_text(&b->c, left - b->trailer, &size);
	return input_add_name(b->in, text, size, ret);
}

/*
 * A path is kept as long as the recording is read. A process that maps new ones of 4 KB
 * as fast as it can would fill the memory of whoever records it: behind some megabytes
 * its maps have no path.
 */
static int read_path(struct body *b, uint32_t pid, uint32_t *ret)
{
	static const char limit[] = "[path limit]";
	struct input *in = b->in;
	size_t before = in->strings->texts.count;
	uint32_t *known = hash_map_get(&in->path_bytes, pid), sum;
	int err;

	if (known && *known > PATHS_MOST)
		return intern_add(in->strings, limit, sizeof(limit) - 1, ret);
	sum = known ? *known : 0;
	err = read_name(b, ret);
	if (err < 0 || in->strings->texts.count == before)
		return err;
	sum += (uint32_t)strlen(intern_text(in->strings, *ret)) + 1;
	return hash_map_set(&in->path_bytes, pid, sum) ? 0 : -ENOMEM;
}

/* The name of a map. That of the kernel says where a symbol of it lay; of its modules
 * one build id may be that of several, which then tells nobody which file it is. */
static int read_map_name(struct body *b, struct record *ret)
{
	enum { MODULES_MOST = 4096 };
	static const char kernel[] = "[kernel.kallsyms]";
	struct input *in = b->in;
	int err = read_path(b, ret->pid, &ret->name);
	const uint32_t *first;
	uint64_t key;

	if (err < 0 || ret->mode != MODE_KERNEL)
		return err;
	if (strncmp(intern_text(in->strings, ret->name), kernel, sizeof(kernel) - 1) ==
	    0) {
		in->rec.kernel_located |= ret->offset != 0;
		return 0;
	}
	if (!ret->build_id_size)
		return 0;
	key = hash_bytes(ret->build_id, BUILD_ID_MAX);
	first = hash_map_get(&in->modules, key);
	in->rec.modules_share_ids |=
		first ? *first != ret->name : in->modules.count >= MODULES_MOST;
	if (first || in->rec.modules_share_ids)
		return 0;
	return hash_map_set(&in->modules, key, ret->name) ? 0 : -ENOMEM;
}

/* "u32 pid, tid; u64 address, size, offset; char path[]". Its misc tells maps of data. */
static int decode_mmap(struct body *b, struct record *ret)
{
	ret->type = PERF_RECORD_MMAP;
	ret->executable = !(b->head.misc & PERF_RECORD_MISC_MMAP_DATA);
	ret->pid = cursor_u32(&b->c);
	ret->tid = cursor_u32(&b->c);
	ret->start = cursor_u64(&b->c);
	ret->size = cursor_u64(&b->c);
	ret->offset = cursor_u64(&b->c);
	return read_map_name(b, ret);
}

/*
 * "u8 size; u8, u16 reserved; u8 build_id[20]", or, although the bit says so, an inode:
 * the kernel (5.12 to 6.18 at least, perf_event_mmap_output()) forgets to take the bit
 * back before it writes the same map for an event that did not ask for build ids. Then
 * "size" is the low byte of a device's number, and few of the bits above are set: those
 * of a minor number, and the high halves of inode and generation. Where events asked,
 * short ones are believed.
 */
static bool is_build_id(const uint8_t *p, const struct record *inode, bool asked)
{
	uint8_t size = p[0];

	if (size == 0 || size > BUILD_ID_MAX || p[1] || p[2] || p[3])
		return false;
	if (asked || size == BUILD_ID_MAX || inode->min >> 20 || inode->ino >> 32 ||
	    inode->generation >> 32)
		return true;
	/* A short one is padded with zeros. */
	return size <= 12 && inode->generation == 0 && inode->min >= 256;
}

/* "u32 maj, min; u64 ino, generation", or a build id in their place. */
static void decode_identity(struct body *b, struct record *ret)
{
	const uint8_t *p = b->c.p;
	struct record inode = { .maj = cursor_u32(&b->c) };

	inode.min = cursor_u32(&b->c);
	inode.ino = cursor_u64(&b->c);
	inode.generation = cursor_u64(&b->c);
	if (b->c.bad)
		return;
	if (b->head.misc & PERF_RECORD_MISC_MMAP_BUILD_ID &&
	    is_build_id(p, &inode, b->in->asks_build_ids)) {
		ret->build_id_size = p[0];
		memcpy(ret->build_id, p + 4, BUILD_ID_MAX);
		return;
	}
	ret->maj = inode.maj;
	ret->min = inode.min;
	ret->ino = inode.ino;
	ret->generation = inode.generation;
}

/* As MMAP, and before the path "identity; u32 protection, flags". */
static int decode_mmap2(struct body *b, struct record *ret)
{
	const uint8_t *field;
	size_t size, name;
	int err;

	ret->type = PERF_RECORD_MMAP;
	ret->pid = cursor_u32(&b->c);
	ret->tid = cursor_u32(&b->c);
	ret->start = cursor_u64(&b->c);
	ret->size = cursor_u64(&b->c);
	ret->offset = cursor_u64(&b->c);
	decode_identity(b, ret);
	ret->executable = cursor_u32(&b->c) & PROT_EXEC;
	cursor_u32(&b->c); /* flags */
	field = b->c.p;
	err = read_map_name(b, ret);
	if (err < 0 || b->c.bad || ret->generation != LIVE_LINE_GENERATION ||
	    !ret->executable)
		return err;
	/* What flamefold records of a line of perf-PID.map has the line's name behind
	 * that of the map. */
	size = (size_t)(b->c.p - field);
	name = strnlen((const char *)field, size);
	if (name + 1 >= size || !field[name + 1])
		return 0;
	b->c.p = field + name + 1;
	return read_path(b, ret->pid, &ret->code);
}

enum { FIRST_THREAD = 1, OTHER_THREAD = 2, THREADS_A_WORD = 32, TID_END = 1 << 22 };

/* Numbers are below PID_MAX_LIMIT, so 1 MiB has all of them. */
static int note_recorded_thread(struct input *in, const struct record *r)
{
	size_t word = r->tid / THREADS_A_WORD;
	uint64_t bit = r->pid == r->tid ? FIRST_THREAD : OTHER_THREAD;

	if (!in->has_packed || r->tid >= TID_END)
		return 0;
	while (in->known_threads.count <= word) {
		uint64_t *slot = array_add(&in->known_threads);

		if (!slot)
			return -ENOMEM;
		*slot = 0;
	}
	in->known_threads.v[word] |= bit << r->tid % THREADS_A_WORD * 2;
	return 0;
}

bool input_is_thread(const struct input *in, uint32_t id)
{
	size_t word = id / THREADS_A_WORD;

	return word < in->known_threads.count &&
	       (in->known_threads.v[word] >> id % THREADS_A_WORD * 2 & 3) == OTHER_THREAD;
}

static int decode_comm(struct body *b, struct record *ret)
{
	ret->exec = b->head.misc & PERF_RECORD_MISC_COMM_EXEC;
	ret->pid = cursor_u32(&b->c);
	ret->tid = cursor_u32(&b->c);
	if (note_recorded_thread(b->in, ret) < 0)
		return -ENOMEM;
	return read_name(b, &ret->name);
}

/* EXIT has the same fields. Its own time counts where there is no trailer. */
static int decode_fork(struct body *b, struct record *ret)
{
	uint64_t time;

	ret->no_clone = b->head.misc & PERF_RECORD_MISC_FORK_EXEC;
	ret->pid = cursor_u32(&b->c);
	ret->ppid = cursor_u32(&b->c);
	ret->tid = cursor_u32(&b->c);
	ret->ptid = cursor_u32(&b->c);
	time = cursor_u64(&b->c);
	if (!b->trailer && b->in->any_timed)
		ret->time = time;
	return note_recorded_thread(b->in, ret);
}

/* "u64 address; u32 size; u16 kind, flags; char name[]": code that the kernel has
 * made. */
static int decode_ksymbol(struct body *b, struct record *ret)
{
	ret->start = cursor_u64(&b->c);
	ret->size = cursor_u32(&b->c);
	cursor_u16(&b->c); /* BPF, or code out of line */
	ret->gone = cursor_u16(&b->c) & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER;
	return read_name(b, &ret->name);
}

/* "u64 count; u64 dev, ino of each". A kernel may know more kinds of them. */
static int decode_namespaces(struct body *b, struct record *ret)
{
	uint64_t count;

	ret->pid = cursor_u32(&b->c);
	ret->tid = cursor_u32(&b->c);
	count = cursor_u64(&b->c);
	for (uint64_t i = 0; i < count && i < NAMESPACE_KINDS; i++) {
		ret->namespaces[i].dev = (uint32_t)cursor_u64(&b->c);
		ret->namespaces[i].ino = (uint32_t)cursor_u64(&b->c);
	}
	return 0;
}

static int decode_cgroup(struct body *b, struct record *ret)
{
	ret->id = cursor_u64(&b->c);
	return read_name(b, &ret->name);
}

/* "u16 what, flags; u32 id; u8 tag[8]". Its code has its names by KSYMBOL records: nobody asks for the
 * tag, and there may be as many tags as records. */
static int decode_bpf(struct body *b, struct record *ret)
{
	enum { TAG = 8 };

	ret->gone = cursor_u16(&b->c) == PERF_BPF_EVENT_PROG_UNLOAD;
	cursor_u16(&b->c); /* flags */
	ret->id = cursor_u32(&b->c);
	cursor_bytes(&b->c, TAG);
	return 0;
}

static int count_lost(struct body *b, struct record *ret)
{
	struct recording *rec = &b->in->rec;
	uint64_t from = input_ring_time(b->in, b->cpu);
	size_t i = rec->losses.count;

	cursor_u64(&b->c); /* event */
	rec->lost += cursor_u64(&b->c);
	if (i == LOSSES_MOST) {
		if (ret->time > rec->losses_end)
			rec->losses_end = ret->time;
		return 0;
	}
	if (!array_add(&rec->losses))
		return -ENOMEM;
	/* They come nearly in order. */
	for (; i > 0 && rec->losses.v[i - 1].to > ret->time; i--)
		rec->losses.v[i] = rec->losses.v[i - 1];
	/* Where the ring is not known, just before it is all that is. */
	if (from == 0 || from >= ret->time)
		from = ret->time ? ret->time - 1 : 0;
	if (i + 1 < rec->losses.count && rec->losses.v[i + 1].from < from)
		from = rec->losses.v[i + 1].from;
	rec->losses.v[i] = (struct loss){ from, ret->time };
	for (; i > 0 && rec->losses.v[i - 1].from > from; i--)
		rec->losses.v[i - 1].from = from;
	input_see_ring(b->in, b->cpu, ret->time);
	return 0;
}

static int count_lost_samples(struct body *b, struct record *ret)
{
	(void)ret;
	/* What a BPF filter dropped was not lost. */
	if (!(b->head.misc & PERF_RECORD_MISC_LOST_SAMPLES_BPF))
		b->in->rec.lost_samples += cursor_u64(&b->c);
	return 0;
}

static int count_throttle(struct body *b, struct record *ret)
{
	(void)ret;
	b->in->rec.throttled++;
	return 0;
}

/* "u64 offset, size, flags": trace data that was lost or cut, of which nothing else
 * tells. */
static int count_aux(struct body *b, struct record *ret)
{
	const uint64_t not_whole =
		PERF_AUX_FLAG_TRUNCATED | PERF_AUX_FLAG_PARTIAL | PERF_AUX_FLAG_COLLISION;

	(void)ret;
	cursor_u64(&b->c); /* offset */
	cursor_u64(&b->c); /* size */
	b->in->rec.aux_lost += (cursor_u64(&b->c) & not_whole) != 0;
	return 0;
}

/* "u64 count; { u64 tid; char comm[16]; } threads[count]" */
static int keep_threads(struct body *b, struct record *ret)
{
	enum { COMM = 16 };
	uint64_t count = cursor_u64(&b->c);

	(void)ret;
	if (b->head.misc & RECORD_MISC_RECORDER && count == 1)
		b->in->rec.recorder_pid = (uint32_t)cursor_u64(&b->c);
	if (!(b->head.misc & RECORD_MISC_ASKED_FOR))
		return 0;
	for (uint64_t i = 0; i < count; i++) {
		uint64_t tid = cursor_u64(&b->c);
		uint32_t *thread;

		cursor_bytes(&b->c, COMM);
		if (b->c.bad)
			return 0;
		thread = array_add(&b->in->rec.threads);
		if (!thread)
			return -ENOMEM;
		*thread = (uint32_t)tid;
	}
	return 0;
}

/* Both kinds tell of the thread that the trailer names: one record of a switch says who goes off the
 * processor, another who comes. */
static int decode_switch(struct body *b, struct record *ret)
{
	struct cursor trailer = b->c;

	ret->type =
		b->in->tells_switches && b->has_tid ? PERF_RECORD_SWITCH : RECORD_NONE;
	if (ret->type == RECORD_NONE)
		return 0;
	trailer.p = cursor_left(&b->c) < b->trailer ? b->c.end : b->c.end - b->trailer;
	ret->pid = cursor_u32(&trailer);
	ret->tid = cursor_u32(&trailer);
	ret->leaves = b->head.misc & PERF_RECORD_MISC_SWITCH_OUT;
	ret->preempted = b->head.misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
	input_see_ring(b->in, b->cpu, ret->time);
	b->c.bad |= trailer.bad;
	return 0;
}

/* "u64 shift, multiplier, zero, cycles, mask; u8 has_zero, is_short": older ones end
 * behind zero. */
static void keep_time_conversion(struct input *in, struct cursor c)
{
	struct time_conversion t = { .known = true };

	t.shift = cursor_u64(&c);
	t.multiplier = cursor_u64(&c);
	t.zero = cursor_u64(&c);
	if (c.bad || t.shift > 63 || t.multiplier == 0)
		return;
	if (cursor_left(&c) > 0) {
		t.cycles = cursor_u64(&c);
		t.mask = cursor_u64(&c);
		t.known = cursor_u8(&c);
		t.is_short = cursor_u8(&c);
	}
	if (!c.bad && t.known)
		in->rec.time_conversion = t;
}

int input_keep_deferred(struct input *in, struct deferred **d,
			const struct deferred_chain *chain)
{
	int err = deferred_add(d, in->budget, chain);

	if (err > 0)
		budget_refuse(in->budget, "deferred call chains", in->path);
	return err < 0 ? err : 0;
}

/* "u64 cookie, count; u64 chain[count]", of the thread that the trailer names. */
static int keep_deferred(struct body *b, struct record *ret)
{
	uint64_t cookie = cursor_u64(&b->c), count = cursor_u64(&b->c);
	struct cursor trailer = b->c, in_order;
	uint64_t *chain;
	uint32_t tid;
	int err;

	(void)ret;
	if (!b->has_tid || cursor_left(&b->c) < b->trailer ||
	    count > (cursor_left(&b->c) - b->trailer) / 8)
		return 0;
	trailer.p = trailer.end - b->trailer;
	cursor_u32(&trailer); /* pid */
	tid = cursor_u32(&trailer);
	chain = malloc(8 * (size_t)count + 8);
	if (!chain)
		return -ENOMEM;
	in_order = b->c;
	for (uint64_t i = 0; i < count; i++)
		chain[i] = cursor_u64(&in_order);
	err = input_keep_deferred(
		b->in, &b->in->deferred[0],
		&(struct deferred_chain){ tid, cookie, (const uint8_t *)chain, count });
	free(chain);
	return err;
}

static const struct {
	bool state; /* handed out */
	int (*decode)(struct body *b, struct record *ret);
} record_kinds[] = {
	[PERF_RECORD_MMAP] = { true, decode_mmap },
	[PERF_RECORD_LOST] = { false, count_lost },
	[PERF_RECORD_COMM] = { true, decode_comm },
	[PERF_RECORD_EXIT] = { true, decode_fork },
	[PERF_RECORD_THROTTLE] = { false, count_throttle },
	[PERF_RECORD_FORK] = { true, decode_fork },
	[PERF_RECORD_MMAP2] = { true, decode_mmap2 },
	[PERF_RECORD_AUX] = { false, count_aux },
	[PERF_RECORD_CALLCHAIN_DEFERRED] = { false, keep_deferred },
	[PERF_RECORD_LOST_SAMPLES] = { false, count_lost_samples },
	[PERF_RECORD_SWITCH] = { true, decode_switch },
	[PERF_RECORD_SWITCH_CPU_WIDE] = { true, decode_switch },
	[PERF_RECORD_NAMESPACES] = { true, decode_namespaces },
	[PERF_RECORD_KSYMBOL] = { true, decode_ksymbol },
	[PERF_RECORD_BPF_EVENT] = { true, decode_bpf },
	[PERF_RECORD_CGROUP] = { true, decode_cgroup },
	[PERF_RECORD_THREAD_MAP] = { false, keep_threads },
};

int record_decode(struct context *ctx, struct input *in, const struct raw_record *raw,
		  struct record *ret)
{
	struct body b = { .in = in, .head = raw->head };
	int event = event_of_other(in, raw->bytes, raw->head.size);
	uint64_t time = trailer_time(in, raw->bytes, raw->head.size);
	uint64_t position = (uint64_t)in->source << SOURCE_SHIFT | raw->position;
	int err;

	/*
	 * A record without a time of its own holds for what stands behind it: from just
	 * after the newest record before it. perf writes 0 into those it makes itself,
	 * which hold from the beginning, and so do those before the first attribute of
	 * a pipe. In a recording without any time the place is the time.
	 */
	if (in->rec.events.count == 0)
		time = 0;
	else if (!in->any_timed)
		time = position;
	else if (time == UINT64_MAX)
		time = in->newest ? in->newest + 1 : 0;
	else
		see_time(&in->newest, time);
	b.c = in_cursor(in, raw->bytes + RECORD_HEAD,
			raw->head.size - (size_t)RECORD_HEAD);
	if (b.head.type == PERF_RECORD_TIME_CONV)
		keep_time_conversion(in, b.c);
	if (b.head.type >= sizeof(record_kinds) / sizeof(*record_kinds) ||
	    !record_kinds[b.head.type].decode)
		return 0;
	b.trailer = event < 0 ? 0 : in->layouts.v[event].trailer;
	b.has_tid = event >= 0 && in->layouts.v[event].trailer_tid;
	b.cpu = trailer_cpu(in, raw->bytes, raw->head.size);
	*ret = (struct record){
		.type = (uint16_t)b.head.type,
		.mode = b.head.misc & PERF_RECORD_MISC_CPUMODE_MASK,
		.position = position,
		.time = time,
	};
	err = record_kinds[b.head.type].decode(&b, ret);
	if (err < 0)
		return fail_memory(ctx);
	if (b.c.bad) {
		in->rec.unknown++;
		return 0;
	}
	return record_kinds[b.head.type].state && ret->type != RECORD_NONE;
}

int note_damage(struct context *ctx, struct input *in, uint64_t at, const char *why)
{
	char sentence[256];
	int size = at == UINT64_MAX ? snprintf(sentence, sizeof(sentence), "%s", why)
				    : snprintf(sentence, sizeof(sentence),
					       "%s (offset " PRIoff ")", why, at);

	in->rec.truncated_at = at ? at : 1;
	if (in->rec.damage)
		return 0;
	warn(ctx, "'%s': %s", in->file.path, sentence);
	return intern_add(in->strings, sentence, (size_t)size, &in->rec.damage);
}

int input_note_change(struct context *ctx, struct input *in, uint64_t samples,
		      uint64_t at)
{
	char why[160];

	/* What the first pass has said of an end is of another one. */
	in->rec.damage = 0;
	snprintf(why, sizeof(why),
		 "it changed while it was read: of %" PRIu64 " samples %" PRIu64
		 " were found again",
		 in->rec.samples, samples);
	return note_damage(ctx, in, at, why) < 0 ? fail_memory(ctx) : 0;
}
