/*
 * All there is, read: pages of the index, each part's bytes, checksums and sums, and whether the index
 * and the parts say the same.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "archive/parts.h"
#include "archive/sql.h"
#include "base/file.h"
#include "store/store.h"

struct checking {
	struct ff_archive *a;
	size_t problems;
};

static void problem(struct checking *c, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void problem(struct checking *c, const char *format, ...)
{
	char line[1024];
	va_list values;

	va_start(values, format);
	vsnprintf(line, sizeof(line), format, values);
	va_end(values);
	warn(&c->a->ctx, "%s", line);
	c->problems++;
}

/* Of one event: what the stacks of a part add up to is what the index has of its recordings. */
static int check_sums(struct checking *c, const char *path, int64_t part,
		      const char *event)
{
	struct budget budget = { 0 };
	struct context ctx = { .budget = &budget };
	struct store_tree tree = { 0 };
	struct intern strings = { 0 };
	struct file file = { 0 };
	uint64_t samples = 0, weight = 0, known_samples = 0, known_weight = 0;
	sqlite3_stmt *stmt;
	int more, err = intern_init(&strings);

	budget_init(&budget, c->a->memory);
	if (err == 0)
		err = file_open(&ctx, path, &file);
	if (err == 0)
		err = store_read_tree(&ctx, &file, *event ? event : NULL, &strings,
				      &tree);
	file_close(&file);
	intern_release(&strings);
	if (err < 0) {
		problem(c, "'%s': %s", path, ctx.error);
		budget_release(&budget);
		return err == -ENOMEM ? fail_memory(&c->a->ctx) : 0;
	}
	for (uint32_t i = 0; i < tree.tree.nodes; i++) {
		samples += saved_value(&tree.tree, i, COLUMN_SAMPLES);
		weight += saved_value(&tree.tree, i, COLUMN_WEIGHT);
	}
	err = sql_start(
		c->a, &stmt,
		"SELECT samples, weight, decimals FROM main.file WHERE part=? AND "
		"event=? AND decimals BETWEEN 0 AND ?",
		"iti", part, event, (int64_t)tree.tree.decimals);
	while (err == 0 && (more = sql_next(c->a, stmt)) != 0) {
		uint64_t value = (uint64_t)sqlite3_column_int64(stmt, 1);

		if (more < 0)
			err = more;
		/* A merged file has the most decimals of all. */
		for (int64_t i = sqlite3_column_int64(stmt, 2); i < tree.tree.decimals;
		     i++)
			value *= 10;
		known_weight += value;
		known_samples += (uint64_t)sqlite3_column_int64(stmt, 0);
	}
	/* Recordings with several events are listed with one of them, so others may have more. */
	if (err == 0 && (tree.others ? weight < known_weight : weight != known_weight))
		problem(c, "'%s': weighs %llu, and %llu by the index", path,
			(unsigned long long)weight, (unsigned long long)known_weight);
	else if (err == 0 && samples &&
		 (tree.others ? samples < known_samples : samples != known_samples))
		problem(c, "'%s': has %llu samples, and %llu by the index", path,
			(unsigned long long)samples, (unsigned long long)known_samples);
	saved_tree_release(&tree.tree);
	store_tree_release(&tree);
	budget_release(&budget);
	return err;
}

/* What it lists is what the index has of its recordings, and nothing else. */
static int check_inputs(struct checking *c, const char *path, int64_t part)
{
	static const char count[] =
		"SELECT count(*) FROM main.input i JOIN main.file f ON f.id = i.file "
		"WHERE f.part=?";
	static const char is_there[] =
		"SELECT 1 FROM main.input i JOIN main.file f ON f.id = i.file WHERE "
		"i.sha256=? AND f.part=?";
	struct store_origin origin = { 0 };
	struct budget budget = { 0 };
	struct intern strings = { 0 };
	uint64_t listed = 0, missing = 0;
	int64_t known = 0;
	bool is_empty;
	int err = intern_init(&strings) < 0 ? fail_memory(&c->a->ctx) : 0;

	budget_init(&budget, c->a->memory);
	c->a->ctx.budget = &budget;
	if (err == 0)
		err = store_merge_look(&c->a->ctx, path, &strings, &origin, &is_empty);
	c->a->ctx.budget = NULL;
	if (err == 0)
		err = sql_run(c->a, &known, count, "i", part);
	for (size_t i = 0; i < origin.inputs.count && err >= 0; i++) {
		listed += origin.inputs.v[i].times;
		err = sql_run(c->a, NULL, is_there, "hi", origin.inputs.v[i].hash, part);
		missing += err == 0;
	}
	/* Of what lists not all of its inputs more is known than it says. */
	if (err >= 0 && (missing || (listed == origin.input_count &&
				     (uint64_t)known != origin.inputs.count)))
		problem(c,
			"'%s' has %zu inputs, and the index %lld, of which %llu are the "
			"same",
			path, origin.inputs.count, (long long)known,
			(unsigned long long)(origin.inputs.count - missing));
	store_origin_release(&origin);
	intern_release(&strings);
	budget_release(&budget);
	return err < 0 ? err : 0;
}

static int check_part(struct checking *c, const uint8_t *hash, int64_t part)
{
	struct part_path path = parts_path(c->a, hash);
	struct intern strings = { 0 };
	struct store_merge_file file = { .path = path.text, .fd = -1 };
	struct store_merge_job job = {
		.files = &file,
		.count = 1,
		.strings = &strings,
		.threads = 1,
		.memory = c->a->memory,
	};
	uint8_t found[SHA256_DIGEST_SIZE];
	sqlite3_stmt *stmt;
	int more = 0, err = parts_hash(path.text, found);

	if (err < 0)
		problem(c, "'%s': %s", path.text, strerror(-err));
	else if (memcmp(hash, found, sizeof(found)) != 0)
		problem(c, "'%s' is damaged: its bytes are not those that were written",
			path.text);
	if (err < 0 || memcmp(hash, found, sizeof(found)) != 0)
		return 0;
	err = store_merge_verify(&c->a->ctx, &job);
	if (err == 0 && file.why)
		problem(c, "%s", file.why);
	else if (err == 0)
		err = check_inputs(c, path.text, part);
	if (err == 0 && !file.why)
		err = sql_start(c->a, &stmt,
				"SELECT DISTINCT event FROM main.file WHERE part=?", "i",
				part);
	while (err == 0 && !file.why && (more = sql_next(c->a, stmt)) > 0) {
		err = check_sums(c, path.text, part, sql_text(stmt, 0));
		if (err < 0)
			sqlite3_reset(stmt);
	}
	free(file.why);
	return err < 0 ? err : more;
}

int ff_archive_check(struct ff_archive *a, size_t *problems)
{
	/* Their rows are problems, in words. The sum of own weights is made of halves, as numbers
	 * without a sign are not SQLite's. */
	static const char *const questions[] = {
		"PRAGMA main.integrity_check(20)",
		"SELECT 'a row of ' || \"table\" || ' refers to one of ' || parent || ' "
		"that "
		"is not there' FROM pragma_foreign_key_check",
		"SELECT 'part ' || lower(hex(sha256)) || ' is of no recording' FROM "
		"main.part WHERE id NOT IN (SELECT part FROM main.file)",
		"SELECT 'a part has no hash' FROM main.part WHERE length(sha256) <> 32 "
		"OR typeof(sha256) <> 'blob'",
		"SELECT 'nothing says what ''' || name || ''' was made of' FROM "
		"main.file "
		"WHERE id NOT IN (SELECT file FROM main.input)",
		"WITH halves AS (SELECT f.id, f.name, f.weight, total(s.self) AS own, "
		"coalesce(sum(s.self & 0xffffffff), 0) AS low, coalesce(sum((s.self >> "
		"32) & 0xffffffff), 0) AS high FROM main.file f LEFT JOIN "
		"main.file_symbol s ON s.file = f.id GROUP BY f.id) SELECT "
		"printf('functions of ''%s'' weigh %.0f of %d', name, own, weight) FROM "
		"halves WHERE (low & 0xffffffff) <> (weight & 0xffffffff) OR high + (low "
		">> 32) <> ((weight >> 32) & 0xffffffff)",
	};
	struct checking c = { .a = a };
	bool read_only = a->options.flags & FF_ARCHIVE_READ_ONLY;
	sqlite3_stmt *stmt;
	int more = 0, err = parts_lock(a, !read_only);

	*problems = 0;
	if (err < 0)
		return err;
	for (size_t i = 0; i < sizeof(questions) / sizeof(*questions) && err == 0; i++) {
		err = sql_start(a, &stmt, questions[i], "");
		while (err == 0 && (more = sql_next(a, stmt)) > 0)
			if (strcmp(sql_text(stmt, 0), "ok") != 0)
				problem(&c, "the index: %s", sql_text(stmt, 0));
		err = err < 0 ? err : more;
	}
	/* An index that is damaged may have lost the names of parts. */
	if (err == 0 && !read_only && !c.problems)
		err = parts_sweep(a);
	if (err == 0)
		err = sql_start(a, &stmt,
				"SELECT id, sha256 FROM main.part WHERE length(sha256) = "
				"32 ORDER BY sha256",
				"");
	while (err == 0 && (more = sql_next(a, stmt)) > 0) {
		const uint8_t *hash = sql_hash(stmt, 1);
		struct part part;

		/* A text has a length, too, and has been told of. */
		if (!hash)
			continue;
		memcpy(part.hash, hash, sizeof(part.hash));
		err = check_part(&c, part.hash, sqlite3_column_int64(stmt, 0));
		if (err < 0)
			sqlite3_reset(stmt);
	}
	parts_unlock(a);
	*problems = c.problems;
	return err < 0 ? err : more;
}
