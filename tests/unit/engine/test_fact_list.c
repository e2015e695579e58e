#include <criterion/criterion.h>
#include <flamefold.h>
#include <string.h>

static const unsigned ends[] = {
	[FF_FACT_TEXT] = FF_INPUT_TEXTS,
	[FF_FACT_COUNT] = FF_INPUT_COUNTS,
	[FF_FACT_TOTAL] = FF_TOTALS,
};

enum { KINDS = sizeof(ends) / sizeof(ends[0]) };

Test(fact_list, describes_whatever_can_be_asked_for)
{
	for (unsigned kind = 0; kind < KINDS; kind++) {
		for (unsigned which = 0; which < ends[kind]; which++) {
			const struct ff_fact *f = ff_fact_find(kind, which);

			cr_assert(f, "kind %u, %u", kind, which);
			cr_expect(f->kind == kind && f->which == which);
			cr_expect(f->label && *f->label, "kind %u, %u", kind, which);
		}
		cr_expect_null(ff_fact_find(kind, ends[kind]));
	}
	cr_expect_null(ff_fact_find((enum ff_fact_kind)KINDS, 0));
}

Test(fact_list, shows_each_fact_at_most_once_in_a_view)
{
	for (unsigned view = 0; view < FF_VIEWS; view++) {
		for (unsigned kind = 0; kind < KINDS; kind++) {
			const struct ff_fact *f = NULL;
			unsigned shown = 0;

			while ((f = ff_fact_next(view, kind, f))) {
				const struct ff_fact *g = f;

				cr_assert(++shown <= ends[kind]);
				while ((g = ff_fact_next(view, kind, g)))
					cr_expect(g != f &&
						  strcmp(g->label, f->label) != 0);
			}
		}
	}
	cr_expect_null(ff_fact_next(FF_VIEWS, FF_FACT_TEXT, NULL));
}

Test(fact_list, names_what_programs_read_by_different_keys)
{
	static const enum ff_fact_view views[] = { FF_VIEW_JSON, FF_VIEW_PICTURE };

	for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
		for (unsigned kind = 0; kind < KINDS; kind++) {
			const struct ff_fact *f = NULL;

			while ((f = ff_fact_next(views[i], kind, f))) {
				const struct ff_fact *g = f;

				cr_assert(f->key, "%s", f->label);
				while ((g = ff_fact_next(views[i], kind, g)))
					cr_expect_str_neq(f->key, g->key);
			}
		}
	}
}

/* What the rank is for: the list has it between "samples in the tree" and "samples unwound". */
Test(fact_list, shows_facts_of_a_higher_rank_behind_the_others)
{
	const struct ff_fact *replays = ff_fact_find(FF_FACT_TOTAL, FF_TOTAL_REPLAYS);
	const struct ff_fact *next = ff_fact_next(FF_VIEW_JSON, FF_FACT_TOTAL, replays);

	cr_assert(next);
	cr_expect_str_eq(next->key, "not_unwound");
	cr_expect_str_eq(ff_fact_next(FF_VIEW_JSON, FF_FACT_TOTAL, next)->key,
			 "truncated");
}
