#include "write/json.h"

#include <criterion/criterion.h>
#include <string.h>

static void expect(const char *bytes, size_t size, const char *expected)
{
	struct text t = { 0 };

	json_string(&t, bytes, size);
	cr_assert_not(t.failed);
	cr_expect_str_eq(t.bytes, expected);
	text_release(&t);
}

Test(json, quotes_and_backslashes_are_escaped)
{
	expect("a\"b\\c", 5, "\"a\\\"b\\\\c\"");
	expect("", 0, "\"\"");
}

Test(json, control_characters_and_what_opens_a_tag_are_escaped)
{
	expect("a\nb\x1b[2J\x7f", 8, "\"a\\u000ab\\u001b[2J\\u007f\"");
	expect("\xc2\x9b", 2, "\"\\u009b\"");
	expect("</script>", 9, "\"\\u003c/script>\"");
	expect("a\0b", 3, "\"a\\u0000b\"");
}

Test(json, what_is_no_utf8_is_replaced)
{
	expect("a\xff"
	       "b",
	       3, "\"a\\ufffdb\"");
	expect("\xe2\x82", 2, "\"\\ufffd\\ufffd\"");
	expect("gr\xc3\xb6\xc3\x9f"
	       "er \xf0\x9f\x94\xa5",
	       13,
	       "\"gr\xc3\xb6\xc3\x9f"
	       "er \xf0\x9f\x94\xa5\"");
}

Test(json, nothing_is_null)
{
	struct text t = { 0 };

	json_quoted(&t, NULL);
	cr_expect_str_eq(t.bytes, "null");
	text_release(&t);
}
