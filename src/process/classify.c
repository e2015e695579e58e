/*
 * A table of the beginnings of names says what kind of memory a map is of, as
 * tools/perf/util/map.c has it; the mode says whether it is the kernel's. Files are told
 * apart by name, device, inode and build id, code without a file by the process that can
 * name it. Equal descriptions are one image.
 *
 * Two cases need more than the record: a memfd is a file only if it is shown to hold
 * one, and the build id of a map counts before that of the header, but for modules,
 * whose maps perf 6.17 gives one and the same.
 */
#include "process/classify.h"

#include <errno.h>
#include <stdio.h>

#include "process/image_file.h"

enum { MEMFDS_MOST = 256 /* looked for: hostile files name more */ };

struct classifier {
	const struct recording *rec;
	struct images *images;
	struct intern *strings;
	struct hash_map build_ids; /* path and side -> index in rec->build_ids */
	struct hash_map memfds; /* file and process -> whether it is an object */
	uint32_t kernel_path;
	uint32_t vdso_32bit; /* "[vdso32]" */
};

static bool of_kernel(uint8_t mode)
{
	return mode == MODE_KERNEL || mode == MODE_GUEST_KERNEL;
}

/* A kernel module and a file that somebody has mapped may have one path, with an id
 * each. */
static uint64_t build_id_key(uint32_t path, bool kernel)
{
	return (uint64_t)kernel << 32 | path;
}

static const char kernel_name[] = "[kernel.kallsyms]";
static const char memfd_name[] = "/memfd:";

/* The kernel's build id goes by the name of its map or of the file perf found for it. */
static bool names_kernel(const char *path)
{
	return strncmp(path, kernel_name, sizeof(kernel_name) - 1) == 0;
}

int classifier_new(const struct recording *rec, struct images *images,
		   struct classifier **ret)
{
	struct intern *strings = images->strings;
	struct classifier *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	*c = (struct classifier){ .rec = rec, .images = images, .strings = strings };
	if (intern_add(strings, kernel_name, sizeof(kernel_name) - 1, &c->kernel_path) <
		    0 ||
	    intern_add(strings, "[vdso32]", 8, &c->vdso_32bit) < 0)
		goto out;
	for (size_t i = 0; i < rec->build_ids.count; i++) {
		const struct known_build_id *known = &rec->build_ids.v[i];
		uint32_t path = known->path;

		/* A guest has files of its own, under the same names. */
		if (known->mode == MODE_GUEST_KERNEL || known->mode == MODE_GUEST_USER)
			continue;
		if (of_kernel(known->mode) && names_kernel(intern_text(strings, path)))
			path = c->kernel_path;
		if (!hash_map_set(&c->build_ids,
				  build_id_key(path, of_kernel(known->mode)),
				  (uint32_t)i))
			goto out;
	}
	*ret = c;
	return 0;
out:
	classifier_free(c);
	return -ENOMEM;
}

void classifier_free(struct classifier *c)
{
	if (!c)
		return;
	hash_map_release(&c->build_ids);
	hash_map_release(&c->memfds);
	free(c);
}

static void set_build_id(struct image *image, const uint8_t *id, uint8_t size)
{
	memcpy(image->build_id, id, size);
	image->build_id_size = size;
}

/*
 * The map's own build id is the truth about that map; but perf 6.17 writes one and
 * the same into the maps of all kernel modules, so for those the header's counts first,
 * and theirs only where no two of them have one.
 */
static void choose_build_id(const struct classifier *c, const struct record *rec,
			    struct image *image)
{
	bool module = image->kind == IMAGE_MODULE;
	uint32_t path = image->is_32bit ? c->vdso_32bit : image->path;
	const uint32_t *index;

	if (rec->build_id_size && !(module && c->rec->modules_share_ids))
		set_build_id(image, rec->build_id, rec->build_id_size);
	if (image->build_id_size && !module)
		return;
	index = hash_map_get(&c->build_ids, build_id_key(path, of_kernel(rec->mode)));
	/* The header's ids are of the files that had these paths when the recording
	 * ended. */
	image->id_of_path = index && image->kind == IMAGE_FILE;
	if (index)
		set_build_id(image, c->rec->build_ids.v[*index].id,
			     c->rec->build_ids.v[*index].size);
}

static int classify_kernel_side(struct classifier *c, const struct record *rec,
				struct image *image)
{
	const char *name = intern_text(c->strings, rec->name), *symbol;

	if (!names_kernel(name)) {
		image->kind = IMAGE_MODULE;
		image->path = rec->name;
		image->reference_address = rec->start;
		return 0;
	}
	/* "[kernel.kallsyms]_text": the symbol after the bracket lies at the map's offset. */
	symbol = name + sizeof(kernel_name) - 1;
	image->kind = IMAGE_KERNEL;
	image->path = c->kernel_path;
	image->release = c->rec->kernel;
	image->reference_address = rec->offset;
	return intern_add(c->strings, symbol, strlen(symbol), &image->reference);
}

static enum image_kind user_kind(const char *path)
{
	static const struct {
		const char *start;
		enum image_kind kind;
	} kinds[] = {
		{ "[vdso]", IMAGE_VDSO },      { "[vsyscall]", IMAGE_VSYSCALL },
		{ "[", IMAGE_ANON },	       { "//anon", IMAGE_ANON },
		{ memfd_name, IMAGE_ANON },    { "/dev/zero", IMAGE_ANON },
		{ "/SYSV", IMAGE_ANON },       { "/anon_hugepage", IMAGE_ANON },
		{ "anon_inode:", IMAGE_ANON },
	};

	/* The first that fits counts, so "[vdso]" has to stand before "[". */
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strncmp(path, kinds[i].start, strlen(kinds[i].start)) == 0)
			return kinds[i].kind;
	return *path ? IMAGE_FILE : IMAGE_ANON;
}

/* All memory that has no file and may be executed, but what the kernel put there. */
static bool is_code(const struct record *rec, const char *path)
{
	if (!rec->executable)
		return false;
	return *path != '[' || strncmp(path, "[anon:", 6) == 0 ||
	       strncmp(path, "[heap]", 6) == 0 || strncmp(path, "[stack", 6) == 0;
}

static struct image_user user_of(const struct classifier *c, const struct record *rec)
{
	return (struct image_user){ rec->pid,	  c->rec->host,		  c->rec->kernel,
				    rec->start,	  rec->start + rec->size, c->rec->began,
				    c->rec->ended };
}

/* Only files are told apart by more than their name. */
static void describe_file(const struct classifier *c, const struct record *rec,
			  struct image *image)
{
	image->kind = IMAGE_FILE;
	image->maj = rec->maj;
	image->min = rec->min;
	image->ino = rec->ino;
	image->generation = rec->generation;
	image->first = image->last = user_of(c, rec);
}

/*
 * A memfd is memory with a name: runtimes map their code through it a second time, and
 * programs are started from it (fexecve). It is a file only where that can be shown: it
 * has a build id, which the kernel found in the ELF file that it holds, or the process
 * still has it, and it is an ELF file. All else is memory of a runtime.
 */
static int classify_memfd(struct classifier *c, const struct record *rec,
			  struct image *image)
{
	uint64_t id[] = { rec->ino, rec->pid }, key = hash_bytes(id, sizeof(id));
	const uint32_t *known = hash_map_get(&c->memfds, key);
	struct image file = *image;
	bool is_object;
	struct found found;
	int err;

	/* Into a copy: what turns out to be memory must not keep the file's inode and
	 * device, since equal descriptions are one image. */
	describe_file(c, rec, &file);
	choose_build_id(c, rec, &file);
	is_object = file.build_id_size || (known && *known);
	if (!is_object && !known && rec->executable && c->images->dirs &&
	    c->memfds.count < MEMFDS_MOST) {
		/* The process is asked, if it still lives here. */
		err = find_image_file(c->images, c->images->dirs, &file, 0, &found);
		if (err < 0)
			return err;
		is_object = found.object.elf;
		found_release(&found);
		if (!hash_map_set(&c->memfds, key, is_object))
			return -ENOMEM;
	}
	if (is_object)
		*image = file;
	return 0;
}

bool is_code_of_runtime(const struct record *rec, const char *path)
{
	return user_kind(path) == IMAGE_ANON && is_code(rec, path);
}

/* Code without a file belongs to the process that can name it. */
static int describe_code(struct classifier *c, const struct record *rec,
			 struct image *image)
{
	/* Memory that perf names after the file in which the runtime may say what is where. */
	static const char *const named[] = { "//anon", "/dev/zero", "/anon_hugepage",
					     "[heap]", "[stack",    "/SYSV" };
	const char *path = intern_text(c->strings, rec->name);
	char map_path[32];
	size_t i = 0;
	int size;

	if (image->kind != IMAGE_ANON || !is_code(rec, path))
		return 0;
	/* Android's recorder brings the names itself. */
	image->owner = c->rec->simpleperf ? 0 : rec->pid;
	image->code = c->images->as_perf ? 0 : rec->code;
	image->first = image->last = user_of(c, rec);
	while (i < sizeof(named) / sizeof(*named) &&
	       strncmp(path, named[i], strlen(named[i])) != 0)
		i++;
	if (i == sizeof(named) / sizeof(*named))
		return 0;
	size = snprintf(map_path, sizeof(map_path), "/tmp/perf-%d.map", (int)rec->pid);
	return intern_add(c->strings, map_path, (size_t)size, &image->path);
}

/* @shift is what leads from an address of the process to one of the image, an offset in
 * its file. It may wrap below 0: sums are modulo 2^64. */
static int classify_user(struct classifier *c, const struct record *rec,
			 struct image *image, uint64_t *shift)
{
	const char *path = intern_text(c->strings, rec->name);
	int err = 0;

	image->path = rec->name;
	image->kind =
		c->rec->simpleperf && jit_file_name(path) ? IMAGE_ANON : user_kind(path);
	if (image->kind == IMAGE_FILE) {
		describe_file(c, rec, image);
	} else if (image->kind == IMAGE_VDSO) {
		image->release = c->rec->kernel;
		image->arch = c->rec->arch;
		/* 32-bit tasks have a vdso of their own, all of it below 4 GiB. */
		image->is_32bit = rec->start < (uint64_t)1 << 32;
	} else if (strncmp(path, memfd_name, sizeof(memfd_name) - 1) == 0) {
		err = classify_memfd(c, rec, image);
	}
	if (err == 0)
		err = describe_code(c, rec, image);
	if (image->kind == IMAGE_FILE)
		*shift = rec->offset - rec->start;
	if (image->kind == IMAGE_VDSO)
		*shift = -rec->start;
	return err;
}

int classify_map(struct classifier *c, const struct record *rec,
		 const struct jit_origin *origin, struct classified *ret)
{
	struct image image = { .origin = *origin };

	*ret = (struct classified){ .of_kernel = of_kernel(rec->mode) };
	if (ret->of_kernel ? classify_kernel_side(c, rec, &image) < 0
			   : classify_user(c, rec, &image, &ret->shift) < 0)
		return -ENOMEM;
	if (image.kind != IMAGE_ANON)
		choose_build_id(c, rec, &image);
	return images_add(c->images, &image, &ret->image);
}

int classify_ksymbol(struct classifier *c, const struct record *rec, uint32_t *image)
{
	struct image key = { .kind = IMAGE_KSYMBOL, .path = rec->name };

	return images_add(c->images, &key, image);
}
