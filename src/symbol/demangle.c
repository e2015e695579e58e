/*
 * Languages are asked in an order: Rust, whose older names are C++ names, too, then C++,
 * OCaml and D.
 *
 * A few hundred bytes can stand for more text than there is memory, so libiberty's
 * output is watched while it comes, and the work is left when it is too much. It keeps
 * all its state on the stack while it calls back, so leaving by a jump loses nothing
 * (but for one identifier of a Rust name in punycode). The D demangler has no callback:
 * what makes its output grow is counted before.
 *
 * Nothing comes of libiberty while it looks for the parameter pack of an expansion, in all that is
 * expanded, and substitutions make a tree of 2^n nodes of n types: a name of 200 bytes took hours.
 * So the same name is tried with something that prints all of that instead of each expansion.
 */
#include "symbol/demangle.h"

#include <ctype.h>
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/parameters.h"
#include "symbol/standard.h"

enum {
	MOST_INPUT = 4096,
	MOST_OUTPUT = 1 << 16,
	/* Each may repeat what stands before it: the output grows exponentially with
	 * them, and the D demangler has no limit of its own. */
	MOST_D_BACK_REFERENCES = 24,
	/* Of a name with packs that cannot be tried: 3^(16 / 3) nodes. */
	MOST_SUBSTITUTIONS = 16,
};

struct demangle_sink {
	struct text *out;
	size_t start;
	jmp_buf enough;
};

static void take_output(const char *bytes, size_t size, void *arg)
{
	struct demangle_sink *sink = arg;

	if (sink->out->size - sink->start + size > MOST_OUTPUT)
		longjmp(sink->enough, 1);
	/* An empty identifier of Rust is a null pointer. */
	if (size > 0)
		text_add(sink->out, bytes, size);
}

typedef int demangler(const char *, int, demangle_callbackref, void *);

static bool run_demangler(demangler *call, const char *name, int options,
			  struct text *out)
{
	/* Both are set before setjmp() and never changed after it, so they hold when it
	 * returns again. */
	struct demangle_sink sink = { .out = out, .start = out->size };
	const size_t start = out->size;

	if (setjmp(sink.enough) == 0 && call(name, options, take_output, &sink) &&
	    out->size > start)
		return true;
	out->size = start;
	if (out->bytes)
		out->bytes[start] = '\0';
	return false;
}

/*
 * "Dp", "sp" and "sZ" begin pack expansions and sizeof...; "VK" (const volatile) has as many substitutions
 * as the first, "ng" (minus) as the others. Qualifiers are one where the expanded type has its own:
 * what stands for the name would be another one.
 */
static bool run_cplus(const char *name, int options, struct text *out)
{
	static const struct {
		char is[3], becomes[3];
	} pairs[] = { { "Dp", "VK" }, { "sp", "ng" }, { "sZ", "ng" } };
	const size_t start = out->size;
	char copy[MOST_INPUT + 1];
	bool any = false, odd = false;
	size_t substitutions = 0;

	strcpy(copy, name);
	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++)
		for (char *p = copy; (p = strstr(p, pairs[i].is)); p += 2) {
			memcpy(p, pairs[i].becomes, 2);
			odd |= i == 0 && p[2] && strchr("rVK", p[2]);
			any = true;
		}
	/* Each may stand for all that is before it. */
	for (const char *p = name; *p; p++)
		substitutions += *p == 'S';
	if (any && substitutions > MOST_SUBSTITUTIONS) {
		if (odd || !run_demangler(cplus_demangle_v3_callback, copy, options, out))
			return false;
		out->size = start;
	}
	return run_demangler(cplus_demangle_v3_callback, name, options, out);
}

/* Names of clones and of versions are C++ names with something behind them, which only
 * what has no parameters does not mind. */
static bool demangle_cplus(const char *name, enum demangle_form form, struct text *out)
{
	const size_t start = out->size;

	/* "_GLOBAL__sub_I_x", too, which cplus_demangle_v3() knows. */
	if (strncmp(name, "_Z", 2) != 0 && strncmp(name, "_GLOBAL_", 8) != 0)
		return false;
	if (form == DEMANGLE_FULL && run_cplus(name, DMGL_PARAMS | DMGL_ANSI, out))
		return true;
	if (!run_cplus(name, DMGL_NO_OPTS, out))
		return false;
	if (form == DEMANGLE_SHORT) {
		parameters_cut_cplus(out, start);
		standard_shorten(out, start);
	}
	return true;
}

/* Legacy Rust names are C++ names too, so Rust is asked first. */
static bool demangle_rust(const char *name, enum demangle_form form, struct text *out)
{
	(void)form;
	return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R') &&
	       run_demangler(rust_demangle_callback, name, DMGL_NO_OPTS, out);
}

static bool demangle_d(const char *name, enum demangle_form form, struct text *out)
{
	const size_t start = out->size;
	size_t back = 0;
	char *known;

	/* perf 6.1 does not know it. */
	if (form == DEMANGLE_PERF || strncmp(name, "_D", 2) != 0)
		return false;
	for (const char *p = name; *p; p++)
		back += *p == 'Q';
	if (back > MOST_D_BACK_REFERENCES)
		return false;
	known = dlang_demangle(name, DMGL_NO_OPTS);
	if (!known)
		return false;
	text_string(out, known);
	free(known);
	if (form == DEMANGLE_SHORT)
		parameters_cut_d(out, start);
	return true;
}

static unsigned hex_digit(char c)
{
	return (unsigned)(isdigit((unsigned char)c) ? c - '0' : (c | 32) - 'a' + 10);
}

/* "camlModule__Inner__f$2b_12" is Module.Inner.f+_12. */
static bool demangle_ocaml(const char *name, enum demangle_form form, struct text *out)
{
	(void)form;
	if (strncmp(name, "caml", 4) != 0 || !isupper((unsigned char)name[4]))
		return false;
	for (const char *p = name + 4; *p;) {
		if (p[0] == '_' && p[1] == '_') {
			text_char(out, '.');
			p += 2;
		} else if (p[0] == '$' && isxdigit((unsigned char)p[1]) &&
			   isxdigit((unsigned char)p[2])) {
			text_char(out, (char)(hex_digit(p[1]) << 4 | hex_digit(p[2])));
			p += 3;
		} else {
			text_char(out, *p++);
		}
	}
	return true;
}

static bool (*const languages[])(const char *, enum demangle_form, struct text *) = {
	demangle_rust,
	demangle_cplus,
	demangle_ocaml,
	demangle_d,
};

bool demangle(const char *name, size_t size, enum demangle_form form, struct text *out)
{
	char copy[MOST_INPUT + 1];

	/* All mangled names that are known here begin with an underscore, or with
	 * "caml". */
	if (size < 3 || size > MOST_INPUT || (name[0] != '_' && name[0] != 'c') ||
	    form == DEMANGLE_NO)
		return false;
	memcpy(copy, name, size);
	copy[size] = '\0';
	for (size_t i = 0; i < sizeof(languages) / sizeof(languages[0]); i++)
		if (languages[i](copy, form, out))
			return true;
	return false;
}
