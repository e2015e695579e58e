#!/usr/bin/env bats
# Documentation/security.md promises nothing that no test watches over.
bats_require_minimum_version 1.5.0

@test "each promise names a test that exists" {
	cd "$BATS_TEST_DIRNAME/../.." || exit 1
	sed -n 's/^|.*`\(tests\/[^`]*\)`: \(.*\) |$/\1\t\2/p' Documentation/security.md >"$BATS_TEST_TMPDIR/named"
	[ "$(grep -c '^|.*`tests/' Documentation/security.md)" -eq "$(wc -l <"$BATS_TEST_TMPDIR/named")" ]
	[ "$(wc -l <"$BATS_TEST_TMPDIR/named")" -ge 20 ]
	while IFS=$'\t' read -r file sentence; do
		grep -F "$sentence" "$file" | grep -qE '@test "|^Test\(|test\(' || { echo "no test in $file: $sentence"; return 1; }
	done <"$BATS_TEST_TMPDIR/named"
}
