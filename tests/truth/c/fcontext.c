// truth fp: gcc -O2 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -I$HERE -o $BIN $SRC
// truth O2 (nofp): gcc -O2 -I$HERE -o $BIN $SRC
// Coroutines as Boost.Context makes them for x86-64: in assembler, without a word to unwinders.
#include "truth.h"

struct transfer {
	void *context, *data;
};

void *make_fcontext(void *top, void (*function)(struct transfer));
struct transfer jump_fcontext(void *to, void *data);

/* The function returns to finish, which the trampoline has pushed. */
__asm__(".text\n.type make_fcontext,@function\nmake_fcontext:\n"
	"mov %rdi,%rax\nand $-16,%rax\nlea -0x40(%rax),%rax\n"
	"mov %rsi,0x28(%rax)\nstmxcsr (%rax)\nfnstcw 4(%rax)\n"
	"lea trampoline(%rip),%rcx\nmov %rcx,0x38(%rax)\n"
	"lea finish(%rip),%rcx\nmov %rcx,0x30(%rax)\nret\n"
	"trampoline:\npush %rbp\njmp *%rbx\n"
	"finish:\nxor %edi,%edi\ncall _exit@PLT\nhlt\n"
	".size make_fcontext,.-make_fcontext\n");

__asm__(".text\n.type jump_fcontext,@function\njump_fcontext:\n"
	"lea -0x38(%rsp),%rsp\nstmxcsr (%rsp)\nfnstcw 4(%rsp)\n"
	"mov %r12,8(%rsp)\nmov %r13,0x10(%rsp)\nmov %r14,0x18(%rsp)\n"
	"mov %r15,0x20(%rsp)\nmov %rbx,0x28(%rsp)\nmov %rbp,0x30(%rsp)\n"
	"mov %rsp,%rax\nmov %rdi,%rsp\nmov 0x38(%rsp),%r8\n"
	"ldmxcsr (%rsp)\nfldcw 4(%rsp)\n"
	"mov 8(%rsp),%r12\nmov 0x10(%rsp),%r13\nmov 0x18(%rsp),%r14\n"
	"mov 0x20(%rsp),%r15\nmov 0x28(%rsp),%rbx\nmov 0x30(%rsp),%rbp\n"
	"lea 0x40(%rsp),%rsp\nmov %rsi,%rdx\nmov %rax,%rdi\njmp *%r8\n"
	".size jump_fcontext,.-jump_fcontext\n");

static char room[65536] __attribute__((aligned(64)));

TRUTH_NOINLINE static void leaf(unsigned long n)
{
	TRUTH_FRAMED_SPIN(n);
}

TRUTH_NOINLINE static void work(unsigned long n)
{
	leaf(n);
	TRUTH_STAY();
}

static void coroutine(struct transfer from)
{
	for (;;) {
		TRUTH("coroutine;work;leaf", work(10 * TRUTH_MS));
		from = jump_fcontext(from.context, NULL);
	}
}

int main(void)
{
	struct transfer there = { make_fcontext(room + sizeof(room), coroutine), NULL };

	while (truth_more()) {
		there = jump_fcontext(there.context, NULL);
		TRUTH("main;work;leaf", work(10 * TRUTH_MS));
	}
	return 0;
}
