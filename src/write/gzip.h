#ifndef WRITE_GZIP_H
#define WRITE_GZIP_H

#include <stdio.h>
#include <zlib.h>

#include "base/context.h"
#include "base/text.h"

/* A stream of gzip (RFC 1952) whose bytes depend on nothing but what is written: no time, no name and no
 * system is in it. Failure is sticky. */
struct gzip {
	z_stream z;
	FILE *out;
	int err;
};

int gzip_open(struct gzip *g, FILE *out); /* 0, or -ENOMEM */
/* What has gathered in @t, which is empty then. */
void gzip_drain(struct gzip *g, struct text *t);
/* Writes what is left and releases both. 0, or -errno and a sentence. */
int gzip_end(struct context *ctx, struct gzip *g, struct text *t);

#endif
