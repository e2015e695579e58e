/*
 * One pass over the nodes, parents first: what was inlined continues its parent's location, and all
 * else begins one. Locations are found again by (outer location, function).
 */
#include "write/locations.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_inlined(const struct locations *l, uint32_t node)
{
	const struct exchange *e = l->e;

	return exchange_function(e, node)->kind == FUNCTION_INLINED &&
	       l->of_node[exchange_node(e, node)->parent];
}

/* Which is the main program? The first that is no library and no name in brackets. */
static void put_program_first(struct locations *l)
{
	for (size_t i = 1; i < l->modules.count; i++) {
		const char *path = l->modules.v[i].path;
		struct write_module m = l->modules.v[i];

		if (*path == '[' || strstr(path, ".so"))
			continue;
		l->modules.v[i] = l->modules.v[1];
		l->modules.v[1] = m;
		for (size_t k = 1; k < l->list.count; k++)
			l->list.v[k].module = l->list.v[k].module == i ? 1
					      : l->list.v[k].module == 1
						      ? (uint32_t)i
						      : l->list.v[k].module;
		return;
	}
}

static int add_locations(struct locations *l, struct hash_map *modules)
{
	const struct exchange *e = l->e;
	struct hash_map known = { 0 };
	int err = 0;

	for (uint32_t i = 1; err == 0 && i < e->view.nodes.count; i++) {
		uint32_t outer = 0, module = exchange_function(e, i)->module;
		const uint32_t *number;
		struct code_location *location;
		struct write_module *m;
		uint64_t key;

		if (exchange_is_process(e, i) || exchange_is_label(e, i))
			continue;
		if (is_inlined(l, i))
			outer = l->of_node[exchange_node(e, i)->parent];
		key = (uint64_t)outer << 32 | exchange_node(e, i)->function;
		number = hash_map_get(&known, key);
		if (number) {
			l->of_node[i] = *number;
			continue;
		}
		location = array_add(&l->list);
		l->of_node[i] = (uint32_t)l->list.count - 1;
		if (!location || !hash_map_set(&known, key, l->of_node[i])) {
			err = -ENOMEM;
			break;
		}
		*location = (struct code_location){ .outer = outer, .node = i };
		/* Strings of modules -> numbers, with build ids where there are some. */
		number = module ? hash_map_get(modules, module) : NULL;
		if (number)
			location->module = *number;
		if (number || !module)
			continue;
		m = array_add(&l->modules);
		location->module = (uint32_t)l->modules.count - 1;
		if (!m || !hash_map_set(modules, module, location->module)) {
			err = -ENOMEM;
			break;
		}
		*m = (struct write_module){ intern_text(e->in.strings, module), "" };
	}
	hash_map_release(&known);
	return err;
}

int locations_make(const struct exchange *e, struct locations *ret)
{
	struct locations l = { .e = e };
	struct hash_map modules = { 0 };
	int err;

	l.of_node = calloc(e->view.nodes.count + 1, sizeof(*l.of_node));
	err = l.of_node && array_add(&l.list) && array_add(&l.modules) ? 0 : -ENOMEM;
	if (err == 0)
		err = numbering_make(e, NUMBER_FUNCTIONS, false, &l.functions);
	if (err == 0)
		err = add_locations(&l, &modules);
	for (size_t i = 0; err == 0 && i < e->facts->module_count; i++) {
		const struct write_module *m = &e->facts->modules[i];
		const uint32_t *number;
		uint32_t id;

		if (!*m->build_id ||
		    !intern_find(e->in.strings, m->path, strlen(m->path), &id))
			continue;
		number = hash_map_get(&modules, id);
		/* Of two files at one path the heavier one comes first. */
		if (number && !*l.modules.v[*number].build_id)
			l.modules.v[*number].build_id = m->build_id;
	}
	/* Stacks are lists of the innermost at each call. */
	for (uint32_t i = 1; err == 0 && i < e->view.nodes.count; i++) {
		const struct view_node *n = exchange_node(e, i);

		l.list.v[l.of_node[locations_leaf(&l, i)]].used |=
			exchange_has_sample(e, i);
		if (!is_inlined(&l, i))
			l.list.v[l.of_node[n->parent]].used = true;
	}
	if (err == 0) {
		l.list.v[0].used = false;
		put_program_first(&l);
		*ret = l;
	} else {
		locations_release(&l);
	}
	hash_map_release(&modules);
	return err;
}

void locations_release(struct locations *l)
{
	array_release(&l->list);
	array_release(&l->modules);
	free(l->of_node);
	l->of_node = NULL;
	numbering_release(&l->functions);
}

uint32_t locations_next(const struct locations *l, uint32_t *node)
{
	uint32_t location = l->of_node[*node];

	while (is_inlined(l, *node))
		*node = exchange_node(l->e, *node)->parent;
	*node = exchange_node(l->e, *node)->parent;
	if (!l->of_node[*node])
		*node = 0;
	return location;
}

uint32_t locations_leaf(const struct locations *l, uint32_t node)
{
	while (exchange_is_label(l->e, node))
		node = exchange_node(l->e, node)->parent;
	return node;
}

uint32_t locations_process(const struct locations *l, uint32_t node)
{
	while (node && exchange_node(l->e, node)->parent)
		node = exchange_node(l->e, node)->parent;
	return exchange_is_process(l->e, node) ? node : 0;
}
