"""What sampling live costs: the figures of BENCH=record.

Runs take turns, with the same load beside each. Costs are processor time, user and system, of the recorder and
of what draws its file; the interrupts of sampling itself are the same for all and fall on the load."""
import json
import os
import re
import statistics
import subprocess
import sys
import time

PROCESSORS = os.cpu_count()


class Recorder:
    """Command lines that run one after another; what they cost together, and each alone."""

    def __init__(self, name, commands):
        self.name, self.commands, self.cost, self.first, self.rss = name, commands, [], [], 0

    def run(self):
        costs = []
        for command in self.commands:
            child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                     stderr=subprocess.PIPE, text=True)
            said = self.said = child.stderr.read()
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            if child.returncode != 0:
                sys.exit(f"bench: exit status {child.returncode}: {' '.join(command)}\n{said}")
            costs.append(usage.ru_utime + usage.ru_stime)
            self.rss = max(self.rss, usage.ru_maxrss * 1024)
        self.first.append(costs[0])
        self.cost.append(sum(costs))

    def row(self, seconds):
        cost = statistics.median(self.cost)
        print(f"  {self.name:44} {cost:8.3f} s {100 * cost / seconds:8.2f} % of one processor"
              f" {self.rss / 1e6:6.0f} MB  {len(self.cost)} runs")


class Load:
    """tests/bench/load for as long as the block runs."""

    def __init__(self, top, out, kind, seconds):
        self.command = [os.path.join(top, "tests/bench/load"), kind, out, str(seconds)]
        self.top = top

    def __enter__(self):
        self.process = subprocess.Popen(self.command, cwd=self.top, stdout=subprocess.DEVNULL)
        time.sleep(1)

    def __exit__(self, *_):
        self.process.wait()


def take_turns(load, recorders, runs):
    for _ in range(runs):
        for recorder in recorders:
            with load:
                recorder.run()


def race(bench, name, options, perf_options, seconds, runs):
    """flamefold record against perf record and flamefold on its file."""
    data, svg = os.path.join(bench.DIR, "perf.data"), os.path.join(bench.DIR, "record.svg")
    ours = Recorder("flamefold record", [[bench.FLAMEFOLD, "record", "-e", "cpu-clock", "-q", *options, "-a",
                                          "-d", str(seconds), "-o", svg]])
    theirs = Recorder("perf record, then flamefold",
                      [["perf", "record", "-q", "-N", "-e", "cpu-clock", *perf_options, "-a", "-o", data, "--",
                        "sleep", str(seconds)],
                       [bench.FLAMEFOLD, "-q", "-o", svg, data]])
    take_turns(Load(bench.TOP, bench.O, "mixed", seconds + 3), (ours, theirs), runs)
    print(f"\nlive, {name}, {seconds} s, all processors")
    ours.row(seconds)
    theirs.row(seconds)
    cost = statistics.median(ours.cost)
    bench.limit("of perf record and flamefold", cost / statistics.median(theirs.cost), 1, "times")
    return cost / statistics.median(theirs.first)


def saved_counts(bench, data):
    """Samples of a recording, and lost ones."""
    said = subprocess.run([bench.FLAMEFOLD, "info", "--format=json", data], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True)
    counts = json.loads(said.stdout)
    return counts.get("samples", 0), counts.get("lost", 0) + counts.get("lost_samples", 0)


def stack_ways(bench, seconds, runs):
    """The ways to get at stacks beside each other: what is lost, written and spent."""
    data, svg = os.path.join(bench.DIR, "ways.data"), os.path.join(bench.DIR, "ways.svg")
    print(f"\nways to record stacks, {seconds} s, all processors, median of {runs} runs")
    print("      Hz  -g            samples     lost    saved MB    picture s   truncated")
    for rate in "99", "4999":
        costs = {}
        for way in ("fp", "auto", "dwarf", "dwarf,65528"):
            costs[way] = []
        for _ in range(runs):
            for way, found in costs.items():
                with Load(bench.TOP, bench.O, "mixed", seconds + 3):
                    drawn = Recorder("", [[bench.FLAMEFOLD, "record", "-e", "cpu-clock", "-g", way, "-F", rate, "-a",
                                           "-d", str(seconds), "--stats", "--save", data, "-o", svg]])
                    drawn.run()
                samples, lost = saved_counts(bench, data)
                cut = re.search(r"samples truncated +([0-9,]+)", drawn.said)
                found.append((samples, lost, os.path.getsize(data) / 1e6, drawn.cost[0],
                              int(cut.group(1).replace(",", "")) if cut else 0))
        for way, found in costs.items():
            samples, lost, size, cost, cut = (statistics.median(column) for column in zip(*found))
            print(f"    {rate:>4}  {way:12} {samples:8.0f} {lost:8.0f} {size:11.2f} {cost:12.3f} {cut:11.0f}")


def work(seconds):
    """Rounds of a busy loop in all processors together, in that time."""
    code = ("import time\nend = time.monotonic() + %r\nn = 0\nwhile time.monotonic() < end:\n"
            "    sum(range(20000)); n += 1\nprint(n)" % seconds)
    busy = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
            for _ in range(PROCESSORS)]
    return sum(int(p.communicate()[0]) for p in busy)


def slowdown(bench, seconds, runs):
    """Of a load that keeps all processors busy."""
    svg = os.path.join(bench.DIR, "busy.svg")
    ratios = []
    for turn in range(runs):
        rounds = {}
        for recorded in (True, False) if turn % 2 else (False, True):
            recorder = recorded and subprocess.Popen(
                [bench.FLAMEFOLD, "record", "-e", "cpu-clock", "-q", "-F", "99", "-a", "-d", str(seconds + 2),
                 "-o", svg], stderr=subprocess.DEVNULL)
            time.sleep(1)
            rounds[recorded] = work(seconds)
            if recorder:
                recorder.wait()
        ratios.append(100 * (1 - rounds[True] / rounds[False]))
    print(f"\na busy load beside flamefold record -F 99 -a, {runs} pairs of {seconds} s:"
          f" {', '.join(f'{r:.2f}' for r in ratios)} % slower")
    bench.limit("slower, median", statistics.median(ratios), 1, "%")


def resident(pid):
    """Bytes; 0: it has ended."""
    with open(f"/proc/{pid}/status") as f:
        found = re.search(r"VmRSS:\s*(\d+)", f.read())
    return found and int(found.group(1)) * 1024 or 0


def endurance(bench, seconds):
    """As many samples as an hour at 99 Hz has, in less time: memory as it goes."""
    rate, svg = 4999, os.path.join(bench.DIR, "long.svg")
    seconds = seconds or 99 * 3600 // rate + 1
    with Load(bench.TOP, bench.O, "steady", seconds + 3):
        child = subprocess.Popen([bench.FLAMEFOLD, "record", "-e", "cpu-clock", "-F", str(rate), "-a", "-d",
                                  str(seconds), "--stats", "-o", svg], stderr=subprocess.PIPE, text=True)
        memory = [resident(child.pid)]
        while memory[-1]:
            time.sleep(1)
            memory.append(resident(child.pid))
        memory.pop()
        said = child.communicate()[1]
    if child.returncode != 0:
        sys.exit(f"bench: flamefold record: exit status {child.returncode}\n{said}")
    marks = [memory[min(len(memory) - 1, len(memory) * part // 20)] / 1e6 for part in (2, 5, 10, 15, 19)]
    print(f"\nthe samples of an hour at 99 Hz, in {seconds} s: RSS after 10, 25, 50, 75, 95 %:"
          f" {', '.join(f'{m:.1f}' for m in marks)} MB")
    for line in said.splitlines():
        if re.search(r"samples|lost", line):
            print("  " + line.strip())
    bench.limit("RSS after 95 % / after 25 %", marks[4] / marks[1], 1.05, "times")


def run(bench):
    seconds, runs = bench.number("RECORD_SECONDS", 60), bench.number("BENCH_RECORD_RUNS", 3)
    permitted = subprocess.run(["perf", "record", "-q", "-N", "-e", "cpu-clock", "-a", "-o", os.devnull, "--", "true"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if permitted.returncode != 0:
        print("bench: skipped: system-wide recording is not permitted here")
        return
    alone = race(bench, "99 Hz, frame pointers", ["-F", "99"], ["-F", "99", "-g"], seconds, runs)
    bench.limit("of perf record alone", alone, 1, "times")
    race(bench, "4,999 Hz, copies of stacks", ["-F", "4999", "-g", "dwarf"],
         ["-F", "4999", "--call-graph", "dwarf", "-m", "4096"], bench.number("RECORD_DWARF_SECONDS", 10), runs)
    stack_ways(bench, bench.number("RECORD_WAYS_SECONDS", 5), runs)
    slowdown(bench, bench.number("RECORD_BUSY_SECONDS", 10), bench.number("BENCH_RUNS", 5))
    endurance(bench, bench.number("RECORD_LONG_SECONDS", 0))
