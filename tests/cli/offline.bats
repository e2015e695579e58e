#!/usr/bin/env bats
# Live: processors that go offline, come back, or come anew.
bats_require_minimum_version 1.5.0

load events
load sampled

list=/sys/devices/system/cpu/online
switch=/sys/devices/system/cpu/cpu1/online

setup_file()
{
	build_program shares
}

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	shares=$BATS_FILE_TMPDIR/shares
	need_events system
	[ "$(cat $list)" = 0-1 ] || skip "these are not processors 0 and 1: $(cat $list)"
	"$shares" 600 2 >/dev/null 3>&- &
	worker=$!
}

teardown()
{
	[ -z "${recorder:-}" ] || kill "$recorder" || :
	[ -z "${worker:-}" ] || kill "$worker"
	[ -z "${taken:-}" ] || echo 1 >$switch
}

# sampled_on CPU FILE: stacks of it.
sampled_on()
{
	"$flamefold" fold --quiet --only "cpu=$1" "$2" | wc -l
}

total()
{
	awk '{ n += $NF } END { printf "%d\n", n }'
}

# With a list of our own, which others do not see, and processors that in truth stay: begin LIST OPTION...
begin()
{
	unshare -m true 2>/dev/null || skip "no mount namespace of one's own"
	echo "$1" >online
	shift
	# shellcheck disable=SC2016
	unshare -m sh -c 'mount --bind online "$0" && exec "$@"' $list \
		"$flamefold" record -F 199 -e cpu-clock --save x.data -o x.folded "$@" 2>err 3>&- &
	recorder=$!
}

finish()
{
	kill -INT "$recorder"
	wait "$recorder" || { cat err; return 1; }
	recorder=
	cat err
}

@test "a processor that comes is sampled, one that goes is said, and one that comes back" {
	begin 0 -a -d 900
	until_true grep -q . x.data
	until_true worked "$recorder" 1
	echo 0-1 >online
	until_true grep -q 'processor 1 has come online and is sampled from now on' err
	echo 0 >online
	until_true grep -q 'processor 1 has gone offline and cannot be sampled' err
	echo 0-1 >online
	until_true grep -q 'processor 1 was offline and is sampled again: nothing was for [0-9.]* s' err
	until_true worked "$recorder" $(($(awk '{ print $14 + $15 }' "/proc/$recorder/stat") + 2))
	finish
	[ "$(sampled_on 1 x.data)" -gt 0 ]
	[ "$(sampled_on 0 x.data)" -gt 0 ]
	[ "$("$flamefold" fold --quiet x.data | total)" = "$(total <x.folded)" ]
}

@test "one that is away at the end is said, too" {
	begin 0-1 -a -d 900
	until_true worked "$recorder" 1
	echo 0 >online
	until_true grep -q 'processor 1 has gone offline' err
	finish
	grep -q 'processor 1 was not sampled for the last [0-9.]* s' err
}

@test "with -C, one of those that comes is sampled, and the others are not spoken of" {
	begin 0 -C 0 -d 900
	echo 0-1 >online
	until_true worked "$recorder" 3
	finish
	! grep -q 'processor 1' err
	[ "$(sampled_on 0 x.data)" -gt 0 ]
	[ "$(sampled_on 1 x.data)" -eq 0 ]
	begin 0 -C 0,1 -d 900
	until_true grep -q 'processor 1 is not online and left out' err
	until_true worked "$recorder" 1
	echo 0-1 >online
	until_true grep -q 'processor 1 has come online and is sampled' err
	until_true worked "$recorder" $(($(awk '{ print $14 + $15 }' "/proc/$recorder/stat") + 2))
	finish
	[ "$(sampled_on 1 x.data)" -gt 0 ]
}

@test "threads are not sampled on a processor that comes, which is said" {
	begin 0 -p "$worker" -d 900
	until_true worked "$recorder" 1
	echo 0-1 >online
	until_true grep -q 'processor 1 has come online since, and what runs there is not sampled' err
	finish
}

# Everybody loses the processor, and threads that were bound to it run elsewhere from then on.
need_to_take()
{
	[ "${TAKE_PROCESSOR:-}" = 1 ] || skip "TAKE_PROCESSOR=1 allows to take processor 1 from everybody"
	[ -w $switch ] || skip "no processor can be taken offline here"
	taken=1
}

@test "events that the kernel has taken from a processor are opened again, however short it was away" {
	need_to_take
	"$flamefold" record -a -F 199 -e cpu-clock --save x.data -o x.folded -d 900 2>err 3>&- &
	recorder=$!
	until_true grep -q . x.data
	until_true worked "$recorder" 1
	echo 0 >$switch
	echo 1 >$switch
	until_true grep -q 'processor 1 was offline and is sampled again' err
	finish
	[ "$(sampled_on 1 x.data)" -gt 0 ]
}
