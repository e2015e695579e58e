/* What was chosen is merged: its parts are, as they are profile files. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "archive/merge.h"
#include "archive/select.h"
#include "archive/sql.h"
#include "store/store.h"

int ff_archive_write(struct ff_archive *a, const struct ff_archive_query *q, FILE *out,
		     size_t *refused)
{
	/* A part is merged whole, or not at all: half of it would have to be taken out. */
	static const char mixed[] =
		"SELECT p.level, count(c.file), count(*), strftime(CASE p.level WHEN 1 "
		"THEN '%Y-%m-%dT%H' ELSE '%Y-%m-%d' END, min(f.start_ns) / 1000000000, "
		"'unixepoch') FROM main.part p JOIN main.file f ON f.part = p.id LEFT "
		"JOIN temp.chosen c ON c.file = f.id GROUP BY p.id HAVING count(c.file) "
		"BETWEEN 1 AND count(*) - 1 ORDER BY min(f.start_ns) LIMIT 1";
	part_list parts = { 0 };
	struct merge_job job = { .parts = &parts, .out = out };
	sqlite3_stmt *stmt;
	int err = parts_lock(a, false);

	*refused = 0;
	if (err < 0)
		return err;
	err = select_files(a, q);
	if (err == 0)
		err = sql_start(a, &stmt, mixed, "");
	if (err == 0)
		err = sql_next(a, stmt);
	if (err > 0) {
		const char *level = level_name(sqlite3_column_int64(stmt, 0));

		err = fail(&a->ctx, -ESRCH,
			   "the %s %s was compacted: %lld recordings are one part, of "
			   "which %lld are asked for; ask for whole %ss, and for labels "
			   "that were kept",
			   level, sql_text(stmt, 3),
			   (long long)sqlite3_column_int64(stmt, 2),
			   (long long)sqlite3_column_int64(stmt, 1), level);
		sqlite3_reset(stmt);
	}
	if (err == 0)
		err = select_parts(a, false, &parts);
	if (err == 0 && !parts.count)
		err = fail(&a->ctx, -ENODATA,
			   "nothing in '%s' fits: 'flamefold archive ls %s' lists it",
			   a->directory, a->directory);
	if (err == 0)
		err = merge_parts(a, &job);
	*refused = job.refused;
	parts_unlock(a);
	array_release(&parts);
	return err;
}

int ff_archive_read(struct ff_archive *a, const struct ff_archive_query *q,
		    struct ff_profile *p, size_t *refused)
{
	int fd = store_temporary(&a->ctx), copy = fd < 0 ? -1 : dup(fd);
	FILE *out = copy < 0 ? NULL : fdopen(copy, "w");
	int err = fd < 0 ? fd : out ? 0 : fail_memory(&a->ctx);

	if (err == 0)
		err = ff_archive_write(a, q, out, refused);
	if (out && fclose(out) != 0 && err == 0)
		err = fail(&a->ctx, -errno, "cannot write a temporary file: %s",
			   strerror(errno));
	if (err == 0) {
		err = ff_profile_read_fd(p, fd, a->directory);
		if (err < 0)
			err = fail(&a->ctx, err, "%s", ff_profile_error(p));
	}
	if (fd >= 0)
		close(fd);
	return err;
}
