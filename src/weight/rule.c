/*
 * The text of a rule is cut into clauses, and these into words at "key" and "if". Expressions stay
 * text until it is known which events there are and which fields they have (pairing.c).
 */
#include "weight/rule.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

static const char *const role_names[PAIR_ROLES] = {
	[ROLE_START] = "start",	    [ROLE_WAKE] = "wake",     [ROLE_END] = "end",
	[ROLE_CANCEL] = "cancel",   [ROLE_FORGET] = "forget", [ROLE_SAMPLE] = "sample",
	[ROLE_RELEASE] = "release", [ROLE_LEAVE] = "leave",   [ROLE_MOVE] = "move",
};

static const char *const stack_names[PAIR_STACKS] = {
	[PAIR_STACK_START] = "start",	[PAIR_STACK_END] = "end",
	[PAIR_STACK_WAKEUP] = "wakeup", [PAIR_STACK_OFFWAKE] = "offwake",
	[PAIR_STACK_CHAIN] = "chain",
};

static const char *const place_names[PAIR_NAMESES] = {
	[PAIR_NAMES_ROOT] = "root",
	[PAIR_NAMES_LEAF] = "leaf",
	[PAIR_NAMES_NONE] = "none",
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

static const char *const clause_words[] = { "key", "value", "object", "size",
					    "to",  "fifo",  "lifo",   "if" };
enum { CLAUSE_WORDS = 8 };

/* What is before the word, outside of any other word; *@rest: what is behind it, .text NULL: it is
 * not there. A field may have such a name, but "if": "key value", "key a + value". */
static struct slice before_word(struct slice s, const char *word, struct slice *rest)
{
	struct slice next, left = rule_trimmed(s);
	bool of_clause = index_of_word((struct slice){ word, strlen(word) }, clause_words,
				       CLAUSE_WORDS) >= 0;
	bool wants = false, inside = false; /* an operand; an expression */

	*rest = (struct slice){ NULL, 0 };
	while (left.size) {
		next = first_word(left, &left);
		if (is_word(next, word) && (!wants || is_word(next, "if"))) {
			*rest = left;
			s.size = (size_t)(next.text - s.text);
			break;
		}
		if (!of_clause)
			continue;
		wants = !wants && index_of_word(next, clause_words, CLAUSE_WORDS) >= 0;
		/* Names of events may end in a '*'. */
		inside |= wants;
		wants |=
			inside && memchr("+-*/%&|^<>=!~,(", next.text[next.size - 1], 15);
	}
	return rule_trimmed(s);
}

/* Of a long one only so much is shown that the reason has room behind it. */
static int refuse_clause(struct context *ctx, struct slice clause, const char *why)
{
	enum { SHOWN = 160 };

	return fail(ctx, -EINVAL, "'%.*s%s' is not a clause of a pairing: %s",
		    (int)(clause.size > SHOWN ? SHOWN : clause.size), clause.text,
		    clause.size > SHOWN ? "..." : "", why);
}

static int refuse_verb(struct context *ctx, struct slice clause)
{
	return refuse_clause(
		ctx, clause,
		"start, wake, end, cancel, forget, release, leave, move, sample, "
		"weight, between, names, stack, first, nested, open, unit, "
		"title, ratio and or are");
}

/* Its word is there, and nothing behind it. */
static bool is_missing(struct slice expression)
{
	return expression.text && !expression.size;
}

/* A key of two parts has a comma that is in no parentheses. */
static void split_key(struct slice key, struct slice ret[RULE_KEYS])
{
	int depth = 0;

	ret[0] = key;
	for (size_t i = 0; i < key.size && !ret[1].text; i++) {
		depth += (key.text[i] == '(') - (key.text[i] == ')');
		if (key.text[i] != ',' || depth)
			continue;
		ret[0] = rule_trimmed((struct slice){ key.text, i });
		ret[1] = rule_trimmed(
			(struct slice){ key.text + i + 1, key.size - i - 1 });
	}
}

static int add_pair_step(struct context *ctx, struct pair_rule *rule, struct slice clause,
			 int role, struct slice rest)
{
	struct pair_step *step = &rule->steps[rule->count];
	struct slice key, object, to, fifo, lifo;
	const char *bar;
	size_t size;

	if (rule->count == RULE_STEPS_MOST)
		return refuse_clause(ctx, clause, "there are too many");
	*step = (struct pair_step){ .role = (enum pair_role)role };
	rest = before_word(rest, "if", &step->condition);
	rest = before_word(rest, "fifo", &fifo);
	rest = before_word(rest, "lifo", &lifo);
	step->line = fifo.text	 ? PAIR_LINE_FIFO
		     : lifo.text ? PAIR_LINE_LIFO
				 : PAIR_LINE_NONE;
	rest = before_word(rest, "to", &to);
	rest = before_word(rest, "size", &step->size);
	rest = before_word(rest, "object", &object);
	rest = before_word(rest, "value", &step->value);
	step->events = before_word(rest, "key", &key);
	/* "| nothing" is taken off. */
	bar = memrchr(step->events.text, '|', step->events.size);
	size = bar ? (size_t)(bar - step->events.text) : 0;
	step->is_optional =
		bar && is_word(rule_trimmed((struct slice){ bar + 1, step->events.size -
									     size - 1 }),
			       "nothing");
	if (step->is_optional)
		step->events = rule_trimmed((struct slice){ step->events.text, size });
	if (!step->events.size)
		return refuse_clause(ctx, clause, "it names no event");
	if (step->value.text && role != ROLE_START && role != ROLE_END)
		return refuse_clause(ctx, clause, "only a start or an end has a value");
	if (object.text && role != ROLE_END && role != ROLE_START)
		return refuse_clause(
			ctx, clause,
			"only an end makes an object, and only a start takes one");
	if (step->line != PAIR_LINE_NONE && role != ROLE_START)
		return refuse_clause(ctx, clause, "only a start waits in line");
	if (fifo.size || lifo.size || (fifo.text && lifo.text))
		return refuse_clause(ctx, clause,
				     "fifo or lifo stands alone, before \"if\"");
	if (step->size.text && role != ROLE_START && role != ROLE_END)
		return refuse_clause(ctx, clause, "only a start or an end has a size");
	if (role == ROLE_MOVE ? !to.text || !key.text
			      : (role == ROLE_END && step->size.text) != !!to.text)
		return refuse_clause(ctx, clause,
				     "a move has a key and \"to\", and an end both a "
				     "size and \"to\" or neither");
	split_key(key, step->keys);
	split_key(object, step->objects);
	split_key(to, step->to);
	rule->has_objects |= object.text && role == ROLE_END;
	rule->has_lines |= step->line != PAIR_LINE_NONE || to.text;
	if (is_missing(step->condition) || is_missing(step->value) ||
	    is_missing(step->keys[0]) || is_missing(step->keys[1]) ||
	    is_missing(step->objects[0]) || is_missing(step->objects[1]) ||
	    is_missing(step->to[0]) || is_missing(step->to[1]) || is_missing(step->size))
		return refuse_clause(ctx, clause, "an expression is missing");
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
	if (is_word(verb, "nested") && !rest.size) {
		rule->nested = true;
		return 0;
	}
	if (!rest.size)
		return refuse_verb(ctx, clause);
	if (is_word(verb, "weight")) {
		struct pair_part part;

		part.weight = before_word(rest, "as", &part.name);
		if (part.name.text && (!part.name.size || !part.weight.size))
			return refuse_clause(ctx, clause,
					     "an expression or a name is missing");
		if (rule->part_count == RULE_PARTS)
			return refuse_clause(ctx, clause, "there are too many");
		if (part.name.text)
			rule->parts[rule->part_count++] = part;
		else
			rule->weight = rest;
	} else if (is_word(verb, "between")) {
		rule->between = rest;
	} else if (is_word(verb, "names")) {
		index = index_of_word(rest, place_names, PAIR_NAMESES);
		if (index < 0)
			return refuse_clause(
				ctx, clause,
				"root, leaf and none are where names can be");
		rule->names = (enum pair_names)index;
	} else if (is_word(verb, "unit")) {
		rule->unit = rest;
	} else if (is_word(verb, "title")) {
		rule->title = rest;
	} else if (is_word(verb, "ratio")) {
		rule->ratio = rest;
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
		return refuse_verb(ctx, clause);
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

/* Do its clauses make sense together? */
static int check_rule(struct context *ctx, const struct pair_rule *rule)
{
	bool starts = has_role(rule, ROLE_START), samples = has_role(rule, ROLE_SAMPLE);

	if (!rule->count && rule->ratio.size)
		return 0;
	/* What is never freed has a start only. */
	if (starts != has_role(rule, ROLE_END) &&
	    !(starts && rule->open == PAIR_OPEN_REPORT))
		return fail(ctx, -EINVAL, "a pairing has both a start and an end");
	if (!starts && !samples)
		return fail(ctx, -EINVAL,
			    "a pairing has a start and an end, or a sample");
	if (rule->of_samples &&
	    (has_role(rule, ROLE_WAKE) || has_role(rule, ROLE_CANCEL) ||
	     has_role(rule, ROLE_FORGET) || has_role(rule, ROLE_RELEASE) ||
	     has_role(rule, ROLE_LEAVE) || has_role(rule, ROLE_MOVE)))
		return fail(
			ctx, -EINVAL,
			"wake, cancel, forget and move are of a pairing with a start");
	for (size_t i = 0; i < rule->count; i++)
		if (rule->of_samples && rule->steps[i].keys[0].text)
			return fail(ctx, -EINVAL,
				    "a sample has a key only beside a start and an end");
	if ((rule->of_samples && rule->part_count) ||
	    (rule->part_count && rule->weight.text))
		return fail(ctx, -EINVAL,
			    "weights with names are those of intervals, and all of them "
			    "have one");
	if (rule->has_objects && (rule->part_count || rule->has_between))
		return fail(
			ctx, -EINVAL,
			"what an object holds is one weight, without samples beside it");
	if (rule->between.text && !rule->has_between)
		return fail(ctx, -EINVAL,
			    "what is between intervals needs a sample beside start and "
			    "end");
	if (rule->has_between && rule->stack != PAIR_STACK_START)
		return fail(
			ctx, -EINVAL,
			"beside samples the stack of an interval is that of its start");
	if (rule->has_between && rule->open == PAIR_OPEN_REPORT)
		return fail(ctx, -EINVAL,
			    "beside samples all intervals count, not only those that are "
			    "open");
	if (rule->stack >= PAIR_STACK_OFFWAKE && !has_role(rule, ROLE_WAKE))
		return fail(ctx, -EINVAL,
			    "the stacks offwake and chain are of a pairing with a wake");
	if (rule->has_objects != has_role(rule, ROLE_RELEASE) &&
	    !(rule->has_objects && rule->open == PAIR_OPEN_REPORT))
		return fail(ctx, -EINVAL,
			    "an object is made by an end and has a release");
	for (size_t i = 0; i < rule->count; i++)
		if (rule->steps[i].role == ROLE_START && rule->steps[i].objects[0].text &&
		    (!rule->has_objects || has_role(rule, ROLE_WAKE)))
			return fail(ctx, -EINVAL,
				    "what a start takes is made by an end, and nobody "
				    "wakes it");
	if (has_role(rule, ROLE_LEAVE) && !rule->has_objects)
		return fail(ctx, -EINVAL, "only objects are left");
	if (rule->has_objects && rule->stack > PAIR_STACK_END)
		return fail(ctx, -EINVAL,
			    "an object has the stack of its start or of its end");
	if (rule->has_lines && (rule->nested || rule->has_objects || rule->has_between ||
				has_role(rule, ROLE_WAKE)))
		return fail(ctx, -EINVAL,
			    "several under a key, and what goes from one key to another, "
			    "have no marks, no calls inside, no objects and no samples "
			    "beside them");
	if (rule->open != PAIR_OPEN_DROP && !rule->has_objects &&
	    (rule->stack == PAIR_STACK_END || rule->stack == PAIR_STACK_WAKEUP))
		return fail(ctx, -EINVAL,
			    "what is open has no end whose stack it could have");
	return 0;
}

int rule_parse(struct context *ctx, const char *text, struct pair_rule *ret)
{
	const char *first = NULL;
	int err = 0;

	*ret = (struct pair_rule){ .at = text };
	while (*text && err == 0) {
		/* A file of rules may have comments. */
		bool comment = text[strspn(text, " \t\r")] == '#';
		struct slice clause = { text, strcspn(text, comment ? "\n" : ";\n") };

		text += clause.size + (text[clause.size] != '\0');
		clause = rule_trimmed(clause);
		if (is_word(clause, "or")) {
			ret->otherwise = text;
			break;
		}
		if (clause.size && !comment) {
			first = first ? first : clause.text;
			ret->at = clause.text;
			err = parse_clause(ctx, clause, ret);
		}
	}
	/* "t.wake", "end.ret" */
	ret->of_samples = has_role(ret, ROLE_SAMPLE) && !has_role(ret, ROLE_START);
	ret->has_between = has_role(ret, ROLE_SAMPLE) && has_role(ret, ROLE_START);
	for (size_t i = 0; i < ret->part_count; i++)
		ret->has_more |= memchr(ret->parts[i].weight.text, '.',
					ret->parts[i].weight.size) != NULL;
	ret->has_more |=
		ret->has_between || has_role(ret, ROLE_WAKE) ||
		ret->stack == PAIR_STACK_WAKEUP || ret->nested || ret->has_objects ||
		ret->has_lines ||
		(ret->weight.size && memchr(ret->weight.text, '.', ret->weight.size));
	if (err == 0 && first)
		ret->at = first;
	return err < 0 ? err : check_rule(ctx, ret);
}

int rule_refused_at(struct context *ctx, const char *text, const char *at, int err)
{
	char sentence[sizeof(ctx->error)];
	size_t line = 1;

	if (err != -EINVAL || !strchr(text, '\n'))
		return err;
	for (; text < at; text++)
		line += *text == '\n';
	memcpy(sentence, ctx->error, sizeof(sentence));
	return fail(ctx, err, "line %zu: %s", line, sentence);
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
