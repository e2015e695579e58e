/*
 * The index. Whoever can write to a directory chooses what its index holds: a file that has another
 * schema than ours is refused before anything of it is asked, so that no view or trigger of it is ever
 * run; and of what it says only numbers, hashes and texts are taken, never a path.
 */
#include "archive/index.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/sql.h"
#include "archive/symbol_ids.h"

enum { BUSY_MS = 60000, VERSION = 1 };
#define APPLICATION_ID 0x46464152 /* "FFAR" */
#define TEXT(x) #x
#define NUMBER(x) TEXT(x)

/* As SQLite keeps them, byte by byte. 64-bit numbers of ours are its signed ones, bit by bit. */
static const char *const schema[] = {
	"CREATE TABLE part(id INTEGER PRIMARY KEY, sha256 BLOB NOT NULL UNIQUE, "
	"level INTEGER NOT NULL, bytes INTEGER NOT NULL) STRICT",
	"CREATE TABLE file(id INTEGER PRIMARY KEY, part INTEGER NOT NULL REFERENCES "
	"part, name TEXT NOT NULL, host TEXT NOT NULL, kernel TEXT NOT NULL, event TEXT "
	"NOT NULL, unit TEXT NOT NULL, start_ns INTEGER NOT NULL, end_ns INTEGER NOT "
	"NULL, decimals INTEGER NOT NULL, samples INTEGER NOT NULL, weight INTEGER NOT "
	"NULL, lost INTEGER NOT NULL, truncated INTEGER NOT NULL) STRICT",
	"CREATE INDEX file_of_part ON file(part)",
	"CREATE INDEX file_of_time ON file(start_ns)",
	"CREATE TABLE input(sha256 BLOB PRIMARY KEY, file INTEGER NOT NULL REFERENCES "
	"file) STRICT, WITHOUT ROWID",
	"CREATE INDEX input_of_file ON input(file)",
	"CREATE TABLE label(file INTEGER NOT NULL REFERENCES file, key TEXT NOT NULL, "
	"value TEXT NOT NULL, PRIMARY KEY(file, key, value)) STRICT, WITHOUT ROWID",
	"CREATE TABLE symbol(id INTEGER PRIMARY KEY, name TEXT NOT NULL, module TEXT NOT "
	"NULL, UNIQUE(name, module)) STRICT",
	"CREATE TABLE file_symbol(symbol INTEGER NOT NULL REFERENCES symbol, file "
	"INTEGER "
	"NOT NULL REFERENCES file, self INTEGER NOT NULL, total INTEGER NOT NULL, "
	"PRIMARY KEY(symbol, file)) STRICT, WITHOUT ROWID",
	"CREATE INDEX symbol_of_file ON file_symbol(file)",
};
enum { SCHEMA = sizeof(schema) / sizeof(*schema) };

static int run_script(struct ff_archive *a, const char *sql)
{
	int code = sqlite3_exec(a->db, sql, NULL, NULL, NULL);

	return code == SQLITE_OK ? 0 : sql_fail(a, code);
}

int index_begin(struct ff_archive *a)
{
	return run_script(a, "BEGIN IMMEDIATE");
}

void index_undo(struct ff_archive *a)
{
	sqlite3_exec(a->db, "ROLLBACK TO recording", NULL, NULL, NULL);
	symbol_ids_forget(a);
}

int index_end(struct ff_archive *a, int err)
{
	int code;

	/* Somebody else may remove functions from here on. */
	symbol_ids_forget(a);
	if (err >= 0) {
		code = sqlite3_exec(a->db, "COMMIT", NULL, NULL, NULL);
		if (code == SQLITE_OK)
			return err;
		err = sql_fail(a, code);
	}
	/* Some failures have rolled it back already, which is no failure of its own. */
	sqlite3_exec(a->db, "ROLLBACK", NULL, NULL, NULL);
	return err;
}

static int read_number(struct ff_archive *a, const char *sql, int64_t *ret)
{
	int more = sql_run(a, ret, sql, "");

	return more < 0 ? more : 0;
}

/* Nothing but what we make, and what SQLite adds to that. */
static int own_schema(struct ff_archive *a)
{
	static const char ask[] =
		"SELECT sql FROM main.sqlite_schema WHERE sql IS NOT NULL";
	bool create = a->options.flags & FF_ARCHIVE_CREATE;
	sqlite3_stmt *stmt;
	size_t known = 0, others = 0;
	int64_t there = 1, id = 0, version = 0;
	int more, err = create ? index_begin(a) : 0;

	if (err < 0)
		return err;
	if (create)
		err = read_number(a, "SELECT count(*) FROM main.sqlite_schema", &there);
	/* What somebody else has made meanwhile is there. */
	for (size_t i = 0; i < SCHEMA && err == 0 && !there; i++)
		err = run_script(a, schema[i]);
	if (err == 0 && !there)
		err = run_script(a, "PRAGMA user_version=1; PRAGMA "
				    "application_id=" NUMBER(APPLICATION_ID));
	if (create)
		err = index_end(a, err);
	if (err == 0)
		err = read_number(a, "PRAGMA main.application_id", &id);
	if (err == 0)
		err = read_number(a, "PRAGMA main.user_version", &version);
	if (err == 0 && id == APPLICATION_ID && version > VERSION)
		return fail(&a->ctx, -EINVAL,
			    "'%s' is of a newer flamefold: its index has version %lld, "
			    "this one knows %d",
			    a->directory, (long long)version, VERSION);
	if (err == 0)
		err = sql_start(a, &stmt, ask, "");
	if (err < 0)
		return err;
	while ((more = sql_next(a, stmt)) > 0) {
		size_t i = 0;

		while (i < SCHEMA && strcmp(sql_text(stmt, 0), schema[i]) != 0)
			i++;
		known += i < SCHEMA;
		others += i == SCHEMA;
	}
	if (more < 0)
		return more;
	/* Who made it was ended before anything was in it. */
	if (id == 0 && known == 0 && others == 0)
		return fail(&a->ctx, -ENODATA,
			    "'%s' is no archive yet: nothing has been added to it",
			    a->directory);
	return id == APPLICATION_ID && known == SCHEMA && !others
		       ? 0
		       : fail(&a->ctx, -EBADMSG,
			      "'%s/index.db' is not the index of an archive, or somebody "
			      "has changed its tables",
			      a->directory);
}

int index_open(struct ff_archive *a)
{
	bool read_only = a->options.flags & FF_ARCHIVE_READ_ONLY;
	bool create = a->options.flags & FF_ARCHIVE_CREATE;
	int flags = read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
	char path[4200], uri[4300], beside[4300];
	int code, err, on;

	snprintf(path, sizeof(path), "%s%s/index.db", *a->directory == '/' ? "" : "./",
		 a->directory);
	if (!create && access(path, F_OK) < 0)
		return fail(&a->ctx, -errno,
			    "'%s' is not an archive: cannot open '%s': %s", a->directory,
			    path, strerror(errno));
	/* A directory that must not be written to has no place for what WAL keeps beside the index:
	 * where nothing of that is left, nobody writes. A name with what has a meaning there is not
	 * opened so. */
	snprintf(beside, sizeof(beside), "%s-wal", path);
	snprintf(uri, sizeof(uri), "file:%s?immutable=1", path);
	if (read_only && access(a->directory, W_OK) < 0 && access(beside, F_OK) < 0 &&
	    !strpbrk(path, "?#%"))
		flags |= SQLITE_OPEN_URI;
	code = sqlite3_open_v2(flags & SQLITE_OPEN_URI ? uri : path, &a->db,
			       create ? flags | SQLITE_OPEN_CREATE : flags, NULL);
	if (code != SQLITE_OK)
		return sql_fail(a, code);
	sqlite3_extended_result_codes(a->db, 1);
	sqlite3_busy_timeout(a->db, BUSY_MS);
	sqlite3_db_config(a->db, SQLITE_DBCONFIG_DEFENSIVE, 1, &on);
	sqlite3_db_config(a->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, &on);
	sqlite3_db_config(a->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, &on);
	sqlite3_db_config(a->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, &on);
	sqlite3_limit(a->db, SQLITE_LIMIT_ATTACHED, 0);
	err = run_script(a, "PRAGMA cell_size_check=ON; PRAGMA mmap_size=0; "
			    "PRAGMA temp_store=MEMORY; PRAGMA foreign_keys=ON");
	if (err == 0)
		err = own_schema(a);
	/* What is committed is on the disk: with less, WAL would lose the last ones where the machine
	 * fails. Nothing is changed in what is not ours. */
	if (err == 0 && !read_only)
		err = run_script(a, "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL");
	return err;
}

void index_close(struct ff_archive *a)
{
	for (size_t i = 0; i < a->statements.count; i++)
		sqlite3_finalize(a->statements.v[i].stmt);
	array_release(&a->statements);
	symbol_ids_release(a);
	sqlite3_close(a->db);
}
