/*
 * The state machine of DWARF 5, 6.2.2, run beside a sorted list of addresses. A row
 * holds up to the next one of its sequence, so each row gives its line to the addresses
 * from its own to that one. Rows of a sequence ascend: the position in the list moves
 * along, and a bisection finds it only where a sequence begins or goes back. That costs
 * O(instructions + sequences * log addresses + lines given); the meter bounds it.
 *
 * The tables of directories and files have two forms: strings and numbers before version
 * 5 (DWARF 4, 6.2.4), entries that the head describes since (DWARF 5, 6.2.4.1). Their
 * names stay in the image, and a path is put together only when it is asked for.
 */
#include "dwarf/line_program.h"

#include <dwarf.h>
#include <string.h>

#include "base/encoded.h"

enum {
	MOST_FORMATS = 16, /* fields of an entry in a table; real ones have 3 */
	INSTRUCTIONS_A_STEP = 8,
	ADDRESSES_A_STEP = 16,
	MOST_DIRECTORY = 4096,
	TABLE_BYTES_A_STEP = 64,
	/* Of a program; units of browsers have some thousands. */
	MOST_FILES = 1 << 20,
};

/* The head up to the tables (DWARF 5, 6.2.4). @c ends where the program ends. */
static bool read_line_header(struct line_program *p, struct cursor *c)
{
	struct line_head *h = &p->head;
	uint64_t length = cursor_u32(c);

	h->offset_size = 4;
	if (length == UINT32_MAX) {
		length = cursor_u64(c);
		h->offset_size = 8;
	}
	if (c->bad || length > cursor_left(c))
		return false;
	c->end = c->p + length;
	h->version = cursor_u16(c);
	if (h->version >= 5) {
		h->address_size = cursor_u8(c);
		cursor_u8(c); /* size of a segment selector */
	}
	length = read_sized(c, h->offset_size);
	if (c->bad || length > cursor_left(c) || h->version < 2 || h->version > 5)
		return false;
	p->code = *c;
	p->code.p += length;
	c->end = p->code.p;
	h->instruction = cursor_u8(c);
	h->operations = h->version >= 4 ? cursor_u8(c) : 1;
	cursor_u8(c); /* whether lines begin as statements */
	h->line_base = (int8_t)cursor_u8(c);
	h->line_range = cursor_u8(c);
	h->opcode_base = cursor_u8(c);
	if (h->operations == 0 || h->line_range == 0 || h->opcode_base == 0)
		return false;
	h->operands = cursor_bytes(c, h->opcode_base - 1u);
	return !c->bad;
}

/* NULL: no more of them. */
static const char *next_string(struct cursor *c)
{
	const char *text = (const char *)c->p;
	const char *zero = memchr(text, 0, cursor_left(c));

	if (!zero) {
		c->bad = true;
		return NULL;
	}
	c->p += zero + 1 - text;
	return zero > text ? text : NULL;
}

static bool add_directory(struct line_program *p, const char *name)
{
	const char **slot =
		p->directories.count < MOST_FILES ? array_add(&p->directories) : NULL;

	if (slot)
		*slot = name;
	return slot;
}

static bool add_line_file(struct line_program *p, const char *name, uint64_t directory)
{
	struct line_file *file =
		p->files.count < MOST_FILES ? array_add(&p->files) : NULL;

	if (file)
		*file = (struct line_file){ name, directory < UINT32_MAX
							  ? (uint32_t)directory
							  : UINT32_MAX };
	return file;
}

static const char *string_at(const struct line_program *p, enum debug_section section,
			     uint64_t offset)
{
	const struct debug_bytes *bytes = &p->image->sections[section];

	/* There are zeros behind the section. */
	return offset < bytes->size ? (const char *)bytes->p + offset : NULL;
}

/* A field of an entry: a number or a text; what is not known to be one is passed over. */
static void read_field(const struct line_program *p, struct cursor *c, uint64_t form,
		       uint64_t *number, const char **text)
{
	switch (form) {
	case DW_FORM_string:
		*text = next_string(c);
		break;
	case DW_FORM_line_strp:
		*text = string_at(p, DEBUG_LINE_STR, read_sized(c, p->head.offset_size));
		break;
	case DW_FORM_strp:
		*text = string_at(p, DEBUG_STR, read_sized(c, p->head.offset_size));
		break;
	case DW_FORM_udata:
		*number = read_uleb(c);
		break;
	case DW_FORM_data1:
		*number = cursor_u8(c);
		break;
	case DW_FORM_data2:
		*number = cursor_u16(c);
		break;
	case DW_FORM_data4:
		*number = cursor_u32(c);
		break;
	case DW_FORM_data8:
		*number = cursor_u64(c);
		break;
	case DW_FORM_data16:
		cursor_bytes(c, 16);
		break;
	case DW_FORM_block:
		cursor_bytes(c, read_uleb(c));
		break;
	default:
		c->bad = true;
	}
}

/* Of version 5: tables that say what is in them; files from number 0 on.
 *
 *	| fields | content, form | content, form | entries | path, directory | ...
 */
static bool read_described_tables(struct line_program *p, struct cursor *c)
{
	for (int table = 0; table < 2; table++) {
		struct {
			uint64_t content, form;
		} fields[MOST_FORMATS];
		uint8_t field_count = cursor_u8(c);
		uint64_t count;

		if (field_count > MOST_FORMATS)
			return false;
		for (uint8_t i = 0; i < field_count; i++) {
			fields[i].content = read_uleb(c);
			fields[i].form = read_uleb(c);
		}
		count = read_uleb(c);
		/* Entries have at least a byte; without that there could be any number. */
		if (c->bad || count > cursor_left(c) || (count && field_count == 0))
			return false;
		for (uint64_t i = 0; i < count && !c->bad; i++) {
			const char *name = NULL;
			uint64_t directory = 0;

			for (uint8_t k = 0; k < field_count; k++) {
				uint64_t number = 0;
				const char *text = NULL;

				read_field(p, c, fields[k].form, &number, &text);
				if (fields[k].content == DW_LNCT_path)
					name = text;
				else if (fields[k].content == DW_LNCT_directory_index)
					directory = number;
			}
			if (table == 0 ? !add_directory(p, name)
				       : !add_line_file(p, name, directory))
				return false;
		}
	}
	return !c->bad;
}

bool line_program_read(struct line_program *p, const struct debug_image *image,
		       uint64_t offset, const char *directory, uint8_t address_size)
{
	const struct debug_bytes *bytes = &image->sections[DEBUG_LINE];
	const char *name;
	struct cursor c;

	p->image = image;
	p->directories.count = p->files.count = 0;
	p->code = cursor_of(NULL, 0);
	p->tables = 0;
	p->head = (struct line_head){ .address_size = address_size };
	if (offset >= bytes->size)
		return false;
	c = cursor_of(bytes->p + offset, bytes->size - offset);
	c.swap = image->swapped;
	if (!read_line_header(p, &c))
		return false;
	p->tables = (uint64_t)(p->code.p - bytes->p) - offset;
	if (p->head.version >= 5)
		return read_described_tables(p, &c);
	/* Before that: strings up to an empty one; files from number 1 on. */
	if (!add_directory(p, directory) || !add_line_file(p, NULL, 0))
		return false;
	while ((name = next_string(&c)))
		if (!add_directory(p, name))
			return false;
	while (!c.bad && (name = next_string(&c))) {
		uint64_t number = read_uleb(&c);

		read_uleb(&c); /* time */
		read_uleb(&c); /* size */
		if (!add_line_file(p, name, number))
			return false;
	}
	return !c.bad;
}

void line_program_release(struct line_program *p)
{
	array_release(&p->directories);
	array_release(&p->files);
}

uint64_t line_program_steps(const struct line_program *p)
{
	return p->files.count + p->directories.count + p->tables / TABLE_BYTES_A_STEP;
}

/* The machine that a program runs on (DWARF 5, 6.2.2), and what it is run for. */
struct line_machine {
	const struct line_head *head;
	struct cursor c;
	uint64_t address;
	unsigned operation; /* in the instruction */
	uint64_t file, line;
	uint64_t first_code;
	bool dropped; /* the sequence is of a function that a linker dropped */
	bool begun; /* there was a row in this sequence: */
	uint64_t from;
	struct source_line row;
	const uint64_t *addresses;
	size_t count, next; /* next: the first address at or after from */
	uint64_t given; /* lines */
	struct source_line *lines;
};

static void reset_line_machine(struct line_machine *m)
{
	m->address = m->operation = 0;
	m->file = m->line = 1;
	m->begun = false;
}

/* The last row holds up to here. */
static void end_row(struct line_machine *m)
{
	if (!m->begun || m->dropped || m->address <= m->from)
		return;
	for (; m->next < m->count && m->addresses[m->next] < m->address; m->next++) {
		m->lines[m->next] = m->row;
		m->given++;
	}
}

static void add_line_row(struct line_machine *m)
{
	end_row(m);
	if (!m->begun || m->address < m->from) {
		size_t low = 0, high = m->count;

		while (low < high) {
			size_t middle = low + (high - low) / 2;

			if (m->addresses[middle] < m->address)
				low = middle + 1;
			else
				high = middle;
		}
		m->next = low;
	}
	if (!m->begun)
		m->dropped = m->address < m->first_code;
	m->begun = true;
	m->from = m->address;
	m->row.file = m->file < UINT32_MAX ? (uint32_t)m->file : UINT32_MAX;
	m->row.line = m->line < UINT32_MAX ? (uint32_t)m->line : 0;
}

/* An address moves by instructions, and in those of VLIW machines by operations (DWARF 5,
 * 6.2.5.1). */
static void advance_address(struct line_machine *m, uint64_t operations)
{
	const struct line_head *h = m->head;

	operations += m->operation;
	m->address += h->instruction * (operations / h->operations);
	m->operation = (unsigned)(operations % h->operations);
}

static void run_standard(struct line_machine *m, unsigned opcode)
{
	switch (opcode) {
	case DW_LNS_copy:
		add_line_row(m);
		break;
	case DW_LNS_advance_pc:
		advance_address(m, read_uleb(&m->c));
		break;
	case DW_LNS_advance_line:
		m->line += (uint64_t)read_sleb(&m->c);
		break;
	case DW_LNS_set_file:
		m->file = read_uleb(&m->c);
		break;
	case DW_LNS_const_add_pc:
		advance_address(m, (255u - m->head->opcode_base) / m->head->line_range);
		break;
	case DW_LNS_fixed_advance_pc:
		m->address += cursor_u16(&m->c);
		m->operation = 0;
		break;
	default:
		for (unsigned i = 0; i < m->head->operands[opcode - 1]; i++)
			read_uleb(&m->c);
	}
}

void line_program_run(struct line_program *p, const uint64_t *addresses, size_t count,
		      struct source_line *lines, struct debug_meter *meter)
{
	const struct line_head *h = &p->head;
	struct line_machine m = {
		.head = h,
		.c = p->code,
		.first_code = p->image->first_code,
		.addresses = addresses,
		.count = count,
		.lines = lines,
	};
	unsigned steps = 0;

	reset_line_machine(&m);
	while (cursor_left(&m.c) > 0 && !m.c.bad) {
		unsigned opcode = cursor_u8(&m.c);

		if (++steps % INSTRUCTIONS_A_STEP == 0) {
			if (!debug_meter_add(meter, 1 + m.given / ADDRESSES_A_STEP))
				return;
			m.given %= ADDRESSES_A_STEP;
		}
		if (opcode >= h->opcode_base) {
			/* A special opcode moves both and makes a row (6.2.5.1). */
			opcode -= h->opcode_base;
			advance_address(&m, opcode / h->line_range);
			m.line += (uint64_t)(int64_t)(h->line_base +
						      (int)(opcode % h->line_range));
			add_line_row(&m);
		} else if (opcode == 0) {
			/* Its length comes first, so one that is not known is passed over
			 * (6.2.5.3). */
			uint64_t size = read_uleb(&m.c);
			struct cursor c = cursor_of(cursor_bytes(&m.c, size), size);

			c.swap = m.c.swap;
			switch (cursor_u8(&c)) {
			case DW_LNE_end_sequence:
				end_row(&m);
				reset_line_machine(&m);
				break;
			case DW_LNE_set_address:
				m.address = read_sized(&c, h->address_size);
				m.operation = 0;
				break;
			default: /* a file that no row of a compiler of today needs, and others */
				break;
			}
		} else {
			run_standard(&m, opcode);
		}
	}
}

static void add_directory_path(const struct line_program *p, uint32_t number,
			       struct text *out)
{
	const char *name =
		number < p->directories.count ? p->directories.v[number] : NULL;

	if (!name)
		return;
	/* Others are below that of the unit. */
	if (number > 0 && *name != '/')
		add_directory_path(p, 0, out);
	text_add(out, name, strnlen(name, MOST_DIRECTORY));
	text_char(out, '/');
}

bool line_program_path(const struct line_program *p, uint32_t file, struct text *out)
{
	const struct line_file *f;

	if (file >= p->files.count || !p->files.v[file].name)
		return false;
	f = &p->files.v[file];
	if (*f->name != '/')
		add_directory_path(p, f->directory, out);
	text_add(out, f->name, strnlen(f->name, MOST_DIRECTORY));
	return true;
}
