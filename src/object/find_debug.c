#include "object/find_debug.h"

#include <errno.h>
#include <string.h>

struct search {
	const struct object_places *places;
	const struct wanted_object *wanted;
	const char *root;
	struct found *found;
	unsigned need; /* what the object itself does not have */
	struct text path;
	bool has_checksum;
	uint32_t checksum; /* of the debug link, where there is no build id to compare */
};

static bool is_of_object(struct context *ctx, const struct search *s,
			 const struct object *debug)
{
	const struct object *o = &s->found->object;
	uint32_t sum;

	if (o->build_id_size)
		return object_has_build_id(debug, o->build_id, o->build_id_size);
	return s->has_checksum && object_checksum(ctx, debug, &sum) == 0 &&
	       sum == s->checksum;
}

/* What @o has of the three. */
static unsigned what_it_has(const struct object *o)
{
	return (object_has_symtab(o) ? NEED_SYMBOLS : 0) |
	       (object_has_debug_info(o) ? NEED_LINES : 0) |
	       (object_has_debug_frame(o) ? NEED_UNWIND : 0);
}

/* The file at the path; true where the search is over. */
static bool try(struct search *s)
{
	struct context ctx = { 0 };
	struct object debug;

	if (s->path.failed || object_open(&ctx, s->path.bytes, &debug) < 0)
		return s->path.failed;
	if (what_it_has(&debug) & s->need && is_of_object(&ctx, s, &debug)) {
		s->found->debug = debug;
		return true;
	}
	object_close(&debug);
	return false;
}

static bool try_debug_dir(struct search *s)
{
	const struct object *o = &s->found->object;

	text_clear(&s->path);
	add_debug_dir(s->places, s->root, &s->path);
	if (!add_build_id_path(o->build_id, o->build_id_size, BUILD_ID_WHOLE, &s->path))
		return false;
	text_string(&s->path, ".debug");
	return try(s);
}

/* There it goes by what was recorded. */
static bool try_cache(struct search *s)
{
	const struct wanted_object *w = s->wanted;

	for (enum build_id_form form = 0; form < BUILD_ID_FORMS; form++) {
		text_clear(&s->path);
		if (!add_build_id_cache(s->places, &s->path) ||
		    !add_build_id_path(w->build_id, w->build_id_size, form, &s->path))
			continue;
		text_string(&s->path, "/debug");
		if (try(s))
			return true;
	}
	return false;
}

/* Beside the object, in .debug/ there, and below the debug directory. */
static bool try_debug_link(struct search *s)
{
	static const char *const between[] = { "/", "/.debug/", "/" };
	const char *path = s->wanted->path, *slash = strrchr(path, '/');
	const char *name;

	if (*path != '/' || path_climbs(path) ||
	    !object_debug_link(&s->found->object, &name, &s->checksum) ||
	    strchr(name, '/') || strcmp(name, "..") == 0)
		return false;
	s->has_checksum = true;
	for (size_t i = 0; i < 3; i++) {
		text_clear(&s->path);
		if (i < 2)
			text_string(&s->path, s->root);
		else
			add_debug_dir(s->places, s->root, &s->path);
		text_add(&s->path, path, (size_t)(slash - path));
		text_string(&s->path, between[i]);
		text_string(&s->path, name);
		if (try(s))
			return true;
	}
	return false;
}

int find_debug(const struct object_places *places, const struct wanted_object *wanted,
	       const char *root, unsigned need, struct found *f)
{
	struct search s = {
		.places = places,
		.wanted = wanted,
		.root = root,
		.found = f,
		.need = need & ~what_it_has(&f->object),
	};
	int err;

	if (s.need && !try_debug_dir(&s) && !try_cache(&s))
		try_debug_link(&s);
	err = s.path.failed ? -ENOMEM : 0;
	text_release(&s.path);
	return err;
}
