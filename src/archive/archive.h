#ifndef ARCHIVE_ARCHIVE_H
#define ARCHIVE_ARCHIVE_H

#include <flamefold_archive.h>
#include <sqlite3.h>
#include <stdbool.h>

#include "base/array.h"
#include "base/context.h"
#include "base/intern.h"

/*
 * Archives: Documentation/archive.md. What is in a directory:
 *
 *	index.db           SQLite: what there is of whom
 *	parts/ab/ab12....ff  profile files by the SHA-256 of their bytes
 *	tmp/               parts that are being written
 *	lock               shared by who adds or reads parts, held alone by who removes some
 *
 * A part is on the disk before the index names it, and gone from the index before it is removed: who is
 * killed leaves a part that nobody knows, which the next one who has the lock alone removes.
 *
 *	sql.h      statements
 *	index.h    the index is opened, and is ours
 *	parts.h    files
 *	select.h   which recordings are asked for
 */
/* A part that is written, and has neither its name nor a place in the index for good. */
struct written_part {
	uint8_t hash[32];
	unsigned number; /* of its temporary file */
};

struct archive_statement {
	const char *sql; /* a literal: known by where it lies */
	sqlite3_stmt *stmt;
};

/* Functions that this transaction has asked the index for. */
struct symbol_ids {
	struct intern texts;
	struct hash_map by_texts; /* of a name and a module: index in .ids */
	ARRAY(int64_t) ids;
};

struct ff_archive {
	struct context ctx;
	uint64_t memory; /* bytes, for what one part makes large */
	struct ff_archive_options options;
	char *directory;
	sqlite3 *db;
	ARRAY(struct archive_statement) statements;
	int lock; /* -1: none */
	bool adding; /* a transaction is open */
	unsigned parts_made; /* by this process */
	ARRAY(struct written_part) written;
	struct symbol_ids symbols;
};

#endif
