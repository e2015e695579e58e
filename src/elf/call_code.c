/*
 * Whether there is a call in front of an address, by the code of its machine. Of x86 other bytes may look like a near
 * call by chance; a call always does.
 */
#include "elf/call_code.h"

#include "elf/machine.h"

size_t call_code_size(unsigned machine)
{
	const struct machine *m = machine_by_elf(machine);

	return m ? m->code->before : 0;
}

bool call_code_ends(unsigned machine, const uint8_t *code)
{
	return machine_by_elf(machine)->code->ends_with_call(code);
}
