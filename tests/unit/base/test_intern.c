#include "base/intern.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static uint32_t id_of(struct intern *in, const char *text)
{
	uint32_t id = UINT32_MAX;

	cr_assert_eq(intern_add(in, text, strlen(text), &id), 0);
	return id;
}

Test(intern, equal_strings_have_one_id_and_ids_are_dense)
{
	struct intern in;

	cr_assert_eq(intern_init(&in), 0);
	cr_assert_eq(id_of(&in, ""), 0);
	cr_assert_eq(id_of(&in, "a"), 1);
	cr_assert_eq(id_of(&in, "b"), 2);
	cr_assert_eq(id_of(&in, "a"), 1);
	cr_assert_str_eq(intern_text(&in, 0), "");
	cr_assert_str_eq(intern_text(&in, 2), "b");
	intern_release(&in);
}

Test(intern, a_string_is_no_longer_and_no_shorter_than_it_was_said_to_be)
{
	struct intern in;
	uint32_t abc, ab;

	cr_assert_eq(intern_init(&in), 0);
	cr_assert_eq(intern_add(&in, "abcdef", 3, &abc), 0);
	cr_assert_eq(intern_add(&in, "abcdef", 2, &ab), 0);
	cr_assert_neq(abc, ab);
	cr_assert_str_eq(intern_text(&in, abc), "abc");
	cr_assert_str_eq(intern_text(&in, ab), "ab");
	cr_assert_eq(id_of(&in, "abc"), abc);
	intern_release(&in);
}

Test(intern, texts_stay_where_they_are_while_it_grows)
{
	struct intern in;
	const char *first;
	char text[32];

	cr_assert_eq(intern_init(&in), 0);
	first = intern_text(&in, id_of(&in, "first"));
	for (uint32_t i = 0; i < 100000; i++) {
		snprintf(text, sizeof(text), "text %u", i);
		cr_assert_eq(id_of(&in, text), i + 2);
	}
	cr_assert_str_eq(first, "first");
	cr_assert_eq(intern_text(&in, 1), first);
	cr_assert_eq(id_of(&in, "text 77777"), 77779);
	intern_release(&in);
}
