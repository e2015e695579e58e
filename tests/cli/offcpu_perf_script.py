#!/usr/bin/env python3
"""offcpu_perf_script.py <TEXT: nanoseconds that threads were blocked, a line a comm, from perf script.

TEXT is what perf script --ns -F comm,tid,pid,time,event,trace,ip prints of sched:sched_switch. A wait is from the
switch away with a state that blocks to the switch back of the same thread; of two switches away in a row the
second one counts, and one without a switch back does not. A reader of its own: the other opinion. Its comm is
that of the sample, as the first line of it says.
"""
import collections
import re
import sys

HEAD = re.compile(r'^\s*(?P<comm>.+?)\s+(?P<pid>-?\d+)/(?P<tid>-?\d+)\s+(?P<time>\d+)\.(?P<ns>\d{9}):\s+(?P<event>\S+):\s(?P<text>.*)$')
# With and without libtraceevent's texts of its own.
SWITCH = re.compile(r'(?:prev_comm=.* prev_pid=(\d+) prev_prio=-?\d+ prev_state=(\S+) ==> next_comm=.* next_pid=(\d+) next_prio)')
SHORT = re.compile(r'.*:(\d+) \[-?\d+\] (\S+) ==> .*:(\d+) \[-?\d+\]')


def events():
    for line in sys.stdin:
        head = HEAD.match(line)
        if not head or head['event'] != 'sched:sched_switch':
            continue
        match = SWITCH.search(head['text']) or SHORT.match(head['text'])
        if not match:
            sys.exit('not understood: ' + line)
        time = int(head['time']) * 1000000000 + int(head['ns'])
        yield time, head['comm'], int(match[1]), match[2], int(match[3])


def blocked(state):
    """R and R+ run on; X and Z are dead."""
    return state[0] not in 'RXZ'


def main():
    away, sums = {}, collections.Counter()
    for time, comm, previous, state, following in sorted(events(), key=lambda event: event[0]):
        # The switch back of a thread is before its own switch away.
        if following and following in away:
            since, whose = away.pop(following)
            sums[whose] += time - since
        if previous:
            away.pop(previous, None)
            if blocked(state):
                away[previous] = time, comm
    for comm, sum in sorted(sums.items(), key=lambda item: item[0].encode()):
        print(comm, sum)


main()
