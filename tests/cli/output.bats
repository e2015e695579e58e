#!/usr/bin/env bats
# Where results go, and that a failure never costs the last one.
bats_require_minimum_version 1.5.0

load here

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	printf 'main;a;b 60\nmain;c 40\n' >in.folded
	mkdir dir
}

teardown()
{
	[ -z "$mounted" ] || umount "$mounted"
}

# More than fits in a pipe.
make_big()
{
	seq -f 'main;function_with_a_rather_long_name_%.0f 1' 20000 >big.folded
}

# Nothing but these files is in dir/.
dir_holds()
{
	[ "$(ls -A dir)" = "$*" ] || { ls -A dir; return 1; }
}

# One sentence on standard error, and this exit code.
failed()
{
	[ "$status" -eq "$1" ]
	[ "$stderr" = "flamefold: $2" ] || { echo "said: $stderr"; return 1; }
}

as_nobody()
{
	setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}

# Where the test may write and nobody may look.
prepare_for_nobody()
{
	[ "$(id -u)" -eq 0 ] || return 0
	command -v setpriv >/dev/null || skip "no setpriv"
	cp "$flamefold" command
	chmod a+rx . .. ../.. command
	as_nobody test -x "$PWD/command" || skip "nobody cannot come here"
}

# As somebody whom modes of files bind.
run_bound()
{
	if [ "$(id -u)" -eq 0 ]; then
		run --separate-stderr as_nobody ./command "$@"
	else
		run --separate-stderr "$flamefold" "$@"
	fi
}

@test "-o writes a picture, or folded text, by suffix" {
	"$flamefold" -o dir/a.svg in.folded
	[[ $(head -c 5 dir/a.svg) == "<?xml" ]]
	"$flamefold" -o dir/a.folded in.folded
	cmp dir/a.folded in.folded
	"$flamefold" -o dir/a.TXT in.folded
	cmp dir/a.TXT in.folded
	"$flamefold" -o dir/a.html in.folded
	[[ $(head -n 1 dir/a.html) == "<!DOCTYPE html>" ]]
	dir_holds $'a.TXT\na.folded\na.html\na.svg'
}

@test "--format wins over the suffix" {
	"$flamefold" -f folded -o dir/a.svg in.folded
	cmp dir/a.svg in.folded
}

@test "-o - is standard output" {
	[ "$("$flamefold" fold -o - in.folded)" = "$(cat in.folded)" ]
	[ ! -e - ]
}

@test "a file that is there is replaced" {
	echo old >dir/a.svg
	"$flamefold" -o dir/a.svg in.folded
	[[ $(head -c 5 dir/a.svg) == "<?xml" ]]
	dir_holds a.svg
}

# Of all files here, but those that bats has made.
sums()
{
	find . -type f ! -name 'separate-stderr*' -exec md5sum {} + | sort
}

# refused SENTENCE WORD...: wrong usage, and no file of this directory and dir/ has changed.
refused()
{
	local sentence=$1 before

	shift
	before=$(sums)
	run --separate-stderr "$flamefold" "$@"
	failed 2 "$sentence; try 'flamefold --help'"
	[ -z "$output" ]
	diff <(echo "$before") <(sums)
}

@test "an output that is an input is refused, whatever it is called" {
	cp in.folded dir/x.folded
	cp in.folded dir/other.folded
	ln -s x.folded dir/link.folded
	ln dir/x.folded dir/twin.folded
	refused "'dir/x.folded' is an input: name another output" fold -o dir/x.folded dir/x.folded
	refused "'dir/link.folded' would be written over the input 'dir/x.folded'" fold -o dir/link.folded dir/x.folded
	refused "'dir/twin.folded' would be written over the input 'dir/x.folded'" -o dir/twin.folded dir/x.folded
	refused "'dir/x.folded' would be written over the input 'dir/link.folded'" \
		-o dir/x.folded in.folded dir/link.folded dir/other.folded
	refused "'dir/x.folded' would be written over the input './dir/../dir/x.folded'" \
		info -f text -o dir/x.folded ./dir/../dir/x.folded
	refused "'dir/x.folded' would be written over the input '-'" -o dir/x.folded - <dir/x.folded
	refused "'dir/x.folded' would be written over the input '-'" -o dir/x.folded <dir/x.folded
	"$flamefold" -o dir/x.svg in.folded
	refused "'dir/x.svg' is an input: name another output" -o dir/x.svg dir/x.svg
	printf 'a\tclass=x\n' >attributes.svg
	refused "'attributes.svg' is an input: name another output" -o attributes.svg --nameattr attributes.svg in.folded
	# Behind what is there, too, as cat(1) has it.
	cp in.folded log
	run --separate-stderr bash -c '"$1" fold log >>log' - "$flamefold"
	failed 2 "standard output goes to the input 'log'; try 'flamefold --help'"
	cmp in.folded log
}

@test "inputs and outputs that are no files have nothing to lose" {
	"$flamefold" fold -o /dev/null - </dev/null 2>err || grep -q "cannot read" err
	mkfifo fifo
	cat in.folded >fifo &
	"$flamefold" fold -o dir/x.folded fifo
	cmp in.folded dir/x.folded
}

# Recordings of all forms in dir/.
make_recordings()
{
	local build=$root/tests/perfdata/build cases=$root/tests/perfdata/cases

	"$build" -o dir/file "$(find "$cases" -name kernel_and_user.pd)"
	"$build" -o dir/big "$(find "$cases" -name big_endian.pd)"
	"$build" -o dir/old "$(find "$cases" -name version_1.pd)"
	"$build" -o dir/pipe "$(find "$cases" -name pipe_format.pd)"
	gzip -c dir/file >dir/packed
	"$build" -o dir/directory "$(find "$cases" -name directory_with_streams.pd)"
	cp dir/file dir/named.svg
	ln -s file dir/link
}

@test "a recording is not written over, whatever its form and name, and whatever the input" {
	make_recordings
	for name in file big old pipe packed directory/data directory/data.0 named.svg link; do
		refused "'dir/$name' is a recording, which is not written over" -f svg -o "dir/$name" in.folded
		refused "'dir/$name' is a recording, which is not written over" fold -f folded -o "dir/$name" in.folded
		refused "'dir/$name' is a recording, which is not written over" info -f json -o "dir/$name" in.folded
	done
	refused "'dir/named.svg' is a recording, which is not written over" -o dir/named.svg in.folded
	refused "'dir/directory/new.svg' would be written over the input 'dir/directory'" \
		-o dir/directory/new.svg dir/directory
	cp dir/file perf.data
	refused "'perf.data' is named like a recording, but 'graph' writes svg, html, folded or what 'export' writes" -o perf.data
	refused "'perf.data' is named like a recording, but 'graph' writes svg, html, folded or what 'export' writes" perf.data -o perf.data
	refused "'perf.data' is an input: name another output" -f svg -o perf.data
	refused "'perf.data' is an input: name another output" perf.data -f folded -o perf.data
	# Beside it all is well.
	"$flamefold" -q -o dir/directory.svg dir/directory
	"$flamefold" -q -o dir/data.svg dir/file
	"$flamefold" -q -o dir/data.svg dir/file
}

@test "a suffix that is no format is refused, with what there is instead" {
	local writes="but 'graph' writes svg, html, folded or what 'export' writes"

	refused "'cpu.data' is named like a recording, $writes" -o cpu.data in.folded
	refused "'cpu.DATA' is named like a recording, but 'fold' writes folded" fold -o cpu.DATA in.folded
	refused "'dir/cpu.png' is named like png, $writes: write dir/cpu.svg, and rsvg-convert -o dir/cpu.png dir/cpu.svg" \
		-o dir/cpu.png in.folded
	refused "'cpu.pdf' is named like pdf, $writes: write cpu.svg, and rsvg-convert -f pdf -o cpu.pdf cpu.svg" \
		-o cpu.pdf in.folded
	refused "'cpu.svg.gz' is named like gz, $writes: -o - | gzip >cpu.svg.gz" -o cpu.svg.gz in.folded
	refused "'cpu.flame' is named like flame, $writes: -f FORMAT writes it under any name" -o cpu.flame in.folded
	refused "'main.c' is named like c, but 'fold' writes folded: -f FORMAT writes it under any name" \
		fold -o main.c in.folded
	refused "'x.log' is named like log, but 'info' writes text or json: -f FORMAT writes it under any name" \
		info -o x.log in.folded
}

@test "--format writes any name, and so does a name without a suffix" {
	"$flamefold" -f svg -o dir/cpu.png in.folded
	"$flamefold" -f svg -o dir/x.data in.folded
	for name in cpu cpu.20261120-121500 cpu.1 .cpu cpu.; do
		"$flamefold" -o "dir/$name" in.folded
		cmp dir/cpu.png "dir/$name"
		"$flamefold" fold -o "dir/$name" in.folded
		cmp in.folded "dir/$name"
	done
	mkdir dir/a.b
	"$flamefold" -o dir/a.b/cpu in.folded
	cmp dir/cpu.png dir/a.b/cpu
}

@test "folded text is written under the names that other programs give it" {
	for name in out.folded out.perf-folded out.kern_folded out.collapsed OUT.COLLAPSED; do
		"$flamefold" fold -o "dir/$name" in.folded
		cmp in.folded "dir/$name"
		"$flamefold" graph -o "dir/$name" in.folded
		cmp in.folded "dir/$name"
	done
	refused "'x.unfolded' is named like unfolded, but 'fold' writes folded: -f FORMAT writes it under any name" \
		fold -o x.unfolded in.folded
}

@test "what is said of other pictures makes them" {
	local suffix hint

	command -v rsvg-convert >/dev/null || skip "no rsvg-convert"
	for suffix in png pdf ps eps; do
		run --separate-stderr "$flamefold" -o "dir/cpu.$suffix" in.folded
		hint=${stderr#*: write }
		hint=${hint%; try*}
		[[ $hint == "dir/cpu.svg, and rsvg-convert "* ]]
		"$flamefold" -o "${hint%%, and *}" in.folded
		${hint#*, and }
		[ -s "dir/cpu.$suffix" ]
	done
	[ "$(head -c 4 dir/cpu.png | tail -c 3)" = PNG ]
	[ "$(head -c 4 dir/cpu.pdf)" = "%PDF" ]
}

@test "the mode is what the umask leaves, and that of a file that is replaced stays" {
	(umask 027 && "$flamefold" -o dir/a.svg in.folded)
	[ "$(stat -c %a dir/a.svg)" = 640 ]
	for mode in 600 664; do
		chmod $mode dir/a.svg
		(umask 022 && "$flamefold" -o dir/a.svg in.folded)
		[ "$(stat -c %a dir/a.svg)" = $mode ]
	done
}

@test "a symbolic link stays one" {
	echo old >dir/real.svg
	ln -s dir/real.svg link.svg
	"$flamefold" -o link.svg in.folded
	[ -L link.svg ]
	[[ $(head -c 5 dir/real.svg) == "<?xml" ]]
	dir_holds real.svg
}

@test "a name as long as names can be" {
	name=$(printf 'n%.0s' {1..251}).svg
	"$flamefold" -o "dir/$name" in.folded
	dir_holds "$name"
}

@test "a FIFO is written to" {
	mkfifo dir/fifo
	"$flamefold" fold -o dir/fifo in.folded &
	[ "$(timeout 900 cat dir/fifo)" = "$(cat in.folded)" ]
	wait $!
	[ -p dir/fifo ]
}

@test "/dev/stdout is written to, also where it is a file that is appended to" {
	[ "$("$flamefold" fold -o /dev/stdout in.folded)" = "$(cat in.folded)" ]
	echo before >log
	"$flamefold" fold -o /dev/stdout in.folded >>log
	[ "$(cat log)" = "$(echo before; cat in.folded)" ]
	"$flamefold" fold -o /dev/fd/3 in.folded 3>>log
	[ "$(wc -l <log)" -eq 5 ]
}

@test "a device is written to" {
	"$flamefold" -o /dev/null in.folded
	[ -c /dev/null ]
}

@test "an input that cannot be read leaves the output as it was" {
	echo old >dir/a.svg
	run --separate-stderr "$flamefold" -o dir/a.svg missing.data
	failed 1 "cannot open 'missing.data': No such file or directory"
	[ "$(cat dir/a.svg)" = old ]
	dir_holds a.svg
}

@test "wrong usage leaves the output as it was" {
	echo old >dir/a.svg
	run "$flamefold" -o dir/a.svg --colors=pink in.folded
	[ "$status" -eq 2 ]
	[ "$(cat dir/a.svg)" = old ]
	dir_holds a.svg
}

@test "an option that fails while the picture is drawn leaves the output as it was" {
	echo old >dir/a.svg
	echo "no tab in it" >attributes
	run --separate-stderr "$flamefold" -o dir/a.svg --nameattr=attributes in.folded
	[ "$status" -ne 0 ]
	[[ $stderr == *attributes* ]]
	[ "$(cat dir/a.svg)" = old ]
	dir_holds a.svg
}

@test "no samples: a picture that says so, but not over an earlier one" {
	echo "a 0" >zero
	run --separate-stderr "$flamefold" -o dir/a.svg zero
	[ "$status" -eq 1 ]
	[[ $(head -c 5 dir/a.svg) == "<?xml" ]]
	echo old >dir/a.svg
	run --separate-stderr "$flamefold" -o dir/a.svg zero
	[ "$status" -eq 1 ]
	[[ $stderr == "flamefold: no samples"* ]]
	[ "$(cat dir/a.svg)" = old ]
	dir_holds a.svg
}

@test "a directory cannot be the output" {
	run --separate-stderr "$flamefold" -o dir in.folded
	failed 1 "cannot write 'dir': Is a directory"
}

@test "a directory that is not there" {
	run --separate-stderr "$flamefold" -o nowhere/a.svg in.folded
	failed 1 "cannot write 'nowhere/a.svg': No such file or directory"
}

@test "a directory without permission is found before the work" {
	prepare_for_nobody
	chmod 555 dir
	run_bound -o dir/a.svg missing.data
	failed 1 "cannot write 'dir/a.svg': Permission denied"
}

@test "a file that is read-only stays" {
	prepare_for_nobody
	chmod 777 dir
	echo old >dir/a.svg
	chmod 444 dir/a.svg
	run_bound -o dir/a.svg in.folded
	failed 1 "cannot write 'dir/a.svg': Permission denied"
	[ "$(cat dir/a.svg)" = old ]
}

@test "a full disk leaves the output as it was" {
	make_big
	[ "$(id -u)" -eq 0 ] || skip "mounting a small file system needs root"
	mount -t tmpfs -o size=64k flamefold-test dir 2>/dev/null || skip "cannot mount a tmpfs"
	mounted=dir
	echo old >dir/a.folded
	run --separate-stderr "$flamefold" -o dir/a.folded big.folded
	failed 1 "cannot write 'dir/a.folded': No space left on device"
	[ "$(cat dir/a.folded)" = old ]
	dir_holds a.folded
}

@test "a full disk costs no palette map, and is said of it" {
	[ "$(id -u)" -eq 0 ] || skip "mounting a small file system needs root"
	"$flamefold" --cp in.folded >first.svg
	mount -t tmpfs -o size=64k flamefold-test dir 2>/dev/null || skip "cannot mount a tmpfs"
	mounted=dir
	mv palette.map dir
	make_big
	cp dir/palette.map before
	cd dir
	run --separate-stderr "$flamefold" --cp --minwidth=0 -o ../x.svg ../big.folded
	cd ..
	failed 1 "cannot write 'palette.map': No space left on device"
	cmp before dir/palette.map
	dir_holds palette.map
}

@test "a full device is an error, written to by name or as standard output" {
	run --separate-stderr "$flamefold" -o /dev/full in.folded
	failed 1 "cannot write '/dev/full': No space left on device"
	run --separate-stderr bash -c '"$1" fold in.folded >/dev/full' - "$flamefold"
	failed 1 "cannot write to standard output: No space left on device"
}

@test "the largest size of a file leaves the output as it was" {
	make_big
	echo old >dir/a.folded
	run --separate-stderr bash -c 'ulimit -f 64; "$1" -o dir/a.folded big.folded' - "$flamefold"
	failed 1 "cannot write 'dir/a.folded': File too large"
	[ "$(cat dir/a.folded)" = old ]
	dir_holds a.folded
}

@test "a closed standard output is an error, and no other file is written to instead" {
	run --separate-stderr bash -c '"$1" fold in.folded >&-' - "$flamefold"
	failed 1 "cannot write to standard output: Bad file descriptor"
	[ "$(wc -l <in.folded)" -eq 2 ]
}

@test "a closed pipe ends silently" {
	make_big
	"$flamefold" fold big.folded 2>err | head -n 1 >first
	[ "${PIPESTATUS[0]}" -eq 0 ]
	"$flamefold" --stats --minwidth=0 big.folded 2>>err | head -n 1 >>first
	[ "${PIPESTATUS[0]}" -eq 0 ]
	"$flamefold" info -f json big.folded 2>>err | true
	[ "${PIPESTATUS[0]}" -eq 0 ]
	[ "$(wc -l <first)" -eq 2 ]
	[ ! -s err ] || { cat err; return 1; }
}

# interrupted_by SIGNAL [COMMAND...]: a picture that takes its time, and a signal as soon as it is being
# written. COMMAND runs flamefold.
interrupted_by()
{
	local signal=$1

	shift
	seq -f 'main;%.0f 1' 300000 >many.folded
	echo old >dir/a.svg
	ulimit -c 0
	"$@" env --default-signal "$flamefold" -o dir/a.svg --minwidth=0 many.folded 2>err &
	local pid=$!
	until find "/proc/$pid/fd" -lname "$PWD/dir/*" 2>/dev/null | grep -q .; do
		[ -d "/proc/$pid" ] || { echo "was too quick"; return 1; }
	done
	kill -s "$signal" "$pid"
	status=0
	wait "$pid" || status=$?
	[ "$status" -eq $((128 + $(kill -l "$signal"))) ]
	[ "$(cat dir/a.svg)" = old ]
	dir_holds a.svg
}

@test "SIGINT leaves the output as it was, and no temporary file" {
	interrupted_by INT
}

@test "SIGTERM leaves the output as it was, and no temporary file" {
	interrupted_by TERM
}

@test "SIGHUP leaves the output as it was, and no temporary file" {
	interrupted_by HUP
}

@test "SIGQUIT leaves no temporary file, either" {
	interrupted_by QUIT
}

@test "not even SIGKILL leaves a temporary file, where the file system has files without a name" {
	python3 -c 'import os; os.open("dir", os.O_TMPFILE | os.O_WRONLY)' 2>/dev/null || skip "this one has none"
	interrupted_by KILL
}

@test "where a file cannot be without a name, signals leave no temporary file" {
	[ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null || skip "no mount namespace can be made"
	without_proc=(unshare -m sh -c 'mount -t tmpfs none /proc && exec "$@"' sh)
	"${without_proc[@]}" "$flamefold" --version >/dev/null 2>&1 || skip "a sanitizer looks for leaks in /proc"
	for signal in INT TERM HUP QUIT; do
		interrupted_by $signal "${without_proc[@]}"
	done
	"${without_proc[@]}" "$flamefold" -q -o dir/a.svg in.folded
	grep -q '<svg' dir/a.svg
	dir_holds a.svg
}

@test "on a terminal a picture goes to flamegraph.svg, and says so" {
	command -v script >/dev/null || skip "no script(1)"
	cd dir
	TERM=dumb run script -qec "'$flamefold' ../in.folded" /dev/null
	[ "$status" -eq 0 ]
	[[ $output == *"flamefold: wrote flamegraph.svg"* ]]
	[[ $(head -c 5 flamegraph.svg) == "<?xml" ]]
	run script -qec "'$flamefold' fold ../in.folded" /dev/null
	[[ $output == *"main;c 40"* ]]
}

@test "control characters of names do not reach a terminal, and everything else gets them" {
	local name=$'ma\e]0;X\ain;\u009b31m;\x9bodd;caf\u00e9;\u65e5\u672c;\u041b\u2603'

	command -v script >/dev/null || skip "no script(1)"
	printf '%s 5\n' "$name" >names.folded
	script -qec "'$flamefold' fold names.folded" /dev/null </dev/null | tr -d '\r' >seen
	[ "$(cat seen)" = $'ma\\x1b]0;X\\x07in;\\xc2\\x9b31m;\\x9bodd;caf\u00e9;\u65e5\u672c;\u041b\u2603 5' ] || { cat -v seen; return 1; }
	"$flamefold" fold names.folded | cmp - names.folded
	"$flamefold" fold -o dir/names.folded names.folded
	cmp names.folded dir/names.folded
	script -qec "TERM=xterm '$flamefold' info names.folded" /dev/null </dev/null >seen
	run ! grep -q $'\e]0' seen
}
