#include "cli/explain.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/terminal.h"

/* What people have beside their profiles. */
static const char *const pictures[] = { "<?xml", "<svg", "<!DOCTYPE" };

static bool is_picture(const char *path)
{
	char head[16] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t size;

	if (fd < 0)
		return false;
	size = read(fd, head, sizeof(head) - 1);
	close(fd);
	for (size_t i = 0; size > 0 && i < sizeof(pictures) / sizeof(pictures[0]); i++)
		if (strncmp(head, pictures[i], strlen(pictures[i])) == 0)
			return true;
	return false;
}

int explain_failure(const struct ff_profile *p, const char *path, int err)
{

	if (err == -EISDIR)
		say("'%s' is a directory: name the perf.data in it", path);
	else if (err == -EBADMSG && strcmp(path, "-") && is_picture(path))
		say("'%s' is a picture or other XML, not a profile", path);
	else if (err == -ENOENT && command_find(path))
		say("cannot open '%s': %s; a command is the first word", path,
		    strerror(ENOENT));
	else
		say("%s", ff_profile_error(p));
	return EXIT_INPUT;
}
