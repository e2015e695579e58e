/*
 * Memory for the whole table is taken zeroed, which costs nothing until it is written
 * to, and a block of it is read when the first name in it is asked for. So an offset in
 * the table is an offset in memory, and a name may go across blocks. A block that the
 * budget refuses stays zero, and is not asked for again: the names in it are empty.
 */
#include "elf/names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/file.h"
#include "elf/section.h"

enum {
	MOST_BYTES = 1 << 30,
	BLOCK = 1 << 14,
};

enum { LOADED = 1, REFUSED }; /* of a block */

static size_t blocks(const struct names *n)
{
	return (n->size + BLOCK - 1) / BLOCK;
}

int names_open_at(struct names *n, const struct object *o, uint64_t offset, uint64_t size)
{
	*n = (struct names){ 0 };
	if (size == 0 || size > MOST_BYTES || offset > o->size || o->size - offset < size)
		return 0;
	n->fd = o->fd;
	n->read_error = o->read_error;
	n->offset = offset;
	n->size = size;
	n->budget = o->budget;
	/* Zeros: what no memory is left for is empty names. */
	n->bytes = calloc(n->size, 1);
	n->loaded = calloc(blocks(n), 1);
	if (n->bytes && n->loaded)
		return 0;
	names_release(n);
	return -ENOMEM;
}

int names_open(struct names *n, const struct object *o, size_t index)
{
	struct section s;
	Elf_Data *data;

	*n = (struct names){ 0 };
	if (!section_at(o, index, &s) || s.header.sh_type == SHT_NOBITS)
		return 0;
	if (o->fd >= 0)
		return names_open_at(n, o, s.header.sh_offset, s.header.sh_size);
	/* The bytes of a file in memory are there. */
	data = section_data(&s, MOST_BYTES);
	if (data)
		*n = (struct names){ .bytes = data->d_buf, .size = data->d_size };
	return 0;
}

static size_t block_size(const struct names *n, size_t block)
{
	size_t left = n->size - block * BLOCK;

	return left < BLOCK ? left : BLOCK;
}

void names_release(struct names *n)
{
	for (size_t i = 0; n->loaded && i < blocks(n); i++)
		if (n->loaded[i] == LOADED)
			budget_give_back(n->budget, block_size(n, i));
	if (n->loaded)
		free(n->bytes);
	free(n->loaded);
	*n = (struct names){ 0 };
}

const char *names_at(const struct names *n, size_t offset, size_t *size)
{
	size_t end = offset, most;

	*size = 0;
	if (offset >= n->size)
		return "";
	most = n->size - offset < NAME_BYTES_MOST ? n->size : offset + NAME_BYTES_MOST;
	while (end < most) {
		size_t block = end / BLOCK, at = block * BLOCK, stop = at + BLOCK;

		if (n->loaded && !n->loaded[block]) {
			size_t length = block_size(n, block), done;

			if (budget_take(n->budget, length)) {
				done = file_read_at(n->fd, n->bytes + at, length,
						    n->offset + at);
				object_note_error(n->read_error, errno);
				/* Zeros, where the file was cut since or cannot be read. */
				memset(n->bytes + at + done, 0, length - done);
				n->loaded[block] = LOADED;
			} else {
				budget_refuse(n->budget, "names", "a table of symbols");
				n->loaded[block] = REFUSED;
			}
		}
		if (stop > most)
			stop = most;
		end += strnlen(n->bytes + end, stop - end);
		if (end < stop)
			break;
	}
	*size = end - offset;
	return n->bytes + offset;
}
