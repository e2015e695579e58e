/*
 * The text of perf script goes through two passes, as other recordings do, over blocks of lines: a headline
 * and its frames.
 *
 *	first pass	comm of a thread changes	-> a COMM record
 *			events, frames			-> strings, each once
 *			every 2 MiB			-> a chunk begins at a headline
 *			a block				-> a kept one: numbers, a seventh of the text
 *	second pass	a kept block			-> struct sample
 *
 * Parsing is what costs, so blocks are kept as long as the budget has room for them. Where it has none they
 * are forgotten, and the second pass parses the text again: frames are found among the strings then. In both
 * cases chunks are read by any number of threads, which add no strings. What has no time stands where
 * it is in the file. Lines that are neither are counted as damaged.
 */
#include "input/script.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "input/foreign.h"
#include "input/kept_blocks.h"
#include "input/lines.h"
#include "input/perf.h"
#include "input/printed.h"

enum {
	BLOCK_FRAMES_MOST = 1 << 16,
	NAME_MOST = 1 << 20, /* bytes of a function's name; what is longer is cut */
	/* Of a file's: twice a path's. All that was inlined before a frame is in its file. */
	MODULE_MOST = 1 << 13,
	LINES_ASKED = 200, /* of a beginning */
	SEEN = 1 << 14,
	ADDRESS_LEAST = 4, /* digits of one that begins a line, in copied text */
	WAITING_MOST = 1 << 24, /* bytes of names of inlined functions in a row */
};

static const char kind[] = "the output of perf script";
static const uint32_t nothing; /* the frames of a sample without any */

/* A headline and its frames, leaf first: string ids. */
struct block {
	struct printed_head head;
	uint64_t position; /* of the headline */
	ARRAY(char) line; /* which head refers to */
	ARRAY(uint32_t) frames;
	uint64_t odd; /* lines that are neither */
	bool tabbed; /* its frames stand behind tabs */
	bool unread; /* what stands behind its event is no frame */
};

/* Gives a text an id: the first pass makes them, the second one finds them. */
typedef int name_text(const struct input *in, const char *text, size_t size,
		      uint32_t *ret);

struct line_seen {
	uint64_t hash;
	uint32_t size; /* 0: none yet */
	uint32_t id;
};

struct block_reader {
	struct lines lines;
	struct input *in;
	name_text *name;
	/* A headline that ended the block before, and its line. */
	struct printed_head head;
	ARRAY(char) head_line;
	uint64_t head_position;
	bool has_head;
	/* By a hash of all behind the address: frames that were met lately, so that most lines are
	 * taken without a look at what they are made of. */
	struct line_seen *seen;
	ARRAY(char) text; /* of a frame */
	ARRAY(char) waiting; /* inlined functions, until the one they are in has come */
};

struct script {
	struct block_reader reader;
	struct block block;
	struct kept_blocks kept;
	struct hash_map comm_of_tid; /* string ids */
	struct hash_map event_of_name; /* string id -> index */
	bool timed; /* headlines have times */
	bool addresses; /* unnamed frames are told apart by them */
	struct record next; /* what the sample at hand tells, too */
	bool has_next;
	uint64_t odd, unread; /* lines; samples */
};

struct script_reader {
	const struct kept_blocks *kept; /* NULL: the text is parsed again */
	size_t at; /* of those, the next one */
	struct file file;
	struct block_reader reader;
	struct block block;
	uint64_t end; /* of the chunk */
};

static bool append_printed(struct block_reader *r, const char *bytes, size_t size,
			   size_t most)
{
	size = size < most ? size : most;
	if (!array_reserve(&r->text, size))
		return false;
	/* What is empty may be NULL. */
	if (size)
		memcpy(r->text.v + r->text.count, bytes, size);
	r->text.count += size;
	return true;
}

/* The frame's text (see printed.h) gets its id. */
static int add_frame(struct block_reader *r, struct block *b,
		     const struct printed_frame *f)
{
	bool told_apart = r->in->script->addresses && f->address.size &&
			  printed_is_unnamed(&f->name);
	uint32_t *slot, id = 0;
	bool added;
	int err;

	if (b->frames.count == BLOCK_FRAMES_MOST)
		return 0;
	r->text.count = 0;
	added = append_printed(r, f->name.text, f->name.size, NAME_MOST);
	if (f->module.size || f->inlined || told_apart)
		added &= append_printed(r, "\n", 1, 1) &&
			 append_printed(r, f->module.text, f->module.size, MODULE_MOST);
	if (f->inlined)
		added &= append_printed(r, "\ninlined", 8, 8);
	else if (told_apart)
		added &= append_printed(r, "\n@", 2, 2) &&
			 append_printed(r, f->address.text, f->address.size, NAME_MOST);
	err = added ? r->name(r->in, r->text.v ? r->text.v : "", r->text.count, &id)
		    : -ENOMEM;
	slot = err < 0 ? NULL : array_add(&b->frames);
	if (!slot)
		return -ENOMEM;
	*slot = id;
	return 0;
}

/* Those that wait are in the function at hand, or in nobody's. */
static int take_inlined(struct block_reader *r, struct block *b,
			const struct printed_part *module)
{
	const char *at = r->waiting.v, *end;
	int err = 0;

	if (!r->waiting.count)
		return 0;
	end = at + r->waiting.count;
	while (err == 0 && at < end) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		struct printed_frame f = { .name = { at, (size_t)(stop - at) },
					   .module = *module,
					   .inlined = true };

		err = add_frame(r, b, &f);
		at = stop + 1;
	}
	r->waiting.count = 0;
	return err;
}

/* What stands behind the address of a frame, "\t ffffffff8225fe6b"; NULL: it has none. Eight digits are
 * looked at at once: the highest bit of a byte of @hex says that it is one. */
static const char *behind_address(const char *line, size_t size)
{
	const uint64_t ones = 0x0101010101010101, tops = ones << 7;
	const char *at = line + 1, *end = line + size, *digits;
	uint64_t w, hex = tops;

	while (at < end && *at == ' ')
		at++;
	digits = at;
	while (hex == tops && end - at >= (ptrdiff_t)sizeof(w)) {
		memcpy(&w, at, sizeof(w));
		hex = (((w + ones * (0x80 - '0')) & ~(w + ones * (0x7f - '9'))) |
		       ((w + ones * (0x80 - 'a')) & ~(w + ones * (0x7f - 'f')))) &
		      tops & ~w;
		at += hex == tops ? (int)sizeof(w) : __builtin_ctzll(hex ^ tops) >> 3;
	}
	/* Less than that is left of a line, which its blank ends before. */
	while (hex == tops && at < end && *at != ' ')
		at = isxdigit((unsigned char)*at) && !isupper((unsigned char)*at) ? at + 1
										  : end;
	return at > digits && at < end && *at == ' ' ? at : NULL;
}

/* Takes a frame that was met lately. False where it was not; *@slot is for it then, NULL: it has no
 * address. A hash of 64 bits stands for the text, which only who makes collisions on purpose would see,
 * in names of his own. */
static bool take_seen(struct block_reader *r, struct block *b, const char *line,
		      size_t size, struct line_seen **slot)
{
	const char *rest = behind_address(line, size);
	size_t left = rest ? (size_t)(line + size - rest) : 0;
	uint64_t hash;

	*slot = NULL;
	if (!rest || r->waiting.count || left > UINT32_MAX ||
	    b->frames.count == BLOCK_FRAMES_MOST || !array_reserve(&b->frames, 1))
		return false;
	hash = hash_bytes(rest, left);
	*slot = &r->seen[hash % SEEN];
	if ((*slot)->hash == hash && (*slot)->size == left) {
		b->frames.v[b->frames.count++] = (*slot)->id;
		return true;
	}
	**slot = (struct line_seen){ .hash = hash };
	return false;
}

static int take_frame(struct block_reader *r, struct block *b,
		      const struct printed_frame *f)
{
	int err;

	if (!f->inlined) {
		err = take_inlined(r, b, &f->module);
		return err < 0 ? err : add_frame(r, b, f);
	}
	if (r->waiting.count + f->name.size > WAITING_MOST)
		return 0;
	if (!array_reserve(&r->waiting, f->name.size + 1))
		return -ENOMEM;
	memcpy(r->waiting.v + r->waiting.count, f->name.text, f->name.size);
	r->waiting.count += f->name.size;
	r->waiting.v[r->waiting.count++] = '\n';
	return 0;
}

static void move_part(struct printed_part *part, const char *from, const char *to)
{
	if (part->size)
		part->text = to + (part->text - from);
}

/* What was parsed refers to the line, which is gone with the next one. */
static bool keep_head(struct block_reader *r, const struct printed_head *head,
		      const char *line, size_t size, uint64_t position)
{
	r->head_line.count = 0;
	if (!array_reserve(&r->head_line, size + 1))
		return false;
	memcpy(r->head_line.v, line, size);
	r->head_line.count = size;
	r->head = *head;
	move_part(&r->head.comm, line, r->head_line.v);
	move_part(&r->head.event, line, r->head_line.v);
	move_part(&r->head.rest, line, r->head_line.v);
	r->head_position = position;
	r->has_head = true;
	return true;
}

enum line_kind { LINE_FRAME, LINE_HEAD, LINE_BESIDE, LINE_ODD };

/* Samples of one line are indented by spaces, and a comm such as "dd" looks like an address. */
static enum line_kind judge_line(const struct script *script, const char *line,
				 size_t size, struct printed_head *head,
				 struct printed_frame *frame)
{
	static const char other[] = "PERF_RECORD_";
	bool indented = *line == ' ' || *line == '\t';

	if (*line == '#' || (*line == '|' && size > 1 && isdigit((unsigned char)line[1])))
		return LINE_BESIDE;
	/* No string has a NUL in it. */
	if (memchr(line, 0, size))
		return LINE_ODD;
	if (*line != '\t' && printed_head_parse(line, size, script->timed, head)) {
		/* Of perf script --show-task-events and the like. */
		const struct printed_part *p =
			head->event.size ? &head->event : &head->rest;

		return p->size > sizeof(other) &&
				       memcmp(p->text, other, sizeof(other) - 1) == 0
			       ? LINE_BESIDE
			       : LINE_HEAD;
	}
	if (!printed_frame_parse(line, size, frame))
		return LINE_ODD;
	/* "  file.c:12" below a frame, as -F +srcline prints it; " 0x12/0x34/P/-/-/0", " ABI:2 AX:0x1"
	 * and " insn: 48 89" below all of them, of other fields. */
	if (!frame->address.size)
		return *line == ' ' ? LINE_BESIDE : LINE_ODD;
	if (!indented && (frame->address.size < ADDRESS_LEAST ||
			  (!frame->module.size && !frame->inlined)))
		return LINE_ODD;
	return LINE_FRAME;
}

/* A sample without a chain has its one frame behind the event. */
static int take_own_frame(struct block_reader *r, struct block *b)
{
	const struct printed_part *rest = &b->head.rest;
	struct printed_frame frame;

	if (b->frames.count || !rest->size || printed_is_tracepoint(&b->head.event))
		return 0;
	b->unread = !printed_own_frame_parse(rest->text, rest->size, &frame);
	return b->unread ? 0 : take_frame(r, b, &frame);
}

/*
 * The next block. 1, 0 at the end, or a negative errno with a sentence. One that begins at @end or
 * behind it is not taken.
 */
static int next_block(struct context *ctx, struct block_reader *r, uint64_t end,
		      struct block *b)
{
	const struct script *script = r->in->script;
	bool begun = false;
	int found = 1;

	b->frames.count = 0;
	b->odd = 0;
	b->tabbed = b->unread = false;
	r->waiting.count = 0;
	while (found > 0) {
		uint64_t position = lines_position(&r->lines);
		struct printed_frame frame;
		struct printed_head head;
		struct line_seen *slot;
		enum line_kind is;
		const char *line;
		size_t size;

		if (!begun && r->has_head) {
			__typeof__(b->line) line_before = b->line;

			/* The block before is done with its line, whose room is the next one's. */
			memcpy(&b->line, &r->head_line, sizeof(b->line));
			memcpy(&r->head_line, &line_before, sizeof(r->head_line));
			b->head = r->head;
			b->position = r->head_position;
			r->has_head = false;
			if (b->position >= end)
				return 0;
			begun = true;
		}
		if (!begun && position >= end)
			return 0;
		found = lines_next(ctx, &r->lines, kind, &line, &size);
		if (found < 0)
			return found;
		if (found == 0 || (size == 0 && begun))
			break;
		if (size == 0)
			continue;
		slot = NULL;
		b->tabbed |= begun && *line == '\t';
		if (begun && *line == '\t' && take_seen(r, b, line, size, &slot))
			continue;
		is = judge_line(script, line, size, &head, &frame);
		/* "               0", as -F +phys_addr prints it below all frames. */
		if (is == LINE_FRAME && *line == ' ' && b->tabbed)
			is = LINE_BESIDE;
		if (is == LINE_HEAD && !keep_head(r, &head, line, size, position))
			return fail_memory(ctx);
		if (is == LINE_HEAD && begun)
			break;
		if (is == LINE_FRAME && begun && take_frame(r, b, &frame) < 0)
			return fail_memory(ctx);
		if (is == LINE_FRAME && slot && !frame.inlined && b->frames.count &&
		    !(script->addresses && printed_is_unnamed(&frame.name))) {
			slot->size = (uint32_t)(line + size - behind_address(line, size));
			slot->id = b->frames.v[b->frames.count - 1];
		}
		b->odd += is == LINE_ODD || (is == LINE_FRAME && !begun);
	}
	if (!begun)
		return 0;
	if (take_inlined(r, b, &(struct printed_part){ "", 0 }) < 0 ||
	    take_own_frame(r, b) < 0)
		return fail_memory(ctx);
	return 1;
}

static int reader_open(struct context *ctx, struct block_reader *r,
		       const struct file *file)
{
	r->seen = calloc(SEEN, sizeof(*r->seen));
	return r->seen ? lines_open(ctx, file, &r->lines) : fail_memory(ctx);
}

static void reader_release(struct block_reader *r, struct block *b)
{
	lines_close(&r->lines);
	free(r->seen);
	array_release(&r->head_line);
	array_release(&r->text);
	array_release(&r->waiting);
	array_release(&b->line);
	array_release(&b->frames);
}

static bool is_frame(const char *text, size_t size, bool indented)
{
	struct printed_frame frame;

	return printed_frame_parse(text, size, &frame) && frame.address.size &&
	       ((frame.module.size && frame.address.size >= ADDRESS_LEAST) || indented);
}

bool script_begins(const char *text, size_t size, bool *timed)
{
	static const char record[] = "PERF_RECORD_";
	const char *at = text, *end = text + size;
	bool after_head = false, certain;

	/* Other headlines take a frame, behind them or on the same line. */
	for (int i = 0; i < LINES_ASKED && at < end; i++) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		size_t length = (size_t)((stop ? stop : end) - at);
		struct printed_head head;

		if (length && at[length - 1] == '\r')
			length--;
		if (length && *at != '#' && !foreign_is_stack(at, length)) {
			if (after_head && is_frame(at, length, *at == '\t'))
				return true;
			after_head = *at != '\t' &&
				     (printed_head_parse(at, length, true, &head) ||
				      printed_head_parse(at, length, false, &head));
			*timed = after_head && head.has_time;
			/* Can it be nobody else's? Logs have times as well, and words with a
			 * colon behind them. */
			if (*timed && head.event.size)
				certain = head.has_tid ||
					  printed_is_tracepoint(&head.event);
			else
				certain = *timed && head.has_tid &&
					  head.rest.size >= sizeof(record) &&
					  memcmp(head.rest.text, record,
						 sizeof(record) - 1) == 0;
			if (certain ||
			    (*timed && is_frame(head.rest.text, head.rest.size, false)))
				return true;
		}
		at = stop ? stop + 1 : end;
	}
	return false;
}

static int keep_printed(const struct input *in, const char *text, size_t size,
			uint32_t *ret)
{
	return input_add_name((struct input *)in, text, size, ret);
}

static int find_printed(const struct input *in, const char *text, size_t size,
			uint32_t *ret)
{
	static const char limit[] = "[memory limit]";

	/* It was there in the first pass, or there was no memory for it. */
	if (!intern_find(in->strings, text, size, ret) &&
	    !intern_find(in->strings, limit, sizeof(limit) - 1, ret))
		*ret = 0;
	return 0;
}

int script_open(struct context *ctx, struct input *in, bool timed)
{
	struct record_source *source = array_add(&in->sources);
	struct script *script = in->script = calloc(1, sizeof(*script));

	if (!source || !script)
		return fail_memory(ctx);
	*source = (struct record_source){ .file = in->file, .end = in->file.size };
	source->packed = in->file.unpacker != NULL;
	in->rec.form = "file";
	in->rec.is_text = true;
	script->reader.in = in;
	script->reader.name = keep_printed;
	script->timed = timed;
	return reader_open(ctx, &script->reader, &in->file);
}

void script_keep_addresses(struct input *in)
{
	in->script->addresses = true;
}

void script_close(struct input *in)
{
	struct script *script = in->script;

	if (!script)
		return;
	reader_release(&script->reader, &script->block);
	kept_blocks_forget(&script->kept);
	hash_map_release(&script->comm_of_tid);
	hash_map_release(&script->event_of_name);
	free(script);
	in->script = NULL;
}

/* What the event counts is known by its name, as far as that matters: clocks count ns. */
static int add_event(struct input *in, const struct printed_part *name, uint32_t id)
{
	struct event *event = array_add(&in->rec.events);
	struct sample_layout *layout = array_add(&in->layouts);

	if (!event || !layout ||
	    !hash_map_set(&in->script->event_of_name, id,
			  (uint32_t)in->rec.events.count - 1))
		return -ENOMEM;
	event->name = id;
	event->clock = CLOCK_OF_PERF;
	event->first_time = UINT64_MAX;
	event->type = PERF_TYPE_HARDWARE;
	if (printed_is_tracepoint(name)) {
		event->type = PERF_TYPE_TRACEPOINT;
	} else if (name->size >= 9 && memcmp(name->text, "cpu-clock", 9) == 0) {
		event->type = PERF_TYPE_SOFTWARE;
		event->config = PERF_COUNT_SW_CPU_CLOCK;
	} else if (name->size >= 10 && memcmp(name->text, "task-clock", 10) == 0) {
		event->type = PERF_TYPE_SOFTWARE;
		event->config = PERF_COUNT_SW_TASK_CLOCK;
	}
	return 0;
}

/* The name of the event; that of nothing is "samples". */
static struct printed_part event_name_of(const struct block *b)
{
	return b->head.event.size ? b->head.event : (struct printed_part){ "samples", 7 };
}

/* Threads are known by their number; what was not printed is that of no thread. */
static uint32_t tid_of(const struct printed_head *h)
{
	return h->has_tid ? h->tid : UINT32_MAX;
}

/* -F tid alone says nothing of the process. */
static uint32_t pid_of(const struct printed_head *h)
{
	return h->has_pid ? h->pid : tid_of(h);
}

static uint64_t time_of(const struct block *b)
{
	return b->head.has_time ? b->head.time : b->position;
}

/* What the second pass says of a block. */
static struct kept_block describe_block(const struct block *b, uint16_t event)
{
	const struct printed_head *h = &b->head;

	return (struct kept_block){
		.position = b->position,
		.time = time_of(b),
		.period = h->has_period && h->period ? h->period : 1,
		.count = (uint32_t)b->frames.count,
		.pid = pid_of(h),
		.tid = tid_of(h),
		.cpu = h->has_cpu ? h->cpu : UINT32_MAX,
		.event = event,
	};
}

static int count_sample(struct input *in, const struct block *b)
{
	struct printed_part name = event_name_of(b);
	const struct printed_head *h = &b->head;
	struct recording *rec = &in->rec;
	struct kept_block described;
	struct event *event;
	uint32_t id, *index;

	if (input_add_name(in, name.text, name.size, &id) < 0)
		return -ENOMEM;
	index = hash_map_get(&in->script->event_of_name, id);
	if (!index && rec->events.count < EVENTS_MOST) {
		if (add_event(in, &name, id) < 0)
			return -ENOMEM;
		index = hash_map_get(&in->script->event_of_name, id);
	}
	rec->records++;
	rec->by_type[PERF_RECORD_SAMPLE]++;
	rec->samples++;
	rec->pids_printed |= h->has_pid;
	if (!index) {
		/* The second pass counts it. */
		kept_blocks_forget(&in->script->kept);
		return 0;
	}
	described = describe_block(b, (uint16_t)*index);
	kept_blocks_add(&in->script->kept, in->budget, &described, b->frames.v);
	event = &rec->events.v[*index];
	event->samples++;
	event->sample_type |= PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD |
			      (h->has_tid ? PERF_SAMPLE_TID : 0) |
			      (h->has_cpu ? PERF_SAMPLE_CPU : 0) |
			      (h->has_time ? PERF_SAMPLE_TIME : 0) |
			      (b->frames.count > 1 ? PERF_SAMPLE_CALLCHAIN : 0);
	if (!h->has_time)
		return 0;
	if (h->time < event->first_time)
		event->first_time = h->time;
	if (h->time < rec->first_time || !in->timed)
		rec->first_time = h->time;
	if (h->time > rec->last_time || !in->timed)
		rec->last_time = h->time;
	in->timed = true;
	see_time(&in->newest, h->time);
	return 0;
}

/* Is the thread called otherwise than before? 1, 0, or -ENOMEM. */
static int note_comm(struct input *in, const struct block *b, uint32_t tid, uint32_t comm,
		     struct record *ret)
{
	uint32_t *known = hash_map_get(&in->script->comm_of_tid, tid);

	if (known && *known == comm)
		return 0;
	if (!hash_map_set(&in->script->comm_of_tid, tid, comm))
		return -ENOMEM;
	*ret = (struct record){ .type = PERF_RECORD_COMM,
				.time = time_of(b),
				.position = b->position,
				.pid = pid_of(&b->head),
				.tid = tid,
				.name = comm };
	return 1;
}

/* A process goes by the name of its first thread, and by that of another one as long as that has had no
 * sample. */
static int note_comms(struct input *in, const struct block *b, struct record *ret)
{
	const struct printed_part *comm = &b->head.comm;
	uint32_t tid = tid_of(&b->head), pid = pid_of(&b->head), id;
	struct script *script = in->script;
	int found;

	if (!comm->size)
		return 0;
	if (input_add_name(in, comm->text, comm->size, &id) < 0)
		return -ENOMEM;
	found = note_comm(in, b, tid, id, ret);
	if (found <= 0 || pid == tid || hash_map_get(&script->comm_of_tid, pid))
		return found;
	script->has_next = true;
	return note_comm(in, b, pid, id, &script->next);
}

int script_next_state(struct context *ctx, struct input *in, struct record *ret)
{
	struct script *script = in->script;
	struct chunk *last;
	uint64_t position;
	bool cut;
	int found;

	if (script->has_next) {
		*ret = script->next;
		script->has_next = false;
		return 1;
	}
	while (!in->ended) {
		found = next_block(ctx, &script->reader, UINT64_MAX, &script->block);
		if (found < 0)
			return found;
		script->odd += script->block.odd;
		script->unread += found > 0 && script->block.unread;
		in->ended = found == 0;
		if (in->ended && script->odd)
			warn(ctx,
			     "'%s': ignored %llu lines that are neither a sample's first "
			     "line nor one of its frames",
			     in->file.path, (unsigned long long)script->odd);
		if (in->ended && script->unread)
			warn(ctx,
			     "'%s': no frame can be read behind the event of %llu "
			     "samples",
			     in->file.path, (unsigned long long)script->unread);
		if (in->ended)
			return 0;
		in->done = script->block.position;
		position = script->block.position;
		last = in->chunks.count ? array_last(&in->chunks) : NULL;
		/* Chunks begin at headlines; what is packed cannot be entered in its middle. */
		cut = !last ||
		      (!in->sources.v[0].packed && position - last->start >= in->chunk);
		if (cut && last)
			last->end = position;
		if (cut && !(last = array_add(&in->chunks)))
			return fail_memory(ctx);
		if (cut)
			*last = (struct chunk){ 0, position, UINT64_MAX, in->newest, 0 };
		if (count_sample(in, &script->block) < 0)
			return fail_memory(ctx);
		found = note_comms(in, &script->block, ret);
		if (found < 0)
			return fail_memory(ctx);
		if (found > 0)
			return 1;
		if (cut) {
			*ret = (struct record){ .type = RECORD_NONE };
			return 1;
		}
	}
	return 0;
}

int script_reader_start(struct context *ctx, const struct input *in,
			struct script_reader **r, size_t chunk)
{
	const struct chunk *c = &in->chunks.v[chunk];
	int err = 0;

	if (!*r) {
		*r = calloc(1, sizeof(**r));
		if (!*r)
			return fail_memory(ctx);
		(*r)->reader.in = (struct input *)in;
		(*r)->reader.name = find_printed;
		(*r)->kept = in->script->kept.forgotten ? NULL : &in->script->kept;
	}
	if ((*r)->kept) {
		(*r)->at = kept_blocks_find((*r)->kept, c->start);
		(*r)->end = c->end;
		return 0;
	}
	if (!(*r)->file.path) {
		err = file_share(ctx, &in->sources.v[c->source].file, &(*r)->file);
		if (err == 0)
			err = reader_open(ctx, &(*r)->reader, &(*r)->file);
	}
	(*r)->end = c->end;
	(*r)->reader.has_head = false;
	if (err == 0)
		lines_seek(&(*r)->reader.lines, c->start);
	return err;
}

void script_reader_free(struct script_reader *r)
{
	if (!r)
		return;
	reader_release(&r->reader, &r->block);
	file_close(&r->file);
	free(r);
}

int script_reader_next(struct context *ctx, struct script_reader *r, struct sample *ret,
		       uint64_t *damaged)
{
	const struct input *in = r->reader.in;
	const uint32_t *event, *frames;
	struct printed_part name;
	struct kept_block b;
	uint32_t id;
	int found;

	if (r->kept) {
		if (r->at == r->kept->list.count ||
		    r->kept->list.v[r->at].position >= r->end)
			return 0;
		b = r->kept->list.v[r->at++];
		frames = r->kept->frames.v ? r->kept->frames.v + b.first : NULL;
	} else {
		while ((found = next_block(ctx, &r->reader, r->end, &r->block)) > 0) {
			name = event_name_of(&r->block);
			find_printed(in, name.text, name.size, &id);
			event = hash_map_get(&in->script->event_of_name, id);
			if (event)
				break;
			++*damaged;
		}
		if (found <= 0)
			return found;
		b = describe_block(&r->block, (uint16_t)*event);
		frames = r->block.frames.v;
	}
	*ret = (struct sample){
		.time = b.time,
		.position = b.position + 1,
		.period = b.period,
		.pid = b.pid,
		.tid = b.tid,
		.cpu = b.cpu,
		.event = b.event,
		.has_chain = true,
		.printed = frames ? frames : &nothing,
		.printed_count = b.count,
	};
	return 1;
}
