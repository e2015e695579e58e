/* zlib does the work: its header says time 0 and system 255, "unknown". */
#include "write/gzip.h"

#include <errno.h>
#include <string.h>

enum { GZIP_WINDOW = 15 + 16, GZIP_LEVEL = 6, GZIP_MEMORY = 8, GZIP_SYSTEM = 255 };

int gzip_open(struct gzip *g, FILE *out)
{
	/* zlib keeps a pointer to it. */
	static gz_header header = { .os = GZIP_SYSTEM };

	*g = (struct gzip){ .out = out };
	if (deflateInit2(&g->z, GZIP_LEVEL, Z_DEFLATED, GZIP_WINDOW, GZIP_MEMORY,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return -ENOMEM;
	if (deflateSetHeader(&g->z, &header) != Z_OK) {
		deflateEnd(&g->z);
		return -ENOMEM;
	}
	return 0;
}

static void deflate_text(struct gzip *g, struct text *t, int flush)
{
	unsigned char packed[16384];

	g->z.next_in = (unsigned char *)t->bytes;
	g->z.avail_in = (uInt)t->size;
	do {
		size_t size;

		g->z.next_out = packed;
		g->z.avail_out = sizeof(packed);
		deflate(&g->z, flush);
		size = sizeof(packed) - g->z.avail_out;
		errno = 0;
		if (g->err == 0 && fwrite(packed, 1, size, g->out) < size)
			g->err = errno ? -errno : -EIO;
	} while (g->z.avail_out == 0);
	text_clear(t);
}

void gzip_drain(struct gzip *g, struct text *t)
{
	if (t->size >= 64 << 10)
		deflate_text(g, t, Z_NO_FLUSH);
}

int gzip_end(struct context *ctx, struct gzip *g, struct text *t)
{
	bool memory = !t->failed;

	deflate_text(g, t, Z_FINISH);
	deflateEnd(&g->z);
	text_release(t);
	errno = 0;
	if (g->err == 0 && fflush(g->out))
		g->err = errno ? -errno : -EIO;
	if (!memory)
		return fail_memory(ctx);
	if (g->err < 0)
		return fail(ctx, g->err, "cannot write: %s", strerror(-g->err));
	return 0;
}
