/*
 * Parts of one hour or day become one. The index keeps what it knows of each recording; only the
 * part that it lies in is another one. So all answers but merged graphs of less than a part stay, and these
 * are refused.
 */
#include <errno.h>
#include <string.h>

#include "archive/index.h"
#include "archive/merge.h"
#include "archive/select.h"
#include "archive/sql.h"
#include "base/text.h"

/* They become one part, or stay where one of them cannot be read: without it the sum would be another
 * one. */
static int compact_group(struct ff_archive *a, const part_list *parts,
			 struct ff_archive_compaction *how)
{
	struct merge_job job = { .parts = parts };
	struct new_part made = { 0 };
	int64_t id;
	int err = parts_begin(a, &made);

	if (err < 0)
		return err;
	job.out = made.stream;
	err = merge_parts(a, &job);
	how->refused += job.refused;
	if (err < 0 || job.refused) {
		parts_discard(&made);
		return err == -EBADMSG || job.refused ? 0 : err;
	}
	err = parts_end(a, &made);
	if (err == 0)
		err = parts_settle(a);
	if (err == 0)
		err = index_begin(a);
	if (err < 0)
		return err;
	err = sql_run(a, NULL, "INSERT INTO part(sha256, level, bytes) VALUES(?, ?, ?)",
		      "hii", made.hash, (int64_t)how->level, (int64_t)made.bytes);
	id = sqlite3_last_insert_rowid(a->db);
	for (size_t i = 0; i < parts->count && err >= 0; i++) {
		err = sql_run(a, NULL,
			      "UPDATE file SET part=? WHERE part=(SELECT id FROM part "
			      "WHERE sha256=?)",
			      "ih", id, parts->v[i].hash);
		if (err >= 0)
			err = sql_run(a, NULL, "DELETE FROM part WHERE sha256=?", "h",
				      parts->v[i].hash);
	}
	err = index_end(a, err < 0 ? err : 0);
	if (err == 0)
		parts_remove(a, parts);
	return err;
}

/* Where one group ends and the next one begins, in a list of parts that have each one. */
struct part_groups {
	part_list parts;
	ARRAY(size_t) starts;
};

/*
 * A group is what is of one hour or day and agrees in what is to be kept apart, with at least two
 * parts. A part whose recordings do not agree, because less was kept before, is in none.
 */
static int find_groups(struct ff_archive *a, const struct ff_archive_compaction *how,
		       struct part_groups *ret)
{
	static const char sql[] =
		"WITH facts AS (SELECT f.part, (f.start_ns / ?1) || ' ' || CASE WHEN ?2 "
		"OR "
		"EXISTS(SELECT 1 FROM temp.wanted WHERE key = 'host') THEN quote(f.host) "
		"ELSE '' END || coalesce((SELECT group_concat(l.text) FROM (SELECT "
		"quote(key) || '=' || quote(value) AS text FROM main.label WHERE file = "
		"f.id AND (?2 OR key IN (SELECT key FROM temp.wanted)) ORDER BY key, "
		"value) l), '') AS said, f.start_ns FROM main.file f) SELECT p.sha256, "
		"min(x.said) FROM main.part p JOIN facts x ON x.part = p.id WHERE "
		"p.level "
		"<= ?3 GROUP BY p.id HAVING min(x.start_ns) > 0 AND min(x.said) = "
		"max(x.said) ORDER BY 2, p.id";
	int64_t length = (how->level == FF_ARCHIVE_HOUR ? 3600 : 86400) * 1000000000ll;
	struct text last = { 0 };
	sqlite3_stmt *stmt;
	int more = 0, err = select_want(a, how->keep, how->keep_count);

	if (err == 0)
		err = sql_start(a, &stmt, sql, "iii", length, (int64_t)!how->keep_count,
				(int64_t)how->level);
	while (err == 0 && (more = sql_next(a, stmt)) > 0) {
		const uint8_t *hash = sql_hash(stmt, 0);
		struct part *slot = hash ? array_add(&ret->parts) : NULL;
		size_t *start = &(size_t){ 0 };

		if (!last.bytes || strcmp(last.bytes, sql_text(stmt, 1)) != 0)
			start = array_add(&ret->starts);
		text_clear(&last);
		text_string(&last, sql_text(stmt, 1));
		if (!slot || !start || last.failed) {
			err = hash ? fail_memory(&a->ctx)
				   : fail(&a->ctx, -EBADMSG,
					  "'%s/index.db' is damaged: a part has no hash",
					  a->directory);
			sqlite3_reset(stmt);
			break;
		}
		*start = ret->parts.count - 1;
		memcpy(slot->hash, hash, sizeof(slot->hash));
	}
	text_release(&last);
	return err < 0 ? err : more;
}

static int parts_there(struct ff_archive *a, size_t *ret)
{
	int64_t count = 0;
	int err = sql_run(a, &count, "SELECT count(*) FROM part", "");

	*ret = (size_t)count;
	return err < 0 ? err : 0;
}

int ff_archive_compact(struct ff_archive *a, struct ff_archive_compaction *how)
{
	struct part_groups groups = { 0 };
	int err;

	if (how->level != FF_ARCHIVE_HOUR && how->level != FF_ARCHIVE_DAY)
		return fail(&a->ctx, -EINVAL, "parts are of an hour or of a day");
	how->refused = 0;
	err = parts_lock(a, true);
	if (err < 0)
		return err;
	err = parts_there(a, &how->before);
	if (err == 0)
		err = parts_sweep(a);
	if (err == 0)
		err = find_groups(a, how, &groups);
	for (size_t i = 0; i < groups.starts.count && err == 0; i++) {
		size_t start = groups.starts.v[i];
		size_t end = i + 1 < groups.starts.count ? groups.starts.v[i + 1]
							 : groups.parts.count;
		part_list group = { .v = groups.parts.v + start, .count = end - start };

		if (group.count > 1)
			err = compact_group(a, &group, how);
	}
	if (err == 0)
		err = parts_there(a, &how->after);
	parts_unlock(a);
	array_release(&groups.parts);
	array_release(&groups.starts);
	return err;
}
