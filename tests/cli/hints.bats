#!/usr/bin/env bats
# Every remedy that a message names is followed, and has to mend what the message is about.
# tests/hints/table lists them; the words come from the message, not from here.
bats_require_minimum_version 1.5.0

load events
load sampled

hints=$BATS_TEST_DIRNAME/../hints
as_nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all)

setup_file()
{
	build_program shares
	build_program plugins -ldl
	build_program plugin -shared -fPIC
	# Those of bats are for their owner only.
	HINTS_DIR=$(mktemp -d)
	export HINTS_DIR
	cp "$flamefold" "$BATS_FILE_TMPDIR"/{shares,plugins,plugin} "$HINTS_DIR"
	chmod 755 "$HINTS_DIR" "$HINTS_DIR"/*
}

teardown_file()
{
	rm -rf "$HINTS_DIR"
}

setup()
{
	programs=$HINTS_DIR
	shares=$programs/shares
	started=
	tracefs_was=
	# Where the compiler has left its objects: hints.py reads the messages in them.
	O=$(cd "$root" && realpath "${O:-build}")
	export O
	unset output sentence
	# It is there when a test is tried again.
	rm -rf "${programs:?}/$BATS_TEST_NUMBER"
	mkdir "$programs/$BATS_TEST_NUMBER"
	cd "$programs/$BATS_TEST_NUMBER" || exit 1
	chmod 777 .
	: >"$BATS_TEST_TMPDIR/sysctls"
}

# set_back KEY=VALUE
set_back()
{
	[ "$(sysctl -n "${1%%=*}")" = "${1#*=}" ] || sysctl -qw "$1" 2>/dev/null
}

teardown()
{
	for pid in $started; do
		# A recorder that is killed leaves its command behind, which works for a minute.
		pkill -9 -P "$pid" 2>/dev/null || true
		kill -9 "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
	[ -z "${tracefs_was:-}" ] || tracefs "$tracefs_was" >/dev/null
	# The first value of each is the machine's. What could not be set is as it was. Some cannot be set while
	# others sample, as the tests beside this one do.
	tac "$BATS_TEST_TMPDIR/sysctls" | while read -r setting; do
		until_true set_back "$setting"
	done
}

# Messages are found in the compiled objects, which a build by somebody else may not have left.
need_messages()
{
	command -v python3 >/dev/null || skip "no python3 to read the messages"
	[ -d "$O/src/live" ] || skip "no compiled objects"
}

# May change what the machine permits, and become somebody who has no rights.
need_root()
{
	need_messages
	need_events system
	[ "$(id -u)" -eq 0 ] || skip "not root"
	[ -w /proc/sys/kernel/perf_event_paranoid ] || skip "/proc/sys may not be written"
	"${as_nobody[@]}" true 2>/dev/null || skip "setpriv cannot change the user"
	# Other directories on the way to it may be for root only.
	"${as_nobody[@]}" test -x "$programs/flamefold" || skip "$programs is not for others to read"
	"${as_nobody[@]}" test -w . || skip "$PWD is not for others to write"
}

# set_sysctl KEY=VALUE...: until the test is over.
set_sysctl()
{
	for setting; do
		echo "${setting%%=*}=$(sysctl -n "${setting%%=*}")" >>"$BATS_TEST_TMPDIR/sysctls"
		sysctl -qw "$setting"
	done
}

# start COMMAND...: in the background, ended with the test; its id is in $pid.
start()
{
	in_background "$@"
	sleep 0.3
}

# heard CODE COMMAND...: its words are in $output.
heard()
{
	local code=$1

	shift
	run timeout 900 "$@"
	# On a busy machine a short run may have none; it was permitted all the same.
	[ "$code" -ne 0 ] || [[ $output != *"no samples"* ]] || return 0
	[ "$status" -eq "$code" ] || { echo "$status, not $code: $*: $output"; return 1; }
}

# says ID: of what was heard, the sentence of that row is in $sentence.
says()
{
	sentence=$(python3 "$hints/hints.py" said "$hints/table" "$1" <<<"$output")
}

says_no()
{
	! says "$1" 2>/dev/null || { echo "it is said: $sentence"; return 1; }
}

# remedy BEGIN: the words between quotes in the sentence that begin with that, in $command.
remedy()
{
	command=$(grep -oE "'$1[^']*'" <<<"$sentence" | head -n 1 | tr -d "'")
	[ -n "$command" ] || { echo "no '$1' in: $sentence"; return 1; }
}

# follow COMMAND: as somebody who may.
follow()
{
	sudo() { "$@"; }
	# shellcheck disable=SC2086 # a list of words
	case $1 in
	"sudo sysctl "*) set_sysctl ${1#sudo sysctl } ;;
	*) eval "$1" ;;
	esac
}

nobody_records()
{
	heard "$1" "${as_nobody[@]}" "$programs/flamefold" record -o x.folded "${@:2}"
}

@test "every remedy that a message names is in the table, and every row has a message and a test" {
	need_messages
	python3 "$hints/hints.py" check "$hints/table" "$BATS_TEST_FILENAME"
}

@test "paranoid_system, paranoid_own: the level that permits the whole system" {
	need_root
	for level in 1 2 3; do
		set_sysctl kernel.perf_event_paranoid=$level
		nobody_records 1 -e cpu-clock -a -d 0.2
		says paranoid_system
		remedy "sudo sysctl"
		if [ $level -lt 3 ]; then
			says paranoid_own
			nobody_records 0 -q -e cpu-clock -F 997 -- "$shares" 0.5 1
			start "${as_nobody[@]}" "$shares" 60 1
			nobody_records 0 -q -e cpu-clock -F 997 -p "$pid" -d 0.5
		else
			says_no paranoid_own
		fi
		follow "$command"
		nobody_records 0 -e cpu-clock -F 997 -a -d 0.2
		says_no paranoid_system
	done
}

@test "paranoid_kernel, paranoid_user: the level that permits the kernel" {
	need_root
	for level in 2 3; do
		set_sysctl kernel.perf_event_paranoid=$level
		nobody_records 1 -e cpu-clock:k -- "$shares" 0.5 1
		says paranoid_kernel
		remedy "sudo sysctl"
		if [ $level -lt 3 ]; then
			says paranoid_user
			option=$(grep -oE -- '--[a-z-]+' <<<"$sentence")
			nobody_records 0 -q -e cpu-clock -F 997 "$option" -- "$shares" 0.5 1
		fi
		follow "$command"
		nobody_records 0 -e cpu-clock:k -F 997 -- dd if=/dev/zero of=/dev/null bs=1M count=20000 status=none
		says_no paranoid_kernel
	done
}

@test "user_only: the level that permits the kernel, too" {
	need_root
	set_sysctl kernel.perf_event_paranoid=2
	nobody_records 0 -e cpu-clock -F 997 -- "$shares" 0.5 1
	says user_only
	remedy "sudo sysctl"
	follow "$command"
	nobody_records 0 -e cpu-clock -F 997 -- "$shares" 0.5 1
	says_no user_only
}

# Whoever has which rights: the levels that hide the kernel's addresses are two.
@test "kernel_names: what shows the kernel's addresses" {
	need_root
	local dd=(dd if=/dev/zero of=/dev/null bs=1M count=3000 status=none)
	local perfmon=(setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=+perfmon --ambient-caps=+perfmon)

	setpriv --ambient-caps=+perfmon --inh-caps=+perfmon true 2>/dev/null || skip "setpriv knows no CAP_PERFMON"
	while read -r who restrict level; do
		set_sysctl kernel.kptr_restrict="$restrict" kernel.perf_event_paranoid="$level"
		case $who in
		root) as=() ;;
		perfmon) as=("${perfmon[@]}") ;;
		nobody) as=("${as_nobody[@]}") ;;
		esac
		heard 0 "${as[@]}" "$programs/flamefold" record -e cpu-clock:k -F 1997 -o x.data -- "${dd[@]}"
		says kernel_names
		remedy "sudo sysctl"
		follow "$command"
		heard 0 "${as[@]}" "$programs/flamefold" record -e cpu-clock:k -F 1997 -o x.data -- "${dd[@]}"
		says_no kernel_names
		[[ $output != *"no names"* ]]
		rm x.data
	done <<-'END'
		root 2 2
		perfmon 0 2
		perfmon 1 1
		perfmon 1 2
		perfmon 2 2
		nobody 1 1
	END
}

@test "other_user: rights for the program" {
	need_root
	command -v setcap >/dev/null || skip "no setcap"
	set_sysctl kernel.perf_event_paranoid=2
	start "$shares" 60 1
	cp "$programs/flamefold" mine
	chmod 755 mine
	heard 1 "${as_nobody[@]}" ./mine record -e cpu-clock -F 997 -p "$pid" -d 0.5 -o x.folded
	says other_user
	remedy "sudo setcap"
	follow "$command" || skip "this file system keeps no rights"
	heard 0 "${as_nobody[@]}" ./mine record -e cpu-clock -F 997 -p "$pid" -d 0.5 -o x.folded
	says_no other_user
	grep -q share_60 x.folded
}

@test "hidden_maps: root sees them" {
	need_root
	set_sysctl kernel.perf_event_paranoid=0
	start "$shares" 60 1
	nobody_records 0 -e cpu-clock -F 99 -a -d 0.5
	says hidden_maps
	heard 0 "$programs/flamefold" record -e cpu-clock -F 99 -a -d 0.5 -o y.folded
	says_no hidden_maps
	grep -q share_60 y.folded
	setpriv --ambient-caps=+sys_ptrace --inh-caps=+sys_ptrace true 2>/dev/null || return 0
	heard 0 setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=+sys_ptrace --ambient-caps=+sys_ptrace \
		"$programs/flamefold" record -e cpu-clock -F 99 -a -d 0.5 -o x.folded
	says_no hidden_maps
}

# Each of the remedies by itself. The limit is what only this shell's programs have.
@test "rings_locked, rings_chosen: what allows larger rings" {
	need_root
	set_sysctl kernel.perf_event_paranoid=2 kernel.perf_event_mlock_kb=516
	local own=(--all-user -e cpu-clock -F 997)
	local few=(prlimit --memlock=16384:16384)

	heard 1 "${few[@]}" "${as_nobody[@]}" "$programs/flamefold" record "${own[@]}" -m 2M -o x.folded -- "$shares" 0.2 1
	says rings_chosen
	heard 0 "${few[@]}" "${as_nobody[@]}" "$programs/flamefold" record "${own[@]}" -o x.folded -- "$shares" 0.5 1
	heard 1 "${few[@]}" "${as_nobody[@]}" "$programs/flamefold" record "${own[@]}" -m 2M -o x.folded -- "$shares" 0.2 1
	says rings_locked
	[[ $sentence == *CAP_IPC_LOCK* ]]
	heard 0 "${few[@]}" setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=+ipc_lock --ambient-caps=+ipc_lock \
		"$programs/flamefold" record "${own[@]}" -m 2M -o x.folded -- "$shares" 0.5 1
	heard 1 "${few[@]}" "${as_nobody[@]}" "$programs/flamefold" record "${own[@]}" -m 2M -o x.folded -- "$shares" 0.2 1
	says rings_locked
	remedy ulimit
	limit=${command##* }
	# Where nobody may have set as much, root cannot do it for a test either.
	if [ "$(ulimit -Hl)" = unlimited ] || [ "$(ulimit -Hl)" -ge "$limit" ]; then
		(
			follow "$command"
			heard 0 "${as_nobody[@]}" "$programs/flamefold" record "${own[@]}" -m 2M -o x.folded -- "$shares" 0.5 1
		)
	fi
	remedy "sudo sysctl"
	follow "$command"
	heard 0 "${few[@]}" "${as_nobody[@]}" "$programs/flamefold" record "${own[@]}" -m 2M -o x.folded -- "$shares" 0.5 1
}

@test "rings_locked: by another run of the same user, what allows rings as large once more" {
	need_root
	set_sysctl kernel.perf_event_paranoid=2 kernel.perf_event_mlock_kb=516
	local few=(prlimit --memlock=16384:16384)

	start "${few[@]}" "${as_nobody[@]}" "$programs/flamefold" record -q --all-user -e cpu-clock -m 512k -o y.folded -d 60 -- "$shares" 60 1
	sleep 1
	heard 1 "${few[@]}" "${as_nobody[@]}" "$programs/flamefold" record --all-user -e cpu-clock -m 512k -o x.folded -- "$shares" 0.5 1
	says rings_locked
	remedy "sudo sysctl"
	follow "$command"
	heard 0 "${few[@]}" "${as_nobody[@]}" "$programs/flamefold" record --all-user -e cpu-clock -F 997 -m 512k -o x.folded -- "$shares" 0.5 1
}

# A limit that is exactly what the command sets.
# bats test_tags=long
@test "files_events, files_ulimit, files_prlimit: as many open files as threads take" {
	need_root
	set_sysctl kernel.perf_event_paranoid=0
	start "${as_nobody[@]}" "$shares" 300 60
	processors=$(nproc)
	threads=$(find /proc/"$pid"/task -mindepth 1 -maxdepth 1 | wc -l)
	[ "$threads" -gt 50 ] || skip "the program has $threads threads"
	[ "$(ulimit -Hn)" -ge $((threads * processors * 2)) ] || skip "no more than $(ulimit -Hn) files may be open here"
	for who in root nobody; do
		as=()
		[ $who = root ] || as=("${as_nobody[@]}")
		heard 1 prlimit --nofile=$((threads * processors)):$((threads * processors)) "${as[@]}" \
			"$programs/flamefold" record -e cpu-clock -F 99 -p "$pid" -d 0.5 -o $who.folded
		says files_events
		case $who in
		root) says files_ulimit && command=$sentence ;;
		nobody) says files_prlimit && command=$sentence ;;
		esac
		number=${command##*[ =]}
		# In a shell of its own, whose programs have that limit then.
		[ "$(sudo() { "$@"; }; eval "${command//\$\$/\$BASHPID}"; ulimit -n)" -eq "$number" ]
		heard 0 prlimit --nofile="$number:$number" "${as[@]}" \
			"$programs/flamefold" record -e cpu-clock -F 99 -p "$pid" -d 0.5 -o $who.folded
		says_no files_events
	done
}

@test "files_proc: as many open files as procfs takes" {
	need_root
	# Below that there are too few for the events.
	for ((files = 6; files < 40; files++)); do
		run timeout 60 prlimit --nofile=$files:$files "$programs/flamefold" record -e cpu-clock -F 99 -a -d 0.1 -o x.folded
		[[ $output != *"/proc: too many"* ]] || break
	done
	says files_proc
	remedy ulimit
	number=${command##* }
	heard 0 prlimit --nofile="$number:$number" "$programs/flamefold" record -e cpu-clock -F 99 -a -d 0.5 -o x.folded
	says_no files_proc
}

# bats test_tags=long
@test "files_programs: as many open files as programs map" {
	need_root
	for ((i = 0; i < 60; i++)); do
		cp "$programs/plugin" "plugin_$i"
	done
	for ((files = 16; files < 40; files += 2)); do
		run timeout 60 prlimit --nofile=$files:$files "$programs/flamefold" record -e cpu-clock -F 997 -o x.folded -- "$programs/plugins" 1 plugin_*
		[[ $output != *"could not be held open"* ]] || break
	done
	says files_programs
	remedy ulimit
	number=${command##* }
	heard 0 prlimit --nofile="$number:$number" "$programs/flamefold" record -e cpu-clock -F 997 -o x.folded -- "$programs/plugins" 4 plugin_*
	says_no files_programs
}

@test "rate: the setting that allows it" {
	need_root
	set_sysctl kernel.perf_event_max_sample_rate=5000
	heard 0 "$programs/flamefold" record -e cpu-clock -F 6000 -o x.folded -- "$shares" 0.3 1
	says rate
	remedy "sudo sysctl"
	follow "$command"
	heard 0 "$programs/flamefold" record -e cpu-clock -F 6000 -o x.folded -- "$shares" 0.3 1
	says_no rate
}

# lost_with OPTION...: how many records are lost, in a million, where flamefold stands still from before
# its command works until it has ended: what its ring does not hold; $output has what is said.
lost_with()
{
	# shellcheck disable=SC2016 # for sh
	heard 0 taskset -c 0 "$programs/flamefold" record -e cpu-clock --save x.data -o x.folded "$@" -- \
		sh -c 'kill -STOP $PPID; "$0" 0.5 1; kill -CONT $PPID' "$shares"
	lost=$("$flamefold" info --format=json x.data | jq '.lost * 1000000 / (.lost + .samples) | floor')
}

# The other options stay as they are; the last of two of a kind counts.
# bats test_tags=long
@test "lost: each option that is named loses fewer" {
	need_root
	taskset -c 0 true || skip "no processor 0"
	[ "$(uname -r | cut -d. -f1)" -ge 6 ] || skip "this kernel does not count what is lost at the end"
	for given in "-F 2000 -g fp -m 8k" "-c 500000 -g fp -m 8k" "-F 2000 -g dwarf,8192 -m 512k"; do
		# shellcheck disable=SC2086 # a list of options
		lost_with $given
		[ "$lost" -gt 0 ]
		says lost
		most=$lost
		options=$(sed 's/.*loses fewer: //' <<<"$sentence")
		# Otherwise no stacks are copied; and rings have the size that was asked for.
		[[ $given == *dwarf* || $options != *dwarf* ]]
		[[ $given == *-F* || ($options == *-c* && $options != *-F*) ]]
		[[ $options != *--adapt* ]]
		while read -r option; do
			kept=$given
			[[ $option != -c* ]] || kept=${given/-c 500000/}
			# shellcheck disable=SC2086
			lost_with $kept $option
			echo "$given: $most in a million lost; with $option: $lost"
			[ "$lost" -lt "$most" ]
		done < <(sed 's/, /\n/g' <<<"$options")
	done
}

# The numbers of events are of root and of a group, in all mounts of it.
# tracefs MODE,GID: sets both, and prints what they were.
tracefs()
{
	unshare -m --propagation private bash -c '
		umount -l /sys/kernel/tracing 2>/dev/null
		mount -t tracefs nodev /sys/kernel/tracing || exit 1
		stat -c mode=%a,gid=%g /sys/kernel/tracing
		mount -o "remount,$1" /sys/kernel/tracing' - "$1"
}

tracing_as_nobody()
{
	heard "$1" unshare -m --propagation private bash -c "
		umount -l /sys/kernel/tracing /sys/kernel/debug 2>/dev/null
		$2
		exec ${as_nobody[*]@Q} \"$programs/flamefold\" record -e sched:sched_process_exec -o x.folded -- sh -c 'true; ls'"
}

@test "tracefs_rights, tracefs_mount, tracefs_group: tracepoints for others than root" {
	need_root
	tracefs_was=$(tracefs mode=700,gid=0 2>/dev/null) || skip "no tracefs, or no mounts of one's own"
	set_sysctl kernel.perf_event_paranoid=1
	tracing_as_nobody 1 "mount -t tracefs nodev /sys/kernel/tracing"
	says tracefs_rights
	remedy "sudo mount"
	before="mount -t tracefs nodev /sys/kernel/tracing; sudo() { \"\$@\"; }; $command"
	tracing_as_nobody 0 "$before"
	says_no tracefs_rights
	# The way it was before: the directory is readable, the numbers are not.
	tracefs mode=700,gid=0 >/dev/null
	tracing_as_nobody 1 "mount -t tracefs nodev /sys/kernel/tracing; mount -o remount,mode=755 /sys/kernel/tracing"
	says tracefs_rights
	tracefs mode=700,gid=0 >/dev/null
	tracing_as_nobody 1 ":"
	says tracefs_mount
	says tracefs_group
	says tracefs_mount
	remedy "sudo mount"
	tracing_as_nobody 0 "sudo() { \"\$@\"; }; $command"
}

@test "cgroup_mount: control groups are mounted" {
	need_root
	script='
		grep -o " /sys/fs/cgroup[^ ]* " /proc/self/mountinfo | sort -ru | while read -r m; do umount -l $m; done
		mkdir -p /sys/fs/cgroup
		'"\"$programs/flamefold\" record --cgroup no-such-group -d 0.1 -o x.folded"
	unshare -m --propagation private true 2>/dev/null || skip "no mounts of one's own here"
	heard 1 unshare -m --propagation private bash -c "$script"
	says cgroup_mount
	remedy "sudo mount"
	heard 1 unshare -m --propagation private bash -c "${script/mkdir -p \/sys\/fs\/cgroup/sudo() { \"\$@\"; \}; $command}"
	says_no cgroup_mount
	[[ $output == *"there is no control group 'no-such-group' in /sys/fs/cgroup"* ]]
}

@test "no_branches: stacks without them" {
	need_root
	run timeout 60 "$programs/flamefold" record -e cycles -g lbr -o x.folded -- "$shares" 0.2 1
	[ "$status" -ne 0 ] || skip "this processor records its branches"
	says no_branches
	for option in $(grep -oE -- '-g (fp|dwarf)' <<<"$sentence" | sed 's/-g //'); do
		heard 0 "$programs/flamefold" record -q -F 997 -g "$option" -o x.folded -- "$shares" 0.5 1
		grep -q share_60 x.folded
	done
}

@test "no_counter: a clock" {
	need_root
	run timeout 60 "$programs/flamefold" record -e instructions -o x.folded -- "$shares" 0.2 1
	[ "$status" -ne 0 ] || skip "this machine counts instructions"
	says no_counter
	remedy "-e "
	# shellcheck disable=SC2086 # an option and its value
	heard 0 "$programs/flamefold" record -q -F 997 $command -o x.folded -- "$shares" 0.5 1
	grep -q share_60 x.folded
}

# finding KIND FILE: its remedy is in $output, and nothing is where there is no such finding.
finding()
{
	output=$("$flamefold" info --format=json "$2" | jq -r ".warnings[] | select(.kind == \"$1\") | .remedy")
}

# record_as COMMAND FILE PROGRAM...: "flamefold record -g dwarf", "perf record -g"
record_as()
{
	local words=$1 file=$2

	shift 2
	case $words in
	flamefold*) words="$programs/$words -q" ;;
	esac
	# shellcheck disable=SC2086 # a list of words
	timeout 100 $words -e cpu-clock -F 499 -o "$file" -- "$@" >/dev/null 2>err || { cat err; return 1; }
}

# build_deep DEPTH OPTION...: one that calls itself so often, each time by 256 bytes of stack, and works there.
build_deep()
{
	cat >deep.c <<-'END'
		static volatile unsigned long sink;
		__attribute__((noinline)) static int deep(int n)
		{
			volatile char room[256];
			int got = 0;

			room[n % 256] = (char)n;
			if (n > 0)
				got = deep(n - 1);
			else
				for (long i = 0; i < 600000000; i++)
					sink += i;
			return got + room[n % 256];
		}
		int main(void) { return deep(DEPTH) == 1; }
	END
	"${CC:-cc}" -O1 -g -DDEPTH="$1" "${@:2}" -o deep deep.c
}

# bats test_tags=long
@test "chains, chains_fp, chains_perf, chains_perf_dwarf: a recording without call chains" {
	need_messages
	need_events
	command -v perf >/dev/null || skip "no perf"
	record_as "flamefold record -g no" own.data "$shares" 1 1
	finding chains own.data
	says chains && first=$sentence
	says chains_fp && second=$sentence
	record_as "perf record -q -N" perf.data "$shares" 1 1
	finding chains perf.data
	says chains_perf_dwarf && third=$sentence
	says chains_perf && fourth=$sentence
	for command in "$first" "$second" "$third" "$fourth"; do
		record_as "$command" x.data "$shares" 1 1
		finding chains x.data
		[ -z "$output" ]
		"$flamefold" fold -q x.data | grep -q '[^;]*;[^;]*;.*share_60'
		rm x.data
	done
}

# bats test_tags=long
@test "frame_pointers: what has none, by copies of stacks or built with them" {
	need_messages
	need_events
	build_deep 100 -fomit-frame-pointer
	record_as "flamefold record -g fp" x.data ./deep
	finding frame_pointers x.data
	says frame_pointers
	option=$(grep -oE -- '-f[a-z-]+' <<<"$sentence")
	rm x.data
	record_as "${output%%,*}" x.data ./deep
	finding frame_pointers x.data
	[ -z "$output" ]
	rm x.data
	build_deep 100 -fomit-frame-pointer "$option"
	record_as "flamefold record -g fp" x.data ./deep
	"$flamefold" fold -q x.data | grep -q 'main;deep;deep'
}

@test "chains_cut: as many frames as there are" {
	need_root
	build_deep 150 -fno-omit-frame-pointer
	[ "$(sysctl -n kernel.perf_event_max_stack)" -eq 127 ] || skip "another limit is set here"
	record_as "flamefold record -g fp" x.data ./deep
	finding chains_cut x.data
	says chains_cut
	# Not while an event with stacks is open, of whoever.
	follow "${sentence%%, before*}" || skip "somebody samples stacks on this machine"
	rm x.data
	record_as "flamefold record -g fp" x.data ./deep
	finding chains_cut x.data
	[ -z "$output" ]
}

@test "dumps_cut, dumps_cut_perf, chains_perf_fp: as much of the stack as there is" {
	need_messages
	need_events
	command -v perf >/dev/null || skip "no perf"
	build_deep 150 -fno-omit-frame-pointer
	for recorder in flamefold perf; do
		case $recorder in
		flamefold) record_as "flamefold record -g dwarf,1024" x.data ./deep ;;
		perf) record_as "perf record -q -N --call-graph dwarf,1024" x.data ./deep ;;
		esac
		finding user_stacks_cut x.data
		case $recorder in
		flamefold) says dumps_cut && first=$sentence ;;
		perf) says dumps_cut_perf && first=$sentence && says chains_perf_fp ;;
		esac
		rm x.data
		record_as "$first" x.data ./deep
		finding user_stacks_cut x.data
		[ -z "$output" ]
		"$flamefold" fold -q x.data | grep -q 'main;deep;deep'
		rm x.data
		[ $recorder = perf ] || continue
		record_as "$sentence" x.data ./deep
		finding user_stacks_cut x.data
		[ -z "$output" ]
		rm x.data
	done
}

@test "other_stacks: frame pointers lead from one stack to another" {
	need_messages
	need_events
	command -v perf >/dev/null || skip "no perf"
	[ "$(uname -m)" = x86_64 ] || skip "a program for x86-64"
	"${CC:-cc}" -O2 -fomit-frame-pointer -o stacks "$BATS_TEST_DIRNAME/../unwind/stacks.c"
	record_as "perf record -q -N --call-graph dwarf" x.data ./stacks switched 20000
	finding other_stacks x.data
	says other_stacks
	"${CC:-cc}" -O2 "$(grep -oE -- '-fno[a-z-]+' <<<"$sentence")" -o stacks "$BATS_TEST_DIRNAME/../unwind/stacks.c"
	rm x.data
	record_as "${sentence%%, of*}" x.data ./stacks switched 20000
	"$flamefold" fold -q x.data | grep -q 'main;once;elsewhere;switched_call'
}

# A program of two functions, its debug file, and a recording of it.
record_stripped()
{
	command -v objcopy >/dev/null || skip "no objcopy"
	cat >plain.c <<-'END'
		static volatile unsigned long sink;
		__attribute__((noinline)) static void busy(void) { for (long i = 0; i < 300000000; i++) sink += i; }
		int main(void) { for (int i = 0; i < 2; i++) busy(); return 0; }
	END
	"${CC:-cc}" -O1 -g -Wl,--build-id -fno-omit-frame-pointer -o plain plain.c
	objcopy --only-keep-debug plain plain.debug
	strip plain
	record_as "flamefold record -g fp" x.data ./plain
}

@test "symbols_asked, debug_file: the debug file of a stripped program" {
	need_messages
	need_events
	record_stripped
	output=$("$flamefold" info --format=json x.data | jq -r '.warnings[] | select(.kind == "unnamed") | .remedy')
	says symbols_asked
	# shellcheck disable=SC2086 # a list of words
	output=$("$programs"/$sentence --debug-dir "$PWD/debug")
	says debug_file
	path=${sentence##* }
	[[ $path == "$PWD/debug/"* ]]
	path=${path%%.debug*}.debug
	mkdir -p "${path%/*}"
	cp plain.debug "$path"
	"$flamefold" fold -q --debug-dir "$PWD/debug" x.data | grep -q ';busy'
	output=$("$flamefold" info --symbols --debug-dir "$PWD/debug" x.data)
	says_no debug_file
}

@test "program_file: the file that is gone" {
	need_messages
	need_events
	record_stripped
	mkdir -p "DIR$PWD"
	objcopy --add-gnu-debuglink=plain.debug plain
	mv plain "DIR$PWD"
	cp plain.debug "DIR$PWD"
	output=$("$flamefold" info --symbols --buildid-dir= x.data)
	says program_file
	option=$(grep -oE -- '--symfs=DIR' <<<"$sentence")
	"$flamefold" fold -q "$option" x.data | grep -q ';busy'
}

# Of packages that are installed, and of lists of them: this distribution's, if it is Debian.
# bats test_tags=long
@test "libc6, python_package, package_archive: packages that there are" {
	need_messages
	command -v apt-cache >/dev/null || skip "no apt"
	mkdir -p root/usr/bin root/etc root/var/lib/dpkg/info
	echo 'int main(void) { return 0; }' >p.c
	"${CC:-cc}" -o root/usr/bin/p p.c
	strip root/usr/bin/p
	printf 'ID=debian\nVERSION_CODENAME=bookworm\n' >root/etc/os-release
	mkdir -p root/etc/apt
	printf '# deb http://old/debian bookworm main\ndeb http://mirror.example/debian/ bookworm main\n' >root/etc/apt/sources.list
	for package in libc6 python3.11-minimal libpython3.11 coreutils; do
		rm -f root/var/lib/dpkg/info/*
		echo /usr/bin/p >root/var/lib/dpkg/info/$package:amd64.list
		"$root/tests/perfdata/build" -o p.data - <<-END
			attr name=cycles sample_type=IP,TID,TIME,PERIOD flags=sample_id_all,comm_exec
			comm pid=1 name=p time=1
			mmap2 pid=1 start=0x400000 len=0x1000 off=0x1000 prot=5 name=/usr/bin/p time=1
			sample pid=1 time=2 ip=0x400800 period=1
		END
		output=$("$flamefold" info --symbols --symfs=root --kallsyms=/dev/null p.data)
		case $package in
		libc6) says libc6 ;;
		*python*) says python_package ;;
		*) says package_archive && continue ;;
		esac
		name=${sentence##* }
		apt-cache pkgnames | grep -q . || skip "apt has no lists"
		# Another release has another Python.
		apt-cache policy "${package%-minimal}" | grep -q 'Candidate: [^(]' || continue
		apt-cache policy "$name" | grep -q 'Candidate: [^(]'
	done
	[[ $sentence == *"install coreutils-dbgsym (of the archive 'deb http://mirror.example/debian-debug/ bookworm-debug main')"* ]]
}

# bats test_tags=long
@test "map_missing: Node's and Java's options" {
	need_messages
	need_events
	command -v node >/dev/null || skip "no node"
	cp "$root/tests/jit/hot.js" .
	record_as "flamefold record -g fp" x.data node hot.js
	output=$("$flamefold" info --symbols x.data)
	says map_missing
	option=$(grep -oE -- 'node --[a-z-]+' <<<"$sentence")
	java="java $(grep -oE -- '-XX:[A-Za-z:+]+' <<<"$sentence" | tr '\n' ' ')"
	rm x.data
	# shellcheck disable=SC2086 # a list of words
	record_as "flamefold record -g fp" x.data $option hot.js
	output=$("$flamefold" info --symbols x.data)
	says_no map_missing
	command -v javac >/dev/null || return 0
	cp "$root/tests/jit/Hot.java" .
	javac Hot.java
	rm x.data
	# shellcheck disable=SC2086
	record_as "flamefold record -g fp" x.data $java -XX:+PreserveFramePointer Hot
	"$flamefold" fold -q x.data | grep -q 'Hot.hot'
}

# bats test_tags=long
@test "help, record_pid, record_every, record_window, record_compress: what was meant" {
	need_messages
	need_events
	heard 2 "$flamefold" record --no-such-option
	says help
	remedy flamefold
	"$programs"/$command >/dev/null
	start "$shares" 60 1
	heard 2 "$flamefold" record -F 99 "$pid"
	says record_pid
	# shellcheck disable=SC2046 # an option and its value
	heard 0 "$flamefold" record -q -e cpu-clock -F 997 -d 0.5 $(grep -oE -- '-p [0-9]+' <<<"$sentence") -o x.folded
	grep -q share_60 x.folded
	heard 2 "$flamefold" record --window -d 1 -o x.svg -- true
	says record_window
	heard 0 "$flamefold" record -q -e cpu-clock -F 997 --window "${sentence##* }"=0.5 -o x.svg -- "$shares" 1 1
	heard 2 "$flamefold" record -z -o x.svg -- true
	says record_compress
	heard 0 "$flamefold" record -q -e cpu-clock -F 997 -z -o y.data -- "$shares" 1 1
	heard 0 "$flamefold" record -q -e cpu-clock -F 997 -z --save z.data -o z.svg -- "$shares" 1 1
	heard 2 "$flamefold" record --every 1 -o x.data -- true
	says record_every
	heard 0 "$flamefold" record -q -e cpu-clock -F 997 "$(grep -oE -- '--switch-output' <<<"$sentence")=1" -o each.data -- "$shares" 1 1
	heard 0 "$flamefold" record -q -e cpu-clock -F 997 --every 1 --save w.data -o w.svg -- "$shares" 1 1
}

# bats test_tags=long
@test "filter_cpu, filter_cgroup: samples that say what a filter asks for" {
	need_messages
	need_events
	command -v perf >/dev/null || skip "no perf"
	for filter in cpu=0-4095 cgroup=/; do
		record_as "perf record -q -N" x.data "$shares" 1 1
		heard 1 "$flamefold" fold --only $filter x.data
		says filter_"${filter%%=*}"
		rm x.data
		record_as "$sentence -q -N" x.data "$shares" 1 1
		heard 0 "$flamefold" fold --only $filter x.data
		[[ $output == *share_60* ]]
		says_no filter_"${filter%%=*}"
		rm x.data
	done
}
