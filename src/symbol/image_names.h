#ifndef SYMBOL_IMAGE_NAMES_H
#define SYMBOL_IMAGE_NAMES_H

#include "base/keyed.h"
#include "symbol/naming.h"
#include "symbol/source.h"

/* A function of one image, before its strings have ids. */
struct image_function {
	size_t name, size; /* in the job's names */
	size_t file, file_size; /* likewise; file_size 0: not known */
	uint32_t line;
	bool unnamed, dropped, inlined;
};

/* Names for the frames of one image: a job of its own, with its own memory. */
struct image_names {
	uint32_t image;
	struct keyed *frames; /* key: as recorded; id: of the frame; borrowed */
	size_t count;
	enum function_kind kind;
	ARRAY(struct image_function) functions;
	ARRAY(uint32_t) inlined; /* as in struct symbols */
	struct text names;
	struct claim claim; /* for long names */
	/* Of the report: */
	struct text file, debug_file, problem;
	bool refused, debug_info;
	enum image_naming known;
	bool trouble; /* the problem is one to be warned of */
	uint64_t unnamed, entries;
};

/* Sets of_frame[id], for the frames of this image, to the index of a function of it, and
 * inlined_of_frame[id] to one in the job's inlined. 0, or -ENOMEM. */
int image_names_make(struct image_names *job, const struct source_finder *finder,
		     const struct frames *frames, uint32_t *of_frame,
		     uint32_t *inlined_of_frame);
void image_names_release(struct image_names *job);

#endif
