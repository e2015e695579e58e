/*
 * Two steps, each with its own lock, so that only those wait who want the same: an image
 * is looked up to its file, and files that are alike are one binary. Files are closed
 * again; some of those that bytes are read of stay open, the least recently used one
 * goes.
 *
 *	images     7    9    12        by_image, a lock each
 *	            \   |    |
 *	binaries    libc     main      making, then lock
 *	             |
 *	files       fd                 files, its lock not held while bytes are read
 *
 * A rule comes from the table once that is made, which takes no lock, before that from a
 * look-up of the one function. The first who is told that the table is due makes it, and
 * others go on with look-ups meanwhile.
 */
#include "stack/binaries.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/text.h"
#include "cfi/cfi.h"
#include "stack/open_files.h"

enum { LOOKED_AT = 256 /* images that are asked for their machine */ };

/* A binary as its owner sees it. */
struct owned {
	struct binary binary; /* first: what others see */
	struct binaries *owner;
	struct unwind_table table;
	atomic_bool compiled; /* the table is made, and never changes again */
	pthread_mutex_t making; /* held by the one who makes it; taken before .lock */
	pthread_mutex_t lock; /* of all below that changes */
	struct unwind_single single;
	bool due; /* somebody is about to make the table */
	uint32_t image; /* that it was made for */
	bool framed; /* frames has been made */
	struct frame_info *frames; /* NULL: none */
	bool asked; /* about frame pointers */
	enum frame_pointer_use frame_pointers;
	bool begun; /* starts are found */
	struct starts starts;
	bool linked; /* imports are read */
	struct linkage imports;
	unsigned machine; /* EM_* */
	ARRAY(struct segment) segments;
	uint8_t build_id_size;
	uint8_t build_id[OBJECT_BUILD_ID_MAX];
	struct known_file file; /* .path is NULL: not a file */
	struct object memory; /* .elf is NULL: a file; else an object that is none */
	struct owned *next;
};

/* What is known of an image. */
struct image_binary {
	pthread_mutex_t lock; /* while it is looked for */
	struct owned *binary;
	/* Most images are asked for a name alone, and never have code in a stack: nothing
	 * else of their files is looked at. */
	bool exported; /* exports are read */
	struct exports exports;
};

struct binaries {
	struct search_dirs dirs;
	const struct images *images;
	bool frame_pointers_asked;
	pthread_mutex_t lock; /* of all below, but not of what they point to */
	ARRAY(struct image_binary *) by_image;
	struct owned *all;
	struct owned none; /* of images without a file */
	struct open_files files;
	struct text trouble; /* the first file that could not be read; with .lock */
};

int binaries_new(struct context *ctx, const struct search_dirs *dirs,
		 const struct images *images, bool frame_pointers_asked,
		 struct binaries **ret)
{
	struct binaries *b = calloc(1, sizeof(*b));

	if (!b)
		return fail_memory(ctx);
	object_prepare();
	b->dirs = *dirs;
	b->images = images;
	b->frame_pointers_asked = frame_pointers_asked;
	b->none.owner = b;
	pthread_mutex_init(&b->lock, NULL);
	open_files_init(&b->files);
	*ret = b;
	return 0;
}

static void owned_free(struct owned *o)
{
	unwind_release(&o->table);
	unwind_single_release(&o->single);
	frame_info_close(o->frames);
	starts_release(&o->starts);
	linkage_release(&o->imports);
	array_release(&o->segments);
	object_close(&o->memory);
	pthread_mutex_destroy(&o->lock);
	pthread_mutex_destroy(&o->making);
	free(o->file.path);
	free(o);
}

void binaries_free(struct binaries *b)
{
	struct owned *next;

	if (!b)
		return;
	for (size_t i = 0; i < b->by_image.count; i++) {
		struct image_binary *binary = b->by_image.v[i];

		if (!binary)
			continue;
		exports_release(&binary->exports);
		pthread_mutex_destroy(&binary->lock);
		free(binary);
	}
	array_release(&b->by_image);
	for (struct owned *o = b->all; o; o = next) {
		next = o->next;
		owned_free(o);
	}
	pthread_mutex_destroy(&b->lock);
	open_files_release(&b->files);
	text_release(&b->trouble);
	free(b);
}

enum image_kind binaries_kind(const struct binaries *b, uint32_t image)
{
	return b->images->list.v[image].kind;
}

const struct images *binaries_images(const struct binaries *b)
{
	return b->images;
}

static int find_files_for(const struct binaries *b, uint32_t image, unsigned need,
			  struct found *ret)
{
	return image_find_object(&b->dirs, b->images, image, need, ret);
}

static int find_files(const struct binaries *b, uint32_t image, struct found *ret)
{
	return find_files_for(b, image, NEED_UNWIND, ret);
}

/* Closes what was found, and keeps what could not be read of it. -ENOMEM: for lack of that. */
static int give_back_files(struct binaries *b, struct found *f)
{
	int why = f->object.elf ? object_read_error(&f->object) : 0;
	const struct text *file = &f->file;

	if (!why && f->debug.elf) {
		why = object_read_error(&f->debug);
		file = &f->debug_file;
	}
	pthread_mutex_lock(&b->lock);
	if (f->trouble && b->trouble.size == 0)
		text_string(&b->trouble, f->problem.bytes);
	else if (why && why != ENOMEM && b->trouble.size == 0)
		text_printf(&b->trouble, "'%s' cannot be read whole: %s", file->bytes,
			    strerror(why));
	pthread_mutex_unlock(&b->lock);
	found_release(f);
	return why == ENOMEM ? -ENOMEM : 0;
}

const char *binaries_trouble(const struct binaries *b)
{
	return b->trouble.size ? b->trouble.bytes : NULL;
}

/* The image's entry; NULL without memory. */
static struct image_binary *entry_of_image(struct binaries *b, uint32_t image)
{
	struct image_binary *binary = NULL;

	pthread_mutex_lock(&b->lock);
	while (b->by_image.count <= image && array_add(&b->by_image))
		;
	if (b->by_image.count <= image)
		goto out;
	binary = b->by_image.v[image];
	if (!binary) {
		binary = calloc(1, sizeof(*binary));
		if (binary)
			pthread_mutex_init(&binary->lock, NULL);
		b->by_image.v[image] = binary;
	}
out:
	pthread_mutex_unlock(&b->lock);
	return binary;
}

static bool same_segments(const struct owned *o, const struct object *object)
{
	if (o->segments.count != object->segments.count)
		return false;
	for (size_t i = 0; i < o->segments.count; i++) {
		const struct segment *x = &o->segments.v[i], *y = &object->segments.v[i];

		if (x->offset != y->offset || x->size != y->size ||
		    x->address != y->address || x->exec != y->exec)
			return false;
	}
	return true;
}

/* The binary that @f is one of: that of another image, or a new one, which comes locked
 * and without its table. NULL without memory. */
static struct owned *take_binary(struct binaries *b, const struct found *f,
				 uint32_t image, bool *made)
{
	const struct object *object = &f->object;
	struct owned *o;
	size_t count;

	pthread_mutex_lock(&b->lock);
	for (o = b->all; o; o = o->next)
		if (object->build_id_size && o->build_id_size == object->build_id_size &&
		    memcmp(o->build_id, object->build_id, o->build_id_size) == 0 &&
		    o->machine == object->machine && same_segments(o, object))
			break;
	*made = !o;
	if (o)
		goto out;
	o = calloc(1, sizeof(*o));
	if (!o)
		goto out;
	o->owner = b;
	o->memory.fd = -1;
	o->image = image;
	pthread_mutex_init(&o->lock, NULL);
	pthread_mutex_init(&o->making, NULL);
	/* What is kept of it when it is closed. */
	o->binary.there = true;
	o->binary.go = object_is_go(object);
	o->machine = object->machine;
	o->build_id_size = object->build_id_size;
	memcpy(o->build_id, object->build_id, sizeof(o->build_id));
	count = object->segments.count;
	if (!array_reserve(&o->segments, count) ||
	    (object->fd >= 0 &&
	     known_file_note(&o->file, object->fd, f->file.bytes) < 0)) {
		owned_free(o);
		o = NULL;
		goto out;
	}
	o->segments.count = count;
	if (count)
		memcpy(o->segments.v, object->segments.v, count * sizeof(*o->segments.v));
	pthread_mutex_lock(&o->lock);
	o->next = b->all;
	b->all = o;
out:
	pthread_mutex_unlock(&b->lock);
	return o;
}

static int make_table(struct owned *o, const struct found *f)
{
	int err = unwind_compile(&f->object, f->debug.elf ? &f->debug : NULL, &o->table);

	if (err == 0)
		atomic_store_explicit(&o->compiled, true, memory_order_release);
	return err;
}

static struct owned *find_owned(struct binaries *b, uint32_t image)
{
	struct found found;
	struct object *object = &found.object;
	struct owned *o;
	bool made;
	int err = 0;

	if (find_files(b, image, &found) < 0)
		return NULL;
	if (!object->elf) {
		give_back_files(b, &found);
		return &b->none;
	}
	o = take_binary(b, &found, image, &made);
	if (o && !made) {
		/* Until the one who makes it is done. */
		pthread_mutex_lock(&o->lock);
		pthread_mutex_unlock(&o->lock);
	}
	if (!o || !made)
		goto out;
	o->binary.machine = cfi_machine(object);
	o->binary.entry = object->entry;
	if (object->fd >= 0)
		err = unwind_single_open(object, found.debug.elf ? &found.debug : NULL,
					 &o->single);
	if (err == 0 && o->single.count && b->frame_pointers_asked)
		err = frame_pointers_rare(object, &o->single,
					  &o->binary.omits_frame_pointers);
	/* That was no look-up. */
	unwind_single_renew(&o->single);
	if (err == 0 && o->single.count == 0)
		err = make_table(o, &found);
	else if (err == 0)
		open_files_hold(&b->files, &o->file, object->fd);
	/* What was found is closed below but where it is no file. */
	if (object->fd < 0) {
		o->memory = *object;
		*object = (struct object){ .fd = -1 };
	}
	pthread_mutex_unlock(&o->lock);
out:
	return give_back_files(b, &found) < 0 || err < 0 ? NULL : o;
}

const struct binary *binaries_get(struct binaries *b, uint32_t image)
{
	struct image_binary *binary = entry_of_image(b, image);
	struct owned *o;

	if (!binary)
		return NULL;
	pthread_mutex_lock(&binary->lock);
	if (!binary->binary)
		binary->binary = find_owned(b, image);
	o = binary->binary;
	pthread_mutex_unlock(&binary->lock);
	return o ? &o->binary : NULL;
}

int binaries_frames(struct binaries *b, const struct binary *binary,
		    const struct frame_info **ret)
{
	struct owned *o = (struct owned *)binary;
	struct found found;
	int err = 0;

	pthread_mutex_lock(&o->lock);
	if (o->framed)
		goto out;
	err = find_files(b, o->image, &found);
	if (err < 0)
		goto out;
	if (found.object.elf)
		err = frame_info_open(&found.object,
				      found.debug.elf ? &found.debug : NULL, &o->frames);
	if (give_back_files(b, &found) < 0) {
		frame_info_close(o->frames);
		o->frames = NULL;
		err = -ENOMEM;
	}
	o->framed = err == 0;
out:
	*ret = o->frames;
	pthread_mutex_unlock(&o->lock);
	return err;
}

int binaries_frame_pointers(struct binaries *b, const struct binary *binary,
			    enum frame_pointer_use *ret)
{
	struct owned *o = (struct owned *)binary;
	struct frame_pointers f = { 0 };
	struct found found;
	int err = 0;

	pthread_mutex_lock(&o->lock);
	if (o->asked)
		goto out;
	err = find_files(b, o->image, &found);
	if (err < 0)
		goto out;
	if (found.object.elf)
		err = frame_pointers_find(&found.object,
					  found.debug.elf ? &found.debug : NULL, &f);
	if (give_back_files(b, &found) < 0)
		err = -ENOMEM;
	o->frame_pointers = frame_pointers_use(&f);
	o->asked = err == 0;
out:
	*ret = o->frame_pointers;
	pthread_mutex_unlock(&o->lock);
	return err;
}

int binaries_omit_frame_pointers(struct binaries *b, uint32_t image, bool *ret)
{
	const struct binary *binary = binaries_get(b, image);
	enum frame_pointer_use use = FRAME_POINTERS_UNKNOWN;

	if (!binary || (binary->there && binaries_frame_pointers(b, binary, &use) < 0))
		return -ENOMEM;
	*ret = use == FRAME_POINTERS_OMITTED;
	return 0;
}

int binaries_starts(struct binaries *b, const struct binary *binary,
		    const struct starts **ret)
{
	/* What is found in few programs needs a debug file. */
	static const unsigned needs[] = { 0, NEED_SYMBOLS };
	struct owned *o = (struct owned *)binary;
	struct found found;
	int err = 0;

	pthread_mutex_lock(&o->lock);
	if (o->begun)
		goto out;
	for (int i = 0; i < 2 && err == 0 && !o->starts.known; i++) {
		err = find_files_for(b, o->image, needs[i], &found);
		if (err < 0)
			goto out;
		starts_release(&o->starts);
		if (found.object.elf)
			err = starts_find(&found.object,
					  found.debug.elf ? &found.debug : NULL,
					  &o->starts);
		if (give_back_files(b, &found) < 0)
			err = -ENOMEM;
	}
	if (err < 0)
		starts_release(&o->starts);
	o->begun = err == 0;
out:
	*ret = &o->starts;
	pthread_mutex_unlock(&o->lock);
	return err;
}

int binaries_imports(struct binaries *b, const struct binary *binary,
		     const struct linkage **ret)
{
	struct owned *o = (struct owned *)binary;
	struct found found;
	int err = 0;

	pthread_mutex_lock(&o->lock);
	if (o->linked)
		goto out;
	err = find_files_for(b, o->image, 0, &found);
	if (err < 0)
		goto out;
	if (found.object.elf)
		err = linkage_read_imports(&found.object, &o->imports);
	if (give_back_files(b, &found) < 0)
		err = -ENOMEM;
	if (err < 0)
		linkage_release(&o->imports);
	o->linked = err == 0;
out:
	*ret = &o->imports;
	pthread_mutex_unlock(&o->lock);
	return err;
}

int binaries_exports(struct binaries *b, uint32_t image, const struct exports **ret)
{
	struct image_binary *binary = entry_of_image(b, image);
	struct found found;
	int err = 0;

	if (!binary)
		return -ENOMEM;
	pthread_mutex_lock(&binary->lock);
	if (binary->exported)
		goto out;
	err = find_files_for(b, image, 0, &found);
	if (err < 0)
		goto out;
	if (found.object.elf)
		err = exports_read(&found.object, &binary->exports);
	else
		binary->exports.partial = true;
	if (give_back_files(b, &found) < 0)
		err = -ENOMEM;
	if (err < 0)
		exports_release(&binary->exports);
	binary->exported = err == 0;
out:
	*ret = &binary->exports;
	pthread_mutex_unlock(&binary->lock);
	return err;
}

static const struct segment *segment_at(const struct owned *o, uint64_t offset)
{
	for (size_t i = 0; i < o->segments.count; i++) {
		const struct segment *s = &o->segments.v[i];

		if (offset >= s->offset && offset - s->offset < s->size)
			return s;
	}
	return NULL;
}

bool binary_address(const struct binary *b, uint64_t offset, uint64_t *ret, bool *code)
{
	const struct segment *s = segment_at((const struct owned *)b, offset);

	if (!s)
		return false;
	*ret = offset - s->offset + s->address;
	*code = s->exec;
	return true;
}

/* Once: whoever comes second finds it made. */
static int need_table(struct owned *o)
{
	struct binaries *b = o->owner;
	struct found found;
	int err = 0;

	pthread_mutex_lock(&o->making);
	if (atomic_load_explicit(&o->compiled, memory_order_relaxed))
		goto out;
	err = find_files(b, o->image, &found);
	if (err < 0)
		goto out;
	/* It has been closed since: of a file that has gone, or was replaced, nothing is known. */
	if (found.object.elf && same_segments(o, &found.object))
		err = make_table(o, &found);
	else
		atomic_store_explicit(&o->compiled, true, memory_order_release);
	if (give_back_files(b, &found) < 0)
		err = -ENOMEM;
	pthread_mutex_lock(&o->lock);
	if (err == 0)
		unwind_single_release(&o->single);
	pthread_mutex_unlock(&o->lock);
out:
	pthread_mutex_unlock(&o->making);
	return err;
}

struct file_reader {
	struct code_windows *windows;
	const struct owned *of;
};

static bool read_single(void *arg, uint64_t offset, void *ret, size_t size)
{
	const struct file_reader *r = arg;
	const struct known_file *file = &r->of->file;
	const struct file_range all = { file, 0, (uint64_t)file->size };

	return file->path && offset <= all.size && size <= all.size - offset &&
	       code_windows_read(r->windows, &all, offset, ret, size);
}

static void lock_single(struct owned *o)
{
	if (pthread_mutex_trylock(&o->lock) == 0)
		return;
	pthread_mutex_lock(&o->lock);
	unwind_single_waited(&o->single);
}

/* @found: what came of a look-up. */
static void unlock_single(struct owned *o, int found)
{
	if (found == 0 && !o->due) {
		o->due = true;
		unwind_single_renew(&o->single);
	}
	pthread_mutex_unlock(&o->lock);
}

bool binary_table_rule(const struct binary *binary, uint64_t address,
		       struct unwind_rule *ret)
{
	const struct owned *o = (const struct owned *)binary;

	if (!atomic_load_explicit(&o->compiled, memory_order_acquire))
		return false;
	*ret = *unwind_find(&o->table, address);
	return true;
}

int binary_rule(struct code_windows *w, const struct binary *binary, uint64_t address,
		struct unwind_rule *ret)
{
	struct owned *o = (struct owned *)binary;
	struct file_reader reader = { w, o };
	const struct unwind_file file = { read_single, &reader };
	int found;

	if (binary_table_rule(binary, address, ret))
		return 0;
	lock_single(o);
	found = unwind_single_find(&o->single, address, &file, ret);
	unlock_single(o, found);
	if (found != 0)
		return found < 0 ? found : 0;
	/* It takes some milliseconds: the first one makes it, and the others go on as above meanwhile. */
	found = need_table(o);
	if (found == 0)
		*ret = *unwind_find(&o->table, address);
	return found;
}

int binary_function(struct code_windows *w, const struct binary *binary, uint64_t address,
		    unwind_visit *visit, void *arg)
{
	struct owned *o = (struct owned *)binary;
	struct file_reader reader = { w, o };
	const struct unwind_file file = { read_single, &reader };
	int found = 0;

	if (!atomic_load_explicit(&o->compiled, memory_order_acquire)) {
		lock_single(o);
		found = unwind_single_visit(&o->single, address, &file, visit, arg);
		unlock_single(o, found);
	}
	if (found != 0)
		return found == -ENOENT ? 0 : found;
	found = need_table(o);
	return found < 0 ? found : unwind_visit_function(&o->table, address, visit, arg);
}

bool binary_offset(const struct binary *b, uint64_t address, uint64_t *ret)
{
	const struct owned *o = (const struct owned *)b;

	for (size_t i = 0; i < o->segments.count; i++) {
		const struct segment *s = &o->segments.v[i];

		if (address >= s->address && address - s->address < s->size) {
			*ret = address - s->address + s->offset;
			return true;
		}
	}
	return false;
}

struct code_windows binaries_windows(struct binaries *b)
{
	return (struct code_windows){ .files = &b->files };
}

bool binary_constant(struct code_windows *w, const struct binary *binary, uint64_t offset,
		     void *ret, size_t size)
{
	const struct segment *s = segment_at((const struct owned *)binary, offset);

	return s && !s->writable && binary_bytes(w, binary, offset, ret, size);
}

bool binary_bytes(struct code_windows *w, const struct binary *binary, uint64_t offset,
		  void *ret, size_t size)
{
	const struct owned *o = (const struct owned *)binary;
	const struct segment *s = segment_at(o, offset);

	if (!s || s->size - (offset - s->offset) < size || offset > INT64_MAX)
		return false;
	if (o->file.path)
		return code_windows_read(
			w, &(struct file_range){ &o->file, s->offset, s->size }, offset,
			ret, size);
	return o->memory.elf && object_read(&o->memory, offset, ret, size);
}

const struct machine *binaries_machine(struct binaries *b)
{
	size_t count = b->images->list.count;

	for (uint32_t i = 0; i < count && i < LOOKED_AT; i++) {
		const struct machine *m = NULL;
		struct found found;

		if (b->images->list.v[i].kind != IMAGE_FILE ||
		    find_files(b, i, &found) < 0)
			continue;
		if (found.object.elf)
			m = machine_by_elf(found.object.machine);
		found_release(&found);
		if (m)
			return m;
	}
	return NULL;
}
