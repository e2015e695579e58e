/* Values of the options that only diff has. */
#include "cli/diff_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/terminal.h"

/* A number from above 0 on. */
static bool positive(const char *text, char **end, double *ret)
{
	if ((*text < '0' || *text > '9') && *text != '.')
		return false;
	*ret = strtod(text, end);
	return *end != text && isfinite(*ret) && *ret > 0;
}

/* "per=100,120": units of work that A and B have done. */
static bool parse_per(const char *text, double units[2])
{
	char *end;

	return positive(text, &end, &units[0]) && *end == ',' &&
	       positive(end + 1, &end, &units[1]) && !*end;
}

int diff_set_normalize(struct settings *s, const struct option_row *row, const char *arg)
{
	static const struct {
		const char *name;
		enum ff_diff_normalize how;
	} plain[] = {
		{ "share", FF_DIFF_SHARE },
		{ "robust", FF_DIFF_ROBUST },
		{ "time", FF_DIFF_TIME },
		{ "none", FF_DIFF_NONE },
	};

	(void)row;
	for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++)
		if (strcasecmp(arg, plain[i].name) == 0) {
			s->diff.normalize = plain[i].how;
			return 0;
		}
	if (strncasecmp(arg, "per=", 4) == 0 && parse_per(arg + 4, s->diff.units)) {
		s->diff.normalize = FF_DIFF_PER;
		return 0;
	}
	if (strncasecmp(arg, "anchor=", 7) == 0 && arg[7]) {
		s->diff.normalize = FF_DIFF_ANCHOR;
		s->diff.anchor = arg + 7;
		return 0;
	}
	return usage_error(
		"option '--normalize' takes share, robust, time, none, per=N,M or "
		"anchor=FUNCTION, not '%s'",
		arg);
}

int diff_set_match(struct settings *s, const struct option_row *row, const char *arg)
{
	(void)row;
	if (strcasecmp(arg, "names") != 0 && strcasecmp(arg, "exact") != 0)
		return usage_error("option '--match' takes names or exact, not '%s'",
				   arg);
	s->match = arg;
	return 0;
}

int diff_set_range(struct settings *s, const struct option_row *row, const char *arg)
{
	(void)row;
	if (s->range_count == 2)
		return usage_error("option '--range' stands twice: for A and for B");
	s->ranges[s->range_count++] = arg;
	return 0;
}

int diff_set_table(struct settings *s, const struct option_row *row, const char *arg)
{
	(void)row;
	if (strcasecmp(arg, "text") != 0 && strcasecmp(arg, "json") != 0)
		return usage_error("option '--table' takes text or json, not '%s'", arg);
	s->table = true;
	s->table_form = strcasecmp(arg, "json") ? FF_DIFF_TEXT : FF_DIFF_JSON;
	return 0;
}

int diff_set_fail_over(struct settings *s, const struct option_row *row, const char *arg)
{
	char *end = NULL;
	double value = 0;

	(void)row;
	if (!(strcmp(arg, "0") == 0 || strcmp(arg, "0%") == 0) &&
	    (!positive(arg, &end, &value) || (*end && strcmp(end, "%") != 0) ||
	     value > 100))
		return usage_error(
			"option '--fail-over' takes a percentage like 1%%, not '%s'",
			arg);
	s->fail_over = value;
	return 0;
}
