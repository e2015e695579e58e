#!/usr/bin/env bats
# Stacks from dumps of programs whose file has changed, moved or gone since.
bats_require_minimum_version 1.5.0

load recordings
load unwind
load sampled

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	need_x86_64
	compile layers layers.c $WITHOUT_FP
}

# What is known without the program's file: its leaf, and that the stack goes on.
only_the_leaf()
{
	timeout 900 "$flamefold" fold --quiet --all perf.data >folded
	[ "$(total folded)" -eq "$(timeout 900 "$flamefold" fold --quiet perf.data | total)" ]
	! grep -qE ';(outer|middle|inner|leaf|wrong_[a-z]*)[; ]' folded || false
	awk '/;\[truncated\];/ { cut += $NF } { all += $NF } END { exit !(cut > 0.9 * all) }' folded
	timeout 900 "$flamefold" fold perf.data 2>said >/dev/null
	[ -s said ]
}

# With another name for each function and other frames.
another_build()
{
	compile "$1" layers.c -O1 -g -fno-omit-frame-pointer -Dleaf=wrong_leaf -Dinner=wrong_inner \
		-Dmiddle=wrong_middle -Douter=wrong_outer -Wl,--build-id
}

@test "deleted" {
	rate=1999 dwarf ./layers 15000
	rm layers
	only_the_leaf
}

# For sh -c, behind ./layers &
# shellcheck disable=SC2016 # for sh
until_it_runs='until [ "$(readlink /proc/$!/exe)" = "$PWD/layers" ]; do sleep 0.01; done'

@test "deleted while it runs" {
	rate=1999 dwarf sh -c "./layers 15000 & $until_it_runs; rm layers; wait"
	only_the_leaf
}

@test "replaced by another build" {
	rate=1999 dwarf ./layers 15000
	rm layers
	another_build layers
	only_the_leaf
}

@test "renamed while it runs" {
	rate=1999 dwarf sh -c "./layers 15000 & $until_it_runs; mv layers elsewhere; wait"
	only_the_leaf
}

# The cache of perf record, in a place of its own.
cached()
{
	need_perf
	perf --buildid-dir "$PWD/cache" record -q -o perf.data -e cpu-clock -F 1999 \
		--call-graph dwarf -- "$@" >recorded 2>&1 || skip "events are not permitted"
}

@test "gone, but kept in perf's cache of build ids" {
	cached ./layers 15000
	rm layers
	only_the_leaf
	fold_user --buildid-dir "$PWD/cache" perf.data
	chain leaf "$(from_start layers 'outer;middle;inner;leaf')"
}

@test "replaced, but kept in perf's cache of build ids" {
	cached ./layers 15000
	rm layers
	another_build layers
	fold_user --buildid-dir "$PWD/cache" perf.data
	chain leaf "$(from_start layers 'outer;middle;inner;leaf')"
	! grep -q wrong_ user
}

@test "moved below another root" {
	rate=1999 dwarf ./layers 15000
	mkdir -p "root$PWD"
	mv layers "root$PWD"
	only_the_leaf
	cp --parents -L /lib/x86_64-linux-gnu/libc.so.6 /lib64/ld-linux-x86-64.so.2 root
	mkdir -p root/usr/lib
	cp -r root/lib/. root/usr/lib/
	fold_user --symfs root perf.data
	chain leaf "$(from_start layers 'outer;middle;inner;leaf')"
}

@test "stripped, with its frames in a file found by build id" {
	local id

	compile layers layers.c $WITHOUT_FP -fno-asynchronous-unwind-tables -fno-unwind-tables \
		-Wl,--build-id
	id=$(readelf -n layers | sed -n 's/.*Build ID: //p')
	mkdir -p "debug/.build-id/${id:0:2}"
	objcopy --only-keep-debug layers "debug/.build-id/${id:0:2}/${id:2}.debug"
	strip layers
	rate=1999 dwarf ./layers 15000
	fold_user --debug-dir debug perf.data
	chain leaf "$(from_start layers 'outer;middle;inner;leaf')"
}

@test "executed from memory" {
	compile from_memory from_memory.c -O2
	rate=1999 dwarf ./from_memory ./layers 15000
	only_the_leaf
}
