/*
 * Brackets of names as libiberty prints them. Angle brackets are brackets where they stand
 * around the arguments of a template: a greater-than in an argument has parentheses
 * around it, so it closes nothing, and a less-than has them on both of its sides.
 */
#include "symbol/brackets.h"

#include <string.h>

#include "symbol/operator.h"

static void open_bracket(struct brackets *b, char open)
{
	if (b->depth == BRACKETS_MOST)
		b->lost = true;
	else
		b->open[b->depth++] = open;
}

/* A '>' that nothing has opened is a sign. Any other bracket that does not fit means that
 * the name is not understood. */
static void close_bracket(struct brackets *b, char open)
{
	if (b->depth > 0 && b->open[b->depth - 1] == open)
		b->depth--;
	else if (open != '<')
		b->lost = true;
}

const char *brackets_step(struct brackets *b, const char *p)
{
	const char *behind = operator_end(b->name, p, b->end), *sign = p;

	if (behind > p)
		return behind;
	switch (*p) {
	case '<':
		/* "(x)<(y)", and "<<", "<=" likewise: arguments of a template never stand
		 * behind a ')'. */
		if (p > b->name && p[-1] == ')')
			while (sign < b->end && (*sign == '<' || *sign == '='))
				sign++;
		if (sign < b->end && *sign == '(')
			return sign;
		open_bracket(b, '<');
		break;
	case '(':
	case '[':
	case '{':
		open_bracket(b, *p);
		break;
	case '>':
		if (p == b->name || p[-1] != '-')
			close_bracket(b, '<');
		break;
	case ')':
		close_bracket(b, '(');
		break;
	case ']':
		close_bracket(b, '[');
		break;
	case '}':
		close_bracket(b, '{');
		break;
	}
	return p + 1;
}
