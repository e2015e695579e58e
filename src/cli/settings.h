#ifndef CLI_SETTINGS_H
#define CLI_SETTINGS_H

#include <flamefold.h>
#include <flamefold_archive.h>
#include <flamefold_diff.h>
#include <flamefold_store.h>
#include <flamefold_table.h>
#include <flamefold_time.h>
#include <stdbool.h>
#include <stddef.h>

#include "cli/command.h"

struct filter_option {
	const char *text; /* KEY=VALUE */
	bool drop;
};

/* What the command line asks for. Texts belong to struct arguments and argv. */
struct settings {
	const struct command *command;
	struct ff_options profile;
	struct ff_graph_options graph;
	const char *output; /* NULL: standard output */
	const char *format; /* NULL: by the suffix of output */
	const char **inputs;
	size_t input_count;
	const char **given; /* names of the options that were typed */
	size_t given_count;
	struct filter_option *filters;
	size_t filter_count;
	bool symbols; /* info: of each object */
	/* top and tree */
	enum ff_table_by by;
	enum ff_table_order order;
	enum ff_calls_from calls_from;
	double least; /* percent: rows and calls with less are left out */
	unsigned most; /* rows; 0: as the form of the table has it */
	bool no_slices; /* of time, in profile files */
	bool stats, quiet, verbose, help, version, list_modes;
	bool open; /* shows the picture */
	enum heat_wish {
		HEAT_USUAL,
		HEAT_YES,
		HEAT_NO
	} heat; /* a map of time in pictures */
	bool phases; /* of time, too */
	uint64_t slice; /* ns, of text that is written in slices of time; 0: it is not */
	/* record; its command is what is in inputs. */
	struct ff_record_options record;
	const char **events; /* one -e each */
	bool print_perf; /* perf's line, and nothing is sampled */
	const char *saved; /* perf.data to write as well */
	struct mode_file
		*own_modes; /* with the mode that is asked for; NULL: none is of a file */
	bool pair_is_of_file; /* profile.pair is in own_modes */
	const char *mode_title,
		*mode_colors; /* where none are asked for; NULL: neither does the mode */
	const char *target; /* the option that said whom to sample */
	/* diff */
	struct ff_diff_options diff;
	size_t inputs_of_a; /* those before the "--"; 0: there is none */
	const char *match; /* "names", "exact", or NULL: as the output needs it */
	const char *ranges[2]; /* of time, one a side */
	size_t range_count;
	bool table;
	enum ff_diff_table table_form;
	unsigned rows; /* of the table */
	double fail_over; /* percent; negative: no change fails */
	struct {
		struct ff_store_options store;
		const char **labels; /* those of .store */
		const char *list; /* a file with names of inputs */
		const char *tree; /* where what was folded is kept */
		bool symbolize; /* what has only addresses */
		const char
			*classes; /* of what: "host", or a label; NULL: none are told */
		const char *watch; /* a directory that files arrive in */
	} merge;
	/* archive; its labels are those of merge. */
	struct {
		struct ff_archive_query query;
		const char **hosts; /* those of .query */
		const char **keep; /* compact */
		size_t keep_count;
		const char *symbol, *by; /* of a trend */
		double over; /* percent; negative: not asked for */
		uint64_t recorded, before; /* seconds since 1970; 0: not said */
		bool dry_run;
	} archive;
	int argc; /* the whole command line */
	char **argv;
};

#endif
