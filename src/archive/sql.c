#include "archive/sql.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>

enum { HASH_SIZE = 32 };

int sql_fail(struct ff_archive *a, int code)
{
	const char *says = a->db ? sqlite3_errmsg(a->db) : sqlite3_errstr(code);

	switch (code & 0xff) {
	case SQLITE_NOMEM:
		return fail_memory(&a->ctx);
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return fail(&a->ctx, -EBUSY,
			    "'%s': somebody else has been writing to its index for a "
			    "minute",
			    a->directory);
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
	case SQLITE_SCHEMA:
		return fail(
			&a->ctx, -EBADMSG,
			"'%s/index.db' is damaged (%s): its parts are profile files, "
			"and 'flamefold archive add NEW %s/parts/*/*.ff' makes another "
			"index",
			a->directory, says, a->directory);
	case SQLITE_FULL:
		return fail(&a->ctx, -ENOSPC,
			    "cannot write '%s/index.db': no space left on device",
			    a->directory);
	case SQLITE_READONLY:
	case SQLITE_PERM:
		return fail(&a->ctx, -EACCES, "cannot write '%s/index.db': %s",
			    a->directory, says);
	default:
		/* Of a write that fails SQLite forgets why. */
		if (code == SQLITE_IOERR_WRITE || code == SQLITE_IOERR_SHMSIZE)
			return fail(&a->ctx, -EIO,
				    "cannot write '%s/index.db': the disk is full, or "
				    "files may not be as large",
				    a->directory);
		return fail(&a->ctx, -EIO, "cannot use '%s/index.db': %s", a->directory,
			    says);
	}
}

static int find_statement(struct ff_archive *a, sqlite3_stmt **ret, const char *sql)
{
	struct archive_statement *s;
	size_t i = 0;
	int code;

	while (i < a->statements.count && a->statements.v[i].sql != sql)
		i++;
	if (i == a->statements.count) {
		s = array_add(&a->statements);
		if (!s)
			return fail_memory(&a->ctx);
		code = sqlite3_prepare_v3(a->db, sql, -1, SQLITE_PREPARE_PERSISTENT,
					  &s->stmt, NULL);
		if (code != SQLITE_OK) {
			a->statements.count--;
			return sql_fail(a, code);
		}
		s->sql = sql;
	}
	*ret = a->statements.v[i].stmt;
	sqlite3_reset(*ret);
	return 0;
}

static int bind_values(struct ff_archive *a, sqlite3_stmt *stmt, const char *types,
		       va_list *values)
{
	int code = SQLITE_OK;

	for (int i = 1; *types && code == SQLITE_OK; types++, i++)
		switch (*types) {
		case 'i':
			code = sqlite3_bind_int64(stmt, i, va_arg(*values, int64_t));
			break;
		case 't':
			code = sqlite3_bind_text(stmt, i, va_arg(*values, const char *),
						 -1, SQLITE_TRANSIENT);
			break;
		default:
			assert(*types == 'h');
			code = sqlite3_bind_blob(stmt, i,
						 va_arg(*values, const uint8_t *),
						 HASH_SIZE, SQLITE_TRANSIENT);
		}
	return code == SQLITE_OK ? 0 : sql_fail(a, code);
}

int sql_start(struct ff_archive *a, sqlite3_stmt **ret, const char *sql,
	      const char *types, ...)
{
	int err = find_statement(a, ret, sql);
	va_list values;

	va_start(values, types);
	if (err == 0)
		err = bind_values(a, *ret, types, &values);
	va_end(values);
	return err;
}

int sql_next(struct ff_archive *a, sqlite3_stmt *stmt)
{
	int code = sqlite3_step(stmt), err = 0;

	if (code == SQLITE_ROW)
		return 1;
	if (code != SQLITE_DONE)
		err = sql_fail(a, code);
	/* A statement that is not over would keep its transaction open. */
	sqlite3_reset(stmt);
	return err;
}

int sql_run(struct ff_archive *a, int64_t *ret, const char *sql, const char *types, ...)
{
	sqlite3_stmt *stmt = NULL;
	int err = find_statement(a, &stmt, sql);
	va_list values;

	va_start(values, types);
	if (err == 0)
		err = bind_values(a, stmt, types, &values);
	va_end(values);
	if (err == 0)
		err = sql_next(a, stmt);
	if (err > 0 && ret)
		*ret = sqlite3_column_int64(stmt, 0);
	if (err > 0)
		sqlite3_reset(stmt);
	return err;
}

const char *sql_text(sqlite3_stmt *stmt, int column)
{
	const unsigned char *text = sqlite3_column_text(stmt, column);

	return text ? (const char *)text : "";
}

const uint8_t *sql_hash(sqlite3_stmt *stmt, int column)
{
	return sqlite3_column_bytes(stmt, column) == HASH_SIZE
		       ? sqlite3_column_blob(stmt, column)
		       : NULL;
}
