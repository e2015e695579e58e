#ifndef INPUT_SAVE_STATE_H
#define INPUT_SAVE_STATE_H

#include "base/bytes.h"

/*
 * What the records of a file have told of processes and code, for the next file: all of it
 * again, but for processes that have ended and have left no child. So each file of a run that
 * is split can be read alone.
 */
struct save_state {
	struct bytes records; /* as they were given */
};

void save_state_release(struct save_state *s);

/* A record with its head; one that tells of nothing that lasts is left out. */
void save_state_add(struct save_state *s, const uint8_t *bytes, uint32_t size);

/* Leaves out what nobody needs any more. 0, or -ENOMEM: nothing was left out. */
int save_state_forget(struct save_state *s);

#endif
