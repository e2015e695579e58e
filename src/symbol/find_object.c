#include "symbol/find_object.h"

#include <errno.h>

#define DELETED " (deleted)"
#define DEBUG_DIR "/usr/lib/debug"

bool symfs_is_set(const struct symbol_options *options)
{
	return options->symfs && *options->symfs;
}

/* With symfs nothing outside of it is looked at. */
static bool climbs(const char *path)
{
	for (const char *p = strstr(path, "/.."); p; p = strstr(p + 1, "/.."))
		if (p[3] == '/' || p[3] == '\0')
			return true;
	return false;
}

static void add_hex(struct text *out, const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		text_printf(out, "%02x", bytes[i]);
}

static void refuse_build_id(struct found *f, const struct image *image)
{
	text_printf(&f->problem, "'%s' has build id ", f->file.bytes);
	add_hex(&f->problem, f->object.build_id, f->object.build_id_size);
	if (f->object.build_id_size == 0)
		text_string(&f->problem, "none");
	text_string(&f->problem, ", recorded was ");
	add_hex(&f->problem, image->build_id, image->build_id_size);
	f->other_build = true;
	object_close(&f->object);
	text_clear(&f->file);
}

/* The path to open; false, with a problem, where none may be. */
static bool make_path(const struct symbol_options *options, const struct image *image,
		      const char *path, struct found *f)
{
	size_t size = strlen(path);
	size_t suffix = strlen(DELETED);

	if (*path != '/') {
		text_printf(&f->problem, "'%s' is no file", path);
		return false;
	}
	if (size > suffix && strcmp(path + size - suffix, DELETED) == 0) {
		size -= suffix;
		/* What lies there now may be anything. */
		if (image->build_id_size == 0) {
			text_printf(&f->problem,
				    "'%.*s' was deleted and its build id is not known",
				    (int)size, path);
			return false;
		}
	}
	if (symfs_is_set(options)) {
		if (climbs(path)) {
			text_printf(&f->problem, "'%s' leaves the symfs", path);
			return false;
		}
		text_string(&f->file, options->symfs);
	}
	text_add(&f->file, path, size);
	return true;
}

static int open_object(const struct symbol_options *options, const struct image *image,
		       const char *path, struct found *f)
{
	struct context ctx = { 0 };
	int err;

	if (!make_path(options, image, path, f))
		return 0;
	if (f->file.failed)
		return -ENOMEM;
	err = object_open(&ctx, f->file.bytes, &f->object);
	if (err < 0) {
		text_string(&f->problem, ctx.error);
		text_clear(&f->file);
		return err == -ENOMEM ? err : 0;
	}
	if (image->build_id_size &&
	    !object_has_build_id(&f->object, image->build_id, image->build_id_size))
		refuse_build_id(f, image);
	return 0;
}

/* What the object itself does not have. */
struct need {
	bool symbols, lines;
	bool has_checksum;
	uint32_t checksum; /* of the debug link, where there is no build id to compare */
};

static bool is_of_object(struct context *ctx, const struct found *f,
			 const struct object *debug, const struct need *need)
{
	uint32_t sum;

	if (f->object.build_id_size)
		return object_has_build_id(debug, f->object.build_id,
					   f->object.build_id_size);
	return need->has_checksum && object_checksum(ctx, debug, &sum) == 0 &&
	       sum == need->checksum;
}

/* True where the search is over. */
static bool try_debug(struct found *f, const char *path, const struct need *need)
{
	struct context ctx = { 0 };
	struct object debug;

	if (object_open(&ctx, path, &debug) < 0)
		return false;
	if (((need->symbols && object_has_symtab(&debug)) ||
	     (need->lines && object_has_debug_info(&debug))) &&
	    is_of_object(&ctx, f, &debug, need)) {
		f->debug = debug;
		return true;
	}
	object_close(&debug);
	return false;
}

static void start_debug_path(const struct symbol_options *options, struct text *path)
{
	text_clear(path);
	if (symfs_is_set(options))
		text_string(path, options->symfs);
	text_string(path, options->debug_dir ? options->debug_dir : DEBUG_DIR);
}

static bool try_build_id(const struct symbol_options *options, struct found *f,
			 const struct need *need, struct text *path)
{
	const struct object *o = &f->object;

	if (o->build_id_size < 2)
		return false;
	start_debug_path(options, path);
	text_printf(path, "/.build-id/%02x/", o->build_id[0]);
	add_hex(path, o->build_id + 1, o->build_id_size - 1u);
	text_string(path, ".debug");
	return !path->failed && try_debug(f, path->bytes, need);
}

/* Beside the object, in .debug/ there, and below the debug directory. */
static bool try_debug_link(const struct symbol_options *options, struct found *f,
			   struct need *need, struct text *path)
{
	static const char *const between[] = { "/", "/.debug/" };
	size_t directory = (size_t)(strrchr(f->file.bytes, '/') - f->file.bytes);
	size_t prefix = symfs_is_set(options) ? strlen(options->symfs) : 0;
	const char *name;

	if (!object_debug_link(&f->object, &name, &need->checksum) || strchr(name, '/') ||
	    strcmp(name, "..") == 0)
		return false;
	need->has_checksum = true;
	for (size_t i = 0; i < 2; i++) {
		text_clear(path);
		text_add(path, f->file.bytes, directory);
		text_string(path, between[i]);
		text_string(path, name);
		if (!path->failed && try_debug(f, path->bytes, need))
			return true;
	}
	start_debug_path(options, path);
	if (directory > prefix)
		text_add(path, f->file.bytes + prefix, directory - prefix);
	text_char(path, '/');
	text_string(path, name);
	return !path->failed && try_debug(f, path->bytes, need);
}

static int find_debug(const struct symbol_options *options, struct found *f)
{
	struct need need = {
		.symbols = !object_has_symtab(&f->object),
		.lines = options->srcline && !object_has_debug_info(&f->object),
	};
	struct text path = { 0 };
	int err;

	if (!need.symbols && !need.lines)
		return 0;
	if (!try_build_id(options, f, &need, &path))
		try_debug_link(options, f, &need, &path);
	err = path.failed ? -ENOMEM : 0;
	text_release(&path);
	return err;
}

int find_object(const struct symbol_options *options, const struct image *image,
		const char *path, struct found *ret)
{
	struct found f = { .object.fd = -1, .debug.fd = -1 };
	int err = open_object(options, image, path, &f);

	if (err == 0 && f.object.elf)
		err = find_debug(options, &f);
	if (err == 0 && (f.file.failed || f.problem.failed))
		err = -ENOMEM;
	if (err < 0) {
		found_release(&f);
		return err;
	}
	*ret = f;
	return 0;
}

void found_release(struct found *f)
{
	object_close(&f->object);
	object_close(&f->debug);
	text_release(&f->file);
	text_release(&f->problem);
}
