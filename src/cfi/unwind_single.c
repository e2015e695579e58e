/*
 * A bisection over the file, one pair a read, down to WINDOW pairs, which are read
 * together. Bisections begin alike, so the starts at their first eight middles are
 * remembered, as are the CIEs (an object has few) and the last function: an address in
 * that needs no read at all.
 *
 *	middles   1: of all | 2, 3: of the halves | 4 ... 7: of the quarters | ...
 *	memory    starts[1]   starts[2], [3]        starts[4] ... [7]
 *
 * An entry is believed only where it agrees with the header: its function begins where
 * the pair says, and has code in the object. Anything else is answered by "ask the
 * table". Each look-up pays for itself with bytes that could have been compiled
 * meanwhile; when those are as many as .eh_frame has, and some to begin with, the table
 * has become the cheaper way.
 */
#include "cfi/unwind_single.h"

#include <errno.h>
#include <stdlib.h>

#include "cfi/functions.h"
#include "cfi/pointer.h"
#include "cfi/unwind_rule.h"

enum {
	HEADER_MOST = 32,
	/* What GNU ld, gold, lld and mold write: pairs of 4 bytes, from the header on. */
	TABLE_ENCODING = DW_EH_PE_datarel | DW_EH_PE_sdata4,
	PAIR = 8,
	WINDOW = 256, /* pairs that are read at once, where a bisection has come so far */
	FIRST_READ = 256, /* of an entry: few are longer */
	ENTRY_MOST = 1 << 20,
	MIDDLES = 256, /* of bisections, that are remembered */
	CIES_MOST = 64, /* an object has some five */
	CIE_MOST = 1 << 12, /* bytes */
	LOOKUP_COST = 512, /* as many bytes of a section can be compiled meanwhile */
	WAIT_COST = 128 * LOOKUP_COST, /* to sleep, and to be woken */
	LOOKUPS_LEAST = 16,
};

/* Their rules point into the bytes. */
struct single_cie {
	uint64_t offset;
	struct cfi_section piece;
	struct cfi_cie cie;
};

/* A function: its entry, which @piece has to stay for. */
struct single_function {
	struct cfi_section piece;
	const struct cfi_cie *cie;
	struct cfi_fde fde;
	uint64_t end; /* of the function, or where another one begins in it */
};

struct single_memory {
	ARRAY(struct single_cie) cies;
	struct single_function last;
	uint8_t last_room[FIRST_READ];
	bool known[MIDDLES];
	int32_t starts[MIDDLES];
};

int unwind_single_open(const struct object *o, const struct object *debug,
		       struct unwind_single *ret)
{
	struct unwind_single s = { 0 };
	const struct machine *m = cfi_machine(o);
	struct cfi_extent header;
	struct cfi_section of;
	uint8_t bytes[HEADER_MOST];
	struct cursor c = cursor_of(bytes, sizeof(bytes));
	uint64_t address, count;
	const uint8_t *start;

	*ret = s;
	if (!m || !cfi_section_parts(o, &s.section, &s.eh, &header) ||
	    header.size < sizeof(bytes) ||
	    !object_read(o, header.offset, bytes, sizeof(bytes)))
		return 0;
	/* A header that is not as it has to be is none. */
	of = s.section;
	of.bytes = bytes;
	of.size = sizeof(bytes);
	of.address = of.data = header.address;
	start = cursor_bytes(&c, 4);
	if (!start || start[0] != 1 || start[3] != TABLE_ENCODING ||
	    !read_pointer(&c, start[1], &of, &address) ||
	    !read_pointer(&c, start[2], &of, &count) || address != s.eh.address)
		return 0;
	s.first = (uint64_t)(c.p - bytes);
	if (count > (header.size - s.first) / PAIR || (uint32_t)count == 0)
		return 0;
	s.count = (uint32_t)count;
	s.first += header.offset;
	s.base = header.address;
	s.alone = !object_has_debug_frame(o) && !object_is_go(o) &&
		  !(debug && object_has_debug_frame(debug));
	unwind_single_renew(&s);
	cfi_columns_few(m, &s.columns);
	s.memory = calloc(1, sizeof(*s.memory));
	if (!s.memory || code_ranges_of(o, &s.code) < 0) {
		free(s.memory);
		return -ENOMEM;
	}
	*ret = s;
	return 0;
}

void unwind_single_release(struct unwind_single *s)
{
	if (s->memory) {
		for (size_t i = 0; i < s->memory->cies.count; i++)
			cfi_section_release(&s->memory->cies.v[i].piece);
		array_release(&s->memory->cies);
		cfi_section_release(&s->memory->last.piece);
	}
	free(s->memory);
	code_ranges_release(&s->code);
	*s = (struct unwind_single){ 0 };
}

/* A look-up under way. */
struct asking {
	struct unwind_single *s;
	const struct unwind_file *file;
	uint64_t address;
};

static uint64_t counted(const struct unwind_single *s, int32_t from_base)
{
	uint64_t address = s->base + (uint64_t)(int64_t)from_base;

	return s->section.word == 8 ? address : (uint32_t)address;
}

static int32_t pair_number(const uint8_t *pair, size_t at)
{
	struct cursor c = cursor_of(pair + at, sizeof(int32_t));

	return (int32_t)cursor_u32(&c);
}

static bool read_pairs(const struct asking *a, uint32_t i, uint32_t count, uint8_t *ret)
{
	return a->file->read(a->file->arg, a->s->first + (uint64_t)i * PAIR, ret,
			     (size_t)count * PAIR);
}

/* Where a function begins and its entry, and of the next one. */
struct pair {
	uint64_t start, entry;
	uint64_t next, next_entry; /* next 0: there is none */
};

enum found_pair {
	PAIR_NONE, /* that could be relied on */
	PAIR_FOUND,
	PAIR_BELOW, /* the address lies below the first function */
};

/* The last of @count pairs that begins at or below the address, and not where the one
 * before it does: which of two is meant is told by the order of the entries. */
static enum found_pair choose_pair(const struct asking *a, const uint8_t *pairs,
				   uint32_t count, struct pair *ret)
{
	uint32_t low = 0, high = count;
	const uint8_t *pair;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (counted(a->s, pair_number(pairs + (size_t)middle * PAIR, 0)) <=
		    a->address)
			low = middle + 1;
		else
			high = middle;
	}
	*ret = (struct pair){ .start = UINT64_MAX };
	if (low < count) {
		ret->next = counted(a->s, pair_number(pairs + (size_t)low * PAIR, 0));
		ret->next_entry =
			counted(a->s, pair_number(pairs + (size_t)low * PAIR, 4)) -
			a->s->eh.address;
	}
	if (low == 0)
		return PAIR_BELOW;
	pair = pairs + (size_t)(low - 1) * PAIR;
	ret->start = counted(a->s, pair_number(pair, 0));
	ret->entry = counted(a->s, pair_number(pair, 4)) - a->s->eh.address;
	return low == 1 || pair_number(pair - PAIR, 0) < pair_number(pair, 0) ? PAIR_FOUND
									      : PAIR_NONE;
}

static enum found_pair find_pair(const struct asking *a, struct pair *ret)
{
	struct single_memory *m = a->s->memory;
	uint8_t pairs[WINDOW * PAIR];
	uint32_t low = 0, high = a->s->count, node = 1;
	enum found_pair found = PAIR_NONE;

	while (high - low > WINDOW - 2) {
		uint32_t middle = low + (high - low) / 2;
		bool known = node < MIDDLES && m->known[node];
		int32_t number;
		uint64_t start;

		if (!known && !read_pairs(a, middle, 1, pairs))
			return PAIR_NONE;
		number = known ? m->starts[node] : pair_number(pairs, 0);
		start = counted(a->s, number);
		if (node < MIDDLES) {
			m->known[node] = true;
			m->starts[node] = number;
		}
		node = node < MIDDLES ? node * 2 + (start <= a->address) : node;
		if (start <= a->address)
			low = middle;
		else
			high = middle;
	}
	low -= low > 0; /* the one before, and the one behind */
	high += high < a->s->count;
	if (read_pairs(a, low, high - low, pairs))
		found = choose_pair(a, pairs, high - low, ret);
	return found == PAIR_BELOW && low > 0 ? PAIR_NONE : found;
}

/* The entry at @offset of .eh_frame, into @room or into memory of its own. 1, 0 or
 * -ENOMEM. */
static int read_single_entry(const struct asking *a, uint64_t offset, uint8_t *room,
			     struct cfi_section *ret)
{
	const struct cfi_extent *eh = &a->s->eh;
	uint64_t there = offset < eh->size ? eh->size - offset : 0;
	uint64_t size = there < FIRST_READ ? there : FIRST_READ;

	*ret = a->s->section;
	ret->address = eh->address + offset;
	if (size == 0 || !a->file->read(a->file->arg, eh->offset + offset, room, size))
		return 0;
	ret->bytes = room;
	ret->size = size;
	size = cfi_piece_size(ret);
	if (size <= ret->size) {
		ret->size = size;
		return size > 0;
	}
	if (size > there || size > ENTRY_MOST)
		return 0;
	ret->owned = malloc(size);
	if (!ret->owned)
		return -ENOMEM;
	ret->bytes = ret->owned;
	ret->size = size;
	if (a->file->read(a->file->arg, eh->offset + offset, ret->owned, size))
		return 1;
	cfi_section_release(ret);
	return 0;
}

static int cached_cie(const struct asking *a, uint64_t offset, const struct cfi_cie **ret)
{
	struct single_memory *known = a->s->memory;
	struct single_cie cie = { .offset = offset }, *added;
	struct cfi_run run = { .columns = &a->s->columns, .section = &cie.piece };
	uint8_t room[FIRST_READ];
	int found;

	for (size_t i = 0; i < known->cies.count; i++)
		if (known->cies.v[i].offset == offset) {
			*ret = &known->cies.v[i].cie;
			return 1;
		}
	if (known->cies.count >= CIES_MOST)
		return 0;
	found = read_single_entry(a, offset, room, &cie.piece);
	if (found <= 0)
		return found;
	found = cie.piece.size <= CIE_MOST;
	if (found && !cie.piece.owned) { /* it lies in @room */
		cie.piece.owned = malloc(cie.piece.size);
		if (!cie.piece.owned)
			return -ENOMEM;
		memcpy(cie.piece.owned, room, cie.piece.size);
		cie.piece.bytes = cie.piece.owned;
	}
	if (found && !cfi_piece_cie(&run, &cie.cie))
		found = run.no_memory ? -ENOMEM : 0;
	cfi_run_release(&run);
	added = found > 0 ? array_add(&known->cies) : NULL;
	if (!added) {
		cfi_section_release(&cie.piece);
		return found > 0 ? -ENOMEM : found;
	}
	*added = cie;
	*ret = &added->cie;
	return 1;
}

/* The function whose entry was read, if it is the one that was looked for. */
static int take_function(const struct asking *a, const struct pair *pair,
			 struct single_function *f)
{
	uint64_t parent;
	int found;

	if (!cfi_piece_parent(&f->piece, &parent))
		return 0;
	found = cached_cie(a, pair->entry + parent, &f->cie);
	if (found <= 0)
		return found;
	if (!cfi_piece_fde(&f->piece, f->cie, &f->fde) || f->fde.start != pair->start ||
	    !code_ranges_clip(&a->s->code, pair->start, &f->fde.end))
		return 0;
	f->end = pair->next && pair->next < f->fde.end ? pair->next : f->fde.end;
	return 1;
}

/* -ENOENT where the next function is where the header says: then none is between it and this
 * one. Behind the last one there is none. */
static int check_gap(const struct asking *a, const struct pair *pair)
{
	struct pair next = { .start = pair->next, .entry = pair->next_entry };
	struct single_function behind = { 0 };
	uint8_t room[FIRST_READ];
	int found;

	if (!a->s->alone)
		return 0;
	if (!pair->next)
		return -ENOENT;
	found = read_single_entry(a, next.entry, room, &behind.piece);
	if (found > 0)
		found = take_function(a, &next, &behind);
	cfi_section_release(&behind.piece);
	return found > 0 ? -ENOENT : found;
}

static bool spend(struct unwind_single *s, uint64_t bytes)
{
	s->left -= s->left < bytes ? s->left : bytes;
	return s->left > 0;
}

/* 1, 0, -ENOENT or -ENOMEM. The next function that is asked for takes its place. */
static int find_function(const struct asking *a, const struct single_function **ret)
{
	struct single_function *f;
	enum found_pair which;
	struct pair pair;
	int found;

	if (!a->s->count || !spend(a->s, LOOKUP_COST))
		return 0;
	f = &a->s->memory->last;
	*ret = f;
	if (a->address < f->end && a->address >= f->fde.start)
		return 1;
	cfi_section_release(&f->piece);
	f->end = 0;
	which = find_pair(a, &pair);
	if (which != PAIR_FOUND)
		return which == PAIR_BELOW ? check_gap(a, &pair) : 0;
	found = read_single_entry(a, pair.entry, a->s->memory->last_room, &f->piece);
	if (found > 0)
		found = spend(a->s, f->piece.size) ? take_function(a, &pair, f) : 0;
	if (found > 0 && a->address >= f->end)
		found = f->fde.end == f->fde.start ? 0 : check_gap(a, &pair);
	if (found <= 0)
		f->end = 0; /* no address lies in it */
	return found;
}

int unwind_single_find(struct unwind_single *s, uint64_t address,
		       const struct unwind_file *file, struct unwind_rule *ret)
{
	struct asking a = { s, file, address };
	struct cfi_run run = { .columns = &s->columns };
	struct packed_rule packed = { UNWIND_NONE, 0 };
	const struct single_function *f;
	const uint8_t *begin;
	bool more;
	int found = find_function(&a, &f);

	if (found == -ENOENT) {
		*ret = unwind_none;
		return 1;
	}
	if (found <= 0)
		return found;
	/* The row of the address, as the table would have it. */
	run.section = &f->piece;
	cfi_run_begin(&run, f->cie, f->cie->initial, &f->fde);
	begin = run.c.p;
	do
		more = cfi_run_next(&run);
	while (more && run.to <= address);
	spend(s, (uint64_t)(run.c.p - begin));
	if (more)
		packed = rule_of_row(&run);
	cfi_run_release(&run);
	if (run.no_memory)
		return -ENOMEM;
	*ret = packed.cfa == UNWIND_NONE ? unwind_none : rule_unpack(packed);
	return 1;
}

void unwind_single_waited(struct unwind_single *s)
{
	spend(s, WAIT_COST);
}

void unwind_single_renew(struct unwind_single *s)
{
	s->left = s->eh.size + LOOKUPS_LEAST * LOOKUP_COST;
}

int unwind_single_function(struct unwind_single *s, uint64_t address,
			   const struct unwind_file *file, uint64_t *start)
{
	struct asking a = { s, file, address };
	const struct single_function *f;
	int found = find_function(&a, &f);

	if (found > 0)
		*start = f->fde.start;
	return found;
}

int unwind_single_visit(struct unwind_single *s, uint64_t address,
			const struct unwind_file *file, unwind_visit *visit,
			void *visit_arg)
{
	struct asking a = { s, file, address };
	struct cfi_run run = { .columns = &s->columns };
	const struct single_function *f;
	int found = find_function(&a, &f);

	if (found <= 0)
		return found;
	run.section = &f->piece;
	cfi_run_begin(&run, f->cie, f->cie->initial, &f->fde);
	unwind_rows_visit(&run, visit, visit_arg);
	cfi_run_release(&run);
	return run.no_memory ? -ENOMEM : found;
}

int unwind_single_rows(struct unwind_single *s, uint32_t i,
		       const struct unwind_file *file, unwind_visit *visit,
		       void *visit_arg)
{
	struct asking a = { s, file, 0 };
	struct single_function f = { 0 };
	struct cfi_run run = { .columns = &s->columns, .section = &f.piece };
	uint32_t count = i + 1 < s->count ? 2 : 1; /* it and the next one */
	uint8_t pairs[2 * PAIR], room[FIRST_READ];
	struct pair pair = { 0 };
	int found;

	if (i >= s->count || !read_pairs(&a, i, count, pairs))
		return 0;
	pair.start = counted(s, pair_number(pairs, 0));
	pair.entry = counted(s, pair_number(pairs, 4)) - s->eh.address;
	if (count > 1)
		pair.next = counted(s, pair_number(pairs + PAIR, 0));
	found = read_single_entry(&a, pair.entry, room, &f.piece);
	if (found > 0)
		found = take_function(&a, &pair, &f);
	/* Of all functions, each once, there are so many bytes. */
	if (found > 0 && spend(s, f.piece.size)) {
		cfi_run_begin(&run, f.cie, f.cie->initial, &f.fde);
		unwind_rows_visit(&run, visit, visit_arg);
		if (run.no_memory)
			found = -ENOMEM;
		cfi_run_release(&run);
	}
	cfi_section_release(&f.piece);
	return found;
}
