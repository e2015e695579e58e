#include <criterion/criterion.h>
#include <errno.h>
#include <flamefold.h>
#include <stdlib.h>
#include <string.h>

#include "engine/profile.h"

static const struct column allocated = { .name = "allocated",
					 .unit = "bytes",
					 .makes_stacks = true };

/* The stacks a and a;b, whose values in a third column are 4096 and 8192, in a format. */
static char *written(const struct column *column, const char *format, size_t *size)
{
	static const char stacks[] = "a 1\na;b 2\n";
	struct ff_graph_options graph = { sizeof(graph), .flags = FF_GRAPH_NO_SCRIPT };
	struct ff_profile *p;
	uint32_t third;
	char *bytes = NULL;
	FILE *out = open_memstream(&bytes, size);

	cr_assert_eq(ff_profile_new(&p, NULL), 0);
	cr_assert_eq(ff_profile_read_memory(p, stacks, strlen(stacks), "stacks"), 0);
	cr_assert_eq(columns_add(&p->columns, column, &third), 0);
	for (uint32_t node = 1; node < p->collected.trie.count; node++)
		cr_assert_eq(trie_charge(&p->collected.trie, node, third, 4096 * node),
			     0);
	cr_assert_eq(ff_profile_finish(p), 0);
	cr_assert_eq(ff_write(p, ff_format_find(format), &graph, out), 0);
	fclose(out);
	ff_profile_free(p);
	return bytes;
}

static int read_picture(struct ff_profile *p, const struct column *column)
{
	size_t size;
	char *picture = written(column, "svg", &size);
	int err = ff_profile_read_memory(p, picture, size, "picture.svg");

	free(picture);
	return err;
}

static void expect_third(struct ff_profile *p, uint64_t of_a, uint64_t of_b)
{
	const struct column *column = columns_find(&p->columns, "allocated");
	uint32_t third;

	cr_assert_not_null(column);
	cr_expect_str_eq(column->unit, "bytes");
	cr_expect(column->makes_stacks);
	third = (uint32_t)(column - p->columns.v);
	cr_assert_eq(ff_profile_finish(p), 0);
	cr_assert_eq(p->named.nodes.count, 3u);
	cr_expect_eq(named_value(&p->named, 1, third), of_a);
	cr_expect_eq(named_value(&p->named, 2, third), of_b);
	cr_expect_eq(p->further_sums[third], of_a + of_b);
}

Test(columns, a_third_one_is_read_back_from_a_picture)
{
	struct ff_profile *p;

	cr_assert_eq(ff_profile_new(&p, NULL), 0);
	cr_assert_eq(read_picture(p, &allocated), 0, "%s", ff_profile_error(p));
	expect_third(p, 4096, 8192);
	ff_profile_free(p);
}

Test(columns, folded_text_has_no_room_for_a_third_one)
{
	size_t size;
	char *text = written(&allocated, "folded", &size);

	cr_expect_str_eq(text, "a 1\na;b 2\n");
	free(text);
}

Test(columns, those_of_several_pictures_are_added_up_by_name)
{
	struct ff_profile *p;

	cr_assert_eq(ff_profile_new(&p, NULL), 0);
	cr_assert_eq(read_picture(p, &allocated), 0);
	cr_assert_eq(read_picture(p, &allocated), 0);
	cr_expect_eq(p->columns.count, COLUMN_ROLES + 1u);
	expect_third(p, 2 * 4096, 2 * 8192);
	ff_profile_free(p);
}

Test(columns, one_that_counts_something_else_is_not_added)
{
	struct column other = allocated;
	struct ff_profile *p;

	other.unit = "pages";
	cr_assert_eq(ff_profile_new(&p, NULL), 0);
	cr_assert_eq(read_picture(p, &allocated), 0);
	cr_expect_eq(read_picture(p, &other), -EINVAL);
	cr_expect_not_null(strstr(ff_profile_error(p),
				  "its column 'allocated' counts something else"));
	ff_profile_free(p);
}

Test(columns, one_of_the_weight_scales_with_its_decimals)
{
	struct column share = { .name = "allocated" };
	struct ff_profile *p;

	cr_assert_eq(ff_profile_new(&p, NULL), 0);
	cr_assert_eq(ff_profile_read_memory(p, "c 1.25\n", 7, "stacks"), 0);
	cr_assert_eq(read_picture(p, &share), 0);
	cr_expect_eq(p->further_sums[COLUMN_ROLES], (4096 + 8192) * 100u);
	ff_profile_free(p);
}
