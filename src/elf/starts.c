/*
 * Nothing of a symbol but its name, address and size is asked for, so its table is read without being sorted
 * or kept. Who refers to a function is looked for in the bytes of the few that are known to:
 * E8 and a distance, or 8D with a ModRM byte that counts from the next instruction (Intel SDM, volume 2, CALL, LEA,
 * and 2.2.1.6). What looks like that by chance mostly leads out of all code.
 */
#include "elf/starts.h"

#include <elf.h>
#include <endian.h>
#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "elf/call_code.h"
#include "elf/names.h"
#include "elf/section.h"

enum {
	SYMBOLS_MOST = 1 << 24, /* bytes of a table */
	RANGES_MOST = 1 << 12,
	FUNCTIONS_MOST = 1 << 8,
	BODY_MOST = 1 << 13, /* bytes of a function that are looked through */
	BODIES_MOST =
		1 << 10, /* of an object: those of a C library call some hundred others */
	CALLED_BODY = 512, /* of one that such a one calls */
	STATIC_BODY = 1 << 12, /* the same of one whose size is not known */
	ENTRY_SIZE = 40, /* of a program's entry; the loader's goes on behind its call */
	LOADER_ENTRY_SIZE = 96,
	SIZELESS = 64, /* taken for a function without a size */
	GAP_MOST = 64, /* between functions of one run */
};

/* What refers to others of them. */
enum referring { REFERS_NOT, REFERS_BY_CALL, REFERS_BY_ADDRESS };

#define NAMED(name) name, sizeof(name) - 1

static const struct {
	const char *name;
	uint8_t size; /* of it */
	uint8_t referring; /* enum referring */
} start_symbols[] = {
	{ NAMED("main"), REFERS_NOT },
	{ NAMED("_start"), REFERS_NOT },
	{ NAMED("_start_c"), REFERS_NOT },
	{ NAMED("__libc_start_main"), REFERS_BY_CALL },
	{ NAMED("__libc_start_main_impl"), REFERS_BY_CALL },
	{ NAMED("__libc_start_call_main"), REFERS_NOT },
	{ NAMED("libc_start_main_stage2"), REFERS_NOT },
	{ NAMED("__libc_init"), REFERS_NOT },
	{ NAMED("generic_start_main"), REFERS_NOT },
	{ NAMED("_dl_start"), REFERS_NOT },
	{ NAMED("_dl_start_user"), REFERS_NOT },
	{ NAMED("_dlstart"), REFERS_NOT },
	{ NAMED("_dlstart_c"), REFERS_NOT },
	{ NAMED("pthread_create"), REFERS_BY_ADDRESS },
	{ NAMED("__pthread_create"), REFERS_BY_ADDRESS },
	{ NAMED("makecontext"), REFERS_BY_ADDRESS },
	/* What the C++ library's threads begin with, which keeps no frame pointer. */
	{ NAMED("_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_"
		"delete"
		"IS1_EEPFvvE"),
	  REFERS_BY_ADDRESS },
	{ NAMED("_ZNSt6thread15_M_start_threadESt10shared_ptrINS_10_Impl_baseEEPFvvE"),
	  REFERS_BY_ADDRESS },
	{ NAMED("_ZNSt6thread15_M_start_threadESt10shared_ptrINS_10_Impl_baseEE"),
	  REFERS_BY_ADDRESS },
	{ NAMED("execute_native_thread_routine"), REFERS_NOT },
	{ NAMED("start_thread"), REFERS_NOT },
	{ NAMED("__start_thread"), REFERS_NOT },
	{ NAMED("__pthread_start"), REFERS_NOT },
	{ NAMED("_ZL15__pthread_startPv"), REFERS_NOT },
	{ NAMED("thread_start"), REFERS_NOT },
	{ NAMED("clone"), REFERS_NOT },
	{ NAMED("__clone"), REFERS_NOT },
	{ NAMED("clone3"), REFERS_NOT },
	{ NAMED("__clone3"), REFERS_NOT },
	{ NAMED("__start_context"), REFERS_NOT },
	{ NAMED("_cgo_sys_thread_start"), REFERS_NOT },
	{ NAMED("threadentry"), REFERS_NOT },
	{ NAMED("crosscall1"), REFERS_NOT },
	{ NAMED("crosscall_amd64"), REFERS_NOT },
};

struct start_search {
	const struct object *o;
	struct starts *to;
	bool symbols; /* there is a whole table of them */
	bool libc; /* threads are made in it, or main() is called */
	bool referred; /* and what that refers to was found */
	unsigned bodies; /* of functions that were looked through */
};

void starts_release(struct starts *s)
{
	array_release(&s->ranges);
	array_release(&s->functions);
	*s = (struct starts){ 0 };
}

static int add_start_range(struct starts *s, uint64_t start, uint64_t size)
{
	struct address_range *last = s->ranges.count ? array_last(&s->ranges) : NULL;
	struct address_range *range;

	if (size == 0)
		size = SIZELESS;
	if (size > UINT64_MAX - start)
		return 0;
	/* A run of functions is one range, in whatever order. */
	if (last && start >= last->start && start <= last->end + GAP_MOST) {
		if (start + size > last->end)
			last->end = start + size;
		return 0;
	}
	if (s->ranges.count == RANGES_MOST)
		return 0;
	range = array_add(&s->ranges);
	if (!range)
		return -ENOMEM;
	*range = (struct address_range){ start, start + size };
	return 0;
}

static int add_start(struct starts *s, uint64_t address)
{
	uint64_t *function;

	if (s->functions.count == FUNCTIONS_MOST)
		return 0;
	function = array_add(&s->functions);
	if (!function)
		return -ENOMEM;
	*function = address;
	return 0;
}

/* Bytes at an address of the object. How many there are. */
static size_t read_code_at(const struct object *o, uint64_t address, void *ret,
			   size_t size)
{
	for (size_t i = 0; i < o->segments.count; i++) {
		const struct segment *s = &o->segments.v[i];
		uint64_t at = address - s->address;

		if (!s->exec || address < s->address || at >= s->size)
			continue;
		if (size > s->size - at)
			size = s->size - at;
		return object_read(o, s->offset + at, ret, size) ? size : 0;
	}
	return 0;
}

/* The code that the distance at @at, of the code that is at @address, leads to. */
static bool find_target(const struct start_search *f, const uint8_t *code, size_t at,
			uint64_t address, uint64_t *ret)
{
	*ret = near_target(code + at, address + at + 4);
	return object_is_code(f->o, *ret);
}

static bool is_near_call(const uint8_t *code, size_t at)
{
	return code[at - 1] == 0xe8;
}

/* The functions that the one at @start, of so many bytes, refers to; and with @levels those that what it
 * calls refers to. */
static int add_referred(struct start_search *f, uint64_t start, uint64_t size,
			enum referring how, int levels)
{
	uint64_t target;
	uint8_t *code;
	int err = 0;

	if (f->o->machine != EM_X86_64 || size < 5 || f->bodies++ >= BODIES_MOST ||
	    f->to->functions.count == FUNCTIONS_MOST)
		return 0;
	code = malloc(size);
	if (!code)
		return -ENOMEM;
	size = read_code_at(f->o, start, code, size);
	for (size_t at = 1; at + 4 <= size && err == 0; at++) {
		bool call = is_near_call(code, at);
		bool lea = at >= 2 && code[at - 2] == 0x8d && (code[at - 1] & 0xc7) == 5;

		if ((!call && !lea) || !find_target(f, code, at, start, &target))
			continue;
		/* musl calls through a pointer what would be inlined else. */
		if (lea || how == REFERS_BY_CALL) {
			f->referred = true;
			err = add_start(f->to, target);
		}
		if (err == 0 && call && levels)
			err = add_referred(f, target, CALLED_BODY, how, levels - 1);
	}
	free(code);
	return err;
}

static int note_symbol(struct start_search *f, const char *name, size_t size,
		       const GElf_Sym *sym)
{
	int err;

	/* All of Go's code has frame pointers: its goroutines begin in goexit(), its threads in
	 * mstart(), and where it switches stacks another one begins. */
	if (size > 8 && memcmp(name, "runtime.", 8) == 0)
		return add_start_range(f->to, sym->st_value, sym->st_size);
	for (size_t i = 0; i < sizeof(start_symbols) / sizeof(start_symbols[0]); i++) {
		if (size != start_symbols[i].size ||
		    name[0] != start_symbols[i].name[0] ||
		    memcmp(name, start_symbols[i].name, size) != 0)
			continue;
		err = start_symbols[i].referring == REFERS_BY_ADDRESS
			      ? 0
			      : add_start_range(f->to, sym->st_value, sym->st_size);
		if (err < 0 || !start_symbols[i].referring)
			return err;
		f->libc = true;
		/* pthread_create() has a function for it. */
		return add_referred(f, sym->st_value,
				    sym->st_size < BODY_MOST ? sym->st_size : BODY_MOST,
				    start_symbols[i].referring,
				    start_symbols[i].referring == REFERS_BY_ADDRESS);
	}
	return 0;
}

/* The table of that type. */
static int read_start_symbols(struct start_search *f, const struct object *o,
			      uint32_t type)
{
	struct names names = { 0 };
	struct section table;
	Elf_Data *symbols;
	GElf_Sym sym;
	int err;

	if (!section_of_type(o, type, &table))
		return 0;
	symbols = section_data(&table, SYMBOLS_MOST);
	if (!symbols || symbols->d_type != ELF_T_SYM)
		return 0;
	err = names_open(&names, o, table.header.sh_link);
	if (err < 0 || !names.size)
		return err;
	f->symbols |= type == SHT_SYMTAB;
	for (int i = 1; err == 0 && gelf_getsym(symbols, i, &sym); i++) {
		unsigned kind = GELF_ST_TYPE(sym.st_info);
		const char *name;
		size_t size;

		if (sym.st_shndx == SHN_UNDEF || sym.st_name >= names.size ||
		    (kind != STT_FUNC && kind != STT_NOTYPE))
			continue;
		name = names_at(&names, sym.st_name, &size);
		if (size)
			err = note_symbol(f, name, size, &sym);
	}
	names_release(&names);
	return err;
}

/* What the headers say of who is to start it. */
struct headers {
	uint64_t entry;
	bool program; /* it asks for a loader */
};

static bool read_headers(const struct object *o, struct headers *ret)
{
	enum { PARTS_MOST = 64, ENTRIES_MOST = 256 };
	bool is_32bit = gelf_getclass(o->elf) == ELFCLASS32, library = false;
	size_t size = is_32bit ? sizeof(Elf32_Dyn) : sizeof(Elf64_Dyn), count;
	GElf_Ehdr header;
	GElf_Phdr part;

	*ret = (struct headers){ 0 };
	if (!gelf_getehdr(o->elf, &header) || elf_getphdrnum(o->elf, &count) < 0)
		return false;
	ret->entry = header.e_entry;
	for (size_t i = 0; i < count && i < PARTS_MOST; i++) {
		if (!gelf_getphdr(o->elf, (int)i, &part))
			continue;
		ret->program |= part.p_type == PT_INTERP;
		if (part.p_type != PT_DYNAMIC)
			continue;
		for (size_t k = 0; k < part.p_filesz / size && k < ENTRIES_MOST; k++) {
			uint64_t at = part.p_offset + k * size, tag;
			Elf32_Dyn small;
			Elf64_Dyn entry;

			if (!object_read(o, at, is_32bit ? (void *)&small : &entry, size))
				break;
			tag = is_32bit ? le32toh((uint32_t)small.d_tag)
				       : le64toh((uint64_t)entry.d_tag);
			library |= tag == DT_SONAME;
			if (tag == DT_SONAME || tag == DT_NULL)
				break;
		}
	}
	/* Has it the name that libraries go by? Those of glibc ask for a loader as programs
	 * do. */
	ret->program &= !library;
	return true;
}

static int compare_starts(const void *a, const void *b)
{
	const struct address_range *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static int by_address(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void sort_starts(struct starts *s)
{
	size_t kept = 0;

	if (s->functions.count)
		qsort(s->functions.v, s->functions.count, sizeof(*s->functions.v),
		      by_address);
	if (!s->ranges.count)
		return;
	qsort(s->ranges.v, s->ranges.count, sizeof(*s->ranges.v), compare_starts);
	for (size_t i = 1; i < s->ranges.count; i++) {
		struct address_range *last = &s->ranges.v[kept];

		if (s->ranges.v[i].start > last->end)
			s->ranges.v[++kept] = s->ranges.v[i];
		else if (s->ranges.v[i].end > last->end)
			last->end = s->ranges.v[i].end;
	}
	s->ranges.count = kept + 1;
}

static int add_entry_point(struct start_search *f, const struct headers *h)
{
	uint64_t size = h->program ? ENTRY_SIZE : LOADER_ENTRY_SIZE, target;
	uint8_t code[ENTRY_SIZE];
	int err;

	if (!h->entry || !object_is_code(f->o, h->entry))
		return 0;
	err = add_start_range(f->to, h->entry, size);
	/* Symbols have said more. */
	if (f->symbols)
		return err;
	/* main() among them. */
	if (err == 0)
		err = add_referred(f, h->entry, ENTRY_SIZE, REFERS_BY_ADDRESS, 0);
	if (err < 0 || f->o->machine != EM_X86_64 || h->program)
		return err;
	/* A program that is linked statically calls __libc_start_main() by its address. */
	size = read_code_at(f->o, h->entry, code, sizeof(code));
	for (size_t at = 1; at + 4 <= size && err == 0; at++) {
		if (!is_near_call(code, at) ||
		    !find_target(f, code, at, h->entry, &target))
			continue;
		err = add_start(f->to, target);
		if (err == 0)
			err = add_referred(f, target, STATIC_BODY, REFERS_BY_CALL, 0);
	}
	return err;
}

int starts_find(const struct object *o, const struct object *debug, struct starts *ret)
{
	struct start_search f = { .o = o, .to = ret };
	struct headers h;
	int err;

	*ret = (struct starts){ 0 };
	if (!read_headers(o, &h))
		return 0;
	/* What a program exports is not the C library. */
	err = h.program && !object_is_go(o) ? 0 : read_start_symbols(&f, o, SHT_DYNSYM);
	/* Others than those that were found are none: it is no program that has the C library
	 * in it. */
	ret->known = !object_is_go(o) &&
		     (h.program || (f.libc ? f.referred : object_needs_others(o)));
	/* The whole table, which is large, where that does not do. */
	if (err == 0 && !ret->known)
		err = read_start_symbols(&f, o, SHT_SYMTAB);
	if (err == 0 && !ret->known && debug)
		err = read_start_symbols(&f, debug, SHT_SYMTAB);
	ret->known |= f.symbols;
	ret->libc = f.libc;
	if (err == 0)
		err = add_entry_point(&f, &h);
	sort_starts(ret);
	return err;
}

bool starts_contain(const struct starts *s, uint64_t address)
{
	size_t low = 0, high = s->ranges.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->ranges.v[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < s->ranges.count && s->ranges.v[low].start <= address;
}

bool starts_begin_between(const struct starts *s, uint64_t from, uint64_t to)
{
	for (size_t i = 0; i < s->functions.count; i++)
		if (s->functions.v[i] >= from && s->functions.v[i] <= to)
			return true;
	return false;
}
