/*
 * Folded text: "a;b;c 12" a line. What is a count, and what belongs to the last name,
 * is flamegraph.pl's rule: digits at the end of the line with white space before them.
 * Where every line has two such counts the text is differential, as difffolded.pl
 * writes it; where only some have, the first of the two is part of the name. Lines that
 * begin with "# " are comments, as inferno has them. So all lines are read twice: first
 * to count what they are, then to hand them out. Where more than a tenth has no count,
 * the text is something else, and foreign.h may know what.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "input/foreign.h"
#include "input/lines.h"
#include "input/perf.h"

struct folded {
	struct lines lines;
	unsigned decimals;
	bool differential;
	uint64_t counted, size; /* lines with a count; bytes: when it was opened */
	uint64_t counted_again; /* of those that were handed out */
};

enum {
	DECIMALS_MOST = 6,
	IGNORED_PART = 10, /* of all lines: where more than a tenth is none, none is */
};

/* Without blanks behind it, which tools that write columns leave there. */
static int next_line(struct context *ctx, struct input *in, const char **line,
		     size_t *size)
{
	int err = lines_next(ctx, &in->folded->lines, "folded text", line, size);

	while (err > 0 && *size && isblank((unsigned char)(*line)[*size - 1]))
		--*size;
	return err;
}

/* A count as it stands in the text: digits, and how many of them are decimals. */
struct count {
	const char *digits;
	size_t size, decimals;
};

/* Takes a count and one white space off the end of @line. */
static bool cut_count(const char *line, size_t *size, struct count *ret)
{
	size_t end = *size, i = end, decimals = 0;

	while (i > 0 && isdigit((unsigned char)line[i - 1]))
		i--;
	if (i > 0 && line[i - 1] == '.') {
		decimals = end - i;
		i--;
		while (i > 0 && isdigit((unsigned char)line[i - 1]))
			i--;
	}
	if (i == end || i == 0 || !isspace((unsigned char)line[i - 1]) || line[i] == '.')
		return false;
	*ret = (struct count){ line + i, end - i, decimals };
	*size = i - 1;
	return true;
}

static bool add_digit(uint64_t *value, char digit)
{
	return !__builtin_mul_overflow(*value, 10, value) &&
	       !__builtin_add_overflow(*value, (uint64_t)(digit - '0'), value);
}

/* In units of 10^-decimals. False where the number is too large to be one. */
static bool count_value(const struct count *count, unsigned decimals, uint64_t *ret)
{
	size_t whole = count->size - count->decimals;

	*ret = 0;
	for (size_t i = 0; i < whole && count->digits[i] != '.'; i++)
		if (!add_digit(ret, count->digits[i]))
			return false;
	for (size_t i = 0; i < decimals; i++)
		if (!add_digit(ret, i < count->decimals ? count->digits[whole + i] : '0'))
			return false;
	return true;
}

static unsigned shown_decimals(const struct count *count)
{
	return count->decimals < DECIMALS_MOST ? (unsigned)count->decimals
					       : DECIMALS_MOST;
}

/* Whatever it ends in. */
static bool is_comment(const char *line, size_t size)
{
	return size >= 2 && line[0] == '#' && line[1] == ' ';
}

/* It has no count and need not have one. "#0 0x1234 in main" is of a backtrace. */
static bool is_idle(const char *line, size_t size)
{
	size_t i = 0;

	while (i < size && isspace((unsigned char)line[i]))
		i++;
	return i == size || (line[i] == '#' &&
			     (i + 1 == size || !isdigit((unsigned char)line[i + 1])));
}

static int is_foreign(struct context *ctx, const struct input *in,
		      const struct foreign *foreign)
{
	return fail(ctx, -EBADMSG, "'%s' looks like %s: %s", in->file.path, foreign->name,
		    foreign->remedy);
}

/* Asks one of foreign.h's questions about its beginning. */
static int ask_beginning(struct context *ctx, struct input *in,
			 const struct foreign *(*question)(const char *, size_t),
			 const struct foreign **ret)
{
	struct lines *l = &in->folded->lines;
	bool more;
	int err;

	lines_seek(l, 0);
	err = lines_refill(ctx, l, &more);
	if (err == 0)
		*ret = question(l->bytes + l->start, l->end - l->start < FOREIGN_BEGINNING
							     ? l->end - l->start
							     : FOREIGN_BEGINNING);
	lines_seek(l, 0);
	return err;
}

/* Too many lines are no stacks: it is something else, or damaged. */
static int refuse_text(struct context *ctx, struct input *in, uint64_t valid,
		       uint64_t ignored)
{
	const struct foreign *foreign;
	int err = ask_beginning(ctx, in, foreign_guess, &foreign);

	if (err < 0)
		return err;
	if (foreign)
		return is_foreign(ctx, in, foreign);
	if (valid == 0)
		return fail(ctx, -EBADMSG,
			    "'%s' is neither a perf.data nor folded text: no line ends "
			    "in a count",
			    in->file.path);
	return fail(ctx, -EBADMSG,
		    "'%s' is not folded text, such as main;f;g 12: %" PRIu64
		    " of its %" PRIu64 " lines do not end in a count",
		    in->file.path, ignored, valid + ignored);
}

int folded_open(struct context *ctx, struct input *in)
{
	struct folded *f = in->folded = calloc(1, sizeof(*f));
	uint64_t valid = 0, ignored = 0, twice = 0;
	const struct foreign *foreign;
	const char *line;
	size_t size;
	int err;

	if (!f)
		return fail_memory(ctx);
	err = lines_open(ctx, &in->file, &f->lines);
	if (err == 0)
		err = ask_beginning(ctx, in, foreign_recognise, &foreign);
	if (err == 0 && foreign)
		err = is_foreign(ctx, in, foreign);
	if (err < 0)
		return err;
	/* What kind of text it is, from all of its lines. */
	while ((err = next_line(ctx, in, &line, &size)) > 0) {
		struct count count, before;

		if (is_comment(line, size))
			continue;
		if (!cut_count(line, &size, &count)) {
			ignored += !is_idle(line, size);
			continue;
		}
		valid++;
		if (shown_decimals(&count) > f->decimals)
			f->decimals = shown_decimals(&count);
		if (!cut_count(line, &size, &before))
			continue;
		twice++;
		if (shown_decimals(&before) > f->decimals)
			f->decimals = shown_decimals(&before);
	}
	if (err == 0 && ignored > (valid + ignored) / IGNORED_PART)
		return refuse_text(ctx, in, valid, ignored);
	f->differential = valid && twice == valid;
	f->counted = valid;
	f->size = f->lines.offset;
	lines_seek(&f->lines, 0);
	return err;
}

void folded_close(struct input *in)
{
	if (in->folded)
		lines_close(&in->folded->lines);
	free(in->folded);
	in->folded = NULL;
}

unsigned folded_decimals(const struct input *in)
{
	return in->folded->decimals;
}

/* False where the line has not the counts that it must have. */
static bool parse_stack(struct folded *f, const char *line, size_t size,
			struct folded_line *ret)
{
	struct count count, before;

	*ret = (struct folded_line){ .stack = line };
	if (!cut_count(line, &size, &count))
		return false;
	f->counted_again++;
	if (!count_value(&count, f->decimals, &ret->weight))
		return false;
	if (f->differential) {
		ret->has_before = cut_count(line, &size, &before);
		if (!ret->has_before || !count_value(&before, f->decimals, &ret->before))
			return false;
	}
	ret->size = size;
	return true;
}

uint64_t folded_lines_missing(const struct input *in, bool *changed)
{
	const struct folded *f = in->folded;

	*changed = f->lines.offset != f->size || f->counted_again != f->counted;
	return f->counted_again < f->counted ? f->counted - f->counted_again : 0;
}

int folded_next(struct context *ctx, struct input *in, struct folded_line *ret,
		uint64_t *ignored)
{
	const char *line;
	size_t size;
	int err;

	while ((err = next_line(ctx, in, &line, &size)) > 0) {
		in->done = in->folded->lines.offset;
		if (is_comment(line, size))
			continue;
		if (parse_stack(in->folded, line, size, ret))
			return 1;
		*ignored += !is_idle(line, size);
	}
	return err;
}
