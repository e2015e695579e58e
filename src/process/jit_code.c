/*
 * Code that runtimes described in jitdumps. A dump is found by the map of one of its
 * pages that the runtime makes for this; its records say when each piece of code came to
 * lie where, on a clock that has to be that of the samples. So the pieces become maps of
 * the process, in the order of time.
 */
#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "elf/elf.h"
#include "jit/jit.h"
#include "process/timeline.h"

#define CLOCK_OF_DUMPS 1 /* CLOCK_MONOTONIC */

/* Their files stay open for the names in them: hostile recordings name more. */
enum { DUMPS_MOST = 256 };

/* "jit-PID.dump", of which a runtime maps a page so that the recorder sees its path. */
bool is_jit_mark(const struct processes *ps, const struct record *rec)
{
	const char *path = intern_text(ps->strings, rec->name);
	const char *slash = strrchr(path, '/'), *p = slash ? slash + 1 : path;

	if (!rec->executable || strncmp(p, "jit-", 4) != 0 ||
	    !isdigit((unsigned char)p[4]))
		return false;
	for (p += 4; isdigit((unsigned char)*p); p++)
		;
	return strcmp(p, ".dump") == 0;
}

/* A dump may have its own idea of time. */
static void judge_clock(const struct processes *ps, struct jit_dump *dump)
{
	for (size_t i = 0; i < ps->rec->events.count; i++) {
		int clock = ps->rec->events.v[i].clock;

		dump->timed |=
			dump->dump.arch_time
				? clock == CLOCK_OF_PERF && ps->rec->time_conversion.known
				: clock == CLOCK_OF_DUMPS;
	}
	if (dump->timed)
		return;
	if (dump->problem.size > 0)
		text_string(&dump->problem, "; ");
	text_printf(&dump->problem,
		    "'%s' has another clock than the samples%s: of code that lay at one "
		    "address one after another, the newest counts",
		    dump->path.bytes,
		    dump->dump.arch_time ? "" : " (record with perf record -k mono)");
	dump->trouble = true;
}

/* Its header, which a runtime may have in its own memory for a while. */
static void begin_dump(const struct processes *ps, struct jit_dump *dump)
{
	const struct machine *m = NULL;
	struct utsname own;
	struct stat st;
	int fd = dump->beginning, err;

	/* read_jit_dumps() asks again. */
	if (fstat(fd, &st) == 0 && st.st_size < JITDUMP_HEADER)
		return;
	dump->beginning = -1;
	err = jitdump_open(fd, &dump->dump);
	if (err < 0) {
		dump->dump.fd = -1;
		text_clear(&dump->problem);
		if (err == -EBADMSG)
			text_printf(&dump->problem, "'%s' is not a jitdump",
				    dump->path.bytes);
		else
			text_printf(&dump->problem, "cannot read '%s': %s",
				    dump->path.bytes, strerror(-err));
		dump->trouble = true;
		return;
	}
	/* Some runtimes leave the machine out, as CPython up to 3.13 does: then it is that
	 * of the process, and so the recording's, or this one. */
	if (dump->dump.machine == EM_NONE) {
		if (ps->rec->arch)
			m = machine_by_name(intern_text(ps->strings, ps->rec->arch), 2);
		else if (uname(&own) == 0)
			m = machine_by_name(own.machine, 2);
		dump->dump.machine = m ? m->elf : EM_NONE;
	}
	dump->dump.budget = ps->images->dirs ? ps->images->dirs->budget : NULL;
	judge_clock(ps, dump);
}

static struct jit_dump *new_dump(struct processes *ps, const struct image *image,
				 const char *path)
{
	struct jit_process process = image_jit_process(ps->strings, image);
	struct jit_dump *dump = calloc(1, sizeof(*dump)), **slot;
	struct jit_file file;

	slot = dump && array_reserve(&ps->images->dumps, 1)
		       ? array_add(&ps->images->dumps)
		       : NULL;
	if (!slot) {
		free(dump);
		return NULL;
	}
	*slot = dump;
	dump->dump.fd = dump->unwind = dump->beginning = -1;
	dump->owner = image->owner;
	/* It is in the list by now: whatever it has is released with that. */
	if (jit_file_open_dump(ps->images->dirs, &process, path, &file) < 0)
		return NULL;
	/* The dump owns the texts of the answer from here on, and its descriptor. */
	dump->path = file.path;
	dump->problem = file.problem;
	dump->trouble = file.problem.size > 0;
	if (file.fd >= 0) {
		dump->beginning = file.fd;
		begin_dump(ps, dump);
	}
	return dump->problem.failed ? NULL : dump;
}

void put_code_in_order(struct processes *ps, struct address_space *space, size_t first)
{
	struct maps *codes = &space->codes, *maps = &space->maps;
	uint64_t newest = first ? codes->list.v[first - 1].time : 0, late = UINT64_MAX;
	uint64_t oldest = UINT64_MAX;

	/* @late: the oldest time that is out of order, UINT64_MAX where none is. @oldest:
	 * of all that were added. */
	for (size_t i = first; i < codes->list.count; i++) {
		uint64_t time = codes->list.v[i].time;

		codes->list.v[i].epoch = ++ps->epochs;
		if (time < newest && time < late)
			late = time;
		newest = time > newest ? time : newest;
		oldest = time < oldest ? time : oldest;
	}
	/* From the first that is older than others on the whiles are other ones. maps_at()
	 * counts those of its time, too, so it is asked about a nanosecond before. */
	if (late != UINT64_MAX) {
		maps_sort(codes);
		for (size_t i = maps_at(codes, late - (late > 0)); i < codes->list.count;
		     i++)
			codes->list.v[i].epoch = ++ps->epochs;
	}
	if (ps->kind == PROCESSES_WHOLE)
		return;
	/* Maps that are newer than code which was read only now begin other whiles, too:
	 * somebody has asked about those without it. */
	for (size_t i = maps_at(maps, oldest); i < maps->list.count; i++)
		maps->list.v[i].epoch = ++ps->epochs;
}

/* What the dump has got since becomes maps of the code: an address is shifted to where the
 * file has its bytes. */
static int take_codes(struct processes *ps, struct growing_dump *g)
{
	struct address_space *space = &ps->spaces.v[g->space];
	const struct jit_dump *dump =
		ps->images->dumps.v[ps->images->list.v[g->image].dump];
	const struct jitdump *d = &dump->dump;
	size_t before = space->codes.list.count;

	if (!array_reserve(&space->codes.list, d->codes.count - g->taken))
		return -ENOMEM;
	for (; g->taken < d->codes.count; g->taken++) {
		const struct jitdump_code *code = &d->codes.v[g->taken];
		/* On another clock all of its code was there from the beginning, and the
		 * newest counts. */
		uint64_t time = dump->timed ? code->time : 0;

		if (dump->timed && d->arch_time)
			time = time_of_cycles(&ps->rec->time_conversion, time);
		*array_add(&space->codes.list) = (struct map){
			.time = time,
			.start = code->start,
			.end = code->end,
			.shift = d->functions.v[code->function].bytes - code->start,
			.image = g->image,
			.executable = 1,
		};
	}
	put_code_in_order(ps, space, before);
	return 0;
}

static bool has_dump_of_path(const struct processes *ps, uint32_t space,
			     const struct image *key)
{
	for (size_t i = 0; i < ps->dumps.count; i++)
		if (ps->dumps.v[i].space == space &&
		    ps->images->list.v[ps->dumps.v[i].image].path == key->path)
			return true;
	return false;
}

static bool has_user_stacks(const struct recording *rec)
{
	for (size_t i = 0; i < rec->events.count; i++)
		if (rec->events.v[i].user_stack)
			return true;
	return false;
}

int add_jit_dump(struct processes *ps, struct address_space *space,
		 const struct record *rec, const struct jit_origin *origin)
{
	struct image image = {
		.kind = IMAGE_JIT,
		.path = rec->name,
		.owner = rec->pid,
		.dump = (uint32_t)ps->images->dumps.count,
		.origin = *origin,
	};
	struct growing_dump g = { .space = (uint32_t)(space - ps->spaces.v) }, *slot;
	struct jit_dump *dump;

	if (!ps->images->dirs || ps->images->as_perf ||
	    ps->images->dumps.count >= DUMPS_MOST ||
	    has_dump_of_path(ps, g.space, &image))
		return 0;
	image.first = image.last =
		(struct image_user){ rec->pid,	 ps->rec->host,		 ps->rec->kernel,
				     rec->start, rec->start + rec->size, 0,
				     0 };
	/* The image has the number that new_dump() is about to give to its dump. */
	if (images_add(ps->images, &image, &g.image) < 0)
		return -ENOMEM;
	/* No memory is left for one more image: its dump would be taken for another one's. */
	if (g.image == IMAGE_ID_UNKNOWN)
		return 0;
	dump = new_dump(ps, &image, intern_text(ps->strings, rec->name));
	slot = dump ? array_add(&ps->dumps) : NULL;
	if (!slot)
		return -ENOMEM;
	*slot = g;
	if (dump->dump.fd < 0)
		return 0;
	if (jitdump_read(&dump->dump) < 0)
		return -ENOMEM;
	if (has_user_stacks(ps->rec) && jit_unwind_make(&dump->dump, &dump->unwind) < 0)
		return -ENOMEM;
	return take_codes(ps, slot);
}

int read_jit_dumps(struct processes *ps)
{
	for (size_t i = 0; i < ps->dumps.count; i++) {
		struct growing_dump *g = &ps->dumps.v[i];
		struct jit_dump *dump =
			ps->images->dumps.v[ps->images->list.v[g->image].dump];
		struct jitdump *d = &dump->dump;
		size_t before = d->codes.count;
		bool begins = dump->beginning >= 0;

		if (begins)
			begin_dump(ps, dump);
		if (dump->problem.failed)
			return -ENOMEM;
		if (d->fd < 0)
			continue;
		if (jitdump_read(d) < 0)
			return -ENOMEM;
		/* Made once, of the functions that are known by then: only dumps of
		 * stacks are unwound by it. */
		if (begins && has_user_stacks(ps->rec) &&
		    jit_unwind_make(d, &dump->unwind) < 0)
			return -ENOMEM;
		if (d->codes.count == before)
			continue;
		if (take_codes(ps, g) < 0)
			return -ENOMEM;
		ps->version++;
	}
	return 0;
}

void drop_jit_dumps(struct processes *ps, uint32_t space)
{
	size_t kept = 0;

	for (size_t i = 0; i < ps->dumps.count; i++)
		if (ps->dumps.v[i].space != space)
			ps->dumps.v[kept++] = ps->dumps.v[i];
	ps->dumps.count = kept;
}
