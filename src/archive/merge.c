/* Parts are merged: one way for all who do. */
#include "archive/merge.h"

#include <errno.h>
#include <flamefold_store.h>

int merge_parts(struct ff_archive *a, struct merge_job *job)
{
	const struct ff_archive_recording *r = job->added;
	size_t count = job->parts ? job->parts->count : 1;
	struct ff_store_options options = {
		.size = sizeof(options),
		.labels = r ? r->labels : NULL,
		.label_count = r ? r->label_count : 0,
		.memory = a->memory,
	};
	const char *name, *why;
	struct ff_merge *m = NULL;
	int err = ff_merge_new(&m, &options);

	job->refused = 0;
	for (size_t i = 0; i < count && err == 0; i++) {
		struct part_path path = { "" };

		if (job->parts)
			path = parts_path(a, job->parts->v[i].hash);
		err = job->parts ? ff_merge_add(m, path.text, NULL)
				 : ff_merge_add(m, r->path, r->name);
		/* The one that is added is told of by its error. */
		if (err == 0 || err == -ENOMEM || r)
			continue;
		warn(&a->ctx, "refused '%s': %s", path.text, ff_merge_error(m));
		job->refused++;
		err = 0;
	}
	if (err == 0)
		err = ff_merge_finish(m);
	/* That one writes to a stream, whose name it does not know. */
	if (err == 0 && (err = ff_merge_write(m, 0, job->out)) < 0)
		err = fail(&a->ctx, err, "'%s': %s", a->directory, ff_merge_error(m));
	else if (err < 0)
		err = fail(&a->ctx, err == -ENODATA ? -EBADMSG : err, "%s",
			   m ? ff_merge_error(m) : "out of memory");
	for (size_t i = 0; m && ff_merge_refused(m, i, &name, &why); i++) {
		if (r)
			err = fail(&a->ctx, -EBADMSG, "%s", why);
		else
			warn(&a->ctx, "refused '%s': %s", name, why);
		job->refused++;
	}
	ff_merge_free(m);
	return err;
}
