"""What a mode of the scheduler costs at 50,000 switches a second: a part of BENCH=modes.

Two processes on processor 0 wake each other (switches.c) beside nothing, perf record, and flamefold record, in
turns, and count their own processor time: that of a switch and of what is recorded in it, for each 20 ms. Others
on the machine disturb that, and only make it more, so what one in fifty of them comes below counts. What who
records takes itself is another figure, with perf's file made into the same flame graph."""
import os
import signal
import subprocess
import time

RATE = 50000


def wait_for_events(pid):
    """Until the process has opened events, and a while more: they are enabled then."""
    for _ in range(200):
        time.sleep(0.05)
        names = f"/proc/{pid}/fd"
        try:
            if any("perf_event" in os.readlink(os.path.join(names, fd)) for fd in os.listdir(names)):
                break
        except OSError:
            continue
    time.sleep(0.7)


class Way:
    """A command line that records, and the ns of each switch beside it and in it."""

    def __init__(self, name, command, then=None):
        self.name, self.command, self.then = name, command, then
        self.load, self.own = [], []

    def turn(self, load):
        if not self.command:
            self.load.extend(load()[0])
            return
        child = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)
        wait_for_events(child.pid)
        costs, switches = load()
        child.send_signal(signal.SIGINT)
        usage = os.wait4(child.pid, 0)[2]
        child.returncode = 0
        own = usage.ru_utime + usage.ru_stime
        if self.then:
            child = subprocess.Popen(self.then, stderr=subprocess.DEVNULL)
            usage = os.wait4(child.pid, 0)[2]
            child.returncode = 0
            own += usage.ru_utime + usage.ru_stime
        self.load.extend(costs)
        self.own.append(own / switches * 1e9)

    def least(self):
        return sorted(self.load)[len(self.load) // 50]


def run(bench):
    program = os.path.join(bench.O, "tests/bench/switches")
    data, svg = os.path.join(bench.DIR, "switches.data"), os.path.join(bench.DIR, "switches.svg")
    turns, length = bench.number("BENCH_TURNS", 12), os.environ.get("BENCH_TURN_SECONDS", "0.5")
    ours = [bench.FLAMEFOLD, "record", "-q", "--mode", "offcpu", "-C", "0", "-o", svg]
    other = subprocess.Popen(["sleep", "100000"])
    nothing = Way("nothing", None)
    perf = Way("perf record -e sched:sched_switch -g",
               ["perf", "record", "-q", "-e", "sched:sched_switch", "-g", "-a", "-C", "0", "-o", data],
               [bench.FLAMEFOLD, "-q", "--mode", "offcpu", "-o", svg, data])
    record = Way("flamefold record --mode offcpu", ours)
    filtered = Way("... -p PID, which has no part in them", [*ours, "-p", str(other.pid)])
    ways = (nothing, perf, record, filtered)

    def load():
        got = subprocess.run([program, length, str(RATE)], capture_output=True, text=True, check=True).stdout.split()
        return [float(word) for word in got], RATE * float(length)

    try:
        for _ in range(turns):
            for way in ways:
                way.turn(load)
    finally:
        other.kill()
        other.wait()
    print(f"\n{RATE:,} switches a second on processor 0, {turns} turns of {length} s")
    print(f"  {'':44} {'ns a switch':>12} {'more':>8} {'who records':>12}")
    base = nothing.least()
    for way in ways:
        print(f"  {way.name:44} {way.least():12,.0f} {way.least() - base:8,.0f}"
              + (f" {min(way.own):12,.0f}" if way.own else ""))
    bench.limit("time of a switch, of perf's", (record.least() - base) / (perf.least() - base), 1, "times")
    bench.limit("of another process, of perf's", (filtered.least() - base) / (perf.least() - base), 0.2,
                "times")
