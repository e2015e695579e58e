#!/usr/bin/env bats
# Every remedy that a message names is followed, and has to mend what the message is about.
# tests/hints/table lists them; the words come from the message, not from here.
bats_require_minimum_version 1.5.0

load events

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
	# Where the compiler has left its objects: hints.py reads the messages in them.
	O=$(cd "$root" && realpath "${O:-build}")
	export O
	unset output sentence
	mkdir "$programs/$BATS_TEST_NUMBER"
	cd "$programs/$BATS_TEST_NUMBER" || exit 1
	chmod 777 .
	: >"$BATS_TEST_TMPDIR/sysctls"
}

teardown()
{
	for pid in $started; do
		kill -9 "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
	# The first value of each is the machine's.
	tac "$BATS_TEST_TMPDIR/sysctls" | while read -r setting; do sysctl -qw "$setting"; done
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
	"$@" >/dev/null 2>&1 3>&- &
	pid=$!
	started="$started $pid"
	sleep 0.3
}

# heard CODE COMMAND...: its words are in $output.
heard()
{
	local code=$1

	shift
	run timeout 60 "$@"
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
@test "files_events, files_ulimit, files_prlimit: as many open files as threads take" {
	need_root
	set_sysctl kernel.perf_event_paranoid=0
	start "${as_nobody[@]}" "$shares" 300 60
	processors=$(nproc)
	threads=$(ls /proc/"$pid"/task | wc -l)
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

@test "files_proc: as many open files as /proc takes" {
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

# lost_with OPTION...: how many records are lost where flamefold is not run at all before its
# command has ended: as many as its ring does not hold; $output has what is said.
lost_with()
{
	heard 0 taskset -c 0 nice -n 19 "$programs/flamefold" record -e cpu-clock -o x.folded "$@" -- nice -n -20 "$shares" 0.5 8
	# "the kernel dropped records, for its rings were full: 7 on processor 0, 3 on processor 1"
	lost=$(grep -oE '[0-9]+ on processor' <<<"$output" | awk '{ n += $1 } END { print n + 0 }')
}

# The other options stay as they are; the last of two of a kind counts.
@test "lost: each option that is named loses fewer" {
	need_root
	taskset -c 0 nice -n -20 true || skip "no processor 0, or no right to be urgent there"
	for given in "-F 2000 -m 4k" "-c 500000 -m 4k" "-F 2000 -g dwarf,8192 -m 512k"; do
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
			echo "$given: $most lost; with $option: $lost"
			[ "$lost" -lt "$most" ]
		done < <(sed 's/, /\n/g' <<<"$options")
	done
}

# The numbers of events are of root and of a group, for all mounts of it.
tracefs_back()
{
	unshare -m --propagation private bash -c 'mount -t tracefs nodev /sys/kernel/tracing; mount -o remount,mode=700,gid=0 /sys/kernel/tracing'
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
	unshare -m --propagation private mount -t tracefs nodev /sys/kernel/tracing 2>/dev/null || skip "no tracefs, or no mounts of one's own"
	mode=$(stat -c %a:%g /sys/kernel/tracing)
	set_sysctl kernel.perf_event_paranoid=1
	tracefs_back
	tracing_as_nobody 1 "mount -t tracefs nodev /sys/kernel/tracing"
	says tracefs_rights
	remedy "sudo mount"
	before="mount -t tracefs nodev /sys/kernel/tracing; sudo() { \"\$@\"; }; $command"
	tracing_as_nobody 0 "$before"
	says_no tracefs_rights
	# The way it was before: the directory is readable, the numbers are not.
	tracefs_back
	tracing_as_nobody 1 "mount -t tracefs nodev /sys/kernel/tracing; mount -o remount,mode=755 /sys/kernel/tracing"
	says tracefs_rights
	tracefs_back
	tracing_as_nobody 1 ":"
	says tracefs_mount
	says tracefs_group
	says tracefs_mount
	remedy "sudo mount"
	tracing_as_nobody 0 "sudo() { \"\$@\"; }; $command"
	tracefs_back
	[ "$(stat -c %a:%g /sys/kernel/tracing)" = "$mode" ]
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
