/*
 * What a frame is called: its symbol, or where it has none what its object is called;
 * and of which module and kind it is. Two readers judge that: ours, and
 * stackcollapse-perf.pl's, whose kinds come from the texts that perf script prints of
 * modules.
 */
#include "symbol/naming.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "symbol/tidy.h"

#define DELETED " (deleted)"

/* perf script has the name of a kernel module for its module, but the path where the
 * header's build ids know that; so has compat mode. */
int naming_init(struct naming *n, const struct symbol_options *options,
		const struct image *image, const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	const char *end = strstr(name, ".ko");

	*n = (struct naming){ .options = options, .image = image, .path = path };
	if (image->kind != IMAGE_MODULE || *path == '[' ||
	    (options->compat && image->build_id_size))
		return 0;
	/* "/lib/modules/6.1/kernel/net/nf-tables.ko.xz" -> "[nf_tables]" */
	text_char(&n->module, '[');
	for (; name != end && *name; name++)
		text_char(&n->module, *name == '-' ? '_' : *name);
	text_char(&n->module, ']');
	n->path = n->module.bytes;
	return n->module.failed ? -ENOMEM : 0;
}

void naming_release(struct naming *n)
{
	text_release(&n->module);
}

static bool has_end(const char *text, size_t size, const char *end)
{
	size_t length = strlen(end);

	return size >= length && memcmp(text + size - length, end, length) == 0;
}

/* "[kernel.kallsyms]_text" names the symbol that was the reference, too. */
static size_t path_size(const struct naming *n)
{
	const char *close = strchr(n->path, ']');

	if (n->image->kind == IMAGE_KERNEL && *n->path == '[' && close)
		return (size_t)(close + 1 - n->path);
	return strlen(n->path);
}

/* What stands in the brackets of a function without a name. Borrowed, and not ended by a
 * NUL: mostly it is a part of the path. */
static const char *short_name(const struct naming *n, size_t *size)
{
	const char *name = n->path, *slash;

	*size = path_size(n);
	if (n->image->kind == IMAGE_UNKNOWN || *size == 0)
		name = "unknown";
	else if (n->image->kind == IMAGE_GUEST)
		name = "guest";
	else if (n->image->kind == IMAGE_ANON && jit_file_name(n->path))
		name = jit_file_name(n->path);
	if (name != n->path) {
		*size = strlen(name);
		return name;
	}
	if (has_end(name, *size, DELETED))
		*size -= strlen(DELETED);
	if (*size > 2 && name[0] == '[' && name[*size - 1] == ']') {
		*size -= 2;
		return name + 1;
	}
	slash = memrchr(name, '/', *size);
	if (!slash || slash + 1 == name + *size)
		return name;
	*size -= (size_t)(slash + 1 - name);
	return slash + 1;
}

/* The module as perf script prints it. */
static void add_printed_module(const struct naming *n, struct text *line)
{
	size_t size = path_size(n);

	text_string(line, " (");
	if (n->image->kind == IMAGE_UNKNOWN || n->image->kind == IMAGE_HYPERVISOR ||
	    size == 0)
		text_string(line, "[unknown]");
	else
		text_add(line, n->path, size);
	text_char(line, ')');
}

/*
 * A function without a name is called after its file:
 *
 *	[libx.so]                 no function is known there
 *	[libx.so+0x1c40]          where its function begins
 *	[libx.so <7f3a1c40>]      --unnamed=address
 *	[replaced: libx.so]       another file has the path now
 */
bool naming_add(const struct naming *n, const struct name_parts *parts, struct text *out)
{
	bool addrs = n->options->unnamed == FF_UNNAMED_ADDRESS, kept = false;
	bool whole = parts->whole || n->options->demangle == FF_DEMANGLE_FULL;
	struct text line = { 0 };
	const char *name;
	char pc[17];
	size_t size;

	if (!n->options->compat && parts->symbol && whole) {
		tidy_whole_name(parts->symbol, parts->size, out);
		return true;
	}
	if (!n->options->compat && parts->symbol) {
		tidy_name(parts->symbol, parts->size, out);
		return true;
	}
	if (!n->options->compat) {
		name = short_name(n, &size);
		text_string(out, n->replaced ? "[replaced: " : "[");
		tidy_characters(name, size, out);
		if (parts->has_start)
			text_printf(out, "+0x%" PRIx64, parts->start);
		else if (addrs)
			text_printf(out, " <%" PRIx64 ">", parts->pc);
		text_char(out, ']');
		return true;
	}
	/* The line that perf script prints, and what stackcollapse-perf.pl makes of it. */
	snprintf(pc, sizeof(pc), "%" PRIx64, parts->pc);
	if (parts->symbol || parts->inlined)
		text_add(&line, parts->symbol, parts->size);
	if (parts->inlined)
		text_string(&line, " (inlined)");
	else if (parts->symbol)
		text_printf(&line, "+0x%" PRIx64, parts->offset);
	else
		text_string(&line, "[unknown]");
	if (!parts->inlined)
		add_printed_module(n, &line);
	if (!line.failed)
		kept = tidy_line(line.bytes, line.size, pc, addrs, out);
	out->failed |= line.failed;
	text_release(&line);
	return kept;
}

enum function_kind naming_kind(const struct naming *n)
{
	/* Memory in which Android's runtime keeps the code it makes; and how flamefold, perf and
	 * simpleperf call modules of such code, which profiles that were exported have. */
	static const char *const jit_memory[] = { "dalvik-jit-code-cache",
						  "dalvik-zygote-jit-code-cache",
						  "/memfd:jit-cache",
						  "/memfd:jit-zygote-cache",
						  "[jit]",
						  "[JIT" };
	enum image_kind kind = n->image->kind;
	bool kernel =
		kind == IMAGE_KERNEL || kind == IMAGE_MODULE || kind == IMAGE_KSYMBOL;
	bool jit = n->image->owner || (kind == IMAGE_ANON && jit_file_name(n->path));
	static const char map[] = "/tmp/perf-";
	const char *pid = strstr(n->path, map), *module;
	struct text line = { 0 };
	size_t size = 0;

	/* By its name alone, as stackcollapse-perf.pl does. The module is looked for behind
	 * a name, so there has to be one. */
	if (n->options->compat) {
		text_string(&line, "x");
		add_printed_module(n, &line);
		module = line.failed ? "" : tidy_module(line.bytes, line.size, &size);
		kernel = ((size > 0 && *module == '[') ||
			  has_end(module, size, "vmlinux")) &&
			 !memmem(module, size, "unknown", 7);
		text_release(&line);
	}
	if (kernel)
		return FUNCTION_KERNEL;
	/* "/tmp/perf-1234.map" */
	pid = pid ? pid + strlen(map) : "";
	if (isdigit((unsigned char)*pid) &&
	    strncmp(pid + strspn(pid, "0123456789"), ".map", 4) == 0)
		return FUNCTION_JIT;
	if (n->options->compat)
		return FUNCTION_USER;
	for (size_t i = 0; i < sizeof(jit_memory) / sizeof(*jit_memory); i++)
		jit |= strstr(n->path, jit_memory[i]) != NULL;
	return jit ? FUNCTION_JIT : FUNCTION_USER;
}
