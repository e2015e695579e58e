/*
 * Debug information of DWARF 2 to 5, made by steps (choices.h): functions, calls that were
 * inlined, blocks; each DIE in forms that its class has; with a .dwo file, with one of dwz,
 * packed. Whose code an address is, and of which line, is known then, and has to be found.
 * Beside it functions' frames and symbols, which may be odd; and a step can damage sections,
 * which may cost what is in them, but nothing else.
 */
#include "dwarf_writer.h"
#include "frame_writer.h"
#include "line_writer.h"
#include "symbol_writer.h"
#include "unwind_table.h"

#include <stdio.h>
#include <unistd.h>

#include "dwarf/inlines.h"
#include "elf/object.h"

enum {
	STEPS_MOST = 64,
	SLOT = 8, /* bytes of code of which one scope is the owner */
	FUNCTION_SLOTS = 32,
	FUNCTIONS_MOST = 12,
	SLOTS = FUNCTIONS_MOST * FUNCTION_SLOTS,
	SCOPES_MOST = STEPS_MOST + 1,
	DEPTH_MOST = 12,
	NAMES = 6,
	FD_DWO = 411,
	FD_ALTERNATE = 412,
};

/* A function, a call that was inlined, or a block. */
struct scope {
	int parent; /* -1: none */
	int name; /* in the names; -1: a block */
	struct row_written
		call; /* where the call that was inlined is; line 0: not said */
	unsigned next, end; /* slots that are left to what is in it */
};

struct making {
	struct debug_writer d;
	struct numbers numbers;
	struct scope scopes[SCOPES_MOST];
	int scope_count, open; /* the innermost open one, -1: none */
	unsigned depth, functions;
	int owner[SLOTS]; /* scopes; -1: none */
	uint64_t abstract[NAMES]; /* DIEs */
	bool has_lines;
	struct line_writer lines;
	struct row_written rows[SLOTS]; /* line 0: none */
	struct frame_form frames[2]; /* of .eh_frame and of .debug_frame */
	bool damaged;
};

/* As they are to be found: where there is a linkage name, that. */
static const char *const names[NAMES] = { "f",	       "g",    "_Z1hv",
					  "_ZN1C1iEv", "S::m", "long name" };

static void put_abstract(struct making *m)
{
	struct debug_writer *d = &m->d;
	uint64_t declared;

	die_begin(d, DW_TAG_structure_type, true);
	attribute_text(d, DW_AT_name, "S");
	die_end(d);
	declared = die_begin(d, DW_TAG_subprogram, false);
	attribute_text(d, DW_AT_name, "m");
	put_bytes(attribute(d, DW_AT_declaration, DW_FORM_flag), 1, 1);
	die_end(d);
	bytes_u8(section_of(d, INFO), 0);
	for (int i = 0; i < NAMES; i++) {
		bool linked = names[i][0] == '_';

		m->abstract[i] = die_begin(d, DW_TAG_subprogram, false);
		if (i == 4)
			attribute_reference(d, DW_AT_specification, declared);
		else
			attribute_text(d, DW_AT_name, linked ? "h" : names[i]);
		if (linked)
			attribute_text(d,
				       d->version < 4 ? DW_AT_MIPS_linkage_name
						      : DW_AT_linkage_name,
				       names[i]);
		attribute_number(d, DW_AT_inline, DW_INL_inlined);
		attribute_number(d, DW_AT_decl_file, 2);
		attribute_number(d, DW_AT_decl_line, 7);
		die_end(d);
	}
}

static int begin_scope(struct making *m, int name, unsigned first, unsigned end)
{
	int scope = m->scope_count++;

	m->scopes[scope] = (struct scope){
		.parent = m->open, .name = name, .next = first, .end = end
	};
	m->open = scope;
	m->depth++;
	return scope;
}

static void end_scope(struct making *m)
{
	bytes_u8(section_of(&m->d, INFO), 0);
	m->open = m->scopes[m->open].parent;
	m->depth--;
}

static struct span_written span_of(unsigned first, unsigned end)
{
	return (struct span_written){ CODE + (uint64_t)first * SLOT,
				      CODE + (uint64_t)end * SLOT };
}

static void own(struct making *m, int scope, unsigned first, unsigned end)
{
	for (unsigned i = first; i < end; i++)
		m->owner[i] = scope;
}

static void put_function(struct making *m, const struct step *s)
{
	struct debug_writer *d = &m->d;
	unsigned first = m->functions * FUNCTION_SLOTS, end = first + FUNCTION_SLOTS - 2;
	struct span_written span = span_of(first, end);
	int name = s->what % NAMES, scope;

	while (m->open >= 0)
		end_scope(m);
	if (m->functions == FUNCTIONS_MOST)
		return;
	m->functions++;
	die_begin(d, DW_TAG_subprogram, true);
	if (s->flags & 1)
		attribute_text(d, DW_AT_name, names[name = s->what % 2]);
	else
		attribute_reference(d, DW_AT_abstract_origin, m->abstract[name]);
	attribute_spans(d, &span, 1);
	die_end(d);
	scope = begin_scope(m, name, first, end);
	own(m, scope, first, end);
}

/* A call, or a block, in one piece or in two of what is left of the scope around it. */
static void put_inside(struct making *m, const struct step *s, bool call)
{
	struct debug_writer *d = &m->d;
	struct scope *around = &m->scopes[m->open];
	unsigned room = around->end - around->next, skip, size, more = 0, first;
	struct row_written where = { 1 + s->who % 3, s->a & 0xff };
	struct span_written spans[2];
	int scope;

	if (m->depth >= DEPTH_MOST || room < 2)
		return;
	skip = (unsigned)number_below(&m->numbers, room / 4 + 1);
	size = 1 + (unsigned)number_below(&m->numbers, room - skip);
	if (size > room - skip)
		size = room - skip;
	first = around->next + skip;
	spans[0] = span_of(first, first + size);
	around->next = first + size;
	if (s->flags & 1 && around->end - around->next > 2) {
		more = around->next + 1;
		spans[1] = span_of(more, more + 1);
		around->next = more + 1;
	}
	die_begin(d, call ? DW_TAG_inlined_subroutine : DW_TAG_lexical_block, true);
	if (call)
		attribute_reference(d, DW_AT_abstract_origin,
				    m->abstract[s->what % NAMES]);
	attribute_spans(d, spans, more ? 2 : 1);
	if (call) {
		attribute_number(d, DW_AT_call_file, where.file);
		attribute_number(d, DW_AT_call_line, where.line);
	}
	die_end(d);
	scope = begin_scope(m, call ? s->what % NAMES : -1, first, first + size);
	m->scopes[scope].call = where;
	own(m, scope, first, first + size);
	if (more)
		own(m, scope, more, more + 1);
}

/* Rows for some slots that have none yet; or for a function that a linker dropped, which
 * nobody may find. */
static void put_rows(struct making *m, const struct step *s)
{
	static struct row_written rows[SLOTS];
	unsigned first = s->a % SLOTS, count = 0, most = 1 + s->what % 64;
	struct row_written row = { 0 };
	bool dropped = s->flags & 1;

	for (; count < most && first + count < SLOTS && !m->rows[first + count].line;
	     count++) {
		if (row.line == 0 || number_below(&m->numbers, 3))
			row = (struct row_written){
				1 + (uint32_t)number_below(&m->numbers, 3),
				1 + (uint32_t)number_below(&m->numbers,
							   s->flags & 2 ? 1 << 20 : 20)
			};
		rows[count] = row;
	}
	if (!m->has_lines || count == 0)
		return;
	m->lines.numbers = m->numbers;
	put_sequence(&m->lines, dropped ? 0 : CODE + first * SLOT, dropped ? CODE : SLOT,
		     rows, count);
	if (!dropped)
		memcpy(m->rows + first, rows, count * sizeof(*rows));
}

static void put_others(struct making *m, const struct step *s)
{
	unsigned first = s->a % SLOTS, count = 1 + s->what % 64;
	struct span_written span = span_of(first, first + count);
	unsigned kind = s->kind % 4;

	switch (kind) {
	case 0:
	case 1:
		m->frames[kind].eh = kind == 0;
		put_frame(&m->d, &m->frames[kind], &span, &m->numbers);
		break;
	case 2:
		put_symbol(&m->d, s->flags & 1, &m->numbers);
		break;
	default:
		put_rows(m, s);
	}
}

static void take_step(struct making *m, const struct step *s)
{
	if (s->kind >= 0xe0) {
		put_others(m, s);
		return;
	}
	switch (s->kind % 8) {
	case 0:
		put_function(m, s);
		break;
	case 1:
	case 2:
	case 3:
		if (m->open >= 0)
			put_inside(m, s, true);
		break;
	case 4:
		if (m->open >= 0)
			put_inside(m, s, false);
		break;
	case 5:
		/* What is in no scope, and what nobody knows. */
		die_begin(&m->d, s->what & 1 ? DW_TAG_variable : 0x4090 + s->what, false);
		attribute_text(&m->d, DW_AT_name, "v");
		attribute_number(&m->d, DW_AT_const_value, s->b & 0xffff);
		bytes_varint(
			attribute(&m->d, DW_AT_location,
				  m->d.version < 4 ? DW_FORM_block : DW_FORM_exprloc),
			2);
		put_bytes(section_of(&m->d, INFO), s->b, 2);
		put_bytes(attribute(&m->d, DW_AT_external, DW_FORM_flag), 1, 1);
		die_end(&m->d);
		break;
	default:
		if (m->open >= 0)
			end_scope(m);
	}
}

/* "length, version, ..."; where the length begins. */
static size_t begin_unit(struct making *m, struct debug_file *to, unsigned type,
			 uint64_t id)
{
	struct debug_writer *d = &m->d;
	struct bytes *info;
	size_t start;

	d->to = to;
	info = section_of(d, INFO);
	d->unit = info->count;
	d->code = 0;
	start = begin_length(d, info);
	put_bytes(info, d->version, 2);
	if (d->version == 5) {
		bytes_u8(info, (uint8_t)type);
		bytes_u8(info, 8);
	}
	put_offset(d, info, 0);
	if (d->version < 5)
		bytes_u8(info, 8);
	else if (type == DW_UT_skeleton || type == DW_UT_split_compile)
		put_bytes(info, id, 8);
	return start;
}

static void end_unit(struct debug_writer *d, size_t start)
{
	bytes_u8(section_of(d, ABBREV), 0);
	end_length(d, section_of(d, INFO), start);
}

static void put_code(struct debug_writer *d)
{
	put_bytes(attribute(d, DW_AT_low_pc, DW_FORM_addr), 0, 8);
	attribute_ranges(d, &(struct span_written){ CODE, CODE + SLOTS * SLOT }, 1);
}

/* Where indices into the object's sections count from. */
static void put_bases(struct debug_writer *d, bool skeleton)
{
	unsigned head = d->wide ? 16 : 8;

	if (d->version == 5) {
		put_offset(d, attribute(d, DW_AT_addr_base, DW_FORM_sec_offset), head);
		put_offset(d, attribute(d, DW_AT_str_offsets_base, DW_FORM_sec_offset),
			   head);
	} else if (skeleton) {
		put_offset(d, attribute(d, DW_AT_GNU_addr_base, DW_FORM_sec_offset), 0);
		put_offset(d, attribute(d, DW_AT_GNU_ranges_base, DW_FORM_sec_offset), 0);
	}
}

static void put_place(struct making *m)
{
	struct debug_writer *d = &m->d;

	put_text(attribute(d, DW_AT_comp_dir, DW_FORM_string), "/src");
	if (m->has_lines)
		put_offset(d,
			   attribute(d, DW_AT_stmt_list,
				     d->version >= 4 ? DW_FORM_sec_offset
				     : d->wide	     ? DW_FORM_data8
						     : DW_FORM_data4),
			   0);
}

static void put_skeleton(struct making *m, uint64_t id)
{
	struct debug_writer *d = &m->d;
	size_t start = begin_unit(m, &d->object, DW_UT_skeleton, id);
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", FD_DWO);
	die_begin(d, d->version == 5 ? DW_TAG_skeleton_unit : DW_TAG_compile_unit, false);
	put_bases(d, true);
	put_text(attribute(d, d->version == 5 ? DW_AT_dwo_name : DW_AT_GNU_dwo_name,
			   DW_FORM_string),
		 path);
	put_place(m);
	if (d->version < 5)
		put_bytes(attribute(d, DW_AT_GNU_dwo_id, DW_FORM_data8), id, 8);
	put_code(d);
	die_end(d);
	end_unit(d, start);
}

/* What dwz moved: strings, and a unit so that there is one. */
static void put_shared(struct making *m)
{
	struct debug_writer *d = &m->d;
	size_t start = begin_unit(m, &d->alternate, DW_UT_partial, 0);

	die_begin(d, DW_TAG_partial_unit, false);
	put_text(attribute(d, DW_AT_name, DW_FORM_string), "shared");
	die_end(d);
	end_unit(d, start);
}

static void make_unit(struct making *m, const uint8_t *data, size_t steps)
{
	struct debug_writer *d = &m->d;
	const uint64_t id = 0x123456789abcdef0;
	size_t start;

	if (m->has_lines)
		begin_lines(&m->lines, d, m->numbers);
	if (d->split)
		put_skeleton(m, id);
	if (d->dwz)
		put_shared(m);
	start = begin_unit(m, d->split ? &d->dwo : &d->object,
			   d->split ? DW_UT_split_compile : DW_UT_compile, id);
	die_begin(d, DW_TAG_compile_unit, true);
	if (!d->split) {
		put_bases(d, false);
		put_place(m);
	}
	attribute_text(d, DW_AT_name, "unit.c");
	attribute_number(d, DW_AT_language, DW_LANG_C_plus_plus);
	if (!d->split)
		put_code(d);
	else if (d->version < 5)
		put_bytes(attribute(d, DW_AT_GNU_dwo_id, DW_FORM_data8), id, 8);
	die_end(d);
	put_abstract(m);
	for (size_t i = 1; i < steps; i++) {
		struct step s = step_at(data, i);

		m->numbers = d->numbers[0] = numbers_of(&s);
		if (s.kind < 0xf0)
			take_step(m, &s);
	}
	while (m->open >= 0)
		end_scope(m);
	bytes_u8(section_of(d, INFO), 0);
	end_unit(d, start);
	if (m->has_lines)
		end_lines(&m->lines);
}

/* Lengths at the beginnings of sections that were not known yet. */
static void end_sections(struct debug_writer *d)
{
	struct debug_file *files[] = { &d->object, &d->dwo };
	static const enum section_kind kinds[] = { STR_OFFSETS, RANGES, ADDR };

	for (int f = 0; f < 2 && d->version == 5; f++)
		for (int k = 0; k < 3; k++) {
			struct bytes *b = &files[f]->sections[kinds[k]];

			if (b->count)
				end_length(d, b, d->wide ? 12 : 4);
		}
}

static void damage(struct making *m, const struct step *s)
{
	struct debug_file *files[] = { &m->d.object, &m->d.dwo, &m->d.alternate };
	struct debug_file *f = files[s->who % 8 % 3];
	struct bytes *b = &f->sections[s->what % SECTIONS];
	struct numbers n = numbers_of(s);
	uint64_t value = s->flags & 1 ? number_odd(&n) : number_next(&n);
	unsigned size = 1u << (s->flags >> 1 & 3);

	m->damaged = true;
	if (s->flags & 16 && f->bent_count < BENT_MOST) {
		f->bent[f->bent_count++] =
			(struct field_bent){ s->what, s->who >> 3, value };
		return;
	}
	if (b->count < size)
		return;
	if (s->flags & 8)
		b->count -= number_below(&n, b->count);
	else
		memcpy(b->v + number_below(&n, b->count - size + 1), &value, size);
}

/* The file behind a descriptor of its own. */
static int make_file(const struct bytes *image)
{
	int fd = memfd_create("fuzzed", MFD_CLOEXEC);

	fuzz_check(fd >= 0 && write(fd, image->v, image->count) == (ssize_t)image->count,
		   "memory for a file");
	return fd;
}

/* The same behind a number that the debug information names. */
static void place_file(int number, const struct bytes *image)
{
	int fd = make_file(image);

	fuzz_check(dup2(fd, number) == number, "a descriptor");
	close(fd);
}

/* Where a frame is: in the row of the address, or where the one inside of it is called. */
static void check_place(const struct making *m, const struct row_written *where,
			const struct inline_frame *frame)
{
	const char *path = where->line && m->has_lines ? line_paths[where->file] : NULL;

	fuzz_check(frame->line == where->line, "a line is found");
	fuzz_check(!path == !frame->file && (!path || strcmp(path, frame->file) == 0),
		   "the file of a line is found");
}

static void check_chain(const struct making *m, unsigned slot, bool lines,
			const struct inline_chain *chain)
{
	struct row_written where = lines ? m->rows[slot] : (struct row_written){ 0 };
	int scope = m->owner[slot];
	size_t i = 0;

	for (; scope >= 0; scope = m->scopes[scope].parent) {
		const char *want =
			m->scopes[scope].name < 0 ? NULL : names[m->scopes[scope].name];

		if (!want)
			continue;
		if (i >= chain->count || strcmp(chain->frames[i].name, want) != 0)
			fprintf(stderr, "slot %u, frame %zu of %zu: '%s', not '%s'\n",
				slot, i, chain->count,
				i < chain->count ? chain->frames[i].name : "", want);
		fuzz_check(i < chain->count && strcmp(chain->frames[i].name, want) == 0,
			   "a call is found where it is");
		check_place(m, &where, &chain->frames[i]);
		if (lines)
			where = m->scopes[scope].call;
		i++;
	}
	/* Of what is in no function the line is known, or nothing. */
	if (i == 0 && where.line > 0) {
		fuzz_check(chain->count == 1, "a line without a function");
		check_place(m, &where, &chain->frames[0]);
		return;
	}
	fuzz_check(chain->count == i, "no other call is found");
}

static void ask(const struct making *m, const struct bytes *image, const struct step *s)
{
	struct inline_options options = { .lines = s->flags & 1,
					  .declared = s->flags & 2,
					  .threads = 1 };
	static uint64_t addresses[SLOTS];
	struct context ctx = { 0 };
	struct inlines *in;
	struct object o;
	int err;

	if (object_open_fd(&ctx, make_file(image), "fuzzed", &o) < 0) {
		fuzz_check(m->damaged, "a file is an object");
		return;
	}
	for (unsigned i = 0; i < SLOTS; i++)
		addresses[i] = CODE + i * SLOT + i % SLOT;
	err = inlines_open(&ctx, &o, &o, &options, &in);
	if (err < 0 && !m->damaged)
		fprintf(stderr, "%s\n", ctx.error);
	fuzz_check(err == 0 || (m->damaged && ctx.error[0]),
		   "debug information can be used");
	if (err == 0) {
		fuzz_check(inlines_find(in, addresses, SLOTS) == 0,
			   "addresses are looked for");
		if (!m->damaged && inlines_problem(in)[0])
			fprintf(stderr, "%s\n", inlines_problem(in));
		for (unsigned i = 0; i < SLOTS; i++) {
			struct inline_chain chain = inlines_at(in, i);

			if (!m->damaged)
				check_chain(m, i, options.lines, &chain);
		}
		inlines_close(in);
	}
	if (m->d.object.sections[SYMTAB].count || m->d.object.sections[DYNSYM].count)
		check_symbols(&o);
	if (m->frames[0].letters || m->frames[1].letters)
		check_unwinding(&o, NULL);
	object_close(&o);
}

static void release(struct debug_writer *d)
{
	struct debug_file *files[] = { &d->object, &d->dwo, &d->alternate };

	for (int f = 0; f < 3; f++)
		for (int i = 0; i < SECTIONS; i++)
			bytes_release(&files[f]->sections[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct bytes image;
	uint8_t link[64];
	size_t steps = size / STEP_SIZE < STEPS_MOST ? size / STEP_SIZE : STEPS_MOST;
	size_t link_size;
	struct numbers numbers;
	struct making m;
	struct step first;

	if (steps < 2)
		return 0;
	object_prepare();
	first = step_at(data, 0);
	numbers = numbers_of(&first);
	memset(&m, 0, sizeof(m));
	memset(m.owner, -1, sizeof(m.owner));
	m.open = -1;
	m.d.numbers = &numbers;
	m.d.version = 2 + first.what % 4;
	m.has_lines = first.flags & 4;
	m.numbers = numbers;
	m.d.split = first.kind & 1 && m.d.version >= 4;
	m.d.dwz = first.kind & 2 && !m.d.split;
	m.d.wide = first.kind & 4;
	m.d.object.version = m.d.dwo.version = m.d.alternate.version = m.d.version;
	m.d.object.packed = first.kind & 8;
	m.d.dwo.packed = first.kind & 16;
	m.d.dwo.dwo = true;
	make_unit(&m, data, steps);
	end_sections(&m.d);
	for (size_t i = 1; i < steps; i++) {
		struct step s = step_at(data, i);

		if (s.kind >= 0xf0)
			damage(&m, &s);
	}
	link_size = (size_t)snprintf((char *)link, sizeof(link), "/proc/self/fd/%d",
				     FD_ALTERNATE) +
		    1;
	memset(link + link_size, 0, BUILD_ID);
	memcpy(link + link_size, "\1\2\3\4", 4);
	if (m.d.split) {
		write_elf(&m.d.dwo, NULL, 0, &image);
		place_file(FD_DWO, &image);
	}
	if (m.d.dwz) {
		write_elf(&m.d.alternate, NULL, 0, &image);
		place_file(FD_ALTERNATE, &image);
	}
	write_elf(&m.d.object, m.d.dwz ? link : NULL, link_size + BUILD_ID, &image);
	ask(&m, &image, &first);
	close(FD_DWO);
	close(FD_ALTERNATE);
	release(&m.d);
	return 0;
}

MUTATE_BY_STEPS(STEPS_MOST)
