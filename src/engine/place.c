/*
 * Places of files for those who write results with the library and have only its header.
 */
#include <fcntl.h>

#include "base/write_target.h"

int ff_place_open(const char *path, struct ff_place *ret, const char **why)
{
	return write_target_open(path, ret, why);
}

void ff_place_close(struct ff_place *place)
{
	write_target_close(place);
}

unsigned ff_place_mode(const struct ff_place *place, unsigned usual)
{
	return write_target_mode(place, usual);
}

int ff_place_open_special(const struct ff_place *place, const char **why)
{
	return write_target_open_special(place, O_WRONLY, why);
}
