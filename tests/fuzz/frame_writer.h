#ifndef FUZZ_FRAME_WRITER_H
#define FUZZ_FRAME_WRITER_H

/*
 * Call frame information being written (DWARF 5, 6.4; LSB 5.0, 10.6): functions with rules by all
 * instructions that there are, in .eh_frame and in .debug_frame.
 */
#include "dwarf_writer.h"
#include "line_writer.h"

/* How functions of a CIE give addresses. */
struct frame_form {
	size_t cie; /* where it begins */
	const char *letters;
	uint8_t encoding, size; /* 0: a LEB128 */
	bool eh;
};

static inline uint64_t frame_register(struct numbers *n)
{
	static const uint8_t registers[] = { 7, 7, 7, 6, 6, 16, 16, 3, 12, 0, 17, 63 };

	return number_below(n, 16) ? registers[number_below(n, sizeof(registers))]
				   : number_odd(n);
}

static inline uint64_t frame_number(struct numbers *n)
{
	return number_below(n, 16) ? number_below(n, 64) : number_odd(n);
}

/* Operations of DWARF expressions, with operands as below; at random, after one value. */
static inline void put_expression(struct bytes *b, struct numbers *n)
{
	static const uint8_t plt[] = { DW_OP_breg7, 8,	       DW_OP_breg16, 0,
				       DW_OP_lit15, DW_OP_and, DW_OP_lit11,  DW_OP_ge,
				       DW_OP_lit3,  DW_OP_shl, DW_OP_plus };
	static const uint8_t common[] = { DW_OP_deref, DW_OP_breg6, DW_OP_breg7,
					  DW_OP_lit8,  DW_OP_plus,  DW_OP_plus_uconst };
	struct bytes e = { 0 };

	if (number_below(n, 4) == 0)
		bytes_add(&e, plt, sizeof(plt));
	else
		put_bytes(&e, DW_OP_breg6 | number_below(n, 0x80) << 8, 2);
	for (uint64_t i = number_below(n, 6); i > 0; i--) {
		bytes_u8(&e, number_below(n, 3) ? common[number_below(n, sizeof(common))]
						: (uint8_t)number_next(n));
		if (number_below(n, 2))
			put_signed(&e, (int64_t)frame_number(n));
	}
	fuzz_check(!e.failed, "memory");
	bytes_varint(b, e.count);
	bytes_add(b, e.v, e.count);
	bytes_release(&e);
}

/* r: a register; u, s: a number, without and with a sign; e: an expression; 1, 2, 4, 8: bytes
 * of a distance. */
static inline void put_operand(struct bytes *b, char kind, struct numbers *n)
{
	switch (kind) {
	case 'r':
		bytes_varint(b, frame_register(n));
		break;
	case 'u':
		bytes_varint(b, frame_number(n));
		break;
	case 's':
		put_signed(b, (int64_t)frame_number(n) - 32);
		break;
	case 'e':
		put_expression(b, n);
		break;
	default:
		put_bytes(b, number_below(n, 12) ? number_below(n, 24) : number_odd(n),
			  (unsigned)(kind - '0'));
	}
}

static inline void put_instruction(struct bytes *b, struct numbers *n)
{
	static const struct {
		uint8_t code;
		char operands[3];
	} all[] = {
		{ DW_CFA_nop, "" },
		{ DW_CFA_advance_loc1, "1" },
		{ DW_CFA_advance_loc2, "2" },
		{ DW_CFA_advance_loc4, "4" },
		{ 0x1d, "8" }, /* DW_CFA_MIPS_advance_loc8 */
		{ DW_CFA_set_loc, "8" },
		{ DW_CFA_offset_extended, "ru" },
		{ DW_CFA_offset_extended_sf, "rs" },
		{ DW_CFA_GNU_negative_offset_extended, "ru" },
		{ DW_CFA_val_offset, "ru" },
		{ DW_CFA_val_offset_sf, "rs" },
		{ DW_CFA_expression, "re" },
		{ DW_CFA_val_expression, "re" },
		{ DW_CFA_restore_extended, "r" },
		{ DW_CFA_undefined, "r" },
		{ DW_CFA_same_value, "r" },
		{ DW_CFA_register, "rr" },
		{ DW_CFA_remember_state, "" },
		{ DW_CFA_remember_state, "" },
		{ DW_CFA_restore_state, "" },
		{ DW_CFA_def_cfa, "ru" },
		{ DW_CFA_def_cfa_sf, "rs" },
		{ DW_CFA_def_cfa_register, "r" },
		{ DW_CFA_def_cfa_offset, "u" },
		{ DW_CFA_def_cfa_offset_sf, "s" },
		{ DW_CFA_def_cfa_expression, "e" },
		{ DW_CFA_GNU_args_size, "u" },
	};
	static const uint8_t short_ones[] = { DW_CFA_advance_loc | 1,
					      DW_CFA_advance_loc | 8, DW_CFA_restore | 6,
					      DW_CFA_offset | 6 };
	size_t i = number_below(n, sizeof(all) / sizeof(*all) * 2);

	if (i >= sizeof(all) / sizeof(*all)) {
		bytes_u8(b, short_ones[i % 4]);
		if (i % 4 == 3)
			bytes_varint(b, frame_number(n));
		return;
	}
	bytes_u8(b, all[i].code);
	for (const char *kind = all[i].operands; *kind; kind++)
		put_operand(b, *kind, n);
}

/* Of what begins at @start, whose length counts from there. */
static inline void end_entry(struct debug_writer *d, struct bytes *b, size_t start)
{
	while ((b->count - start) % 4)
		bytes_u8(b, DW_CFA_nop);
	end_length(d, b, start);
}

static inline struct bytes *frames_of(struct debug_writer *d, const struct frame_form *f)
{
	return &d->object.sections[f->eh ? EH_FRAME : DEBUG_FRAME];
}

/* Behind the instructions that compilers begin with one more, or not. */
static inline void put_cie(struct debug_writer *d, struct frame_form *f,
			   struct numbers *n)
{
	static const char *const letters[] = { "zR",  "zR", "zPLR", "zRS",
					       "zRB", "",   "zRX",  "R" };
	static const uint8_t encodings[][2] = { { DW_EH_PE_absptr, 8 },
						{ DW_EH_PE_udata4, 4 },
						{ DW_EH_PE_pcrel | DW_EH_PE_sdata4, 4 },
						{ DW_EH_PE_pcrel | DW_EH_PE_sdata8, 8 },
						{ DW_EH_PE_pcrel | DW_EH_PE_sdata2, 2 },
						{ DW_EH_PE_uleb128, 0 } };
	static const int8_t aligns[] = { -8, -8, -8, -4, 8, 1, -1, 0 };
	static const uint8_t begin[] = { DW_CFA_def_cfa, 7, 8, DW_CFA_offset | 16, 1 };
	const uint8_t *encoding = encodings[number_below(n, 6)];
	unsigned version = (unsigned)number_below(n, 3);
	struct bytes *b = frames_of(d, f);
	size_t start;

	f->cie = b->count;
	f->letters = f->eh ? letters[number_below(n, 8)] : "";
	f->encoding = strchr(f->letters, 'R') ? encoding[0] : DW_EH_PE_absptr;
	f->size = f->encoding == encoding[0] ? encoding[1] : 8;
	start = begin_length(d, b);
	put_bytes(b, f->eh ? 0 : UINT64_MAX, f->eh ? 4 : offset_size(d));
	version = version == 0 ? 1 : 2 + version;
	bytes_u8(b, (uint8_t)version);
	put_text(b, f->letters);
	if (version == 4)
		put_bytes(b, 8, 2);
	bytes_u8(b, number_below(n, 8) ? 1 : (uint8_t)number_below(n, 5));
	put_signed(b, aligns[number_below(n, 8)]);
	bytes_u8(b, number_below(n, 8) ? 16 : (uint8_t)number_below(n, 20));
	if (f->letters[0] == 'z')
		bytes_u8(b, f->letters[1] == 'P' ? 7 : strchr(f->letters, 'X') ? 2 : 1);
	if (f->letters[0] == 'z' && f->letters[1] == 'P') {
		put_bytes(b, DW_EH_PE_udata4, 1 + 4);
		bytes_u8(b, DW_EH_PE_udata4); /* of what 'L' adds to functions */
	}
	if (strchr(f->letters, 'R'))
		bytes_u8(b, f->encoding);
	if (strchr(f->letters, 'X'))
		bytes_u8(b, 0);
	bytes_add(b, begin, sizeof(begin));
	if (number_below(n, 4) == 0)
		put_instruction(b, n);
	end_entry(d, b, start);
}

static inline void put_frame_address(struct bytes *b, const struct frame_form *f,
				     uint64_t value)
{
	if (f->size)
		put_bytes(b, value, f->size);
	else
		bytes_varint(b, value);
}

/* A function with its rules. @f->letters is NULL where there is no CIE yet. */
static inline void put_frame(struct debug_writer *d, struct frame_form *f,
			     const struct span_written *span, struct numbers *n)
{
	struct bytes *b = frames_of(d, f);
	size_t start, id;

	if (!f->letters || number_below(n, 4) == 0)
		put_cie(d, f, n);
	start = begin_length(d, b);
	id = b->count;
	if (f->eh)
		put_bytes(b, id - f->cie, 4);
	else
		put_offset(d, b, f->cie);
	put_frame_address(b, f,
			  span->start -
				  (f->encoding & DW_EH_PE_pcrel ? FRAMES + b->count : 0));
	put_frame_address(b, f, span->end - span->start);
	if (f->letters[0] == 'z') {
		bytes_u8(b, f->letters[1] == 'P' ? 4 : 0);
		put_bytes(b, 0, f->letters[1] == 'P' ? 4 : 0);
	}
	for (uint64_t i = number_below(n, 20); i > 0; i--)
		put_instruction(b, n);
	end_entry(d, b, start);
}

#endif
