#ifndef STORE_STORE_H
#define STORE_STORE_H

/*
 * Profile files: a tree of stacks that is sorted by content and packed, so that the same samples are
 * the same bytes, and files are merged as sorted streams (Documentation/profile-format.md).
 *
 *	tree_file.h   of a named tree, and back
 *	merge.h       many become one
 *	origin.h      what was read to make it
 *	rename.h      one with other names
 */
#include "store/merge.h"
#include "store/origin.h"
#include "store/rename.h"
#include "store/tree_file.h"

#endif
