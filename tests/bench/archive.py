"""An archive of small recordings, and what its size costs: BENCH=archive of tests/bench/bench."""
import os
import shutil
import subprocess
import sys
import tempfile


def cost(command):
    """Seconds on the clock and of processors, with those of all children, and MiB of the largest process."""
    done = subprocess.run([sys.executable, "-c", """
import resource, subprocess, sys, time
began = time.monotonic()
code = subprocess.run(sys.argv[1:]).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(time.monotonic() - began, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
sys.exit(code)
""", *command], stdout=subprocess.PIPE, text=True, check=True)
    return [float(word) for word in done.stdout.split()]


def least(command, times):
    """Of several runs the one that took the least of the processor: others are disturbed by what runs beside it."""
    return min((cost(command) for _ in range(times)), key=lambda run: run[1])


def mpi(bench, files, out):
    """Ranks 1 and 2: one process each."""
    program, run = os.path.join(bench.O, "flamefold-mpi"), shutil.which("mpirun")
    if not (run and os.path.exists(program)):
        print("bench: no mpirun or no flamefold-mpi")
        return
    options = [] if b"Open MPI" not in subprocess.run([run, "--version"], stdout=subprocess.PIPE, check=True).stdout else \
        ["--oversubscribe"] + (["--allow-run-as-root"] if os.getuid() == 0 else [])
    took = {}
    for ranks in 1, 2:
        runs = [cost([run, *options, "-n", str(ranks), program, "-q", "-f", files, "-o", f"{out}-{ranks}.ff"])
                for _ in range(bench.number("ARCHIVE_RUNS", 2))]
        took[ranks] = min(run[0] for run in runs), min(run[1] for run in runs)
        if open(out, "rb").read() != open(f"{out}-{ranks}.ff", "rb").read():
            sys.exit(f"bench: {ranks} ranks have written other bytes")
    print(f"  flamefold-mpi: 1 rank {took[1][0]:.1f} s, 2 ranks {took[2][0]:.1f} s on the clock: "
          f"{took[1][0] / took[2][0] / 2 * 100:.0f} % of twice as fast; {took[1][1]:.1f} and {took[2][1]:.1f} s of processors, "
          f"which others disturb less: {took[1][1] / took[2][1] * 100:.0f} %")


def kept(bench, listed, out):
    """What it costs to keep each recording by itself, beside adding all of them up."""
    runs = {"add": [], "merge": []}
    for i in range(bench.number("ARCHIVE_RUNS", 2)):
        store = os.path.join(bench.DIR, f"archive-{os.getpid()}-{i}")
        runs["merge"].append(cost([bench.FLAMEFOLD, "merge", "-q", "-j1", "-f", listed, "-o", out]))
        runs["add"].append(cost([bench.FLAMEFOLD, "archive", "add", "-q", "-j1", store, "--from", listed]))
        shutil.rmtree(store)
    add, merge = (min(runs[which], key=lambda run: run[1]) for which in ("add", "merge"))
    with open(listed, encoding="utf-8") as f:
        count = len(f.readlines())
    print(f"  archive add, {count:,} recordings on one processor: {add[0]:.1f} s on the clock, {add[1]:.1f} s of it, {count / add[1]:,.0f} "
          f"recordings a second of it, {add[2]:.0f} MiB; merged: {merge[0]:.1f} s, {merge[1]:.1f} s of it")
    bench.limit("processor time of archive add by that of merge", add[1] / merge[1], 6)


def run(bench):
    count = bench.number("ARCHIVE_FILES", 10000)
    large = os.environ.get("ARCHIVE_RECORDING") or os.path.join(bench.DIR, "large.data")
    if not os.path.exists(large) and bench.record_samples(large, bench.number("ARCHIVE_SAMPLES", 1000000))[0] is None:
        print("bench: skipped: system-wide recording is not permitted here")
        return
    directory = tempfile.mkdtemp(prefix="archive-", dir=bench.DIR)
    subprocess.run([sys.executable, os.path.join(bench.TOP, "tests/bench/cut.py"), large, directory, str(count),
                    str(bench.number("ARCHIVE_BYTES", 200000))], check=True, stdout=subprocess.DEVNULL)
    paths = sorted(os.path.join(directory, name) for name in os.listdir(directory))
    size = sum(map(os.path.getsize, paths))
    lists = {}
    for n in 10, 1000, count:
        lists[n] = os.path.join(bench.DIR, f"archive-{n}.list")
        with open(lists[n], "w", encoding="utf-8") as f:
            f.writelines(path + "\n" for path in paths[:n])
    out = os.path.join(bench.DIR, "archive.ff")

    def merge(*words):
        return [bench.FLAMEFOLD, "merge", "-q", *words, "-o", out]

    one_seconds = least(merge("-j1", large), bench.RUNS)[1]
    rate = os.path.getsize(large) / one_seconds
    clock, seconds, memory = least(merge("-j1", "-f", lists[count]), bench.number("ARCHIVE_RUNS", 2))
    both = cost(merge("-f", lists[count]))
    print(f"\narchive: {len(paths):,} recordings, {size / 1e6:,.0f} MB, cut out of one of {os.path.getsize(large) / 1e6:.0f} MB")
    print(f"  one processor: {clock:.1f} s, {len(paths) / seconds:,.0f} files and {size / seconds / 1e6:.1f} MB "
          f"a second of it, {memory:.0f} MiB; the large one: {rate / 1e6:.1f} MB")
    print(f"  all of them: {both[0]:.1f} s, {len(paths) / both[0]:,.0f} files and {size / both[0] / 1e6:.1f} MB a second on the clock")
    bench.limit("a second of a processor, by what one large file has", size / seconds / rate * 100, 80, "%", least=True)
    sys.stdout.flush()
    many, ten = cost(merge("-j1", "-f", lists[1000]))[2], cost(merge("-j1", "-f", lists[10]))[2]
    print(f"  most memory of a process: a thousand recordings {many:.0f} MiB; ten {ten:.0f} MiB")
    bench.limit("memory of a thousand by that of ten", many / ten, 2)
    bench.limit("memory of all by that of a thousand", memory / many, 2)
    kept(bench, lists[1000], out)
    subprocess.run(merge("-f", lists[count]), check=True)
    mpi(bench, lists[count], out)
    shutil.rmtree(directory)
