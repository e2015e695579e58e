#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stddef.h>

struct settings;

enum exit_code {
	EXIT_DONE = 0,
	EXIT_INPUT = 1, /* unusable or empty; also an output that cannot be written */
	EXIT_USAGE = 2,
	EXIT_PART =
		3, /* done, but an input changed while it was read, or was refused (merge) */
	EXIT_FOUND = 3, /* done, and there is what --fail-over looks for */
};

/* Bits, so that an option can say which commands know it. */
enum command_bit {
	COMMAND_GRAPH = 1 << 0,
	COMMAND_FOLD = 1 << 1,
	COMMAND_INFO = 1 << 2,
	COMMAND_HELP = 1 << 3,
	COMMAND_RECORD = 1 << 4,
	COMMAND_DIFF = 1 << 5,
	COMMAND_TOP = 1 << 6,
	COMMAND_TREE = 1 << 7,
	COMMAND_EXPORT = 1 << 8,
	COMMAND_MERGE = 1 << 9,
	COMMAND_ARCHIVE = 1 << 10,
};

struct command {
	const char *name, *arguments, *summary;
	enum command_bit bit;
	int (*run)(const struct settings *s); /* returns an exit code */
};

/* Ends with NULL; the first one is the default. */
extern const struct command *const commands[];

extern const struct command command_graph, command_fold, command_record, command_diff,
	command_top, command_tree, command_export, command_merge, command_archive,
	command_info, command_help;

/* NULL: no command has that name. */
const struct command *command_find(const char *name);
/* The one whose name the word nearly is; NULL: none. */
const char *command_like(const char *word);

#endif
