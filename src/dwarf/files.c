/*
 * A search is a row of paths, each tried in the same way: what opens there is given to a
 * predicate, which may know the file (a build id) or take anything (a .dwo file's unit
 * is compared later). With a symfs, paths are made below it or beside the object, and a
 * name with ".." is not tried. "Beside" is where the open object lies, so /proc/self/fd
 * is asked for its path.
 */
#include "dwarf/files.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "elf/elf.h"

#define DEBUG_DIR "/usr/lib/debug"

enum { MOST_LINK = 4096, MOST_PATH = 4096 };

static const char *root(const struct debug_dirs *dirs)
{
	return dirs->symfs ? dirs->symfs : "";
}

/* "..": with a symfs nothing outside of it is looked at. */
static bool climbs(const char *path)
{
	for (const char *p = strstr(path, ".."); p; p = strstr(p + 1, ".."))
		if ((p == path || p[-1] == '/') && (p[2] == '/' || p[2] == '\0'))
			return true;
	return false;
}

/* Where an open file lies. */
static bool object_path(const struct object *o, char path[MOST_PATH])
{
	char link[32];
	ssize_t size;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", o->fd);
	size = readlink(link, path, MOST_PATH - 1);
	if (size <= 0 || path[0] != '/')
		return false;
	path[size] = '\0';
	return true;
}

/* True where the search is over. */
typedef bool wanted(const struct object *o, void *arg);

struct file_search {
	const struct debug_dirs *dirs;
	struct text path;
	wanted *wanted;
	const struct object *by; /* that names it */
	void *arg;
	struct object found;
	struct text refused; /* why the first one that is there could not be read */
	int err; /* -ENOENT so far */
};

/* Opens s->path. True where the search is over, as it is where no memory is left. */
static bool try_part_path(struct file_search *s)
{
	struct context ctx = { .budget = s->by->budget };
	struct object o;
	int err;

	if (s->path.failed) {
		s->err = -ENOMEM;
		return true;
	}
	err = object_open_named(&ctx, s->by, s->path.bytes, &o);
	if (err == 0 && s->wanted(&o, s->arg)) {
		s->found = o;
		s->err = 0;
		return true;
	}
	if (err == 0)
		object_close(&o);
	/* The first one that is there and cannot be read is what the user is told of. */
	else if (err != -ENOENT && err != -ENOTDIR && s->refused.size == 0)
		text_string(&s->refused, ctx.error);
	if (err == -ENOMEM)
		s->err = err;
	return err == -ENOMEM;
}

/* @directory/@name, below the symfs; NULL: @name is the whole path. */
static bool try_name(struct file_search *s, const char *directory, const char *name)
{
	bool confined = *root(s->dirs);

	if (confined && (climbs(name) || (directory && climbs(directory))))
		return false;
	text_clear(&s->path);
	text_string(&s->path, root(s->dirs));
	if (directory) {
		text_string(&s->path, directory);
		text_char(&s->path, '/');
	}
	text_string(&s->path, name);
	return try_part_path(s);
}

/* The same beside @o, whose path is that on this machine. */
static bool try_same_directory(struct file_search *s, const struct object *o,
			       const char *directory, const char *name)
{
	bool confined = *root(s->dirs);
	char path[MOST_PATH];

	if (!object_path(o, path) || (confined && climbs(name)) ||
	    (confined && directory && climbs(directory)))
		return false;
	strrchr(path, '/')[1] = '\0';
	text_clear(&s->path);
	text_string(&s->path, path);
	if (directory) {
		text_string(&s->path, directory);
		text_char(&s->path, '/');
	}
	text_string(&s->path, name);
	return try_part_path(s);
}

/* @part: as the object names it. */
static void fail_missing(struct context *ctx, const struct file_search *s,
			 const char *part)
{
	if (s->refused.size)
		fail(ctx, -ENOENT,
		     "'%.*s', which holds a part of its debug information, is not read: "
		     "%s",
		     MOST_PATH, part, s->refused.bytes);
	else
		fail(ctx, -ENOENT,
		     "'%.*s', which holds a part of its debug information, is not there",
		     MOST_PATH, part);
}

static int end_search(struct context *ctx, struct file_search *s, struct object *ret)
{
	s->err = s->refused.failed && s->err ? -ENOMEM : s->err;
	text_release(&s->path);
	text_release(&s->refused);
	if (s->err == 0)
		*ret = s->found;
	return s->err == -ENOMEM ? fail_memory(ctx) : s->err;
}

struct alternate_link {
	const char *name;
	const uint8_t *build_id;
	size_t build_id_size;
};

/* "name\0" and a build id. */
static bool read_link(const struct object *debug, struct alternate_link *ret)
{
	struct section s;
	Elf_Data *data;
	size_t size;

	if (!section_named(debug, ".gnu_debugaltlink", &s))
		return false;
	data = section_data(&s, MOST_LINK);
	size = data ? strnlen(data->d_buf, data->d_size) : 0;
	if (size == 0 || data->d_size - size < 3)
		return false;
	ret->name = data->d_buf;
	ret->build_id = (const uint8_t *)data->d_buf + size + 1;
	ret->build_id_size = data->d_size - size - 1;
	return true;
}

static bool is_alternate(const struct object *o, void *arg)
{
	const struct alternate_link *link = arg;

	return object_has_build_id(o, link->build_id, link->build_id_size);
}

int debug_find_alternate(struct context *ctx, const struct debug_dirs *dirs,
			 const struct object *debug, struct object *ret)
{
	const char *dir = dirs->debug_dir ? dirs->debug_dir : DEBUG_DIR;
	struct alternate_link link;
	struct file_search s = {
		.dirs = dirs,
		.wanted = is_alternate,
		.by = debug,
		.arg = &link,
		.err = -ENOENT,
	};
	struct text shared = { 0 };
	const char *below, *slash, *rest;

	if (!read_link(debug, &link))
		return -ENODATA;
	text_string(&s.path, root(dirs));
	text_string(&s.path, dir);
	text_printf(&s.path, "/.build-id/%02x/", link.build_id[0]);
	for (size_t i = 1; i < link.build_id_size; i++)
		text_printf(&s.path, "%02x", link.build_id[i]);
	text_string(&s.path, ".debug");
	if (try_part_path(&s) ||
	    (*link.name == '/' ? try_name(&s, NULL, link.name)
			       : try_same_directory(&s, debug, NULL, link.name)))
		goto out;
	/* What several packages share. */
	below = strstr(link.name, "/.dwz/");
	slash = strrchr(link.name, '/');
	rest = below ? below + strlen("/.dwz/") : slash ? slash + 1 : link.name;
	text_string(&shared, dir);
	text_string(&shared, "/.dwz");
	s.path.failed |= shared.failed;
	if (!shared.failed && !try_name(&s, shared.bytes, rest))
		fail_missing(ctx, &s, link.name);
	text_release(&shared);
out:
	return end_search(ctx, &s, ret);
}

static bool accept_any(const struct object *o, void *arg)
{
	(void)o;
	(void)arg;
	return true;
}

int debug_find_package(struct context *ctx, const struct debug_dirs *dirs,
		       const struct object *o, struct object *ret)
{
	struct file_search s = {
		.dirs = dirs, .wanted = accept_any, .by = o, .err = -ENODATA
	};
	char path[MOST_PATH];

	if (!object_path(o, path))
		return -ENODATA;
	text_string(&s.path, path);
	text_string(&s.path, ".dwp");
	if (!try_part_path(&s) && s.refused.size)
		s.err = fail(ctx, -ENOENT, "%s", s.refused.bytes);
	return end_search(ctx, &s, ret);
}

int debug_find_split(struct context *ctx, const struct debug_dirs *dirs,
		     const struct object *o, const struct split_path *split,
		     struct object *ret)
{
	const char *directory = split->directory, *name = split->name;
	struct file_search s = {
		.dirs = dirs, .wanted = accept_any, .by = o, .err = -ENOENT
	};
	const char *slash = strrchr(name, '/');
	bool over;

	if (*name == '/')
		over = try_name(&s, NULL, name);
	else if (directory && *directory == '/')
		over = try_name(&s, directory, name);
	else
		over = try_same_directory(&s, o, directory, name);
	/* Moved together with the object, or built in one directory. */
	if (!over)
		over = try_same_directory(&s, o, NULL, name) ||
		       try_same_directory(&s, o, NULL, slash ? slash + 1 : name);
	if (!over)
		fail_missing(ctx, &s, name);
	return end_search(ctx, &s, ret);
}
