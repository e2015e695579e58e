/*
 * Gives the library input that nobody meant: every case must end with a profile or
 * with a sentence, in time, in little memory, and with nothing lost unseen.
 *
 *	replay files FILE...		each file as it is
 *	replay cuts FILE...		cut at every byte of the first 4 KiB and in and at
 *					every record
 *	replay fields FILE...		every number of header and attributes set to odd values
 *	replay mutations COUNT FILE...	COUNT random changes of each, the same ones every time
 *	replay itself FILE		three cases that must be found to be wrong
 *
 * AS=pipe		each case comes through a pipe, and is read once
 * AS=directory		FILE is one of those of a directory: the others stay as they are
 * AS=packed		each case is packed with zstd
 * AS=compressed	FILE is in pipe format: what follows its attributes is packed into
 *			COMPRESSED records, so that damage is behind the packing
 *
 * Cases run in children, many in one; the parent sees which one was the last. Exit 1
 * and one line for each case that went wrong. LIMIT=SECONDS (default 5) for one case.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <flamefold.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zstd.h>

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif

enum {
	BATCH = 200, /* cases of one child */
	MEMORY_KIB =
		200 *
		1024, /* most memory of a child; not where a sanitizer takes its own */
	FIRST_BYTES = 4096,
	HEADER = 104,
	PIPE_HEADER = 16,
	PIPE_ROOM = 1 << 20,
	COMPRESSED = 81,
	COMPRESSED_MOST = 60000,
};

struct bytes {
	uint8_t *p;
	size_t size;
};

/* What is made of one file: @count cases; make(i) fills @out, which has room enough. */
struct plan {
	const char *name;
	struct bytes file;
	size_t count;
	void (*make)(const struct plan *plan, size_t i, struct bytes *out);
	size_t *places; /* cuts, or offsets of fields */
	size_t place_count;
};

/* What a case goes through before it is read. */
static enum form { AS_IT_IS, AS_PIPE, AS_DIRECTORY, AS_PACKED, AS_COMPRESSED } form;
static const char *const forms[] = { "", "pipe", "directory", "packed", "compressed" };

static volatile size_t *running; /* the case a child is at: shared with the parent */
static unsigned limit = 5;

static void say(const struct plan *plan, size_t i, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	printf("%s: case %zu: ", plan->name, i);
	vprintf(format, args);
	printf("\n");
	fflush(stdout);
	va_end(args);
}

/* A failure has to explain itself in one line. */
static bool explained(const struct ff_profile *p)
{
	const char *error = ff_profile_error(p);

	return strlen(error) > 5 && !strchr(error, '\n');
}

static bool conserved(const struct ff_profile *p)
{
	return ff_profile_total(p, FF_TOTAL_WEIGHT_READ) ==
	       ff_profile_total(p, FF_TOTAL_WEIGHT_TREE) +
		       ff_profile_total(p, FF_TOTAL_WEIGHT_LOST_EVENT) +
		       ff_profile_total(p, FF_TOTAL_WEIGHT_LOST_FILTER) +
		       ff_profile_total(p, FF_TOTAL_WEIGHT_LOST_DAMAGED);
}

/* NULL, or what is wrong. */
static const char *judge(const char *path, FILE *sink)
{
	struct ff_options options = FF_OPTIONS_INIT;
	const char *wrong = NULL;
	struct ff_profile *p;
	int err;

	options.symfs =
		"/nonexistent"; /* names in the file are no names of this machine */
	options.kallsyms = "/dev/null";
	options.threads = 2;
	err = ff_profile_new(&p, &options);
	if (err < 0)
		return "no profile";
	err = ff_profile_read(p, path);
	if (err == 0)
		err = ff_profile_finish(p);
	if (err == 0 && !conserved(p))
		wrong = "what was read is neither in the tree nor lost";
	if (err == 0)
		err = ff_write_folded(p, sink);
	if (err < 0 && !explained(p))
		wrong = "failed without a sentence";
	ff_profile_free(p);
	return wrong;
}

static int memory_file(const struct bytes *b)
{
	int fd = memfd_create("case", MFD_CLOEXEC);

	if (fd < 0 || write(fd, b->p, b->size) != (ssize_t)b->size)
		exit(3);
	return fd;
}

/* The end of a pipe that holds all of it. */
static int piped_file(const struct bytes *b)
{
	size_t size = b->size < PIPE_ROOM ? b->size : PIPE_ROOM;
	int ends[2];

	if (pipe(ends) < 0 || fcntl(ends[1], F_SETPIPE_SZ, PIPE_ROOM) < 0 ||
	    write(ends[1], b->p, size) != (ssize_t)size)
		exit(3);
	close(ends[1]);
	return ends[0];
}

static void pack(const struct bytes *from, struct bytes *to)
{
	size_t room = ZSTD_compressBound(from->size);

	to->p = malloc(room);
	if (!to->p)
		exit(3);
	to->size = ZSTD_compress(to->p, room, from->p, from->size, 1);
	if (ZSTD_isError(to->size))
		exit(3);
}

static struct bytes compressed(const struct plan *plan, const struct bytes *b);

static int write_case(const struct plan *plan, const struct bytes *b)
{
	struct bytes packed = { 0 };
	int fd;

	if (form == AS_PIPE)
		return piped_file(b);
	if (form == AS_PACKED)
		pack(b, &packed);
	else if (form == AS_COMPRESSED)
		packed = compressed(plan, b);
	fd = memory_file(packed.p ? &packed : b);
	free(packed.p);
	return fd;
}

/* A directory like the one the plan's file is in, but for this file. */
static void make_directory(const struct plan *plan, const char *directory,
			   const char *path)
{
	char *original = realpath(plan->name, NULL), *slash;
	char to[4096];
	struct dirent *e;
	DIR *d;

	slash = original ? strrchr(original, '/') : NULL;
	if (!slash)
		exit(3);
	*slash = '\0';
	d = opendir(original);
	while (d && (e = readdir(d))) {
		char from[4096];

		if (e->d_name[0] == '.')
			continue;
		snprintf(from, sizeof(from), "%s/%s", original, e->d_name);
		snprintf(to, sizeof(to), "%s/%s", directory, e->d_name);
		if (symlink(strcmp(e->d_name, slash + 1) == 0 ? path : from, to) < 0)
			exit(3);
	}
	if (d)
		closedir(d);
	free(original);
}

static void remove_directory(const char *directory)
{
	char path[4096];
	struct dirent *e;
	DIR *d = opendir(directory);

	while (d && (e = readdir(d))) {
		snprintf(path, sizeof(path), "%s/%s", directory, e->d_name);
		unlink(path);
	}
	if (d)
		closedir(d);
	rmdir(directory);
}

static const char *run_case(const struct plan *plan, const struct bytes *b, FILE *sink)
{
	char directory[] = "replay-XXXXXX";
	const char *wrong;
	char path[32];
	int fd = write_case(plan, b);

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (form == AS_DIRECTORY) {
		if (!mkdtemp(directory))
			exit(3);
		make_directory(plan, directory, path);
		wrong = judge(directory, sink);
		remove_directory(directory);
	} else {
		wrong = judge(path, sink);
	}
	close(fd);
	return wrong;
}

/* In a child: the cases from @first on. Its exit status is that of the whole batch. */
static void run_batch(const struct plan *plan, size_t first)
{
	struct bytes out = { malloc(2 * plan->file.size + FIRST_BYTES), 0 };
	FILE *sink = fopen("/dev/null", "w");
	int status = 0;

	if (!out.p || !sink)
		exit(3);
	for (size_t i = first; i < plan->count && i < first + BATCH; i++) {
		struct itimerval timer = { .it_value.tv_sec = limit };
		const char *wrong;

		*running = i;
		setitimer(ITIMER_REAL, &timer, NULL);
		plan->make(plan, i, &out);
		wrong = run_case(plan, &out, sink);
		if (wrong) {
			say(plan, i, "%s", wrong);
			status = 1;
		}
	}
	free(out.p);
	fclose(sink);
	exit(status);
}

static bool too_large(const struct rusage *usage)
{
#ifdef __SANITIZE_ADDRESS__
	(void)usage;
	return false;
#else
	return usage->ru_maxrss > MEMORY_KIB;
#endif
}

/* How many went wrong. */
static size_t run_plan(const struct plan *plan)
{
	size_t wrong = 0, next = 0;

	while (next < plan->count) {
		struct rusage usage;
		int status;
		pid_t pid;

		fflush(stdout);
		pid = fork();
		if (pid < 0)
			exit(3);
		if (pid == 0)
			run_batch(plan, next);
		if (wait4(pid, &status, 0, &usage) != pid)
			exit(3);
		next += BATCH;
		if (WIFSIGNALED(status)) {
			say(plan, *running,
			    WTERMSIG(status) == SIGALRM ? "took more than %d s"
							: "ended by signal %d",
			    WTERMSIG(status) == SIGALRM ? (int)limit : WTERMSIG(status));
			next = *running + 1;
			wrong++;
		} else if (WEXITSTATUS(status) != 0) {
			say(plan, *running, "exit status %d at or before it",
			    WEXITSTATUS(status));
			wrong++;
		}
		if (too_large(&usage)) {
			say(plan, *running, "%ld KiB of memory at or before it",
			    usage.ru_maxrss);
			wrong++;
		}
	}
	return wrong;
}

static uint64_t u64_at(const struct bytes *b, size_t at)
{
	uint64_t value = 0;

	if (at <= b->size && b->size - at >= sizeof(value))
		memcpy(&value, b->p + at, sizeof(value));
	return value;
}

static bool is_swapped(const struct bytes *b)
{
	return b->size >= 8 && memcmp(b->p, "2ELIFREP", 8) == 0;
}

/* A number of the file's own order. */
static uint64_t number_at(const struct bytes *b, size_t at)
{
	uint64_t value = u64_at(b, at);

	return is_swapped(b) ? __builtin_bswap64(value) : value;
}

static bool is_pipe(const struct bytes *b)
{
	return number_at(b, 8) == PIPE_HEADER;
}

/* Type and size of the record at @at. */
static uint16_t record_at(const struct bytes *b, size_t at, uint32_t *type)
{
	uint16_t size = 0;

	*type = 0;
	if (at + 8 > b->size)
		return 0;
	memcpy(type, b->p + at, sizeof(*type));
	memcpy(&size, b->p + at + 6, sizeof(size));
	if (is_swapped(b)) {
		*type = __builtin_bswap32(*type);
		size = __builtin_bswap16(size);
	}
	return size;
}

/* Where a pipe's attributes and features end. */
static size_t attributes_end(const struct bytes *b)
{
	size_t at = PIPE_HEADER;
	uint32_t type;
	uint16_t size;

	while ((size = record_at(b, at, &type)) >= 8 && (type == 64 || type == 80))
		at += size;
	return at;
}

static struct bytes compressed(const struct plan *plan, const struct bytes *b)
{
	size_t head = attributes_end(&plan->file);
	struct bytes packed, out, rest = { b->p + head, b->size - head };
	uint64_t record;

	if (b->size <= head)
		rest = (struct bytes){ b->p, b->size };
	pack(&rest, &packed);
	out.p = malloc(head + packed.size + 8 * (packed.size / COMPRESSED_MOST + 1));
	if (!out.p)
		exit(3);
	memcpy(out.p, plan->file.p, head);
	out.size = head;
	for (size_t at = 0, n; at < packed.size; at += n) {
		n = packed.size - at < COMPRESSED_MOST ? packed.size - at
						       : COMPRESSED_MOST;
		record = COMPRESSED | (uint64_t)(n + 8) << 48;
		memcpy(out.p + out.size, &record, 8);
		memcpy(out.p + out.size + 8, packed.p + at, n);
		out.size += n + 8;
	}
	free(packed.p);
	return out;
}

static void copy(const struct bytes *from, struct bytes *to)
{
	memcpy(to->p, from->p, from->size);
	to->size = from->size;
}

static void add_place(struct plan *plan, size_t place)
{
	plan->places[plan->place_count++] = place;
}

/* files */

static void make_same(const struct plan *plan, size_t i, struct bytes *out)
{
	(void)i;
	copy(&plan->file, out);
}

static void plan_same(struct plan *plan)
{
	plan->make = make_same;
	plan->count = 1;
}

/* cuts */

static void make_cut(const struct plan *plan, size_t i, struct bytes *out)
{
	copy(&plan->file, out);
	out->size = plan->places[i];
}

static void plan_cuts(struct plan *plan)
{
	size_t at = number_at(&plan->file, 40), end = at + number_at(&plan->file, 48);
	uint16_t size;
	uint32_t type;

	for (size_t i = 0; i < FIRST_BYTES && i < plan->file.size; i++)
		add_place(plan, i);
	if (is_pipe(&plan->file)) {
		at = PIPE_HEADER;
		end = plan->file.size;
	}
	if (end > plan->file.size)
		end = plan->file.size;
	while (at + 8 <= end && plan->place_count + 3 < plan->file.size) {
		size = record_at(&plan->file, at, &type);
		if (size < 8)
			break;
		add_place(plan, at);
		add_place(plan, at + 8 < plan->file.size ? at + 8 : at);
		at += size;
	}
	plan->make = make_cut;
	plan->count = plan->place_count;
}

/* fields */

static const uint64_t odd_values[] = {
	0,
	1,
	7,
	8,
	UINT64_MAX,
	UINT64_MAX - 7,
	1ull << 61,
	(1ull << 61) + 1,
	1ull << 63,
	INT64_MAX,
	1ull << 32,
	UINT32_MAX,
	0x100000001ull,
	0x8000000080000000,
};
enum { ODD_VALUES = sizeof(odd_values) / sizeof(*odd_values) };

static void make_field(const struct plan *plan, size_t i, struct bytes *out)
{
	copy(&plan->file, out);
	memcpy(out->p + plan->places[i / ODD_VALUES], &odd_values[i % ODD_VALUES], 8);
}

static void plan_fields(struct plan *plan)
{
	size_t attrs = number_at(&plan->file, 24),
	       end = attrs + number_at(&plan->file, 32);
	size_t features = number_at(&plan->file, 40) + number_at(&plan->file, 48);

	/* A pipe: its attributes and features, and how its records begin. */
	if (is_pipe(&plan->file)) {
		attrs = PIPE_HEADER;
		end = attrs + 2048;
		features = plan->file.size;
	}

	for (size_t at = 8; at < HEADER && at + 8 <= plan->file.size; at += 8)
		add_place(plan, at);
	for (size_t at = attrs; at < end && at + 8 <= plan->file.size; at += 8)
		add_place(plan, at);
	/* The table of features, and how the first of them begin. */
	for (size_t at = features; at < features + 1024 && at + 8 <= plan->file.size;
	     at += 4)
		add_place(plan, at);
	plan->make = make_field;
	plan->count = plan->place_count * ODD_VALUES;
}

/* mutations */

static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static void move_some(struct bytes *b, uint64_t *random, size_t room)
{
	size_t from = next_random(random) % b->size, to = next_random(random) % b->size;
	size_t size = next_random(random) % 256;

	if (size > b->size - from)
		size = b->size - from;
	if (to + size > room)
		return;
	memmove(b->p + to, b->p + from, size);
	if (to + size > b->size)
		b->size = to + size;
}

static void remove_some(struct bytes *b, uint64_t *random)
{
	size_t at = next_random(random) % b->size,
	       size = 8 * (next_random(random) % 16) + 8;

	if (size >= b->size - at)
		return;
	memmove(b->p + at, b->p + at + size, b->size - at - size);
	b->size -= size;
}

static void mutate(struct bytes *b, uint64_t *random, size_t room)
{
	uint64_t value = odd_values[next_random(random) % ODD_VALUES];
	size_t at = next_random(random) % b->size;

	switch (next_random(random) % 8) {
	case 0:
		b->p[at] ^= 1 << next_random(random) % 8;
		break;
	case 1:
		b->p[at] = (uint8_t)next_random(random);
		break;
	case 2:
		move_some(b, random, room);
		break;
	case 3:
		remove_some(b, random);
		break;
	case 4: /* a small number */
		at &= ~(size_t)3;
		value = next_random(random) % 100;
		memcpy(b->p + at, &value, b->size - at < 4 ? b->size - at : 4);
		break;
	case 5:
		at &= ~(size_t)1;
		memcpy(b->p + at, &value, b->size - at < 2 ? b->size - at : 2);
		break;
	default:
		at &= ~(size_t)7;
		memcpy(b->p + at, &value, b->size - at < 8 ? b->size - at : 8);
	}
}

static void make_mutation(const struct plan *plan, size_t i, struct bytes *out)
{
	uint64_t random = i * 0x2545f4914f6cdd1d + plan->file.size;
	int changes = 1 + (int)(next_random(&random) % 6);

	copy(&plan->file, out);
	while (changes-- > 0)
		mutate(out, &random, 2 * plan->file.size);
}

static void plan_mutations(struct plan *plan)
{
	plan->make = make_mutation;
}

/* itself: dies, hangs, ends early. */

static void make_wrong(const struct plan *plan, size_t i, struct bytes *out)
{
	(void)out;
	if (i == 0)
		raise(SIGKILL);
	while (i == 1)
		pause();
	say(plan, i, "ends early");
	exit(1);
}

static void plan_wrong(struct plan *plan)
{
	plan->make = make_wrong;
	plan->count = 3;
}

static const struct {
	const char *name;
	void (*plan)(struct plan *plan);
	bool counted; /* a count comes before the files */
} kinds[] = {
	{ "files", plan_same, false },	  { "cuts", plan_cuts, false },
	{ "fields", plan_fields, false }, { "mutations", plan_mutations, true },
	{ "itself", plan_wrong, false },
};

enum { KINDS = sizeof(kinds) / sizeof(*kinds) };

static struct bytes read_file(const char *path)
{
	struct bytes b = { 0 };
	FILE *f = fopen(path, "rb");
	struct stat st;

	if (!f || fstat(fileno(f), &st) < 0 || !(b.p = malloc((size_t)st.st_size + 1))) {
		fprintf(stderr, "replay: cannot read '%s': %s\n", path, strerror(errno));
		exit(2);
	}
	b.size = fread(b.p, 1, (size_t)st.st_size, f);
	fclose(f);
	return b;
}

static size_t run_file(void (*make)(struct plan *plan), const char *path, size_t count,
		       size_t *cases)
{
	struct plan plan = { .name = path, .file = read_file(path), .count = count };
	size_t wrong = 0;

	plan.places = calloc(plan.file.size + FIRST_BYTES, sizeof(*plan.places));
	if (!plan.places)
		exit(3);
	if (plan.file.size)
		make(&plan);
	*cases += plan.count;
	wrong = run_plan(&plan);
	free(plan.places);
	free(plan.file.p);
	return wrong;
}

int main(int argc, char **argv)
{
	size_t wrong = 0, cases = 0, count = 0;
	int kind = 0, arg = 2;

	while (kind < KINDS && (argc < 3 || strcmp(argv[1], kinds[kind].name) != 0))
		kind++;
	if (kind == KINDS) {
		fprintf(stderr,
			"usage: replay files|cuts|fields|mutations COUNT FILE...\n");
		return 2;
	}
	if (getenv("LIMIT"))
		limit = (unsigned)atoi(getenv("LIMIT"));
	while (getenv("AS") && form < AS_COMPRESSED &&
	       strcmp(forms[form], getenv("AS")) != 0)
		form++;
	if (kinds[kind].counted)
		count = strtoul(argv[arg++], NULL, 10);
	running = mmap(NULL, sizeof(*running), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (running == MAP_FAILED)
		return 3;
	for (; arg < argc; arg++)
		wrong += run_file(kinds[kind].plan, argv[arg], count, &cases);
	printf("%zu cases, %zu wrong\n", cases, wrong);
	return wrong || !cases;
}
