// truth nasm: awk '/^;begin/ { on = 1; next } /^;end/ { on = 0 } on' $SRC >code.asm && nasm -felf64 -o code.o code.asm && gcc -O2 -fno-omit-frame-pointer -I$HERE -o $BIN $SRC code.o
// truth nasm-O2 (nofp): awk '/^;begin/ { on = 1; next } /^;end/ { on = 0 } on' $SRC >code.asm && nasm -felf64 -o code.o code.asm && gcc -O2 -I$HERE -o $BIN $SRC code.o
// Functions in an assembler that writes neither sizes nor unwind tables.
#if 0
;begin
	default rel
	section .text
	global asm_leaf, asm_framed, asm_calls
asm_leaf:
.loop:	dec rdi
	jnz .loop
	ret
asm_framed:
	push rbp
	mov rbp, rsp
inner_label:
	dec rdi
	jnz inner_label
	pop rbp
	ret
asm_calls:
	push rbp
	mov rbp, rsp
	call asm_leaf
	pop rbp
	ret
	section .note.GNU-stack noalloc noexec nowrite progbits
;end
#endif
#include "truth.h"

void asm_leaf(unsigned long n);
void asm_framed(unsigned long n);
void asm_calls(unsigned long n);

TRUTH_NOINLINE static void user(void (*function)(unsigned long), unsigned long n)
{
	function(n);
	TRUTH_STAY();
}

int main(void)
{
	while (truth_more()) {
		TRUTH("main;user;asm_leaf", user(asm_leaf, 10 * TRUTH_MS));
		TRUTH("main;user;asm_framed|inner_label",
		      user(asm_framed, 10 * TRUTH_MS));
		TRUTH("main;user;asm_calls;asm_leaf", user(asm_calls, 10 * TRUTH_MS));
	}
	return 0;
}
