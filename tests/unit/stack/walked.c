#include "walked.h"

#include <dwarf.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "unit/elf/elf_image.h"

void walked_begin(struct walked *w, unsigned machine)
{
	memset(w, 0, sizeof(*w));
	w->machine = machine_by_elf(machine);
	cr_assert_not_null(w->machine);
	cfi_begin(&w->cfi, machine);
	timeline_begin(&w->t);
	w->t.rec.arch = name_id(&w->t, machine == EM_386 ? "x86_64" : w->machine->name);
	cr_assert_not_null(array_add(&w->t.rec.events));
	comm(&w->t, 0, WALKED_PID, WALKED_PID, "it", NO_EXEC);
	w->words = WALKED_WORDS;
	w->known = ((uint64_t)1 << w->machine->registers) - 1;
	w->value[w->machine->pc] = CODE(0x1000);
	w->value[w->machine->sp] = WALKED_STACK;
	w->sample = (struct sample){ .time = 5,
				     .pid = WALKED_PID,
				     .tid = WALKED_PID,
				     .mode = MODE_USER,
				     .has_chain = true,
				     .has_user_stack = true,
				     .user_stack_cut = true,
				     .user_abi = machine == EM_386 ? 1 : 2,
				     .chain = (const uint8_t *)w->chain };
}

void walked_begin_x86_64(struct walked *w)
{
	walked_begin(w, EM_X86_64);
	cfi_cie(&w->cfi, CIE_X86_64);
	cfi_fde(&w->cfi, 0x1000, 0x20, NO_OPS);
	cfi_fde(&w->cfi, 0x1060, 0x20, OPS(DW_CFA_undefined, 16));
}

void walked_begin_i386(struct walked *w)
{
	walked_begin(w, EM_386);
	cfi_cie(&w->cfi, (struct cie){ 1, "zR", 0x1b, 1, -4, 8, false,
				       OPS(DW_CFA_def_cfa, 4, 4, DW_CFA_offset | 8, 1) });
	cfi_fde(&w->cfi, 0x1000, 0x20, NO_OPS);
	cfi_fde(&w->cfi, 0x1060, 0x20, OPS(DW_CFA_undefined, 8));
}

void walked_begin_aarch64(struct walked *w)
{
	walked_begin(w, EM_AARCH64);
	cfi_cie(&w->cfi, (struct cie){ 1, "zR", 0x1b, 4, -8, 30, false,
				       OPS(DW_CFA_def_cfa, 31, 0) });
	cfi_fde(&w->cfi, 0x1000, 0x20, NO_OPS);
	cfi_fde(&w->cfi, 0x1060, 0x20, OPS(DW_CFA_undefined, 30));
}

void walked_set32(struct walked *w, size_t i, uint32_t value)
{
	memcpy((uint8_t *)w->word + 4 * i, &value, 4);
}

void walked_call(struct walked *w, uint64_t address)
{
	CODE_BYTES(w, address - 5, 0xe8, 1, 2, 3, 4);
}

void walked_end(struct walked *w)
{
	stack_walker_free(w->walker);
	binaries_free(w->binaries);
	frames_release(&w->frames);
	array_release(&w->t.rec.events);
	timeline_end(&w->t);
	cfi_end(&w->cfi);
	if (w->path[0])
		unlink(w->path);
}

void walked_code(struct walked *w, uint64_t address, const void *bytes, size_t size)
{
	if (!w->cfi.bytes)
		cfi_write(&w->cfi);
	cr_assert_leq(address + size, CFI_TEXT + w->cfi.text_size);
	memcpy(w->cfi.bytes + address, bytes, size);
}

void walked_map(struct walked *w)
{
	struct stack_sources sources = { .ps = w->t.ps,
					 .rec = &w->t.rec,
					 .strings = &w->t.strings };

	if (w->ready)
		return;
	w->ready = true;
	if (!w->cfi.bytes)
		cfi_write(&w->cfi);
	write_temporary(w->path, w->cfi.bytes, w->cfi.size);
	map(&w->t, 1, WALKED_PID, WALKED_BASE, 0x10000, 0, w->path);
	cr_assert_eq(binaries_new(&w->t.ctx, &w->dirs, &w->t.images, false, &w->binaries),
		     0);
	sources.binaries = w->binaries;
	cr_assert_eq(stack_walker_new(&w->t.ctx, &sources, &w->frames, &w->options,
				      &w->walker),
		     0);
}

/* The registers in the recorder's order. */
static void record_registers(struct walked *w)
{
	struct sample *s = &w->sample;
	size_t count = 0;

	s->user_mask = 0;
	for (uint8_t i = 0; i < 64; i++) {
		uint8_t number = w->machine->of_recorded[i];

		if (i == w->machine->pc_recorded)
			number = w->machine->pc;
		if (number == REGISTER_NONE || !(w->known >> number & 1))
			continue;
		s->user_mask |= (uint64_t)1 << i;
		w->registers[count++] = w->value[number];
	}
	s->user_registers = (const uint8_t *)w->registers;
}

static void say_frame(struct walked *w, const struct frame *f, size_t room)
{
	char *to = w->text + strlen(w->text);

	switch (w->t.images.list.v[f->image].kind) {
	case IMAGE_UNKNOWN:
		snprintf(to, room, "? ");
		break;
	case IMAGE_ANON:
		snprintf(to, room, "j ");
		break;
	case IMAGE_VDSO:
		snprintf(to, room, "v ");
		break;
	case IMAGE_KERNEL:
		snprintf(to, room, "k ");
		break;
	default:
		snprintf(to, room, "%llx%s ",
			 (unsigned long long)f->address + !!(f->flags & FRAME_CALLER),
			 f->flags & FRAME_CALLER ? "-" : "");
	}
}

static void say_why(char *to, unsigned incomplete)
{
	static const struct {
		unsigned bit;
		const char *name;
	} names[] = {
		{ INCOMPLETE_CUT_DUMP, "cut" },	     { INCOMPLETE_NO_CFI, "no cfi" },
		{ INCOMPLETE_BAD_ADDRESS, "bad" },   { INCOMPLETE_TOO_DEEP, "deep" },
		{ INCOMPLETE_REPEATED, "repeated" }, { INCOMPLETE_MAX_STACK, "most" },
		{ INCOMPLETE_CUT_CHAIN, "chain" },   { INCOMPLETE_USER_STACK, "dump" },
		{ INCOMPLETE_ODD_CONTEXT, "odd" },   { INCOMPLETE_NO_CHAIN, "bare" },
		{ INCOMPLETE_NO_CALL, "no call" },   { INCOMPLETE_NO_START, "no start" },
		{ INCOMPLETE_OTHER_STACK, "other" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (!(incomplete & names[i].bit))
			continue;
		strcat(to, names[i].name);
		incomplete &= ~names[i].bit;
		strcat(to, incomplete ? ", " : "");
	}
	cr_assert_eq(incomplete, 0);
}

static void copy_stack(struct walked *w)
{
	size_t offset = w->value[w->machine->sp] - WALKED_STACK, size = w->words * 8;

	cr_assert_leq(offset, sizeof(w->word));
	w->sample.user_stack = (const uint8_t *)w->word + offset;
	w->sample.user_stack_size = offset < size ? (uint32_t)(size - offset) : 0;
}

const char *walked(struct walked *w)
{
	size_t first = w->options.truncated ? 2 : 1;

	walked_map(w);
	record_registers(w);
	copy_stack(w);
	w->keyed = stack_key(w->walker, &w->sample, &w->key);
	cr_assert_eq(stack_walk(w->walker, &w->sample, &w->stack), 0);
	w->text[0] = '\0';
	for (size_t i = w->stack.count; i > first && strlen(w->text) < 2000; i--)
		say_frame(w, &w->frames.list.v[w->stack.frames[i - 1]], 32);
	if (w->stack.incomplete)
		say_why(w->text, w->stack.incomplete);
	else
		strcat(w->text, "root");
	return w->text;
}
