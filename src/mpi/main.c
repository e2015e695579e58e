/*
 * flamefold-mpi: flamefold merge, by many ranks. Each folds its share of the inputs, and what it has made
 * goes up a tree, where each rank merges what comes from below, first come, first served, with its own:
 *
 *	        0                 FAN below each
 *	   1  2 ... 8
 *	  9 10 ...
 *
 * Rank 0 writes the file. The order does not matter to its bytes, nor how many ranks there are.
 *
 * With --tree what a rank has made of its share is kept under a name that its content gives, as is what was
 * made of each recording: after a run that was ended another one goes on where that has stopped. What
 * cannot be gone on with is told upwards, so that rank 0 says it and the run ends; a rank that is killed
 * ends the run by MPI's own means.
 */
#include <errno.h>
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mpi/message.h"
#include "mpi/share.h"

enum { FAN = 8 };

struct rank_run {
	const struct settings *settings;
	int rank, ranks;
	struct share share;
	struct fold_pool pool; /* has the directory for files on the way */
	struct fold_task *tasks; /* of the share */
	char *refusals; /* "number why\n" of each */
	size_t refusals_size;
	FILE *refused; /* writes to these */
	size_t from_below; /* files that came */
	bool own_lacks; /* it is not to stay in --tree */
	char failure[1024]; /* "": none */
	char own[4800],
		made[4800]; /* of the share; with all that came from below; "": nothing */
};

static void rank_fail(struct rank_run *r, const char *what, const char *why)
{
	if (!*r->failure)
		snprintf(r->failure, sizeof(r->failure), "rank %d: %s: %s", r->rank, what,
			 why);
}

static void refuse_input(struct rank_run *r, size_t number, const char *why)
{
	fprintf(r->refused, "%zu ", number);
	/* What is said may have a name in it, and a name may have any byte. */
	for (; *why; why++)
		putc(*why == '\n' ? ' ' : *why, r->refused);
	putc('\n', r->refused);
}

/* What was refused is told by the number of the input that it was made of. */
static void note_refused(struct rank_run *r, struct ff_merge *m, bool of_share)
{
	const char *name, *why;

	for (size_t i = 0; ff_merge_refused(m, i, &name, &why); i++) {
		size_t k = 0;

		while (of_share && k < r->share.count &&
		       strcmp(r->share.named.inputs[r->share.own[k]], name) != 0)
			k++;
		if (of_share && k < r->share.count)
			refuse_input(r, r->share.own[k], why);
		else
			rank_fail(r, "what other ranks have made cannot be added", why);
	}
	/* Contents differ, but what is in them does not. */
	if (!of_share && ff_merge_duplicates(m))
		rank_fail(r, "what other ranks have made cannot be added",
			  "profile files among the inputs have recordings that others "
			  "have, "
			  "too: 'flamefold merge' sorts them out");
}

/* Merges what was added to @m into a new file. */
static int write_partial(struct rank_run *r, struct ff_merge *m, const char *path)
{
	FILE *out;
	int err = ff_merge_finish(m);

	if (err == -ENODATA)
		return err;
	out = err == 0 ? fopen(path, "we") : NULL;
	if (err == 0 && !out)
		rank_fail(r, path, strerror(errno));
	if (out) {
		err = ff_merge_write(m, 0, out);
		if (((fflush(out) != 0 || fsync(fileno(out)) < 0) | (fclose(out) != 0)) &&
		    err == 0)
			err = -EIO;
	}
	if (err < 0 && err != -ENODATA)
		rank_fail(r, path, err == -EIO ? strerror(EIO) : ff_merge_error(m));
	return out ? err : -EIO;
}

static struct ff_merge *begin_merge(struct rank_run *r, unsigned flags)
{
	struct ff_store_options options = r->settings->merge.store;
	struct ff_merge *m = NULL;

	options.threads = r->settings->profile.threads ? r->settings->profile.threads : 1;
	options.flags = flags;
	options.labels = NULL;
	options.label_count = 0;
	if (ff_merge_new(&m, &options) < 0)
		rank_fail(r, "cannot merge", m ? ff_merge_error(m) : strerror(ENOMEM));
	return m;
}

/* The share becomes a file, which is there already where --tree has it. It gets its name when all of it
 * is in it, and on the disk. */
static void make_own(struct rank_run *r)
{
	const struct share *share = &r->share;
	const char *tree = r->settings->merge.tree, *name = share->name;
	unsigned flags = r->settings->merge.store.flags & FF_STORE_DUPLICATES;
	char beside[sizeof(r->own)];
	struct ff_merge *m;
	long refused;
	int err = 0;

	snprintf(r->own, sizeof(r->own), "%s/own.ff", r->pool.directory);
	if (tree && mkdir(tree, 0777) < 0 && errno != EEXIST)
		rank_fail(r, tree, strerror(errno));
	if (tree && *name) {
		snprintf(r->own, sizeof(r->own), "%s/%.2s", tree, name);
		if (mkdir(r->own, 0777) < 0 && errno != EEXIST)
			rank_fail(r, r->own, strerror(errno));
		snprintf(r->own, sizeof(r->own), "%s/%.2s/%s.ff", tree, name, name);
		if (ff_is_profile(r->own))
			return;
	}
	if (*r->failure)
		return;
	for (size_t i = 0; i < share->count; i++) {
		struct fold_task *t = &r->tasks[i];

		t->path = share->named.inputs[share->own[i]];
		if (fold_take_profile(r->settings, t) < 0)
			rank_fail(r, t->path, strerror(ENOMEM));
	}
	if (fold_pool_run(&r->pool, r->tasks, share->count))
		rank_fail(r, "cannot fold", "it has said why");
	m = *r->failure ? NULL : begin_merge(r, flags);
	for (size_t i = 0; i < share->count && m && !*r->failure; i++) {
		const struct fold_task *t = &r->tasks[i];

		if (t->shared)
			continue;
		if (!t->made)
			refuse_input(r, share->own[i], t->why);
		else if (ff_merge_add(m, t->made,
				      strcmp(t->made, t->path) ? t->path : NULL) < 0)
			refuse_input(r, share->own[i], ff_merge_error(m));
	}
	snprintf(beside, sizeof(beside), "%.4700s.%d", r->own, (int)getpid());
	if (m && !*r->failure)
		err = write_partial(r, m, beside);
	if (m)
		note_refused(r, m, true);
	ff_merge_free(m);
	refused = ftell(r->refused);
	if (err < 0 || *r->failure) {
		unlink(beside);
		*r->own = '\0';
	} else if (refused == 0 && rename(beside, r->own) < 0)
		rank_fail(r, r->own, strerror(errno));
	/* It lacks some that its name would stand for. */
	else if ((r->own_lacks = refused > 0))
		memcpy(r->own, beside, sizeof(r->own));
}

/* Takes what all below have made. @m gets it; rank 0 gives it what it writes. */
static void take_from_below(struct rank_run *r, struct ff_merge *m)
{
	for (int below = FAN * r->rank + 1;
	     below <= FAN * r->rank + FAN && below < r->ranks; below++) {
		struct part_head head;
		char path[4800], *text = NULL;
		int err;

		snprintf(path, sizeof(path), "%s/below-%zu.ff", r->pool.directory,
			 r->from_below++);
		err = part_receive(&head, &text, path);
		if (err < 0)
			rank_fail(r, path, strerror(-err));
		else if (head.failed && !*r->failure)
			snprintf(r->failure, sizeof(r->failure), "%s",
				 *text ? text : strerror(ENOMEM));
		else if (!head.failed)
			fputs(text, r->refused);
		if (m && !*r->failure && head.file_size &&
		    ff_merge_add(m, path, NULL) < 0)
			rank_fail(r, path, ff_merge_error(m));
		free(text);
	}
}

/* A rank in the midst of the tree: the sum of its own and of those below goes on. */
static void pass_on(struct rank_run *r)
{
	unsigned flags = r->settings->merge.store.flags & FF_STORE_DUPLICATES;
	struct ff_merge *m = begin_merge(r, flags);
	struct part_head head = { 0 };
	const char *text;
	FILE *file = NULL;
	struct stat st;

	take_from_below(r, m);
	snprintf(r->made, sizeof(r->made), "%s", r->own);
	if (r->from_below && m && !*r->failure) {
		snprintf(r->made, sizeof(r->made), "%s/sum.ff", r->pool.directory);
		if (*r->own && ff_merge_add(m, r->own, NULL) < 0)
			rank_fail(r, r->own, ff_merge_error(m));
		if (!*r->failure && write_partial(r, m, r->made) < 0)
			*r->made = '\0';
		note_refused(r, m, false);
	}
	ff_merge_free(m);
	if (!*r->failure && *r->made) {
		file = fopen(r->made, "re");
		if (!file || fstat(fileno(file), &st) < 0)
			rank_fail(r, r->made, strerror(errno));
		else
			head.file_size = (uint64_t)st.st_size;
	}
	fflush(r->refused);
	text = *r->failure ? r->failure : r->refusals;
	head.failed = *r->failure != '\0';
	head.text_size = *r->failure ? strlen(r->failure) : r->refusals_size;
	head.file_size = *r->failure ? 0 : head.file_size;
	if (part_send((r->rank - 1) / FAN, &head, text, file) < 0)
		MPI_Abort(MPI_COMM_WORLD, EXIT_INPUT);
	if (file)
		fclose(file);
}

/* In the order of the command line, as one rank alone would. How many there are. */
static size_t tell_refused(struct rank_run *r)
{
	size_t count = r->share.named.count, refused = 0;
	const char **why = calloc(count + 1, sizeof(*why));
	char *p = r->refusals;

	while (why && p && *p) {
		char *sentence, *end = strchr(p, '\n');
		size_t number = strtoull(p, &sentence, 10);

		if (!end || *sentence != ' ' || number >= count)
			break;
		*end = '\0';
		why[number] = sentence + 1;
		p = end + 1;
	}
	for (size_t i = 0; why && i < count; i++) {
		if (why[i])
			say_warning("refused '%s': %s", r->share.named.inputs[i], why[i]);
		refused += why[i] != NULL;
	}
	free(why);
	return refused;
}

/* Rank 0: all of it is written. An exit code. */
static int write_all(struct rank_run *r)
{
	const struct settings *s = r->settings;
	struct ff_store_options options = s->merge.store;
	struct output out = { 0 };
	struct ff_merge *m = NULL;
	size_t refused;
	int err, code = 0;

	options.threads = s->profile.threads;
	if (ff_merge_new(&m, &options) < 0)
		rank_fail(r, "cannot merge", m ? ff_merge_error(m) : strerror(ENOMEM));
	take_from_below(r, *r->failure ? NULL : m);
	if (!*r->failure && *r->own && ff_merge_add(m, r->own, NULL) < 0)
		rank_fail(r, r->own, ff_merge_error(m));
	err = *r->failure ? -EIO : ff_merge_finish(m);
	if (err == 0)
		code = output_open(&out, s->output);
	if (err == 0 && code == 0) {
		err = ff_merge_write(m, 0, out.stream);
		note_refused(r, m, false);
		code = output_close(&out, *r->failure ? -EIO : err,
				    *r->failure ? r->failure : ff_merge_error(m));
	} else if (*r->failure) {
		say("%s", r->failure);
		code = EXIT_INPUT;
	}
	fflush(r->refused);
	refused = tell_refused(r);
	if (!s->quiet && r->share.duplicates)
		say_note("%zu of %zu files %s there twice, and counted once",
			 r->share.duplicates, r->share.named.count,
			 r->share.duplicates == 1 ? "was" : "were");
	if (refused)
		say("%zu of %zu files could not be merged", refused,
		    r->share.named.count);
	if (code == 0 && err == -ENODATA)
		code = EXIT_INPUT;
	if (code == 0 && refused)
		code = EXIT_PART;
	ff_merge_free(m);
	return code == OUTPUT_UNREAD ? 0 : code;
}

static int run_rank(struct rank_run *r, const struct settings *all)
{
	struct settings s = *all;
	MPI_Comm machine;
	int code, sharing = 1;

	/* A rank is one processor's work, unless -j says otherwise. */
	s.quiet = all->quiet || r->rank != 0;
	s.profile.threads = all->profile.threads ? all->profile.threads : 1;
	/* A quarter of the machine is for all ranks that it has. */
	if (!all->profile.memory) {
		MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0,
				    MPI_INFO_NULL, &machine);
		MPI_Comm_size(machine, &sharing);
		MPI_Comm_free(&machine);
		s.profile.memory = (uint64_t)sysconf(_SC_PHYS_PAGES) *
				   (uint64_t)sysconf(_SC_PAGESIZE) / 4 /
				   (uint64_t)sharing;
	}
	r->settings = r->pool.settings = &s;
	code = share_out(&s, &r->share);
	r->refused = open_memstream(&r->refusals, &r->refusals_size);
	r->tasks = calloc(r->share.count + 1, sizeof(*r->tasks));
	if (code == 0 && (!r->refused || !r->tasks))
		MPI_Abort(MPI_COMM_WORLD, EXIT_INPUT);
	/* Of nothing: it makes the directory. */
	if (code == 0 && fold_pool_run(&r->pool, r->tasks, 0))
		rank_fail(r, "cannot make a directory", "it has said why");
	if (code == 0)
		make_own(r);
	if (code == 0 && r->rank == 0)
		code = write_all(r);
	else if (code == 0)
		pass_on(r);
	if (r->own_lacks && *r->own)
		unlink(r->own);
	fold_pool_release(&r->pool);
	for (size_t i = 0; r->tasks && i < r->share.count; i++) {
		free(r->tasks[i].made);
		free(r->tasks[i].why);
	}
	free(r->tasks);
	if (r->refused)
		fclose(r->refused);
	free(r->refusals);
	share_release(&r->share);
	/* One says it for all. */
	return r->rank == 0 ? code : 0;
}

int main(int argc, char **argv)
{
	struct arguments args = { 0 };
	struct settings s = { 0 };
	struct format format = { 0 };
	struct rank_run r = { 0 };
	int given, code = 0;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &given);
	MPI_Comm_rank(MPI_COMM_WORLD, &r.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &r.ranks);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	/* A mistake is told by one, and all have the same words. */
	if (r.rank == 0)
		code = parse(&command_merge, argc, argv, &args, &s);
	if (r.rank == 0 && code == 0 && !s.help && !s.version) {
		code = format_choose(&s, &format);
		/* Merge knows it, and many ranks cannot do it. */
		if (code == 0 && s.merge.store.by)
			code = usage_error("option '--by' writes several files, which "
					   "only 'flamefold merge' does: give it what "
					   "this makes");
		if (code == 0 && s.output)
			code = output_check(s.output);
	}
	MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
	if (code == 0 && r.rank != 0)
		code = parse(&command_merge, argc, argv, &args, &s);
	if (code == 0 && s.help && r.rank == 0)
		printf("Usage: mpirun -n RANKS flamefold-mpi [options] [INPUT...]\n"
		       "Does what 'flamefold merge' does, whose options it has: "
		       "'flamefold merge --help' tells them.\n"
		       "More in Documentation/scale.md.\n");
	else if (code == 0 && s.version && r.rank == 0)
		printf("flamefold-mpi %s\n", ff_version());
	if (code == 0 && !s.help && !s.version)
		code = run_rank(&r, &s);
	settings_release(&s);
	arguments_release(&args);
	MPI_Finalize();
	return r.rank == 0 ? code : 0;
}
