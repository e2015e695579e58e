// truth fp: gcc -O2 -fno-omit-frame-pointer -I$HERE -o $BIN $SRC
// truth O2 (nofp): gcc -O2 -I$HERE -o $BIN $SRC
// Stacks that the program changes by hand, without and with a word to unwinders about it.
#include "truth.h"

/* switched_call(function, argument, stack): on another stack; the caller is its own. */
__asm__(".text\n.type switched_call,@function\nswitched_call:\n.cfi_startproc\n"
	"push %rbp\n.cfi_def_cfa_offset 16\n.cfi_offset %rbp,-16\n"
	"mov %rsp,%rbp\n.cfi_def_cfa_register %rbp\n"
	"mov %rdi,%rax\nmov %rsi,%rdi\nmov %rdx,%rsp\ncall *%rax\n"
	"mov %rbp,%rsp\npop %rbp\n.cfi_def_cfa %rsp,8\nret\n"
	".cfi_endproc\n.size switched_call,.-switched_call\n");
void switched_call(void (*function)(unsigned long), unsigned long n, void *stack);

/* A coroutine: begins on a stack that is zero above, and goes back and forth. */
__asm__(".text\n.type swap,@function\nswap:\n.cfi_startproc\n"
	"push %rbp\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset %rbp,0\n"
	"push %rbx\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset %rbx,0\n"
	"push %r12\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset %r12,0\n"
	"push %r13\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset %r13,0\n"
	"push %r14\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset %r14,0\n"
	"push %r15\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset %r15,0\n"
	"mov %rsp,(%rdi)\nmov %rsi,%rsp\n"
	"pop %r15\n.cfi_adjust_cfa_offset -8\npop %r14\n.cfi_adjust_cfa_offset -8\n"
	"pop %r13\n.cfi_adjust_cfa_offset -8\npop %r12\n.cfi_adjust_cfa_offset -8\n"
	"pop %rbx\n.cfi_adjust_cfa_offset -8\npop %rbp\n.cfi_adjust_cfa_offset -8\nret\n"
	".cfi_endproc\n.size swap,.-swap\n");
void swap(void **save, void *load);

static char room[65536] __attribute__((aligned(64))),
	second_room[65536] __attribute__((aligned(64)));
static void *home, *coroutine_stack;

TRUTH_NOINLINE static void leaf(unsigned long n)
{
	TRUTH_FRAMED_SPIN(n);
}

TRUTH_NOINLINE static void work(unsigned long n)
{
	leaf(n);
	TRUTH_STAY();
}

TRUTH_NOINLINE static void elsewhere(unsigned long n)
{
	switched_call(work, n, room + sizeof(room) - 64);
	TRUTH_STAY();
}

TRUTH_NOINLINE static void coroutine(void)
{
	for (;;) {
		TRUTH("coroutine;work;leaf", work(10 * TRUTH_MS));
		swap(&coroutine_stack, home);
	}
}

int main(void)
{
	void **top = (void **)(second_room + sizeof(second_room) - 64);

	*--top = 0;
	*--top = (void *)coroutine;
	coroutine_stack = top - 6;
	while (truth_more()) {
		TRUTH("main;elsewhere;switched_call;work;leaf", elsewhere(10 * TRUTH_MS));
		swap(&home, coroutine_stack);
		TRUTH("main;work;leaf", work(10 * TRUTH_MS));
	}
	return 0;
}
