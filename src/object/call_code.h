#ifndef OBJECT_CALL_CODE_H
#define OBJECT_CALL_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that have to be known before a return address; 0: of that machine (EM_*) no calls are known. */
enum { CALL_MOST = 7 };
size_t call_code_size(unsigned machine);

/* Do these call_code_size() bytes end with a call? Those of x86 may look like one by chance; a call always
 * does. */
bool call_code_ends(unsigned machine, const uint8_t *code);

#endif
