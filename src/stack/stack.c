#include "stack/stack.h"

#include <errno.h>

#include "stack/chain.h"

enum {
	PLACES = 16384, /* addresses remembered, 16 bytes each */
	THREADS = 1024, /* threads remembered */
};

/* Tells kernel places from those of processes. */
#define KERNEL_EPOCHS (1ull << 32)

/* A frame that an address had; the key stands for the address, whose it is and when. */
struct place_seen {
	uint64_t key;
	uint32_t frame; /* + 1; 0: empty */
};

/* What is known of a thread for a while. */
struct thread_seen {
	uint32_t pid, tid;
	uint64_t version; /* of the timeline that was asked */
	uint64_t from, until; /* of everything below; until 0: empty */
	struct space space;
	uint32_t comm, label; /* string ids */
	uint32_t frame; /* of the label + 1; 0: not made yet */
};

struct stack_walker {
	const struct processes *ps;
	struct frames *frames;
	struct stack_options options;
	struct space kernel;
	uint64_t kernel_version;
	struct thread_seen *thread; /* of the sample at hand */
	ARRAY(uint32_t) stack; /* leaf first, then turned round */
	struct thread_seen threads[THREADS];
	struct place_seen places[PLACES];
};

int stack_walker_new(struct context *ctx, const struct processes *ps,
		     struct frames *frames, const struct stack_options *options,
		     struct stack_walker **ret)
{
	struct stack_walker *w = calloc(1, sizeof(*w));

	if (!w)
		return fail_memory(ctx);
	w->ps = ps;
	w->frames = frames;
	w->options = *options;
	*ret = w;
	return 0;
}

void stack_walker_free(struct stack_walker *w)
{
	if (!w)
		return;
	array_release(&w->stack);
	free(w);
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void look_up_thread(struct stack_walker *w, const struct sample *s,
			   struct thread_seen *seen)
{
	struct comm comm;

	processes_comm(w->ps, s->pid, s->tid, s->time, &comm);
	*seen = (struct thread_seen){ .pid = s->pid, .tid = s->tid };
	seen->version = processes_version(w->ps);
	seen->comm = comm.name;
	seen->label = comm.label;
	processes_space(w->ps, s->pid, s->time, &seen->space);
	seen->from = later(comm.from, seen->space.from);
	seen->until = earlier(comm.until, seen->space.until);
}

/* Finds the thread of a sample and makes it the one at hand. */
static void select_thread(struct stack_walker *w, const struct sample *s)
{
	struct thread_seen *seen = &w->threads[hash_u64(s->tid) % THREADS];
	uint64_t version = processes_version(w->ps);

	if (seen->tid != s->tid || seen->pid != s->pid || seen->version != version ||
	    s->time < seen->from || s->time >= seen->until)
		look_up_thread(w, s, seen);
	w->thread = seen;
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

/* Who the label frame stands for. */
static uint64_t label_key(const struct stack_walker *w)
{
	const struct thread_seen *t = w->thread;

	if (!t->label || w->options.root == 2)
		return hash_u64(t->tid) ^ t->label;
	return w->options.root == 1 ? hash_u64(t->pid) ^ t->label : t->label;
}

void stack_key(struct stack_walker *w, const struct sample *s, struct stack_key *ret)
{
	struct hash_wide chain = { hash_u64(s->ip), s->ip };
	uint64_t side;

	select_thread(w, s);
	/* A chain without entries shows the sample's own address. */
	if (s->chain_count)
		chain = hash_bytes_wide(s->chain, 8 * (size_t)s->chain_count);
	side = hash_u64((uint64_t)w->thread->space.epoch << 32 | w->kernel.epoch);
	side = hash_u64(side ^ label_key(w)) ^ s->mode ^ (uint64_t)s->exact_chain << 8;
	ret->low = chain.low ^ side;
	ret->high = chain.high + side;
}

static int label_frame(struct stack_walker *w, uint32_t *ret)
{
	const struct thread_seen *t = w->thread;
	struct thread_label label = { t->label, t->pid, t->tid };
	struct frame frame = { .image = IMAGE_ID_NAMES };
	uint32_t index;

	if (w->options.root == 2) {
		if (frames_add_thread(w->frames, &label, &index) < 0)
			return -ENOMEM;
		frame.address = index;
		frame.flags = FRAME_TID;
	} else if (w->options.root == 1) {
		frame.address = (uint64_t)t->pid << 32 | t->label;
		frame.flags = FRAME_PID;
	} else if (!t->label) {
		frame.address = t->tid;
		frame.flags = FRAME_NAMELESS;
	} else {
		frame.address = t->label;
	}
	return frames_add(w->frames, &frame, ret);
}

static bool find_place(const struct stack_walker *w, const struct chain_entry *e,
		       uint64_t ip, struct place *ret)
{
	const struct space *space = &w->thread->space;

	switch (e->mode) {
	case MODE_KERNEL:
		return processes_kernel_place(w->ps, &w->kernel, ip, ret);
	case MODE_USER:
	case MODE_UNKNOWN:
		return processes_place(w->ps, space, ip, ret) ||
		       (e->entered && processes_place_before_exec(w->ps, space, ip, ret));
	case MODE_GUEST_KERNEL:
	case MODE_GUEST_USER:
		*ret = (struct place){ .image = IMAGE_ID_GUEST };
		return true;
	case MODE_HYPERVISOR:
		*ret = (struct place){ .image = IMAGE_ID_HYPERVISOR };
		return true;
	}
	return false;
}

/* Images of which only the name is known. */
static bool has_no_addresses(uint32_t image)
{
	return image == IMAGE_ID_UNKNOWN || image == IMAGE_ID_GUEST ||
	       image == IMAGE_ID_HYPERVISOR;
}

/* The frame of an address, looked up for real. */
static int look_up_place(struct stack_walker *w, const struct chain_entry *e,
			 uint32_t *ret)
{
	bool caller = e->caller && e->ip;
	struct frame frame = { .flags = caller ? FRAME_CALLER : 0 };
	uint64_t ip = e->ip - caller;
	struct place place;

	if (!find_place(w, e, ip, &place))
		place = (struct place){ .image = IMAGE_ID_UNKNOWN };
	/* Garbage would fill the trie: addresses without a map are one frame. */
	if (has_no_addresses(place.image)) {
		place.address = w->options.by_address ? ip : 0;
		frame.flags = w->options.by_address ? frame.flags : 0;
	}
	frame.image = place.image;
	frame.address = place.address;
	return frames_add(w->frames, &frame, ret);
}

static int frame_of(struct stack_walker *w, const struct chain_entry *e, uint32_t *ret)
{
	bool kernel = e->mode == MODE_KERNEL;
	uint64_t epoch =
		kernel ? w->kernel.epoch | KERNEL_EPOCHS : w->thread->space.epoch;
	uint64_t kind = e->caller | (uint64_t)e->entered << 1 | (uint64_t)e->mode << 2;
	uint64_t key = hash_u64(e->ip) + hash_u64(epoch << 8 | kind);
	struct place_seen *seen = &w->places[key % PLACES];

	if (seen->frame && seen->key == key) {
		*ret = seen->frame - 1;
		return 0;
	}
	if (look_up_place(w, e, ret) < 0)
		return -ENOMEM;
	*seen = (struct place_seen){ key, *ret + 1 };
	return 0;
}

static int push(struct stack_walker *w, uint32_t frame)
{
	uint32_t *slot;

	if (!array_reserve(&w->stack, 1))
		return -ENOMEM;
	slot = &w->stack.v[w->stack.count++];
	*slot = frame;
	return 0;
}

static int push_entry(struct stack_walker *w, const struct chain_entry *e)
{
	uint32_t frame;

	return frame_of(w, e, &frame) < 0 ? -ENOMEM : push(w, frame);
}

/* The recorded chain, leaf first. */
static int push_chain(struct stack_walker *w, const struct sample *s, unsigned *poorer)
{
	struct chain_entry e;
	struct chain chain;

	chain_start(&chain, s);
	while (chain_next(&chain, &e)) {
		if (w->options.max_stack && w->stack.count >= w->options.max_stack) {
			*poorer |= POORER_MAX_STACK;
			break;
		}
		if (push_entry(w, &e) < 0)
			return -ENOMEM;
	}
	if (chain.odd)
		*poorer |= POORER_ODD_CONTEXT;
	return 0;
}

/* Where the sample was taken is all that is known. */
static int push_ip(struct stack_walker *w, const struct sample *s)
{
	struct chain_entry e = { .ip = s->ip, .mode = s->mode };

	if (w->options.empty_chains && s->has_chain)
		return 0;
	return push_entry(w, &e);
}

static void turn_round(uint32_t *v, size_t count)
{
	for (size_t i = 0; i < count / 2; i++) {
		uint32_t other = v[count - 1 - i];

		v[count - 1 - i] = v[i];
		v[i] = other;
	}
}

/* Cut stacks stand apart from whole ones, directly below the process. */
static int push_mark(struct stack_walker *w, unsigned poorer)
{
	struct frame frame = { .image = IMAGE_ID_NAMES, .address = w->options.truncated };
	uint32_t id;

	if (!frame.address || !(poorer & (POORER_ODD_CONTEXT | POORER_MAX_STACK)))
		return 0;
	return frames_add(w->frames, &frame, &id) < 0 ? -ENOMEM : push(w, id);
}

int stack_walk(struct stack_walker *w, const struct sample *s, struct stack *ret)
{
	unsigned poorer = s->has_user_stack ? POORER_USER_STACK : 0;
	int err;

	w->stack.count = 0;
	err = push_chain(w, s, &poorer);
	if (err == 0 && w->stack.count == 0) {
		poorer |= POORER_NO_CHAIN;
		err = push_ip(w, s);
	}
	if (err == 0)
		err = push_mark(w, poorer);
	if (err < 0)
		return err;
	if (w->thread->frame == 0) {
		if (label_frame(w, &w->thread->frame) < 0)
			return -ENOMEM;
		w->thread->frame++;
	}
	err = push(w, w->thread->frame - 1);
	if (err < 0)
		return err;
	turn_round(w->stack.v, w->stack.count);
	*ret = (struct stack){ w->stack.v, w->stack.count, poorer };
	return 0;
}
