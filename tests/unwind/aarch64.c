/*
 * Says what a recorder would copy where it stops: registers, the stack up to its end, and what is
 * mapped, as lines of text. For aarch64, where no recorder is at hand: see aarch64.py.
 *
 * usage: aarch64 CASE		see cases[] for the chain of calls of each
 */
#define _GNU_SOURCE
#include "frame.h"
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

/* A sample is taken here; all registers are as they were. */
#define STOP() __asm__ volatile("brk #0" ::: "memory")
/* A signal comes here. */
#define SIGNAL() __asm__ volatile(".inst 0" ::: "memory")

static volatile unsigned sink;
static const char *which;

/* The end of what is mapped at @address. */
static uint64_t end_of(uint64_t address)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long start, end;
	char line[4352];

	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx", &start, &end) == 2 && address >= start &&
		    address < end) {
			fclose(maps);
			return end;
		}
	exit(1);
}

static void say_maps(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[4352];

	while (maps && fgets(line, sizeof(line), maps))
		printf("map %s", line);
	if (maps)
		fclose(maps);
}

static void say_stack(const mcontext_t *regs)
{
	uint64_t end = end_of(regs->sp);

	printf("dump %s\nregisters", which);
	for (int i = 0; i < 31; i++)
		printf(" %#llx", regs->regs[i]);
	printf(" %#llx %#llx\nstack ", regs->sp, regs->pc);
	for (const unsigned char *at = (void *)regs->sp; at < (unsigned char *)end; at++)
		printf("%02x", *at);
	printf("\n");
}

static void stopped(int number, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)number;
	(void)info;
	say_stack(&uc->uc_mcontext);
	uc->uc_mcontext.pc += 4;
}

FRAME unsigned leaf(unsigned n)
{
	STOP();
	return n * 3;
}

/* leaf comes back to it first: the link register is of no use then. */
FRAME unsigned twice(unsigned n)
{
	unsigned x = sink > 100 ? leaf(n) : n;

	x += busy(x) + end_of(0x1000 + (uintptr_t)__builtin_frame_address(0)) % 3;
	STOP();
	return x + 1;
}

FRAME unsigned after_call(unsigned n)
{
	unsigned x = twice(n);

	AFTER_CALL();
	return x + 1;
}

FRAME unsigned inner(unsigned n)
{
	char room[5000];
	unsigned x;

	memset(room, n, sizeof(room));
	__asm__ volatile("" : : "r"(room) : "memory");
	x = leaf(n);
	AFTER_CALL();
	return x + room[n % sizeof(room)];
}

FRAME unsigned middle(unsigned a, unsigned b, unsigned c, unsigned d)
{
	unsigned x = inner(a);

	AFTER_CALL();
	return x + a * b + c * d;
}

FRAME unsigned outer(unsigned n)
{
	unsigned x = middle(n, n + 1, n + 2, n + 3);

	AFTER_CALL();
	return x * 3;
}

/* Offsets that no single instruction has. */
FRAME unsigned huge(unsigned n)
{
	char room[40000];
	unsigned x;

	memset(room, n, sizeof(room));
	__asm__ volatile("" : : "r"(room) : "memory");
	x = middle(n, n, n, n);
	AFTER_CALL();
	return x + room[n];
}

FRAME unsigned variable(unsigned n)
{
	char room[n * 100 + 1];
	unsigned x;

	memset(room, n, sizeof(room));
	__asm__ volatile("" : : "r"(room) : "memory");
	x = leaf(n);
	AFTER_CALL();
	return x + room[n];
}

FRAME int compare(const void *a, const void *b)
{
	int x = *(const int *)a - *(const int *)b;

	x += leaf(sink) & 0;
	AFTER_CALL();
	return x;
}

FRAME unsigned sorted(unsigned n)
{
	int list[] = { n, 1 };

	qsort(list, 2, sizeof(*list), compare);
	AFTER_CALL();
	return list[0];
}

FRAME void handle(int number)
{
	sink += leaf(number);
	AFTER_CALL();
}

static void handler(int number, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	char room[200];

	(void)info;
	/* Above the frame record: where that is does not say where the signal's frame begins. */
	memset(room, number, sizeof(room));
	__asm__ volatile("" : : "r"(room) : "memory");
	handle(number);
	uc->uc_mcontext.pc += 4;
}

/* The link register is all that leads from here to its caller. */
FRAME unsigned hit(unsigned n)
{
	SIGNAL();
	return n + 1;
}

FRAME unsigned interrupted(unsigned n)
{
	unsigned x = hit(n);

	AFTER_CALL();
	return x + 1;
}

/*
 * What comes before the first instruction is of another function. And a function that stops behind
 * each instruction of those with which it begins and ends, as compilers write them.
 */
unsigned first(unsigned n);
unsigned steps(unsigned n);
void restore(void);
__asm__(".pushsection .text\n"
	".type other, %function\n"
	"other:	.cfi_startproc\n"
	"	.cfi_def_cfa_offset 4096\n"
	"	nop\n"
	"	.cfi_endproc\n"
	"	.size other, . - other\n"
	".globl first\n"
	".type first, %function\n"
	"first:	.cfi_startproc\n"
	"	.inst 0\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"	.size first, . - first\n"
	".globl steps\n"
	".type steps, %function\n"
	"steps:	.cfi_startproc\n"
	"	brk #0\n"
	"	hint #25\n" /* paciasp */
	"	.cfi_negate_ra_state\n"
	"	brk #0\n"
	"	stp x29, x30, [sp, #-48]!\n"
	"	.cfi_def_cfa_offset 48\n"
	"	.cfi_offset x29, -48\n"
	"	.cfi_offset x30, -40\n"
	"	brk #0\n"
	"	mov x29, sp\n"
	"	brk #0\n"
	"	str x19, [sp, #16]\n"
	"	.cfi_offset x19, -32\n"
	"	mov x30, #0\n"
	"	brk #0\n"
	"	ldr x19, [sp, #16]\n"
	"	.cfi_restore x19\n"
	"	ldp x29, x30, [sp], #48\n"
	"	.cfi_restore x29\n"
	"	.cfi_restore x30\n"
	"	.cfi_def_cfa_offset 0\n"
	"	brk #0\n"
	"	hint #29\n" /* autiasp */
	"	.cfi_negate_ra_state\n"
	"	brk #0\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"	.size steps, . - steps\n"
	".type restore, %function\n"
	".globl restore\n"
	"	nop\n"
	"restore:\n"
	"	mov x8, #139\n" /* rt_sigreturn */
	"	svc #0\n"
	"	.size restore, . - restore\n"
	".popsection");

FRAME unsigned interrupted_first(unsigned n)
{
	unsigned x = first(n);

	AFTER_CALL();
	return x + 1;
}

FRAME unsigned stepped(unsigned n)
{
	unsigned x = steps(n);

	AFTER_CALL();
	return x + 1;
}

/* As the kernel takes it. */
struct kernel_action {
	void (*handler)(int, siginfo_t *, void *);
	unsigned long flags;
	void (*restorer)(void);
	unsigned long mask;
};

static void return_through_program(void)
{
	enum { RESTORER = 0x04000000 };
	struct kernel_action action = { handler, SA_SIGINFO | RESTORER, restore, 0 };

	if (syscall(SYS_rt_sigaction, SIGILL, &action, NULL, sizeof(action.mask)) != 0)
		exit(1);
}

FRAME unsigned restored(unsigned n)
{
	unsigned x;

	return_through_program();
	x = interrupted(n);
	AFTER_CALL();
	return x + 1;
}

static const struct {
	const char *name;
	unsigned (*run)(unsigned n);
} cases[] = {
	/* outer -> middle, which saves registers -> inner, 5000 bytes -> leaf */
	{ "layers", outer },
	/* huge, 40000 bytes -> middle -> inner -> leaf */
	{ "huge", huge },
	/* variable, an array of any size -> leaf */
	{ "variable", variable },
	/* after_call -> twice, which has called others */
	{ "called", after_call },
	/* sorted -> the C library -> compare -> leaf */
	{ "sorted", sorted },
	/* interrupted -> hit, signal, handler -> handle -> leaf */
	{ "signal", interrupted },
	/* interrupted_first -> first, signal, handler -> handle -> leaf */
	{ "first", interrupted_first },
	/* restored -> interrupted -> hit, signal, handler -> handle -> leaf */
	{ "restored", restored },
	/* stepped -> steps, seven times */
	{ "steps", stepped },
};

int main(int argc, char **argv)
{
	static char room[1 << 17];
	stack_t stack = { .ss_sp = room, .ss_size = sizeof(room) };
	struct sigaction stop = { .sa_sigaction = stopped,
				  .sa_flags = SA_SIGINFO | SA_ONSTACK };
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };

	if (argc != 2 || sigaltstack(&stack, NULL) != 0 ||
	    sigaction(SIGTRAP, &stop, NULL) != 0 || sigaction(SIGILL, &action, NULL) != 0)
		return 1;
	which = argv[1];
	say_maps();
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (strcmp(cases[i].name, which) == 0) {
			sink += cases[i].run(7);
			return 0;
		}
	return 1;
}
