/*
 * Which function has which class. Its module is what counts, in user code; modules get slots
 * in the order of their weight, each the one that its name prefers, so that a module mostly
 * has the same colour in every profile. Where that slot is taken it gets the free one whose
 * hue is farthest from all that are taken. A shade goes by the function's name.
 */
#include "write/classes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) ||
	       c == '_';
}

/*
 * What a name says of where it comes from:
 *
 *	java/util/HashMap.get    net/http.(*conn).serve    std::vector<int>::push_back
 *	JS:*parse /srv/app/parse.js:20:14
 */
static const char *package_of(const char *name, size_t size, size_t *ret)
{
	const char *end = name + size, *at, *slash = NULL;
	/* JavaScript puts the file, line and column behind a blank; ":20:14" is cut off
	 * it. */
	const char *blank = memrchr(name, ' ', size);

	if (blank)
		while (end > blank + 1 && (end[-1] == ':' || is_digit(end[-1])))
			end--;
	if (blank && end < name + size && end > blank + 1) {
		*ret = (size_t)(end - blank - 1);
		return blank + 1;
	}
	end = name + size;
	/* Some names begin with a type: <alloc::vec::Vec as Drop>::drop. */
	while (name < end && (*name == '<' || *name == '&'))
		name++;
	for (at = name; at < end && is_name_char(*at); at++)
		;
	/* A crate or a namespace: what stands in front of the first "::". */
	if (at > name && end - at > 2 && at[0] == ':' && at[1] == ':') {
		*ret = (size_t)(at - name);
		return name;
	}
	for (at = name; at < end && *at != '(' && *at != ' ' && *at != '<'; at++)
		if (*at == '/' && at + 1 < end)
			slash = at;
	/* A '/' at the very beginning is a path's root and names nothing. */
	if (!slash || slash == name)
		return NULL;
	*ret = (size_t)(slash - name);
	return name;
}

/* FNV-1a, and its bits spread. */
static uint32_t hash(const char *bytes, size_t size)
{
	uint32_t h = 0x811c9dc5;

	for (size_t i = 0; i < size; i++)
		h = (h ^ (uint8_t)bytes[i]) * 0x01000193;
	return (h ^ h >> 15) * 0x9e3779b1 >> 8;
}

struct known {
	uint8_t kind;
	size_t size; /* of the name without a mark */
	char mark;
};

/* A name from folded text may end in a mark, "_[k]", which says what it is the name of. */
static struct known look_at_function(const struct class_subject *s)
{
	struct known k = { s->kind, strlen(s->name), 0 };
	const char *mark = s->name + k.size - 4;

	/* What is known of a function goes before what its name looks like. */
	if ((s->kind & SAVED_KIND) != SAVED_TEXT)
		return k;
	if (k.size >= 4 && mark[0] == '_' && mark[1] == '[' && mark[3] == ']' &&
	    strchr("kjiw", mark[2])) {
		k.mark = mark[2];
		k.size -= 4;
	}
	/* What stands between stacks is not code. */
	if (strcmp(s->name, "-") == 0 || strcmp(s->name, "--") == 0)
		return k;
	if (k.mark || s->only_text)
		k.kind = k.mark == 'k'	 ? SAVED_KERNEL
			 : k.mark == 'j' ? SAVED_JIT
			 : k.mark == 'i' ? SAVED_USER | SAVED_INLINED
					 : SAVED_USER;
	/* [libc.so.6] and [unknown] are what others write where they have no symbol. */
	if (s->only_text && k.size > 1 && s->name[0] == '[' && s->name[k.size - 1] == ']')
		k.kind |= SAVED_UNNAMED;
	return k;
}

/* Without a group it is: a module of the kernel always has a name. */
static bool is_kernel_itself(const char *group, size_t size)
{
	static const char *const names[] = { "kernel", "vmlinux" };

	for (size_t i = 0; group && i < sizeof(names) / sizeof(names[0]); i++)
		if (size >= strlen(names[i]) &&
		    memcmp(group, names[i], strlen(names[i])) == 0)
			return true;
	return !group;
}

/* The module, or what stands for one in the name. NULL: nothing. */
static const char *group_of(const struct class_subject *s, const struct known *k,
			    size_t *size)
{
	const char *name = s->module, *tick, *slash, *end;

	/* The code a runtime makes is all in one place, which has a new name every time. */
	if ((k->kind & SAVED_KIND) == SAVED_JIT)
		return package_of(s->name, k->size, size);
	if (!*name) {
		/* What folded text says of a module: libc.so.6`malloc */
		tick = memchr(s->name, '`', k->size);
		if (!tick || tick == s->name)
			return NULL;
		*size = (size_t)(tick - s->name);
		return s->name;
	}
	/* /lib/modules/6.1.0/kernel/fs/ext4/ext4.ko.xz, [ext4] and ext4 are one. */
	slash = strrchr(name, '/');
	if (slash && slash[1])
		name = slash + 1;
	*size = strlen(name);
	if (*size > 2 && name[0] == '[' && name[*size - 1] == ']') {
		*size -= 2;
		return name + 1;
	}
	end = strstr(name, ".ko");
	if (end && (end[3] == '\0' || end[3] == '.'))
		*size = (size_t)(end - name);
	return name;
}

static bool is_one_module(const char *a, size_t a_size, const char *b, size_t b_size)
{
	return a_size == b_size && memcmp(a, b, a_size) == 0;
}

static bool is_in_flame(const struct class_plan *plan, const char *group, size_t size)
{
	/* A flame without a name is that of functions without a module. */
	if (!plan->has_flame || !plan->flame || !group)
		return plan->has_flame && !plan->flame == !group;
	return is_one_module(group, size, plan->flame, plan->flame_size);
}

/*
 * A class is a colour, and lies in a row of classes of one kind:
 *
 *	first      + slot * CLASS_SHADES   + shade
 *	the kind     the module              the function
 */
uint8_t class_of(const struct class_plan *plan, const struct class_subject *s)
{
	struct known k = look_at_function(s);
	size_t size = 0;
	const char *group = group_of(s, &k, &size);
	uint32_t name = hash(s->name, k.size), family = group ? hash(group, size) : name;
	bool inlined = k.kind & SAVED_INLINED;
	/* Quiet colours are shared, so modules there only look different by chance. */
	unsigned slot = CLASS_SLOTS + (group ? family : 0) % CLASS_QUIET;
	unsigned first = CLASS_TEXT;

	if (k.mark == 'w')
		return CLASS_WAKER;
	if (k.kind & SAVED_UNNAMED)
		return CLASS_UNNAMED;
	switch (k.kind & SAVED_KIND) {
	case SAVED_USER:
		if (is_in_flame(plan, group, size))
			return (uint8_t)(inlined ? CLASS_FLAME_INLINED +
							   name % CLASS_SHADES
						 : CLASS_FLAME + name % (CLASS_FLAMES *
									 CLASS_SHADES));
		for (unsigned i = 0; group && i < plan->count; i++)
			if (is_one_module(group, size, plan->slots[i].name,
					  plan->slots[i].size)) {
				slot = plan->slots[i].slot;
				break;
			}
		first = (inlined ? CLASS_INLINED : CLASS_USER) + slot * CLASS_SHADES;
		break;
	case SAVED_KERNEL:
		first = is_kernel_itself(group, size)
				? CLASS_KERNEL
				: CLASS_MODULE + family % CLASS_MODULES * CLASS_SHADES;
		break;
	case SAVED_JIT:
		first = CLASS_JIT + family % CLASS_JITS * CLASS_SHADES;
		break;
	default:
		return CLASS_TEXT;
	}
	return (uint8_t)(first + name % CLASS_SHADES);
}

static const char *label(const char *text, size_t *size)
{
	*size = strlen(text);
	return text;
}

const char *class_group(const struct class_plan *plan, const struct class_subject *s,
			size_t *size)
{
	struct known k = look_at_function(s);
	const char *group = group_of(s, &k, size);
	unsigned kind = k.kind & SAVED_KIND;

	if (kind == SAVED_TEXT || kind == SAVED_GAP)
		return NULL;
	if (k.kind & SAVED_UNNAMED)
		return label("no symbol", size);
	if (kind == SAVED_JIT)
		return label("JIT", size);
	if (kind == SAVED_KERNEL && is_kernel_itself(group, *size))
		return label("kernel", size);
	if (!group && k.mark == 'w')
		return label("waker", size);
	if (!group && k.kind & SAVED_INLINED && is_in_flame(plan, NULL, 0))
		return label("inlined", size);
	return group;
}

uint64_t *class_weights(const struct tree_source *in)
{
	const struct named *tree = in->tree;
	uint64_t *weights = calloc(in->symbols->functions.count + 1, sizeof(*weights));

	for (uint32_t i = 1; weights && i < tree->nodes.count; i++)
		weights[tree->nodes.v[i].function] += named_value(tree, i, COLUMN_WEIGHT);
	return weights;
}

struct class_subject class_subject_of(const struct class_plan *plan,
				      const struct tree_source *in, uint32_t function)
{
	const struct function *f = &in->symbols->functions.v[function];

	return (struct class_subject){
		.name = intern_text(in->strings, f->name),
		.module = intern_text(in->strings, f->module),
		.kind = data_kind(f),
		.only_text = plan->only_text,
	};
}

/* Modules of user code, and what their own weight is. */
struct module_weight {
	const char *name;
	size_t size;
	uint64_t weight, named; /* of all functions, of those with a symbol */
};
struct module_weights {
	ARRAY(struct module_weight) list;
	uint64_t sum, of_none; /* all of them; functions without a module */
};

static int by_name(const void *left, const void *right)
{
	const struct module_weight *a = left, *b = right;
	size_t size = a->size < b->size ? a->size : b->size;
	int order = memcmp(a->name, b->name, size);

	return order ? order : a->size < b->size ? -1 : a->size > b->size;
}

static int most_named_first(const void *left, const void *right)
{
	const struct module_weight *a = left, *b = right;

	if (a->named != b->named)
		return a->named < b->named ? 1 : -1;
	return by_name(left, right);
}

/*
 * Functions of one module become one. The list is sorted twice: by name, so that equal
 * ones are neighbours, then the most named first.
 */
static int weigh_modules(const struct class_plan *plan, const struct tree_source *in,
			 const uint64_t *weights, struct module_weights *ret)
{
	size_t kept = 0;

	for (uint32_t i = 0; i < in->symbols->functions.count; i++) {
		struct class_subject s = class_subject_of(plan, in, i);
		struct known k = look_at_function(&s);
		struct module_weight m = { .weight = weights[i] }, *slot;

		/* Only user code has slots; a waker has its own colour. */
		if (!weights[i] || (k.kind & SAVED_KIND) != SAVED_USER || k.mark == 'w')
			continue;
		m.named = k.kind & SAVED_UNNAMED ? 0 : m.weight;
		m.name = group_of(&s, &k, &m.size);
		if (!m.name) {
			ret->of_none += m.weight;
			continue;
		}
		ret->sum += m.weight;
		slot = array_add(&ret->list);
		if (!slot)
			return -ENOMEM;
		*slot = m;
	}
	if (!ret->list.count)
		return 0;
	qsort(ret->list.v, ret->list.count, sizeof(*ret->list.v), by_name);
	for (size_t i = 1; i < ret->list.count; i++)
		if (by_name(&ret->list.v[kept], &ret->list.v[i]) == 0) {
			ret->list.v[kept].weight += ret->list.v[i].weight;
			ret->list.v[kept].named += ret->list.v[i].named;
		} else {
			ret->list.v[++kept] = ret->list.v[i];
		}
	ret->list.count = kept + 1;
	qsort(ret->list.v, ret->list.count, sizeof(*ret->list.v), most_named_first);
	return 0;
}

/* @part is at least nine tenths of @all. */
static bool is_nearly_all(uint64_t part, uint64_t all)
{
	return (unsigned __int128)part * 10 >= (unsigned __int128)all * 9;
}

/* The flame's warm colours are not for any other module. */
static bool is_free(const struct class_plan *plan, unsigned slot)
{
	if (plan->has_flame && class_slot_is_warm(slot))
		return false;
	for (unsigned i = 0; i < plan->count; i++)
		if (plan->slots[i].slot == slot)
			return false;
	return true;
}

/* How far the slot is from the nearest that is taken. */
static int distance(const struct class_plan *plan, unsigned slot)
{
	int least = INT32_MAX;

	for (unsigned i = 0; i < plan->count; i++) {
		int apart = class_slots_apart(slot, plan->slots[i].slot);

		least = apart < least ? apart : least;
	}
	return least;
}

/*
 * Slots are given in the order of the list: a module whose slot is taken has to move, so
 * the heaviest ones keep the colour that their name prefers.
 */
int class_plan_make(struct class_plan *plan, const struct tree_source *in)
{
	uint64_t *weights = class_weights(in);
	struct module_weights m = { 0 };
	int err = weights ? 0 : -ENOMEM;

	*plan = (struct class_plan){ .only_text = true };
	for (size_t i = 1; plan->only_text && i < in->tree->nodes.count; i++) {
		uint32_t function = in->tree->nodes.v[i].function;
		uint8_t kind = in->symbols->functions.v[function].kind;

		plan->only_text = kind == FUNCTION_LABEL || kind == FUNCTION_GAP;
	}
	if (err == 0)
		err = weigh_modules(plan, in, weights, &m);
	if (err == 0) {
		const struct module_weight *first = m.list.v;
		bool one_module = m.list.count && is_nearly_all(first->weight, m.sum);
		bool no_module = is_nearly_all(m.of_none, m.of_none + m.sum);

		/* Slots would give a picture of one module one colour: its functions have
		 * those of a flame. */
		plan->has_flame = !m.list.count || one_module || no_module;
		if (one_module && !no_module) {
			plan->flame = first->name;
			plan->flame_size = first->size;
		}
	}
	/* The flame's module is the first of the list, and takes no slot. */
	for (size_t i = plan->flame != NULL;
	     err == 0 && i < m.list.count && plan->count < CLASS_SLOTS; i++) {
		const char *name = m.list.v[i].name;
		size_t size = m.list.v[i].size;
		unsigned best = hash(name, size) % CLASS_SLOTS;
		int most = -1;

		if (!m.list.v[i].named)
			continue;
		if (!is_free(plan, best))
			for (unsigned slot = 0; slot < CLASS_SLOTS; slot++)
				if (is_free(plan, slot) && distance(plan, slot) > most) {
					most = distance(plan, slot);
					best = slot;
				}
		if (is_free(plan, best))
			plan->slots[plan->count++] =
				(struct class_slot){ name, size, (uint8_t)best };
	}
	array_release(&m.list);
	free(weights);
	return err;
}
