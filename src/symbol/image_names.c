/*
 * Recorded addresses become those of the symbol table, are sorted, and are then gone
 * through beside the sorted spans of symbols, together with what debug information says
 * of each. That is one pass over both, and only symbols that a frame hits are named.
 *
 * A name is made once for each symbol, each function known only by where it begins, and
 * each inlined function with its place; frames refer to it. Hostile files are bounded by
 * the bytes of all names, the parts of one, and what the budget has left: a long name
 * that finds nothing there is "[memory limit]".
 */
#include "symbol/image_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/alias.h"
#include "symbol/jit_names.h"
#include "symbol/spelling.h"

enum {
	/* Bytes of the names of an image's functions; then names stay as they are spelled. */
	MOST_NAMES = 1 << 26,
	/* Functions that a runtime says it inlined at one place: HotSpot's limit is 15. Each is
	 * a node wherever the place is in a stack. */
	MOST_PARTS = 64,
	/* Symbols of a hostile file have one long text for a name, each from another place
	 * in it on. So names may take some times what there is of texts; those that come
	 * behind that are cut, and nothing is said about where they were declared. */
	NAMES_FREE = 1 << 24,
	NAMES_A_BYTE = 16,
	LONG_NAME = 1 << 10,
};

/* What it takes to name the frames of one image. Only what image_names_make() releases is
 * its own. */
struct naming_job {
	struct image_names *job;
	const struct source_finder *finder;
	const struct frames *frames;
	uint32_t *of_frame, *inlined_of_frame;
	struct source source;
	struct naming naming;
	struct spelling spelling;
	struct alias alias;
	size_t names_most; /* bytes of names, before they are cut */
	struct hash_map by_symbol; /* index in functions, where the symbol decides it */
	uint32_t unnamed; /* the same for what has no symbol; HASH_NONE: not yet */
	struct hash_map by_start; /* the same where at least its function is known */
	struct hash_map runs; /* by symbol: of what was inlined, in the job's inlined */
	struct text symbol; /* demangled */
	struct text call_site; /* file:line */
	struct jitdump_lines lines; /* of the function that was asked for last */
	const struct inline_frame
		*declared; /* of the function that is named; NULL: not known */
	/* Inlined functions, by how debug information spells them, and by that and place. */
	struct intern spellings;
	struct hash_map by_spelling;
};

/* The address of a caller is kept one less than its return address, inside of the
 * call. */
static uint64_t recorded_pc(const struct frame *f)
{
	return f->address + (f->flags & FRAME_CALLER ? 1 : 0);
}

/* Appends a function; HASH_NONE without memory. */
static uint32_t add_image_function(struct naming_job *n, const struct name_parts *named)
{
	enum { SHORT = 64 };
	static const char limit[] = "[memory limit]";
	struct image_names *job = n->job;
	struct budget *budget = n->finder->options->dirs.budget;
	struct image_function *f = array_add(&job->functions);
	struct name_parts parts = *named;
	bool cut = job->names.size > n->names_most;

	if (!f)
		return HASH_NONE;
	if (cut && parts.size > LONG_NAME)
		parts.size = LONG_NAME;
	/* Short names are a part of what a frame has claimed. */
	if (parts.size > SHORT &&
	    !claim_add(&job->claim, budget, 2 * (uint64_t)parts.size)) {
		budget_refuse(budget, "names of functions", n->naming.path);
		parts.symbol = limit;
		parts.size = sizeof(limit) - 1;
		parts.whole = true;
	}
	f->name = job->names.size;
	f->unnamed = !parts.symbol;
	f->inlined = parts.inlined;
	f->dropped = !naming_add(&n->naming, &parts, &job->names);
	if (n->call_site.size > 0) {
		text_char(&job->names, ':');
		text_add(&job->names, n->call_site.bytes, n->call_site.size);
	}
	f->size = job->names.size - f->name;
	f->line = 0;
	f->file_size = 0;
	if (n->declared && n->declared->declared && !cut) {
		f->line = n->declared->declared_line;
		f->file = job->names.size;
		f->file_size = strlen(n->declared->declared);
		text_add(&job->names, n->declared->declared, f->file_size);
	}
	if (job->names.failed || n->symbol.failed || n->call_site.failed)
		return HASH_NONE;
	return (uint32_t)job->functions.count - 1;
}

static void set_call_site(struct naming_job *n, const struct inline_frame *f)
{
	const char *slash;

	text_clear(&n->call_site);
	if (!n->finder->options->srcline || !f || !f->file)
		return;
	slash = strrchr(f->file, '/');
	text_printf(&n->call_site, "%s:%u", slash ? slash + 1 : f->file, f->line);
}

/* The place of the function that has the code of its own: where it calls what was
 * inlined, or with those left out where the address is. */
static void set_outer_call_site(struct naming_job *n, const struct inline_chain *chain)
{
	bool inlines = n->finder->options->inlines != SYMBOL_INLINES_NO;

	set_call_site(n, chain->count ? &chain->frames[inlines ? chain->count - 1 : 0]
				      : NULL);
}

static bool is_runtimes(const struct naming_job *n)
{
	return n->naming.image->owner && !n->finder->options->compat;
}

/*
 * What a runtime says that it inlined: a run of the functions behind the first one, once
 * for each symbol.
 *
 *	inlined[run]        how many follow
 *	inlined[run + 1]    the outermost of them, ...
 *
 * Index 0 is taken before the first run, so run 0 says that there is none.
 */
static int add_parts(struct naming_job *n, uint32_t symbol, uint32_t frame)
{
	uint32_t *known = hash_map_get(&n->runs, symbol), run, function;
	struct image_names *job = n->job;
	size_t at, next, size;

	if (known) {
		n->inlined_of_frame[frame] = *known;
		return 0;
	}
	text_clear(&n->symbol);
	spell_symbol(&n->spelling, n->source.symbols,
		     &n->source.symbols->symbols.v[symbol], &n->symbol);
	at = jit_name_part(n->symbol.bytes, n->symbol.size, 0);
	if (job->inlined.count == 0 && !array_add(&job->inlined))
		return -ENOMEM;
	run = at < n->symbol.size ? (uint32_t)job->inlined.count : 0;
	if (!hash_map_set(&n->runs, symbol, run) || (run && !array_add(&job->inlined)))
		return -ENOMEM;
	n->inlined_of_frame[frame] = run;
	text_clear(&n->call_site);
	size = n->symbol.size;
	for (uint32_t count = 1; at < size; at = next, count++) {
		struct name_parts parts = { .symbol = n->symbol.bytes + at + 2 };

		next = count < MOST_PARTS ? jit_name_part(n->symbol.bytes, size, at + 2)
					  : size;
		parts.size = next - at - 2;
		function = add_image_function(n, &parts);
		if (function == HASH_NONE || !array_reserve(&job->inlined, 1))
			return -ENOMEM;
		*array_add(&job->inlined) = function;
		job->inlined.v[run]++;
	}
	return 0;
}

static uint32_t name_symbol(struct naming_job *n, uint32_t symbol, uint64_t address,
			    uint64_t pc, const struct inline_chain *chain)
{
	const struct symbol *s = &n->source.symbols->symbols.v[symbol];
	uint32_t *known = hash_map_get(&n->by_symbol, symbol), function;
	struct name_parts parts = { .offset = address - s->start, .pc = pc };
	/* Names that hold more than the symbol are made for every address. */
	bool by_address = n->finder->options->srcline ||
			  (n->finder->options->compat && strstr(n->naming.path, " ("));

	if (known && !by_address)
		return *known;
	text_clear(&n->symbol);
	/* Names of other sources may be written with their parameters. */
	parts.whole = spell_symbol(&n->spelling, n->source.symbols, s, &n->symbol) ||
		      n->source.by_offset;
	set_outer_call_site(n, chain);
	if (n->source.dump && n->finder->options->srcline) {
		text_clear(&n->call_site);
		jit_names_line(n->source.dump, &n->lines, address, &n->call_site);
	}
	parts.symbol = n->symbol.bytes ? n->symbol.bytes : "";
	parts.size = n->symbol.size;
	n->declared = chain->count ? &chain->frames[chain->count - 1] : NULL;
	if (is_runtimes(n))
		parts.size = jit_name_part(parts.symbol, n->symbol.size, 0);
	function = add_image_function(n, &parts);
	n->declared = NULL;
	if (function != HASH_NONE && !hash_map_set(&n->by_symbol, symbol, function))
		return HASH_NONE;
	return function;
}

/* Functions that only debug information knows: one for each spelling and place. */
static uint32_t name_by_debug(struct naming_job *n, const struct inline_frame *f,
			      struct name_parts *parts)
{
	struct spelling how = n->spelling;
	uint32_t spelling, call_site, function, *known;
	uint64_t key;

	if (intern_add(&n->spellings, f->name, strlen(f->name), &spelling) < 0 ||
	    intern_add(&n->spellings, n->call_site.bytes ? n->call_site.bytes : "",
		       n->call_site.size, &call_site) < 0)
		return HASH_NONE;
	key = ((uint64_t)spelling << 32 | call_site) << 1 | parts->inlined;
	known = hash_map_get(&n->by_spelling, key);
	if (known)
		return *known;
	/* A few bytes of a mangled name can be very many of a plain one. */
	if (!f->mangled || n->job->names.size > MOST_NAMES)
		how.form = DEMANGLE_NO;
	text_clear(&n->symbol);
	spell(&how, f->name, strlen(f->name), &n->symbol);
	parts->whole = true;
	parts->symbol = n->symbol.bytes ? n->symbol.bytes : "";
	parts->size = n->symbol.size;
	n->declared = f;
	function = add_image_function(n, parts);
	n->declared = NULL;
	if (function != HASH_NONE && !hash_map_set(&n->by_spelling, key, function))
		return HASH_NONE;
	return function;
}

/* @address: in the object; NULL where it is not known. */
static uint32_t name_unnamed(struct naming_job *n, const uint64_t *address, uint64_t pc,
			     const struct inline_chain *chain)
{
	const struct symbol_options *options = n->finder->options;
	struct name_parts parts = { .pc = pc };
	uint32_t function, *known;
	int found = 0;

	if (chain->count && *chain->frames[chain->count - 1].name) {
		set_outer_call_site(n, chain);
		return name_by_debug(n, &chain->frames[chain->count - 1], &parts);
	}
	n->job->unnamed++;
	text_clear(&n->call_site);
	if (address && options->unnamed == FF_UNNAMED_FUNCTION && !options->compat)
		found = source_function(&n->source, *address, &parts.start);
	if (found < 0)
		return HASH_NONE;
	/* By where the function begins: all of its addresses have one name. */
	parts.has_start = found;
	if (parts.has_start) {
		known = hash_map_get(&n->by_start, parts.start);
		if (known)
			return *known;
		function = add_image_function(n, &parts);
		if (function != HASH_NONE &&
		    !hash_map_set(&n->by_start, parts.start, function))
			return HASH_NONE;
		return function;
	}
	if (n->unnamed == HASH_NONE || options->unnamed == FF_UNNAMED_ADDRESS)
		n->unnamed = add_image_function(n, &parts);
	return n->unnamed;
}

/* The frames with an address of the symbol table come first, with that as their key;
 * the others get their name. */
static int key_frames(struct naming_job *n, size_t *count)
{
	const struct inline_chain none = { NULL, 0 };
	struct image_names *job = n->job;
	/* Code that the kernel made is named by the record that announced it. */
	bool by_path = n->naming.image->kind == IMAGE_KSYMBOL && *n->naming.path;
	struct name_parts path = { .symbol = n->naming.path,
				   .size = strlen(n->naming.path) };

	*count = 0;
	for (size_t i = 0; i < job->count; i++) {
		uint32_t id = job->frames[i].id;
		const struct frame *f = &n->frames->list.v[id];
		uint64_t pc = recorded_pc(f), address;

		if (by_path) {
			text_clear(&n->call_site);
			path.pc = pc;
			if (n->unnamed == HASH_NONE)
				n->unnamed = add_image_function(n, &path);
			n->of_frame[id] = n->unnamed;
		} else if (n->source.symbols &&
			   source_address(&n->source,
					  n->finder->options->compat ? pc : f->address,
					  &address)) {
			/* The one that stood there has got its name by now. */
			job->frames[i] = job->frames[*count];
			job->frames[(*count)++] = (struct keyed){ address, id };
			continue;
		} else {
			n->of_frame[id] = name_unnamed(n, NULL, pc, &none);
		}
		if (n->of_frame[id] == HASH_NONE)
			return -ENOMEM;
	}
	return 0;
}

/*
 * The symbol that covers @address; false where none does. That of a caller may be the function
 * behind it, whose first byte a return address is:
 *
 * Kernels have padding before functions, with symbols of its own, that calls nothing: what looks
 * like a return address behind it is the function that a thunk is about to jump to.
 *
 * Elsewhere that is what the last call of the function before it left behind, or what somebody has
 * put on the stack who does not call: the kernel that of __restore_rt, makecontext() that of
 * __start_context.
 */
static bool symbol_of_address(struct naming_job *n, uint64_t *address, bool caller,
			      size_t *at, uint32_t *ret)
{
	const struct symtab *st = n->source.symbols;
	const struct spans *spans = &st->spans;
	const struct span *span = spans_next(spans, *address, at);
	size_t next = *at + (span != NULL), size;
	uint64_t ra = *address + 1;
	const char *name;
	bool is_next;

	if (span)
		*ret = alias_choose(&n->alias, span->id, *address);
	if (!caller)
		return span;
	if (n->source.raw) {
		name = span ? symtab_name(st, &st->symbols.v[*ret], &size) : NULL;
		is_next = name && size > 6 && memcmp(name, "__pfx_", 6) == 0;
	} else {
		is_next = next < spans->list.count && spans->list.v[next].start == ra &&
			  (!span || span->end == ra) && source_calls_not(&n->source, ra);
	}
	if (!is_next)
		return span;
	*address = ra;
	span = spans_find(spans, ra);
	if (span)
		*ret = alias_choose(&n->alias, span->id, ra);
	return span;
}

/* Appends a run of the functions that were inlined at an address. Those whose name is
 * not to be had (a file that it was moved to is missing) are left out. */
static int add_inlined(struct naming_job *n, const struct inline_chain *chain,
		       uint32_t frame, uint64_t pc)
{
	struct image_names *job = n->job;
	uint32_t run, function;

	if (chain->count < 2 || n->finder->options->inlines == SYMBOL_INLINES_NO)
		return 0;
	if (job->inlined.count == 0 && !array_add(&job->inlined))
		return -ENOMEM;
	if (!array_reserve(&job->inlined, chain->count))
		return -ENOMEM;
	run = (uint32_t)job->inlined.count;
	*array_add(&job->inlined) = 0;
	n->inlined_of_frame[frame] = run;
	/* The chain has the innermost function first and the one with the symbol last. A
	 * run goes the other way, and without the latter. */
	for (size_t i = chain->count - 1; i-- > 0;) {
		struct name_parts parts = { .pc = pc, .inlined = true };

		if (!*chain->frames[i].name)
			continue;
		set_call_site(n, &chain->frames[i]);
		function = name_by_debug(n, &chain->frames[i], &parts);
		if (function == HASH_NONE)
			return -ENOMEM;
		*array_add(&job->inlined) = function;
		job->inlined.v[run]++;
	}
	return 0;
}

static int name_image_frames(struct naming_job *n)
{
	bool compat = n->finder->options->compat;
	struct inlines *in = n->source.inlines;
	uint64_t *addresses;
	size_t count, at = 0;
	int err = key_frames(n, &count);

	if (err == 0)
		err = keyed_sort(n->job->frames, count);
	if (err == 0 && in) {
		addresses = malloc((count + 1) * sizeof(*addresses));
		if (!addresses)
			return -ENOMEM;
		for (size_t i = 0; i < count; i++)
			addresses[i] = n->job->frames[i].key;
		err = inlines_find(in, addresses, count);
		free(addresses);
		if (err == 0)
			source_add_inline_problem(&n->source, inlines_problem(in));
		n->source.files.trouble |= inlines_crashed(in);
	}
	/* Sorted addresses beside sorted symbols. */
	for (size_t i = 0; i < count && err == 0; i++) {
		uint64_t recorded = n->job->frames[i].key, address = recorded;
		uint32_t id = n->job->frames[i].id, symbol = 0;
		const struct frame *f = &n->frames->list.v[id];
		bool caller = f->flags & FRAME_CALLER && !compat;
		struct inline_chain chain = { NULL, 0 };
		bool found = symbol_of_address(n, &address, caller, &at, &symbol);

		/* What debug information says is of the address that was recorded. */
		if (address == recorded && in)
			chain = inlines_at(in, i);
		if (found)
			n->of_frame[id] =
				name_symbol(n, symbol, address, recorded_pc(f), &chain);
		else
			n->of_frame[id] =
				name_unnamed(n, &address, recorded_pc(f), &chain);
		if (n->of_frame[id] == HASH_NONE || n->alias.failed ||
		    add_inlined(n, &chain, id, recorded_pc(f)) < 0 ||
		    (is_runtimes(n) && found && add_parts(n, symbol, id) < 0))
			err = -ENOMEM;
	}
	return err;
}

/* What runtimes make has no clones, and functions of Go may be called like one. */
static struct spelling spelling_of(const struct symbol_options *options,
				   const struct image *image, const struct source *source)
{
	struct spelling s = { .form = options->demangle == FF_DEMANGLE_FULL
					      ? DEMANGLE_FULL
				      : options->demangle == FF_DEMANGLE_NO
					      ? DEMANGLE_NO
					      : DEMANGLE_SHORT,
			      .rust_only = source->raw,
			      .merge_clones = options->merge_clones && !image->owner &&
					      !source_is_go(source) };

	s.no_versions = source->by_offset && !options->compat && s.form != DEMANGLE_NO &&
			!source_is_go(source);
	if (options->compat && source->raw)
		s.form = DEMANGLE_NO;
	else if (options->compat && s.form == DEMANGLE_SHORT)
		s.form = DEMANGLE_PERF;
	return s;
}

int image_names_make(struct image_names *job, const struct source_finder *finder,
		     const struct frames *frames, uint32_t *of_frame,
		     uint32_t *inlined_of_frame)
{
	const struct image *image = &finder->images->list.v[job->image];
	struct naming_job n = {
		.job = job,
		.finder = finder,
		.frames = frames,
		.of_frame = of_frame,
		.inlined_of_frame = inlined_of_frame,
		.unnamed = HASH_NONE,
	};
	struct found *files = &n.source.files;
	int err = naming_init(&n.naming, finder->options, image,
			      intern_text(finder->strings, image->path));

	if (err == 0)
		err = intern_init(&n.spellings);
	if (err == 0)
		err = source_open(finder, job->image, &n.source);
	if (err == 0)
		err = jit_names_add(finder, frames, job, &n.source);
	if (err < 0)
		goto out;
	job->kind = naming_kind(&n.naming);
	n.naming.replaced = image->kind == IMAGE_FILE && files->refused;
	n.names_most = NAMES_FREE;
	for (size_t i = 0; n.source.symbols && i < SYMBOL_TABLES; i++)
		n.names_most += NAMES_A_BYTE * n.source.symbols->names[i].size;
	n.spelling = spelling_of(finder->options, image, &n.source);
	alias_init(&n.alias, n.source.symbols,
		   n.source.raw ? DEMANGLE_NO : DEMANGLE_PERF);
	err = name_image_frames(&n);
	source_note_failed_reads(&n.source);
	if (job->unnamed && n.source.stripped && files->problem.size == 0)
		text_string(&files->problem,
			    "it is stripped, and there is no debug file "
			    "for it: only exported functions have names");
	/* Texts of the report are the job's from here on. */
	job->file = files->file;
	job->debug_file = files->debug_file;
	job->problem = files->problem;
	job->trouble |= files->trouble && files->problem.size > 0;
	job->refused = files->refused;
	job->debug_info = source_has_debug_info(&n.source);
	job->known = source_naming(&n.source);
	files->file = files->debug_file = files->problem = (struct text){ 0 };
out:
	alias_release(&n.alias);
	hash_map_release(&n.by_symbol);
	hash_map_release(&n.by_start);
	hash_map_release(&n.by_spelling);
	intern_release(&n.spellings);
	hash_map_release(&n.runs);
	text_release(&n.symbol);
	text_release(&n.call_site);
	jitdump_lines_release(&n.lines);
	source_close(&n.source);
	naming_release(&n.naming);
	return err;
}

void image_names_release(struct image_names *job)
{
	array_release(&job->functions);
	array_release(&job->inlined);
	text_release(&job->names);
	claim_release(&job->claim);
	text_release(&job->file);
	text_release(&job->debug_file);
	text_release(&job->problem);
}
