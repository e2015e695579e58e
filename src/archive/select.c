/* Which recordings are asked for, and what they are. */
#include "archive/select.h"

#include <errno.h>
#include <string.h>

#include "archive/sql.h"
#include "base/text.h"

#define SECOND 1000000000ull

const char *level_name(int64_t level)
{
	static const char *const names[] = {
		[FF_ARCHIVE_RECORDING] = "recording",
		[FF_ARCHIVE_HOUR] = "hour",
		[FF_ARCHIVE_DAY] = "day",
	};

	return level >= 0 && level <= FF_ARCHIVE_DAY ? names[level] : "?";
}

int select_open(struct ff_archive *a)
{
	static const char tables[] =
		"CREATE TEMP TABLE wanted(key TEXT, value TEXT, UNIQUE(key, value));"
		"CREATE TEMP TABLE chosen(file INTEGER PRIMARY KEY)";
	int code = sqlite3_exec(a->db, tables, NULL, NULL, NULL);

	return code == SQLITE_OK ? 0 : sql_fail(a, code);
}

/* A key with "" stands for the host: no label is called so. */
static int want(struct ff_archive *a, const char *key, const char *value)
{
	int err = sql_run(a, NULL,
			  "INSERT INTO temp.wanted VALUES(?, ?) ON CONFLICT DO NOTHING",
			  "tt", key, value);

	return err < 0 ? err : 0;
}

int select_want(struct ff_archive *a, const char *const *keys, size_t count)
{
	int err = sql_run(a, NULL, "DELETE FROM temp.wanted", "");

	for (size_t i = 0; i < count && err >= 0; i++)
		err = want(a, keys[i], "");
	return err < 0 ? err : 0;
}

/* As many keys as were asked for have one of their values. */
#define FILES_THAT_FIT                                                                   \
	"FROM main.file f WHERE f.start_ns BETWEEN ?1 AND ?2 AND "                       \
	"(SELECT count(DISTINCT w.key) FROM temp.wanted w "                              \
	"WHERE (w.key = '' AND w.value = f.host) OR EXISTS(SELECT 1 FROM "               \
	"main.label l WHERE l.file = f.id AND l.key = w.key AND l.value = "              \
	"w.value)) = (SELECT count(DISTINCT key) FROM temp.wanted)"

int select_files(struct ff_archive *a, const struct ff_archive_query *given)
{
	static const char choose[] =
		"INSERT INTO temp.chosen SELECT f.id " FILES_THAT_FIT;
	static const char timeless[] = "SELECT count(*) " FILES_THAT_FIT;
	struct ff_archive_query q = { 0 };
	int64_t first = 0, last = INT64_MAX, left_out = 0;
	struct text key = { 0 };
	int err;

	if (given)
		memcpy(&q, given, given->size < sizeof(q) ? given->size : sizeof(q));
	err = sql_run(a, NULL, "DELETE FROM temp.chosen", "");
	if (err >= 0)
		err = select_want(a, NULL, 0);
	for (size_t i = 0; i < q.host_count && err >= 0; i++)
		err = want(a, "", q.hosts[i]);
	for (size_t i = 0; i < q.label_count && err >= 0; i++) {
		const char *equals = strchr(q.labels[i], '=');

		if (!equals || equals == q.labels[i]) {
			err = fail(&a->ctx, -EINVAL, "a label is KEY=VALUE, not '%s'",
				   q.labels[i]);
			break;
		}
		text_clear(&key);
		text_add(&key, q.labels[i], (size_t)(equals - q.labels[i]));
		err = key.failed ? fail_memory(&a->ctx) : want(a, key.bytes, equals + 1);
	}
	text_release(&key);
	if (err >= 0 && (q.since > INT64_MAX / SECOND || q.until > INT64_MAX / SECOND))
		err = fail(&a->ctx, -EINVAL, "a time is later than there are any");
	/* A time that is not known is 0, and in no range. */
	if (q.since || q.until)
		first = q.since ? (int64_t)(q.since * SECOND) : 1;
	if (q.until)
		last = (int64_t)(q.until * SECOND) - 1;
	if (err >= 0)
		err = sql_run(a, NULL, choose, "ii", first, last);
	/* perf record writes no time of day, unless it is told to. */
	if (err >= 0 && first > 0)
		err = sql_run(a, &left_out, timeless, "ii", (int64_t)0, (int64_t)0);
	if (err >= 0 && left_out)
		warn(&a->ctx,
		     "left out: %lld recording%s that %s not say when %s began "
		     "('archive add --recorded=WHEN' does)",
		     (long long)left_out, left_out == 1 ? "" : "s",
		     left_out == 1 ? "does" : "do", left_out == 1 ? "it" : "they");
	return err < 0 ? err : 0;
}

int select_parts(struct ff_archive *a, bool whole, part_list *ret)
{
	static const char ask[] =
		"SELECT p.sha256, p.level, min(f.start_ns), count(*), count(c.file) FROM "
		"main.part p JOIN main.file f ON f.part = p.id LEFT JOIN temp.chosen c "
		"ON "
		"c.file = f.id WHERE p.id IN (SELECT part FROM main.file WHERE id IN "
		"temp.chosen) GROUP BY p.id ORDER BY p.sha256";
	sqlite3_stmt *stmt;
	int more, err = sql_start(a, &stmt, ask, "");

	if (err < 0)
		return err;
	while ((more = sql_next(a, stmt)) > 0) {
		const uint8_t *hash = sql_hash(stmt, 0);
		int64_t all = sqlite3_column_int64(stmt, 3);
		int64_t chosen = sqlite3_column_int64(stmt, 4);
		struct part *slot;

		if (whole && chosen < all)
			continue;
		slot = hash ? array_add(ret) : NULL;
		if (!slot)
			return hash ? fail_memory(&a->ctx)
				    : fail(&a->ctx, -EBADMSG,
					   "'%s/index.db' is damaged: a part has no hash",
					   a->directory);
		memcpy(slot->hash, hash, sizeof(slot->hash));
	}
	return more;
}

int select_labels(struct ff_archive *a, int64_t file, struct text *ret, struct text *list)
{
	sqlite3_stmt *stmt;
	int more, err = sql_start(
			  a, &stmt,
			  "SELECT key, value FROM label WHERE file=? ORDER BY key, value",
			  "i", file);

	text_clear(ret);
	text_string(ret, "");
	text_clear(list);
	text_string(list, "");
	if (err < 0)
		return err;
	while ((more = sql_next(a, stmt)) > 0) {
		text_printf(ret, "%s%s=%s", ret->size ? " " : "", sql_text(stmt, 0),
			    sql_text(stmt, 1));
		text_printf(list, "%s=%s", sql_text(stmt, 0), sql_text(stmt, 1));
		text_char(list, '\0');
	}
	return more == 0 && (ret->failed || list->failed) ? fail_memory(&a->ctx) : more;
}

int select_each(struct ff_archive *a, ff_archive_each *each, void *arg)
{
	static const char ask[] =
		"SELECT f.id, f.name, f.host, f.kernel, f.event, f.unit, f.start_ns, "
		"f.end_ns, f.samples, f.weight, f.decimals, p.level FROM temp.chosen c "
		"JOIN main.file f ON f.id = c.file JOIN main.part p ON p.id = f.part "
		"ORDER BY f.start_ns, f.host, f.name, f.id";
	struct text labels = { 0 }, list = { 0 };
	sqlite3_stmt *stmt;
	int more = 1, err = sql_start(a, &stmt, ask, "");

	while (err == 0 && (more = sql_next(a, stmt)) > 0) {
		struct ff_archive_file file = {
			.name = sql_text(stmt, 1),
			.host = sql_text(stmt, 2),
			.kernel = sql_text(stmt, 3),
			.event = sql_text(stmt, 4),
			.unit = sql_text(stmt, 5),
			.started = (uint64_t)sqlite3_column_int64(stmt, 6),
			.ended = (uint64_t)sqlite3_column_int64(stmt, 7),
			.samples = (uint64_t)sqlite3_column_int64(stmt, 8),
			.weight = (uint64_t)sqlite3_column_int64(stmt, 9),
			.decimals = (unsigned)sqlite3_column_int(stmt, 10),
			.part = level_name(sqlite3_column_int64(stmt, 11)),
		};

		err = select_labels(a, sqlite3_column_int64(stmt, 0), &labels, &list);
		file.labels = labels.bytes;
		file.label_list = list.bytes;
		if (err == 0)
			err = each(arg, &file);
	}
	if (err < 0 && more > 0)
		sqlite3_reset(stmt);
	text_release(&labels);
	text_release(&list);
	return err < 0 ? err : more < 0 ? more : 0;
}

int ff_archive_list(struct ff_archive *a, const struct ff_archive_query *q,
		    ff_archive_each *each, void *arg)
{
	int err = select_files(a, q);

	return err < 0 ? err : select_each(a, each, arg);
}
