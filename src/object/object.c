#include "object/object.h"

#include <byteswap.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "object/section.h"

enum {
	/* Files have fewer; hostile ones are cut here so that no table is longer than
	 * what a real one could need. */
	MOST_SEGMENTS = 4096,
	MOST_SECTIONS = 1 << 20,
	MOST_NOTES = 1 << 20, /* bytes */
	MOST_NAMES =
		16 << 20, /* bytes of sections' names, that no memory for is an error */
	MOST_LINK = 4096,
	BLOCK = 1 << 16,
};

void object_prepare(void)
{
	elf_version(EV_CURRENT);
}

static uint64_t host64(const unsigned char *ident, uint64_t value)
{
	return ident[EI_DATA] == ELFDATA2MSB ? bswap_64(value) : value;
}

static uint32_t host32(const unsigned char *ident, uint32_t value)
{
	return ident[EI_DATA] == ELFDATA2MSB ? bswap_32(value) : value;
}

/*
 * How many sections the file claims, where that stands outside of its header: libelf
 * makes a descriptor for each when it opens the file, before anyone can ask.
 */
static uint64_t claimed_sections(int fd)
{
	union {
		unsigned char ident[EI_NIDENT];
		Elf32_Ehdr narrow;
		Elf64_Ehdr wide;
	} h = { .ident = { 0 } };
	union {
		Elf32_Shdr narrow;
		Elf64_Shdr wide;
	} first;
	bool wide;
	uint64_t offset;

	if (pread(fd, &h, sizeof(h), 0) < (ssize_t)sizeof(h.narrow))
		return 0;
	memset(&first, 0, sizeof(first));
	wide = h.ident[EI_CLASS] == ELFCLASS64;
	if (wide ? h.wide.e_shnum : h.narrow.e_shnum)
		return 0;
	offset = wide ? host64(h.ident, h.wide.e_shoff)
		      : host32(h.ident, h.narrow.e_shoff);
	if (offset == 0 || offset > INT64_MAX ||
	    pread(fd, &first, sizeof(first), (off_t)offset) <
		    (ssize_t)sizeof(first.narrow))
		return 0;
	return wide ? host64(h.ident, first.wide.sh_size)
		    : host32(h.ident, first.narrow.sh_size);
}

static int add_segment(struct object *o, const GElf_Phdr *header)
{
	struct segment *segment;

	if (header->p_type != PT_LOAD || header->p_filesz == 0)
		return 0;
	segment = array_add(&o->segments);
	if (!segment)
		return -ENOMEM;
	*segment = (struct segment){ header->p_offset, header->p_filesz, header->p_vaddr,
				     header->p_flags & PF_X, header->p_flags & PF_W };
	return 0;
}

/* Executable ones first: where two segments share a page of the file, code is meant. */
static void order_segments(struct object *o)
{
	size_t code = 0;

	for (size_t i = 0; i < o->segments.count; i++) {
		struct segment segment = o->segments.v[i];

		if (!segment.exec)
			continue;
		memmove(&o->segments.v[code + 1], &o->segments.v[code],
			(i - code) * sizeof(segment));
		o->segments.v[code++] = segment;
	}
}

/* Files without program headers, as perf inject writes them for JIT code. */
static int segments_of_sections(struct object *o)
{
	struct section s;

	for (size_t i = 1; section_at(o, i, &s) && i <= MOST_SEGMENTS; i++) {
		struct segment *segment;

		if (!(s.header.sh_flags & SHF_EXECINSTR) ||
		    s.header.sh_type == SHT_NOBITS)
			continue;
		segment = array_add(&o->segments);
		if (!segment)
			return -ENOMEM;
		*segment = (struct segment){ s.header.sh_offset, s.header.sh_size,
					     s.header.sh_addr, true,
					     s.header.sh_flags & SHF_WRITE };
	}
	return 0;
}

static int read_segments(struct object *o)
{
	GElf_Phdr header;
	size_t count;

	if (elf_getphdrnum(o->elf, &count) < 0)
		return 0;
	if (count == 0)
		return segments_of_sections(o);
	for (size_t i = 0; i < count && i < MOST_SEGMENTS; i++)
		if (gelf_getphdr(o->elf, (int)i, &header) && add_segment(o, &header) < 0)
			return -ENOMEM;
	order_segments(o);
	return 0;
}

static bool build_id_of_notes(struct object *o, Elf_Data *notes)
{
	size_t at = 0, name, desc;
	GElf_Nhdr note;

	while ((at = gelf_getnote(notes, at, &note, &name, &desc)) > 0) {
		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 ||
		    memcmp((char *)notes->d_buf + name, "GNU", 4) != 0)
			continue;
		if (note.n_descsz == 0 || note.n_descsz > sizeof(o->build_id))
			continue;
		memcpy(o->build_id, (char *)notes->d_buf + desc, note.n_descsz);
		o->build_id_size = (uint8_t)note.n_descsz;
		return true;
	}
	return false;
}

static bool build_id_of_sections(struct object *o)
{
	struct section s;

	for (size_t i = 1; section_at(o, i, &s); i++) {
		Elf_Data *data;

		if (s.header.sh_type != SHT_NOTE)
			continue;
		data = section_data(&s, MOST_NOTES);
		if (data && build_id_of_notes(o, data))
			return true;
	}
	return false;
}

/* Where the section headers are stripped too. */
static void build_id_of_segments(struct object *o)
{
	GElf_Phdr header;
	size_t count;

	if (elf_getphdrnum(o->elf, &count) < 0)
		return;
	for (size_t i = 0; i < count && i < MOST_SEGMENTS; i++) {
		Elf_Data *data;

		if (!gelf_getphdr(o->elf, (int)i, &header) || header.p_type != PT_NOTE ||
		    header.p_filesz > MOST_NOTES || header.p_offset > INT64_MAX)
			continue;
		data = elf_getdata_rawchunk(
			o->elf, (int64_t)header.p_offset, header.p_filesz,
			header.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
		if (data && build_id_of_notes(o, data))
			return;
	}
}

/*
 * libelf reads a table when it is asked for the first of its entries, and one that it had no
 * memory for is as good as not there: only errno tells. So they are read now, but for what a
 * hostile file can make as large as it likes.
 */
static bool read_tables(const struct object *o)
{
	GElf_Phdr segment;
	GElf_Shdr names;
	size_t count;

	if (elf_getphdrnum(o->elf, &count) == 0 && count > 0 && count <= MOST_SEGMENTS)
		gelf_getphdr(o->elf, 0, &segment);
	if (errno != ENOMEM && elf_getshdrstrndx(o->elf, &count) == 0 &&
	    gelf_getshdr(elf_getscn(o->elf, count), &names) &&
	    names.sh_size <= MOST_NAMES)
		elf_strptr(o->elf, count, 0);
	return errno != ENOMEM;
}

/* Takes over what @o holds, also where it fails. errno was 0 before .elf was opened. */
static int read_header(struct context *ctx, struct object *o, const char *name)
{
	GElf_Ehdr header;

	if (errno == ENOMEM || !read_tables(o)) {
		object_close(o);
		return fail_memory(ctx);
	}
	if (!o->elf || elf_kind(o->elf) != ELF_K_ELF || !gelf_getehdr(o->elf, &header)) {
		object_close(o);
		return fail(ctx, -EBADMSG, "'%s' is no ELF file", name);
	}
	o->machine = header.e_machine;
	o->relocatable = header.e_type == ET_REL;
	if (read_segments(o) < 0) {
		object_close(o);
		return fail_memory(ctx);
	}
	if (!build_id_of_sections(o))
		build_id_of_segments(o);
	return 0;
}

/* A FIFO would wait for a writer, and opening a device can do anything. */
int object_open_file(struct context *ctx, const char *path)
{
	struct stat st;
	int fd;

	if (stat(path, &st) < 0)
		return fail(ctx, -errno, "cannot open '%s': %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return fail(ctx, -EINVAL, "'%s' is no regular file", path);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return fail(ctx, -errno, "cannot open '%s': %s", path, strerror(errno));
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return fail(ctx, -EINVAL, "'%s' is no regular file", path);
	}
	return fd;
}

int object_open(struct context *ctx, const char *path, struct object *ret)
{
	int fd = object_open_file(ctx, path);

	return fd < 0 ? fd : object_open_fd(ctx, fd, path, ret);
}

int object_open_fd(struct context *ctx, int fd, const char *name, struct object *ret)
{
	struct object o = { .fd = fd };
	struct stat st;
	int err;

	if (fstat(fd, &st) < 0 || claimed_sections(fd) > MOST_SECTIONS) {
		close(fd);
		return fail(ctx, -EBADMSG, "'%s' claims too many sections", name);
	}
	o.size = (uint64_t)st.st_size;
	errno = 0;
	o.elf = elf_begin(fd, ELF_C_READ, NULL);
	err = read_header(ctx, &o, name);
	if (err == 0)
		*ret = o;
	return err;
}

int object_open_memory(struct context *ctx, const void *image, size_t size,
		       struct object *ret)
{
	struct object o = { .fd = -1, .size = size };
	int err;

	errno = 0;
	/* elf_memory() wants memory it could write; with a handle that only reads, it
	 * does not. */
	o.elf = elf_memory((char *)image, size);
	err = read_header(ctx, &o, "image in memory");
	if (err == 0)
		*ret = o;
	return err;
}

int object_open_vdso(struct context *ctx, struct object *ret)
{
	const Elf64_Ehdr *image = (const Elf64_Ehdr *)getauxval(AT_SYSINFO_EHDR);
	size_t size;

	if (!image || image->e_ident[EI_CLASS] != ELFCLASS64)
		return fail(ctx, -ENOENT, "this process has no vdso");
	/* The kernel's own image: its section headers are the last thing in it. */
	size = image->e_shoff + (size_t)image->e_shnum * image->e_shentsize;
	return object_open_memory(ctx, image, size, ret);
}

void object_close(struct object *o)
{
	if (o->fd > 0 || (o->fd == 0 && o->elf))
		close(o->fd);
	elf_end(o->elf);
	array_release(&o->segments);
	*o = (struct object){ .fd = -1 };
}

bool object_address(const struct object *o, uint64_t offset, uint64_t *ret)
{
	for (size_t i = 0; i < o->segments.count; i++) {
		const struct segment *s = &o->segments.v[i];

		if (offset >= s->offset && offset - s->offset < s->size) {
			*ret = offset - s->offset + s->address;
			return true;
		}
	}
	return false;
}

bool object_is_code(const struct object *o, uint64_t address)
{
	for (size_t i = 0; i < o->segments.count; i++) {
		const struct segment *s = &o->segments.v[i];

		if (s->exec && address >= s->address && address - s->address < s->size)
			return true;
	}
	return false;
}

bool object_read(const struct object *o, uint64_t offset, void *ret, size_t size)
{
	const char *bytes;
	size_t there;

	if (offset > o->size || o->size - offset < size)
		return false;
	if (o->fd >= 0)
		return pread(o->fd, ret, size, (off_t)offset) == (ssize_t)size;
	bytes = elf_rawfile(o->elf, &there);
	if (!bytes || offset > there || there - offset < size)
		return false;
	memcpy(ret, bytes + offset, size);
	return true;
}

static bool all_zero(const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (bytes[i])
			return false;
	return true;
}

bool object_has_build_id(const struct object *o, const uint8_t *id, size_t size)
{
	size_t own = o->build_id_size;

	if (own == 0 || size == 0)
		return false;
	if (size < own) /* perf keeps 20 bytes of a longer one */
		return size == 20 && memcmp(o->build_id, id, size) == 0;
	return memcmp(o->build_id, id, own) == 0 && all_zero(id + own, size - own);
}

bool object_has_symtab(const struct object *o)
{
	struct section s;

	return section_of_type(o, SHT_SYMTAB, &s);
}

bool object_has_debug_info(const struct object *o)
{
	struct section s;

	return (section_named(o, ".debug_info", &s) ||
		section_named(o, ".zdebug_info", &s)) &&
	       s.header.sh_type != SHT_NOBITS;
}

bool object_has_debug_frame(const struct object *o)
{
	struct section s;

	return (section_named(o, ".debug_frame", &s) ||
		section_named(o, ".zdebug_frame", &s)) &&
	       s.header.sh_type != SHT_NOBITS && s.header.sh_size > 0;
}

bool object_is_go(const struct object *o)
{
	struct section s;

	return section_named(o, ".gopclntab", &s) ||
	       section_named(o, ".note.go.buildid", &s);
}

/* "name.debug\0", padding to 4 bytes, 4 bytes of checksum in the file's byte order. */
bool object_debug_link(const struct object *o, const char **name, uint32_t *checksum)
{
	struct section s;
	Elf_Data *data;
	size_t size, at;
	const char *ident;

	if (!section_named(o, ".gnu_debuglink", &s))
		return false;
	data = section_data(&s, MOST_LINK);
	ident = elf_getident(o->elf, NULL);
	if (!data || !ident)
		return false;
	size = strnlen(data->d_buf, data->d_size);
	at = (size + 4) & ~(size_t)3;
	if (size == 0 || at > data->d_size || data->d_size - at < 4)
		return false;
	memcpy(checksum, (char *)data->d_buf + at, sizeof(*checksum));
	*checksum = host32((const unsigned char *)ident, *checksum);
	*name = data->d_buf;
	return true;
}

/* CRC-32 as in IEEE 802.3, which is what debug links use. */
static uint32_t add_to_checksum(uint32_t sum, const uint8_t *bytes, size_t size)
{
	static const uint32_t nibbles[16] = {
		0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
		0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
		0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
	};

	sum = ~sum;
	for (size_t i = 0; i < size; i++) {
		sum = nibbles[(sum ^ bytes[i]) & 15] ^ sum >> 4;
		sum = nibbles[(sum ^ bytes[i] >> 4) & 15] ^ sum >> 4;
	}
	return ~sum;
}

int object_checksum(struct context *ctx, const struct object *o, uint32_t *ret)
{
	uint8_t *block = malloc(BLOCK);
	uint32_t sum = 0;
	off_t at = 0;
	ssize_t n;

	if (!block)
		return fail_memory(ctx);
	while ((n = pread(o->fd, block, BLOCK, at)) > 0) {
		sum = add_to_checksum(sum, block, (size_t)n);
		at += n;
	}
	free(block);
	if (n < 0)
		return fail(ctx, -errno, "cannot read a debug file: %s", strerror(errno));
	*ret = sum;
	return 0;
}
