#ifndef ARCHIVE_SQL_H
#define ARCHIVE_SQL_H

#include "archive/archive.h"

/*
 * Statements are literals, and values are bound to them: @types has a letter for each "?",
 *
 *	i   int64_t
 *	t   const char *; NULL: NULL
 *	h   const uint8_t *, of a SHA-256
 *
 * A statement is compiled once for each archive. Errors have their sentence in a->ctx.
 */

/* From its beginning; it is to be stepped by sql_next() until that is 0 or less. */
int sql_start(struct ff_archive *a, sqlite3_stmt **ret, const char *sql,
	      const char *types, ...);
/* 1: there is a row; 0: there are no more. */
int sql_next(struct ff_archive *a, sqlite3_stmt *stmt);
/* The same for those that have no rows, or whose first one is all that matters: in *@ret, where that
 * is not NULL. 1: there was a row. */
int sql_run(struct ff_archive *a, int64_t *ret, const char *sql, const char *types, ...);

/* Columns; what is no text is "". */
const char *sql_text(sqlite3_stmt *stmt, int column);
/* NULL: it is no SHA-256. */
const uint8_t *sql_hash(sqlite3_stmt *stmt, int column);

/* The sentence of what SQLite says. */
int sql_fail(struct ff_archive *a, int code);

#endif
