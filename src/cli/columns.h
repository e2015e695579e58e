#ifndef CLI_COLUMNS_H
#define CLI_COLUMNS_H

#include "cli/analysis.h"
#include "cli/output.h"

/* Where a table or a call tree of text goes, and what that can show. */
struct page {
	FILE *out;
	bool colours, utf8;
	unsigned width, height; /* of the terminal, in characters; 0: it is none */
	struct ff_weight_unit unit;
	uint64_t total; /* what 100 % are */
};

struct page page_of(const struct ff_profile *p, FILE *out);

/* Its width and height as they are now. */
void page_measure(struct page *page, FILE *out);

/* "1,234 cycles of cycles:u", behind a "#". */
void put_heading(const struct page *page);

/* " 12.34", in perf's colours: from 5 % on red, from 0.5 % on green. */
void put_percent(const struct page *page, uint64_t part);

/* @part of @whole as a bar of @width characters. */
void put_bar(const struct page *page, uint64_t part, uint64_t whole, unsigned width);

/* A weight as it is printed, "12.5"; of the last two calls. */
const char *weight_text(const struct page *page, uint64_t weight);

/* How many characters a name has, and the name in @width of them at the most, its end cut. Padded
 * where @pad. */
unsigned name_width(const char *name);
void put_name(const struct page *page, const char *name, unsigned width, bool pad);

/* "libc.so.6" of its path. */
const char *module_name(const char *path);

static inline double share(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* One text of all inputs: reads them, writes by @put, and says what is missing. An exit code. */
struct text_job {
	const struct settings *settings;
	int (*put)(const struct text_job *job, struct ff_profile *p, FILE *out);
	const char *format;
};
int print_text(struct text_job *job);

#endif
