/* Options of what a picture shows, and of its time. */
#include "cli/picture_options.h"

#include <string.h>

/* The last one of --heat and --no-heat wins. */
int picture_set_heat(struct settings *s, const struct option_row *row, const char *arg)
{
	(void)arg;
	s->heat = row->flag ? HEAT_YES : HEAT_NO;
	return 0;
}

/* "1s", "100ms", "1h"; a number alone is seconds. */
int picture_set_slice(struct settings *s, const struct option_row *row, const char *arg)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {
		/* Those of --only time=, but for what is too short. */
		{ "", 1e9 },   { "s", 1e9 },	{ "ms", 1e6 },	{ "us", 1e3 },
		{ "m", 6e10 }, { "min", 6e10 }, { "h", 36e11 },
	};
	char *end;
	double value;

	if (option_real_number(arg, &end, &value))
		for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
			double ns = value * units[i].ns;

			if (strcmp(end, units[i].name) || ns < 1e6 || ns > 1e18)
				continue;
			s->slice = (uint64_t)(ns + 0.5);
			return 0;
		}
	return option_refuse(s, row, arg, "a time from 1ms on, like 1s or 100ms");
}

/* The writer reads it: only there the total is known, which a percentage is of. */
int picture_set_minwidth(struct settings *s, const struct option_row *row,
			 const char *arg)
{
	char *end;
	double value;

	if (!option_real_number(arg, &end, &value) || (*end && strcmp(end, "%")))
		return option_refuse(s, row, arg, "pixels or a percentage like 0.1%");
	s->graph.minwidth = arg;
	return 0;
}
