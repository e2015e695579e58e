#ifndef FUZZ_LINE_WRITER_H
#define FUZZ_LINE_WRITER_H

/*
 * Line programs being written, of versions 2 to 5 (DWARF 5, 6.2): sequences of rows, each by one
 * of the ways to come to it, with what readers have to step over between them.
 */
#include "dwarf_writer.h"

struct row_written {
	uint32_t file, line;
};

/* Of the files with these numbers; before version 5 there is no number 0. */
enum { LINE_FILES = 4 };
static const char *const line_paths[LINE_FILES] = { "/src/unit.c", "/src/unit.c",
						    "/src/inc/inline.h", "/abs/x.h" };

struct line_writer {
	struct debug_writer *d;
	struct bytes *b;
	struct numbers numbers;
	size_t start; /* behind the length */
	uint8_t instruction, operations, range, opcodes;
	int8_t base;
	/* What a reader knows by now. */
	uint64_t address;
	uint32_t file, line;
};

static inline void put_signed(struct bytes *b, int64_t value)
{
	for (; value < -0x40 || value >= 0x40; value >>= 7)
		bytes_u8(b, (uint8_t)(value | 0x80));
	bytes_u8(b, (uint8_t)value & 0x7f);
}

static inline void put_plain_tables(struct bytes *b)
{
	static const char tables[] = "inc\0\0"
				     "unit.c\0\0\0\0"
				     "inline.h\0\1\2\3"
				     "/abs/x.h\0\1\0\0";

	bytes_add(b, tables, sizeof(tables)); /* with the last zero */
}

static inline void put_table_text(struct line_writer *w, unsigned form, const char *text)
{
	struct bytes *to = section_of(w->d, form == DW_FORM_strp ? STR : LINE_STR);

	if (form == DW_FORM_string) {
		put_text(w->b, text);
		return;
	}
	put_offset(w->d, w->b, to->count);
	put_text(to, text);
}

/* Tables that say what is in them. */
static inline void put_described_tables(struct line_writer *w)
{
	static const unsigned forms[] = { DW_FORM_string, DW_FORM_line_strp,
					  DW_FORM_strp };
	static const char *const files[LINE_FILES] = { "unit.c", "unit.c", "inline.h",
						       "/abs/x.h" };
	unsigned form = forms[number_below(&w->numbers, 3)];
	bool sum = number_below(&w->numbers, 2), wide = number_below(&w->numbers, 2);

	put_bytes(w->b, 1 | DW_LNCT_path << 8 | form << 16, 3);
	bytes_u8(w->b, 2);
	put_table_text(w, form, "/src");
	put_table_text(w, form, "inc");
	bytes_u8(w->b, sum ? 3 : 2);
	put_bytes(w->b, DW_LNCT_path | form << 8, 2);
	if (sum)
		put_bytes(w->b, DW_LNCT_MD5 | DW_FORM_data16 << 8, 2);
	put_bytes(w->b,
		  DW_LNCT_directory_index | (wide ? DW_FORM_data2 : DW_FORM_udata) << 8,
		  2);
	bytes_u8(w->b, LINE_FILES);
	for (unsigned i = 0; i < LINE_FILES; i++) {
		put_table_text(w, form, files[i]);
		put_bytes(w->b, 0, sum ? 16 : 0);
		put_bytes(w->b, i == 2, wide ? 2 : 1);
	}
}

/* Opcodes above the standard ones are of nobody, and have 2, 0 and 1 operands. */
static inline void put_line_head(struct line_writer *w)
{
	static const uint8_t operands[] = { 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1, 2, 0, 1 };
	unsigned version = w->d->version;
	size_t start;

	put_bytes(w->b, version, 2);
	if (version == 5)
		put_bytes(w->b, 8, 2);
	put_offset(w->d, w->b, 0);
	start = w->b->count;
	bytes_u8(w->b, w->instruction);
	if (version >= 4)
		bytes_u8(w->b, w->operations);
	bytes_u8(w->b, 1);
	bytes_u8(w->b, (uint8_t)w->base);
	bytes_u8(w->b, w->range);
	bytes_u8(w->b, w->opcodes);
	bytes_add(w->b, operands, w->opcodes - 1u);
	if (version == 5)
		put_described_tables(w);
	else
		put_plain_tables(w->b);
	end_length(w->d, w->b, start);
}

/* In the object; sequences follow. */
static inline void begin_lines(struct line_writer *w, struct debug_writer *d,
			       struct numbers numbers)
{
	static const uint8_t instructions[] = { 1, 1, 2, 4, 8 };
	static const uint8_t opcodes[] = { 10, 13, 13, 16 };

	d->to = &d->object;
	*w = (struct line_writer){ .d = d, .b = section_of(d, LINE), .numbers = numbers };
	w->instruction = instructions[number_below(&w->numbers, 5)];
	w->operations =
		d->version >= 4 ? 1 + (uint8_t)number_below(&w->numbers, 4) / 3 * 3 : 1;
	w->range = 1 + (uint8_t)number_below(&w->numbers, 20);
	w->base = (int8_t)(-(int)number_below(&w->numbers, 8));
	w->opcodes = opcodes[number_below(&w->numbers, 4)];
	w->start = begin_length(d, w->b);
	put_line_head(w);
}

static inline void end_lines(struct line_writer *w)
{
	end_length(w->d, w->b, w->start);
}

static inline void put_extended(struct line_writer *w, uint8_t opcode, uint64_t operand,
				unsigned size)
{
	bytes_u8(w->b, 0);
	bytes_varint(w->b, size + 1);
	bytes_u8(w->b, opcode);
	put_bytes(w->b, operand, size);
}

/* What changes nothing that is asked for. */
static inline void put_other(struct line_writer *w)
{
	uint8_t opcode = 5 + (uint8_t)number_below(&w->numbers, 14);

	if (opcode >= 16) {
		put_extended(w, opcode == 16 ? DW_LNE_set_discriminator : 0x80,
			     number_next(&w->numbers) & 0x7f,
			     opcode == 16 ? 1 : (unsigned)number_below(&w->numbers, 9));
	} else if (opcode < w->opcodes && opcode != DW_LNS_const_add_pc &&
		   opcode != DW_LNS_fixed_advance_pc) {
		bytes_u8(w->b, opcode);
		if (opcode == DW_LNS_set_column || opcode == DW_LNS_set_isa ||
		    opcode == 13 || opcode == 15)
			bytes_varint(w->b, number_odd(&w->numbers));
		if (opcode == 13)
			bytes_varint(w->b, number_next(&w->numbers));
	}
}

/* The address, by any of the opcodes that set or change it. */
static inline void put_address(struct line_writer *w, uint64_t address)
{
	uint64_t bytes = address - w->address;
	uint64_t operations = bytes / w->instruction * w->operations;
	uint64_t added = (255u - w->opcodes) / w->range;

	switch (address < w->address || bytes > UINT16_MAX
			? 0
			: number_below(&w->numbers, 4)) {
	case 0:
		put_extended(w, DW_LNE_set_address, address, 8);
		break;
	case 1:
		bytes_u8(w->b, DW_LNS_fixed_advance_pc);
		put_bytes(w->b, bytes, 2);
		break;
	case 2:
		for (; added > 0 && operations >= added; operations -= added)
			bytes_u8(w->b, DW_LNS_const_add_pc);
		/* Fallthrough. */
	default:
		bytes_u8(w->b, DW_LNS_advance_pc);
		bytes_varint(w->b, operations);
	}
	w->address = address;
}

/* One opcode for both, where they are small enough. */
static inline bool put_special(struct line_writer *w, uint64_t address, uint32_t line)
{
	uint64_t operations =
		(address - w->address) / w->instruction * (uint64_t)w->operations;
	int64_t lines = (int64_t)line - w->line - w->base;

	if (address < w->address || lines < 0 || lines >= w->range ||
	    operations > (255u - w->opcodes - (unsigned)lines) / w->range ||
	    lines > 255 - w->opcodes)
		return false;
	bytes_u8(w->b, (uint8_t)((unsigned)lines + w->range * operations + w->opcodes));
	w->address = address;
	w->line = line;
	return true;
}

static inline void put_row(struct line_writer *w, uint64_t address,
			   const struct row_written *row)
{
	if (number_below(&w->numbers, 4) == 0)
		put_other(w);
	if (row->file != w->file) {
		bytes_u8(w->b, DW_LNS_set_file);
		bytes_varint(w->b, row->file);
		w->file = row->file;
	}
	if (number_below(&w->numbers, 2) && put_special(w, address, row->line))
		return;
	put_address(w, address);
	if (row->line != w->line) {
		bytes_u8(w->b, DW_LNS_advance_line);
		put_signed(w->b, (int64_t)row->line - w->line);
		w->line = row->line;
	}
	bytes_u8(w->b, DW_LNS_copy);
}

/* A row for each @step bytes; the last one ends behind them. */
static inline void put_sequence(struct line_writer *w, uint64_t address, uint64_t step,
				const struct row_written *rows, unsigned count)
{
	w->address = 0;
	w->file = w->line = 1;
	for (unsigned i = 0; i < count; i++)
		if (i == 0 || rows[i].line != rows[i - 1].line ||
		    rows[i].file != rows[i - 1].file || number_below(&w->numbers, 2))
			put_row(w, address + i * step, &rows[i]);
	put_address(w, address + count * step);
	put_extended(w, DW_LNE_end_sequence, 0, 0);
}

#endif
