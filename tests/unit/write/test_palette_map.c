#include "write/palette_map.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

static struct context ctx;
static char path[] = "/tmp/flamefold-palette-XXXXXX";

static void make_file(const char *text)
{
	int fd = mkstemp(path);
	FILE *out = fdopen(fd, "w");

	cr_assert_not_null(out);
	fputs(text, out);
	fclose(out);
}

static void remove_file(void)
{
	unlink(path);
}

static const char *colour(struct palette_map *m, const char *name)
{
	const char *ret = NULL;

	cr_assert_eq(palette_map_colour(m, name, "rgb(9,9,9)", &ret), 0);
	return ret;
}

Test(palette_map, a_name_may_hold_an_arrow, .fini = remove_file)
{
	struct palette_map m;

	make_file("Foo::operator->->rgb(1,2,3)\na->b->c->rgb(4,5,6)\n->rgb(7,7,7)\n"
		  "x->red\nlast->rgb(8,8,8)");
	cr_assert_eq(palette_map_read(&ctx, path, &m), 0);
	cr_expect_str_eq(colour(&m, "Foo::operator->"), "rgb(1,2,3)");
	cr_expect_str_eq(colour(&m, "a->b->c"), "rgb(4,5,6)");
	cr_expect_str_eq(colour(&m, ""), "rgb(7,7,7)");
	cr_expect_str_eq(colour(&m, "x"), "red");
	cr_expect_str_eq(colour(&m, "last"), "rgb(8,8,8)");
	cr_expect_str_eq(colour(&m, "other"), "rgb(9,9,9)");
	palette_map_release(&m);
}

Test(palette_map, lines_that_hold_no_colour_are_left_out, .fini = remove_file)
{
	struct palette_map m;

	make_file("a\n\nb->\nc->\"><script>\n->\nd->rgb(1,2,3)\n");
	cr_assert_eq(palette_map_read(&ctx, path, &m), 0);
	cr_expect_str_eq(colour(&m, "c"), "rgb(9,9,9)");
	cr_expect_str_eq(colour(&m, "b"), "rgb(9,9,9)");
	cr_expect_str_eq(colour(&m, "d"), "rgb(1,2,3)");
	palette_map_release(&m);
}

Test(palette_map, what_is_written_is_sorted_and_reads_back, .fini = remove_file)
{
	struct palette_map m;
	char *text;
	size_t size;

	make_file("b->c->rgb(1,2,3)\n");
	cr_assert_eq(palette_map_read(&ctx, path, &m), 0);
	colour(&m, "zebra");
	colour(&m, "");
	colour(&m, "a");
	colour(&m, "new\nline");
	cr_assert_eq(palette_map_write(&ctx, &m, path), 0);
	palette_map_release(&m);
	cr_assert_eq(file_slurp(&ctx, path, 4096, &text, &size), 0);
	cr_expect_str_eq(text, "->rgb(9,9,9)\na->rgb(9,9,9)\nb->c->rgb(1,2,3)\n"
			       "zebra->rgb(9,9,9)\n");
	free(text);
}

Test(palette_map, a_file_that_does_not_exist_is_an_empty_map)
{
	struct palette_map m;

	cr_assert_eq(palette_map_read(&ctx, "/nonexistent/palette.map", &m), 0);
	cr_expect_str_eq(colour(&m, "a"), "rgb(9,9,9)");
	cr_expect_eq(palette_map_write(&ctx, &m, "/nonexistent/palette.map"), -ENOENT);
	cr_expect_str_not_empty(ctx.error);
	palette_map_release(&m);
}

Test(palette_map, a_link_in_the_place_of_what_is_written_is_not_followed,
     .fini = remove_file)
{
	struct palette_map m;
	char temp_path[sizeof(path) + 32], victim[sizeof(path) + 32];
	char *text;
	size_t size;

	make_file("kept->rgb(1,2,3)\n");
	snprintf(victim, sizeof(victim), "%s.victim", path);
	snprintf(temp_path, sizeof(temp_path), "%s.%d.part", path, (int)getpid());
	cr_assert_eq(link(path, victim), 0);
	cr_assert_eq(symlink(victim, temp_path), 0);
	cr_assert_eq(palette_map_read(&ctx, path, &m), 0);
	colour(&m, "new");
	cr_assert_eq(palette_map_write(&ctx, &m, path), 0);
	palette_map_release(&m);
	cr_assert_eq(file_slurp(&ctx, victim, 4096, &text, &size), 0);
	cr_expect_str_eq(text, "kept->rgb(1,2,3)\n");
	free(text);
	cr_expect_neq(access(temp_path, F_OK), 0);
	unlink(victim);
}
