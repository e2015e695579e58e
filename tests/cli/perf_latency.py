#!/usr/bin/env python3
"""What perf report --latency (6.15) adds up, by its own rules, of what perf script prints.

usage: perf script --show-switch-events --show-task-events -F comm,pid,tid,time,event,period,ip,sym ... | perf_latency.py CPUS

One runs from the start; who goes in is one more, who goes out or ends is one less; a sample adds
period * 1000 / level, which is from 1 to CPUS. Prints the sum of each comm.
"""
import re
import sys


def main():
    cpus, level, sums = int(sys.argv[1]), 1, {}
    for line in sys.stdin:
        if 'PERF_RECORD_SWITCH' in line:
            level += -1 if ' OUT' in line else 1
        elif 'PERF_RECORD_EXIT' in line:
            level -= 1
        else:
            sample = re.match(r'\s*(\S.*?)\s+-?\d+(?:/-?\d+)?\s+[\d.]+:\s+(\d+) cpu-clock', line)
            if sample:
                weight = int(sample.group(2)) * 1000 // max(1, min(level, cpus))
                sums[sample.group(1)] = sums.get(sample.group(1), 0) + weight
    for comm, weight in sorted(sums.items()):
        print('%s %d.%03d' % (comm, weight // 1000, weight % 1000))


main()
