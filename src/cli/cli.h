#ifndef CLI_CLI_H
#define CLI_CLI_H

/*
 * What another program of ours takes from the command: its words, and how inputs become profile files.
 *
 *	parse.h       the command line
 *	merge_list.h  what is to be merged
 *	fold_pool.h   recordings become profile files
 *	output.h      a file is written beside its place
 */
#include "cli/fold_pool.h"
#include "cli/format.h"
#include "cli/merge_list.h"
#include "cli/output.h"
#include "cli/overwrite.h"
#include "cli/parse.h"
#include "cli/terminal.h"

#endif
