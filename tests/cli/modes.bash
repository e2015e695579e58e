# Recordings of what intervals begin and end with, in words, and what modes weigh of them.

# mode NAME OPTION...: x.folded, of x.data
mode()
{
	local name=$1

	shift
	fold --mode "$name" --addrs "$@" x.data >x.folded 2>err || { cat err; return 1; }
}

# says LINE...: so is what was folded, with A for app's stack, O for other's and W for who wakes.
says()
{
	sed -E 's/\[unknown <(f*)?([0-9a-f]+)>\]/\2/g; s/;22;11;-;80000002;80000001/;A/; s/;33;-;80000003/;W/g' x.folded >found
	printf '%s\n' "$@" | sort >expected
	sort found | diff expected -
}

# edges EVENT:FIELD:SIZE,... ...: the head of a recording of these, each with all that samples say
edges()
{
	local n=0 event

	for event; do
		n=$((n + 1))
		echo "tracepoint name=${event%/*} id=$((30 + n)) fields=${event#*/}"
		echo "attr name=${event%/*} type=2 config=$((30 + n)) ids=$n flags=sample_id_all,comm_exec" \
			"sample_type=IDENTIFIER,IP,TID,TIME,CPU,PERIOD,RAW,CALLCHAIN"
	done
	echo "comm pid=7 name=app time=1"
}

# at TIME EVENT FIELDS [WORD...]: by pid 7
at()
{
	local time=$1 event=$2 fields=$3

	shift 3
	echo "sample event=$event pid=7 time=$time chain=U,0x11 fields=$fields $*"
}
