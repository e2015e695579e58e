#!/usr/bin/env bats
# Programs whose files are gone, changed, elsewhere or in memory: real recordings, in which the
# function that worked is known. Objects are looked for in places made for each test only.
bats_require_minimum_version 1.5.0

load recordings
load sampled

programs=$root/tests/objects

# Asked once: $no_events says why there are none.
setup_file()
{
	if command -v perf >/dev/null; then
		no_events=$(perf record -q -N -o "$BATS_FILE_TMPDIR/none.data" -e cpu-clock -- true 2>&1) &&
			no_events=
	else
		no_events="no perf"
	fi
	export no_events
}

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	export HOME=$PWD/home
	mkdir "$HOME"
	pids=
}

# Those that were to stay.
teardown()
{
	for pid in $pids; do
		end "$pid"
	done
}

end()
{
	kill -9 "$1" 2>/dev/null || return 0
	while kill -0 "$1" 2>/dev/null; do
		sleep 0.01
	done
}

# compile OUTPUT SOURCE [FLAG]...
compile()
{
	local output=$1 source=$2
	shift 2
	"${CC:-cc}" -D_GNU_SOURCE -O1 -g -fno-omit-frame-pointer -o "$output" "$source" "$@"
}

# The program of most tests; impostor: the same in another build.
spin()
{
	compile "${1:-program}" "$programs/spin.c" -Wl,--build-id
}

impostor()
{
	compile "${1:-program}" "$programs/spin.c" -Wl,--build-id -DWORK=wrong_work
}

need_events()
{
	[ -z "$no_events" ] || skip "events are not permitted: $(head -n 1 <<<"$no_events")"
}

# record [OPTION]... -- COMMAND...: p.data, and nothing in the cache.
record()
{
	need_events
	perf record -q -N -o p.data -e cpu-clock -F 1999 -g "$@" >recorded 2>&1
}

# The same with the objects in perf's cache, which is below the home directory.
record_to_cache()
{
	need_events
	perf record -q -o p.data -e cpu-clock -F 1999 -g "$@" >recorded 2>&1
}

# attach PID: what it does for a while; its maps are those that perf finds.
attach()
{
	record -p "$1" -- "$programs/worked" "$1" 20
}

# For sh -c, behind ./program &
# shellcheck disable=SC2016 # for sh
until_it_runs='until [ "$(readlink /proc/$!/exe)" = "$PWD/program" ]; do sleep 0.01; done'
# shellcheck disable=SC2016
until_it_stays='until grep -q "^State:.S" /proc/$!/status; do sleep 0.05; done'

# start COMMAND... stay: it works, and then waits to be killed; $started is its pid. What the
# command is started by goes first.
start()
{
	"$@" 3>&- &
	started=$!
	pids="$pids $started"
	until [ "$(tr '\0' '\n' <"/proc/$started/cmdline" | tail -n 1)" = stay ] &&
		! readlink "/proc/$started/exe" | grep -qE '/(ba|da|)sh$|/(unshare|chroot|from_memory)$'; do
		kill -0 "$started"
		sleep 0.01
	done
}

# The share of weight of user functions that the leaf frame FUNCTION has, in percent. What waits for the program
# takes as much as the machine has.
# share FUNCTION [OPTION]...
share()
{
	local function=$1
	shift
	timeout 900 "$flamefold" fold --quiet --kernel "$@" p.data >folded
	grep -vE '_\[k\] [0-9]+$|^(grep|sh|sleep|mv|cat);' folded | awk -v name="$function" '
		{ n = $NF; sub(/ [0-9]+$/, ""); k = split($0, frame, ";"); all += n }
		frame[k] == name { its += n }
		END { printf "%d\n", all ? 100 * its / all : -1 }'
}

# named [OPTION]...: what works has its name, and nothing else has another's.
named()
{
	local share

	share=$(share known_work "$@")
	[ "$share" -ge 90 ] || { echo "known_work has $share %"; cat folded; return 1; }
	! grep -q 'wrong_work' folded
}

# unnamed [OPTION]...: nothing is said that is not known.
unnamed()
{
	[ "$(share known_work "$@")" -eq 0 ]
	[ "$(total folded)" -gt 0 ]
	! grep -q 'wrong_work' folded
}

# replaced [OPTION]...: the program's frames say that its file is another one, and no name is wrong.
replaced()
{
	unnamed "$@"
	[ "$(share '[replaced: program]' "$@")" -ge 90 ] || { cat folded; return 1; }
}

@test "a file in its place" {
	spin
	record ./program
	named
	perf record -q -N -o p.data -e cpu-clock --call-graph dwarf,1024 ./program
	named
}

@test "deleted: the cache of perf record has it" {
	spin
	record_to_cache ./program
	rm program
	named
	told 'program +[0-9a-f]+ +from /.*/home/\.debug/\.build-id/../[0-9a-f]+/elf$'
	unnamed --buildid-dir=
	told "cannot open '.*/program'" --buildid-dir=
	HOME=/nonexistent unnamed
	env -u HOME "$flamefold" fold --quiet p.data >folded
	! grep -q known_work folded
}

@test "deleted, with a stack dump: the cache of perf record has it" {
	need_events
	spin
	perf record -q -o p.data -e cpu-clock -F 1999 --call-graph dwarf,1024 ./program
	rm program
	named
	unnamed --buildid-dir=
}

@test "replaced by another build: refused, both ids are told" {
	local old

	spin
	old=$(build_id program)
	record_to_cache ./program
	impostor
	named
	replaced --buildid-dir=
	told "program' has build id $(build_id program), recorded was $old" --buildid-dir=
	told 'not the recorded one: its build id differs' --buildid-dir=
	[ "$(share wrong_work --buildid-dir= --force)" -ge 90 ]
	named --force
	"$flamefold" fold --buildid-dir= p.data 2>said >folded
	grep -q 'not the recorded one.*--force takes' <(tr '\n' ' ' <said)
}

# perf reads the build ids when it ends: of what has the path then.
@test "replaced while it runs: no name is made of the new one, by order it is" {
	spin
	impostor other
	record -- sh -c "./program 0.5 & $until_it_runs; mv other program; wait"
	replaced
	told "/program' was replaced while it was recorded"
	told 'not the recorded one.*replaced'
	[ "$(share wrong_work --force)" -ge 90 ]
	"$flamefold" fold --quiet --compat stackcollapse p.data >folded
	run -1 grep 'replaced' folded
	spin
	impostor other
	record --buildid-mmap -- sh -c 'true' || skip "no --buildid-mmap"
	record --buildid-mmap -- sh -c "./program 0.5 & $until_it_runs; mv other program; wait"
	replaced
}

@test "an equal program in its place since: it is named" {
	spin
	record ./program
	mv program old
	cp old program
	named
	told "/program' was replaced after it was mapped"
	touch -d '1 minute' p.data
	named
	cp p.data q.data && mv q.data p.data
	named
}

# Nothing tells that file from the one in a container's image.
@test "an equal program from a directory that was there before: it is named" {
	mkdir a b
	spin a/program
	cp a/program b/program
	record -- sh -c "a/program 0.5 & until [ \"\$(readlink /proc/\$!/exe)\" = \"\$PWD/a/program\" ]; do
		sleep 0.01; done; mv a old; mv b a; wait"
	named
}

@test "replaced while it runs, and the recording was copied since: named, but doubted" {
	spin
	impostor other
	record -- sh -c "./program 0.5 & $until_it_runs; mv other program; wait"
	cp p.data q.data && mv q.data p.data
	[ "$(share wrong_work)" -ge 90 ]
	told "/program' was replaced after it was mapped"
}

@test "replaced while it runs: the process still has it" {
	spin
	impostor other
	record -- sh -c "./program 0.2 stay & echo \$! >pid; $until_it_runs; mv other program; $until_it_stays"
	pids=$(cat pid)
	named
}

# Only what the dynamic linker needs is left: e_shoff, e_shnum and e_shstrndx are 0.
without_sections()
{
	python3 - "$1" <<-'END'
		import struct, sys
		data = bytearray(open(sys.argv[1], 'rb').read())
		struct.pack_into('<Q', data, 40, 0)
		struct.pack_into('<3H', data, 58, 64, 0, 0)
		open(sys.argv[1], 'r+b').write(data)
	END
	! readelf -SW "$1" | grep -q 'dynsym' || false
}

@test "without section headers: what it exports is named" {
	command -v python3 >/dev/null || skip "no python3"
	for style in gnu sysv; do
		compile program "$programs/spin.c" -rdynamic -Wl,--hash-style=$style
		record ./program
		named
		strip program
		without_sections program
		named
	done
}

@test "renamed: the cache of perf record has it" {
	spin
	record_to_cache ./program
	mv program elsewhere
	named
	unnamed --buildid-dir=
}

@test "a cache in another place" {
	need_events
	spin
	perf --buildid-dir "$PWD/cache" record -q -o p.data -e cpu-clock -F 1999 -g ./program
	rm program
	unnamed
	named --buildid-dir cache
	named --buildid-dir="$PWD/cache"
	told 'from .*cache/\.build-id/' --buildid-dir=cache
}

# Before Linux 4.10 an entry was the file itself.
@test "a cache of an old perf" {
	local id

	spin
	id=$(build_id program)
	record ./program
	mkdir -p "cache/.build-id/${id:0:2}" "cache$PWD/program"
	mv program "cache$PWD/program/$id"
	ln -s "../..$PWD/program/$id" "cache/.build-id/${id:0:2}/${id:2}"
	named --buildid-dir cache
}

@test "a file of another build in the cache is not used" {
	local id

	spin
	id=$(build_id program)
	record ./program
	rm program
	mkdir -p "cache/.build-id/${id:0:2}/${id:2}"
	impostor "cache/.build-id/${id:0:2}/${id:2}/elf"
	unnamed --buildid-dir cache
}

@test "below the debug directory, by build id" {
	local id

	spin
	id=$(build_id program)
	record ./program
	mkdir -p "debug/.build-id/${id:0:2}"
	mv program "debug/.build-id/${id:0:2}/${id:2}"
	unnamed
	named --debug-dir debug
}

@test "below another root, with a cache of its own" {
	spin
	record ./program
	mkdir -p "system$PWD"
	cp program "system$PWD"
	impostor
	named --symfs system
	impostor "system$PWD/program"
	unnamed --symfs system
	rm "system$PWD/program"
	rm program
	spin
	perf buildid-cache -a program
	unnamed --symfs system
	mv "$HOME/.debug" system
	named --symfs system
	named --symfs /nonexistent --buildid-dir system/.debug
}

@test "stripped, with its symbols in the cache" {
	local id entry

	spin
	objcopy --only-keep-debug program symbols
	strip program
	id=$(build_id program)
	record_to_cache ./program
	entry=$HOME/.debug/.build-id/${id:0:2}/${id:2}
	rm -f "$entry/debug"
	unnamed
	cp symbols "$entry/debug"
	named
	rm program
	named
}

@test "deleted while it runs: the process still has it" {
	spin
	start ./program 5 stay
	rm program
	attach "$started"
	grep -q 'program (deleted)' <(perf script -i p.data --show-mmap-events 2>/dev/null)
	named
	told "program \(deleted\) +([0-9a-f]+ +)?from /proc/$started/"
	unnamed --symfs /
	end "$started"
	unnamed
}

@test "deleted after it began: for its user the process still has it" {
	need_events
	spin
	record -- sh -c "./program 0.2 stay & echo \$! >pid; $until_it_runs; $until_it_stays"
	pids=$(cat pid)
	rm program
	named
	end "$(cat pid)"
	unnamed
}

@test "without a build id: another file is refused, by order it is taken" {
	compile program "$programs/spin.c" -Wl,--build-id=none
	record ./program
	named
	mv program original
	compile program "$programs/spin.c" -Wl,--build-id=none -DWORK=wrong_work
	replaced
	told 'another file than the recorded one.*--force'
	[ "$(share wrong_work --symfs=/)" -ge 90 ]
	[ "$(share wrong_work --force)" -ge 90 ]
	mv original program
	named
}

@test "without a build id: what runs in a container, not its namesake here" {
	[ "$(id -u)" -eq 0 ] || skip "not root"
	unshare -m true 2>/dev/null || skip "no mount namespaces"
	compile inside "$programs/spin.c" -Wl,--build-id=none
	mkdir box
	compile box/program "$programs/spin.c" -Wl,--build-id=none -DWORK=wrong_work
	# shellcheck disable=SC2016 # for the shell inside
	start unshare -m sh -c 'mount -t tmpfs none box && cp inside box/program &&
		exec "$PWD/box/program" 5 stay'
	attach "$started"
	named
	end "$started"
	unnamed
}

# Two file systems begin to count: the program and its namesake have one path and one inode.
@test "without a build id: what runs in a container, not its namesake with the same inode" {
	[ "$(id -u)" -eq 0 ] || skip "not root"
	unshare -m true 2>/dev/null || skip "no mount namespaces"
	need_events
	compile inside "$programs/spin.c" -Wl,--build-id=none
	compile outside "$programs/spin.c" -Wl,--build-id=none -DWORK=wrong_work
	mkdir box
	cat >inner <<-'END'
		mount -t tmpfs none box && cp inside box/program && exec "$PWD/box/program" 5 stay
	END
	cat >outer <<-'END'
		mount -t tmpfs none box && cp outside box/program || exit
		stat -c %i box/program >inode
		unshare -m sh inner & echo $! >pid
		until readlink "/proc/$!/exe" | grep -q program; do sleep 0.1; done
		perf record -q -N -o p.data -e cpu-clock -F 1999 -g -p "$(cat pid)" -- "$worked" "$(cat pid)" 20
		"$flamefold" fold --quiet p.data >folded
		kill -9 "$(cat pid)"
	END
	flamefold=$flamefold worked=$programs/worked unshare -m sh outer
	grep -q " $(cat inode) .*/box/program\$" <(perf script -i p.data --show-mmap-events 2>/dev/null) ||
		skip "their inodes differ"
	grep -q known_work folded
	! grep -q wrong_work folded
}

@test "in a container whose files nobody else sees" {
	[ "$(id -u)" -eq 0 ] || skip "not root"
	unshare -m true 2>/dev/null || skip "no mount namespaces"
	compile program "$programs/spin.c" -static -Wl,--build-id
	mkdir empty_root
	# shellcheck disable=SC2016 # for the shell inside
	start unshare -m sh -c 'mount -t tmpfs none empty_root && mkdir empty_root/app &&
		cp program empty_root/app && exec chroot empty_root /app/program 5 stay'
	attach "$started"
	named
	told "/empty_root/app/program +([0-9a-f]+ +)?from /proc/$started/"
	perf record -q -N -B -o p.data -e cpu-clock -F 1999 -p "$started" -- "$programs/worked" "$started" 20
	named
	end "$started"
	unnamed
}

@test "in a container, with the build ids that the kernel read" {
	[ "$(id -u)" -eq 0 ] || skip "not root"
	unshare -m true 2>/dev/null || skip "no mount namespaces"
	compile program "$programs/spin.c" -static -Wl,--build-id
	mkdir empty_root
	record --buildid-mmap -- unshare -m sh -c 'mount -t tmpfs none empty_root &&
		cp program empty_root && exec chroot empty_root /program 0.2' ||
		skip "no --buildid-mmap"
	unnamed
	perf buildid-cache -a program
	named
}

@test "executed from memory: the process still has it" {
	spin
	compile from_memory "$root/tests/unwind/from_memory.c"
	start ./from_memory ./program 5 stay
	attach "$started"
	grep -q '/memfd:' <(perf script -i p.data --show-mmap-events 2>/dev/null)
	named
	[ "$(share known_work --symfs /)" -eq 0 ]
	end "$started"
	unnamed
}

@test "executed from memory, with the build id that the kernel read" {
	spin
	compile from_memory "$root/tests/unwind/from_memory.c"
	record --buildid-mmap ./from_memory ./program || skip "no --buildid-mmap"
	unnamed
	perf buildid-cache -a program
	named
	told '/memfd:.* from .*/elf'
}

@test "code of a runtime in a memory file is not a program" {
	compile program "$programs/double_map.c"
	start ./program 5 stay
	attach "$started"
	timeout 900 "$flamefold" fold --quiet --kernel p.data >folded
	grep -vE '_\[k\] [0-9]+$' folded >user
	[ "$(grep 'memfd:doublemapper' user | total)" -ge $(($(total user) * 9 / 10)) ]
	told '/memfd:doublemapper \(deleted\)'
	sed -n '/^code without a file/,/^$/p' info | grep -q '/memfd:doublemapper'
}

huge_text()
{
	compile program "$programs/huge_text.c" -no-pie
	record ./program "$1" 0.2
	[ "$1" = none ] || grep -qE '0x200000\).*//anon' \
		<(perf script -i p.data --show-mmap-events 2>/dev/null)
	named
	perf record -q -N -o p.data -e cpu-clock -F 1999 --call-graph dwarf,1024 ./program "$1" 0.2
	named
}

@test "text that stays where it is" {
	huge_text none
}

@test "text copied to huge pages" {
	huge_text copy
}

@test "text moved to huge pages" {
	huge_text move
}

@test "text that had moved to huge pages before" {
	compile program "$programs/huge_text.c" -no-pie
	start ./program copy 5 stay
	attach "$started"
	grep -qE '0x200000\).*//anon' <(perf script -i p.data --show-mmap-events 2>/dev/null)
	named
}

@test "two libraries one after the other at one address" {
	local first second

	need_events
	compile reload "$programs/reload.c" -ldl
	compile first.so "$programs/library.c" -shared -fPIC -DWORK=first_work
	compile second.so "$programs/library.c" -shared -fPIC -DWORK=second_work
	record ./reload 0.15 ./first.so ./second.so
	[ "$(sort -u recorded | grep -c 0x)" -eq 1 ] || skip "they were loaded at two addresses"
	first=$(share first_work)
	second=$(share second_work)
	[ "$first" -ge 30 ]
	[ "$second" -ge 30 ]
	[ $((first + second)) -ge 90 ]
}

# All of them are tried exactly in tests/unit/cfi/test_layouts.c.
layout()
{
	compile program "$programs/spin.c" "$@"
	record ./program
	named
}

@test "a static program" {
	layout -static
}

@test "a static program at any address" {
	layout -static-pie
}

@test "linked by lld, whose segments share pages of the file" {
	command -v ld.lld >/dev/null || skip "no lld"
	layout -fuse-ld=lld
}

@test "linked by gold" {
	command -v ld.gold >/dev/null || skip "no gold"
	layout -fuse-ld=gold
}

@test "code and data in one segment" {
	layout -Wl,-z,noseparate-code
}

@test "segments aligned to 2 MiB" {
	layout -Wl,-z,max-page-size=0x200000
}

@test "code at an address of its own" {
	layout -no-pie -Wl,-Ttext-segment=0x10000000
}

# A kernel that is not this one: its names are in the cache, under its build id.
@test "the kernel of another machine: the cache has its names" {
	local id=00112233445566778899aabbccddeeff00112233

	"$build" -o p.data - <<-END
		feature hostname=elsewhere
		feature osrelease=6.1.0-other
		feature build_id name=[kernel.kallsyms] id=$id mode=kernel
		attr name=cycles sample_type=IP,TID,TIME,CPU,PERIOD,CALLCHAIN flags=sample_id_all
		mmap pid=-1 mode=kernel start=0xffffffff81000000 len=0x1000000 \
			off=0xffffffff81000000 name=[kernel.kallsyms]_text time=0
		comm pid=1 name=sh time=1
		sample pid=1 time=2 mode=kernel ip=0xffffffff81000123 period=10 \
			chain=K,0xffffffff81000123
	END
	mkdir -p "cache/.build-id/00/${id:2}"
	printf '%s T %s\n' ffffffff81000000 _text ffffffff81000100 their_function \
		ffffffff81000200 another >"cache/.build-id/00/${id:2}/kallsyms"
	timeout 900 "$flamefold" fold --quiet p.data >folded
	! grep -q their_function folded || false
	timeout 900 "$flamefold" fold --quiet --buildid-dir=cache p.data >folded
	grep -q '^sh;their_function 10$' folded
}

# What one of several processes did, in percent of all user functions: did COMM FUNCTION.
did()
{
	awk -v comm="$1" -v name="$2" '
		{ n = $NF; sub(/ [0-9]+$/, ""); k = split($0, frame, ";"); all += n }
		frame[1] == comm && frame[k] == name { its += n }
		END { printf "%d\n", all ? 100 * its / all : -1 }' user
}

@test "children that execute nothing, of vfork, a thread that executes, one with a name" {
	local comm name

	compile processes "$programs/processes.c" -pthread
	record ./processes 0.1
	timeout 900 "$flamefold" fold --quiet --kernel p.data | grep -v '_\[k\] ' >user
	while read -r comm name; do
		[ "$(did "$comm" "$name")" -ge 15 ] || { cat user; return 1; }
	done <<-'END'
		processes forked_work
		exe executed_work
		exe threaded_work
		renamed renamed_work
	END
	# perf script has the same stacks below the same names.
	timeout 900 "$flamefold" fold --quiet --compat=stackcollapse p.data >ours
	perf script -i p.data 2>/dev/null | collapse >theirs
	diff <(grep -o '^[^;]*;.*_work [0-9]*$' ours) <(grep -o '^[^;]*;.*_work [0-9]*$' theirs)
}

@test "functions without a size, in one another, with several names: as perf chooses" {
	local first last at address program=$PWD/program

	[ "$(uname -m)" = x86_64 ] || skip "the instructions are those of x86-64"
	"${CC:-cc}" -nostdlib -static -o program "$programs/sizes.S"
	first=$((0x$(nm program | awk '$3 == "_start" { print $1 }')))
	last=$((0x$(nm program | awk '$3 == "last" { print $1 }') + 12))
	read -r at address <<<"$(readelf -lW program | awk '$1 == "LOAD" && / R E / { print $2, $3 }')"
	{
		echo "attr name=cycles sample_type=IP,TID,TIME,CPU,PERIOD,CALLCHAIN flags=sample_id_all"
		echo "comm pid=1 name=sh time=0"
		echo "mmap pid=1 start=$address len=0x1000 off=$at name=$program time=1"
		for ((ip = first; ip < last; ip += 4)); do
			echo "sample pid=1 time=2 ip=$ip period=$((ip - first + 1)) chain=U,$ip"
		done
	} | "$build" -o p.data -
	timeout 900 "$flamefold" fold --quiet --truncated=merge p.data >ours
	diff - ours <<-'END'
		sh;[program] 38
		sh;_start 28
		sh;global_name 220
		sh;hidden_twin 604
		sh;inner 412
		sh;last 495
		sh;long_name_of_two 540
		sh;outer 824
		sh;sizeless 210
		sh;y 284
	END
	command -v perf >/dev/null || skip "no perf"
	# perf 6.1 knows nothing of what comes behind the inner one: 476 of 824.
	timeout 900 "$flamefold" fold --quiet --compat=stackcollapse p.data >ours
	perf script -i p.data 2>/dev/null | collapse >theirs
	grep -qx 'sh;outer 348' theirs
	diff <(grep -v 'outer\|\[' ours) <(grep -v 'outer\|\[' theirs)
}

@test "Go: its functions have names and callers" {
	command -v go >/dev/null || skip "no go"
	GO111MODULE=off GOFLAGS='' GOCACHE=$PWD/cache go build -o program "$programs/hot.go"
	record ./program 0.3
	[ "$(share main.knownWork)" -ge 80 ]
	# A leaf has no frame there: by frame pointers its caller is passed over, and put in again.
	grep -qE ';runtime.main;main.main;main.caller;main.knownWork [0-9]*$' folded
	perf record -q -N -o p.data -e cpu-clock -F 1999 --call-graph dwarf ./program 0.3
	[ "$(share main.knownWork)" -ge 80 ]
	grep -q ';main.main;main.caller;main.knownWork [0-9]*$' folded
	# perf has the same leaves.
	timeout 900 "$flamefold" fold --quiet --compat=stackcollapse --max-stack 1 p.data >ours
	perf script --no-inline --max-stack 1 -i p.data 2>/dev/null | collapse >theirs
	diff <(grep -o ';main\..*' ours) <(grep -o ';main\..*' theirs)
}

# hot NAME [OPTION]...: the Go program, built with these.
hot()
{
	local name=$1
	shift
	GO111MODULE=off GOFLAGS='' GOCACHE=$BATS_FILE_TMPDIR/cache go build "$@" -o "$name" "$programs/hot.go"
}

# Its runtime names functions in a table of its own, which is there in all of them; the linker adds ".abi0" to symbols.
# bats test_tags=long
@test "Go without symbols: its functions have the names that they have with them" {
	command -v go >/dev/null || skip "no go"
	hot program
	record ./program 0.3
	timeout 900 "$flamefold" fold --quiet --no-inline p.data | sed 's/\.abi0//g' >whole
	mv program whole-program
	strip -o program whole-program
	# So are its rows, which say whose frame it is that a leaf has.
	timeout 900 "$flamefold" fold --quiet --no-inline --force p.data | diff whole -
	grep -qE ';runtime.main;main.main;main.caller;main.knownWork [0-9]*$' whole
	timeout 900 "$flamefold" fold --quiet --no-inline --no-infer --force p.data | sed 's/\.abi0//g' >whole
	# That it is Go's is said by a section: how its stacks begin is not known without.
	without_sections program
	timeout 900 "$flamefold" fold --quiet --no-inline --no-infer --force --truncated=merge p.data | diff whole -
	for how in '-ldflags=-s -w' -buildmode=pie; do
		hot program "$how"
		strip program
		record ./program 0.3
		[ "$(share main.knownWork)" -ge 80 ]
	done
}
