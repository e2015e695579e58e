#ifndef INPUT_SCRIPT_H
#define INPUT_SCRIPT_H

#include "input/input.h"

/*
 * Text that perf script has printed, as a recording: its first pass tells who is called how, and when,
 * from headlines; its chunks begin at headlines, and samples have their frames by name (struct
 * sample.printed). Fields that were not printed are not there.
 */
struct script;

/* By the beginning of a text. *@timed: its samples have times. */
bool script_begins(const char *text, size_t size, bool *timed);

int script_open(struct context *ctx, struct input *in, bool timed);
void script_close(struct input *in);
void script_keep_addresses(struct input *in);

/* As state_next(). */
int script_next_state(struct context *ctx, struct input *in, struct record *ret);

/* One that reads samples of chunks; see struct sample_reader. */
struct script_reader;
int script_reader_start(struct context *ctx, const struct input *in,
			struct script_reader **r, size_t chunk);
void script_reader_free(struct script_reader *r); /* NULL is fine */
/* As sample_next(). */
int script_reader_next(struct context *ctx, struct script_reader *r, struct sample *ret,
		       uint64_t *damaged);

#endif
