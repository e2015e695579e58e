/* --memory: a size, as people write it. */
#include "cli/memory_option.h"

#include <ctype.h>
#include <string.h>

/* "512M", "1.5G": 1024 each. */
int memory_set(struct settings *s, const struct option_row *row, const char *arg)
{
	static const char units[] = "KMGT";
	const char *unit;
	double value;
	char *end;

	if (option_real_number(arg, &end, &value)) {
		/* In either case. */
		unit = *end ? strchr(units, *end & ~0x20) : NULL;
		if (unit && !end[1] && isalpha((unsigned char)*end))
			value *= (double)(1024ull << 10 * (unit - units));
		if ((!*end || unit) && (!*end || !end[1]) && value >= row->min &&
		    value <= row->max) {
			s->profile.memory = (uint64_t)value;
			return 0;
		}
	}
	return option_refuse(s, row, arg, "bytes like 512M or 1.5G, from 1M on");
}
