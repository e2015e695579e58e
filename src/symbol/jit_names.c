/*
 * Names for code that runtimes made, by what they say of it:
 *
 *	perf-PID.map	lines "START SIZE name", of the process and of its parents (tools/perf/Documentation/
 *			jit-interface.txt of Linux)
 *	jitdump		records with times and bytes (jitdump-specification.txt there), which
 *			were mapped as images, or were there when the code ran
 *
 * Addresses that are still without a name go from source to source, ascending. What one names is
 * made into a symbol table, so that from here on such an image is like any other. perf itself reads
 * the map alone, and only of images that are named like it.
 */
#include "symbol/jit_names.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cover.h"
#include "symbol/map_files.h"

/* Frames of an image that are to be named by maps, one after the other. */
struct mapping {
	const struct source_finder *finder;
	struct image_names *job;
	struct source *source;
	uint64_t *addresses; /* those that have no name yet, ascending */
	size_t count;
	bool gaps; /* some of those that follow one another have a name between them */
	int failed; /* errno of the last name that could not be read; 0: none */
	struct symtab own; /* what was found: a symbol for each run of addresses */
};

static void add_sentence(struct text *to, const struct text *what)
{
	if (what->size == 0)
		return;
	if (to->size > 0)
		text_string(to, "; ");
	text_add(to, what->bytes, what->size);
}

/* What names the addresses from @first to @last; its name follows. */
static int begin_symbol(struct mapping *m, uint64_t first, uint64_t last)
{
	struct symbol *symbol = array_add(&m->own.symbols);

	if (!symbol)
		return -ENOMEM;
	*symbol = (struct symbol){ .start = first,
				   .end = last + 1,
				   .name = (uint32_t)m->own.plt_names.size,
				   .table = TABLE_SYMTAB };
	/* Symbols have 32 bits for the place of their name. */
	if (m->own.plt_names.size > UINT32_MAX / 2)
		return -ENOMEM;
	return 0;
}

static int end_symbol_name(struct mapping *m)
{
	text_char(&m->own.plt_names, '\0');
	return m->own.plt_names.failed ? -ENOMEM : 0;
}

/* Takes the addresses out that the map names. */
static int take_answer(struct mapping *m, const struct map_answer *answer)
{
	const char *names = answer->map->names.bytes;
	size_t left = 0;
	int err = 0;

	for (size_t i = 0; i < m->count && err == 0;) {
		uint32_t entry = answer->of_address[i];
		size_t next = i + 1;

		while (next < m->count && answer->of_address[next] == entry &&
		       (!m->gaps || m->addresses[next] == m->addresses[i]))
			next++;
		/* All addresses that one entry names in a row become one symbol. */
		if (entry) {
			err = begin_symbol(m, m->addresses[i], m->addresses[next - 1]);
			if (err < 0)
				break;
			text_string(&m->own.plt_names,
				    names + answer->map->list.v[entry - 1].name);
			err = end_symbol_name(m);
		}
		for (; !entry && i < next; i++)
			m->addresses[left++] = m->addresses[i];
		i = next;
	}
	m->gaps = m->gaps || left < m->count;
	m->count = left;
	return err;
}

static const char *separator(const struct text *problem)
{
	return problem->size ? "; " : "";
}

static void report_failure(struct mapping *m, const struct text *path, int error)
{
	struct text *problem = &m->source->files.problem;

	text_printf(problem, "%s'%s' cannot be read whole: %s", separator(problem),
		    path->bytes, strerror(error));
	m->job->trouble = true;
}

/* That of the process which has the image @id. What it says in spite of a failure counts. */
static int read_map(struct mapping *m, uint32_t id, const struct jit_file *f)
{
	struct text *problem = &m->source->files.problem;
	struct map_question question = { f->fd, id, m->addresses, m->count };
	const struct perf_map *map;
	struct map_answer answer;
	int err = map_files_ask(m->finder->maps, &question, &answer);

	if (err < 0)
		return err;
	map = answer.map;
	if (!map) {
		text_printf(problem, "%s'%s' is left out: %d GiB of maps are read in all",
			    separator(problem), f->path.bytes,
			    (int)(MAP_FILES_MOST >> 30));
		m->job->trouble = true;
		map_answer_release(&answer);
		return 0;
	}
	m->job->entries += map->entries;
	add_sentence(&m->source->files.file, &f->path);
	if (map->skipped)
		text_printf(problem,
			    "%s'%s' is too large: only its last %d MiB were read",
			    separator(problem), f->path.bytes, PERF_MAP_MOST >> 20);
	if (map->error)
		report_failure(m, &f->path, map->error);
	if (map->cut) {
		text_printf(problem, "%sno memory is left for all of '%s'",
			    separator(problem), f->path.bytes);
		budget_refuse(m->finder->options->dirs.budget, "names", f->path.bytes);
		m->job->trouble = true;
	}
	if (map->entries == 0 && !map->error)
		text_printf(problem, "%s'%s' names no code", separator(problem),
			    f->path.bytes);
	err = take_answer(m, &answer);
	map_answer_release(&answer);
	return err;
}

/* The maps of the process and of its parents, while there is something to name. */
static int ask_maps(struct mapping *m)
{
	const struct source_finder *finder = m->finder;
	uint32_t id = map_files_first(finder, m->job->image);
	struct text missing = { 0 };
	bool found = false;
	int err = 0;

	for (int i = 0; id && m->count > 0 && i < MAP_PARENTS_MOST && err == 0; i++) {
		struct jit_file f;

		err = map_files_open(finder, id, &f);
		if (err == 0 && f.fd >= 0) {
			add_sentence(&m->source->files.problem, &f.problem);
			m->job->trouble |= f.problem.size > 0;
			err = read_map(m, id, &f);
			found = true;
		} else if (err == 0 && missing.size == 0) {
			add_sentence(&missing, &f.problem);
			m->job->trouble |= f.refused;
		}
		if (err == 0)
			jit_file_close(&f);
		id = finder->images->list.v[id].forked_from;
	}
	if (!found)
		add_sentence(&m->source->files.problem, &missing);
	err = missing.failed ? -ENOMEM : err;
	text_release(&missing);
	return err;
}

static int add_dumped_function(struct mapping *m, const struct jitdump *d,
			       const struct jitdump_function *f, uint64_t first,
			       uint64_t last)
{
	if (begin_symbol(m, first, last) < 0)
		return -ENOMEM;
	m->failed = jitdump_name(d, f, &m->own.plt_names) ?: m->failed;
	return end_symbol_name(m);
}

static void report_dump(struct mapping *m, const struct jit_dump *dump)
{
	if (m->source->files.file.size == 0 && dump->dump.fd >= 0)
		add_sentence(&m->source->files.file, &dump->path);
	m->job->entries += dump->dump.functions.count;
	m->job->trouble |= dump->trouble || dump->beginning >= 0;
	add_sentence(&m->source->files.problem, &dump->problem);
	if (dump->beginning >= 0)
		text_printf(&m->source->files.problem, "%s'%s' is not a jitdump",
			    m->source->files.problem.size ? "; " : "", dump->path.bytes);
	if (dump->dump.error)
		report_failure(m, &dump->path, dump->dump.error);
	if (dump->dump.full || dump->dump.damaged)
		text_printf(&m->source->files.problem, "%s'%s' %s",
			    m->source->files.problem.size ? "; " : "", dump->path.bytes,
			    dump->dump.full ? "has more code than is used"
					    : "is damaged, and used up to there");
}

/* Addresses are offsets in the dump: each function that was hit is a symbol. */
static int name_dumped(struct mapping *m)
{
	const struct images *images = m->finder->images;
	const struct jit_dump *dump = images->dumps.v[images->list.v[m->job->image].dump];
	const struct jitdump_function *f = NULL, *last = NULL;
	int err = 0;

	report_dump(m, dump);
	m->source->dump = &dump->dump;
	for (size_t i = 0; i < m->count && err == 0; i++) {
		f = jitdump_find(&dump->dump, m->addresses[i]);
		if (f && f != last)
			err = add_dumped_function(m, &dump->dump, f, f->bytes,
						  f->bytes + f->size - 1);
		last = f ? f : last;
	}
	if (m->failed)
		report_failure(m, &dump->path, m->failed);
	return err;
}

/* Code that was recorded before its runtime said so: the newest that was there. */
static int ask_dumps(struct mapping *m)
{
	const struct images *images = m->finder->images;
	uint32_t owner = images->list.v[m->job->image].owner;
	int err = 0;

	for (size_t i = images->dumps.count; i-- > 0 && err == 0;) {
		const struct jit_dump *dump = images->dumps.v[i];
		const struct jitdump *d = &dump->dump;
		struct cover cover = { 0 };
		uint32_t *of_address;
		uint64_t before = 0;
		size_t left = 0;

		if (dump->owner != owner || m->count == 0)
			continue;
		if (dump->dump.fd < 0) {
			report_dump(m, dump);
			continue;
		}
		of_address = malloc((m->count + 1) * sizeof(*of_address));
		err = of_address ? cover_begin(&cover, m->addresses, m->count, of_address)
				 : -ENOMEM;
		/* cover_add() takes the addresses that nobody has yet, so the newest code
		 * goes first. */
		for (size_t k = d->codes.count; k-- > 0 && err == 0;)
			cover_add(&cover, d->codes.v[k].start, d->codes.v[k].end,
				  (uint32_t)k);
		for (size_t k = 0; k < m->count && err == 0; k++) {
			uint64_t address = m->addresses[k];
			bool again = k > 0 && address == before;
			uint32_t code = of_address[k];

			before = address;
			if (!code)
				m->addresses[left++] = address;
			else if (!again)
				err = add_dumped_function(
					m, d,
					&d->functions.v[d->codes.v[code - 1].function],
					address, address);
		}
		m->gaps = m->gaps || left < m->count;
		m->count = left;
		cover_release(&cover);
		free(of_address);
		if (err == 0 && (m->own.symbols.count > 0 || dump->dump.error))
			report_dump(m, dump);
		if (m->failed)
			report_failure(m, &dump->path, m->failed);
		m->failed = 0;
	}
	return err;
}

static int compare_symbols(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* The symbols lie apart from one another: each is a span. */
static int make_symtab(struct mapping *m)
{
	struct symtab *st = &m->own;

	if (st->symbols.count > 1)
		qsort(st->symbols.v, st->symbols.count, sizeof(*st->symbols.v),
		      compare_symbols);
	if (!array_reserve(&st->spans.list, st->symbols.count))
		return -ENOMEM;
	for (size_t i = 0; i < st->symbols.count; i++)
		*array_add(&st->spans.list) =
			(struct span){ st->symbols.v[i].start, st->symbols.v[i].end,
				       (uint32_t)i };
	st->names[TABLE_SYMTAB] = (struct names){ .bytes = st->plt_names.bytes,
						  .size = st->plt_names.size };
	m->source->own = *st;
	m->source->symbols = &m->source->own;
	m->source->raw = true;
	m->source->by_offset = false;
	return 0;
}

static int compare_code_addresses(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

int jit_names_add(const struct source_finder *finder, const struct frames *frames,
		  struct image_names *job, struct source *s)
{
	const struct image *image = &finder->images->list.v[job->image];
	struct mapping m = { .finder = finder, .job = job, .source = s };
	int err = 0;

	if (!image->owner || s->symbols ||
	    (finder->options->compat &&
	     strncmp(intern_text(finder->strings, image->path), "/tmp/perf-", 10) != 0))
		return 0;
	m.addresses = malloc((job->count + 1) * sizeof(*m.addresses));
	if (!m.addresses)
		return -ENOMEM;
	m.count = job->count;
	for (size_t i = 0; i < job->count; i++)
		m.addresses[i] =
			map_files_address(finder, &frames->list.v[job->frames[i].id]);
	qsort(m.addresses, m.count, sizeof(*m.addresses), compare_code_addresses);
	if (image->kind == IMAGE_JIT) {
		err = name_dumped(&m);
	} else if (image->code) {
		/* A line of the map was the image's beginning, and brought the name. */
		err = begin_symbol(&m, m.addresses[0], m.addresses[m.count - 1]);
		if (err == 0) {
			text_string(&m.own.plt_names,
				    intern_text(finder->strings, image->code));
			job->entries++;
			text_string(&s->files.file,
				    intern_text(finder->strings, image->path));
			err = end_symbol_name(&m);
		}
	} else {
		if (!finder->options->compat)
			err = ask_dumps(&m);
		if (err == 0)
			err = ask_maps(&m);
	}
	if (err == 0)
		err = make_symtab(&m);
	if (err == 0 && (s->files.file.failed || s->files.problem.failed))
		err = -ENOMEM;
	/* make_symtab() hands the table over to the source: until then it is ours. */
	if (err < 0 && s->symbols != &s->own)
		symtab_release(&m.own);
	free(m.addresses);
	return err;
}

void jit_names_line(const struct jitdump *d, struct jitdump_lines *lines, uint64_t offset,
		    struct text *out)
{
	const struct jitdump_function *f = jitdump_find(d, offset);

	if (f)
		jitdump_line(d, lines, f, offset, out);
}

/* "outer->inlined->inlined": a part ends before the next arrow. That of operator-> is
 * none. */
size_t jit_name_part(const char *name, size_t size, size_t at)
{
	static const char word[] = "operator";
	const size_t length = sizeof(word) - 1;

	for (size_t i = at; i + 2 < size; i++) {
		if (name[i] != '-' || name[i + 1] != '>' || i == at)
			continue;
		if (i >= length && memcmp(name + i - length, word, length) == 0)
			continue;
		return i;
	}
	return size;
}
