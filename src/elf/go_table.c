/*
 * Go's linker has written four forms of the table (src/debug/gosym/pclntab.go, and for the first
 * "Go 1.2 Runtime Symbol Information"); the magic number tells which, in the byte order of the
 * program. Words are of the size of its addresses:
 *
 *	            Go 1.2            Go 1.16              Go 1.18, Go 1.20
 *	head        magic, 0, 0, quantum of code, size of a word
 *	words       functions         functions, files,    functions, files, start of the text,
 *	                              then five offsets    then five offsets
 *	names       in the table      at the first offset  at the first offset
 *	functions   behind the words  at the last offset   at the last offset
 *	  each      word pc, word offset                   u32 pc - start, u32 offset
 *	the last    end of the text, as a pc of the same size
 *	function at that offset (Go 1.2: of the table, else of the functions):
 *	            word pc, i32 name                      u32 pc - start, i32 name
 *	            then in all forms i32 arguments, u32, u32 offset of what the stack pointer does:
 *	            of the table     behind the fourth of the five offsets
 *
 * The first name is empty, and means none, but up to Go 1.19 it is that of the first function.
 *
 * Go 1.26 writes no start of the text, and the C linker leaves it to be filled in when a
 * position-independent program starts: there it is 0.
 *
 * The table is found by its section; where that has no name of its own, because there are no section
 * headers or the C linker put it among other data, by its head. Functions are in order of their
 * addresses, and so are their offsets: what goes back ends the table, which bounds the reading.
 */
#include "elf/go_table.h"

#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/cursor.h"
#include "elf/section.h"

enum go_form { GO_1_2, GO_1_16, GO_1_18 };

enum {
	WINDOW = 1 << 14,
	HEAD = 8,
	HEAD_ALIGN = 8,
	HEADS_MOST = 64, /* that are looked at where the table has no section */
	SEARCHED_MOST = 1 << 28, /* bytes, for that */
	STEPS_MOST = 1 << 28, /* bytes, of all functions */
	FUNCTIONS_MOST = 1 << 24, /* a sparse file has room for any number */
};

/* Bytes of the file that are gone through forward. */
struct table_window {
	const struct object *o;
	uint64_t start, size;
	uint8_t bytes[WINDOW];
};

struct go_table {
	const struct object *o;
	bool swapped;
	uint64_t offset, size; /* in the file; the size is at most this */
	enum go_form form;
	unsigned word; /* bytes */
	uint64_t count;
	uint64_t text; /* what pcs count from */
	uint64_t names, steps, functions; /* offsets in the table */
	unsigned quantum; /* of code, in bytes */
	unsigned flags; /* which field of a function has them, in its second byte */
	uint32_t first_name; /* that is a function's: 0, or 1 behind an empty one */
};

/* @size bytes at @offset; NULL where the file ends before. */
static const uint8_t *table_window_at(struct table_window *w, uint64_t offset,
				      size_t size)
{
	if (offset < w->start || offset - w->start > w->size ||
	    w->size - (offset - w->start) < size) {
		w->start = offset;
		w->size = offset < w->o->size
				  ? object_read_some(w->o, offset, w->bytes, WINDOW)
				  : 0;
	}
	return w->size - (offset - w->start) < size ? NULL
						    : w->bytes + (offset - w->start);
}

static uint64_t go_number(const struct go_table *t, const uint8_t *at, unsigned size)
{
	struct cursor c = cursor_of(at, size);

	c.swap = t->swapped;
	return size == 8 ? cursor_u64(&c) : cursor_u32(&c);
}

/* A word of the head. */
static uint64_t word_of(const struct go_table *t, const uint8_t *head, unsigned index)
{
	return go_number(t, head + HEAD + index * t->word, t->word);
}

/* The size of a pc and of an offset in the table of functions. */
static unsigned number_size(const struct go_table *t)
{
	return t->form == GO_1_18 ? 4 : t->word;
}

static bool read_form(struct go_table *t, const uint8_t *head)
{
	/* Behind the offset of steps: files, lines, how many others there are, of 1.16 the unit, of
	 * 1.20 the first line. */
	switch (go_number(t, head, 4)) {
	case 0xfffffffb:
		t->form = GO_1_2;
		t->flags = 7;
		break;
	case 0xfffffffa:
		t->form = GO_1_16;
		t->flags = 8;
		break;
	case 0xfffffff0:
		t->form = GO_1_18;
		t->flags = 8;
		break;
	case 0xfffffff1:
		t->form = GO_1_18;
		t->flags = 9;
		break;
	default:
		return false;
	}
	t->quantum = head[6];
	t->word = head[7];
	return head[4] == 0 && head[5] == 0 &&
	       (head[6] == 1 || head[6] == 2 || head[6] == 4) &&
	       (t->word == 4 || t->word == 8);
}

/* The number at @field, behind its pc, of the function that the table has at @offset; UINT32_MAX:
 * there is none. */
static uint32_t field_at(const struct go_table *t, struct table_window *w,
			 uint64_t offset, unsigned field)
{
	unsigned at = (t->form == GO_1_18 ? 4 : t->word) + 4 * field;
	uint64_t base = t->form == GO_1_2 ? 0 : t->functions;
	const uint8_t *bytes;

	if (offset > t->size - base || t->size - base - offset < at + 4)
		return UINT32_MAX;
	bytes = table_window_at(w, t->offset + base + offset, at + 4);
	return bytes ? (uint32_t)go_number(t, bytes + at, 4) : UINT32_MAX;
}

static uint32_t name_at(const struct go_table *t, struct table_window *w, uint64_t offset)
{
	return field_at(t, w, offset, 0);
}

/* Where that is no word of the table, the linker was Go's own if the program begins with the
 * function of its runtime that it begins with: then the text is all of .text. */
static bool find_text(struct go_table *t, struct table_window *w)
{
	static const char begins[] = { '_', 'r', 't', '0', '_' };
	uint64_t low = 0, high = t->count, wanted, functions = t->offset + t->functions;
	const uint8_t *bytes;
	struct section text;
	uint32_t name;

	if (!section_named(t->o, ".text", &text) || text.header.sh_addr > t->o->entry)
		return false;
	t->text = text.header.sh_addr;
	wanted = t->o->entry - t->text;
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		bytes = table_window_at(w, functions + 8 * middle, 4);
		if (!bytes)
			return false;
		if (go_number(t, bytes, 4) < wanted)
			low = middle + 1;
		else
			high = middle;
	}
	bytes = table_window_at(w, functions + 8 * low, 8);
	if (low == t->count || !bytes || go_number(t, bytes, 4) != wanted)
		return false;
	name = name_at(t, w, go_number(t, bytes + 4, 4));
	if (t->size - t->names < sizeof(begins) ||
	    name > t->size - t->names - sizeof(begins))
		return false;
	bytes = table_window_at(w, t->offset + t->names + name, sizeof(begins));
	return bytes && memcmp(bytes, begins, sizeof(begins)) == 0;
}

/* False where what the head says does not lie in the table, or its first function is no code. */
static bool read_go_header(struct go_table *t, struct table_window *w)
{
	const uint8_t *head = table_window_at(w, t->offset, HEAD);
	unsigned number;

	if (!head || t->size < HEAD || !read_form(t, head) ||
	    t->size < HEAD + 8 * t->word)
		return false;
	head = table_window_at(w, t->offset, HEAD + 8 * t->word);
	if (!head)
		return false;
	t->count = word_of(t, head, 0);
	t->text = t->form == GO_1_18 ? word_of(t, head, 2) : 0;
	t->names = t->form == GO_1_2 ? 0 : word_of(t, head, t->form == GO_1_16 ? 2 : 3);
	t->steps = t->form == GO_1_2 ? 0 : word_of(t, head, t->form == GO_1_16 ? 5 : 6);
	t->functions = t->form == GO_1_2 ? HEAD + t->word
					 : word_of(t, head, t->form == GO_1_16 ? 6 : 7);
	number = number_size(t);
	if (t->count == 0 || t->count > FUNCTIONS_MOST || t->names >= t->size ||
	    t->functions >= t->size || t->size - t->functions < number ||
	    (t->size - t->functions - number) / (2 * number) < t->count)
		return false;
	if (t->form == GO_1_18 && t->text == 0 && !find_text(t, w))
		return false;
	head = table_window_at(w, t->offset + t->functions, number);
	return head && object_is_code(t->o, t->text + go_number(t, head, number));
}

/* Its head, anywhere in the data of a program, of which no more is looked at than the file has. */
static bool find_head(struct go_table *t, struct table_window *w)
{
	uint64_t left = t->o->size < SEARCHED_MOST ? t->o->size : SEARCHED_MOST;
	unsigned tried = 0;

	for (size_t i = 0; i < t->o->segments.count; i++) {
		const struct segment *s = &t->o->segments.v[i];

		for (uint64_t at = -s->address % HEAD_ALIGN; at + HEAD <= s->size;
		     at += HEAD_ALIGN) {
			uint64_t offset = s->offset + at, hole;
			const uint8_t *head;

			/* A hole is passed at once, up to a head that may lie at its end. */
			if (offset % WINDOW < HEAD_ALIGN && offset < t->o->size) {
				hole = object_next_data(t->o, offset) - offset;
				at += hole - hole % HEAD_ALIGN;
			}
			head = table_window_at(w, s->offset + at, HEAD);
			if (!head || at + HEAD > s->size || left < HEAD_ALIGN ||
			    tried >= HEADS_MOST)
				break;
			left -= HEAD_ALIGN;
			if (!read_form(t, head))
				continue;
			tried++;
			t->offset = s->offset + at;
			t->size = s->size - at;
			if (read_go_header(t, w))
				return true;
		}
	}
	return false;
}

/* A function of the table, as it is gone through. */
struct go_function {
	uint64_t start, end;
	uint64_t offset; /* where the table says more of it */
};

/* What is the next of them, from @i on? False at the end, and where the table makes no sense. */
static bool next_go_function(const struct go_table *t, struct table_window *w,
			     uint64_t *i, struct go_function *f)
{
	unsigned number = number_size(t);
	uint64_t last = f->offset;
	const uint8_t *bytes;

	do {
		if (*i >= t->count)
			return false;
		bytes = table_window_at(w, t->offset + t->functions + *i * 2 * number,
					3 * number);
		if (!bytes)
			return false;
		f->start = t->text + go_number(t, bytes, number);
		f->offset = go_number(t, bytes + number, number);
		f->end = t->text + go_number(t, bytes + 2 * number, number);
		if (f->offset < last || f->end < f->start)
			return false;
		last = f->offset;
		++*i;
	} while (f->end == f->start || !object_is_code(t->o, f->start));
	return true;
}

/* Those of Go 1.2 are counted from the head, which is none. */
static uint32_t first_name(const struct go_table *t, struct table_window *w)
{
	const uint8_t *first = table_window_at(w, t->offset + t->names, 1);

	return t->form == GO_1_2 || !first || *first == 0 ? 1 : 0;
}

/* Its section says where it is; where no section can, it is looked for, but not in what is no program
 * of Go. False where there is none, or it makes no sense. */
static bool open_go_table(const struct object *o, struct go_table *t,
			  struct table_window *w)
{
	const unsigned char *ident = (const void *)elf_getident(o->elf, NULL);
	bool is_go = false;
	struct section s;
	size_t i;

	*t = (struct go_table){ .o = o };
	*w = (struct table_window){ .o = o };
	if (o->fd < 0 || !ident)
		return false;
	t->swapped = ident[EI_DATA] == ELFDATA2MSB;
	for (i = 1; section_at(o, i, &s); i++) {
		is_go |= strcmp(s.name, ".note.go.buildid") == 0;
		if ((strcmp(s.name, ".gopclntab") != 0 &&
		     strcmp(s.name, ".data.rel.ro.gopclntab") != 0) ||
		    s.header.sh_type == SHT_NOBITS || s.header.sh_offset >= o->size)
			continue;
		t->offset = s.header.sh_offset;
		t->size = s.header.sh_size;
		if (t->size > o->size - t->offset)
			t->size = o->size - t->offset;
		return read_go_header(t, w);
	}
	return (is_go || i == 1) && find_head(t, w);
}

int go_table_read(struct symtab *st, const struct object *o)
{
	/* What a function takes, up to sorting. */
	enum { A_FUNCTION = 2 * sizeof(struct symbol) + 40 };
	struct table_window w, of_names = { .o = o };
	struct go_function f = { 0 };
	struct go_table t;
	uint64_t i = 0;

	if (!open_go_table(o, &t, &w))
		return 0;
	if (!claim_add(&st->claim, o->budget, t.count * A_FUNCTION)) {
		object_refuse(o, "symbols");
		st->refused = true;
		return 0;
	}
	if (names_open_at(&st->names[TABLE_SYMTAB], o, t.offset + t.names,
			  t.size - t.names) < 0)
		return -ENOMEM;
	t.first_name = first_name(&t, &of_names);
	while (next_go_function(&t, &w, &i, &f)) {
		uint32_t name = name_at(&t, &of_names, f.offset);
		struct symbol *s;

		if (name < t.first_name || name >= st->names[TABLE_SYMTAB].size)
			continue;
		s = array_add(&st->symbols);
		if (!s)
			return -ENOMEM;
		*s = (struct symbol){ .start = f.start,
				      .end = f.end,
				      .name = name,
				      .table = TABLE_SYMTAB };
		st->go = true;
	}
	return 0;
}

/* The steps of all functions, in memory of their own; *@size is 0 where they are not in the table, or
 * no memory is left for them. 0, or -ENOMEM. */
static int read_steps(const struct go_table *t, uint8_t **ret, size_t *size)
{
	/* Functions come next; of Go 1.2 all lies among all. */
	uint64_t end = t->form == GO_1_2 ? t->size : t->functions;
	uint64_t all = t->steps < end ? end - t->steps : 0;

	*size = 0;
	if (all == 0 || all > STEPS_MOST || !budget_take(t->o->budget, all))
		return 0;
	*ret = malloc(all);
	if (!*ret) {
		budget_give_back(t->o->budget, all);
		return -ENOMEM;
	}
	*size = all;
	/* What cannot be read are zeros: no steps. */
	end = object_read_some(t->o, t->offset + t->steps, *ret, all);
	memset(*ret + end, 0, all - end);
	return 0;
}

int go_table_frames(const struct object *o, go_frames_visit *visit, void *arg,
		    uint64_t *size)
{
	enum { STEPS = 3, OUTERMOST = 1 }; /* a function's field; a flag of it */
	struct table_window w, of_functions = { .o = o };
	struct go_function f = { 0 };
	struct go_table t;
	uint8_t *steps = NULL;
	size_t known = 0;
	uint64_t i = 0;
	int stop;

	*size = 0;
	if (!open_go_table(o, &t, &w))
		return 0;
	*size = t.size;
	stop = read_steps(&t, &steps, &known);
	while (stop == 0 && known && next_go_function(&t, &w, &i, &f)) {
		struct go_frames frames = { f.start, f.end, .quantum = t.quantum };
		uint32_t at = field_at(&t, &of_functions, f.offset, STEPS);
		uint32_t flags = field_at(&t, &of_functions, f.offset, t.flags);

		/* At 0 is a table without steps. */
		if (at > 0 && at < known) {
			frames.steps = steps + at;
			frames.size = known - at;
		}
		flags = t.swapped ? flags >> 16 : flags >> 8;
		frames.outermost = flags & OUTERMOST;
		stop = visit(arg, &frames);
	}
	free(steps);
	budget_give_back(o->budget, known);
	return stop;
}
