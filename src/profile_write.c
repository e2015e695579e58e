/* The library's writers: the named tree to the formats of src/write. */
#include <errno.h>

#include "base/parallel.h"
#include "profile.h"
#include "write/write.h"

static struct write_input write_input(const struct ff_profile *p)
{
	return (struct write_input){
		.tree = &p->named,
		.symbols = &p->symbols,
		.strings = &p->strings,
		.mark_kernel = p->options.flags & FF_MARK_KERNEL,
		.mark_jit = p->options.flags & FF_MARK_JIT,
		.in_order = p->options.flags & FF_FLAMECHART,
		.threads = p->options.threads ? p->options.threads
					      : (unsigned)parallel_processors(),
	};
}

int ff_write_folded(struct ff_profile *p, FILE *out)
{
	struct write_input in = write_input(p);

	if (!p->finished)
		return fail(&p->ctx, -EINVAL, "the profile is not finished");
	return write_folded(&p->ctx, &in, out);
}

static struct svg_options svg_options(const struct ff_profile *p,
				      const struct ff_graph_options *o)
{
	return (struct svg_options){
		.kind = o->flags & FF_GRAPH_STATIC	? SVG_STATIC
			: o->flags & FF_GRAPH_NO_SCRIPT ? SVG_NO_SCRIPT
							: SVG_VIEWER,
		.html = o->flags & FF_GRAPH_HTML,
		.title = o->title,
		.subtitle = o->subtitle,
		.notes = o->notes,
		.fonttype = o->fonttype,
		.countname = o->countname,
		.nametype = o->nametype,
		.colors = o->colors,
		.bgcolors = o->bgcolors,
		.minwidth = o->minwidth,
		.nameattr = o->nameattr,
		.palette_map = o->palette_map,
		.encoding = o->encoding,
		.width = o->width,
		.height = o->height,
		.fontsize = o->fontsize,
		.fontwidth = o->fontwidth,
		.total = o->total,
		.factor = o->factor,
		.hash = o->flags & FF_GRAPH_HASH,
		.random = o->flags & FF_GRAPH_RANDOM,
		.reverse = o->flags & FF_GRAPH_REVERSE,
		.inverted = o->flags & FF_GRAPH_INVERTED,
		.negate = o->flags & FF_GRAPH_NEGATE,
		.flamechart = p->options.flags & FF_FLAMECHART,
	};
}

int ff_write_svg(struct ff_profile *p, const struct ff_graph_options *options, FILE *out)
{
	struct ff_graph_options given = { .size = sizeof(given) };
	struct write_input in = write_input(p);
	struct write_facts facts;
	struct svg_options svg;

	if (!p->finished)
		return fail(&p->ctx, -EINVAL, "the profile is not finished");
	if (options)
		memcpy(&given, options,
		       options->size < sizeof(given) ? options->size : sizeof(given));
	svg = svg_options(p, &given);
	facts = profile_facts(p);
	in.facts = &facts;
	return write_svg(&p->ctx, &in, &svg, out);
}
