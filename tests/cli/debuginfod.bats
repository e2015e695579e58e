#!/usr/bin/env bats
# Files from debuginfod servers: only where that was asked for. The servers are on this machine.
bats_require_minimum_version 1.5.0

load recordings
load known_work
load sampled

server=$root/tests/objects/server.py

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	export HOME=$PWD/home DEBUGINFOD_CACHE_PATH=$PWD/cache
	mkdir "$HOME"
	unset DEBUGINFOD_URLS http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY
	pids=
	: >connections
	write_program
}

teardown()
{
	for pid in $pids; do
		kill -9 "$pid" 2>/dev/null || :
	done
}

need_library()
{
	ldconfig -p 2>/dev/null | grep -q 'libdebuginfod\.so\.1 ' || skip "no libdebuginfod"
}

# listen [silent | FILE]: $url is where; each connection is a line of connections.
listen()
{
	rm -f port
	python3 "$server" connections port "$@" 3>&- &
	pids="$pids $!"
	disown
	until [ -s port ]; do
		sleep 0.01
	done
	url=http://127.0.0.1:$(cat port)
}

connections()
{
	wc -l <connections
}

# serve DIRECTORY ID: a debuginfod for it, which knows ID; $url is where.
serve()
{
	local port

	command -v debuginfod >/dev/null || skip "no debuginfod"
	port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
	debuginfod -F -d "$PWD/served.sqlite" -p "$port" -t 1 "$1" >served.log 2>&1 3>&- &
	pids="$pids $!"
	disown
	url=http://127.0.0.1:$port
	for _ in {1..300}; do
		python3 -c 'import sys, urllib.request; urllib.request.urlopen(sys.argv[1])' \
			"$url/buildid/$2/${3:-debuginfo}" 2>/dev/null && return 0
		sleep 0.1
	done
	cat served.log
	return 1
}

# program FILE [FLAG]...
program()
{
	local output=$1
	shift
	"${CC:-cc}" -O2 -g -DBUILD=1 -Wl,--build-id -o "$output" program.c "$@"
}

# sampled FILE: p.data, which says what its build id is.
sampled()
{
	record "$1" "build_id=$(build_id "$1")"
}

# is LINE [OPTION]...
is()
{
	local line=$1
	shift
	timeout 900 "$flamefold" fold --quiet --truncated=merge "$@" p.data >folded
	[ "$(cat folded)" = "$line" ] || { cat folded; return 1; }
}

nameless()
{
	timeout 900 "$flamefold" fold --quiet --truncated=merge "$@" p.data >folded
	! grep -qE 'known_work|count_up' folded || { cat folded; return 1; }
}

named='sh;known_work;count_up 1'

@test "without the option no server is asked, whatever the environment says" {
	need_library
	program program
	sampled program
	strip program
	listen
	export DEBUGINFOD_URLS=$url
	nameless
	nameless --srcline
	nameless --inline=yes --stats
	"$flamefold" info p.data >info
	"$flamefold" graph -o p.svg p.data
	rm program
	nameless
	"$flamefold" info --format=json p.data >info
	if perf record -q -o q.data -e cpu-clock --call-graph dwarf -- true 2>/dev/null; then
		"$flamefold" fold --srcline q.data >folded
	fi
	[ "$(connections)" -eq 0 ]
	# That it would have been seen:
	nameless --debuginfod
	[ "$(connections)" -ge 1 ]
}

@test "a debug file comes from a server" {
	local id

	need_library
	program program
	sampled program
	id=$(build_id program)
	mkdir served
	objcopy --only-keep-debug program served/any-name
	strip program
	serve served "$id"
	nameless
	is "$named" --debuginfod="$url"
	DEBUGINFOD_URLS=$url is "$named" --debuginfod
	# It stays in the client's cache, which still needs to be asked for.
	kill -9 $pids
	is "$named" --debuginfod="$url"
	nameless
}

@test "a program that is gone comes from a server" {
	need_library
	program program
	sampled program
	mkdir served
	mv program served/any-name
	serve served "$(build_id served/any-name)" executable
	nameless
	is "$named" --debuginfod="$url"
	is "$named" --debuginfod="$url" --symfs /nonexistent
	timeout 900 "$flamefold" info --debuginfod="$url" p.data >info
	grep -q "from $PWD/cache/" info
}

@test "vmlinux and modules come from a server" {
	[ "$(uname -m)" = x86_64 ] || skip "the kernel here is one for x86-64"
	local id module_id address

	need_library
	mkdir served
	"${CC:-cc}" -O2 -g -ffreestanding -fno-pic -fno-stack-protector -mcmodel=kernel -nostdlib \
		-static -no-pie -Wl,--build-id -Wl,-T,"$root/tests/objects/kernel.lds" \
		-o served/vmlinux "$root/tests/objects/kernel.c" 2>/dev/null
	"${CC:-cc}" -O2 -ffreestanding -fno-pic -mcmodel=kernel -c -o module.o "$root/tests/objects/module.c"
	ld -r --build-id -o served/module.ko module.o
	id=$(build_id served/vmlinux)
	module_id=$(build_id served/module.ko)
	address=$(printf '%#x' $((0x$(nm served/vmlinux | awk '$3 == "known_syscall" { print $1 }') + 0x1000001)))
	"$build" -o p.data - <<-END
		feature build_id name=[kernel.kallsyms] id=$id mode=kernel
		feature build_id name=[known_module] id=$module_id mode=kernel
		attr name=cycles sample_type=IP,TID,TIME,CPU,PERIOD,CALLCHAIN flags=sample_id_all
		mmap pid=-1 mode=kernel start=0xffffffff82000000 len=0x1000000 off=0xffffffff82000000 name=[kernel.kallsyms]_text time=0
		mmap pid=-1 mode=kernel start=0xffffffffc0401000 len=0x4000 off=0 name=[known_module] time=0
		comm pid=1 name=sh time=1
		sample pid=1 time=2 mode=kernel ip=$address period=1 chain=K,$address
		sample pid=1 time=2 mode=kernel ip=0xffffffffc0401001 period=1 chain=K,0xffffffffc0401001
	END
	serve served "$id"
	timeout 900 "$flamefold" fold --quiet --truncated=merge p.data >folded
	run -1 grep known_syscall folded
	timeout 900 "$flamefold" fold --quiet --truncated=merge --debuginfod="$url" p.data >folded
	grep -qx 'sh;known_syscall 1' folded
	# This server has only what it takes for a program; modules are none for it.
	if python3 -c 'import sys, urllib.request; urllib.request.urlopen(sys.argv[1])' \
		"$url/buildid/$module_id/executable" 2>/dev/null; then
		grep -qx 'sh;module_work 1' folded
	fi
}

@test "a server that never answers: asked once, and given up in time" {
	need_library
	program program
	sampled program
	strip program
	listen silent
	run --separate-stderr timeout 900 "$flamefold" fold --srcline --debuginfod="$url" --debuginfod=1 p.data
	[ "$status" -eq 0 ]
	# shellcheck disable=SC2154 # run sets it
	[[ $stderr == *"debuginfod was given up: no file within 1 seconds"* ]]
	[ "$(connections)" -eq 1 ]
}

@test "no server there: said once, and the rest is done" {
	need_library
	program program
	sampled program
	strip program
	run --separate-stderr timeout 900 "$flamefold" fold --debuginfod=http://127.0.0.1:1 p.data
	[ "$status" -eq 0 ]
	[ "$(grep -c 'debuginfod was given up' <<<"$stderr")" -eq 1 ]
	[[ $output == *" 1" ]]
}

@test "a server without the file: nothing is wrong" {
	need_library
	program program
	sampled program
	strip program
	listen
	run --separate-stderr timeout 900 "$flamefold" fold --debuginfod="$url" p.data
	[ "$status" -eq 0 ]
	[[ $stderr != *"given up"* ]]
	[ "$(connections)" -ge 1 ]
}

@test "a server is not trusted: what it sends has to have the build id" {
	need_library
	program program
	sampled program
	strip program
	program other -UBUILD -DBUILD=2
	listen other
	nameless --debuginfod="$url"
	[ "$(connections)" -ge 1 ]
	timeout 900 "$flamefold" info --debuginfod="$url" p.data >info
	grep -q "is the debug file of another build: its build id is $(build_id other), not $(build_id program)" info
	head -c 5000 /dev/urandom >noise
	rm -rf cache
	listen noise
	nameless --debuginfod="$url"
}

@test "nobody to ask is wrong usage" {
	program program
	sampled program
	run --separate-stderr "$flamefold" fold --debuginfod p.data
	[ "$status" -eq 2 ]
	[[ $stderr == *"DEBUGINFOD_URLS is not set"* ]]
	run --separate-stderr "$flamefold" fold --debuginfod=0 p.data
	[ "$status" -eq 2 ]
	run --separate-stderr "$flamefold" fold --debuginfod=99999999999 p.data
	[ "$status" -eq 2 ]
}

@test "on a terminal it says what it waits for" {
	need_library
	command -v script >/dev/null || skip "no script"
	program program
	sampled program
	strip program
	listen silent
	timeout 900 script -qec "'$flamefold' fold --debuginfod=$url --debuginfod=2 p.data" typescript >/dev/null
	grep -q 'fetching debug information of program' typescript
	rm -rf cache
	timeout 900 script -qec "'$flamefold' fold --quiet --truncated=merge --debuginfod=$url --debuginfod=2 p.data" typescript >/dev/null
	! grep -q 'fetching' typescript
}

@test "a program that is gone is unwound, too" {
	need_library
	perf record -q -o /dev/null -e cpu-clock -- true 2>/dev/null || skip "events are not permitted"
	mkdir served
	cat >program.c <<-'END'
		#include <stdlib.h>
		volatile unsigned long sum;
		__attribute__((noinline)) void known_work(long n) { while (n-- > 0) sum += n; }
		__attribute__((noinline)) void known_caller(long n) { known_work(n); sum++; }
		int main(int argc, char **argv)
		{
			(void)argc;
			known_caller(atol(argv[1]));
			return 0;
		}
	END
	"${CC:-cc}" -O1 -fomit-frame-pointer -Wl,--build-id -o program program.c
	perf record -q -N -o p.data -e cpu-clock -F 1999 --call-graph dwarf,4096 ./program 300000000 2>/dev/null
	mv program served/any-name
	serve served "$(build_id served/any-name)" executable
	nameless
	timeout 900 "$flamefold" fold --quiet --truncated=merge --debuginfod="$url" p.data >folded
	grep -q ';main;known_caller;known_work [0-9]*$' folded
}
