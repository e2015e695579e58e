/*
 * What names of a kernel are read from. The first byte chooses: 0, a kallsyms, which may have
 * lines of /proc/modules, too; 1, a file that may be packed (a module): its symbols as a module's,
 * and what is packed in it (.gnu_debugdata); 2, an ELF file that is packed for it, so that what is
 * behind the checksums is reached, too; 3, a modules.dep.
 */
#include <lzma.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf/packed_object.h"
#include "elf/symtab.h"
#include "find/kernel.h"
#include "symbol/kallsyms.h"

static void check(bool fine)
{
	if (!fine)
		abort();
}

static int file_of(const void *bytes, size_t size, char path[32])
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	check(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
	snprintf(path, 32, "/proc/self/fd/%d", fd);
	return fd;
}

/* What every symbol table holds to, whatever the file says. */
static void check_symbols(const struct symtab *st)
{
	uint64_t end = 0;
	size_t size;

	for (size_t i = 0; i < st->symbols.count; i++) {
		const struct symbol *s = &st->symbols.v[i];

		check(s->start <= s->end);
		check(i == 0 || s[-1].start <= s->start);
		symtab_name(st, s, &size);
	}
	for (size_t i = 0; i < st->spans.list.count; i++) {
		const struct span *span = &st->spans.list.v[i];

		check(span->start >= end && span->start < span->end);
		check(span->id < st->symbols.count);
		end = span->end;
	}
}

static void read_symbols(const struct object *o)
{
	struct symtab st;

	if (symtab_read(&st, o, NULL) == 0) {
		check_symbols(&st);
		symtab_release(&st);
	}
	if (symtab_read_module(&st, o) == 0) {
		check_symbols(&st);
		symtab_release(&st);
	}
}

static void try_object(const char *path)
{
	struct context ctx = { 0 };
	struct object o, inner;

	if (packed_object_open(&ctx, path, &o) < 0)
		return;
	check(o.size <= PACKED_OBJECT_MOST);
	read_symbols(&o);
	if (packed_object_open_inner(&ctx, &o, "x", &inner) == 0) {
		read_symbols(&inner);
		object_close(&inner);
	}
	object_close(&o);
}

static void try_packed(const uint8_t *data, size_t size)
{
	size_t room = lzma_stream_buffer_bound(size), made = 0;
	uint8_t *packed = malloc(room);
	char path[32];
	int fd;

	check(packed && lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, NULL, data, size,
						packed, &made, room) == LZMA_OK);
	fd = file_of(packed, made, path);
	try_object(path);
	close(fd);
	free(packed);
}

static void try_kallsyms(const char *path)
{
	struct context ctx = { 0 };
	struct kallsyms k;

	if (kallsyms_read(&ctx, path, &k) < 0)
		return;
	check(k.modules.count > 0);
	check(kallsyms_read_modules(&k, path) == 0);
	for (size_t i = 0; i < k.modules.count; i++) {
		const struct kallsyms_module *m = &k.modules.v[i];

		check_symbols(&m->symbols);
		check(kallsyms_module(&k, m->name, m->size) == m);
	}
	kallsyms_release(&k);
}

static char directory[] = "/tmp/fuzz-XXXXXX";

static void clean(void)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/lib/modules/1/modules.dep", directory);
	for (char *end = path + strlen(path); end; end = strrchr(path, '/')) {
		*end = '\0';
		if (strlen(path) < strlen(directory))
			break;
		remove(path);
	}
}

static void try_modules_dep(const uint8_t *data, size_t size)
{
	struct search_dirs dirs = { .symfs = directory, .build_id_dir = "" };
	struct wanted_kernel wanted = { .module = "[x]",
					.build_id =
						(const uint8_t *)"0123456789abcdefghij",
					.build_id_size = 20,
					.release = "1" };
	char path[64];
	struct found f;
	FILE *out;

	if (strstr(directory, "XXXXXX")) {
		check(mkdtemp(directory) != NULL);
		atexit(clean);
		for (size_t i = 0; i < 3; i++) {
			static const char *const parts[] = { "lib", "lib/modules",
							     "lib/modules/1" };

			snprintf(path, sizeof(path), "%s/%s", directory, parts[i]);
			check(mkdir(path, 0700) == 0);
		}
	}
	snprintf(path, sizeof(path), "%s/lib/modules/1/modules.dep", directory);
	out = fopen(path, "w");
	check(out && fwrite(data, 1, size, out) == size && fclose(out) == 0);
	check(find_kernel_file(&dirs, &wanted, &f) == 0);
	check(!f.object.elf);
	found_release(&f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[32];
	int fd;

	if (size == 0)
		return 0;
	object_prepare();
	fd = file_of(data + 1, size - 1, path);
	switch (*data & 3) {
	case 0:
		try_kallsyms(path);
		break;
	case 1:
		try_object(path);
		break;
	case 2:
		try_packed(data + 1, size - 1);
		break;
	case 3:
		try_modules_dep(data + 1, size - 1);
		break;
	}
	close(fd);
	return 0;
}
