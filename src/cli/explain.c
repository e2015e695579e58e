#include "cli/explain.h"

#include <errno.h>
#include <string.h>

#include "cli/command.h"
#include "cli/terminal.h"

int explain_failure(const struct ff_profile *p, const char *path, int err)
{
	if (err == -EISDIR)
		say("'%s' is a directory: name the perf.data in it", path);
	else if (err == -ENOENT && command_find(path))
		say("cannot open '%s': %s; a command is the first word", path,
		    strerror(ENOENT));
	else
		say("%s", ff_profile_error(p));
	return EXIT_INPUT;
}
