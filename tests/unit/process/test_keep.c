#include "process/keep.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "here.h"

static struct here h;

static void begin(void)
{
	here_begin(&h);
	image_write(&h.e);
}

static void end(void)
{
	here_end(&h);
}

TestSuite(keep, .init = begin, .fini = end);

/* A file that is mapped at 0x10000. */
static struct record record_of(const char *path)
{
	int fd = open(path, O_RDONLY);
	struct record rec = here_record(&h, fd, 0x10000, path);

	close(fd);
	return rec;
}

static int keep(const struct record *rec)
{
	return images_keep(&h.t.images, rec);
}

static void find(const struct record *rec)
{
	apply(&h.t, *rec);
	here_find(&h, rec->start);
}

Test(keep, a_file_is_found_when_it_is_deleted)
{
	struct record rec = record_of(h.e.path);

	cr_assert_eq(keep(&rec), 1);
	unlink(h.e.path);
	find(&rec);
	cr_assert_not_null(h.f.object.elf, "%s", h.f.problem.bytes);
	cr_assert_eq(strncmp(h.f.file.bytes, "/proc/self/fd/", 14), 0, "%s",
		     h.f.file.bytes);
}

Test(keep, a_file_is_found_when_another_one_has_its_path)
{
	struct record rec = record_of(h.e.path);
	struct stat held, found;

	cr_assert_eq(stat(h.e.path, &held), 0);
	cr_assert_eq(keep(&rec), 1);
	unlink(h.e.path);
	image_code(&h.e, ".more", 0x3000, 0x100);
	{
		int fd = open(h.e.path, O_CREAT | O_WRONLY, 0600);

		cr_assert_eq(write(fd, h.e.bytes, h.e.size), (ssize_t)h.e.size);
		close(fd);
	}
	find(&rec);
	cr_assert_not_null(h.f.object.elf, "%s", h.f.problem.bytes);
	cr_assert_eq(fstat(h.f.object.fd, &found), 0);
	cr_assert_eq(found.st_ino, held.st_ino);
}

Test(keep, where_the_path_leads_to_it_that_is_used)
{
	struct record rec = record_of(h.e.path);

	cr_assert_eq(keep(&rec), 1);
	find(&rec);
	cr_assert_str_eq(h.f.file.bytes, h.e.path);
}

Test(keep, a_file_is_opened_once)
{
	struct record rec = record_of(h.e.path);

	cr_assert_eq(keep(&rec), 1);
	cr_assert_eq(keep(&rec), 0);
	rec.start = 0x50000;
	rec.pid = 1;
	cr_assert_eq(keep(&rec), 0);
}

Test(keep, what_is_no_program_is_passed_over)
{
	struct record rec = record_of(h.e.path);
	static const char *const names[] = { "//anon", "[vdso]", "/dev/zero (deleted)",
					     "/SYSV00000000 (deleted)" };

	/* The first word of code of a runtime is news, for its map may come. */
	rec.name = name_id(&h.t, names[0]);
	cr_assert_eq(keep(&rec), 1);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		rec.name = name_id(&h.t, names[i]);
		cr_assert_eq(keep(&rec), 0, "%s", names[i]);
	}
	rec.name = name_id(&h.t, h.e.path);
	rec.executable = false;
	cr_assert_eq(keep(&rec), 0);
	rec.executable = true;
	rec.mode = MODE_KERNEL;
	cr_assert_eq(keep(&rec), 0);
	rec.mode = MODE_USER;
	rec.type = PERF_RECORD_COMM;
	cr_assert_eq(keep(&rec), 0);
}

static size_t open_files(void)
{
	size_t count = 0;

	for (int fd = 0; fd < 1000; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

Test(keep, files_that_are_no_objects_and_pipes_are_not_held)
{
	char path[64], fifo[80];
	struct record rec;
	size_t before = open_files();

	write_temporary(path, "no ELF", 6);
	rec = record_of(path);
	cr_assert_geq(keep(&rec), 0);
	snprintf(fifo, sizeof(fifo), "%s.fifo", path);
	cr_assert_eq(mkfifo(fifo, 0600), 0);
	rec.name = name_id(&h.t, fifo);
	cr_assert_geq(keep(&rec), 0, "and does not wait for a writer");
	cr_assert_eq(open_files(), before);
	unlink(path);
	unlink(fifo);
}

/* Of more files than may be open, those that can be found again make room. */
Test(keep, the_limit_of_open_files_is_kept)
{
	struct rlimit limit = { 200, 200 };
	struct record deleted = record_of(h.e.path), rec;
	char path[64];

	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	cr_assert_eq(keep(&deleted), 1);
	unlink(h.e.path);
	for (int i = 0; i < 400; i++) {
		write_temporary(path, h.e.bytes, h.e.size);
		rec = record_of(path);
		cr_assert_geq(keep(&rec), 0);
		if (i < 300)
			unlink(path);
	}
	cr_assert_leq(open_files(), 150);
	find(&deleted);
	cr_assert_not_null(h.f.object.elf, "the oldest is still held");
}

/* Those that nobody can find again are for the caller to name. */
Test(keep, the_oldest_go_when_they_have_been_named)
{
	struct rlimit limit = { 100, 100 };
	struct record first, rec;
	char path[64];
	size_t most = 0;

	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	for (int i = 0; i < 400; i++) {
		write_temporary(path, h.e.bytes, h.e.size);
		rec = record_of(path);
		rec.time = (uint64_t)i + 1;
		if (i == 0)
			first = rec;
		cr_assert_eq(keep(&rec), 1, "file %d has no room", i);
		unlink(path);
		if (open_files() > most)
			most = open_files();
		if (images_over_limit(&h.t.images))
			images_close_oldest(&h.t.images, rec.time - 1);
	}
	cr_assert_leq(most, 60);
	cr_assert_eq(images_refused(&h.t.images), 0);
	rec.time = first.time;
	find(&rec);
	cr_assert_not_null(h.f.object.elf, "the newest is held");
	found_release(&h.f);
	find(&first);
	cr_assert_null(h.f.object.elf, "the oldest is not");
}

Test(keep, what_had_no_room_and_is_gone_is_counted)
{
	struct rlimit limit = { 60, 60 };
	struct record rec;
	char path[64];
	size_t refused = 0;

	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	for (int i = 0; i < 100; i++) {
		int kept;

		write_temporary(path, h.e.bytes, h.e.size);
		rec = record_of(path);
		rec.time = 7;
		kept = keep(&rec);
		refused += kept == 0;
		unlink(path);
	}
	cr_assert_gt(refused, 50);
	images_close_oldest(&h.t.images, 6);
	cr_assert_eq(images_refused(&h.t.images), refused);
}

/* As where this user may not look at map_files: the path is all there is. */
Test(keep, another_file_with_the_path_is_not_held)
{
	struct record rec = record_of(h.e.path);
	size_t before = open_files();

	rec.ino++;
	cr_assert_geq(keep(&rec), 0);
	cr_assert_eq(open_files(), before);
	rec.ino--;
	cr_assert_geq(keep(&rec), 0);
	cr_assert_eq(open_files(), before + 1);
}

/* Holes, so that it costs nothing here. */
Test(keep, deleted_files_do_not_fill_the_disk)
{
	struct record rec[3];
	char path[64];

	for (int i = 0; i < 3; i++) {
		write_temporary(path, h.e.bytes, h.e.size);
		cr_assert_eq(truncate(path, 500 << 20), 0);
		rec[i] = record_of(path);
		cr_assert_eq(keep(&rec[i]), 1);
		unlink(path);
	}
	cr_assert_not(images_over_limit(&h.t.images));
	for (int i = 0; i < 16; i++)
		cr_assert_eq(images_keep_maps(&h.t.images), 0);
	cr_assert(images_over_limit(&h.t.images));
	images_close_oldest(&h.t.images, 1);
	cr_assert_not(images_over_limit(&h.t.images));
	find(&rec[2]);
	cr_assert_not_null(h.f.object.elf, "the newest is held");
	found_release(&h.f);
	find(&rec[0]);
	cr_assert_null(h.f.object.elf, "the oldest is not");
}

/* The map of a process that is in a place only that process has. */
Test(keep, a_map_is_read_when_its_process_and_place_are_gone)
{
	char directory[] = "/tmp/flamefold-test-XXXXXX", path[80];
	struct record rec = { .time = 1,
			      .type = PERF_RECORD_MMAP,
			      .mode = MODE_USER,
			      .pid = (uint32_t)getpid(),
			      .tid = (uint32_t)getpid(),
			      .start = 0x10000,
			      .size = 0x1000,
			      .executable = true };
	struct jit_file map = { .fd = -1 };
	struct location p;
	char line[8] = "";

	cr_assert_not_null(mkdtemp(directory));
	h.dirs.map_dir = directory;
	rec.name = name_id(&h.t, "//anon");
	apply(&h.t, rec);
	cr_assert(location_of(&h.t, 1, rec.pid, rec.start, &p));
	cr_assert_eq(images_keep_maps(&h.t.images), 0);
	cr_assert_eq(image_open_kept_map(&h.t.images, p.image, &map), 0);
	cr_assert_eq(map.fd, -1, "it is not there yet");
	snprintf(path, sizeof(path), "%s/perf-%d.map", directory, getpid());
	{
		int fd = open(path, O_CREAT | O_WRONLY, 0600);

		cr_assert_eq(write(fd, "1 2 f\n", 6), 6);
		close(fd);
	}
	cr_assert_eq(images_keep_maps(&h.t.images), 0);
	unlink(path);
	rmdir(directory);
	cr_assert_eq(images_keep_maps(&h.t.images), 0);
	for (int i = 0; i < 2; i++) {
		cr_assert_eq(image_open_kept_map(&h.t.images, p.image, &map), 0);
		cr_assert_eq(pread(map.fd, line, 6, 0), 6);
		cr_assert_str_eq(line, "1 2 f\n");
		cr_assert_str_eq(map.path.bytes, path);
		jit_file_close(&map);
	}
}

/* A process in a mount namespace with a /tmp of its own, which does what it is told by bytes:
 * 'w' writes its map, 'd' deletes it; it ends with its pipe. */
struct loner {
	pid_t pid;
	int orders, answers;
};

static void obey(int orders, int answers)
{
	char path[40], order = 'n';

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	if (unshare(CLONE_NEWNS) < 0 ||
	    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("none", "/tmp", "tmpfs", 0, NULL) < 0)
		order = 'x';
	while (write(answers, &order, 1) == 1 && read(orders, &order, 1) == 1) {
		int fd = order == 'w' ? open(path, O_CREAT | O_WRONLY, 0600) : -1;

		if (order == 'd')
			unlink(path);
		if (fd >= 0 && write(fd, "1 2 f\n", 6) == 6)
			close(fd);
	}
	_exit(0);
}

static char answer_of(const struct loner *l)
{
	char answer = 0;

	cr_assert_eq(read(l->answers, &answer, 1), 1);
	return answer;
}

static void order(const struct loner *l, char what)
{
	cr_assert_eq(write(l->orders, &what, 1), 1);
	cr_assert_eq(answer_of(l), what);
}

static struct loner begin_loner(void)
{
	int to[2], from[2];
	struct loner l;

	cr_assert_eq(pipe(to) | pipe(from), 0);
	l.pid = fork();
	if (l.pid == 0) {
		close(to[1]);
		obey(to[0], from[1]);
	}
	close(to[0]);
	close(from[1]);
	l.orders = to[1];
	l.answers = from[0];
	if (answer_of(&l) == 'x')
		cr_skip("no mount namespace can be made");
	return l;
}

static void end_loner(struct loner *l)
{
	close(l->orders);
	close(l->answers);
	cr_assert_eq(waitpid(l->pid, NULL, 0), l->pid);
}

static struct record code_of(const struct loner *l, uint64_t time)
{
	struct timespec t;

	/* A process that began long after that would be another one. */
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (struct record){ .time = (uint64_t)t.tv_sec * 1000000000 + time,
				.type = PERF_RECORD_MMAP,
				.mode = MODE_USER,
				.pid = (uint32_t)l->pid,
				.tid = (uint32_t)l->pid,
				.start = 0x10000,
				.size = 0x1000,
				.executable = true,
				.name = name_id(&h.t, "//anon") };
}

static void check_map(const struct loner *l, const struct record *rec, bool wanted)
{
	struct jit_file map = { .fd = -1 };
	char line[8] = "", path[64];
	struct location p;

	apply(&h.t, *rec);
	cr_assert(location_of(&h.t, rec->time, rec->pid, rec->start, &p));
	cr_assert_eq(image_open_kept_map(&h.t.images, p.image, &map), 0);
	if (!wanted) {
		cr_assert_eq(map.fd, -1);
		return;
	}
	cr_assert_eq(pread(map.fd, line, 6, 0), 6);
	cr_assert_str_eq(line, "1 2 f\n");
	snprintf(path, sizeof(path), "/proc/%d/root/tmp/perf-%d.map", l->pid, l->pid);
	cr_assert_str_eq(map.path.bytes, path);
	jit_file_close(&map);
}

Test(keep, a_map_that_is_written_late_in_a_place_that_is_gone_is_read)
{
	struct loner l = begin_loner();
	struct record rec = code_of(&l, 1);

	cr_assert_eq(keep(&rec), 1);
	cr_assert_eq(keep(&rec), 0, "it is held once");
	order(&l, 'w');
	end_loner(&l);
	/* No second has gone by. */
	check_map(&l, &rec, true);
	cr_assert_eq(images_keep_maps(&h.t.images), 0);
	check_map(&l, &rec, true);
}

Test(keep, a_map_that_is_deleted_where_only_its_process_could_see_it_is_read)
{
	struct loner l = begin_loner();
	struct record rec = code_of(&l, 1);

	keep(&rec);
	images_look_for_maps(&h.t.images);
	order(&l, 'w');
	images_look_for_maps(&h.t.images);
	order(&l, 'd');
	end_loner(&l);
	check_map(&l, &rec, true);
}

Test(keep, a_place_without_a_map_is_let_go_of_when_its_process_has_ended)
{
	struct loner l = begin_loner();
	struct record rec = code_of(&l, 1);

	keep(&rec);
	end_loner(&l);
	cr_assert_eq(images_keep_maps(&h.t.images), 0);
	check_map(&l, &rec, false);
}

Test(keep, a_child_and_a_new_program_have_places_of_their_own)
{
	struct loner parent = begin_loner(), child = begin_loner();
	struct record code = code_of(&parent, 1), exec = code, fork;

	keep(&code);
	fork = (struct record){ .time = code.time + 1,
				.type = PERF_RECORD_FORK,
				.pid = (uint32_t)child.pid,
				.tid = (uint32_t)child.pid,
				.ppid = (uint32_t)parent.pid,
				.ptid = (uint32_t)parent.pid };
	cr_assert_eq(keep(&fork), 1);
	exec.type = PERF_RECORD_COMM;
	exec.exec = true;
	cr_assert_eq(keep(&exec), 0);
	cr_assert_eq(keep(&code), 1);
	order(&child, 'w');
	end_loner(&child);
	end_loner(&parent);
	code = code_of(&child, 3);
	check_map(&child, &code, true);
}

Test(keep, the_tmp_that_everybody_has_is_not_held)
{
	struct record rec = { .time = 1,
			      .type = PERF_RECORD_MMAP,
			      .mode = MODE_USER,
			      .pid = (uint32_t)getpid(),
			      .tid = (uint32_t)getpid(),
			      .start = 0x10000,
			      .size = 0x1000,
			      .executable = true,
			      .name = name_id(&h.t, "//anon") };
	int before = dup(0), after;

	close(before);
	keep(&rec);
	after = dup(0);
	close(after);
	cr_assert_eq(after, before);
	rec.name = name_id(&h.t, "[vdso]");
	rec.pid = rec.tid = 1;
	cr_assert_eq(keep(&rec), 0, "the kernel's page is no code of a runtime");
}
