/*
 * Tables as sections. Strings are told without what they share with the one before; frames in three
 * columns. Whoever reads them believes no count: each entry takes a byte at least, so that the loop
 * ends where the bytes do, and order is checked, as merging relies on it.
 */
#include <errno.h>

#include "stack/stack.h"
#include "store/tables.h"
#include "trie/trie.h"

/* Of one that no file before had: sorted, and found again. */
enum {
	FRAME_COST = 4 * sizeof(struct store_frame),
	MODULE_COST = 4 * sizeof(struct store_module)
};

static void put_table_text(struct bytes *b, const struct intern *strings, uint32_t id)
{
	const char *text = intern_text(strings, id);

	bytes_add(b, text, strlen(text) + 1);
}

/* By bytes, and not as a language would have it: the same order on any machine. */
static int compare_table_texts(const void *a, const void *b, void *arg)
{
	const struct intern *strings = arg;

	return strcmp(intern_text(strings, *(const uint32_t *)a),
		      intern_text(strings, *(const uint32_t *)b));
}

/*
 * Those of modules and frames, each once and in order; @index: by string id, where it is. In order a name shares
 * its beginning with the one before, as those of one class or one directory do:
 *
 *	starts   rests
 *	  0      std::map<int>::find
 *	 15      insert                  std::map<int>::insert
 *
 * and names are numbered as they are sorted, so two files can be merged by their numbers alone.
 */
static int write_strings(struct store_sink *sink, const struct store_tables *t,
			 uint32_t *index)
{
	size_t all = t->strings->texts.count, count = 0;
	uint32_t *used = malloc((all + 1) * sizeof(*used));
	struct bytes starts = { 0 }, rests = { 0 };
	const char *before = "";
	uint64_t sum = 0;

	if (!used)
		return -ENOMEM;
	for (size_t i = 1; i < t->modules.count; i++)
		index[t->modules.v[i].name] = 1;
	for (size_t i = 1; i < t->frames.count; i++)
		index[t->frames.v[i].name] = 1;
	for (uint32_t i = 0; i < all; i++)
		if (index[i])
			used[count++] = i;
	if (count)
		qsort_r(used, count, sizeof(*used), compare_table_texts, t->strings);
	for (uint32_t i = 0; i < count; i++) {
		const char *text = intern_text(t->strings, used[i]);
		size_t shared = 0;

		while (text[shared] && text[shared] == before[shared])
			shared++;
		sum += strlen(text);
		bytes_varint(&starts, shared);
		bytes_add(&rests, text + shared, strlen(text + shared) + 1);
		index[used[i]] = i;
		before = text;
	}
	bytes_varint(&sink->section, count);
	bytes_varint(&sink->section, starts.count);
	bytes_add(&sink->section, starts.v, starts.count);
	bytes_add(&sink->section, rests.v, rests.count);
	sink->section.failed |= starts.failed | rests.failed;
	store_sink_end_section(sink, SECTION_STRINGS);
	bytes_release(&starts);
	bytes_release(&rests);
	free(used);
	return sum > STORE_STRINGS_MOST ? -EFBIG : 0;
}

int store_tables_write(struct store_sink *sink, const struct store_tables *t)
{
	uint32_t *index = calloc(t->strings->texts.count + 1, sizeof(*index)), last = 0;
	struct bytes *to = &sink->section, modules = { 0 };
	unsigned flags = store_tables_flags(t);
	int err;

	if (!index)
		return -ENOMEM;
	bytes_varint(to, t->columns.count);
	for (size_t i = 0; i < t->columns.count; i++) {
		const struct store_column *c = &t->columns.v[i];

		put_table_text(to, t->strings, c->event);
		put_table_text(to, t->strings, c->unit);
		put_table_text(to, t->strings, c->name);
		put_table_text(to, t->strings, c->own_unit);
		bytes_u8(to, c->side);
		bytes_u8(to, c->sum);
		bytes_u8(to, c->makes_stacks);
		bytes_u8(to, c->decimals);
		bytes_varint(to, c->total);
		if (flags & STORE_TIME_SLICES)
			bytes_u8(to, c->has_slices);
		if (c->has_slices) {
			bytes_varint(to, (uint64_t)c->squares);
			bytes_varint(to, (uint64_t)(c->squares >> 64));
		}
	}
	store_sink_end_section(sink, SECTION_COLUMNS);
	err = write_strings(sink, t, index);
	if (err < 0) {
		free(index);
		return err;
	}
	bytes_varint(to, t->modules.count - 1);
	for (size_t i = 1; i < t->modules.count; i++) {
		const struct store_module *m = &t->modules.v[i];

		bytes_varint(to, index[m->name] - last);
		bytes_u8(to, m->build_id_size);
		bytes_add(to, m->build_id, m->build_id_size);
		last = index[m->name];
	}
	store_sink_end_section(sink, SECTION_MODULES);
	bytes_varint(to, t->frames.count - 1);
	last = 0;
	for (size_t i = 1; i < t->frames.count; i++) {
		bytes_varint(to, index[t->frames.v[i].name] - last);
		bytes_varint(&modules, t->frames.v[i].module);
		last = index[t->frames.v[i].name];
	}
	bytes_add(to, modules.v, modules.count);
	for (size_t i = 1; i < t->frames.count; i++)
		bytes_u8(to, t->frames.v[i].kind);
	for (size_t i = 1; flags & STORE_ADDRESSES && i < t->frames.count; i++)
		bytes_varint(to, t->frames.v[i].address);
	to->failed |= modules.failed;
	store_sink_end_section(sink, SECTION_FRAMES);
	bytes_varint(to, t->periods.count);
	for (size_t i = 0; i < t->periods.count; i++) {
		bytes_varint(to, t->periods.v[i].start);
		bytes_varint(to, t->periods.v[i].size);
		bytes_varint(to, t->periods.v[i].column);
		bytes_varint(to, t->periods.v[i].sum);
	}
	store_sink_end_section(sink, SECTION_PERIODS);
	bytes_release(&modules);
	free(index);
	return sink->section.failed || sink->pending.failed ? -ENOMEM : 0;
}

/* What is read of one file. */
struct table_reader {
	struct context *ctx;
	struct store_tables *to;
	struct store_map *map;
	struct cursor *c; /* of the section */
	unsigned flags; /* of the file */
	uint32_t *strings,
		*modules; /* by index in the file: string ids, and indexes in .to */
	uint32_t string_count, module_count;
	const char *why; /* what is wrong */
};

static int wrong(struct table_reader *r, const char *why)
{
	r->why = why;
	return -EBADMSG;
}

static int next_text(struct table_reader *r, uint32_t *ret)
{
	const uint8_t *end = memchr(r->c->p, '\0', cursor_left(r->c));

	if (!end)
		return wrong(r, "a text has no end");
	if (intern_add(r->to->strings, (const char *)r->c->p, (size_t)(end - r->c->p),
		       ret) < 0)
		return -ENOMEM;
	r->c->p = end + 1;
	return 0;
}

static int read_column_table(struct table_reader *r)
{
	uint64_t count = cursor_varint(r->c);
	struct store_column before = { 0 };

	if (count > STORE_COLUMNS_MOST)
		return wrong(r, "it has too many columns");
	r->map->columns = malloc((count + 1) * sizeof(*r->map->columns));
	r->map->totals = malloc((count + 1) * sizeof(*r->map->totals));
	r->map->decimals = malloc(count + 1);
	r->map->has_slices = calloc(count + 1, sizeof(*r->map->has_slices));
	if (!r->map->columns || !r->map->totals || !r->map->decimals ||
	    !r->map->has_slices)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		struct store_column c = { 0 };
		int err = next_text(r, &c.event);

		if (err == 0)
			err = next_text(r, &c.unit);
		if (err == 0)
			err = next_text(r, &c.name);
		if (err == 0)
			err = next_text(r, &c.own_unit);
		if (err < 0)
			return err;
		c.side = cursor_u8(r->c);
		c.sum = cursor_u8(r->c);
		c.makes_stacks = cursor_u8(r->c);
		c.decimals = r->map->decimals[i] = cursor_u8(r->c);
		c.total = r->map->totals[i] = cursor_varint(r->c);
		if (r->flags & STORE_TIME_SLICES)
			c.has_slices = r->map->has_slices[i] = cursor_u8(r->c);
		if (c.has_slices) {
			c.squares = cursor_varint(r->c);
			c.squares |= (unsigned __int128)cursor_varint(r->c) << 64;
		}
		if (r->c->bad || c.side > SIDE_BEFORE || c.sum > SUM_HERE ||
		    c.makes_stacks > (c.sum == SUM_BELOW) || !c.name ||
		    (c.sum == SUM_HERE && c.own_unit) || c.decimals > STORE_DECIMALS_MOST)
			return wrong(r, "a column is described that cannot be");
		if (i > 0 && store_column_order(r->to->strings, &before, &c) >= 0)
			return wrong(r, "columns are not in their order");
		before = c;
		err = store_add_column(r->to, &c, &r->map->columns[i]);
		if (err < 0)
			return err;
		r->map->column_count = i + 1;
	}
	return 0;
}

/* Has the file before it, too? Both are sorted: @hint is where to look in that. */
static bool string_is_next(const struct store_tables *t, const char *text, size_t *hint,
			   uint32_t *ret)
{
	int order = -1;

	while (*hint < t->last_strings.count && order < 0) {
		*ret = t->last_strings.v[*hint];
		order = strcmp(intern_text(t->strings, *ret), text);
		*hint += order <= 0;
	}
	return order == 0;
}

/* What was read of a file is what the next one is compared with. */
static int keep_last(const uint32_t *v, size_t count, struct last_ids *to)
{
	to->count = 0;
	if (!array_reserve(to, count + 1))
		return -ENOMEM;
	memcpy(to->v, v, count * sizeof(*v));
	to->count = count;
	return 0;
}

/* Each begins with some bytes of the one before it, which is changed in its place. */
static int read_strings(struct table_reader *r)
{
	uint64_t count = cursor_varint(r->c), size = cursor_varint(r->c), sum = 0;
	struct bytes text = { 0 };
	struct cursor starts;
	size_t hint = 0;
	int err;

	if (r->c->bad || size > cursor_left(r->c) || count > size)
		return wrong(r, "it has fewer strings than it says");
	starts = cursor_of(cursor_bytes(r->c, (size_t)size), (size_t)size);
	r->strings = malloc((count + 1) * sizeof(*r->strings));
	err = r->strings ? 0 : -ENOMEM;
	for (uint64_t i = 0; i < count && err == 0; i++) {
		uint64_t shared = cursor_varint(&starts);
		size_t known = r->to->strings->texts.count;
		const uint8_t *end = memchr(r->c->p, '\0', cursor_left(r->c));
		size_t rest = end ? (size_t)(end - r->c->p) : 0;

		/* In order: it goes on where the one before has ended, or with a greater byte. */
		if (!end || shared > text.count ||
		    (i > 0 &&
		     (rest == 0 || (shared < text.count && *r->c->p <= text.v[shared]))))
			err = wrong(r, "strings are cut, or not in their order");
		sum += shared + rest;
		if (err == 0 && sum > STORE_STRINGS_MOST)
			err = wrong(r, "its strings are too long");
		if (err < 0)
			break;
		text.count = (size_t)shared;
		/* With its NUL. */
		bytes_add(&text, r->c->p, rest + 1);
		if (text.failed) {
			err = -ENOMEM;
			break;
		}
		text.count--;
		if (!string_is_next(r->to, (const char *)text.v, &hint, &r->strings[i]) &&
		    intern_add(r->to->strings, (const char *)text.v, text.count,
			       &r->strings[i]) < 0)
			err = -ENOMEM;
		/* Many files have the same ones. */
		else if (r->to->strings->texts.count > known &&
			 !budget_take(r->ctx->budget, text.count + INTERN_AROUND))
			err = -EFBIG;
		r->c->p = end + 1;
	}
	r->string_count = (uint32_t)count;
	bytes_release(&text);
	if (err == 0)
		err = keep_last(r->strings, count, &r->to->last_strings);
	if (err == 0 && (starts.bad || cursor_left(&starts)))
		err = wrong(r, "it has more strings than it says");
	return err;
}

static int read_modules(struct table_reader *r)
{
	uint64_t count = cursor_varint(r->c), name = 0;
	size_t known = r->to->modules.count;
	struct store_module before = { 0 };

	/* A name and the size of a build id are a byte each, at least. */
	if (count > cursor_left(r->c) / 2)
		return wrong(r, "it has fewer modules than it says");
	if (!budget_take(r->ctx->budget, count * sizeof(*r->modules)))
		return -EFBIG;
	r->modules = calloc(count + 1, sizeof(*r->modules));
	if (!r->modules)
		return -ENOMEM;
	r->module_count = (uint32_t)count + 1;
	for (uint64_t i = 1; i <= count; i++) {
		uint64_t step = cursor_varint(r->c);
		struct store_module m = { .build_id_size = cursor_u8(r->c) };
		const void *id = m.build_id_size <= STORE_BUILD_ID_MOST
					 ? cursor_bytes(r->c, m.build_id_size)
					 : NULL;

		if (!id || step >= r->string_count - name)
			return wrong(r, "a module has no name");
		memcpy(m.build_id, id, m.build_id_size);
		name += step;
		m.name = r->strings[name];
		if (i > 1 && step == 0 &&
		    (m.build_id_size < before.build_id_size ||
		     (m.build_id_size == before.build_id_size &&
		      memcmp(m.build_id, before.build_id, m.build_id_size) <= 0)))
			return wrong(r, "modules are not in their order");
		if (store_add_module(r->to, &m, &r->modules[i]) < 0)
			return -ENOMEM;
		/* Many files have the same ones. */
		if (r->to->modules.count > known &&
		    !budget_take(r->ctx->budget, MODULE_COST))
			return -EFBIG;
		known = r->to->modules.count;
		before = m;
	}
	return 0;
}

/* The same of frames. Of one that is not where @hint says the next one is behind the place that it has
 * in the file before. 0, or -ENOMEM. */
static int add_next_frame(struct store_tables *t, const struct store_frame *f,
			  size_t *hint, uint32_t *ret)
{
	const struct store_frame *known = NULL;
	uint32_t at;

	if (*hint < t->last_frames.count) {
		*ret = t->last_frames.v[*hint];
		known = &t->frames.v[*ret];
	}
	if (known && known->name == f->name && known->module == f->module &&
	    known->kind == f->kind && known->address == f->address) {
		++*hint;
		return 0;
	}
	if (store_add_frame(t, f, ret) < 0)
		return -ENOMEM;
	at = *ret < t->last_places.count ? t->last_places.v[*ret] : 0;
	if (at < t->last_frames.count && t->last_frames.v[at] == *ret)
		*hint = (size_t)at + 1;
	return 0;
}

/* What the next file is compared with. */
static int keep_frames(struct store_tables *t, const struct store_map *map)
{
	size_t count = t->frames.count;

	if (keep_last(map->frames + 1, map->frame_count - 1, &t->last_frames) < 0 ||
	    (count > t->last_places.count &&
	     !array_reserve(&t->last_places, count - t->last_places.count)))
		return -ENOMEM;
	while (t->last_places.count < count)
		t->last_places.v[t->last_places.count++] = 0;
	for (uint32_t i = 0; i < t->last_frames.count; i++)
		t->last_places.v[t->last_frames.v[i]] = i;
	return 0;
}

static int read_frames(struct table_reader *r)
{
	uint64_t count = cursor_varint(r->c), name = 0, module = 0, address = 0;
	struct cursor names = *r->c, modules;
	size_t known = r->to->frames.count, hint = 0;
	uint8_t kind = 0;
	const uint8_t *kinds;

	/* A name, a module and a kind are a byte each, at least. */
	if (count > cursor_left(r->c) / 3 || count >= UINT32_MAX - 1)
		return wrong(r, "it has fewer frames than it says");
	for (uint64_t i = 0; i < count; i++)
		cursor_varint(r->c);
	modules = *r->c;
	for (uint64_t i = 0; i < count; i++)
		cursor_varint(r->c);
	kinds = cursor_bytes(r->c, count);
	/* Its number, and as a reader of nodes knows it. */
	if (!budget_take(r->ctx->budget, count * 3 * sizeof(*r->map->frames)))
		return -EFBIG;
	r->map->frames = calloc(count + 1, sizeof(*r->map->frames));
	if (!r->map->frames)
		return -ENOMEM;
	r->map->frame_count = (uint32_t)count + 1;
	if (!kinds)
		return wrong(r, "it has fewer frames than it says");
	for (uint64_t i = 1; i <= count; i++) {
		uint64_t step = cursor_varint(&names), in = cursor_varint(&modules);
		uint8_t of = kinds[i - 1];
		struct store_frame f = { .kind = of };

		if (r->flags & STORE_ADDRESSES)
			f.address = cursor_varint(r->c);

		if (step >= r->string_count - name || in >= r->module_count ||
		    (of & SAVED_KIND) >= SAVED_GAP ||
		    of & ~(SAVED_KIND | SAVED_UNNAMED | SAVED_INLINED))
			return wrong(r, "a frame has no name, module or kind");
		if (i > 1 && step == 0 &&
		    (in < module ||
		     (in == module &&
		      (of < kind || (of == kind && f.address <= address)))))
			return wrong(r, "frames are not in their order");
		name += step;
		module = in;
		kind = of;
		address = f.address;
		f.name = r->strings[name];
		f.module = r->modules[in];
		if (address && !r->to->modules.v[f.module].build_id_size)
			return wrong(r, "an address is in no file");
		if (add_next_frame(r->to, &f, &hint, &r->map->frames[i]) < 0)
			return -ENOMEM;
		if (r->to->frames.count > known &&
		    !budget_take(r->ctx->budget, FRAME_COST))
			return -EFBIG;
		known = r->to->frames.count;
	}
	return keep_frames(r->to, r->map);
}

static int read_periods(struct table_reader *r)
{
	uint64_t count = cursor_varint(r->c);
	struct store_period before = { 0 }, in_file = { 0 };

	for (uint64_t i = 0; i < count && !r->c->bad; i++) {
		struct store_period p = { .start = cursor_varint(r->c),
					  .size = cursor_varint(r->c) };
		uint64_t column = cursor_varint(r->c);
		struct store_period *slot;

		p.sum = cursor_varint(r->c);
		if (r->c->bad || column >= r->map->column_count)
			return wrong(r, "a sum by time has no column");
		in_file.start = p.start;
		in_file.size = p.size;
		in_file.column = (uint32_t)column;
		if (i > 0 && store_period_order(&before, &in_file) >= 0)
			return wrong(r, "sums by time are not in their order");
		before = in_file;
		if (!budget_take(r->ctx->budget, sizeof(p)))
			return -EFBIG;
		p.column = r->map->columns[column];
		p.decimals = r->map->decimals[column];
		slot = array_add(&r->to->periods);
		if (!slot)
			return -ENOMEM;
		*slot = p;
	}
	return 0;
}

int store_tables_read(struct context *ctx, struct store_source *source,
		      struct store_unpacker *u, struct store_tables *t,
		      struct store_map *map)
{
	static int (*const readers[])(struct table_reader *) = {
		read_column_table, read_strings, read_modules, read_frames, read_periods,
	};
	struct table_reader r = {
		.ctx = ctx, .to = t, .map = map, .flags = (unsigned)source->flags
	};
	int err = 0;

	for (unsigned i = 0; i < sizeof(readers) / sizeof(*readers) && err == 0; i++) {
		struct store_section_bytes section;

		err = store_source_next(ctx, source, u, &section);
		if (err < 0)
			break;
		r.c = &section.payload;
		err = section.id == SECTION_COLUMNS + i
			      ? readers[i](&r)
			      : wrong(&r, "sections are not in their order");
		if (err == 0 && (r.c->bad || cursor_left(r.c)))
			err = wrong(&r, "a table is not as long as it says");
		if (err == -EBADMSG)
			err = store_damaged(ctx, source, &section, r.why);
		else if (err == -EFBIG)
			err = store_too_large(ctx, source);
		else if (err == -E2BIG)
			err = fail(
				ctx, -ERANGE,
				"cannot add '%s': the files have more than %d columns, "
				"some for each event",
				source->path, STORE_COLUMNS_MOST);
		else if (err == -EOVERFLOW)
			err = fail(ctx, -ERANGE,
				   "cannot add '%s': the values add up to more than 2^64",
				   source->path);
		else if (err < 0)
			err = fail_memory(ctx);
	}
	free(r.strings);
	free(r.modules);
	return err;
}
