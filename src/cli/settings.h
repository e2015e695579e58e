#ifndef CLI_SETTINGS_H
#define CLI_SETTINGS_H

#include <flamefold.h>
#include <stdbool.h>
#include <stddef.h>

#include "cli/command.h"

struct filter {
	const char *text; /* KEY=VALUE */
	bool drop;
};

/* What the command line asks for. Texts belong to struct arguments. */
struct settings {
	const struct command *command;
	struct ff_options profile;
	struct ff_graph_options graph;
	const char *output; /* NULL: standard output */
	const char *format; /* NULL: by the suffix of output */
	const char **inputs;
	size_t input_count;
	struct filter *filters;
	size_t filter_count;
	bool symbols; /* info: of each object */
	bool stats, quiet, help, version;
};

#endif
