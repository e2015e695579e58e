#ifndef ENGINE_PHASES_H
#define ENGINE_PHASES_H

#include <flamefold_time.h>

#include "base/array.h"

struct ff_profile;

struct phase_list {
	ARRAY(struct ff_phase) list;
};
/* Of a finished profile with heat: at least one. 0, or -ENOMEM. */
int phases_find(struct ff_profile *p, struct phase_list *ret);

#endif
