/* Values of the options that only merge has. */
#include "cli/merge_options.h"

#include <string.h>

#include "cli/terminal.h"

/* The parser has made room for as many as there are words. */
int merge_set_label(struct settings *s, const struct option_row *row, const char *arg)
{
	const char *equals = strchr(arg, '=');

	(void)row;
	if (!equals || equals == arg)
		return usage_error("option '--label' takes KEY=VALUE, not '%s'", arg);
	s->merge.labels[s->merge.store.label_count++] = arg;
	return 0;
}

int merge_set_key(struct settings *s, const struct option_row *row, const char *arg)
{
	/* What a script's variable is where it was not set. */
	if (!*arg)
		return option_refuse(s, row, arg, "host, hour, or the key of a label");
	*(const char **)((char *)s + row->at) = arg;
	return 0;
}
