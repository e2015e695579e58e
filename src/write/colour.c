/*
 * flamegraph.pl's palettes. Rules, of which the first one that fits a name counts, say what
 * palette it takes; a palette makes a colour of a shade. The shade is of the name, by one of
 * flamegraph.pl's two sums, or chance.
 */
#include "write/colour.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/utf8.h"

/* Three numbers from 0 to 1 make a shade. */
struct shade {
	double v[3];
};

/* from + span * v[by], truncated. */
struct channel {
	uint8_t from, span, by;
};

/* Of several rules the first one that fits names the palette to take. */
struct rule {
	bool (*fits)(const char *name, size_t size, const char *text);
	const char *text;
	const char *palette;
};

struct palette {
	const char *name;
	const char *background;
	struct channel r, g, b;
	const struct rule *rules; /* NULL: the channels count */
};

static bool name_holds(const char *name, size_t size, const char *text)
{
	return memmem(name, size, text, strlen(text)) != NULL;
}

static bool name_ends_with(const char *name, size_t size, const char *text)
{
	size_t n = strlen(text);

	return size >= n && memcmp(name + size - n, text, n) == 0;
}

static bool is_name(const char *name, size_t size, const char *text)
{
	return size == strlen(text) && memcmp(name, text, size) == 0;
}

static bool always(const char *name, size_t size, const char *text)
{
	(void)name, (void)size, (void)text;
	return true;
}

/* Marked as JIT code, and with a path in the name. */
static bool is_jit_source(const char *name, size_t size, const char *text)
{
	return name_ends_with(name, size, text) && memchr(name, '/', size);
}

static bool names_file(const char *name, size_t size, const char *text)
{
	const char *slash = memchr(name, '/', size);

	return slash && name_holds(slash, size - (size_t)(slash - name), text);
}

/* A class of one of the usual Java packages: "Ljava/lang/Thread", "com/a/B". */
static bool is_java(const char *name, size_t size, const char *text)
{
	static const char *const packages[] = {
		"java/", "javax/", "jdk/", "net/", "org/", "com/", "io/", "sun/",
	};
	const char *p = name + (size && *name == *text);

	for (size_t i = 0; i < sizeof(packages) / sizeof(packages[0]); i++) {
		size_t n = strlen(packages[i]);

		if ((size_t)(name + size - p) >= n && memcmp(p, packages[i], n) == 0)
			return true;
	}
	return false;
}

static const struct rule java[] = {
	{ name_ends_with, "_[j]", "green" },
	{ name_ends_with, "_[i]", "aqua" },
	{ is_java, "L", "green" },
	{ name_holds, ":::", "green" },
	{ name_holds, "::", "yellow" },
	{ name_ends_with, "_[k]", "orange" },
	{ always, "", "red" },
};

static const struct rule perl[] = {
	{ name_holds, "::", "yellow" }, { name_holds, "Perl", "green" },
	{ name_holds, ".pl", "green" }, { name_ends_with, "_[k]", "orange" },
	{ always, "", "red" },
};

static const struct rule js[] = {
	{ is_jit_source, "_[j]", "green" }, { name_ends_with, "_[j]", "aqua" },
	{ name_holds, "::", "yellow" },	    { names_file, ".js", "green" },
	{ name_holds, ":", "aqua" },	    { is_name, " ", "green" },
	{ name_holds, "_[k]", "orange" },   { always, "", "red" },
};

static const struct rule wakeup[] = { { always, "", "aqua" } };

static const struct rule chain[] = { { name_holds, "_[w]", "aqua" },
				     { always, "", "blue" } };

/* Red, green and blue are each { from, span, number of the shade }. */
static const struct palette palettes[] = {
	{ "hot", "yellow", { 205, 50, 2 }, { 0, 230, 0 }, { 0, 55, 1 }, NULL },
	{ "mem", "green", { 0, 0, 0 }, { 190, 50, 1 }, { 0, 210, 0 }, NULL },
	{ "io", "blue", { 80, 60, 0 }, { 80, 60, 0 }, { 190, 55, 1 }, NULL },
	{ "wakeup", "blue", .rules = wakeup },
	{ "chain", "blue", .rules = chain },
	{ "java", "yellow", .rules = java },
	{ "js", "yellow", .rules = js },
	{ "perl", "yellow", .rules = perl },
	{ "red", "grey", { 200, 55, 0 }, { 50, 80, 0 }, { 50, 80, 0 }, NULL },
	{ "green", "grey", { 50, 60, 0 }, { 200, 55, 0 }, { 50, 60, 0 }, NULL },
	{ "blue", "grey", { 80, 60, 0 }, { 80, 60, 0 }, { 205, 50, 0 }, NULL },
	{ "aqua", "grey", { 50, 60, 0 }, { 165, 55, 0 }, { 165, 55, 0 }, NULL },
	{ "yellow", "grey", { 175, 55, 0 }, { 175, 55, 0 }, { 50, 20, 0 }, NULL },
	{ "purple", "grey", { 190, 65, 0 }, { 80, 60, 0 }, { 190, 65, 0 }, NULL },
	{ "orange", "grey", { 190, 65, 0 }, { 90, 65, 0 }, { 0, 0, 0 }, NULL },
};

const char palette_names[] = "hot, mem, io, wakeup, chain, java, js, perl, red, green, "
			     "blue, aqua, yellow, purple, orange";

const struct palette *palette_find(const char *name)
{
	for (size_t i = 0; i < sizeof(palettes) / sizeof(palettes[0]); i++)
		if (strcmp(palettes[i].name, name) == 0)
			return &palettes[i];
	return NULL;
}

bool palette_is_chain(const struct palette *p)
{
	return p->rules == chain;
}

const char *palette_background(const struct palette *p)
{
	return p->background;
}

/* POSIX drand48(): X = a X + c mod 2^48. */
static double scale_step(uint64_t *x)
{
	*x = (*x * 0x5deece66du + 0xb) & 0xffffffffffffu;
	return (double)*x / (double)(1ull << 48);
}

/*
 * The sum of a name's code points seeds one step of drand48(), so equal names have equal
 * colours.
 */
double colour_sum(const char *name, size_t size)
{
	const char *p = name, *end = name + size;
	uint32_t sum = 0;
	uint64_t x;

	while (p < end)
		/* Wraps at 32 bits, which are all that srand48() takes. */
		sum += utf8_next(&p, end);
	x = (uint64_t)sum << 16 | 0x330e; /* srand48() */
	return scale_step(&x);
}

/* Three letters count, the first one most. */
struct letters {
	double sum, weight, most;
	unsigned modulus;
};

static bool add_letter(struct letters *l, uint32_t code)
{
	l->sum += (double)(code % l->modulus) / (l->modulus - 1) * l->weight;
	l->modulus++;
	l->most += l->weight;
	l->weight *= 0.70;
	/* Moduli are 10, 11 and 12: after the third letter it ends. */
	return l->modulus <= 12;
}

static struct letters no_letters(void)
{
	return (struct letters){ 0, 1, 1, 10 };
}

static double hash_of(const struct letters *l)
{
	return 1 - l->sum / l->most;
}

/* A module and a backtick in front are left out: unix`foo. A backtick that comes first
 * ends no module. */
double colour_hash(const char *name, size_t size)
{
	const char *p = name, *end = name + size, *tick = NULL;
	struct letters l = no_letters();

	if (p < end) {
		utf8_next(&p, end);
		tick = memchr(p, '`', (size_t)(end - p));
	}
	for (p = tick ? tick + 1 : name; p < end && add_letter(&l, utf8_next(&p, end));)
		;
	return hash_of(&l);
}

double colour_hash_reversed(const char *name, size_t size)
{
	const char *p = name + size, *tick = NULL;
	struct letters l = no_letters();

	if (p > name) {
		utf8_previous(name, &p);
		tick = memrchr(name, '`', (size_t)(p - name));
	}
	for (p = tick ? tick : name + size; p > name;)
		if (!add_letter(&l, utf8_previous(name, &p)))
			break;
	return hash_of(&l);
}

static uint8_t value_of(struct channel c, const struct shade *s)
{
	/* Truncated, as Perl's int() does. */
	return (uint8_t)(c.from + (int)(c.span * s->v[c.by]));
}

bool colour_of_separator(const char *name, size_t size, struct colour *ret)
{
	bool is_separator = size > 0 && size <= 2 && memcmp(name, "--", size) == 0;

	if (is_separator && size == 2)
		*ret = (struct colour){ 160, 160, 160 };
	else if (is_separator)
		*ret = (struct colour){ 200, 200, 200 };
	return is_separator;
}

struct colour colour_of(struct colouring *c, const char *name, size_t size)
{
	const struct palette *p = c->palette;
	struct colour separator;
	struct shade s;

	switch (c->by) {
	case COLOUR_BY_HASH:
		s.v[0] = colour_hash(name, size);
		s.v[1] = s.v[2] = colour_hash_reversed(name, size);
		break;
	case COLOUR_BY_CHANCE:
		/* Any colours will do, so take those that are the same in every run. */
		for (int i = 0; i < 3; i++)
			s.v[i] = scale_step(&c->chance);
		break;
	default:
		s.v[0] = s.v[1] = s.v[2] = colour_sum(name, size);
	}
	/* Behind the shade, so that a separator takes its step of chance, too. */
	if (colour_of_separator(name, size, &separator))
		return separator;
	if (p->rules) {
		const struct rule *rule = p->rules;

		/* The last rule of every list fits always. */
		while (!rule->fits(name, size, rule->text))
			rule++;
		p = palette_find(rule->palette);
	}
	return (struct colour){ value_of(p->r, &s), value_of(p->g, &s),
				value_of(p->b, &s) };
}

/* White where nothing changed, red for more and blue for less, full at @most. */
struct colour colour_of_delta(double delta, double most)
{
	double size = delta < 0 ? -delta : delta;
	uint8_t rest = (uint8_t)(210 * (most - size) / most);

	if (delta > 0)
		return (struct colour){ 255, rest, rest };
	if (delta < 0)
		return (struct colour){ rest, rest, 255 };
	return (struct colour){ 255, 255, 255 };
}

bool colour_parse(const char *text, struct colour *ret)
{
	static const char digits[] = "0123456789abcdefABCDEF";
	static const struct {
		const char *name;
		struct colour colour;
	} names[] = {
		{ "black", { 0, 0, 0 } },      { "silver", { 192, 192, 192 } },
		{ "gray", { 128, 128, 128 } }, { "white", { 255, 255, 255 } },
		{ "maroon", { 128, 0, 0 } },   { "red", { 255, 0, 0 } },
		{ "purple", { 128, 0, 128 } }, { "fuchsia", { 255, 0, 255 } },
		{ "green", { 0, 128, 0 } },    { "lime", { 0, 255, 0 } },
		{ "olive", { 128, 128, 0 } },  { "yellow", { 255, 255, 0 } },
		{ "navy", { 0, 0, 128 } },     { "blue", { 0, 0, 255 } },
		{ "teal", { 0, 128, 128 } },   { "aqua", { 0, 255, 255 } },
		{ "orange", { 255, 165, 0 } },
	};
	size_t size = *text == '#' ? strspn(text + 1, digits) : 0;
	unsigned r, g, b;
	int end = 0;

	if (size == 3 && sscanf(text, "#%1x%1x%1x%n", &r, &g, &b, &end) == 3)
		r *= 17, g *= 17, b *= 17;
	else if (size == 6)
		sscanf(text, "#%2x%2x%2x%n", &r, &g, &b, &end);
	else
		sscanf(text, "rgb( %3u , %3u , %3u )%n", &r, &g, &b, &end);
	/* sscanf() sets end only when all of the format was there. */
	if (end && !text[end]) {
		if ((r | g | b) > 255)
			return false;
		*ret = (struct colour){ (uint8_t)r, (uint8_t)g, (uint8_t)b };
		return true;
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcasecmp(names[i].name, text) == 0) {
			*ret = names[i].colour;
			return true;
		}
	return false;
}
