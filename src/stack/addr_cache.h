#ifndef STACK_ADDR_CACHE_H
#define STACK_ADDR_CACHE_H

#include "stack/walker.h"

/* What an address is to the sample. */
enum addr_kind {
	ADDR_EXACT, /* where it stood */
	ADDR_CALLER, /* a return address */
	ADDR_CALLER_BELOW, /* the same, but shown as perf shows unwound ones: one below */
};

/* Whose address it is. */
struct addr_key {
	/* Stand for all below and when it was: as long as the maps of code were the same,
	 * and as long as all maps were. */
	uint64_t salt, epoch_salt;
	uint8_t mode; /* enum cpu_mode */
	uint8_t kind; /* enum addr_kind */
	bool entered; /* the kernel was entered from there */
	const struct machine *machine; /* NULL: no rule is asked for */
};

struct addr_key addr_key(const struct stack_walker *w, uint8_t mode, uint8_t kind,
			 bool entered, const struct machine *machine);

/* The frame of an address, and where key->machine is set, its rule. NULL without memory;
 * valid until the next call. */
struct addr_entry *addr_find(struct stack_walker *w, const struct addr_key *key,
			     uint64_t ip);

/* What was found before a return address, for other processes too. */
void addr_note_call(struct stack_walker *w, const struct addr_key *key, uint64_t ip,
		    enum after_call call);

/* The object's address of a user's; false where that is not known. */
struct code_site {
	uint32_t image;
	uint64_t offset; /* in the file */
	uint64_t address;
	const struct binary *binary;
};
bool addr_code(struct stack_walker *w, const struct addr_key *key, uint64_t ip,
	       struct code_site *ret);

/* What is known of an address at one look. */
enum addr_code {
	ADDR_NO_CODE, /* nothing executable is there */
	ADDR_ANY_CODE, /* its bytes are not known: a runtime has made it, or no file is there */
	ADDR_PADDING, /* of a file, but in none of its segments */
	ADDR_FILE_CODE,
};
struct addr_look {
	enum addr_code what;
	struct code_site
		at; /* ADDR_FILE_CODE: the address, or one below a return address */
	/* What is kept of it for all processes; NULL: nothing. Until the next look. */
	struct addr_entry *kept;
};
void addr_look(struct stack_walker *w, const struct addr_key *key, uint64_t ip,
	       struct addr_look *ret);

/* What call frame information says of it. 0, or -ENOMEM. */
int code_rule(struct stack_walker *w, const struct code_site *at,
	      struct unwind_rule *ret);

/* The same of an address of an image. */
bool code_of_image(struct stack_walker *w, uint32_t image, uint64_t offset,
		   struct code_site *ret);

/* What an image is made of; NULL without memory. */
const struct binary *binary_of_image(struct stack_walker *w, uint32_t image);

/* IMAGE_UNKNOWN where no map is. */
enum image_kind addr_image_kind(struct stack_walker *w, const struct addr_key *key,
				uint64_t ip);

/* Bytes of the user's code; false where they cannot be read. */
bool addr_bytes(struct stack_walker *w, const struct addr_key *key, uint64_t ip,
		void *ret, size_t size);

#endif
