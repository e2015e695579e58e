/*
 * The text of a rule is cut into clauses, and these into words at "key" and "if". Expressions stay
 * text until it is known which events there are and which fields they have (pairing.c).
 */
#include "weight/rule.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

static const char *const role_names[PAIR_ROLES] = {
	[ROLE_START] = "start",	  [ROLE_WAKE] = "wake",	    [ROLE_END] = "end",
	[ROLE_CANCEL] = "cancel", [ROLE_SAMPLE] = "sample",
};

static const char *const stack_names[PAIR_STACKS] = {
	[PAIR_STACK_START] = "start",	[PAIR_STACK_END] = "end",
	[PAIR_STACK_WAKEUP] = "wakeup", [PAIR_STACK_OFFWAKE] = "offwake",
	[PAIR_STACK_CHAIN] = "chain",
};

static const char *const open_names[PAIR_OPENS] = {
	[PAIR_OPEN_DROP] = "drop",
	[PAIR_OPEN_COUNT] = "count",
	[PAIR_OPEN_REPORT] = "report",
};

struct slice rule_trimmed(struct slice s)
{
	while (s.size && isspace((unsigned char)s.text[0])) {
		s.text++;
		s.size--;
	}
	while (s.size && isspace((unsigned char)s.text[s.size - 1]))
		s.size--;
	return s;
}

/* Up to the end of the first word, which *@rest begins behind. */
static struct slice first_word(struct slice s, struct slice *rest)
{
	struct slice word = s = rule_trimmed(s);

	word.size = 0;
	while (word.size < s.size && !isspace((unsigned char)s.text[word.size]))
		word.size++;
	*rest = rule_trimmed((struct slice){ s.text + word.size, s.size - word.size });
	return word;
}

static bool is_word(struct slice s, const char *word)
{
	return s.size == strlen(word) && memcmp(s.text, word, s.size) == 0;
}

static int index_of_word(struct slice s, const char *const *words, int count)
{
	for (int i = 0; i < count; i++)
		if (is_word(s, words[i]))
			return i;
	return -1;
}

/* What is before the word, outside of any other word; *@rest: what is behind it, .text NULL: it is
 * not there. */
static struct slice before_word(struct slice s, const char *word, struct slice *rest)
{
	size_t size = strlen(word);

	*rest = (struct slice){ NULL, 0 };
	for (size_t i = 0; i + size <= s.size; i++) {
		bool begins = i == 0 || isspace((unsigned char)s.text[i - 1]);
		bool ends =
			i + size == s.size || isspace((unsigned char)s.text[i + size]);

		if (!begins || !ends || memcmp(s.text + i, word, size) != 0)
			continue;
		*rest = rule_trimmed(
			(struct slice){ s.text + i + size, s.size - i - size });
		s.size = i;
		break;
	}
	return rule_trimmed(s);
}

static int refuse_clause(struct context *ctx, struct slice clause, const char *why)
{
	return fail(ctx, -EINVAL, "'%.*s' is not a clause of a pairing: %s",
		    (int)clause.size, clause.text, why);
}

static int add_pair_step(struct context *ctx, struct pair_rule *rule, struct slice clause,
			 int role, struct slice rest)
{
	struct pair_step *step = &rule->steps[rule->count];
	struct slice key;
	int depth = 0;

	if (rule->count == RULE_STEPS_MOST)
		return refuse_clause(ctx, clause, "there are too many");
	*step = (struct pair_step){ .role = (enum pair_role)role };
	rest = before_word(rest, "if", &step->condition);
	step->events = before_word(rest, "key", &key);
	if (!step->events.size)
		return refuse_clause(ctx, clause, "it names no event");
	if ((key.text && !key.size) || (step->condition.text && !step->condition.size))
		return refuse_clause(ctx, clause, "an expression is missing");
	if (key.text && role == ROLE_SAMPLE)
		return refuse_clause(ctx, clause, "a sample is paired with nothing");
	step->keys[0] = key;
	/* A key of two parts has a comma that is in no parentheses. */
	for (size_t i = 0; i < key.size && !step->keys[1].text; i++) {
		depth += (key.text[i] == '(') - (key.text[i] == ')');
		if (key.text[i] != ',' || depth)
			continue;
		step->keys[0].size = i;
		step->keys[1] = rule_trimmed(
			(struct slice){ key.text + i + 1, key.size - i - 1 });
	}
	rule->count++;
	return 0;
}

static int parse_clause(struct context *ctx, struct slice clause, struct pair_rule *rule)
{
	struct slice rest, verb = first_word(clause, &rest);
	int role = index_of_word(verb, role_names, PAIR_ROLES), index;

	if (role >= 0)
		return add_pair_step(ctx, rule, clause, role, rest);
	if (is_word(verb, "first") && !rest.size) {
		rule->first = true;
		return 0;
	}
	if (!rest.size)
		return refuse_clause(ctx, clause,
				     "start, wake, end, cancel, sample, weight, stack, "
				     "first, open, unit and title are");
	if (is_word(verb, "weight")) {
		rule->weight = rest;
	} else if (is_word(verb, "unit")) {
		rule->unit = rest;
	} else if (is_word(verb, "title")) {
		rule->title = rest;
	} else if (is_word(verb, "stack")) {
		index = index_of_word(rest, stack_names, PAIR_STACKS);
		if (index < 0)
			return refuse_clause(
				ctx, clause,
				"start, end, wakeup, offwake and chain are stacks");
		rule->stack = (enum pair_stack)index;
	} else if (is_word(verb, "open")) {
		index = index_of_word(rest, open_names, PAIR_OPENS);
		if (index < 0)
			return refuse_clause(ctx, clause,
					     "drop, count and report are what can be "
					     "done with open ones");
		rule->open = (enum pair_open)index;
	} else {
		return refuse_clause(ctx, clause,
				     "start, wake, end, cancel, sample, weight, stack, "
				     "first, open, unit and title are");
	}
	return 0;
}

static bool has_role(const struct pair_rule *rule, enum pair_role role)
{
	for (size_t i = 0; i < rule->count; i++)
		if (rule->steps[i].role == role)
			return true;
	return false;
}

int rule_parse(struct context *ctx, const char *text, struct pair_rule *ret)
{
	int err = 0;

	*ret = (struct pair_rule){ 0 };
	while (*text && err == 0) {
		struct slice clause = { text, strcspn(text, ";\n") };

		text += clause.size + (text[clause.size] != '\0');
		clause = rule_trimmed(clause);
		/* A file of rules may have comments. */
		if (clause.size && clause.text[0] != '#')
			err = parse_clause(ctx, clause, ret);
	}
	if (err < 0)
		return err;
	/* "t.wake", "end.ret" */
	ret->has_more =
		has_role(ret, ROLE_WAKE) || ret->stack == PAIR_STACK_WAKEUP ||
		(ret->weight.size && memchr(ret->weight.text, '.', ret->weight.size));
	if (has_role(ret, ROLE_START) != has_role(ret, ROLE_END) &&
	    ret->open != PAIR_OPEN_REPORT)
		return fail(ctx, -EINVAL, "a pairing has both a start and an end");
	if (!has_role(ret, ROLE_START) && !has_role(ret, ROLE_SAMPLE))
		return fail(ctx, -EINVAL,
			    "a pairing has a start and an end, or a sample");
	if (has_role(ret, ROLE_START) && has_role(ret, ROLE_SAMPLE))
		return fail(ctx, -EINVAL,
			    "a pairing has a start and an end, or samples, not both");
	return 0;
}

bool rule_uses_stack(const struct pair_rule *rule, enum pair_role role)
{
	switch (role) {
	case ROLE_START:
		/* Also of a wakeup: the process of the start is on top. */
		return rule->stack != PAIR_STACK_END;
	case ROLE_WAKE:
		return rule->stack == PAIR_STACK_OFFWAKE ||
		       rule->stack == PAIR_STACK_CHAIN;
	case ROLE_END:
		return rule->stack == PAIR_STACK_END || rule->stack == PAIR_STACK_WAKEUP;
	case ROLE_SAMPLE:
		return true;
	default:
		return false;
	}
}
