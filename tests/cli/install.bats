#!/usr/bin/env bats
# What `make install` puts where, and that a client can build with it.
bats_require_minimum_version 1.5.0

# Installs what is built; builds nothing.
make_installed()
{
	env -u MAKEFLAGS -u MAKELEVEL make -s -C "$root" -o all O="$built" \
		DESTDIR="$BATS_TEST_TMPDIR/root" prefix=/opt/ff "$@"
}

setup()
{
	root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	built=$(cd "$root" && dirname "$(realpath "${FLAMEFOLD:-build/flamefold}")")
	there=$BATS_TEST_TMPDIR/root/opt/ff
	make_installed install
	cd "$BATS_TEST_TMPDIR"
}

sanitized()
{
	nm "$built/libflamefold.a" | grep -q ' U __\(asan\|ubsan\|tsan\)_'
}

# The client that the manual of the library would show.
write_client()
{
	cat >client.c <<-'END'
		#include <flamefold.h>
		#include <string.h>

		int main(void)
		{
			struct ff_profile *p;

			if (ff_profile_new(&p, NULL) < 0 || strchr(ff_version(), '.') == NULL)
				return 1;
			if (ff_profile_read(p, "in.folded") < 0 || ff_profile_finish(p) < 0)
				return 2;
			if (ff_node_total(p, ff_profile_root(p)) != 100)
				return 3;
			ff_profile_free(p);
			return 0;
		}
	END
	printf 'main;a;b 60\nmain;c 40\n' >in.folded
}

# --define-prefix is of no use here: libdir is below DESTDIR.
package()
{
	PKG_CONFIG_PATH=$there/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$BATS_TEST_TMPDIR/root \
		pkg-config "$@" libflamefold
}

@test "these files are installed, and no others" {
	# It is there where there is an MPI to build it with.
	run find root -type f,l ! -name flamefold-mpi -printf '%m %P\n'
	[ "$(sort <<<"$output")" = "$(sort <<-'END'
		644 opt/ff/include/flamefold.h
		644 opt/ff/include/flamefold_archive.h
		644 opt/ff/include/flamefold_chart.h
		644 opt/ff/include/flamefold_diff.h
		644 opt/ff/include/flamefold_store.h
		644 opt/ff/include/flamefold_table.h
		644 opt/ff/include/flamefold_time.h
		644 opt/ff/lib/libflamefold.a
		644 opt/ff/lib/libflamefold.so.1
		644 opt/ff/lib/pkgconfig/libflamefold.pc
		644 opt/ff/share/bash-completion/completions/flamefold
		644 opt/ff/share/fish/vendor_completions.d/flamefold.fish
		644 opt/ff/share/man/man1/flamefold.1
		644 opt/ff/share/zsh/site-functions/_flamefold
		755 opt/ff/bin/flamefold
		777 opt/ff/lib/libflamefold.so
	END
	)" ]
}

@test "shells complete by what is installed" {
	bash --norc -c '. "$1"; COMP_WORDS=(flamefold rec) COMP_CWORD=1; _flamefold; echo "${COMPREPLY[@]}"' \
		bash "$there/share/bash-completion/completions/flamefold" >out
	[ "$(cat out)" = record ]
	grep -qx '#compdef flamefold' "$there/share/zsh/site-functions/_flamefold"
	grep -q '^complete -c flamefold' "$there/share/fish/vendor_completions.d/flamefold.fish"
}

@test "the installed command runs" {
	printf 'main;a;b 60\nmain;c 40\n' >in.folded
	run --separate-stderr "$there/bin/flamefold" fold in.folded
	[ "$status" -eq 0 ]
	[ "$output" = "$(cat in.folded)" ]
}

@test "pkg-config knows the version and the directories" {
	[ "flamefold $(package --modversion)" = "$("$there/bin/flamefold" --version | head -n 1)" ]
	[ "$(package --variable=libdir)" = /opt/ff/lib ] ||
		[ "$(package --variable=libdir)" = "$there/lib" ]
	[[ $(package --static --libs) == *-lflamefold*-ldw*-lelf* ]]
}

@test "a client builds and runs with the shared library" {
	! sanitized || skip "the library is built with sanitizers"
	write_client
	# shellcheck disable=SC2046 # words
	cc -o client client.c $(package --cflags --libs)
	LD_LIBRARY_PATH=$there/lib ./client
	readelf -d client | grep -q 'NEEDED.*libflamefold\.so\.1'
}

@test "a client builds and runs with the archive" {
	! sanitized || skip "the library is built with sanitizers"
	write_client
	rm "$there"/lib/*.so*
	# shellcheck disable=SC2046 # words
	cc -o client client.c $(package --cflags --static --libs)
	./client
	! readelf -d client | grep -q 'NEEDED.*libflamefold'
}

@test "a function of the client does not replace one of the library" {
	! sanitized || skip "the library is built with sanitizers"
	write_client
	rm "$there"/lib/*.so*
	# Every global name of the library's objects that is not its interface.
	find "$built"/src -name '*.o' ! -path '*/src/cli/*' ! -path '*/src/mpi/*' -exec nm -g --defined-only {} + | awk '$2 == "T" && $3 !~ /^ff_/ { print $3 }' |
		sort -u >names
	[ -s names ]
	awk '{ print "void " $1 "(void);\nvoid " $1 "(void) { __builtin_trap(); }" }' names >names.c
	# shellcheck disable=SC2046 # words
	cc -w -o client client.c names.c $(package --cflags --static --libs)
	./client
}

@test "uninstall leaves no file" {
	make_installed uninstall
	[ -z "$(find root -type f,l)" ]
}
