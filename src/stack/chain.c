/*
 * The call chain of a sample, entry by entry: markers that say whose addresses follow
 * (enum perf_callchain_context of Linux's uapi) are taken out, and what is left is an
 * address with the mode that it belongs to.
 */
#include "stack/chain.h"

#include "stack/stack.h"

/* The kernel's limit of a chain where neither the recorder nor a sysctl sets another. */
enum { MAX_STACK = 127 };

uint32_t chain_limit(const struct event *event)
{
	return event->max_stack ? event->max_stack : MAX_STACK;
}

bool stack_chain_is_cut(const struct sample *s, const struct event *event)
{
	uint32_t most = chain_limit(event);
	uint32_t addresses = 0;

	if (s->chain_count < most || s->exact_chain)
		return false;
	for (uint32_t i = 0; i < s->chain_count; i++)
		addresses += sample_chain(s, i) < PERF_CONTEXT_MAX;
	return addresses == most;
}

void chain_start(struct chain *c, const struct sample *s)
{
	*c = (struct chain){ .sample = s, .mode = s->mode, .exact = true };
}

bool chain_next(struct chain *c, struct chain_entry *ret)
{
	while (c->next < c->sample->chain_count) {
		uint64_t ip = sample_chain(c->sample, c->next++);

		if (ip < PERF_CONTEXT_MAX) {
			*ret = (struct chain_entry){ ip, c->mode,
						     !c->exact &&
							     !(c->sample->exact_chain &&
							       c->mode == MODE_USER),
						     c->entered };
			c->exact = c->entered = false;
			return true;
		}
		c->exact = true;
		c->entered = ip == PERF_CONTEXT_USER && c->mode == MODE_KERNEL;
		switch (ip) {
		case PERF_CONTEXT_HV:
			c->mode = MODE_HYPERVISOR;
			break;
		case PERF_CONTEXT_KERNEL:
			c->mode = MODE_KERNEL;
			break;
		case PERF_CONTEXT_USER:
			c->mode = MODE_USER;
			break;
		case PERF_CONTEXT_USER_DEFERRED:
			c->mode = MODE_USER;
			c->next++; /* a cookie, not an address */
			break;
		case PERF_CONTEXT_GUEST:
		case PERF_CONTEXT_GUEST_KERNEL:
			c->mode = MODE_GUEST_KERNEL;
			break;
		case PERF_CONTEXT_GUEST_USER:
			c->mode = MODE_GUEST_USER;
			break;
		default:
			/* A garbage frame pointer led here: what is above it is garbage too. */
			c->odd = true;
			return false;
		}
	}
	return false;
}
