#ifndef TESTS_SYMBOL_SUBJECT_H
#define TESTS_SYMBOL_SUBJECT_H

#include "symbol/symbol.h"

/*
 * What symbolizer tests start from: images and frames made by hand.
 *
 *	subject_begin();
 *	image = add_image(IMAGE_FILE, "/bin/a", NULL);
 *	frame = add_frame(image, 0x410, 0);
 *	run();
 *	name_of(frame)
 *	subject_end();
 */
struct subject {
	struct context ctx;
	struct intern strings;
	struct images images;
	struct frames frames;
	struct symbol_options options;
	struct symbols symbols;
	bool ran;
};

extern struct subject subject;

void subject_begin(void);
void subject_end(void);

uint32_t string(const char *text);
/* @build_id: 20 characters, or NULL. */
uint32_t add_image(enum image_kind kind, const char *path, const char *build_id);
uint32_t add_frame(uint32_t image, uint64_t address, uint32_t flags);
void run(void);

const struct function *function_of(uint32_t frame);
const char *name_of(uint32_t frame);
/* "main f g": the functions of a frame, outermost first. */
const char *chain_of(uint32_t frame);
const char *problem_of(uint32_t image);
const char *file_of(uint32_t image);

#endif
