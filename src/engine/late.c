/*
 * What was folded where its files were not is named where they are: each file of a build id is looked
 * for once, whatever number of recordings it was in, and its addresses are named as those of a recording
 * are. What needs the code itself while stacks are read, unwinding and callers that are inferred, is not
 * made up for.
 */
#include "engine/late.h"

#include <flamefold_store.h>
#include <stdlib.h>

#include "engine/profile.h"

/* A frame of the file that has an address. */
struct late_frame {
	uint32_t frame,
		of_profile; /* numbers in the file, and in the profile that names it */
};

struct late_names {
	struct ff_profile *p;
	struct ff_merge_named *told;
	ARRAY(struct late_frame) frames;
};

/* The files become images, and the addresses frames of a profile without samples. */
static int ask_addresses(struct late_names *l, const struct store_tables *from)
{
	struct ff_profile *p = l->p;
	size_t known = p->images.list.count;
	int err = 0;

	for (uint32_t i = 1; i < from->frames.count && err == 0; i++) {
		const struct store_frame *f = &from->frames.v[i];
		const struct store_module *m = &from->modules.v[f->module];
		const char *path = intern_text(from->strings, m->name);
		struct image image = { .kind = IMAGE_FILE };
		struct frame frame = { 0 };
		struct late_frame *slot;

		if (!f->address || m->build_id_size > BUILD_ID_MAX)
			continue;
		image.build_id_size = m->build_id_size;
		memcpy(image.build_id, m->build_id, m->build_id_size);
		frame.address = (f->address - 1) / 2;
		frame.flags = (f->address - 1) % 2 ? FRAME_CALLER : 0;
		err = intern_add(&p->strings, path, strlen(path), &image.path);
		if (err == 0)
			err = images_add(&p->images, &image, &frame.image);
		slot = err < 0 ? NULL : array_add(&l->frames);
		if (!slot)
			return -ENOMEM;
		slot->frame = i;
		err = frames_add(&p->collected.frames, &frame, &slot->of_profile);
	}
	l->told->addresses += l->frames.count;
	l->told->build_ids += p->images.list.count - known;
	return err;
}

static int add_late_name(const struct late_names *l, struct store_renaming *r,
			 uint32_t function)
{
	const struct ff_profile *p = l->p;
	const struct function *f = &p->symbols.functions.v[function];
	const char *name = intern_text(&p->strings, f->name);
	const char *module = intern_text(&p->strings, f->module);
	struct store_frame frame = { .kind = data_kind(f), .address = f->address };
	struct store_module of = { 0 };
	uint32_t *slot = array_add(&r->frames);

	if (f->address) {
		const struct image *image = &p->images.list.v[f->image];

		of.build_id_size = image->build_id_size;
		memcpy(of.build_id, image->build_id, image->build_id_size);
	}
	return slot && intern_add(r->to->strings, name, strlen(name), &frame.name) == 0 &&
			       intern_add(r->to->strings, module, strlen(module),
					  &of.name) == 0 &&
			       store_add_module(r->to, &of, &frame.module) == 0 &&
			       store_add_frame(r->to, &frame, slot) == 0
		       ? 0
		       : -ENOMEM;
}

/* Of a file that is not there nothing is known, and it may be there another time. */
static int rename_frames(void *arg, struct store_renaming *r)
{
	struct late_names *l = arg;
	struct ff_profile *p = l->p;
	size_t next = 0;
	int err = ask_addresses(l, r->from);

	if (err == 0 && l->frames.count)
		err = name_frames(p);
	for (size_t i = 0; err == 0 && i < p->symbols.images.count; i++)
		l->told->found +=
			p->symbols.images.v[i].frames && p->symbols.images.v[i].file;
	for (uint32_t i = 1; i < r->from->frames.count && err == 0; i++) {
		uint32_t frame, count;
		const uint32_t *inlined;

		r->start[i] = (uint32_t)r->frames.count;
		frame = next < l->frames.count && l->frames.v[next].frame == i
				? l->frames.v[next++].of_profile
				: UINT32_MAX;
		if (frame == UINT32_MAX ||
		    !p->symbols.images.v[p->collected.frames.list.v[frame].image].file) {
			uint32_t *slot = array_add(&r->frames);

			err = slot ? store_rename_keep(r, i, slot) : -ENOMEM;
			continue;
		}
		inlined = symbols_inlined(&p->symbols, frame, &count);
		err = add_late_name(l, r, p->symbols.of_frame.v[frame]);
		for (uint32_t k = 0; k < count && err == 0; k++)
			err = add_late_name(l, r, inlined[k]);
		l->told->named +=
			!p->symbols.functions.v[p->symbols.of_frame.v[frame]].unnamed;
	}
	r->start[r->from->frames.count] = (uint32_t)r->frames.count;
	return err < 0 ? fail_memory(&p->ctx) : 0;
}

int late_symbolize(struct context *ctx, const struct late_job *job, FILE *out)
{
	struct late_names l = { .told = job->told };
	struct store_rewriting how = {
		.fd = job->fd,
		.name = "what was merged",
		.plain = job->plain,
		.rename = rename_frames,
		.arg = &l,
	};
	int err = ff_profile_new(&l.p, job->options);

	if (!l.p)
		return fail_memory(ctx);
	if (err == 0)
		err = store_rewrite(&l.p->ctx, &how, out);
	/* A server that is not there is why names are missing. */
	if (err == 0)
		warn_of_unread(l.p);
	if (err < 0)
		fail(ctx, err, "%s", l.p->ctx.error);
	array_release(&l.frames);
	ff_profile_free(l.p);
	return err;
}
