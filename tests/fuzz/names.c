/*
 * Names. Mangled ones are taken apart in all forms; text, as a runtime may write it, is tidied; parameters are cut out of what a
 * demangler could have said. Nothing may be left that breaks a line of folded text.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/brackets.h"
#include "symbol/clone.h"
#include "symbol/parameters.h"
#include "symbol/spelling.h"
#include "symbol/standard.h"
#include "symbol/tidy.h"

enum { MOST_OUTPUT = (1 << 16) + 4096 };

static void check(bool fine)
{
	if (!fine)
		abort();
}

static void check_tidy(struct text *out)
{
	check(out->size > 0);
	for (size_t i = 0; i < out->size; i++)
		check((unsigned char)out->bytes[i] >= ' ' && out->bytes[i] != ';');
	text_clear(out);
}

static void check_clone(const char *name, size_t size)
{
	size_t base = clone_base(name, size);

	check(base <= size && (base > 0 || size == 0));
	check(clone_base(name, base) == base);
}

static void check_forms(const char *name, size_t size, struct text *out)
{
	static const enum demangle_form forms[] = { DEMANGLE_PERF, DEMANGLE_SHORT,
						    DEMANGLE_FULL };
	size_t sizes[3];

	for (size_t i = 0; i < 3; i++) {
		struct spelling spelling = { .form = forms[i] };

		text_clear(out);
		spell(&spelling, name, size, out);
		sizes[i] = out->size;
		check(out->size <= size + MOST_OUTPUT);
		spelling.merge_clones = true;
		text_clear(out);
		spell(&spelling, name, size, out);
	}
	/* Nothing is added by cutting, but for D, which perf does not know. */
	check(sizes[1] <= sizes[0] || (size > 2 && name[1] == 'D') || name[1] == 'R');
	text_clear(out);
}

static void check_cut(const char *name, size_t size, struct text *out)
{
	for (int d = 0; d < 2; d++) {
		text_clear(out);
		text_string(out, "before");
		text_add(out, name, size);
		(d ? parameters_cut_d : parameters_cut_cplus)(out, strlen("before"));
		check(out->size >= strlen("before") &&
		      out->size <= size + strlen("before"));
		check(memcmp(out->bytes, "before", strlen("before")) == 0);
		check(out->bytes[out->size] == '\0');
	}
	text_clear(out);
}

/* Brackets match, and none is open at the end. */
static bool is_balanced(const struct text *name)
{
	struct brackets brackets = { .name = name->bytes,
				     .end = name->bytes + name->size };
	const char *p = name->bytes;

	while (p < brackets.end && !brackets.lost)
		p = brackets_step(&brackets, p);
	return brackets.depth == 0 && !brackets.lost;
}

/* Names that are shortened have the brackets that they had, and stay as they are then. */
static void check_standard(const char *name, size_t size, struct text *out)
{
	struct text once = { 0 };
	bool balanced;

	text_clear(out);
	text_add(out, name, size);
	balanced = is_balanced(out);
	standard_shorten(out, 0);
	check(out->size <= size && (!balanced || is_balanced(out)));
	check(memmem(name, size, "std::", 5) ||
	      (out->size == size && memcmp(out->bytes, name, size) == 0));
	text_add(&once, out->bytes, out->size);
	standard_shorten(out, 0);
	check(out->size == once.size && memcmp(out->bytes, once.bytes, once.size) == 0);
	text_release(&once);
	text_clear(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *name = (const char *)data;
	struct text out = { 0 };

	if (memchr(name, '\0', size))
		return 0;
	check_clone(name, size);
	tidy_name(name, size, &out);
	check_tidy(&out);
	tidy_whole_name(name, size, &out);
	check_tidy(&out);
	tidy_line(name, size, "7f", size & 1, &out);
	text_clear(&out);
	if (size > 2) {
		check_forms(name, size, &out);
		check_standard(name, size, &out);
	}
	check_cut(name, size, &out);
	text_release(&out);
	return 0;
}
