/*
 * Places of files for those who write results with the library and have only its header.
 */
#include <fcntl.h>

#include "base/file_place.h"
#include "engine/profile.h"

int ff_place_open(const char *path, struct ff_place *ret, const char **why)
{
	struct file_place p;
	int err = file_place_open(path, &p, why);

	if (err == 0)
		*ret = (struct ff_place){ p.dir, p.name, p.follow };
	return err;
}

static struct file_place file_place_of(const struct ff_place *place)
{
	return (struct file_place){ place->directory, place->name, place->follow };
}

void ff_place_close(struct ff_place *place)
{
	struct file_place p = file_place_of(place);

	file_place_close(&p);
	*place = (struct ff_place){ .directory = -1 };
}

unsigned ff_place_mode(const struct ff_place *place, unsigned usual)
{
	struct file_place p = file_place_of(place);

	return file_place_mode(&p, usual);
}

int ff_place_open_special(const struct ff_place *place, const char **why)
{
	struct file_place p = file_place_of(place);

	return file_place_open_special(&p, O_WRONLY, why);
}
