/*
 * The first bytes of an input say what it is: a table has magic numbers, XML may be a
 * picture of ours, and all else is text. The first pass is one loop for all forms of a
 * perf.data: a list of sources, each a stream of records with a start and an end.
 *
 *	file        one source, its data section
 *	directory   data, and one for each data.N
 *	pipe        one whose end is not known; samples are handed out on the way
 *
 * Samples are counted and cut into chunks, and not decoded further; all else is decoded
 * at once. A chunk remembers the newest time before it, so that samples without one get
 * the same whoever reads it. A source with compressed records cannot be entered in its
 * middle: it is one chunk.
 */
#include "input/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "input/deferred.h"
#include "input/foreign.h"
#include "input/listed.h"
#include "input/parallel_scan.h"
#include "input/perf.h"
#include "input/pprof.h"
#include "input/saved.h"
#include "input/script.h"
#include "input/simpleperf.h"
#include "input/speedscope.h"
#include "input/stream_item.h"

enum {
	CHUNK = 2 << 20, /* bytes of one chunk of the second pass */
	BEGINNING = 512, /* bytes that tell what an input is */
};

static const struct {
	char magic[9];
	const char *name; /* NULL: it cannot be read */
	const char *cannot;
} formats[] = {
	{ PERF_MAGIC, "perf.data v2", NULL },
	{ PERF_MAGIC_SWAPPED, "perf.data v2", NULL },
	{ PERF_MAGIC_1, "perf.data v1", NULL },
	{ PERF_MAGIC_1_SWAPPED, "perf.data v1", NULL },
	{ "\x7f"
	  "ELF",
	  NULL, "an ELF file, not a recording" },
	/* Once it has been unpacked by then. */
	{ "\x28\xb5\x2f\xfd", NULL, "packed twice: gunzip makes it readable" },
};

/* What others write that is no text. A name in folded text may begin like it. */
static const struct {
	const char *magic, *is;
} foreign_binaries[] = {
	{ "\x17\x08"
	  "Dtracing",
	  "a trace of trace-cmd, not a recording of perf" },
	{ "FLR",
	  "a recording of Java Flight Recorder: async-profiler's jfrconv makes folded "
	  "text of it" },
	{ "QPERFSTREAM", "an export of hotspot, not the recording that it was made of" },
};

/* perf script's or folded; what is no text is refused with the reason, if its first bytes tell
 * one. */
static int open_text(struct context *ctx, struct input *in, const uint8_t *p, size_t size,
		     enum input_kind *kind)
{
	if (!memchr(p, 0, size)) {
		char text[FOREIGN_BEGINNING];
		bool timed, is;
		int err = file_read(ctx, &in->file, (struct file_part){ 0, sizeof(text) },
				    text, &size);

		if (err < 0)
			return err;
		if (!foreign_recognise(text, size) && script_begins(text, size, &timed)) {
			*kind = INPUT_PERF;
			in->rec.format = "text of perf script";
			return script_open(ctx, in, timed);
		}
		is = speedscope_begins(text, size);
		if (is)
			err = speedscope_open(ctx, in, &is);
		if (err < 0)
			return err;
		if (is) {
			*kind = INPUT_PERF;
			return 0;
		}
		in->rec.format = "folded text";
		return folded_open(ctx, in);
	}
	/* A name may begin with these bytes, too. */
	if (size >= 2 && (memcmp(p, "\xff\xfe", 2) == 0 || memcmp(p, "\xfe\xff", 2) == 0))
		return fail(ctx, -EOPNOTSUPP,
			    "cannot read '%s': it is text in UTF-16: "
			    "iconv -f UTF-16 -t UTF-8 converts it",
			    in->file.path);
	for (size_t i = 0; i < sizeof(foreign_binaries) / sizeof(*foreign_binaries);
	     i++) {
		size_t length = strlen(foreign_binaries[i].magic);

		if (size > length && memcmp(p, foreign_binaries[i].magic, length) == 0)
			return fail(ctx, -EOPNOTSUPP, "cannot read '%s': it is %s",
				    in->file.path, foreign_binaries[i].is);
	}
	return fail(ctx, -EBADMSG, "'%s' is neither a perf.data nor folded text",
		    in->file.path);
}

/* A magic number decides; XML may be a picture of ours; all else is text, if it is
 * any. */
static int open_by_beginning(struct context *ctx, struct input *in, enum input_kind *kind)
{
	uint8_t p[BEGINNING];
	size_t size;
	size_t most = in->file.pipe ? FILE_BEGINNING : sizeof(p);
	int err = file_read(ctx, &in->file, (struct file_part){ 0, most }, p, &size);

	if (err < 0)
		return err;
	if (size == 0)
		return file_damage(&in->file)
			       ? fail(ctx, -EBADMSG, "'%s': %s", in->file.path,
				      file_damage(&in->file))
			       : fail(ctx, -ENODATA, "'%s' is empty", in->file.path);
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		size_t length = strlen(formats[i].magic);

		if (size < length || memcmp(p, formats[i].magic, length) != 0)
			continue;
		if (formats[i].cannot)
			return fail(ctx, -EOPNOTSUPP, "cannot read '%s': it is %s",
				    in->file.path, formats[i].cannot);
		*kind = INPUT_PERF;
		in->rec.format = formats[i].name;
		err = perf_file_open(ctx, in);
		in->rec.form = in->pipe ? "pipe" : "file";
		return err < 0 ? err : directory_find_kallsyms(ctx, in);
	}
	if (size >= strlen(INPUT_PROFILE_MAGIC) &&
	    memcmp(p, INPUT_PROFILE_MAGIC, strlen(INPUT_PROFILE_MAGIC)) == 0) {
		*kind = INPUT_PROFILE;
		in->rec.format = "profile";
		return 0;
	}
	if (saved_begins(p, size)) {
		*kind = INPUT_SAVED;
		return saved_open(ctx, in);
	}
	if (pprof_begins(p, size)) {
		*kind = INPUT_PERF;
		return pprof_open(ctx, in);
	}
	*kind = INPUT_FOLDED;
	return open_text(ctx, in, p, size, kind);
}

struct file *input_file(struct input *in)
{
	return &in->file;
}

static bool is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* A regular file of perf.data's first bytes; others may wait for a writer. */
static bool begins_recording(const char *path)
{
	struct context ctx = { 0 };
	struct file file = { 0 };
	uint8_t bytes[BEGINNING];
	size_t size = 0;
	struct stat st;
	bool begins = false;

	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode) ||
	    file_open(&ctx, path, &file) < 0)
		return false;
	if (file_read(&ctx, &file, (struct file_part){ 0, sizeof(bytes) }, bytes, &size) <
	    0)
		size = 0;
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats) && !begins; i++)
		begins = !formats[i].cannot && size >= strlen(formats[i].magic) &&
			 memcmp(bytes, formats[i].magic, strlen(formats[i].magic)) == 0;
	file_close(&file);
	return begins;
}

bool input_is_recording(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t digits;
	char *data;
	bool is;

	if (is_directory(path)) {
		if (asprintf(&data, "%s/data", path) < 0)
			return false;
	} else if (begins_recording(path)) {
		return true;
	} else {
		/* "dir/data.0" has records only; what they are says "dir/data". */
		if (strncmp(name, "data.", 5) != 0)
			return false;
		digits = strspn(name + 5, "0123456789");
		if (digits == 0 || name[5 + digits] != '\0')
			return false;
		data = strndup(path, (size_t)(name - path) + strlen("data"));
	}
	is = data && begins_recording(data);
	free(data);
	return is;
}

/* Opens whatever it is. On failure nothing is left open, and the caller gets no input. */
int input_open_origin(struct context *ctx, struct input_origin origin,
		      struct intern *strings, struct input **ret, enum input_kind *kind)
{
	struct input *in = calloc(1, sizeof(*in));
	int err;

	if (!in)
		return fail_memory(ctx);
	in->strings = strings;
	in->chunk = CHUNK;
	in->budget = ctx->budget;
	in->by_descriptor = origin.fd >= 0;
	in->path = strdup(origin.path);
	if (!in->path) {
		err = fail_memory(ctx);
	} else if (!in->by_descriptor && is_directory(in->path)) {
		*kind = INPUT_PERF;
		in->rec.format = "perf.data directory";
		in->rec.form = "directory";
		err = directory_open(ctx, in);
		if (err == 0)
			err = directory_find_kallsyms(ctx, in);
	} else {
		err = in->by_descriptor
			      ? file_open_descriptor(ctx, origin.fd, in->path,
						     is_perf_pipe, &in->file)
			      : file_open_stream(ctx, in->path, is_perf_pipe, &in->file);
		if (err == 0) {
			in->rec.bytes = in->file.size == UINT64_MAX ? 0 : in->file.size;
			in->rec.compressed = in->file.unpacker != NULL;
			err = open_by_beginning(ctx, in, kind);
		}
	}
	if (err < 0) {
		input_close(in);
		return err;
	}
	*ret = in;
	return 0;
}

int input_open(struct context *ctx, const char *path, struct intern *strings,
	       struct input **ret, enum input_kind *kind)
{
	return input_open_origin(ctx, (struct input_origin){ path, -1 }, strings, ret,
				 kind);
}

void input_finish(struct input *in)
{
	folded_close(in);
	script_close(in);
	listed_close(in);
	saved_close(in);
	parallel_scan_free(in->scan);
	in->scan = NULL;
	stream_release(&in->stream);
	for (size_t i = 1; i < in->sources.count; i++)
		file_close(&in->sources.v[i].file);
	array_release(&in->sources);
	array_release(&in->chunks);
	for (int i = 0; i < DEFERRED_ROUNDS; i++) {
		deferred_free(in->deferred[i]);
		in->deferred[i] = NULL;
	}
	simpleperf_free(in->simpleperf);
	in->simpleperf = NULL;
	file_close(&in->file);
}

void input_forget(struct input *in)
{
	size_t size = in->rec.events.count * sizeof(*in->rec.events.v);
	struct event *events = size ? realloc(in->rec.events.v, size) : NULL;

	input_finish(in);
	array_release(&in->layouts);
	array_release(&in->counters);
	hash_map_release(&in->path_bytes);
	hash_map_release(&in->modules);
	array_release(&in->described);
	array_release(&in->known_threads);
	array_release(&in->rings);
	hash_map_release(&in->finder.by_id);
	/* Files that came with it are named by these. */
	if (!in->rec.files.count)
		array_release(&in->rec.build_ids);
	array_release(&in->rec.losses);
	array_release(&in->rec.threads);
	if (!events)
		return;
	in->rec.events.v = events;
	in->rec.events.room = in->rec.events.count;
}

void input_close(struct input *in)
{
	if (!in)
		return;
	input_forget(in);
	hash_map_release(&in->rec.format_of_id);
	array_release(&in->rec.formats);
	arena_release(&in->formats);
	array_release(&in->rec.events);
	array_release(&in->rec.build_ids);
	array_release(&in->rec.files);
	array_release(&in->rec.symbols);
	arena_release(&in->paths);
	free(in->path);
	free(in);
}

const struct recording *input_recording(const struct input *in)
{
	return &in->rec;
}

const char *input_path(const struct input *in)
{
	return in->path;
}

void input_set_parallel_scan(struct input *in, size_t threads, uint64_t least)
{
	in->threads = threads;
	in->part_least = least;
}

void input_set_axis(struct input *in, const struct time_axis *axis)
{
	in->rec.axis = axis;
}

void input_tell_switches(struct input *in)
{
	in->tells_switches = true;
	input_ask_rings(in);
}

void input_keep_addresses(struct input *in)
{
	if (in->script)
		script_keep_addresses(in);
	if (in->listed)
		in->listed->keeps_addresses = true;
}

void input_keep_labels(struct input *in)
{
	if (in->listed)
		in->listed->keeps_labels = true;
}

void input_set_chunk(struct input *in, uint64_t size)
{
	in->chunk = size;
}

uint64_t state_progress(const struct input *in)
{
	return in->done + in->stream.offset;
}

int input_cut_chunk(struct context *ctx, struct input *in, const struct raw_record *raw)
{
	struct record_source *source = &in->sources.v[in->source];
	struct chunk *last = in->chunks.count ? array_last(&in->chunks) : NULL;
	/* With what lies behind the record: who reads the chunk passes over that, too. */
	uint64_t size = raw->head.size + raw->behind;

	if (last && last->source != in->source)
		last = NULL;
	/* A source that cannot be entered in the middle is one chunk, whatever it began
	 * as. */
	if (in->stream.packed && !source->packed && last) {
		size_t first = in->chunks.count;

		while (first > 0 && in->chunks.v[first - 1].source == in->source)
			first--;
		in->chunks.count = first + 1;
		in->chunks.v[first].end = source->end;
		in->chunks.v[first].oldest = 0;
	}
	source->packed |= in->stream.packed;
	if (last && source->packed)
		return 0;
	if (last && raw->position == last->end && last->end - last->start < in->chunk) {
		last->end += size;
		return 0;
	}
	last = array_add(&in->chunks);
	if (!last)
		return fail_memory(ctx);
	*last = (struct chunk){ in->source, source->start, source->end, in->newest,
				UINT64_MAX };
	if (!source->packed) {
		last->start = raw->position;
		last->end = raw->position + size;
	}
	return 1;
}

/* Types that have no name are counted together: they may be of a later perf. */
static void count_type(struct input *in, uint32_t type)
{
	in->rec.records++;
	if (type < RECORD_TYPES)
		in->rec.by_type[type]++;
	else if (type >= RECORD_SIMPLEPERF && type < RECORD_SIMPLEPERF + SIMPLEPERF_TYPES)
		in->rec.by_simpleperf_type[type - RECORD_SIMPLEPERF]++;
	if (!record_name(type))
		in->rec.unknown++;
}

void input_ask_rings(struct input *in)
{
	for (size_t i = 0; i < in->layouts.count; i++)
		in->layouts.v[i].ring_cpu = in->layouts.v[i].cpu;
}

void input_add_ring(struct input *in, uint32_t cpu, uint64_t time)
{
	while (cpu < PROCESSORS_MOST && in->rings.count <= cpu) {
		uint64_t *slot = array_add(&in->rings);

		/* Without it less is known of losses. */
		if (!slot)
			return;
		*slot = 0;
	}
	if (cpu < PROCESSORS_MOST)
		in->rings.v[cpu] = time;
}

void input_pass_sample(struct input *in, const struct raw_record *raw)
{
	int index = event_of_sample(in, raw->bytes, raw->head.size);
	unsigned mode = raw->head.misc & PERF_RECORD_MISC_CPUMODE_MASK;
	const struct sample_layout *layout;
	struct event *event;
	uint64_t time;

	count_type(in, raw->head.type);
	in->rec.samples++;
	in->rec.kernel_samples += mode == MODE_KERNEL;
	in->rec.guest_samples += mode == MODE_GUEST_KERNEL || mode == MODE_GUEST_USER;
	if (index < 0)
		return;
	layout = &in->layouts.v[index];
	event = &in->rec.events.v[index];
	event->samples++;
	if (!layout->time || raw->head.size < layout->fixed)
		return;
	time = in_u64(in, raw->bytes + layout->time);
	if (time < event->first_time)
		event->first_time = time;
	in->rec.untimed += time >= TIME_NEVER;
	if (time >= TIME_NEVER)
		return;
	/* Samples know better than the header. */
	if (time < in->rec.first_time || !in->timed)
		in->rec.first_time = time;
	if (time > in->rec.last_time || !in->timed)
		in->rec.last_time = time;
	in->timed = true;
	see_time(&in->newest, time);
	if (in->chunks.count && time < array_last(&in->chunks)->oldest)
		array_last(&in->chunks)->oldest = time;
	if (layout->ring_cpu)
		input_see_ring(in, in_u32(in, raw->bytes + layout->ring_cpu), time);
}

/* As record_decode(). */
static int pass_record(struct context *ctx, struct input *in,
		       const struct raw_record *raw, struct record *ret)
{
	bool simpleperf;
	int found;

	if (raw->head.type == PERF_RECORD_SAMPLE) {
		input_pass_sample(in, raw);
		return 0;
	}
	count_type(in, raw->head.type);
	found = meta_record(ctx, in, raw);
	if (found != 0)
		return found < 0 ? found : 0;
	found = record_decode(ctx, in, raw, ret);
	/* Its features are bits 128 to 191, whose section may come only behind the
	 * data. */
	simpleperf = in->features[2] || in->rec.simpleperf || in->simpleperf;
	if (found > 0 && simpleperf && simpleperf_note(in, ret) < 0)
		return fail_memory(ctx);
	return found;
}

static int name_all_events(struct context *ctx, struct input *in)
{
	for (size_t i = 0; i < in->rec.events.count; i++) {
		struct event *event = &in->rec.events.v[i];
		const char *name;

		if (!event->name && event_name(in, event) < 0)
			return fail_memory(ctx);
		/* The name tells it from what other programs put out, if it was recorded. */
		name = intern_text(in->strings, event->name);
		if (event->type == PERF_TYPE_SOFTWARE &&
		    event->config == PERF_COUNT_SW_BPF_OUTPUT)
			in->layouts.v[i].off_cpu = strcmp(name, "offcpu-time") == 0 ? 2
						   : strncmp(name, "bpf-output", 10) == 0
							   ? 1
							   : 0;
	}
	return 0;
}

static uint64_t statx_ns(const struct statx_timestamp *t)
{
	return t->tv_sec < 0 ? 0 : (uint64_t)t->tv_sec * 1000000000 + t->tv_nsec;
}

/* What is known only when all records were seen. */
static int end_pass(struct context *ctx, struct input *in)
{
	const uint64_t slack =
		(uint64_t)10 * 1000000000; /* before and after its samples */
	int err = in->whole ? features_read(ctx, in) : 0;
	struct recording *rec = &in->rec;
	struct statx st;

	stream_release(&in->stream);
	simpleperf_settle(in);
	for (size_t i = in->chunks.count; i-- > 1;)
		if (in->chunks.v[i].oldest < in->chunks.v[i - 1].oldest)
			in->chunks.v[i - 1].oldest = in->chunks.v[i].oldest;
	/* Recorders make their file when they begin. A file that was copied to another,
	 * or touched, was written for another time than its samples took. */
	if (!in->file.pipe && rec->first_time < rec->last_time &&
	    statx(in->file.fd, "", AT_EMPTY_PATH, STATX_BTIME | STATX_MTIME, &st) == 0 &&
	    st.stx_mask & STATX_BTIME) {
		uint64_t began = statx_ns(&st.stx_btime), ended = statx_ns(&st.stx_mtime);
		uint64_t took = rec->last_time - rec->first_time;

		if (began <= ended && ended - began >= took &&
		    ended - began - took <= slack) {
			rec->began = began;
			rec->ended = ended;
		}
	}
	return err < 0 ? err : name_all_events(ctx, in);
}

/* What was wrong with the source that has ended. */
static int end_source(struct context *ctx, struct input *in)
{
	const struct record_source *source = &in->sources.v[in->source];
	const char *packed = file_damage(&source->file);
	int err = 0;

	/* The end of a packed file is known only now. */
	if (in->rec.truncated_at == UINT64_MAX)
		in->rec.truncated_at = in->stream.offset;
	if (packed)
		err = note_damage(ctx, in, in->stream.offset, packed);
	else if (in->stream.damage)
		err = note_damage(ctx, in, in->stream.damaged_at, in->stream.damage);
	in->rec.compressed |= in->stream.packed;
	in->done += in->stream.offset;
	in->source++;
	in->started = false;
	parallel_scan_free(in->scan);
	in->scan = NULL;
	stream_release(&in->stream);
	return err;
}

/* 1, or 0 where there is no source left. */
static int start_source(struct context *ctx, struct input *in)
{
	const struct record_source *source = &in->sources.v[in->source];

	if (in->source == in->sources.count)
		return 0;
	if (!in->started && stream_init(&in->stream, &source->file, in->swapped) < 0)
		return fail_memory(ctx);
	if (!in->started) {
		in->stream.skips_text = in->pipe;
		in->stream.heads = !in->file.pipe;
		stream_start(&in->stream, source->start, source->end);
		parallel_scan_start(in, &in->scan);
		in->newest = 0;
	}
	in->started = true;
	return 1;
}

int state_next(struct context *ctx, struct input *in, struct record *ret)
{
	bool at_chunk = false;
	int err = 0;

	if (in->script)
		return script_next_state(ctx, in, ret);
	if (in->listed)
		return listed_next_state(ctx, in, ret);
	for (;;) {
		struct raw_record raw;
		int found = start_source(ctx, in);

		if (found < 0)
			return found;
		if (found == 0)
			break;
		found = in->scan ? parallel_scan_next(ctx, in->scan, in, &raw) : 0;
		if (found < 0)
			return found;
		if (found == 0) {
			found = stream_next(ctx, &in->stream, &raw);
			if (found < 0)
				return found;
			if (found == 0) {
				found = end_source(ctx, in);
				if (found < 0)
					return found;
				continue;
			}
			found = input_cut_chunk(ctx, in, &raw);
			if (found < 0)
				return found;
			at_chunk |= found > 0;
		}
		found = pass_record(ctx, in, &raw, ret);
		if (found == 0 && at_chunk) {
			*ret = (struct record){ .type = RECORD_NONE };
			return 1;
		}
		if (found != 0)
			return found;
	}
	if (!in->ended) {
		in->ended = true;
		err = end_pass(ctx, in);
	}
	/* What the features tell of maps comes last. */
	if (err == 0)
		err = simpleperf_next_map(in, ret);
	return err == -ENOMEM ? fail_memory(ctx) : err;
}

void input_end_round(struct input *in)
{
	deferred_free(in->deferred[DEFERRED_ROUNDS - 1]);
	for (int i = DEFERRED_ROUNDS - 1; i > 0; i--)
		in->deferred[i] = in->deferred[i - 1];
	in->deferred[0] = NULL;
}

bool input_is_stream(const struct input *in)
{
	return in->file.pipe || in->live;
}

int stream_item_take(struct context *ctx, struct input *in, const struct raw_record *raw,
		     struct stream_item *ret)
{
	int found = pass_record(ctx, in, raw, &ret->record), index;
	const struct sample_layout *layout;

	if (found < 0)
		return found;
	ret->kind = ITEM_STATE;
	ret->time = found ? ret->record.time : 0;
	ret->position = raw->position;
	if (raw->head.type == PERF_RECORD_FINISHED_ROUND) {
		ret->kind = ITEM_ROUND;
		return 1;
	}
	if (raw->head.type != PERF_RECORD_SAMPLE)
		return found;
	/* When it was taken, as far as it says. */
	index = event_of_sample(in, raw->bytes, raw->head.size);
	layout = index < 0 ? NULL : &in->layouts.v[index];
	if (layout && layout->time && raw->head.size >= layout->fixed)
		ret->time = in_u64(in, raw->bytes + layout->time);
	else
		ret->time = in->any_timed ? in->newest : raw->position;
	ret->kind = ITEM_SAMPLE;
	ret->bytes = raw->bytes;
	ret->size = raw->head.size;
	/* Names that have not come by now are made up. */
	if (!in->named && name_all_events(ctx, in) < 0)
		return -ENOMEM;
	in->named = true;
	return 1;
}

int input_next(struct context *ctx, struct input *in, struct stream_item *ret)
{
	struct raw_record raw;
	int found = 0;

	while (found == 0) {
		found = start_source(ctx, in);
		if (found <= 0)
			return found < 0 ? found : end_pass(ctx, in);
		found = stream_next(ctx, &in->stream, &raw);
		if (found > 0)
			found = stream_item_take(ctx, in, &raw, ret);
		else if (found == 0)
			found = end_source(ctx, in);
	}
	return found;
}
