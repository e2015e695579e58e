#ifndef TESTS_HERE_H
#define TESTS_HERE_H

#include <sys/utsname.h>
#include <unistd.h>

#include "find/process_file.h"
#include "timeline.h"
#include "unit/elf/elf_image.h"

/*
 * A recording of this machine, in which this process maps an object file, and what is found
 * of it. Zeroed where it is static, and made anew for each test.
 */
struct here {
	struct timeline t;
	struct elf_image e; /* to be written */
	struct search_dirs dirs;
	struct found f;
};

static inline void here_begin(struct here *h)
{
	struct utsname own;

	object_prepare();
	timeline_begin(&h->t);
	uname(&own);
	h->t.rec.host = name_id(&h->t, own.nodename);
	h->t.rec.kernel = name_id(&h->t, own.release);
	h->dirs = (struct search_dirs){ .build_id_dir = "", .debug_dir = "/nonexistent" };
	h->t.images.dirs = &h->dirs;
	image_begin(&h->e);
	image_code(&h->e, ".text", 0x1000, 0x100);
}

static inline void here_end(struct here *h)
{
	found_release(&h->f);
	if (*h->e.path)
		image_remove(&h->e);
	timeline_end(&h->t);
}

/* The record of this process's map of an open file at @start, as MMAP2 has it. */
static inline struct record here_record(struct here *h, int fd, uint64_t start,
					const char *name)
{
	struct record rec = { .time = 1,
			      .type = PERF_RECORD_MMAP,
			      .mode = MODE_USER,
			      .pid = (uint32_t)getpid(),
			      .tid = (uint32_t)getpid(),
			      .start = start,
			      .size = 0x1000,
			      .executable = true,
			      .name = name_id(&h->t, name) };
	struct file_id id;

	cr_assert(process_file_id(fd, &(struct file_id){ 0 }, &id));
	rec.maj = id.maj;
	rec.min = id.min;
	rec.ino = id.ino;
	return rec;
}

/* Into h->f, what is at @ip of this process. */
static inline void here_find(struct here *h, uint64_t ip)
{
	struct location p;

	cr_assert(location_of(&h->t, 1, (uint32_t)getpid(), ip, &p));
	found_release(&h->f);
	cr_assert_eq(
		image_find_object(&h->dirs, &h->t.images, p.image, NEED_SYMBOLS, &h->f),
		0);
}

#endif
