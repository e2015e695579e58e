#!/usr/bin/env bats
# Profiles of pprof and of speedscope are recordings: lists of samples whose frames have names.
bats_require_minimum_version 1.5.0

load here

make=$root/tests/exchange/pprof_make.py
raw=$root/tests/exchange/pprof_raw.py

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
}

# Two threads, an inlined function, labels of both kinds, and two values.
small()
{
	cat <<-'END'
		{"types": [("samples", "count"), ("cpu", "nanoseconds")],
		 "mappings": [("/usr/bin/prog", "abcd1234"), ("[kernel.kallsyms]", "")],
		 "locations": [(1, 0x400100, [("main", "main.c", 5)]),
			       (1, 0x400200, [("inl", "inl.h", 3), ("work", "work.c", 9)]),
			       (2, 0xffffffff81000000, [("do_sys", "", 0)]), (1, 0x400300, [])],
		 "samples": [([2, 1], [7, 70000000], {"endpoint": "/a=b", "size": (64, "bytes")}),
			     ([1], [3, 30000000], {"tid": (9, ""), "pid": (8, ""), "comm": "prog"}),
			     ([3, 1], [2, 20000000], {}), ([4, 1], [1, 10000000], {})]
	END
}

# is WANTED: what the command before has written to the file ours.
is()
{
	diff <(sort <<<"$1") <(sort ours) || { cat err; return 1; }
}

@test "stacks of a pprof profile: the last type of value, inlined functions, the kernel" {
	{ small; echo '}'; } | python3 "$make" >p
	"$flamefold" fold p >ours 2>err
	diff err - <<<'flamefold: 7.7 % of the weight has no symbol'
	is $'main;work;inl 70000000\nprog;main 30000000\nmain;do_sys 20000000\nmain;[prog] 10000000'
	"$flamefold" fold --all --inline-mark p >ours
	is $'main;work;inl_[i] 70000000\nprog;main 30000000\nmain;do_sys_[k] 20000000\nmain;[prog] 10000000'
	"$flamefold" fold --addrs p >ours
	grep -qxF 'main;[prog <400300>] 10000000' ours
	"$flamefold" fold -e samples p >ours
	is $'main;work;inl 7\nprog;main 3\nmain;do_sys 2\nmain;[prog] 1'
	"$flamefold" fold --count=samples p | diff - <("$flamefold" fold -e samples p)
	"$flamefold" fold --tid p | grep -qxF 'prog-8/9;main 30000000'
	"$flamefold" fold --only tid=9 p | diff - <(echo 'prog;main 30000000')
	run -1 --separate-stderr "$flamefold" fold -e wall p
	[ "$stderr" = "flamefold: no event 'wall': there is 'cpu', 'samples'" ]
	{ small; echo ', "default": "samples", "unpacked": 1}'; } | python3 "$make" >q
	"$flamefold" fold q | diff - <("$flamefold" fold -e samples p)
}

@test "a profile is told by its content, packed or not, from a pipe, and is taken everywhere" {
	{ small; echo '}'; } | python3 "$make" >p
	"$flamefold" fold p >wanted
	gzip -nc p >p.txt
	xz -c p >p.xz
	zstd -qc p >p.zst
	for file in p.txt p.xz p.zst; do
		"$flamefold" fold "$file" | diff wanted -
	done
	# shellcheck disable=SC2002 # a pipe is what is tested
	cat p | "$flamefold" fold - | diff wanted -
	"$flamefold" graph -o p.svg p
	"$flamefold" fold p.svg | diff wanted -
	"$flamefold" merge -o m.ff p p.txt
	"$flamefold" fold m.ff | awk '{ s += $NF } END { exit s != 260000000 }'
	"$flamefold" diff -f folded p p.xz | grep -q '^main;work;inl.* 70000000 70000000$'
	"$flamefold" top -n 1 p | grep -q 'inl'
	"$flamefold" info --format=json p >info
	python3 - <<-'END'
		import json
		info = json.load(open("info"))
		text = json.dumps(info)
		assert "profile of pprof" in text, text
		assert '"name": "cpu"' in text and '"samples": 13' in text, text
	END
}

@test "two profiles are compared by their samples, for nobody knows when these were" {
	# side NAME COUNT: twenty functions with 100 samples each, but the first, in 30 s.
	side()
	{
		python3 - "$2" <<-'END' | python3 "$make" >"$1"
			import sys
			counts = [int(sys.argv[1])] + [100] * 19
			print({"types": [("samples", "count"), ("cpu", "nanoseconds")],
			       "locations": [(0, 0, [("f%d" % i, "", 0)]) for i in range(20)],
			       "samples": [([i + 1], [n, n * 10000000], {}) for i, n in enumerate(counts)],
			       "other": b"\x50\x80\xd8\x8e\xe1\x6f"})
		END
	}
	side a 100
	side b 300
	"$flamefold" diff -f folded a b 2>err >/dev/null
	run -1 grep 'pieces of its time' err
	grep -qE '^flamefold: [1-9][0-9]* of 21 paths have changed' err || { cat err; return 1; }
	"$flamefold" merge -q -o a.ff a
	"$flamefold" merge -q -o b.ff b
	"$flamefold" diff -f folded a.ff b.ff 2>err.ff >/dev/null
	diff <(grep -o '[0-9]* of 21 paths' err) <(grep -o '[0-9]* of 21 paths' err.ff)
	# Nor can it be drawn.
	for chart in --chart --flamechart; do
		run -1 --separate-stderr "$flamefold" graph "$chart" -o x.svg a
		[[ $stderr == "flamefold: cannot draw a chart of 'a': it has no times"* ]]
	done
}

@test "pprof to pprof keeps samples, values, labels, mappings, inlined functions" {
	{ small; echo ', "comments": ["prog -x"]}'; } | python3 "$make" >p
	command -v go >/dev/null || skip "needs go"
	"$flamefold" export -q -f pprof -o q p
	for file in p q; do
		go tool pprof -symbolize=none -raw $file 2>/dev/null >$file.raw
		python3 "$raw" <$file.raw >$file.list
	done
	# A function without a name gets that of its file.
	sed -i 's/^\(1\t10000000\t\)[^;]*/\1?/' p.list q.list
	diff p.list q.list
	[ "$(wc -l <p.list)" = 5 ]
	grep -q 'endpoint:\[/a=b\] size:\[64 bytes\]' q.list || cat q.list
	grep -q '/usr/bin/prog abcd1234' q.raw
	grep -q 'Comment.*prog -x' q.raw || "$flamefold" info q | grep -q 'prog -x'
	# Others do not have them, unless they are asked to.
	"$flamefold" fold --labels p | grep -qxF 'main;work;inl;size=64;endpoint=/a=b 70000000'
	"$flamefold" fold p | grep -qxF 'main;work;inl 70000000'
}

@test "profiles of real Go programs keep every sample and label" {
	command -v go >/dev/null || skip "needs go"
	cat >main.go <<-'END'
		package main

		import (
			"context"
			"os"
			"runtime"
			"runtime/pprof"
		)

		var keep [][]byte
		var sum int

		func work(n int) {
			for i := 0; i < n; i++ {
				sum += i ^ sum>>3
			}
		}

		//go:noinline
		func alloc() {
			for i := 0; i < 2000; i++ {
				keep = append(keep, make([]byte, 64+i*8))
			}
		}

		func main() {
			f, _ := os.Create("cpu.pb.gz")
			pprof.StartCPUProfile(f)
			for _, page := range []string{"/login", "/list"} {
				pprof.Do(context.Background(), pprof.Labels("page", page), func(context.Context) {
					work(300000000)
				})
			}
			pprof.StopCPUProfile()
			f.Close()
			runtime.MemProfileRate = 512
			alloc()
			runtime.GC()
			h, _ := os.Create("heap.pb.gz")
			pprof.Lookup("heap").WriteTo(h, 0)
			h.Close()
		}
	END
	HOME=$PWD GOCACHE=$PWD/cache GO111MODULE=off go build -o prog main.go
	./prog
	list()
	{
		go tool pprof -symbolize=none -raw "$1" 2>/dev/null | python3 "$raw" | tail -n +2
	}
	"$flamefold" export -q -f pprof -o cpu.out cpu.pb.gz
	list cpu.pb.gz >wanted
	[ "$(grep -c 'page:' wanted)" -ge 2 ]
	list cpu.out | diff wanted -
	for type in 0:alloc_objects 1:alloc_space 2:inuse_objects 3:inuse_space; do
		"$flamefold" export -q -e "${type#*:}" -f pprof -o heap.out heap.pb.gz
		list heap.out | awk -F'\t' '{ n = split($0, f, "\t"); print $2, f[n-1], f[n] }' | sort >ours
		list heap.pb.gz | awk -F'\t' -v at=$((${type%%:*} + 1)) '$at { print $at, $5, $6 }' | sort >wanted
		diff wanted ours
	done
	grep -q 'bytes:\[' wanted
	# Without a choice it has all of them.
	"$flamefold" export -q -f pprof -o heap.out heap.pb.gz
	list heap.pb.gz >wanted
	list heap.out | diff wanted -
	# Bytes of "space" are counted between two of its samples, which is none of the values.
	for file in cpu heap; do
		go tool pprof -symbolize=none -raw $file.pb.gz 2>/dev/null | grep '^Period\|^Time\|^Duration' >wanted
		go tool pprof -symbolize=none -raw $file.out 2>/dev/null | grep '^Period\|^Time\|^Duration' | diff wanted -
	done
	grep -qx 'PeriodType: space bytes' wanted
}

@test "a pprof keeps all values of its samples, in their order" {
	command -v go >/dev/null || skip "needs go"
	# heap DEFAULT: what it weighs is not the last value, and a sample has nothing of it.
	heap()
	{
		cat <<-END | python3 "$make"
		{"types": [("alloc_objects", "count"), ("alloc_space", "bytes"), ("held", "pages"), ("wait", "ms")],
		 "default": "$1", "mappings": [("/usr/bin/prog", "abcd1234")],
		 "locations": [(1, 0x400100, [("inl", "x.c", 3), ("f", "x.c", 9)]), (1, 0x400200, [("main", "x.c", 1)])],
		 "samples": [([1, 2], [10, 1000, 1, 100], {"bytes": (100, "bytes")}), ([2], [4, 64, 0, 0], {"bytes": (16, "bytes")}),
			     ([2], [0, 0, 7, 0], {"page": "/a"})]}
		END
	}
	list()
	{
		go tool pprof -symbolize=none -raw "$1" 2>/dev/null | python3 "$raw"
	}
	for default in alloc_objects alloc_space held wait; do
		heap $default >p
		"$flamefold" export -q -f pprof -o q p
		list p | sed 's/ms/nanoseconds/; s/\t100\t/\t100000000\t/' >wanted
		list q | sed "s/\[dflt\]//" | diff <(sed 's/\[dflt\]//' wanted) -
		go tool pprof -symbolize=none -top p 2>/dev/null | grep '^Type: ' >type
		go tool pprof -symbolize=none -top q 2>/dev/null | grep -f type
		# Nor is anything lost where all events are asked for, or two profiles are one.
		"$flamefold" export -q -e all -f pprof -o r p
		cmp q r
		"$flamefold" export -q -f pprof -o r p p
		go tool pprof -symbolize=none -proto -output twice q q 2>/dev/null
		list twice | sed "s/\[dflt\]//" >wanted
		list r | sed "s/\[dflt\]//" | diff wanted -
	done
	[ "$(wc -l <wanted)" = 4 ]
	# Other formats, and what counts something else, have one.
	"$flamefold" fold -q p | diff - <(echo 'main;f;inl 100000000')
	"$flamefold" export -q -e alloc_space -f pprof -o q p
	list q | head -n 1 | grep -x 'samples/count alloc_space/bytes'
	"$flamefold" export -q --count=samples -f pprof -o q p
	list q | head -n 1 | grep -x 'samples/count'
	# Beyond 2^63 no value is another one.
	cat >huge <<-'END'
	{"types": [("a", "count"), ("b", "count")], "locations": [(0, 0, [("f", "", 0)])],
	 "samples": [([1], [2**62 - 1, 1], {"k": k}) for k in "xyz"]}
	END
	python3 "$make" <huge >p
	run -1 --separate-stderr "$flamefold" export -f pprof -o q p
	[[ $stderr == *"more than 2^63"* ]]
}

@test "what is wrong with a profile is one sentence with its place" {
	{ small; echo '}'; } | python3 "$make" >p
	head -c $(($(wc -c <p) - 3)) p >cut
	run -1 --separate-stderr "$flamefold" fold cut
	[[ $stderr == "flamefold: 'cut' is not a whole profile of pprof: its bytes are damaged or cut at byte "* ]]
	{ small; echo ', "other": b"\x12\x03\x0a\x01\x63"}'; } | python3 "$make" >values
	run -1 --separate-stderr "$flamefold" fold values
	[[ $stderr == *"a sample has not as many values as there are types of them at byte "* ]]
	{ small; echo ', "other": b"\x12\x07\x0a\x01\x63\x12\x02\x01\x01"}'; } | python3 "$make" >location
	run -1 --separate-stderr "$flamefold" fold location
	[[ $stderr == *"a sample has a location that is not there at byte "* ]]
	gzip -c p | head -c 100 >cut.gz
	run -1 --separate-stderr "$flamefold" fold cut.gz
	[ "$(wc -l <<<"$stderr")" = 1 ]
	[[ $stderr == *"'cut.gz'"* ]]
	echo '{"types": [("x", "count")], "locations": [], "samples": []}' | python3 "$make" >empty
	run -1 --separate-stderr "$flamefold" fold empty
	[[ $stderr == *"no samples"* ]]
	echo '{"types": [("x", "count")], "locations": [(0, 0, [("f", "", 0)])], "samples": [([1], [-4], {}), ([1], [3], {})]}' |
		python3 "$make" >below
	run -0 --separate-stderr "$flamefold" fold below
	[ "$output" = 'f 3' ]
	[[ $stderr == *"left out 1 values below zero"* ]]
}

sampled='{"$schema":"https://www.speedscope.app/file-format-schema.json","name":"x","activeProfileIndex":0,"exporter":"else 1.0",
"shared":{"frames":[{"name":"main","file":"main.c","line":5},{"name":"work \u00e9\ud83d\ude00"},{"name":"a;b"}]},
"profiles":[{"type":"sampled","name":"t 1","unit":"milliseconds","startValue":0,"endValue":100,"samples":[[0,1],[0],[]],"weights":[70,30.5,4]},
{"type":"evented","name":"t 2","unit":"nanoseconds","startValue":0,"endValue":100,"events":[{"type":"O","frame":0,"at":0},
{"type":"O","frame":2,"at":10},{"type":"C","frame":2,"at":80},{"type":"C","frame":0,"at":100}]}]}'

@test "speedscope: sampled and evented profiles, a thread each" {
	printf %s "$sampled" >s
	"$flamefold" fold s >ours 2>err
	is $'t_1;main;work é😀 70000000\nt_1;main 30500000\nt_2;main 30\nt_2;main;a:b 70'
	"$flamefold" info s | grep -q '^format *profile of speedscope'
	"$flamefold" fold --only comm='t 2' s >ours
	is $'t_2;main 30\nt_2;main;a:b 70'
	gzip -c s | "$flamefold" fold - | diff - <("$flamefold" fold s)
	# One profile alone has no thread; units that are no time are counts and bytes.
	sed 's/"nanoseconds"/"bytes"/; s/"milliseconds"/"none"/' s | tr -d '\n' >t
	run -0 --separate-stderr "$flamefold" fold t
	[[ $stderr == *"left out: 3 samples of 'space'"* ]]
	"$flamefold" fold -e space t >ours
	is $'t_2;main 30\nt_2;main;a:b 70'
	python3 -c 'import json; s = json.load(open("s")); s["profiles"].pop(); json.dump(s, open("one", "w"))'
	"$flamefold" fold one >ours
	is $'main;work é😀 70000000\nmain 30500000'
	# What weighs less than one is left out, but not without a word.
	sed 's/"milliseconds"/"none"/; s/70, 30.5, 4/0.4, 30.5, -4/; s/\[\]\]/[0]]/' one >t
	run -0 --separate-stderr "$flamefold" fold t
	[[ $stderr == *"'t': left out 2 samples whose weights are below zero, or nearer to zero than to one"* ]]
	[ "$output" = "main 31" ]
	sed 's/70,/7e18,/' s >t
	run -1 --separate-stderr "$flamefold" fold t
	[ "$stderr" = "flamefold: 't' is not a profile of speedscope: a weight is too large" ]
}

# chart FILE: its spans, by depth, of each thread.
chart()
{
	"$flamefold" export -q --chart -f speedscope -o chart.json "$1"
	python3 - <<-'END'
		import json
		c = json.load(open("chart.json"))
		for p in c["profiles"]:
		    print(p["name"].split("-")[0], end="")
		    for e in p["events"]:
		        print("", e["type"] + c["shared"]["frames"][e["frame"]]["name"][0] + str(e["at"]), end="")
		    print()
	END
}

@test "speedscope: its charts are as long as their profiles" {
	printf %s "$sampled" | sed '3s/milliseconds/nanoseconds/; 3s/30.5/30/; 3s/"startValue":0/"startValue":20/' >s
	chart s | diff - <(printf '%s\n' 't 1 Om20 Ow20 Cw90 Cm120' 't 2 Om0 Oa10 Ca80 Cm100')
	# One alone is a thread of its name here.
	python3 -c 'import json; s = json.load(open("s")); s["profiles"].pop(0); json.dump(s, open("one", "w"))'
	chart one | diff - <(echo 't 2 Om0 Oa10 Ca80 Cm100')
	"$flamefold" graph -q --flamechart -o one.svg one
	sed 's/"nanoseconds"/"none"/' one >none
	run -1 --separate-stderr "$flamefold" graph --flamechart -o none.svg none
	[ "$stderr" = "flamefold: cannot draw a chart of 'none': it has no times" ]
}

@test "speedscope: what flamefold has written is read as it was" {
	printf 'a;b 5\na;b;c 10\nd;e 7\n' >x.folded
	"$flamefold" export -q -f speedscope -o x.json x.folded
	"$flamefold" fold x.json | diff x.folded -
}

@test "speedscope: what is wrong is one sentence with its place" {
	printf %s "$sampled" >s
	says()
	{
		run -1 --separate-stderr "$flamefold" fold bad
		[[ $stderr == "flamefold: 'bad' is not a whole profile of speedscope: $1 at byte "* ]] || { echo "$stderr"; false; }
		[ "$(wc -l <<<"$stderr")" = 1 ]
	}
	head -c 400 s >bad
	says "a string has no end"
	sed 's/70,30.5,4/70,30.5/' s >bad
	says "there are fewer weights than samples"
	sed 's/70,30.5,4/70,30.5,4,5/' s >bad
	says "there are more weights than samples"
	sed 's/\[0,1\]/[0,9]/' s >bad
	says "a frame is not among the shared ones"
	sed 's/"at":80/"at":5/' s >bad
	says "an event is before the last one"
	sed 's/"C","frame":2/"C","frame":1/' s >bad
	says "an event closes what is not open"
	sed 's/"O","frame":2/"O"/' s >bad
	says "an event has no frame"
	# Not even where there is none that it could be.
	python3 -c 'import json; s = json.load(open("s")); s["shared"]["frames"] = []; s["profiles"] = [{"type": "evented", "name": "t",
		"unit": "none", "startValue": 0, "endValue": 5, "events": [{"type": "O", "at": 0}, {"type": "C", "at": 5}]}]
json.dump(s, open("bad", "w"))'
	says "an event has no frame"
	sed 's/"milliseconds"/"parsecs"/' s >bad
	says "a unit is unknown"
	echo '{"name": "root", "value": 1, "children": []}' >bad
	run -1 --separate-stderr "$flamefold" fold bad
	[[ $stderr == *"JSON"* ]]
}

@test "a long name that a few bytes say again and again takes no time" {
	python3 - <<-'END' | python3 "$make" >long
		name = "n" * 1000000
		locations = ", ".join('(0, 0, [(name, "", %d)])' % i for i in range(3000))
		print('(lambda name: {"types": [("x", "count")], "locations": [%s],' % locations)
		print('"samples": [([i + 1], [1], {}) for i in range(3000)]})("%s")' % name)
	END
	[ "$(wc -c <long)" -lt 1200000 ]
	"$flamefold" fold --memory=1G long | awk '{ exit !(length($1) == 16384 && $2 == 3000) }'
	# Nor that of a thread, or of a file.
	python3 - <<-'END' | python3 "$make" >long
		name = "n" * 1000000
		print('(lambda name: {"types": [("x", "count")], "mappings": [(name, "ab")], "locations": [(1, 0, [])],')
		print('"samples": [([1], [1], {"comm": name})]})("%s")' % name)
	END
	"$flamefold" fold long | awk -F'[; ]' '{ exit !(length($1) == 16384 && length($2) == 16386) }'
	"$flamefold" export -q -f json -o long.json long
	jq -e '[.build_ids | to_entries[] | [(.key | length), .value]] == [[16384, "ab"]]' long.json
}

@test "a profile that takes more memory than is allowed is refused" {
	python3 - >big <<-'END'
		import json
		json.dump({"shared": {"frames": [{"name": "f%d" % i} for i in range(60000)]},
		           "profiles": [{"type": "sampled", "name": "t", "unit": "none", "startValue": 0, "endValue": 1,
		                         "samples": [[i] for i in range(60000)], "weights": [1] * 60000}]}, open("big", "w"))
	END
	run -1 --separate-stderr "$flamefold" fold --memory=1M big
	[ "$stderr" = "flamefold: 'big' takes more memory than what is read may: --memory=SIZE with more" ]
	"$flamefold" fold --memory=64M big | awk '{ s += $NF } END { exit s != 60000 }'
}
