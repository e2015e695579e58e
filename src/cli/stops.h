#ifndef CLI_STOPS_H
#define CLI_STOPS_H

#include <flamefold.h>
#include <stdbool.h>

/*
 * Signals that end a live run: SIGINT, SIGTERM, SIGHUP.
 *
 *	the first            sampling stops, and the result is written
 *	one soon after it    from a process, not a terminal: the same request again
 *	the second           @abandon is called, and the program ends by it
 */
void stops_catch(struct ff_profile *p, void (*abandon)(void));

/* What a signal would stop is over: the next one is told that the result is being written. */
void stops_sampling_is_over(void);

/* Has one come? */
bool stops_came(void);

#endif
