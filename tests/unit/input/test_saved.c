#include "input/saved.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tree/saved.h"

/*
 * A tree of two nodes below the root, as it stands in a file: columns, then
 *
 *	names a, b; functions 1 (a), 2 (b); one run of two nodes; self 0, 0, 7
 */
static const char data[] = "}#eQI\"X8eQ$)[gd!d'eQB(ya3Qt#19]'#![8Q\"a'EQJ\"@!!!!!T*xh!!\""
			   "Q!!!!!!!!2!f!9-\"Q!!9-!!!!";

/* The same as formats 1 and 2 have it. */
static const char in_base64[] =
	"DwEIAgIDBAQBBQIGAgcCCAIJAgsBDQIPAhACIAEhAgIBAgMBBwAAAABhAGIAA"
	"AABAAAAAAAAAggBAAIAAQAAAQAA";

struct file {
	struct context ctx;
	struct intern strings;
	struct input *in;
	enum input_kind kind;
	char path[32];
};

static int open_text(struct file *f, const char *text, size_t size)
{
	int fd;

	*f = (struct file){ .path = "/tmp/flamefold-saved-XXXXXX" };
	cr_assert_eq(intern_init(&f->strings), 0);
	fd = mkstemp(f->path);
	cr_assert_eq(write(fd, text, size), (ssize_t)size);
	close(fd);
	return input_open(&f->ctx, f->path, &f->strings, &f->in, &f->kind);
}

static void close_file(struct file *f)
{
	input_close(f->in);
	intern_release(&f->strings);
	unlink(f->path);
}

static void expect_refused(const char *text, const char *why)
{
	struct file f;

	cr_expect_eq(open_text(&f, text, strlen(text)), -EBADMSG, "%s", text);
	cr_expect_not_null(strstr(f.ctx.error, why), "%s", f.ctx.error);
	cr_expect_not_null(strstr(f.ctx.error, f.path), "%s", f.ctx.error);
	close_file(&f);
}

Test(saved, pictures_are_told_apart_by_their_beginning)
{
	static const char *const yes[] = { "<?xml version",   "<svg ",
					   "<!DOCTYPE html>", "<!doctype html>",
					   "<html>",	      "\xef\xbb\xbf\n <svg",
					   "<!-- x" };
	static const char *const no[] = { "", "a;b 1", "<alloc::vec::Vec 1", "<sv",
					  "PERFILE2" };

	for (size_t i = 0; i < sizeof(yes) / sizeof(*yes); i++)
		cr_expect(saved_begins((const uint8_t *)yes[i], strlen(yes[i])), "%s",
			  yes[i]);
	for (size_t i = 0; i < sizeof(no) / sizeof(*no); i++)
		cr_expect_not(saved_begins((const uint8_t *)no[i], strlen(no[i])), "%s",
			      no[i]);
}

static void expect_tree(int format, const char *payload)
{
	const struct saved_picture *p;
	struct saved_tree t = { 0 };
	const char *why;
	char text[1024];
	struct file f;

	snprintf(text, sizeof(text),
		 "<svg><metadata id=\"flamefold-data\" data-format=\"%d\" "
		 "data-packing=\"none\" "
		 "data-bytes=\"66\" data-unit=\"ns\" data-event=\"a, b\" "
		 "data-new=\"&what;\" "
		 "data-frequency=\"99\" data-truncated=\"3\" data-lost=\"4\" "
		 "data-duration=\"5\" "
		 "data-command=\"perf &quot;&lt;&amp;&gt;&#13;\" data-chart=\"1\">\n"
		 "<data>%.41s\n</data><data>\n %s</data></metadata></svg>",
		 format, payload, payload + 41);
	cr_assert_eq(open_text(&f, text, strlen(text)), 0, "%s", f.ctx.error);
	p = input_picture(f.in);
	cr_expect_eq(f.kind, INPUT_SAVED);
	cr_assert_not_null(p);
	cr_assert_eq(saved_tree_decode(p, &f.strings, NULL, &t, &why), 0);
	cr_expect_eq(t.nodes, 3u);
	cr_expect_eq(t.parent[2], 1u);
	cr_expect_eq(saved_value(&t, 2, COLUMN_WEIGHT), 7u);
	cr_expect_str_eq(intern_text(&f.strings, t.functions[t.function[2]].name), "b");
	cr_expect_eq(p->frequency, 99u);
	cr_expect_eq(p->truncated, 3u);
	cr_expect(p->chart);
	cr_expect_str_eq(intern_text(&f.strings, p->unit), "ns");
	cr_expect_str_eq(intern_text(&f.strings, p->events), "a, b");
	cr_expect_str_eq(intern_text(&f.strings, input_recording(f.in)->command),
			 "perf \"<&>\r");
	cr_expect_eq(input_recording(f.in)->lost_samples, 4u);
	cr_expect_str_eq(input_recording(f.in)->format, "flame graph");
	saved_tree_release(&t);
	close_file(&f);
}

Test(saved, the_tree_and_its_header_are_read)
{
	expect_tree(3, data);
}

Test(saved, pictures_of_older_formats_are_read)
{
	expect_tree(1, in_base64);
	expect_tree(2, in_base64);
}

Test(saved, a_byte_that_only_the_end_of_the_text_makes_is_there)
{
	static const char text[] =
		"<svg><metadata id=\"flamefold-data\" data-format=\"3\" "
		"data-packing=\"none\" "
		"data-bytes=\"5\"><data>!!!!</data><data>!!!</data></metadata></svg>";
	struct file f;

	cr_assert_eq(open_text(&f, text, sizeof(text) - 1), 0, "%s", f.ctx.error);
	cr_expect_eq(memcmp(input_picture(f.in)->payload, "\0\0\0\0\0", 5), 0);
	close_file(&f);
}

Test(saved, what_is_wrong_is_said)
{
	expect_refused("<svg></svg>", "without flamefold's data in it");
	expect_refused("<svg><metadata id=\"flamefold-dat", "without flamefold's data");
	expect_refused("<svg><metadata id=\"flamefold-data\"", "its header has no end");
	expect_refused("<svg><metadata id=\"flamefold-data\" x>", "cannot be understood");
	expect_refused("<svg><metadata id=\"flamefold-data\" data-bytes=\"x\">",
		       "cannot be understood");
	expect_refused("<svg><metadata id=\"flamefold-data\" data-bytes=\"-1\">",
		       "cannot be understood");
	expect_refused("<svg><metadata id=\"flamefold-data\" data-packing=\"lzma\">",
		       "cannot be understood");
	expect_refused("<svg><metadata id=\"flamefold-data\">", "in format 0");
	expect_refused(
		"<svg><metadata id=\"flamefold-data\" data-format=\"4\">",
		"its data is in format 4, and this flamefold knows formats 1 to 3");
	expect_refused(
		"<svg><metadata id=\"flamefold-data\" data-format=\"3\"><data>AAAA",
		"it has no end");
	expect_refused("<svg><metadata id=\"flamefold-data\" data-format=\"3\"><x>",
		       "something else in it");
	expect_refused(
		"<svg><metadata id=\"flamefold-data\" data-format=\"2\">%</metadata>",
		"it is not base64");
	expect_refused(
		"<svg><metadata id=\"flamefold-data\" data-format=\"2\">A</metadata>",
		"its base64 is cut");
	expect_refused(
		"<svg><metadata id=\"flamefold-data\" data-format=\"3\">&</metadata>",
		"it is not base91");
	expect_refused(
		"<svg><metadata id=\"flamefold-data\" data-format=\"3\">~~</metadata>",
		"it is not base91");
	expect_refused(
		"<svg><metadata id=\"flamefold-data\" data-format=\"3\">A</metadata>",
		"its base91 is cut");
	expect_refused("<svg><metadata id=\"flamefold-data\" data-format=\"3\" "
		       "data-bytes=\"4\">!!!!</metadata>",
		       "is not the one that it states");
	expect_refused("<svg><metadata id=\"flamefold-data\" data-format=\"3\" "
		       "data-packing=\"zlib\" data-bytes=\"3\">!!!!</metadata>",
		       "it cannot be unpacked");
	expect_refused("<svg><metadata id=\"flamefold-data\" data-format=\"3\" "
		       "data-packing=\"zlib\" data-bytes=\"99999999999\">!!!!</metadata>",
		       "it unpacks to more than flamefold writes");
}

Test(saved, the_element_is_found_wherever_windows_end)
{
	enum { WINDOW = 1 << 18 };
	char *text = malloc(WINDOW + 4096);
	struct file f;

	for (int before = WINDOW - 200; before < WINDOW + 10; before += 7) {
		int size = before;

		memset(text, ' ', (size_t)before);
		memcpy(text, "<svg>", 5);
		size += snprintf(text + before, 4096,
				 "<metadata id=\"flamefold-data\" data-format=\"3\" "
				 "data-packing=\"none\" "
				 "data-bytes=\"66\"><data>%s</data></metadata>",
				 data);
		cr_expect_eq(open_text(&f, text, (size_t)size), 0, "%d: %s", before,
			     f.ctx.error);
		close_file(&f);
	}
	free(text);
}

Test(saved, a_file_cut_anywhere_is_refused)
{
	char text[512];
	struct file f;
	int size = snprintf(
		text, sizeof(text),
		"<svg><metadata id=\"flamefold-data\" data-format=\"3\" "
		"data-packing=\"none\" data-bytes=\"66\"><data>%s</data></metadata>",
		data);

	for (int i = 4; i < size; i++) {
		cr_expect_eq(open_text(&f, text, (size_t)i), -EBADMSG, "cut at %d", i);
		close_file(&f);
	}
}
