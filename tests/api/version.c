/*
 * The header and the library are of one version.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <flamefold.h>

#include "api.h"

int main(void)
{
	unsigned major, minor, patch;

	CHECK(strcmp(FF_VERSION, ff_version()) == 0);
	CHECK(sscanf(FF_VERSION, "%u.%u.%u", &major, &minor, &patch) == 3);
	return api_failed;
}
