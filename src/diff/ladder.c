/*
 * Which functions of the two sides are the same. Most have the same name, module and kind; what
 * is left on one side alone goes down a ladder of spellings, each of which forgets a little more:
 *
 *	/tmp/b1/libz.so.1.2  f.isra.0    as it is
 *	        libz.so.1.2  f.isra.0    without the module's directory
 *	        libz.so      f.isra.0    without its version
 *	        libz.so      f           without what compilers append
 *	        libz.so      f           f<int>, without arguments of templates
 *
 * and ends at the first one that the other side has, too. What both sides have as it is looks for
 * nothing, but it may be what another one finds: then the two are one, under the name that they
 * have in common. So f.isra.0 of A alone joins the f of both. Nothing is matched by its address.
 */
#include "diff/ladder.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/pages.h"

/* "libfoo.so.1.2" -> "libfoo.so", "libc-2.36.so" -> "libc.so". */
static void add_unversioned(struct text *t, const char *module)
{
	const char *so = strstr(module, ".so"), *end = so;
	size_t size;

	if (!so || so[3 + strspn(so + 3, ".0123456789")]) {
		text_string(t, module);
		return;
	}
	while (end > module && (isdigit((unsigned char)end[-1]) || end[-1] == '.'))
		end--;
	size = (size_t)((end > module + 1 && end[-1] == '-' && end < so ? end - 1 : so) -
			module);
	text_add(t, module, size);
	text_string(t, ".so");
}

static bool is_of_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* "Map<int, Less<int>>::find(int)" -> "Map::find(int)", "f()::{lambda(int)#3}" ->
 * "f()::{lambda(int)#<N>}". What begins a name ("<Circle as Shape>::area") stays, and so do signs of
 * operators; behind those, and a blank, arguments begin: "operator<< <char>". */
static void add_untemplated(struct text *t, const char *name, size_t size)
{
	static const char *const operators[] = {
		"operator<=>", "operator<<=", "operator>>=", "operator->*",
		"operator<<",  "operator>>",  "operator<=",  "operator>=",
		"operator->",  "operator<",   "operator>",
	};
	bool opens = false; /* "<" is that of arguments */
	size_t depth = 0, used, digits;

	for (size_t i = 0; i < size; i += used) {
		char c = name[i];

		used = digits = 0;
		for (size_t k = 0; k < sizeof(operators) / sizeof(*operators) && !used &&
				   c == 'o' && !(i && is_of_word(name[i - 1]));
		     k++)
			if (strncmp(name + i, operators[k], strlen(operators[k])) == 0)
				used = strlen(operators[k]);
		if (used) {
			used += name[i + used] == ' ';
			text_add(t, name + i, depth ? 0 : used);
			opens = true;
			continue;
		}
		used = 1;
		if (c == '<' && (depth || opens)) {
			depth++;
		} else if (c == '>' && depth) {
			depth -= name[i - 1] != '-';
		} else if (!depth) {
			while (c == '#' && i + 1 + digits < size &&
			       isdigit((unsigned char)name[i + 1 + digits]))
				digits++;
			text_char(t, c);
			text_string(t, digits ? "<N>" : "");
			used += digits;
		}
		opens = is_of_word(c) || c == ':';
	}
}

/* Its name may have a number. */
static bool is_worker(const struct diff_function *f)
{
	return f->is_process && f->kind == FUNCTION_LABEL;
}

/* The name alone, as a step spells it. */
static void spell_name(const struct difference *d, const struct diff_function *f,
		       enum diff_match step, struct text *t)
{
	const char *name = intern_text(&d->strings, f->name);
	const char *module = intern_text(&d->strings, f->module);
	size_t size = strlen(name), digits;

	/* Names alone are what the other side has, numbers, addresses and all. */
	if (step == MATCH_NAME) {
		text_add(t, name, clone_base(name, size));
	} else if (step >= MATCH_NUMBER && is_worker(f)) {
		/* "kworker/3:1" -> "kworker/<N>:<N>", as perf's sort key comm_nodigit has it. */
		for (; *name; name += digits ? digits : 1) {
			digits = strspn(name, "0123456789");
			text_add(t, digits ? "<N>" : name, digits ? 3 : 1);
		}
	} else if (step >= MATCH_UNNAMED && f->unnamed && f->module) {
		/* [libx.so+0x1c40], [libx.so <1c48>]: the address is of one build. */
		module = strrchr(module, '/') ? strrchr(module, '/') + 1 : module;
		text_char(t, '[');
		add_unversioned(t, module + (*module == '['));
		if (*module != '[')
			text_char(t, ']');
	} else if (step == MATCH_TEMPLATE && !f->is_process) {
		add_untemplated(t, name, clone_base(name, size));
	} else {
		text_add(t, name, step >= MATCH_CLONE ? clone_base(name, size) : size);
	}
}

uint32_t ladder_class(const struct difference *d, uint32_t function)
{
	while (d->functions.v[function].class != function)
		function = d->functions.v[function].class;
	return function;
}

/* ./old and ./new are two builds of one program, most likely: of what each side alone has, its
 * heaviest process and its heaviest module. */
struct program {
	uint32_t process; /* function; 0: none */
	uint32_t module; /* string id; 0: none */
};

/* @sides: of the classes of functions. 0, or -ENOMEM. */
static int find_programs(const struct difference *d, const uint8_t *sides,
			 struct program *ret)
{
	size_t texts = d->strings.texts.count, functions = d->functions.count;
	uint64_t *of_module = calloc(texts, sizeof(*of_module));
	uint64_t *of_process = calloc(functions, sizeof(*of_process));
	uint32_t *process = pages_zeroed(d->nodes.count, sizeof(*process)); /* by node */
	int err = of_module && of_process && process ? 0 : -ENOMEM;

	for (int side = 0; side < DIFF_SIDES && err == 0; side++) {
		struct program *p = &ret[side];

		memset(of_module, 0, texts * sizeof(*of_module));
		memset(of_process, 0, functions * sizeof(*of_process));
		*p = (struct program){ 0 };
		for (uint32_t i = 1; i < d->nodes.count; i++) {
			const struct diff_node *n = &d->nodes.v[i];
			uint64_t self = difference_value(d, i)->self[side];

			process[i] = n->parent ? process[n->parent] : n->function;
			if (sides[n->function] == 1 << side)
				of_module[d->functions.v[n->function].module] += self;
			of_process[process[i]] += self;
		}
		for (uint32_t i = 1; i < functions; i++)
			if (sides[i] == 1 << side &&
			    of_process[i] > of_process[p->process])
				p->process = i;
		/* What is not most of its side is not what is compared. */
		if (of_process[p->process] < d->total[side].weight / 2)
			p->process = 0;
		/* 0 is no module. */
		of_module[0] = 0;
		for (uint32_t i = 1; i < texts; i++)
			if (of_module[i] > of_module[p->module])
				p->module = i;
	}
	free(of_module);
	free(of_process);
	free(process);
	return err;
}

/* Functions that are spelled alike. */
struct ladder_spelling {
	uint32_t first[DIFF_SIDES]; /* of each side: 0: none */
	uint32_t processes; /* the first one that is a process; 0: none */
	bool are_many; /* it is not the only one */
};

/* Both become one; what it is called is what B calls it, or, where names differ, what they have in
 * common. */
static int unite(struct difference *d, uint32_t a, uint32_t b, enum diff_match step)
{
	struct text common = { 0 };
	struct diff_function *to;
	int err = 0;

	a = ladder_class(d, a);
	b = ladder_class(d, b);
	if (a == b)
		return 0;
	to = &d->functions.v[b];
	if (to->name != d->functions.v[a].name && step != MATCH_PROGRAM) {
		spell_name(d, to, step, &common);
		err = common.failed ? -ENOMEM
				    : intern_add(&d->strings, common.bytes ?: "",
						 common.size, &to->name);
	}
	text_release(&common);
	to->is_process |= d->functions.v[a].is_process;
	/* Steps come in their order. */
	to->matched_by = step;
	d->functions.v[a].class = b;
	return err;
}

/* What all of a step have in common that are one. */
static void spell_function(const struct difference *d, uint32_t i, enum diff_match step,
			   const struct program *program, struct text *t)
{
	const struct diff_function *f = &d->functions.v[i];
	const char *module = intern_text(&d->strings, f->module);
	const char *slash = step >= MATCH_DIRECTORY ? strrchr(module, '/') : NULL;

	text_clear(t);
	/* No name has a byte 1. */
	if (i == program->process)
		text_char(t, 1);
	else
		spell_name(d, f, step, t);
	text_char(t, '\n');
	module = slash ? slash + 1 : module;
	if (f->module && f->module == program->module)
		text_char(t, 1);
	else if (step >= MATCH_VERSION && step < MATCH_NAME)
		add_unversioned(t, module);
	else if (step < MATCH_NAME)
		text_string(t, module);
	if (step < MATCH_NAME) {
		text_char(t, '\n');
		text_char(t, (char)('0' + f->kind));
	}
}

static void note_spelling(struct ladder_spelling *spelling, const struct diff_function *f,
			  uint32_t i)
{
	for (int s = 0; s < DIFF_SIDES; s++)
		if (f->sides & 1 << s && (!spelling->first[s] || i < spelling->first[s]))
			spelling->first[s] = i;
	if (!is_worker(f))
		return;
	spelling->are_many |= spelling->processes;
	spelling->processes = spelling->processes ?: i;
}

/*
 * One step: functions that nothing was found for yet, @sides of their classes. An instance of a template
 * finds others that nothing was found for, not those that both sides have. Of processes that differ in
 * numbers, which are one on either side or many, all are one: who has how much of a pool's work is chance.
 */
static int match_step(struct difference *d, enum diff_match step, uint8_t *sides)
{
	const uint8_t both = 1 << DIFF_A | 1 << DIFF_B;
	size_t count = d->functions.count;
	ARRAY(struct ladder_spelling) spellings = { 0 };
	uint32_t *of = calloc(count, sizeof(*of)); /* by function */
	bool *looks = calloc(count, sizeof(*looks)); /* for another one */
	struct program programs[DIFF_SIDES] = { 0 };
	struct text t = { 0 };
	struct intern keys = { 0 };
	int err = of && looks ? intern_init(&keys) : -ENOMEM;

	if (err == 0 && step == MATCH_PROGRAM)
		err = find_programs(d, sides, programs);
	if (err == 0 && !array_add(&spellings)) /* the empty one, which nobody has */
		err = -ENOMEM;
	for (uint32_t i = 1; i < count && err == 0; i++) {
		looks[i] = sides[i] != both ||
			   (step == MATCH_NUMBER && is_worker(&d->functions.v[i]));
		if (!looks[i])
			continue;
		spell_function(d, i, step, &programs[sides[i] == 1 << DIFF_B], &t);
		err = t.failed ? -ENOMEM : intern_add(&keys, t.bytes, t.size, &of[i]);
		while (err == 0 && spellings.count <= of[i])
			if (!array_add(&spellings))
				err = -ENOMEM;
		if (err == 0)
			note_spelling(&spellings.v[of[i]], &d->functions.v[i], i);
	}
	/* Nearly all are on both sides, and are only asked whether somebody looks for them. */
	for (uint32_t i = 1; i < count && err == 0 && step != MATCH_TEMPLATE; i++) {
		if (looks[i])
			continue;
		spell_function(d, i, step, &programs[DIFF_A], &t);
		if (t.failed)
			err = -ENOMEM;
		else if (intern_find(&keys, t.bytes, t.size, &of[i]))
			note_spelling(&spellings.v[of[i]], &d->functions.v[i], i);
	}
	for (uint32_t i = 1; i < count && err == 0; i++) {
		const struct ladder_spelling *spelling = &spellings.v[of[i]];
		bool is_in_b = sides[i] == 1 << DIFF_B;
		uint32_t other;

		if (step == MATCH_NUMBER && spelling->are_many &&
		    is_worker(&d->functions.v[i])) {
			err = unite(d, spelling->processes, i, step);
			continue;
		}
		if (sides[i] == both)
			continue;
		other = spelling->first[is_in_b ? DIFF_A : DIFF_B];
		if (other)
			err = is_in_b ? unite(d, other, i, step)
				      : unite(d, i, other, step);
	}
	text_release(&t);
	intern_release(&keys);
	array_release(&spellings);
	free(of);
	free(looks);
	return err;
}

int ladder_match(struct difference *d)
{
	const uint8_t both = 1 << DIFF_A | 1 << DIFF_B;
	size_t count = d->functions.count;
	uint8_t *sides = calloc(count, 1), modules = 0;
	int err = sides ? 0 : -ENOMEM;

	for (uint32_t i = 1; i < count && err == 0; i++) {
		sides[i] = d->functions.v[i].sides;
		if (d->functions.v[i].module)
			modules |= sides[i];
	}
	for (int step = MATCH_DIRECTORY; step < DIFF_MATCHES && err == 0 && !d->exact;
	     step++) {
		bool alone = step == MATCH_NUMBER;

		for (uint32_t i = 1; i < count; i++)
			alone |= sides[i] != both;
		/* Names alone would join functions of different modules. */
		if (!alone || (step == MATCH_NAME && modules == both))
			continue;
		err = match_step(d, (enum diff_match)step, sides);
		/* What was matched is on both sides from now on: all of its class. */
		for (uint32_t i = 1; i < count && err == 0; i++)
			sides[ladder_class(d, i)] |= sides[i];
		for (uint32_t i = 1; i < count && err == 0; i++)
			sides[i] = sides[ladder_class(d, i)];
	}
	/* What has become one counts once, by the step that joined the last of it. */
	for (uint32_t i = 1; i < count && err == 0; i++) {
		if (ladder_class(d, i) != i)
			continue;
		d->matched[d->functions.v[i].matched_by] += sides[i] == both;
		for (int s = 0; s < DIFF_SIDES; s++)
			d->alone[s] += sides[i] == 1 << s;
	}
	free(sides);
	return err;
}
