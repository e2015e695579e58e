/* What can be weighed, for those who have only the library's header. */
#include "engine/profile.h"
#include "weight/weight.h"

static const struct mode *mode_of(const struct ff_mode *mode)
{
	return (const struct mode *)(const void *)mode;
}

const struct ff_mode *ff_mode_next(const struct ff_mode *previous)
{
	const struct mode *next = previous ? mode_of(previous) + 1 : modes;

	return next->name ? (const void *)next : NULL;
}

const char *ff_mode_name(const struct ff_mode *mode)
{
	return mode_of(mode)->name;
}

const char *ff_mode_title(const struct ff_mode *mode)
{
	return mode_of(mode)->title;
}

const char *ff_mode_question(const struct ff_mode *mode)
{
	return mode_of(mode)->question;
}

const char *ff_mode_rule(const struct ff_mode *mode)
{
	return mode_of(mode)->rule;
}

const char *ff_mode_colors(const struct ff_mode *mode)
{
	return mode_of(mode)->colors;
}

const char *profile_mode(const struct ff_profile *p)
{
	const struct mode *mode = p->options.mode ? mode_find(p->options.mode) : NULL;

	if (p->options.pair)
		return p->options.pair;
	return mode && mode->rule[0] ? mode->rule : NULL;
}

const char *profile_rule(const struct ff_profile *p)
{
	return p->pairs ? profile_mode(p) : NULL;
}
