#ifndef LIVE_EVENTS_STACKS_H
#define LIVE_EVENTS_STACKS_H

#include "live/events/target.h"

/*
 * Does all code that the processes of a target have mapped keep frame pointers? Then chains of
 * them are whole, and a sample costs some hundred bytes, not a copy of its stack. False where it
 * cannot be told: for a command, which may run anything, for all processes and cgroups, and where
 * code comes from a JIT compiler.
 */
bool live_keeps_frame_pointers(const struct live_target *target);

#endif
