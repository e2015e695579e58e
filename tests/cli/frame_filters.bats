#!/usr/bin/env bats
# --only and --drop with symbol and dso: what is kept of stacks by the names of their frames.
bats_require_minimum_version 1.5.0

load recordings

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	export FLAMEFOLD=$flamefold
}

# Two processes whose stacks go through a program and two libraries; alpha is a process, too.
setup_file()
{
	cd "$BATS_FILE_TMPDIR" || exit 1
	command -v gcc >/dev/null || return 0
	for name in app libone libtwo; do
		# A chain has what is behind a call.
		for function in alpha beta; do
			printf '__asm__(".globl %s\\n.type %s,@function\\n%s: nop\\ncall 1f\\n1: pop %%rax\\nret\\n.size %s,.-%s");\n' \
				${name}_$function ${name}_$function ${name}_$function ${name}_$function ${name}_$function
		done >$name.c
		gcc -O1 -shared -fPIC -o $name.so $name.c
	done
	address() {
		printf '0x%x' $((6 + $2 + 0x$(nm "$1.so" | awk -v name="$1_$3" '$3 == name { print $1 }')))
	}
	{
		echo "attr name=cycles sample_type=IP,TID,TIME,PERIOD,CALLCHAIN flags=sample_id_all"
		echo "feature arch=x86_64"
		for pid in 1 2; do
			echo "comm pid=$pid name=$([ $pid = 1 ] && echo sh || echo alpha) time=1"
			base=$((0x10000000))
			for name in app libone libtwo; do
				read -r offset address size < <(readelf -lW $name.so | awk '/LOAD.*R E/ { print $2, $3, $6 }')
				echo "mmap2 pid=$pid start=$((base + address)) len=$size off=$offset prot=5 name=$PWD/$name.so time=1"
				base=$((base + 0x10000000))
			done
		done
		a=$(address app 0x10000000 alpha) b=$(address app 0x10000000 beta)
		c=$(address libone 0x20000000 alpha) d=$(address libone 0x20000000 beta)
		e=$(address libtwo 0x30000000 alpha)
		echo "sample pid=1 time=10 ip=$a period=1 chain=U,$a"
		echo "sample pid=1 time=11 ip=$c period=10 chain=U,$c,$a"
		echo "sample pid=1 time=12 ip=$d period=100 chain=U,$d,$a"
		echo "sample pid=2 time=13 ip=$e period=1000 chain=U,$e,$b"
		echo "sample pid=2 time=14 ip=$b period=10000 chain=U,$b"
		echo "sample pid=2 time=15 ip=0x90000000 period=100000 chain=U,0x90000000"
	} >frames.pd
	"$BATS_TEST_DIRNAME/../perfdata/build" -o frames.data frames.pd
}

need_recording()
{
	command -v gcc >/dev/null || skip "no gcc"
	data=$BATS_FILE_TMPDIR/frames.data
}

# keeps WEIGHT OPTION...: of the recording, of its picture, and both conserve what was there.
keeps()
{
	local wanted=$1 said
	shift
	"$flamefold" fold --quiet "$@" "$data" >kept
	[ "$(total kept)" = "$wanted" ] || { cat kept; return 1; }
	"$flamefold" -o all.svg --quiet "$data"
	"$flamefold" fold --quiet "$@" all.svg | diff kept -
	said=$("$flamefold" fold --stats --quiet "$@" "$data" 2>&1 >/dev/null)
	[[ $said =~ "weight read"\ +111,111 ]]
	[[ ${said//,/} =~ "weight in the tree"\ +$wanted ]]
	[ "$wanted" = 111111 ] || [[ ${said//,/} =~ "weight filtered out"\ +$((111111 - wanted)) ]]
}

@test "a stack passes where any of its frames matches" {
	need_recording
	keeps 111111
	keeps 111 --only symbol=app_alpha
	keeps 10 --only symbol=libone_alpha
	keeps 1111 --only 'symbol=alpha$'
	keeps 11100 --only symbol=beta
	keeps 110 --only 'symbol=^libone_(alpha|beta)$'
	keeps 111 --only 'symbol=(?i)^APP_ALPHA'
}

@test "dso is the path of the object, as recorded" {
	need_recording
	keeps 110 --only dso=libone
	keeps 1110 --only 'dso=/lib[a-z]+\.so$'
	keeps 11111 --only 'dso=app\.so$'
	keeps 111001 --drop dso=libone
	keeps 100000 --drop 'dso=\.so'
}

@test "the process is no function: comm asks for it" {
	need_recording
	keeps 1111 --only symbol=alpha
	keeps 110000 --drop symbol=alpha
	run -1 "$flamefold" fold --only 'symbol=^alpha$' "$data"
	[[ $output == *"no samples: the filters left none of 6"* ]]
}

@test "the same key again: or; different keys: and, of any frames" {
	need_recording
	keeps 1010 --only symbol=libone_alpha --only symbol=libtwo
	keeps 110 --only symbol=app_alpha --only dso=libone
	keeps 10 --only symbol=app_alpha --only dso=libone --drop symbol=beta
	keeps 100011 --drop symbol=beta --only symbol=.
	keeps 11 --drop symbol=beta --only symbol=alpha
}

@test "with keys of samples" {
	local said
	need_recording
	"$flamefold" fold --only symbol=alpha --only comm=alpha "$data" >kept 2>said
	[ "$(total kept)" = 1000 ]
	"$flamefold" fold --only symbol=app --drop pid=2 --count=samples "$data" >kept 2>said
	[ "$(total kept)" = 3 ]
	said=$("$flamefold" fold --only symbol=alpha --drop comm=sh --stats "$data" 2>&1 >/dev/null)
	[[ $said =~ "weight in the tree"\ +1,000 ]]
	[[ $said =~ "weight filtered out"\ +110,111 ]]
	[[ $said =~ "samples in the tree"\ +1[^0-9] ]]
	[[ $said == *"99.1 % filtered out"* ]]
}

@test "nothing is left of what was left out" {
	need_recording
	"$flamefold" fold --quiet "$data" | grep -F libone_alpha >wanted
	"$flamefold" fold --quiet --only symbol=libone_alpha "$data" | diff wanted -
	"$flamefold" --quiet -o kept.svg --only symbol=libone_alpha "$data"
	! grep -q 'libtwo\|libone_beta' kept.svg || false
	"$flamefold" fold --quiet kept.svg | diff wanted -
	# By threads, too.
	"$flamefold" fold --quiet --threads=1 --only symbol=libone "$data" >one
	"$flamefold" fold --quiet --threads=4 --only symbol=libone "$data" | cmp - one
	# Its objects weigh what is left.
	"$flamefold" info --format=json --only symbol=libone_alpha "$data" >json
	python3 - <<-'END'
		import json
		info = json.load(open('json'))
		assert info['weight'] == 10, info['weight']
		weights = {o['path'].split('/')[-1]: o['weight'] for list in info['objects'].values() for o in list}
		assert weights['libone.so'] == 10 and weights['app.so'] == 0, weights
	END
}

@test "folded text: every frame counts, without its mark" {
	printf '%s\n' 'p;a;b_[k] 1' 'p;a;c 10' 'p;a;c;b 100' 'b;x 1000' 'p;a;b_[k] 10000' >in.folded
	"$flamefold" fold --quiet --only 'symbol=^b$' in.folded >kept
	printf '%s\n' 'b;x 1000' 'p;a;b_[k] 10001' 'p;a;c;b 100' | diff - kept
	"$flamefold" fold --quiet --drop 'symbol=^b$' in.folded | diff <(echo 'p;a;c 10') -
	"$flamefold" fold --stats --only 'symbol=^b$' in.folded 2>said >/dev/null
	grep -E '^samples read +5$' said
	grep -E '^samples in the tree +4$' said
	grep -E '^weight filtered out +10$' said
	"$flamefold" --quiet -o in.svg in.folded
	"$flamefold" fold --quiet --only 'symbol=^b$' in.svg | diff kept -
	# The picture of text that was filtered has no samples, as others of text.
	"$flamefold" --quiet --title=b -o kept.svg --only 'symbol=^b$' in.folded
	"$flamefold" --quiet --title=b -o same.svg kept
	cmp kept.svg same.svg
}

@test "folded text, in the order of a chart" {
	printf '%s\n' 'a;b 1' 'a 2' 'a;b 3' 'a;c 4' >in.folded
	"$flamefold" fold --quiet --only symbol=a in.folded | total | grep -x 10
	"$flamefold" --quiet --flamechart --only symbol=b -o chart.svg in.folded
	"$flamefold" fold --quiet chart.svg | diff <(echo 'a;b 4') -
	"$flamefold" --quiet --flamechart --drop symbol=b -o chart.svg in.folded
	"$flamefold" fold --quiet chart.svg | diff <(printf '%s\n' 'a 2' 'a;c 4') -
}

@test "differences: both sides" {
	printf '%s\n' 'a;b 1 2' 'a;c 10 20' >in.folded
	"$flamefold" --quiet --only symbol=b -o diff.svg in.folded
	"$flamefold" fold --quiet diff.svg | diff <(echo 'a;b 1 2') -
}

@test "what has no objects cannot be asked for them" {
	echo 'a;b 1' >in.folded
	run -1 "$flamefold" fold --only dso=x in.folded
	[ "$output" = "flamefold: cannot filter 'in.folded' by dso: folded text does not say of what object a function is" ]
	"$flamefold" --quiet -o in.svg in.folded
	run -1 "$flamefold" fold --only dso=x in.svg
	[ "$output" = "flamefold: cannot filter 'in.svg' by dso: it does not say of what object a function is" ]
}

# What grep finds in the folded text of the same recording.
@test "inlined functions are frames, too" {
	local name
	run "$root/tests/inline/build" gcc-dwarf-5 .
	[ "$status" -ne 77 ] || skip "$output"
	"$root/tests/inline/compare" --record=recording.data --count=400 gcc-dwarf-5
	"$flamefold" fold --quiet recording.data >all
	for name in 'hidden::twice' 'shapes::swap<int>' '^main$' 'middle<'; do
		"$flamefold" fold --quiet --only "symbol=$name" recording.data >kept
		awk -F ';' -v name="$name" '{
			stack = $0
			sub(/ [0-9]+$/, "", $NF)
			for (i = 2; i <= NF; i++)
				if ($i ~ name) { print stack; next }
		}' all | cmp - kept
		[ -s kept ]
		"$flamefold" fold --quiet --drop "symbol=$name" recording.data >rest
		sort kept rest | cmp - <(sort all)
	done
	"$flamefold" fold --quiet --no-inline recording.data >all
	run -1 "$flamefold" fold --quiet --no-inline --only symbol=hidden::twice recording.data
}

@test "stacks that do not reach their root, of those that are left" {
	"$build" -o cut.data - <<-'END'
		attr name=cycles sample_type=IP,TID,TIME,CALLCHAIN flags=sample_id_all
		comm pid=1 name=sh time=1
		repeat i 4
		sample pid=1 time={i + 10} ip=0x10 chain=U,0x10,0x20
		end
		repeat i 8
		sample pid=1 time={i + 20} ip=0x30 chain=U,0x30,0xffffffffffffff00
		end
	END
	fold --stats --addrs cut.data 2>said >all
	grep -E '^samples truncated +8$' said
	fold --stats --addrs --only 'symbol=<30>' cut.data 2>said >kept
	grep -E '^samples truncated +8$' said
	fold --stats --addrs --only 'symbol=<10>' cut.data 2>said >kept
	grep -E '^samples truncated +0$' said
	! grep -q 'do not reach' said || false
	run -1 fold --only 'symbol=truncated' cut.data
}

@test "a pattern that would run for ever is an error" {
	echo 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!;b 1' >in.folded
	for side in only drop; do
		run -1 bash -c "ulimit -t 20; exec '$flamefold' fold --$side 'symbol=^(a+)+\$' in.folded"
		[[ $output == *"filter 'symbol=^(a+)+\$': the pattern takes more than "*" steps for 'aaa"* ]]
		[ "${#lines[@]}" -eq 1 ]
	done
	"$build" -o a.data - <<-'END'
		attr name=cycles sample_type=IP,TID,TIME flags=sample_id_all
		comm pid=1 name=aaaaaaaaaaaaaa! time=1
		sample pid=1 time=2 ip=0x10
	END
	run -1 "$flamefold" fold --threads=2 --only 'comm=^((a*)*)*$' a.data
	[[ $output == *"filter 'comm=^((a*)*)*\$': the pattern takes more than"*"'aaaaaaaaaaaaaa!'"* ]]
}
