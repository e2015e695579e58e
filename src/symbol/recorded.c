/*
 * Symbols that came with recordings, as simpleperf writes them (its file_feature
 * records): one table a file and recording. Tables of the same path, kind and build are
 * one group, whose symbols are put together when an image asks for them first.
 */
#include "symbol/recorded.h"

#include <errno.h>
#include <pthread.h>

#include "base/text.h"

/* The symbols of one file of one recording. */
struct table {
	const struct recording *rec;
	const struct recorded_file *file;
	const struct known_build_id *build_id; /* NULL: not known */
	size_t first, count; /* in symbols of struct recorded */
	uint32_t next; /* table of the same group; HASH_NONE: last */
};

/* All tables of one path, kind and build; a kernel's have its release, too. */
struct group {
	uint32_t first; /* table; HASH_NONE: none */
	uint32_t next; /* group of the same path, or of another kernel; HASH_NONE: last */
	uint8_t kind; /* enum recorded_kind */
	uint32_t release; /* string id */
	const struct known_build_id *build_id; /* NULL: not known */
	bool made;
	struct symtab symbols;
	struct text names;
};

/* The key of kernels in by_path: no string has it. */
#define KERNEL_PATH ((uint64_t)1 << 32)

struct recorded {
	const struct intern *strings;
	ARRAY(struct table) tables; /* files of all recordings */
	ARRAY(uint32_t) symbols; /* of a recording each, those of a file side by side */
	ARRAY(struct group) groups;
	struct hash_map by_path; /* index in groups: the first one of that path */
	pthread_mutex_t lock; /* for making groups; once made they stay as they are */
};

static bool is_kernel_kind(uint8_t kind)
{
	return kind == RECORDED_KERNEL || kind == RECORDED_MODULE;
}

static uint64_t build_id_slot(uint64_t path, bool kernel)
{
	return path << 1 | kernel;
}

/* The group of a table that has symbols; of two kinds at one path the first one counts. */
static int link_table(struct recorded *r, struct intern *strings,
		      const struct hash_map *build_ids, uint32_t id)
{
	struct table *table = &r->tables.v[id];
	enum recorded_kind kind = table->file->kind;
	uint64_t path = kind == RECORDED_KERNEL ? KERNEL_PATH : table->file->path;
	const struct known_build_id *a, *b;
	struct text map = { 0 };
	const uint32_t *known;
	struct group *group;
	uint32_t name, first, i;
	int err;

	if (table->count == 0)
		return 0;
	/* Android has perf's maps of JIT code elsewhere: simpleperf leaves the place out. */
	if (kind == RECORDED_PERF_MAP) {
		text_printf(&map, "/tmp/%s", intern_text(strings, table->file->path));
		err = map.failed ? -ENOMEM
				 : intern_add(strings, map.bytes, map.size, &name);
		text_release(&map);
		if (err < 0)
			return -ENOMEM;
		path = name;
	}
	known = hash_map_get(build_ids, build_id_slot(path, is_kernel_kind(kind)));
	if (known && table->rec->build_ids.v[*known].size > 0)
		table->build_id = &table->rec->build_ids.v[*known];
	a = table->build_id;
	known = hash_map_get(&r->by_path, path);
	first = known ? *known : HASH_NONE;
	for (i = first; i != HASH_NONE; i = group->next) {
		group = &r->groups.v[i];
		b = group->build_id;
		if ((a && b ? a->size == b->size && memcmp(a->id, b->id, a->size) == 0
			    : a == b) &&
		    (path != KERNEL_PATH || group->release == table->rec->kernel))
			break;
	}
	if (i == HASH_NONE) {
		if (!hash_map_set(&r->by_path, path, (uint32_t)r->groups.count) ||
		    !(group = array_add(&r->groups)))
			return -ENOMEM;
		*group = (struct group){
			.first = HASH_NONE,
			.next = first,
			.kind = table->file->kind,
			.release = path == KERNEL_PATH ? table->rec->kernel : 0,
			.build_id = a,
		};
	}
	if (group->kind == kind) {
		table->next = group->first;
		group->first = id;
	}
	return 0;
}

/*
 * Counting sort of a recording's symbols by their file.
 *
 *	file of a symbol    0 1 0 1 1
 *	symbols             0 2 | 1 3 4       tables: first, count
 */
static int group_symbols(struct recorded *r, struct intern *strings,
			 const struct recording *rec, const struct hash_map *build_ids)
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
		if (link_table(r, strings, build_ids, (uint32_t)(table + i)) < 0)
			return -ENOMEM;
		/* It is counted again as symbols are placed. */
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
	static const char kernel_name[] = "[kernel.kallsyms]";
	struct recorded *r = calloc(1, sizeof(*r));
	int err = 0;

	if (!r)
		return -ENOMEM;
	pthread_mutex_init(&r->lock, NULL);
	r->strings = strings;
	for (size_t i = 0; i < count && err == 0; i++) {
		const struct recording *rec = recordings[i];
		struct hash_map build_ids = { 0 };

		if (!rec->files.count)
			continue;
		/* By path and side; of several for one path the last one counts. */
		for (size_t k = 0; k < rec->build_ids.count && err == 0; k++) {
			const struct known_build_id *known = &rec->build_ids.v[k];
			bool kernel = known->mode == MODE_KERNEL;
			uint64_t path = known->path;

			if (known->mode == MODE_GUEST_KERNEL ||
			    known->mode == MODE_GUEST_USER)
				continue;
			if (kernel && strncmp(intern_text(strings, known->path),
					      kernel_name, sizeof(kernel_name) - 1) == 0)
				path = KERNEL_PATH;
			if (!hash_map_set(&build_ids, build_id_slot(path, kernel),
					  (uint32_t)k))
				err = -ENOMEM;
		}
		if (err == 0)
			err = group_symbols(r, strings, rec, &build_ids);
		hash_map_release(&build_ids);
	}
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

static int add_recorded_symbol(const struct recorded *r, const struct table *t,
			       uint32_t id, struct group *group)
{
	static const char linker[] = "__dl_";
	const struct recorded_symbol *from = &t->rec->symbols.v[id];
	const char *name = intern_text(r->strings, from->name), *module;
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
	/* Android's linker has a prefix before its own names, kallsyms the module behind
	 * them. */
	module = is_kernel_kind(t->file->kind) ? strstr(name, " [") : NULL;
	if (t->file->kind == RECORDED_ELF &&
	    strncmp(name, linker, sizeof(linker) - 1) == 0)
		name += sizeof(linker) - 1;
	text_add(&group->names, name, module ? (size_t)(module - name) : strlen(name));
	text_char(&group->names, '\0');
	return group->names.failed ? -ENOMEM : 0;
}

/* Whether such an image can be of a file of such a kind. */
static bool fits_kind(enum image_kind image, enum recorded_kind file)
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

static bool group_has_build_id(const struct group *group, const struct image *image)
{
	return group->build_id && group->build_id->size == image->build_id_size &&
	       memcmp(group->build_id->id, image->build_id, image->build_id_size) == 0;
}

/* The group of that path and the image's build; without a build id the only one there is. */
static struct group *group_of_image(const struct recorded *r, uint64_t path,
				    const struct image *image)
{
	const uint32_t *known = hash_map_get(&r->by_path, path);
	struct group *found = NULL;
	size_t count = 0;

	for (uint32_t i = known ? *known : HASH_NONE; i != HASH_NONE;
	     i = r->groups.v[i].next) {
		struct group *group = &r->groups.v[i];

		/* Of a module only the kernel's path is asked for. */
		if (path == KERNEL_PATH && image->kind != IMAGE_MODULE &&
		    group->release != image->release)
			continue;
		if (!(path == KERNEL_PATH && image->kind == IMAGE_MODULE) &&
		    group->build_id && image->build_id_size &&
		    !group_has_build_id(group, image))
			continue;
		if (group_has_build_id(group, image))
			return group;
		found = group;
		count++;
	}
	return count == 1 ? found : NULL;
}

int recorded_find(struct recorded *r, const struct image *image,
		  struct recorded_names *ret)
{
	/* Of a module that is no file the kernel knows the functions. */
	bool known = hash_map_get(&r->by_path, image->path);
	struct group *group = group_of_image(r, known ? image->path : KERNEL_PATH, image);
	struct symtab *st;
	int err = 0;

	*ret = (struct recorded_names){ 0 };
	if (!group || !fits_kind(image->kind, group->kind) || group->first == HASH_NONE)
		return 0;
	/* Memory that only has a name: what its addresses are is not known. */
	if (image->kind == IMAGE_ANON && group->kind == RECORDED_ELF &&
	    !jit_file_name(intern_text(r->strings, image->path)))
		return 0;
	st = &group->symbols;
	pthread_mutex_lock(&r->lock);
	for (uint32_t id = group->made ? HASH_NONE : group->first;
	     id != HASH_NONE && err == 0; id = r->tables.v[id].next) {
		const struct table *t = &r->tables.v[id];

		for (size_t i = t->first; i < t->first + t->count && err == 0; i++)
			err = add_recorded_symbol(r, t, r->symbols.v[i], group);
	}
	if (!group->made && err == 0) {
		st->names[TABLE_SYMTAB] = (struct names){ .bytes = group->names.bytes,
							  .size = group->names.size };
		err = symtab_finish(st);
	}
	group->made = true;
	pthread_mutex_unlock(&r->lock);
	ret->symbols = st;
	if (group->kind == RECORDED_MODULE)
		ret->shift = -image->reference_address;
	return err;
}
