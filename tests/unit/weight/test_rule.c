#include "weight/pairing.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static struct context ctx;
static struct pair_rule rule;

static void parse(const char *text)
{
	cr_assert_eq(rule_parse(&ctx, text, &rule), 0, "%s: %s", text, ctx.error);
}

static void expect(struct slice s, const char *text)
{
	if (!text)
		cr_expect_null(s.text);
	else
		cr_expect(s.text && s.size == strlen(text) &&
				  memcmp(s.text, text, s.size) == 0,
			  "'%.*s' is not '%s'", (int)s.size, s.text ? s.text : "", text);
}

static void refused(const char *text, const char *why)
{
	cr_expect_eq(rule_parse(&ctx, text, &rule), -EINVAL, "'%s' is refused", text);
	cr_expect_str_eq(ctx.error, why);
}

static void clause_refused(const char *clause, const char *why)
{
	char text[512], whole[512];

	snprintf(text, sizeof(text), "start a; end b; %s", clause);
	snprintf(whole, sizeof(whole), "'%s' is not a clause of a pairing: %s", clause,
		 why);
	refused(text, whole);
}

#define PAIR "start a; end b;"

Test(rule, a_start_and_an_end_are_enough)
{
	parse("start a;end b");
	cr_assert_eq(rule.count, 2);
	cr_expect_eq(rule.steps[0].role, ROLE_START);
	cr_expect_eq(rule.steps[1].role, ROLE_END);
	expect(rule.steps[0].events, "a");
	expect(rule.steps[0].condition, NULL);
	expect(rule.steps[0].keys[0], NULL);
	expect(rule.weight, NULL);
	expect(rule.unit, NULL);
	cr_expect_eq(rule.stack, PAIR_STACK_START);
	cr_expect_eq(rule.open, PAIR_OPEN_DROP);
	cr_expect_not(rule.first);
}

Test(rule, an_end_makes_an_object)
{
	parse("start a value x * 2 if y; end b value z object pid, max(p, q) if r;"
	      "release c key pid, p; nested; stack end; open report");
	expect(rule.steps[0].events, "a");
	expect(rule.steps[0].value, "x * 2");
	expect(rule.steps[0].condition, "y");
	expect(rule.steps[1].events, "b");
	expect(rule.steps[1].value, "z");
	expect(rule.steps[1].objects[0], "pid");
	expect(rule.steps[1].objects[1], "max(p, q)");
	expect(rule.steps[1].condition, "r");
	cr_expect_eq(rule.steps[2].role, ROLE_RELEASE);
	cr_expect(rule.nested && rule.has_objects && rule.has_more);
}

Test(rule, several_are_open_and_go_on_under_other_keys)
{
	parse("start a key x, y size n fifo if z; start a lifo; start a size fifo;"
	      "end b key x size n to x, y + n if z == 'a,b'; move c key to to size");
	expect(rule.steps[0].keys[1], "y");
	expect(rule.steps[0].size, "n");
	cr_expect_eq(rule.steps[0].line, PAIR_LINE_FIFO);
	expect(rule.steps[0].condition, "z");
	expect(rule.steps[1].events, "a");
	cr_expect_eq(rule.steps[1].line, PAIR_LINE_LIFO);
	expect(rule.steps[2].size, "fifo");
	cr_expect_eq(rule.steps[2].line, PAIR_LINE_NONE);
	expect(rule.steps[3].size, "n");
	expect(rule.steps[3].to[0], "x");
	expect(rule.steps[3].to[1], "y + n");
	expect(rule.steps[3].condition, "z == 'a,b'");
	cr_expect_eq(rule.steps[4].role, ROLE_MOVE);
	expect(rule.steps[4].keys[0], "to");
	expect(rule.steps[4].to[0], "size");
	cr_expect(rule.has_lines && rule.has_more);
	cr_expect(rule_role_may_lack(ROLE_MOVE));
}

Test(rule, fields_may_have_the_name_of_a_word)
{
	parse("start a:b key value; end cpu-clock* key value value object + 1 object key "
	      "if value == key; release c key (a) + value, object;"
	      "weight 2 * end.value");
	expect(rule.steps[0].keys[0], "value");
	expect(rule.steps[0].value, NULL);
	expect(rule.steps[1].events, "cpu-clock*");
	expect(rule.steps[1].keys[0], "value");
	expect(rule.steps[1].value, "object + 1");
	expect(rule.steps[1].objects[0], "key");
	expect(rule.steps[1].condition, "value == key");
	expect(rule.steps[2].keys[0], "(a) + value");
	expect(rule.steps[2].keys[1], "object");
	parse("start a; end b; weight 2 * value as N; weight value as as");
	expect(rule.parts[0].weight, "2 * value");
	expect(rule.parts[0].name, "N");
}

Test(rule, what_may_be_nothing_is_optional)
{
	parse("start a | b |  nothing  key x; end b | nothing2");
	expect(rule.steps[0].events, "a | b");
	cr_expect(rule.steps[0].is_optional);
	expect(rule.steps[1].events, "b | nothing2");
	cr_expect_not(rule.steps[1].is_optional);
}

Test(rule, or_a_sample)
{
	parse("sample block:* | page-faults if bytes > 0; weight bytes");
	cr_assert_eq(rule.count, 1);
	cr_expect_eq(rule.steps[0].role, ROLE_SAMPLE);
	expect(rule.steps[0].events, "block:* | page-faults");
	expect(rule.steps[0].condition, "bytes > 0");
	expect(rule.weight, "bytes");
}

Test(rule, a_step_has_events_a_key_of_two_parts_and_a_condition)
{
	parse("start  a:b , c:*|d  key  dev ,  max(x, y)  if  p && key2 != iffy ; end b");
	expect(rule.steps[0].events, "a:b , c:*|d");
	expect(rule.steps[0].keys[0], "dev");
	expect(rule.steps[0].keys[1], "max(x, y)");
	expect(rule.steps[0].condition, "p && key2 != iffy");
	parse("start a if p; end b key max(x, y)");
	expect(rule.steps[0].condition, "p");
	expect(rule.steps[0].keys[0], NULL);
	expect(rule.steps[1].keys[0], "max(x, y)");
	expect(rule.steps[1].keys[1], NULL);
}

Test(rule, words_are_whole_ones)
{
	parse("start keys,iffy; end xkey,xif");
	expect(rule.steps[0].events, "keys,iffy");
	expect(rule.steps[1].events, "xkey,xif");
}

Test(rule, every_role)
{
	parse("cancel a; forget b; wake c; end d; start e");
	cr_assert_eq(rule.count, 5);
	cr_expect_eq(rule.steps[0].role, ROLE_CANCEL);
	cr_expect_eq(rule.steps[1].role, ROLE_FORGET);
	cr_expect_eq(rule.steps[2].role, ROLE_WAKE);
	cr_expect_eq(rule.steps[3].role, ROLE_END);
	cr_expect_eq(rule.steps[4].role, ROLE_START);
}

Test(rule, other_clauses)
{
	parse(PAIR "wake c; weight max(0, end.ret - start.ret); unit KiB; "
		   "title Time, and more; first; open count; stack chain");
	expect(rule.weight, "max(0, end.ret - start.ret)");
	expect(rule.unit, "KiB");
	expect(rule.title, "Time, and more");
	cr_expect(rule.first);
	cr_expect_eq(rule.open, PAIR_OPEN_COUNT);
	cr_expect_eq(rule.stack, PAIR_STACK_CHAIN);
	parse(PAIR "open report; open drop; stack end; weight 1; weight t");
	cr_expect_eq(rule.open, PAIR_OPEN_DROP);
	cr_expect_eq(rule.stack, PAIR_STACK_END);
	expect(rule.weight, "t");
	parse(PAIR "stack wakeup");
	cr_expect_eq(rule.stack, PAIR_STACK_WAKEUP);
	parse(PAIR "stack offwake;wake c");
	cr_expect_eq(rule.stack, PAIR_STACK_OFFWAKE);
}

Test(rule, lines_are_clauses_and_comments_none)
{
	parse("# what is never freed\n\n  start a\n\t# end b\n ; ;open report\n");
	cr_assert_eq(rule.count, 1);
	cr_expect_eq(rule.open, PAIR_OPEN_REPORT);
	parse("start a\r\nend b\r\n");
	expect(rule.steps[1].events, "b");
}

Test(rule, one_with_a_ratio_alone_pairs_nothing)
{
	parse("ratio CPI=cycles/instructions");
	expect(rule.ratio, "CPI=cycles/instructions");
	cr_expect_eq(rule.count, 0);
	refused("title x", "a pairing has a start and an end, or a sample");
}

Test(rule, weights_have_names)
{
	parse("start a; end b; sample c key d; weight t as [x]; weight max(t, 1) as y z;"
	      "between w; names leaf");
	cr_expect_eq(rule.part_count, 2);
	expect(rule.parts[0].weight, "t");
	expect(rule.parts[0].name, "[x]");
	expect(rule.parts[1].weight, "max(t, 1)");
	expect(rule.parts[1].name, "y z");
	expect(rule.weight, NULL);
	expect(rule.between, "w");
	cr_expect_eq(rule.names, PAIR_NAMES_LEAF);
	cr_expect(rule.has_between && !rule.of_samples);
	cr_expect_eq(pair_kind_of(&rule), 2);
	parse("sample c");
	cr_expect(rule.of_samples && !rule.has_between);
	cr_expect_eq(pair_kind_of(&rule), 0);
}

Test(rule, what_is_no_clause_is_refused)
{
	static const char all[] = "start, wake, end, cancel, forget, release, leave, "
				  "move, sample, weight, between, names, stack, "
				  "first, nested, open, unit, title, ratio and or are";

	static const char goes_on[] = "a move has a key and \"to\", and an end both a "
				      "size and \"to\" or neither";

	clause_refused("starts a", all);
	clause_refused("Start a", all);
	clause_refused("stop", all);
	clause_refused("weight", all);
	clause_refused("unit", all);
	clause_refused("first one", all);
	clause_refused("open never",
		       "drop, count and report are what can be done with open ones");
	clause_refused("stack user", "start, end, wakeup, offwake and chain are stacks");
	clause_refused("start", "it names no event");
	clause_refused("wake key pid", "it names no event");
	clause_refused("cancel if x", "it names no event");
	clause_refused("start a key", "an expression is missing");
	clause_refused("start a if", "an expression is missing");
	clause_refused("start a key if x", "an expression is missing");
	clause_refused("start a key x,", "an expression is missing");
	clause_refused("start a key ,x", "an expression is missing");
	clause_refused("start a value", "an expression is missing");
	clause_refused("end a object", "an expression is missing");
	clause_refused("end a object x,", "an expression is missing");
	clause_refused("wake a value x", "only a start or an end has a value");
	clause_refused("wake a object x",
		       "only an end makes an object, and only a start takes one");
	clause_refused("start | nothing", "it names no event");
	clause_refused("end a fifo", "only a start waits in line");
	clause_refused("start a lifo fifo", "fifo or lifo stands alone, before \"if\"");
	clause_refused("start a fifo key x", "fifo or lifo stands alone, before \"if\"");
	clause_refused("wake a size x", "only a start or an end has a size");
	clause_refused("start a size", "an expression is missing");
	clause_refused("move a key x to y,", "an expression is missing");
	clause_refused("move a key x", goes_on);
	clause_refused("move a to x", goes_on);
	clause_refused("start a to x", goes_on);
	clause_refused("end a size x", goes_on);
	clause_refused("end a to x", goes_on);
	clause_refused("weight t as", "an expression or a name is missing");
	clause_refused("weight as x", "an expression or a name is missing");
	clause_refused("names top", "root, leaf and none are where names can be");
}

Test(rule, what_is_behind_or_is_another_rule)
{
	cr_assert_eq(rule_parse(&ctx, "start a; end b; or ; sample c if x || y", &rule),
		     0);
	cr_expect_eq(rule.count, 2);
	cr_expect_str_eq(rule.otherwise, " sample c if x || y");
	cr_assert_eq(rule_parse(&ctx, rule.otherwise, &rule), 0);
	cr_expect_eq(rule.count, 1);
	cr_expect_null(rule.otherwise);
	cr_expect_eq(rule_parse(&ctx, "or; sample c", &rule), -EINVAL);
	cr_expect_eq(rule_parse(&ctx, "sample c; or d", &rule), -EINVAL);
}

Test(rule, a_long_clause_is_refused_for_a_reason_all_the_same)
{
	static char text[5000];

	memset(text, 'x', sizeof(text) - 1);
	cr_expect_eq(rule_parse(&ctx, text, &rule), -EINVAL);
	cr_expect(strstr(ctx.error, "...' is not a clause of a pairing: start, "), "%s",
		  ctx.error);
}

Test(rule, there_are_so_many_steps_at_most)
{
	char text[512] = "end b";

	for (int i = 1; i < RULE_STEPS_MOST; i++)
		strcat(text, ";start a");
	parse(text);
	cr_expect_eq(rule.count, RULE_STEPS_MOST);
	strcat(text, ";start c");
	refused(text, "'start c' is not a clause of a pairing: there are too many");
}

Test(rule, clauses_that_make_no_sense_together_are_refused)
{
	static const char both[] = "a pairing has both a start and an end";
	static const char alone[] =
		"wake, cancel, forget and move are of a pairing with a start";
	static const char parts[] =
		"weights with names are those of intervals, and all of them have one";
	static const char wakes[] =
		"the stacks offwake and chain are of a pairing with a wake";
	static const char open[] = "what is open has no end whose stack it could have";
	static const char line[] =
		"several under a key, and what goes from one key to another, have no "
		"marks, no calls inside, no objects and no samples beside them";

	refused("", "a pairing has a start and an end, or a sample");
	refused("weight t", "a pairing has a start and an end, or a sample");
	refused("wake a", "a pairing has a start and an end, or a sample");
	refused("start a", both);
	refused("start a; open count", both);
	refused("end a", both);
	refused("end a; open report", both);
	refused("start a; end b object x",
		"an object is made by an end and has a release");
	refused(PAIR "release c", "an object is made by an end and has a release");
	refused(PAIR "leave c", "only objects are left");
	refused("start a fifo; end b; nested", line);
	refused("start a lifo; end b; wake c", line);
	refused(PAIR "move c key x to y; sample d", line);
	refused("start a fifo; end b object x; release c", line);
	refused("sample a; move b key x to y", alone);
	refused("start a object x; end b",
		"what a start takes is made by an end, and nobody wakes it");
	refused("start a object x; wake d; end b object x; release c",
		"what a start takes is made by an end, and nobody wakes it");
	refused("start a; wake c; end b object x; release c; stack chain",
		"an object has the stack of its start or of its end");
	refused("sample c; end a", both);
	refused("wake a; sample c", alone);
	refused("cancel a; sample c", alone);
	refused("sample c; forget a", alone);
	refused("sample c key d", "a sample has a key only beside a start and an end");
	refused("sample c; weight d as x", parts);
	refused(PAIR "weight t as x; weight t", parts);
	refused(PAIR "between x",
		"what is between intervals needs a sample beside start and end");
	refused(PAIR "sample c; stack end",
		"beside samples the stack of an interval is that of its start");
	refused(PAIR "sample c; open report",
		"beside samples all intervals count, not only those that are open");
	refused(PAIR "stack offwake", wakes);
	refused("stack chain;" PAIR, wakes);
	refused("sample c; stack chain", wakes);
	refused(PAIR "open count; stack end", open);
	refused("start a; open report; stack wakeup", open);
}

Test(rule, every_mode_has_a_rule_that_is_one)
{
	size_t count = 0;

	for (const struct mode *m = modes; m->name; m++, count++) {
		cr_expect(m->title && m->question && m->colors, "%s", m->name);
		cr_expect_eq(mode_find(m->name), m);
		if (!m->rule[0])
			continue;
		parse(m->rule);
		/* What pairs nothing counts what events do. */
		cr_expect(rule.unit.text || !rule.count, "%s has a unit", m->name);
	}
	cr_expect_gt(count, 20);
	cr_expect_null(mode_find("offcp"));
	cr_expect_null(mode_find(""));
}
