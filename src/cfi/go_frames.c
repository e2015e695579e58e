/*
 * Go's linker makes .debug_frame of the table that the runtime prints stacks by, and of nothing
 * else (cmd/link/internal/ld/dwarf.go, writeframes()): the stack pointer is so many bytes below where
 * it was, from here to there. So a program without .debug_frame gets the same one, and all that
 * reads call frame information goes on as if it had been there:
 *
 *	steps     +0 for 10 bytes        +24 for 90           -24 for 1
 *	rows      CFA = sp + 8           CFA = sp + 32        CFA = sp + 8
 *	written   advance 10             offset 32, advance   offset 8
 *
 * Many functions share their steps, but each one needs rows of its own: what all of them may take is
 * bounded by the size of the table, which no linker's comes near, and by the budget.
 */
#include "cfi/go_frames.h"

#include <dwarf.h>
#include <errno.h>

#include "base/array.h"
#include "base/cursor.h"
#include "base/encoded.h"

enum {
	SOME = 1 << 16, /* bytes that the budget is asked for at once */
	ROW_MOST = 32, /* bytes of instructions */
	HEAD_MOST = 64,
	SECTION_MOST = 1 << 28,
	/* What it takes to compile a byte, as of a section that is read. */
	MEMORY_A_BYTE = 8,
};

struct go_writer {
	const struct object *o;
	const struct machine *m;
	struct cfi_section *out;
	ARRAY(uint8_t) bytes;
	size_t allowed; /* bytes that the claim is for */
	uint64_t table; /* bytes of Go's */
};

/* There is room for it: see reserve(). */
static void put_byte(struct go_writer *w, unsigned value)
{
	w->bytes.v[w->bytes.count++] = (uint8_t)value;
}

/* Over what stands at @at. */
static void write_number_at(struct go_writer *w, size_t at, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		w->bytes.v[at + i] = (uint8_t)(value >> (8 * i));
}

static void put_number(struct go_writer *w, uint64_t value, unsigned size)
{
	w->bytes.count += size;
	write_number_at(w, w->bytes.count - size, value, size);
}

static void put_uleb(struct go_writer *w, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		put_byte(w, (value & 0x7f) | 0x80);
	put_byte(w, (unsigned)value);
}

/* 1, 0 where that is more than there may be, or -ENOMEM. */
static int reserve(struct go_writer *w, size_t size)
{
	while (w->bytes.count + size > w->allowed) {
		if (w->allowed > 2 * w->table || w->allowed + SOME > SECTION_MOST ||
		    !claim_add(&w->out->claim, w->o->budget, SOME * MEMORY_A_BYTE)) {
			object_refuse(w->o, "call frame information");
			return 0;
		}
		w->allowed += SOME;
	}
	return array_reserve(&w->bytes, size) ? 1 : -ENOMEM;
}

/* Behind the length of an entry that begins at @start. */
static void end_entry(struct go_writer *w, size_t start)
{
	enum { LENGTH = 4 };

	while ((w->bytes.count - start) % w->m->word != LENGTH % w->m->word)
		put_byte(w, DW_CFA_nop);
	write_number_at(w, start, w->bytes.count - start - LENGTH, LENGTH);
}

/* As a function is entered: the return address is the last word, or still in its register. */
static void put_cie(struct go_writer *w)
{
	const struct machine *m = w->m;

	put_number(w, 0, 4); /* the length */
	put_number(w, UINT32_MAX, 4);
	put_byte(w, 3); /* the version */
	put_byte(w, 0); /* nothing is augmented */
	put_uleb(w, 1);
	put_byte(w, -m->word & 0x7f); /* what offsets are counted in */
	put_byte(w, m->ra);
	put_byte(w, DW_CFA_def_cfa);
	put_uleb(w, m->sp);
	put_uleb(w, m->link ? 0 : m->word);
	put_byte(w, m->link ? DW_CFA_same_value : DW_CFA_offset_extended);
	put_uleb(w, m->ra);
	if (!m->link)
		put_uleb(w, 1);
	end_entry(w, 0);
}

static void put_advance(struct go_writer *w, uint64_t bytes)
{
	if (bytes < 0x40) {
		put_byte(w, DW_CFA_advance_loc | (unsigned)bytes);
	} else if (bytes <= UINT16_MAX) {
		put_byte(w, DW_CFA_advance_loc2);
		put_number(w, bytes, 2);
	} else {
		put_byte(w, DW_CFA_advance_loc4);
		put_number(w, bytes, 4);
	}
}

/* As far as its steps make sense, which is *@end: behind a 0 all is as the last one left it, like in
 * Go's, but of what comes behind a number that cannot be, or was not read, nothing is known. 1, 0
 * where there is no room, or -ENOMEM. */
static int put_rows(struct go_writer *w, const struct go_frames *f, uint64_t *end)
{
	const struct machine *m = w->m;
	struct cursor c = cursor_of(f->steps, f->size);
	/* Bytes that the stack pointer is below where it was. */
	uint64_t below = UINT64_MAX, at = f->start, last = 0;
	int room;

	*end = f->end;
	if (m->link && f->outermost) {
		put_byte(w, DW_CFA_undefined);
		put_uleb(w, m->ra);
	}
	while (at < f->end) {
		uint64_t change = read_uleb(&c), bytes;

		/* -1 is in front of the first; after that what changes nothing ends them. */
		if (!c.bad && change == 0 && at != f->start)
			break;
		below += change & 1 ? ~(change >> 1) : change >> 1;
		bytes = read_uleb(&c);
		bytes *= f->quantum;
		if (c.bad || bytes > UINT32_MAX || below > INT32_MAX ||
		    (m->link && below % m->word)) {
			*end = at;
			break;
		}
		room = reserve(w, ROW_MOST);
		if (room <= 0)
			return room;
		if (below != last) {
			put_byte(w, DW_CFA_def_cfa_offset);
			put_uleb(w, m->link ? below : below + m->word);
		}
		/* With a link the return address lies at the bottom as soon as there is
		 * a frame, and of who was called by nobody Go's linker says so. */
		if (below != last && m->link && !f->outermost) {
			put_byte(w, below ? DW_CFA_offset_extended : DW_CFA_same_value);
			put_uleb(w, m->ra);
			if (below)
				put_uleb(w, below / m->word);
		}
		last = below;
		if (bytes >= f->end - at)
			break;
		put_advance(w, bytes);
		at += bytes;
	}
	return 1;
}

/* Not 0: no more of them. */
static int put_function(void *arg, const struct go_frames *f)
{
	struct go_writer *w = arg;
	uint64_t end;
	size_t start, size_at;
	int room;

	if (!f->steps)
		return 0;
	room = reserve(w, 2 * HEAD_MOST);
	if (room <= 0)
		return room < 0 ? room : 1;
	if (w->bytes.count == 0)
		put_cie(w);
	start = w->bytes.count;
	put_number(w, 0, 4);
	put_number(w, 0, 4); /* its CIE is the first entry */
	put_number(w, f->start, w->m->word);
	size_at = w->bytes.count;
	put_number(w, 0, w->m->word);
	room = put_rows(w, f, &end);
	if (room > 0)
		room = reserve(w, HEAD_MOST);
	if (room <= 0) {
		w->bytes.count = start;
		return room < 0 ? room : 1;
	}
	end_entry(w, start);
	write_number_at(w, size_at, end - f->start, w->m->word);
	return 0;
}

int cfi_section_go(const struct object *o, const struct machine *m,
		   struct cfi_section *ret)
{
	struct go_writer w = { .o = o, .m = m, .out = ret };
	int stopped;

	*ret = (struct cfi_section){ .word = m->word };
	/* Without a section that says so, others would not know how its stacks begin. */
	if (!object_is_go(o))
		return 0;
	stopped = go_table_frames(o, put_function, &w, &w.table);
	if (stopped < 0) {
		free(w.bytes.v);
		cfi_section_release(ret);
		return stopped;
	}
	ret->owned = w.bytes.v;
	ret->bytes = w.bytes.v;
	ret->size = w.bytes.count;
	return 0;
}
