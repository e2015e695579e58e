/*
 * As many processes as there are threads to be had, each with its part of the memory. A process is told
 * what to fold by being a copy of this one, and answers by a pipe, which is its standard error, too:
 *
 *	=KERNEL    what it was recorded on, where that is known; and in the next line
 *	PATH       the profile file
 *	+KERNEL    the same of one that was there
 *	sentence   why there is none; where a signal has ended it, what it had to say before
 *
 * One that reads several says in shared memory which one it is at. If that cannot be read, or does not
 * go with the others, or ends the process, all are read again without it. Where each of several is to be
 * a file of its own these are named by their numbers, so the answer is a line =KERNEL for each.
 *
 * With --tree a file's name is the hash of the input's content, and of all that decides what is made of
 * it. It is made beside it and renamed, so one that is there is whole, whoever was killed when.
 */
#include "cli/fold_pool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/analysis.h"
#include "cli/fold_plan.h"
#include "cli/terminal.h"

enum { ANSWER_MOST = 8192, KERNEL_MOST = 1024, MEMORY_LEAST = 64 << 20 };

struct fold_process {
	pid_t pid; /* 0: none */
	int pipe;
	struct fold_batch batch;
	char *answer; /* with a 0 behind it */
	size_t size, room;
};

uint64_t fold_options_hash(const struct settings *s)
{
	const struct ff_options *p = &s->profile;
	const char *const texts[] = { ff_version(), p->event,	p->symfs,
				      p->kallsyms,  p->vmlinux, p->debug_dir,
				      p->map_dir,   p->mode,	p->pair,
				      p->scope,	    p->ratio,	p->build_id_dir };
	const unsigned numbers[] = { p->count,	   p->root,	p->flags,  p->max_stack,
				     p->truncated, p->demangle, p->unnamed };
	uint64_t hash = 0xcbf29ce484222325; /* FNV-1a: the same in every process */

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts) + s->filter_count; i++) {
		const char *t =
			i < sizeof(texts) / sizeof(*texts)
				? texts[i]
				: s->filters[i - sizeof(texts) / sizeof(*texts)].text;

		/* NULL is not "", and no text ends where another one goes on. */
		hash = (hash ^ (t != NULL)) * 0x100000001b3;
		for (size_t k = 0, size = t ? strlen(t) + 1 : 0; k < size; k++)
			hash = (hash ^ (unsigned char)t[k]) * 0x100000001b3;
	}
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		hash = (hash ^ numbers[i]) * 0x100000001b3;
	for (size_t i = 0; i < s->filter_count; i++)
		hash = (hash ^ s->filters[i].drop) * 0x100000001b3;
	return hash;
}

int fold_input_hash(const char *input, char ret[65])
{
	int err = ff_store_hash(input, ret);
	char data[4300];

	/* A directory is its first file, which has the header. */
	if (err != -EINVAL)
		return err;
	snprintf(data, sizeof(data), "%s/data", input);
	return ff_store_hash(data, ret);
}

/* The name that the profile file is to have: @number of this run, or by content in the tree. */
static int choose_name(const struct fold_pool *pool, const char *input, size_t number,
		       char *ret, size_t size)
{
	const char *tree = pool->settings->merge.tree;
	char hash[65];
	int err;

	if (!tree) {
		snprintf(ret, size, "%s/%zu.ff", pool->directory, number);
		return 0;
	}
	err = fold_input_hash(input, hash);
	if (err < 0)
		return err;
	snprintf(ret, size, "%s/%.2s", tree, hash);
	if (mkdir(ret, 0777) < 0 && errno != EEXIST)
		return -errno;
	snprintf(ret, size, "%s/%.2s/%s-%016" PRIx64 ".ff", tree, hash, hash,
		 fold_options_hash(pool->settings));
	return 0;
}

/* What can be read once is kept, as it is read for its stacks and for its hash. */
static int keep_stdin(const struct fold_pool *pool, char *ret, size_t size)
{
	char bytes[1 << 16];
	ssize_t got;
	int fd, err = 0;

	snprintf(ret, size, "%s/stdin", pool->directory);
	fd = open(ret, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	while (err == 0 && (got = read(STDIN_FILENO, bytes, sizeof(bytes))) != 0)
		if (got < 0 && errno != EINTR)
			err = -errno;
		else if (got > 0 && write(fd, bytes, (size_t)got) != got)
			err = errno ? -errno : -EIO;
	close(fd);
	return err;
}

/* What a process reads. */
struct fold_work {
	const struct fold_task *tasks;
	const size_t *numbers; /* of tasks */
	size_t count;
	bool apart; /* each is a file of its own */
	volatile size_t *at; /* of them */
};

/* One after the other. */
static int read_batch(struct analysis *a, const struct fold_work *w, const char *first)
{
	int err = 0;

	for (size_t i = 0; i < w->count && err == 0; i++) {
		*w->at = i;
		err = ff_profile_read(a->profile,
				      i ? w->tasks[w->numbers[i]].path : first);
		if (err == 0 && w->count > 1 && !ff_store_is_sum(a->profile))
			err = -EINVAL;
	}
	if (w->count > 1 && w->apart)
		return err;
	*w->at = err == 0 ? w->count : *w->at;
	if (err == 0)
		err = ff_profile_finish(a->profile);
	return err == 0 && w->count > 1 && !ff_store_is_sum(a->profile) ? -EINVAL : err;
}

/* The profile as a file that has its name when all of it is there. What is wrong is said. */
static int write_file(const struct fold_pool *pool, struct analysis *a, const char *to)
{
	struct ff_store_options options = { .size = sizeof(options) };
	char beside[4700];
	FILE *out;
	int err;

	snprintf(beside, sizeof(beside), "%s.%d", to, (int)getpid());
	out = fopen(beside, "we");
	if (!out) {
		fprintf(stderr, "cannot write '%s': %s", beside, strerror(errno));
		return -EIO;
	}
	err = ff_store_write(a->profile, &options, out);
	if (err < 0)
		fprintf(stderr, "%s", ff_profile_error(a->profile));
	/* It has its name when it is on the disk, as others take what has one. */
	if (((err == 0 && (fflush(out) != 0 ||
			   (pool->settings->merge.tree && fsync(fileno(out)) < 0))) |
	     (fclose(out) != 0)) &&
	    err == 0) {
		fprintf(stderr, "cannot write '%s': %s", beside, strerror(errno));
		err = -EIO;
	}
	if (err == 0 && rename(beside, to) < 0) {
		fprintf(stderr, "cannot rename '%s': %s", beside, strerror(errno));
		err = -EIO;
	}
	if (err < 0)
		unlink(beside);
	return err;
}

/* Whoever has written it decides how long it is. */
static void answer_kernel(const struct analysis *a)
{
	const struct ff_input *in = ff_input_next(a->profile, NULL);
	const char *kernel = ff_input_text(in, FF_INPUT_KERNEL);
	size_t size;

	kernel = kernel ? kernel : "";
	size = strcspn(kernel, "\n");
	fprintf(stderr, "=%.*s\n", (int)(size < KERNEL_MOST ? size : KERNEL_MOST),
		kernel);
}

/* Those that were read, each by itself, or none: others need the room. */
static int write_apart(const struct fold_pool *pool, struct analysis *a,
		       const struct fold_work *w)
{
	char to[4600];
	size_t done = 0;

	/* What fails from here on fails in halves, as a full disk does for each. */
	*w->at = w->count;
	while (done < w->count && ff_store_take(a->profile, done) > 0 &&
	       ff_store_is_sum(a->profile) &&
	       choose_name(pool, NULL, w->numbers[done], to, sizeof(to)) == 0 &&
	       write_file(pool, a, to) == 0) {
		answer_kernel(a);
		done++;
	}
	if (done == w->count)
		return 0;
	while (done-- > 0)
		if (choose_name(pool, NULL, w->numbers[done], to, sizeof(to)) == 0)
			unlink(to);
	return -EINVAL;
}

/* The rest of the work of a process. What it prints to standard error is its answer. */
static int fold_inputs(const struct fold_pool *pool, const struct fold_work *work)
{
	const char *input = work->tasks[work->numbers[0]].path;
	struct settings wanted = *pool->settings;
	char to[4600], kept[4200];
	struct analysis a = { 0 };
	int err = 0, code;

	if (strcmp(input, FOLD_STDIN) == 0) {
		err = keep_stdin(pool, kept, sizeof(kept));
		input = kept;
	}
	if (err == 0)
		err = choose_name(pool, input, work->numbers[0], to, sizeof(to));
	if (err < 0) {
		fprintf(stderr, "cannot read '%s': %s", input, strerror(-err));
		return EXIT_INPUT;
	}
	if (pool->settings->merge.tree && ff_is_profile(to)) {
		fprintf(stderr, "+\n%s", to);
		return 0;
	}
	wanted.quiet = true;
	if (work->count > 1)
		wanted.profile.flags |= FF_MANY | (work->apart ? FF_APART : 0);
	code = analysis_open(&wanted, &a);
	if (code)
		return code;
	err = read_batch(&a, work, input);
	if (err < 0) {
		fprintf(stderr, "%s", ff_profile_error(a.profile));
		return EXIT_INPUT;
	}
	if (work->count > 1 && work->apart)
		return write_apart(pool, &a, work) < 0 ? EXIT_INPUT : 0;
	if (write_file(pool, &a, to) < 0)
		return EXIT_INPUT;
	answer_kernel(&a);
	fprintf(stderr, "%s", to);
	return 0;
}

static int start_process(struct fold_pool *pool, struct fold_process *p,
			 const struct fold_work *work)
{
	pid_t parent = getpid();
	int ends[2];

	p->room = ANSWER_MOST + (work->apart ? work->count * (KERNEL_MOST + 2) : 0);
	p->answer = malloc(p->room);
	if (!p->answer)
		return -ENOMEM;
	if (pipe2(ends, O_CLOEXEC) < 0) {
		int err = -errno;

		free(p->answer);
		return err;
	}
	fflush(NULL);
	p->pid = fork();
	if (p->pid < 0) {
		int err = -errno;

		p->pid = 0;
		free(p->answer);
		close(ends[0]);
		close(ends[1]);
		return err;
	}
	if (p->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(EXIT_INPUT);
		close(pool->alive);
		dup2(ends[1], STDERR_FILENO);
		_exit(fold_inputs(pool, work));
	}
	close(ends[1]);
	p->pipe = ends[0];
	p->size = 0;
	return 0;
}

/* All that this run has to do. */
struct fold_run {
	struct fold_task *tasks;
	struct fold_plan plan;
	struct fold_process *running;
	size_t jobs;
	volatile size_t *at; /* by process, shared with it */
	size_t done;
};

/* A library may have had something to say between the lines. */
static bool answers_all(const char *answer, size_t count)
{
	size_t lines = 0;

	for (; *answer == '='; lines++)
		answer += strcspn(answer, "\n") + (strchr(answer, '\n') != NULL);
	return !*answer && lines == count;
}

/* A line for each of those that have files of their own. */
static int take_files(const struct fold_pool *pool, struct fold_run *run,
		      const struct fold_batch *batch, const char *answer)
{
	char made[4600];
	int err = 0;

	for (size_t i = 0; i < batch->count && err == 0; i++) {
		size_t number = run->plan.order[batch->start + i];
		struct fold_task *task = &run->tasks[number];
		size_t size = strcspn(answer, "\n");

		err = choose_name(pool, NULL, number, made, sizeof(made));
		task->kernel = size > 1 ? strndup(answer + 1, size - 1) : NULL;
		task->made = strdup(made);
		if (!task->made || (size > 1 && !task->kernel))
			err = -ENOMEM;
		answer += size + (answer[size] == '\n');
	}
	run->done += batch->count;
	return err;
}

/* It has closed its pipe, and what it did is known. */
static int end_process(const struct fold_pool *pool, struct fold_run *run,
		       struct fold_process *p)
{
	const char *prefix = "flamefold: ";
	const size_t *numbers = run->plan.order + p->batch.start;
	struct fold_task *task = &run->tasks[numbers[0]];
	bool apart = run->plan.apart && p->batch.count > 1, done;
	char *text = p->answer;
	int status = 0;

	close(p->pipe);
	while (waitpid(p->pid, &status, 0) < 0 && errno == EINTR)
		;
	p->pid = 0;
	text[p->size] = '\0';
	done = WIFEXITED(status) && WEXITSTATUS(status) == 0;
	if (done && apart && answers_all(text, p->batch.count))
		return take_files(pool, run, &p->batch, text);
	if (done && !apart && (*text == '=' || *text == '+')) {
		size_t kernel = strcspn(text + 1, "\n");
		const char *path = text + 1 + kernel + (text[1 + kernel] == '\n');

		for (size_t i = 1; i < p->batch.count; i++)
			run->tasks[numbers[i]].shared = true;
		run->done += p->batch.count;
		task->reused = *text == '+';
		task->kernel = kernel ? strndup(text + 1, kernel) : NULL;
		task->made = strdup(path);
		return task->made ? 0 : -ENOMEM;
	}
	if (p->batch.count > 1) {
		fold_plan_split(&run->plan, p->batch, run->at[p - run->running]);
		return 0;
	}
	run->done++;
	if (strncmp(text, prefix, strlen(prefix)) == 0)
		text += strlen(prefix);
	text[strcspn(text, "\n")] = '\0';
	if (WIFSIGNALED(status) && !*text)
		snprintf(text, p->room, "'%s': signal %d has ended what read it",
			 task->path, WTERMSIG(status));
	task->why = strdup(*text ? text : "nothing is known");
	return task->why ? 0 : -ENOMEM;
}

/* Takes what processes say; those that have ended are ended. */
static int wait_for_some(const struct fold_pool *pool, struct fold_run *run)
{
	struct fold_process *running = run->running;
	struct pollfd *polled = calloc(run->jobs, sizeof(*polled));
	int err = polled ? 0 : -ENOMEM;

	for (size_t i = 0; i < run->jobs && err == 0; i++)
		polled[i] = (struct pollfd){ running[i].pid ? running[i].pipe : -1,
					     POLLIN, 0 };
	if (err == 0 && poll(polled, run->jobs, -1) < 0 && errno != EINTR)
		err = -errno;
	for (size_t i = 0; i < run->jobs && err == 0; i++) {
		struct fold_process *p = &running[i];
		size_t room = p->room - 1 - p->size;
		char spilled[512];
		ssize_t got;

		if (!polled[i].revents)
			continue;
		got = room ? read(p->pipe, p->answer + p->size, room)
			   : read(p->pipe, spilled, sizeof(spilled));
		if (got > 0 && room)
			p->size += (size_t)got;
		if (got > 0 || (got < 0 && errno == EINTR))
			continue;
		err = end_process(pool, run, p);
		free(p->answer);
	}
	free(polled);
	return err;
}

/* What is made goes with us, however we go: a process waits for that. */
static int make_directory(struct fold_pool *pool)
{
	const char *temporary = getenv("TMPDIR");
	int ends[2];

	snprintf(pool->directory, sizeof(pool->directory), "%.4000s/flamefold-XXXXXX",
		 temporary && *temporary ? temporary : "/tmp");
	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	if (!mkdtemp(pool->directory)) {
		close(ends[0]);
		close(ends[1]);
		return -errno;
	}
	fflush(NULL);
	pool->cleaner = fork();
	if (pool->cleaner == 0) {
		struct dirent *e;
		char byte;
		DIR *d;

		setsid();
		close(ends[1]);
		while (read(ends[0], &byte, 1) < 0 && errno == EINTR)
			;
		d = opendir(pool->directory);
		while (d && (e = readdir(d)))
			unlinkat(dirfd(d), e->d_name, 0);
		if (d)
			closedir(d);
		rmdir(pool->directory);
		_exit(0);
	}
	close(ends[0]);
	pool->alive = ends[1];
	if (pool->cleaner > 0)
		return 0;
	pool->cleaner = 0;
	close(ends[1]);
	rmdir(pool->directory);
	return -EAGAIN;
}

void fold_pool_release(struct fold_pool *pool)
{
	if (!pool->cleaner)
		return;
	close(pool->alive);
	while (waitpid(pool->cleaner, NULL, 0) < 0 && errno == EINTR)
		;
	pool->cleaner = 0;
}

static void show_folding(double started, const struct fold_run *run)
{
	double seconds = now() - started, done = (double)run->done;
	size_t count = run->plan.count;

	if (seconds > 0.5 && run->done)
		status("folding: %zu of %zu, %.0f files a second, %.0f s left", run->done,
		       count, done / seconds, seconds / done * ((double)count - done));
}

/* Gives work to those that have none. How many have some then: *@busy. */
static int start_some(struct fold_pool *pool, struct fold_run *run, size_t *busy)
{
	int err = 0;

	*busy = 0;
	for (size_t i = 0; i < run->jobs; i++)
		*busy += run->running[i].pid != 0;
	for (size_t i = 0; i < run->jobs && run->plan.waiting_count && err == 0; i++) {
		struct fold_process *p = &run->running[i];
		struct fold_work work = { .tasks = run->tasks,
					  .apart = run->plan.apart,
					  .at = &run->at[i] };

		if (p->pid)
			continue;
		p->batch = run->plan.waiting[run->plan.waiting_count - 1];
		work.numbers = run->plan.order + p->batch.start;
		work.count = p->batch.count;
		run->at[i] = 0;
		err = start_process(pool, p, &work);
		/* Where there are no more processes those that are have to do. */
		if (err == -EAGAIN && *busy)
			return 0;
		run->plan.waiting_count -= err == 0;
		*busy += err == 0;
	}
	return err;
}

int fold_take_profile(const struct settings *s, struct fold_task *t)
{
	static const char filtered[] = "--only and --drop do not apply to a profile file "
				       "here: 'flamefold --only "
				       "symbol=NAME -o part.ff FILE' makes one of a part";

	if (!ff_is_profile(t->path))
		return 0;
	if (s->filter_count)
		t->why = strdup(filtered);
	else
		t->made = strdup(t->path);
	return t->why || t->made ? 0 : -ENOMEM;
}

int fold_pool_run(struct fold_pool *pool, struct fold_task *tasks, size_t count)
{
	struct settings wanted = *pool->settings;
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	struct fold_run run = { .tasks = tasks };
	uint64_t memory = wanted.profile.memory;
	const struct settings *given = pool->settings;
	double started = now();
	size_t busy = 0;
	int err = 0;

	run.jobs = wanted.profile.threads ? wanted.profile.threads
		   : processors > 0	  ? (size_t)processors
					  : 1;
	run.jobs = run.jobs < count ? run.jobs : count;
	run.running = calloc(run.jobs + 1, sizeof(*run.running));
	run.at = mmap(NULL, (run.jobs + 1) * sizeof(*run.at), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!run.running || run.at == MAP_FAILED)
		err = -ENOMEM;
	if (err == 0 && run.jobs)
		err = fold_plan_make(given, tasks, count, run.jobs, &run.plan);
	if (!memory)
		memory = (uint64_t)sysconf(_SC_PHYS_PAGES) *
			 (uint64_t)sysconf(_SC_PAGESIZE) / 4;
	memory /= run.jobs ? run.jobs : 1;
	wanted.profile.memory = memory > MEMORY_LEAST ? memory : MEMORY_LEAST;
	wanted.profile.threads = 1;
	if (!wanted.no_slices && can_be_cut(&wanted))
		wanted.profile.flags |= FF_TIME_BLOCKS;
	pool->settings = &wanted;
	if (err == 0 && !pool->cleaner)
		err = make_directory(pool);
	while (err == 0 && (run.plan.waiting_count || busy)) {
		err = start_some(pool, &run, &busy);
		if (err == 0 && busy)
			err = wait_for_some(pool, &run);
		if (!given->quiet)
			show_folding(started, &run);
		for (size_t i = busy = 0; i < run.jobs; i++)
			busy += run.running[i].pid != 0;
	}
	status_clear();
	for (size_t i = 0; i < run.jobs && run.running; i++)
		if (run.running[i].pid) {
			kill(run.running[i].pid, SIGKILL);
			end_process(pool, &run, &run.running[i]);
			free(run.running[i].answer);
		}
	free(run.running);
	if (run.at != MAP_FAILED)
		munmap((void *)run.at, (run.jobs + 1) * sizeof(*run.at));
	fold_plan_release(&run.plan);
	pool->settings = given;
	if (err < 0)
		say("cannot fold: %s", strerror(-err));
	return err < 0 ? EXIT_INPUT : 0;
}
