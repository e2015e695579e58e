/*
 * A stack is whole that goes on to a function which has no caller. Call frame information says so of
 * those that are written in assembler; the C library calls main(), and begins threads, in functions
 * that are known by their names, or by who refers to them (object/starts.h).
 *
 * It is asked once for an address, and of most stacks for the last one only.
 */
#include "stack/root.h"

#include <endian.h>

#include "object/machine.h"

/* Bytes that a function without call frame information is taken for. */
enum { UNBOUNDED_MOST = 160 };

static void note_from(void *arg, uint64_t from, uint64_t to,
		      const struct unwind_rule *rule)
{
	uint64_t *start = arg;

	(void)to;
	(void)rule;
	if (from < *start)
		*start = from;
}

/* Where the function begins that call frame information knows there. 1, 0, or -ENOMEM. */
static int function_at(struct stack_walker *w, const struct code_place *at,
		       uint64_t address, uint64_t *ret)
{
	*ret = UINT64_MAX;
	return binaries_function(w->binaries, at->binary, address, note_from, ret);
}

/* In a function that others refer to which start it? 1, 0, or -ENOMEM. */
static int is_referred(struct stack_walker *w, const struct code_place *at,
		       const struct starts *starts)
{
	uint64_t start;
	int found;

	if (!starts->functions.count)
		return 0;
	found = function_at(w, at, at->address, &start);
	if (found < 0)
		return found;
	/* Of musl nothing says where its functions begin. */
	if (found == 0)
		start = at->address > UNBOUNDED_MOST ? at->address - UNBOUNDED_MOST : 0;
	return starts_begin_between(starts, start, found ? start : at->address);
}

static int judge_root(struct stack_walker *w, const struct code_place *at, enum root *ret)
{
	const struct starts *starts;
	struct unwind_rule rule;
	int found;

	if (binaries_starts(w->binaries, at->binary, &starts) < 0 ||
	    code_rule(w, at, &rule) < 0)
		return -ENOMEM;
	*ret = starts->known ? ROOT_NO : ROOT_UNKNOWN;
	/* All of it keeps frame pointers, so what a chain ends in is a beginning. */
	if (at->binary->go && !starts->known)
		*ret = ROOT_YES;
	if (rule.cfa_kind == UNWIND_END || starts_contain(starts, at->address))
		*ret = ROOT_YES;
	if (*ret == ROOT_YES)
		return 0;
	found = is_referred(w, at, starts);
	if (found > 0)
		*ret = ROOT_YES;
	return found;
}

/* Code whose bytes are those of a file. */
bool returned_to(struct stack_walker *w, const struct place_key *key, uint64_t ip,
		 struct code_place *at, struct place_key *ret)
{
	enum image_kind kind = place_image_kind(w, key, ip - 1);

	if ((kind != IMAGE_FILE && kind != IMAGE_VDSO) || !place_code(w, key, ip - 1, at))
		return false;
	*ret = *key;
	ret->machine = at->binary->machine;
	return ret->machine;
}

/* Go's runtime.goexit() is returned to behind a first instruction that does nothing, as unwinders look
 * one byte below. */
static bool is_behind_nop(struct stack_walker *w, const struct place_key *key,
			  uint64_t ip)
{
	enum { NOP = 0x90, NOP_AARCH64 = 0xd503201f, MOVE_AARCH64 = 0xaa0003e0 };
	uint32_t word;
	uint8_t byte;

	if (!key->machine->link)
		return place_bytes(w, key, ip - 1, &byte, 1) && byte == NOP;
	if (!place_bytes(w, key, ip - sizeof(word), &word, sizeof(word)))
		return false;
	word = le32toh(word);
	return word == (uint32_t)NOP_AARCH64 || word == (uint32_t)MOVE_AARCH64;
}

bool is_by_hand(struct stack_walker *w, const struct place_key *key, uint64_t ip,
		bool last)
{
	const struct starts *starts;
	struct place_key of_code;
	struct code_place at;
	uint64_t address, start;
	int found;

	if (!returned_to(w, key, ip, &at, &of_code))
		return false;
	if (at.binary->go)
		return last && is_behind_nop(w, &of_code, ip);
	address = at.address + 1;
	if (binaries_starts(w->binaries, at.binary, &starts) < 0) {
		w->failed = true;
		return false;
	}
	if (starts_begin_between(starts, address, address))
		return true;
	found = function_at(w, &at, address, &start);
	w->failed |= found < 0;
	return found > 0 && start == address && (last || starts_contain(starts, address));
}

static enum root find_root(struct stack_walker *w, const struct place_key *key,
			   const struct chain_entry *e)
{
	enum root root = ROOT_UNKNOWN;
	struct code_place at;

	if (place_image_kind(w, key, e->ip - e->caller) != IMAGE_FILE ||
	    !place_code(w, key, e->ip - e->caller, &at))
		return ROOT_UNKNOWN;
	w->failed |= judge_root(w, &at, &root) < 0;
	return root;
}

static enum root root_at(struct stack_walker *w, const struct chain_entry *e)
{
	struct place_key key = place_key(
		w, e->mode, e->caller ? PLACE_CALLER : PLACE_EXACT, e->entered, NULL);
	struct place_seen *seen = place_find(w, &key, e->ip);
	enum root root;

	if (!seen)
		return ROOT_UNKNOWN;
	if (seen->root != ROOT_UNSEEN)
		return seen->root;
	root = find_root(w, &key, e);
	/* It was let pass as one that nobody calls. */
	if (seen->call == CALL_NO)
		root = ROOT_YES;
	seen->root = root;
	place_note_root(w, &key, e->ip, root);
	return root;
}

enum root root_of_chain(struct stack_walker *w, const struct sample *s, size_t count)
{
	struct chain_entry e, last = { 0 };
	struct chain chain;
	enum root root;
	size_t i = 0;

	chain_start(&chain, s);
	while (i < count && chain_next(&chain, &e))
		if (e.mode == MODE_USER) {
			last = e;
			i++;
		}
	if (!last.mode)
		return ROOT_UNKNOWN;
	root = root_at(w, &last);
	if (root == ROOT_YES)
		return root;
	chain_start(&chain, s);
	for (i = 0; i + 1 < count && chain_next(&chain, &e);) {
		if (e.mode != MODE_USER)
			continue;
		i++;
		if (root_at(w, &e) == ROOT_YES)
			return ROOT_YES;
	}
	return root;
}
