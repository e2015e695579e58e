/*
 * Each label is sorted twice, by itself and with a ';' behind it, and ranks are places
 * in that order. Whole stacks are then compared by ranks, number by number, and no text
 * is looked at again. Keys have their first 8 bytes as a number, which decides most
 * comparisons.
 *
 *	rank    0    1         2          3    4     5
 *	key     a    a.part    a.part;    a;   ab    ab;
 */
#include "tree/label.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int labels_init(struct labels *l)
{
	uint32_t empty;
	int err;

	*l = (struct labels){ 0 };
	err = intern_init(&l->texts);
	if (err == 0)
		err = labels_add(l, "", "", &empty);
	if (err < 0)
		labels_release(l);
	return err;
}

void labels_release(struct labels *l)
{
	intern_release(&l->texts);
	array_release(&l->sizes);
	free(l->ranks);
	l->ranks = NULL;
}

int labels_add(struct labels *l, const char *name, const char *mark, uint32_t *ret)
{
	size_t front = strlen(name), more = strlen(mark), size = front + more;
	char few[256], *text = size < sizeof(few) ? few : malloc(size + 1);
	int err;

	if (!text)
		return -ENOMEM;
	memcpy(text, name, front);
	memcpy(text + front, mark, more);
	/* In folded text a ';' ends a frame and a newline the stack. */
	for (size_t i = 0; i < size; i++)
		if (text[i] == ';')
			text[i] = ':';
		else if (text[i] == '\n')
			text[i] = ' ';
	err = intern_add(&l->texts, text, size, ret);
	if (err == 0 && *ret >= l->sizes.count) {
		uint32_t *slot = array_add(&l->sizes);

		if (slot)
			*slot = (uint32_t)size;
		else
			err = -ENOMEM;
	}
	if (text != few)
		free(text);
	return err;
}

struct key {
	uint64_t start; /* its first bytes, the first one highest */
	const char *text;
	uint32_t size;
	uint32_t id; /* label * 2, + 1 with the ';' */
};

/* No label holds a ';', so two keys are equal only if they are the same. */
static int compare_keys(const void *left, const void *right)
{
	const struct key *a = left, *b = right;
	uint32_t least = a->size < b->size ? a->size : b->size;
	int order;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	order = memcmp(a->text, b->text, least);
	if (order)
		return order;
	/* The shorter one ends here, which is before all bytes, or goes on with its
	 * ';'. */
	if (a->size == b->size)
		return (int)(a->id & 1) - (int)(b->id & 1);
	if (a->size < b->size)
		return (a->id & 1 ? ';' : -1) - (uint8_t)b->text[least];
	return (uint8_t)a->text[least] - (b->id & 1 ? ';' : -1);
}

int labels_rank(struct labels *l)
{
	size_t n = l->sizes.count * 2;
	struct key *keys = malloc(n * sizeof(*keys));

	free(l->ranks);
	l->ranks = malloc(n * sizeof(*l->ranks));
	if (!keys || !l->ranks) {
		free(keys);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < n; i++) {
		const char *text = label_text(l, i / 2);
		uint32_t size = l->sizes.v[i / 2];
		uint64_t start = 0;

		for (size_t at = 0; at < sizeof(start); at++) {
			start <<= 8;
			if (at < size)
				start |= (uint8_t)text[at];
			else if (at == size && i & 1)
				start |= ';';
		}
		keys[i] = (struct key){ start, text, size, i };
	}
	qsort(keys, n, sizeof(*keys), compare_keys);
	for (uint32_t i = 0; i < n; i++)
		l->ranks[keys[i].id] = i;
	free(keys);
	return 0;
}
