/* Whether code calls before a return address, of what is mapped where a sample was. */
#include "stack/call.h"

#include <elf.h>

#include "elf/elf.h"

enum after_call call_ends_at(struct stack_walker *w, const struct addr_key *key,
			     uint64_t ra)
{
	const struct machine_code *m = key->machine->code;
	uint8_t code[CALL_MOST];

	if (!addr_bytes(w, key, ra - m->before, code, m->before))
		return CALL_UNKNOWN;
	return m->ends_with_call(code) ? CALL_YES : CALL_NO;
}

bool call_target(struct stack_walker *w, const struct addr_key *key, uint64_t ra,
		 uint64_t *ret)
{
	uint8_t call[5];

	if (key->machine->elf != EM_X86_64 ||
	    !addr_bytes(w, key, ra - sizeof(call), call, sizeof(call)) || call[0] != 0xe8)
		return false;
	*ret = near_target(call + 1, ra);
	return true;
}
