#include "write/classes.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "input/input.h"
#include "unit/write/tree.h"

/* sRGB, IEC 61966-2-1. */
static double linear(uint8_t c)
{
	double v = c / 255.0;

	return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

/* WCAG 2.1, relative luminance and contrast ratio. */
static double luminance(struct colour c)
{
	return 0.2126 * linear(c.r) + 0.7152 * linear(c.g) + 0.0722 * linear(c.b);
}

static double contrast(double a, double b)
{
	return a > b ? (a + 0.05) / (b + 0.05) : (b + 0.05) / (a + 0.05);
}

static struct colour page_of(enum page_theme theme)
{
	return theme == PAGE_DARK ? (struct colour){ 0x16, 0x17, 0x1a }
				  : (struct colour){ 0xff, 0xff, 0xff };
}

static double luminance_of(enum page_theme theme, int class)
{
	return luminance(class_colour(theme, (uint8_t) class));
}

Test(classes, fills_stand_out_and_labels_can_be_read_on_them)
{
	for (int theme = PAGE_LIGHT; theme <= PAGE_DARK; theme++)
		for (int i = 0; i < CLASSES; i++) {
			double fill = luminance_of(theme, i);
			double page = contrast(fill, luminance(page_of(theme)));
			double ink = contrast(fill, theme == PAGE_DARK);
			double run = contrast(luminance(class_run_colour(theme, i)),
					      luminance(page_of(theme)));

			cr_expect_geq(page, 3, "%d, class %d: page %.2f", theme, i, page);
			cr_expect_geq(ink, 4.5, "%d, class %d: ink %.2f", theme, i, ink);
			cr_expect_geq(run, 3, "%d, class %d: run %.2f", theme, i, run);
		}
}

/* OKLab, Björn Ottosson 2020. */
static void oklab(struct colour c, double ret[3])
{
	double r = linear(c.r), g = linear(c.g), b = linear(c.b);
	double l = cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
	double m = cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
	double s = cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);

	ret[0] = 0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s;
	ret[1] = 1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s;
	ret[2] = 0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s;
}

/* Machado, Oliveira, Fernandes 2009: what a deuteranope sees. */
static struct colour deuteranope(struct colour c)
{
	static const double rows[3][3] = { { 0.367322, 0.860646, -0.227968 },
					   { 0.280085, 0.672501, 0.047413 },
					   { -0.011820, 0.042940, 0.968881 } };
	const double from[3] = { linear(c.r), linear(c.g), linear(c.b) };
	uint8_t to[3];

	for (int i = 0; i < 3; i++) {
		double v = 0;

		for (int k = 0; k < 3; k++)
			v += rows[i][k] * from[k];
		v = fmin(1, fmax(0, v));
		v = v <= 0.0031308 ? 12.92 * v : 1.055 * pow(v, 1 / 2.4) - 0.055;
		to[i] = (uint8_t)lround(255 * v);
	}
	return (struct colour){ to[0], to[1], to[2] };
}

static double distance(struct colour a, struct colour b)
{
	double x[3], y[3];

	oklab(a, x);
	oklab(b, y);
	return sqrt(pow(x[0] - y[0], 2) + pow(x[1] - y[1], 2) + pow(x[2] - y[2], 2));
}

/* All shades of one slot against all of another. */
static double slots_apart(enum page_theme theme, int one, int other)
{
	double least = 1;

	for (int i = 0; i < CLASS_SHADES; i++)
		for (int k = 0; k < CLASS_SHADES; k++) {
			struct colour a = class_colour(
				theme, (uint8_t)(CLASS_USER + one * CLASS_SHADES + i));
			struct colour b = class_colour(
				theme, (uint8_t)(CLASS_USER + other * CLASS_SHADES + k));

			least = fmin(least, distance(a, b));
		}
	return least;
}

static double middles_apart(enum page_theme theme, int one, int other)
{
	uint8_t a = (uint8_t)(CLASS_USER + one * CLASS_SHADES + CLASS_SHADES / 2);
	uint8_t b = (uint8_t)(CLASS_USER + other * CLASS_SHADES + CLASS_SHADES / 2);

	return distance(deuteranope(class_colour(theme, a)),
			deuteranope(class_colour(theme, b)));
}

Test(classes, modules_are_told_apart_in_every_shade)
{
	for (int i = 0; i < CLASS_SLOTS; i++)
		for (int k = 0; k < i; k++) {
			double light = slots_apart(PAGE_LIGHT, i, k);
			double dark = slots_apart(PAGE_DARK, i, k);

			cr_expect_geq(light, 0.063, "%d and %d: %.3f", i, k, light);
			cr_expect_geq(dark, 0.059, "%d and %d: %.3f in the dark", i, k,
				      dark);
			light = middles_apart(PAGE_LIGHT, i, k);
			dark = middles_apart(PAGE_DARK, i, k);
			cr_expect_geq(light, 0.024, "%d and %d: deuteranopes, %.3f", i, k,
				      light);
			cr_expect_geq(dark, 0.024, "%d and %d: deuteranopes, %.3f", i, k,
				      dark);
		}
}

/* Neither a module nor another kind looks like the kernel, JIT code, text or no symbol. */
Test(classes, kinds_are_told_apart_from_modules_and_each_other)
{
	static const int kinds[] = {
		CLASS_KERNEL + 2, CLASS_JIT + 2,    CLASS_JIT + 7,    CLASS_JIT + 12,
		CLASS_JIT + 17,	  CLASS_TEXT,	    CLASS_UNNAMED,    CLASS_FLAME + 2,
		CLASS_FLAME + 22, CLASS_FLAME + 37, CLASS_MODULE + 2, CLASS_MODULE + 7
	};

	for (int theme = PAGE_LIGHT; theme <= PAGE_DARK; theme++)
		for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
			struct colour kind = class_colour(theme, (uint8_t)kinds[i]);
			bool warm = kinds[i] >= CLASS_FLAME;

			for (unsigned slot = 0; slot < CLASS_SLOTS; slot++) {
				uint8_t its =
					(uint8_t)(CLASS_USER + slot * CLASS_SHADES + 2);
				double d = distance(kind, class_colour(theme, its));

				cr_expect(d >= 0.042 ||
						  (warm && class_slot_is_warm(slot)),
					  "%d: %d and slot %u: %.3f", theme, kinds[i],
					  slot, d);
			}
			for (size_t k = 0; k < i; k++) {
				double d = distance(
					kind, class_colour(theme, (uint8_t)kinds[k]));

				cr_expect_geq(d, 0.025, "%d: %d and %d: %.3f", theme,
					      kinds[i], kinds[k], d);
			}
		}
}

Test(classes, inlined_code_differs_from_its_module_and_shades_from_each_other)
{
	for (int theme = PAGE_LIGHT; theme <= PAGE_DARK; theme++)
		for (int i = CLASS_USER; i < CLASS_RATIO; i++) {
			struct colour its = class_colour(theme, (uint8_t)i);

			for (int k = CLASS_USER; k < i; k++)
				cr_expect(distance(its, class_colour(theme, (uint8_t)k)) >
						  0,
					  "%d: %d is %d", theme, i, k);
			if (i >= CLASS_USER + CLASS_SLOTS * CLASS_SHADES)
				continue;

			double d = distance(
				its, class_colour(theme, (uint8_t)(i - CLASS_USER +
								   CLASS_INLINED)));

			cr_expect_geq(d, 0.03, "%d, class %d: %.3f", theme, i, d);
		}
}

Test(classes, shades_span_at_most_8_percent_of_lightness)
{
	for (int theme = PAGE_LIGHT; theme <= PAGE_DARK; theme++)
		for (int i = CLASS_USER; i < CLASS_RATIO; i += CLASS_SHADES) {
			double low[3], high[3];

			oklab(class_colour(theme, (uint8_t)i), low);
			oklab(class_colour(theme, (uint8_t)(i + CLASS_SHADES - 1)), high);
			cr_expect_leq(high[0], low[0] * 1.0875, "%d: %d: %.3f to %.3f",
				      theme, i, low[0], high[0]);
			cr_expect_gt(high[0], low[0]);
		}
}

Test(classes, steps_of_ratios_can_be_told_apart)
{
	/* As deuteranopes see them, too: Machado, Oliveira, Fernandes 2009. */
	for (int theme = PAGE_LIGHT; theme <= PAGE_DARK; theme++)
		for (int i = CLASS_RATIO; i + 3 < CLASSES; i++) {
			double d = distance(class_colour(theme, (uint8_t)i),
					    class_colour(theme, (uint8_t)(i + 3)));
			double grey = distance(class_colour(theme, (uint8_t)i),
					       class_colour(theme, CLASS_UNNAMED));

			cr_expect_geq(d, 0.05, "%d: %d: %.3f", theme, i, d);
			cr_expect_geq(grey, 0.05, "%d: %d: %.3f", theme, i, grey);
		}
}

/* Five modules, none of which has nearly all. */
static const struct class_plan mixed = {
	.slots = { { "libc.so.6", 9, 3 }, { "bash", 4, 7 } },
	.count = 2,
};
static const struct class_plan text = { .only_text = true, .has_flame = true };
static const struct class_plan node = { .has_flame = true,
					.flame = "node",
					.flame_size = 4 };

static uint8_t class(const struct class_plan *plan, const char *name, const char *module,
		     uint8_t kind)
{
	return class_of(plan, &(struct class_subject){ name, module, kind, false });
}

static uint8_t class_of_text(const char *name)
{
	return class_of(&text, &(struct class_subject){ name, "", SAVED_TEXT, true });
}

static bool is_in(uint8_t class, int first, int count)
{
	return class >= first && class < first + count;
}

static int group(uint8_t class)
{
	return (class - CLASS_USER) / CLASS_SHADES;
}

Test(classes, kinds_have_their_own)
{
	cr_expect(is_in(class(&mixed, "f", "/usr/lib/libc.so.6", SAVED_USER),
			CLASS_USER + 3 * CLASS_SHADES, CLASS_SHADES));
	cr_expect(is_in(class(&mixed, "f", "[kernel.kallsyms]", SAVED_KERNEL),
			CLASS_KERNEL, CLASS_SHADES));
	cr_expect(is_in(class(&mixed, "f", "/boot/vmlinux-6.1", SAVED_KERNEL),
			CLASS_KERNEL, CLASS_SHADES));
	cr_expect(is_in(class(&mixed, "f", "[ext4]", SAVED_KERNEL), CLASS_MODULE,
			CLASS_MODULES * CLASS_SHADES));
	cr_expect(is_in(class(&mixed, "f", "/tmp/perf-1.map", SAVED_JIT), CLASS_JIT,
			CLASS_JITS * CLASS_SHADES));
	cr_expect_eq(class(&mixed, "bash", "", SAVED_TEXT), CLASS_TEXT);
	cr_expect_eq(class(&mixed, "[libx.so]", "/libx.so", SAVED_USER | SAVED_UNNAMED),
		     CLASS_UNNAMED);
	cr_expect_eq(class(&mixed, "--", "", SAVED_TEXT), CLASS_TEXT);
	cr_expect_eq(class_of_text("--"), CLASS_TEXT);
}

Test(classes, a_module_has_one_hue_wherever_it_lies)
{
	int one = group(class(&mixed, "f", "/usr/lib/libc.so.6", SAVED_USER));

	cr_expect_eq(group(class(&mixed, "g", "/lib64/libc.so.6", SAVED_USER)), one);
	cr_expect_eq(
		group(class(&mixed, "g", "/lib64/libc.so.6", SAVED_USER | SAVED_INLINED)),
		one + CLASS_SLOTS + CLASS_QUIET);
	cr_expect_eq(
		class(&mixed, "f", "[ext4]", SAVED_KERNEL),
		class(&mixed, "f", "/lib/modules/6.1/fs/ext4/ext4.ko.xz", SAVED_KERNEL));
}

Test(classes, what_has_no_slot_shares_a_quiet_colour)
{
	cr_expect(is_in(class(&mixed, "f", "/usr/lib/libother.so", SAVED_USER),
			CLASS_USER + CLASS_SLOTS * CLASS_SHADES,
			CLASS_QUIET * CLASS_SHADES));
}

Test(classes, code_of_a_runtime_goes_by_its_package_or_file)
{
	int java = group(
		class(&mixed, "java/util/HashMap.get", "/tmp/perf-1.map", SAVED_JIT));
	int js = group(class(&mixed, "JS:*a /srv/b.js:1:20", "perf-1.map", SAVED_JIT));

	cr_expect_eq(group(class(&mixed, "java/util/ArrayList.add", "/tmp/perf-77.map",
				 SAVED_JIT)),
		     java);
	cr_expect_eq(group(class(&mixed, "JS:~other /srv/b.js:33:1", "x", SAVED_JIT)),
		     js);
}

Test(classes, text_is_a_flame_and_has_kinds_by_its_marks)
{
	int hues = CLASS_FLAMES * CLASS_SHADES;

	cr_expect(is_in(class_of_text("vfs_read_[k]"), CLASS_KERNEL, CLASS_SHADES));
	cr_expect(is_in(class_of_text("a/b/C.d_[j]"), CLASS_JIT,
			CLASS_JITS * CLASS_SHADES));
	cr_expect(is_in(class_of_text("f_[i]"), CLASS_FLAME_INLINED, CLASS_SHADES));
	cr_expect_eq(class_of_text("f_[w]"), CLASS_WAKER);
	cr_expect_eq(class_of_text("[libc.so.6]"), CLASS_UNNAMED);
	cr_expect(is_in(class_of_text("std::sort"), CLASS_FLAME, hues));
	cr_expect_neq(class_of_text("std::sort"), class_of_text("std::find"));
	cr_expect(
		is_in(class(&node, "f", "/usr/bin/node", SAVED_USER), CLASS_FLAME, hues));
	cr_expect(is_in(class(&node, "f", "/lib/libc.so.6", SAVED_USER),
			CLASS_USER + CLASS_SLOTS * CLASS_SHADES,
			CLASS_QUIET * CLASS_SHADES));
}

/* People know their graphs by their colours: these may not change. */
Test(classes, colours_stay_from_version_to_version)
{
	cr_expect_eq(class_of_text("main"), CLASS_FLAME + 28);
	cr_expect_eq(class_of_text("malloc"), CLASS_FLAME + 35);
}

static void expect_group(const char *name, const char *module, uint8_t kind,
			 const char *expected)
{
	size_t size = 0;
	const char *group = class_group(
		&text, &(struct class_subject){ name, module, kind, true }, &size);

	if (!expected) {
		cr_expect_null(group, "%s", name);
		return;
	}
	cr_assert_not_null(group, "%s", name);
	cr_expect_eq(size, strlen(expected), "%s: %.*s", name, (int)size, group);
	cr_expect_eq(memcmp(group, expected, size), 0, "%s: %.*s", name, (int)size,
		     group);
}

Test(classes, groups_have_names_for_a_legend)
{
	expect_group("f", "/usr/lib/libc.so.6", SAVED_USER, "libc.so.6");
	expect_group("f", "[kernel.kallsyms]", SAVED_KERNEL, "kernel");
	expect_group("f", "/lib/ext4.ko.xz", SAVED_KERNEL, "ext4");
	expect_group("f", "/opt/x.kordoc", SAVED_KERNEL, "x.kordoc");
	expect_group("f", "/tmp/perf-1.map", SAVED_JIT, "JIT");
	expect_group("[libx.so]", "/libx.so", SAVED_USER | SAVED_UNNAMED, "no symbol");
	expect_group("read_[k]", "", SAVED_TEXT, "kernel");
	expect_group("f_[i]", "", SAVED_TEXT, "inlined");
	expect_group("f_[w]", "", SAVED_TEXT, "waker");
	expect_group("libc.so.6`malloc", "", SAVED_TEXT, "libc.so.6");
	expect_group("a::b::c", "", SAVED_TEXT, NULL);
	expect_group("malloc", "", SAVED_TEXT, NULL);
	expect_group("--", "", SAVED_TEXT, NULL);
	expect_group("", "", SAVED_TEXT, NULL);
}

/* Stacks of one frame each: "f@a" is a function of the module a. */
static struct class_plan plan_of(struct tree *t, const char *const *frames,
				 const uint64_t *weights, size_t count)
{
	struct class_plan plan;

	tree_init(t);
	for (size_t i = 0; i < count; i++)
		tree_add(t, frames[i], weights[i]);
	cr_assert_eq(class_plan_make(&plan, &t->in), 0);
	return plan;
}

Test(classes, a_module_with_nine_tenths_is_a_flame)
{
	static const char *const frames[] = { "f@a", "g@a", "h@b", "sys@k" };
	static const uint64_t nine[] = { 50, 40, 10, 999 }, less[] = { 49, 40, 11, 999 };
	struct class_plan plan;
	struct tree t;

	plan = plan_of(&t, frames, nine, 4);
	cr_expect(plan.has_flame && plan.flame && *plan.flame == 'a');
	cr_expect_eq(plan.count, 1u);
	cr_expect_not(class_slot_is_warm(plan.slots[0].slot));
	tree_release(&t);
	plan = plan_of(&t, frames, less, 4);
	cr_expect_not(plan.has_flame);
	cr_expect_eq(plan.count, 2u);
	tree_release(&t);
}

Test(classes, the_heaviest_modules_have_slots_of_their_own)
{
	char frames[20][8];
	const char *names[20];
	uint64_t weights[20];
	bool taken[CLASS_SLOTS] = { false };
	struct class_plan plan, alone;
	struct tree t, other;

	for (int i = 0; i < 20; i++) {
		snprintf(frames[i], sizeof(frames[i]), "f%d@%c", i, 'A' + i);
		names[i] = frames[i];
		weights[i] = (uint64_t)(100 - i);
	}
	plan = plan_of(&t, names, weights, 20);
	cr_assert_eq(plan.count, (unsigned)CLASS_SLOTS);
	for (unsigned i = 0; i < plan.count; i++) {
		cr_expect_eq(*plan.slots[i].name, 'A' + (char)i);
		cr_expect_not(taken[plan.slots[i].slot]);
		taken[plan.slots[i].slot] = true;
	}
	/* The heaviest one has the slot that its name prefers, whoever else is there. */
	alone = plan_of(&other, names, weights, 2);
	cr_expect_eq(alone.slots[0].slot, plan.slots[0].slot);
	tree_release(&t);
	tree_release(&other);
}

Test(classes, the_lists_name_every_colour)
{
	struct text t = { 0 };
	char first[8];
	struct colour c = class_colour(PAGE_DARK, CLASS_TEXT);

	class_colours_list(&t, PAGE_LIGHT);
	cr_expect_eq(t.size, CLASSES * 8 - 1);
	text_clear(&t);
	class_colours_list(&t, PAGE_DARK);
	snprintf(first, sizeof(first), "#%02x%02x%02x", c.r, c.g, c.b);
	cr_expect_eq(memcmp(t.bytes, first, 7), 0);
	text_release(&t);
}
