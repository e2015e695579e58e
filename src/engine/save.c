/*
 * What a saved live run says of objects: their build ids, by which others find the same files
 * again, and refuse other ones.
 */
#include "engine/profile.h"
#include "find/find.h"

int save_objects(struct ff_profile *p, struct save *save)
{
	char hex[2 * OBJECT_BUILD_ID_MAX + 1];
	uint8_t id[BUILD_ID_MAX];
	unsigned byte;
	int err = 0;

	if (kernel_build_id_here(hex)) {
		struct save_object kernel = { "[kernel.kallsyms]", MODE_KERNEL, 0, id };

		/* Two hexadecimal digits a byte, up to what perf has room for. */
		while (kernel.size < sizeof(id) &&
		       sscanf(hex + 2 * kernel.size, "%2x", &byte) == 1)
			id[kernel.size++] = (uint8_t)byte;
		err = save_build_id(&p->ctx, save, &kernel);
	}
	for (uint32_t i = 0; i < p->images.list.count && err == 0; i++) {
		struct save_object object = {
			.path = intern_text(&p->strings, p->images.list.v[i].path),
			.mode = MODE_USER,
		};
		struct found found = { 0 };

		if (p->images.list.v[i].kind != IMAGE_FILE)
			continue;
		err = image_find_object(&p->dirs, &p->images, i, 0, &found);
		object.id = found.object.build_id;
		object.size = found.object.build_id_size;
		/* perf has room for 20 bytes. */
		if (object.size > BUILD_ID_MAX)
			object.size = BUILD_ID_MAX;
		/* A file that is not the one that ran would give the wrong id. */
		if (err == 0 && found.object.elf && object.size && !found.refused)
			err = save_build_id(&p->ctx, save, &object);
		found_release(&found);
	}
	return err;
}
