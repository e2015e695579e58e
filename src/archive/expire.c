/* What is old enough goes: from the index at first, then from the disk. */
#include <errno.h>

#include "archive/index.h"
#include "archive/select.h"
#include "archive/sql.h"

int ff_archive_expire(struct ff_archive *a, const struct ff_archive_query *q,
		      ff_archive_each *each, void *arg)
{
	/* A part stays with all that is in it where some of that does. */
	static const char mixed[] =
		"SELECT f.name, p.level FROM temp.chosen c JOIN main.file f ON f.id = "
		"c.file JOIN main.part p ON p.id = f.part WHERE p.id IN (SELECT part "
		"FROM "
		"main.file WHERE id NOT IN temp.chosen) ORDER BY f.start_ns, f.id";
	static const char keep[] =
		"DELETE FROM temp.chosen WHERE file IN (SELECT id FROM main.file WHERE "
		"part IN (SELECT part FROM main.file WHERE id NOT IN temp.chosen))";
	static const char *const statements[] = {
		"DELETE FROM main.file_symbol WHERE file IN temp.chosen",
		"DELETE FROM main.label WHERE file IN temp.chosen",
		"DELETE FROM main.input WHERE file IN temp.chosen",
		"DELETE FROM main.file WHERE id IN temp.chosen",
		"DELETE FROM main.part WHERE id NOT IN (SELECT part FROM main.file)",
		/* Not all of that table in memory. */
		"DELETE FROM main.symbol WHERE NOT EXISTS (SELECT 1 FROM "
		"main.file_symbol s WHERE s.symbol = symbol.id)",
	};
	bool dry = a->options.flags & FF_ARCHIVE_DRY_RUN;
	part_list gone = { 0 };
	sqlite3_stmt *stmt;
	int err = parts_lock(a, true);

	if (err < 0)
		return err;
	err = dry ? 0 : index_begin(a);
	if (err < 0) {
		parts_unlock(a);
		return err;
	}
	err = select_files(a, q);
	if (err == 0)
		err = sql_start(a, &stmt, mixed, "");
	if (err == 0)
		while ((err = sql_next(a, stmt)) > 0)
			warn(&a->ctx,
			     "'%s' stays: it is in one part with others of its %s",
			     sql_text(stmt, 0),
			     level_name(sqlite3_column_int64(stmt, 1)));
	if (err == 0)
		err = sql_run(a, NULL, keep, "");
	if (err == 0)
		err = select_each(a, each, arg);
	if (err == 0)
		err = select_parts(a, true, &gone);
	for (size_t i = 0;
	     !dry && err == 0 && i < sizeof(statements) / sizeof(*statements); i++)
		err = sql_run(a, NULL, statements[i], "");
	if (!dry)
		err = index_end(a, err);
	if (err == 0 && !dry)
		parts_remove(a, &gone);
	parts_unlock(a);
	array_release(&gone);
	return err;
}
