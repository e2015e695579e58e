/*
 * Rows that no compiler writes, but people who write assembly:
 *
 *	main -> calls -> by_expression -> leaf	CFA and rbp by expressions of r12, rbx a value
 *	                 in_register -> leaf	the return address is in r13, and was popped
 *	                 remembered -> leaf	both ways behind a remembered state
 *	                 far_pointer -> leaf	rbp points into the middle of the frame
 *
 * usage: rare TIMES
 */
#include "frame.h"
#include <stdlib.h>

static volatile unsigned sink;

unsigned by_expression(unsigned n);
unsigned in_register(unsigned n);
unsigned remembered(unsigned n);
unsigned far_pointer(unsigned n);

FRAME __attribute__((used)) unsigned leaf(unsigned rounds)
{
	return busy(rounds);
}

#define BEGIN(name)                                                                      \
	".text\n.globl " #name "\n.type " #name ", @function\n" #name                    \
	":\n.cfi_startproc\n"
#define END(name) ".cfi_endproc\n.size " #name ", . - " #name "\n"

__asm__(BEGIN(
	by_expression) "push %rbx\n.cfi_adjust_cfa_offset 8\n.cfi_offset rbx, -16\n"
		       "push %r12\n.cfi_adjust_cfa_offset 8\n.cfi_offset r12, -24\n"
		       "push %rbp\n.cfi_adjust_cfa_offset 8\n.cfi_offset rbp, -32\n"
		       "mov %rsp, %r12\n"
		       /* DW_CFA_def_cfa_expression: breg12 24; plus_uconst 8 */
		       ".cfi_escape 0x0f, 4, 0x7c, 24, 0x23, 8\n"
		       "mov $0x1234, %ebp\n"
		       "mov $0x99, %ebx\n"
		       "sub $4096, %rsp\n"
		       "and $-512, %rsp\n"
		       /* DW_CFA_expression rbp: breg12 0; DW_CFA_val_expression rbx: const */
		       ".cfi_escape 0x10, 6, 2, 0x7c, 0\n"
		       ".cfi_escape 0x16, 3, 3, 0x11, 0xaa, 0x7f\n"
		       "call leaf\n"
		       "mov %r12, %rsp\n"
		       "pop %rbp\n"
		       "pop %r12\n"
		       "pop %rbx\n"
		       ".cfi_restore rbx\n.cfi_restore rbp\n.cfi_restore "
		       "r12\n.cfi_def_cfa rsp, 8\n"
		       "ret\n" END(by_expression));

__asm__(BEGIN(in_register) "pop %rax\n.cfi_def_cfa rsp, 0\n.cfi_register rip, rax\n"
			   "push %r13\n.cfi_adjust_cfa_offset 8\n.cfi_offset r13, -8\n"
			   "mov %rax, %r13\n.cfi_register rip, r13\n"
			   /* DW_CFA_GNU_args_size 16 */
			   ".cfi_escape 0x2e, 16\n"
			   "call leaf\n"
			   "mov %r13, %rcx\n"
			   "pop %r13\n"
			   ".cfi_adjust_cfa_offset -8\n.cfi_restore r13\n.cfi_register "
			   "rip, rcx\n"
			   "push %rcx\n.cfi_def_cfa_offset 8\n.cfi_offset rip, -8\n"
			   "ret\n" END(in_register));

__asm__(BEGIN(remembered) "push %rbp\n.cfi_def_cfa_offset 16\n.cfi_offset rbp, -16\n"
			  "mov %rsp, %rbp\n.cfi_def_cfa_register rbp\n"
			  "sub $48, %rsp\n.cfi_remember_state\n"
			  "test $1, %edi\n"
			  "jz 1f\n"
			  "call leaf\n"
			  "leave\n.cfi_def_cfa rsp, 8\n"
			  "ret\n"
			  "1: .cfi_restore_state\n"
			  "mov $77, %eax\n.cfi_remember_state\n"
			  "call leaf\n"
			  "leave\n.cfi_def_cfa rsp, 8\n.cfi_same_value rbp\n"
			  "ret\n.cfi_restore_state\n"
			  "ud2\n" END(remembered));

__asm__(BEGIN(far_pointer) "push %rbp\n.cfi_def_cfa_offset 16\n.cfi_offset rbp, -16\n"
			   "lea -200(%rsp), %rbp\n"
			   "sub $512, %rsp\n.cfi_def_cfa rbp, 216\n"
			   /* DW_CFA_expression rbp: breg6 200 */
			   ".cfi_escape 0x10, 6, 3, 0x76, 0xc8, 1\n"
			   "call leaf\n"
			   "add $512, %rsp\n.cfi_def_cfa rsp, 16\n.cfi_offset rbp, -16\n"
			   "pop %rbp\n.cfi_def_cfa_offset 8\n.cfi_restore rbp\n"
			   "ret\n" END(far_pointer));

FRAME unsigned calls(unsigned n)
{
	unsigned x = by_expression(n);

	x += in_register(n);
	x += remembered(n | 1);
	x += remembered(n & ~1u);
	x += far_pointer(n);
	AFTER_CALL();
	return x;
}

int main(int argc, char **argv)
{
	unsigned times = argc > 1 ? (unsigned)atoi(argv[1]) : 1;

	for (unsigned i = 0; i < times; i++)
		sink += calls(2000 + (i & 1));
	return 0;
}
