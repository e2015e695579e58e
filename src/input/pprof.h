#ifndef INPUT_PPROF_H
#define INPUT_PPROF_H

#include "input/listed.h"

/* A profile of pprof: perftools.profiles.Profile of google/pprof's proto/profile.proto. */

/* By the first @size bytes of a file. */
bool pprof_begins(const uint8_t *bytes, size_t size);

/* The file is one: what it holds is read when samples are asked for. */
int pprof_open(struct context *ctx, struct input *in);

#endif
