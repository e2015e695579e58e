/*
 * A stack is put together from what came with the sample: the process; the user's part, which is the chain
 * that the kernel recorded or a walk through the copy of the stack; and the kernel's part. The root
 * comes first. Most samples repeat a stack, so a key of 128 bits is made of all that decides it, and
 * no address is looked up for that but to find the caller of a leaf. What is new looks its addresses up in a
 * table of those seen last, and then in the maps of the sample's time.
 */
#include "stack/stack.h"

#include <errno.h>

#include "base/pages.h"
#include "stack/garbage.h"
#include "stack/infer.h"
#include "stack/leaf.h"
#include "stack/root.h"
#include "stack/split.h"

enum { CONTEXT_MOST = 4095 }; /* the last addresses are markers in a chain */
enum { CODES_SIZE = CODES * sizeof(struct addr_entry) }; /* one large page */

int stack_walker_new(struct context *ctx, const struct stack_sources *sources,
		     struct frames *frames, const struct stack_options *options,
		     struct stack_walker **ret)
{
	struct stack_walker *w = malloc(sizeof(*w));
	struct addr_entry *codes = pages_take(CODES_SIZE);

	if (!w || !codes) {
		free(w);
		pages_give_back(codes, CODES_SIZE);
		return fail_memory(ctx);
	}
	/* Written, all of it: to read a page that was never written and to write it then
	 * takes two exceptions, and the second one interrupts all other threads. */
	memset(w, 0, sizeof(*w));
	w->codes = codes;
	w->ps = sources->ps;
	w->rec = sources->rec;
	w->strings = sources->strings;
	w->binaries = sources->binaries;
	w->windows = binaries_windows(w->binaries);
	w->frames = frames;
	w->options = *options;
	*ret = w;
	return 0;
}

/* Keys of processes' memory are by numbers that each recording begins anew; what is known of code stays. */
void stack_walker_take_next(struct stack_walker *w, const struct stack_sources *sources,
			    struct frames *frames, const struct stack_options *options)
{
	w->ps = sources->ps;
	w->rec = sources->rec;
	w->frames = frames;
	w->options = *options;
	w->recording++;
	w->counts = (struct stack_counts){ 0 };
	w->kernel = (struct space){ 0 };
	w->kernel_version = 0;
	w->thread = NULL;
	w->leaf_caller = w->leaf_of = w->caller_of = 0;
	w->order = (struct register_order){ 0 };
	w->assumed = NULL;
	w->arch = 0;
	memset(w->machines, 0, sizeof(w->machines));
	w->recent_count = 0;
	w->code_files.known = false;
	memset(w->threads, 0, sizeof(w->threads));
	memset(w->addr_cache, 0, sizeof(w->addr_cache));
}

void stack_walker_free(struct stack_walker *w)
{
	if (!w)
		return;
	array_release(&w->stack);
	array_release(&w->printed);
	array_release(&w->pcs);
	array_release(&w->user_chain);
	array_release(&w->by_image);
	array_release(&w->rules);
	hash_release(&w->rules_by_key);
	pages_give_back(w->codes, CODES_SIZE);
	code_windows_release(&w->windows);
	free(w);
}

void stack_counts_add(struct stack_counts *to, const struct stack_counts *from)
{
	to->unwound += from->unwound;
	to->frames += from->frames;
	to->replays += from->replays;
	to->joined += from->joined;
	to->nanoseconds += from->nanoseconds;
	to->table_nanoseconds += from->table_nanoseconds;
}

const struct stack_counts *stack_walker_counts(const struct stack_walker *w)
{
	return &w->counts;
}

/* Finds the thread of a sample and makes it the one at hand. */
static void select_thread(struct stack_walker *w, const struct sample *s)
{
	struct thread_seen *seen = &w->threads[hash_u64(s->tid) % THREADS];
	uint64_t version = processes_version(w->ps);
	struct comm comm;

	w->thread = seen;
	if (seen->tid != s->tid || seen->pid != s->pid || seen->version != version ||
	    s->time < seen->from || s->time >= seen->until) {
		processes_comm(w->ps, s->pid, s->tid, s->time, &comm);
		*seen = (struct thread_seen){ .pid = s->pid, .tid = s->tid };
		seen->version = version;
		seen->comm = comm.name;
		seen->label = comm.label;
		processes_space(w->ps, s->pid, s->time, &seen->space);
		/* As long as both are true. */
		seen->from = comm.from > seen->space.from ? comm.from : seen->space.from;
		seen->until =
			comm.until < seen->space.until ? comm.until : seen->space.until;
	}
	if (s->time >= w->kernel.from && s->time < w->kernel.until &&
	    w->kernel_version == version)
		return;
	processes_kernel_space(w->ps, s->time, &w->kernel);
	w->kernel_version = version;
}

uint32_t stack_comm(struct stack_walker *w, const struct sample *s)
{
	select_thread(w, s);
	return w->thread->comm;
}

/* The string of the frame that stacks of its event have at their root; 0: none. */
static uint32_t event_label(const struct stack_walker *w, const struct sample *s)
{
	const struct event_labels *labels = w->options.labels;

	return labels && s->event < labels->count ? labels->v[s->event] : 0;
}

/* Nothing of this machine's is known of a guest's processes. */
static bool is_of_guest(const struct sample *s)
{
	return s->mode == MODE_GUEST_KERNEL || s->mode == MODE_GUEST_USER;
}

/* What a walk through the recorded chain has found. */
struct found_chain {
	bool user; /* a part of it is the user's */
	bool looked; /* for the caller of the user's leaf */
	/* The chain is cut, and a caller takes the place of its last address: so it is saved,
	 * as long as the kernel makes them. */
	bool in_place;
	bool ended; /* the last address taken is where a stack begins that was made by hand */
	bool trampoline; /* the last address taken is where handlers of signals return to */
	bool split; /* likewise; it is where a function begins that has gone on in another place */
	bool followed; /* by the kernel, through frame pointers */
	size_t kernel; /* entries up to the last of the kernel's */
	size_t user_entries; /* addresses of the user's part that were taken */
	struct chain_entry last; /* of these */
	unsigned
		garbage; /* of enum incomplete_reason: it goes on with what is no return address */
};

/* To be put behind the entry at hand, if that is the leaf of the user's part; 0: nothing. */
static uint64_t find_caller(struct stack_walker *w, const struct chain *c,
			    const struct chain_entry *e, struct found_chain *found)
{
	if (found->user || (e->mode != MODE_USER && e->mode != MODE_UNKNOWN))
		return 0;
	found->user = true;
	if (e->caller || !c->sample->user_abi || c->sample->exact_chain ||
	    (found->in_place && c->next == c->sample->chain_count))
		return 0;
	/* It was found for the key. */
	if (w->caller_of == c->sample->position + 1)
		return w->leaf_caller;
	return leaf_caller(w, c->sample, e->ip, chain_peek(c), &found->looked);
}

/* Chains of branch records say nothing of frame pointers; and who asks for the kernel alone does
 * not look at users' code. */
static bool may_be_followed(const struct event *event)
{
	const uint64_t branches = 1 << 11, exclude_user = 1 << 4;

	return !(event->sample_type & branches) && !(event->flags & exclude_user);
}

static struct found_chain begin_chain(const struct stack_walker *w,
				      const struct sample *s, bool cut, struct chain *ret)
{
	chain_start(ret, s);
	return (struct found_chain){
		.in_place = cut && w->options.leaf_only,
		.followed = !w->options.as_perf && !s->exact_chain &&
			    may_be_followed(&w->rec->events.v[s->event]),
	};
}

static bool is_cut(const struct stack_walker *w, const struct sample *s)
{
	return stack_chain_is_cut(s, &w->rec->events.v[s->event]);
}

/*
 * Of registers and copied bytes all that comes into the stack may be the caller of the leaf.
 * It is found first then, and stands for them. False where more comes of them, or without
 * memory.
 */
static bool look_up_caller(struct stack_walker *w, const struct sample *s)
{
	struct found_chain found;
	struct chain_entry e;
	struct chain chain;
	uint64_t caller = 0;

	if (w->options.max_stack || (s->has_user_stack && !w->options.leaf_only))
		return false;
	w->failed = false;
	found = begin_chain(w, s, is_cut(w, s), &chain);
	while (!found.user && chain_next(&chain, &e))
		caller = find_caller(w, &chain, &e, &found);
	if (w->failed)
		return false;
	w->leaf_caller = caller;
	w->leaf_of = w->caller_of = s->position + 1;
	return true;
}

bool stack_key(struct stack_walker *w, const struct sample *s, struct stack_key *ret)
{
	const struct event *event = &w->rec->events.v[s->event];
	struct hash_wide addresses = { hash_u64(s->ip), s->ip };
	const struct machine *m = NULL;
	const struct thread_seen *t;
	uint64_t side, label, caller = 0;
	struct chain_entry e;
	struct chain chain;

	select_thread(w, s);
	w->caller_of = 0;
	if (s->user_abi && !is_of_guest(s))
		m = walk_machine(w, s);
	/* Registers alone tell where the leaf was called from on machines that have a
	 * link. */
	if (m && (s->has_user_stack || m->link)) {
		if (!look_up_caller(w, s))
			return false;
		caller = w->leaf_caller;
	}
	/* A chain without addresses, of markers alone for one, shows the sample's own. */
	chain_start(&chain, s);
	if (s->printed)
		addresses = hash_bytes_wide(s->printed,
					    s->printed_count * sizeof(*s->printed));
	else if (chain_next(&chain, &e))
		addresses = hash_bytes_wide(s->chain, 8 * (size_t)s->chain_count);
	/* Who the label frame stands for: the same that push_label() puts in it. */
	t = w->thread;
	if (w->options.root == FF_ROOT_TID)
		label = hash_u64((uint64_t)t->pid << 32 | t->tid) ^ t->label;
	else if (w->options.root == FF_ROOT_PID)
		label = hash_u64(t->pid) ^ t->label;
	else
		label = t->label ? t->label : hash_u64(t->tid);
	/* One after the other: two hashes that are only joined could change places. */
	side = hash_u64(((uint64_t)t->space.epoch << 32 | w->kernel.epoch) ^
			w->recording * RECORDING_SALT);
	side = hash_u64(side ^ event_label(w, s));
	side = hash_u64(side ^ label);
	/* What decides beside the addresses what the stack is, and why it is not whole. main() is
	 * inferred in the first thread alone. */
	side = hash_u64(side ^
			(s->mode | (uint64_t)s->exact_chain << 8 |
			 (uint64_t)s->has_user_stack << 9 | (uint64_t)s->has_chain << 10 |
			 (uint64_t)may_be_followed(event) << 11 |
			 (uint64_t)chain_limit(event) << 12 |
			 (uint64_t)(w->options.infer && s->pid == s->tid) << 44));
	if (caller)
		side = hash_u64(side ^ caller);
	ret->low = addresses.low ^ side;
	ret->high = addresses.high + side;
	return true;
}

static uint8_t addr_kind_of(const struct chain_entry *e)
{
	return e->caller ? ADDR_CALLER : ADDR_EXACT;
}

/* The entries of a chain are mostly of one kind. NULL without memory. */
static struct addr_entry *find_entry(struct stack_walker *w, const struct chain_entry *e,
				     struct addr_key *key)
{
	if (!key->salt || key->mode != e->mode || key->kind != addr_kind_of(e) ||
	    key->entered != e->entered)
		*key = addr_key(w, e->mode, addr_kind_of(e), e->entered, NULL);
	return addr_find(w, key, e->ip);
}

static int push_entry(struct stack_walker *w, const struct chain_entry *e,
		      struct addr_key *key)
{
	const struct addr_entry *seen = find_entry(w, e, key);

	return seen ? push_frame(w, seen->frame - 1) : -ENOMEM;
}

/* The same of an entry that may be none: found->garbage says so. */
static int push_link(struct stack_walker *w, const struct chain *c,
		     const struct chain_entry *e, struct addr_key *key,
		     struct found_chain *found)
{
	struct addr_entry *seen = find_entry(w, e, key);
	enum after_call call;
	uint32_t frame;

	if (!seen)
		return -ENOMEM;
	/* The entry may be another's by the time it is used. */
	frame = seen->frame - 1;
	call = seen->call;
	if (found->followed && e->caller && e->mode == MODE_USER && may_be_garbage(seen))
		found->garbage = garbage_reason(w, c, key, seen, &call);
	if (found->garbage)
		return 0;
	if (found->followed && e->caller) {
		found->trampoline = call == CALL_SIGNAL;
		found->ended = call == CALL_NO;
	}
	if (e->mode == MODE_USER) {
		found->user_entries++;
		found->last = *e;
		found->split = false;
	}
	return push_frame(w, frame);
}

/* What the kernel has found above the beginning of a stack takes nothing from it. */
static unsigned judge_chain_end(struct stack_walker *w, const struct sample *s,
				struct addr_key *key, unsigned incomplete,
				const struct found_chain *found)
{
	const unsigned garbage = INCOMPLETE_NO_CALL | INCOMPLETE_BAD_ADDRESS |
				 INCOMPLETE_NO_START | INCOMPLETE_ODD_CONTEXT;
	struct addr_entry *seen;
	enum root root;

	if (!found->followed || !found->user_entries ||
	    incomplete & (INCOMPLETE_MAX_STACK | INCOMPLETE_CUT_CHAIN))
		return incomplete;
	seen = find_entry(w, &found->last, key);
	root = found->ended ? ROOT_YES : seen ? root_at(w, seen) : ROOT_UNKNOWN;
	if (root != ROOT_YES && (root == ROOT_NO || incomplete & garbage) &&
	    root_in_chain(w, s, found->user_entries - 1))
		root = ROOT_YES;
	if (root == ROOT_YES)
		return incomplete & ~garbage;
	if (root == ROOT_UNKNOWN)
		return incomplete & ~INCOMPLETE_NO_START;
	return incomplete & garbage ? incomplete : incomplete | INCOMPLETE_NO_START;
}

/* Has it as many frames as were asked for? */
static bool is_full(const struct stack_walker *w)
{
	return w->options.max_stack && w->stack.count >= w->options.max_stack;
}

/* Of a function that the next two addresses are one more frame than it has, no or one. 1: it was so. */
static int push_split(struct stack_walker *w, struct chain *c, struct chain_entry *e,
		      struct found_chain *found)
{
	struct addr_key key = { 0 };
	enum split split;
	int err = split_behind(w, c, found->split, &split);

	if (err < 0 || split == SPLIT_NO)
		return err;
	chain_next(c, e);
	chain_next(c, e);
	found->user_entries += 2;
	found->last = *e;
	found->split = true;
	found->trampoline = false;
	if (split == SPLIT_OTHER && push_entry(w, e, &key) < 0)
		return -ENOMEM;
	return 1;
}

/* What the chain lacks behind the last address that was taken. */
static int push_inferred(struct stack_walker *w, struct chain *c, struct chain_entry *e,
			 struct found_chain *found)
{
	struct missing missing = { .split = true };
	int err = 1;

	while (err > 0 && missing.split) {
		uint64_t next = chain_peek(c);

		if (!w->options.infer || e->mode != MODE_USER || !next ||
		    -next <= CONTEXT_MOST || c->sample->exact_chain || is_full(w))
			return 0;
		missing = (struct missing){ 0 };
		err = 0;
		if (found->trampoline)
			err = infer_interrupted(w, c, &missing);
		else if (!found->last.caller)
			err = infer_caller(w, &found->last, c, &missing);
		else if (found->followed)
			err = infer_passed(w, &found->last, c, &missing);
		if (err == 0 && missing.split)
			err = push_split(w, c, e, found);
		else if (err == 0 && missing.frame)
			err = push_missing(w, &missing, w->options.max_stack);
	}
	return err;
}

/* The recorded chain, leaf first; without its user's part if the dump is to be walked. */
static int push_chain(struct stack_walker *w, const struct sample *s,
		      unsigned *incomplete, struct found_chain *found)
{
	bool cut = is_cut(w, s);
	struct chain_entry caller = { .mode = MODE_USER, .caller = true };
	struct addr_key key = { 0 }, of_caller = { 0 };
	struct sample shorter;
	struct chain_entry e;
	struct chain chain;

	*found = begin_chain(w, s, cut, &chain);
	while (chain_next(&chain, &e)) {
		if (w->dump_preferred && e.mode == MODE_USER)
			return 0;
		if (is_full(w)) {
			*incomplete |= INCOMPLETE_MAX_STACK;
			break;
		}
		if (push_link(w, &chain, &e, &key, found) < 0)
			return -ENOMEM;
		if (e.mode == MODE_KERNEL)
			found->kernel = w->stack.count;
		if (found->garbage || found->ended) {
			/* Garbage may end with what is none of its kind, which is told, too. */
			while (chain_next(&chain, &e))
				;
			break;
		}
		caller.ip = find_caller(w, &chain, &e, found);
		if (caller.ip) {
			w->leaf_caller = caller.ip;
			/* As it is in a chain that was saved with it. */
			found->last = caller;
			if (!is_full(w) && push_entry(w, &caller, &of_caller) < 0)
				return -ENOMEM;
		}
		if (push_inferred(w, &chain, &e, found) < 0)
			return -ENOMEM;
		if (found->in_place && found->user && w->leaf_caller &&
		    chain.sample == s) {
			shorter = *s;
			shorter.chain_count--;
			chain.sample = &shorter;
		}
	}
	*incomplete |= found->garbage;
	if (chain.odd)
		*incomplete |= INCOMPLETE_ODD_CONTEXT;
	if (cut)
		*incomplete |= INCOMPLETE_CUT_CHAIN;
	*incomplete = judge_chain_end(w, s, &key, *incomplete, found);
	return 0;
}

/* perf leaves it at the recorded chain where no byte could be copied. */
static bool can_walk(struct stack_walker *w, const struct sample *s, struct walk *k)
{
	return !is_of_guest(s) && !(w->options.as_perf && s->user_stack_size == 0) &&
	       walk_begin(w, s, k) && k->pc_known && k->sp_known;
}

/* A frame that has just a name; 0: none. */
static int push_name(struct stack_walker *w, uint32_t name)
{
	struct frame frame = { .image = IMAGE_ID_NAMES, .address = name };
	uint32_t id;

	if (!name)
		return 0;
	return frames_add(w->frames, &frame, &id) < 0 ? -ENOMEM : push_frame(w, id);
}

static int push_label(struct stack_walker *w)
{
	struct thread_seen *t = w->thread;
	uint32_t pid =
		w->rec->is_text && !w->rec->pids_printed ? PID_NOT_PRINTED : t->pid;
	struct thread_label label = { t->label, pid, t->tid };
	struct frame frame = { .image = IMAGE_ID_NAMES };
	uint32_t index, id;

	if (t->frame)
		return push_frame(w, t->frame - 1);
	if (w->rec->is_list && !t->label && t->tid == UINT32_MAX)
		return 0;
	if (w->options.root == FF_ROOT_TID) {
		if (frames_add_thread(w->frames, &label, &index) < 0)
			return -ENOMEM;
		frame.address = index;
		frame.flags = FRAME_TID;
	} else if (w->options.root == FF_ROOT_PID) {
		frame.address = (uint64_t)pid << 32 | t->label;
		frame.flags = FRAME_PID;
	} else if (!t->label) {
		frame.address = t->tid;
		frame.flags = FRAME_NAMELESS;
	} else {
		frame.address = t->label;
	}
	if (frames_add(w->frames, &frame, &id) < 0)
		return -ENOMEM;
	t->frame = id + 1;
	return push_frame(w, id);
}

/* The frame that parts the kernel's frames, which are the first @kernel ones, from the user's. */
static int push_boundary(struct stack_walker *w, size_t kernel)
{
	int err = push_name(w, w->options.kernel);
	uint32_t boundary;

	if (err < 0)
		return err;
	boundary = w->stack.v[w->stack.count - 1];
	memmove(&w->stack.v[kernel + 1], &w->stack.v[kernel],
		(w->stack.count - 1 - kernel) * sizeof(*w->stack.v));
	w->stack.v[kernel] = boundary;
	return 0;
}

/* What is known of a frame that has come by name: its text is looked at once. NULL without memory. */
static struct printed_known *find_printed_frame(struct stack_walker *w, uint32_t name)
{
	struct frame frame = { .image = IMAGE_ID_NAMES,
			       .address = name,
			       .flags = FRAME_PRINTED };
	struct printed_frame printed;
	struct printed_known *known;
	size_t before = w->printed.count;
	uint32_t id;

	if (name >= before) {
		if (!array_reserve(&w->printed, name + 1 - before))
			return NULL;
		w->printed.count = w->printed.room;
		memset(&w->printed.v[before], 0,
		       (w->printed.count - before) * sizeof(*w->printed.v));
	}
	known = &w->printed.v[name];
	if (known->frame)
		return known;
	if (frames_add(w->frames, &frame, &id) < 0)
		return NULL;
	printed_frame_split(intern_text(w->strings, name), &printed);
	known->is_kernel =
		!printed_is_label(&printed) && printed_is_kernel(&printed.module);
	known->frame = id + 1;
	return known;
}

/* Frames that have come by name, leaf first. */
static int push_printed(struct stack_walker *w, const struct sample *s,
			unsigned *incomplete, struct found_chain *found)
{
	for (uint32_t i = 0; i < s->printed_count; i++) {
		const struct printed_known *known;

		if (is_full(w)) {
			*incomplete |= INCOMPLETE_MAX_STACK;
			break;
		}
		known = find_printed_frame(w, s->printed[i]);
		if (!known || push_frame(w, known->frame - 1) < 0)
			return -ENOMEM;
		if (known->is_kernel)
			found->kernel = w->stack.count;
	}
	return 0;
}

int stack_walk(struct stack_walker *w, const struct sample *s, struct stack *ret)
{
	struct found_chain found = { 0 };
	unsigned incomplete = 0;
	bool followed;
	struct walk k;
	int err;

	w->stack.count = 0;
	w->leads_to = 0;
	w->failed = w->has_inferred = w->has_skipped = false;
	if (w->caller_of != s->position + 1)
		w->leaf_caller = w->caller_of = 0;
	w->leaf_of = s->position + 1;
	w->walked_count = 0;
	/* The user's part of the chain may be there as well, but the dump is the better
	 * of both. */
	w->dump_preferred =
		w->options.join && s->has_user_stack && can_walk(w, s, &k) && k.size;
	err = s->printed ? push_printed(w, s, &incomplete, &found)
			 : push_chain(w, s, &incomplete, &found);
	/* The user's half, where the recorder left it to us. */
	if (err == 0 && s->has_user_stack && !found.looked && !w->options.leaf_only) {
		if (!found.user && can_walk(w, s, &k))
			err = walk_user(w, &k, &incomplete);
		else
			incomplete |= INCOMPLETE_USER_STACK;
	}
	if (err == 0 && w->stack.count == 0) {
		struct chain_entry own = { .ip = s->ip, .mode = s->mode };
		struct addr_key key = { 0 };

		incomplete |= INCOMPLETE_NO_CHAIN;
		/* Where the sample was taken is all that is known. */
		if (!w->options.empty_chains || !s->has_chain)
			err = push_entry(w, &own, &key);
	}
	/* Leaf first: the kernel's part, then the user's. */
	if (err == 0 && w->options.kernel && found.kernel &&
	    found.kernel < w->stack.count)
		err = push_boundary(w, found.kernel);
	/* Cut stacks stand apart from whole ones, directly below the process. */
	if (err == 0 && incomplete & INCOMPLETE_TRUNCATED)
		err = push_name(w, w->options.truncated);
	if (err == 0)
		err = push_label(w);
	if (err == 0)
		err = push_name(w, event_label(w, s));
	if (err < 0 || w->failed)
		return -ENOMEM;
	for (size_t i = 0, end = w->stack.count; i + 1 < end; i++) {
		uint32_t leafward = w->stack.v[i];

		w->stack.v[i] = w->stack.v[--end];
		w->stack.v[end] = leafward;
	}
	/* One that was cut says nothing of frame pointers either. */
	followed = found.user && !s->exact_chain && !is_of_guest(s) &&
		   may_be_followed(&w->rec->events.v[s->event]) &&
		   !(incomplete & (INCOMPLETE_CUT_CHAIN | INCOMPLETE_MAX_STACK));
	*ret = (struct stack){ w->stack.v, w->stack.count,  incomplete,
			       followed,   w->has_inferred, w->has_skipped };
	return 0;
}

/* Has the sample at hand been walked last? It may have been filtered out before. */
static int walk_again(struct stack_walker *w, const struct sample *s)
{
	struct stack stack;

	if (w->leaf_of == s->position + 1)
		return 0;
	select_thread(w, s);
	return stack_walk(w, s, &stack);
}

int stack_leaf_caller(struct stack_walker *w, const struct sample *s, uint64_t *ret)
{
	if (walk_again(w, s) < 0)
		return -ENOMEM;
	*ret = w->leaf_caller;
	return 0;
}

int stack_user_chain(struct stack_walker *w, const struct sample *s, const uint64_t **ret,
		     size_t *count)
{
	uint32_t first = 0;
	size_t addresses;

	if (walk_again(w, s) < 0)
		return -ENOMEM;
	w->user_chain.count = 0;
	if (!w->dump_preferred) {
		/* As it was recorded. */
		while (first < s->chain_count && sample_chain(s, first) != CHAIN_USER)
			first++;
		if (!array_reserve(&w->user_chain, s->chain_count - first + 1))
			return -ENOMEM;
		for (uint32_t i = first; i < s->chain_count; i++)
			w->user_chain.v[w->user_chain.count++] = sample_chain(s, i);
		*ret = w->user_chain.v;
		*count = w->user_chain.count;
		return 0;
	}
	/* Would a chain of the walk's frames be taken for one that is cut? As long as the
	 * kernel makes them, or ending with a function that others call, which here
	 * nobody did: a coroutine's, for one. */
	addresses = w->walked_first;
	for (size_t i = 0; i < w->walked_count; i++)
		addresses += w->pcs.v[w->walked_first + i] != 0;
	if (w->walked_count && (addresses == chain_limit(&w->rec->events.v[s->event]) ||
				root_of_frame(w, w->walked_root) == ROOT_NO))
		w->walked_count = 0;
	if (w->failed)
		return -ENOMEM;
	if (w->walked_count && !array_reserve(&w->user_chain, 2 * w->walked_count + 1))
		return -ENOMEM;
	for (size_t i = 0; i < w->walked_count; i++) {
		uint64_t pc = w->pcs.v[w->walked_first + i];

		if (!pc)
			continue;
		if (i == 0 || pc & PC_EXACT)
			w->user_chain.v[w->user_chain.count++] = CHAIN_USER;
		w->user_chain.v[w->user_chain.count++] = pc & ~PC_EXACT;
	}
	*ret = w->walked_count ? w->user_chain.v : NULL;
	*count = w->user_chain.count;
	return 0;
}
