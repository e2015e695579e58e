#ifndef BASE_CONTEXT_H
#define BASE_CONTEXT_H

#include <stdarg.h>

struct budget;

/*
 * What a stage gets passed so that it can explain itself: the sentence that
 * goes with an error and a place for warnings. Every worker has its own; the
 * profile takes over the sentence of the first one that failed.
 */
struct context {
	char error[1024]; /* "" while nothing failed */
	void (*log)(void *arg, const char *line); /* NULL: nobody listens */
	void *log_arg;
	struct budget *budget; /* of memory; NULL: nobody counts */
};

/* Keeps the sentence and returns @err, a negative errno. */
int fail(struct context *ctx, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* -ENOMEM with its sentence. */
int fail_memory(struct context *ctx);

/* One line, without newline, for whoever runs the program. */
void warn(struct context *ctx, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
