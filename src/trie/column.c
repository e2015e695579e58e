/*
 * The columns that a profile has from its beginning. Another one is an entry in the profile's list;
 * it takes memory from the first value on that is charged to it.
 */
#include "trie/column.h"

#include <errno.h>
#include <string.h>

#include "stack/stack.h"

static const struct column roles[COLUMN_ROLES] = {
	[COLUMN_WEIGHT] = { .name = "weight", .makes_stacks = true },
	[COLUMN_SAMPLES] = { .name = "samples", .unit = "samples" },
	[COLUMN_BEFORE] = { .name = "before", .side = SIDE_BEFORE, .makes_stacks = true },
	[COLUMN_FOLLOWED] = { .name = "followed", .sum = SUM_NOWHERE },
	[COLUMN_LINES] = { .name = "lines", .unit = "samples", .sum = SUM_NOWHERE },
	[COLUMN_INFERRED] = { .name = "inferred",
			      .sum = SUM_HERE,
			      .frame_flag = FRAME_INFERRED },
};

void columns_init(struct columns *c)
{
	*c = (struct columns){ .count = COLUMN_ROLES };
	memcpy(c->v, roles, sizeof(roles));
}

int columns_add(struct columns *c, const struct column *column, uint32_t *ret)
{
	if (c->count == COLUMNS_MOST)
		return -ENOSPC;
	c->v[c->count] = *column;
	*ret = c->count++;
	return 0;
}

const struct column *columns_find(const struct columns *c, const char *name)
{
	for (uint32_t i = 0; i < c->count; i++)
		if (strcmp(c->v[i].name, name) == 0)
			return &c->v[i];
	return NULL;
}
