#!/usr/bin/env bats
# What another user has put where a file is to be written: nothing of it leads root's files elsewhere.
bats_require_minimum_version 1.5.0

load events
load sampled

NOBODY=65534

setup_file()
{
	build_program shares
	"${CC:-cc}" -D_GNU_SOURCE -O1 -shared -fPIC -Wall -Wextra -o "$BATS_FILE_TMPDIR/plant.so" "$root/tests/cli/planted/plant.c" -ldl
}

# A directory like /tmp, in one that everybody can come to.
setup()
{
	[ "$(id -u)" -eq 0 ] || skip "files of another user are made by root"
	command -v setpriv >/dev/null || skip "no setpriv"
	place=$(mktemp -d /tmp/flamefold-planted-XXXXXX)
	chmod 755 "$place"
	cd "$place" || exit 1
	mkdir -m 1777 all
	mkdir -m 700 own
	echo secret >own/victim
	chmod 644 own/victim
	printf 'main;a;b 60\nmain;c 40\n' >in.folded
	shares=$BATS_FILE_TMPDIR/shares
}

teardown()
{
	[ -z "$place" ] || { cd / && rm -rf "$place"; }
}

as_nobody()
{
	setpriv --reuid=$NOBODY --regid=$NOBODY --clear-groups "$@"
}

# refused PATH WORD...: with this sentence, and the victim is what it was.
refused()
{
	local path=$1 why=${why:-"another user's symbolic link is in the way"}

	shift
	run --separate-stderr "$flamefold" "$@"
	[ "$status" -eq 1 ] || { echo "status $status: $stderr"; return 1; }
	[[ $stderr == *"cannot write '$path': $why"* ]] || { echo "said: $stderr"; return 1; }
	untouched
}

untouched()
{
	[ "$(cat own/victim)" = secret ] || { echo "the victim was written to"; return 1; }
	[ "$(stat -c '%a %u %h' own/victim)" = "644 0 1" ]
	[ "$(ls own)" = victim ] || { ls own; return 1; }
}

@test "a symbolic link of another user in a directory of everybody is not written through" {
	as_nobody ln -s "$place/own/victim" all/x.svg
	as_nobody ln -s "$place/own/new.svg" all/new.svg
	as_nobody ln -s "$place/own" all/dir
	refused all/x.svg -o all/x.svg in.folded
	refused all/new.svg -o all/new.svg in.folded
	refused all/dir/y.svg -o all/dir/y.svg in.folded
	refused all/x.svg info -f json -o all/x.svg in.folded
	refused "$place/all/x.svg" -o "$place/all/x.svg" in.folded
	# Nor by a link of one's own that leads to it.
	ln -s all/x.svg mine.svg
	refused mine.svg -o mine.svg in.folded
}

@test "links of one's own, and of the directory's owner, are followed as ever" {
	ln -s ../own/a.svg all/a.svg
	"$flamefold" -o all/a.svg in.folded
	[ -L all/a.svg ]
	grep -q '<svg' own/a.svg
	chown $NOBODY all
	as_nobody ln -s "$place/own/b.svg" all/b.svg
	"$flamefold" -o all/b.svg in.folded
	grep -q '<svg' own/b.svg
}

@test "the same of a perf.data: --save, -o FILE.data and --switch-output" {
	need_events
	as_nobody ln -s "$place/own/victim" all/x.data
	as_nobody ln -s "$place/own" all/dir
	local run=(record -q -F 997 -e cpu-clock)
	refused all/x.data "${run[@]}" --save all/x.data -o y.folded -- "$shares" 1 1
	refused all/x.data "${run[@]}" -o all/x.data -- "$shares" 1 1
	refused all/dir/x.data "${run[@]}" -o all/dir/x.data -- "$shares" 1 1
	run --separate-stderr "$flamefold" "${run[@]}" --switch-output=1 -o all/dir/x.data -- "$shares" 1 1
	[[ $stderr == *"another user's symbolic link is in the way"* ]]
	untouched
}

@test "what is moved aside goes over a planted link, not through it" {
	need_events
	echo before >all/x.data
	as_nobody ln -s "$place/own/victim" all/x.data.old
	"$flamefold" record -q -F 997 -e cpu-clock -o all/x.data -- "$shares" 1 1 >/dev/null
	untouched
	[ ! -L all/x.data.old ]
	[ "$(cat all/x.data.old)" = before ]
	[ "$(stat -c '%a %u' all/x.data)" = "600 0" ]
}

@test "a perf.data does not go into an empty file of another user, nor into one with a second name" {
	need_events
	as_nobody install -m 666 /dev/null all/x.data
	exec 7<all/x.data
	"$flamefold" record -q -F 997 -e cpu-clock -o all/x.data -- "$shares" 1 1 >/dev/null
	[ -z "$(cat <&7)" ]
	[ "$(stat -c '%a %u' all/x.data)" = "600 0" ]
	: >own/empty
	ln own/empty all/y.data
	"$flamefold" record -q -F 997 -e cpu-clock -o all/y.data -- "$shares" 1 1 >/dev/null
	[ ! -s own/empty ]
	[ -s all/y.data ]
	# One's own, made for it, keeps its mode.
	install -m 640 /dev/null z.data
	"$flamefold" record -q -F 997 -e cpu-clock -o z.data -- "$shares" 1 1 >/dev/null
	[ "$(stat -c '%a %u' z.data)" = "640 0" ]
	[ -s z.data ]
}

@test "the palette map, too" {
	as_nobody ln -s "$place/own/victim" all/palette.map
	cd all
	run --separate-stderr "$flamefold" --cp -o "$place/x.svg" "$place/in.folded"
	cd ..
	[ "$status" -eq 1 ]
	[[ $stderr == *"'palette.map': another user's symbolic link is in the way"* ]]
	untouched
	rm all/palette.map
	# One's own link stays, and so does the mode of what it leads to.
	ln -s own/colours palette.map
	install -m 600 /dev/null own/colours
	"$flamefold" --cp -o x.svg in.folded
	[ -L palette.map ]
	[ "$(stat -c %a own/colours)" = 600 ]
	grep -q '^main->rgb' own/colours
}

@test "a pipe of another user in a directory of everybody is not written to" {
	as_nobody mkfifo -m 666 all/x.svg
	setpriv --reuid=$NOBODY --regid=$NOBODY --clear-groups timeout 600 cat all/x.svg >read 3>&- & reader=$!
	why="another user's pipe is in the way" refused all/x.svg -o all/x.svg in.folded
	kill $reader
	wait $reader || [ ! -s read ]
}

@test "a file of another user is replaced, and nobody may more with it than before" {
	as_nobody install -m 602 /dev/null all/x.svg
	ln all/x.svg own/twin
	"$flamefold" -o all/x.svg in.folded
	[ "$(stat -c '%a %u' all/x.svg)" = "600 0" ]
	[ ! -s own/twin ]
	install -m 640 /dev/null own.svg
	"$flamefold" -o own.svg in.folded
	[ "$(stat -c '%a %u' own.svg)" = "640 0" ]
}

@test "a second name of a file that everybody may write to makes no output that everybody may write to" {
	install -m 666 /dev/null all/open
	ln all/open all/x.svg
	"$flamefold" -o all/x.svg in.folded
	[ "$(stat -c '%a %u' all/x.svg)" = "644 0" ]
	[ ! -s all/open ]
	cd all
	install -m 666 /dev/null open.map
	ln open.map palette.map
	"$flamefold" --cp -o ../x.svg ../in.folded
	[ "$(stat -c '%a %u' palette.map)" = "644 0" ]
}

# planted_at_each_step NAME WORD...: flamefold writes all/NAME, and at each of its steps in turn a link to the
# victim is put there.
planted_at_each_step()
{
	local name=$1 i

	shift
	for i in {1..25}; do
		rm -f "all/$name"
		# shellcheck disable=SC2030 # for it alone
		(
			export PLANT_NAME=$name PLANT_PATH=$place/all/$name PLANT_TARGET=$place/own/victim
			export PLANT_USER=$NOBODY PLANT_AT=$i LD_PRELOAD=$BATS_FILE_TMPDIR/plant.so
			"$flamefold" "$@" >/dev/null 2>&1
		) || true
		untouched || { echo "planted before call $i"; return 1; }
	done
	# The last one came too late for all.
	[ ! -L "all/$name" ]
}

# Sanitizers want to be the first library.
need_preload()
{
	LD_PRELOAD=$BATS_FILE_TMPDIR/plant.so "$flamefold" --version >/dev/null 2>&1 || skip "nothing can be preloaded here"
}

@test "a link that is planted at any moment is not followed, either" {
	need_preload
	planted_at_each_step x.svg -o all/x.svg in.folded
	planted_at_each_step x.json info -f json -o all/x.json in.folded
}

@test "nor one in the place of a perf.data" {
	need_preload
	need_events
	planted_at_each_step x.data record -F 997 -e cpu-clock -o all/x.data -- /bin/true
}
