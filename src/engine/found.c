/*
 * Findings as they are asked for, and those that pictures have brought. A picture's are the truth
 * about a recording that is not here any more; of several pictures the same one is said once, and
 * what was judged of all inputs together stands for what each says of itself.
 */
#include <errno.h>

#include "engine/profile.h"

int findings_take(struct ff_profile *p)
{
	struct hash_map known = { 0 };
	/* How many are the profile's own. Read before anything is added: pictures are not
	 * judged by each other. */
	size_t count = p->findings.count;
	int err = 0;

	for (size_t i = 0; i < p->inputs.count; i++) {
		const struct saved_report *r = p->inputs.v[i]->report;

		for (size_t k = 0; r && k < r->findings.count && err == 0; k++) {
			const struct ff_finding *f = &r->findings.v[k];
			struct ff_finding *slot;
			uint32_t kind, cause;
			uint64_t key;
			size_t own = 0;

			while (own < count &&
			       strcmp(p->findings.v[own].kind, f->kind) != 0)
				own++;
			if (own < count)
				continue;
			if (intern_add(&p->strings, f->kind, strlen(f->kind), &kind) <
				    0 ||
			    intern_add(&p->strings, f->cause, strlen(f->cause), &cause) <
				    0) {
				err = -ENOMEM;
				break;
			}
			/* One that is known is not added again. The remedy and the shares
			 * may differ: the first picture's are kept. */
			key = (uint64_t)kind << 32 | cause;
			if (hash_map_get(&known, key))
				continue;
			slot = array_add(&p->findings);
			if (slot)
				*slot = *f;
			if (!slot || !hash_map_set(&known, key, 0))
				err = -ENOMEM;
		}
	}
	hash_map_release(&known);
	return err;
}

const struct ff_finding *ff_finding_next(const struct ff_profile *p,
					 const struct ff_finding *f)
{
	size_t next = f ? (size_t)(f - p->findings.v) + 1 : 0;

	return next < p->findings.count ? &p->findings.v[next] : NULL;
}

const char *ff_finding_text(const struct ff_finding *f, enum ff_finding_text which)
{
	switch (which) {
	case FF_FINDING_KIND:
		return f->kind;
	case FF_FINDING_CAUSE:
		return f->cause;
	case FF_FINDING_REMEDY:
		return f->remedy;
	}
	return NULL;
}

uint64_t ff_finding_part(const struct ff_finding *f)
{
	return f->part;
}

uint64_t ff_finding_whole(const struct ff_finding *f)
{
	return f->whole;
}
