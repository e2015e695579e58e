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

/* In folded text a ';' ends a frame and a newline the stack. */
static int add_label_text(struct labels *l, char *text, size_t size, uint32_t *ret)
{
	uint32_t *known;
	int err;

	for (size_t i = 0; i < size; i++)
		if (text[i] == ';')
			text[i] = ':';
		else if (text[i] == '\n')
			text[i] = ' ';
	err = intern_add(&l->texts, text, size, ret);
	if (err < 0 || *ret < l->sizes.count)
		return err;
	known = array_add(&l->sizes);
	if (!known)
		return -ENOMEM;
	*known = (uint32_t)size;
	return 0;
}

int labels_add(struct labels *l, const char *name, const char *mark, uint32_t *ret)
{
	size_t size = strlen(name), more = strlen(mark);
	char few[256], *text = size + more < sizeof(few) ? few : malloc(size + more + 1);
	int err;

	if (!text)
		return -ENOMEM;
	memcpy(text, name, size);
	memcpy(text + size, mark, more);
	err = add_label_text(l, text, size + more, ret);
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

static uint64_t start_of(const char *text, size_t size, bool below)
{
	uint64_t start = 0;

	for (size_t i = 0; i < sizeof(start); i++) {
		start <<= 8;
		if (i < size)
			start |= (uint8_t)text[i];
		else if (i == size && below)
			start |= ';';
	}
	return start;
}

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

		keys[i] = (struct key){ start_of(text, size, i & 1), text, size, i };
	}
	qsort(keys, n, sizeof(*keys), compare_keys);
	for (uint32_t i = 0; i < n; i++)
		l->ranks[keys[i].id] = i;
	free(keys);
	return 0;
}
