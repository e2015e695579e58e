// truth fp: gcc -O2 -fno-omit-frame-pointer -I$HERE -o $BIN $SRC
// truth O2 (nofp): gcc -O2 -I$HERE -o $BIN $SRC
// truth none: gcc -O2 -fno-omit-frame-pointer -fno-asynchronous-unwind-tables -fno-unwind-tables -I$HERE -o $BIN $SRC
// truth none-stripped: gcc -O2 -fno-omit-frame-pointer -fno-asynchronous-unwind-tables -fno-unwind-tables -g0 -I$HERE -o $BIN $SRC && objcopy --remove-section .eh_frame --remove-section .eh_frame_hdr $BIN
// Code in assembly without unwind tables: with a frame, without one, and with a label inside that has no size.
#include "truth.h"

__asm__(".text\n"
	".type framed,@function\nframed:\n"
	"push %rbp\nmov %rsp,%rbp\n1: dec %rdi\njnz 1b\npop %rbp\nret\n.size "
	"framed,.-framed\n"
	".type frameless,@function\nframeless:\n"
	"1: dec %rdi\njnz 1b\nret\n.size frameless,.-frameless\n"
	".type saves,@function\nsaves:\n"
	"push %rbx\nmov %rdi,%rbx\n1: dec %rbx\njnz 1b\npop %rbx\nret\n.size "
	"saves,.-saves\n"
	".type through,@function\nthrough:\n"
	"push %rbp\nmov %rsp,%rbp\nsub $32,%rsp\ncall framed\nleave\nret\n.size "
	"through,.-through\n"
	".type labelled,@function\nlabelled:\n"
	"push %rbp\nmov %rsp,%rbp\nlabelled_loop:\ndec %rdi\njnz labelled_loop\npop "
	"%rbp\nret\n"
	".size labelled,.-labelled\n");
void framed(unsigned long n);
void frameless(unsigned long n);
void saves(unsigned long n);
void through(unsigned long n);
void labelled(unsigned long n);

TRUTH_NOINLINE static void calls(void (*function)(unsigned long), unsigned long n)
{
	function(n);
	TRUTH_STAY();
}

TRUTH_NOINLINE static void calls_direct(unsigned long n)
{
	frameless(n);
	TRUTH_STAY();
}

int main(void)
{
	while (truth_more()) {
		TRUTH("main;calls;framed", calls(framed, 10 * TRUTH_MS));
		TRUTH("main;calls;through;framed", calls(through, 10 * TRUTH_MS));
		TRUTH("main;calls;labelled", calls(labelled, 10 * TRUTH_MS));
		TRUTH("main;calls_direct;frameless", calls_direct(10 * TRUTH_MS));
		TRUTH("main;calls;saves", calls(saves, 10 * TRUTH_MS));
	}
	return 0;
}
