#!/usr/bin/env bats
# Chains of frame pointers: where they begin, and what the kernel took for a return address.
bats_require_minimum_version 1.5.0

load recordings
load unwind
load sampled

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	need_x86_64
	need_perf
}

# followed PROGRAM ROUNDS: perf.data of it, by frame pointers.
followed()
{
	perf record -q -N -o perf.data -e cpu-clock:u -F 4999 --call-graph fp "./$1" "$2" ||
		skip "events are not permitted"
	fold_user
}

FRAME_POINTERS='-O2 -g -fno-omit-frame-pointer -DLEAF_FRAME -pthread'

# rooted PROGRAM MAIN THREAD: stacks of main() and of a thread are whole behind these; the others begin in the middle.
rooted()
{
	followed "$1" 1500
	# Behind main() there may be what called it.
	chain 'work;leaf' "$1;($2|$3)"'[^;]*(;main|;on_thread|;\[[^;]*\])*;work;leaf'
	chain 'lost;leaf' "$1;\\[truncated\\];lost;leaf"
	chain 'compare;leaf' "$1;\\[truncated\\];([^;]*;)*compare;leaf"
	! grep -q ';\[unknown\]' user || { grep ';\[unknown\]' user; return 1; }
}

@test "a program's stacks begin at its start and at its threads', or are truncated" {
	compile roots roots.c $FRAME_POINTERS
	rooted roots '__libc_start_call_main|\[libc' 'start_thread|\[libc'
	"$flamefold" info --format=json perf.data >json
	grep -Eq '"no_start": [1-9]' json
	grep -Eq '"bad_address": [1-9]' json
	"$flamefold" info perf.data >text
	grep -q 'root is not where threads start' text
	# What perf shows stays as perf shows it.
	"$flamefold" fold --quiet --compat=stackcollapse perf.data >compat
	! grep -F '[truncated]' compat || return 1
	grep -q 'unknown' compat
}

@test "the same of a program without symbols" {
	compile roots roots.c $FRAME_POINTERS
	strip roots
	followed roots 1500
	awk '/^roots;\[truncated\]/ { cut += $NF } { all += $NF } END { print cut, all; exit !(cut > 0.4 * all && cut < 0.7 * all) }' user
}

@test "a static program's stacks are whole, whatever lies above its start" {
	compile roots roots.c $FRAME_POINTERS -static
	rooted roots __libc_start_call_main start_thread
}

@test "a thread of C++ begins in its library, which keeps no frame pointers" {
	"${CXX:-c++}" -O2 -g -fno-omit-frame-pointer -pthread -o threads "$BATS_TEST_DIRNAME/../unwind/threads.cc"
	followed threads 50000
	grep -q ';worker;leaf ' user
	! grep -E '\[truncated\];.*worker' user || return 1
}

@test "a program with musl's stacks begin where it calls main() and where its threads start" {
	command -v musl-gcc >/dev/null || skip "no musl-gcc"
	CC=musl-gcc compile roots roots.c $FRAME_POINTERS -static
	rooted roots libc_start_main_stage2 start
	CC=musl-gcc compile roots roots.c $FRAME_POINTERS
	rooted roots '\[libc' '\[libc'
}

@test "musl's root is one by stack dumps, too" {
	command -v musl-gcc >/dev/null || skip "no musl-gcc"
	CC=musl-gcc compile roots roots.c $WITHOUT_FP -static
	dwarf ./roots 1500
	fold_user
	chain 'work;leaf' 'roots;(libc_start_main_stage2;main|start;on_thread);work;leaf'
	CC=musl-gcc compile roots roots.c $WITHOUT_FP
	dwarf ./roots 1500
	fold_user
	chain 'work;leaf' 'roots;\[libc[^;]*;(main|on_thread);work;leaf'
}

@test "a program without frame pointers says that its stacks begin in the middle" {
	compile roots roots.c -O2 -g -fomit-frame-pointer -pthread
	followed roots 1500
	awk '/^roots;\[truncated\]/ { cut += $NF } { all += $NF } END { print cut, all; exit !(cut > 0.9 * all) }' user
}

@test "stacks that are made by hand, and of signals' handlers, are whole" {
	compile contexts contexts.c -O2 -g -fno-omit-frame-pointer -DLEAF_FRAME
	followed contexts 100000
	! grep -F '[truncated];coroutine' user || return 1
	grep -q ';coroutine' user
	! grep -E ';[^;]+;__start_context;' user || return 1
	compile signals signals.c -O2 -g -fno-omit-frame-pointer -DLEAF_FRAME
	followed signals 100000
	awk '/\[truncated\]/ { cut += $NF } { all += $NF } END { print cut, all; exit !(cut < 0.02 * all) }' user
}

# mapped FILE BASE TIME: its code, as a line for the builder of recordings
mapped()
{
	local offset address size

	read -r _ offset address _ _ size _ < <(readelf -lW "$1" | grep 'LOAD.*R E')
	printf 'mmap2 pid=1 start=0x%x len=%s off=%s prot=5 name=%s time=%s\n' $(($2 + address)) "$size" "$offset" "$1" "$3"
}

# glibc passes on the address of execve(), as it does those of functions that threads begin with.
@test "where a sample was taken begins no stack because the address of that function is passed on" {
	local libc execve behind base=$((0x7f0000000000))

	echo '__attribute__((noinline, noclone)) int g(int n) { __asm__ volatile(""); return n; }
		__attribute__((noinline, noclone)) int f(int n) { return g(n) + 1; }
		int main(int n, char **v) { (void)v; return f(n) + 1; }' >program.c
	gcc -O1 -no-pie -o program program.c
	libc=$(realpath "$(ldd program | awk '/libc\.so/ { print $3 }')")
	execve=$(nm -D --without-symbol-versions "$libc" | awk '$3 == "execve" { print $1 }')
	[ -n "$execve" ] || skip "no execve() in $libc"
	behind=$(objdump -d program | awk '/<f>:/ { inside = 1 } inside && was { sub(":", "", $1); print $1; exit } inside && /call.*<g>/ { was = 1 }')
	{
		echo 'attr name=cycles sample_type=IP,TID,TIME,CALLCHAIN flags=sample_id_all'
		echo 'feature arch=x86_64'
		echo 'comm pid=1 name=pp time=1'
		mapped "$PWD/program" 0 2
		mapped "$libc" $base 3
		printf 'sample pid=1 time=4 ip=0x%x chain=U,0x%x,0x%s,0x5000\n' \
			$((base + 0x$execve + 9)) $((base + 0x$execve + 9)) "$behind"
	} >recording.pd
	"$build" -o recording.data recording.pd
	"$flamefold" fold -q recording.data >folded
	cat folded
	grep -q '^pp;\[truncated\];f;' folded
}
