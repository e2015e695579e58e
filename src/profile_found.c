/* Findings as they are asked for, and those that pictures have brought. */
#include <errno.h>

#include "profile.h"

int findings_take(struct ff_profile *p, const struct saved_report *r)
{
	for (size_t i = 0; i < r->findings.count; i++) {
		const struct ff_finding *f = &r->findings.v[i];
		bool known = false;
		struct ff_finding *slot;

		for (size_t k = 0; k < p->findings.count; k++)
			known |= strcmp(p->findings.v[k].kind, f->kind) == 0 &&
				 strcmp(p->findings.v[k].cause, f->cause) == 0;
		if (known)
			continue;
		slot = array_add(&p->findings);
		if (!slot)
			return -ENOMEM;
		*slot = *f;
	}
	return 0;
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
