#!/usr/bin/env bats
# flamefold-mpi: the bytes are those of flamefold merge, whatever the number of ranks, and what has been done
# is not done again.
bats_require_minimum_version 1.5.0

load recordings

setup()
{
	mpi=${FLAMEFOLD%/*}/flamefold-mpi
	[ -x "$mpi" ] || skip "no flamefold-mpi was built: there is no mpicc, or it was not asked for"
	if ldd "$mpi" | grep -q libmpich; then
		run=$(command -v mpirun.mpich || command -v mpiexec.hydra) || skip "no mpirun of MPICH"
		options=()
	else
		run=$(command -v mpirun.openmpi || command -v mpirun) || skip "no mpirun of Open MPI"
		options=(--allow-run-as-root --oversubscribe --mca btl "self,vader")
	fi
	cd "$BATS_TEST_TMPDIR" || exit 1
	export TMPDIR=$BATS_TEST_TMPDIR/tmp
	mkdir -p tmp
	"$run" "${options[@]}" -n 1 "$mpi" --version >version 2>said || skip "mpirun does not run here: $(head -n 1 said)"
	grep -q '^flamefold-mpi ' version
}

# ranks N OPTION...
ranks()
{
	timeout 300 "$run" "${options[@]}" -n "$1" "$mpi" -q "${@:2}"
}

# inputs COUNT: r/1 to r/COUNT, of many sizes.
inputs()
{
	mkdir -p r
	python3 - "$1" <<-'END'
	import random, sys
	rng = random.Random(7)
	for i in range(1, int(sys.argv[1]) + 1):
	    with open(f"r/{i}", "w") as f:
	        for _ in range(rng.randint(1, 40)):
	            f.write(";".join(f"f{rng.randrange(40)}" for _ in range(rng.randint(1, 6))) + f" {rng.randint(1, 99)}\n")
	        f.write(f"host{i} 1\n")
	END
	ls r/* >list
}

@test "1, 2, 4 and 16 ranks write what one process does" {
	inputs 40
	for i in 1 2 3 4 5; do
		"$build" -o "$i.data" - <<-END
		attr name=cpu-clock sample_type=IP,TID,TIME,PERIOD
		feature hostname=host-$i
		comm pid=1 name=c$i
		sample pid=1 time=5 period=10 ip=0x10
		END
		echo "$i.data" >>list
	done
	# One twice, one that is a profile file, one that is folded here.
	cp r/7 again
	"$flamefold" merge -q r/1 r/2 -o two.ff
	sed -i -e '/^r\/[12]$/d' list
	printf '%s\n' again two.ff >>list
	"$flamefold" merge -q -f list --label dc=north -o all.ff
	for n in 1 2 4 16; do
		ranks "$n" -f list --label dc=north -o "$n.ff"
		cmp all.ff "$n.ff"
	done
	ranks 2 --no-inputs -f list -o few.ff
	"$flamefold" merge -q --no-inputs -f list -o x.ff
	cmp x.ff few.ff
	# More ranks than inputs.
	ranks 16 r/3 r/4 r/3 -o x.ff
	"$flamefold" merge -q r/3 r/4 -o y.ff
	cmp x.ff y.ff
}

@test "a run that was killed is gone on with" {
	inputs 400
	"$flamefold" merge -q -f list -o all.ff
	killed=0
	mkdir kept
	for enough in 20 100 200; do
		"$run" "${options[@]}" -n 4 "$mpi" -q -f list --tree kept -o x.ff >said 2>&1 &
		until [ "$(find kept -name '*.ff' | wc -l)" -ge $enough ] || ! kill -0 $! 2>/dev/null; do
			sleep 0.02
		done
		# A rank, and not the one that writes.
		pid=$(pgrep -f "^$mpi -q -f list --tree kept" | sed -n 2p)
		[ -z "$pid" ] || kill -9 "$pid" || :
		wait $! && continue
		killed=$((killed + 1))
		[ ! -e x.ff ]
		[ -s said ]
	done
	[ $killed -gt 0 ]
	find kept -name '*.ff' -size +0 -exec touch -d 2001-01-01 '{}' +
	before=$(find kept -name '*.ff' | wc -l)
	[ "$before" -gt 0 ]
	ranks 4 -f list --tree kept -o x.ff
	cmp all.ff x.ff
	# What was there has been taken as it was, and each share is there as well.
	[ "$(find kept -name '*.ff' ! -newermt 2002-01-01 | wc -l)" = "$before" ]
	[ "$(find kept -name '*.ff' | wc -l)" = 404 ]
	# A third run folds nothing; another number of ranks folds nothing, either.
	find kept -name '*.ff' -exec touch -d 2001-01-01 '{}' +
	ranks 4 -f list --tree kept -o x.ff
	cmp all.ff x.ff
	[ -z "$(find kept -name '*.ff' -newermt 2002-01-01)" ]
	ranks 2 -f list --tree kept -o x.ff
	cmp all.ff x.ff
	[ "$(find kept -name '*.ff' -newermt 2002-01-01 | wc -l)" = 2 ]
}

@test "bad files are named, in their order, and the others merged" {
	inputs 20
	"$flamefold" merge -q -f list -o good.ff
	head -c 4000 /dev/urandom >noise
	: >empty
	"$flamefold" merge -q --no-pack r/3 r/4 -o damaged.ff
	printf '\377' | dd of=damaged.ff bs=1 seek=$(($(stat -c %s damaged.ff) - 20)) conv=notrunc status=none
	printf '%s\n' noise nobody >>list
	sed -i '1i empty' list
	"$flamefold" merge -q -f list -o x.ff 2>wanted || [ $? = 3 ]
	for n in 1 3 16; do
		status=0
		ranks "$n" -f list --tree kept -o "$n.ff" 2>said || status=$?
		[ $status = 3 ]
		cmp good.ff "$n.ff"
		diff <(grep '^flamefold: ' wanted | sed "s/': .*//") <(grep '^flamefold: ' said | sed "s/': .*//")
		grep -q '3 of 23 files could not be merged' said
	done
	# A list of find -print0 has names of any kind.
	bad=$'7 of\nthem'
	cp noise "$bad"
	printf '%s\0' "$bad" r/1 r/2 r/3 r/4 >list0
	"$flamefold" merge -q -f list0 -o x.ff 2>wanted || [ $? = 3 ]
	ranks 3 -f list0 -o x.ff 2>said || [ $? = 3 ]
	diff <(grep '^flamefold: ' wanted) <(grep '^flamefold: ' said)
	run -1 ranks 3 noise nobody -o none.ff
	[[ $output == *"refused 'noise'"* ]]
	[ ! -e none.ff ]
}

@test "what a rank cannot do ends the run with a sentence" {
	inputs 10
	: >file
	run -1 ranks 4 -f list --tree file -o x.ff
	[[ $output == *"file/"*"Not a directory"* ]]
	[ ! -e x.ff ]
	# What is in two profile files is known when they meet.
	"$flamefold" merge -q r/1 r/2 -o a.ff
	"$flamefold" merge -q r/1 r/3 -o b.ff
	run ranks 2 a.ff b.ff -o x.ff
	[ "$status" = 1 ]
	[[ $output == *"cannot be added"* ]]
	[ ! -e x.ff ]
}

@test "mistakes are told once" {
	inputs 3
	run -2 ranks 3 -f list --by host -o x.ff
	[ "$(grep -c -e "option '--by'" <<<"$output")" = 1 ]
	run -2 ranks 3 --nonsense
	[ "$(grep -c "nonsense" <<<"$output")" = 1 ]
	run -2 ranks 3 - -o x.ff
	[[ $output == *"cannot be shared out"* ]]
	run -2 ranks 3 -f list r/1 -o r/1
	[[ $output == *"'r/1' is an input"* || $output == *"is named like"* || $output == *"writes ff"* ]]
	"$run" "${options[@]}" -n 2 "$mpi" --help | grep -q '^Usage: mpirun'
}
