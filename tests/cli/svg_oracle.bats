# The picture beside the one of flamegraph.pl, of which Debian has an old version in
# libdevel-nytprof-perl. Without --hash that one takes colours by chance, its rows are a
# little higher up, and it knows fewer marks: titles, places and hashed colours count.

setup_file() {
	export ORACLE
	ORACLE=$(perl -e 'for (@INC) { my $f = "$_/Devel/NYTProf/flamegraph.pl";
		if (-e $f) { print $f; last } }' 2>/dev/null) || true
	[ -n "$ORACLE" ] || return 0
	perl -e 'srand 7; my @f = map { "function_" . chr(97 + $_ % 26) . "$_" } 0 .. 60;
		for my $i (1 .. 400) {
			my $top = int rand 6;
			my @s = map { $f[($top * 7 + $_ * int(1 + rand 3)) % @f] } 0 .. rand 12;
			print join(";", @s), " ", 1 + int rand 5000, "\n" }' |
		awk '!seen[$1]++' >"$BATS_FILE_TMPDIR/stacks"
}

setup() {
	[ -n "$ORACLE" ] || skip "no flamegraph.pl: install libdevel-nytprof-perl"
	cd "$BATS_TEST_TMPDIR" || return 1
}

# frames: title, x, width and colour of each frame, sorted.
frames() {
	grep -o '<title>.*<rect .*fill="[^"]*"' | sed 's/ y="[^"]*"//' | LC_ALL=C sort
}

# same OPTION...: both draw the same frames.
same() {
	perl "$ORACLE" --hash "$@" "$BATS_FILE_TMPDIR/stacks" 2>/dev/null | frames >theirs
	"$FLAMEFOLD" graph --hash "$@" - <"$BATS_FILE_TMPDIR/stacks" | frames >ours
	[ -s theirs ]
	diff theirs ours
}

@test "the default picture has the frames of flamegraph.pl" {
	same
}

@test "reversed stacks merge as in flamegraph.pl" {
	same --reverse
}

@test "an icicle graph has the frames of flamegraph.pl" {
	same --inverted
}

@test "narrow frames are left out as in flamegraph.pl" {
	same --minwidth 20 --width 800
}

@test "palettes are those of flamegraph.pl" {
	for palette in hot mem io red green blue yellow purple orange java js; do
		same --colors "$palette" || return 1
	done
}

@test "counts are named and fonts counted as in flamegraph.pl" {
	same --countname bytes --fontsize 10 --height 20
}

@test "differences have the colours of flamegraph.pl" {
	awk '{ print $1, $2, ($2 * 7919) % 5003 + 1 }' "$BATS_FILE_TMPDIR/stacks" >two
	perl "$ORACLE" two 2>/dev/null | frames >theirs
	"$FLAMEFOLD" graph - <two | frames >ours
	[ -s theirs ]
	diff theirs ours
}
