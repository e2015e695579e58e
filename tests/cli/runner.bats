#!/usr/bin/env bats
# What runs the tests: tests/run with a tree of its own, tests/programs, scripts/check-size and
# scripts/check-names.
bats_require_minimum_version 1.5.0

root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	# As it was outside: bats puts what it is made of there.
	PATH=$(tr ':' '\n' <<<"$PATH" | grep -v bats | paste -sd :)
}

# programs: made with one more program on PATH, here/unheard-of.
programs()
{
	command -v dpkg-query >/dev/null || skip "no dpkg"
	mkdir here
	printf '#!/bin/sh\necho heard\n' >here/unheard-of
	chmod +x here/unheard-of
	PATH=$PWD/here:$PATH "$root/tests/programs" "$PWD/programs"
}

@test "a program of a listed package is there, and what it says is its own" {
	programs
	[ "$(PATH=$PWD/programs; readelf --version | head -n 1)" = "$(readelf --version | head -n 1)" ]
	[ "$(PATH=$PWD/programs; python3 -c 'print(1)' | sed s/1/2/)" = 2 ]
	[ ! -s programs/.not-listed ]
}

@test "a program that no listed package brings fails, and is told with the test that called it" {
	programs
	[ "$(here/unheard-of)" = heard ]
	RUNNING=cli/some.bats run -127 env PATH="$PWD/programs" unheard-of
	[[ $output == *"unheard-of: scripts/deps does not name it"* ]]
	[ "$(cat programs/.not-listed)" = "cli/some.bats: unheard-of" ]
}

# Tests from standard input, in which @ is @test and "# tags" what bats reads tags from: it would take
# both for this file's.
tests()
{
	sed 's/^@/@test/; s/^# tags/# bats test_tags/'
}

# tree: the runner in a tree of its own, with a file of tests.
tree()
{
	mkdir -p tree/tests/cli tree/tests/unit tree/tests/api tree/tests/viewer tree/tests/browser tree/scripts
	cp "$root"/tests/run "$root"/tests/run_file "$root/tests/programs" tree/tests
	cp "$root/scripts/deps" tree/scripts
	git -C tree init -q
	echo /build >tree/.gitignore
	tests >tree/tests/cli/own.bats
	git -C tree -c user.name=x -c user.email=x add -A
	git -C tree -c user.name=x -c user.email=x commit -q -m x
}

# run_tests NAME=VALUE...: nothing else of the environment is for this tree.
run_tests()
{
	run env -i PATH="$PATH" "$@" tree/tests/run
	echo "$output"
}

@test "a test that calls what is not listed fails the run, also where it does not care" {
	programs
	tree <<-'END'
		@ "does not care" { unheard-of || true; }
	END
	run_tests PATH="$PWD/here:$PATH"
	[ "$status" -eq 1 ]
	[[ $output == *"FAIL  cli/own.bats calls unheard-of, which scripts/deps does not name"* ]]
	[[ $output == *"1 passed, 1 failed, 0 skipped" ]]
}

@test "tests with the tag long run when they are asked for" {
	tree <<-'END'
		@ "short" { true; }
		# tags=long
		@ "takes long" { true; }
	END
	run_tests V=1
	[ "$status" -eq 0 ]
	[[ $output == *"ok    cli/own.bats: short"*"1 passed, 0 failed, 0 skipped" ]]
	run_tests V=1 LONG=1
	[[ $output == *"ok    cli/own.bats: takes long"*"2 passed, 0 failed, 0 skipped" ]]
}

@test "a test that samples fails when it fails twice, and a first failure is told" {
	tree <<-'END'
		load sampled
		once() { [ -e "$BATS_FILE_TMPDIR/tried" ] || { : >"$BATS_FILE_TMPDIR/tried"; echo "bad luck"; false; }; }
		@ "once" { once; }
		@ "always" { false; }
		@ "never" { true; }
	END
	cp "$root/tests/cli/sampled.bash" tree/tests/cli/
	git -C tree -c user.name=x -c user.email=x add -A
	run_tests
	[ "$status" -eq 1 ]
	[[ $output == *"FAIL  cli/own.bats: always"*"again cli/own.bats: once"*"bad luck"*$'\n'"2 of them failed at first"* ]]
	[[ $output == *"2 passed, 1 failed, 0 skipped" ]]
}

@test "a test that does not sample is not tried again" {
	tree <<-'END'
		@ "once" { [ -e "$BATS_FILE_TMPDIR/tried" ] || { : >"$BATS_FILE_TMPDIR/tried"; false; }; }
	END
	run_tests
	[[ $output == *"0 passed, 1 failed, 0 skipped" ]]
}

@test "what a test leaves in the tree fails the run" {
	tree <<-'END'
		@ "writes where it is" { : >"$BATS_TEST_DIRNAME/left"; }
	END
	run_tests
	[ "$status" -eq 1 ]
	[[ $output == *"FAIL  check/clean: the tests have left files in the tree"*"tests/cli/left"*"1 passed, 1 failed, 0 skipped" ]]
}

@test "files run at a time, and are reported in the order of their names" {
	tree <<-'END'
		@ "waits for the other" {
			until [ -e "$BATS_TEST_DIRNAME/../../build/other" ]; do sleep 0.05; done
		}
	END
	echo '@ "comes later" { : >"$BATS_TEST_DIRNAME/../../build/other"; }' | tests >tree/tests/cli/self.bats
	run_tests V=1 JOBS=2
	[[ $output == *"waits for the other"*"comes later"*"2 passed, 0 failed, 0 skipped" ]]
}

@test "what is stuck is ended, and counts as failed" {
	tree <<-'END'
		@ "is stuck" { sleep 1000 3>&-; }
	END
	run_tests TIMEOUT=2
	[ "$status" -eq 1 ]
	[[ $output == *"FAIL  cli/own.bats: "*"took more than 2 seconds"* ]]
}

@test "a function of many lines or parameters is told, and one that takes a function is not" {
	command -v ctags >/dev/null || skip "no ctags"
	mkdir -p src/room include tests/unit/room scripts Documentation
	cat >src/room/few.c <<-'END'
		int few(int a, int b, int (*visit)(void *arg, int x, int y), void *arg, int c)
		{
			return visit(arg, a, b + c);
		}
	END
	"$root/scripts/check-size" "$PWD"
	cat >src/room/many.c <<-'END'
		int
		many(int a, int b, int c,
		     int d, int (*e)(int, int), int f)
		{
			return e(a + b + c, d + f);
		}
	END
	run -1 "$root/scripts/check-size" "$PWD"
	[ "$output" = "src/room/many.c:2: many() has 6 parameters" ]
	{ echo 'int many(void)'; echo '{'; yes '' | head -n 80; echo '}'; } >src/room/many.c
	run -1 "$root/scripts/check-size" "$PWD"
	[ "$output" = "src/room/many.c:1: many() has 83 lines" ]
}

@test "two functions of one name are told, and a function that is declared elsewhere is not" {
	command -v ctags >/dev/null || skip "no ctags"
	mkdir -p src/room src/hall/corner
	echo 'int once(void) { return 0; }' >src/room/a.c
	printf 'int once(void);\nint other(void)\n{\n\treturn once();\n}\n' >src/hall/b.c
	"$root/scripts/check-names" "$PWD"
	printf '\nstatic int other(int x)\n{\n\treturn x;\n}\n' >src/hall/corner/c.c
	run -1 "$root/scripts/check-names" "$PWD"
	[ "$output" = "src/hall/corner/c.c:2: other() is in src/hall/b.c, too" ]
}
