#include "write/colour.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static const struct {
	const char *name;
	double sum, hash, reversed;
} vectors[] = {
	/* Printed by flamegraph.pl's functions. */
	{ "", .170828036106290, 1, 1 },
	{ "main", .778599984319047, .363351382160160, .854374465659732 },
	{ "foo", .310776043756963, .866502010702638, .859440803014471 },
	{ "malloc", .517887112758221, .489028213166144, .664576802507837 },
	{ "do_syscall_64_[k]", .219451186320843, .824451410658307, .622209556378835 },
	{ "unix`foo", .510441192499460, .866502010702638, .840410373325734 },
};

static bool near(double a, double b)
{
	return fabs(a - b) < 1e-14;
}

Test(colour, names_give_the_numbers_flamegraph_pl_makes_of_them)
{
	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		const char *name = vectors[i].name;
		size_t size = strlen(name);

		cr_expect(near(colour_sum(name, size), vectors[i].sum), "sum of %s",
			  name);
		cr_expect(near(colour_hash(name, size), vectors[i].hash), "hash of %s",
			  name);
		cr_expect(near(colour_hash_reversed(name, size), vectors[i].reversed),
			  "reversed hash of %s", name);
	}
}

static void expect_colour(const char *palette, enum colour_by by, const char *name, int r,
			  int g, int b)
{
	struct colouring c = { palette_find(palette), by, 0 };
	struct colour colour;

	cr_assert_not_null(c.palette, "%s", palette);
	colour = colour_of(&c, name, strlen(name));
	cr_expect(colour.r == r && colour.g == g && colour.b == b,
		  "%s of %s is %d,%d,%d, not %d,%d,%d", palette, name, colour.r, colour.g,
		  colour.b, r, g, b);
}

Test(colour, palettes_shade_by_sum)
{
	static const struct {
		const char *palette;
		int r, g, b;
	} cases[] = {
		{ "hot", 220, 71, 17 },	    { "mem", 0, 205, 65 },
		{ "io", 98, 98, 207 },	    { "red", 217, 74, 74 },
		{ "green", 68, 217, 68 },   { "blue", 98, 98, 220 },
		{ "chain", 98, 98, 220 },   { "aqua", 68, 182, 182 },
		{ "wakeup", 68, 182, 182 }, { "yellow", 192, 192, 56 },
		{ "purple", 210, 98, 210 }, { "orange", 210, 110, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		expect_colour(cases[i].palette, COLOUR_BY_SUM, "foo", cases[i].r,
			      cases[i].g, cases[i].b);
	expect_colour("hot", COLOUR_BY_SUM, "", 213, 39, 9);
}

Test(colour, palettes_shade_by_hash)
{
	static const struct {
		const char *palette;
		int r, g, b;
	} cases[] = {
		{ "hot", 247, 199, 47 },     { "mem", 0, 232, 181 },
		{ "io", 131, 131, 237 },     { "red", 247, 119, 119 },
		{ "green", 101, 247, 101 },  { "blue", 131, 131, 248 },
		{ "chain", 131, 131, 248 },  { "aqua", 101, 212, 212 },
		{ "wakeup", 101, 212, 212 }, { "yellow", 222, 222, 67 },
		{ "purple", 246, 131, 246 }, { "orange", 246, 146, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		expect_colour(cases[i].palette, COLOUR_BY_HASH, "foo", cases[i].r,
			      cases[i].g, cases[i].b);
}

static void expect_like(const char *palette, const char *name, const char *like)
{
	struct colouring c = { palette_find(like), COLOUR_BY_SUM, 0 };
	struct colour colour = colour_of(&c, name, strlen(name));

	expect_colour(palette, COLOUR_BY_SUM, name, colour.r, colour.g, colour.b);
}

Test(colour, multi_palettes_go_by_the_name)
{
	static const char *const cases[][3] = {
		{ "java", "Foo::bar_[j]", "green" },
		{ "java", "Foo::bar_[i]", "aqua" },
		{ "java", "Lcom/example/Foo", "green" },
		{ "java", "net/http.(*C).Do", "green" },
		{ "java", "L", "red" },
		{ "java", "a:::b", "green" },
		{ "java", "ns::f_[k]", "yellow" },
		{ "java", "sys_read_[k]", "orange" },
		{ "java", "xjava/lang", "red" },
		{ "perl", "a::b.pl", "yellow" },
		{ "perl", "Perl_pp_entersub", "green" },
		{ "perl", "x.pl", "green" },
		{ "perl", "sys_read_[k]", "orange" },
		{ "perl", "main", "red" },
		{ "js", "/a/b.js:12_[j]", "green" },
		{ "js", "Builtin:X_[j]", "aqua" },
		{ "js", "v8::f", "yellow" },
		{ "js", "~f /a/b.js:1", "green" },
		{ "js", "b.js/x", "red" },
		{ "js", "LazyCompile:x", "aqua" },
		{ "js", " ", "green" },
		{ "js", "sys_read_[k]x", "orange" },
		{ "js", "main", "red" },
		{ "chain", "try_to_wake_up_[w]", "aqua" },
		{ "chain", "schedule", "blue" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		expect_like(cases[i][0], cases[i][1], cases[i][2]);
}

Test(colour, differences_are_red_for_more_and_blue_for_less)
{
	static const struct {
		double delta;
		struct colour colour;
	} cases[] = {
		{ 0, { 255, 255, 255 } }, { 10, { 255, 0, 0 } },
		{ 5, { 255, 105, 105 } }, { 1, { 255, 189, 189 } },
		{ -10, { 0, 0, 255 } },	  { -3, { 147, 147, 255 } },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct colour c = colour_of_delta(cases[i].delta, 10);

		cr_expect(memcmp(&c, &cases[i].colour, sizeof(c)) == 0, "delta %g",
			  cases[i].delta);
	}
}

Test(colour, chance_is_the_same_in_every_run)
{
	struct colouring a = { palette_find("hot"), COLOUR_BY_CHANCE, 0 }, b = a;
	struct colour first = colour_of(&a, "x", 1), again = colour_of(&b, "x", 1);
	struct colour other = colour_of(&a, "x", 1);

	cr_expect(memcmp(&first, &again, sizeof(first)) == 0);
	cr_expect(memcmp(&first, &other, sizeof(first)) != 0);
}

Test(colour, names_that_are_no_utf8_have_a_colour)
{
	struct colouring c = { palette_find("hot"), COLOUR_BY_HASH, 0 };

	for (int byte = 1; byte < 256; byte++) {
		char name[] = { (char)byte, '`', (char)byte, 'x' };

		for (size_t size = 1; size <= sizeof(name); size++)
			colour_of(&c, name, size);
	}
}

Test(colour, every_palette_that_is_listed_exists)
{
	char names[256];
	int count = 0;

	strcpy(names, palette_names);
	for (char *p = strtok(names, ", "); p; p = strtok(NULL, ", "), count++)
		cr_expect_not_null(palette_find(p), "%s", p);
	cr_expect_eq(count, 15);
	cr_expect_null(palette_find("pink"));
	cr_expect_str_eq(palette_background(palette_find("chain")), "blue");
}

Test(colour, separators_are_grey_in_every_palette)
{
	for (int by = COLOUR_BY_SUM; by <= COLOUR_BY_CHANCE; by++) {
		expect_colour("hot", (enum colour_by)by, "--", 160, 160, 160);
		expect_colour("chain", (enum colour_by)by, "-", 200, 200, 200);
	}
	expect_colour("hot", COLOUR_BY_SUM, "", 213, 39, 9);
}

Test(colour, what_is_like_a_separator_is_none)
{
	static const char *const names[] = { "", "---", "-a", "a-", "--_[k]", "->" };
	struct colour colour = { 1, 2, 3 };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		cr_expect_not(colour_of_separator(names[i], strlen(names[i]), &colour),
			      "%s", names[i]);
	cr_expect(colour.r == 1 && colour.g == 2 && colour.b == 3);
}

Test(colour, colours_are_read_as_people_write_them)
{
	static const struct {
		const char *text;
		int r, g, b;
	} cases[] = {
		{ "rgb(1,2,3)", 1, 2, 3 }, { "rgb( 1 , 20, 255 )", 1, 20, 255 },
		{ "#0a0B0c", 10, 11, 12 }, { "#1f0", 17, 255, 0 },
		{ "red", 255, 0, 0 },	   { "Orange", 255, 165, 0 },
	};
	static const char *const others[] = {
		"",	   "rgb(1,2)",	  "rgb(1,2,256)", "rgb(1,2,3)x",
		"#12",	   "#12345",	  "#1234567",	  "#ggg",
		"reddish", "rgb(-1,2,3)", "#+1+2+3",	  "rgb(1,2,3",
	};
	struct colour c = { 0 };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cr_assert(colour_parse(cases[i].text, &c), "%s", cases[i].text);
		cr_expect(c.r == cases[i].r && c.g == cases[i].g && c.b == cases[i].b,
			  "%s is %d,%d,%d", cases[i].text, c.r, c.g, c.b);
	}
	c = (struct colour){ 1, 2, 3 };
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		cr_expect_not(colour_parse(others[i], &c), "%s", others[i]);
	cr_expect(c.r == 1 && c.g == 2 && c.b == 3);
}
