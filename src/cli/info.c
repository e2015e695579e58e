/*
 * Each input is a profile of its own, told one after another to a stream that is either
 * text or JSON. One that cannot be read does not stop the others, but the command ends
 * with the worst exit code and makes no output file: that has every answer, or is not
 * there.
 */
#include "cli/info.h"

#include <stdlib.h>
#include <string.h>

#include "cli/analysis.h"
#include "cli/format.h"
#include "cli/output.h"
#include "cli/overwrite.h"
#include "cli/summary.h"
#include "cli/terminal.h"

enum object_class object_class(const struct ff_object *o)
{
	if (ff_object_runtime(o))
		return ff_object_file(o) ? OBJECT_FOUND : OBJECT_WITHOUT_FILE;
	if (ff_object_file(o))
		return ff_object_problem(o) ? OBJECT_INCOMPLETE : OBJECT_FOUND;
	return ff_object_problem(o) ? OBJECT_MISSING : OBJECT_WITHOUT_FILE;
}

/* Where the answers go: one of them is NULL. */
struct report {
	const struct settings *settings;
	FILE *text;
	struct json *json;
	size_t written;
};

static void put_text(const struct report *r, const struct ff_profile *p, FILE *out)
{
	if (r->settings->symbols)
		info_symbols_text(p, r->settings, out);
	else
		info_text(p, out);
}

/* What a line is, its place says. */
static void put_in_colours(const struct report *r, const struct ff_profile *p)
{
	char *text = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&text, &size);

	if (!memory) {
		put_text(r, p, r->text);
		return;
	}
	put_text(r, p, memory);
	fclose(memory);
	if (text)
		put_report(r->text, text);
	free(text);
}

static void report_one(struct report *r, const struct ff_profile *p)
{
	if (r->json && r->settings->symbols)
		info_symbols_json(p, r->settings, r->json);
	else if (r->json)
		info_json(p, r->json);
	if (r->text && r->written)
		putc('\n', r->text);
	if (r->text && has_colours(r->text))
		put_in_colours(r, p);
	else if (r->text)
		put_text(r, p, r->text);
	r->written++;
}

static int ask(const struct settings *s, const char *input, struct report *r)
{
	struct analysis a = { 0 };
	int code = analyse(s, &input, 1, &a);

	if (code == 0)
		report_one(r, a.profile);
	if (code == 0 && (s->stats || s->verbose))
		print_stats(&a, now());
	if (code == 0)
		code = analysis_code(&a);
	analysis_release(&a);
	return code;
}

/* One that cannot be read does not keep the others from being told of. */
static int ask_all(const struct settings *s, const char *const *inputs, size_t count,
		   struct report *r)
{
	int worst = EXIT_DONE;
	bool part = false;

	if (r->json && count > 1)
		json_open(r->json, NULL, '[');
	for (size_t i = 0; i < count; i++) {
		int code = ask(s, inputs[i], r);

		part |= code == EXIT_PART;
		if (code != EXIT_PART && code > worst)
			worst = code;
		if (code == EXIT_USAGE)
			break;
	}
	if (r->json && count > 1)
		json_close(r->json, ']');
	return worst == EXIT_DONE && part ? EXIT_PART : worst;
}

/* A file has all the answers or is not made. */
static int close_report(struct output *out, int worst)
{
	int code = EXIT_DONE;

	if (worst != EXIT_DONE && worst != EXIT_PART && out->beside)
		output_discard(out);
	else
		code = output_close(out, 0, NULL);
	if (worst == EXIT_PART)
		return code > EXIT_DONE ? code : worst;
	return code > worst ? code : worst;
}

static int info_run(const struct settings *s)
{
	const char *const *inputs;
	struct report r = { .settings = s };
	struct json json = { 0 };
	struct output out = { 0 };
	struct format format;
	size_t count;
	int code = format_choose(s, &format);

	if (code == 0)
		code = output_check(s->output);
	if (code == 0)
		code = choose_inputs(s, &inputs, &count);
	if (code == 0)
		code = overwrite_check(s, s->output, inputs, count);
	if (code == 0)
		code = output_open(&out, s->output);
	if (code)
		return code;
	json.out = out.stream;
	if (strcmp(format.name, "json") == 0)
		r.json = &json;
	else
		r.text = out.stream;
	return close_report(&out, ask_all(s, inputs, count, &r));
}

const struct command command_info = {
	"info",	  "[options] [INPUT...]", "tell what is in a profile", COMMAND_INFO,
	info_run,
};
