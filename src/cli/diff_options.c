/* Values of the options that only diff has. */
#include "cli/diff_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/terminal.h"

/* A number from 0 on. */
static bool not_negative(const char *text, char **end, double *ret)
{
	if ((*text < '0' || *text > '9') && *text != '.')
		return false;
	*ret = strtod(text, end);
	/* strtod() takes "0x1", too. */
	return *end != text && isfinite(*ret) && !memchr(text, 'x', *end - text) &&
	       !memchr(text, 'X', *end - text);
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
	double *units = s->diff.units;
	char *end;

	(void)row;
	for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++)
		if (strcasecmp(arg, plain[i].name) == 0) {
			s->diff.normalize = plain[i].how;
			return 0;
		}
	/* "per=100,120": units of work that A and B have done. */
	if (strncasecmp(arg, "per=", 4) == 0 && not_negative(arg + 4, &end, &units[0]) &&
	    *end == ',' && not_negative(end + 1, &end, &units[1]) && !*end &&
	    units[0] > 0 && units[1] > 0) {
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
	if (strlen(arg) > DIFF_RANGE_MOST)
		return usage_error("option '--range' takes START,END of no more than %d "
				   "letters, not %zu",
				   DIFF_RANGE_MOST, strlen(arg));
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
	if (!not_negative(arg, &end, &value) || value > 100)
		end = NULL;
	else if (*end == '%')
		end++;
	/* "1%,q=0.01": what is listed is as sure. */
	if (end && strncmp(end, ",q=", 3) == 0 &&
	    (!not_negative(end + 3, &end, &s->diff.level) || !(s->diff.level > 0) ||
	     s->diff.level >= 1))
		end = NULL;
	if (!end || *end)
		return usage_error("option '--fail-over' takes a percentage like 1%%, or "
				   "1%%,q=0.01, "
				   "not '%s'",
				   arg);
	s->fail_over = value;
	return 0;
}
