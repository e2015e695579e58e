#ifndef CLI_OWN_MODES_H
#define CLI_OWN_MODES_H

#include <stdbool.h>

struct settings;

/*
 * Modes of files (cli/mode_file.h): of one that is named, FILE or FILE:NAME, or of those *.mode in
 * $XDG_CONFIG_HOME/flamefold/modes, which is ~/.config/flamefold/modes where that is not set. All of
 * them are an exit code, where something is wrong with a sentence.
 */
int own_mode_of_file(struct settings *s, const char *word);
/* @found: there is one. */
int own_mode_find(struct settings *s, const char *name, bool *found);

/* Below those of flamefold, each with its file. */
void own_modes_print(bool rules);
/* A clause a line. */
void print_rule(const char *rule);

#endif
