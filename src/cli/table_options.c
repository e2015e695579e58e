/* Options of top and tree, whose values other programs have words for, too. */
#include "cli/table_options.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Words of perf report --sort are understood, too: of several the finest one counts. */
int table_set_by(struct settings *s, const struct option_row *row, const char *arg)
{
	static const struct {
		const char *word;
		enum ff_table_by by;
	} words[] = {
		{ "function", FF_TABLE_FUNCTION }, { "module", FF_TABLE_MODULE },
		{ "comm", FF_TABLE_COMM },	   { "line", FF_TABLE_LINE },
		{ "symbol", FF_TABLE_FUNCTION },   { "sym", FF_TABLE_FUNCTION },
		{ "dso", FF_TABLE_MODULE },	   { "srcline", FF_TABLE_LINE },
		{ "overhead", FF_TABLE_COMM },
	};
	/* From the coarsest to the finest. */
	static const int ranks[] = {
		[FF_TABLE_COMM] = 0,
		[FF_TABLE_MODULE] = 1,
		[FF_TABLE_FUNCTION] = 2,
		[FF_TABLE_LINE] = 3,
	};
	size_t size, count = sizeof(words) / sizeof(*words), i;

	s->by = FF_TABLE_COMM;
	for (const char *p = arg;; p += size + 1) {
		size = strcspn(p, ",");
		for (i = 0; i < count; i++)
			if (strlen(words[i].word) == size &&
			    strncasecmp(words[i].word, p, size) == 0)
				break;
		if (i == count)
			return option_refuse(s, row, arg,
					     "function, module, comm or line");
		if (ranks[words[i].by] > ranks[s->by])
			s->by = words[i].by;
		if (!p[size])
			return 0;
	}
}

int table_set_order(struct settings *s, const struct option_row *row, const char *arg)
{
	if (!strcasecmp(arg, "self"))
		s->order = FF_TABLE_BY_SELF;
	else if (!strcasecmp(arg, "total"))
		s->order = FF_TABLE_BY_TOTAL;
	else
		return option_refuse(s, row, arg, "self or total");
	return 0;
}

/* One word of perf report's "-g graph,0.5,caller": what it prints and how; NULL: no such word. */
static const char *call_order_word(const char *word, size_t size)
{
	static const char *const words[] = { "caller",	 "callee", "graph",   "percent",
					     "function", "branch", "address", "srcline" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strlen(words[i]) == size && !strncasecmp(word, words[i], size))
			return words[i];
	return NULL;
}

bool table_is_calls(const char *word)
{
	size_t size = strcspn(word, ",");

	return call_order_word(word, size) || strncmp(word, "fractal", size) == 0 ||
	       (size && strspn(word, "0123456789.") == size);
}

int table_set_calls(struct settings *s, const struct option_row *row, const char *arg)
{
	size_t size;

	for (const char *p = arg;; p += size + 1) {
		const char *word;
		double number;
		char *end;

		size = strcspn(p, ",");
		word = call_order_word(p, size);
		if (word && strcmp(word, "callee") == 0)
			s->calls_from = FF_CALLS_FROM_LEAF;
		else if (word && strcmp(word, "caller") == 0)
			s->calls_from = FF_CALLS_FROM_ROOT;
		else if (!word && isdigit((unsigned char)*p) &&
			 (number = strtod(p, &end)) <= 100 && end == p + size)
			s->least = number;
		else if (!word)
			return option_refuse(
				s, row, arg,
				"caller or callee, with a number for --min: "
				"'caller,0.5' (percentages are of the total)");
		if (!p[size])
			return 0;
	}
}
