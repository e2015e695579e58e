/*
 * Text for terminals: what top and tree share. A pipe gets plain columns. A terminal gets colours,
 * bars and lines no wider than it is; names that somebody else chose reach neither of them with a
 * control character.
 */
#include "cli/columns.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/result.h"
#include "cli/summary.h"
#include "cli/terminal.h"

#define PLAIN "\033[m"

/* $COLUMNS and $LINES win, as with others: tests and "watch" set them. */
static unsigned terminal_size(FILE *out, const char *variable, bool columns)
{
	const char *given = getenv(variable);
	struct winsize size;
	unsigned long number = given ? strtoul(given, NULL, 10) : 0;

	if (!isatty(fileno(out)))
		return 0;
	if (number > 0 && number < 10000)
		return (unsigned)number;
	if (ioctl(fileno(out), TIOCGWINSZ, &size) < 0 || !size.ws_col || !size.ws_row)
		return columns ? 80 : 24;
	return columns ? size.ws_col : size.ws_row;
}

void page_measure(struct page *page, FILE *out)
{
	page->width = terminal_size(out, "COLUMNS", true);
	page->height = terminal_size(out, "LINES", false);
}

struct page page_of(const struct ff_profile *p, FILE *out)
{
	struct page page = {
		.out = out,
		.colours = has_colours(out),
		.utf8 = has_utf8(),
		.unit = ff_profile_weight_unit(p),
		.total = ff_profile_total(p, FF_TOTAL_WEIGHT_TREE),
	};

	page_measure(&page, out);
	return page;
}

const char *weight_text(const struct page *page, uint64_t weight)
{
	static char texts[2][48];
	static unsigned next;
	char *text = texts[next++ % 2];
	unsigned decimals = page->unit.decimals;
	uint64_t unit = 1;

	for (unsigned i = 0; i < decimals; i++)
		unit *= 10;
	if (decimals)
		snprintf(text, sizeof(texts[0]), "%" PRIu64 ".%0*" PRIu64, weight / unit,
			 (int)decimals, weight % unit);
	else
		snprintf(text, sizeof(texts[0]), "%" PRIu64, weight);
	return text;
}

void put_heading(const struct page *page)
{
	fprintf(page->out, "# %s ",
		page->unit.decimals ? weight_text(page, page->total)
				    : grouped(page->total));
	put_clean(page->out, page->unit.name);
	if (page->unit.events && strcmp(page->unit.events, page->unit.name) != 0) {
		fputs(" of ", page->out);
		put_clean(page->out, page->unit.events);
	}
	fputs("\n", page->out);
}

void put_percent(const struct page *page, uint64_t part)
{
	double percent = share(part, page->total);
	const char *colour = !page->colours   ? ""
			     : percent >= 5   ? "\033[31m"
			     : percent >= 0.5 ? "\033[32m"
					      : "";

	fprintf(page->out, "%s%6.2f%%%s", colour, percent, *colour ? PLAIN : "");
}

void put_bar(const struct page *page, uint64_t part, uint64_t whole, unsigned width)
{
	/* Eighths of a character. */
	static const char *const ends[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
	/* Where there are none, whole ones. */
	unsigned steps = page->utf8 ? 8 : 1;
	unsigned eighths =
		8 / steps * (unsigned)(share(part, whole) / 100 * steps * width + 0.5);
	unsigned used = eighths / 8 + (eighths % 8 > 0);

	if (page->colours)
		fputs("\033[36m", page->out);
	for (unsigned i = 0; i < eighths / 8; i++)
		fputs(page->utf8 ? "█" : "#", page->out);
	fprintf(page->out, "%s%s%*s", ends[eighths % 8], page->colours ? PLAIN : "",
		(int)(width - used), "");
}

/* Columns of one character of @size bytes, 0: of what is no UTF-8. Blocks of Unicode 15's East Asian Width
 * W and F, and of marks that stand on the character before them; the C library knows them in some locales
 * only. */
static unsigned character_width(const char *name, size_t size)
{
	static const struct {
		uint32_t from, to;
		unsigned width;
	} blocks[] = {
		{ 0x300, 0x36f, 0 },	 { 0x1100, 0x115f, 2 },	  { 0x200b, 0x200f, 0 },
		{ 0x20d0, 0x20ff, 0 },	 { 0x2e80, 0x303e, 2 },	  { 0x3041, 0xa4cf, 2 },
		{ 0xa960, 0xa97f, 2 },	 { 0xac00, 0xd7a3, 2 },	  { 0xf900, 0xfaff, 2 },
		{ 0xfe00, 0xfe0f, 0 },	 { 0xfe30, 0xfe6f, 2 },	  { 0xff01, 0xff60, 2 },
		{ 0xffe0, 0xffe6, 2 },	 { 0x1f300, 0x1f64f, 2 }, { 0x1f680, 0x1f6ff, 2 },
		{ 0x1f900, 0x1faff, 2 }, { 0x20000, 0x3fffd, 2 },
	};
	uint32_t c = size > 1 ? (unsigned char)*name & (0x7fu >> size) : 0;

	for (size_t i = 1; i < size; i++)
		c = c << 6 | ((unsigned char)name[i] & 0x3f);
	for (size_t i = 0; i < sizeof(blocks) / sizeof(*blocks); i++)
		if (c >= blocks[i].from && c <= blocks[i].to)
			return blocks[i].width;
	return 1;
}

unsigned name_width(const char *name)
{
	unsigned width = 0;

	while (*name) {
		size_t size = ff_utf8_size(name);

		width += character_width(name, size);
		name += size ?: 1;
	}
	return width;
}

void put_name(const struct page *page, const char *name, unsigned width, bool pad)
{
	bool cut = name_width(name) > width && width > 2;
	unsigned shown = cut ? 2 : 0;
	char bytes[8];

	while (*name) {
		size_t size = ff_utf8_size(name);
		unsigned columns = character_width(name, size);

		if (shown + columns > width)
			break;
		shown += columns;
		snprintf(bytes, sizeof(bytes), "%.*s", size ? (int)size : 1,
			 size ? name : "?");
		put_clean(page->out, bytes);
		name += size ?: 1;
	}
	fprintf(page->out, "%s%*s", cut ? ".." : "", pad ? (int)(width - shown) : 0, "");
}

const char *module_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash && slash[1] ? slash + 1 : path ? path : "";
}

int print_text(struct text_job *job)
{
	const struct settings *s = job->settings;
	const char *const *inputs;
	struct analysis a = { 0 };
	struct output out = { 0 };
	struct format format;
	size_t count;
	int err, code = text_prepare(s, &format, &inputs, &count);

	job->format = format.name;
	if (code == 0)
		code = analyse(s, inputs, count, &a);
	if (code == 0 && !ff_profile_total(a.profile, FF_TOTAL_WEIGHT_TREE)) {
		explain_empty(a.profile);
		code = EXIT_INPUT;
	}
	if (code == 0)
		code = output_open(&out, s->output);
	if (code)
		goto out;
	err = job->put(job, a.profile, out.stream);
	code = output_close(&out, err, ff_profile_error(a.profile));
	/* Who reads has seen enough, like "| head": there is nothing to add. */
	if (code == 0 && (s->stats || s->verbose))
		print_stats(&a, now());
	if (code == 0 && !s->quiet)
		print_missing(s, a.profile, NULL);
	if (code == 0 || code == OUTPUT_UNREAD)
		code = analysis_code(&a);
out:
	analysis_release(&a);
	return code;
}
