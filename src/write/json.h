#ifndef WRITE_JSON_H
#define WRITE_JSON_H

#include "base/text.h"

/* RFC 8259, of bytes that are not trusted: what is no UTF-8 becomes U+FFFD, because parsers refuse a
 * whole document for one bad byte. */
void json_string(struct text *t, const char *bytes, size_t size);
/* The same up to its NUL; null for NULL. */
void json_quoted(struct text *t, const char *string);

#endif
