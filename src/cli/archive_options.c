/* Values of the options that only archive has. Days and hours are those of UTC, as in merge --by hour: a
 * fleet has one day. */
#include "cli/archive_options.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { DAY = 86400 };

/* The parser has made room for as many as there are words. */
int archive_set_host(struct settings *s, const struct option_row *row, const char *arg)
{
	(void)row;
	s->archive.hosts[s->archive.query.host_count++] = arg;
	return 0;
}

int archive_set_keep(struct settings *s, const struct option_row *row, const char *arg)
{
	if (!*arg)
		return option_refuse(s, row, arg, "host, or the key of a label");
	s->archive.keep[s->archive.keep_count++] = arg;
	return 0;
}

static uint64_t *seconds_at(struct settings *s, const struct option_row *row)
{
	return (uint64_t *)((char *)s + row->at);
}

/* "90d", "36h", "30m", "10s": whole ones, up to a thousand years. */
static bool read_age(const char *arg, uint64_t *ret)
{
	static const struct {
		char unit;
		uint64_t seconds;
	} units[] = {
		{ 's', 1 }, { 'm', 60 }, { 'h', 3600 }, { 'd', DAY }, { 'w', 7 * DAY }
	};
	size_t digits = strspn(arg, "0123456789");

	if (!digits || digits > 9 || !arg[digits] || arg[digits + 1])
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (arg[digits] == units[i].unit) {
			*ret = strtoull(arg, NULL, 10) * units[i].seconds;
			return *ret <= 1000ull * 366 * DAY;
		}
	return false;
}

/* "2026-11-26", "2026-11-26T03", "2026-11-26T03:30", "2026-11-26 03:30:15", any with a Z. */
static bool read_date(const char *arg, uint64_t *ret)
{
	static const char *const formats[] = { "%Y-%m-%d", "%Y-%m-%dT%H",
					       "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S" };
	char text[32], again[32];
	size_t size = strlen(arg);

	if (size < 10 || size >= sizeof(text))
		return false;
	strcpy(text, arg);
	if (text[10] == ' ')
		text[10] = 'T';
	if (size > 10 && text[size - 1] == 'Z')
		text[size - 1] = '\0';
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		struct tm tm = { .tm_mday = 1 };
		const char *end = strptime(text, formats[i], &tm);
		time_t at = end && !*end ? timegm(&tm) : -1;

		/* There is no 30th of February: what a day becomes that is none is not what was
		 * written. */
		if (at > 0 && strftime(again, sizeof(again), formats[i], &tm) &&
		    strcmp(text, again) == 0) {
			*ret = (uint64_t)at;
			return true;
		}
	}
	return false;
}

int archive_set_time(struct settings *s, const struct option_row *row, const char *arg)
{
	uint64_t now = (uint64_t)time(NULL), today = now - now % DAY, age;
	uint64_t *at = seconds_at(s, row);

	if (strcmp(arg, "now") == 0)
		*at = now;
	else if (strcmp(arg, "today") == 0)
		*at = today;
	else if (strcmp(arg, "yesterday") == 0)
		*at = today - DAY;
	else if (read_age(arg, &age) && age < now)
		*at = now - age;
	else if (*arg == '@' && arg[1] && strlen(arg) < 12 &&
		 strspn(arg + 1, "0123456789") == strlen(arg + 1))
		*at = strtoull(arg + 1, NULL, 10);
	else if (!read_date(arg, at))
		return option_refuse(s, row, arg,
				     "a time like 2026-11-26, 2026-11-26T03:30, today, "
				     "yesterday, 36h (ago) or @1700000000");
	return 0;
}

int archive_set_age(struct settings *s, const struct option_row *row, const char *arg)
{
	uint64_t now = (uint64_t)time(NULL), age;

	if (!read_age(arg, &age) || age >= now)
		return option_refuse(s, row, arg, "an age like 90d, 36h or 8w");
	*seconds_at(s, row) = now - age;
	return 0;
}

int archive_set_over(struct settings *s, const struct option_row *row, const char *arg)
{
	char *end;
	double value =
		isdigit((unsigned char)*arg) || *arg == '.' ? strtod(arg, &end) : -1;

	if (value < 0 || value > 100 || (*end && strcmp(end, "%") != 0))
		return option_refuse(s, row, arg, "a percentage like 5%");
	s->archive.over = value;
	return 0;
}
