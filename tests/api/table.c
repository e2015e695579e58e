/*
 * Tables and call trees of a profile.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <errno.h>
#include <flamefold_table.h>

#include "api.h"

static void a_table_has_each_stack_once(void)
{
	struct ff_profile *p = profile_of("a;f;g;f 5\na;g 2\n");
	struct ff_table *t;
	struct ff_table_row row;

	CHECK(ff_table_new(p, FF_TABLE_FUNCTION, FF_TABLE_BY_SELF, &t) == 0);
	CHECK(ff_table_total(t) == 7);
	CHECK(ff_table_row(t, 0, &row) == 1 && strcmp(row.name, "f") == 0);
	CHECK(row.self == 5 && row.total == 5);
	CHECK(ff_table_row(t, 1, &row) == 1 && strcmp(row.name, "g") == 0);
	CHECK(row.self == 2 && row.total == 7);
	CHECK(ff_table_row(t, 2, &row) == 1 && strcmp(row.name, "a") == 0);
	CHECK(ff_table_row(t, 3, &row) == 0);
	ff_table_free(t);
	CHECK(ff_table_new(p, FF_TABLE_FUNCTION, FF_TABLE_BY_TOTAL, &t) == 0);
	/* Of equal totals the one with more of its own is first. */
	CHECK(ff_table_row(t, 0, &row) == 1 && strcmp(row.name, "g") == 0);
	CHECK(ff_table_row(t, 1, &row) == 1 && strcmp(row.name, "a") == 0);
	ff_table_free(t);
	ff_profile_free(p);
}

static void calls_are_sorted_by_weight(void)
{
	struct ff_profile *p = profile_of("m;a 1\nm;b 3\nm;c 2\n");
	struct ff_calls *c;
	struct ff_calls_node n;
	const char *order[] = { "b", "c", "a" };
	int i = 0;

	CHECK(ff_calls_new(p, FF_CALLS_FROM_ROOT, &c) == 0);
	ff_calls_node(c, 0, &n);
	CHECK(n.total == 6 && n.next == 0);
	ff_calls_node(c, n.first, &n);
	CHECK(strcmp(n.name, "m") == 0 && n.total == 6 && n.self == 0);
	for (unsigned node = n.first; node; node = n.next) {
		ff_calls_node(c, node, &n);
		CHECK(strcmp(n.name, order[i++]) == 0);
	}
	CHECK(i == 3);
	ff_calls_free(c);
	CHECK(ff_calls_new(p, FF_CALLS_FROM_LEAF, &c) == 0);
	ff_calls_node(c, 0, &n);
	ff_calls_node(c, n.first, &n);
	CHECK(strcmp(n.name, "b") == 0 && n.total == 3);
	ff_calls_node(c, n.first, &n);
	CHECK(strcmp(n.name, "m") == 0);
	ff_calls_free(c);
	ff_profile_free(p);
}

static void an_unfinished_profile_has_neither(void)
{
	struct ff_profile *p;
	struct ff_table *t = NULL;
	struct ff_calls *c = NULL;

	CHECK(ff_profile_new(&p, NULL) == 0);
	CHECK(ff_table_new(p, FF_TABLE_COMM, FF_TABLE_BY_SELF, &t) == -EINVAL);
	CHECK(ff_calls_new(p, FF_CALLS_FROM_ROOT, &c) == -EINVAL);
	CHECK(!t && !c);
	ff_table_free(t);
	ff_calls_free(c);
	ff_profile_free(p);
}

static void weights_have_a_unit(void)
{
	struct ff_profile *p = profile_of("a 0.25\n");

	CHECK(strcmp(ff_profile_weight_unit(p).name, "samples") == 0);
	CHECK(ff_profile_weight_unit(p).decimals == 2);
	ff_profile_free(p);
}

int main(void)
{
	a_table_has_each_stack_once();
	calls_are_sorted_by_weight();
	an_unfinished_profile_has_neither();
	weights_have_a_unit();
	return api_failed;
}
