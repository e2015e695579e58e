/*
 * A recording comes into the archive: as a profile file that has the labels, its part, and as rows of the
 * index. The part is on the disk before the transaction that names it ends.
 *
 * The index keeps functions with a thousandth of the recording and more, which is what anybody asks for; the
 * rest is one row without a name, so that own weights still add up to all.
 */
#include <errno.h>
#include <flamefold_table.h>
#include <string.h>

#include "archive/index.h"
#include "archive/merge.h"
#include "archive/sql.h"
#include "archive/symbol_ids.h"
#include "store/store.h"

enum { LISTED_PART = 1000 };

/* What a profile file says that it is made of. */
struct contents {
	struct intern strings;
	struct budget budget;
	struct store_origin origin;
	uint8_t hash
		[SHA256_DIGEST_SIZE]; /* of the file, by which it is known where it lists nothing */
	bool is_listed;
	const char *host; /* where all inputs have one; "": they have not */
	uint64_t first; /* seconds: when the first one began; 0: not known */
};

static void contents_release(struct contents *c)
{
	store_origin_release(&c->origin);
	intern_release(&c->strings);
	budget_release(&c->budget);
}

/* @c is zeroed, and to be released. */
static int contents_read(struct ff_archive *a, const char *path, struct contents *c)
{
	uint64_t listed = 0;
	bool is_empty;
	int err = intern_init(&c->strings) < 0 ? fail_memory(&a->ctx) : 0;

	c->host = "";
	budget_init(&c->budget, a->memory);
	a->ctx.budget = &c->budget;
	if (err == 0)
		err = store_merge_look(&a->ctx, path, &c->strings, &c->origin, &is_empty);
	a->ctx.budget = NULL;
	for (size_t i = 0; err == 0 && i < c->origin.inputs.count; i++) {
		const struct store_input *in = &c->origin.inputs.v[i];

		listed += in->times;
		if (in->recorded && (!c->first || in->recorded < c->first))
			c->first = in->recorded;
		if (i == 0)
			c->host = intern_text(&c->strings, in->host);
		else if (in->host != in[-1].host)
			c->host = "";
	}
	c->is_listed = listed && listed >= c->origin.input_count;
	if (err == 0 && !c->is_listed && (err = parts_hash(path, c->hash)) < 0)
		err = fail(&a->ctx, err, "cannot read '%s': %s", path, strerror(-err));
	return err;
}

static int is_known(struct ff_archive *a, const uint8_t *hash)
{
	return sql_run(a, NULL, "SELECT 1 FROM input WHERE sha256=?", "h", hash);
}

/* 0: nothing of it is there; 1: all of it is. */
static int find_twins(struct ff_archive *a, const struct contents *c)
{
	size_t there = 0, count = c->origin.inputs.count;
	int err = 0;

	for (size_t i = 0; i < count && err >= 0; i++) {
		err = is_known(a, c->origin.inputs.v[i].hash);
		there += err > 0;
	}
	if (err >= 0 && !c->is_listed) {
		err = is_known(a, c->hash);
		if (err != 0)
			return err;
	}
	if (err < 0 || !there)
		return err < 0 ? err : 0;
	/* With those listed that are there others come that are not listed. */
	if (there == count && c->is_listed)
		return 1;
	count = c->is_listed ? count : (size_t)c->origin.input_count;
	return fail(&a->ctx, -EEXIST,
		    "%zu of its %zu inputs are in the archive already, which would count "
		    "them twice",
		    there, count);
}

int ff_archive_has(struct ff_archive *a, const char *path)
{
	uint8_t hash[SHA256_DIGEST_SIZE];

	/* What cannot be read is told by whoever reads it. */
	return parts_hash(path, hash) < 0 ? 0 : is_known(a, hash);
}

static int index_symbol(struct ff_archive *a, const struct ff_table_row *row,
			int64_t file)
{
	int64_t id = 0;
	int err = symbol_ids_find(a, row->name, row->module ? row->module : "", &id);

	if (err >= 0)
		err = sql_run(a, NULL, "INSERT INTO file_symbol VALUES(?, ?, ?, ?)",
			      "iiii", id, file, (int64_t)row->self, (int64_t)row->total);
	return err < 0 ? err : 0;
}

/* Rows of a recording; the last row of parts is that of its part. */
static int index_file(struct ff_archive *a, const struct ff_archive_recording *r,
		      const struct contents *c, struct ff_profile *p)
{
	static const char insert[] =
		"INSERT INTO file(part, name, host, kernel, event, unit, start_ns, "
		"end_ns, decimals, samples, weight, lost, truncated) VALUES(?, ?, ?, ?, "
		"?, ?, ?, ?, ?, ?, ?, ?, ?)";
	static const char add_input[] = "INSERT INTO input VALUES(?, ?)";
	struct ff_weight_unit unit = ff_profile_weight_unit(p);
	struct ff_table_row row, rest = { .name = "" };
	struct ff_table *table = NULL;
	const uint64_t *counts = c->origin.counts;
	uint64_t start = r->recorded ? r->recorded : c->first, end, all, listed = 0;
	int64_t file, part = sqlite3_last_insert_rowid(a->db);
	int err;

	/* Beyond the year 2262 it is nobody's clock. */
	start = start <= INT64_MAX / 1000000000 ? start * 1000000000 : 0;
	if (__builtin_add_overflow(start, counts[COUNT_DURATION], &end) ||
	    end > INT64_MAX)
		end = start;
	err = sql_run(a, NULL, insert, "itttttiiiiiii", part, r->name, c->host,
		      r->kernel ? r->kernel : "", unit.events ? unit.events : "",
		      unit.name, (int64_t)start, (int64_t)end, (int64_t)unit.decimals,
		      (int64_t)ff_profile_total(p, FF_TOTAL_SAMPLES_TREE),
		      (int64_t)ff_profile_total(p, FF_TOTAL_WEIGHT_TREE),
		      (int64_t)counts[COUNT_LOST], (int64_t)counts[COUNT_TRUNCATED]);
	file = sqlite3_last_insert_rowid(a->db);
	for (size_t i = 0; i < c->origin.inputs.count && err >= 0; i++)
		err = sql_run(a, NULL, add_input, "hi", c->origin.inputs.v[i].hash, file);
	if (err >= 0 && !c->is_listed)
		err = sql_run(a, NULL, add_input, "hi", c->hash, file);
	/* Those that a profile file had, too. */
	for (size_t i = 0; i < c->origin.labels.count && err >= 0; i++)
		err = sql_run(a, NULL,
			      "INSERT INTO label VALUES(?, ?, ?) ON CONFLICT DO NOTHING",
			      "itt", file,
			      intern_text(&c->strings, c->origin.labels.v[i].key),
			      intern_text(&c->strings, c->origin.labels.v[i].value));
	if (err < 0)
		return err;
	err = ff_table_new(p, FF_TABLE_FUNCTION, FF_TABLE_BY_TOTAL, &table);
	if (err < 0)
		return fail(&a->ctx, err, "%s", ff_profile_error(p));
	all = ff_table_total(table);
	for (size_t i = 0; err == 0 && ff_table_row(table, i, &row) &&
			   row.total >= all / LISTED_PART + (all % LISTED_PART > 0);
	     i++) {
		/* The rest has no name. */
		if (!row.name[0])
			continue;
		listed += row.self;
		err = index_symbol(a, &row, file);
	}
	rest.self = rest.total = all - listed;
	if (err == 0 && rest.self)
		err = index_symbol(a, &rest, file);
	ff_table_free(table);
	return err;
}

/* Its part is written, and read as anybody reads it. */
static int make_part(struct ff_archive *a, const struct ff_archive_recording *r,
		     struct new_part *part, struct contents *c, struct ff_profile **ret)
{
	struct ff_options options = { .size = sizeof(options),
				      .threads = 1,
				      .memory = a->memory };
	struct merge_job job = { .added = r };
	int err = parts_begin(a, part);

	if (err < 0)
		return err;
	job.out = part->stream;
	err = merge_parts(a, &job);
	if (err < 0)
		parts_discard(part);
	else
		err = parts_end(a, part);
	if (err < 0)
		return err;
	err = contents_read(a, part->path, c);
	if (err == 0) {
		err = ff_profile_new(ret, &options);
		if (err == 0)
			err = ff_profile_read(*ret, part->path);
		if (err == 0)
			err = ff_profile_finish(*ret);
		if (err < 0)
			fail(&a->ctx, err, "%s",
			     *ret ? ff_profile_error(*ret) : "out of memory");
	}
	if (err == 0 && !ff_profile_total(*ret, FF_TOTAL_WEIGHT_TREE))
		err = fail(&a->ctx, -ENODATA, "there is nothing in it");
	return err;
}

int ff_archive_add(struct ff_archive *a, const struct ff_archive_recording *given)
{
	struct ff_archive_recording r = { 0 };
	struct contents before = { 0 }, after = { 0 };
	struct new_part part = { 0 };
	struct ff_profile *p = NULL;
	const char *slash;
	size_t written = a->written.count;
	int err = parts_lock(a, false);

	if (err < 0)
		return err;
	memcpy(&r, given, given->size < sizeof(r) ? given->size : sizeof(r));
	/* One transaction of all that is added until the next commit. */
	if (!a->adding && (err = index_begin(a)) < 0)
		parts_unlock(a);
	a->adding |= err == 0;
	if (err == 0)
		err = contents_read(a, r.path, &before);
	if (err == 0)
		err = find_twins(a, &before);
	if (err == 0)
		err = make_part(a, &r, &part, &after, &p);
	/* What it was known by before it got its labels. */
	if (err == 0 && !before.is_listed)
		memcpy(after.hash, before.hash, sizeof(after.hash));
	/* A profile file of one recording is called what that is called. */
	if (err == 0 && !r.name && after.origin.inputs.count == 1)
		r.name = intern_text(&after.strings, after.origin.inputs.v[0].name);
	r.name = r.name ? r.name : r.path;
	slash = strrchr(r.name, '/');
	r.name = slash && slash[1] ? slash + 1 : r.name;
	/* A file that lists no inputs may be there packed in another way. */
	if (err == 0)
		err = sql_run(a, NULL, "SELECT 1 FROM part WHERE sha256=?", "h",
			      part.hash);
	/* All rows of it, or none; what stood in the transaction before stays. */
	if (err == 0)
		err = sql_run(a, NULL, "SAVEPOINT recording", "");
	if (err == 0) {
		err = sql_run(a, NULL,
			      "INSERT INTO part(sha256, level, bytes) VALUES(?, 0, ?)",
			      "hi", part.hash, (int64_t)part.bytes);
		if (err == 0)
			err = index_file(a, &r, &after, p);
		if (err < 0)
			index_undo(a);
		sqlite3_exec(a->db, "RELEASE recording", NULL, NULL, NULL);
	}
	if (err != 0)
		parts_drop(a, written);
	ff_profile_free(p);
	contents_release(&before);
	contents_release(&after);
	return err;
}

int ff_archive_commit(struct ff_archive *a)
{
	int err = a->adding ? index_end(a, parts_settle(a)) : 0;

	a->adding = false;
	parts_unlock(a);
	return err;
}
