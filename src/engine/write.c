/* The library's writers: the named tree to the formats of src/write. */
#include <errno.h>
#include <flamefold_chart.h>
#include <flamefold_time.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/bytes.h"
#include "base/parallel.h"
#include "base/text.h"
#include "engine/profile.h"
#include "write/write.h"

struct tree_source tree_source(const struct ff_profile *p)
{
	return (struct tree_source){
		.tree = &p->named,
		.symbols = &p->symbols,
		.strings = &p->strings,
		.images = &p->images,
		.mark_kernel = p->options.flags & FF_MARK_KERNEL,
		.mark_jit = p->options.flags & FF_MARK_JIT,
		.in_order = p->options.flags & FF_FLAMECHART,
		.chart = p->options.flags & FF_CHART ? &p->chart : NULL,
		.threads = p->options.threads ? p->options.threads
					      : (unsigned)parallel_processors(),
	};
}

const struct ff_format *ff_format_next(const struct ff_format *f)
{
	f = f ? f + 1 : write_formats;
	return f->name ? f : NULL;
}

const struct ff_format *ff_format_find(const char *name)
{
	const struct ff_format *f = NULL;

	while (name && (f = ff_format_next(f)) && strcasecmp(f->name, name) != 0)
		;
	return f;
}

const char *ff_format_text(const struct ff_format *f, enum ff_format_text which)
{
	switch (which) {
	case FF_FORMAT_NAME:
		return f->name;
	case FF_FORMAT_SUFFIXES:
		return f->suffixes;
	case FF_FORMAT_DESCRIPTION:
		return f->description;
	}
	return NULL;
}

unsigned ff_format_traits(const struct ff_format *f)
{
	return f->traits;
}

/* By objects, whose paths are what functions have for a module. */
static int list_modules(struct ff_profile *p, struct write_module **ret, size_t *count)
{
	const struct recording *rec =
		p->inputs.count == 1 ? input_recording(p->inputs.v[0]->input) : NULL;
	size_t listed = rec && rec->is_list ? rec->build_ids.count : 0, at = 0;
	struct write_module *modules =
		calloc(p->objects.count + listed + 1, sizeof(*modules));

	if (!modules)
		return -ENOMEM;
	for (size_t i = 0; i < p->objects.count; i++)
		modules[i] = (struct write_module){ ff_object_path(&p->objects.v[i]),
						    p->objects.v[i].build_id };
	/* What another program's profile says of its files, which nobody had to look at. */
	for (size_t i = 0; i < listed; i++) {
		const struct known_build_id *id = &rec->build_ids.v[i];
		char *hex = arena_alloc(&p->arena, 2 * (size_t)id->size + 1);

		if (!hex) {
			free(modules);
			return -ENOMEM;
		}
		for (size_t k = 0; k < id->size; k++)
			snprintf(hex + 2 * k, 3, "%02x", id->id[k]);
		modules[p->objects.count + at++] =
			(struct write_module){ intern_text(&p->strings, id->path), hex };
	}
	*ret = modules;
	*count = p->objects.count + at;
	return 0;
}

int ff_write(struct ff_profile *p, const struct ff_format *f,
	     const struct ff_graph_options *options, FILE *out)
{
	struct ff_graph_options given = { .size = sizeof(given) };
	struct tree_source in = tree_source(p);
	struct bytes report = { 0 };
	struct text findings = { 0 }, note = { 0 };
	struct write_module *modules = NULL;
	struct write_facts facts;
	struct write_options how = { .graph = &given, .facts = &facts };
	int err = 0;

	if (!p->finished)
		return fail(&p->ctx, -EINVAL, "the profile is not finished");
	if (!f)
		return fail(&p->ctx, -EINVAL, "there is no such format");
	if (profile_reads_many(p))
		return fail(&p->ctx, -EINVAL,
			    "what reads many recordings is written as a profile file "
			    "alone: ff_store_write()");
	if (in.chart && !(f->traits & FF_FORMAT_CHART))
		return fail(&p->ctx, -EINVAL,
			    "%s has no place for a chart: svg, chrome and speedscope do",
			    f->name);
	if (options)
		memcpy(&given, options,
		       options->size < sizeof(given) ? options->size : sizeof(given));
	how.heat = &p->collected.heat;
	how.processors = &p->collected.processors;
	how.phase_count = ff_profile_phases(p, &how.phases);
	facts = profile_facts(p);
	facts.report = &report;
	facts.root = p->options.root;
	if (f->traits & FF_FORMAT_FRAMES) {
		in.inlined_unmarked = true;
		err = list_modules(p, &modules, &facts.module_count);
		facts.modules = modules;
	}
	/* Other formats have no place for a report, so it is not made. */
	if (f->traits & FF_FORMAT_PICTURE)
		err = report_write(p, &report);
	/* Sentences beside each other: what shows them has one line, or breaks it itself. */
	for (size_t i = 0; i < p->findings.count; i++) {
		const struct ff_finding *f = &p->findings.v[i];

		text_string(&findings, i ? " · " : "");
		text_string(&findings, f->cause);
		text_string(&findings, f->remedy ? ": " : "");
		text_string(&findings, f->remedy ? f->remedy : "");
		/* What no picture may keep to itself, viewer or not: only this one makes
		 * stacks look as if they were whole. */
		if (strcmp(f->kind, "frame_pointers") == 0 && f->whole)
			text_printf(&note,
				    "%s%.1f %% begins in the middle: no frame pointers",
				    note.size ? ". " : "",
				    100.0 * (double)f->part / (double)f->whole);
	}
	facts.findings = findings.size ? findings.bytes : NULL;
	facts.note = note.size ? note.bytes : NULL;
	if (err < 0 || findings.failed || note.failed)
		err = fail_memory(&p->ctx);
	else
		err = f->write(&p->ctx, &in, &how, out);
	bytes_release(&report);
	text_release(&findings);
	text_release(&note);
	free(modules);
	return err;
}

int ff_write_folded(struct ff_profile *p, FILE *out)
{
	return ff_write(p, ff_format_find("folded"), NULL, out);
}

int ff_write_svg(struct ff_profile *p, const struct ff_graph_options *options, FILE *out)
{
	/* An older caller's options may end before it. */
	bool has_flags =
		options && options->size >= offsetof(struct ff_graph_options, flags) +
						    sizeof(options->flags);
	bool html = has_flags && options->flags & FF_GRAPH_HTML;

	return ff_write(p, ff_format_find(html ? "html" : "svg"), options, out);
}
