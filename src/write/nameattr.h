#ifndef WRITE_NAMEATTR_H
#define WRITE_NAMEATTR_H

#include "base/array.h"
#include "base/context.h"
#include "base/intern.h"
#include "base/text.h"

/*
 * flamegraph.pl's --nameattr: attributes of the frames of a function, from a file
 *
 *	function TAB name=value TAB name=value ...
 */
enum nameattr_key {
	NAMEATTR_HREF, /* makes it a link */
	NAMEATTR_TARGET,
	NAMEATTR_A_EXTRA, /* attributes as XML, of a link only */
	NAMEATTR_ID,
	NAMEATTR_CLASS,
	NAMEATTR_G_EXTRA, /* attributes as XML */
	NAMEATTR_TITLE, /* instead of ours */
	NAMEATTR_KEYS,
};

/* NULL: not there. */
struct nameattr {
	const char *values[NAMEATTR_KEYS];
};

struct nameattrs {
	char *bytes; /* the file; values point into it */
	struct intern names;
	ARRAY(struct nameattr) list; /* by name */
};

int nameattrs_read(struct context *ctx, const char *path, struct nameattrs *ret);
void nameattrs_release(struct nameattrs *n);

/* NULL where the file says nothing about @name. */
const struct nameattr *nameattrs_find(const struct nameattrs *n, const char *name,
				      size_t size);

/* The tags around a frame; @attr may be NULL. */
void nameattr_open(struct text *t, const struct nameattr *attr);
void nameattr_close(struct text *t, const struct nameattr *attr);

#endif
