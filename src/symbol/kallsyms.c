#include "symbol/kallsyms.h"

#include <string.h>

#include "base/file.h"

enum {
	MOST_BYTES = 1 << 28, /* real ones have 5 to 15 MiB */
	MOST_MODULES = 1 << 14,
	NO_DIGIT = 16,
};

struct parser {
	struct kallsyms *k;
	char *text;
	size_t current; /* module of the line before */
	uint64_t seen; /* all addresses or-ed */
};

/* 16 hexadecimal digits a line: a table of values is the fastest way. */
#define DIGIT(c)                                                                         \
	(c) >= '0' && (c) <= '9'   ? (c) - '0'                                           \
	: (c) >= 'a' && (c) <= 'f' ? (c) - 'a' + 10                                      \
				   : NO_DIGIT

static const char *parse_hex(const char *p, uint64_t *ret)
{
	uint64_t value = 0;

	for (;; p++) {
		unsigned char c = (unsigned char)*p;
		unsigned digit = DIGIT(c);

		if (digit == NO_DIGIT)
			break;
		value = value << 4 | digit;
	}
	*ret = value;
	return p;
}

static uint64_t name_hash(const char *name, size_t size)
{
	return hash_bytes(name, size);
}

const struct kallsyms_module *kallsyms_module(const struct kallsyms *k, const char *name,
					      size_t size)
{
	uint64_t hash = name_hash(name, size), i = hash_start(hash);
	uint32_t id;

	while ((id = hash_find(&k->by_name, hash, &i)) != HASH_NONE) {
		const struct kallsyms_module *m = &k->modules.v[id];

		if (m->size == size && memcmp(m->name, name, size) == 0)
			return m;
	}
	return NULL;
}

/* 0, or -ENOMEM; -ENOSPC where there are too many. */
static int find_module(struct parser *p, const char *name, size_t size)
{
	struct kallsyms *k = p->k;
	struct kallsyms_module *m = &k->modules.v[p->current];
	const struct kallsyms_module *known;

	if (m->size == size && memcmp(m->name, name, size) == 0)
		return 0;
	known = kallsyms_module(k, name, size);
	if (known) {
		p->current = (size_t)(known - k->modules.v);
		return 0;
	}
	if (k->modules.count >= MOST_MODULES)
		return -ENOSPC;
	p->current = k->modules.count;
	m = array_add(&k->modules);
	if (!m || !hash_add(&k->by_name, name_hash(name, size), (uint32_t)p->current))
		return -ENOMEM;
	m->name = name;
	m->size = size;
	m->symbols.names[TABLE_SYMTAB].bytes = p->text;
	return 0;
}

/* Functions and data; other letters are constants and read-only data. */
static bool is_wanted(char type, const char *name)
{
	return memchr("TtWwDdBb", type, 8) && *name != '$';
}

static int add_line(struct parser *p, uint64_t address, char type, char *name, char *end)
{
	char *tab = memchr(name, '\t', (size_t)(end - name));
	const char *module = "";
	size_t module_size = 0;
	struct symbol *s;
	int err;

	if (tab) {
		*tab = '\0';
		module = tab + 1 + (tab[1] == '[');
		while (end > module && (end[-1] == ' ' || end[-1] == ']'))
			end--;
		module_size = (size_t)(end - module);
	}
	err = find_module(p, module, module_size);
	if (err < 0)
		return err == -ENOSPC ? 0 : err;
	s = array_add(&p->k->modules.v[p->current].symbols.symbols);
	if (!s)
		return -ENOMEM;
	p->seen |= address;
	s->start = address;
	s->end = UINT64_MAX;
	s->name = (uint32_t)(name - p->text);
	s->flags = SYMBOL_SIZELESS;
	if (type == 'W')
		s->flags |= SYMBOL_WEAK;
	else if (type >= 'A' && type <= 'Z')
		s->flags |= SYMBOL_GLOBAL;
	return 0;
}

/* @end: NUL behind the text. Lines that make no sense are passed over. */
static int parse(struct parser *p, char *line, char *end)
{
	int err = 0;

	while (line < end && err == 0) {
		char *next = memchr(line, '\n', (size_t)(end - line));
		uint64_t address;
		const char *c = parse_hex(line, &address);

		if (!next)
			next = end;
		*next = '\0';
		if (c > line && next - c > 3 && c[0] == ' ' && c[2] == ' ' &&
		    is_wanted(c[1], c + 3))
			err = add_line(p, address, c[1], line + (c + 3 - line), next);
		line = next + 1;
	}
	return err;
}

static int add_kernel(struct parser *p)
{
	struct kallsyms_module *kernel = array_add(&p->k->modules);

	if (!kernel || !hash_add(&p->k->by_name, name_hash("", 0), 0))
		return -ENOMEM;
	kernel->name = "";
	kernel->symbols.names[TABLE_SYMTAB].bytes = p->text;
	return 0;
}

static int finish(struct kallsyms *k, size_t size)
{
	for (size_t i = 0; i < k->modules.count; i++) {
		struct symtab *st = &k->modules.v[i].symbols;

		st->names[TABLE_SYMTAB].size = size;
		if (symtab_finish(st) < 0)
			return -ENOMEM;
	}
	return 0;
}

int kallsyms_read(struct context *ctx, const char *path, struct kallsyms *ret)
{
	struct kallsyms k = { 0 };
	struct parser p = { .k = &k };
	size_t size;
	int err;

	err = file_slurp(ctx, path, MOST_BYTES, &k.text, &size);
	if (err < 0)
		return err;
	p.text = k.text;
	err = add_kernel(&p);
	if (err == 0)
		err = parse(&p, k.text, k.text + size);
	if (err == 0)
		err = finish(&k, size);
	if (err < 0) {
		kallsyms_release(&k);
		return fail_memory(ctx);
	}
	k.hidden = p.seen == 0 && k.modules.v[0].symbols.symbols.count > 0;
	*ret = k;
	return 0;
}

void kallsyms_release(struct kallsyms *k)
{
	for (size_t i = 0; i < k->modules.count; i++)
		symtab_release(&k->modules.v[i].symbols);
	array_release(&k->modules);
	hash_release(&k->by_name);
	free(k->text);
	*k = (struct kallsyms){ 0 };
}
