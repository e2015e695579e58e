#!/usr/bin/env bats
# merge --watch and --classes: what arrives is merged, and who is unlike the others is named.
bats_require_minimum_version 1.5.0

load recordings

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	pid=
}

teardown()
{
	[ -z "$pid" ] || kill -9 "$pid" 2>/dev/null || :
}

# until COMMAND...: no longer than a minute.
until_true()
{
	local i
	for ((i = 0; i < 600; i++)); do
		"$@" && return
		sleep 0.1
	done
	false
}

is_folded()
{
	[ -e out.ff ] && "$flamefold" fold -q out.ff 2>/dev/null | diff -q - "$1" >/dev/null
}

@test "--watch merges what arrives, and writes all of it when it is interrupted" {
	mkdir arriving
	printf 'a;b 3\n' >arriving/1.folded
	touch -d '1 minute ago' arriving/1.folded
	"$flamefold" merge -q --watch arriving -o out.ff &
	pid=$!
	printf 'a;b 3\n' >expected
	until_true is_folded expected
	# What somebody still writes is not read, nor what is hidden.
	exec 7>arriving/2.folded
	printf 'c 4\n' >&7
	printf 'never 1\n' >arriving/.hidden
	printf 'd 5\n' >3.folded
	mv 3.folded arriving
	printf 'a;b 3\nd 5\n' >expected
	until_true is_folded expected
	exec 7>&-
	printf 'a;b 3\nc 4\nd 5\n' >expected
	until_true is_folded expected
	# The last one before the end counts, too.
	printf 'e 6\n' >4.folded
	mv 4.folded arriving
	kill -INT "$pid"
	wait "$pid"
	pid=
	printf 'e 6\n' >>expected
	"$flamefold" fold out.ff | diff - expected
	"$flamefold" merge -q arriving/*.folded -o all.ff
	cmp all.ff out.ff
}

@test "--watch goes on behind a file that cannot be read, and where one is written again" {
	mkdir arriving
	"$flamefold" merge -q --watch arriving -o arriving/out.ff 2>told &
	pid=$!
	until_true eval 'grep -qs inotify /proc/$pid/fdinfo/*'
	head -c 100 /dev/urandom >noise
	mv noise arriving
	printf 'a 1\n' >1.folded
	mv 1.folded arriving
	until_true eval '[ -e arriving/out.ff ]'
	grep -q "refused 'arriving/noise'" told
	printf 'b 2\n' >1.folded
	mv 1.folded arriving
	until_true eval '[ "$("$flamefold" fold -q arriving/out.ff)" = "b 2" ]'
	kill -TERM "$pid"
	wait "$pid" || [ $? = 3 ]
	pid=
	[ "$("$flamefold" fold -q arriving/out.ff)" = "b 2" ]
	run -1 "$flamefold" merge --watch nowhere -o x.ff
	[[ $output == *"cannot watch 'nowhere'"* ]]
}

# host NAME STACKS...
host()
{
	printf '%s\n' "${@:2}" >$1.folded
	"$flamefold" merge -q --label node=$1 $1.folded -o $1.ff
}

@test "--classes groups hosts that are alike, and names what makes others differ" {
	for i in 1 2 3 4 5 6 7 8 9; do
		host web-$i "main;parse $((6000 + i * 7))" "main;write $((3000 - i * 5))" "main;idle 1000"
	done
	host web-odd "main;parse 3000" "main;write 3000" "main;spin_lock 4000"
	"$flamefold" merge -q --classes=node web-*.ff >told
	head -n 1 told | grep -qx '9 of 10 are alike: web-1, web-2, web-3, web-4, web-5, web-6, web-7, web-8 and 1 more'
	grep -q '^1 is 4[0-9]\.[0-9] % apart from these: web-odd$' told
	sed -n 3p told | grep -q '+40\.0 points  spin_lock, 40\.0 % in place of 0\.0 %'
	sed -n 4p told | grep -q -- '-30\.[0-9] points  parse, 30\.0 % in place of 60\.[0-9] %'
	# The order of files does not matter, and a file is written where one is asked for.
	"$flamefold" merge -q --classes=node web-odd.ff web-9.ff web-[1-8].ff -o all.ff | diff - told
	"$flamefold" merge -q web-*.ff -o x.ff
	cmp x.ff all.ff
	run -2 "$flamefold" merge --classes=node web-1.ff -o -
	[[ $output == *"'--classes' writes a file, not standard output"* ]]
}

@test "few samples are no class of their own" {
	for i in 1 2 3; do
		host big-$i "a 50000" "b 50000"
	done
	# Each weighs as much as a sample: five of nine is chance.
	for i in 1 2; do
		"$build" -o small-$i.data - <<-END
		attr name=cpu-clock sample_type=IP,TID,TIME,PERIOD
		feature hostname=small-$i
		comm pid=1 name=x
		repeat i 9
		sample pid=1 time={i} period=1 ip={16 * (1 + (i < 5 - $i))}
		end
		END
	done
	"$flamefold" merge -q --classes small-1.data small-2.data | grep -qx '2 of 2 are alike: small-1, small-2'
}
