/* What the library knows of words, for those who have only its header. */
#include "base/edit_distance.h"
#include "base/utf8.h"
#include "engine/profile.h"

size_t ff_utf8_size(const char *text)
{
	return utf8_size(text);
}

unsigned ff_edit_distance(const char *a, size_t a_size, const char *b, size_t b_size)
{
	return edit_distance(a, a_size, b, b_size);
}
