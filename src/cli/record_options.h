#ifndef CLI_RECORD_OPTIONS_H
#define CLI_RECORD_OPTIONS_H

#include <stdbool.h>

#include "cli/options.h"

/* What rows of record's own options set; as option_row.set. */
int record_set_call_graph(struct settings *s, const struct option_row *row,
			  const char *arg);
int record_set_target(struct settings *s, const struct option_row *row, const char *arg);
int record_set_event(struct settings *s, const struct option_row *row, const char *arg);
int record_set_event_of_top(struct settings *s, const struct option_row *row,
			    const char *arg);
int record_set_ring(struct settings *s, const struct option_row *row, const char *arg);
/* Can the word be the value of -g? */
bool record_is_call_graph(const char *word);

#endif
