/*
 * One pass over a name as libiberty prints it, which writes the shorter one over it. Where
 * a template's bracket closes, its arguments have been shortened already: those at the
 * end go that are what the table says of the template, and what is left may be what
 * the table has a short name for.
 *
 * Comparing takes no more steps than the shorter one of two arguments has bytes, and an
 * argument that goes is not compared again: a name of n bytes takes n log n steps.
 *
 * The defaults are those of the C++ standard ([containers], [strings], [input.output],
 * [smartptr], [time]), and of what libstdc++ builds them from.
 *
 *	read       std::vector<int, std::allocator<int> >::size
 *	written    std::vector<int, std::allocator<int>      the bracket closes
 *	           std::vector<int>                          the default goes
 */
#include "symbol/standard.h"

#include <stdbool.h>
#include <string.h>

#include "symbol/brackets.h"
#include "symbol/operator.h"

enum {
	MOST_DEFAULTS = 3,
	MOST_ARGUMENTS = 8, /* that places are kept of */
};

/* $0 and $1 are the first arguments. A default is written as it looks when it is
 * shortened itself, but without the space between two closing brackets. */
struct template
{
	const char *name; /* without std:: */
	unsigned required; /* arguments without a default */
	const char *defaults[MOST_DEFAULTS];
};

#define ALLOCATOR "std::allocator<$0>"
#define PAIR_ALLOCATOR "std::allocator<std::pair<$0 const, $1>>"
#define TRAITS "std::char_traits<$0>"

/* Sorted by the bytes of their names. */
static const struct template templates[] = {
	{ "_Rb_tree", 4, { "std::allocator<$1>" } },
	{ "_Sp_counted_base", 0, { "(__gnu_cxx::_Lock_policy)2" } },
	{ "__enable_shared_from_this", 1, { "(__gnu_cxx::_Lock_policy)2" } },
	{ "__shared_count", 0, { "(__gnu_cxx::_Lock_policy)2" } },
	{ "__shared_ptr", 1, { "(__gnu_cxx::_Lock_policy)2" } },
	{ "__shared_ptr_access", 1, { "(__gnu_cxx::_Lock_policy)2", "false", "false" } },
	{ "__weak_count", 0, { "(__gnu_cxx::_Lock_policy)2" } },
	{ "__weak_ptr", 1, { "(__gnu_cxx::_Lock_policy)2" } },
	{ "basic_filebuf", 1, { TRAITS } },
	{ "basic_fstream", 1, { TRAITS } },
	{ "basic_ifstream", 1, { TRAITS } },
	{ "basic_ios", 1, { TRAITS } },
	{ "basic_iostream", 1, { TRAITS } },
	{ "basic_istream", 1, { TRAITS } },
	{ "basic_istringstream", 1, { TRAITS, ALLOCATOR } },
	{ "basic_ofstream", 1, { TRAITS } },
	{ "basic_ostream", 1, { TRAITS } },
	{ "basic_ostringstream", 1, { TRAITS, ALLOCATOR } },
	{ "basic_regex", 1, { "std::regex_traits<$0>" } },
	{ "basic_streambuf", 1, { TRAITS } },
	{ "basic_string", 1, { TRAITS, ALLOCATOR } },
	{ "basic_string_view", 1, { TRAITS } },
	{ "basic_stringbuf", 1, { TRAITS, ALLOCATOR } },
	{ "basic_stringstream", 1, { TRAITS, ALLOCATOR } },
	{ "chrono::duration", 1, { "std::ratio<1l>" } },
	{ "coroutine_handle", 0, { "void" } },
	{ "deque", 1, { ALLOCATOR } },
	{ "divides", 0, { "void" } },
	{ "equal_to", 0, { "void" } },
	{ "forward_list", 1, { ALLOCATOR } },
	{ "greater", 0, { "void" } },
	{ "greater_equal", 0, { "void" } },
	{ "istream_iterator", 1, { "char", "std::char_traits<char>", "long" } },
	{ "istreambuf_iterator", 1, { TRAITS } },
	{ "iterator", 2, { "long", "$1*", "$1&" } },
	{ "less", 0, { "void" } },
	{ "less_equal", 0, { "void" } },
	{ "list", 1, { ALLOCATOR } },
	{ "map", 2, { "std::less<$0>", PAIR_ALLOCATOR } },
	{ "match_results", 1, { "std::allocator<std::sub_match<$0>>" } },
	{ "minus", 0, { "void" } },
	{ "money_get", 1, { "std::istreambuf_iterator<$0>" } },
	{ "money_put", 1, { "std::ostreambuf_iterator<$0>" } },
	{ "multimap", 2, { "std::less<$0>", PAIR_ALLOCATOR } },
	{ "multiplies", 0, { "void" } },
	{ "multiset", 1, { "std::less<$0>", ALLOCATOR } },
	{ "not_equal_to", 0, { "void" } },
	{ "num_get", 1, { "std::istreambuf_iterator<$0>" } },
	{ "num_put", 1, { "std::ostreambuf_iterator<$0>" } },
	{ "ostream_iterator", 1, { "char", "std::char_traits<char>" } },
	{ "ostreambuf_iterator", 1, { TRAITS } },
	{ "plus", 0, { "void" } },
	{ "priority_queue", 1, { "std::vector<$0>", "std::less<$0>" } },
	{ "queue", 1, { "std::deque<$0>" } },
	{ "ratio", 1, { "1l" } },
	{ "set", 1, { "std::less<$0>", ALLOCATOR } },
	{ "span", 1, { "18446744073709551615ul" } },
	{ "stack", 1, { "std::deque<$0>" } },
	{ "time_get", 1, { "std::istreambuf_iterator<$0>" } },
	{ "time_put", 1, { "std::ostreambuf_iterator<$0>" } },
	{ "unique_ptr", 1, { "std::default_delete<$0>" } },
	{ "unordered_map", 2, { "std::hash<$0>", "std::equal_to<$0>", PAIR_ALLOCATOR } },
	{ "unordered_multimap",
	  2,
	  { "std::hash<$0>", "std::equal_to<$0>", PAIR_ALLOCATOR } },
	{ "unordered_multiset", 1, { "std::hash<$0>", "std::equal_to<$0>", ALLOCATOR } },
	{ "unordered_set", 1, { "std::hash<$0>", "std::equal_to<$0>", ALLOCATOR } },
	{ "vector", 1, { ALLOCATOR } },
};

/* basic_X<CHARACTER> is PREFIX with X behind it: wstring. Only strings are of all kinds. */
static const struct {
	const char *character, *prefix;
	bool strings_only;
} characters[] = {
	{ "char", "", false },	     { "wchar_t", "w", false },
	{ "char8_t", "u8", true },   { "char16_t", "u16", true },
	{ "char32_t", "u32", true },
};

/* Arguments of chrono::duration behind the first, which is long or long long. */
static const struct {
	const char *period, *name;
} durations[] = {
	{ "std::ratio<1l, 1000000000l>", "nanoseconds" },
	{ "std::ratio<1l, 1000000l>", "microseconds" },
	{ "std::ratio<1l, 1000l>", "milliseconds" },
	{ "std::ratio<60l>", "minutes" },
	{ "std::ratio<3600l>", "hours" },
};

/* Of libstdc++, libc++ and its copies in Android, Chromium and Unreal Engine. */
static const char *const inline_namespaces[] = {
	"__cxx11", "_V2", "__8", "__1", "__2", "__ndk1", "__Cr", "__u", "__ue1",
};

struct argument {
	const char *text;
	size_t size;
};

/* A bracket that is open, and where the arguments in it are in what was written. */
struct list {
	char *name, *first; /* of its template, NULL: not one of std; of its arguments */
	char *arguments[MOST_ARGUMENTS];
	size_t count; /* of commas, and one */
};

struct shortening {
	struct brackets brackets;
	char *start, *to; /* of the name; behind what was written of it */
	char *short_name; /* behind the last one that was written in place of a template */
	bool in_std; /* what was written ends in a path that begins with std:: */
	struct list lists[BRACKETS_MOST];
};

static bool equals(const char *bytes, size_t size, const char *string)
{
	return strlen(string) == size && memcmp(bytes, string, size) == 0;
}

static void write_bytes(struct shortening *s, const char *from, size_t size)
{
	memmove(s->to, from, size);
	s->to += size;
}

/* Steps over @wanted where it is the next at *@p. */
static bool skip_bytes(const char **p, const char *end, const char *wanted, size_t size)
{
	if ((size_t)(end - *p) < size || memcmp(*p, wanted, size) != 0)
		return false;
	*p += size;
	return true;
}

/* True where @argument is @pattern, in which $0 and $1 stand for the first of @all. */
static bool is_default(const struct argument *argument, const char *pattern,
		       const struct argument *all)
{
	const char *p = argument->text, *end = p + argument->size;

	for (const char *wanted = pattern; *wanted; wanted++) {
		if (*wanted == '$') {
			const struct argument *same = &all[*++wanted - '0'];

			if (!skip_bytes(&p, end, same->text, same->size))
				return false;
			continue;
		}
		if (*wanted == '>' && p > argument->text && p[-1] == '>')
			skip_bytes(&p, end, " ", 1);
		if (!skip_bytes(&p, end, wanted, 1))
			return false;
	}
	return p == end;
}

static const struct template *find_template(const char *name, size_t size)
{
	size_t low = 0, high = sizeof(templates) / sizeof(*templates);

	while (low < high) {
		size_t middle = (low + high) / 2;
		const char *other = templates[middle].name;
		int order = strncmp(other, name, size);

		if (order == 0 && other[size] == '\0')
			return &templates[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

static bool write_prefixed(struct shortening *s, const struct list *list,
			   const char *name, const char *prefix)
{
	s->to = list->name + strlen("std::");
	write_bytes(s, prefix, strlen(prefix));
	write_bytes(s, name, strlen(name));
	s->short_name = s->to;
	s->in_std = true;
	return true;
}

/* Without arguments that are defaults; true where it is a name without brackets then:
 * chrono::duration<long, std::ratio<1l, 1000l> > is chrono::milliseconds. */
static bool shorten_template(struct shortening *s, const struct list *list)
{
	static const char scope[] = "chrono::", basic[] = "basic_";
	const char *name = list->name + strlen("std::");
	const struct template *t = find_template(name, (size_t)(list->first - 1 - name));
	struct argument arguments[MOST_ARGUMENTS];
	size_t count = list->count;
	const char *rest;

	if (!t || count > MOST_ARGUMENTS || count > t->required + MOST_DEFAULTS)
		return false;
	for (size_t i = 0; i < count; i++) {
		const char *text = list->arguments[i];
		const char *end =
			i + 1 < count ? list->arguments[i + 1] - strlen(", ") : s->to;

		if (end > text && end[-1] == ' ')
			end--;
		arguments[i] = (struct argument){ text, (size_t)(end - text) };
	}
	while (count > t->required && t->defaults[count - 1 - t->required] &&
	       is_default(&arguments[count - 1], t->defaults[count - 1 - t->required],
			  arguments))
		count--;
	if (count < list->count) {
		/* Cut back to behind the last argument that stays. The bracket that
		 * closes comes next, and two of these are apart. */
		s->to = count ? list->arguments[count] - strlen(", ") : list->first;
		if (s->to[-1] == '>')
			*s->to++ = ' ';
	}
	/* basic_string<char> is string. */
	rest = count == 1 && strncmp(t->name, basic, strlen(basic)) == 0
		       ? t->name + strlen(basic)
		       : NULL;
	for (size_t i = 0; rest && i < sizeof(characters) / sizeof(*characters); i++)
		if (equals(arguments[0].text, arguments[0].size, characters[i].character))
			return (!characters[i].strings_only ||
				strcmp(rest, "string") == 0 ||
				strcmp(rest, "string_view") == 0) &&
			       write_prefixed(s, list, rest, characters[i].prefix);
	if (count == 0 || strcmp(t->name, "chrono::duration") != 0 ||
	    !(equals(arguments[0].text, arguments[0].size, "long") ||
	      equals(arguments[0].text, arguments[0].size, "long long")))
		return false;
	if (count == 1)
		return write_prefixed(s, list, "seconds", scope);
	for (size_t i = 0; i < sizeof(durations) / sizeof(*durations); i++)
		if (equals(arguments[1].text, arguments[1].size, durations[i].period))
			return write_prefixed(s, list, durations[i].name, scope);
	return false;
}

static void begin_argument(struct shortening *s, struct list *list)
{
	if (list->count < MOST_ARGUMENTS)
		list->arguments[list->count] = s->to;
	list->count++;
}

/* What was written last, and is no letter, opened or closed a bracket, or neither. */
static void follow_bracket(struct shortening *s, size_t depth)
{
	struct list *list = &s->lists[depth > 0 ? depth - 1 : 0];

	if (s->brackets.depth > depth) {
		list = &s->lists[depth];
		*list = (struct list){ .first = s->to };
		if (s->to[-1] == '<') {
			char *p = s->to - 1;

			/* The path that ends here, if that begins with std::. */
			while (p > s->start &&
			       (operator_is_letter(p[-1]) || p[-1] == ':'))
				p--;
			if (s->to - 1 - p > 5 && memcmp(p, "std::", 5) == 0)
				list->name = p;
			begin_argument(s, list);
		}
	} else if (s->brackets.depth < depth && s->to[-1] == '>') {
		s->to--;
		if (s->to > list->first && list->name && shorten_template(s, list))
			return;
		/* Two brackets that close are apart, and only those. */
		if (s->to[-1] == ' ' && s->to - 1 == s->short_name)
			s->to--;
		*s->to++ = '>';
	} else if (depth > 0 && s->brackets.open[depth - 1] == '<' && s->to[-1] == ' ' &&
		   s->to - 2 >= list->first && s->to[-2] == ',') {
		begin_argument(s, list);
	}
}

/* Behind the inline namespaces at @p. */
static const char *skip_inline_namespaces(const char *p, const char *end)
{
	size_t i = 0;

	while (i < sizeof(inline_namespaces) / sizeof(*inline_namespaces)) {
		const char *q = p;
		const char *word = inline_namespaces[i++];

		if (skip_bytes(&q, end, word, strlen(word)) &&
		    skip_bytes(&q, end, "::", 2)) {
			p = q;
			i = 0;
		}
	}
	return p;
}

void standard_shorten(struct text *name, size_t start)
{
	size_t size = name->size - start;
	struct shortening s;
	const char *p, *end;

	if (size == 0 || !memmem(name->bytes + start, size, "std::", 5))
		return;
	s.start = s.to = name->bytes + start;
	p = s.start;
	end = p + size;
	/* The lists are not cleared: each is set when its bracket opens. */
	s.brackets.name = p;
	s.brackets.end = end;
	s.brackets.depth = 0;
	s.brackets.lost = false;
	s.short_name = NULL;
	s.in_std = false;
	/* One piece of the name after the other. */
	for (const char *next; p < end && !s.brackets.lost; p = next) {
		size_t depth = s.brackets.depth;
		bool first = s.to == s.start ||
			     !(operator_is_letter(s.to[-1]) || s.to[-1] == ':');

		if (s.in_std && s.to[-1] == ':' && s.to[-2] == ':' &&
		    (next = skip_inline_namespaces(p, end)) > p)
			continue;
		next = brackets_step(&s.brackets, p);
		if (next == p + 1 && operator_is_letter(*p)) {
			while (next < end && operator_is_letter(*next))
				next++;
			if (first)
				s.in_std = equals(p, (size_t)(next - p), "std");
			write_bytes(&s, p, (size_t)(next - p));
			continue;
		}
		if (*p != ':')
			s.in_std = false;
		write_bytes(&s, p, (size_t)(next - p));
		if (next == p + 1)
			follow_bracket(&s, depth);
	}
	write_bytes(&s, p, (size_t)(end - p));
	*s.to = '\0';
	name->size = (size_t)(s.to - name->bytes);
}
