#!/usr/bin/env bats
# Text that is no folded text is refused, with what it is and what to do; folded text of any dialect is not.
# The samples are as short as the programs they are named after can print them. With FLAMEGRAPH=DIR, a
# directory with FlameGraph's scripts, the scripts that are named have to make folded text of them.
bats_require_minimum_version 1.5.0

load here

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
}

# refused KIND REMEDY, of what is on standard input: exit status 1, nothing drawn, and one sentence that
# says both. Where the remedy is a script of FlameGraph that is there, it is run.
refused()
{
	cat >text
	run --separate-stderr "$flamefold" -f folded text
	[ "$status" -eq 1 ] && [ -z "$output" ] &&
		[[ $stderr == "flamefold: 'text' looks like $1: "*"$2"* ]] ||
		{ echo "exit $status, said: $stderr"; return 1; }
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ $2 == stackcollapse*.[pa][lw]* && -x ${FLAMEGRAPH:-}/$2 ]] || return 0
	"$FLAMEGRAPH/$2" text >collapsed 2>/dev/null
	"$flamefold" fold collapsed >/dev/null 2>err ||
		{ echo "$2: $(cat collapsed err)"; return 1; }
}

# taken COUNT, of what is on standard input: it is folded text of so much weight.
taken()
{
	cat >text
	run --separate-stderr "$flamefold" -f folded text
	[ "$status" -eq 0 ] && [ "$(awk '{ sum += $NF } END { print sum }' <<<"$output")" = "$1" ] ||
		{ echo "exit $status, printed: $output, said: $stderr"; return 1; }
}

@test "frames of perf script without their samples" {
	refused "frames of perf script without their samples" "-F comm,tid,time,event,ip,sym,dso" <<-'END'
		ffffffff8103d0ca write_msr ([kernel.kallsyms])
		          4e1f20 parse (/usr/lib/cc1)

		END
}

@test "perf report and perf stat" {
	refused "the output of perf report" "perf.data itself" <<-'END'
		#
		# Total Lost Samples: 0
		#
		# Samples: 3  of event 'cycles'
		# Event count (approx.): 12
		END
	refused "the output of perf stat" "flamefold record" <<-'END'

		 Performance counter stats for 'true':

		              0.31 msec task-clock                #    0.512 CPUs utilized
		END
}

@test "DTrace" {
	refused "the output of DTrace" "stackcollapse.pl" <<-'END'
		CPU     ID                    FUNCTION:NAME
		  0  64091                        :tick-60s


		              unix`i86_mwait+0xd
		              unix`idle+0x114
		               41

		              libc.so.1`memcpy+0x20
		              a.out`main+0x7
		                3
		END
	# What became of it without its headline.
	refused "the output of DTrace" "" <<-'END'
		              unix`i86_mwait
		              unix`idle
		               41

		END
}

@test "bpftrace" {
	refused "the output of bpftrace" "stackcollapse-bpftrace.pl" <<-'END'
		Attaching 1 probe...


		@[
		    _raw_spin_lock+5
		    sys_read+85
		]: 3
		@[
		    vfs_read+1
		]: 12
		END
	# What else is counted may stand before the stack.
	refused "the output of bpftrace" "@[ustack, comm]" <<-'END'
		@samples[sh, 
		    read+5
		    main+85
		]: 3
		@samples[cc1, 
		    parse+1
		]: 12
		END
	refused "the output of bpftrace" "" <<-'END'
		@[sh]: 3
		@[cc1]: 12
		END
}

@test "simpleperf" {
	refused "the output of simpleperf report-sample" "give the perf.data itself" <<-'END'
		sample:
		  event_type: cpu-clock
		  time: 123456
		  event_count: 3
		  thread_id: 12
		  thread_name: app
		  vaddr_in_file: 123
		  file: /system/lib64/libc.so
		  symbol: read
		  callchain:
		    vaddr_in_file: 1
		    file: /system/bin/app
		    symbol: main

		END
}

@test "SystemTap" {
	refused "the output of SystemTap" "stackcollapse-stap.pl" <<-'END'
		 0xffffffff8103ce3b : safe_halt+0xb/0x10 [kernel]
		 0xffffffff8101c6a3 : idle+0x53/0x1d0 [kernel]
			204
		END
}

@test "pprof" {
	refused "the output of pprof -raw" "give the profile itself" <<-'END'
		PeriodType: cpu nanoseconds
		Period: 10000000
		Time: 2026-11-20 10:00:00
		Samples:
		samples/count cpu/nanoseconds
		          1   10000000: 1 2
		          2   20000000: 1 2
		          3   30000000: 1 2
		Locations
		     1: 0x58b265 scan :0 s=0
		     2: 0x599530 main :0 s=0
		Mappings
		END
	refused "a report of pprof" "give the profile itself" <<-'END'
		Showing nodes accounting for 1.20s, 100% of 1.20s total
		      flat  flat%   sum%        cum   cum%
		     1.20s   100%   100%      1.20s   100%  main.f
		END
}

@test "tools of bcc" {
	refused "the output of a tool of bcc" "-f" <<-'END'
		Sampling at 49 Hertz of all threads by user + kernel stack... Hit Ctrl-C to end.

		    b'f'
		    b'main'
		    -                sh (12)
		        3

		END
}

@test "thread dumps: jstack, IBM's Java, exceptions, Go, gdb, eu-stack, Python, the kernel" {
	refused "thread dumps of Java" "stackcollapse-jstack.pl" <<-'END'
		2026-11-20 10:00:00
		Full thread dump OpenJDK 64-Bit Server VM (17.0.1 mixed mode):

		"main" #1 prio=5 os_prio=0 tid=0x00007f27 nid=0x1 runnable [0x00007f28]
		   java.lang.Thread.State: RUNNABLE
			at Foo.work(Foo.java:12)
			at Foo.main(Foo.java:3)

		END
	refused "a core dump of IBM's Java" "stackcollapse-ibmjava.pl" <<-'END'
		NULL
		1XMTHDINFO     Thread Details
		3XMTHREADINFO      "main" J9VMThread:0x0000, j9thread_t:0x0000, state:R, prio=5
		3XMTHREADINFO3           Java callstack:
		4XESTACKTRACE                at Foo.work(Foo.java:12)
		4XESTACKTRACE                at Foo.main(Foo.java:3)
		END
	refused "exceptions of Java" "stackcollapse-java-exceptions.pl" <<-'END'
		java.lang.RuntimeException: no
			at Foo.work(Foo.java:12)
			at Foo.main(Foo.java:3)
		END
	refused "a dump of Go's goroutines" "flamefold record" <<-'END'
		goroutine 1 [running]:
		main.work(...)
			/src/main.go:12
		main.main()
			/src/main.go:3 +0x1d
		END
	refused "backtraces of gdb" "stackcollapse-gdb.pl" <<-'END'
		Thread 1 (Thread 0x7ffff7d8 (LWP 12)):
		#0  0x00007ffff7e8 in read () from /lib/libc.so.6
		#1  0x0000555555 in main () at a.c:3

		END
	refused "the output of eu-stack" "stackcollapse-elfutils.pl" <<-'END'
		PID 12 - process
		TID 12:
		#0  0x00007ffff7e8 read
		#1  0x0000555555 main
		END
	refused "stacks of Python's faulthandler" "stackcollapse-faulthandler.pl" <<-'END'
		Current thread 0x00007f27 (most recent call first):
		  File "a.py", line 7 in work
		  File "a.py", line 9 in main
		END
	refused "stacks of the kernel, as in /proc/PID/stack" "flamefold record" <<-'END'
		[<0>] do_wait+0x5f/0x2b0
		[<0>] kernel_wait4+0xa2/0x150
		END
}

@test "other profilers: gprof, callgrind, GHC, sample, Instruments, pmcstat, xdebug, strace" {
	refused "a report of gprof" "flamefold record" <<-'END'
		Flat profile:

		Each sample counts as 0.01 seconds.
		  %   cumulative   self              self     total
		 time   seconds   seconds    calls  ms/call  ms/call  name
		 99.00      1.00     1.00        1  1000.00  1000.00  work
		END
	refused "a profile of callgrind" "kcachegrind" < <(
		printf '%s\n' '# callgrind format' 'version: 1' 'events: Ir' 'fl=(1) a.c' 'fn=(1) main'
		seq -f '%.0f 5' 100
	)
	refused "a profile of GHC" "inferno-collapse-ghcprof" < <(
		printf '\t%s\n' 'Fri Nov 20 10:00 2026 Time and Allocation Profiling Report  (Final)'
		printf '\nCOST CENTRE MODULE no. entries %%time\n\n'
		seq -f ' f Main %.0f 1 0.5 0.5' 100
	)
	refused "the output of sample of macOS" "stackcollapse-sample.awk" <<-'END'
		Analysis of sampling rg (pid 12) every 1 millisecond
		Call graph:
		    80 Thread_1   DispatchQueue_1: com.apple.main-thread  (serial)
		    + 80 start  (in libdyld.dylib) + 1  [0x7fff]
		    +   80 main  (in rg) + 12  [0x1037]
		Total number in stack (recursive counted multiple, when >=5):
		END
	refused "a call tree of Instruments" "stackcollapse-instruments.pl" < <(
		printf 'Running Time\tSelf\t\tSymbol Name\n'
		printf '12.0 ms  100.0%%\t0.0 ms\t \tmain\n12.0 ms  100.0%%\t12.0 ms\t \t work\n'
	)
	refused "the output of pmcstat" "stackcollapse-pmc.pl" <<-'END'
		@ INSTR_RETIRED_ANY [17 samples]

		100.0%  [17]       unlock @ /boot/kernel/kernel
		 100.0%  [17]        lock_flags
		END
	refused "a trace of xdebug" "stackcollapse-xdebug.php" < <(
		printf 'TRACE START [2026-11-20 10:00:00]\n2\t0\t0\t0.1\t12\tmain\t1\t\ta.php\t0\n'
	)
	refused "the output of strace" "calls, not samples" <<-'END'
		read(3, "", 4096) = 0
		write(1, "x", 1) = 1
		END
}

@test "tables and data: VTune, Visual Studio, WPA, CSV, JSON, Chrome, V8" {
	refused "a table of VTune" "stackcollapse-vtune.pl" <<-'END'
		Function Stack,CPU Time:Self,Module
		Total,0.0,[Unknown]
		 main,0.0,a.exe
		  work,1.5,a.exe
		END
	refused "a table of Visual Studio" "stackcollapse-vsprof.pl" <<-'END'
		Level,Function Name,Inclusive Samples,Exclusive Samples,Inclusive Samples %,Exclusive Samples %,Module Name,
		0,"a.exe",12,0,100.00,0.00,"",
		1,"work",12,12,100.00,100.00,"a.exe",
		END
	refused "a table of Windows Performance Analyzer" "xperf_to_collapsedstacks.py" <<-'END'
		Line #, Process, Stack, Weight (ms)
		1, a.exe (12), [Root]/main, 1.5
		END
	refused "CSV" "main;f;g 12" <<-'END'
		function,module,samples
		main,a,12
		END
	refused "JSON" "main;f;g 12" <<-'END'
		{
		  "name": "main",
		  "value": 12,
		  "children": []
		}
		END
	refused "JSON" "main;f;g 12" <<<'[{"name":"main","value":12}]'
	refused "a trace of Chrome" "stackcollapse-chrome-tracing.py" <<<'{"traceEvents":[{"ph":"X","name":"f","dur":5}]}'
	refused "a CPU profile of V8" "--perf-basic-prof" <<<'{"nodes":[{"id":1}],"samples":[]}'
}

@test "stacks with their counts in front, or without: what is said mends it" {
	local swap="sed -E 's/^ *([0-9]+) (.*)/\\2 \\1/'"

	printf '   3 main;a\n  12 main;b\n' >given
	refused "stacks with their counts in front" "$swap puts them behind" <given
	bash -c "$swap given" | taken 15
	printf 'main;a\nmain;b\nmain;a\n' >given
	refused "stacks without counts" "sort | uniq -c | $swap counts them" <given
	bash -c "sort given | uniq -c | $swap" | taken 3
}

@test "anything else of which more than a tenth is no stack" {
	{ seq -f 'main;f%.0f 1' 8; echo 'no stack'; } >text
	run --separate-stderr "$flamefold" fold text
	[ "$status" -eq 1 ]
	[ "$stderr" = "flamefold: 'text' is not folded text, such as main;f;g 12: 1 of its 9 lines do not end in a count" ]
	{ seq -f 'main;f%.0f 1' 9; echo 'no stack'; } >text
	run --separate-stderr "$flamefold" fold text
	[ "$status" -eq 0 ]
	[ "$stderr" = "flamefold: 'text': ignored 1 lines that do not end in a count" ]
}

@test "the same through a pipe, packed, and beside an input that is one" {
	printf '@[\n    f+1\n]: 3\n' >trace
	run --separate-stderr "$flamefold" fold - < <(cat trace)
	[ "$status" -eq 1 ]
	[[ $stderr == "flamefold: 'standard input' looks like the output of bpftrace: "* ]]
	run --separate-stderr "$flamefold" fold - < <(gzip -c trace)
	[ "$status" -eq 1 ]
	[[ $stderr == *"looks like the output of bpftrace: "* ]]
	echo 'a;b 1' >good
	run --separate-stderr "$flamefold" -o x.svg good trace
	[ "$status" -eq 1 ]
	[ ! -e x.svg ]
}

@test "UTF-16 is refused, with the command that makes it readable" {
	local order

	printf 'main;größe 3\nmain;b 12\n' >good
	for order in LE BE; do
		{ [ $order = LE ] && printf '\xff\xfe' || printf '\xfe\xff'; iconv -f UTF-8 -t UTF-16$order good; } >text
		run --separate-stderr "$flamefold" -f folded text
		[ "$status" -eq 1 ] && [ -z "$output" ]
		[[ $stderr == "flamefold: cannot read 'text': it is text in UTF-16"*": iconv -f UTF-16 -t UTF-8 "* ]]
		iconv -f UTF-16 -t UTF-8 text | diff - good
	done
}

@test "a name that begins as UTF-16 would is a name" {
	printf '\xff\xfea;b 3\n' >text
	"$flamefold" fold --quiet text | cmp - text
	printf '\xfe\xff;b 3\n' | "$flamefold" fold --quiet - | cmp - <(printf '\xfe\xff;b 3\n')
}

@test "a byte order mark before UTF-8 is of no name" {
	printf '\xef\xbb\xbfmain;a 3\nmain;b 12\n' >text
	run --separate-stderr "$flamefold" -f folded text
	[ "$status" -eq 0 ] && [ -z "$stderr" ]
	[ "${lines[*]}" = "main;a 3 main;b 12" ]
	# Nowhere else, and a piece of one neither.
	printf '\xef\xbb;a 3\nmain;\xef\xbb\xbf 12\n' >text
	"$flamefold" -f folded text | sort | cmp - <(sort text)
}

@test "folded text of any dialect is taken" {
	taken 15 <<<$'main;a 3\nmain;b 12'
	taken 1.75 <<<$'main;a 1.5\nmain;b 0.25'
	taken 4 <<<$'# austin: 3.0\n# mode: wall\n\nP12;T12;/a/b.py:main:7 4\n\n# duration: 9'
	[ -z "$stderr" ]
	taken 7 <<<$'swapper;[unknown];[[vdso]] 3\r\n[unknown];std::function<void (int)>::operator() const 4\r'
	taken 5 <<<$'unix`main;unix`f+0x12 3\n{closure};@plt;[libc.so.6 <8e2f1>] 2'
	taken 12 <<<$'java;Foo.bar(Foo.java:12);at x 12'
}
