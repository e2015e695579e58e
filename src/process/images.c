/*
 * Mapped files, each once: two maps are of one image where path, build id, inode and all
 * else that a recording says are equal. Frames name an image by its id.
 */
#include <errno.h>
#include <unistd.h>

#include "process/keep.h"

/* What tells two images apart. Padding must be zero: it is hashed. */
static uint64_t hash_image(const struct image *im)
{
	uint64_t words[] = {
		(uint64_t)im->kind << 32 | im->path,
		im->build_id_size ? hash_bytes(im->build_id, BUILD_ID_MAX) : 0,
		(uint64_t)im->maj << 32 | im->min,
		im->ino,
		im->generation,
		(uint64_t)im->release << 32 | im->reference,
		(uint64_t)im->arch << 32 | im->is_32bit,
		im->reference_address,
		(uint64_t)im->owner << 32 | im->forked_from,
		(uint64_t)im->code << 32 | im->dump,
	};

	return hash_bytes(words, sizeof(words));
}

/* The same fields as in hash_image(). What a process adds that has the image (origin,
 * first, last, id_of_path) tells nothing apart. */
static bool is_same_image(const struct image *a, const struct image *b)
{
	return a->kind == b->kind && a->path == b->path &&
	       a->build_id_size == b->build_id_size &&
	       memcmp(a->build_id, b->build_id, BUILD_ID_MAX) == 0 && a->maj == b->maj &&
	       a->min == b->min && a->ino == b->ino && a->generation == b->generation &&
	       a->release == b->release && a->arch == b->arch &&
	       a->reference == b->reference && a->is_32bit == b->is_32bit &&
	       a->owner == b->owner && a->forked_from == b->forked_from &&
	       a->dump == b->dump && a->code == b->code &&
	       a->reference_address == b->reference_address;
}

enum {
	SOME = 256, /* images */
	/* With room and what finds it, and once more where files are held. */
	IMAGE_MEMORY = 4 * sizeof(struct image),
};

/* A process may map new files without end under one path. */
static bool allow(struct images *im)
{
	struct budget *budget = im->dirs ? im->dirs->budget : NULL;

	if (!budget || im->list.count < im->allowed)
		return true;
	if (!claim_add_part(&im->claim, budget, BUDGET_NAMES, SOME * IMAGE_MEMORY)) {
		budget_refuse(budget, "files", "what processes have mapped");
		return false;
	}
	im->allowed = im->list.count + SOME;
	return true;
}

int images_add(struct images *im, const struct image *key, uint32_t *ret)
{
	uint64_t hash = hash_image(key), i = hash_start(hash);
	struct image *slot;
	uint32_t id;

	while ((id = hash_find(&im->by_key, hash, &i)) != HASH_NONE)
		if (is_same_image(&im->list.v[id], key)) {
			im->list.v[id].last = key->last;
			/* One map that brought the id itself makes it the image's. */
			im->list.v[id].id_of_path &= key->id_of_path;
			*ret = id;
			return 0;
		}
	/* Not an error: its samples are counted, without a name. */
	if (!allow(im)) {
		*ret = IMAGE_ID_UNKNOWN;
		return 0;
	}
	if (im->list.count >= HASH_NONE - 1 || !array_reserve(&im->list, 1) ||
	    !hash_add(&im->by_key, hash, (uint32_t)im->list.count))
		return -ENOMEM;
	slot = array_add(&im->list);
	*slot = *key;
	*ret = (uint32_t)im->list.count - 1;
	return 0;
}

int images_init(struct images *im, struct intern *strings)
{
	static const struct {
		enum image_kind kind;
		const char *path;
	} fixed[] = {
		[IMAGE_ID_NAMES] = { IMAGE_LABEL, "" },
		[IMAGE_ID_UNKNOWN] = { IMAGE_UNKNOWN, "[unknown]" },
		[IMAGE_ID_GUEST] = { IMAGE_GUEST, "[guest]" },
		[IMAGE_ID_HYPERVISOR] = { IMAGE_HYPERVISOR, "[hypervisor]" },
	};

	/* They are the first in an empty list, so their ids are those of the enum. */
	*im = (struct images){ .strings = strings };
	for (uint32_t i = 0; i < sizeof(fixed) / sizeof(*fixed); i++) {
		struct image key = { .kind = fixed[i].kind };
		uint32_t id;

		if (intern_add(strings, fixed[i].path, strlen(fixed[i].path), &key.path) <
			    0 ||
		    images_add(im, &key, &id) < 0) {
			images_release(im);
			return -ENOMEM;
		}
	}
	return 0;
}

void images_release(struct images *im)
{
	for (size_t i = 0; i < im->dumps.count; i++) {
		jitdump_close(&im->dumps.v[i]->dump);
		if (im->dumps.v[i]->unwind >= 0)
			close(im->dumps.v[i]->unwind);
		if (im->dumps.v[i]->beginning >= 0)
			close(im->dumps.v[i]->beginning);
		text_release(&im->dumps.v[i]->path);
		text_release(&im->dumps.v[i]->problem);
		free(im->dumps.v[i]);
	}
	images_drop_kept(im);
	array_release(&im->dumps);
	array_release(&im->lines);
	array_release(&im->list);
	hash_release(&im->by_key);
	claim_release(&im->claim);
}
