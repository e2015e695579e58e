#!/usr/bin/env bats
# flamefold archive: what was acknowledged is there, whoever is killed when, however full the disk is and
# whatever somebody has made of the files.
# bats file_tags=long
bats_require_minimum_version 1.5.0

load recordings

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	export TMPDIR=$BATS_TEST_TMPDIR/tmp
	mkdir -p tmp
}

archive()
{
	timeout 300 "$flamefold" archive "$@"
}

# profiles FROM TO: r/FROM.ff to r/TO.ff, a few stacks each.
profiles()
{
	mkdir -p r
	for i in $(seq "$1" "$2"); do
		printf 'a;b %d\na;c%d 2\nhost%d 1\n' "$i" $((i % 7)) "$i" >r/"$i".folded
		"$flamefold" merge -q r/"$i".folded -o r/"$i".ff
	done
}

# sum NAME...: their stacks as folded text.
sum()
{
	for name; do
		cat "${name%.ff}.folded"
	done | "$flamefold" fold -q -
}

@test "who is killed while adding has lost nothing that was acknowledged" {
	profiles 1 60
	: >acknowledged
	RANDOM=7
	for round in $(seq 25); do
		# One at a time, so that there is much to be killed in.
		# shellcheck disable=SC2016 # not for this shell
		setsid bash -c 'for i in $(seq 60); do
			"$0" archive add n r/$(((i * 7 + $1) % 60 + 1)).ff || exit
		done' "$flamefold" "$round" >said 2>errors &
		shell=$!
		sleep 0.$((RANDOM % 90 + 10))
		# All of its session: what adds, too.
		kill -9 -- -$shell 2>/dev/null || :
		wait $shell 2>/dev/null || :
		sed -n 's/^added //p' said >>acknowledged
		[ -s acknowledged ] || continue
		archive check n 2>found || { cat found; false; }
		run ! grep -v removed found
		archive ls n -f json | jq -r '.[].recording' | sed 's/folded$/ff/; s|^|r/|' | sort >there
		sort -u acknowledged | comm -23 - there >lost
		[ ! -s lost ] || { cat lost; false; }
		# shellcheck disable=SC2046 # words
		sum $(cat there) | diff - <(archive query n -q -f folded)
		# Nothing is left of those who were killed.
		[ -z "$(ls n/tmp)" ]
		[ "$(find n/parts -type f | wc -l)" = "$(wc -l <there)" ]
	done
	[ "$(wc -l <there)" -gt 5 ]
	archive add -q n r/*.ff
	sum r/*.ff | diff - <(archive query n -q -f folded)
	archive check n
}

@test "who is killed while compacting or expiring has lost nothing" {
	profiles 1 40
	RANDOM=3
	for i in $(seq 40); do
		archive add -q n --recorded "2026-11-$((i % 9 + 10))T0$((i % 5))" r/"$i".ff
	done
	sum r/*.ff >all
	cp -r n before
	for round in $(seq 20); do
		rm -rf n
		cp -r before n
		timeout -s KILL 0.0$((RANDOM % 60 + 5)) "$flamefold" archive compact -q n $((round % 2)) 2>/dev/null || :
		timeout -s KILL 0.0$((RANDOM % 60 + 5)) "$flamefold" archive compact -q n day 2>/dev/null || :
		archive query n -q -f folded | diff - all
		archive check n 2>found || { cat found; false; }
		[ "$(find n/parts -type f | wc -l)" = "$(archive ls n -f json | jq -r '.[] | "\(.part) \(if .part == "day" then .began[:10] else .recording end)"' | sort -u | wc -l)" ]
		timeout -s KILL 0.0$((RANDOM % 30 + 5)) "$flamefold" archive expire -q n --older-than 1h --until 2026-11-15 >said || :
		archive check n 2>found || { cat found; false; }
		archive query n --since 2026-11-15 -q -f folded >/dev/null
	done
}

@test "two who add at once, one who compacts and one who asks do not disturb each other" {
	profiles 1 80
	archive add -q n --recorded 2026-11-26 r/1.ff
	(for i in $(seq 2 40); do archive add -q n --recorded 2026-11-26 r/"$i".ff || exit 1; done) 2>1.errors &
	first=$!
	(for i in $(seq 20 80); do archive add -q n --recorded 2026-11-26 r/"$i".ff || exit 1; done) 2>2.errors &
	second=$!
	(for i in $(seq 8); do archive compact -q n hour || exit 1; done) 2>3.errors &
	third=$!
	(for i in $(seq 8); do archive query -q n -f folded >/dev/null || exit 1; done) 2>4.errors &
	fourth=$!
	wait $first && wait $second && wait $third && wait $fourth || { cat ?.errors; false; }
	archive check n
	[ "$(archive ls n -f json | jq length)" = 80 ]
	sum r/*.ff | diff - <(archive query n -q -f folded)
	# All at once on one that is not there yet.
	for i in 1 2 3 4; do
		archive add -q m r/"$i".ff r/5.ff 2>$i.errors &
	done
	wait
	cat ?.errors
	[ "$(archive ls m -f json | jq length)" = 5 ]
	archive check m
}

@test "a damaged part is named, and others are merged" {
	profiles 1 5
	archive add -q n r/*.ff
	part=$(find n/parts -type f | sort | sed -n 2p)
	size=$(stat -c %s "$part")
	cp "$part" whole
	# Each of its bytes.
	for at in $(seq 0 11 $((size - 1))); do
		cp whole "$part"
		printf '\125' | dd of="$part" bs=1 seek="$at" conv=notrunc status=none
		cmp -s whole "$part" && continue
		run -1 archive check n
		[[ $output == *"'$part' is damaged"* ]]
		[[ $output == *"'n': 1 problems"* ]]
	done
	head -c $((size / 2)) whole >"$part"
	run -3 archive query n -f folded -o x.folded
	[[ $output == *"refused '$part'"* ]]
	[ "$(wc -l <x.folded)" -ge 5 ]
	run -0 archive compact n day
	rm "$part"
	run -1 archive check n
	[[ $output == *"'$part': No such file or directory"* ]]
	run -3 archive query n -f folded -o x.folded
	# Another profile file in its place has the wrong name.
	cp "$(find n/parts -type f | head -n 1)" "$part"
	run -1 archive check n
	[[ $output == *"'$part' is damaged"* ]]
	cp whole "$part"
	archive check n
}

@test "the index and the parts say the same, or check says what is wrong" {
	profiles 1 3
	"$build" -o 4.data - <<-END
	attr name=cpu-clock sample_type=IP,TID,TIME,PERIOD
	comm pid=1 name=four
	sample pid=1 time=5 period=10 ip=0x10
	END
	archive add -q n --label k=v r/*.ff 4.data
	cp -r n good
	while IFS='|' read -r change sentence; do
		rm -rf n
		cp -r good n
		python3 - "$change" <<-'END'
		import sqlite3, sys
		db = sqlite3.connect("n/index.db")
		db.execute(sys.argv[1])
		db.commit()
		END
		run -1 archive check n
		[[ $output == *"$sentence"* ]] || { echo "$change: $output"; false; }
	done <<-'END'
	UPDATE file SET weight = weight + 1 WHERE id = 2|by the index
	UPDATE file SET weight = weight + 1 WHERE id = 2|functions of '2.folded' weigh 5 of 6
	UPDATE file SET decimals = -9223372036854775807 WHERE id = 2|and 0 by the index
	UPDATE file SET samples = 9 WHERE id = 4|has 1 samples, and 9 by the index
	UPDATE file_symbol SET self = self - 1 WHERE file = 1 AND self > 0|functions of '1.folded' weigh
	DELETE FROM input WHERE file = 1|nothing says what '1.folded' was made of
	UPDATE input SET sha256 = zeroblob(32) WHERE file = 3|has 1 inputs, and the index 1, of which 0 are the same
	UPDATE part SET sha256 = x'00' WHERE id = 1|a part has no hash
	INSERT INTO part VALUES(9, zeroblob(32), 0, 0)|is of no recording
	UPDATE label SET file = 99 WHERE file = 1|refers to one of file that is not there
	END
}

@test "a day of many recordings goes as one that has not as many" {
	profiles 1 1
	archive add -q n --recorded 2026-11-01 r/1.ff
	# Half of them in another part.
	python3 - <<-'END'
	import sqlite3
	db = sqlite3.connect("n/index.db")
	db.execute("INSERT INTO part VALUES(2, zeroblob(32), 2, 5)")
	for i in range(2, 40001):
	    db.execute("INSERT INTO file SELECT ?, ?, name, host, kernel, event, unit, start_ns, end_ns, decimals, samples, weight, lost, truncated FROM file WHERE id = 1", (i, i % 2 + 1))
	db.commit()
	END
	# Each asked for of each other one would take minutes.
	timeout 60 "$flamefold" archive expire n --older-than 1000d --dry-run
	timeout 60 "$flamefold" archive expire n --older-than 1d >gone
	[ "$(wc -l <gone)" = 40000 ]
}

@test "a damaged or hostile index is a sentence" {
	profiles 1 20
	archive add -q n --label k=v r/*.ff
	cp n/index.db whole
	size=$(stat -c %s whole)
	printf 'no database at all, but long enough to be looked at' >n/index.db
	for words in "ls n" "query n" "check n" "add n r/1.ff" "compact n day" "expire n --older-than 1d"; do
		# shellcheck disable=SC2086 # words
		run -1 archive $words
		[[ $output == "flamefold: "*"'n/index.db' is damaged"* ]] || { echo "$output"; false; }
	done
	# Nothing crashes, and nothing is silent, wherever it is damaged.
	for at in $(seq 100 997 "$size"); do
		cp whole n/index.db
		printf '\377\377\377\377\377\377\377\377' | dd of=n/index.db bs=1 seek="$at" conv=notrunc status=none
		for words in "ls n" "query n -q -f folded" "check n"; do
			# shellcheck disable=SC2086 # words
			run archive $words
			[ "$status" = 0 ] || [ "$status" = 1 ] || [ "$status" = 3 ] || { echo "$at $words: $status $output"; false; }
		done
	done
	head -c $((size / 2)) whole >n/index.db
	run -1 archive check n
	# What somebody else has put in is not run.
	for evil in "CREATE TRIGGER t AFTER INSERT ON file BEGIN DELETE FROM label; END" "CREATE VIEW v AS SELECT 1" \
		"CREATE TABLE x(y)" "DROP INDEX file_of_time" "PRAGMA application_id=1"; do
		cp whole n/index.db
		python3 -c 'import sqlite3, sys; db = sqlite3.connect("n/index.db"); db.execute(sys.argv[1]); db.commit()' "$evil"
		run -1 archive ls n
		[[ $output == *"'n/index.db' is not the index of an archive, or somebody has changed its tables"* ]]
	done
	# A part's hash may be a text, which has a length as well; what an index has forgotten then stays.
	cp whole n/index.db
	find n/parts -name '*.ff' | sort >before
	python3 - <<-'END'
	import sqlite3
	def run(*words, schema=False):
	    db = sqlite3.connect("n/index.db")
	    db.execute(f"PRAGMA writable_schema={int(schema)}")
	    got = db.execute(*words).fetchall()
	    db.commit()
	    db.close()
	    return got
	(sql,), = run("SELECT sql FROM sqlite_schema WHERE name='part'")
	run("UPDATE sqlite_schema SET sql=replace(sql, ' STRICT', '') WHERE name='part'", schema=True)
	run("UPDATE part SET sha256=? WHERE id=1", ("\u00e9" * 32,))
	run("UPDATE sqlite_schema SET sql=? WHERE name='part'", (sql,), schema=True)
	END
	run -1 archive check n
	[[ $output == *"the index: a part has no hash"* ]]
	find n/parts -name '*.ff' | sort | cmp - before
	# Nor is a database of others changed in any way.
	mkdir theirs
	python3 -c 'import sqlite3; db = sqlite3.connect("theirs/index.db"); db.execute("CREATE TABLE x(y)"); db.commit()'
	cp theirs/index.db before
	run -1 archive add theirs r/1.ff
	[[ $output == *"is not the index of an archive"* ]]
	cmp before theirs/index.db
	# Who made it was ended before anything was in it.
	mkdir begun
	archive add begun r/1.ff
	: >begun/index.db
	run -1 archive ls begun
	[[ $output == *"'begun' is no archive yet: nothing has been added to it"* ]]
	archive add begun r/1.ff
	archive check begun
	cp whole n/index.db
	python3 -c 'import sqlite3; db = sqlite3.connect("n/index.db"); db.execute("PRAGMA user_version=2")'
	run -1 archive ls n
	[[ $output == *"is of a newer flamefold"* ]]
	# Its parts are profile files, of which another one is made.
	run -0 archive add -q m n/parts/*/*.ff
	sum r/*.ff | diff - <(archive query m --label k=v -q -f folded)
}

@test "a file that may not be larger, and a disk that is full, cost nothing that was there" {
	profiles 1 3
	"$root"/tests/bench/tree.py 30000 >large.folded
	archive add -q n r/*.ff
	(ulimit -f 100; run -1 archive add n large.folded; [[ $output == *"cannot write "* ]])
	archive check n
	sum r/*.ff | diff - <(archive query n -q -f folded)
	[ -z "$(ls n/tmp)" ]
	unshare -rm true 2>/dev/null || skip "no mounts here"
	mkdir disk
	# shellcheck disable=SC2016 # not for this shell
	unshare -rm bash -ec '
		flamefold=$1
		# Whatever it is that finds no room first.
		for size in 24 64 84 200; do
			mount -t tmpfs -o size=${size}k none disk
			"$flamefold" archive add disk/n large.folded >why 2>&1 && exit 1
			cat why
			grep -qi "cannot write.*\(no space left\|disk is full\)" why
			grep -q "disk/n" why
			umount disk
		done
		mount -t tmpfs -o size=600k none disk
		"$flamefold" archive add -q disk/n r/1.ff
		for i in $(seq 300); do
			printf "f$i;g%d $i\n" $(seq 200) >x.folded
			"$flamefold" archive add disk/n x.folded >said 2>why || break
			"$flamefold" archive ls disk/n >/dev/null
			grep -q "^added" said
			last=$i
		done
		cat why
		grep -qi "no space left" why
		"$flamefold" archive check disk/n
		[ "$("$flamefold" archive ls disk/n -f csv | wc -l)" = $((last + 2)) ]
		"$flamefold" archive query disk/n -q -f folded | grep -q "^f$last;"
	' bash "$flamefold"
}

@test "who may only read can ask" {
	profiles 1 3
	archive add -q n r/*.ff
	where=$(mktemp -d /tmp/archive-XXXXXX)
	cp -r n "$where/n"
	chmod -R a+rX,a-w "$where"
	as=
	[ "$(id -u)" != 0 ] || as="setpriv --reuid 65534 --clear-groups"
	if $as true 2>/dev/null; then
		TMPDIR=/tmp $as "$flamefold" archive ls "$where/n" -f json >ls || bad=1
		TMPDIR=/tmp $as "$flamefold" archive query "$where/n" -q -f folded >stacks || bad=1
		TMPDIR=/tmp $as "$flamefold" archive add "$where/n" r/1.ff 2>why && bad=1
	else
		bad=skipped
	fi
	chmod -R u+w "$where"
	rm -rf "$where"
	[ "${bad:-}" != skipped ] || skip "no other user"
	[ -z "${bad:-}" ]
	jq -e 'length == 3' ls
	sum r/*.ff | diff - stacks
	grep -q 'Permission denied\|readonly' why
}
