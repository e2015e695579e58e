/* Call frame information of every kind that directives can write, for x86-64. */
#ifdef DEBUG_FRAME
	.cfi_sections .debug_frame
#endif
	.text
ordinary:
	.cfi_startproc
	push %rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	mov %rsp, %rbp
	.cfi_def_cfa_register %rbp
	push %rbx
	.cfi_offset %rbx, -24
	.cfi_remember_state
	.skip 100
	leave
	.cfi_restore %rbp
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_restore_state
	.skip 300
	.cfi_undefined %rax
	.cfi_same_value %r12
	.cfi_register %r13, %rax
	.cfi_val_offset %r14, 8
	nop
	.cfi_window_save
	ret
	.cfi_endproc

	.skip 20
outermost:
	.cfi_startproc
	.cfi_undefined %rip
	call ordinary
	.cfi_endproc

/* CFA = *(rbp - 8), as gcc has it where it aligns the stack. */
aligning:
	.cfi_startproc
	lea 8(%rsp), %r10
	.cfi_def_cfa %r10, 0
	push %rbp
	.cfi_escape 0x10, 6, 2, 0x76, 0
	nop
	.cfi_escape 0x0f, 3, 0x76, 0x78, 0x06
	ret
	.cfi_endproc

/* CFA = *(rsp + 64) + 8, as OpenSSL has it. */
saving:
	.cfi_startproc
	nop
	.cfi_escape 0x0f, 6, 0x77, 0xc0, 0, 0x06, 0x23, 8
	nop
	.cfi_escape 0x16, 3, 4, 0x77, 8, 0x06, 0x1c
	nop
	.cfi_escape 0x2e, 0x10, 0x2f, 6, 2, 0x12, 7, 0x7f, 0x13, 0x7e
	ret
	.cfi_endproc

/* The PLT's: CFA = rsp + 8 + ((rip & 15) >= 11) << 3 */
binding:
	.cfi_startproc
	.cfi_escape 0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22
	.skip 32
	.cfi_endproc

returning:
	.cfi_startproc
	.cfi_signal_frame
	.cfi_personality 0x9b, there
	.cfi_lsda 0x1b, there
	.cfi_escape 0x0f, 4, 0x77, 0xa0, 1, 0x06
	.cfi_escape 0x10, 7, 3, 0x77, 0xa0, 1
	.cfi_escape 0x10, 6, 3, 0x77, 0xf8, 0
	.cfi_escape 0x10, 16, 3, 0x77, 0xa8, 1
	syscall
	.cfi_endproc

/* The return address has a column of its own. */
elsewhere:
	.cfi_startproc simple
	.cfi_return_column 15
	.cfi_def_cfa %rsp, 0
	.cfi_offset 15, -8
	.cfi_adjust_cfa_offset 8
	ret
	.cfi_endproc

	.data
there:
	.quad 0
	.section .note.GNU-stack, "", @progbits
