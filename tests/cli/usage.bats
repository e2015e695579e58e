#!/usr/bin/env bats
# How the command is called: commands, options, inputs, exit codes.
bats_require_minimum_version 1.5.0

load here

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	printf 'main;a;b 60\nmain;c 40\n' >in.folded
	printf 'main;a;b 60\nmain;c 100\nmain;d 40\n' >sum.folded
	printf 'main;c 60\nmain;d 40\n' >in2.folded
}

# The command fails with this exit code and exactly one line, on standard error.
fails()
{
	local code=$1
	shift
	run --separate-stderr "$flamefold" "$@"
	[ "$status" -eq "$code" ]
	[ -z "$output" ]
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ $stderr == "flamefold: "* ]]
}

says()
{
	[ "$stderr" = "flamefold: $1" ] || { echo "said: $stderr"; return 1; }
}

usage()
{
	local sentence=$1
	shift
	fails 2 "$@"
	says "$sentence; try 'flamefold --help'"
}

titled()
{
	[ "$status" -eq 0 ]
	[[ $output == *"$1</text>"* ]]
}

@test "without a command it draws a graph" {
	run --separate-stderr "$flamefold" in.folded
	[ "$status" -eq 0 ]
	[[ $output == "<?xml"* ]]
	[ "$output" = "$("$flamefold" graph in.folded 2>&-)" ]
}

@test "--version prints name and version, and so does -V" {
	run "$flamefold" --version
	[ "$status" -eq 0 ]
	[[ $output =~ ^flamefold\ [0-9]+\.[0-9]+ ]]
	[ "$output" = "$("$flamefold" -V)" ]
	[ "$output" = "$("$flamefold" info --version)" ]
}

@test "--help lists commands and options on standard output" {
	run --separate-stderr "$flamefold" --help
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	[[ $output == *"fold"*"info"*"--context"*"--colors=PALETTE"* ]]
	[ "$output" = "$("$flamefold" -h)" ]
	[ "$output" = "$("$flamefold" help)" ]
}

@test "no line of --help is wider than 80 columns" {
	[ -z "$("$flamefold" --help | awk 'length > 80')" ]
}

@test "COMMAND --help lists the options of that command only" {
	run "$flamefold" fold --help
	[ "$status" -eq 0 ]
	[[ $output == *"flamefold fold"*"--kernel"* ]]
	[[ $output != *"--colors"* ]]
	[ "$output" = "$("$flamefold" help fold)" ]
}

@test "--help shows the defaults" {
	run "$flamefold" graph --help
	[[ $output == *"--height=PIXELS"*"(default: 16)"* ]]
	[[ $output == *"--minwidth=PIXELS"*"0.5"* ]]
}

@test "help names a command that does not exist" {
	usage "no command 'nope'" help nope
}

@test "an unknown option is an error" {
	usage "unknown option '--nope'" --nope in.folded
	usage "unknown option '--nope'" --nope=1 in.folded
	usage "unknown option '-nope'" -nope in.folded
	usage "unknown option '-y'" fold -hy
	usage "unknown option '--=x'" --=x
	usage "unknown option '---'" ---
}

@test "an option or command that is nearly right is told which one there is" {
	usage "unknown option '--tilte', but there is '--title'" --tilte=x in.folded
	usage "unknown option '-Wdith', but there is '--width'" -Wdith 300
	usage "unknown option '--inverse', but there is '--inverted'" --inverse in.folded
	usage "unknown option '--colour', but there is '--colors'" --colour=hot in.folded
	# Only of those that the command has.
	usage "unknown option '--tilte'" fold --tilte in.folded
	# Too far from all, too short, or longer than any.
	usage "unknown option '--thetitle'" --thetitle in.folded
	usage "unknown option '--$(printf 'title%.0s' {1..99})'" "--$(printf 'title%.0s' {1..99})"
	usage "no command or file 'recrod', but there is 'record'" recrod -o x.svg -- true
	usage "no command or file 'flod', but there is 'fold'" flod
	usage "no mode 'offcup', but there is 'offcpu'" --mode=offcup in.folded
	usage "option '--mode' takes a mode of --list-modes, not 'heap'" --mode=heap in.folded
	usage "no command 'infos', but there is 'info'" help infos
	usage "no command 'nosuch'" help nosuch
	# No command at all, and what there is.
	usage "no command or file 'gather'; the commands are graph, fold, record, top, tree, diff, merge, archive, export, info and help" gather a.data b.data
	usage "no command or file 'folders'; the commands are graph, fold, record, top, tree, diff, merge, archive, export, info and help" folders
	# What cannot be one is a file.
	fails 1 gather.data
	says "cannot open 'gather.data': No such file or directory"
	fails 1 ./gather
	says "cannot open './gather': No such file or directory"
	# A file is one, whatever it is called.
	cp in.folded flod
	run --separate-stderr "$flamefold" flod
	[ "$status" -eq 0 ]
}

@test "long names work in any case" {
	run --separate-stderr "$flamefold" --Title=Hello in.folded
	titled Hello
	run --separate-stderr "$flamefold" --TITLE Hello in.folded
	titled Hello
}

@test "long names work with one dash" {
	run --separate-stderr "$flamefold" -title=Hello -hash in.folded
	titled Hello
	run --separate-stderr "$flamefold" -title Hello -inverted in.folded
	titled Hello
}

@test "unique abbreviations work" {
	diff <("$flamefold" --color=java in.folded) <("$flamefold" --colors java in.folded)
	run --separate-stderr "$flamefold" -tit Hello in.folded
	titled Hello
}

@test "an abbreviation that is ambiguous lists what it can be" {
	usage "option '--font' can be --fonttype, --fontsize or --fontwidth" --font=1 in.folded
	usage "option '-TI' can be --tid or --title" -TI in.folded
}

@test "an abbreviation only has to be unique among the options of its command" {
	usage "option '--ti' can be --tid or --title" --ti in.folded
	run --separate-stderr "$flamefold" fold --ti in.folded
	[ "$status" -eq 0 ]
}

@test "a name in full is not ambiguous with longer ones" {
	run --separate-stderr "$flamefold" --count samples --event=all in.folded
	[ "$status" -eq 0 ]
}

@test "letters take their value from the same word or the next" {
	"$flamefold" -o a.svg in.folded
	"$flamefold" -ob.svg in.folded
	"$flamefold" -o=c.svg in.folded
	"$flamefold" --out=d.svg in.folded
	cmp a.svg b.svg
	cmp a.svg c.svg
	cmp a.svg d.svg
	diff <("$flamefold" -ffolded in.folded) <("$flamefold" --format folded in.folded)
}

@test "any number of letters may stand in a word" {
	local letters
	letters=$(printf 'q%.0s' {1..20000})
	[ "$("$flamefold" fold "-$letters" in.folded)" = "$("$flamefold" fold in.folded)" ]
}

@test "a value that looks like an option is a value" {
	run --separate-stderr "$flamefold" --title --hash in.folded
	titled --hash
}

@test "options and inputs may be mixed" {
	run --separate-stderr "$flamefold" in.folded --title=Hello in2.folded
	titled Hello
	[[ $output == *"all (200 samples"* ]]
}

@test "mixing does not depend on POSIXLY_CORRECT" {
	POSIXLY_CORRECT=1 run --separate-stderr "$flamefold" in.folded --title=Hello
	titled Hello
}

@test "-- ends the options" {
	cp in.folded ./-title
	run --separate-stderr "$flamefold" fold -- -title
	[ "$status" -eq 0 ]
	[ "$output" = "$(cat in.folded)" ]
}

@test "an option without the value it needs is an error" {
	usage "option '--title' needs a value: --title=TEXT" in.folded --title
	usage "option '--output' needs a value: --output=FILE" in.folded -o
}

@test "an option with a value it does not take is an error" {
	usage "option '--hash' takes no value" --hash=1 in.folded
	usage "option '--pid' takes no value: '--only pid=N' keeps one process" --pid=7 in.folded
}

@test "an option of another command is an error that says whose it is" {
	usage "option '--title' is not for 'fold', but for 'graph'" fold --title=x in.folded
	usage "option '--pid' is not for 'info', but for 'graph'" info -pid in.folded
}

@test "whole numbers are read strictly" {
	local wanted="option '--width' takes a whole number from 100 to 1000000"
	usage "$wanted, not 'abc'" --width=abc in.folded
	usage "$wanted, not '800x'" --width=800x in.folded
	usage "$wanted, not ''" --width= in.folded
	usage "$wanted, not ' 800'" --width=' 800' in.folded
	usage "$wanted, not '-800'" --width=-800 in.folded
	usage "$wanted, not '0x400'" --width=0x400 in.folded
	usage "$wanted, not '99'" --width=99 in.folded
	usage "$wanted, not '99999999999999999999'" --width=99999999999999999999 in.folded
	run "$flamefold" --width=800 in.folded
	[ "$status" -eq 0 ]
	[[ $output == *'width="800"'* ]]
}

@test "other numbers are read strictly" {
	for bad in abc 1x nan inf -1 '' 0x1p3 1e999; do
		fails 2 --fontsize="$bad" in.folded
		fails 2 --factor="$bad" in.folded
		fails 2 --total="$bad" in.folded
		fails 2 --minwidth="$bad" in.folded
	done
	fails 2 --minwidth=1%% in.folded
	run "$flamefold" --fontsize=10.5 --factor=.5 --total=1e3 --minwidth=0.5% in.folded
	[ "$status" -eq 0 ]
}

@test "words of which there is a list are checked before the work" {
	fails 2 --colors=pink missing.data
	[[ $stderr == *"'pink'"*"hot"* ]]
	fails 2 --bgcolors=pink missing.data
	usage "option '--compat' takes stackcollapse, not 'perl'" --compat=perl missing.data
	usage "option '--count' takes period or samples, not 'Bytes'; for the label: --countname" \
		--count=Bytes missing.data
}

@test "a file of attributes that is not there is found before the work" {
	fails 1 --nameattr=missing missing.data
	says "cannot open 'missing': No such file or directory"
}

@test "help may be read in part, but not be lost" {
	"$flamefold" --help | head -n 1 >/dev/null
	[ "${PIPESTATUS[0]}" -eq 0 ]
	run --separate-stderr bash -c '"$1" --help >/dev/full' - "$flamefold"
	[ "$status" -eq 1 ]
	says "cannot write to standard output: No space left on device"
}

@test "a format has to be one the command writes" {
	usage "option '--format' takes svg, html, folded or what 'export' writes for 'graph', not 'png'" -f png in.folded
	usage "option '--format' takes folded for 'fold', not 'svg'" fold -f svg in.folded
	usage "'x.svg' is named like svg, but 'fold' writes folded" fold -o x.svg in.folded
	usage "'x.json' could be of several formats: name one, like -f speedscope or x.speedscope.json; 'graph' writes svg, html, folded or what 'export' writes" -o x.json in.folded
	# Who writes none of these is not told to.
	usage "'x.json' is named like json, but 'fold' writes folded: -f FORMAT writes it under any name" fold -o x.json in.folded
	usage "'x.json' is named like json, but 'merge' writes ff" merge -o x.json in.folded
	for name in x.json x.speedscope.json; do
		usage "'$name' is named like JSON, but 'diff' writes svg, html, folded or pprof, and its table, --table=json, to standard output" diff --table=json -o $name in.folded in.folded
	done
	[ ! -e x.svg ]
	[ ! -e x.json ]
}

@test "several inputs are added up" {
	run --separate-stderr "$flamefold" fold in.folded in2.folded
	[ "$status" -eq 0 ]
	[ "$output" = "$(cat sum.folded)" ]
}

@test "- is standard input, also among others" {
	run --separate-stderr "$flamefold" fold - in2.folded <in.folded
	[ "$status" -eq 0 ]
	[ "$output" = "$(cat sum.folded)" ]
	[ "$(cat in.folded | "$flamefold" fold -)" = "$(cat in.folded)" ]
}

@test "standard input can be read once" {
	fails 2 fold - in.folded - <in.folded
	says "standard input can be read once: '-' is named twice; try 'flamefold --help'"
	fails 2 info - - <in.folded
}

@test "without an input it reads ./perf.data" {
	cp in.folded perf.data
	run --separate-stderr "$flamefold" fold
	[ "$status" -eq 0 ]
	[ "$output" = "$(cat in.folded)" ]
}

@test "without an input and without ./perf.data it says so" {
	fails 1 fold
	says "no ./perf.data here: name an input, or - for standard input"
	fails 1 info
}

@test "a file that does not exist" {
	fails 1 missing.data
	says "cannot open 'missing.data': No such file or directory"
}

@test "a command behind the options is taken for a file, with a hint" {
	fails 1 --quiet fold in.folded
	says "cannot open 'fold': No such file or directory; a command is the first word"
}

@test "a file with the name of a command can be read" {
	cp in.folded fold
	run --separate-stderr "$flamefold" ./fold -f folded
	[ "$status" -eq 0 ]
	[ "$output" = "$(cat in.folded)" ]
}

@test "a directory" {
	mkdir dir
	fails 1 dir
	says "'dir' is a directory: name the perf.data in it"
	touch dir/index.db
	fails 1 dir
	says "'dir' is an archive: flamefold archive query dir"
}

@test "a file without permission" {
	command -v setpriv >/dev/null || skip "no setpriv"
	chmod a+rx . .. ../..
	cp in.folded secret
	chmod 600 secret
	if [ "$(id -u)" -ne 0 ]; then
		chmod 000 secret
		fails 1 secret
	else
		cp "$flamefold" command
		run --separate-stderr setpriv --reuid=65534 --regid=65534 --clear-groups \
			sh -c 'test -x ./command || exit 99; ./command secret'
		[ "$status" -ne 99 ] || skip "nobody cannot come here"
		[ "$status" -eq 1 ]
	fi
	says "cannot open 'secret': Permission denied"
}

@test "an empty file" {
	: >empty
	fails 1 empty
	says "'empty' is empty"
}

@test "text that is no profile" {
	echo "dear diary" >text
	fails 1 text
	[[ $stderr == *"'text' is neither a perf.data nor folded text"* ]]
}

@test "binary that is no profile" {
	head -c 5000 /dev/zero >zeros
	fails 1 zeros
	cp "$BASH" elf
	chmod -x elf
	fails 1 elf
	[[ $stderr == *"'elf'"*"ELF"* ]]
}

@test "a program as an input is told how it is sampled" {
	cp "$BASH" program
	fails 1 program
	says "'program' is a program, not a recording; to sample it: flamefold record -- ./program"
	fails 1 fold ./program
	says "'./program' is a program, not a recording; to sample it: flamefold record -- ./program"
	printf '#!/bin/sh\necho hello 1\n' >script
	chmod +x script
	fails 1 "$PWD/script"
	says "'$PWD/script' is a program, not a recording; to sample it: flamefold record -- $PWD/script"
	chmod -x script
	fails 1 script
	says "'script' looks like a script: flamefold record -- SCRIPT samples one"
	# One that nobody can run, and one that is run by others.
	cp "$BASH" libbash.so.1
	fails 1 libbash.so.1
	says "cannot read 'libbash.so.1': it is an ELF file, not a recording"
	printf 'FLR\0\0\2' >x.jfr
	fails 1 fold x.jfr
	says "cannot read 'x.jfr': it is a recording of Java Flight Recorder: async-profiler's jfrconv makes folded text of it"
	printf '\x17\x08Dtracing6\0' >trace.dat
	fails 1 fold trace.dat
	says "cannot read 'trace.dat': it is a trace of trace-cmd, not a recording of perf"
	printf 'QPERFSTREAM\0\1' >exported
	fails 1 fold exported
	says "cannot read 'exported': it is an export of hotspot, not the recording that it was made of"
}

@test "a recording that ends inside its header" {
	"$root/tests/perfdata/build" -o whole.data "$(find "$root/tests/perfdata/cases" -name big_endian.pd)"
	head -c 50 whole.data >cut.data
	fails 1 fold cut.data
	says "'cut.data' ends inside its header (50 bytes): it was cut"
	head -c 104 whole.data >cut.data
	fails 1 fold cut.data
	[[ $stderr == *"does not fit the file (104 bytes): it was cut, or its header is damaged"* ]]
}

@test "a picture without data" {
	"$flamefold" --static in.folded -o picture.svg
	fails 1 picture.svg
	says "'picture.svg' is a picture or other XML without flamefold's data in it: another program made it, it was cut, or --static"
}

@test "the output of perf report" {
	printf '%s\n' '# Total Lost Samples: 0' '#' '# Samples: 3  of event' '# Event count (approx.): 12' >report
	fails 1 report
	says "'report' looks like the output of perf report: give the perf.data itself"
}

@test "one unusable input of several ends the work" {
	fails 1 fold in.folded missing.data
}

@test "control characters of a name do not reach the terminal" {
	fails 1 $'x\033[2J'
	says "cannot open 'x?[2J': No such file or directory"
}

@test "folded text without weight has no samples" {
	echo "main;a 0" >zero
	run --separate-stderr "$flamefold" zero
	[ "$status" -eq 1 ]
	[[ $stderr == "flamefold: no samples"* ]]
	[[ $output == "<?xml"* ]]
}

@test "--stats accounts for the weight, on standard error" {
	run --separate-stderr "$flamefold" fold --stats in.folded
	[ "$status" -eq 0 ]
	[ "$output" = "$(cat in.folded)" ]
	[[ $stderr =~ "weight read"\ +100 ]]
	[[ $stderr =~ "weight in the tree"\ +100 ]]
	[[ $stderr =~ "seconds reading" ]]
}

@test "--quiet keeps warnings back, but not errors" {
	{ seq -f 'main;%.0f 1' 10; echo nonsense; } >mixed
	run --separate-stderr "$flamefold" fold mixed
	[[ $stderr == *"ignored 1 line"* ]]
	run --separate-stderr "$flamefold" fold --quiet mixed
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	fails 1 --quiet missing.data
}
