/*
 * Each input is a profile of its own, told one after another to a stream that is either
 * text or JSON. One that cannot be read does not stop the others, but the command ends
 * with the worst exit code and makes no output file: that has every answer, or is not
 * there.
 */
#include "cli/info.h"

#include <flamefold_time.h>
#include <stdlib.h>
#include <string.h>

#include "cli/analysis.h"
#include "cli/result.h"
#include "cli/summary.h"
#include "cli/terminal.h"

enum object_class object_class(const struct ff_object *o)
{
	/* Code that was made at run time has no file; its map is what can be found. */
	if (ff_object_runtime(o))
		return ff_object_file(o) ? OBJECT_FOUND : OBJECT_WITHOUT_FILE;
	if (ff_object_file(o))
		return ff_object_problem(o) ? OBJECT_INCOMPLETE : OBJECT_FOUND;
	return ff_object_problem(o) ? OBJECT_MISSING : OBJECT_WITHOUT_FILE;
}

/* Where the answers go: one of them is NULL. */
struct report {
	FILE *text;
	struct json *json;
};

/* One that cannot be read does not keep the others from being told of. */
static int report_all(const struct settings *s, const char *const *inputs, size_t count,
		      const struct report *r)
{
	int worst = EXIT_DONE;
	bool part = false;
	size_t told = 0;

	if (r->json && count > 1)
		json_open(r->json, NULL, '[');
	for (size_t i = 0; i < count; i++) {
		struct analysis a = { 0 };
		FILE *memory = NULL;
		char *text = NULL;
		size_t size = 0;
		int code = analyse(s, &inputs[i], 1, &a);

		if (code == 0 && r->json && s->symbols)
			info_symbols_json(a.profile, s, r->json);
		else if (code == 0 && r->json)
			info_json(a.profile, r->json);
		if (code == 0 && r->text) {
			if (told++)
				putc('\n', r->text);
			/* Colours go by what a line is, which its place in the whole text says. */
			if (has_colours(r->text))
				memory = open_memstream(&text, &size);
			if (s->symbols)
				info_symbols_text(a.profile, s,
						  memory ? memory : r->text);
			else
				info_text(a.profile, memory ? memory : r->text);
			if (memory)
				fclose(memory);
			if (text)
				put_report(r->text, text);
			free(text);
		}
		if (code == 0 && s->phases && ff_profile_untimed(a.profile))
			say_warning("there are no phases in '%s': %s", inputs[i],
				    ff_profile_untimed(a.profile));
		if (code == 0) {
			if (s->stats || s->verbose)
				print_stats(&a, now());
			code = analysis_code(&a);
		}
		analysis_release(&a);
		/* EXIT_PART has the highest number, and is the least of all failures. */
		part |= code == EXIT_PART;
		if (code != EXIT_PART && code > worst)
			worst = code;
		/* A wrong option is wrong for all of them, and said once. */
		if (code == EXIT_USAGE)
			break;
	}
	if (r->json && count > 1)
		json_close(r->json, ']');
	return worst == EXIT_DONE && part ? EXIT_PART : worst;
}

static int info_run(const struct settings *s)
{
	const char *const *inputs;
	struct report r = { 0 };
	struct json json = { 0 };
	struct output out = { 0 };
	struct format format;
	size_t count;
	int worst, code;

	if (s->symbols && s->phases)
		return usage_error("options '--symbols' and '--phases' ask for two "
				   "answers: give one of them");
	code = text_prepare(s, &format, &inputs, &count);
	if (code == 0)
		code = output_open(&out, s->output);
	if (code)
		return code;
	json.out = out.stream;
	if (strcmp(format.name, "json") == 0)
		r.json = &json;
	else
		r.text = out.stream;
	worst = report_all(s, inputs, count, &r);
	/* A file has all the answers or is not made. */
	if (worst != EXIT_DONE && worst != EXIT_PART && out.in_temp_file)
		output_discard(&out);
	else
		code = output_close(&out, 0, NULL);
	if (worst == EXIT_PART)
		return code > EXIT_DONE ? code : worst;
	/* What could not be read and what could not be written are both failures: the
	 * higher number is the graver one, but for EXIT_PART. */
	return code > worst ? code : worst;
}

const struct command command_info = {
	"info",	  "[options] [INPUT...]", "tell what is in a profile", COMMAND_INFO,
	info_run,
};
