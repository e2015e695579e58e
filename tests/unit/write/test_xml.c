#include "write/xml.h"

#include <criterion/criterion.h>
#include <string.h>

typedef void writer(struct text *t, const char *bytes, size_t size);

static void expect(writer *write, const char *bytes, const char *expected)
{
	struct text t = { 0 };

	write(&t, bytes, strlen(bytes));
	cr_expect_str_eq(t.bytes, expected);
	text_release(&t);
}

static void expect_string(void (*write)(struct text *t, const char *string),
			  const char *string, const char *expected)
{
	struct text t = { 0 };

	write(&t, string);
	cr_expect_str_eq(t.bytes, expected);
	text_release(&t);
}

Test(xml, markup_is_escaped)
{
	expect(xml_text, "std::vector<int>::f(\"a\" && b)",
	       "std::vector&lt;int&gt;::f(\"a\" &amp;&amp; b)");
	expect(xml_quoted, "<a>&\"'", "&lt;a&gt;&amp;&quot;'");
	expect(xml_text, "]]>", "]]&gt;");
	expect(xml_text, "</script><script>", "&lt;/script&gt;&lt;script&gt;");
}

/* U+200D in pictures and in Sinhala, U+200C in Persian; not where nothing joins. */
Test(xml, what_joins_letters_and_pictures_stays)
{
	expect(xml_text, "\xe2\x9d\xa4\xef\xb8\x8f\xe2\x80\x8d\xf0\x9f\x94\xa5",
	       "\xe2\x9d\xa4\xef\xb8\x8f\xe2\x80\x8d\xf0\x9f\x94\xa5");
	expect(xml_quoted, "\xe0\xb7\x8a\xe2\x80\x8d\xe0\xb6\xbb",
	       "\xe0\xb7\x8a\xe2\x80\x8d\xe0\xb6\xbb");
	expect(xml_text, "\xd9\x85\xdb\x8c\xe2\x80\x8c\xd8\xae",
	       "\xd9\x85\xdb\x8c\xe2\x80\x8c\xd8\xae");
	expect(xml_text, "mal\xe2\x80\x8dloc", "mal\xef\xbf\xbdloc");
	expect(xml_text, "\xe2\x80\x8d", "\xef\xbf\xbd");
	expect(xml_text, "\xd9\x85\xe2\x80\x8c\xe2\x80\x8c",
	       "\xd9\x85\xe2\x80\x8c\xef\xbf\xbd");
}

Test(xml, what_xml_cannot_hold_is_replaced)
{
	expect(xml_text,
	       "a\x01"
	       "b\x1b[0m\x7f",
	       "a\xef\xbf\xbd"
	       "b\xef\xbf\xbd[0m\xef\xbf\xbd");
	expect(xml_text, "\xff\xfe", "\xef\xbf\xbd\xef\xbf\xbd");
	expect(xml_text, "\xef\xbf\xbe", "\xef\xbf\xbd");
	expect(xml_text, "cut\xe6\x97", "cut\xef\xbf\xbd\xef\xbf\xbd");
	expect(xml_text, "tab\tline\n", "tab\tline\n");
	expect(xml_text, "\r", "&#13;");
}

Test(xml, what_cannot_be_seen_is_replaced)
{
	/* U+202E, U+2066, U+200B, U+FEFF, U+0085; but not U+00A0 and U+2026 */
	expect(xml_text, "a\xe2\x80\xae", "a\xef\xbf\xbd");
	expect(xml_text, "\xe2\x81\xa6z", "\xef\xbf\xbdz");
	expect(xml_quoted, "\xe2\x80\x8b", "\xef\xbf\xbd");
	expect(xml_quoted, "\xef\xbb\xbf", "\xef\xbf\xbd");
	expect(xml_quoted, "\xc2\x85", "\xef\xbf\xbd");
	expect(xml_text, "\xc2\xa0\xe2\x80\xa6", "\xc2\xa0\xe2\x80\xa6");
}

Test(xml, utf8_stays_as_it_is)
{
	expect(xml_text, "\xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x94\xa5",
	       "\xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x94\xa5");
}

Test(xml, text_that_is_escaped_already_is_not_escaped_again)
{
	expect_string(xml_requoted, "a &amp; b & c", "a &amp; b &amp; c");
	expect_string(xml_requoted, "?x=1&y=2&lt;", "?x=1&amp;y=2&lt;");
	expect_string(xml_requoted, "&bogus; \"", "&amp;bogus; &quot;");
}

Test(xml, comments_hold_no_two_hyphens_in_a_row)
{
	expect_string(xml_comment, "a--b---c-", "a- -b- - -c-");
	expect_string(xml_comment, "plain", "plain");
	expect_string(xml_comment, "\x02-", "\xef\xbf\xbd-");
}

Test(xml, attributes_are_recognised)
{
	cr_expect(xml_are_attributes(""));
	cr_expect(xml_are_attributes("onclick=\"f()\" data-x='1'"));
	cr_expect(xml_are_attributes(" a=\"&amp;\" "));
	cr_expect_not(xml_are_attributes("onclick"));
	cr_expect_not(xml_are_attributes("a=\"1\"><script"));
	cr_expect_not(xml_are_attributes("a=\"<\""));
	cr_expect_not(xml_are_attributes("a=\"&\""));
	cr_expect_not(xml_are_attributes("a=\"1\"b=\"2\""));
	cr_expect_not(xml_are_attributes("a=\"1"));
}
