# What the tests that record live share: load events
# shellcheck shell=bash

load here

# The kernel's word, not flamefold's: opens the CPU clock, for this process, or, asked for
# "system", for processor 0.
may_sample()
{
	python3 - "${1:-process}" <<-'END'
	import ctypes, os, platform, struct, sys
	number = {"x86_64": 298, "aarch64": 241}[platform.machine()]
	attr = bytearray(128)
	# type software, size, config cpu-clock, period; disabled, exclude_kernel, exclude_hv
	struct.pack_into("<IIQQQQQ", attr, 0, 1, 128, 0, 1000000, 0, 0, 1 | 1 << 5 | 1 << 6)
	pid, cpu = (-1, 0) if sys.argv[1] == "system" else (0, -1)
	libc = ctypes.CDLL(None, use_errno=True)
	fd = libc.syscall(number, (ctypes.c_char * 128).from_buffer(attr), pid, cpu, -1, ctypes.c_ulong(8))
	if fd < 0:
	    sys.exit(os.strerror(ctypes.get_errno()))
	END
}

# need_events [system]: skips where the kernel does not permit them.
need_events()
{
	local why

	command -v python3 >/dev/null || skip "no python3 to ask the kernel for events"
	why=$(may_sample "$@" 2>&1) || skip "events are not permitted here: ${why##*$'\n'}"
}

# Tracepoints, those of the whole machine.
need_mode_events()
{
	need_events system
	need_tracefs
	[ "$(id -u)" -eq 0 ] || skip "tracepoints with their fields are for root"
}

# build_program NAME [OPTION...]: tests/live/NAME.c -> $BATS_FILE_TMPDIR/NAME
build_program()
{
	local name=$1

	shift
	"${CC:-cc}" -O2 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -pthread -Wall -Wextra "$@" \
		-o "$BATS_FILE_TMPDIR/$name" "$root/tests/live/$name.c"
}

# under_own_name PROGRAM: makes ./own-PID of it, a comm that nothing else has that runs at the same time: what
# another test runs may be gone, and its names with it, when a file is read. Prints "own-PID".
under_own_name()
{
	cp "$1" "own-$$" && echo "own-$$"
}

# in_background COMMAND...: its id is in $pid, and in $started, which end_started ends.
in_background()
{
	"$@" >/dev/null 2>&1 3>&- &
	pid=$!
	started="$started $pid"
}

end_started()
{
	for pid in $started; do
		kill -9 "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
}

# until_true COMMAND...: waits for that, however busy the machine is; what is stuck fails in the end.
until_true()
{
	local tries

	for ((tries = 0; tries < 9000; tries++)); do
		! "$@" || return 0
		sleep 0.1
	done
	echo "never: $*"
	return 1
}

# worked PID HUNDREDTHS: the process has had so much processor time.
worked()
{
	[ "$(awk '{ sub(/.*[)] /, ""); print $12 + $13 }' "/proc/$1/stat")" -ge "$2" ]
}

# Live, with what goes wrong in a file: record OPTION...
record()
{
	timeout 900 "$flamefold" record "$@"
}

# share TEXT FOLDED: percent of the weight of folded text whose line has the text.
share()
{
	awk -v text="$1" '{ all += $NF; if (index($0, text)) some += $NF }
		END { printf "%.2f\n", all ? 100 * some / all : -1 }' "$2"
}

# between LOW VALUE HIGH
between()
{
	awk -v low="$1" -v value="$2" -v high="$3" 'BEGIN { exit !(low <= value && value <= high) }' ||
		{ echo "$2 is not between $1 and $3"; return 1; }
}

# near WANTED VALUE POINTS
near()
{
	awk -v want="$1" -v value="$2" -v points="$3" \
		'BEGIN { exit !(want - points <= value && value <= want + points) }' ||
		{ echo "$2 is more than $3 from $1"; return 1; }
}
