/*
 * Two sets of rules. Ours leaves parameter lists out by counting brackets, over which
 * operators' names are stepped as a whole ("operator<" opens none). The other is that of
 * stackcollapse-perf.pl (FlameGraph), in its order and with its regular expressions
 * spelled out as searches: what it does to a line is part of what people compare, right
 * or wrong.
 */
#include "symbol/tidy.h"

#include <ctype.h>
#include <string.h>

#include "symbol/operator.h"

#define ANONYMOUS "(anonymous"

static bool has_prefix(const char *p, const char *end, const char *prefix)
{
	size_t size = strlen(prefix);

	return (size_t)(end - p) >= size && memcmp(p, prefix, size) == 0;
}

static void add_char(struct text *out, char c)
{
	if (c == '"' || c == '\'')
		return;
	if (c == ';')
		c = ':';
	else if ((unsigned char)c < ' ' || c == 0x7f)
		c = '?';
	text_char(out, c);
}

static void add_chars(struct text *out, const char *p, const char *end)
{
	while (p < end)
		add_char(out, *p++);
}

void tidy_characters(const char *name, size_t size, struct text *out)
{
	add_chars(out, name, name + size);
}

/* Ours: the quotes of operator"" _s are its name. */
static void add_keeping_operators(const char *name, const char *p, const char *end,
				  struct text *out)
{
	while (p < end) {
		const char *behind = operator_end(name, p, end);

		if (behind > p)
			text_add(out, p, (size_t)(behind - p));
		else
			add_char(out, *behind++);
		p = behind;
	}
}

/* ".(" ... ")." as in net/http.(*Client).Do */
static bool is_go_method(const char *p, const char *end)
{
	const char *open = memmem(p, (size_t)(end - p), ".(", 2);

	return open && memmem(open + 2, (size_t)(end - open - 2), ").", 2);
}

/* Java's descriptors: Lorg/mozilla/Context;.call. A lone word with a slash behind it
 * and no colon before: not V8's LazyCompile:~f /path. */
static const char *skip_java_letter(const char *p, const char *end)
{
	const char *c = p + 1;

	if (end - p < 2 || *p != 'L' || !operator_is_letter(*c))
		return p;
	while (c < end && operator_is_letter(*c))
		c++;
	return c < end && *c == '/' ? p + 1 : p;
}

/* Behind the bracket that closes the one at @p, or @end. */
static const char *skip_brackets(const char *name, const char *p, const char *end)
{
	size_t depth = 0;

	for (; p < end; p++) {
		const char *behind = operator_end(name, p, end);

		if (behind > p) {
			p = behind - 1;
			continue;
		}
		if (memchr("(<[{", *p, 4))
			depth++;
		else if (memchr(")]}", *p, 3) || (*p == '>' && p[-1] != '-'))
			depth--;
		if (depth == 0)
			return p + 1;
	}
	return end;
}

/* A name is never empty. */
static void finish_name(struct text *out, size_t start)
{
	while (out->size > start && out->bytes[out->size - 1] == ' ')
		out->bytes[--out->size] = '\0';
	if (out->size == start)
		text_char(out, '?');
}

void tidy_whole_name(const char *name, size_t size, struct text *out)
{
	size_t start = out->size;

	add_keeping_operators(name, name, name + size, out);
	finish_name(out, start);
}

/*
 *	a::b(int)::c(char) const [clone .cold]  ->  a::b::c
 *	net/http.(*Client).Do                   as it is
 */
void tidy_name(const char *name, size_t size, struct text *out)
{
	const char *end = name + size, *p, *scope;
	size_t start = out->size;

	p = name = skip_java_letter(name, end);
	if (is_go_method(name, end) || !memchr(name, '(', (size_t)(end - name))) {
		add_keeping_operators(name, name, end, out);
		p = end;
	}
	while (p < end) {
		const char *behind = operator_end(name, p, end);

		if (behind == p &&
		    (memchr("<[{", *p, 3) || has_prefix(p, end, ANONYMOUS) ||
		     (*p == '(' && p == name)))
			behind = skip_brackets(name, p, end);
		else if (behind == p && *p != '(')
			behind = p + 1;
		add_keeping_operators(name, p, behind, out);
		if (behind > p) {
			p = behind;
			continue;
		}
		/* Behind a parameter list is what is said about it, up to the next scope:
		 * " const", " [clone .cold]". */
		p = skip_brackets(name, p, end);
		scope = memmem(p, (size_t)(end - p), "::", 2);
		p = scope ? scope : end;
	}
	finish_name(out, start);
}

/* Its name for code without one: the file's, in one more pair of brackets. */
static void add_unknown(const char *module, size_t size, const char *pc, bool addrs,
			struct text *out)
{
	const char *slash = memrchr(module, '/', size);
	const char *end = module + size;

	if (size == strlen("[unknown]") && memcmp(module, "[unknown]", size) == 0) {
		module = "unknown";
		end = module + strlen(module);
	} else if (slash) {
		module = slash + 1;
	}
	text_char(out, '[');
	text_add(out, module, (size_t)(end - module));
	if (addrs)
		text_printf(out, " <%s>", pc);
	text_char(out, ']');
}

static const char *line_module(const char *line, const char *end)
{
	const char *p;

	for (p = end - 2; p >= line; p--)
		if (p[0] == ' ' && p[1] == '(')
			return p;
	return end;
}

const char *tidy_module(const char *line, size_t length, size_t *size)
{
	const char *end = line + length, *p = line_module(line, end);
	const char *close;

	if (p == end) {
		*size = 0;
		return "";
	}
	p += 2;
	close = memrchr(p, ')', (size_t)(end - p));
	*size = (size_t)((close ? close : end) - p);
	return p;
}

/*
 *	NAME[->NAME...][+0xOFFSET] (MODULE)     @line; arrows lead to what was inlined
 *	NAME;NAME_[i]                           appended
 *
 * False: a line that begins with its module is left out.
 */
bool tidy_line(const char *line, size_t size, const char *pc, bool addrs,
	       struct text *out)
{
	size_t module_size, first = out->size;
	const char *module = tidy_module(line, size, &module_size);
	const char *end = line_module(line, line + size), *digits = end;
	struct text part = { 0 };

	while (digits > line && (isdigit((unsigned char)digits[-1]) ||
				 (digits[-1] >= 'a' && digits[-1] <= 'f')))
		digits--;
	if (digits < end && digits - line >= 3 && memcmp(digits - 3, "+0x", 3) == 0)
		end = digits - 3;
	while (line < end && isspace((unsigned char)*line))
		line++;
	if (line < end && *line == '(')
		return false;
	/* Perl's split leaves out empty parts at the end. */
	while (end - line >= 2 && memcmp(end - 2, "->", 2) == 0)
		end -= 2;
	for (const char *p = line, *next; p <= end; p = next + 2) {
		size_t start = out->size;

		next = memmem(p, (size_t)(end - p), "->", 2);
		if (!next)
			next = end;
		if (start > first || p > line)
			text_char(out, ';');
		text_clear(&part);
		if (next - p == 9 && memcmp(p, "[unknown]", 9) == 0)
			add_unknown(module, module_size, pc, addrs, &part);
		else
			text_add(&part, p, (size_t)(next - p));
		start = out->size;
		if (part.size > 0) {
			const char *stop = part.bytes + part.size;
			const char *begin = skip_java_letter(part.bytes, stop);
			const char *cut = is_go_method(begin, stop) ? stop : begin;

			/* The first `(` that does not open (anonymous namespace). */
			while (cut < stop &&
			       (*cut != '(' ||
				has_prefix(cut, stop, "(anonymous namespace)")))
				cut++;
			add_chars(out, begin, cut);
		}
		/* Parts after the first are calls that were inlined in it. */
		if (p > line && !memmem(out->bytes + start, out->size - start, "_[i]", 4))
			text_string(out, "_[i]");
		if (next == end)
			break;
	}
	out->failed |= part.failed;
	text_release(&part);
	return true;
}
