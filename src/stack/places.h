#ifndef STACK_PLACES_H
#define STACK_PLACES_H

#include "stack/walker.h"

/* What an address is to the sample. */
enum place_kind {
	PLACE_EXACT, /* where it stood */
	PLACE_CALLER, /* a return address */
	PLACE_CALLER_BELOW, /* the same, but shown as perf shows unwound ones: one below */
};

/* Whose address it is. */
struct place_key {
	/* Stand for all below and when it was: as long as the maps of code were the same,
	 * and as long as all maps were. */
	uint64_t salt, brief;
	uint8_t mode; /* enum cpu_mode */
	uint8_t kind; /* enum place_kind */
	bool entered; /* the kernel was entered from there */
	const struct machine *machine; /* NULL: no rule is asked for */
};

struct place_key place_key(const struct stack_walker *w, uint8_t mode, uint8_t kind,
			   bool entered, const struct machine *machine);

/* The frame of an address, and where key->machine is set, its rule. NULL without memory;
 * valid until the next call. */
struct place_seen *place_find(struct stack_walker *w, const struct place_key *key,
			      uint64_t ip);

/* What was found before a return address, for other processes too. */
void place_note_call(struct stack_walker *w, const struct place_key *key, uint64_t ip,
		     enum after_call call);

/* The object's address of a user's; false where that is not known. */
struct code_place {
	uint32_t image;
	uint64_t offset; /* in the file */
	uint64_t address;
	const struct binary *binary;
};
bool place_code(struct stack_walker *w, const struct place_key *key, uint64_t ip,
		struct code_place *ret);

/* What is known of an address at one look. */
enum place_code {
	PLACE_NO_CODE, /* nothing executable is there */
	PLACE_ANY_CODE, /* its bytes are not known: a runtime has made it, or no file is there */
	PLACE_PADDING, /* of a file, but in none of its segments */
	PLACE_FILE_CODE,
};
struct place_look {
	enum place_code what;
	struct code_place
		at; /* PLACE_FILE_CODE: the address, or one below a return address */
	/* What is kept of it for all processes; NULL: nothing. Until the next look. */
	struct place_seen *kept;
};
void place_look(struct stack_walker *w, const struct place_key *key, uint64_t ip,
		struct place_look *ret);

/* What call frame information says of it. 0, or -ENOMEM. */
int code_rule(struct stack_walker *w, const struct code_place *at,
	      struct unwind_rule *ret);

/* The same of an address of an image. */
bool code_of_image(struct stack_walker *w, uint32_t image, uint64_t offset,
		   struct code_place *ret);

/* What an image is made of; NULL without memory. */
const struct binary *place_binary(struct stack_walker *w, uint32_t image);

/* IMAGE_UNKNOWN where no map is. */
enum image_kind place_image_kind(struct stack_walker *w, const struct place_key *key,
				 uint64_t ip);

/* Bytes of the user's code; false where they cannot be read. */
bool place_bytes(struct stack_walker *w, const struct place_key *key, uint64_t ip,
		 void *ret, size_t size);

#endif
