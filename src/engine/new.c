/*
 * A profile from its options to its end: they are copied and checked once, and each stage gets
 * those that concern it. Who calls the library may have an older or newer <flamefold.h>, so of a
 * struct of options only as many bytes are read as it says it has.
 */
#include <errno.h>
#include <flamefold_chart.h>
#include <flamefold_diff.h>
#include <flamefold_store.h>
#include <flamefold_time.h>
#include <stdlib.h>

#include "base/guard.h"
#include "base/parallel.h"
#include "engine/profile.h"
#include "find/find.h"
#include "weight/weight.h"

/* Flags of struct ff_options are declared in several headers: no two may share a bit. */
enum {
	FLAGS_ADDED = FF_ADDRS + FF_MARK_KERNEL + FF_MARK_JIT + FF_COMPAT_STACKCOLLAPSE +
		      FF_FLAMECHART + FF_SRCLINE + FF_TIMED + FF_INLINE + FF_NO_INLINE +
		      FF_MARK_INLINED + FF_TRUST_MAPS + FF_MERGE_CLONES + FF_PLACES +
		      FF_SAMPLES + FF_NO_INFER + FF_FORCE + FF_LABELS + FF_VALUES +
		      FF_TIME_BLOCKS + FF_KEEP_ADDRESSES + FF_MANY + FF_CHART + FF_HEAT +
		      FF_PHASES + FF_APART,
	FLAGS_JOINED = FF_ADDRS | FF_MARK_KERNEL | FF_MARK_JIT | FF_COMPAT_STACKCOLLAPSE |
		       FF_FLAMECHART | FF_SRCLINE | FF_TIMED | FF_INLINE | FF_NO_INLINE |
		       FF_MARK_INLINED | FF_TRUST_MAPS | FF_MERGE_CLONES | FF_PLACES |
		       FF_SAMPLES | FF_NO_INFER | FF_FORCE | FF_LABELS | FF_VALUES |
		       FF_TIME_BLOCKS | FF_KEEP_ADDRESSES | FF_MANY | FF_CHART | FF_HEAT |
		       FF_PHASES | FF_APART,
};
_Static_assert(FLAGS_ADDED == FLAGS_JOINED, "two flags share a bit");

void show_progress(struct ff_profile *p, const char *what, uint64_t done, uint64_t total)
{
	if (!p->options.progress)
		return;
	/* Workers call this, too, and the caller's function need not expect two
	 * threads. */
	pthread_mutex_lock(&p->progress_lock);
	p->options.progress(p->options.arg, what, done, total);
	pthread_mutex_unlock(&p->progress_lock);
}

void ff_catch_crashes(void)
{
	guard_catch_crashes();
}

const char *ff_version(void)
{
	return FF_VERSION;
}

static int copy_profile_options(struct ff_profile *p, const struct ff_options *options)
{
	/* Every text that the options have: the caller's may be gone after
	 * ff_profile_new(). */
	const char **strings[] = {
		&p->options.event,   &p->options.symfs,	    &p->options.kallsyms,
		&p->options.vmlinux, &p->options.debug_dir, &p->options.build_id_dir,
		&p->options.map_dir, &p->options.mode,	    &p->options.pair,
		&p->options.scope,   &p->options.ratio,
	};

	if (options)
		memcpy(&p->options, options,
		       options->size < sizeof(*options) ? options->size
							: sizeof(*options));
	for (size_t i = 0; i < sizeof(strings) / sizeof(*strings); i++) {
		const char *given = *strings[i];

		if (given)
			*strings[i] = arena_text(&p->arena, given, strlen(given));
		if (given && !*strings[i])
			return fail_memory(&p->ctx);
	}
	if (p->options.unnamed == FF_UNNAMED_ADDRESS)
		p->options.flags |= FF_ADDRS;
	p->ctx.log = p->options.log;
	p->ctx.log_arg = p->options.arg;
	budget_init(&p->budget, p->options.memory ? p->options.memory : budget_usual(""));
	p->ctx.budget = &p->budget;
	return 0;
}

static int choose_scope(struct ff_profile *p)
{
	static const char *const names[WALL_SCOPES] = {
		[WALL_PROCESS] = "process",
		[WALL_CGROUP] = "cgroup",
		[WALL_SELECTED] = "selected",
		[WALL_SYSTEM] = "system",
	};
	const char *scope = p->options.scope;

	if (!scope)
		return 0;
	if (p->wall.weight != WALL_EXACT)
		return fail(&p->ctx, -EINVAL,
			    "only mode wall asks who else runs: a scope means nothing "
			    "without it");
	for (int i = 0; i < WALL_SCOPES; i++)
		if (strcmp(scope, names[i]) == 0) {
			p->wall.scope = (enum wall_scope)i;
			return 0;
		}
	return fail(&p->ctx, -EINVAL,
		    "there is no scope '%s': process, cgroup, selected and system are",
		    scope);
}

/* Before anything is read: whoever has misspelled it need not wait. */
static int check_mode(struct ff_profile *p)
{
	struct pair_rule rule = { 0 };
	const char *text = profile_mode(p);
	int err;

	/* A rule of one's own may have any name. */
	if (p->options.mode && !p->options.pair && !mode_find(p->options.mode))
		return fail(&p->ctx, -EINVAL, "there is no mode '%s'", p->options.mode);
	if (p->options.mode && !p->options.pair)
		p->wall.weight = mode_wall(mode_find(p->options.mode));
	err = choose_scope(p);
	if (err < 0)
		return err;
	p->pairs = true;
	/* What is wrong with a rule is said with its place. */
	if (text && rule_parse(&p->ctx, text, &rule) < 0)
		return pairing_check(&p->ctx, text, &p->limit.pair_kind);
	p->pairs = rule.count > 0;
	err = ratio_start(p, rule.ratio);
	if (err == 0 && p->options.flags & (FF_CHART | FF_FLAMECHART))
		err = columns_add(&p->columns,
				  &(struct column){ .name = "waits",
						    .unit = "switches",
						    .makes_stacks = true },
				  &p->waits);
	if (err < 0 || (!p->pairs && !p->wall.weight))
		return err;
	if (p->options.count == FF_COUNT_SAMPLES)
		return fail(&p->ctx, -EINVAL,
			    "a mode says what a stack weighs: --count=samples cannot go "
			    "with it");
	if (p->options.event && !p->wall.weight)
		return fail(&p->ctx, -EINVAL,
			    "a mode has events of its own: --event cannot go with it");
	if (p->options.flags & FF_CHART)
		return fail(&p->ctx, -EINVAL,
			    "a mode weighs intervals: a chart has those of threads by "
			    "itself, "
			    "without --mode");
	/* Who shares the time of --mode wall is known later than when it was. */
	if (p->options.flags & FF_SAMPLES ||
	    (p->options.flags & FF_TIME_BLOCKS && p->wall.weight))
		return fail(&p->ctx, -EINVAL,
			    "a mode weighs intervals: there are no samples to keep");
	/* How many ran at once is this by the weight. */
	if (p->wall.weight)
		return columns_add(&p->columns,
				   &(struct column){ .name = "cpu", .unit = "ns" },
				   &p->wall.cpu);
	return pairing_check(&p->ctx, profile_rule(p), &p->limit.pair_kind);
}

static int make_symbolizer(struct ff_profile *p)
{
	struct symbol_options options = {
		.dirs = p->dirs,
		.kallsyms = p->options.kallsyms,
		.vmlinux = p->options.vmlinux,
		.unnamed = p->options.flags & FF_ADDRS ? FF_UNNAMED_ADDRESS
						       : p->options.unnamed,
		.demangle = p->options.demangle,
		.merge_clones = p->options.flags & FF_MERGE_CLONES,
		.compat = p->options.flags & FF_COMPAT_STACKCOLLAPSE,
		.srcline = p->options.flags & FF_SRCLINE,
		.declared = p->options.flags & FF_PLACES,
		.inlines = p->options.flags & FF_NO_INLINE ? SYMBOL_INLINES_NO
			   : p->options.flags & FF_INLINE  ? SYMBOL_INLINES_YES
							   : SYMBOL_INLINES_AUTO,
		.inline_mark = p->options.flags & FF_MARK_INLINED,
		.keep_addresses = p->options.flags & FF_KEEP_ADDRESSES,
		.threads = p->options.threads ? p->options.threads
					      : (unsigned)parallel_processors(),
	};

	return symbolizer_new(&p->ctx, &p->images, &p->strings, &options, &p->symbolizer);
}

static void show_fetching(void *arg, const char *what, uint64_t done, uint64_t total)
{
	show_progress(arg, what, done, total);
}

int ff_profile_new(struct ff_profile **ret, const struct ff_options *options)
{
	struct ff_profile *p = calloc(1, sizeof(*p));
	int err;

	/* Before anything can fail: a profile that failed is asked for its sentence, and
	 * freed. */
	*ret = p;
	if (!p)
		return -ENOMEM;
	pthread_mutex_init(&p->progress_lock, NULL);
	p->exit_status = -1;
	columns_init(&p->columns);
	err = copy_profile_options(p, options);
	if (err < 0)
		return err;
	if (intern_init(&p->strings) < 0 || images_init(&p->images, &p->strings) < 0 ||
	    filters_new(&p->filters) < 0 ||
	    intern_add(&p->strings, "[memory limit]", 14, &p->limit.frame) < 0)
		return fail_memory(&p->ctx);
	err = check_mode(p);
	if (err < 0)
		return err;
	p->limit.columns = &p->columns;
	p->limit.budget = &p->budget;
	if (collected_init(&p->collected, &p->limit) < 0)
		return fail_memory(&p->ctx);
	p->dirs = (struct search_dirs){
		.symfs = p->options.symfs,
		.debug_dir = p->options.debug_dir,
		.build_id_dir = p->options.build_id_dir,
		.map_dir = p->options.map_dir,
		.trust_maps = p->options.flags & FF_TRUST_MAPS,
		.force = p->options.flags & FF_FORCE,
		.budget = &p->budget,
	};
	/* By address: debuginfod is set below. */
	p->images.dirs = &p->dirs;
	p->images.as_perf = p->options.flags & FF_COMPAT_STACKCOLLAPSE;
	if (p->options.debuginfod) {
		struct debuginfod_options fetching = { .timeout = p->options.debuginfod,
						       .progress = show_fetching,
						       .arg = p };

		err = debuginfod_new(&p->ctx, &fetching, &p->dirs.debuginfod);
		if (err < 0)
			return err;
	}
	err = binaries_new(&p->ctx, &p->dirs, &p->images, profile_infers(p),
			   &p->binaries);
	return err < 0 ? err : make_symbolizer(p);
}

/*
 * In an order in which nothing is freed that what follows still refers to: inputs and
 * symbolizers before strings, all of these before the arena and the budget.
 */
void ff_profile_free(struct ff_profile *p)
{
	if (!p)
		return;
	batch_release(p);
	for (size_t i = 0; i < p->inputs.count; i++)
		release_input(p->inputs.v[i]);
	symbolizer_free(p->symbolizer);
	stack_walker_free(p->walker);
	binaries_free(p->binaries);
	symbols_release(&p->symbols);
	named_release(&p->named);
	chart_release(&p->chart);
	filters_free(p->filters);
	collected_release(&p->collected);
	spill_release(p);
	images_release(&p->images);
	array_release(&p->inputs);
	array_release(&p->objects);
	array_release(&p->findings);
	array_release(&p->phases.list);
	roots_release(&p->roots);
	intern_release(&p->strings);
	arena_release(&p->arena);
	debuginfod_free(p->dirs.debuginfod);
	pthread_mutex_destroy(&p->progress_lock);
	budget_release(&p->budget);
	free(p);
}

const char *ff_profile_error(const struct ff_profile *p)
{
	return p->ctx.error;
}

static int add_filter(struct ff_profile *p, enum filter_side side, const char *filter)
{
	int err;

	if (p->inputs.count)
		return fail(&p->ctx, -EINVAL, "filter '%s' comes after the first input",
			    filter);
	err = filters_add(&p->ctx, p->filters, side, filter);
	if (err == 0 && filters_ask_intervals(p->filters) && !profile_rule(p))
		return fail(
			&p->ctx, -EINVAL,
			"filter '%s' asks about intervals, which only a mode has: --mode "
			"offcpu",
			filter);
	return err;
}

int ff_profile_only(struct ff_profile *p, const char *filter)
{
	return add_filter(p, FILTER_ONLY, filter);
}

int ff_profile_drop(struct ff_profile *p, const char *filter)
{
	return add_filter(p, FILTER_DROP, filter);
}
