/*
 * export: one file of a profile in the format of another program. Which there are the library tells;
 * Documentation/exchange.md has what each of them carries and loses.
 */
#include "cli/command.h"
#include "cli/result.h"

/* A graph that is no picture. */
static int export_run(const struct settings *s)
{
	return command_graph.run(s);
}

const struct command command_export = {
	"export",
	"-f FORMAT [options] [INPUT...]",
	"write a profile for another program",
	COMMAND_EXPORT,
	export_run,
};
