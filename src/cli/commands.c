/* The commands that there are. A new one is a line here, and a bit for its options. The
 * first is what is done where none is named. */
#include <string.h>

#include "cli/command.h"
#include "cli/name_suggestion.h"

const struct command *const commands[] = {
	&command_graph,	 &command_fold, &command_record, &command_top,
	&command_tree,	 &command_diff, &command_merge,	 &command_archive,
	&command_export, &command_info, &command_help,	 NULL,
};

const struct command *command_find(const char *name)
{
	for (size_t i = 0; commands[i]; i++)
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	return NULL;
}

const char *command_like(const char *word)
{
	struct name_suggestion meant;

	name_suggestion_start(&meant, word, strlen(word));
	for (size_t i = 0; commands[i]; i++)
		name_suggestion_offer(&meant, commands[i]->name);
	return meant.best;
}
