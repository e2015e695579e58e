#!/usr/bin/env bats
# Modes of files: --pair @FILE, and --mode of those in ~/.config/flamefold/modes.
bats_require_minimum_version 1.5.0

load recordings

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	export XDG_CONFIG_HOME=$PWD/config HOME=$PWD/home
	mkdir -p config/flamefold/modes home/.config/flamefold/modes
	cat >x.pd <<-'END'
	tracepoint name=sched:sched_switch id=316 fields=prev_comm:16,prev_pid:4,prev_prio:4,prev_state:8,next_comm:16,next_pid:4
	tracepoint name=net:net_dev_queue id=317 fields=skbaddr:8,len:4
	tracepoint name=timer:timer_start id=318 fields=timer:8,function:8
	tracepoint name=timer:timer_expire_entry id=319 fields=timer:8,function:8
	attr name=sched:sched_switch type=2 config=316 sample_type=IDENTIFIER,IP,TID,TIME,CPU,PERIOD,RAW,CALLCHAIN ids=1 flags=sample_id_all,comm_exec
	attr name=net:net_dev_queue type=2 config=317 sample_type=IDENTIFIER,IP,TID,TIME,CPU,PERIOD,RAW,CALLCHAIN ids=2 flags=sample_id_all,comm_exec
	attr name=timer:timer_start type=2 config=318 sample_type=IDENTIFIER,IP,TID,TIME,CPU,PERIOD,RAW,CALLCHAIN ids=3 flags=sample_id_all,comm_exec
	attr name=timer:timer_expire_entry type=2 config=319 sample_type=IDENTIFIER,IP,TID,TIME,CPU,PERIOD,RAW,CALLCHAIN ids=4 flags=sample_id_all,comm_exec
	comm pid=7 name=app time=1
	sample event=sched:sched_switch pid=7 time=1000 chain=U,0x11 fields=prev_pid:7,prev_state:4,next_pid:0
	sample event=sched:sched_switch pid=0 time=1234 chain=U,0x11 fields=prev_pid:0,prev_state:0,next_pid:7
	sample event=sched:sched_switch pid=7 time=1300 chain=U,0x12 fields=prev_pid:7,prev_state:1,next_pid:0
	sample event=sched:sched_switch pid=0 time=1400 chain=U,0x12 fields=prev_pid:0,prev_state:0,next_pid:7
	sample event=net:net_dev_queue pid=7 time=1500 chain=U,0x13 fields=len:1514
	sample event=net:net_dev_queue pid=7 time=1501 chain=U,0x14 fields=len:66
	sample event=timer:timer_start pid=7 time=1600 chain=U,0x15 fields=timer:0x100
	sample event=timer:timer_start pid=7 time=1601 chain=U,0x16 fields=timer:0x200
	sample event=timer:timer_expire_entry pid=7 time=1700 chain=U,0x17 fields=timer:0x100
	END
	"$build" -o x.data x.pd
	cat >two.mode <<-'END'
	# Two of them; what is behind a ';' of a comment is one, too
	mode stopped
	question how long are processes stopped?
	colors wakeup
	title Stopped Time
	start sched:sched_switch key prev_pid if (prev_state & 12) != 0
	end sched:sched_switch key next_pid
	weight t; unit ns

	mode large	
		question which code sends large messages?
		sample net:net_dev_queue if len > 1000
		weight len; unit bytes
	END
}

# says WORD... LINE: what is folded so is the line, with addresses for names.
says()
{
	local line=${*: -1}

	fold --addrs "${@:1:$#-1}" x.data 2>err | sed -E 's/\[unknown <([0-9a-f]+)>\]/\1/g' >x.folded
	[ "$(cat x.folded)" = "$line" ] || { cat x.folded err; return 1; }
}

# refuses TEXT WORD...: exit 2 and one sentence that has the text.
refuses()
{
	local text=$1 status=0

	shift
	fold "$@" x.data >out 2>err || status=$?
	[ "$status" -eq 2 ] || { echo "exit $status"; cat err; return 1; }
	[ ! -s out ]
	grep -qF -- "$text" err || { cat err; return 1; }
}

@test "a mode of a file weighs as its rule says, with its title, unit and colors" {
	says --pair @two.mode:stopped "app;11 234"
	says --pair @two.mode:LARGE "app;13 1514"
	"$flamefold" --pair @two.mode:stopped --symfs /nowhere --kallsyms=/dev/null -o x.svg x.data 2>/dev/null
	grep -q '>Stopped Time<' x.svg
	grep -q 'data-colors="wakeup"' x.svg
	grep -q '234 ns of stopped' x.svg
	"$flamefold" --colors=mem --pair @two.mode:stopped --symfs /nowhere --kallsyms=/dev/null -o x.svg x.data 2>/dev/null
	grep -q 'data-colors="mem"' x.svg
	# One mode needs no name, in the words or in the file.
	sed -n '/^mode large/,$p' two.mode >one.mode
	says --pair @one.mode "app;13 1514"
	sed 1d one.mode >none.mode
	says --pair @none.mode "app;13 1514"
	cp one.mode a:b
	says --pair @a:b "app;13 1514"
	says --pair @a:b:large "app;13 1514"
}

@test "a mode of ~/.config/flamefold/modes is one of --mode and of --list-modes" {
	refuses "'stopped'" --mode stopped
	cp two.mode config/flamefold/modes/z.mode
	says --mode stopped "app;11 234"
	says --mode Large "app;13 1514"
	"$flamefold" --list-modes >modes
	grep -qx "  stopped       how long are processes stopped? ($PWD/config/flamefold/modes/z.mode)" modes
	"$flamefold" --list-modes -v | grep -qx ' *start sched:sched_switch key prev_pid if (prev_state & 12) != 0;'
	# Other names are not looked at; a path that is not absolute is none.
	mv config/flamefold/modes/z.mode config/flamefold/modes/z.txt
	refuses "'stopped'" --mode stopped
	cp two.mode home/.config/flamefold/modes/a.mode
	refuses "'stopped'" --mode stopped
	XDG_CONFIG_HOME='' says --mode stopped "app;11 234"
	XDG_CONFIG_HOME=config says --mode stopped "app;11 234"
}

@test "of several modes the last one counts, with its title and colors" {
	cp two.mode config/flamefold/modes/z.mode
	says --mode stopped --mode large "app;13 1514"
	says --mode large --pair @two.mode:stopped "app;11 234"
	"$flamefold" --mode stopped --mode large --symfs /nowhere --kallsyms=/dev/null -o x.svg x.data 2>/dev/null
	! grep -q '>Stopped Time<' x.svg || { echo "the first one's title"; false; }
	# Of flamefold's own ones, too: no rule of a file stays.
	run -1 "$flamefold" fold --mode stopped --mode brk x.data
	[[ $output == *"sys_exit_brk"* ]]
}

@test "what is wrong in a file is said with the file and the line" {
	refuses "'no.mode': No such file" --pair @no.mode
	refuses "'config': Is a directory" --pair @config
	refuses "'two.mode': there are 2 modes in it: --pair @two.mode:stopped is the first" --pair @two.mode
	says --pair @two.mode:stopped 'app;11 234'
	refuses "'two.mode': there is no mode 'x' in it" --pair @two.mode:x
	wrong()
	{
		sed "$1" two.mode >x.mode
		refuses "'x.mode': $2" --pair @x.mode:"${3:-stopped}"
	}
	wrong 's/^end.*/ends x/' "line 7: 'ends x' is not a clause of a pairing: start, wake,"
	wrong 's/^weight t/weight t +/' "line 8: 't +': no value at its end"
	wrong 's/if len > 1000/if (len/' "line 12: '(len': no ')' at its end" large
	wrong '/^end/d' "line 6: a pairing has both a start and an end"
	wrong 's/^mode stopped/mode st.opped/' "line 2: the name of a mode has letters, digits, - and _"
	wrong 's/^mode large/mode stopped/' "line 10: there are two modes 'stopped'"
	wrong 's/^colors.*/colors/' "line 4: what it is is not said"
	wrong 's/^title.*/colors io/' "line 5: it is said twice"
	wrong 's/^mode large/mode offcpu/' "a mode of its own cannot be called 'offcpu': there is one"
	wrong '1s/.*/unit x/' "line 2: what is before the first mode belongs to none"
	printf 'unit x\0' >x.mode
	refuses "'x.mode': line 1: this is no text" --pair @x.mode
	echo "# nothing" >x.mode
	refuses "'x.mode': line 1: there is no mode in it" --pair @x.mode
	head -c 70000 /dev/zero | tr '\0' '\n' >x.mode
	refuses "'x.mode': this is no file of modes" --pair @x.mode
	mkfifo pipe.mode
	refuses "'pipe.mode': " --pair @pipe.mode
}

@test "a file that is wrong hides none but its own" {
	echo "start" >config/flamefold/modes/a.mode
	printf 'mode x y\n' >config/flamefold/modes/b.mode
	cp two.mode config/flamefold/modes/c.mode
	says --mode large "app;13 1514"
	refuses "no mode 'larg' was found, and '$PWD/config/flamefold/modes/b.mode': line 1: the name of a mode" --mode larg
	"$flamefold" --list-modes >modes 2>err
	grep -q '^  large ' modes
	grep -q "b.mode': line 1" err
}

@test "the examples of modes.md weigh what they say" {
	local document=$BATS_TEST_DIRNAME/../../Documentation/modes.md

	awk '/^<!-- modes -->/ { n = 1; next } n && /^```/ { n++; next } n == 2' "$document" >config/flamefold/modes/document.mode
	says --mode stopped "app;11 234"
	says --mode large "app;13 1514"
	says --mode timers "app;16 1"
	# They are those of --pair on that page.
	grep '^flamefold -o' "$document" | grep -o -- "--pair '[^']*'" | sed "s/--pair '//; s/'$//" >rules
	[ "$(grep -c . rules)" -eq 3 ]
	says --pair "$(sed -n 1p rules)" "app;11 234"
	says --pair "$(sed -n 2p rules)" "app;13 1514"
	says --pair "$(sed -n 3p rules)" "app;16 1"
}
