/*
 * perf-PID.map: 8 bytes that choose the addresses, then the text. What each address is called
 * is what the last line says that covers it, read one line after the other.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "jit/perf_map.h"

enum { ADDRESSES = 64 };

static void check(bool fine)
{
	if (!fine)
		abort();
}

/* The last line that covers an address; NULL: none. */
static const char *stack_bottom(const char *text, size_t size, uint64_t address,
				size_t *ret)
{
	const char *end = text + size, *stop, *found = NULL, *name;
	struct perf_map_entry entry;
	size_t length;

	for (; (stop = memchr(text, '\n', (size_t)(end - text))); text = stop + 1) {
		if (!perf_map_line(text, (size_t)(stop - text), &entry, &name, &length))
			continue;
		check(entry.start < entry.end && length > 0 && name + length <= stop);
		if (address < entry.start || address >= entry.end)
			continue;
		found = name;
		*ret = length < PERF_MAP_NAME_MOST ? length : PERF_MAP_NAME_MOST;
	}
	return found;
}

static void check_address(const struct perf_map *map, size_t i, uint64_t address,
			  const char *text, size_t size)
{
	size_t length = 0;
	const char *name = stack_bottom(text, size, address, &length), *got;

	check(!name == !map->of_address[i]);
	if (!name)
		return;
	check(map->of_address[i] <= map->list.count);
	got = map->names.bytes + map->list.v[map->of_address[i] - 1].name;
	check(strlen(got) == length);
	for (size_t k = 0; k < length; k++)
		check(got[k] == (name[k] ? name[k] : '?'));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data + 8;
	uint64_t addresses[ADDRESSES], start;
	struct perf_map_question question;
	struct perf_map map;
	int fd;

	if (size < 8)
		return 0;
	memcpy(&start, data, 8);
	for (size_t i = 0; i < ADDRESSES; i++)
		addresses[i] = (start & 0xffff) + i * ((start >> 16 & 0xff) + 1);
	addresses[ADDRESSES - 1] = UINT64_MAX - (start >> 56);
	fd = memfd_create("map", MFD_CLOEXEC);
	check(fd >= 0 && write(fd, text, size - 8) == (ssize_t)(size - 8));
	question =
		(struct perf_map_question){ .addresses = addresses, .count = ADDRESSES };
	check(perf_map_read(fd, &question, NULL, &map) == 0);
	for (size_t i = 0; i < ADDRESSES; i++)
		check_address(&map, i, addresses[i], text, size - 8);
	perf_map_release(&map);
	close(fd);
	return 0;
}
