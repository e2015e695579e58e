/*
 * A name is cut where it lies. What stays is moved down piece by piece, behind the place
 * that is read, so each byte moves once and no memory is needed.
 *
 * A name with deeper brackets than are followed is not cut from there on: a name that is
 * too long is better than a wrong one.
 */
#include "symbol/parameters.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "symbol/brackets.h"
#include "symbol/operator.h"

struct parameter_scan {
	struct brackets
		brackets; /* deeper ones than it knows stay: the name is not cut at all */
	char *name, *p, *end;
	char *kept, *to; /* what is to stay and was not moved yet, and where it goes */
};

static bool has_next(const struct parameter_scan *s, const char *p, const char *prefix)
{
	size_t size = strlen(prefix);

	return (size_t)(s->end - p) >= size && memcmp(p, prefix, size) == 0;
}

/* One step: over an operator's name, or over one character. */
static void scan_step(struct parameter_scan *s)
{
	s->p += brackets_step(&s->brackets, s->p) - s->p;
}

/* "operator int": what follows is a type, up to the end of the name. */
static bool is_conversion(const struct parameter_scan *s)
{
	static const char word[] = "operator ";
	static const char *const others[] = { "new", "delete", "co_await", "\"" };
	const char *type = s->p + strlen(word);

	if (!has_next(s, s->p, word) || (s->p > s->name && operator_is_letter(s->p[-1])))
		return false;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (has_next(s, type, others[i]) &&
		    (type + strlen(others[i]) == s->end ||
		     !operator_is_letter(type[strlen(others[i])])))
			return false;
	return true;
}

/* Takes what stands between @from and @to out. Bytes before the scan's place are read
 * again, and what is moved never reaches them. */
static void take_out(struct parameter_scan *s, char *from, char *to)
{
	size_t size = (size_t)(from - s->kept);

	memmove(s->to, s->kept, size);
	s->to += size;
	s->kept = s->p = to;
}

static void scan_begin(struct parameter_scan *s, const struct text *name, size_t start)
{
	char *bytes = name->bytes + start;

	*s = (struct parameter_scan){ .name = bytes,
				      .p = bytes,
				      .kept = bytes,
				      .to = bytes,
				      .end = name->bytes + name->size };
	s->brackets.name = s->name;
	s->brackets.end = s->end;
}

static void scan_end(struct parameter_scan *s, struct text *name)
{
	take_out(s, s->end, s->end);
	*s->to = '\0';
	name->size = (size_t)(s->to - name->bytes);
}

/* libiberty leaves out the last list of a function, but not that of the function which it is a thunk to. */
static bool is_thunk(const struct parameter_scan *s)
{
	static const char *const kinds[] = { "non-virtual thunk to ", "virtual thunk to ",
					     "covariant return thunk to " };
	bool is = false;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		is |= has_next(s, s->name, kinds[i]);
	return is;
}

/*
 * Lists that a "::" follows are cut, and the last one of a thunk. Of others libiberty leaves the last one
 * out:
 *
 *	f(int)::{lambda()#1}	     ->  f::{lambda()#1}
 *	virtual thunk to A::f(int)   ->  virtual thunk to A::f
 */
void parameters_cut_cplus(struct text *name, size_t start)
{
	/* What may stand between parameters and the "::" that follows. */
	static const char *const words[] = { " const", " volatile", " restrict",
					     " &&",    " &",	    " noexcept" };
	struct parameter_scan s;
	bool cuts_last;

	scan_begin(&s, name, start);
	cuts_last = is_thunk(&s);
	while (s.p < s.end && !s.brackets.lost && !is_conversion(&s)) {
		char *open = s.p, *scope;
		bool list = *open == '(' && open > s.name && open[-1] != ' ' &&
			    !has_next(&s, s.p, "(anonymous ");

		if (!memchr("(<[{", *open, 4)) {
			scan_step(&s);
			continue;
		}
		do
			scan_step(&s);
		while (s.p < s.end && s.brackets.depth > 0 && !s.brackets.lost);
		s.brackets.lost |= s.brackets.depth > 0;
		/* They come in any order, so after each one the words are gone through
		 * again. */
		scope = s.p;
		for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
			if (has_next(&s, scope, words[i])) {
				scope += strlen(words[i]);
				i = (size_t)-1;
			}
		if (list && !s.brackets.lost &&
		    (has_next(&s, scope, "::") || (cuts_last && scope == s.end)))
			take_out(&s, open, scope);
	}
	scan_end(&s, name);
}

/*
 * Names are joined by dots, and arguments of templates stand in !().
 *
 *	mod.f(int).g!(char)(long)  ->  mod.f.g!(char)
 */
void parameters_cut_d(struct text *name, size_t start)
{
	struct parameter_scan s;

	scan_begin(&s, name, start);
	while (s.p < s.end) {
		char *open = s.p, *dot;
		size_t depth = 0;

		if (!memchr("([{", *open, 3)) {
			s.p++;
			continue;
		}
		do {
			char quote = *s.p;

			s.p++;
			if (memchr("([{", quote, 3))
				depth++;
			else if (memchr(")]}", quote, 3))
				depth--;
			if (!memchr("\"'`", quote, 3))
				continue;
			/* A string or a character in an argument, up to the quote that ends
			 * it. */
			while (s.p < s.end && *s.p != quote)
				s.p += *s.p == '\\' && s.p + 1 < s.end ? 2 : 1;
			s.p += s.p < s.end;
		} while (s.p < s.end && depth > 0);
		/* None closes it. */
		if (depth > 0)
			break;
		if (*open != '(' || open == s.name || open[-1] == '!')
			continue;
		dot = memchr(s.p, '.', (size_t)(s.end - s.p));
		take_out(&s, open, dot ? dot : s.end);
	}
	scan_end(&s, name);
}
