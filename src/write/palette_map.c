/*
 * flamegraph.pl's --cp: lines of "function->colour", by which the pictures of several profiles
 * share their colours. The file is read before a picture is drawn; functions that it lacks keep
 * the colour they get, and it is written anew beside itself, then renamed.
 */
#include "write/palette_map.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "base/write_target.h"
#include "write/sink.h"

#define ARROW "->"
#define MAP_SIZE_MAX (256u << 20)

/* Set or, where @name has a colour, leave: *@slot is the text of it. */
static int map_slot_of(struct palette_map *m, const char *name, size_t size,
		       uint32_t *ret)
{
	int err = intern_add(&m->texts, name, size, ret);

	while (err == 0 && m->colours.count <= *ret)
		if (!array_add(&m->colours))
			err = -ENOMEM;
	return err;
}

static int set(struct palette_map *m, const char *name, size_t size, const char *colour,
	       size_t colour_size)
{
	uint32_t slot, text;
	int err = map_slot_of(m, name, size, &slot);

	if (err == 0)
		err = intern_add(&m->texts, colour, colour_size, &text);
	if (err == 0)
		m->colours.v[slot] = text;
	return err;
}

/* The last one, as a name may hold "->" itself: a C++ operator. */
static const char *last_of(const char *line, const char *end, const char *what)
{
	size_t size = strlen(what);

	for (const char *p = end - size; p >= line; p--)
		if (memcmp(p, what, size) == 0)
			return p;
	return NULL;
}

/*
 * The arrow is the last one before a colour as programs write it; else, where people have
 * written by hand, the last one at all.
 *
 *	unique_ptr<T>::operator->   ->   rgb(205,60,20)
 *	name                             colour
 */
int palette_map_read(struct context *ctx, const char *path, struct palette_map *ret)
{
	/* A colour goes into an attribute; people write "red" and "#ff0000" by hand. */
	static const char allowed[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"0123456789#(),.% ";
	struct palette_map m = { 0 };
	char *bytes = NULL;
	size_t size = 0;
	int err = intern_init(&m.texts) < 0 ? fail_memory(ctx) : 0;

	/* The first picture of several makes the file. */
	if (err == 0 && access(path, F_OK) == 0)
		err = file_slurp(ctx, path, MAP_SIZE_MAX, &bytes, &size);
	for (size_t at = 0, length; err == 0 && at < size; at += length + 1) {
		const char *line = bytes + at, *end = memchr(line, '\n', size - at);
		const char *arrow, *colour;
		size_t left;

		length = end ? (size_t)(end - line) : size - at;
		end = line + length;
		/* A name with a NUL in it would be found as another one. */
		if (memchr(line, '\0', length))
			continue;
		arrow = length > 6 ? last_of(line, end, ARROW "rgb(") : NULL;
		if (!arrow && length > 2)
			arrow = last_of(line, end, ARROW);
		if (!arrow)
			continue;
		colour = arrow + strlen(ARROW);
		left = (size_t)(end - colour);
		if (!left || left >= 64 || strspn(colour, allowed) < left)
			continue;
		if (set(&m, line, (size_t)(arrow - line), colour, left) < 0)
			err = fail_memory(ctx);
	}
	free(bytes);
	if (err < 0)
		palette_map_release(&m);
	else
		*ret = m;
	return err;
}

void palette_map_release(struct palette_map *m)
{
	intern_release(&m->texts);
	array_release(&m->colours);
}

int palette_map_colour(struct palette_map *m, const char *name, const char *colour,
		       const char **ret)
{
	uint32_t slot;
	int err = map_slot_of(m, name, strlen(name), &slot);

	/* A colour that the file has stays: it is that of other pictures. */
	if (err == 0 && !m->colours.v[slot])
		err = set(m, name, strlen(name), colour, strlen(colour));
	if (err == 0)
		*ret = intern_text(&m->texts, m->colours.v[slot]);
	return err;
}

const char *palette_map_find(const struct palette_map *m, const char *name)
{
	uint64_t hash = hash_bytes(name, strlen(name)), i = hash_start(hash);
	uint32_t id;

	while ((id = hash_find(&m->texts.ids, hash, &i)) != HASH_NONE)
		if (id < m->colours.count && m->colours.v[id] &&
		    strcmp(intern_text(&m->texts, id), name) == 0)
			return intern_text(&m->texts, m->colours.v[id]);
	return NULL;
}

/* Borrowed from the map's texts. */
struct palette_entry {
	const char *name, *colour;
};

static int compare_entries(const void *a, const void *b)
{
	return strcmp(((const struct palette_entry *)a)->name,
		      ((const struct palette_entry *)b)->name);
}

static int cannot_write(struct context *ctx, const char *path, int error)
{
	return fail(ctx, -error, "cannot write '%s': %s", path, strerror(error));
}

/* Sorted by name, so that the file does not depend on the order of frames. */
static int write_entries(struct context *ctx, const struct palette_map *m, FILE *out)
{
	struct sink sink = { .out = out };
	struct palette_entry *entries = malloc((m->colours.count + 1) * sizeof(*entries));
	size_t count = 0;

	if (!entries)
		return fail_memory(ctx);
	for (uint32_t i = 0; i < m->colours.count; i++)
		if (m->colours.v[i])
			entries[count++] = (struct palette_entry){
				intern_text(&m->texts, i),
				intern_text(&m->texts, m->colours.v[i]),
			};
	qsort(entries, count, sizeof(*entries), compare_entries);
	for (size_t i = 0; i < count; i++) {
		/* A newline in a name would make two lines of it. */
		if (strchr(entries[i].name, '\n'))
			continue;
		text_string(&sink.text, entries[i].name);
		text_string(&sink.text, ARROW);
		text_string(&sink.text, entries[i].colour);
		text_char(&sink.text, '\n');
		sink_drain(&sink);
	}
	free(entries);
	return sink_end(ctx, &sink);
}

/* Beside its place, then renamed: who reads it meanwhile gets the old one. */
int palette_map_write(struct context *ctx, const struct palette_map *m, const char *path)
{
	struct text temp_path = { 0 };
	struct ff_place target;
	struct stat st;
	const char *why;
	FILE *out;
	int fd, err = write_target_open(path, &target, &why);

	if (err < 0)
		return fail(ctx, err, "cannot write '%s': %s", path, why);
	text_printf(&temp_path, "%s.%d.part", target.name, (int)getpid());
	if (temp_path.failed) {
		err = fail_memory(ctx);
		goto out;
	}
	/* What is left of another run that had this pid. */
	unlinkat(target.directory, temp_path.bytes, 0);
	fd = openat(target.directory, temp_path.bytes,
		    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		    write_target_mode(&target, 0666));
	if (fd < 0) {
		err = cannot_write(ctx, path, errno);
		goto out;
	}
	/* The umask has taken from it; what was there may have had more. */
	if (fstat(fd, &st) == 0)
		fchmod(fd, write_target_mode(&target, st.st_mode & 0777));
	out = fdopen(fd, "w");
	if (!out) {
		close(fd);
		err = fail_memory(ctx);
	} else {
		err = write_entries(ctx, m, out);
		/* Some file systems tell only now that there is no room. */
		if (fclose(out) && err == 0)
			err = -errno;
		if (err < 0 && err != -ENOMEM)
			err = cannot_write(ctx, path, -err);
	}
	if (err == 0 && renameat(target.directory, temp_path.bytes, target.directory,
				 target.name) < 0)
		err = cannot_write(ctx, path, errno);
	if (err < 0)
		unlinkat(target.directory, temp_path.bytes, 0);
out:
	text_release(&temp_path);
	write_target_close(&target);
	return err;
}
