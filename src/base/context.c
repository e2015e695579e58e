/*
 * One sentence is kept, that of the last failure, in memory that is there already: to
 * say why something failed must not fail itself. A longer one is cut.
 */
#include "base/context.h"

#include <errno.h>
#include <stdio.h>

int fail(struct context *ctx, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(ctx->error, sizeof(ctx->error), format, args);
	va_end(args);
	return err;
}

int fail_memory(struct context *ctx)
{
	return fail(ctx, -ENOMEM, "out of memory");
}

void warn(struct context *ctx, const char *format, ...)
{
	char line[1024];
	va_list args;

	if (!ctx->log)
		return;
	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	ctx->log(ctx->log_arg, line);
}
