#ifndef SYMBOL_KERNEL_H
#define SYMBOL_KERNEL_H

#include "elf/elf.h"
#include "find/find.h"
#include "symbol/symbol.h"

/*
 * Names of the kernel and its modules. Wrong names are worse than none: symbols of
 * another kernel, or of another boot of it, are used only where it can be shown that
 * they fit.
 */
struct kernel;

/* @options outlive it. */
int kernel_new(struct context *ctx, const struct symbol_options *options,
	       struct kernel **ret);
void kernel_free(struct kernel *k); /* NULL is fine */

/* Uses the kallsyms that came with a recording, if any did, for its kernel. All that @rec
 * tells is known; it outlives the kernel. 0, or -ENOMEM. */
int kernel_add_recording(struct kernel *k, const struct recording *rec,
			 const struct intern *strings);

/* Begins to read kallsyms in a thread, the first time, unless one was recorded. */
void kernel_expect(struct kernel *k);

/* Why there are no names where the recorder was not let to see kernel addresses. */
#define KERNEL_HIDDEN                                                                    \
	"where the kernel lay in memory was not recorded (kptr_restrict): record after " \
	"'sudo sysctl kernel.kptr_restrict=0 kernel.perf_event_paranoid=1'"

/* To be given to kernel_names_release(), unless own and files are taken over. */
struct kernel_names {
	const struct symtab *symbols; /* NULL: none, or own */
	uint64_t shift; /* what to add to a recorded address */
	bool is_own; /* own has the symbols, those of files.object */
	struct symtab own;
	struct found
		files; /* its texts say in any case what was read, or what is wrong */
};

/*
 * The symbols for an image of kind _KERNEL or _MODULE. Any number of threads may ask at
 * once. 0, or -ENOMEM.
 */
int kernel_find(struct kernel *k, const struct images *images,
		const struct intern *strings, uint32_t image, struct kernel_names *ret);
void kernel_names_release(struct kernel_names *n);

#endif
