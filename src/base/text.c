/*
 * Room grows by doubling (array_grow()), one byte more than the text for the NUL behind
 * it. Every way to add goes through one place that makes room and remembers failure;
 * after that nothing is added any more, so a text is whole or known not to be.
 */
#include "base/text.h"

#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void text_release(struct text *t)
{
	free(t->bytes);
	*t = (struct text){ 0 };
}

void text_clear(struct text *t)
{
	t->size = 0;
	if (t->bytes)
		t->bytes[0] = '\0';
}

static bool text_reserve(struct text *t, size_t size)
{
	if (t->failed)
		return false;
	if (t->room - t->size > size)
		return true;
	if (size > SIZE_MAX / 4 ||
	    !array_grow((void **)&t->bytes, &t->room, t->size + size + 1, 1))
		t->failed = true;
	return !t->failed;
}

void text_add(struct text *t, const char *bytes, size_t size)
{
	if (!text_reserve(t, size))
		return;
	/* What is empty may be NULL. */
	if (size)
		memcpy(t->bytes + t->size, bytes, size);
	t->size += size;
	t->bytes[t->size] = '\0';
}

void text_string(struct text *t, const char *string)
{
	text_add(t, string, strlen(string));
}

void text_char(struct text *t, char c)
{
	if (!text_reserve(t, 1))
		return;
	t->bytes[t->size++] = c;
	t->bytes[t->size] = '\0';
}

void text_u64(struct text *t, uint64_t value)
{
	char digits[20];
	size_t i = sizeof(digits);

	do {
		digits[--i] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	text_add(t, digits + i, sizeof(digits) - i);
}

void text_printf(struct text *t, const char *format, ...)
{
	/* Who uses the library may have set a locale with another point. That one is not changed, and
	 * this one takes no memory. */
	bool has_points = strpbrk(format, "fg") != NULL;
	locale_t plain = has_points ? newlocale(LC_ALL_MASK, "C", NULL) : NULL;
	locale_t before = plain ? uselocale(plain) : NULL;
	va_list args;
	int size;

	va_start(args, format);
	size = vsnprintf(NULL, 0, format, args);
	va_end(args);
	t->failed |= size < 0;
	if (size >= 0 && text_reserve(t, (size_t)size)) {
		va_start(args, format);
		vsnprintf(t->bytes + t->size, (size_t)size + 1, format, args);
		va_end(args);
		t->size += (size_t)size;
	}
	if (plain) {
		uselocale(before);
		freelocale(plain);
	}
}
