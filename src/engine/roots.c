/*
 * Do the stacks that the kernel has followed by frame pointers begin where threads do?
 *
 * Code without frame pointers uses their register for something else. The kernel takes that
 * for the address of a frame, finds nothing there, or garbage, and the stack begins in the
 * middle:
 *
 *	whole      cc1plus; [libc.so.6+0x27200]; main; parse; lookup
 *	not whole  cc1plus; parse; lookup
 *	           cc1plus; [unknown]; lookup
 *
 * A whole stack holds a function that threads begin with, by its name. Where functions have
 * no names, it begins in the C library, or in a program from which a call led to the C
 * library, and goes on in another object: that is what starts main() and threads. Else it
 * begins where most of that object's stacks do, for ends that are garbage differ. Who is to
 * blame is the outermost frame that is code: its caller could not be found.
 */
#include <errno.h>
#include <stdlib.h>

#include "engine/profile.h"

enum root_state {
	ROOT_NONE, /* above all code: the process's frame, and marks */
	ROOT_KERNEL, /* no code of a user */
	ROOT_UNKNOWN, /* addresses without code */
	ROOT_UNNAMED, /* one frame of a program, which may be where it begins */
	ROOT_STRAY, /* the same behind an address without code */
	ROOT_LIBC, /* the C library, which may have started the rest */
	ROOT_OPEN, /* a program without names: to be judged by all its stacks */
	ROOT_LOST,
	ROOT_WHOLE,
};

/* By node of the trie: how its stack begins, and the frame that is asked about. */
struct stack_root {
	uint32_t state : 4, frame : 28;
};

enum frame_class {
	FRAME_NOTHING, /* a name, a mark */
	FRAME_OF_KERNEL,
	FRAME_UNKNOWN,
	FRAME_LIBC, /* of the C library or the loader, without a symbol */
	FRAME_ANONYMOUS, /* of a program, without a symbol */
	FRAME_NAMED,
	FRAME_START, /* threads begin with it */
};

struct judging {
	const struct ff_profile *p;
	struct stack_root *roots;
	uint8_t *classes; /* by frame: enum frame_class + 1; 0: not known yet */
	uint64_t *lost, *open; /* by frame: weight of stacks that begin there */
	uint64_t *by_image; /* weight of all followed stacks that begin in it */
};

/* The end of a name is part of it: "main" is no "main_loop". */
static bool is_start_name(const char *name)
{
	static const char *const starts[] = {
		"main",
		"_start",
		"_start_main",
		"__libc_start_main",
		"__libc_start_main_impl",
		"__libc_start_call_main",
		"__libc_init",
		"generic_start_main",
		"_dl_start",
		"_dl_start_user",
		"start_thread",
		"__start_thread",
		"__pthread_start",
		"thread_start",
		"clone",
		"__clone",
		"clone3",
		"__clone3",
		"__clone_internal",
		"start_c",
		"_start_c",
		"wmain",
		"node::Start",
		"JavaMain",
		"ThreadJavaMain",
		"thread_native_entry",
		"Thread::call_run",
		"_rt0_amd64",
		"_rt0_amd64_linux",
		"_rt0_arm64_linux",
		"_cgo_sys_thread_start",
		"threadentry",
		"crosscall1",
	};
	/* What Erlang's processes return to when they have done, with what its parts are called,
	 * and in perf maps with a '$' in front. */
	static const char erlang[] = "erts_beamasm:normal_exit/0";
	/* Without arguments and a version: "main(int, char**)", "clone@@GLIBC_2.2.5". */
	size_t size = strcspn(name, "(@");

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (strlen(starts[i]) == size && memcmp(name, starts[i], size) == 0)
			return true;
	/* Go: goroutines begin in goexit, threads in mstart, and system stacks where they are
	 * switched to. All its code has frame pointers. */
	return strncmp(name, "runtime.", 8) == 0 ||
	       strncmp(name + (*name == '$'), erlang, sizeof(erlang) - 1) == 0;
}

/*
 * The class says what a frame can prove: a start proves a whole stack, the C library may,
 * code of a program does so by what follows it.
 */
static enum frame_class find_class(const struct ff_profile *p, uint32_t frame)
{
	/* Names of the C library's files and the loader's begin so. */
	static const char *const libc[] = { "libc.so",	  "libc-2.",  "libc.musl",
					    "libpthread", "ld-linux", "ld-musl",
					    "ld-2.",	  "ld.so",    "ld64.so" };
	const struct image *image =
		&p->images.list.v[p->collected.frames.list.v[frame].image];
	const struct function *f = &p->symbols.functions.v[p->symbols.of_frame.v[frame]];
	const char *path = intern_text(&p->strings, image->path);
	const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
	enum frame_class unnamed = FRAME_NAMED;

	switch (image->kind) {
	case IMAGE_LABEL:
		return FRAME_NOTHING;
	case IMAGE_KERNEL:
	case IMAGE_MODULE:
	case IMAGE_KSYMBOL:
	case IMAGE_GUEST:
	case IMAGE_HYPERVISOR:
		return FRAME_OF_KERNEL;
	case IMAGE_UNKNOWN:
	case IMAGE_VSYSCALL:
		return FRAME_UNKNOWN;
	case IMAGE_ANON:
		if (!image->owner)
			return FRAME_UNKNOWN;
		break;
	case IMAGE_JIT:
	case IMAGE_VDSO:
		break;
	case IMAGE_FILE:
		unnamed = FRAME_ANONYMOUS;
		for (size_t i = 0; i < sizeof(libc) / sizeof(*libc); i++)
			if (strncmp(file, libc[i], strlen(libc[i])) == 0)
				unnamed = FRAME_LIBC;
		break;
	}
	if (f->unnamed)
		return unnamed;
	return is_start_name(intern_text(&p->strings, f->name)) ? FRAME_START
								: FRAME_NAMED;
}

/* The outermost code of a stack. */
static enum root_state state_of_first(const struct judging *j, uint32_t frame,
				      enum frame_class class)
{
	/* What is no caller is where the sample was taken: nobody called it that is known. */
	bool called_on = j->p->collected.frames.list.v[frame].flags & FRAME_CALLER;

	if (called_on && class == FRAME_LIBC)
		return ROOT_LIBC;
	return called_on && class == FRAME_ANONYMOUS ? ROOT_UNNAMED : ROOT_LOST;
}

/*
 * What the stack at @parent is with @frame behind it. How a state changes with the next
 * frame, outermost first; a start makes all but KERNEL WHOLE:
 *
 *	NONE       kernel: KERNEL; no code: UNKNOWN; else by state_of_first()
 *	UNKNOWN    no code: UNKNOWN; kernel: LOST; else as NONE, STRAY for UNNAMED
 *	UNNAMED    a caller in libc: LIBC; no name in the same file: OPEN; else LOST
 *	STRAY      a caller in libc: LIBC; else LOST
 *	LIBC       a caller in libc: LIBC; its leaf, or kernel: LOST; else WHOLE
 *	KERNEL, WHOLE, OPEN and LOST stay
 */
static struct stack_root follow_stack(struct judging *j, struct stack_root parent,
				      uint32_t frame)
{
	const struct frame *frames = j->p->collected.frames.list.v;
	bool called_on = frames[frame].flags & FRAME_CALLER;
	struct stack_root next = parent;
	enum frame_class class;

	if (!j->classes[frame])
		j->classes[frame] = (uint8_t)(find_class(j->p, frame) + 1);
	class = j->classes[frame] - 1;
	if (parent.state == ROOT_KERNEL || parent.state == ROOT_WHOLE ||
	    class == FRAME_NOTHING)
		return parent;
	if (class == FRAME_START) {
		next.state = ROOT_WHOLE;
		return next;
	}
	switch ((enum root_state)parent.state) {
	case ROOT_NONE:
		next.frame = frame;
		next.state = class == FRAME_OF_KERNEL ? ROOT_KERNEL
			     : class == FRAME_UNKNOWN ? ROOT_UNKNOWN
						      : state_of_first(j, frame, class);
		break;
	case ROOT_UNKNOWN:
		if (class == FRAME_UNKNOWN)
			break;
		next.state = ROOT_LOST;
		if (class == FRAME_OF_KERNEL)
			break;
		/* What is above _start() is nobody's, and may be garbage. */
		next.frame = frame;
		next.state = state_of_first(j, frame, class);
		if (next.state == ROOT_UNNAMED)
			next.state = ROOT_STRAY;
		break;
	case ROOT_UNNAMED:
	case ROOT_STRAY:
		next.state = ROOT_LOST;
		if (class == FRAME_LIBC && called_on)
			next.state = ROOT_LIBC;
		else if (class == FRAME_ANONYMOUS && parent.state == ROOT_UNNAMED &&
			 frames[parent.frame].image == frames[frame].image)
			next.state = ROOT_OPEN;
		break;
	case ROOT_LIBC:
		next.state = class == FRAME_LIBC ? (called_on ? ROOT_LIBC : ROOT_LOST)
			     : class == FRAME_OF_KERNEL ? ROOT_LOST
							: ROOT_WHOLE;
		break;
	default:
		break;
	}
	return next;
}

static int by_lost(const void *a, const void *b)
{
	const struct root_loss *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return x->image < y->image ? -1 : x->image > y->image;
}

static int list_lost(struct judging *j, struct roots *ret)
{
	const struct frame *frames = j->p->collected.frames.list.v;
	uint64_t *by_image = calloc(j->p->images.list.count, sizeof(*by_image));

	if (!by_image)
		return -ENOMEM;
	for (uint32_t i = 0; i < j->p->collected.frames.list.count; i++) {
		uint32_t image = frames[i].image;

		by_image[image] += j->lost[i];
		/* One root of many is a beginning; one of a few among many is chance. */
		if (j->open[i] < j->by_image[image] / 4)
			by_image[image] += j->open[i];
	}
	for (uint32_t i = 0; i < j->p->images.list.count; i++) {
		struct root_loss *loss = by_image[i] ? array_add(&ret->by_image) : NULL;

		if (!by_image[i])
			continue;
		if (!loss) {
			free(by_image);
			return -ENOMEM;
		}
		*loss = (struct root_loss){ i, by_image[i] };
		ret->lost += by_image[i];
	}
	free(by_image);
	if (ret->by_image.count)
		qsort(ret->by_image.v, ret->by_image.count, sizeof(*ret->by_image.v),
		      by_lost);
	return 0;
}

int roots_judge(const struct ff_profile *p, struct roots *ret)
{
	const struct trie *t = &p->collected.trie;
	size_t frames = p->collected.frames.list.count;
	struct judging j = { .p = p };
	int err = -ENOMEM;

	roots_release(ret);
	/* No stack was followed, or a frame's id has no room in struct stack_root. */
	if (!trie_is_charged(t, COLUMN_FOLLOWED) || frames >= 1 << 28)
		return 0;
	/* All zero: ROOT_NONE for the empty stack, and no class known. */
	j.roots = calloc(t->count, sizeof(*j.roots));
	j.classes = calloc(frames, 1);
	j.lost = calloc(frames, sizeof(*j.lost));
	j.open = calloc(frames, sizeof(*j.open));
	j.by_image = calloc(p->images.list.count, sizeof(*j.by_image));
	if (!j.roots || !j.classes || !j.lost || !j.open || !j.by_image)
		goto out;
	/* A parent's id is below its children's. */
	for (uint32_t id = 1; id < t->count; id++)
		j.roots[id] = follow_stack(&j, j.roots[t->nodes[id].parent],
					   t->nodes[id].frame);
	for (size_t row = 1; row < t->rows.count; row++) {
		uint64_t weight = trie_row_self(t, row, COLUMN_FOLLOWED);
		struct stack_root root = j.roots[trie_row_node(t, row)];

		if (root.state == ROOT_KERNEL || root.state == ROOT_NONE)
			continue;
		/* Where copies of stacks were unwound, those few that could not be copied, as of
		 * a process in the midst of execve(), are no share of note. */
		ret->users += trie_row_self(t, row, COLUMN_WEIGHT);
		if (!weight)
			continue;
		j.by_image[p->collected.frames.list.v[root.frame].image] += weight;
		if (root.state == ROOT_OPEN)
			j.open[root.frame] += weight;
		else if (root.state != ROOT_WHOLE)
			j.lost[root.frame] += weight;
	}
	err = list_lost(&j, ret);
out:
	free(j.roots);
	free(j.classes);
	free(j.lost);
	free(j.open);
	free(j.by_image);
	return err;
}

void roots_release(struct roots *r)
{
	array_release(&r->by_image);
	*r = (struct roots){ 0 };
}
