#ifndef WRITE_XML_H
#define WRITE_XML_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/*
 * Bytes that are not trusted -> XML that is always well-formed: what UTF-8 or
 * XML 1.0 (2.2, Char) do not allow becomes U+FFFD, and so does what cannot be seen, such
 * as marks that turn the direction of text.
 */

/* Between tags: & < > are escaped. */
void xml_text(struct text *t, const char *bytes, size_t size);

/* The same and ", as flamegraph.pl writes titles and attributes. */
void xml_quoted(struct text *t, const char *bytes, size_t size);

/* xml_quoted() of text that may be escaped already: references stay as they are. */
void xml_requoted(struct text *t, const char *string);

/* Inside a comment, where "--" cannot be. */
void xml_comment(struct text *t, const char *string);

/* Is it a list of attributes, name="value"? */
bool xml_are_attributes(const char *string);

#endif
