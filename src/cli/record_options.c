/* Options of record whose values are words and sizes of perf's own. */
#include "cli/record_options.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/terminal.h"

/* The words stand in the order of enum ff_record_chain, and only copies of the stack have a size.
 * Whether the word behind a "-g" alone is its value is asked here, too: it may be the program. */
bool record_is_call_graph(const char *word)
{
	static const char *const words[] = { "auto", "fp", "dwarf", "lbr", "no" };
	size_t size = strcspn(word, ",");

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strlen(words[i]) == size && !strncasecmp(word, words[i], size))
			return !word[size] || i == FF_RECORD_DWARF || i == FF_RECORD_AUTO;
	return false;
}

int record_set_call_graph(struct settings *s, const struct option_row *row,
			  const char *arg)
{
	const char *comma = strchr(arg, ',');
	char *end;
	unsigned long size;

	if (!record_is_call_graph(arg))
		return option_refuse(s, row, arg,
				     "auto, auto,SIZE, fp, dwarf, dwarf,SIZE, lbr or no");
	/* Known words differ in their first letter. */
	s->record.chain = strchr("Aa", *arg)   ? FF_RECORD_AUTO
			  : strchr("Ff", *arg) ? FF_RECORD_FRAME_POINTER
			  : strchr("Dd", *arg) ? FF_RECORD_DWARF
			  : strchr("Ll", *arg) ? FF_RECORD_LBR
					       : FF_RECORD_NO_CHAIN;
	if (!comma)
		return 0;
	/* The kernel's bounds: perf_copy_attr() wants a multiple of 8 below 64 KiB. */
	size = strtoul(comma + 1, &end, 10);
	if (comma[1] < '0' || comma[1] > '9' || *end || size == 0 || size > 65528 ||
	    size % 8)
		return option_refuse(s, row, arg, "as SIZE a multiple of 8 up to 65528");
	s->record.stack_size = (unsigned)size;
	return 0;
}

/* As perf has it: pages, or bytes with a letter. */
int record_set_ring(struct settings *s, const struct option_row *row, const char *arg)
{
	static const char letters[] = "BKMG";
	char *end;
	unsigned long value = strtoul(arg, &end, 10);
	const char *letter = *end ? strchr(letters, toupper(*end)) : NULL;
	/* Pages have 4 KiB here, whatever those of the machine have. */
	unsigned shift = letter ? 10 * (unsigned)(letter - letters) : 12;

	if (*arg < '0' || *arg > '9' || (*end && (!letter || end[1])) || value == 0 ||
	    value > (64ul << 20) >> shift)
		return option_refuse(s, row, arg,
				     "pages, or bytes like 512K or 4M, up to 64M");
	s->record.ring_size = (unsigned)value << shift;
	return 0;
}

/* Whom to sample can be said once; but with a cgroup perf wants -a, too. */
int record_set_target(struct settings *s, const struct option_row *row, const char *arg)
{
	if (row->flag == FF_RECORD_SYSTEM && s->record.who == FF_RECORD_CGROUP)
		return 0;
	if (s->target && strcmp(s->target, row->name) &&
	    !(s->record.who == FF_RECORD_SYSTEM && row->flag == FF_RECORD_CGROUP))
		return usage_error("options '--%s' and '--%s' both say whom to sample",
				   s->target, row->name);
	s->target = row->name;
	s->record.who = (enum ff_record_who)row->flag;
	s->record.whom = row->arg ? arg : NULL;
	return 0;
}

int record_set_event(struct settings *s, const struct option_row *row, const char *arg)
{
	(void)row;
	s->events[s->record.event_count++] = arg;
	return 0;
}

/* Of a file or of what runs now: which of the two it is, is known when all options are. */
int record_set_event_of_top(struct settings *s, const struct option_row *row,
			    const char *arg)
{
	s->profile.event = arg;
	return record_set_event(s, row, arg);
}
