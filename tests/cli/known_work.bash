# A program with a function of a known name, which it does not export: load recordings, then known_work
# shellcheck shell=bash

# program.c; BUILD is a number that makes it another one.
write_program()
{
	cat >program.c <<-'END'
		volatile int counter;
		static inline __attribute__((always_inline)) void count_up(int by)
		{
			counter += by;
			counter ^= BUILD;
		}
		static __attribute__((noinline)) void known_work(int n)
		{
			for (int i = 0; i < n; i++)
				count_up(i);
		}
		int exported(int n)
		{
			known_work(n);
			return counter;
		}
		int main(int argc, char **argv)
		{
			(void)argv;
			return exported(argc);
		}
	END
}

# record FILE [FIELD]...: p.data, of the program at that path, sampled in the loop of known_work, which runs
# what was inlined. Fields are of its map.
record()
{
	local file=$1 first offset at address ip

	shift
	first=$(nm "$file" | awk '$3 == "known_work" { print "0x" $1 }')
	for offset in {1..80}; do
		[ "$(addr2line -ife "$file" "$(printf '%x' $((first + offset)))" | head -n 1)" != count_up ] ||
			break
	done
	# The segment that is to be executed: offset and address.
	read -r at address <<<"$(readelf -lW "$file" | awk '$1 == "LOAD" && / R E / { print $2, $3 }')"
	ip=$(printf '%#x' $((0x400000 + first + offset - address)))
	"$build" -o p.data - <<-END
		attr name=cycles sample_type=IP,TID,TIME,CPU,PERIOD,CALLCHAIN flags=sample_id_all
		comm pid=1 name=sh time=0
		mmap2 pid=1 start=0x400000 len=0x10000 off=$at name=$PWD/$file $* time=1
		sample pid=1 time=2 ip=$ip period=1 chain=U,$ip
	END
}
