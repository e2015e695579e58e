/*
 * The kernel follows frame pointers wherever they lead. Where code uses that register for something
 * else it finds words of data, and goes on with what they point to:
 *
 *	chain      leaf | f | main | 0x7ffd41   | data+8 | ...
 *	is         code   behind a call    a stack, not code
 *
 * A call leaves behind where it returns to, so what is before a return address is a call. An
 * address that is not behind one, or where no code is mapped, is none, and neither is anything
 * that the chain has after it.
 *
 * Three kinds of addresses are right all the same. A signal's handler returns to a trampoline,
 * which is known by its code. Who makes a stack by hand lets its first function return to the
 * beginning of another one, and the chain ends there (makecontext(), goroutines of Go). And
 * what cannot be read, or was made as the program ran, may be anything.
 *
 * Where no map is there may have been one that was not recorded. That is so if the chain goes on to
 * addresses that are behind calls for sure, as it would not by chance; or if nothing is known of the
 * process at all.
 */
#include "stack/garbage.h"

#include "stack/call.h"
#include "stack/root.h"
#include "stack/signal.h"

/* Looked at behind an address without a map. */
enum { BEHIND_MOST = 256 };

/* Frames that are looked at for whether code of the process is known. */
enum { FRAMES_MOST = 64 };

/* Nothing is mapped below, and no process's memory is above. */
#define LOWEST ((uint64_t)1 << 12)
#define HIGHEST ((uint64_t)1 << 56)

static enum after_call call_before_return(struct stack_walker *w,
					  const struct addr_key *key, uint64_t ip,
					  struct addr_entry *seen)
{
	struct addr_key of_code = *key;
	enum after_call call = CALL_UNKNOWN;
	struct addr_look look;

	if (seen->call != CALL_UNSEEN)
		return seen->call;
	addr_look(w, key, ip, &look);
	/* It may have been seen in another process. */
	if (look.kept && look.kept->call != CALL_UNSEEN) {
		seen->call = look.kept->call;
		return seen->call;
	}
	switch (look.what) {
	case ADDR_NO_CODE:
		call = CALL_NOWHERE;
		break;
	case ADDR_ANY_CODE:
		break;
	case ADDR_PADDING:
		call = CALL_NO;
		break;
	case ADDR_FILE_CODE:
		of_code.machine = look.at.binary->machine;
		if (of_code.machine)
			call = call_ends_at(w, &of_code, ip);
		if (call == CALL_NO && signal_frame_at(w, &of_code, ip) != SIGNAL_NONE)
			call = CALL_SIGNAL;
		break;
	}
	if (look.kept)
		look.kept->call = call;
	seen->call = call;
	return call;
}

/* Is code of this process known at all? */
static bool has_code(const struct stack_walker *w)
{
	size_t count = w->stack.count;

	for (size_t i = count > FRAMES_MOST ? count - FRAMES_MOST : 0; i < count; i++)
		switch (binaries_kind(w->binaries,
				      w->frames->list.v[w->stack.v[i]].image)) {
		case IMAGE_FILE:
		case IMAGE_VDSO:
		case IMAGE_ANON:
		case IMAGE_JIT:
			return true;
		default:
			break;
		}
	return false;
}

/* Does the chain go on to an address that is behind a call for sure? */
static bool leads_back(struct stack_walker *w, const struct chain *chain,
		       const struct addr_key *key)
{
	struct chain rest = *chain;
	struct chain_entry e;

	/* As far as it was found before in this chain. */
	if (chain->next < w->leads_to)
		return true;
	for (int i = 0; i < BEHIND_MOST && chain_next(&rest, &e) && e.caller; i++) {
		struct addr_entry *seen = addr_find(w, key, e.ip);

		if (seen && call_before_return(w, key, e.ip, seen) == CALL_YES) {
			w->leads_to = rest.next;
			return true;
		}
	}
	return false;
}

unsigned garbage_reason(struct stack_walker *w, const struct chain *chain,
			const struct addr_key *key, struct addr_entry *seen,
			enum after_call *call)
{
	uint64_t ip = sample_chain(chain->sample, chain->next - 1);
	struct chain rest;
	struct chain_entry e;
	bool last;

	*call = call_before_return(w, key, ip, seen);
	switch (*call) {
	case CALL_NO:
		rest = *chain;
		last = chain_next(&rest, &e) ? e.mode != MODE_USER || !e.caller
					     : !rest.odd;
		return is_stack_bottom(w, key, ip, last, seen) ? 0 : INCOMPLETE_NO_CALL;
	case CALL_NOWHERE:
		if (!has_code(w) ||
		    (ip >= LOWEST && ip < HIGHEST && leads_back(w, chain, key)))
			return 0;
		/* Who returns to nowhere has no caller, or what was read is no frame. */
		return ip ? INCOMPLETE_BAD_ADDRESS : INCOMPLETE_NO_START;
	default:
		return 0;
	}
}

bool chain_ends_behind(struct stack_walker *w, const struct chain *chain)
{
	struct addr_key key = addr_key(w, MODE_USER, ADDR_CALLER, false, NULL);
	struct chain rest = *chain;
	enum after_call call;
	struct addr_entry *seen;
	struct chain_entry e;

	chain_next(&rest, &e);
	if (!chain_next(&rest, &e) || e.mode != MODE_USER || !e.caller)
		return true;
	seen = addr_find(w, &key, e.ip);
	return seen && may_be_garbage(seen) &&
	       garbage_reason(w, &rest, &key, seen, &call) != 0;
}
