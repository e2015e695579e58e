/*
 * A rule of --pair (weight/rule.h). Whatever the text is, it is refused in a sentence, or its parts lie in
 * it and its expressions, over any names, have a value, which their text between parentheses has, too.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/mode_file.h"
#include "weight/pairing.h"

enum { SLOTS = 64 };

static void check(bool fine)
{
	if (!fine)
		abort();
}

static void check_slice(struct slice s, const char *text, size_t size)
{
	check(!s.text || (s.text >= text && s.size <= size - (size_t)(s.text - text)));
}

/* A name is the slot of its length, and of any kind. */
static int find(void *arg, struct context *ctx, const char *name, size_t size)
{
	(void)arg;
	(void)ctx;
	(void)name;
	return (int)(size % SLOTS) | (size % 3 == 0   ? VALUE_TEXT
				      : size % 3 == 1 ? VALUE_NUMBER
						      : VALUE_ANY);
}

static void check_expression(struct slice s)
{
	static const int64_t odd[] = { 0, 1, -1, INT64_MIN, INT64_MAX, 4095, 0x100 };
	struct context ctx = { .error = "" };
	struct expression e, again;
	int64_t slots[SLOTS];
	char *text;

	if (!s.text)
		return;
	for (int i = 0; i < SLOTS; i++)
		slots[i] = odd[(size_t)i % (sizeof(odd) / sizeof(*odd))];
	if (expression_parse(&ctx, s, find, NULL, &e) < 0) {
		check(ctx.error[0] && expression_is_empty(&e));
		return;
	}
	check(!expression_is_empty(&e) && e.steps.count <= EXPRESSION_STEPS_MOST);
	text = malloc(s.size + 2);
	check(text != NULL);
	text[0] = '(';
	memcpy(text + 1, s.text, s.size);
	text[s.size + 1] = ')';
	/* It may be too deep then. */
	if (expression_parse(&ctx, (struct slice){ text, s.size + 2 }, find, NULL,
			     &again) == 0)
		check(expression_value(&e, slots) == expression_value(&again, slots));
	expression_release(&again);
	expression_release(&e);
	free(text);
}

/* A rule of a file begins in the line that it has there. */
static void check_file(const char *text, size_t size)
{
	struct mode_file file;
	char why[200];
	int err = mode_file_parse(text, size, &file, why, sizeof(why));

	check(err == 0 || strncmp(why, "line ", 5) == 0);
	check(err < 0 || file.count > 0);
	for (size_t i = 0; i < file.count; i++)
		check(strlen(file.modes[i].rule) <= size + 1);
	mode_file_release(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct context ctx = { .error = "" };
	struct pair_rule rule;
	unsigned more;

	check(text != NULL);
	memcpy(text, data, size);
	text[size] = '\0';
	check_file(text, size);
	/* The whole text, too: not all that could be an expression is one in a clause. */
	check_expression((struct slice){ text, size });
	check(pairing_check(&ctx, text, &more) == 0 || ctx.error[0]);
	ctx.error[0] = '\0';
	if (rule_parse(&ctx, text, &rule) < 0) {
		check(ctx.error[0]);
		free(text);
		return 0;
	}
	check((rule.count > 0 || rule.ratio.size) && rule.count <= RULE_STEPS_MOST);
	check(rule.part_count <= RULE_PARTS);
	for (size_t i = 0; i < rule.part_count; i++) {
		check_slice(rule.parts[i].weight, text, size);
		check_slice(rule.parts[i].name, text, size);
		check_expression(rule.parts[i].weight);
	}
	check_slice(rule.between, text, size);
	check_slice(rule.ratio, text, size);
	check_slice(rule.weight, text, size);
	check_slice(rule.unit, text, size);
	check_slice(rule.title, text, size);
	check_expression(rule.weight);
	for (size_t i = 0; i < rule.count; i++) {
		const struct pair_step *step = &rule.steps[i];

		check(step->events.size > 0);
		check_slice(step->events, text, size);
		check_slice(step->condition, text, size);
		check_expression(step->condition);
		check_slice(step->value, text, size);
		check_expression(step->value);
		check_slice(step->size, text, size);
		check_expression(step->size);
		check(step->line == PAIR_LINE_NONE || rule.has_lines);
		for (int k = 0; k < RULE_KEYS; k++) {
			check_slice(step->keys[k], text, size);
			check_expression(step->keys[k]);
			check_slice(step->objects[k], text, size);
			check_expression(step->objects[k]);
			check_slice(step->to[k], text, size);
			check_expression(step->to[k]);
		}
	}
	free(text);
	return 0;
}
