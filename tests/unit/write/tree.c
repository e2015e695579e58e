#include "unit/write/tree.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static void listen(void *arg, const char *line)
{
	struct tree *t = arg;
	size_t used = strlen(t->warnings);

	snprintf(t->warnings + used, sizeof(t->warnings) - used, "%s\n", line);
}

void tree_init(struct tree *t)
{
	*t = (struct tree){ 0 };
	cr_assert_eq(intern_init(&t->strings), 0);
	array_add(&t->symbols.functions);
	array_add(&t->named.nodes)->end = 1;
	columns_init(&t->columns);
	t->named.columns = &t->columns;
	tree_column(t, COLUMN_WEIGHT);
	tree_column(t, COLUMN_SAMPLES);
	t->in = (struct tree_source){ &t->named, &t->symbols, &t->strings,
				      .in_order = false };
	t->ctx = (struct context){ .log = listen, .log_arg = t };
}

void tree_release(struct tree *t)
{
	intern_release(&t->strings);
	array_release(&t->symbols.functions);
	array_release(&t->named.nodes);
	for (uint32_t i = 0; i < COLUMNS_MOST; i++)
		free(t->named.values[i]);
	free(t->named.totals);
}

static struct function function_of(struct tree *t, const char *frame, size_t size)
{
	const char *at = memchr(frame, '@', size);
	struct function f = { .kind = FUNCTION_USER };

	if (at) {
		f.kind = at[1] == 'k'	? FUNCTION_KERNEL
			 : at[1] == 'j' ? FUNCTION_JIT
					: FUNCTION_USER;
		cr_assert_eq(intern_add(&t->strings, at + 1, 1, &f.module), 0);
		size = (size_t)(at - frame);
	}
	cr_assert_eq(intern_add(&t->strings, frame, size, &f.name), 0);
	return f;
}

static uint32_t function_index(struct tree *t, const char *frame, size_t size)
{
	struct function f = function_of(t, frame, size);

	for (uint32_t i = 1; i < t->symbols.functions.count; i++) {
		const struct function *known = &t->symbols.functions.v[i];

		if (known->name == f.name && known->module == f.module)
			return i;
	}
	*array_add(&t->symbols.functions) = f;
	return (uint32_t)t->symbols.functions.count - 1;
}

static void make_gap(uint64_t **column, size_t count, uint32_t at)
{
	*column = realloc(*column, count * sizeof(**column));
	memmove(*column + at + 1, *column + at, (count - 1 - at) * sizeof(**column));
	(*column)[at] = 0;
}

/* The last child of @parent from now on. */
static uint32_t insert(struct tree *t, uint32_t parent, uint32_t function)
{
	uint32_t at = t->named.nodes.v[parent].end, count;

	array_add(&t->named.nodes);
	count = (uint32_t)t->named.nodes.count;
	for (uint32_t i = count - 1; i > at; i--) {
		struct named_node *n = &t->named.nodes.v[i];

		*n = n[-1];
		n->end++;
		n->parent += n->parent >= at;
	}
	for (uint32_t i = parent;; i = t->named.nodes.v[i].parent) {
		t->named.nodes.v[i].end++;
		if (i == 0)
			break;
	}
	t->named.nodes.v[at] = (struct named_node){ function, parent, at + 1 };
	for (uint32_t i = 0; i < COLUMNS_MOST; i++)
		if (t->named.values[i])
			make_gap(&t->named.values[i], count, at);
	return at;
}

static uint32_t find(struct tree *t, uint32_t parent, uint32_t function)
{
	const struct named_node *nodes = t->named.nodes.v;

	for (uint32_t i = parent + 1; i < nodes[parent].end; i = nodes[i].end)
		if (nodes[i].function == function &&
		    (!t->in.in_order || nodes[i].end == nodes[parent].end))
			return i;
	return insert(t, parent, function);
}

static uint32_t node_of(struct tree *t, const char *stack)
{
	uint32_t node = 0;

	t->named.joined = !t->in.in_order;
	while (*stack) {
		size_t size = strcspn(stack, ";");

		node = find(t, node, function_index(t, stack, size));
		stack += size + (stack[size] == ';');
	}
	return node;
}

uint64_t *tree_column(struct tree *t, uint32_t column)
{
	uint64_t **values = &t->named.values[column];

	if (!*values)
		*values = calloc(t->named.nodes.count, sizeof(**values));
	return *values;
}

void tree_add(struct tree *t, const char *stack, uint64_t self)
{
	uint32_t node = node_of(t, stack);

	t->named.values[COLUMN_WEIGHT][node] += self;
	t->named.values[COLUMN_SAMPLES][node]++;
}

void tree_add_before(struct tree *t, const char *stack, uint64_t before, uint64_t self)
{
	uint32_t node = node_of(t, stack);

	t->named.values[COLUMN_WEIGHT][node] += self;
	tree_column(t, COLUMN_BEFORE)[node] += before;
}

void tree_sum_up(struct tree *t)
{
	struct named *n = &t->named;

	n->totals = realloc(n->totals, n->nodes.count * sizeof(*n->totals));
	memcpy(n->totals, n->values[COLUMN_WEIGHT], n->nodes.count * sizeof(*n->totals));
	for (size_t i = n->nodes.count; i-- > 1;)
		n->totals[n->nodes.v[i].parent] += n->totals[i];
}

char *tree_fold(struct tree *t, int *err)
{
	char *bytes = NULL;
	size_t size;
	FILE *out = open_memstream(&bytes, &size);

	tree_sum_up(t);
	*err = write_folded(&t->ctx, &t->in, NULL, out);
	fclose(out);
	return bytes;
}

char *tree_draw(struct tree *t, const struct ff_graph_options *options, int *err)
{
	char *bytes = NULL;
	size_t size;
	struct write_options how = { .graph = options, .facts = t->facts };
	FILE *out = open_memstream(&bytes, &size);

	if (options && options->flags & FF_GRAPH_HTML)
		*err = write_html(&t->ctx, &t->in, &how, out);
	else
		*err = write_svg(&t->ctx, &t->in, &how, out);
	fclose(out);
	return bytes;
}
