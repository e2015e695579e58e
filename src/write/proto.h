#ifndef WRITE_PROTO_H
#define WRITE_PROTO_H

#include "base/text.h"

/*
 * Protocol buffers, written field by field (encoding.md of protobuf.dev). A message that lies in
 * another one is made first, as its size stands before it; only what can be large is measured.
 * protobuf-c would hold all messages of a profile in memory, which is the tree several times over, so
 * these few lines take its place.
 *
 * Fields of the value 0 are left out, as proto3 has it.
 */
void proto_varint(struct text *t, uint64_t value);
void proto_number(struct text *t, unsigned field, uint64_t value);
void proto_fixed64(struct text *t, unsigned field, uint64_t value);
/* Also an empty one. */
void proto_bytes(struct text *t, unsigned field, const char *bytes, size_t size);
/* proto3 has UTF-8 only: what is none becomes U+FFFD. Also an empty one. */
void proto_string(struct text *t, unsigned field, const char *string);
/* What is before the bytes of a field of @size. */
void proto_begin(struct text *t, unsigned field, uint64_t size);
/* How many proto_begin() writes. */
uint64_t proto_begin_size(unsigned field, uint64_t size);

#endif
