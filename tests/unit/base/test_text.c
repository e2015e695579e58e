#include "base/text.h"

#include <criterion/criterion.h>
#include <string.h>

Test(text, pieces_are_joined_with_a_nul_behind_them)
{
	struct text t = { 0 };

	text_string(&t, "main");
	text_char(&t, ';');
	text_add(&t, "abcdef", 3);
	text_char(&t, ' ');
	text_u64(&t, 42);
	text_printf(&t, " <%x>", 0x8e2f1u);
	cr_assert_str_eq(t.bytes, "main;abc 42 <8e2f1>");
	cr_assert_eq(t.size, strlen("main;abc 42 <8e2f1>"));
	cr_assert_not(t.failed);
	text_release(&t);
	cr_assert_null(t.bytes);
}

Test(text, numbers_are_whole_at_both_ends)
{
	struct text t = { 0 };

	text_u64(&t, 0);
	text_char(&t, ' ');
	text_u64(&t, UINT64_MAX);
	cr_assert_str_eq(t.bytes, "0 18446744073709551615");
	text_release(&t);
}

Test(text, clear_empties_it_and_keeps_the_memory)
{
	struct text t = { 0 };
	char *bytes;

	text_clear(&t);
	text_string(&t, "abc");
	bytes = t.bytes;
	text_clear(&t);
	cr_assert_eq(t.size, 0);
	cr_assert_str_eq(t.bytes, "");
	text_string(&t, "d");
	cr_assert_eq(t.bytes, bytes);
	cr_assert_str_eq(t.bytes, "d");
	text_release(&t);
}

Test(text, it_grows_at_every_length)
{
	struct text t = { 0 };

	for (size_t i = 0; i < 5000; i++) {
		text_char(&t, 'x');
		cr_assert_eq(strlen(t.bytes), i + 1);
	}
	text_clear(&t);
	for (int i = 0; i < 300; i++)
		text_printf(&t, "%0*d", i, 7);
	cr_assert_eq(t.size, 300 * 299 / 2 + 1); /* a width of 0 prints one digit */
	cr_assert_eq(strlen(t.bytes), t.size);
	text_release(&t);
}

Test(text, failure_is_kept_and_what_was_there_stays)
{
	struct text t = { 0 };

	text_string(&t, "abc");
	text_add(&t, "x", SIZE_MAX - 1);
	cr_assert(t.failed);
	text_string(&t, "def");
	text_clear(&t);
	cr_assert(t.failed);
	text_release(&t);
}

/* For the sanitizer: memcpy() is not to be called with it. */
Test(text, nothing_may_be_null)
{
	struct text t = { 0 };

	text_add(&t, NULL, 0);
	cr_assert_not(t.failed);
	cr_assert_eq(t.size, 0);
	cr_assert_str_eq(t.bytes, "");
	text_release(&t);
}
