/* What was left out because memory is limited: by how much and how to have it. */
#include "engine/memory.h"

#include <inttypes.h>

#include "engine/profile.h"

bool memory_tell(const struct ff_profile *p, struct text *cause, struct text *remedy)
{
	static const char units[] = "KMGT";
	const struct budget *b = &p->budget;
	uint64_t cut = p->collected.sum.cut, whole = p->collected.sum.kept;
	double size = (double)b->most / 1024;
	int unit = 0;

	if (b->refused == 0 && cut == 0)
		return false;
	if (cut)
		text_printf(cause,
			    "%s%.1f %% of the weight is on stacks that had to be cut",
			    cut * 1000.0 < whole ? "< " : "",
			    cut * 1000.0 < whole ? 0.1 : 100.0 * cut / whole);
	if (cut && b->refused)
		text_string(cause, ", and ");
	if (b->refused)
		text_printf(cause, "%s", b->first);
	if (b->refused > 1)
		text_printf(cause, " and %" PRIu64 " more", b->refused - 1);
	if (b->refused)
		text_string(cause, " had to be left out");
	/* From KiB on, in steps of 1024, to the largest unit that there is. */
	for (; size >= 1024 && units[unit + 1]; unit++)
		size /= 1024;
	text_printf(cause, ": what is read may take %.*f%c of memory",
		    size < 10 && size != (double)(int)size, size, units[unit]);
	text_string(remedy, "--memory=SIZE with more");
	return true;
}
