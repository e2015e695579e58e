/*
 * What an interrupt does has nothing to do with whom it has interrupted, whose frames are behind its
 * entry. So of the stacks of who wakes they are cut off:
 *
 *	offwake, chain: leaf first, behind the mark
 *	  app;read;--;<hardirq>;wake_up;timer;asm_sysvec_timer;do_idle;swapper
 *	  app;read;--;wake_up;timer;asm_sysvec_timer;[hardirq]
 *	wakeup: the leaf before the mark, the woken one behind it
 *	  swapper;do_idle;asm_sysvec_timer;timer;wake_up;<hardirq>;app
 *	  [hardirq];asm_sysvec_timer;timer;wake_up;app
 *	schedlat: the leaf before the mark
 *	  [hardirq];asm_sysvec_timer;timer;wake_up
 *
 * An interrupt whose entry is not there, or has no name, has all that is of the kernel. A softirq
 * without one is run by a task (local_bh_enable(), ksoftirqd), which stays, and so does its chain.
 *
 * Who sets the marks does not know names yet (weight/pair_settle.c). Here values move to the node of
 * the stack as it is to be. Their nodes stay, without values, for others hold ids of nodes: a live run
 * goes on with the same trie.
 */
#include "engine/interrupts.h"

#include <errno.h>
#include <stdlib.h>

struct cutting {
	struct collected *c;
	const struct symbols *symbols;
	bool *entries; /* by function: interrupts begin in it */
	uint32_t *now; /* by node: where its values are */
	ARRAY(uint32_t) path; /* of frames */
};

/*
 * Code that the processor jumps to. C functions that it calls have much the same names:
 * sysvec_apic_timer_interrupt(), el1_interrupt(), hrtimer_interrupt().
 */
static bool is_entry_name(const char *name)
{
	static const char *const names[] = {
		/* arch/x86/entry, include/asm/idtentry.h */
		"asm_common_interrupt",
		"asm_spurious_interrupt",
		"asm_exc_nmi",
		"asm_exc_xenpv_nmi",
		"asm_exc_xen_hypervisor_callback",
		"asm_fred_entrypoint_kernel",
		/* x86 before Linux 5.8 */
		"common_interrupt",
		"ret_from_intr",
		"apic_timer_interrupt",
		"reschedule_interrupt",
		"call_function_interrupt",
		"call_function_single_interrupt",
		"irq_work_interrupt",
		"irq_move_cleanup_interrupt",
		"reboot_interrupt",
		"error_interrupt",
		"spurious_interrupt",
		"thermal_interrupt",
		"threshold_interrupt",
		"deferred_error_interrupt",
		"x86_platform_ipi",
		"xen_hvm_callback_vector",
		"xen_hypervisor_callback",
		"xen_do_hypervisor_callback",
		"hyperv_callback_vector",
		"hv_stimer0_callback_vector",
		"nmi",
		"repeat_nmi",
		"end_repeat_nmi",
		/* arm */
		"__irq_svc",
		"__irq_usr",
		"__fiq_svc",
	};
	static const char sysvec[] = "asm_sysvec_";
	/* Behind it may be ":file:line". */
	size_t size = strcspn(name, ":");

	if (size >= sizeof(sysvec) && memcmp(name, sysvec, sizeof(sysvec) - 1) == 0)
		return true;
	/* arm64: el1_irq, el1h_64_irq, el0t_32_fiq */
	if (size > 6 && (memcmp(name, "el0", 3) == 0 || memcmp(name, "el1", 3) == 0))
		return memcmp(name + size - 4, "_irq", 4) == 0 ||
		       memcmp(name + size - 4, "_fiq", 4) == 0;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strlen(names[i]) == size && memcmp(name, names[i], size) == 0)
			return true;
	return false;
}

/* One more than the frames, leaf first, that are the interrupt's; 0: the stack is a task's. */
static size_t interrupt_size(const struct cutting *x, const uint32_t *frames,
			     size_t count, bool maybe_task)
{
	const struct symbols *symbols = x->symbols;
	bool entered = false;
	size_t size;

	for (size = 0; size < count; size++) {
		uint32_t function = symbols->of_frame.v[frames[size]];
		/* Of what is no task's the kernel's part alone was kept, mapped or not. */
		bool kernel = maybe_task ? symbols->functions.v[function].kind ==
						   FUNCTION_KERNEL
					 : x->c->frames.list.v[frames[size]].image !=
						   IMAGE_ID_NAMES;

		/* One may call the other: asm_common_interrupt common_interrupt(). What it has
		 * interrupted may be another interrupt, whose entry is further away. */
		if (!kernel || (entered && !x->entries[function]))
			break;
		entered |= x->entries[function];
	}
	return maybe_task && !entered ? 0 : size + 1;
}

static void reverse_path(struct cutting *x)
{
	for (size_t i = 0, k = x->path.count; i + 1 < k; i++) {
		uint32_t frame = x->path.v[i];

		x->path.v[i] = x->path.v[--k];
		x->path.v[k] = frame;
	}
}

/* The node of the same stack without marks. 1: no memory was left for all of it. */
static int cut_stack(struct cutting *x, uint32_t node, uint32_t *ret)
{
	const struct trie *t = &x->c->trie;
	bool links = false;
	uint32_t *frames;
	size_t count = 0;
	int err = 0;

	x->path.count = 0;
	for (; node; node = t->nodes[node].parent) {
		uint32_t *slot = array_add(&x->path);

		if (!slot)
			return -ENOMEM;
		*slot = t->nodes[node].frame;
		links |= (x->c->frames.list.v[*slot].flags & FRAME_LINK) != 0;
	}
	/* Read so that marks come before their stacks: behind links from the root on, else
	 * from the leaf. */
	if (links)
		reverse_path(x);
	/* In place: the leaf of a marked stack is behind its mark, and its end is the path's. */
	frames = x->path.v;
	for (size_t i = 0; i < x->path.count; i++) {
		struct frame mark = x->c->frames.list.v[frames[i]];
		bool maybe_task = mark.flags & FRAME_SOFTIRQ;
		size_t size;

		if (!(mark.flags & FRAME_INTERRUPT)) {
			frames[count++] = frames[i];
			continue;
		}
		size = interrupt_size(x, &frames[i + 1], x->path.count - i - 1,
				      maybe_task);
		if (size == 0)
			continue;
		memmove(&frames[count], &frames[i + 1], (size - 1) * sizeof(*frames));
		count += size;
		/* In the place of the mark, which is gone. */
		mark.flags = 0;
		err = frames_add(&x->c->frames, &mark, &frames[count - 1]);
		break;
	}
	x->path.count = count;
	if (!links)
		reverse_path(x);
	return err < 0 ? err : collected_add_stack(x->c, x->path.v, x->path.count, ret);
}

int interrupts_cut(struct collected *c, const struct symbols *symbols,
		   const struct intern *strings)
{
	struct cutting x = { .c = c, .symbols = symbols };
	size_t rows = c->trie.rows.count;
	bool *marked = NULL, any = false; /* by node: it has a mark, or one is above */
	int err = 0;

	for (size_t i = 0; i < c->frames.list.count && !any; i++)
		any = c->frames.list.v[i].flags & FRAME_INTERRUPT;
	if (!any)
		return 0;
	marked = calloc(c->trie.count, sizeof(*marked));
	x.entries = calloc(symbols->functions.count + 1, sizeof(*x.entries));
	x.now = malloc(c->trie.count * sizeof(*x.now));
	if (!marked || !x.entries || !x.now)
		err = -ENOMEM;
	for (uint32_t i = 0; i < c->trie.count && err == 0; i++)
		x.now[i] = i;
	for (size_t i = 0; i < symbols->functions.count && err == 0; i++)
		x.entries[i] =
			is_entry_name(intern_text(strings, symbols->functions.v[i].name));
	/* A parent's id is below its children's. */
	for (uint32_t i = 1; i < c->trie.count && err == 0; i++)
		marked[i] =
			marked[c->trie.nodes[i].parent] ||
			c->frames.list.v[c->trie.nodes[i].frame].flags & FRAME_INTERRUPT;
	/* Rows that are added meanwhile are of stacks without marks. */
	for (size_t row = 1; row < rows && err == 0; row++) {
		uint32_t from = trie_row_node(&c->trie, row), to = 0;
		int cut = 0;

		if (!marked[from])
			continue;
		for (uint32_t i = 0; i < c->columns->count && err == 0; i++) {
			uint64_t value = trie_self(&c->trie, from, i);

			/* A live run's were mostly moved by an earlier look. */
			if (value && to == 0)
				err = cut = cut_stack(&x, from, &to);
			if (value && err >= 0)
				err = trie_charge(&c->trie, to, i,
						  trie_take(&c->trie, from, i));
			if (cut > 0 && i == COLUMN_WEIGHT)
				c->sum.cut += value;
		}
		if (to)
			x.now[from] = to;
	}
	if (err == 0)
		err = heat_remap(&c->heat, x.now);
	free(marked);
	free(x.entries);
	free(x.now);
	array_release(&x.path);
	return err;
}
