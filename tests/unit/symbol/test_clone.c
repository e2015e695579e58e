#include "symbol/clone.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static const char *base(const char *name)
{
	static char result[256];

	snprintf(result, sizeof(result), "%.*s", (int)clone_base(name, strlen(name)),
		 name);
	return result;
}

Test(clone, what_was_appended_goes)
{
	static const char *const names[] = {
		"f.isra.0",
		"f.part.12",
		"f.constprop.0",
		"f.cold",
		"f.cold.3",
		"f.llvm.8712658712",
		"f.lto_priv.0",
		"f.isra.0.cold",
		"f.part.0.isra.0.constprop.1.cold",
		"f.__uniq.123.llvm.4",
		"f [clone .cold]",
		"f [clone .isra.0] [clone .cold]",
		"f [clone .isra.0.cold]",
		"f.localalias",
		"f",
		"f [clone .cold].isra.0",
		"f.part.0 [clone .cold]",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		cr_expect_str_eq(base(names[i]), "f", "%s", names[i]);
	cr_expect_str_eq(base("f(int) [clone .constprop.0]"), "f(int)");
	cr_expect_str_eq(base("_ZN1A1fEv.isra.0"), "_ZN1A1fEv");
}

Test(clone, other_names_are_whole)
{
	static const char *const names[] = {
		"f.0",
		"f.isra",
		"f.part",
		"f.part.x",
		"f.isra.",
		"f.coldest",
		".cold",
		".isra.0",
		"cold",
		"",
		"a.b.c",
		"f.llvm.",
		"f [clone .isra]",
		"f [clone ]",
		"f]",
		"operator[]",
		"[clone .cold]",
		"f [clone foo.isra.0]",
		" [clone .cold]",
		"x.isra.0x",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		cr_expect_str_eq(base(names[i]), names[i]);
}
