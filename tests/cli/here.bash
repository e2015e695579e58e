# Where the tree of the tests is, and the command they test: load here
# shellcheck shell=bash

root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
flamefold=$(cd "$root" && realpath "${FLAMEFOLD:-build/flamefold}")

# need_tracefs [EVENT]: skips where the format of a tracepoint cannot be read.
need_tracefs()
{
	[ -r "/sys/kernel/tracing/events/${1:-sched/sched_switch}/format" ] || skip "tracefs cannot be read"
}

# Skips where perf record opens tracepoints and leaves out which fields they have. At its end it looks for tracefs
# from the root of its mount namespace, as it has visited those of others: of a chroot that is outside.
need_fields_by_perf()
{
	local asked=$BATS_FILE_TMPDIR/fields.data

	command -v perf >/dev/null || skip "no perf"
	[ -e "$asked" ] || perf record -q -e sched:sched_switch -a -o "$asked" -- true >/dev/null 2>&1 || true
	[ ! -e "$asked" ] || grep -q Dtracing "$asked" || skip "perf record leaves out which fields tracepoints have"
}
