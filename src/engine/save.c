/*
 * What a saved live run says of objects: their build ids, by which others find the same files
 * again, and refuse other ones.
 */
#include "engine/profile.h"
#include "find/find.h"

/* Modes of an MMAP record. */
enum { OF_KERNEL = MODE_KERNEL, OF_USERS = MODE_USER };

static int save_file_id(struct ff_profile *p, struct save *save, uint32_t index)
{
	const char *path = intern_text(&p->strings, p->images.list.v[index].path);
	struct found found = { 0 };
	int err =
		image_find_object(&p->places, &p->images, &p->strings, index, 0, &found);
	unsigned size = found.object.build_id_size;

	/* perf has room for 20 bytes. */
	if (size > BUILD_ID_MAX)
		size = BUILD_ID_MAX;
	if (err == 0 && found.object.elf && size && !found.refused)
		err = save_build_id(&p->ctx, save, path, OF_USERS, found.object.build_id,
				    size);
	found_release(&found);
	return err;
}

int save_objects(struct ff_profile *p, struct save *save)
{
	char hex[2 * OBJECT_BUILD_ID_MAX + 1];
	uint8_t id[BUILD_ID_MAX];
	unsigned size = 0, byte;
	int err = 0;

	if (kernel_build_id_here(hex)) {
		while (size < sizeof(id) && sscanf(hex + 2 * size, "%2x", &byte) == 1)
			id[size++] = (uint8_t)byte;
		err = save_build_id(&p->ctx, save, "[kernel.kallsyms]", OF_KERNEL, id,
				    size);
	}
	for (uint32_t i = 0; i < p->images.list.count && err == 0; i++)
		if (p->images.list.v[i].kind == IMAGE_FILE)
			err = save_file_id(p, save, i);
	return err;
}
