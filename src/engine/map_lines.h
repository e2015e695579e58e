#ifndef ENGINE_MAP_LINES_H
#define ENGINE_MAP_LINES_H

#include "engine/job.h"

/* Live, once a pass: what has come to the maps of runtimes goes through the rounds. */
int map_lines_look(struct stream_run *s);

/* An item of TAG_GROWTH is delivered. */
int map_lines_deliver(struct stream_run *s, const struct round_item *item);

#endif
