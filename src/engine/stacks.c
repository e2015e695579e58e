/*
 * What a live run that chose by itself how to record stacks has chosen, and why: the files that most
 * of its frames are in are asked whether their code keeps frame pointers.
 */
#include <errno.h>
#include <inttypes.h>

#include "base/text.h"
#include "engine/profile.h"

enum {
	ASKED_MOST = 8, /* files, 5 ms each at the most */
	NAMED_MOST = 3,
};

/* A file, and how many distinct frames are in it. */
struct hit_file {
	uint32_t image;
	uint32_t frames;
};

static int files_by_frames(const void *a, const void *b)
{
	const struct hit_file *x = a, *y = b;

	if (x->frames != y->frames)
		return x->frames < y->frames ? 1 : -1;
	return x->image < y->image ? -1 : x->image > y->image;
}

/* Those without frame pointers, of the files with most frames. @kept: all of these keep them, and there
 * is no code of a JIT compiler. */
static int name_omitting(struct ff_profile *p, struct text *to, bool *kept)
{
	size_t asked = 0, found = 0, count = p->images.list.count;
	struct hit_file *files = calloc(count + 1, sizeof(*files));
	int err = 0;

	if (!files)
		return -ENOMEM;
	/* By image id first, then by frames: the index is lost when they are sorted. */
	for (uint32_t i = 0; i < count; i++)
		files[i].image = i;
	for (size_t i = 0; i < p->collected.frames.list.count; i++)
		files[p->collected.frames.list.v[i].image].frames++;
	qsort(files, count, sizeof(*files), files_by_frames);
	*kept = true;
	for (size_t i = 0; i < count && asked < ASKED_MOST && err == 0; i++) {
		const struct image *image = &p->images.list.v[files[i].image];
		const char *path = intern_text(&p->strings, image->path);
		const char *slash = strrchr(path, '/');
		bool omitting;

		if (files[i].frames == 0)
			break;
		/* A JIT compiler's code is in no file that could be asked. */
		*kept &= !image->owner;
		if (image->kind != IMAGE_FILE)
			continue;
		asked++;
		err = binaries_omit_frame_pointers(p->binaries, files[i].image,
						   &omitting);
		if (err == 0 && omitting && found++ < NAMED_MOST)
			text_printf(to, "%s%s", found > 1 ? ", " : "",
				    slash ? slash + 1 : path);
	}
	if (found > NAMED_MOST)
		text_printf(to, " and %zu more", found - NAMED_MOST);
	/* Where no file was asked nothing is known, so nothing is recommended. */
	*kept &= asked > 0 && found == 0;
	free(files);
	return err;
}

int profile_say_stacks(struct ff_profile *p, const struct stacks_used *used)
{
	struct text omitting = { 0 }, sentence = { 0 };
	uint64_t joined = p->collected.unwound.joined;
	bool kept = true;
	int err = 0;

	if (used->stack_size) {
		err = name_omitting(p, &omitting, &kept);
		text_printf(&sentence,
			    "stacks: copied, up to %u bytes each, %.1f MB/s in all",
			    used->stack_size,
			    used->seconds > 0 ? (double)used->bytes / used->seconds / 1e6
					      : 0);
		if (omitting.size)
			text_printf(&sentence, ", for code without frame pointers (%s)",
				    omitting.bytes);
		if (kept)
			text_string(&sentence,
				    "; the code that was seen keeps frame pointers, and "
				    "-g fp does without copies");
		if (joined)
			text_printf(&sentence,
				    "; %" PRIu64 " went on by frame pointers behind the "
				    "copy",
				    joined);
	} else {
		text_string(&sentence, "stacks: by frame pointers, which all code that "
				       "was mapped keeps");
	}
	if (err == 0 && !sentence.failed && !omitting.failed)
		p->stacks_sentence = arena_text(&p->arena, sentence.bytes, sentence.size);
	if (!p->stacks_sentence)
		err = fail_memory(&p->ctx);
	text_release(&omitting);
	text_release(&sentence);
	return err;
}

const char *ff_record_stacks(const struct ff_profile *p)
{
	return p->stacks_sentence;
}
