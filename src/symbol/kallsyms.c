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
 * 16 digits on most lines, so eight are read at once: a letter has bit 6, and is 9 more than its
 * lower half says. What is left, or has another character in it, is read one by one.
 */
static const char *parse_address(const char *p, const char *end, uint64_t *ret)
{
	uint64_t value = 0, text, letters, digits, odd;

	for (; end - p >= 8; p += 8) {
		memcpy(&text, p, sizeof(text));
		text = be64toh(text);
		letters = text >> 6 & EACH_BYTE(1);
		digits = (text & EACH_BYTE(15)) + letters * 9;
		/* Not "3." or "6."; digits above 9; letters below 10 or above 15. */
		odd = (text & EACH_BYTE(0xf0)) ^ (EACH_BYTE(0x30) + letters * 0x30);
		odd |= ((text & EACH_BYTE(15)) + EACH_BYTE(6) - letters * 6) &
		       EACH_BYTE(16);
		odd |= (digits | (letters * 16 & ~(digits + letters * 6))) &
		       EACH_BYTE(16);
		if (odd)
			break;
		digits = (digits | digits >> 4) & 0x00ff00ff00ff00ffu;
		digits = (digits | digits >> 8) & 0x0000ffff0000ffffu;
		value = value << 32 | (uint32_t)(digits | digits >> 16);
	}
	for (; p < end; p++) {
		if (*p >= '0' && *p <= '9')
			value = value << 4 | (uint64_t)(*p - '0');
		else if (*p >= 'a' && *p <= 'f')
			value = value << 4 | (uint64_t)(*p - 'a' + 10);
		else
			break;
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
static int set_current_module(struct parser *p, const char *name, size_t size)
{
	struct kallsyms *k = p->k;
	struct kallsyms_module *m = &k->modules.v[p->current];
	const struct kallsyms_module *known;

	if (m->size == size && memcmp(m->name, name, size) == 0)
		return 0;
	/* Lines of one module follow one another, so it is rarely looked for. */
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

static bool is_code_type(char type)
{
	return (type | 0x20) == 't' || (type | 0x20) == 'w';
}

static int add_kallsyms_line(struct parser *p, uint64_t address, char type, char *name,
			     char *end)
{
	char *tab = memchr(name, '\t', (size_t)(end - name));
	const char *module = "";
	struct kallsyms_module *m;
	struct symbol *s;
	int err;

	if (tab) {
		*tab = '\0';
		module = tab + 1 + (tab[1] == '[');
		while (end > module && (end[-1] == ' ' || end[-1] == ']'))
			end--;
	}
	err = set_current_module(p, module, tab ? (size_t)(end - module) : 0);
	if (err < 0)
		return err == -ENOSPC ? 0 : err;
	m = &p->k->modules.v[p->current];
	if (p->symbols % CLAIMED == 0 &&
	    !claim_add(&p->k->claim, p->budget, CLAIMED * SYMBOL_MEMORY))
		return -EDQUOT;
	s = array_add(&m->symbols.symbols);
	if (!s)
		return -ENOMEM;
	if (++p->symbols > MOST_SYMBOLS)
		return -EFBIG;
	p->seen |= address;
	if (is_code_type(type) && address < m->code)
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

/* @end: NUL behind the text. Lines that make no sense are passed over. */
static int parse_lines(struct parser *p, char *line, char *end)
{
	int err = 0;

	while (line < end && err == 0) {
		char *next = memchr(line, '\n', (size_t)(end - line));
		char *stop = next ? next : end;
		uint64_t address;
		const char *c = parse_address(line, end, &address);

		/* Copies that went through a terminal (adb shell) have a carriage return
		 * there. */
		if (stop > line && stop[-1] == '\r')
			stop--;
		*stop = '\0';
		/* Behind the address are a blank, the letter of the type, a blank, and a
		 * name. Letters of other types are constants and read-only data, and "$x"
		 * is a mark. */
		if (c > line && c - line <= DIGITS && stop - c > 3 && c[0] == ' ' &&
		    c[2] == ' ' && !memchr("$\t", c[3], 3) &&
		    (is_code_type(c[1]) || (c[1] | 0x20) == 'd' || (c[1] | 0x20) == 'b'))
			err = add_kallsyms_line(p, address, c[1], line + (c + 3 - line),
						stop);
		line = next ? next + 1 : end;
	}
	return err;
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

int kallsyms_read(struct context *ctx, const char *path, struct kallsyms *ret)
{
	struct kallsyms k = { 0 };
	struct parser p = { .k = &k, .budget = ctx->budget };
	struct kallsyms_module *kernel;
	struct stat st;
	size_t size;
	int err;

	/* /proc/kallsyms has no size, and is the kernel's. */
	if (stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= MOST_BYTES &&
	    !claim_add(&k.claim, ctx->budget, (uint64_t)st.st_size))
		return fail_read(ctx, -EDQUOT, path);
	err = file_slurp(ctx, path, MOST_BYTES, &k.text, &size);
	if (err < 0) {
		claim_release(&k.claim);
		return err;
	}
	p.text = k.text;
	/* What is of no module is the first one's, which has no name. */
	kernel = array_add(&k.modules);
	if (!kernel || !hash_add(&k.by_name, name_hash("", 0), 0) ||
	    !symtab_expect(&kernel->symbols, size / LINE)) {
		err = -ENOMEM;
	} else {
		kernel->name = "";
		kernel->code = UINT64_MAX;
		kernel->symbols.names[TABLE_SYMTAB].bytes = p.text;
		err = parse_lines(&p, k.text, k.text + size);
	}
	for (size_t i = 0; i < k.modules.count && err == 0; i++) {
		k.modules.v[i].symbols.names[TABLE_SYMTAB].size = size;
		if (symtab_finish(&k.modules.v[i].symbols) < 0)
			err = -ENOMEM;
	}
	if (err < 0) {
		kallsyms_release(&k);
		return fail_read(ctx, err, path);
	}
	/* The kernel shows zeros for all addresses to who may not see them. */
	k.hidden = p.seen == 0 && k.modules.v[0].symbols.symbols.count > 0;
	*ret = k;
	return 0;
}

int kallsyms_read_modules(struct kallsyms *k, const char *path)
{
	struct context ctx = { 0 };
	char *text, *next;
	size_t size;
	int err = file_slurp(&ctx, path, MOST_PLACES, &text, &size);

	if (err < 0)
		return err == -ENOMEM ? err : 0;
	/* "nf_tables 376832 0 - Live 0xffffffffc0a31000 (E)" */
	for (char *line = text; line < text + size; line = next + 1) {
		const struct kallsyms_module *known = NULL;
		const char *name_end, *c = line;
		uint64_t start;

		next = memchr(line, '\n', (size_t)(text + size - line));
		if (!next)
			next = text + size;
		name_end = memchr(line, ' ', (size_t)(next - line));
		for (int i = 0; i < PLACE_FIELD && c; i++) {
			c = memchr(c, ' ', (size_t)(next - c));
			c = c ? c + 1 : NULL;
		}
		if (!c || next - c < 3 || c[0] != '0' || c[1] != 'x')
			continue;
		parse_address(c + 2, next, &start);
		if (name_end > line)
			known = kallsyms_module(k, line, (size_t)(name_end - line));
		if (known)
			k->modules.v[known - k->modules.v].start = start;
		k->placed |= start != 0;
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
