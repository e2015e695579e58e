#ifndef WRITE_EXCHANGE_H
#define WRITE_EXCHANGE_H

#include "write/json.h"
#include "write/number.h"
#include "write/sink.h"
#include "write/write.h"

/*
 * What all formats of other programs are made of: a view without marks that only people read, what is
 * known of where it comes from, and processes told from functions. Formats go over the nodes in the
 * order of the view, which is by name, so that their bytes are the same in every run.
 */
struct exchange {
	struct tree_source in;
	struct view view;
	const struct write_facts *facts; /* never NULL */
	bool has_code; /* see tree_has_code() */
	bool has_samples; /* how many they are is known, and is not what they weigh */
	/* The weight's, by names that several programs know. */
	const char *type; /* "cpu", "cycles", "samples" */
	const char *unit; /* "nanoseconds", "bytes", "count" */
};

/* Beside enum view_flag: the format has a place for two profiles. */
enum { EXCHANGE_DIFFERENCES = 1 << 16 };

/* @flags: of enum view_flag, and that one. 0, or a negative errno with its sentence. */
int exchange_open(struct context *ctx, const struct tree_source *in,
		  const struct write_options *options, unsigned flags,
		  struct exchange *ret);
void exchange_close(struct exchange *e);

static inline const struct view_node *exchange_node(const struct exchange *e,
						    uint32_t node)
{
	return &e->view.nodes.v[node];
}

static inline const struct function *exchange_function(const struct exchange *e,
						       uint32_t node)
{
	return &e->in.symbols->functions.v[e->view.nodes.v[node].function];
}

/* Is it no function, but a process at the root of stacks? */
static inline bool exchange_is_process(const struct exchange *e, uint32_t node)
{
	return node && e->view.nodes.v[node].parent == 0 && e->has_code &&
	       function_is_process(exchange_function(e, node));
}

/* Is it no function, but what the samples above it were labelled with (input/printed.h)? */
bool exchange_is_label(const struct exchange *e, uint32_t node);
/* "key=value" taken apart; a number has a unit, which may be "". */
struct sample_label {
	const char *key, *value; /* value: ends with its NUL */
	const char *unit; /* NULL: it is text */
	size_t unit_size;
};
struct sample_label exchange_label(const struct exchange *e, uint32_t node);

static inline uint64_t exchange_samples(const struct exchange *e, uint32_t node)
{
	return view_value(&e->view, node, COLUMN_SAMPLES);
}

/* Is there a sample that ends here? One that weighs nothing has other values. */
static inline bool exchange_has_sample(const struct exchange *e, uint32_t node)
{
	return e->view.nodes.v[node].self > 0 ||
	       view_value(&e->view, node, COLUMN_BEFORE) > 0 ||
	       (e->facts->values && view_has_stack(&e->view, node));
}

/* A string of the sources; NULL for 0. */
static inline const char *exchange_text(const struct exchange *e, uint32_t id)
{
	return id ? intern_text(e->in.strings, id) : NULL;
}

/* "user", "kernel", "jit", "inlined"; NULL: of no code. */
const char *exchange_kind(const struct function *f);

/* "comm-PID/TID" taken apart, as far as stacks begin with that. */
struct process_name {
	const char *comm;
	size_t size; /* of it */
	uint64_t pid, tid; /* 0: not known */
};
struct process_name exchange_process(const struct exchange *e, uint32_t node);

/* Names of nodes as JSON and numbers of weights. */
void exchange_add_name(const struct exchange *e, struct text *t, uint32_t node);
/* A name for text that has no escapes: control characters and what is no UTF-8 become U+FFFD, because
 * who prints it on a terminal shall not be commanded by them. @twice: what stands for itself when it
 * is written twice; 0: nothing. */
void exchange_add_clean(struct text *t, const char *name, char twice);
void exchange_add_weight(const struct exchange *e, struct text *t, uint64_t weight);

/* Numbers 0, 1, 2, ... for what a view uses, in the order in which it comes to them. */
struct numbering {
	uint32_t *of; /* by what is numbered; UINT32_MAX: not used */
	ARRAY(uint32_t) nodes; /* by number: the first node that has it */
};
enum numbered { NUMBER_LABELS, NUMBER_FUNCTIONS };
/* Of all nodes but the root, and with @processes false but processes. 0, or -ENOMEM. */
int numbering_make(const struct exchange *e, enum numbered what, bool processes,
		   struct numbering *ret);
static inline uint32_t numbering_of(const struct exchange *e, const struct numbering *n,
				    enum numbered what, uint32_t node)
{
	const struct view_node *v = exchange_node(e, node);

	return n->of[what == NUMBER_LABELS ? v->label : v->function];
}
void numbering_release(struct numbering *n);

/*
 * A walk over all nodes with the way that leads to each: of depth 0 is the root. .closed is how many
 * nodes were left by the last step, from the deepest on.
 */
struct exchange_walk {
	struct view_walk at;
	ARRAY(uint32_t) path; /* by depth */
	uint32_t closed;
};
/* 1, 0 at the end (all are left then), or -ENOMEM. A zeroed walk begins at the root. */
int exchange_next(const struct exchange *e, struct exchange_walk *w);

#endif
