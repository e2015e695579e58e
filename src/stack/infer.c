/*
 * A function that has no frame of its own, or has none yet, leaves the frame pointer to its
 * caller. The chain then begins with where that one returns to:
 *
 *	stack     | leaf | X                  | Y
 *	code      |      | call leaf          | call X; next: ...
 *	chain      leaf                             next
 *
 * The leaf's call frame information tells that its frame pointer is the caller's; and before
 * next is the call of X, which is the function that the frame belongs to, whatever else
 * without a frame is between X and the leaf. Where the call is direct its bytes say which one
 * that is (elf/machine_code.h).
 *
 * X could have gone on to another function by a jump, which then has the frame. It can only have
 * done that where it has given up its frame, or has not made it yet; and there its code is looked
 * through for jumps that leave it. A function that has no frame anywhere is none that the frame
 * belongs to.
 *
 * Where most code keeps no frame pointers the chain came there by chance, and says nothing of who
 * was called: such a file's calls are not looked at.
 *
 * The same goes for one that the chain has: where it keeps no frame, and another one has called it than
 * the chain says, that one is put in behind it.
 *
 * All of that is said by the code alone, so it is kept by the address behind the call.
 *
 * A handler of a signal returns to a trampoline, and what was interrupted is not in the chain at all: the
 * next address is that of its caller, and its frame pointer's. So it is known in the same way. On aarch64 the kernel
 * writes the link of what was interrupted in between, which may be what its last call has left there.
 *
 * One call by a pointer is known, too: C libraries pass what main() returns to exit(), and nothing
 * has called them, so that the chain ends there. Which function main() is the program's first
 * instructions say, for they hand its address to the library (x86-64 psABI, "Process
 * Initialization"; crt1.o of glibc and musl).
 */
#include "stack/infer.h"

#include <errno.h>

#include "elf/elf.h"
#include "stack/function.h"
#include "stack/garbage.h"
#include "stack/linked.h"
#include "stack/root.h"
#include "stack/split.h"

/* Is it code that keeps frame pointers, of a machine that is known here? */
static bool is_for_chains(const struct code_site *at)
{
	return at->binary->machine &&
	       (!at->binary->omits_frame_pointers || at->binary->go);
}

/* Where it is kept what is known of an address of an image; *@known: it is there. */
static struct inferred *inferred_slot(struct stack_walker *w, uint32_t image,
				      uint64_t offset, enum inferred_kind kind,
				      bool *known)
{
	uint64_t key = offset << INFERRED_KIND_BITS | kind;
	struct inferred *slot =
		&w->inferred[hash_u64(key ^ (uint64_t)image << 40) % INFERRED];

	*known = slot->image == image + 1 && slot->key == key;
	if (!*known)
		*slot = (struct inferred){ .image = image + 1, .key = key };
	return slot;
}

/* The function at @at as the owner of a frame. NULL without memory. */
static const struct inferred *owner_at(struct stack_walker *w, const struct code_site *at)
{
	struct frame frame = { at->offset, at->image, FRAME_INFERRED };
	struct inferred *slot;
	uint32_t id;
	bool known;
	int found;

	slot = inferred_slot(w, at->image, at->offset, INFERRED_FUNCTION, &known);
	if (known)
		return slot;
	found = function_keeps_frame(w, at, &slot->size);
	if (found > 0 && frames_add(w->frames, &frame, &id) < 0)
		found = -ENOMEM;
	if (found < 0) {
		slot->image = 0;
		return NULL;
	}
	slot->frame = found ? id + 1 : 0;
	return slot;
}

/* Is the result of the call whose last byte is at @at given on to another function, as its first
 * argument? */
static bool passes_result_on(struct stack_walker *w, const struct code_site *at)
{
	struct code_site behind = *at;
	uint8_t code[CODE_FIRST];

	behind.offset++;
	return code_bytes(w, &behind, code, sizeof(code)) &&
	       at->binary->machine->code->passes_result_on(code);
}

/* From some byte of a program's code to what its first instructions put into the register of the
 * first argument: an address near to them, or any. */
static bool find_main(struct stack_walker *w, struct code_site *at)
{
	const struct machine_code *m = at->binary->machine->code;
	uint8_t code[CODE_PROLOGUE], stub[CODE_FIRST];
	struct code_site to;
	uint64_t address;

	if (!move_site(at, at->binary->entry - at->address) ||
	    !code_bytes(w, at, code, sizeof(code)) ||
	    !m->find_main(code, at->address, &address) ||
	    !move_site(at, address - at->address))
		return false;
	/* A program for aarch64 may say that it is __wrap_main(), which does nothing but jump. */
	to = *at;
	if (code_bytes(w, at, stub, sizeof(stub)) &&
	    m->stub_target(stub, at->address, &address) &&
	    move_site(&to, address - at->address))
		*at = to;
	return true;
}

/* main() of the process at hand. Its .frame is 0 where it is not known, or keeps no frame; NULL
 * without memory. */
static const struct inferred *owner_main(struct stack_walker *w)
{
	static const struct inferred nothing;
	const struct space *space = &w->thread->space;
	const struct inferred *owner = &nothing;
	uint64_t layout =
		space->layout ^ (w->recording * RECORDING_SALT) >> INFERRED_KIND_BITS;
	struct inferred *slot, found;
	struct code_site at;
	struct location location;
	uint64_t code;
	bool known;

	slot = inferred_slot(w, UINT32_MAX - 1, layout, INFERRED_MAIN, &known);
	if (known)
		return slot;
	found = *slot;
	slot->image = 0;
	if (processes_lowest_code(w->ps, space, &code) &&
	    processes_locate(w->ps, space, code, &location) &&
	    code_of_image(w, location.image, location.address, &at) &&
	    is_for_chains(&at) && at.binary->entry && find_main(w, &at))
		owner = owner_at(w, &at);
	if (!owner || w->failed)
		return NULL;
	/* The function may lie in the same place. */
	found.frame = owner->frame;
	found.size = owner->size;
	slot = inferred_slot(w, UINT32_MAX - 1, layout, INFERRED_MAIN, &known);
	*slot = found;
	return slot;
}

/* The function that the process at hand calls through a slot of an object's, as the owner of a frame. Likewise. */
static const struct inferred *owner_linked(struct stack_walker *w, uint32_t image,
					   uint64_t address)
{
	static const struct inferred nothing;
	const struct inferred *owner = &nothing;
	struct inferred *slot, found;
	struct code_site at;
	uint64_t key;
	bool known;
	int linked;

	key = hash_u64(address ^ hash_u64(w->thread->space.files ^
					  w->recording * RECORDING_SALT)) >>
	      INFERRED_KIND_BITS;
	slot = inferred_slot(w, image, key, INFERRED_LINKED, &known);
	if (known)
		return slot;
	found = *slot;
	slot->image = 0;
	linked = linked_function(w, image, address, &at);
	if (linked > 0 && is_for_chains(&at))
		owner = owner_at(w, &at);
	if (!owner || linked < 0 || w->failed)
		return NULL;
	/* The function may lie in the same place. */
	found.frame = owner->frame;
	found.size = owner->size;
	slot = inferred_slot(w, image, key, INFERRED_LINKED, &known);
	*slot = found;
	return slot;
}

/* Where the direct call leads whose last byte is at @at. */
static bool follow_call(struct stack_walker *w, struct code_site *at)
{
	const struct machine_code *m = at->binary->machine->code;
	uint8_t call[CALL_MOST];
	struct code_branch b;

	at->offset -= m->direct_call - 1u;
	at->address -= m->direct_call - 1u;
	if (!code_bytes(w, at, call, m->direct_call))
		return false;
	b = m->branch(call, m->direct_call, at->address);
	return b.kind == BRANCH_CALL && move_site(at, b.target - at->address);
}

/* Likewise the call of a function that a constant of Go's has the address of, as runtime.main() calls main.main(),
 * which is not known when the runtime is compiled:
 *
 *	48 8b 05 distance   mov  constant(%rip),%rax
 *	48 8d 15 distance   lea  constant(%rip),%rdx
 *	ff d0               call *%rax
 *
 * A variable's would not be both. */
static bool follow_constant(struct stack_walker *w, struct code_site *at)
{
	enum { CALL = 2, LOAD = 7 };
	struct code_site first = *at, called = *at;
	uint8_t code[2 * LOAD + CALL], *mov = code, *lea = code + LOAD;
	uint64_t constant, offset, function;

	first.offset -= sizeof(code) - 1;
	first.address -= sizeof(code) - 1;
	if (!at->binary->go || at->binary->machine->elf != EM_X86_64 ||
	    !code_bytes(w, &first, code, sizeof(code)))
		return false;
	if (mov[1] == 0x8d) {
		mov = code + LOAD;
		lea = code;
	}
	if (memcmp(lea, "\x48\x8d\x15", 3) != 0 || mov[0] != 0x48 || mov[1] != 0x8b ||
	    (mov[2] & 0xc7) != 5 || code[2 * LOAD] != 0xff ||
	    code[2 * LOAD + 1] != (0xd0 | mov[2] >> 3))
		return false;
	constant = near_target(lea + 3, first.address + (lea - code) + LOAD);
	if (near_target(mov + 3, first.address + (mov - code) + LOAD) != constant ||
	    !binary_offset(at->binary, constant, &offset) ||
	    !binary_bytes(&w->windows, at->binary, offset, &function, sizeof(function)))
		return false;
	if (!move_site(&called, le64toh(function) - at->address))
		return false;
	*at = called;
	return true;
}

/* Whose frame it is that returns to behind a call. Its .frame is 0 where that is not known; NULL
 * without memory. */
static const struct inferred *owner_behind(struct stack_walker *w,
					   const struct frame *caller)
{
	static const struct inferred nothing;
	const struct inferred *owner;
	struct inferred *slot, found;
	struct code_site at;
	bool known;
	int split;

	if (!(caller->flags & FRAME_CALLER))
		return &nothing;
	slot = inferred_slot(w, caller->image, caller->address, INFERRED_CALL, &known);
	if (known)
		return slot->slot ? owner_linked(w, caller->image, slot->slot) : slot;
	if (!code_of_image(w, caller->image, caller->address, &at)) {
		slot->image = w->failed ? 0 : slot->image;
		return w->failed ? NULL : slot;
	}
	if (!at.binary->machine)
		return slot;
	slot->starts = passes_result_on(w, &at);
	/* Whatever others of the file do, __morestack() keeps a frame. */
	split = split_enters(w, &at);
	if (split < 0) {
		slot->image = 0;
		return NULL;
	}
	slot->split = split;
	if (split || !is_for_chains(&at))
		return slot;
	if (linked_slot(w, &at, &slot->slot))
		return owner_linked(w, caller->image, slot->slot);
	if (!follow_constant(w, &at) && !follow_call(w, &at))
		return slot;
	found = *slot;
	owner = owner_at(w, &at);
	if (!owner) {
		slot->image = 0;
		return NULL;
	}
	/* The function may have taken the place of the call. */
	found.frame = owner->frame;
	found.size = owner->size;
	found.starts = false;
	*slot = found;
	return slot;
}

/* The frame pointer has been saved, but not been set yet: it is in what follows, which nothing jumps into. */
static bool is_about_to_set(struct stack_walker *w, const struct addr_key *key,
			    uint64_t ip, const struct unwind_rule *rule)
{
	const struct machine *m = key->machine;
	uint8_t code[CODE_PROLOGUE];
	size_t size = m->code->in_line;
	uint32_t offset;

	if ((!m->link && rule->cfa != (int32_t)(2 * m->word)) ||
	    !addr_bytes(w, key, ip, code, size))
		return false;
	for (size_t i = 0; i + m->code->set_frame <= size; i += m->code->step) {
		if (m->code->sets_frame(code + i, m->word, &offset))
			return true;
		if (m->code->branch(code + i, size - i, ip + i).kind != BRANCH_NONE)
			return false;
	}
	return false;
}

/* Rows may not say that a function has loaded its caller's frame pointer, with the link: those of gcc before it has given
 * up its stack, those of clang to its end. It has where that was since the last branch. */
static bool has_given_up(struct stack_walker *w, const struct addr_key *key, uint64_t ip)
{
	enum { BACK_MOST = 128 };
	const struct machine_code *m = key->machine->code;
	uint8_t code[BACK_MOST];

	if (!m->gives_up_frame || !addr_bytes(w, key, ip - BACK_MOST, code, BACK_MOST))
		return false;
	for (size_t at = BACK_MOST; at >= m->step; at -= m->step) {
		const uint8_t *before = code + at - m->step;

		if (m->gives_up_frame(before))
			return true;
		if (m->branch(before, m->step, ip).kind != BRANCH_NONE)
			return false;
	}
	return false;
}

/* There is code, but no call frame information. It has no frame of its own where another function's is what
 * the chain goes on from. */
static bool tells_nothing(const struct unwind_rule *rule)
{
	return rule->cfa_kind == UNWIND_NONE || rule->cfa_kind == RULE_NO_OBJECT;
}

/* Is the frame pointer at the leaf that of its caller? */
static bool has_callers(struct stack_walker *w, const struct addr_key *key, uint64_t ip,
			const struct unwind_rule *rule)
{
	if (rule->cfa_kind == UNWIND_PLT || tells_nothing(rule))
		return true;
	if (rule->flags & UNWIND_SIGNAL)
		return false;
	if (rule->cfa_kind == UNWIND_SP &&
	    (is_as_called(rule, key->machine) || !(rule->flags & UNWIND_FP_SAVED) ||
	     is_about_to_set(w, key, ip, rule)))
		return true;
	return (rule->cfa_kind == UNWIND_SP || rule->cfa_kind == UNWIND_FP) &&
	       has_given_up(w, key, ip);
}

/* Is it the function that has the frame? */
static bool is_owner(const struct stack_walker *w, uint32_t frame,
		     const struct inferred *owner)
{
	const struct frame *f = &w->frames->list.v[frame];
	const struct frame *has = &w->frames->list.v[owner->frame - 1];

	return f->image == has->image && f->address - has->address < owner->size;
}

/* Of the frame that the return address @next was read from, behind which @chain stands, if it is one. NULL
 * without memory. */
static const struct inferred *owner_of_next(struct stack_walker *w,
					    const struct addr_key *key, uint64_t next,
					    const struct chain *chain,
					    struct frame *caller)
{
	static const struct inferred nothing;
	struct addr_entry *seen = addr_find(w, key, next);
	const struct inferred *owner;
	uint32_t frame;

	if (!seen)
		return NULL;
	frame = seen->frame - 1;
	*caller = w->frames->list.v[frame];
	owner = owner_behind(w, caller);
	if (!owner || !owner->starts ||
	    (chain && !chain_ends_behind(w, chain) && !roots_follow(w, chain)))
		return owner;
	/* main(), if what is behind the call starts programs. That one calls it so in the first thread alone; and
	 * main() itself may give exit() what a function has returned that it called by a pointer. */
	seen = addr_find(w, key, next);
	if (!seen)
		return NULL;
	owner = &nothing;
	if (w->thread->pid == w->thread->tid && root_at(w, seen) == ROOT_YES)
		owner = owner_main(w);
	if (w->failed || !owner)
		return NULL;
	return owner->frame && is_owner(w, frame, owner) ? &nothing : owner;
}

static struct addr_key key_of_callers(const struct stack_walker *w)
{
	return addr_key(w, MODE_USER, ADDR_CALLER, false, NULL);
}

/* Can the function that was found not have called the last one of the stack? Between them there may be others
 * then, of which nothing is known. */
static int find_skipped(struct stack_walker *w, struct missing *ret)
{
	const struct frame *owner, *last;
	struct code_site function, to;
	struct inferred *slot;
	uint64_t start, pair;
	bool known;
	int leads;

	if (w->failed)
		return -ENOMEM;
	if (!ret->frame)
		return 0;
	owner = &w->frames->list.v[ret->frame - 1];
	last = &w->frames->list.v[*array_last(&w->stack)];
	if (!code_of_image(w, owner->image, owner->address, &function) ||
	    !code_of_image(w, last->image, last->address, &to))
		return w->failed ? -ENOMEM : 0;
	if (function_start(w, &to, to.address, &start) < 0)
		return -ENOMEM;
	pair = hash_u64(start ^ hash_u64(owner->address)) >> INFERRED_KIND_BITS;
	slot = inferred_slot(w, owner->image, pair ^ last->image, INFERRED_LEADS, &known);
	if (!known) {
		leads = function_leads_to(w, &function, ret->size, to.binary, start);
		slot->leads = leads != 0;
		if (leads < 0 || w->failed) {
			slot->image = 0;
			return -ENOMEM;
		}
	}
	ret->skipped = !slot->leads;
	return 0;
}

int infer_caller(struct stack_walker *w, const struct chain_entry *leaf,
		 const struct chain *chain, struct missing *ret)
{
	const struct addr_entry *seen;
	const struct inferred *owner;
	struct unwind_rule rule;
	struct addr_key key = key_of_callers(w);
	struct frame caller;

	*ret = (struct missing){ 0 };
	owner = owner_of_next(w, &key, chain_peek(chain), chain, &caller);
	ret->split = owner && owner->split;
	if (!owner || !owner->frame)
		return owner ? 0 : -ENOMEM;
	/* Its own frame, or that of another call of it: not to be told apart. */
	if (is_owner(w, *array_last(&w->stack), owner))
		return 0;
	/* What is looked up may take its place. */
	*ret = (struct missing){ .frame = owner->frame, .size = owner->size };
	key = addr_key(w, MODE_USER, ADDR_EXACT, leaf->entered,
		       w->by_image.v[caller.image]->machine);
	seen = addr_find(w, &key, leaf->ip);
	if (!seen)
		return -ENOMEM;
	rule = w->rules.v[seen->rule];
	if (!has_callers(w, &key, leaf->ip, &rule))
		*ret = (struct missing){ 0 };
	return find_skipped(w, ret);
}

/* Has a function left the frame pointer alone that calls there? */
static bool leaves_frame_pointer(const struct unwind_rule *rule)
{
	if (tells_nothing(rule) || rule->cfa_kind == RULE_SWITCH)
		return true;
	return rule->cfa_kind == UNWIND_SP &&
	       !(rule->flags & (UNWIND_FP_SAVED | UNWIND_SIGNAL));
}

int infer_passed(struct stack_walker *w, const struct chain_entry *e,
		 const struct chain *chain, struct missing *ret)
{
	struct addr_key key = key_of_callers(w);
	const struct inferred *owner;
	const struct addr_entry *seen;
	struct frame caller;

	*ret = (struct missing){ 0 };
	owner = owner_of_next(w, &key, chain_peek(chain), chain, &caller);
	ret->split = owner && owner->split;
	if (!owner || !owner->frame)
		return owner ? 0 : -ENOMEM;
	if (is_owner(w, *array_last(&w->stack), owner))
		return 0;
	*ret = (struct missing){ .frame = owner->frame, .size = owner->size };
	key = addr_key(w, MODE_USER, ADDR_CALLER, e->entered,
		       w->by_image.v[caller.image]->machine);
	seen = addr_find(w, &key, e->ip);
	if (!seen || w->failed)
		return -ENOMEM;
	if (!leaves_frame_pointer(&w->rules.v[seen->rule]))
		*ret = (struct missing){ 0 };
	return find_skipped(w, ret);
}

int infer_walked(struct stack_walker *w, const struct addr_key *callers, uint64_t next,
		 const struct unwind_rule *rule, struct missing *ret)
{
	const struct inferred *owner;
	struct frame caller;

	*ret = (struct missing){ 0 };
	if (!leaves_frame_pointer(rule))
		return 0;
	owner = owner_of_next(w, callers, next, NULL, &caller);
	if (!owner || w->failed)
		return -ENOMEM;
	if (owner->frame && !is_owner(w, *array_last(&w->stack), owner))
		*ret = (struct missing){ .frame = owner->frame, .size = owner->size };
	return find_skipped(w, ret);
}

int infer_interrupted(struct stack_walker *w, const struct chain *chain,
		      struct missing *ret)
{
	struct addr_key key = key_of_callers(w);
	const struct inferred *owner;
	struct frame caller;

	owner = owner_of_next(w, &key, chain_peek(chain), chain, &caller);
	*ret = (struct missing){ 0 };
	if (!owner || w->failed)
		return -ENOMEM;
	ret->split = owner->split;
	/* With a link that is what follows, which may be what the last call has left there. */
	if (owner->frame && !w->by_image.v[caller.image]->machine->link)
		ret->frame = owner->frame;
	return 0;
}

int push_missing(struct stack_walker *w, const struct missing *missing, size_t most)
{
	struct frame mark = { .image = IMAGE_ID_NAMES, .address = w->options.skipped };
	uint32_t frame;

	if (missing->skipped && mark.address && !(most && w->stack.count + 1 >= most)) {
		if (frames_add(w->frames, &mark, &frame) < 0 || push_frame(w, frame) < 0)
			return -ENOMEM;
		w->has_skipped = true;
	}
	w->has_inferred = true;
	return push_frame(w, missing->frame - 1);
}
