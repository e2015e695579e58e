#ifndef STORE_FORMAT_H
#define STORE_FORMAT_H

#include "input/input.h"

/*
 * Numbers of Documentation/profile-format.md: what a profile file is made of, in this order.
 *
 *	magic version flags | section | section | ... | nodes | nodes | ... | end
 *
 * What comes before the tables is what decides whether a file is merged at all.
 */
enum store_section {
	SECTION_INPUTS = 1, /* what was read to make it */
	SECTION_LABELS, /* what the user said of it */
	SECTION_COUNTS, /* sums beside the tree */
	SECTION_COLUMNS, /* what values are of */
	SECTION_STRINGS,
	SECTION_MODULES,
	SECTION_FRAMES,
	SECTION_PERIODS, /* sums by time */
	SECTION_NODES, /* any number of them, at least one */
	SECTION_END,
	SECTION_HEAT, /* of one recording, between the nodes and the end */
};

/* Of the header: what a file has that not all have. */
enum store_flag {
	STORE_ADDRESSES =
		1, /* of frames without a name, or with one that may get better */
	STORE_TIME_SLICES = 2, /* how much of each node is in which of them */
	STORE_OLD_HEAT = 4, /* when it was, in a form that is passed over */
	STORE_HEAT = 8, /* when it was */
	STORE_FLAGS_BEFORE = 7, /* in version 2 */
	STORE_FLAGS = 15,
	STORE_ANY_HEAT = STORE_OLD_HEAT | STORE_HEAT,
};

#define STORE_MAGIC INPUT_PROFILE_MAGIC

enum {
	STORE_MAGIC_SIZE = 8,
	STORE_VERSION = 3, /* of files that say when it was */
	STORE_VERSION_BEFORE = 2, /* of all others */
	STORE_FIRST_VERSION = 1, /* that is read */
	STORE_BLOCK = 4096, /* nodes of a section */
	STORE_PIECE = 256 << 10, /* bytes of what is packed at once */
	STORE_LEVEL = 3, /* of zstd */
	STORE_COLUMNS_MOST = 256,
	STORE_SLICES = 20, /* of the time of a recording */
	STORE_SECTION_MOST = 1 << 30, /* bytes */
	STORE_HEAT_PAIRS = 1 << 21, /* of a node and a time: of more it is not said */
	STORE_HEAT_MOST = 128 << 20, /* bytes of them */
	STORE_HEAT_PARTS = 7, /* columns of a picture, from SAVED_HEAT on */
	STORE_PROCESSOR_PARTS =
		8, /* behind them or not at all: from SAVED_PROCESSORS on */
	STORE_STRINGS_MOST = 256 << 20, /* bytes of all names: few can stand for many */
	STORE_DECIMALS_MOST = 6,
};

#endif
