/*
 * Entries of .eh_frame and .debug_frame, read from their bytes one after another: CIEs,
 * which have what functions share, and FDEs, one a function (DWARF 5, 6.4.1; LSB 5.0,
 * 10.6.1 has what .eh_frame does otherwise). A CIE is read once and found again by its
 * offset. A length, a count or a pointer that leads out of the section ends the entry,
 * not the section.
 */
#include "cfi/entry.h"

#include <errno.h>

#include "cfi/pointer.h"

/* Bytes of one function. A full step runs them all; of thousands of libraries the largest
 * has 60,755. */
enum { MOST_INSTRUCTIONS = 1 << 20 };

#define CIE_BAD UINT32_MAX

void cfi_reader_open(struct cfi_reader *ret, const struct cfi_columns *columns,
		     const struct cfi_section *section)
{
	*ret = (struct cfi_reader){
		.run = { .columns = columns, .section = section },
		.c = cursor_of(section->bytes, section->size),
		.work = section->size,
	};
}

void cfi_reader_release(struct cfi_reader *r)
{
	cfi_run_release(&r->run);
	array_release(&r->cies);
	hash_map_release(&r->by_offset);
}

/* An entry without its length. */
struct frame_entry {
	struct cursor c; /* behind the id */
	uint64_t id; /* of a CIE: where that begins in the section */
	bool cie;
};

static uint64_t offset_in(const struct cfi_section *s, const uint8_t *p)
{
	return (uint64_t)(p - s->bytes);
}

/*
 * The length, 4 bytes or 0xffffffff and 8, then the id. In .eh_frame the id has 4 bytes
 * after a long length too, and says how far back the CIE is. False at the end, which is
 * a length that cannot be, or 0 where nothing else says where the end is.
 */
static bool entry_next(const struct cfi_section *s, struct cursor *c,
		       struct frame_entry *ret)
{
	uint64_t length = cursor_u32(c), at;
	bool wide = length == UINT32_MAX;

	if (wide)
		length = cursor_u64(c);
	if (c->bad || length > cursor_left(c) || (length == 0 && s->terminated))
		return false;
	ret->c = cursor_of(c->p, length);
	cursor_bytes(c, length);
	at = offset_in(s, ret->c.p);
	wide = wide && !s->eh;
	ret->id = wide ? cursor_u64(&ret->c) : cursor_u32(&ret->c);
	if (s->eh) {
		ret->cie = ret->id == 0;
		ret->id = at - ret->id;
	} else {
		ret->cie = ret->id == (wide ? UINT64_MAX : UINT32_MAX);
	}
	return true;
}

/* False for a letter that nobody knows. */
static bool read_letter(struct cfi_cie *cie, struct cursor *c,
			const struct cfi_section *s, char letter)
{
	uint8_t encoding, form;

	switch (letter) {
	case 'R':
		cie->encoding = cursor_u8(c);
		return true;
	case 'P': /* a personality routine, of which only the size matters */
		encoding = cursor_u8(c);
		if (encoding == DW_EH_PE_omit)
			return true;
		if ((encoding & 0x70) == DW_EH_PE_aligned)
			cursor_bytes(c,
				     -(s->address + offset_in(s, c->p)) & (s->word - 1u));
		read_number(c, encoding, s->word);
		return true;
	case 'L': /* a pointer in each FDE, for exceptions too */
		form = cursor_u8(c) & 0x07;
		/* 0 for one whose size differs from pointer to pointer. */
		cie->unsized = 0;
		if (form == DW_EH_PE_absptr)
			cie->unsized = s->word;
		else if (form >= DW_EH_PE_udata2 && form <= DW_EH_PE_udata8)
			cie->unsized = (uint8_t)(1u << (form - 1));
		return cie->sized || cie->unsized > 0;
	case 'S':
		cie->signal = true;
		return true;
	case 'B': /* aarch64: return addresses are signed with the other key */
	case 'G': /* aarch64: memory tags */
		return true;
	default:
		return false;
	}
}

static void decode_cie(struct cfi_run *run, struct cursor c, struct cfi_cie *cie)
{
	const struct cfi_section *s = run->section;
	uint8_t version = cursor_u8(&c);
	size_t length = strnlen((const char *)c.p, cursor_left(&c));
	const char *letters = cursor_bytes(&c, length + 1);
	struct cursor data;
	uint64_t size;

	*cie = (struct cfi_cie){ .bad = true, .address_size = s->word };
	if (!letters || (version != 1 && version != 3 && version != 4))
		return;
	if (version == 4) {
		cie->address_size = cursor_u8(&c);
		cie->segment_size = cursor_u8(&c);
	}
	if (strcmp(letters, "eh") == 0) { /* gcc 2: a pointer for exceptions */
		cursor_bytes(&c, cie->address_size);
		letters = "";
	}
	cie->code_align = read_uleb(&c);
	cie->data_align = read_sleb(&c);
	cie->ra = version == 1 ? cursor_u8(&c) : read_uleb(&c);
	/* The data behind the letters. With a size in front ('z') unknown ones do no harm. */
	if (letters[0] == 'z') {
		cie->sized = true;
		size = read_uleb(&c);
		data = cursor_of(c.p, size <= cursor_left(&c) ? size : 0);
		if (cursor_bytes(&c, size)) {
			do
				letters++;
			while (*letters && read_letter(cie, &data, s, *letters));
			c.bad = data.bad;
		}
	} else {
		for (; *letters; letters++)
			if (!read_letter(cie, &c, s, *letters))
				c.bad = true;
	}
	cie->bad = c.bad || (cie->address_size != 4 && cie->address_size != 8);
	cie->at = (uint32_t)offset_in(s, c.p);
	cie->size = (uint32_t)cursor_left(&c);
	if (cie->size > MOST_INSTRUCTIONS)
		cie->bad = true;
	if (!cie->bad)
		cie->bad = !cfi_run_initial(run, cie, cie->initial);
}

/* The CIE at @offset of the section. NULL without memory. One that cannot be used takes no place
 * in the list: a hostile file has millions. */
static const struct cfi_cie *cie_at(struct cfi_reader *r, uint64_t offset)
{
	static const struct cfi_cie bad = { .bad = true };
	const struct cfi_section *s = r->run.section;
	struct cursor c = cursor_of(s->bytes, s->size);
	struct cfi_cie cie, *added;
	struct frame_entry entry;
	uint32_t *known;

	if (r->has_last && offset == r->last_offset)
		goto out;
	known = hash_map_get(&r->by_offset, offset);
	if (known) {
		r->last_cie = *known;
		goto found;
	}
	cie.bad = true;
	cursor_bytes(&c, offset);
	if (!c.bad && entry_next(s, &c, &entry) && entry.cie &&
	    cursor_left(&entry.c) <= r->work) {
		r->work -= cursor_left(&entry.c);
		decode_cie(&r->run, entry.c, &cie);
	}
	if (r->run.no_memory)
		return NULL;
	r->last_cie = cie.bad ? CIE_BAD : (uint32_t)r->cies.count;
	if (!hash_map_set(&r->by_offset, offset, r->last_cie))
		return NULL;
	if (!cie.bad) {
		added = array_add(&r->cies);
		if (!added)
			return NULL;
		*added = cie;
	}
found:
	r->has_last = true;
	r->last_offset = offset;
out:
	return r->last_cie == CIE_BAD ? &bad : &r->cies.v[r->last_cie];
}

static bool read_fde(const struct cfi_section *s, const struct cfi_cie *cie,
		     struct cursor c, struct cfi_fde *ret)
{
	uint64_t size;

	if (cie->bad)
		return false;
	if (s->eh) {
		if (!read_pointer(&c, cie->encoding, s, &ret->start))
			return false;
		size = read_number(&c, cie->encoding, s->word);
	} else { /* plain numbers of the size that the CIE says */
		cursor_bytes(&c, cie->segment_size);
		ret->start = read_sized(&c, cie->address_size);
		size = read_sized(&c, cie->address_size);
	}
	ret->end = ret->start + size;
	if (c.bad || ret->end < ret->start)
		return false;
	cursor_bytes(&c, cie->sized ? read_uleb(&c) : cie->unsized);
	ret->at = (uint32_t)offset_in(s, c.p);
	ret->size = (uint32_t)cursor_left(&c);
	return !c.bad && ret->size <= MOST_INSTRUCTIONS;
}

int cfi_reader_next(struct cfi_reader *r, struct cfi_fde *ret)
{
	const struct cfi_section *s = r->run.section;
	const struct cfi_cie *cie;
	struct frame_entry entry;

	while (cursor_left(&r->c) > 0 && entry_next(s, &r->c, &entry)) {
		if (entry.cie || entry.c.bad)
			continue;
		cie = cie_at(r, entry.id);
		if (!cie)
			return -ENOMEM;
		if (!read_fde(s, cie, entry.c, ret)) {
			r->refused++;
			continue;
		}
		if (ret->start == 0 || ret->end == ret->start)
			continue;
		ret->cie = r->last_cie;
		return 1;
	}
	return 0;
}

uint64_t cfi_piece_size(const struct cfi_section *piece)
{
	struct cursor c = cursor_of(piece->bytes, piece->size);
	uint64_t length = cursor_u32(&c);

	if (length == UINT32_MAX)
		length = cursor_u64(&c);
	length += (uint64_t)(c.p - piece->bytes);
	return c.bad ? 0 : length;
}

bool cfi_piece_parent(const struct cfi_section *piece, uint64_t *ret)
{
	struct cursor c = cursor_of(piece->bytes, piece->size);
	struct frame_entry entry;

	if (!entry_next(piece, &c, &entry) || entry.cie || entry.c.bad)
		return false;
	*ret = entry.id;
	return true;
}

bool cfi_piece_cie(struct cfi_run *run, struct cfi_cie *ret)
{
	struct cursor c = cursor_of(run->section->bytes, run->section->size);
	struct frame_entry entry;

	if (!entry_next(run->section, &c, &entry) || !entry.cie || entry.c.bad)
		return false;
	decode_cie(run, entry.c, ret);
	return !ret->bad;
}

bool cfi_piece_fde(const struct cfi_section *piece, const struct cfi_cie *cie,
		   struct cfi_fde *ret)
{
	struct cursor c = cursor_of(piece->bytes, piece->size);
	struct frame_entry entry;

	ret->cie = 0;
	return entry_next(piece, &c, &entry) && !entry.cie && !entry.c.bad &&
	       read_fde(piece, cie, entry.c, ret) && ret->start != 0;
}
