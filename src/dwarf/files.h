#ifndef DWARF_FILES_H
#define DWARF_FILES_H

#include "base/text.h"
#include "elf/elf.h"

/*
 * Files that hold a part of an object's debug information, where the object says that
 * they are.
 */
struct debug_dirs {
	const char *symfs; /* nothing outside of it is opened; NULL or "": "/" */
	const char *debug_dir; /* NULL: /usr/lib/debug */
};

/*
 * What dwz moved out of @debug to share it: by build id below the debug directory, where
 * .gnu_debugaltlink says, and under that name in .dwz/ of the debug directory. It has the build id that
 * @debug asks for. 0; -ENODATA where nothing was moved; -ENOENT where it is not there,
 * with a sentence; -ENOMEM.
 */
int debug_find_alternate(struct context *ctx, const struct debug_dirs *dirs,
			 const struct object *debug, struct object *ret);

/* DW_AT_comp_dir, which may be NULL, and DW_AT_dwo_name of a skeleton. */
struct split_path {
	const char *directory, *name;
};

/*
 * The .dwo file that a unit of @o names: in the directory of compilation, and beside @o.
 * Is it the right one? Its unit has an id. 0; -ENOENT with a sentence; -ENOMEM.
 */
int debug_find_split(struct context *ctx, const struct debug_dirs *dirs,
		     const struct object *o, const struct split_path *split,
		     struct object *ret);

/* The .dwp file, which holds what .dwo files held, beside @o under its name. -ENODATA where none
 * is; -ENOENT with a sentence where it is not read; -ENOMEM. */
int debug_find_package(struct context *ctx, const struct debug_dirs *dirs,
		       const struct object *o, struct object *ret);

#endif
