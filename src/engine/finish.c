/*
 * What a finished profile has beside what was collected: names, the named tree, and lists of
 * what was hit. The tree and the lists need names, not each other, so they are made at once.
 */
#include <errno.h>

#include "base/parallel.h"
#include "engine/profile.h"
#include "find/find.h"

enum { TREE_LARGE = 1 << 16 }; /* nodes: to start a thread takes a tenth of a ms */

size_t profile_threads(const struct ff_profile *p)
{
	if (profile_reads_many(p))
		return 1;
	return p->options.threads ? p->options.threads : parallel_processors();
}

/*
 * Frames that have names already keep them: a snapshot and the end of a run name what is
 * new.
 */
int name_frames(struct ff_profile *p)
{
	return symbolizer_run(&p->ctx, p->symbolizer, &p->collected.frames, &p->symbols);
}

void warn_of_stacks(struct ff_profile *p)
{
	const char *why = p->binaries ? binaries_trouble(p->binaries) : NULL;

	/* Stacks that run through it may end there; what its functions are called is another
	 * matter. */
	if (why && !p->unread_said)
		warn(&p->ctx, "stacks may end too early: %s", why);
	p->unread_said |= why != NULL;
}

void warn_of_unread(struct ff_profile *p)
{
	struct debuginfod *d = p->dirs.debuginfod;
	const char *problem = d ? debuginfod_problem(d) : NULL;

	if (problem)
		warn(&p->ctx, "debuginfod was given up: %s", problem);
	warn_of_stacks(p);
}

int make_named(struct ff_profile *p, const uint8_t *left_out, size_t threads)
{
	struct named_options options = {
		.in_order = p->options.flags & FF_FLAMECHART,
		.columns = &p->columns,
		.strings = &p->strings,
		.frames = &p->collected.frames,
		.left_out = left_out,
		.threads = threads,
	};
	int err =
		named_make(&p->ctx, &p->collected.trie, &p->symbols, &options, &p->named);
	/* The tree is printed in the unit that its weights were collected in. */
	p->named.decimals = p->collected.decimals;
	return err;
}

/*
 * Both jobs read symbols and the trie; each writes a part of its own: named, or objects,
 * processes and roots.
 */
struct tree_job {
	struct ff_profile *profile;
	const uint8_t *left_out;
	size_t threads;
};

enum { JOB_TREE, JOB_RESULTS, TREE_JOBS };

static int tree_or_results(void *arg, size_t job, size_t worker)
{
	const struct tree_job *j = arg;

	(void)worker;
	return job == JOB_RESULTS ? list_results(j->profile)
				  : make_named(j->profile, j->left_out, j->threads);
}

int make_tree(struct ff_profile *p, const uint8_t *left_out)
{
	size_t threads = p->collected.trie.count < TREE_LARGE ? 1 : profile_threads(p);
	struct tree_job job = { p, left_out, threads };

	return parallel_run(threads, TREE_JOBS, tree_or_results, &job);
}
