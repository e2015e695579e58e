#include "base/file.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "unit/limit.h"

enum { SIZE = 100000 };

static char path[64];
static struct context ctx;

static uint8_t byte_at(size_t i)
{
	return (uint8_t)(i * 7 + i / 256);
}

static void make_file(void)
{
	int fd;

	strcpy(path, "/tmp/flamefold-test-XXXXXX");
	fd = mkstemp(path);
	cr_assert_geq(fd, 0);
	for (size_t i = 0; i < SIZE; i++) {
		uint8_t byte = byte_at(i);

		cr_assert_eq(write(fd, &byte, 1), 1);
	}
	close(fd);
}

static void gzip_file(void)
{
	gzFile to = gzopen(path, "wb");

	for (size_t i = 0; i < SIZE; i++)
		gzputc(to, byte_at(i));
	cr_assert_eq(gzclose(to), Z_OK);
}

static void zstd_file(void)
{
	static uint8_t plain[SIZE], packed[2 * SIZE];
	FILE *to = fopen(path, "w");
	size_t size;

	for (size_t i = 0; i < SIZE; i++)
		plain[i] = byte_at(i);
	size = ZSTD_compress(packed, sizeof(packed), plain, SIZE, 3);
	cr_assert_eq(fwrite(packed, 1, size, to), size);
	fclose(to);
}

static void (*const pack_file[])(void) = { gzip_file, zstd_file };

static void remove_file(void)
{
	unlink(path);
}

static void check_bytes(const uint8_t *bytes, size_t from, size_t count)
{
	for (size_t i = 0; i < count; i++)
		cr_assert_eq(bytes[i], byte_at(from + i), "byte %zu", from + i);
}

Test(file, reads_what_is_there_and_says_how_much, .init = make_file, .fini = remove_file)
{
	struct file f = { 0 };
	uint8_t buf[100];
	size_t got;

	cr_assert_eq(file_open(&ctx, path, &f), 0);
	cr_assert_eq(f.size, SIZE);
	cr_assert_eq(
		file_read(&ctx, &f, (struct file_part){ 500, sizeof(buf) }, buf, &got),
		0);
	cr_assert_eq(got, sizeof(buf));
	check_bytes(buf, 500, got);
	cr_assert_eq(file_read(&ctx, &f, (struct file_part){ SIZE - 10, sizeof(buf) },
			       buf, &got),
		     0);
	cr_assert_eq(got, 10);
	cr_assert_eq(
		file_read(&ctx, &f, (struct file_part){ SIZE, sizeof(buf) }, buf, &got),
		0);
	cr_assert_eq(got, 0);
	cr_assert_eq(file_read(&ctx, &f,
			       (struct file_part){ UINT64_MAX - 4, sizeof(buf) }, buf,
			       &got),
		     0);
	cr_assert_eq(got, 0, "an offset that no file has");
	file_close(&f);
}

Test(file, one_that_cannot_be_opened_is_named_with_the_reason)
{
	struct file f = { 0 };

	cr_assert_eq(file_open(&ctx, "/nonexistent/file", &f), -ENOENT);
	cr_assert_str_eq(ctx.error,
			 "cannot open '/nonexistent/file': No such file or directory");
	cr_assert_eq(file_open(&ctx, "/", &f), -EISDIR);
	cr_assert(strstr(ctx.error, "'/'"));
	file_close(&f);
}

Test(file, what_cannot_be_read_twice_is_copied_and_reads_the_same, .init = make_file,
     .fini = remove_file)
{
	struct file f = { 0 };
	uint8_t buf[64];
	char command[200];
	char fifo[80];
	size_t got;

	snprintf(fifo, sizeof(fifo), "%s.fifo", path);
	cr_assert_eq(mkfifo(fifo, 0600), 0);
	snprintf(command, sizeof(command), "cat %s >%s &", path, fifo);
	cr_assert_eq(system(command), 0);
	cr_assert_eq(file_open(&ctx, fifo, &f), 0);
	unlink(fifo);
	cr_assert_eq(f.size, SIZE);
	for (int pass = 0; pass < 2; pass++) {
		cr_assert_eq(file_read(&ctx, &f, (struct file_part){ 70000, sizeof(buf) },
				       buf, &got),
			     0);
		cr_assert_eq(got, sizeof(buf));
		check_bytes(buf, 70000, got);
	}
	file_close(&f);
}

Test(file, one_that_is_cut_while_it_is_read_gives_fewer_bytes, .init = make_file,
     .fini = remove_file)
{
	struct file f = { 0 };
	uint8_t buf[100];
	size_t got;

	cr_assert_eq(file_open(&ctx, path, &f), 0);
	cr_assert_eq(truncate(path, 550), 0);
	cr_assert_eq(
		file_read(&ctx, &f, (struct file_part){ 500, sizeof(buf) }, buf, &got),
		0);
	cr_assert_eq(got, 50);
	file_close(&f);
}

Test(file, a_packed_one_reads_as_if_it_were_not)
{
	for (int kind = 0; kind < 2; kind++) {
		struct file f = { 0 };
		uint8_t buf[100];
		size_t got;

		make_file();
		pack_file[kind]();
		cr_assert_eq(file_open(&ctx, path, &f), 0);
		cr_assert(f.unpacker);
		cr_assert_eq(f.size, UINT64_MAX);
		for (uint64_t i = 0; i < 10; i++) {
			uint64_t at = SIZE - 50 - 9090 * i;

			cr_assert_eq(file_read(&ctx, &f,
					       (struct file_part){ at, sizeof(buf) }, buf,
					       &got),
				     0);
			cr_assert_eq(got, i == 0 ? 50 : sizeof(buf));
			check_bytes(buf, at, got);
			cr_assert_eq(f.size, SIZE);
		}
		cr_assert_eq(file_read(&ctx, &f, (struct file_part){ SIZE, sizeof(buf) },
				       buf, &got),
			     0);
		cr_assert_eq(got, 0);
		cr_assert_eq(file_read(&ctx, &f, (struct file_part){ UINT64_MAX, 9 }, buf,
				       &got),
			     0);
		cr_assert_eq(got, 0);
		cr_assert_null(file_damage(&f));
		file_close(&f);
		cr_assert_null(f.unpacker);
		remove_file();
	}
}

Test(file, a_packed_standard_input_is_unpacked_too, .init = make_file,
     .fini = remove_file)
{
	struct file f = { 0 };
	uint8_t buf[100];
	char command[100];
	FILE *pipe;
	size_t got;

	gzip_file();
	snprintf(command, sizeof(command), "cat %s", path);
	pipe = popen(command, "r");
	cr_assert(pipe);
	cr_assert_eq(dup2(fileno(pipe), STDIN_FILENO), STDIN_FILENO);
	cr_assert_eq(file_open(&ctx, "-", &f), 0);
	pclose(pipe);
	for (int pass = 0; pass < 2; pass++) {
		cr_assert_eq(file_read(&ctx, &f, (struct file_part){ 70000, sizeof(buf) },
				       buf, &got),
			     0);
		cr_assert_eq(got, sizeof(buf));
		check_bytes(buf, 70000, got);
	}
	file_close(&f);
}

Test(file, a_cut_packed_one_gives_what_is_there_and_says_what_is_wrong, .init = make_file,
     .fini = remove_file)
{
	static uint8_t buf[SIZE];
	struct file f = { 0 };
	struct stat st;
	size_t got;

	gzip_file();
	cr_assert_eq(stat(path, &st), 0);
	cr_assert_eq(truncate(path, st.st_size - 1), 0);
	cr_assert_eq(file_open(&ctx, path, &f), 0);
	cr_assert_null(file_damage(&f), "nothing was read yet");
	cr_assert_eq(file_read(&ctx, &f, (struct file_part){ 0, SIZE }, buf, &got), 0);
	cr_assert_eq(got, SIZE);
	check_bytes(buf, 0, SIZE);
	cr_assert_eq(file_read(&ctx, &f, (struct file_part){ SIZE, 1 }, buf, &got), 0);
	cr_assert_eq(got, 0);
	cr_assert_eq(f.size, SIZE);
	cr_assert_str_eq(file_damage(&f), "packed data ends early");
	file_close(&f);
}

static void *read_in_steps(void *arg)
{
	const struct file *f = arg;
	struct context own = { 0 };
	uint8_t buf[1234];
	size_t wrong = 0, got;

	for (int pass = 0; pass < 3; pass++)
		for (uint64_t at = 0; at < SIZE; at += got) {
			if (file_read(&own, f, (struct file_part){ at, sizeof(buf) }, buf,
				      &got) < 0 ||
			    !got)
				return "cannot read";
			for (size_t i = 0; i < got; i++)
				wrong += buf[i] != byte_at(at + i);
		}
	return wrong ? "wrong bytes" : NULL;
}

Test(file, a_shared_one_is_read_by_two_threads_and_closed_in_any_order)
{
	for (int kind = 0; kind < 6; kind++) {
		struct file f[2] = { 0 };
		pthread_t threads[2];

		make_file();
		if (kind < 4)
			pack_file[kind % 2]();
		cr_assert_eq(file_open(&ctx, path, &f[0]), 0);
		cr_assert_eq(file_share(&ctx, &f[0], &f[1]), 0);
		cr_assert_eq(f[1].size, f[0].size);
		for (int i = 0; i < 2; i++)
			pthread_create(&threads[i], NULL, read_in_steps, &f[i]);
		for (int i = 0; i < 2; i++) {
			void *wrong;

			pthread_join(threads[i], &wrong);
			cr_assert_null(wrong, "%s", (char *)wrong);
		}
		file_close(&f[kind / 2 % 2]);
		cr_assert_null(read_in_steps(&f[1 - kind / 2 % 2]));
		file_close(&f[1 - kind / 2 % 2]);
		remove_file();
	}
}

Test(file, what_cannot_be_shared_is_named_with_the_reason, .init = make_file,
     .fini = remove_file)
{
	struct file f = { 0 }, other = { 0 };

	cr_assert_eq(file_open(&ctx, path, &f), 0);
	close(f.fd);
	cr_assert_eq(file_share(&ctx, &f, &other), -EBADF);
	cr_assert(strstr(ctx.error, path));
	cr_assert_null(other.path);
}

Test(file, closing_a_zeroed_one_is_fine)
{
	struct file f = { 0 };

	file_close(&f);
	cr_assert_neq(fcntl(0, F_GETFD), -1, "descriptor 0 is still open");
}

Test(file, slurp_takes_all_of_a_file_with_a_nul_behind_it, .init = make_file,
     .fini = remove_file)
{
	char *bytes = NULL;
	size_t size = 0;

	cr_assert_eq(file_slurp(&ctx, path, SIZE, &bytes, &size), 0);
	cr_assert_eq(size, SIZE);
	check_bytes((uint8_t *)bytes, 0, size);
	cr_assert_eq(bytes[size], '\0');
	free(bytes);
}

Test(file, slurp_takes_a_file_that_does_not_know_its_size)
{
	char *bytes = NULL;
	size_t size = 0;

	cr_assert_eq(file_slurp(&ctx, "/proc/self/maps", 1 << 20, &bytes, &size), 0);
	cr_assert_eq(strlen(bytes), size);
	cr_assert(strstr(bytes, "[stack]"));
	free(bytes);
}

Test(file, slurp_refuses_more_than_was_asked_for, .init = make_file, .fini = remove_file)
{
	work_at_most(20);
	char *bytes = NULL;
	size_t size;

	cr_assert_eq(file_slurp(&ctx, path, SIZE - 1, &bytes, &size), -EFBIG);
	cr_assert_null(bytes);
	cr_assert_eq(file_slurp(&ctx, "/dev/zero", 1 << 20, &bytes, &size), -EFBIG);
	cr_assert(strstr(ctx.error, "/dev/zero"));
	cr_assert_eq(file_slurp(&ctx, "/nonexistent", 1, &bytes, &size), -ENOENT);
}

Test(window, gives_the_bytes_of_any_place_in_any_order, .init = make_file,
     .fini = remove_file)
{
	struct file f = { 0 };
	struct window w;
	const uint8_t *p;
	uint64_t place = 1;
	size_t got;

	cr_assert_eq(file_open(&ctx, path, &f), 0);
	cr_assert_eq(window_init(&w, &f, 4096), 0);
	for (int i = 0; i < 5000; i++) {
		size_t size;

		place = (place * 6364136223846793005u + 1442695040888963407u) % SIZE;
		size = (size_t)(place * 31 % 4096) + 1;
		cr_assert_eq(
			window_at(&ctx, &w, (struct file_part){ place, size }, &p, &got),
			0);
		cr_assert_eq(got, size < SIZE - place ? size : SIZE - place);
		check_bytes(p, place, got);
	}
	window_release(&w);
	file_close(&f);
}

Test(window, moving_forward_gives_every_byte_once, .init = make_file, .fini = remove_file)
{
	struct file f = { 0 };
	struct window w;
	const uint8_t *p;
	size_t got = 1;

	cr_assert_eq(file_open(&ctx, path, &f), 0);
	cr_assert_eq(window_init(&w, &f, 1000), 0);
	for (uint64_t at = 0; at < SIZE; at += got) {
		cr_assert_eq(window_at(&ctx, &w, (struct file_part){ at, 333 }, &p, &got),
			     0);
		cr_assert_eq(got, at + 333 <= SIZE ? 333 : SIZE - at);
		check_bytes(p, at, got);
	}
	cr_assert_eq(window_at(&ctx, &w, (struct file_part){ SIZE, 8 }, &p, &got), 0);
	cr_assert_eq(got, 0);
	cr_assert_eq(window_at(&ctx, &w, (struct file_part){ 0, 8 }, &p, &got), 0);
	cr_assert_eq(
		window_at(&ctx, &w, (struct file_part){ UINT64_MAX - 3, 8 }, &p, &got),
		0);
	cr_assert_eq(got, 0, "a place whose end is no number any more");
	window_release(&w);
	file_close(&f);
}

Test(window, moves_over_a_packed_file_as_over_a_plain_one)
{
	for (int kind = 0; kind < 2; kind++) {
		struct file f = { 0 };
		struct window w;
		const uint8_t *p;
		size_t got = 1;

		make_file();
		pack_file[kind]();
		cr_assert_eq(file_open(&ctx, path, &f), 0);
		cr_assert_eq(window_init(&w, &f, 1000), 0);
		for (uint64_t at = 0; at < SIZE; at += got) {
			cr_assert_eq(window_at(&ctx, &w, (struct file_part){ at, 333 },
					       &p, &got),
				     0);
			cr_assert_eq(got, at + 333 <= SIZE ? 333 : SIZE - at);
			check_bytes(p, at, got);
		}
		cr_assert_eq(window_at(&ctx, &w, (struct file_part){ SIZE, 8 }, &p, &got),
			     0);
		cr_assert_eq(got, 0);
		window_release(&w);
		file_close(&f);
		remove_file();
	}
}

/* Bytes that this process has asked the kernel for, of all files. */
static uint64_t bytes_read(void)
{
	unsigned long long bytes = 0;
	FILE *f = fopen("/proc/self/io", "r");

	if (f) {
		cr_assert_eq(fscanf(f, "rchar: %llu", &bytes), 1);
		fclose(f);
	}
	return bytes;
}

/* Whether the file system tells what it holds in memory. */
static bool tells(const struct file *f)
{
	uint8_t byte;
	size_t got;

	file_read_cached(f, 0, &byte, 1, &got);
	return got == 1;
}

/* Eight bytes in every @step; the bytes that were read for them. */
static uint64_t skim(const struct file *f, size_t step)
{
	uint64_t before = bytes_read();
	struct window w;
	const uint8_t *p;
	size_t got;

	cr_assert_eq(window_init(&w, f, 64 << 10), 0);
	for (uint64_t at = 0; at < SIZE; at += step) {
		window_skims(&w);
		cr_assert_eq(window_at(&ctx, &w, (struct file_part){ at, 8 }, &p, &got),
			     0);
		cr_assert_eq(got, at + 8 <= SIZE ? 8 : SIZE - at);
		check_bytes(p, at, got);
	}
	window_release(&w);
	return bytes_read() - before;
}

Test(window, skims_what_is_stepped_over, .init = make_file, .fini = remove_file)
{
	struct file f = { 0 };

	cr_assert_eq(file_open(&ctx, path, &f), 0);
	if (!tells(&f))
		cr_skip_test("the file system does not tell what it holds in memory");
	if (bytes_read() == 0)
		cr_skip_test("/proc/self/io cannot be read");
	cr_assert_lt(skim(&f, 16 << 10), SIZE / 4);
	cr_assert_lt(skim(&f, 8), 2 * SIZE);
	file_close(&f);
}

Test(window, reads_whole_pieces_again_where_nothing_is_stepped_over, .init = make_file,
     .fini = remove_file)
{
	struct file f = { 0 };
	struct window w;
	const uint8_t *p;
	size_t got = 1;

	cr_assert_eq(file_open(&ctx, path, &f), 0);
	cr_assert_eq(window_init(&w, &f, 16 << 10), 0);
	window_skims(&w);
	for (uint64_t at = 0; at < SIZE; at += got) {
		cr_assert_eq(window_at(&ctx, &w, (struct file_part){ at, 333 }, &p, &got),
			     0);
		cr_assert_eq(got, at + 333 <= SIZE ? 333 : SIZE - at);
		check_bytes(p, at, got);
		cr_assert(at < SIZE / 2 || w.reach == 16 << 10);
	}
	window_release(&w);
	file_close(&f);
}

Test(window, skims_to_any_size_that_fits, .init = make_file, .fini = remove_file)
{
	struct file f = { 0 };
	struct window w;
	const uint8_t *p;
	uint64_t place = 1;
	size_t got;

	cr_assert_eq(file_open(&ctx, path, &f), 0);
	cr_assert_eq(window_init(&w, &f, 4096), 0);
	for (int i = 0; i < 5000; i++) {
		size_t size;

		place = (place * 6364136223846793005u + 1442695040888963407u) % SIZE;
		size = (size_t)(place * 31 % 4096) + 1;
		if (i % 3)
			window_skims(&w);
		cr_assert_eq(
			window_at(&ctx, &w, (struct file_part){ place, size }, &p, &got),
			0);
		cr_assert_eq(got, size < SIZE - place ? size : SIZE - place);
		check_bytes(p, place, got);
	}
	window_release(&w);
	file_close(&f);
}

Test(window, skims_a_file_that_is_cut_meanwhile_to_its_new_end, .init = make_file,
     .fini = remove_file)
{
	struct file f = { 0 };
	struct window w;
	const uint8_t *p;
	size_t got;

	cr_assert_eq(file_open(&ctx, path, &f), 0);
	cr_assert_eq(window_init(&w, &f, 4096), 0);
	cr_assert_eq(truncate(path, SIZE / 2 + 3), 0);
	window_skims(&w);
	cr_assert_eq(window_at(&ctx, &w, (struct file_part){ SIZE / 2, 8 }, &p, &got), 0);
	cr_assert_eq(got, 3);
	check_bytes(p, SIZE / 2, got);
	window_skims(&w);
	cr_assert_eq(window_at(&ctx, &w, (struct file_part){ SIZE - 8, 8 }, &p, &got), 0);
	cr_assert_eq(got, 0);
	window_release(&w);
	file_close(&f);
}

Test(window, a_packed_file_is_not_skimmed)
{
	for (int kind = 0; kind < 2; kind++) {
		struct file f = { 0 };

		make_file();
		pack_file[kind]();
		cr_assert_eq(file_open(&ctx, path, &f), 0);
		cr_assert(!tells(&f));
		skim(&f, 5000);
		file_close(&f);
		remove_file();
	}
}

Test(file, one_of_a_memory_file_system_is_in_memory)
{
	struct file f = { 0 };
	uint8_t buf[100];
	char name[40];
	size_t got;
	int fd = memfd_create("file", MFD_CLOEXEC);

	cr_assert_geq(fd, 0);
	cr_assert_eq(write(fd, "12345", 5), 5);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	cr_assert_eq(file_open(&ctx, name, &f), 0);
	file_read_cached(&f, 1, buf, sizeof(buf), &got);
	cr_assert_eq(got, 4);
	cr_assert_eq(memcmp(buf, "2345", 4), 0);
	file_read_cached(&f, 5, buf, sizeof(buf), &got);
	cr_assert_eq(got, 0);
	file_close(&f);
	close(fd);
}

Test(file, what_goes_out_in_pieces_is_all_written)
{
	uint8_t bytes[3000], back[3000];
	int fd = memfd_create("file", MFD_CLOEXEC), full = open("/dev/full", O_WRONLY);

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = byte_at(i);
	cr_assert_geq(fd, 0);
	cr_assert(file_write(fd, bytes, sizeof(bytes)));
	cr_assert_eq(pread(fd, back, sizeof(back), 0), (ssize_t)sizeof(back));
	cr_assert_eq(memcmp(back, bytes, sizeof(back)), 0);
	cr_assert_geq(full, 0);
	errno = 0;
	cr_assert_not(file_write(full, bytes, sizeof(bytes)));
	cr_assert_eq(errno, ENOSPC);
	close(full);
	close(fd);
}
