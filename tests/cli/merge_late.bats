#!/usr/bin/env bats
# What is known late: names of files that were not there when it was folded.
bats_require_minimum_version 1.5.0

load recordings

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	cat >program.c <<-'END'
	static inline __attribute__((always_inline)) int deep(int x) { volatile int y = x; return y * 3; }
	__attribute__((noinline)) int leaf(int x) { return deep(x) + 1; }
	__attribute__((noinline)) int middle(int x) { return leaf(x) + leaf(x + 1); }
	int main(int argc, char **argv) { (void)argv; return middle(argc) + 1; }
	END
	"${CC:-cc}" -g -O1 -Wl,--build-id -no-pie -o program program.c
	id=$(readelf -n program | sed -n 's/.*Build ID: //p')
	[ -n "$id" ] || skip "no build id"
	record web-1 1000 one.data
	record web-2 7 two.data
}

# Where each call of a function returns to.
returns()
{
	objdump -d --no-show-raw-insn program | awk -v of="<$1>:" '
		/^[0-9a-f]+ </ { inside = $2 == of; next }
		inside && after { print "0x" substr($1, 1, length($1) - 1); after = 0 }
		inside && /call/ { after = 1 }'
}

# record HOST PERIOD FILE: two stacks down to the leaf, one in the middle.
record()
{
	local leaf segment calls
	leaf=0x$(nm program | awk '$3 == "leaf" { print $1 }')
	segment=$(readelf -lW program | awk '/R E/ { print "off=" $2, "start=" $3, "len=" $5 }')
	mapfile -t calls < <(returns middle)
	"$build" -o "$3" - <<-END
	attr name=cpu-clock sample_type=IP,TID,TIME,PERIOD,CALLCHAIN
	feature hostname=$1
	feature build_id name=$PWD/program id=$id
	comm pid=1 name=program exec
	mmap2 pid=1 $segment name=$PWD/program prot=5
	sample pid=1 time=1000 period=$2 ip=$((leaf + 4)) chain=U,$((leaf + 4)),${calls[0]},$(returns main | head -n 1),$(returns _start | head -n 1)
	sample pid=1 time=500000000 period=10 ip=$((leaf + 8)) chain=U,$((leaf + 8)),${calls[1]},$(returns main | head -n 1),$(returns _start | head -n 1)
	sample pid=1 time=900000000 period=30 ip=${calls[1]} chain=U,${calls[1]},$(returns main | head -n 1),$(returns _start | head -n 1)
	END
}

# As somewhere else, where nothing of this machine is.
merge()
{
	"$flamefold" merge -q --no-infer --truncated=merge --debug-dir "$empty" "$@"
}

@test "names that come late are those of a recording that was folded with its files" {
	merge one.data two.data -o with.ff
	"$flamefold" fold -q with.ff | grep -q 'middle;leaf;deep 2[0-9]\|middle;leaf;deep'
	mv program away
	merge --keep-addresses one.data -o one.ff
	merge --keep-addresses two.data -o two.ff
	merge two.ff one.ff -o kept.ff
	merge --keep-addresses two.data one.data -o x.ff
	cmp x.ff kept.ff
	run ! grep -q leaf <("$flamefold" fold -q kept.ff)
	# As long as the file is not there nothing changes.
	"$flamefold" merge --symbolize kept.ff -o still.ff 2>told
	cmp kept.ff still.ff
	grep -q '0 of [0-9]* addresses are named; 0 of 1 files were found' told
	mv away program
	"$flamefold" merge --symbolize kept.ff -o late.ff 2>told
	grep -q ' addresses are named; 1 of 1 files were found' told
	cmp late.ff with.ff
	merge --symbolize one.ff two.ff -o late.ff
	cmp late.ff with.ff
	# Some that have names and some that have none become one.
	merge one.data -o named.ff
	merge --symbolize named.ff two.ff -o late.ff
	cmp late.ff with.ff
}

@test "debug information that comes late gives inlined functions" {
	merge one.data two.data -o with.ff
	objcopy --only-keep-debug program program.debug
	mkdir -p "debug/.build-id/${id:0:2}"
	mv program.debug "debug/.build-id/${id:0:2}/${id:2}.debug"
	objcopy --strip-debug program
	merge one.data two.data -o plain.ff
	run ! grep -q deep <("$flamefold" fold -q plain.ff)
	merge --keep-addresses one.data two.data -o kept.ff
	"$flamefold" fold -q kept.ff | diff - <("$flamefold" fold -q plain.ff)
	"$flamefold" merge -q --symbolize --debug-dir debug kept.ff -o late.ff
	cmp late.ff with.ff
	# Without it the names are those of symbols, and the addresses stay where they are asked for.
	merge --symbolize --keep-addresses kept.ff -o still.ff
	cmp still.ff kept.ff
	merge --symbolize kept.ff -o x.ff
	cmp x.ff plain.ff
}

# A debuginfod of files below served/, and two recordings of programs that are not here.
serve()
{
	ldconfig -p 2>/dev/null | grep -q 'libdebuginfod\.so\.1 ' || skip "no libdebuginfod"
	unset DEBUGINFOD_URLS http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY
	export HOME=$PWD/home DEBUGINFOD_CACHE_PATH=$PWD/cache
	mkdir -p home "served/$id"
	merge one.data two.data -o with.ff
	mv program away
	merge --keep-addresses one.data two.data -o kept.ff
	: >asked
	python3 "$root"/tests/objects/server.py asked port served 3>&- &
	server=$!
	disown
	until [ -s port ]; do
		sleep 0.01
	done
	export DEBUGINFOD_URLS=http://127.0.0.1:$(cat port)
}

teardown()
{
	[ -z "${server:-}" ] || kill "$server"
}

# What is told but for the time it took.
symbolize()
{
	timeout 60 "$flamefold" merge --symbolize --no-infer --truncated=merge --debug-dir "$empty" --debuginfod "$@" kept.ff -o late.ff 2>told
}

@test "names that come late come from a server, which is asked once" {
	serve
	cp away "served/$id/executable"
	cp away "served/$id/debuginfo"
	symbolize
	grep -q ' addresses are named; 1 of 1 files were found' told
	cmp late.ff with.ff
	[ -z "$(sort asked | uniq -d)" ]
	[ "$(wc -l <asked)" -le 2 ]
	# What was fetched is not asked for again.
	: >asked
	symbolize
	cmp late.ff with.ff
	[ ! -s asked ]
}

@test "a server that has not what is asked for leaves names as they were" {
	serve
	symbolize
	grep -q '0 of [0-9]* addresses are named; 0 of 1 files were found' told
	run ! grep -q 'given up' told
	[ -z "$(sort asked | uniq -d)" ]
	cmp late.ff kept.ff
	"$flamefold" fold -q late.ff | grep -q '\[program\]'
	# What it sends is of another build, no program, or cut.
	rm -rf cache
	sed 's/\* 3/* 4/' program.c >other.c
	"${CC:-cc}" -g -O1 -Wl,--build-id -no-pie -o "served/$id/executable" other.c
	cp "served/$id/executable" "served/$id/debuginfo"
	symbolize
	cmp late.ff kept.ff
	rm -rf cache
	head -c 5000 /dev/urandom | tee "served/$id/executable" >"served/$id/debuginfo"
	symbolize
	cmp late.ff kept.ff
	rm -rf cache "served/$id"/*
	cp away "served/$id/executable.cut"
	cp away "served/$id/debuginfo.cut"
	symbolize
	cmp late.ff kept.ff
	# And what never comes is waited for as long as was said.
	rm -rf cache "served/$id"/*
	touch "served/$id/executable.slow" "served/$id/debuginfo.slow"
	symbolize --debuginfod=1
	cmp late.ff kept.ff
	[ "$(grep -c 'debuginfod was given up: no file within 1 seconds' told)" -eq 1 ]
}

@test "addresses are in the file as the page says" {
	mv program away
	merge --keep-addresses one.data -o one.ff
	"$root"/tests/store/fold.py one.ff | diff - <("$flamefold" fold -q one.ff)
	"$root"/tests/store/fold.py one.ff --addresses >offsets
	leaf=$((0x$(nm away | awk '$3 == "leaf" { print $1 }') - 0x400000))
	grep -q "@$(printf %x $((leaf + 4))) 1000$" offsets
	run -2 "$flamefold" graph --keep-addresses one.data -o x.svg
	[[ $output == *"is for profile files: -o FILE.ff"* ]]
	"$flamefold" graph -q --no-infer --truncated=merge --debug-dir "$empty" --keep-addresses one.data -o graph.ff
	"$root"/tests/store/fold.py graph.ff --addresses | diff - offsets
}
