#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit/write/tree.h"

static char *draw(struct tree *t, const struct ff_graph_options *options)
{
	int err;
	char *svg = tree_draw(t, options, &err);

	cr_assert_eq(err, 0, "%s", t->ctx.error);
	return svg;
}

/* One picture, in which @text has to be. */
static void expect_text(struct tree *t, struct ff_graph_options options, const char *text)
{
	char *svg = draw(t, &options);

	cr_expect_not_null(strstr(svg, text), "no %s", text);
	free(svg);
}

static void expect_no_text(struct tree *t, struct ff_graph_options options,
			   const char *text)
{
	char *svg = draw(t, &options);

	cr_expect_null(strstr(svg, text), "%s", text);
	free(svg);
}

static void expect_refused(struct tree *t, struct ff_graph_options options,
			   const char *text)
{
	int err;
	char *svg = tree_draw(t, &options, &err);

	cr_expect_eq(err, -EINVAL);
	cr_expect_not_null(strstr(t->ctx.error, text), "%s", t->ctx.error);
	cr_expect_eq(strlen(svg), 0u);
	free(svg);
}

static void make(struct tree *t)
{
	tree_init(t);
	tree_add(t, "a;b", 10);
	tree_add(t, "a;c", 1234558);
}

Test(svg, a_frame_is_written_as_flamegraph_pl_writes_it)
{
	struct tree t;

	tree_init(&t);
	tree_add(&t, "a;b", 10);
	tree_add(&t, "c", 10);
	expect_text(
		&t, (struct ff_graph_options){ .colors = "hot" },
		"<g >\n<title>b (10 samples, 50.00%)</title><rect x=\"10.0\" y=\"37\" "
		"width=\"590.0\" height=\"15.0\" fill=\"rgb(230,117,28)\" rx=\"2\" "
		"ry=\"2\" />\n<text  x=\"13.00\" y=\"47.5\" >b</text>\n</g>\n");
	tree_release(&t);
}

Test(svg, titles_have_counts_with_commas_and_percents)
{
	struct tree t;

	make(&t);
	expect_text(&t, (struct ff_graph_options){ 0 },
		    "<title>all (1,234,568 samples, 100%)<");
	expect_text(&t, (struct ff_graph_options){ 0 },
		    "<title>a (1,234,568 samples, 100.00%)<");
	expect_text(&t, (struct ff_graph_options){ .countname = "<ns>" },
		    "<title>c (1,234,558 &lt;ns&gt;, 100.00%)<");
	expect_text(&t, (struct ff_graph_options){ .factor = 0.5, .minwidth = "0" },
		    "<title>b (5 samples, 0.00%)<");
	expect_text(&t, (struct ff_graph_options){ .total = 2469136 },
		    "<title>all (2,469,136 samples, 100%)</title><rect x=\"10\" y=\"69\" "
		    "width=\"1179\"");
	expect_text(&t, (struct ff_graph_options){ .total = 2469136 },
		    "<title>a (1,234,568 samples, 50.00%)<");
	tree_release(&t);
}

Test(svg, counts_are_rounded_half_to_even)
{
	struct tree t;

	tree_init(&t);
	t.named.decimals = 1;
	tree_add(&t, "a", 5);
	tree_add(&t, "b", 15);
	tree_add(&t, "c", 25);
	expect_text(&t, (struct ff_graph_options){ 0 }, "<title>a (0 samples, 0.00%)<");
	expect_text(&t, (struct ff_graph_options){ 0 }, "<title>b (2 samples, 44.44%)<");
	expect_text(&t, (struct ff_graph_options){ 0 }, "<title>c (2 samples, 44.44%)<");
	tree_release(&t);
}

Test(svg, labels_are_cut_to_their_boxes)
{
	struct tree t;

	tree_init(&t);
	t.in.mark_kernel = true;
	/* 100 pixels: 14 letters */
	tree_add(&t, "fourteen_chars@k", 100);
	tree_add(&t, "fifteen_letters", 100);
	tree_add(&t,
		 "\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5"
		 "\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5"
		 "\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5",
		 100);
	tree_add(&t, "narrow", 20);
	tree_add(&t, "three", 22);
	tree_add(&t, "x", 1180 - 342);
	expect_text(&t, (struct ff_graph_options){ 0 }, ">fourteen_chars</text>");
	expect_text(&t, (struct ff_graph_options){ 0 }, ">fifteen_lett..</text>");
	expect_text(&t, (struct ff_graph_options){ 0 }, "\xe6\x97\xa5</text>");
	expect_no_text(&t, (struct ff_graph_options){ 0 }, ">n..</text>");
	expect_text(&t, (struct ff_graph_options){ 0 }, ">t..</text>");
	tree_release(&t);
}

Test(svg, marks_are_not_printed_but_give_the_colour)
{
	struct tree t;

	tree_init(&t);
	t.in.mark_kernel = true;
	tree_add(&t, "sys_read@k", 100);
	expect_text(
		&t, (struct ff_graph_options){ .colors = "java" },
		"<title>sys_read (100 samples, 100.00%)</title><rect x=\"10.0\" y=\"37\" "
		"width=\"1180.0\" height=\"15.0\" fill=\"rgb(219,119,0)\"");
	tree_release(&t);
}

static bool is_clean(const char *svg)
{
	for (const unsigned char *p = (const unsigned char *)svg; *p; p++)
		if (*p < 0x20 && *p != '\n' && *p != '\t')
			return false;
	return true;
}

Test(svg, hostile_names_are_harmless)
{
	struct tree t;
	char *svg;

	tree_init(&t);
	tree_add(&t, "</title><script>alert(1)</script>", 100);
	tree_add(&t, "]]>&\"'", 100);
	tree_add(&t, "esc\x1b[31m\x01", 100);
	tree_add(&t, "bad\xff\xc3", 100);
	svg = draw(&t, &(struct ff_graph_options){ .flags = FF_GRAPH_NO_SCRIPT,
						   .title = "A & <B>",
						   .subtitle = "]]>",
						   .notes = "a--b",
						   .nametype = "\"><x",
						   .fonttype = "\"&" });
	cr_expect(is_clean(svg));
	cr_expect_null(strstr(svg, "<script>alert"));
	cr_expect_null(strstr(svg, "\xff"));
	cr_expect_null(strstr(svg, "\xc3"));
	cr_expect_not_null(strstr(svg, "<title>bad\xef\xbf\xbd\xef\xbf\xbd (100"));
	cr_expect_not_null(strstr(svg, ">A &amp; &lt;B&gt;</text>"));
	cr_expect_not_null(strstr(svg, "data-nametype=\"&quot;&gt;&lt;x\""));
	cr_expect_not_null(strstr(svg, "<!-- NOTES: a- -b -->"));
	free(svg);
	tree_release(&t);
}

Test(svg, the_embedded_viewer_does_not_end_its_cdata_section)
{
	struct tree t;
	char *svg;
	int ends = 0;

	make(&t);
	svg = draw(&t, NULL);
	for (const char *p = svg; (p = strstr(p, "]]>")); p++)
		ends++;
	cr_expect_eq(ends, 2);
	free(svg);
	tree_release(&t);
}

Test(svg, differences_are_coloured_where_stacks_end)
{
	struct tree t;

	tree_init(&t);
	tree_add_before(&t, "a;b", 100, 300);
	tree_add_before(&t, "a;c", 200, 100);
	expect_text(&t, (struct ff_graph_options){ 0 },
		    "<title>b (300 samples, 75.00%; +50.00%)</title><rect x=\"10.0\" "
		    "y=\"37\" width=\"885.0\" height=\"15.0\" fill=\"rgb(255,0,0)\"");
	expect_text(&t, (struct ff_graph_options){ 0 },
		    "<title>c (100 samples, 25.00%; -25.00%)</title><rect x=\"895.0\" "
		    "y=\"37\" width=\"295.0\" height=\"15.0\" fill=\"rgb(105,105,255)\"");
	expect_text(
		&t, (struct ff_graph_options){ 0 },
		"<title>a (400 samples, 100.00%; 0.00%)</title><rect x=\"10.0\" "
		"y=\"53\" width=\"1180.0\" height=\"15.0\" fill=\"rgb(255,255,255)\"");
	expect_text(&t, (struct ff_graph_options){ 0 },
		    "<title>all (400 samples, 100%)<");
	expect_text(&t, (struct ff_graph_options){ .flags = FF_GRAPH_NEGATE },
		    "<title>b (300 samples, 75.00%; -50.00%)</title><rect x=\"10.0\" "
		    "y=\"37\" width=\"885.0\" height=\"15.0\" fill=\"rgb(0,0,255)\"");
	tree_release(&t);
}

Test(svg, titles_follow_the_kind_of_graph)
{
	struct tree t;

	make(&t);
	expect_text(&t, (struct ff_graph_options){ 0 }, ">Flame Graph</text>");
	expect_text(&t, (struct ff_graph_options){ .flags = FF_GRAPH_INVERTED },
		    ">Icicle Graph</text>");
	expect_text(&t, (struct ff_graph_options){ .title = "Mine" }, ">Mine</text>");
	t.in.in_order = true;
	expect_text(&t, (struct ff_graph_options){ .flags = FF_GRAPH_INVERTED },
		    ">Flame Chart</text>");
	tree_release(&t);
}

Test(svg, the_background_goes_with_the_palette)
{
	struct tree t;

	make(&t);
	expect_text(&t, (struct ff_graph_options){ .colors = "hot" },
		    "stop-color=\"#eeeeb0\" offset=\"95%\"");
	expect_no_text(&t, (struct ff_graph_options){ 0 }, "stop-color");
	expect_text(&t, (struct ff_graph_options){ .colors = "io" }, "\"#e0e0ff\"");
	expect_text(&t, (struct ff_graph_options){ .bgcolors = "grey" }, "\"#e8e8e8\"");
	expect_text(&t, (struct ff_graph_options){ .bgcolors = "#12aBcd" },
		    "\"#12aBcd\"");
	tree_release(&t);
}

Test(svg, narrow_frames_are_left_out_and_make_the_picture_lower)
{
	struct ff_graph_options hot = { .colors = "hot" }, two = { .minwidth = "2" };
	struct tree t;

	tree_init(&t);
	tree_add(&t, "a", 999);
	tree_add(&t, "b;c;d", 1);
	expect_text(&t, hot, "height=\"134\"");
	two.colors = "hot";
	/* 102 and a line that says so */
	expect_text(&t, two, "height=\"124\"");
	expect_text(&t, two, ">3 of 5 frames are narrower than 2 pixels: grey; in a");
	expect_text(&t, (struct ff_graph_options){ .minwidth = "0.1%" }, "<title>d (");
	expect_no_text(&t, (struct ff_graph_options){ .minwidth = "0.2%" }, "<title>d (");
	tree_release(&t);
}

/* 1180 pixels: frames of 2 and 1 and 0.25. */
static void make_narrow(struct tree *t)
{
	tree_init(t);
	tree_add(t, "a", 4712);
	tree_add(t, "b@u", 4);
	tree_add(t, "c@u", 1);
	tree_add(t, "d@u", 1);
	tree_add(t, "e;f", 1);
	tree_add(t, "g@u", 1);
}

Test(svg, narrow_frames_are_lines_and_narrower_ones_runs)
{
	struct tree t;

	make_narrow(&t);
	expect_no_text(&t, (struct ff_graph_options){ 0 }, "<title>b (");
	expect_text(&t, (struct ff_graph_options){ 0 },
		    "d=\"M11880 44.5h10\" />\n</g>\n<g id=\"runs\"");
	/* Four neighbours are one run; what is above one of them is in it. */
	expect_text(&t, (struct ff_graph_options){ 0 }, " d=\"M11890 44.5h10\" />\n</g>");
	expect_text(&t, (struct ff_graph_options){ 0 },
		    " data-nodes=\"8\" data-drawn=\"3\" data-hidden=\"5\"");
	expect_text(&t, (struct ff_graph_options){ 0 },
		    ">5 of 8 frames are narrower than half a pixel: drawn together; in "
		    "a browser a click zooms in. <");
	expect_no_text(&t, (struct ff_graph_options){ .flags = FF_GRAPH_NO_SCRIPT },
		       "browser");
	tree_release(&t);
}

/* Stacks of 500 functions, no two with one in common. */
static void make_deep(struct tree *t, unsigned stacks)
{
	char stack[500 * 10];

	tree_init(t);
	for (unsigned i = 0; i < stacks; i++) {
		size_t size = 0;

		for (unsigned depth = 0; depth < 500; depth++)
			size += (size_t)sprintf(stack + size, "%s%u_%u", depth ? ";" : "",
						i, depth);
		tree_add(t, stack, 1);
	}
}

/* 20,000 frames and the root: 100 stacks' 199 rows, and a grey one. */
Test(svg, what_browsers_cannot_show_is_in_runs)
{
	struct ff_graph_options all = { .minwidth = "0.5" }, wide = { .width = 6000 };
	struct tree t;

	make_deep(&t, 100);
	expect_text(&t, (struct ff_graph_options){ 0 },
		    " data-nodes=\"50001\" data-drawn=\"19901\" data-hidden=\"30100\"");
	expect_text(&t, (struct ff_graph_options){ 0 },
		    ">30,100 of 50,001 frames are narrower than half a pixel, or beyond "
		    "row 199: drawn together; in a browser");
	/* The run of the row that follows the last one, from edge to edge. */
	expect_text(&t, (struct ff_graph_options){ 0 },
		    " d=\"M100 44.5h11800\" />\n</g>\n<path id=\"bands\"");
	expect_text(&t, all, " data-drawn=\"50001\" data-hidden=\"0\"");
	expect_text(&t, wide, " data-drawn=\"50001\" data-hidden=\"0\"");
	tree_release(&t);
}

Test(svg, what_they_can_is_not)
{
	struct tree t;

	make_deep(&t, 39);
	expect_text(&t, (struct ff_graph_options){ 0 },
		    " data-drawn=\"19501\" data-hidden=\"0\"");
	tree_release(&t);
}

Test(svg, lines_go_on_from_where_the_last_one_ended)
{
	struct tree t;

	tree_init(&t);
	tree_add(&t, "a;b@u", 1); /* half a pixel */
	tree_add(&t, "a;c", 99);
	tree_add(&t, "a;d@u", 2);
	tree_add(&t, "e", 2258);
	/* d is in the row of b; both have the class of their module. */
	expect_text(&t, (struct ff_graph_options){ .width = 1200 },
		    "d=\"M100 44.5h5m495 0h10\" />");
	tree_release(&t);
}

Test(svg, own_values_are_bands)
{
	struct ff_graph_options palette = { .colors = "hot" },
				inverted = { .flags = FF_GRAPH_INVERTED },
				reverse = { .flags = FF_GRAPH_REVERSE };
	struct tree t;

	tree_init(&t);
	tree_add(&t, "a", 40);
	tree_add(&t, "a;b", 60);
	/* 40 % of 1180 pixels; a's frame is the one in the middle, from 53 on. */
	expect_text(&t, (struct ff_graph_options){ 0 },
		    "stroke-width=\"2\" transform=\"scale(.1 1)\" "
		    "d=\"M100 54h4720\" />");
	expect_text(&t, inverted, "d=\"M100 66h4720\" />");
	expect_text(&t, (struct ff_graph_options){ 0 }, " #bands{stroke:#fff}");
	expect_no_text(&t, palette, "<path id=\"bands\"");
	expect_text(&t, reverse, "stroke-width=\"2\" transform=\"scale(.1 1)\" d=\"\"");
	tree_release(&t);
}

Test(svg, names_that_nobody_reads_to_the_end_are_cut)
{
	struct ff_graph_options palette = { .colors = "hot" };
	char name[2001], cut[1024] = "<title>";
	struct tree t;

	/* 999 letters, and then some of two bytes: none is cut in two. */
	memset(name, 'x', 999);
	for (size_t i = 999; i + 1 < sizeof(name) - 1; i += 2)
		memcpy(name + i, "\xc3\xa9", 2);
	name[1999] = '\0';
	memset(cut + 7, 'x', 999);
	strcpy(cut + 7 + 999, "\xc3\xa9.. (");
	tree_init(&t);
	tree_add(&t, name, 10);
	expect_text(&t, (struct ff_graph_options){ 0 }, cut);
	expect_no_text(&t, palette, cut);
	tree_release(&t);
}

Test(svg, all_frames_that_flamegraph_pl_draws_have_a_title_in_its_colours)
{
	struct tree t;

	make_narrow(&t);
	expect_text(&t, (struct ff_graph_options){ .colors = "hot" },
		    "<title>f (1 samples");
	expect_text(&t, (struct ff_graph_options){ .flags = FF_GRAPH_HASH },
		    "<title>f (1 samples");
	expect_text(&t, (struct ff_graph_options){ .colors = "hot" },
		    " data-hidden=\"0\"");
	expect_no_text(&t, (struct ff_graph_options){ .colors = "hot" }, "id=\"note\"");
	tree_release(&t);
}

Test(svg, thousands_of_narrow_frames_have_no_titles)
{
	char name[16];
	struct tree t;

	tree_init(&t);
	for (int i = 0; i < 4200; i++) {
		snprintf(name, sizeof(name), "f%d", i);
		tree_add(&t, name, 1);
	}
	expect_no_text(&t, (struct ff_graph_options){ .colors = "hot" }, "<title>f7 (");
	expect_text(&t, (struct ff_graph_options){ .colors = "hot", .minwidth = "0.1" },
		    "<title>f7 (");
	tree_release(&t);
}

Test(svg, the_default_look_has_classes_and_a_legend)
{
	struct tree t;

	tree_init(&t);
	tree_add(&t, "p;vfs_read_[k]", 300);
	tree_add(&t, "p;read", 100);
	for (size_t i = 1; i < t.symbols.functions.count; i++)
		t.symbols.functions.v[i].kind = FUNCTION_LABEL;
	expect_text(&t, (struct ff_graph_options){ 0 },
		    "fill=\"#817ad9\" class=\"c166\" rx=");
	expect_text(&t, (struct ff_graph_options){ 0 },
		    "class=\"c166\" rx=\"2\" /><text");
	expect_text(&t, (struct ff_graph_options){ 0 }, ".c166{color:#6962b7}");
	expect_text(&t, (struct ff_graph_options){ 0 }, "data-colors=\"module\" ");
	expect_text(&t, (struct ff_graph_options){ 0 }, "data-light=\"#");
	expect_text(&t, (struct ff_graph_options){ 0 },
		    "data-shades=\"3 5\" data-kinds=\"0 ");
	expect_text(&t, (struct ff_graph_options){ 0 },
		    "<rect id=\"canvas\" x=\"0.0\" y=\"0\" "
		    "width=\"1200.0\" height=\"140.0\" "
		    "fill=\"#ffffff\" />");
	expect_no_text(&t, (struct ff_graph_options){ .colors = "hot" }, "id=\"legend\"");
	expect_no_text(
		&t,
		(struct ff_graph_options){ .colors = "hot", .flags = FF_GRAPH_NO_SCRIPT },
		"data-light");
	tree_release(&t);
}

Test(svg, boxes_leave_a_pixel_to_their_neighbours)
{
	struct tree t;

	tree_init(&t);
	tree_add(&t, "a", 1770);
	tree_add(&t, "b", 590);
	/* A quarter of 1180 pixels; whole pixels, and one less. */
	expect_text(&t, (struct ff_graph_options){ 0 },
		    "<rect x=\"10\" y=\"37\" width=\"884\" height=\"15\" ");
	expect_text(&t, (struct ff_graph_options){ 0 },
		    "<rect x=\"895\" y=\"37\" width=\"294\" height=\"15\" ");
	tree_release(&t);
}

Test(svg, a_theme_that_is_given_needs_no_style)
{
	struct ff_graph_options dark = { .theme = "dark" }, light = { .theme = "light" };
	struct ff_graph_options palette = { .theme = "dark", .colors = "hot" };
	struct tree t;

	make(&t);
	expect_text(&t, dark, " data-scheme=\"dark\" ");
	expect_text(&t, dark, " fill=\"rgb(255,255,255)\" ");
	expect_text(&t, dark, "\" fill=\"#16171a\" />");
	expect_text(&t, dark, "<path id=\"bands\" fill=\"none\" stroke=\"#fff\"");
	expect_no_text(&t, dark, "@media (prefers-color-scheme:dark){svg");
	expect_text(&t, light, "\" fill=\"#ffffff\" />");
	expect_no_text(&t, light, "@media (prefers-color-scheme:dark){svg");
	expect_text(&t, (struct ff_graph_options){ 0 },
		    "@media (prefers-color-scheme:dark){svg");
	expect_no_text(&t, (struct ff_graph_options){ .theme = "auto" },
		       " data-scheme=\"");
	expect_text(&t, palette, " data-scheme=\"dark\" ");
	expect_text(&t, palette, "\" fill=\"url(#background)\"");
	expect_refused(&t, (struct ff_graph_options){ .theme = "blue" },
		       "theme 'blue' is not light, dark or auto");
	tree_release(&t);
}

Test(svg, the_picture_is_described_in_words)
{
	struct tree t;

	make(&t);
	expect_text(
		&t, (struct ff_graph_options){ 0 },
		"<desc id=\"document-description\">1,234,568 samples in 3 frames. Most "
		"of "
		"their own have c 100 %, b 0.0 %. Hottest path: a &gt; c, 100 %.</desc>");
	tree_release(&t);
}

Test(svg, facts_are_in_the_header_and_in_the_note)
{
	const struct write_facts facts = {
		.unit = "cycles",
		.events = "cycles:u",
		.command = "perf record \"-g\" <&>",
		.samples = 100,
		.frequency = 99,
		.duration = 5,
		.lost = 1234,
		.truncated = 10,
	};
	struct tree t;

	tree_init(&t);
	tree_add(&t, "a", 990);
	tree_add(&t, "[gone]@g", 10);
	array_last(&t.symbols.functions)->unnamed = true;
	t.facts = &facts;
	expect_text(&t, (struct ff_graph_options){ 0 }, "<title>a (990 cycles, 99.00%)<");
	expect_text(&t, (struct ff_graph_options){ 0 },
		    " data-total=\"1000\" data-unit=\"cycles\" data-samples=\"100\" "
		    "data-event=\"cycles:u\" data-frequency=\"99\" data-duration=\"5\" "
		    "data-lost=\"1234\" data-truncated=\"10\" data-unknown=\"10\" "
		    "data-command=\"perf record &quot;-g&quot; &lt;&amp;&gt;\" ");
	expect_text(
		&t, (struct ff_graph_options){ 0 },
		">1.0 % without a symbol. 10 % with a cut stack. 1,234 samples lost. <");
	expect_text(&t, (struct ff_graph_options){ .countname = "ns" },
		    "<title>a (990 ns, 99");
	tree_release(&t);
}

Test(svg, a_share_that_is_hardly_any_is_not_none)
{
	const struct write_facts facts = { .samples = 10000, .truncated = 4 };
	struct tree t;

	tree_init(&t);
	tree_add(&t, "a", 10000);
	t.facts = &facts;
	expect_text(&t, (struct ff_graph_options){ 0 },
		    ">less than 0.1 % with a cut stack. <");
	tree_release(&t);
}

Test(svg, a_share_of_the_largest_weight_is_one)
{
	const struct write_facts facts = { .samples = 3, .truncated = 3 };
	struct tree t;

	tree_init(&t);
	tree_add(&t, "a", UINT64_MAX);
	t.facts = &facts;
	expect_text(&t, (struct ff_graph_options){ 0 }, ">100 % with a cut stack. <");
	tree_release(&t);
}

Test(svg, parts_can_be_left_out)
{
	struct ff_graph_options without = { .flags = FF_GRAPH_NO_SCRIPT },
				alone = { .flags = FF_GRAPH_STATIC };
	struct tree t;

	make(&t);
	expect_text(&t, without, "<metadata id=\"flamefold-data\"");
	expect_no_text(&t, without, "<script");
	expect_no_text(&t, without, "id=\"search\"");
	expect_no_text(&t, alone, "<metadata");
	expect_no_text(&t, alone, "<script");
	expect_text(&t, alone, "<title>c (");
	tree_release(&t);
}

Test(svg, the_width_is_the_pages_unless_it_is_given)
{
	struct tree t;

	make(&t);
	expect_text(&t, (struct ff_graph_options){ 0 },
		    "<svg version=\"1.1\" width=\"1200\" ");
	expect_text(&t, (struct ff_graph_options){ 0 }, " data-fluid=\"1\"");
	expect_text(&t, (struct ff_graph_options){ .width = 800 },
		    " width=\"800\" height=");
	expect_text(&t, (struct ff_graph_options){ .width = 800 }, " data-fluid=\"0\"");
	tree_release(&t);
}

Test(svg, a_page_allows_its_own_script_only)
{
	struct ff_graph_options page = { .flags = FF_GRAPH_HTML },
				plain = { .flags = FF_GRAPH_HTML | FF_GRAPH_NO_SCRIPT };
	struct tree t;

	make(&t);
	expect_text(&t, page, "<!DOCTYPE html>\n<html lang=\"en\">");
	expect_text(&t, page,
		    "content=\"default-src 'none'; base-uri 'none'; form-action "
		    "'none'; script-src 'sha256-");
	expect_text(&t, page, "<metadata id=\"flamefold-data\"");
	expect_no_text(&t, page, "<![CDATA[");
	expect_no_text(&t, page, "<?xml");
	expect_no_text(&t, plain, "script-src");
	tree_release(&t);
}

Test(svg, separators_are_grey)
{
	struct tree t;

	tree_init(&t);
	tree_add(&t, "a;--;b;-;c", 100);
	expect_text(&t, (struct ff_graph_options){ .colors = "hot" },
		    "fill=\"rgb(160,160,160)\"");
	expect_text(&t, (struct ff_graph_options){ .colors = "hot" },
		    "fill=\"rgb(200,200,200)\"");
	expect_no_text(&t, (struct ff_graph_options){ 0 }, "fill=\"#a0a0a0\"");
	tree_release(&t);
}

Test(svg, options_that_cannot_be_are_refused_with_a_sentence)
{
	struct tree t;

	make(&t);
	expect_refused(&t, (struct ff_graph_options){ .colors = "pink" },
		       "no palette 'pink': there are module, ratio, hot, mem, io");
	expect_refused(&t, (struct ff_graph_options){ .bgcolors = "#12345g" }, "#rrggbb");
	expect_refused(&t, (struct ff_graph_options){ .bgcolors = "white" }, "'white'");
	expect_refused(&t, (struct ff_graph_options){ .minwidth = "abc" }, "'abc'");
	expect_refused(&t, (struct ff_graph_options){ .notes = "<" }, "notes");
	expect_refused(&t, (struct ff_graph_options){ .width = 20 }, "width");
	expect_refused(&t, (struct ff_graph_options){ .fontsize = -1 }, "fontsize");
	expect_refused(&t, (struct ff_graph_options){ .fontwidth = 0.0 / 0.0 },
		       "fontwidth");
	tree_release(&t);
}

Test(svg, an_empty_tree_gives_a_picture_that_says_so)
{
	struct tree t;
	char *svg;
	int err;

	tree_init(&t);
	svg = tree_draw(&t, NULL, &err);
	cr_expect_eq(err, -ENODATA);
	cr_expect_str_eq(t.ctx.error, "no stack counts found");
	cr_expect_not_null(strstr(svg, "height=\"60\""));
	cr_expect_not_null(strstr(svg, "ERROR: "));
	cr_expect_str_eq(svg + strlen(svg) - 7, "</svg>\n");
	free(svg);
	tree_release(&t);
}

Test(svg, low_counts_and_totals_are_warned_about)
{
	struct tree t;

	tree_init(&t);
	tree_add(&t, "a", 20);
	free(draw(&t, &(struct ff_graph_options){ .total = 10 }));
	cr_expect_str_eq(
		t.warnings,
		"stack count is low (20). Did something go wrong?\n"
		"specified --total 10 is less than actual total 20, so ignored\n");
	t.warnings[0] = '\0';
	free(draw(&t, &(struct ff_graph_options){ .countname = "ns", .total = 0.1 }));
	cr_expect_str_eq(t.warnings, "");
	tree_release(&t);
}

Test(svg, the_same_input_gives_the_same_bytes)
{
	struct ff_graph_options options = { .flags = FF_GRAPH_RANDOM };
	struct tree t;
	char *one, *two;

	make(&t);
	one = draw(&t, &options);
	two = draw(&t, &options);
	cr_expect_str_eq(one, two);
	free(one);
	free(two);
	tree_release(&t);
}

Test(svg, a_palette_map_keeps_colours_between_graphs)
{
	char path[] = "/tmp/flamefold-map-XXXXXX";
	struct ff_graph_options options = { .palette_map = path };
	struct tree t;

	close(mkstemp(path));
	make(&t);
	free(draw(&t, &options));
	options.colors = "blue";
	expect_text(&t, options, "fill=\"rgb(236,146,35)\"");
	unlink(path);
	tree_release(&t);
}

Test(svg, a_stream_that_fails_is_an_error)
{
	FILE *out = fopen("/dev/full", "w");
	struct tree t;

	cr_assert_not_null(out);
	make(&t);
	cr_expect_eq(write_svg(&t.ctx, &t.in, &(struct write_options){ 0 }, out),
		     -ENOSPC);
	fclose(out);
	tree_release(&t);
}
