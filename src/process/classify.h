#ifndef PROCESS_CLASSIFY_H
#define PROCESS_CLASSIFY_H

#include "process/process.h"

/*
 * What a map is a map of: its image, by the name, the mode and the ids that the
 * recorder gave it. "[kernel.kallsyms]_text" is the kernel
 * and names its reference symbol, "[vdso]", "//anon", "/memfd:x (deleted)" ...
 */
struct classifier;

int classifier_new(const struct recording *rec, struct images *images,
		   struct classifier **ret);
void classifier_free(struct classifier *c); /* NULL is fine */

struct classified {
	uint32_t image;
	bool of_kernel; /* a map of the kernel, not of the process */
	uint64_t shift; /* to add to an address to get that in the image */
};

/* Does @rec map executable memory that has no file, nor is the kernel's? */
bool is_code_of_runtime(const struct record *rec, const char *path);

/* 0, or -ENOMEM. */
int classify_map(struct classifier *c, const struct record *rec,
		 const struct jit_origin *origin, struct classified *ret);
int classify_ksymbol(struct classifier *c, const struct record *rec, uint32_t *image);

#endif
