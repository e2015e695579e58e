/*
 * How the share of a function has gone. The index has what it weighs in each recording, so no part is
 * read, and compaction changes nothing.
 */
#include "archive/select.h"
#include "archive/sql.h"

/* A 64-bit number without a sign, as a real one. */
#define REAL(column)                                                                     \
	"(CASE WHEN " column " < 0 THEN " column " + 18446744073709551616.0 ELSE "       \
	"1.0 * " column " END)"
/* Of a function that may be in several modules; NULL: it is not listed. */
#define OF_SYMBOL(column)                                                                \
	"(SELECT sum(" REAL(                                                             \
		column) ") FROM main.symbol y JOIN main.file_symbol s ON "               \
			"s.symbol = y.id AND s.file = f.id WHERE y.name = ?1) / "        \
			"CAST('1e' || f.decimals AS REAL)"
#define BEGAN(format)                                                                    \
	"CASE WHEN f.start_ns > 0 THEN strftime('" format "', f.start_ns / 1000000000, " \
	"'unixepoch') ELSE '' END"

int ff_archive_trend(struct ff_archive *a, const struct ff_archive_query *q,
		     const struct ff_archive_trend *ask)
{
	/* Each recording is one of its own, others with the same value are added up. Whose time is not known
	 * is not the first of any. */
	/* clang-format off */
	static const char sql[] =
		"WITH weighed AS (SELECT f.start_ns, f.event, f.unit, "
		"CASE ?2 WHEN 'recording' THEN f.id ELSE 0 END AS alone, "
		"CASE ?2 WHEN 'recording' THEN f.name WHEN 'host' THEN f.host "
		"WHEN 'hour' THEN " BEGAN("%Y-%m-%dT%H") " "
		"WHEN 'day' THEN " BEGAN("%Y-%m-%d") " "
		"ELSE (SELECT min(l.value) FROM main.label l WHERE l.file = f.id AND l.key = ?2) "
		"END AS value, "
		REAL("f.weight") " / CAST('1e' || f.decimals AS REAL) AS weight, "
		OF_SYMBOL("s.self") " AS self, "
		OF_SYMBOL("s.total") " AS total "
		"FROM temp.chosen c JOIN main.file f ON f.id = c.file) "
		"SELECT value, event, min(start_ns), count(*), sum(weight), sum(self), sum(total), "
		"count(self) FROM weighed GROUP BY alone, value, event, unit "
		"ORDER BY min(start_ns) = 0, min(start_ns), value, event, unit, alone";
	/* clang-format on */
	sqlite3_stmt *stmt;
	int more = 1, err = select_files(a, q);

	if (err == 0)
		err = sql_start(a, &stmt, sql, "tt", ask->symbol, ask->by);
	while (err == 0 && (more = sql_next(a, stmt)) > 0) {
		double all = sqlite3_column_double(stmt, 4);
		double total = sqlite3_column_double(stmt, 6);

		all = all > 0 ? all : 1;
		/* A stack that passes two functions of the name counts for each. */
		total = total < all ? total : all;
		err = ask->each(
			ask->arg,
			&(struct ff_archive_share){
				.value = sql_text(stmt, 0),
				.event = sql_text(stmt, 1),
				.started = (uint64_t)sqlite3_column_int64(stmt, 2),
				.files = (uint64_t)sqlite3_column_int64(stmt, 3),
				.self = sqlite3_column_double(stmt, 5) / all,
				.total = total / all,
				.is_listed = sqlite3_column_int(stmt, 7) > 0,
			});
		if (err < 0)
			sqlite3_reset(stmt);
	}
	return err < 0 ? err : more < 0 ? more : 0;
}
