/*
 * libelf makes a descriptor for every section that a file claims, and keeps every table
 * that it was ever asked for. So what a hostile file can make large is bounded before it
 * is asked for: the number of sections is read from the raw bytes first, and notes are
 * read where they lie, at most MOST_NOTES of them. A table that it has no memory for
 * looks like one that is not there, and only errno tells the two apart. So the tables
 * that all else depends on are read when the file is opened, where that can still be an
 * error.
 *
 * The build id is that of the note sections; where section headers are stripped, of the
 * PT_NOTE segments. The checksum of debug links is a CRC-32 of the whole file. A hole of
 * n bytes in a sparse file costs O(log n): the sum of n zeros is made by doubling.
 */
#include "elf/object.h"

#include <byteswap.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/budget.h"
#include "base/file.h"
#include "base/process_root.h"
#include "elf/section.h"

enum {
	/* Files have fewer; hostile ones are cut here so that no table is longer than
	 * what a real one could need. */
	MOST_SEGMENTS = 4096,
	MOST_SECTIONS = 1 << 20,
	MOST_NOTES = 1 << 16, /* of all tables; those of a compiler plugin come last */
	MOST_NAMES = 16 << 20, /* bytes of sections' names; they have none beyond that */
	MOST_LINK = 4096,
	MOST_DYNAMIC = 1 << 16,
	BLOCK = 1 << 16,
};

/* Bytes of a debug file that are read for its checksum: the largest of browsers have half. */
#define MOST_SUMMED (UINT64_C(8) << 30)

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
		Elf32_Ehdr elf32;
		Elf64_Ehdr elf64;
	} h = { .ident = { 0 } };
	union {
		Elf32_Shdr elf32;
		Elf64_Shdr elf64;
	} first;
	bool is_64bit;
	uint64_t offset;

	if (file_read_at(fd, &h, sizeof(h), 0) < sizeof(h.elf32))
		return 0;
	memset(&first, 0, sizeof(first));
	is_64bit = h.ident[EI_CLASS] == ELFCLASS64;
	if (is_64bit ? h.elf64.e_shnum : h.elf32.e_shnum)
		return 0;
	offset = is_64bit ? host64(h.ident, h.elf64.e_shoff)
			  : host32(h.ident, h.elf32.e_shoff);
	if (offset == 0 || offset > INT64_MAX ||
	    file_read_at(fd, &first, sizeof(first), offset) < sizeof(first.elf32))
		return 0;
	return is_64bit ? host64(h.ident, first.elf64.sh_size)
			: host32(h.ident, first.elf32.sh_size);
}

static int compare_ranges(const void *a, const void *b)
{
	const struct address_range *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* What is asked of each range in debug information is found by bisection. */
static int list_code(struct object *o)
{
	struct address_range *v;
	size_t count = 0;

	if (!array_reserve(&o->code, o->segments.count))
		return -ENOMEM;
	v = o->code.v;
	for (size_t i = 0; i < o->segments.count && o->segments.v[i].exec; i++) {
		uint64_t start = o->segments.v[i].address, size = o->segments.v[i].size;

		v[count++] = (struct address_range){ start, size < UINT64_MAX - start
								    ? start + size
								    : UINT64_MAX };
	}
	if (count > 0)
		qsort(v, count, sizeof(*v), compare_ranges);
	for (size_t i = 0; i < count; i++) {
		struct address_range *last = &v[o->code.count - (o->code.count > 0)];

		if (o->code.count == 0 || v[i].start > last->end)
			v[o->code.count++] = v[i];
		else if (v[i].end > last->end)
			last->end = v[i].end;
	}
	return 0;
}

static int read_segments(struct object *o)
{
	size_t count, code = 0;
	struct section s;
	GElf_Phdr header;

	if (elf_getphdrnum(o->elf, &count) < 0)
		return 0;
	for (size_t i = 0; i < count && i < MOST_SEGMENTS; i++) {
		struct segment *segment;

		if (!gelf_getphdr(o->elf, (int)i, &header) || header.p_type != PT_LOAD ||
		    header.p_filesz == 0)
			continue;
		segment = array_add(&o->segments);
		if (!segment)
			return -ENOMEM;
		*segment = (struct segment){ header.p_offset, header.p_filesz,
					     header.p_vaddr, header.p_flags & PF_X,
					     header.p_flags & PF_W };
	}
	/* Executable ones first: where two segments share a page of the file, code is
	 * meant. */
	for (size_t i = 0; i < o->segments.count; i++) {
		struct segment segment = o->segments.v[i];

		if (!segment.exec)
			continue;
		memmove(&o->segments.v[code + 1], &o->segments.v[code],
			(i - code) * sizeof(segment));
		o->segments.v[code++] = segment;
	}
	/* Files without program headers, as perf inject writes them for JIT code. */
	for (size_t i = 1; count == 0 && i <= MOST_SEGMENTS && section_at(o, i, &s);
	     i++) {
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
	return list_code(o);
}

/* A run of notes. Their names and descriptions are padded, in the run, to @align. */
struct notes {
	uint64_t offset, size, align;
};

/* The head of one; all that is of use has a name of four bytes. */
struct note {
	Elf32_Nhdr head;
	char name[4];
};

static uint64_t padded(uint64_t size, uint64_t align)
{
	return (size + align - 1) & ~(align - 1);
}

/*
 * Reads the heads of notes where they lie, and of all that is between nothing: libelf would
 * keep each table that it was asked for, and a file can say the same megabyte thousands of
 * times. @left: how many notes may still be looked at.
 */
static bool build_id_of_notes(struct object *o, const struct notes *all, uint32_t *left)
{
	const unsigned char *ident = (const unsigned char *)elf_getident(o->elf, NULL);
	uint64_t size, at = 0;
	struct note note;

	if (!ident || all->offset > o->size)
		return false;
	size = o->size - all->offset;
	if (all->size < size)
		size = all->size;
	while (size - at >= sizeof(note) && *left > 0 &&
	       object_read(o, all->offset + at, &note, sizeof(note))) {
		uint64_t name = host32(ident, note.head.n_namesz);
		uint64_t desc = host32(ident, note.head.n_descsz);
		uint64_t begin = padded(at + sizeof(note.head) + name, all->align);

		--*left;
		if (begin > size || desc > size - begin)
			return false;
		if (host32(ident, note.head.n_type) == NT_GNU_BUILD_ID &&
		    name == sizeof(note.name) &&
		    memcmp(note.name, "GNU", sizeof(note.name)) == 0 && desc > 0 &&
		    desc <= sizeof(o->build_id) &&
		    object_read(o, all->offset + begin, o->build_id, desc)) {
			o->build_id_size = (uint8_t)desc;
			return true;
		}
		at = padded(begin + desc, all->align);
		if (at > size)
			return false;
	}
	return false;
}

static void read_build_id(struct object *o)
{
	uint32_t left = MOST_NOTES;
	struct section s;
	GElf_Phdr header;
	size_t count;

	for (size_t i = 1; left > 0 && section_at(o, i, &s); i++) {
		struct notes notes = { s.header.sh_offset, s.header.sh_size,
				       s.header.sh_addralign == 8 ? 8 : 4 };

		if (s.header.sh_type == SHT_NOTE && build_id_of_notes(o, &notes, &left))
			return;
	}
	/* Where the section headers are stripped too. */
	if (elf_getphdrnum(o->elf, &count) < 0)
		return;
	for (size_t i = 0; i < count && i < MOST_SEGMENTS; i++) {
		struct notes notes;

		if (!gelf_getphdr(o->elf, (int)i, &header) || header.p_type != PT_NOTE)
			continue;
		notes = (struct notes){ header.p_offset, header.p_filesz,
					header.p_align == 8 ? 8 : 4 };
		if (build_id_of_notes(o, &notes, &left))
			return;
	}
}

/*
 * libelf reads a table when it is asked for the first of its entries, and one that it had no
 * memory for is as good as not there: only errno tells. So they are read now, but for what a
 * hostile file can make as large as it likes.
 */
static bool read_elf_tables(struct object *o)
{
	size_t count, index;
	const char *last = NULL;
	Elf_Data *data;
	GElf_Phdr segment;
	GElf_Shdr header;
	Elf_Scn *names;

	if (elf_getphdrnum(o->elf, &count) == 0 && count > 0 && count <= MOST_SEGMENTS)
		gelf_getphdr(o->elf, 0, &segment);
	if (errno == ENOMEM || elf_getshdrstrndx(o->elf, &index) < 0)
		return errno != ENOMEM;
	names = elf_getscn(o->elf, index);
	if (gelf_getshdr(names, &header) && header.sh_type == SHT_STRTAB &&
	    header.sh_size <= MOST_NAMES) {
		data = elf_rawdata(names, NULL);
		if (data && data->d_buf)
			last = memrchr(data->d_buf, 0, data->d_size);
	}
	if (last) {
		o->names = data->d_buf;
		o->names_size = (size_t)(last + 1 - o->names);
	}
	return errno != ENOMEM;
}

/* Takes over what @o holds, also where it fails. errno was 0 before .elf was opened. */
static int read_elf_header(struct context *ctx, struct object *o, const char *name)
{
	GElf_Ehdr header;

	o->read_error = calloc(1, sizeof(*o->read_error));
	if (errno == ENOMEM || !o->read_error || !read_elf_tables(o)) {
		object_close(o);
		return fail_memory(ctx);
	}
	if (object_is_trouble(-errno)) {
		int why = errno;

		object_close(o);
		return fail(ctx, -why, "cannot read '%s': %s", name, strerror(why));
	}
	if (!o->elf || elf_kind(o->elf) != ELF_K_ELF || !gelf_getehdr(o->elf, &header)) {
		object_close(o);
		return fail(ctx, -EBADMSG, "'%s' is not an ELF file", name);
	}
	o->machine = header.e_machine;
	o->relocatable = header.e_type == ET_REL;
	o->entry = header.e_entry;
	if (read_segments(o) < 0) {
		object_close(o);
		return fail_memory(ctx);
	}
	read_build_id(o);
	return 0;
}

/* @as: NULL: whoever may. A descriptor or a negative errno. */
static int open_once(const struct user_rights *as, const char *path)
{
	const char *inside;
	uint32_t pid;
	int fd;

	inside = process_root_path(path, &pid);
	if (inside) {
		fd = process_root_open(pid, inside);
		return fd < 0 || !as ? fd : user_open_looked(as, fd);
	}
	fd = as ? user_look(as, path) : open(path, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	return as ? user_open_looked(as, fd) : file_open_looked(fd);
}

/* A FIFO would wait for a writer, and opening a device can do anything. */
static int open_file_as(struct context *ctx, const struct user_rights *as,
			const char *path)
{
	int fd = open_once(as, path);

	if (fd == -EMFILE && file_raise_limit())
		fd = open_once(as, path);
	if (fd == -EINVAL)
		return fail(ctx, fd, "'%s' is not a regular file", path);
	if (fd < 0)
		return fail(ctx, fd, "cannot open '%s': %s", path, strerror(-fd));
	return fd;
}

int object_open_file(struct context *ctx, const char *path)
{
	return open_file_as(ctx, NULL, path);
}

int object_open(struct context *ctx, const char *path, struct object *ret)
{
	int fd = object_open_file(ctx, path);

	return fd < 0 ? fd : object_open_fd(ctx, fd, path, ret);
}

int object_open_as(struct context *ctx, const struct user_rights *rights,
		   const char *path, struct object *ret)
{
	int fd = open_file_as(ctx, rights, path);

	return fd < 0 ? fd : object_open_fd(ctx, fd, path, ret);
}

int object_open_named(struct context *ctx, const struct object *by, const char *path,
		      struct object *ret)
{
	const uid_t nobody = 65534;
	struct user_rights rights;
	struct stat st;
	uid_t owner;
	int err;

	/* By whose word it is read: what was unpacked, or deleted, is nobody's. */
	owner = fstat(by->fd, &st) == 0 && st.st_nlink ? st.st_uid : nobody;
	rights = user_rights_of(owner);
	err = object_open_as(ctx, &rights, path, ret);
	if (err != -EACCES || geteuid() != 0)
		return err;
	/* What is the owner's own may lie where only root comes by now. */
	err = object_open(ctx, path, ret);
	if (err < 0 || (fstat(ret->fd, &st) == 0 && st.st_uid == owner))
		return err;
	object_close(ret);
	return fail(ctx, -EACCES,
		    "'%s' is not for user %u, whose file names it: it is not read", path,
		    (unsigned)owner);
}

int object_open_fd(struct context *ctx, int fd, const char *name, struct object *ret)
{
	struct object o = { .fd = fd, .budget = ctx->budget };
	struct stat st;
	int err;

	if (fstat(fd, &st) < 0 || claimed_sections(fd) > MOST_SECTIONS) {
		close(fd);
		return fail(ctx, -EBADMSG, "'%s' claims too many sections", name);
	}
	o.size = (uint64_t)st.st_size;
	errno = 0;
	o.elf = elf_begin(fd, ELF_C_READ, NULL);
	err = read_elf_header(ctx, &o, name);
	if (err == 0)
		*ret = o;
	return err;
}

int object_open_memory(struct context *ctx, const void *image, size_t size,
		       struct object *ret)
{
	struct object o = { .fd = -1, .size = size, .budget = ctx->budget };
	int err;

	errno = 0;
	/* elf_memory() wants memory it could write; with a handle that only reads, it
	 * does not. */
	o.elf = elf_memory((char *)image, size);
	err = read_elf_header(ctx, &o, "image in memory");
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

void object_refuse(const struct object *o, const char *what)
{
	char link[32], path[MOST_LINK];
	ssize_t size;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", o->fd);
	size = readlink(link, path, sizeof(path) - 1);
	path[size > 0 ? size : 0] = '\0';
	budget_refuse(o->budget, what, size > 0 ? path : "an object in memory");
}

void object_close(struct object *o)
{
	if (o->fd > 0 || (o->fd == 0 && o->elf))
		close(o->fd);
	elf_end(o->elf);
	array_release(&o->segments);
	array_release(&o->code);
	claim_release(&o->claim);
	free(o->read_error);
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

uint64_t object_code_end(const struct object *o, uint64_t address)
{
	size_t low = 0, high = o->code.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (o->code.v[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < o->code.count && o->code.v[low].start <= address ? o->code.v[low].end
								      : 0;
}

bool object_is_code(const struct object *o, uint64_t address)
{
	return object_code_end(o, address) > 0;
}

size_t object_read_some(const struct object *o, uint64_t offset, void *ret, size_t size)
{
	size_t got = file_read_at(o->fd, ret, size, offset);

	object_note_error(o->read_error, errno);
	return got;
}

int object_read_error(const struct object *o)
{
	return o->read_error ? atomic_load(o->read_error) : 0;
}

void object_note_error(_Atomic int *read_error, int error)
{
	if (read_error && error)
		atomic_store(read_error, error);
}

bool object_is_trouble(int err)
{
	return err == -EMFILE || err == -ENFILE || err == -EIO || err == -ESTALE ||
	       err == -ENXIO || err == -ETIMEDOUT;
}

bool object_read(const struct object *o, uint64_t offset, void *ret, size_t size)
{
	const char *bytes;
	size_t there;

	if (offset > o->size || o->size - offset < size)
		return false;
	if (o->fd >= 0)
		return object_read_some(o, offset, ret, size) == size;
	bytes = elf_rawfile(o->elf, &there);
	if (!bytes || offset > there || there - offset < size)
		return false;
	memcpy(ret, bytes + offset, size);
	return true;
}

bool object_has_build_id(const struct object *o, const uint8_t *id, size_t size)
{
	size_t own = o->build_id_size;

	if (own == 0 || size == 0)
		return false;
	if (size < own) /* perf keeps 20 bytes of a longer one */
		return size == 20 && memcmp(o->build_id, id, size) == 0;
	/* ... and pads a shorter one with zeros. */
	for (size_t i = own; i < size; i++)
		if (id[i])
			return false;
	return memcmp(o->build_id, id, own) == 0;
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

bool object_needs_others(const struct object *o)
{
	struct section s;
	Elf_Data *data;
	GElf_Dyn entry;

	if (!section_named(o, ".dynamic", &s))
		return false;
	data = section_data(&s, MOST_DYNAMIC);
	for (int i = 0; data && gelf_getdyn(data, i, &entry); i++)
		if (entry.d_tag == DT_NEEDED)
			return true;
	return false;
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

/* CRC-32 as in IEEE 802.3, which is what debug links use: that of @size zeros behind what
 * @sum is of, by sums of 1, 2, 4... of them. */
static uLong add_zeros(uLong sum, uint64_t size)
{
	static const Bytef zero[1] = { 0 };
	uLong zeros = crc32(0, zero, 1);

	for (off_t length = 1; size > 0; size >>= 1, length *= 2) {
		if (size & 1)
			sum = crc32_combine(sum, zeros, length);
		zeros = crc32_combine(zeros, zeros, length);
	}
	return sum;
}

uint64_t object_next_data(const struct object *o, uint64_t offset)
{
	off_t data;

	if (offset >= o->size)
		return o->size;
	data = lseek(o->fd, (off_t)offset, SEEK_DATA);
	if (data < 0)
		return errno == ENXIO ? o->size : offset;
	return (uint64_t)data < o->size ? (uint64_t)data : o->size;
}

int object_checksum(struct context *ctx, const struct object *o, uint32_t *ret)
{
	uint8_t *block = malloc(BLOCK);
	uint64_t work = 0;
	uLong sum = 0;
	int err = 0;

	if (!block)
		return fail_memory(ctx);
	for (off_t at = 0, data; err == 0 && at < (off_t)o->size;) {
		ssize_t n;

		if (at % BLOCK == 0 &&
		    (data = (off_t)object_next_data(o, (uint64_t)at)) > at) {
			sum = add_zeros(sum, (uint64_t)(data - at));
			at = data;
			continue;
		}
		n = pread(o->fd, block, BLOCK - (size_t)(at % BLOCK), at);
		if (n == 0)
			break;
		if (n < 0) {
			err = errno == EINTR ? 0 : -errno;
			continue;
		}
		work += (uint64_t)n;
		if (work > MOST_SUMMED)
			err = -EFBIG;
		sum = crc32(sum, block, (uInt)n);
		at += n;
	}
	free(block);
	if (err < 0)
		return fail(ctx, err, "cannot read a debug file: %s", strerror(-err));
	*ret = (uint32_t)sum;
	return 0;
}
