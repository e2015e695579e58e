#!/usr/bin/env bats
# What a process has root read for it: nothing that it could not read itself.
bats_require_minimum_version 1.5.0

load events
load sampled

setup_file()
{
	build_program borrowed_map
}

setup()
{
	[ "$(id -u)" -eq 0 ] || skip "only root reads what others may not"
	command -v setpriv >/dev/null || skip "no setpriv"
	case $(uname -m) in x86_64 | aarch64) ;; *) skip "no code for this machine" ;; esac
	need_events
	place=$(mktemp -d /tmp/flamefold-borrowed-XXXXXX)
	chmod 755 "$place"
	cd "$place" || exit 1
	cp "$BATS_FILE_TMPDIR/borrowed_map" .
	echo "7000000000 1000 the_secret_line" >secret
}

teardown()
{
	[ -z "$place" ] || { cd / && rm -rf "$place"; }
}

# sampling PID: it has opened its events.
sampling()
{
	[ ! -d "/proc/$1" ] || ls -l "/proc/$1/fd" 2>/dev/null | grep -q perf_event
}

# sample MODE [WORD]: a process of nobody borrows the file "secret" of that mode; what is said goes to err. It
# lives for $seconds of processor time more when it is sampled.
sample()
{
	local child recorder status=0

	chmod "$1" secret
	rm -f told
	mkfifo told
	setpriv --reuid=65534 --regid=65534 --clear-groups ./borrowed_map "${seconds:-1.5}" "$place/secret" \
		${2+"$2"} >pid <told 3>&- &
	child=$!
	exec 7>told
	until [ -s pid ] || [ ! -d "/proc/$child" ]; do sleep 0.05; done
	"$flamefold" record -F 997 -e cpu-clock -p "$child" -o live.folded 2>err 3>&- 7>&- &
	recorder=$!
	until_true sampling "$recorder"
	exec 7>&-
	wait "$recorder" || status=$?
	wait "$child" || { [ $? -eq 77 ] && skip "no user namespaces for nobody here"; }
	rm -f "/tmp/perf-$child.map"
	return $status
}

unsaid()
{
	[ -s live.folded ]
	[ "$(grep -c the_secret_line live.folded err)" = $'live.folded:0\nerr:0' ] || { cat live.folded err; return 1; }
}

@test "a file that only root may read is not read as the map of a process that has mounted it there" {
	sample 600
	unsaid
}

@test "nor where the process may not be dumped, and procfs says that it is root's" {
	sample 600 undumpable
	unsaid
}

@test "what the process's own user has written counts, in its own namespaces, too" {
	chown 65534 secret
	sample 600
	grep the_secret_line live.folded
	chown 0 secret
}

@test "also where the process has ended before a second is over" {
	chown 65534 secret
	seconds=0.3 sample 600
	grep the_secret_line live.folded
	chown 0 secret
}

@test "but not with a second name: somebody else may have linked a file of that user's there" {
	chown 65534 secret
	ln secret twin
	sample 600
	unsaid
}
