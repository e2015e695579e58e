/* Functions without a frame of their own that call the one they are given, as their second argument: unsigned name(unsigned n,
 * function *work). One of HOP has rows, one of HOP_WITHOUT_ROWS nothing
 * that says how to leave it. */
#ifndef HOP_H
#define HOP_H

#define ASSEMBLED(name, ...)                                                             \
	__asm__(".text\n.type " #name ",%function\n" #name ":\n" __VA_ARGS__             \
		".size " #name ",.-" #name "\n")

#ifdef __aarch64__
#define HOP_WITHOUT_ROWS(name)                                                           \
	ASSEMBLED(name, "str x30,[sp,#-16]!\n"                                           \
			"blr x1\n"                                                       \
			"ldr x30,[sp],#16\n"                                             \
			"ret\n")
#define HOP(name)                                                                        \
	ASSEMBLED(name, ".cfi_startproc\n"                                               \
			"str x30,[sp,#-16]!\n"                                           \
			".cfi_adjust_cfa_offset 16\n"                                    \
			".cfi_offset 30,-16\n"                                           \
			"blr x1\n"                                                       \
			"ldr x30,[sp],#16\n"                                             \
			".cfi_restore 30\n"                                              \
			".cfi_adjust_cfa_offset -16\n"                                   \
			"ret\n"                                                          \
			".cfi_endproc\n")
#else
#define HOP_WITHOUT_ROWS(name)                                                           \
	ASSEMBLED(name, "sub $8,%rsp\n"                                                  \
			"call *%rsi\n"                                                   \
			"add $8,%rsp\n"                                                  \
			"ret\n")
#define HOP(name)                                                                        \
	ASSEMBLED(name, ".cfi_startproc\n"                                               \
			"sub $8,%rsp\n"                                                  \
			".cfi_adjust_cfa_offset 8\n"                                     \
			"call *%rsi\n"                                                   \
			"add $8,%rsp\n"                                                  \
			".cfi_adjust_cfa_offset -8\n"                                    \
			"ret\n"                                                          \
			".cfi_endproc\n")
#endif

#endif
