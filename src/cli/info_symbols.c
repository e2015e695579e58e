/*
 * info --symbols: where the names of each object came from, whether they are all of them, and what
 * to install or to name so that there are more (advice.c). Objects come in the order of their
 * weight, as text and as JSON.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/advice.h"
#include "cli/info.h"
#include "cli/summary.h"
#include "cli/terminal.h"

/* Documentation/info-json.md promises these words. */
static const char *const kind_words[] = {
	[FF_OBJECT_FILE] = "file",	 [FF_OBJECT_KERNEL] = "kernel",
	[FF_OBJECT_MODULE] = "module",	 [FF_OBJECT_VDSO] = "vdso",
	[FF_OBJECT_RUNTIME] = "runtime", [FF_OBJECT_OTHER] = "other",
};

static const char *const source_words[] = {
	[FF_NAMES_NONE] = "none",
	[FF_NAMES_EXPORTED] = "exported",
	[FF_NAMES_ALL] = "all",
};

/* NULL: there is none to give, or no memory. */
static char *advice_of(const struct advice *a, const struct ff_object *o)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	advice_put(a, o, out);
	fclose(out);
	if (size)
		return text;
	free(text);
	return NULL;
}

/* Every key is there for each object, null where there is none. */
void info_symbols_json(const struct ff_profile *p, const struct settings *s,
		       struct json *j)
{
	static const char *const lacks[] = {
		[LACK_NOTHING] = NULL,
		[LACK_INLINES] = "inlines",
		[LACK_NAMES] = "names",
	};
	const struct ff_input *in = ff_input_next(p, NULL);
	const struct ff_object *o = NULL;
	struct advice a;

	/* Packages are looked up once for all objects. */
	advice_begin(&a, p, s->profile.symfs, s->profile.debug_dir);
	json_open(j, NULL, '{');
	json_text(j, "path", ff_input_text(in, FF_INPUT_PATH));
	json_number(j, "weight", ff_profile_total(p, FF_TOTAL_WEIGHT_TREE));
	json_number(j, "weight_unnamed", ff_profile_total(p, FF_TOTAL_WEIGHT_UNNAMED));
	json_open(j, "objects", '[');
	while ((o = ff_object_next(p, o))) {
		const char *build_id = ff_object_build_id(o);
		char *advice = advice_of(&a, o);

		json_open(j, NULL, '{');
		json_text(j, "path", ff_object_path(o));
		json_text(j, "kind", kind_words[ff_object_kind(o)]);
		json_text(j, "build_id", *build_id ? build_id : NULL);
		json_text(j, "file", ff_object_file(o));
		json_text(j, "debug_file", ff_object_debug_file(o));
		json_text(j, "names", source_words[ff_object_names(o)]);
		json_bool(j, "debug_info", ff_object_has_debug_info(o));
		json_bool(j, "refused", ff_object_refused(o));
		json_number(j, "weight", ff_object_weight(o));
		json_number(j, "weight_unnamed", ff_object_weight_unnamed(o));
		json_number(j, "addresses", ff_object_addresses(o));
		json_number(j, "addresses_unnamed", ff_object_addresses_unnamed(o));
		if (ff_object_runtime(o))
			json_number(j, "pid", ff_object_runtime(o));
		else
			json_null(j, "pid");
		json_text(j, "lacks", lacks[advice_lack(o)]);
		json_text(j, "problem", ff_object_problem(o));
		json_text(j, "advice", advice);
		json_close(j, '}');
		free(advice);
	}
	json_close(j, ']');
	json_close(j, '}');
	advice_end(&a);
}

/* Below the path, in the column where it begins. */
static void put_line(FILE *out, const char *label, const char *text)
{
	fprintf(out, "%18s  %-10s ", "", label);
	put_clean(out, text);
	putc('\n', out);
}

/* Of each object what its names come from, how many they are, and what would give it more. */
void info_symbols_text(const struct ff_profile *p, const struct settings *s, FILE *out)
{
	static const char *const words[] = {
		[FF_NAMES_NONE] = "none",
		[FF_NAMES_EXPORTED] = "exported functions",
		[FF_NAMES_ALL] = "all functions",
	};
	uint64_t weight = ff_profile_total(p, FF_TOTAL_WEIGHT_TREE);
	uint64_t unnamed = ff_profile_total(p, FF_TOTAL_WEIGHT_UNNAMED);
	const struct ff_input *in = ff_input_next(p, NULL);
	const struct ff_object *o = NULL;
	struct advice a;

	advice_begin(&a, p, s->profile.symfs, s->profile.debug_dir);
	put_clean(out, ff_input_text(in, FF_INPUT_PATH));
	fprintf(out, ": %s of the weight has no symbol\n", percent(unnamed, weight));
	fprintf(out, "\n%8s %8s   object\n", "weight", "unnamed");
	while ((o = ff_object_next(p, o))) {
		const char *file = ff_object_file(o), *debug = ff_object_debug_file(o);
		const char *build_id = ff_object_build_id(o);
		uint64_t addresses = ff_object_addresses(o);
		bool described = ff_object_has_debug_info(o);
		char *advice = advice_of(&a, o);

		fprintf(out, "%8s %8s   ", percent(ff_object_weight(o), weight),
			percent(ff_object_weight_unnamed(o), weight));
		put_clean(out, ff_object_path(o));
		putc('\n', out);
		/* Code of no object has its line for its weight, and nothing to tell. */
		if (ff_object_kind(o) != FF_OBJECT_OTHER) {
			put_line(out, "build id", *build_id ? build_id : "not recorded");
			put_line(out, "file", file ? file : "none");
			if (debug)
				put_line(out, "debug file", debug);
			else if (file)
				put_line(out, "debug file",
					 described ? "the file itself" : "none");
			fprintf(out, "%18s  %-10s %s%s; %s of %s addresses\n", "",
				"names", words[ff_object_names(o)],
				described ? ", inlined ones, lines" : "",
				grouped(addresses - ff_object_addresses_unnamed(o)),
				grouped(addresses));
		}
		if (ff_object_problem(o))
			put_line(out, "problem", ff_object_problem(o));
		if (advice)
			put_line(out,
				 advice_lack(o) == LACK_NAMES ? "for names" : "for more",
				 advice);
		free(advice);
	}
	advice_end(&a);
}
