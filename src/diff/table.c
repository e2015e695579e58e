/*
 * What has changed, as a table for people and as JSON for programs. A row is a path; the path itself
 * stands below it, for the same function may be called from many places.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/utf8.h"
#include "diff/diff.h"

enum { WIDTH_NAME = 40 };

static const char *name_of(const struct difference *d, uint32_t node)
{
	uint32_t f = d->named.nodes.v[node].function;

	return node ? intern_text(&d->strings, d->symbols.functions.v[f].name) : "all";
}

static const char *file_of_module(const struct difference *d, uint32_t node)
{
	uint32_t f = d->named.nodes.v[node].function;
	const char *path = intern_text(&d->strings, d->symbols.functions.v[f].module);
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* From the root to the node: its indexes, outermost first. False without memory. */
struct node_path {
	ARRAY(uint32_t) nodes;
};

static bool find_path(const struct difference *d, uint32_t node, struct node_path *ret)
{
	size_t depth = 0;

	for (uint32_t i = node; i; i = d->named.nodes.v[i].parent)
		depth++;
	ret->nodes.count = 0;
	if (!array_reserve(&ret->nodes, depth + 1))
		return false;
	ret->nodes.count = depth;
	for (uint32_t i = node; i; i = d->named.nodes.v[i].parent)
		ret->nodes.v[--depth] = i;
	return true;
}

static int finish_output(struct context *ctx, FILE *out)
{
	errno = 0;
	if (fflush(out) == 0 && !ferror(out))
		return 0;
	return fail(ctx, errno ? -errno : -EIO, "cannot write: %s",
		    strerror(errno ?: EIO));
}

static void write_path(const struct difference *d, const struct node_path *path,
		       const char *label, FILE *out)
{
	fprintf(out, "          %s", label);
	for (size_t i = 0; i < path->nodes.count; i++)
		fprintf(out, "%s%s", i ? ";" : "", name_of(d, path->nodes.v[i]));
	fputc('\n', out);
}

int difference_write_table(struct context *ctx, const struct difference *d, size_t most,
			   FILE *out)
{
	struct node_path path = { 0 };
	struct text t = { 0 };
	bool failed = false;

	for (unsigned i = 0; difference_sentence(d, i, &t) > 0; i++)
		fprintf(out, "# %s\n", t.bytes);
	failed |= t.failed;
	text_release(&t);
	if (d->rows.count)
		fprintf(out, "%-8s  %7s  %7s  %8s  %7s  %10s  %7s  %8s  %-*s  %s\n",
			"kind", "A %", "B %", "delta", "+-95 %", "B - A", "B / A", "q",
			WIDTH_NAME, "function", "module");
	for (size_t i = 0; i < d->rows.count && i < most && !failed; i++) {
		const struct diff_row *row = &d->rows.v[i];
		const struct diff_measure m = difference_measure(d, row->node);
		const char *name, *end;
		int wide;

		fprintf(out, "%-8s  %7.2f  %7.2f  %+8.2f  %7.2f  %+10.4g  ",
			difference_kind_name(row->kind), 100 * m.a, 100 * m.b,
			100 * m.delta, 100 * m.critical * m.error,
			m.delta * d->whole / pow(10, d->decimals));
		if (m.a > 0)
			fprintf(out, "%7.3g  %8.2g  ", m.b / m.a, m.q);
		else
			fprintf(out, "%7s  %8.2g  ", "-", m.q);
		/* A name that is longer than its column goes on in the path below. */
		name = end = name_of(d, row->node);
		for (wide = 0; *end && wide < WIDTH_NAME; wide++)
			utf8_next(&end, end + strlen(end));
		fprintf(out, "%.*s%*s  %s\n", (int)(end - name), name, WIDTH_NAME - wide,
			"", file_of_module(d, row->node));
		failed |= !find_path(d, row->node, &path);
		if (!failed)
			write_path(d, &path, row->from ? "to " : "", out);
		failed |= row->from && !find_path(d, row->from, &path);
		if (!failed && row->from)
			write_path(d, &path, "from ", out);
		if (difference_went_away(d, row->node))
			fprintf(out,
				"          it went away: %.2f %% in the last quarter of "
				"B\n",
				100 * d->late[row->node]);
	}
	if (d->rows.count > most)
		fprintf(out, "# %zu more\n", d->rows.count - most);
	array_release(&path.nodes);
	return failed ? fail_memory(ctx) : finish_output(ctx, out);
}

/* A JSON text: what is no UTF-8 becomes U+FFFD. */
static void write_text(FILE *out, const char *text)
{
	const char *end = text + strlen(text);

	fputc('"', out);
	while (text < end) {
		size_t size = utf8_size(text);
		unsigned char c = (unsigned char)*text;

		if (!size)
			fputs("\\ufffd", out);
		else if (c == '"' || c == '\\')
			fprintf(out, "\\%c", c);
		else if (c < ' ' || c == 0x7f)
			fprintf(out, "\\u%04x", c);
		else
			fwrite(text, 1, size, out);
		text += size ? size : 1;
	}
	fputc('"', out);
}

static void write_member(FILE *out, const char *key, const char *text)
{
	fprintf(out, ",\"%s\":", key);
	write_text(out, text);
}

static void write_json_path(const struct difference *d, const struct node_path *path,
			    const char *key, FILE *out)
{
	fprintf(out, ",\"%s\":[", key);
	for (size_t i = 0; i < path->nodes.count; i++) {
		fputs(i ? "," : "", out);
		write_text(out, name_of(d, path->nodes.v[i]));
	}
	fputc(']', out);
}

/* What is no number is null. */
struct json_number {
	const char *key;
	double value;
};

static void write_json_numbers(FILE *out, const struct json_number *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct text t = { 0 };

		/* Its points are no locale's. */
		text_printf(&t, "%.17g", list[i].value);
		fprintf(out, ",\"%s\":%s", list[i].key,
			isfinite(list[i].value) && t.bytes ? t.bytes : "null");
		text_release(&t);
	}
}

/* Shares are of the whole; ratio: null where A has none of it, self_*: where its own value was not tested. */
static bool write_row(const struct difference *d, const struct diff_row *row,
		      struct node_path *path, FILE *out)
{
	const struct diff_measure m = difference_measure(d, row->node);
	const struct diff_value *n = difference_value(d, row->node);
	const struct diff_measure none = { .delta = NAN, .error = NAN, .q = NAN };
	const struct diff_measure *own = difference_own(d, row->node) ?: &none;
	double unit = pow(10, d->decimals), reach = m.critical * m.error;
	double own_reach = own->critical * own->error;
	const struct json_number numbers[] = {
		{ "a", m.a },
		{ "b", m.b },
		{ "self_a", (double)n->self[DIFF_A] / unit },
		{ "self_b", (double)n->self[DIFF_B] / unit },
		{ "delta", m.delta },
		{ "lo", m.delta - reach },
		{ "hi", m.delta + reach },
		{ "q", m.q },
		{ "detectable", difference_detectable(d, row->node) },
		{ "ratio", m.a > 0 ? m.b / m.a : NAN },
		{ "absolute", m.delta * d->whole / unit },
	};
	const struct json_number owns[] = {
		{ "self_delta", own->delta },
		{ "self_lo", own->delta - own_reach },
		{ "self_hi", own->delta + own_reach },
		{ "self_q", own->q },
	};

	fprintf(out, "{\"kind\":\"%s\"", difference_kind_name(row->kind));
	write_member(out, "symbol", name_of(d, row->node));
	write_member(out, "module", file_of_module(d, row->node));
	if (!find_path(d, row->node, path))
		return false;
	write_json_path(d, path, "path", out);
	if (row->from) {
		if (!find_path(d, row->from, path))
			return false;
		write_json_path(d, path, "from", out);
	}
	write_json_numbers(out, numbers, sizeof(numbers) / sizeof(*numbers));
	fprintf(out, ",\"went_away\":%s",
		difference_went_away(d, row->node) ? "true" : "false");
	write_json_numbers(out, owns, sizeof(owns) / sizeof(*owns));
	fputc('}', out);
	return true;
}

int difference_write_json(struct context *ctx, const struct difference *d, size_t most,
			  FILE *out)
{
	struct text t = { 0 };
	struct node_path path = { 0 };
	bool failed = false;
	const struct json_number all[] = {
		{ "distance", d->distance },
		{ "detectable", d->detectable },
		{ "level", d->options.level },
	};

	fputs("{\"format\":\"flamefold-diff\",\"version\":1,\"sides\":[", out);
	for (int s = 0; s < DIFF_SIDES; s++) {
		const struct diff_total *total = &d->total[s];

		fprintf(out, "%s{\"inputs\":%u", s ? "," : "", total->inputs);
		write_member(out, "files", total->paths.bytes);
		write_json_numbers(
			out,
			&(struct json_number){ "total", (double)total->weight /
								pow(10, d->decimals) },
			1);
		fprintf(out, ",\"samples\":%" PRIu64, total->samples);
		write_json_numbers(out,
				   &(struct json_number){ "seconds", total->seconds }, 1);
		write_member(out, "event", intern_text(&d->strings, total->event));
		fprintf(out, ",\"blocks\":%u", total->blocks);
		write_json_numbers(out, &(struct json_number){ "phi", total->phi }, 1);
		fputc('}', out);
	}
	fputc(']', out);
	write_json_numbers(out, &(struct json_number){ "scale", d->scale }, 1);
	write_member(out, "normalize", difference_normalize_name(d->options.normalize));
	write_json_numbers(out, all, sizeof(all) / sizeof(*all));
	fprintf(out, ",\"tested\":%" PRIu64 ",\"significant\":%" PRIu64 ",\"notes\":[",
		(uint64_t)d->tests.count, d->significant);
	for (unsigned i = 0; difference_sentence(d, i, &t) > 0; i++) {
		fputs(i ? "," : "", out);
		write_text(out, t.bytes);
	}
	fprintf(out, "],\"rows_in_all\":%zu,\"rows\":[", d->rows.count);
	for (size_t i = 0; i < d->rows.count && i < most && !failed; i++) {
		fputs(i ? ",\n" : "\n", out);
		failed = !write_row(d, &d->rows.v[i], &path, out);
	}
	fputs("]}\n", out);
	failed |= t.failed;
	text_release(&t);
	array_release(&path.nodes);
	return failed ? fail_memory(ctx) : finish_output(ctx, out);
}
