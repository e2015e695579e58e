/*
 * The Firefox Profiler's processed format, version 66 (firefox-devtools/profiler,
 * docs-developer/CHANGELOG-formats.md), which it upgrades when it reads it. Tables are columns, and all
 * threads share them:
 *
 *	stackTable	a node of the view each, by how far in front of it its parent is
 *	frameTable	a function, and how deep in which other one it was inlined
 *	nativeSymbols	those that others were inlined in: only by them the profiler tells what was
 *	funcTable, resourceTable, sources, stringArray
 *	threads		one for each process (or thread, as --tid has them) at the root of stacks
 *
 * A stack that was seen many times is one sample with a weight. A tree has no times: samples follow
 * each other by what they weigh, if that is time, and by a millisecond each if it is not.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "write/exchange.h"

enum { CATEGORY_OTHER, CATEGORY_USER, CATEGORY_KERNEL, CATEGORY_JIT };

struct firefox_frame {
	uint32_t function; /* number */
	uint32_t host; /* the one that it was inlined in, by way of others; else itself */
	uint8_t category;
	uint16_t inline_depth;
};

struct firefox {
	struct exchange e;
	struct numbering functions;
	struct intern strings; /* stringArray */
	ARRAY(struct firefox_frame) frames;
	ARRAY(uint32_t) symbols; /* numbers of hosts in a module */
	struct hash_map symbol_numbers; /* by host */
	uint32_t *frame_of; /* by node */
	uint32_t *stack_of; /* by node: row of the stackTable; UINT32_MAX: none */
	ARRAY(uint32_t) modules; /* resources: strings of the sources */
	ARRAY(const char *) build_ids; /* of each of them; NULL: not known */
	struct hash_map module_numbers;
	ARRAY(uint32_t) files; /* sources, likewise */
	struct hash_map file_numbers;
	struct sink sink;
};

static uint32_t string_of(struct firefox *x, const char *string)
{
	uint32_t id = 0;

	if (intern_add(&x->strings, string, strlen(string), &id) < 0)
		x->sink.text.failed = true;
	return id;
}

/* A list of strings of the sources gets one of them, once. */
static int number_string(struct hash_map *numbers, uint32_t string, uint32_t next)
{
	if (!string || hash_map_get(numbers, string))
		return 0;
	return hash_map_set(numbers, string, next) ? 1 : -ENOMEM;
}

static int list_firefox_files(struct firefox *x)
{
	for (size_t i = 0; i < x->functions.nodes.count; i++) {
		const struct function *f =
			exchange_function(&x->e, x->functions.nodes.v[i]);
		uint32_t *slot;
		int fresh = number_string(&x->module_numbers, f->module,
					  (uint32_t)x->modules.count);

		slot = fresh > 0 ? array_add(&x->modules) : NULL;
		if (fresh < 0 || (fresh && !slot))
			return -ENOMEM;
		if (slot)
			*slot = f->module;
		if (slot && !array_add(&x->build_ids))
			return -ENOMEM;
		fresh = number_string(&x->file_numbers, f->file,
				      (uint32_t)x->files.count);
		slot = fresh > 0 ? array_add(&x->files) : NULL;
		if (fresh < 0 || (fresh && !slot))
			return -ENOMEM;
		if (slot)
			*slot = f->file;
	}
	for (size_t i = 0; i < x->e.facts->module_count; i++) {
		const struct write_module *m = &x->e.facts->modules[i];
		const uint32_t *number = NULL;
		uint32_t id;

		if (*m->build_id &&
		    intern_find(x->e.in.strings, m->path, strlen(m->path), &id))
			number = hash_map_get(&x->module_numbers, id);
		/* Of two files at one path the heavier one comes first. */
		if (number && !x->build_ids.v[*number])
			x->build_ids.v[*number] = m->build_id;
	}
	return 0;
}

/* Of a host, once. A symbol has a library, so one that is in none is no symbol. */
static int list_host(struct firefox *x, uint32_t host)
{
	uint32_t *slot;

	if (!exchange_function(&x->e, x->functions.nodes.v[host])->module ||
	    hash_map_get(&x->symbol_numbers, host))
		return 0;
	slot = array_add(&x->symbols);
	if (!slot ||
	    !hash_map_set(&x->symbol_numbers, host, (uint32_t)x->symbols.count - 1))
		return -ENOMEM;
	*slot = host;
	return 0;
}

/* Frames are found again by function, host, depth and category. */
static int list_firefox_frames(struct firefox *x)
{
	static const uint8_t categories[] = {
		[FUNCTION_USER] = CATEGORY_USER,
		[FUNCTION_KERNEL] = CATEGORY_KERNEL,
		[FUNCTION_JIT] = CATEGORY_JIT,
		[FUNCTION_GAP] = CATEGORY_OTHER,
	};
	const struct exchange *e = &x->e;
	struct hash_map known = { 0 }, pairs = { 0 };
	uint32_t stacks = 0, pair_count = 0;
	int err = 0;

	x->stack_of[0] = UINT32_MAX;
	for (uint32_t i = 1; err == 0 && i < e->view.nodes.count; i++) {
		const struct view_node *n = exchange_node(e, i);
		const struct function *f = exchange_function(e, i);
		bool inlined = f->kind == FUNCTION_INLINED &&
			       x->stack_of[n->parent] != UINT32_MAX;
		struct firefox_frame frame = { .category = categories[f->kind] }, *slot;
		const uint32_t *number;
		uint64_t pair, key;

		x->stack_of[i] = exchange_is_process(e, i) ? UINT32_MAX : stacks++;
		if (x->stack_of[i] == UINT32_MAX)
			continue;
		frame.function = numbering_of(e, &x->functions, NUMBER_FUNCTIONS, i);
		frame.host = frame.function;
		if (inlined) {
			const struct firefox_frame *outer =
				&x->frames.v[x->frame_of[n->parent]];

			frame.category = outer->category;
			frame.host = outer->host;
			frame.inline_depth =
				(uint16_t)(outer->inline_depth +
					   (outer->inline_depth < UINT16_MAX));
			err = list_host(x, frame.host);
		}
		pair = (uint64_t)frame.function << 32 | frame.host;
		number = hash_map_get(&pairs, pair);
		if (!number && !hash_map_set(&pairs, pair, pair_count))
			err = -ENOMEM;
		key = (uint64_t)(number ? *number : pair_count++) << 32 |
		      (uint32_t)frame.inline_depth << 8 | frame.category;
		number = hash_map_get(&known, key);
		if (number) {
			x->frame_of[i] = *number;
			continue;
		}
		x->frame_of[i] = (uint32_t)x->frames.count;
		slot = array_add(&x->frames);
		if (slot && hash_map_set(&known, key, x->frame_of[i]))
			*slot = frame;
		else
			err = -ENOMEM;
	}
	hash_map_release(&known);
	hash_map_release(&pairs);
	return err;
}

/* "key":[value of row 0, of row 1, ...] */
struct column_writer {
	struct firefox *x;
	const char *key;
	size_t rows;
	int64_t (*value)(struct firefox *x, uint32_t row); /* NULL: null in each */
	int64_t always; /* with .value NULL and .is_number */
	bool is_number;
};

/* What a value of a column is where it has none. */
#define NO_VALUE INT64_MIN

static void add_column(const struct column_writer *c)
{
	struct text *t = &c->x->sink.text;

	text_printf(t, ",\n\"%s\":[", c->key);
	for (uint32_t i = 0; i < c->rows; i++) {
		int64_t value = c->value       ? c->value(c->x, i)
				: c->is_number ? c->always
					       : NO_VALUE;

		text_string(t, i ? "," : "");
		if (value == NO_VALUE)
			text_string(t, "null");
		else if (value < 0)
			text_printf(t, "%lld", (long long)value);
		else
			text_u64(t, (uint64_t)value);
		sink_drain(&c->x->sink);
	}
	text_char(t, ']');
}

static void add_firefox_values(struct firefox *x, const char *key, size_t rows,
			       int64_t (*value)(struct firefox *x, uint32_t row))
{
	add_column(&(struct column_writer){ x, key, rows, value, 0, false });
}

static void add_constant(struct firefox *x, const char *key, size_t rows, int64_t value)
{
	add_column(&(struct column_writer){ x, key, rows, NULL, value, true });
}

static int64_t category_of(struct firefox *x, uint32_t row)
{
	return x->frames.v[row].category;
}

static int64_t depth_of(struct firefox *x, uint32_t row)
{
	return x->frames.v[row].inline_depth;
}

static int64_t firefox_function(struct firefox *x, uint32_t row)
{
	return x->frames.v[row].function;
}

static int64_t symbol_of(struct firefox *x, uint32_t row)
{
	const uint32_t *number = hash_map_get(&x->symbol_numbers, x->frames.v[row].host);

	return number ? (int64_t)*number : NO_VALUE;
}

static const struct function *row_function(struct firefox *x, uint32_t row)
{
	return exchange_function(&x->e, x->functions.nodes.v[row]);
}

static int64_t firefox_name(struct firefox *x, uint32_t row)
{
	uint32_t label = exchange_node(&x->e, x->functions.nodes.v[row])->label;

	return string_of(x, label_text(&x->e.view.labels, label));
}

static int64_t resource_of(struct firefox *x, uint32_t row)
{
	const uint32_t *number =
		hash_map_get(&x->module_numbers, row_function(x, row)->module);

	return number ? (int64_t)*number : -1;
}

static int64_t source_of(struct firefox *x, uint32_t row)
{
	const uint32_t *number =
		hash_map_get(&x->file_numbers, row_function(x, row)->file);

	return number ? (int64_t)*number : NO_VALUE;
}

static int64_t line_of(struct firefox *x, uint32_t row)
{
	return row_function(x, row)->line ? (int64_t)row_function(x, row)->line
					  : NO_VALUE;
}

static int64_t symbol_library(struct firefox *x, uint32_t row)
{
	return resource_of(x, x->symbols.v[row]);
}

static int64_t symbol_name(struct firefox *x, uint32_t row)
{
	return firefox_name(x, x->symbols.v[row]);
}

static int64_t module_string(struct firefox *x, uint32_t row)
{
	return string_of(x, intern_text(x->e.in.strings, x->modules.v[row]));
}

static int64_t file_string(struct firefox *x, uint32_t row)
{
	return string_of(x, intern_text(x->e.in.strings, x->files.v[row]));
}

static int64_t own_row(struct firefox *x, uint32_t row)
{
	(void)x;
	return row;
}

/* Of all nodes that have a row, in the order of the nodes: a parent is before its children. */
static void add_stack_table(struct firefox *x)
{
	struct text *t = &x->sink.text;
	uint32_t stacks = 0;

	for (uint32_t i = 1; i < x->e.view.nodes.count; i++)
		stacks += x->stack_of[i] != UINT32_MAX;
	text_printf(t, "\"stackTable\":{\"length\":%u,\n\"prefixOffset\":[", stacks);
	for (uint32_t i = 1, rows = 0; i < x->e.view.nodes.count; i++) {
		uint32_t parent = x->stack_of[exchange_node(&x->e, i)->parent];

		if (x->stack_of[i] == UINT32_MAX)
			continue;
		text_printf(t, rows++ ? ",%u" : "%u",
			    parent == UINT32_MAX ? 0 : x->stack_of[i] - parent);
		sink_drain(&x->sink);
	}
	text_string(t, "],\n\"frame\":[");
	for (uint32_t i = 1, rows = 0; i < x->e.view.nodes.count; i++) {
		if (x->stack_of[i] == UINT32_MAX)
			continue;
		text_printf(t, rows++ ? ",%u" : "%u", x->frame_of[i]);
		sink_drain(&x->sink);
	}
	text_string(t, "]},\n");
}

static void add_shared(struct firefox *x)
{
	struct text *t = &x->sink.text;
	size_t frames = x->frames.count, functions = x->functions.nodes.count;
	size_t modules = x->modules.count, files = x->files.count;
	size_t symbols = x->symbols.count;

	text_string(t, ",\n\"shared\":{");
	add_stack_table(x);
	text_printf(t, "\"frameTable\":{\"length\":%zu", frames);
	add_constant(x, "address", frames, -1);
	add_firefox_values(x, "inlineDepth", frames, depth_of);
	add_firefox_values(x, "category", frames, category_of);
	add_constant(x, "subcategory", frames, 0);
	add_firefox_values(x, "func", frames, firefox_function);
	add_firefox_values(x, "nativeSymbol", frames, symbol_of);
	add_constant(x, "innerWindowID", frames, 0);
	add_firefox_values(x, "line", frames, NULL);
	add_firefox_values(x, "column", frames, NULL);
	add_firefox_values(x, "originalLocation", frames, NULL);
	text_printf(t, "},\n\"funcTable\":{\"length\":%zu", functions);
	add_firefox_values(x, "name", functions, firefox_name);
	text_string(t, ",\n\"isJS\":[");
	for (size_t i = 0; i < functions; i++)
		text_string(t, i ? ",false" : "false");
	text_string(t, "],\n\"relevantForJS\":[");
	for (size_t i = 0; i < functions; i++)
		text_string(t, i ? ",false" : "false");
	text_char(t, ']');
	add_firefox_values(x, "resource", functions, resource_of);
	add_firefox_values(x, "source", functions, source_of);
	add_firefox_values(x, "lineNumber", functions, line_of);
	add_firefox_values(x, "columnNumber", functions, NULL);
	add_firefox_values(x, "originalLocation", functions, NULL);
	text_printf(t, "},\n\"nativeSymbols\":{\"length\":%zu", symbols);
	add_constant(x, "address", symbols, -1);
	add_firefox_values(x, "functionSize", symbols, NULL);
	add_firefox_values(x, "libIndex", symbols, symbol_library);
	add_firefox_values(x, "name", symbols, symbol_name);
	text_printf(t, "},\n\"resourceTable\":{\"length\":%zu", modules);
	add_firefox_values(x, "lib", modules, own_row);
	add_firefox_values(x, "name", modules, module_string);
	add_firefox_values(x, "host", modules, NULL);
	add_constant(x, "type", modules, 1); /* a library */
	text_printf(t, "},\n\"sources\":{\"length\":%zu", files);
	add_firefox_values(x, "id", files, NULL);
	add_firefox_values(x, "filename", files, file_string);
	add_constant(x, "startLine", files, 1);
	add_constant(x, "startColumn", files, 1);
	add_firefox_values(x, "sourceMapURL", files, NULL);
	add_firefox_values(x, "content", files, NULL);
	text_string(t,
		    "},\n\"sourceLocationTable\":{\"length\":0,\"source\":[],\"line\":[],"
		    "\"column\":[]},\n\"stringArray\":[");
	for (uint32_t i = 0; i < x->strings.texts.count; i++) {
		text_string(t, i ? ",\n" : "");
		json_quoted(t, intern_text(&x->strings, i));
		sink_drain(&x->sink);
	}
	text_string(t, "]}");
}

enum sample_column { SAMPLE_COUNT, SAMPLE_STACK, SAMPLE_DELTA, SAMPLE_WEIGHT };

/* Milliseconds are what times are counted in. */
static void add_milliseconds(const struct firefox *x, struct text *t, uint64_t ns)
{
	number_decimal(t, ns, x->e.view.decimals + 6);
}

/* One column of the samples of a thread, of which the nodes below @root are one (@root 0: all that are
 * below no process). How many samples they are. */
static uint64_t add_thread_column(struct firefox *x, uint32_t root,
				  enum sample_column column)
{
	const struct exchange *e = &x->e;
	struct text *t = &x->sink.text;
	struct view_walk w = { .node = root, .depth = root ? 1 : 0 };
	uint64_t count = 0, before = 0;
	bool is_time = strcmp(e->unit, "nanoseconds") == 0, more = true;

	while (more) {
		const struct view_node *n = exchange_node(e, w.node);
		bool is_other = !root && exchange_is_process(e, w.node);

		if (n->self && !is_other) {
			text_string(t, count && column != SAMPLE_COUNT ? "," : "");
			if (column == SAMPLE_STACK && x->stack_of[w.node] == UINT32_MAX)
				text_string(t, "null");
			else if (column == SAMPLE_STACK)
				text_u64(t, x->stack_of[w.node]);
			else if (column == SAMPLE_WEIGHT && is_time)
				add_milliseconds(x, t, n->self);
			else if (column == SAMPLE_WEIGHT)
				exchange_add_weight(e, t, n->self);
			else if (column == SAMPLE_DELTA && is_time)
				add_milliseconds(x, t, before);
			else if (column == SAMPLE_DELTA)
				text_string(t, count ? "1" : "0");
			before = n->self;
			count++;
			sink_drain(&x->sink);
		}
		more = view_next(&e->view, &w, is_other ? VIEW_OVER : VIEW_INTO) &&
		       (!root || w.depth > 1);
	}
	return count;
}

static void add_firefox_thread(struct firefox *x, uint32_t root, bool is_main,
			       uint64_t number)
{
	const struct exchange *e = &x->e;
	struct text *t = &x->sink.text;
	struct process_name p = { .comm = "all", .size = 3 };
	const char *type = strcmp(e->unit, "nanoseconds") == 0 ? "tracing-ms"
			   : strcmp(e->unit, "bytes") == 0     ? "bytes"
							       : "samples";

	if (root)
		p = exchange_process(e, root);
	text_string(t, is_main ? "\n{\"name\":" : ",\n{\"name\":");
	json_string(t, p.comm, p.size);
	text_printf(t,
		    ",\"isMainThread\":%s,\"processType\":\"default\",\"processName\":",
		    is_main ? "true" : "false");
	json_string(t, p.comm, p.size);
	text_printf(t,
		    ",\"processStartupTime\":0,\"processShutdownTime\":null,\"registerTime\":0,"
		    "\"unregisterTime\":null,\"pausedRanges\":[],\"pid\":\"%llu\",\"tid\":%llu,"
		    "\"showMarkersInTimeline\":false,\n\"samples\":{\"length\":",
		    (unsigned long long)(p.pid ?: number),
		    (unsigned long long)(p.tid ?: p.pid ?: number));
	text_u64(t, add_thread_column(x, root, SAMPLE_COUNT));
	text_printf(t, ",\"weightType\":\"%s\",\n\"stack\":[", type);
	add_thread_column(x, root, SAMPLE_STACK);
	text_string(t, "],\n\"timeDeltas\":[");
	add_thread_column(x, root, SAMPLE_DELTA);
	text_string(t, "],\n\"weight\":[");
	add_thread_column(x, root, SAMPLE_WEIGHT);
	text_string(t, "]},\n\"markers\":{\"length\":0,\"category\":[],\"data\":[],"
		       "\"endTime\":[],"
		       "\"name\":[],\"phase\":[],\"startTime\":[]}}");
}

static void add_firefox_head(struct firefox *x)
{
	const struct write_facts *f = x->e.facts;
	struct text *t = &x->sink.text;

	text_string(
		t,
		"{\"meta\":{\"categories\":[\n"
		"{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]},\n"
		"{\"name\":\"User\",\"color\":\"yellow\",\"subcategories\":[\"Other\"]},"
		"\n"
		"{\"name\":\"Kernel\",\"color\":\"orange\",\"subcategories\":[\"Other\"]}"
		",\n"
		"{\"name\":\"JIT\",\"color\":\"green\",\"subcategories\":[\"Other\"]}],\n"
		"\"debug\":false,\"extensions\":{\"baseURL\":[],\"id\":[],\"length\":0,"
		"\"name\":[]},\"interval\":1,\"preprocessedProfileVersion\":66,"
		"\"processType\":0,\"oscpu\":\"Linux\",\"product\":");
	json_quoted(t, f->command ? f->command : f->subject ? f->subject : "flamefold");
	text_printf(
		t,
		",\n\"sampleUnits\":{\"time\":\"ms\",\"eventDelay\":\"ms\","
		"\"threadCPUDelta\":"
		"\"µs\"},\"startTime\":%llu,\"symbolicated\":true,\"pausedRanges\":[],"
		"\"version\":24,\"usesOnlyOneStackType\":true,"
		"\"sourceCodeIsNotOnSearchfox\":true,\"markerSchema\":[]},\n\"libs\":[",
		(unsigned long long)f->recorded * 1000);
	for (size_t i = 0; i < x->modules.count; i++) {
		const char *path = intern_text(x->e.in.strings, x->modules.v[i]);
		const char *slash = strrchr(path, '/');

		text_string(t, i ? ",\n{\"name\":" : "\n{\"name\":");
		json_quoted(t, slash ? slash + 1 : path);
		text_string(t, ",\"path\":");
		json_quoted(t, path);
		text_string(t, ",\"debugName\":");
		json_quoted(t, slash ? slash + 1 : path);
		text_string(t, ",\"debugPath\":");
		json_quoted(t, path);
		text_string(t, ",\"breakpadId\":\"\",\"codeId\":");
		json_quoted(t, x->build_ids.v[i]);
		text_string(t, ",\"arch\":null}");
		sink_drain(&x->sink);
	}
	text_char(t, ']');
}

int write_firefox(struct context *ctx, const struct tree_source *in,
		  const struct write_options *options, FILE *out)
{
	struct firefox x = { .sink.out = out };
	struct text *t = &x.sink.text;
	bool others = false;
	uint64_t number = 1;
	int err = exchange_open(ctx, in, options, VIEW_BY_FUNCTION, &x.e);

	if (err < 0)
		return err;
	x.frame_of = calloc(x.e.view.nodes.count, sizeof(*x.frame_of));
	x.stack_of = calloc(x.e.view.nodes.count, sizeof(*x.stack_of));
	if (!x.frame_of || !x.stack_of || intern_init(&x.strings) < 0 ||
	    numbering_make(&x.e, NUMBER_FUNCTIONS, false, &x.functions) < 0 ||
	    list_firefox_files(&x) < 0 || list_firefox_frames(&x) < 0) {
		x.sink.text.failed = true;
	} else {
		add_firefox_head(&x);
		add_shared(&x);
		text_string(t, ",\n\"threads\":[");
		/* What is below no process is one thread, and so is a profile of nothing. */
		for (uint32_t i = exchange_node(&x.e, 0)->first; i;
		     i = exchange_node(&x.e, i)->next)
			others |= !exchange_is_process(&x.e, i);
		others |= exchange_node(&x.e, 0)->self || !exchange_node(&x.e, 0)->first;
		if (others)
			add_firefox_thread(&x, 0, true, number++);
		for (uint32_t i = exchange_node(&x.e, 0)->first; i;
		     i = exchange_node(&x.e, i)->next) {
			if (!exchange_is_process(&x.e, i))
				continue;
			add_firefox_thread(&x, i, number == 1, number);
			number++;
		}
		text_string(
			t, "],\n\"pages\":[],\"profilerOverhead\":[],\"counters\":[]}\n");
	}
	free(x.frame_of);
	free(x.stack_of);
	intern_release(&x.strings);
	numbering_release(&x.functions);
	array_release(&x.frames);
	array_release(&x.symbols);
	hash_map_release(&x.symbol_numbers);
	array_release(&x.modules);
	array_release(&x.build_ids);
	array_release(&x.files);
	hash_map_release(&x.module_numbers);
	hash_map_release(&x.file_numbers);
	exchange_close(&x.e);
	return sink_end(ctx, &x.sink);
}
