/*
 * Places of files for those who write results with the library and have only its header.
 */
#include <fcntl.h>

#include "base/file_place.h"

int ff_place_open(const char *path, struct ff_place *ret, const char **why)
{
	return file_place_open(path, ret, why);
}

void ff_place_close(struct ff_place *place)
{
	file_place_close(place);
}

unsigned ff_place_mode(const struct ff_place *place, unsigned usual)
{
	return file_place_mode(place, usual);
}

int ff_place_open_special(const struct ff_place *place, const char **why)
{
	return file_place_open_special(place, O_WRONLY, why);
}
