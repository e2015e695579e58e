/*
 * One pass over the text, which stays in memory: names are offsets in it, ended by a NUL
 * where the tab or newline was. All modules share it. Each has a symbol table of its
 * own, because its lines count only if it has not been loaded elsewhere since.
 *
 *	ffffffffc0a31000 t nft_do_chain \t[nf_tables] \n
 *	address          type, name     0 module      0
 *
 * Addresses are read eight digits at once. Lines that make no sense are passed over;
 * symbols have no sizes, and end where the next one begins.
 */
#include "symbol/kallsyms.h"

#include <endian.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"

enum {
	MOST_BYTES = 1 << 28, /* real ones have 5 to 15 MiB */
	MOST_SYMBOLS = 1 << 22, /* and 100,000 to 300,000 lines */
	MOST_MODULES = 1 << 14,
	MOST_PLACES = 1 << 22, /* bytes of /proc/modules; real ones have some KiB */
	PLACE_FIELD = 5, /* "name size users by state address" */
	LINE = 40, /* bytes, or some more */
	CLAIMED = 4096, /* symbols at once */
	SYMBOL_MEMORY = 130, /* bytes of one, with the tables that are made of it */
	DIGITS = 16, /* of the longest address */
	NO_DIGIT = 16,
};

struct parser {
	struct kallsyms *k;
	struct budget *budget;
	char *text;
	size_t current; /* module of the line before */
	size_t symbols;
	uint64_t seen; /* all addresses or-ed */
};

#define EACH_BYTE(x) ((uint64_t)(x)*0x0101010101010101u)

/*
 * Eight digits at once: a letter has bit 6, and is 9 more than its lower half says. False
 * where one of them is none.
 */
static bool parse_eight(const char *p, uint64_t *value)
{
	uint64_t text, letters, digits, odd;

	memcpy(&text, p, sizeof(text));
	text = be64toh(text);
	letters = text >> 6 & EACH_BYTE(1);
	digits = (text & EACH_BYTE(15)) + letters * 9;
	/* Not "3." or "6."; digits above 9; letters below 10 or above 15. */
	odd = (text & EACH_BYTE(0xf0)) ^ (EACH_BYTE(0x30) + letters * 0x30);
	odd |= ((text & EACH_BYTE(15)) + EACH_BYTE(6) - letters * 6) & EACH_BYTE(16);
	odd |= (digits | (letters * 16 & ~(digits + letters * 6))) & EACH_BYTE(16);
	if (odd)
		return false;
	digits = (digits | digits >> 4) & 0x00ff00ff00ff00ffu;
	digits = (digits | digits >> 8) & 0x0000ffff0000ffffu;
	*value = *value << 32 | (uint32_t)(digits | digits >> 16);
	return true;
}

static unsigned digit_of(unsigned char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : NO_DIGIT;
}

/* 16 digits on most lines. */
static const char *parse_hex(const char *p, const char *end, uint64_t *ret)
{
	uint64_t value = 0;
	unsigned digit;

	while (end - p >= 8 && parse_eight(p, &value))
		p += 8;
	for (; p < end && (digit = digit_of((unsigned char)*p)) != NO_DIGIT; p++)
		value = value << 4 | digit;
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
	m->code = UINT64_MAX;
	m->symbols.names[TABLE_SYMTAB].bytes = p->text;
	return 0;
}

static bool is_code(char type)
{
	return (type | 0x20) == 't' || (type | 0x20) == 'w';
}

/* Functions and data; other letters are constants and read-only data. "$x" is a mark. */
static bool is_wanted(char type, char first)
{
	if (first == '$' || first == '\t' || first == '\0')
		return false;
	return is_code(type) || (type | 0x20) == 'd' || (type | 0x20) == 'b';
}

static int add_symbol(struct parser *p, uint64_t address, char type, const char *name)
{
	struct kallsyms_module *m = &p->k->modules.v[p->current];
	struct symbol *s;

	if (p->symbols % CLAIMED == 0 &&
	    !claim_add(&p->k->claim, p->budget, CLAIMED * SYMBOL_MEMORY))
		return -EDQUOT;
	s = array_add(&m->symbols.symbols);
	if (!s)
		return -ENOMEM;
	if (++p->symbols > MOST_SYMBOLS)
		return -EFBIG;
	p->seen |= address;
	if (is_code(type) && address < m->code)
		m->code = address;
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

static int add_line(struct parser *p, uint64_t address, char type, char *name, char *end)
{
	char *tab = memchr(name, '\t', (size_t)(end - name));
	const char *module = "";
	size_t module_size = 0;
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
	return add_symbol(p, address, type, name);
}

/* Copies that went through a terminal (adb shell) have a carriage return there. */
static char *cut_line(const char *line, char *end)
{
	if (end > line && end[-1] == '\r')
		end--;
	*end = '\0';
	return end;
}

/* @end: NUL behind the text. Lines that make no sense are passed over. */
static int parse(struct parser *p, char *line, char *end)
{
	int err = 0;

	while (line < end && err == 0) {
		char *next = memchr(line, '\n', (size_t)(end - line));
		uint64_t address;
		const char *c = parse_hex(line, end, &address);
		char *stop = cut_line(line, next ? next : end);

		if (c > line && c - line <= DIGITS && stop - c > 3 && c[0] == ' ' &&
		    c[2] == ' ' && is_wanted(c[1], c[3]))
			err = add_line(p, address, c[1], line + (c + 3 - line), stop);
		line = next ? next + 1 : end;
	}
	return err;
}

static int add_kernel(struct parser *p, size_t size)
{
	struct kallsyms_module *kernel = array_add(&p->k->modules);

	if (!kernel || !hash_add(&p->k->by_name, name_hash("", 0), 0) ||
	    !symtab_expect(&kernel->symbols, size / LINE))
		return -ENOMEM;
	kernel->name = "";
	kernel->code = UINT64_MAX;
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

static int fail_read(struct context *ctx, int err, const char *path)
{
	if (err == -EDQUOT) {
		budget_refuse(ctx->budget, "symbols", path);
		return fail(ctx, err, "no memory is left for the symbols of '%s'", path);
	}
	if (err == -EFBIG)
		return fail(ctx, err, "'%s' has more than %d symbols", path,
			    MOST_SYMBOLS);
	return fail_memory(ctx);
}

/* /proc/kallsyms has no size, and is the kernel's. */
static int slurp(struct context *ctx, const char *path, struct kallsyms *k, size_t *size)
{
	struct stat st;
	int err;

	if (stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= MOST_BYTES &&
	    !claim_add(&k->claim, ctx->budget, (uint64_t)st.st_size))
		return fail_read(ctx, -EDQUOT, path);
	err = file_slurp(ctx, path, MOST_BYTES, &k->text, size);
	if (err < 0)
		claim_release(&k->claim);
	return err;
}

int kallsyms_read(struct context *ctx, const char *path, struct kallsyms *ret)
{
	struct kallsyms k = { 0 };
	struct parser p = { .k = &k, .budget = ctx->budget };
	size_t size;
	int err;

	err = slurp(ctx, path, &k, &size);
	if (err < 0)
		return err;
	p.text = k.text;
	err = add_kernel(&p, size);
	if (err == 0)
		err = parse(&p, k.text, k.text + size);
	if (err == 0)
		err = finish(&k, size);
	if (err < 0) {
		kallsyms_release(&k);
		return fail_read(ctx, err, path);
	}
	k.hidden = p.seen == 0 && k.modules.v[0].symbols.symbols.count > 0;
	*ret = k;
	return 0;
}

/* "nf_tables 376832 0 - Live 0xffffffffc0a31000 (E)" */
static bool place_module(struct kallsyms *k, const char *line, const char *end)
{
	const char *name_end = memchr(line, ' ', (size_t)(end - line)), *c = line;
	const struct kallsyms_module *known;
	uint64_t start;

	for (int i = 0; i < PLACE_FIELD && c; i++) {
		c = memchr(c, ' ', (size_t)(end - c));
		c = c ? c + 1 : NULL;
	}
	if (!c || end - c < 3 || c[0] != '0' || c[1] != 'x')
		return false;
	parse_hex(c + 2, end, &start);
	known = name_end > line ? kallsyms_module(k, line, (size_t)(name_end - line))
				: NULL;
	if (known)
		k->modules.v[known - k->modules.v].start = start;
	return start != 0;
}

int kallsyms_place(struct kallsyms *k, const char *path)
{
	struct context ctx = { 0 };
	char *text, *next;
	size_t size;
	int err = file_slurp(&ctx, path, MOST_PLACES, &text, &size);

	if (err < 0)
		return err == -ENOMEM ? err : 0;
	for (char *line = text; line < text + size; line = next + 1) {
		next = memchr(line, '\n', (size_t)(text + size - line));
		if (!next)
			next = text + size;
		k->placed |= place_module(k, line, next);
	}
	free(text);
	return 0;
}

void kallsyms_release(struct kallsyms *k)
{
	for (size_t i = 0; i < k->modules.count; i++)
		symtab_release(&k->modules.v[i].symbols);
	array_release(&k->modules);
	hash_release(&k->by_name);
	free(k->text);
	claim_release(&k->claim);
	*k = (struct kallsyms){ 0 };
}
