# What the tests share that fold many small recordings together: load many
# shellcheck shell=bash

load recordings

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	export TMPDIR=$BATS_TEST_TMPDIR/tmp
	mkdir -p tmp
}

# recording FILE HOST START [EVENT] [KERNEL]: of pid 1, whose code of /no/app-START begins there; all ask for the
# same addresses.
recording()
{
	"$build" -o "$1" - <<-END
	attr name=${4:-cpu-clock} sample_type=IP,TID,TIME,PERIOD,CALLCHAIN flags=sample_id_all,comm_exec
	feature hostname=$2
	feature osrelease=${5:-6.1.0-$2}
	comm pid=1 name=app exec time=1
	mmap2 pid=1 start=$3 len=0x100000 name=/no/app-$3 time=2
	comm pid=$((${#2} + 1)) name=c-$2 time=2
	repeat i 20
	sample pid=1 time={100 * i + 1000} period={i + 1} ip={0x5000 + i % 7 * 16} chain=U,{0x5000 + i % 7 * 16},0x202010,0x302010
	end
	sample pid=$((${#2} + 1)) time=5000 period=3 ip=0x5000 chain=U,0x5000
	END
}

# processes COMMAND...: how many there were, but for the one that cleans up.
processes()
{
	strace -f -qq -e trace=none -e signal=none -o /dev/null true 2>/dev/null || skip "no strace here"
	strace -f -qq -e trace=execve,fork,clone,clone3,vfork -o trace "$@" || [ $? = 3 ]
	grep -c -E '(fork|clone3?)\(' trace
}

# 1.data to 9.data, of hosts of their own; 20.data to 60.data, which are cut, empty or damaged; and folded text.
sound_and_damaged()
{
	for i in 1 2 3 4 5 6 7 8 9; do
		recording $i.data host-$i 0x1000
	done
	head -c 60 2.data >20.data
	head -c 120 3.data >30.data
	printf 'PERFILE2%4000s' "" >40.data
	head -c 3000 /dev/urandom >50.data
	cp 4.data 60.data
	dd if=/dev/zero of=60.data bs=1 seek=16 count=60 conv=notrunc status=none
	printf 'a;b 3\n' >text
}
