#ifndef TREE_TREE_H
#define TREE_TREE_H

/*
 * The trie -> a tree of names:
 *
 *	named.h   by function, with its columns
 *	view.h    by what is printed, which all writers go through
 *	rows.h    a table of functions, modules, processes or lines
 *	encode.h  its bytes, in a picture, and
 *	saved.h   a tree of such bytes
 */
#include "tree/encode.h"
#include "tree/named.h"
#include "tree/rows.h"
#include "tree/saved.h"
#include "tree/view.h"

#endif
