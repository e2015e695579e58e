#include "symbol/recorded.h"

#include <errno.h>
#include <pthread.h>

#include "base/text.h"

/* The symbols of one file of one recording. */
struct table {
	const struct recording *rec;
	const struct recorded_file *file;
	size_t first, count; /* in symbols of struct recorded */
	uint32_t next; /* table of the same group; HASH_NONE: last */
};

/* All tables of one path and kind; of all kernels. */
struct group {
	uint32_t first; /* table; HASH_NONE: none */
	uint8_t kind; /* enum recorded_kind */
	bool made;
	struct symtab symbols;
	struct text names;
};

enum { GROUP_KERNEL }; /* the first one */

struct recorded {
	const struct intern *strings;
	ARRAY(struct table) tables; /* files of all recordings */
	ARRAY(uint32_t) symbols; /* of a recording each, those of a file side by side */
	ARRAY(struct group) groups;
	struct hash_map by_path; /* index in groups */
	pthread_mutex_t lock; /* for making groups; once made they stay as they are */
};

/* Android has perf's maps of JIT code elsewhere: simpleperf leaves the place out. */
static int path_of(struct intern *strings, const struct recorded_file *file,
		   uint32_t *ret)
{
	struct text path = { 0 };
	int err = -ENOMEM;

	*ret = file->path;
	if (file->kind != RECORDED_PERF_MAP)
		return 0;
	text_printf(&path, "/tmp/%s", intern_text(strings, file->path));
	if (!path.failed)
		err = intern_add(strings, path.bytes, path.size, ret);
	text_release(&path);
	return err;
}

static struct group *get_group(struct recorded *r, struct intern *strings,
			       const struct recorded_file *file)
{
	const uint32_t *known;
	struct group *group;
	uint32_t path;

	if (file->kind == RECORDED_KERNEL)
		return &r->groups.v[GROUP_KERNEL];
	if (path_of(strings, file, &path) < 0)
		return NULL;
	known = hash_map_get(&r->by_path, path);
	if (known)
		return &r->groups.v[*known];
	if (!hash_map_set(&r->by_path, path, (uint32_t)r->groups.count))
		return NULL;
	group = array_add(&r->groups);
	if (group)
		*group = (struct group){ .first = HASH_NONE, .kind = file->kind };
	return group;
}

/* The group of a table that has symbols; of two kinds at one path the first one counts. */
static int link_table(struct recorded *r, struct intern *strings, uint32_t id)
{
	struct table *table = &r->tables.v[id];
	struct group *group;

	if (table->count == 0)
		return 0;
	group = get_group(r, strings, table->file);
	if (!group)
		return -ENOMEM;
	if (group->kind == table->file->kind) {
		table->next = group->first;
		group->first = id;
	}
	return 0;
}

/* Counting sort of a recording's symbols by their file. */
static int add_recording(struct recorded *r, struct intern *strings,
			 const struct recording *rec)
{
	size_t table = r->tables.count, first = r->symbols.count;

	if (!array_reserve(&r->tables, rec->files.count) ||
	    !array_reserve(&r->symbols, rec->symbols.count + 1))
		return -ENOMEM;
	for (size_t i = 0; i < rec->files.count; i++)
		*array_add(&r->tables) = (struct table){ .rec = rec,
							 .file = &rec->files.v[i],
							 .next = HASH_NONE };
	for (size_t i = 0; i < rec->symbols.count; i++)
		r->tables.v[table + rec->symbols.v[i].file].count++;
	for (size_t i = 0; i < rec->files.count; i++) {
		struct table *t = &r->tables.v[table + i];

		t->first = first;
		first += t->count;
		if (link_table(r, strings, (uint32_t)(table + i)) < 0)
			return -ENOMEM;
		t->count = 0;
	}
	for (size_t i = 0; i < rec->symbols.count; i++) {
		struct table *t = &r->tables.v[table + rec->symbols.v[i].file];

		r->symbols.v[t->first + t->count++] = (uint32_t)i;
	}
	r->symbols.count = first;
	return 0;
}

int recorded_new(struct intern *strings, const struct recording *const *recordings,
		 size_t count, struct recorded **ret)
{
	struct recorded *r = calloc(1, sizeof(*r));
	struct group *kernel;
	int err = 0;

	if (!r)
		return -ENOMEM;
	pthread_mutex_init(&r->lock, NULL);
	r->strings = strings;
	kernel = array_add(&r->groups);
	if (kernel)
		*kernel = (struct group){ .first = HASH_NONE, .kind = RECORDED_KERNEL };
	else
		err = -ENOMEM;
	for (size_t i = 0; i < count && err == 0; i++)
		if (recordings[i]->files.count)
			err = add_recording(r, strings, recordings[i]);
	if (err < 0) {
		recorded_free(r);
		return err;
	}
	*ret = r;
	return 0;
}

void recorded_free(struct recorded *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->groups.count; i++) {
		symtab_release(&r->groups.v[i].symbols);
		text_release(&r->groups.v[i].names);
	}
	array_release(&r->tables);
	array_release(&r->symbols);
	array_release(&r->groups);
	hash_map_release(&r->by_path);
	pthread_mutex_destroy(&r->lock);
	free(r);
}

/* Android's linker has a prefix before its own names, kallsyms the module behind them. */
static void add_name(const struct recorded_file *file, const char *name, struct text *out)
{
	static const char prefix[] = "__dl_";
	bool kernel = file->kind == RECORDED_KERNEL || file->kind == RECORDED_MODULE;
	const char *module = kernel ? strstr(name, " [") : NULL;

	if (file->kind == RECORDED_ELF && strncmp(name, prefix, sizeof(prefix) - 1) == 0)
		name += sizeof(prefix) - 1;
	text_add(out, name, module ? (size_t)(module - name) : strlen(name));
	text_char(out, '\0');
}

static int add_symbol(const struct recorded *r, const struct table *t, uint32_t id,
		      struct group *group)
{
	const struct recorded_symbol *from = &t->rec->symbols.v[id];
	struct symbol *s;

	if (group->names.size > UINT32_MAX / 2)
		return 0;
	s = array_add(&group->symbols.symbols);
	if (!s)
		return -ENOMEM;
	s->start = from->start;
	if (t->file->kind == RECORDED_ELF || t->file->kind == RECORDED_MODULE)
		s->start += t->file->offset - t->file->address;
	/* The code of a JIT file is mapped where its symbols say. */
	if (t->file->kind == RECORDED_ELF &&
	    jit_file_name(intern_text(r->strings, t->file->path)))
		s->start = from->start;
	s->name = (uint32_t)group->names.size;
	s->flags = from->size == RECORDED_SIZELESS ? SYMBOL_SIZELESS : 0;
	if (s->flags || __builtin_add_overflow(s->start, from->size, &s->end))
		s->end = UINT64_MAX;
	add_name(t->file, intern_text(r->strings, from->name), &group->names);
	return group->names.failed ? -ENOMEM : 0;
}

static int make_group(const struct recorded *r, struct group *group)
{
	struct symtab *st = &group->symbols;

	group->made = true;
	for (uint32_t id = group->first; id != HASH_NONE; id = r->tables.v[id].next) {
		const struct table *t = &r->tables.v[id];

		for (size_t i = t->first; i < t->first + t->count; i++)
			if (add_symbol(r, t, r->symbols.v[i], group) < 0)
				return -ENOMEM;
	}
	st->names[TABLE_SYMTAB] =
		(struct names){ .bytes = group->names.bytes, .size = group->names.size };
	return symtab_finish(st);
}

/* Whether such an image can be of a file of such a kind. */
static bool fits(enum image_kind image, enum recorded_kind file)
{
	switch (image) {
	case IMAGE_KERNEL:
		return file == RECORDED_KERNEL;
	case IMAGE_MODULE:
		return file == RECORDED_KERNEL || file == RECORDED_MODULE;
	case IMAGE_FILE:
		return file == RECORDED_ELF || file == RECORDED_DEX;
	case IMAGE_VDSO:
		return file == RECORDED_ELF;
	case IMAGE_ANON:
		return file == RECORDED_ELF || file == RECORDED_PERF_MAP;
	default:
		return false;
	}
}

int recorded_find(struct recorded *r, const struct image *image,
		  struct recorded_names *ret)
{
	const uint32_t *known = hash_map_get(&r->by_path, image->path);
	struct group *group = &r->groups.v[known ? *known : GROUP_KERNEL];
	int err = 0;

	*ret = (struct recorded_names){ 0 };
	/* Of a module that is no file the kernel knows the functions. */
	if (!fits(image->kind, group->kind) || group->first == HASH_NONE)
		return 0;
	/* Memory that only has a name: what its addresses are is not known. */
	if (image->kind == IMAGE_ANON && group->kind == RECORDED_ELF &&
	    !jit_file_name(intern_text(r->strings, image->path)))
		return 0;
	pthread_mutex_lock(&r->lock);
	if (!group->made)
		err = make_group(r, group);
	pthread_mutex_unlock(&r->lock);
	ret->symbols = &group->symbols;
	if (group->kind == RECORDED_MODULE)
		ret->shift = -image->reference_address;
	return err;
}
