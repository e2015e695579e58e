#include "write/classes.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "input/input.h"

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

Test(classes, labels_can_be_read_on_all_colours)
{
	for (int i = 0; i < CLASSES; i++) {
		double black = contrast(luminance(class_colours[i].light), 0);
		double white = contrast(luminance(class_colours[i].dark), 1);

		cr_expect_geq(black, 4.5, "class %d: black on light %.2f", i, black);
		cr_expect_geq(white, 4.5, "class %d: white on dark %.2f", i, white);
	}
}

/* Machado, Oliveira, Fernandes 2009, severity 1: what a colour looks like. */
static const double visions[4][3][3] = {
	{ { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } },
	{ { 0.152286, 1.052583, -0.204868 },
	  { 0.114503, 0.786281, 0.099216 },
	  { -0.003882, -0.048116, 1.051998 } },
	{ { 0.367322, 0.860646, -0.227968 },
	  { 0.280085, 0.672501, 0.047413 },
	  { -0.011820, 0.042940, 0.968881 } },
	{ { 1.255528, -0.076749, -0.178779 },
	  { -0.078411, 0.930809, 0.147602 },
	  { 0.004733, 0.691367, 0.303900 } },
};

static double bent(double t)
{
	return t > 0.008856 ? cbrt(t) : 7.787 * t + 16.0 / 116;
}

static void seen(struct colour c, int vision, double lab[3])
{
	const double rgb[3] = { linear(c.r), linear(c.g), linear(c.b) };
	static const double to_xyz[3][3] = { { 0.4124564, 0.3575761, 0.1804375 },
					     { 0.2126729, 0.7151522, 0.0721750 },
					     { 0.0193339, 0.1191920, 0.9503041 } };
	static const double white[3] = { 0.95047, 1, 1.08883 };
	double look[3] = { 0 }, xyz[3] = { 0 };

	for (int i = 0; i < 3; i++) {
		for (int k = 0; k < 3; k++)
			look[i] += visions[vision][i][k] * rgb[k];
		look[i] = fmin(1, fmax(0, look[i]));
	}
	for (int i = 0; i < 3; i++) {
		for (int k = 0; k < 3; k++)
			xyz[i] += to_xyz[i][k] * look[k];
		xyz[i] = bent(xyz[i] / white[i]);
	}
	lab[0] = 116 * xyz[1] - 16;
	lab[1] = 500 * (xyz[0] - xyz[1]);
	lab[2] = 200 * (xyz[1] - xyz[2]);
}

/* The least distance in any vision; CIE 1976. */
static double distance(struct colour a, struct colour b)
{
	double least = 1000;

	for (int vision = 0; vision < 4; vision++) {
		double x[3], y[3], d;

		seen(a, vision, x);
		seen(b, vision, y);
		d = sqrt(pow(x[0] - y[0], 2) + pow(x[1] - y[1], 2) + pow(x[2] - y[2], 2));
		least = fmin(least, d);
	}
	return least;
}

/* Inlined functions have a shade of their module's colour. */
static bool is_shade(int i)
{
	return i >= CLASS_INLINED && i < CLASS_KERNEL;
}

Test(classes, colours_can_be_told_apart_with_any_colour_vision)
{
	for (int i = 0; i < CLASS_WAKER; i++)
		for (int k = 0; k < i; k++) {
			double light =
				distance(class_colours[i].light, class_colours[k].light);
			double dark =
				distance(class_colours[i].dark, class_colours[k].dark);

			if (is_shade(i) || is_shade(k))
				continue;
			cr_expect_geq(light, 7, "%d and %d: %.1f in light", i, k, light);
			cr_expect_geq(dark, 6, "%d and %d: %.1f in dark", i, k, dark);
		}
}

static uint8_t class(const char *name, const char *module, uint8_t kind)
{
	return class_of(&(struct class_subject){ name, module, kind, false });
}

static uint8_t class_of_text(const char *name)
{
	return class_of(&(struct class_subject){ name, "", SAVED_TEXT, true });
}

static bool is_in(uint8_t class, int first, int count)
{
	return class >= first && class < first + count;
}

Test(classes, kinds_have_their_own)
{
	cr_expect(is_in(class("f", "/usr/lib/libc.so.6", SAVED_USER), CLASS_USER,
			CLASS_USERS));
	cr_expect_eq(class("f", "[kernel.kallsyms]", SAVED_KERNEL), CLASS_KERNEL);
	cr_expect_eq(class("f", "/boot/vmlinux-6.1", SAVED_KERNEL), CLASS_KERNEL);
	cr_expect(is_in(class("f", "[ext4]", SAVED_KERNEL), CLASS_MODULE, CLASS_MODULES));
	cr_expect(is_in(class("f", "/tmp/perf-1.map", SAVED_JIT), CLASS_JIT, CLASS_JITS));
	cr_expect_eq(class("bash", "", SAVED_TEXT), CLASS_TEXT);
	cr_expect_eq(class("[libx.so]", "/libx.so", SAVED_USER | SAVED_UNNAMED),
		     CLASS_UNNAMED);
	cr_expect_eq(class("--", "", SAVED_TEXT), CLASS_SEPARATOR);
	cr_expect_eq(class("-", "", SAVED_TEXT), CLASS_LIGHT_SEPARATOR);
}

Test(classes, a_module_has_one_colour_wherever_it_lies)
{
	uint8_t one = class("f", "/usr/lib/libc.so.6", SAVED_USER);

	cr_expect_eq(class("g", "/lib64/libc.so.6", SAVED_USER), one);
	cr_expect_eq(class("g", "/lib64/libc.so.6", SAVED_USER | SAVED_INLINED),
		     one - CLASS_USER + CLASS_INLINED);
	cr_expect_eq(class("f", "[ext4]", SAVED_KERNEL),
		     class("g", "/lib/modules/6.1/fs/ext4/ext4.ko.xz", SAVED_KERNEL));
}

Test(classes, code_of_a_runtime_goes_by_its_package)
{
	uint8_t one = class("java/util/HashMap.get", "/tmp/perf-1.map", SAVED_JIT);

	cr_expect_eq(class("java/util/ArrayList.add", "/tmp/perf-77.map", SAVED_JIT),
		     one);
}

Test(classes, text_goes_by_its_marks_and_beginnings)
{
	cr_expect_eq(class_of_text("vfs_read_[k]"), CLASS_KERNEL);
	cr_expect(is_in(class_of_text("a/b/C.d_[j]"), CLASS_JIT, CLASS_JITS));
	cr_expect(is_in(class_of_text("f_[i]"), CLASS_INLINED, CLASS_USERS));
	cr_expect_eq(class_of_text("f_[w]"), CLASS_WAKER);
	cr_expect_eq(class_of_text("[libc.so.6]"), CLASS_UNNAMED);
	cr_expect_eq(class_of_text("std::sort"),
		     class_of_text("std::vector<int>::push_back"));
	cr_expect_eq(class_of_text("<core::A as B>::f"), class_of_text("core::g"));
	cr_expect_eq(class_of_text("net/http.(*conn).serve"),
		     class_of_text("net/url.Parse"));
	cr_expect_eq(class_of_text("unix`foo"), class_of_text("unix`bar"));
}

/* People know their graphs by their colours: these may not change. */
Test(classes, colours_stay_from_version_to_version)
{
	cr_expect_eq(class("f", "/usr/lib/libc.so.6", SAVED_USER), CLASS_USER + 6);
	cr_expect_eq(class("f", "/usr/bin/bash", SAVED_USER), CLASS_USER + 5);
	cr_expect_eq(class_of_text("main"), CLASS_USER + 4);
	cr_expect_eq(class_of_text(""), CLASS_USER + 1);
}

static void expect_group(const char *name, const char *module, uint8_t kind,
			 const char *expected)
{
	size_t size = 0;
	const char *group =
		class_group(&(struct class_subject){ name, module, kind, true }, &size);

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
	expect_group("read_[k]", "", SAVED_TEXT, "kernel");
	expect_group("a::b::c", "", SAVED_TEXT, "a");
	expect_group("java/lang/Thread.run", "", SAVED_TEXT, "java/lang");
	expect_group("malloc", "", SAVED_TEXT, NULL);
	expect_group("operator/", "", SAVED_TEXT, NULL);
	expect_group("/x", "", SAVED_TEXT, NULL);
	expect_group("", "", SAVED_TEXT, NULL);
}

Test(classes, the_lists_name_every_colour)
{
	struct text t = { 0 };

	classes_list(&t, false);
	cr_expect_eq(t.size, CLASSES * 8 - 1);
	cr_expect_eq(memcmp(t.bytes, "#d9d6d0 #b4b7bd #fae1b8", 23), 0);
	text_clear(&t);
	classes_list(&t, true);
	cr_expect_eq(memcmp(t.bytes, "#4a4844 #5d6066 #7f490c", 23), 0);
	text_release(&t);
}
