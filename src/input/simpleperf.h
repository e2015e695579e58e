#ifndef INPUT_SIMPLEPERF_H
#define INPUT_SIMPLEPERF_H

#include "input/perf.h"

/*
 * simpleperf's dialect of perf.data: Android. The container is perf's; what it adds are
 * features from 128 on and records from 32768 on. Facts: record.h, record_file_format.h
 * and record_file.proto of AOSP's system/extras/simpleperf (Apache-2.0).
 *
 * Its chains are unwound and joined when it records, and callers are addresses of calls.
 * The names that its samples need come with the recording, because the files stay on the
 * device.
 */
enum {
	FEATURE_FILE = 128,
	FEATURE_META_INFO = 129,
	FEATURE_FILE2 = 132,
};

struct simpleperf;

void simpleperf_free(struct simpleperf *sp); /* NULL is fine */

/* Features: 0, or -ENOMEM. */
int simpleperf_read_meta_info(struct input *in, struct cursor *c);
int simpleperf_read_files(struct input *in, struct cursor *c);
int simpleperf_read_files2(struct input *in, struct cursor *c);

/* A record of a type from RECORD_SIMPLEPERF on. 0, or -ENOMEM. */
int simpleperf_record(struct input *in, const struct raw_record *raw);

/* A change of state that is handed out: what symbols belong to depends on it. 0, or
 * -ENOMEM. */
int simpleperf_note(struct input *in, const struct record *rec);
/* After the last map and feature. */
void simpleperf_settle(struct input *in);
/*
 * And after that: where the code is that perf-PID.map names. simpleperf leaves out the
 * maps of memory without a file. 1, 0 where there are no more, or -ENOMEM.
 */
int simpleperf_next_map(struct input *in, struct record *ret);

/* The user chain that was recorded apart for the sample of @tid at @time; NULL for none. */
const uint8_t *simpleperf_chain(const struct input *in, uint32_t tid, uint64_t time,
				uint32_t *count);

/* simpleperf_files.c: symbol tables. */
struct simpleperf_file {
	const char *path;
	size_t path_size;
	uint64_t kind, address;
};
/* Adds one; *@index is its place in recording.files. 0, or -ENOMEM. */
int simpleperf_add_file(struct input *in, const struct simpleperf_file *file,
			uint32_t *index);
/* A symbol of the file added at @file; @size 0: it covers nothing. */
int simpleperf_add_symbol(struct input *in, uint32_t file,
			  const struct recorded_symbol *s, const char *name,
			  size_t name_size);
/* The text of /proc/kallsyms. */
int simpleperf_read_kallsyms(struct input *in, const char *text, size_t size);

#endif
