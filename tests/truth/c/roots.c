// truth clone: gcc -O2 -DCLONE -fno-omit-frame-pointer -I$HERE -o $BIN $SRC
// truth clone-O2 (nofp): gcc -O2 -DCLONE -I$HERE -o $BIN $SRC
// truth start: gcc -O2 -nostartfiles -fno-omit-frame-pointer -I$HERE -o $BIN $SRC
// truth start-static: gcc -O2 -static -DLIBC -fno-omit-frame-pointer -Wl,-e,other_start -I$HERE -o $BIN $SRC
// truth constructor: gcc -O2 -DCONSTRUCTOR -fno-omit-frame-pointer -I$HERE -o $BIN $SRC
// Stacks that begin elsewhere: a thread of clone() itself, an entry of the program's own, a constructor.
#define _GNU_SOURCE
#include "truth.h"
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

TRUTH_NOINLINE static void leaf(unsigned long n)
{
	TRUTH_FRAMED_SPIN(n);
}

TRUTH_NOINLINE static void work(unsigned long n)
{
	leaf(n);
	TRUTH_STAY();
}

#define ROUNDS(root)                                                                     \
	while (truth_more()) {                                                           \
		TRUTH(root ";work;leaf", work(10 * TRUTH_MS));                           \
		TRUTH(root ";leaf", leaf(10 * TRUTH_MS));                                \
	}

#if defined(CLONE)
static int cloned(void *unused)
{
	(void)unused;
	ROUNDS("cloned");
	return 0;
}

int main(void)
{
	char *stack = malloc(1 << 16);
	int id = clone(cloned, stack + (1 << 16),
		       CLONE_VM | CLONE_FS | CLONE_FILES | SIGCHLD, NULL);

	return id < 0 || waitpid(id, NULL, 0) < 0;
}
#elif defined(CONSTRUCTOR)
__attribute__((constructor)) static void early(void)
{
	ROUNDS("early");
}

int main(void)
{
	return 0;
}
#elif defined(LIBC)
/* In front of the usual one, which it jumps to. */
__asm__(".globl other_start\n.type other_start,@function\nother_start:\njmp _start\n"
	".size other_start,.-other_start\n");

int main(void)
{
	ROUNDS("main");
	return 0;
}
#else
__attribute__((used, noreturn)) static void begin(void)
{
	ROUNDS("begin");
	truth_write();
	_exit(0);
}

__asm__(".globl _start\n.type _start,@function\n_start:\n.cfi_startproc\n.cfi_undefined "
	"rip\n"
	"xor %ebp,%ebp\nand $-16,%rsp\ncall begin\nhlt\n.cfi_endproc\n.size "
	"_start,.-_start\n");
#endif
