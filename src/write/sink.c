/*
 * Text gathers to large blocks, so that a stream is asked seldom. The first write that fails is
 * remembered, and nothing is written behind it.
 */
#include "write/sink.h"

#include <errno.h>
#include <string.h>

void sink_flush(struct sink *s)
{
	errno = 0;
	if (s->err == 0 && s->text.size &&
	    fwrite(s->text.bytes, 1, s->text.size, s->out) < s->text.size)
		s->err = errno ? -errno : -EIO;
	text_clear(&s->text);
}

int sink_end(struct context *ctx, struct sink *s)
{
	bool memory = !s->text.failed;

	sink_flush(s);
	text_release(&s->text);
	errno = 0;
	if (s->err == 0 && fflush(s->out))
		s->err = errno ? -errno : -EIO;
	if (!memory)
		return fail_memory(ctx);
	if (s->err < 0)
		return fail(ctx, s->err, "cannot write: %s", strerror(-s->err));
	return 0;
}
