/*
 * A debug file is of use only if it has something that the object lacks and somebody
 * needs, so that is asked of each candidate first. Then it has to be of the same build:
 * it has the object's build id or, where the object has none, the CRC-32 that the debug
 * link holds. That sum takes reading the whole file, so it is made only of candidates
 * that nothing else decides. Only the first file of another build is told, and only
 * where none of the right one was found.
 *
 * Ways that cost more come last: debuginfod asks a server, .gnu_debugdata has to be
 * unpacked.
 */
#include "find/debug.h"

#include <errno.h>
#include <string.h>

#include "elf/elf.h"
#include "find/debuginfod.h"

struct debug_search {
	const struct search_dirs *dirs;
	const struct wanted_object *wanted;
	const char *root;
	struct found *found;
	unsigned need; /* what the object itself does not have */
	struct text path;
	struct text
		refused; /* a sentence: the first that is of another build, or closed to us */
	bool has_checksum;
	uint32_t checksum; /* of the debug link, where there is no build id to compare */
};

/* What @o has of the three. */
static unsigned what_it_has(const struct object *o)
{
	return (object_has_symtab(o) ? NEED_SYMBOLS : 0) |
	       (object_has_debug_info(o) ? NEED_LINES : 0) |
	       (object_has_debug_frame(o) ? NEED_UNWIND : 0);
}

static void take_debug(struct debug_search *s, const struct object *debug)
{
	s->found->debug = *debug;
	text_clear(&s->found->debug_file);
	text_add(&s->found->debug_file, s->path.bytes, s->path.size);
}

/* The file at the path; true where the search is over. @by: what says that it is there, or
 * NULL. */
static bool try_debug_path(struct debug_search *s, const struct object *by)
{
	const struct object *o = &s->found->object;
	struct context ctx = { .budget = s->dirs->budget };
	struct object debug;
	uint32_t sum;
	int err;

	if (s->path.failed)
		return true;
	err = by ? object_open_named(&ctx, by, s->path.bytes, &debug)
		 : object_open(&ctx, s->path.bytes, &debug);
	found_note_trouble(s->found, err, ctx.error);
	if (by && err == -EACCES && s->refused.size == 0)
		text_string(&s->refused, ctx.error);
	s->path.failed = err == -ENOMEM;
	if (err < 0)
		return s->path.failed;
	if (!(what_it_has(&debug) & s->need)) {
		object_close(&debug);
		return false;
	}
	if (o->build_id_size
		    ? object_has_build_id(&debug, o->build_id, o->build_id_size)
		    : s->has_checksum && object_checksum(&ctx, &debug, &sum) == 0 &&
			      sum == s->checksum) {
		take_debug(s, &debug);
		return true;
	}
	/* It would have been used. */
	if (s->refused.size == 0) {
		text_printf(&s->refused,
			    "'%s' is the debug file of another build: ", s->path.bytes);
		if (o->build_id_size) {
			text_string(&s->refused, "its build id is ");
			add_build_id(debug.build_id, debug.build_id_size, &s->refused);
			text_string(&s->refused, ", not ");
			add_build_id(o->build_id, o->build_id_size, &s->refused);
		} else {
			text_string(&s->refused,
				    "its checksum is not that of the debug link");
		}
	}
	object_close(&debug);
	return false;
}

/* Beside the object, in .debug/ there, and below the debug directory. */
static bool try_debug_link(struct debug_search *s)
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
			add_debug_dir(s->dirs, s->root, &s->path);
		text_add(&s->path, path, (size_t)(slash - path));
		text_string(&s->path, between[i]);
		text_string(&s->path, name);
		if (try_debug_path(s, &s->found->object))
			return true;
	}
	return false;
}

/* Where others have put it, by build id: the debug directory, and perf's cache. */
static bool try_debug_by_build_id(struct debug_search *s)
{
	const struct object *o = &s->found->object;
	const struct wanted_object *w = s->wanted;

	text_clear(&s->path);
	add_debug_dir(s->dirs, s->root, &s->path);
	if (add_build_id_path(o->build_id, o->build_id_size, BUILD_ID_WHOLE, &s->path)) {
		text_string(&s->path, ".debug");
		if (try_debug_path(s, NULL))
			return true;
	}
	/* There it goes by what was recorded. */
	for (enum build_id_form form = 0; form < BUILD_ID_FORMS; form++) {
		text_clear(&s->path);
		if (!add_build_id_cache(s->dirs, &s->path) ||
		    !add_build_id_path(w->build_id, w->build_id_size, form, &s->path))
			continue;
		text_string(&s->path, "/debug");
		if (try_debug_path(s, NULL))
			return true;
	}
	return false;
}

int find_debug(const struct search_dirs *dirs, const struct wanted_object *wanted,
	       const char *const *roots, unsigned need, struct found *f)
{
	const struct object *o = &f->object;
	struct debug_search s = {
		.dirs = dirs,
		.wanted = wanted,
		.found = f,
		.need = need & ~what_it_has(o),
	};
	const struct debuginfod_file file = {
		.kind = DEBUGINFOD_DEBUG_FILE,
		.build_id = o->build_id,
		.build_id_size = o->build_id_size,
		.name = wanted->path,
	};
	struct context ctx = { .budget = dirs->budget };
	struct section table;
	struct object inner;
	int err;

	if (s.need == 0)
		goto out;
	for (; *roots; roots++) {
		s.root = *roots;
		if (try_debug_by_build_id(&s) || try_debug_link(&s))
			goto out;
	}
	/* Another unwind table is worth a look, and no more: most objects have no
	 * .debug_frame and need none. */
	if (s.need == NEED_UNWIND && (section_named(o, ".eh_frame", &table) ||
				      section_named(o, ".eh_frame_hdr", &table)))
		goto out;
	text_clear(&s.path);
	if (debuginfod_find(dirs->debuginfod, &file, &s.path) && try_debug_path(&s, NULL))
		goto out;
	/* Symbols that the object itself has, packed: MiniDebugInfo. */
	text_clear(&s.path);
	text_printf(&s.path, "%s (.gnu_debugdata)", f->file.bytes);
	if (s.path.failed)
		goto out;
	err = packed_object_open_inner(&ctx, o, s.path.bytes, &inner);
	s.path.failed = err == -ENOMEM;
	if (err < 0 && err != -ENOMEM && err != -ENODATA && f->problem.size == 0)
		text_string(&f->problem, ctx.error);
	if (err >= 0 && what_it_has(&inner) & s.need)
		take_debug(&s, &inner);
	else if (err >= 0)
		object_close(&inner);
out:
	if (!f->debug.elf && s.refused.size && f->problem.size == 0)
		text_add(&f->problem, s.refused.bytes, s.refused.size);
	err = s.path.failed || s.refused.failed ? -ENOMEM : 0;
	text_release(&s.path);
	text_release(&s.refused);
	return err;
}
