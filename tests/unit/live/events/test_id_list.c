#include "live/events/id_list.h"

#include <criterion/criterion.h>

static void list_is(const char *text, size_t count, const int *ids)
{
	struct id_list list = { 0 };

	cr_assert_eq(id_list_parse(text, 100, &list), 0, "%s", text);
	cr_assert_eq(list.count, count, "%s has %zu", text, list.count);
	for (size_t i = 0; i < count; i++)
		cr_assert_eq(list.v[i], ids[i], "%s: item %zu", text, i);
	array_release(&list);
}

Test(id_list, numbers_and_ranges_come_sorted_and_once)
{
	list_is("3", 1, (int[]){ 3 });
	list_is("0-3,5", 5, (int[]){ 0, 1, 2, 3, 5 });
	list_is("5,0-2,1-3,5", 5, (int[]){ 0, 1, 2, 3, 5 });
	list_is("100", 1, (int[]){ 100 });
}

Test(id_list, anything_else_is_refused)
{
	static const char *const texts[] = {
		"",	 ",",  "1,",   ",1",   "1-",  "-1",
		"3-1",	 "1x", "1 2",  " 1",   "+1",  "101",
		"1-101", "a",  "1--2", "1,,2", "0x1", "99999999999999999999",
	};
	struct id_list list = { 0 };

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		cr_assert_eq(id_list_parse(texts[i], 100, &list), -EINVAL, "'%s'",
			     texts[i]);
		cr_assert_null(list.v, "'%s' left something", texts[i]);
	}
}

Test(id_list, ranges_without_end_are_refused)
{
	static char text[20 * 40];
	struct id_list list = { 0 };

	for (int i = 0; i < 20; i++)
		strcat(text, i ? ",0-65535" : "0-65535");
	cr_assert_eq(id_list_parse(text, ID_CPU_MOST, &list), -EINVAL);
}

Test(id_list, a_number_is_found_only_where_it_is)
{
	struct id_list list = { 0 };

	cr_assert_not(id_list_has(&list, 0));
	cr_assert_eq(id_list_parse("1,4-6", 100, &list), 0);
	cr_assert(id_list_has(&list, 5) && id_list_has(&list, 1));
	cr_assert_not(id_list_has(&list, 3));
	array_release(&list);
}

Test(id_list, what_is_printed_is_what_was_parsed)
{
	static const char *const texts[] = { "0", "1,3", "0-3,5,7-8", "2-4" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct id_list list = { 0 };
		struct text printed = { 0 };

		cr_assert_eq(id_list_parse(texts[i], 100, &list), 0);
		id_list_print(&list, &printed);
		cr_assert_str_eq(printed.bytes, texts[i]);
		array_release(&list);
		text_release(&printed);
	}
}
