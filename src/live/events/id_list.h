#ifndef LIVE_EVENTS_ID_LIST_H
#define LIVE_EVENTS_ID_LIST_H

#include "base/array.h"
#include "base/text.h"

/* "0-3,5,7": numbers from 0, ascending, each once. */
struct id_list {
	int *v;
	size_t count, room;
};

enum { ID_CPU_MOST = (1 << 16) - 1 };

/* Numbers up to @most, appended to an empty list. -EINVAL for anything else; -ENOMEM. */
int id_list_parse(const char *text, int most, struct id_list *ret);

bool id_list_has(const struct id_list *list, int number);

/* As it would be parsed. */
void id_list_print(const struct id_list *list, struct text *ret);

#endif
