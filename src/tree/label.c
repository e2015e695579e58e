/*
 * Each label has two ranks, of itself and with a ';' behind it: places in the order of all of
 * these. Whole stacks are then compared by ranks, number by number, and no text is looked at
 * again.
 *
 *	rank    0    1         2          3    4     5
 *	text    a    a.part    a.part;    a;   ab    ab;
 *
 * Labels alone are sorted. Their first 8 bytes are a number, which decides most comparisons.
 * Between a label and its ';' are those that go on behind it with a lower byte, so what waits
 * last for its ';' gets it first:
 *
 *	next       a    a.part    ab                  end
 *	waiting    a    a.part a  ab                  -
 *	ranked     a    a.part    a.part;  a;  ab     ab;
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

struct label_key {
	uint64_t start; /* its first bytes, the first one highest */
	const char *text;
	uint32_t size;
	uint32_t label;
};

static int compare_keys(const void *left, const void *right)
{
	const struct label_key *a = left, *b = right;
	int order;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	order = memcmp(a->text, b->text, a->size < b->size ? a->size : b->size);
	if (order)
		return order;
	return a->size < b->size ? -1 : a->size > b->size;
}

int labels_rank(struct labels *l)
{
	size_t n = l->sizes.count, waiting = 0;
	struct label_key *keys = malloc(n * sizeof(*keys));
	uint32_t rank = 0;

	free(l->ranks);
	l->ranks = malloc(2 * n * sizeof(*l->ranks));
	if (!keys || !l->ranks) {
		free(keys);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < n; i++) {
		const char *text = label_text(l, i);
		uint32_t size = l->sizes.v[i];
		uint64_t start = 0;

		for (size_t at = 0; at < sizeof(start); at++)
			start = start << 8 | (at < size ? (uint8_t)text[at] : 0);
		keys[i] = (struct label_key){ start, text, size, i };
	}
	qsort(keys, n, sizeof(*keys), compare_keys);
	/* Keys that wait take the places of those that do no more. */
	for (size_t i = 0; i < n; i++) {
		const struct label_key *b = &keys[i];

		/* With its ';' @a is before @b, but where @b goes on behind @a with a lower
		 * byte. */
		for (; waiting > 0; waiting--) {
			const struct label_key *a = &keys[waiting - 1];

			if (b->size > a->size && (uint8_t)b->text[a->size] <= ';' &&
			    memcmp(a->text, b->text, a->size) == 0)
				break;
			l->ranks[2 * (size_t)a->label + 1] = rank++;
		}
		l->ranks[2 * (size_t)b->label] = rank++;
		keys[waiting++] = keys[i];
	}
	while (waiting > 0)
		l->ranks[2 * (size_t)keys[--waiting].label + 1] = rank++;
	free(keys);
	return 0;
}
