/*
 * Stacks that go on on another one, of which nobody copies a byte:
 *
 *	signal		main -> interrupted, its signal handled on a stack of its own: handler -> leaf
 *	near		the same, and the stack that was left lies right above the handler's
 *	switched	main -> elsewhere -> switched_call, on another stack: work -> leaf
 *
 * usage: stacks WHICH TIMES
 */
#include "frame.h"
#include <signal.h>
#include <stdlib.h>

enum { ROOM = 1 << 16 };

static volatile unsigned sink;
static char rooms[2 * ROOM] __attribute__((aligned(4096)));

/* The caller's stack is where rbp says, as it says itself. */
void switched_call(void (*function)(unsigned), unsigned n, void *stack);
__asm__(".text\n.type switched_call, @function\nswitched_call:\n"
	".cfi_startproc\n"
	"push %rbp\n"
	".cfi_def_cfa_offset 16\n"
	".cfi_offset %rbp, -16\n"
	"mov %rsp, %rbp\n"
	".cfi_def_cfa_register %rbp\n"
	"mov %rdi, %rax\n"
	"mov %esi, %edi\n"
	"mov %rdx, %rsp\n"
	"call *%rax\n"
	"mov %rbp, %rsp\n"
	"pop %rbp\n"
	".cfi_def_cfa %rsp, 8\n"
	"ret\n"
	".cfi_endproc\n.size switched_call, . - switched_call\n");

FRAME unsigned leaf(unsigned rounds)
{
	LEAF();
	return busy(rounds);
}

static void handler(int number)
{
	sink += leaf(20000) + (unsigned)number;
	AFTER_CALL();
}

FRAME void interrupted(unsigned n)
{
	LEAF();
	__asm__ volatile("int3" : : : "memory");
	sink += n;
}

FRAME void work(unsigned n)
{
	sink += leaf(n);
	AFTER_CALL();
}

FRAME void elsewhere(void (*function)(unsigned), unsigned n)
{
	switched_call(function, n, rooms + sizeof(rooms) - 64);
	AFTER_CALL();
}

static void handle_on(void *stack)
{
	stack_t room = { .ss_sp = stack, .ss_size = ROOM };
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_ONSTACK };

	if (sigaltstack(&room, NULL) < 0 || sigaction(SIGTRAP, &action, NULL) < 0)
		exit(77);
}

FRAME void once(const char *which)
{
	switch (which[0]) {
	case 's':
		if (which[1] == 'i')
			interrupted(1);
		else
			elsewhere(work, 20000);
		break;
	case 'n':
		elsewhere(interrupted, 1);
		break;
	}
	AFTER_CALL();
}

int main(int argc, char **argv)
{
	unsigned times = argc > 2 ? (unsigned)atoi(argv[2]) : 1;

	if (argc < 2)
		return 2;
	handle_on(rooms);
	for (unsigned i = 0; i < times; i++)
		once(argv[1]);
	return 0;
}
