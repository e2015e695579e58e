/*
 * From an image of the timeline to the file that holds its bytes: find/ is told all that
 * the recording said of it, and of the processes that had it mapped, where these are
 * processes of this machine.
 */
#include "process/image_file.h"

#include <errno.h>
#include <sys/utsname.h>

#include "find/find.h"
#include "process/keep.h"

/* A recording that does not say where it was made is of another machine, and names of
 * machines are not unique: the kernel has to be the same, too. */
static bool is_here(const struct intern *strings, const struct image_user *user)
{
	const char *name = intern_text(strings, user->host);
	const char *release = intern_text(strings, user->kernel);
	struct utsname own;

	return *name && uname(&own) == 0 && strcmp(name, own.nodename) == 0 &&
	       strcmp(release, own.release) == 0;
}

/* Processes of other machines are none of ours. */
static struct file_user user_here(const struct intern *strings,
				  const struct image_user *user)
{
	if (user->pid == 0 || !is_here(strings, user))
		return (struct file_user){ 0 };
	return (struct file_user){ user->pid, user->start, user->end, user->began,
				   user->ended };
}

/* Neither @here nor @elsewhere is set where the recording does not say of which machine
 * it is, and where this one runs another kernel now. */
struct jit_process image_jit_process(const struct intern *strings,
				     const struct image *image)
{
	const char *host = intern_text(strings, image->last.host);
	struct utsname own;

	return (struct jit_process){
		.pid = image->owner,
		.here = is_here(strings, &image->last),
		.elsewhere = *host && uname(&own) == 0 && strcmp(host, own.nodename),
		.started = image->origin.started,
		.seen = image->origin.seen,
		.pid_namespace = image->origin.pid_namespace,
	};
}

static struct wanted_object describe(const struct intern *strings,
				     const struct image *image)
{
	struct wanted_object w = {
		.path = intern_text(strings, image->path),
		.build_id = image->build_id,
		.build_id_size = image->build_id_size,
		.id_of_path = image->id_of_path,
		.file = { image->maj, image->min, image->ino, image->generation },
		.users = { user_here(strings, &image->last),
			   user_here(strings, &image->first) },
		.vdso = image->kind == IMAGE_VDSO,
	};

	if (w.users[1].pid == w.users[0].pid)
		w.users[1].pid = 0;
	w.here = w.users[0].pid || w.users[1].pid;
	return w;
}

/*
 * Whether the vdso of this process is the recorded one. Without a build id it is taken
 * for that as long as nothing says that the recording is of another machine or kernel.
 * Ours is that of 64-bit tasks.
 */
static bool is_own_vdso(const struct intern *strings, const struct image *image,
			const struct object *own)
{
	const char *release = intern_text(strings, image->release);
	const char *arch = intern_text(strings, image->arch);
	struct utsname machine;

	if (image->is_32bit)
		return false;
	if (image->build_id_size)
		return object_has_build_id(own, image->build_id, image->build_id_size);
	if (*arch && (uname(&machine) < 0 || strcmp(arch, machine.machine) != 0))
		return false;
	return kernel_match(image->build_id, 0, release) != KERNEL_OTHER;
}

/*
 * The kernel's code in user memory has no file, but perf puts a copy in its cache. This
 * process has one mapped, too, so that is compared first: it needs no file. Below a symfs
 * nothing of this machine counts.
 */
static int find_vdso(const struct search_dirs *dirs, const struct intern *strings,
		     const struct image *image, unsigned need, struct found *f)
{
	struct wanted_object wanted = describe(strings, image);
	bool own = !symfs_is_set(dirs);
	struct context ctx = { 0 };
	int err = own ? object_open_vdso(&ctx, &f->object) : -ENOENT;

	if (err == -ENOMEM)
		return err;
	if (err == 0 && is_own_vdso(strings, image, &f->object)) {
		text_string(&f->file, "[vdso]");
		return 0;
	}
	found_release(f);
	err = find_object(dirs, &wanted, need, f);
	if (err < 0 || f->object.elf)
		return err;
	text_clear(&f->problem);
	text_string(&f->problem, own ? "the recorded vdso is not this machine's"
				     : "no vdso below the symfs");
	return 0;
}

int find_image_file(const struct images *images, const struct search_dirs *dirs,
		    const struct image *image, unsigned need, struct found *ret)
{
	struct found f = { .object.fd = -1, .debug.fd = -1 };
	struct text kept = { 0 };
	int err = 0;

	if (image->kind == IMAGE_FILE) {
		struct wanted_object wanted = describe(images->strings, image);

		wanted.live = images->kept;
		/* What is held open of it counts where its path leads to something
		 * else. */
		if (image_kept_path(images, image, &kept))
			wanted.kept = kept.bytes;
		err = kept.failed ? -ENOMEM : find_object(dirs, &wanted, need, &f);
		text_release(&kept);
	} else if (image->kind == IMAGE_VDSO) {
		err = find_vdso(dirs, images->strings, image, need, &f);
	}
	if (err == 0 && (f.file.failed || f.problem.failed))
		err = -ENOMEM;
	if (err < 0) {
		found_release(&f);
		return err;
	}
	*ret = f;
	return 0;
}

int image_find_object(const struct search_dirs *dirs, const struct images *images,
		      uint32_t image, unsigned need, struct found *ret)
{
	const struct image *of = &images->list.v[image];
	struct found f = { .object.fd = -1, .debug.fd = -1 };
	struct context ctx = { 0 };
	int fd, err = 0;

	if (of->kind != IMAGE_JIT)
		return find_image_file(images, dirs, of, need, ret);
	ctx.budget = dirs->budget;
	fd = images->dumps.v[of->dump]->unwind;
	if (need == NEED_UNWIND && fd >= 0) {
		/* Opened by a path, so that it can be opened again: proc(5), /proc/[pid]/fd. */
		text_printf(&f.file, "/proc/self/fd/%d", fd);
		err = f.file.failed ? -ENOMEM
				    : object_open(&ctx, f.file.bytes, &f.object);
	}
	if (err == -ENOMEM) {
		found_release(&f);
		return err;
	}
	*ret = f;
	return 0;
}
