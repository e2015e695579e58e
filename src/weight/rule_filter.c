/*
 * Conditions in the kernel's words (Documentation/trace/events.rst, "Event filtering"). What it lets pass
 * is asked again when it is read, so a filter may let too much pass and never too little: of what
 * is and-ed all is left out that the kernel has no words for.
 *
 *	blocked(prev_state) && prev_pid && next_prio + 1	prev_state & 255 && prev_pid != 0
 *
 * Its bits of prev_state are those of expression.c.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "weight/rule.h"

static bool is_identifier(struct slice s)
{
	for (size_t i = 0; i < s.size; i++)
		if (!isalnum((unsigned char)s.text[i]) && s.text[i] != '_')
			return false;
	return s.size && !isdigit((unsigned char)s.text[0]);
}

/* "blocked(prev_state)": what is in the parentheses. */
static bool is_call(struct slice s, const char *function, struct slice *argument)
{
	size_t size = strlen(function);

	if (s.size < size + 2 || memcmp(s.text, function, size) != 0 ||
	    s.text[size] != '(' || s.text[s.size - 1] != ')')
		return false;
	*argument = rule_trimmed((struct slice){ s.text + size + 1, s.size - size - 2 });
	return is_identifier(*argument);
}

/* What a sample says itself, and its event has no field for (pair_source.c). */
static bool is_of_sample(struct slice name)
{
	static const char *const own[] = { "tid", "cpu", "period" };
	bool found = false;

	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		found |= name.size == strlen(own[i]) &&
			 memcmp(name.text, own[i], name.size) == 0;
	return found;
}

/* What is between two "&&", as far as there are words for it. False: there are none. */
static bool add_term(struct text *to, struct slice term)
{
	bool not = term.size > 1 && term.text[0] == '!' && term.text[1] != '=';
	struct slice field, bare = term;
	bool blocked, runnable;

	if (not )
		bare = rule_trimmed((struct slice){ term.text + 1, term.size - 1 });
	blocked = is_call(bare, "blocked", &field);
	runnable = !blocked && !not &&is_call(bare, "runnable", &field);
	if (!blocked && !runnable && (!is_identifier(bare) || is_of_sample(bare)))
		return false;
	if (!blocked && !runnable)
		text_printf(to, "%.*s %s 0", (int)bare.size, bare.text,
			    not ? "==" : "!=");
	else if (blocked && !not )
		text_printf(to, "%.*s & 255", (int)field.size, field.text);
	else
		text_printf(to, "(%.*s == 0 || %.*s == 256%s", (int)field.size,
			    field.text, (int)field.size, field.text,
			    runnable ? ")" : " || ");
	if (blocked && not )
		text_printf(to, "%.*s & 48)", (int)field.size, field.text);
	return true;
}

/* Nothing where there are no words for any of it. */
static void add_condition(struct text *to, struct slice condition)
{
	size_t from = 0, before = to->size;
	bool quoted = false;
	int depth = 0;

	for (size_t i = 0; i <= condition.size; i++) {
		bool end = i == condition.size;
		char c = end ? '\0' : condition.text[i];
		bool two =
			!quoted && i + 1 < condition.size && condition.text[i + 1] == c;
		struct text term = { 0 };

		quoted ^= c == '\'';
		if (quoted && !end)
			continue;
		depth += (c == '(') - (c == ')');
		if (two && c == '|' && depth == 0) {
			to->size = before;
			return;
		}
		if (!end && !(two && c == '&' && depth == 0))
			continue;
		if (add_term(&term, rule_trimmed((struct slice){ condition.text + from,
								 i - from })))
			text_printf(to, "%s%s", to->size > before ? " && " : "",
				    term.bytes ? term.bytes : "");
		to->failed |= term.failed;
		text_release(&term);
		from = i + 2;
		i++;
	}
}

bool rule_condition_selects(struct slice condition)
{
	struct text words = { 0 };
	bool selects;

	add_condition(&words, condition);
	selects = words.size && strstr(words.bytes, " & 255");
	text_release(&words);
	return selects;
}

int rule_filter(const struct pair_rule *rule, uint32_t steps, char **ret)
{
	struct text all = { 0 };
	bool everything = false;

	for (size_t i = 0; i < rule->count && !everything; i++) {
		struct text one = { 0 }, term = { 0 };

		if (!(steps >> i & 1))
			continue;
		add_condition(&one, rule->steps[i].condition);
		everything = one.size == 0;
		/* With its parentheses: another one may have all of it as a part. */
		if (one.size)
			text_printf(&term, steps == 1u << i ? "%s" : "(%s)", one.bytes);
		if (term.size && !(all.size && strstr(all.bytes, term.bytes)))
			text_printf(&all, "%s%s", all.size ? " || " : "", term.bytes);
		all.failed |= one.failed || term.failed;
		text_release(&one);
		text_release(&term);
	}
	if (!all.failed)
		*ret = strdup(everything || !all.size ? "" : all.bytes);
	else
		*ret = NULL;
	text_release(&all);
	return *ret ? 0 : -ENOMEM;
}
