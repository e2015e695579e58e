/*
 * Moves its own text to memory of huge pages, then works there: huge_text HOW SECONDS [stay]
 *
 * HOW is "copy" (new memory over the text, filled again: iodlr, node), "move" (a filled
 * copy is moved over it by mremap(): HHVM), or "none". Linked with -no-pie, so that text
 * which begins with a huge page in the file does so in memory.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "now.h"

enum { HUGE_PAGE = 1 << 21 };

/* One huge page, and the first bytes of another: the page is all text. */
__asm__(".pushsection huge, \"ax\", @progbits\n"
	".p2align 21\n"
	".globl known_work\n"
	".type known_work, @function\n"
	"known_work:\n"
	".cfi_startproc\n"
#if defined(__x86_64__)
	"	mov $2000000, %ecx\n"
	"1:	dec %ecx\n"
	"	jnz 1b\n"
#elif defined(__aarch64__)
	"	mov w0, #0x1e0000\n"
	"1:	subs w0, w0, #1\n"
	"	b.ne 1b\n"
#else
#error "no code for this machine"
#endif
	"	ret\n"
	".cfi_endproc\n"
	".size known_work, . - known_work\n"
	".p2align 21\n"
	".skip 64\n"
	".popsection\n");

void known_work(void);

static void *anonymous(void *address, int protection, int flags)
{
	void *memory = mmap(address, HUGE_PAGE, protection,
			    MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);

	if (memory == MAP_FAILED)
		exit(1);
	return memory;
}

static void copy(void *text, void *saved)
{
	anonymous(text, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_FIXED);
	memcpy(text, saved, HUGE_PAGE);
}

static void move(void *text, void *saved)
{
	if (mremap(saved, HUGE_PAGE, HUGE_PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, text) ==
	    MAP_FAILED)
		exit(1);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "copy";
	double end = now() + (argc > 2 ? atof(argv[2]) : 0.2);
	void *text, *saved = anonymous(NULL, PROT_READ | PROT_WRITE, 0);

	text = (void *)((uintptr_t)known_work & -(uintptr_t)HUGE_PAGE);
	memcpy(saved, text, HUGE_PAGE);
	if (strcmp(how, "copy") == 0)
		copy(text, saved);
	else if (strcmp(how, "move") == 0)
		move(text, saved);
	if (mprotect(text, HUGE_PAGE, PROT_READ | PROT_EXEC) < 0)
		return 1;
	while (now() < end)
		known_work();
	if (argc > 3)
		pause();
	return 0;
}
