/*
 * Entries of .eh_frame (LSB 5.0, 10.6.1) refer to their CIE by distance, so they may be
 * copied anywhere together. Only one word of each has to change: where its function
 * begins, which runtimes write as an address or as a distance from that word itself.
 *
 *	runtime   | CIE | FDE: start = code - here |          at unwind_address
 *	result    | CIE | FDE: start = bytes - here | ... | 0 |   at base
 *
 * An entry that is in no known form ends those of its function; what came before it is
 * kept.
 *
 *	CIE    u32 length | u32 0        | u8 version | augmentation NUL | ...
 *	FDE    u32 length | u32 distance | start | size | ...
 */
#include "jit/unwind.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/encoded.h"
#include "base/file.h"

enum {
	FRAME_MOST = 1 << 20, /* bytes of one function's */
	FRAMES_MOST = 64 << 20, /* of all */
	/* How pointers are encoded (DW_EH_PE_*). */
	FORMAT = 0x0f,
	UDATA4 = 0x03,
	UDATA8 = 0x04,
	SDATA4 = 0x0b,
	SDATA8 = 0x0c,
	RELATIVE_TO = 0x70,
	PC_RELATIVE = 0x10,
};

/* .eh_frame that is being moved. */
struct moving {
	const struct jitdump *dump;
	uint64_t base; /* address of .eh_frame */
	uint8_t *bytes; /* of all functions; to be written */
	size_t size, room;
};

/* Of one function: where its entries begin in the result, and where they belonged. */
struct frame_entries {
	const struct jitdump_function *f;
	uint8_t *bytes;
	size_t size;
	uint64_t from, to;
	uint8_t encoding; /* of the CIE that was seen last */
	size_t cie; /* its place */
};

/* How a CIE's functions say where they begin. False for what cannot be moved. */
static bool read_cie(struct cursor c, uint8_t *encoding)
{
	const char *augmentation;
	uint8_t version = cursor_u8(&c);

	augmentation = (const char *)c.p;
	if ((version != 1 && version != 3) || !memchr(c.p, '\0', cursor_left(&c)))
		return false;
	cursor_bytes(&c, strlen(augmentation) + 1);
	*encoding = 0;
	if (*augmentation == '\0')
		return true;
	/* Without it nobody knows where what comes behind an unknown letter begins. */
	if (*augmentation++ != 'z')
		return false;
	read_uleb(&c); /* alignment of code */
	read_sleb(&c); /* of data */
	if (version == 1) /* the register of the return address */
		cursor_u8(&c);
	else
		read_uleb(&c);
	read_uleb(&c); /* bytes of what the letters stand for */
	for (; *augmentation; augmentation++) {
		uint8_t value = *augmentation == 'S' ? 0 : cursor_u8(&c);

		if (*augmentation == 'R')
			*encoding = value;
		else if (*augmentation != 'S' && *augmentation != 'L')
			return false;
	}
	return !c.bad;
}

/*
 * Where a function begins, at @at of the entries: from its place to that of its bytes.
 *
 *	as written        value = start [- here]
 *	in the function   start - address
 *	in the result     value = bytes + that [- new place]
 */
static bool move_start(struct frame_entries *e, size_t at)
{
	uint8_t format = e->encoding & FORMAT;
	bool relative = (e->encoding & RELATIVE_TO) == PC_RELATIVE;
	size_t size = 4;
	int64_t value = 0;
	int32_t truncated;
	uint64_t start;

	if (format == 0 || format == UDATA8 || format == SDATA8)
		size = 8;
	else if (format != UDATA4 && format != SDATA4)
		return false; /* it cannot be rewritten where it stands */
	if (size > e->size - at || (!relative && (e->encoding & ~FORMAT) != 0))
		return false;
	memcpy(&value, e->bytes + at, size);
	if (format == SDATA4)
		value = (int32_t)value;
	/* Into the function; an entry of other code than that was not written for it. */
	start = (uint64_t)value + (relative ? e->from + at : 0) - e->f->address;
	if (start >= e->f->size)
		return false;
	start += e->f->bytes;
	value = (int64_t)(start - (relative ? e->to + at : 0));
	/* The object is as long as its dump, which may have more than 2 GiB. */
	truncated = (int32_t)value;
	if (size == 4 && truncated != value)
		return false;
	memcpy(e->bytes + at, &value, size);
	return true;
}

/* One entry at @at: where the next one begins; 0: no more that could be used. */
static size_t move_entry(struct frame_entries *e, size_t at)
{
	struct cursor c = cursor_of(e->bytes + at, e->size - at);
	uint32_t length = cursor_u32(&c), id;
	size_t body = at + 4;

	if (c.bad || length < 4 || length > cursor_left(&c))
		return 0;
	id = cursor_u32(&c);
	c.end = e->bytes + body + length;
	/* 0: a CIE. Others have the distance back to theirs, which has to be the last one. */
	if (id == 0) {
		e->cie = at;
		if (!read_cie(c, &e->encoding))
			return 0;
	} else if (body - id != e->cie || id > body || !move_start(e, body + 4)) {
		return 0;
	}
	return body + length;
}

/* False without memory; a function whose entries are too many goes without. */
static bool move_function(struct moving *m, const struct jitdump_function *f)
{
	/* No entry may come before the first CIE. */
	struct frame_entries e = { .f = f, .size = f->unwind_size, .cie = SIZE_MAX };
	size_t at = 0, next;

	if (!f->unwind || e.size > FRAME_MOST || e.size > FRAMES_MOST - m->size)
		return true;
	if (m->room - m->size < e.size &&
	    !array_grow((void **)&m->bytes, &m->room, m->size + e.size, 1))
		return false;
	e.bytes = m->bytes + m->size;
	e.from = jitdump_unwind_address(f);
	e.to = m->base + m->size;
	e.size = file_read_at(m->dump->fd, e.bytes, e.size, f->unwind);
	while ((next = move_entry(&e, at)))
		at = next;
	/* As many as could be moved are kept: the next function's go behind them. */
	m->size += at;
	return true;
}

static bool write_at(int fd, const void *bytes, size_t size, uint64_t offset)
{
	return pwrite(fd, bytes, size, (off_t)offset) == (ssize_t)size;
}

/*
 * The sections behind .eh_frame: none, it, and their names.
 *
 *	0       header, segment
 *	...     a hole, as long as the dump: its offsets are the addresses of the code
 *	base    .eh_frame | u32 0 | names | sections
 */
static bool write_object(const struct moving *m, int fd)
{
	static const char names[] = "\0.eh_frame\0.shstrtab";
	const uint32_t end = 0;
	uint64_t names_at = m->base + m->size + sizeof(end);
	uint64_t sections_at = (names_at + sizeof(names) + 7) & ~(uint64_t)7;
	Elf64_Ehdr header = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = ET_DYN,
		.e_machine = (uint16_t)m->dump->machine,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(header),
		.e_shoff = sections_at,
		.e_ehsize = sizeof(header),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = 3,
		.e_shstrndx = 2,
	};
	Elf64_Phdr segment = {
		.p_type = PT_LOAD,
		.p_flags = PF_R | PF_W | PF_X,
		.p_filesz = m->base,
		.p_memsz = m->base,
		.p_align = 1,
	};
	Elf64_Shdr sections[3] = {
		{ 0 },
		{ .sh_name = 1,
		  .sh_type = SHT_PROGBITS,
		  .sh_flags = SHF_ALLOC,
		  .sh_addr = m->base,
		  .sh_offset = m->base,
		  .sh_size = m->size + sizeof(end),
		  .sh_addralign = 8 },
		{ .sh_name = 11,
		  .sh_type = SHT_STRTAB,
		  .sh_offset = names_at,
		  .sh_size = sizeof(names),
		  .sh_addralign = 1 },
	};

	return write_at(fd, &header, sizeof(header), 0) &&
	       write_at(fd, &segment, sizeof(segment), sizeof(header)) &&
	       write_at(fd, m->bytes, m->size, m->base) &&
	       write_at(fd, &end, sizeof(end), m->base + m->size) &&
	       write_at(fd, names, sizeof(names), names_at) &&
	       write_at(fd, sections, sizeof(sections), sections_at);
}

/* .eh_frame lies behind where the dump's bytes of code have their addresses, in a page of its own. */
int jit_unwind_make(const struct jitdump *d, int *ret)
{
	struct moving m = { .dump = d, .base = (d->offset + 4095) & ~(uint64_t)4095 };
	bool fine = true;

	*ret = -1;
	if (d->swap || d->fd < 0 || d->offset > INT64_MAX / 2)
		return 0;
	for (size_t i = 0; i < d->functions.count && fine; i++)
		fine = move_function(&m, &d->functions.v[i]);
	if (fine && m.size > 0)
		*ret = memfd_create("jit", MFD_CLOEXEC);
	if (*ret >= 0 && !write_object(&m, *ret)) {
		close(*ret);
		*ret = -1;
	}
	free(m.bytes);
	return fine ? 0 : -ENOMEM;
}
