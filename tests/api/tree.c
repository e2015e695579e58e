/*
 * The tree of a folded text is what its lines say.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <flamefold.h>

#include "api.h"

static struct ff_profile *profile;

static const struct ff_node *child(const struct ff_node *parent, const char *name)
{
	const struct ff_node *n;

	for (n = ff_node_child(profile, parent); n; n = ff_node_next(profile, n)) {
		if (strcmp(ff_node_name(profile, n), name) == 0)
			return n;
	}
	printf("no child '%s'\n", name);
	exit(1);
}

static void read_text(const char *text)
{
	struct ff_options options = FF_OPTIONS_INIT;
	const char *path = api_file(text);

	CHECK(ff_profile_new(&profile, &options) == 0);
	CHECK(ff_profile_read(profile, path) == 0);
	CHECK(ff_profile_finish(profile) == 0);
	CHECK(strcmp(ff_profile_error(profile), "") == 0);
	remove(path);
}

static void a_node_has_its_own_weight_and_that_below_it(void)
{
	const struct ff_node *root, *main_, *work;

	read_text("a;main 1\na;main;work 20\na;main;rest 300\nb 4000\n");
	root = ff_profile_root(profile);
	main_ = child(child(root, "a"), "main");
	work = child(main_, "work");
	CHECK(ff_node_total(profile, root) == 4321);
	CHECK(ff_node_self(profile, root) == 0);
	CHECK(ff_node_total(profile, main_) == 321);
	CHECK(ff_node_self(profile, main_) == 1);
	CHECK(ff_node_total(profile, work) == 20);
	CHECK(ff_node_self(profile, work) == 20);
	CHECK(ff_node_self(profile, child(root, "b")) == 4000);
	ff_profile_free(profile);
}

static void the_tree_can_be_walked_both_ways(void)
{
	const struct ff_node *root, *a, *leaf;

	read_text("a;leaf 2\nb 3\n");
	root = ff_profile_root(profile);
	a = child(root, "a");
	leaf = child(a, "leaf");
	CHECK(ff_node_parent(profile, root) == NULL);
	CHECK(ff_node_parent(profile, a) == root);
	CHECK(ff_node_parent(profile, leaf) == a);
	CHECK(ff_node_child(profile, leaf) == NULL);
	CHECK(ff_node_next(profile, leaf) == NULL);
	ff_profile_free(profile);
}

static void children_are_in_the_order_of_their_names(void)
{
	const struct ff_node *n;

	read_text("c 1\na 1\nb 1\n");
	n = ff_node_child(profile, ff_profile_root(profile));
	CHECK(strcmp(ff_node_name(profile, n), "a") == 0);
	n = ff_node_next(profile, n);
	CHECK(strcmp(ff_node_name(profile, n), "b") == 0);
	n = ff_node_next(profile, n);
	CHECK(strcmp(ff_node_name(profile, n), "c") == 0);
	CHECK(ff_node_next(profile, n) == NULL);
	ff_profile_free(profile);
}

static void nothing_of_the_weight_is_missing(void)
{
	uint64_t read, tree, lost;

	read_text("a;b 7\na;c 11\n");
	read = ff_profile_total(profile, FF_TOTAL_WEIGHT_READ);
	tree = ff_profile_total(profile, FF_TOTAL_WEIGHT_TREE);
	lost = ff_profile_total(profile, FF_TOTAL_WEIGHT_LOST_EVENT) +
	       ff_profile_total(profile, FF_TOTAL_WEIGHT_LOST_FILTER) +
	       ff_profile_total(profile, FF_TOTAL_WEIGHT_LOST_DAMAGED);
	CHECK(read == 18);
	CHECK(tree == ff_node_total(profile, ff_profile_root(profile)));
	CHECK(read == tree + lost);
	ff_profile_free(profile);
}

static void inputs_are_added_up(void)
{
	const char *path;

	CHECK(ff_profile_new(&profile, NULL) == 0);
	path = api_file("a;b 7\n");
	CHECK(ff_profile_read(profile, path) == 0);
	CHECK(ff_profile_read(profile, path) == 0);
	remove(path);
	CHECK(ff_profile_finish(profile) == 0);
	CHECK(ff_node_total(profile, ff_profile_root(profile)) == 14);
	ff_profile_free(profile);
}

static void two_profiles_do_not_know_of_each_other(void)
{
	struct ff_profile *first;

	read_text("a 1\n");
	first = profile;
	read_text("b 2\n");
	CHECK(ff_node_total(profile, ff_profile_root(profile)) == 2);
	CHECK(ff_node_total(first, ff_profile_root(first)) == 1);
	ff_profile_free(first);
	CHECK(ff_node_self(profile, child(ff_profile_root(profile), "b")) == 2);
	ff_profile_free(profile);
}

static void what_symbols_are_asked_for_is_left(void)
{
	struct ff_options options = FF_OPTIONS_INIT;
	const char *path = api_file("a;f.isra.0;x 1\na;f 20\na;g 300\n");
	const struct ff_node *root, *f;

	options.flags = FF_MERGE_CLONES;
	CHECK(ff_profile_new(&profile, &options) == 0);
	CHECK(ff_profile_only(profile, "symbol=^f$") == 0);
	CHECK(ff_profile_drop(profile, "symbol=y") == 0);
	CHECK(ff_profile_read(profile, path) == 0);
	CHECK(ff_profile_finish(profile) == 0);
	root = ff_profile_root(profile);
	f = child(child(root, "a"), "f");
	CHECK(ff_node_total(profile, root) == 21);
	CHECK(ff_node_self(profile, f) == 20);
	CHECK(ff_node_next(profile, f) == NULL);
	CHECK(ff_profile_total(profile, FF_TOTAL_WEIGHT_READ) == 321);
	CHECK(ff_profile_total(profile, FF_TOTAL_WEIGHT_TREE) == 21);
	CHECK(ff_profile_total(profile, FF_TOTAL_WEIGHT_LOST_FILTER) == 300);
	CHECK(ff_profile_total(profile, FF_TOTAL_SAMPLES_TREE) == 2);
	ff_profile_free(profile);
	remove(path);
}

int main(void)
{
	a_node_has_its_own_weight_and_that_below_it();
	the_tree_can_be_walked_both_ways();
	what_symbols_are_asked_for_is_left();
	children_are_in_the_order_of_their_names();
	nothing_of_the_weight_is_missing();
	inputs_are_added_up();
	two_profiles_do_not_know_of_each_other();
	return api_failed;
}
