/*
 * Each candidate is a path. The recorded one is judged by itself; of the others one
 * function decides: it opens what is there, compares the build id (the file's identity
 * where there is none), and takes it or closes it. 1 ends the search, 0 goes on.
 *
 *	recorded path   sure       the search is over
 *	                not sure   taken, but what was provably mapped may replace it
 *	                refused    the reason is told if no other candidate is taken
 *	kept file, build id, processes, debuginfod: the first that fits
 *
 * A file is doubtful if it has the recorded id, but that is an id of the path, and the
 * file there is another one than was mapped. Then a build id proves nothing, and candidates
 * that go by it are left out. What time it came to its path decides in the end: a rename
 * changes the time of the inode on all file systems that programs are run from.
 */
#include "find/object.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/process_root.h"
#include "find/debug.h"
#include "find/debuginfod.h"
#include "find/process_file.h"

struct object_search {
	const struct search_dirs *dirs;
	const struct wanted_object *wanted;
	struct found *found;
	struct text path; /* of what is tried */
	struct text root; /* of the system on which the object was found */
	bool doubtful; /* what was found may be another program */
	bool moved; /* and is on another device than what was mapped */
	const struct file_user *user; /* whose file was found, or NULL */
};

/* Whether a file is the one that was recorded, where no build id tells. */
enum identity { FILE_SAME, FILE_OTHER, FILE_MAYBE };

static enum identity compare_file(const struct wanted_object *wanted,
				  const struct object *o, bool *moved)
{
	const struct file_id *was = &wanted->file;
	struct file_id is;

	*moved = false;
	if (!wanted->here || was->ino == 0 || !process_file_id(o->fd, was, &is))
		return FILE_MAYBE;
	*moved = is.maj != was->maj || is.min != was->min;
	/* Inodes are used again, with another generation. perf inject says 1 of the files that it
	 * makes. */
	if (is.ino != was->ino || (is.generation && was->generation > 1 &&
				   is.generation != (uint32_t)was->generation))
		return FILE_OTHER;
	return *moved ? FILE_MAYBE : FILE_SAME;
}

static bool is_same_file(const struct wanted_object *wanted, const struct object *o)
{
	bool moved;

	return compare_file(wanted, o, &moved) == FILE_SAME;
}

/* Takes over what @o holds, and the path. */
static void take_object_file(struct object_search *s, struct object *o)
{
	struct found *f = s->found;
	struct text path = f->file;

	object_close(&f->object);
	f->object = *o;
	f->file = s->path;
	s->path = path;
	f->refused = f->trouble = false;
	text_clear(&f->problem);
}

/* What the path says; false, with a problem, where it is none to open. */
static bool make_recorded_path(struct object_search *s)
{
	const char *path = s->wanted->path;
	struct text *problem = &s->found->problem;
	size_t size;

	if (s->wanted->vdso || *path != '/') {
		text_printf(problem, "'%s' is not a file", path);
		return false;
	}
	/* What lies there now may be anything. */
	if (is_deleted(path, &size) && s->wanted->build_id_size == 0) {
		text_printf(problem, "'%.*s' was deleted and its build id is not known",
			    (int)size, path);
		return false;
	}
	if (symfs_is_set(s->dirs) && path_climbs(path)) {
		text_printf(problem, "'%s' leaves the symfs", path);
		return false;
	}
	text_string(&s->path, s->root.bytes);
	text_add(&s->path, path, size);
	return true;
}

/*
 * A path that a process has said in a live run is opened with the rights of one that has the
 * file mapped; pids are used again, and another one lends none. *@own: it was opened with
 * rights that those have not, so it has to be the file that was mapped.
 */
static int open_recorded_path(struct context *ctx, const struct object_search *s,
			      struct object *ret, bool *own)
{
	const uid_t nobody = 65534;
	const struct wanted_object *w = s->wanted;
	struct user_rights rights;
	struct text map = { 0 };
	int err = -ENOENT;
	bool same;

	*own = false;
	if (!w->live || geteuid() != 0 || symfs_is_set(s->dirs))
		return object_open(ctx, s->path.bytes, ret);
	for (size_t i = 0; i < FILE_USERS && err == -ENOENT; i++)
		if (process_file_path(w, &w->users[i], PROCESS_MAP, &map, &same) &&
		    !map.failed)
			err = user_rights_of_process(w->users[i].pid, &rights);
	if (map.failed)
		err = -ENOMEM;
	text_release(&map);
	if (err == -ENOENT)
		rights = user_rights_of(nobody);
	else if (err < 0)
		return fail_memory(ctx);
	err = object_open_as(ctx, &rights, s->path.bytes, ret);
	user_rights_release(&rights);
	*own = err == -EACCES;
	return *own ? object_open(ctx, s->path.bytes, ret) : err;
}

static bool may_be_read(struct object_search *s, const struct object *o, bool own)
{
	if (!own || is_same_file(s->wanted, o))
		return true;
	text_printf(&s->found->problem,
		    "'%s' is not for the user whose process has named it: it is not read",
		    s->path.bytes);
	return false;
}

/* *@sure: no other candidate can know better. */
static int try_recorded_path(struct object_search *s, bool *sure)
{
	const struct wanted_object *w = s->wanted;
	struct context ctx = { .budget = s->dirs->budget };
	struct found *f = s->found;
	enum identity identity = FILE_SAME;
	struct object o;
	bool own;
	int err;

	if (!make_recorded_path(s))
		return 0;
	if (s->path.failed)
		return -ENOMEM;
	err = open_recorded_path(&ctx, s, &o, &own);
	if (err < 0) {
		text_string(&f->problem, ctx.error);
		f->trouble |= object_is_trouble(err);
		return err == -ENOMEM ? err : 0;
	}
	if (!may_be_read(s, &o, own)) {
		object_close(&o);
		return 0;
	}
	if (w->build_id_size && !object_has_build_id(&o, w->build_id, w->build_id_size)) {
		found_refuse(f, s->path.bytes, &o, w->build_id, w->build_id_size);
		object_close(&o);
		return 0;
	}
	if (!symfs_is_set(s->dirs) && (w->build_id_size == 0 || w->id_of_path))
		identity = compare_file(w, &o, &s->moved);
	if (w->build_id_size == 0 && identity == FILE_OTHER) {
		f->refused = true;
		text_printf(&f->problem,
			    "'%s' is another file than the recorded one, and no build id "
			    "tells whether it is the same program; --force takes it",
			    s->path.bytes);
		object_close(&o);
		return 0;
	}
	s->doubtful = identity == FILE_OTHER;
	*sure = !s->doubtful && (identity == FILE_SAME || w->build_id_size || !w->here ||
				 w->file.ino == 0);
	take_object_file(s, &o);
	return 0;
}

/* @same: it is known to be the recorded file. 1 where it is the object. */
static int try_object_path(struct object_search *s, bool same)
{
	const struct wanted_object *w = s->wanted;
	struct context ctx = { .budget = s->dirs->budget };
	struct object o;
	int err;

	if (s->path.failed)
		return -ENOMEM;
	err = object_open(&ctx, s->path.bytes, &o);
	found_note_trouble(s->found, err, ctx.error);
	if (err < 0)
		return err == -ENOMEM ? err : 0;
	if (w->build_id_size == 0 || s->doubtful)
		same |= is_same_file(w, &o);
	else
		same = object_has_build_id(&o, w->build_id, w->build_id_size);
	if (same)
		take_object_file(s, &o);
	else
		object_close(&o);
	return same;
}

/* What the processes that have it mapped still hold open, deleted or not. */
static int try_processes(struct object_search *s)
{
	if (symfs_is_set(s->dirs) || !s->wanted->here || s->wanted->vdso)
		return 0;
	for (size_t i = 0; i < FILE_USERS; i++) {
		const struct file_user *user = &s->wanted->users[i];
		enum process_file which;

		for (which = 0; which < PROCESS_FILES; which++) {
			int found;
			bool same;

			text_clear(&s->path);
			if (!process_file_path(s->wanted, user, which, &s->path, &same))
				continue;
			found = try_object_path(s, same);
			if (found > 0)
				s->user = user;
			if (found != 0)
				return found;
		}
	}
	return 0;
}

/* What is said of a doubtful file where nothing better was found; with another id than what
 * was mapped it is refused. */
static void settle_doubt(struct object_search *s)
{
	const struct file_user *users = s->wanted->users;
	struct found *f = s->found;
	bool meanwhile = false; /* it came to its path while a user was recorded */
	struct stat st;

	if (!s->moved && fstat(f->object.fd, &st) == 0 && st.st_ctim.tv_sec >= 0) {
		uint64_t came = (uint64_t)st.st_ctim.tv_sec * 1000000000 +
				(uint64_t)st.st_ctim.tv_nsec;

		for (size_t i = 0; i < FILE_USERS; i++)
			meanwhile |= users[i].began && came > users[i].began &&
				     came <= users[i].ended;
	}
	if (!meanwhile) {
		text_printf(&f->problem,
			    "'%s' was replaced after it was mapped: if perf was still "
			    "recording then, names are wrong; --buildid-mmap of perf "
			    "record avoids it",
			    f->file.bytes);
		return;
	}
	text_printf(
		&f->problem,
		"'%s' was replaced while it was recorded, and so was the build id that "
		"perf read when it ended; perf record --buildid-mmap reads it in time",
		f->file.bytes);
	if (s->dirs->force)
		return;
	object_close(&f->object);
	text_clear(&f->file);
	f->refused = true;
}

/* What was refused at the recorded path. */
static int take_by_force(struct object_search *s)
{
	struct context ctx = { .budget = s->dirs->budget };
	struct found *f = s->found;
	struct object o;
	bool own;
	int err;

	text_clear(&s->path);
	if (!make_recorded_path(s))
		return 0;
	err = s->path.failed ? -ENOMEM : open_recorded_path(&ctx, s, &o, &own);
	if (err < 0)
		return err == -ENOMEM ? err : 0;
	if (!may_be_read(s, &o, own)) {
		object_close(&o);
		return 0;
	}
	f->object = o;
	text_add(&f->file, s->path.bytes, s->path.size);
	text_string(&f->problem, ": --force has its names all the same");
	f->refused = false;
	return 1;
}

static int find_object_file(struct object_search *s)
{
	/* The cache's entry is a directory; older perf made it the file itself, as what lies in
	 * the debug directory is. */
	const char *const names[] = { s->wanted->vdso ? "/vdso" : "/elf", "", "" };
	const struct wanted_object *w = s->wanted;
	bool sure = false;
	int found = try_recorded_path(s, &sure);

	if (found < 0 || sure)
		return found;
	/* Only the recorded path is better than a kept file: debug files lie beside that. */
	if (w->kept && !symfs_is_set(s->dirs)) {
		text_clear(&s->path);
		text_string(&s->path, w->kept);
		found = try_object_path(s, false);
	}
	/* perf's cache, and the debug directory, which some fill with whole objects. */
	for (enum build_id_form form = 0; form < BUILD_ID_FORMS && !s->doubtful; form++) {
		for (size_t i = 0; i < 3 && found == 0; i++) {
			text_clear(&s->path);
			if (i == 2)
				add_debug_dir(s->dirs, s->root.bytes, &s->path);
			else if (!add_build_id_cache(s->dirs, &s->path))
				continue;
			if (!add_build_id_path(w->build_id, w->build_id_size, form,
					       &s->path))
				continue;
			text_string(&s->path, names[i]);
			found = try_object_path(s, false);
		}
	}
	if (found == 0)
		found = try_processes(s);
	if (found == 0 && !s->doubtful && !w->vdso) {
		const struct debuginfod_file file = { DEBUGINFOD_OBJECT, w->build_id,
						      w->build_id_size, w->path };

		text_clear(&s->path);
		if (debuginfod_find(s->dirs->debuginfod, &file, &s->path))
			found = try_object_path(s, false);
	}
	/* Without memory a path was never tried, and nobody may say that it is not there. */
	if (found == 0 && s->path.failed)
		found = -ENOMEM;
	if (found == 0 && s->doubtful)
		settle_doubt(s);
	if (found == 0 && s->found->refused && s->dirs->force)
		found = take_by_force(s);
	return found;
}

int find_object(const struct search_dirs *dirs, const struct wanted_object *wanted,
		unsigned need, struct found *ret)
{
	struct found f = { .object.fd = -1, .debug.fd = -1 };
	struct object_search s = { .dirs = dirs, .wanted = wanted, .found = &f };
	struct text inside = { 0 };
	int err;

	text_string(&s.root, symfs_is_set(dirs) ? dirs->symfs : "");
	err = s.root.failed ? -ENOMEM : find_object_file(&s);
	/* Debug files may be where only the process sees them. */
	if (s.user)
		text_printf(&inside, "/proc/%u/root", (unsigned)s.user->pid);
	if (err >= 0 && f.object.elf) {
		const char *roots[] = { s.root.bytes, inside.bytes, NULL };

		err = inside.failed ? -ENOMEM : find_debug(dirs, wanted, roots, need, &f);
	}
	if (s.root.failed || f.file.failed || f.debug_file.failed || f.problem.failed)
		err = -ENOMEM;
	text_release(&inside);
	text_release(&s.path);
	text_release(&s.root);
	if (err < 0) {
		found_release(&f);
		return err;
	}
	*ret = f;
	return 0;
}

void found_note_trouble(struct found *f, int err, const char *why)
{
	if (!object_is_trouble(err))
		return;
	text_clear(&f->problem);
	text_string(&f->problem, why);
	f->trouble = true;
}

void found_refuse(struct found *f, const char *path, const struct object *o,
		  const uint8_t *build_id, size_t size)
{
	text_printf(&f->problem, "'%s' has build id ", path);
	add_build_id(o->build_id, o->build_id_size, &f->problem);
	text_string(&f->problem, ", recorded was ");
	add_build_id(build_id, size, &f->problem);
	f->refused = true;
}

void found_release(struct found *f)
{
	object_close(&f->object);
	object_close(&f->debug);
	text_release(&f->file);
	text_release(&f->debug_file);
	text_release(&f->problem);
}
