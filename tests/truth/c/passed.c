// truth fp: gcc -O2 -fno-omit-frame-pointer -I$HERE -o $BIN $SRC
// truth leaf: gcc -O2 -fno-omit-frame-pointer -momit-leaf-frame-pointer -I$HERE -o $BIN $SRC
// truth O2 (nofp): gcc -O2 -I$HERE -o $BIN $SRC
// Functions without a frame in the midst of a stack, with unwind tables and without: who called them is not in a
// chain of frame pointers.
#include "truth.h"

__asm__(".text\n"
	// Nothing says how to leave it.
	".type hop,@function\nhop:\nsub $8,%rsp\ncall *%rsi\nadd $8,%rsp\nret\n.size "
	"hop,.-hop\n"
	// It says so, and leaves the frame pointer alone.
	".type step,@function\nstep:\n.cfi_startproc\nsub "
	"$8,%rsp\n.cfi_adjust_cfa_offset 8\ncall *%rsi\n"
	"add $8,%rsp\n.cfi_adjust_cfa_offset -8\nret\n.cfi_endproc\n.size step,.-step\n"
	// A frame, and no tables.
	".type framed,@function\nframed:\npush %rbp\nmov %rsp,%rbp\ncall *%rsi\npop "
	"%rbp\nret\n.size "
	"framed,.-framed\n");
void hop(unsigned long n, void (*function)(unsigned long));
void step(unsigned long n, void (*function)(unsigned long));
void framed(unsigned long n, void (*function)(unsigned long));

TRUTH_NOINLINE static void leaf(unsigned long n)
{
	TRUTH_FRAMED_SPIN(n);
}

TRUTH_NOINLINE static void spin(unsigned long n)
{
	TRUTH_SPIN(n);
}

TRUTH_NOINLINE static void work(unsigned long n)
{
	leaf(n);
	TRUTH_STAY();
}

TRUTH_NOINLINE static void by_hop(unsigned long n)
{
	hop(n, work);
	TRUTH_STAY();
}

TRUTH_NOINLINE static void by_step(unsigned long n)
{
	step(n, work);
	TRUTH_STAY();
}

TRUTH_NOINLINE static void to_leaf(unsigned long n)
{
	step(n, spin);
	TRUTH_STAY();
}

TRUTH_NOINLINE static void by_frame(unsigned long n)
{
	framed(n, work);
	TRUTH_STAY();
}

int main(void)
{
	while (truth_more()) {
		TRUTH("main;by_hop;hop;work;leaf", by_hop(10 * TRUTH_MS));
		TRUTH("main;by_step;step;work;leaf", by_step(10 * TRUTH_MS));
		TRUTH("main;to_leaf;step;spin", to_leaf(10 * TRUTH_MS));
		TRUTH("main;by_frame;framed;work;leaf", by_frame(10 * TRUTH_MS));
	}
	return 0;
}
