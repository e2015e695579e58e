#!/usr/bin/env bats
# What Documentation/scale.md has: its scripts do what it says, and its table is what the simulation prints.
bats_require_minimum_version 1.5.0

load recordings

setup()
{
	scripts=$root/Documentation/scale
	cd "$BATS_TEST_TMPDIR" || exit 1
	mkdir -p bin r
	ln -s "$flamefold" bin/flamefold
	PATH=$BATS_TEST_TMPDIR/bin:$PATH
	for i in $(seq 40); do
		printf 'a;b%d %d\na;c 1\nhost%d 2\n' $((i % 7)) "$i" "$i" >"r/$i"
	done
	head -c 300 /dev/urandom >r/noise
	ls r/* >list
	flamefold merge -q -f list -o all.ff 2>/dev/null || [ $? = 3 ]
}

teardown()
{
	for pid in run/slurmctld.pid run/slurmd.pid run/munged.pid; do
		[ ! -s "$pid" ] || kill "$(cat "$pid")" || :
	done
}

@test "GNU parallel: a second run takes what was done" {
	command -v parallel >/dev/null || skip "no GNU parallel"
	PER=7 "$scripts/parallel" list out.ff
	cmp all.ff out.ff
	[ "$(find out.ff.* -name '*.ff' | wc -l)" = 6 ]
	rm "$(find out.ff.* -name '3.ff')"
	find out.ff.* -name '*.ff' -exec touch -d 2001-01-01 '{}' +
	# As if it had failed.
	log=$(echo out.ff.*/log)
	awk -v OFS='\t' '$1 == 3 { $7 = 1 } { print }' FS='\t' "$log" >changed && mv changed "$log"
	PER=7 "$scripts/parallel" list out.ff
	cmp all.ff out.ff
	[ "$(find out.ff.* -name '*.ff' -newermt 2002-01-01 | wc -l)" = 1 ]
}

# start_slurm: both daemons, munge among them, as this user and below this directory.
start_slurm()
{
	# By their places: scripts/deps installs no daemons.
	for program in /usr/sbin/slurmctld /usr/sbin/slurmd /usr/sbin/munged /usr/bin/sbatch /usr/bin/sinfo; do
		[ -x $program ] || return 1
		ln -s $program bin
	done
	mkdir -p run/spool run/state
	chmod 700 . run
	dd if=/dev/urandom of=run/key bs=1024 count=1 status=none
	chmod 600 run/key
	munged --force --key-file="$PWD/run/key" --socket="$PWD/run/socket" --pid-file="$PWD/run/munged.pid" \
		--log-file="$PWD/run/munged.log" --seed-file="$PWD/run/seed" >run/said 2>&1 || return 1
	port=$((20000 + $$ % 20000))
	cat >run/slurm.conf <<-END
	ClusterName=test
	SlurmctldHost=$(uname -n)(127.0.0.1)
	SlurmctldPort=$port
	SlurmdPort=$((port + 1))
	SlurmUser=$(id -un)
	SlurmdUser=$(id -un)
	AuthType=auth/munge
	CredType=cred/munge
	AuthInfo=socket=$PWD/run/socket
	StateSaveLocation=$PWD/run/state
	SlurmdSpoolDir=$PWD/run/spool
	SlurmctldPidFile=$PWD/run/slurmctld.file
	SlurmdPidFile=$PWD/run/slurmd.file
	SlurmctldLogFile=$PWD/run/slurmctld.log
	SlurmdLogFile=$PWD/run/slurmd.log
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	MpiDefault=none
	SelectType=select/cons_tres
	SelectTypeParameters=CR_Core
	ReturnToService=2
	SchedulerParameters=sched_interval=1,batch_sched_delay=0
	JobAcctGatherType=jobacct_gather/none
	AccountingStorageType=accounting_storage/none
	NodeName=$(uname -n) NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
	PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
	END
	export SLURM_CONF=$PWD/run/slurm.conf
	for program in slurmctld slurmd; do
		$program -D >run/$program.said 2>&1 3>&- &
		echo $! >run/$program.pid
	done
	for _ in $(seq 100); do
		sinfo -h -o %T 2>/dev/null | grep -q idle && return 0
		sleep 0.1
	done
	return 1
}

# stand_in_slurm: an sbatch that runs what it is given at once, arrays task by task.
stand_in_slurm()
{
	cat >bin/sbatch <<-'END'
	#!/bin/bash
	first=0 last=0 output=/dev/null
	for word; do
		case $word in
		--array=*) word=${word#*=} first=${word%%-*} last=${word#*-} last=${last%%%*} array=1 ;;
		--wrap=*) script=${word#*=} ;;
		--output=*) output=${word#*=} ;;
		--dependency=afterok:*) [ "$(cat "jobs/${word#*:}")" = 0 ] || exit 1 ;;
		--parsable | --requeue | --cpus-per-task=*) ;;
		*) echo "sbatch: $word" >&2; exit 1 ;;
		esac
	done
	mkdir -p jobs
	id=$(($(ls jobs | wc -l) + 1)) failed=0
	for ((task = first; task <= last; task++)); do
		[ -z "$array" ] || export SLURM_ARRAY_TASK_ID=$task
		sh -c "$script" >"${output//%a/$task}" 2>&1 || failed=1
	done
	echo $failed >"jobs/$id"
	echo "$id"
	END
	chmod +x bin/sbatch
}

# slurm_merges: the script, once more after a part was lost.
slurm_merges()
{
	PER=9 "$scripts/slurm" list out.ff >job
	[ "$(cat job)" -gt 1 ]
	for _ in $(seq 300); do
		[ ! -e out.ff ] || break
		sleep 0.1
	done
	cmp all.ff out.ff
	[ "$(find out.ff.* -name 'list.*.ff' | wc -l)" = 5 ]
	grep -q "refused 'r/noise'" out.ff.*/log.*
	rm out.ff "$(find out.ff.* -name 'list.00002.ff')"
	find out.ff.* -name '*.ff' -exec touch -d 2001-01-01 '{}' +
	PER=9 "$scripts/slurm" list out.ff >job
	for _ in $(seq 300); do
		[ ! -e out.ff ] || break
		sleep 0.1
	done
	cmp all.ff out.ff
	[ "$(find out.ff.* -name 'list.*.ff' -newermt 2002-01-01 | wc -l)" = 1 ]
}

@test "Slurm: an array, and a job behind it" {
	start_slurm || skip "no slurmctld, slurmd and munged that run here (not among what scripts/deps installs)"
	slurm_merges
}

@test "Slurm, with a stand-in that runs arrays" {
	stand_in_slurm
	slurm_merges
}

@test "Spark, with a stand-in for its pipe: paths in, paths out" {
	mkdir -p python kept
	cat >python/pyspark.py <<-'END'
	import shlex
	import subprocess
	class Data:
	    def __init__(self, parts): self.parts = parts
	    def pipe(self, command, checkCode=False):
	        # Each twice, as speculative tasks are.
	        for part in self.parts + self.parts:
	            done = subprocess.run(shlex.split(command), input="".join(line + "\n" for line in part),
	                                  stdout=subprocess.PIPE, text=True, check=checkCode)
	            self.lines = getattr(self, "lines", []) + [done.stdout.splitlines()]
	        return Data(self.lines[:len(self.parts)])
	    def collect(self): return [line for part in self.parts for line in part]
	class SparkContext:
	    def __init__(self, appName): pass
	    def parallelize(self, items, slices): return Data([items[i::6] for i in range(6)] + [[]])
	    def stop(self): pass
	END
	PYTHONPATH=$PWD/python python3 "$scripts/spark.py" list kept out.ff
	cmp all.ff out.ff
	[ "$(find kept -name '*.ff' | wc -l)" = 6 ]
}

@test "the table of the page is what the simulation prints" {
	"$root"/tests/bench/simulate.py >table
	sed -n '/^<!-- simulated -->/,/^$/p' "$root"/Documentation/scale.md | sed 1d | sed '/^$/d' | diff - table
	"$root"/tests/bench/simulate.py fold=1e6 | grep -q 'folding |$'
	run -1 "$root"/tests/bench/simulate.py nonsense=1
}
