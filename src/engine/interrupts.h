#ifndef ENGINE_INTERRUPTS_H
#define ENGINE_INTERRUPTS_H

#include "engine/collected.h"
#include "symbol/symbol.h"

/* Stacks with FRAME_INTERRUPT become those without what was interrupted. All frames have names;
 * those that it adds have none yet. 0, or -ENOMEM. */
int interrupts_cut(struct collected *c, const struct symbols *symbols,
		   const struct intern *strings);

#endif
