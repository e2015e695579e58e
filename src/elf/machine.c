/*
 * The machines whose stacks are unwound, as a table: registers by DWARF number (the
 * psABI of each machine has them), and the recorder's order of them (perf_regs.h of
 * Linux's uapi for x86 and arm64), one line each.
 */
#include "elf/machine.h"

#include <elf.h>
#include <stddef.h>
#include <string.h>

/* The recorder's numbers of x86, both widths; flags and segments lie between. */
enum {
	RECORDED_AX,
	RECORDED_BX,
	RECORDED_CX,
	RECORDED_DX,
	RECORDED_SI,
	RECORDED_DI,
	RECORDED_BP,
	RECORDED_SP,
	RECORDED_IP,
	RECORDED_R8 = 16,
	RECORDED_PC_ARM = 32,
};

#define NONE_FROM(first) [first... 63] = REGISTER_NONE
#define SAME(n) [n] = n
#define SAME_8(n)                                                                        \
	SAME(n), SAME(n + 1), SAME(n + 2), SAME(n + 3), SAME(n + 4), SAME(n + 5),        \
		SAME(n + 6), SAME(n + 7)

static const struct machine machines[] = {
	{ "x86_64", EM_X86_64, .code = &x86_code, .word = 8, .registers = 17, .sp = 7,
	  .fp = 6, .ra = 16, .pc = 16, .pc_recorded = RECORDED_IP,
	  .of_recorded = { [RECORDED_AX] = 0,
			   [RECORDED_BX] = 3,
			   [RECORDED_CX] = 2,
			   [RECORDED_DX] = 1,
			   [RECORDED_SI] = 4,
			   [RECORDED_DI] = 5,
			   [RECORDED_BP] = 6,
			   [RECORDED_SP] = 7,
			   [RECORDED_IP] = 16,
			   [RECORDED_IP + 1 ... RECORDED_R8 - 1] = REGISTER_NONE,
			   [RECORDED_R8] = 8,
			   9,
			   10,
			   11,
			   12,
			   13,
			   14,
			   15,
			   NONE_FROM(RECORDED_R8 + 8) } },
	{ "i386", EM_386, .code = &x86_code, .word = 4, .registers = 9, .sp = 4, .fp = 5,
	  .ra = 8, .pc = 8, .pc_recorded = RECORDED_IP,
	  .of_recorded = { [RECORDED_AX] = 0,
			   [RECORDED_BX] = 3,
			   [RECORDED_CX] = 1,
			   [RECORDED_DX] = 2,
			   [RECORDED_SI] = 6,
			   [RECORDED_DI] = 7,
			   [RECORDED_BP] = 5,
			   [RECORDED_SP] = 4,
			   [RECORDED_IP] = 8,
			   NONE_FROM(RECORDED_IP + 1) } },
	{ "aarch64", EM_AARCH64, .code = &aarch64_code, .word = 8, .registers = 33,
	  .sp = 31, .fp = 29, .ra = 30, .pc = 32, .link = true,
	  .pc_recorded = RECORDED_PC_ARM,
	  .of_recorded = { SAME_8(0), SAME_8(8), SAME_8(16), SAME_8(24), SAME(32),
			   NONE_FROM(33) } },
};

const struct machine *machine_by_elf(unsigned elf)
{
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		if (machines[i].elf == elf)
			return &machines[i];
	return NULL;
}

const struct machine *machine_by_name(const char *arch, unsigned abi)
{
	enum { ABI_32 = 1, ABI_64 };

	if (strcmp(arch, "x86_64") == 0 && abi == ABI_64)
		return machine_by_elf(EM_X86_64);
	if (strcmp(arch, "x86_64") == 0 && abi == ABI_32)
		return machine_by_elf(EM_386);
	if (arch[0] == 'i' && arch[1] >= '3' && arch[1] <= '6' &&
	    strcmp(arch + 2, "86") == 0 && abi == ABI_32)
		return machine_by_elf(EM_386);
	if ((strcmp(arch, "aarch64") == 0 || strcmp(arch, "arm64") == 0) && abi == ABI_64)
		return machine_by_elf(EM_AARCH64);
	return NULL;
}
