#ifndef SYMBOL_SYMBOL_H
#define SYMBOL_SYMBOL_H

#include <flamefold.h>

#include "stack/stack.h"
#include "symbol/clone.h"
#include "trie/trie.h"

/*
 * Unique (image, address) -> functions.
 *
 * Every frame is looked up once, when all stacks are merged: the frames of an image
 * sorted by address walk beside its sorted symbols. Only names that were hit are
 * demangled and tidied.
 */
enum function_kind {
	FUNCTION_LABEL, /* a process frame, or a name from folded text */
	FUNCTION_USER,
	FUNCTION_KERNEL, /* kernel, modules, BPF */
	FUNCTION_JIT,
	FUNCTION_INLINED, /* only with symbol_options.inline_mark; else as the others */
	FUNCTION_GAP, /* nothing to show: its value is its parent's own, at that place */
};

struct function {
	uint32_t name; /* as shown; never empty but for an empty name in folded text */
	uint32_t module; /* path as recorded; 0 for labels */
	/* Where debug information has it declared; 0: not known, or not asked for. What is
	 * declared in several places is in the first one that was found. */
	uint32_t file, line;
	uint8_t kind; /* enum function_kind */
	bool unnamed; /* no symbol covers it: name is made from the module */
	bool dropped; /* compat: stackcollapse-perf.pl leaves it out, so the named tree does */
	/* With keep_addresses, of what a file at hand might name, or name better: the image, and where
	 * in its file: 2 * offset + 1, one more of a caller; 0: not kept. */
	uint32_t image;
	uint64_t address;
};

enum symbol_inlines {
	SYMBOL_INLINES_AUTO, /* where their debug information is at hand; in compat mode
				only for stacks that perf unwinds itself, as perf 6.1 does */
	SYMBOL_INLINES_YES, /* for all of them */
	SYMBOL_INLINES_NO,
};

struct symbol_options {
	struct search_dirs dirs;
	const char *kallsyms; /* NULL: that of the recording, or /proc/kallsyms, checked
				 against it */
	const char *vmlinux;
	enum ff_unnamed unnamed;
	/* In compat mode _SHORT is what perf script prints, _FULL what it prints with -v. */
	enum ff_demangle demangle;
	bool merge_clones; /* f.isra.0 and f.cold are f */
	bool compat; /* names and kinds as stackcollapse-perf.pl makes them from what perf
			script prints; callers are looked up at the return address */
	bool srcline; /* append :file:line */
	bool declared; /* function.file and line */
	enum symbol_inlines inlines; /* functions whose code is in another one's */
	bool inline_mark; /* they are FUNCTION_INLINED */
	bool keep_addresses; /* of frames in files with a build id, without debug information */
	unsigned threads;
};

enum image_naming { SYMBOLS_NONE, SYMBOLS_EXPORTED, SYMBOLS_ALL };

/* What became of an image, for people. */
struct image_report {
	uint32_t file; /* string id of the path that was read; 0: none */
	uint32_t debug_file; /* string id of where more was found; 0: nowhere */
	uint32_t problem; /* string id of a sentence; 0: none */
	bool refused; /* a file was there, but provably is not the recorded one */
	bool debug_info; /* it has some */
	uint8_t names; /* enum image_naming */
	uint64_t frames, unnamed;
	uint64_t entries; /* functions that a runtime's map or dump has */
};

struct symbols {
	ARRAY(struct function) functions;
	struct hash_set functions_by_key;
	ARRAY(uint32_t) of_frame; /* by frame id: index in functions */
	/* Functions that were inlined there, called by that one. By frame id: where they
	 * begin in inlined: their number, then indexes in functions, outermost first. */
	ARRAY(uint32_t) inlined_of_frame;
	ARRAY(uint32_t) inlined; /* [0] is 0: none */
	ARRAY(struct image_report) images; /* by image id */
};

/* The inlined functions of a frame, outermost first. */
static inline const uint32_t *symbols_inlined(const struct symbols *s, uint32_t frame,
					      uint32_t *count)
{
	const uint32_t *run;

	*count = 0;
	if (frame >= s->inlined_of_frame.count)
		return NULL;
	run = &s->inlined.v[s->inlined_of_frame.v[frame]];
	*count = run[0];
	return run + 1;
}

struct symbolizer;

/* @images, @strings outlive it. Strings are added only inside symbolizer_run(). */
int symbolizer_new(struct context *ctx, const struct images *images,
		   struct intern *strings, const struct symbol_options *options,
		   struct symbolizer **ret);
void symbolizer_free(struct symbolizer *s); /* NULL is fine */

/* Names that came with a recording count, too. @rec outlives it. 0, or -ENOMEM. */
int symbolizer_add_recording(struct symbolizer *s, const struct recording *rec);

/* Kernel addresses will be asked for: begin to read kallsyms in a thread. Any number of
 * times, from any thread. */
void symbolizer_expect_kernel(struct symbolizer *s);

/*
 * Names all frames. Missing or damaged objects are no errors: their reports say so. @symbols
 * is zeroed, or what an earlier run made of the same frames when they were fewer: then new
 * ones are named, and code of runtimes that had no name. On failure it is released.
 */
int symbolizer_run(struct context *ctx, struct symbolizer *s, const struct frames *frames,
		   struct symbols *symbols);
void symbols_release(struct symbols *s);

/* All names, so that the next run makes them again; what was said of images is not said twice. */
void symbols_forget(struct symbols *s);

/*
 * *@map: for each frame the first one that shows the same functions of the same image, to
 * be freed by the caller. All frames have been named; those that may yet get another name
 * stand for themselves. 0, or -ENOMEM.
 */
int symbols_equivalence(const struct symbols *symbols, const struct frames *frames,
			const struct images *images, uint32_t **map);

#endif
