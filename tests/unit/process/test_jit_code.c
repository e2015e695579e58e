/* Code of a runtime that comes to be known after samples of that time were asked for. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "timeline.h"

enum { PID = 7, CODE = 0x70000, SIZE = 16, MONOTONIC = 1 };

/* A growing timeline in which a process has a jitdump. */
struct running {
	struct timeline t;
	struct search_dirs dirs;
	struct event event;
	char dir[32], path[64];
	int dump;
};

static void put(struct running *r, const void *bytes, size_t size)
{
	cr_assert_eq(write(r->dump, bytes, size), (ssize_t)size);
}

static void put_header(struct running *r)
{
	const struct {
		uint32_t magic, version, size, machine, padding, pid;
		uint64_t time, flags;
	} header = { 0x4a695444, 1, 40, 62, 0, PID, 1, 0 };

	put(r, &header, sizeof(header));
}

static void put_code(struct running *r, uint64_t time, uint64_t index)
{
	const struct {
		uint32_t type, size;
		uint64_t time;
		uint32_t pid, tid;
		uint64_t address, start, size_of_code, index;
		char name[8], code[SIZE];
	} load = { 0,	 sizeof(load), time,  PID,    PID,   CODE,
		   CODE, SIZE,	       index, "made", "code" };

	put(r, &load, sizeof(load));
}

static void begin(struct running *r)
{
	*r = (struct running){ .dir = "/tmp/flamefold-XXXXXX" };
	cr_assert_not_null(mkdtemp(r->dir));
	snprintf(r->path, sizeof(r->path), "%s/jit-%d.dump", r->dir, PID);
	r->dump = open(r->path, O_CREAT | O_WRONLY, 0600);
	cr_assert_geq(r->dump, 0);
	put_header(r);
	grow(&r->t);
	r->dirs = (struct search_dirs){ .build_id_dir = "", .map_dir = r->dir };
	r->t.images.dirs = &r->dirs;
	r->event.clock = MONOTONIC;
	*array_add(&r->t.rec.events) = r->event;
	comm(&r->t, 1, PID, PID, "runtime", NO_EXEC);
	map(&r->t, 5, PID, 0x1000, 0x1000, 0, r->path);
	map(&r->t, 10, PID, CODE, 0x1000, 0, "//anon");
}

static void end(struct running *r)
{
	array_release(&r->t.rec.events);
	timeline_end(&r->t);
	close(r->dump);
	unlink(r->path);
	rmdir(r->dir);
}

static struct space space_at(struct running *r, uint64_t time)
{
	struct space space;

	processes_space(r->t.ps, PID, time, &space);
	return space;
}

static enum image_kind kind_at(struct running *r, uint64_t time)
{
	struct location location;

	cr_assert(location_of(&r->t, time, PID, CODE + 4, &location));
	return r->t.images.list.v[location.image].kind;
}

/* Runtimes write their dump when a buffer is full. */
Test(jit_code, that_is_older_than_the_newest_map_makes_another_while_of_its_time)
{
	struct space before, after;
	struct running r;

	begin(&r);
	map(&r.t, 30, PID, 0x2000, 0x1000, 0, "/lib");
	before = space_at(&r, 40);
	cr_assert_eq(kind_at(&r, 40), IMAGE_ANON);
	put_code(&r, 20, 1);
	cr_assert_eq(processes_forget(r.t.ps, 0), 0);
	after = space_at(&r, 40);
	cr_assert_eq(kind_at(&r, 40), IMAGE_JIT);
	cr_assert_neq(after.epoch, before.epoch);
	cr_assert_neq(after.layout, before.layout);
	cr_assert_eq(kind_at(&r, 15), IMAGE_ANON, "before it was made");
	end(&r);
}

Test(jit_code, that_is_older_than_other_code_makes_other_whiles_of_all_later_ones)
{
	static const uint64_t times[] = { 25, 35, 45 };
	struct space before[3];
	struct running r;

	begin(&r);
	map(&r.t, 30, PID, 0x2000, 0x1000, 0, "/lib");
	put_code(&r, 40, 1);
	cr_assert_eq(processes_forget(r.t.ps, 0), 0);
	for (int i = 0; i < 3; i++)
		before[i] = space_at(&r, times[i]);
	put_code(&r, 20, 2);
	cr_assert_eq(processes_forget(r.t.ps, 0), 0);
	for (int i = 0; i < 3; i++) {
		struct space after = space_at(&r, times[i]);

		cr_assert_neq(after.epoch, before[i].epoch, "at %lu",
			      (unsigned long)times[i]);
		cr_assert_neq(after.layout, before[i].layout);
	}
	end(&r);
}
