/* An archive is opened and closed. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/index.h"
#include "archive/parts.h"
#include "archive/select.h"
#include "base/budget.h"

int ff_archive_open(struct ff_archive **ret, const char *directory,
		    const struct ff_archive_options *options)
{
	struct ff_archive *a = calloc(1, sizeof(*a));
	char path[4200];
	bool first;
	int err;

	*ret = a;
	if (!a)
		return -ENOMEM;
	a->lock = -1;
	a->memory = budget_usual("");
	if (options)
		memcpy(&a->options, options,
		       options->size < sizeof(a->options) ? options->size
							  : sizeof(a->options));
	a->ctx.log = a->options.log;
	a->ctx.log_arg = a->options.arg;
	a->directory = strdup(directory);
	if (!a->directory)
		return fail_memory(&a->ctx);
	if (strlen(directory) > 4000)
		return fail(&a->ctx, -ENAMETOOLONG, "cannot open '%.100s...': %s",
			    directory, strerror(ENAMETOOLONG));
	err = parts_open(a);
	/* Of several who find none one makes it. */
	snprintf(path, sizeof(path), "%.4000s/index.db", directory);
	first = err == 0 && a->options.flags & FF_ARCHIVE_CREATE &&
		access(path, F_OK) < 0;
	if (first)
		err = parts_lock(a, true);
	if (first && err == 0 && access(path, F_OK) < 0)
		err = parts_expect_none(a);
	if (err == 0)
		err = index_open(a);
	if (err == 0)
		err = select_open(a);
	if (first)
		parts_unlock(a);
	return err;
}

void ff_archive_close(struct ff_archive *a)
{
	if (!a)
		return;
	/* What was added and not committed is as if it had not been. */
	if (a->adding)
		index_end(a, -ECANCELED);
	parts_drop(a, 0);
	array_release(&a->written);
	index_close(a);
	if (a->lock >= 0)
		close(a->lock);
	free(a->directory);
	free(a);
}

const char *ff_archive_error(const struct ff_archive *a)
{
	return a->ctx.error;
}
