#ifndef STORE_TABLES_H
#define STORE_TABLES_H

#include "base/hash.h"
#include "base/intern.h"
#include "store/sink.h"
#include "store/source.h"

/*
 * What the nodes of one or many profile files refer to. Entries are added in any order; sorting
 * numbers them by their content, so that tables with the same entries are the same bytes, and what
 * is in order in one table is in order in any other one. Texts are string ids.
 */
enum { STORE_BUILD_ID_MOST = 32 };

struct store_module {
	uint32_t name;
	uint8_t build_id[STORE_BUILD_ID_MOST], build_id_size; /* 0: of any build */
};

struct store_frame {
	uint32_t name, module; /* module: index */
	uint8_t kind; /* enum saved_kind, with its flags */
	/* In the file that the module's build id is of: 2 * offset + 1, and 1 more where that is one
	 * below a return address; 0: it is not kept. */
	uint64_t address;
};

/* What values are of: columns are the same where all of it is. */
struct store_column {
	uint32_t event, unit; /* what weighs; 0: samples */
	uint32_t name; /* "weight", "samples", ... */
	uint32_t own_unit; /* 0: that of the weight */
	uint8_t side, sum, makes_stacks; /* as in struct column */
	uint8_t decimals; /* values are in units of 10^-decimals */
	uint64_t total; /* of all nodes */
	/* What its values are in each slice of time is there, and what the squares of its samples
	 * add up to: not of all values, where some have no time. */
	bool has_slices;
	unsigned __int128 squares;
};

/* Sums of a stretch of time. */
struct store_period {
	uint64_t start, size; /* seconds, since 1970 */
	uint32_t column;
	uint8_t decimals; /* of the sum: when all is sorted, those of the column */
	uint64_t sum;
};

struct last_ids {
	uint32_t *v;
	size_t count, room;
};

struct store_tables {
	struct intern *strings;
	ARRAY(struct store_module) modules; /* 0 is none */
	ARRAY(struct store_frame) frames; /* 0 is the root */
	ARRAY(struct store_column) columns;
	ARRAY(struct store_period) periods;
	bool has_heat; /* a section behind the nodes */
	struct hash_set modules_by_key, frames_by_key;
	/* Of the file that was read last, in its order, string ids and indexes of frames: files of one
	 * program have mostly the same ones, so that the next is where it was. */
	struct last_ids last_strings, last_frames;
	struct last_ids
		last_places; /* by frame: its place in the latter, if it is there */
};

/* Indexes in the sorted tables of what has one in others; to be freed. */
struct store_map {
	uint32_t *frames, *columns;
	uint64_t *totals; /* of a file: by column, what its nodes add up to */
	uint8_t *decimals; /* of a file's columns */
	bool *has_slices; /* likewise */
	uint32_t frame_count, column_count;
};
void store_map_release(struct store_map *m);

int store_tables_init(struct store_tables *t, struct intern *strings);
void store_tables_release(struct store_tables *t);

/* Each is there once: 0, or -ENOMEM. */
int store_add_module(struct store_tables *t, const struct store_module *module,
		     uint32_t *ret);
int store_add_frame(struct store_tables *t, const struct store_frame *frame,
		    uint32_t *ret);
/* What is there already gets its total, and the most decimals of both. -E2BIG where there are too
 * many, -EOVERFLOW. */
int store_add_column(struct store_tables *t, const struct store_column *column,
		     uint32_t *ret);

/* The order that rows have in a file: less than 0, 0 or more. */
int store_column_order(const struct intern *strings, const struct store_column *x,
		       const struct store_column *y);
int store_period_order(const struct store_period *x, const struct store_period *y);

/* Sections up to the first nodes are added. @map: where each frame and column of the file is in @t. */
int store_tables_read(struct context *ctx, struct store_source *source,
		      struct store_unpacker *u, struct store_tables *t,
		      struct store_map *map);

/* Puts all into order; @map: where each is now. 0, or -ENOMEM. */
int store_tables_sort(struct store_tables *t, struct store_map *map);
/* Of enum store_flag. */
unsigned store_tables_flags(const struct store_tables *t);
/* Of sorted ones; 0, -ENOMEM, or -EFBIG where there are more names than can be read. */
int store_tables_write(struct store_sink *sink, const struct store_tables *t);

#endif
