/*
 * A text becomes steps in the order they are taken, operands before their operator, by climbing
 * precedences: an operand takes in all operators behind it that bind more tightly than the one
 * before it.
 *
 *	a + b * 4      a  b  4  *  +
 *
 * How many values wait is known while steps are made, so their evaluation checks nothing.
 */
#include "weight/expression.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Longer ones first where one begins with the other. */
static const struct operator
{
	const char *text;
	uint8_t what, precedence;
}
operators[] = {
	{ "||", STEP_OR, 1 },	      { "&&", STEP_AND, 2 },
	{ "==", STEP_EQUAL, 6 },      { "!=", STEP_UNEQUAL, 6 },
	{ "<=", STEP_LESS_EQUAL, 7 }, { ">=", STEP_GREATER_EQUAL, 7 },
	{ "<<", STEP_LEFT, 8 },	      { ">>", STEP_RIGHT, 8 },
	{ "<", STEP_LESS, 7 },	      { ">", STEP_GREATER, 7 },
	{ "|", STEP_BIT_OR, 3 },      { "^", STEP_BIT_XOR, 4 },
	{ "&", STEP_BIT_AND, 5 },     { "+", STEP_ADD, 9 },
	{ "-", STEP_SUBTRACT, 9 },    { "*", STEP_MULTIPLY, 10 },
	{ "/", STEP_DIVIDE, 10 },     { "%", STEP_REST, 10 },
};

static const struct function_name {
	const char *name;
	uint8_t what;
} functions[] = {
	{ "min", STEP_MIN },
	{ "max", STEP_MAX },
	{ "page_round", STEP_PAGE_ROUND },
	{ "blocked", STEP_BLOCKED },
	{ "runnable", STEP_RUNNABLE },
};

struct expression_parser {
	struct context *ctx;
	const char *text, *at, *end;
	expression_name *find;
	void *arg;
	struct expression *e;
	unsigned depth; /* of parentheses and operators that wait */
	size_t waiting; /* values, when all steps so far have been taken */
	enum expression_kind kind; /* of the last one */
};

static int read_operators(struct expression_parser *r, unsigned least);
static int read_numeric(struct expression_parser *r);

/* Of a long text only so much is shown that the reason has room behind it. */
static int refuse_expression(struct expression_parser *r, const char *what)
{
	enum { SHOWN = 160 };
	size_t all = (size_t)(r->end - r->text), rest = (size_t)(r->end - r->at);
	int shown = (int)(all > SHOWN ? SHOWN : all);

	if (!rest)
		return fail(r->ctx, -EINVAL, "'%.*s%s': %s at its end", shown, r->text,
			    all > SHOWN ? "..." : "", what);
	return fail(r->ctx, -EINVAL, "'%.*s%s': %s at '%.*s%s'", shown, r->text,
		    all > SHOWN ? "..." : "", what, (int)(rest > SHOWN ? SHOWN : rest),
		    r->at, rest > SHOWN ? "..." : "");
}

static void skip_spaces(struct expression_parser *r)
{
	while (r->at < r->end && isspace((unsigned char)*r->at))
		r->at++;
}

static bool take_token(struct expression_parser *r, const char *text)
{
	size_t size = strlen(text);

	skip_spaces(r);
	if ((size_t)(r->end - r->at) < size || memcmp(r->at, text, size) != 0)
		return false;
	r->at += size;
	return true;
}

static int add_step(struct expression_parser *r, uint8_t what, int64_t number)
{
	struct expression_step *step;

	r->waiting += what == STEP_NUMBER || what == STEP_SLOT;
	r->waiting -= what >= STEP_TWO;
	if (r->e->steps.count == EXPRESSION_STEPS_MOST ||
	    r->waiting > EXPRESSION_STACK_MOST)
		return refuse_expression(r, "it is too long");
	step = array_add(&r->e->steps);
	if (!step)
		return fail_memory(r->ctx);
	*step = (struct expression_step){ number, what };
	return 0;
}

static int read_literal(struct expression_parser *r)
{
	bool hex = r->end - r->at >= 2 && r->at[0] == '0' && (r->at[1] | 32) == 'x';
	uint64_t value = 0, base = hex ? 16 : 10;
	const char *first = r->at += hex ? 2 : 0;

	for (; r->at < r->end && isxdigit((unsigned char)*r->at); r->at++) {
		unsigned digit = isdigit((unsigned char)*r->at)
					 ? (unsigned)(*r->at - '0')
					 : (unsigned)((*r->at | 32) - 'a' + 10);

		if (digit >= base || value > (UINT64_MAX - digit) / base)
			return refuse_expression(r, "not a number of 64 bits");
		value = value * base + digit;
	}
	if (r->at == first)
		return refuse_expression(r, "not a number");
	return add_step(r, STEP_NUMBER, (int64_t)value);
}

/* 'FF' */
static int read_text(struct expression_parser *r)
{
	const char *first = r->at + 1, *at = first;

	while (at < r->end && *at != '\'' && isgraph((unsigned char)*at))
		at++;
	if (at == r->end || *at != '\'' || at == first ||
	    at - first > EXPRESSION_TEXT_MOST)
		return refuse_expression(
			r, "not a text of 1 to 8 characters, without spaces");
	r->at = at + 1;
	r->kind = VALUE_TEXT;
	return add_step(r, STEP_NUMBER, expression_text(first, (size_t)(at - first)));
}

/* Arithmetic, and whatever an expression comes to, is with numbers. */
static int want_number(struct expression_parser *r)
{
	return r->kind == VALUE_TEXT
		       ? refuse_expression(
				 r, "a text is only compared, by == or !=, with another")
		       : 0;
}

/* A name may have a dot in it: "start.bytes". */
static int read_variable(struct expression_parser *r)
{
	const char *name = r->at;
	size_t size;
	int slot;

	while (r->at < r->end &&
	       (isalnum((unsigned char)*r->at) || *r->at == '_' || *r->at == '.'))
		r->at++;
	size = (size_t)(r->at - name);
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		uint8_t what = functions[i].what;
		int err;

		if (strlen(functions[i].name) != size ||
		    memcmp(functions[i].name, name, size) != 0)
			continue;
		err = take_token(r, "(") ? read_numeric(r)
					 : refuse_expression(r, "no '('");
		if (err == 0 && what >= STEP_TWO)
			err = take_token(r, ",")
				      ? read_numeric(r)
				      : refuse_expression(r, "no second value");
		if (err == 0 && !take_token(r, ")"))
			err = refuse_expression(r, "no ')'");
		r->kind = VALUE_NUMBER;
		return err < 0 ? err : add_step(r, what, 0);
	}
	slot = r->find(r->arg, r->ctx, name, size);
	if (slot < 0)
		return slot;
	r->kind = (enum expression_kind)(slot & VALUE_KINDS);
	return add_step(r, STEP_SLOT, slot & ~VALUE_KINDS);
}

static int read_operand(struct expression_parser *r)
{
	static const struct operator signs[] = { { "-", STEP_NEGATE, 0 },
						 { "!", STEP_NOT, 0 },
						 { "~", STEP_INVERT, 0 } };
	int err;

	if (++r->depth > EXPRESSION_STACK_MOST)
		return refuse_expression(r, "it is too deep");
	r->kind = VALUE_NUMBER;
	for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++)
		if (take_token(r, signs[i].text)) {
			err = read_operand(r);
			if (err == 0)
				err = want_number(r);
			r->kind = VALUE_NUMBER;
			r->depth--;
			return err < 0 ? err : add_step(r, signs[i].what, 0);
		}
	if (take_token(r, "(")) {
		err = read_operators(r, 1);
		if (err == 0 && !take_token(r, ")"))
			err = refuse_expression(r, "no ')'");
	} else if (r->at < r->end && isdigit((unsigned char)*r->at)) {
		err = read_literal(r);
	} else if (r->at < r->end && (isalpha((unsigned char)*r->at) || *r->at == '_')) {
		err = read_variable(r);
	} else if (r->at < r->end && *r->at == '\'') {
		err = read_text(r);
	} else {
		err = refuse_expression(r, "no value");
	}
	r->depth--;
	return err;
}

static int read_operators(struct expression_parser *r, unsigned least)
{
	const struct operator* end = operators + sizeof(operators) / sizeof(*operators);
	int err = ++r->depth > EXPRESSION_STACK_MOST
			  ? refuse_expression(r, "it is too deep")
			  : read_operand(r);

	while (err == 0) {
		const struct operator* o = operators;
		const char *before = r->at;
		enum expression_kind left = r->kind;
		bool compares;

		while (o < end && !take_token(r, o->text))
			o++;
		/* It binds less tightly: it is somebody else's. */
		if (o < end && o->precedence < least)
			r->at = before;
		if (o == end || o->precedence < least)
			break;
		compares = o->what == STEP_EQUAL || o->what == STEP_UNEQUAL;
		if (!compares)
			err = want_number(r);
		if (err == 0)
			err = read_operators(r, o->precedence + 1u);
		if (err == 0 && !compares)
			err = want_number(r);
		/* Of what is not known yet it is seen when it is. */
		else if (err == 0 && left != r->kind && left != VALUE_ANY &&
			 r->kind != VALUE_ANY)
			err = refuse_expression(r, "a text is compared with a number");
		r->kind = VALUE_NUMBER;
		if (err == 0)
			err = add_step(r, o->what, 0);
	}
	r->depth--;
	return err;
}

/* All of an expression, or an argument. */
static int read_numeric(struct expression_parser *r)
{
	int err = read_operators(r, 1);

	return err == 0 ? want_number(r) : err;
}

int expression_parse(struct context *ctx, struct slice text, expression_name *find,
		     void *arg, struct expression *ret)
{
	struct expression_parser r = { .ctx = ctx,
				       .text = text.text,
				       .at = text.text,
				       .end = text.text + text.size,
				       .find = find,
				       .arg = arg,
				       .e = ret };
	int err;

	*ret = (struct expression){ 0 };
	err = read_numeric(&r);
	skip_spaces(&r);
	if (err == 0 && r.at < r.end)
		err = refuse_expression(&r, "no operator");
	if (err < 0)
		expression_release(ret);
	return err;
}

static int64_t one(uint8_t what, int64_t a)
{
	switch (what) {
	case STEP_NEGATE:
		return (int64_t)(0 - (uint64_t)a);
	case STEP_NOT:
		return !a;
	case STEP_INVERT:
		return ~a;
	case STEP_PAGE_ROUND:
		return (int64_t)(((uint64_t)a + 4095) & ~4095ull);
	/* States as they are since 4.14, and older ones are made (event_format.h): 1 S, 2 D, 4 T, 8 t, 0x40 P, 0x80 I; 0x10 X and 0x20 Z are dead;
	 * the bit 0x100 says that the kernel was preempted. */
	case STEP_BLOCKED:
		return (a & 0xff) != 0 && (a & 0x30) == 0;
	default:
		return (a & 0xff) == 0;
	}
}

static int64_t two(uint8_t what, int64_t a, int64_t b)
{
	uint64_t x = (uint64_t)a, y = (uint64_t)b;

	switch (what) {
	case STEP_OR:
		return a || b;
	case STEP_AND:
		return a && b;
	case STEP_BIT_OR:
		return a | b;
	case STEP_BIT_XOR:
		return a ^ b;
	case STEP_BIT_AND:
		return a & b;
	case STEP_EQUAL:
		return a == b;
	case STEP_UNEQUAL:
		return a != b;
	case STEP_LESS:
		return a < b;
	case STEP_LESS_EQUAL:
		return a <= b;
	case STEP_GREATER:
		return a > b;
	case STEP_GREATER_EQUAL:
		return a >= b;
	case STEP_LEFT:
		return (int64_t)(x << (y & 63));
	case STEP_RIGHT:
		/* The sign comes in from the left, as compilers have it. */
		return a < 0 ? (int64_t) ~(~x >> (y & 63)) : (int64_t)(x >> (y & 63));
	case STEP_ADD:
		return (int64_t)(x + y);
	case STEP_SUBTRACT:
		return (int64_t)(x - y);
	case STEP_MULTIPLY:
		return (int64_t)(x * y);
	case STEP_DIVIDE:
		/* -2^63 / -1 has no result: it wraps. */
		return b == 0 ? 0 : b == -1 ? (int64_t)(0 - x) : a / b;
	case STEP_REST:
		return b == 0 || b == -1 ? 0 : a % b;
	case STEP_MIN:
		return a < b ? a : b;
	default:
		return a > b ? a : b;
	}
}

/* The value at hand is not in the stack: most steps leave that alone. */
int64_t expression_evaluate(const struct expression *e, const int64_t *slots)
{
	int64_t stack[EXPRESSION_STACK_MOST + 1], value = 0;
	const struct expression_step *steps = e->steps.v;
	size_t n = 0;

	/* "blocked(prev_state)", which is asked at each switch. */
	if (e->steps.count == 2 && steps[0].what == STEP_SLOT)
		return one(steps[1].what, slots[steps[0].number]);
	for (const struct expression_step *s = e->steps.v, *end = s + e->steps.count;
	     s < end; s++) {
		if (s->what <= STEP_NUMBER) {
			stack[n++] = value;
			value = s->what == STEP_SLOT ? slots[s->number] : s->number;
		} else if (s->what < STEP_TWO) {
			value = one(s->what, value);
		} else {
			value = two(s->what, stack[--n], value);
		}
	}
	return value;
}

void expression_release(struct expression *e)
{
	array_release(&e->steps);
}
