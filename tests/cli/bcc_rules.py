#!/usr/bin/env python3
"""bcc_rules.py TOOL [--state LETTERS] [--min US] [--event NAME] FOLDED <TEXT

What a tool of bcc would say of the events in TEXT, by the rules that it documents, with kernel stacks
only (-K), and what is right where those rules are not. FOLDED is what flamefold says, whose nanoseconds have to be
those of what is right, stack by stack. Prints how often bcc's rules are right, and why they are
wrong. TEXT is what perf script --ns -F comm,tid,pid,time,event,trace,ip,sym prints of sched:sched_switch
and --event (sched:sched_waking). A reader of its own: the other opinion.

offcputime	a thread is off from the switch away, whatever its state, to the switch back; each time is cut to
		microseconds before they are added up.
wakeuptime	likewise, to the wakeup; the stack is the waker's.
offwaketime	as offcputime, with the last waker of the thread, its stack reversed behind "--".
"""
import argparse
import collections
import re
import sys

HEAD = re.compile(r'^\s*(?P<comm>\S.*?)\s+-?\d+/-?\d+\s+(?P<time>\d+)\.(?P<ns>\d{9}):\s+'
                  r'(?P<event>[\w:]+):\s(?P<text>.*)$')
# With and without libtraceevent's texts of its own.
SWITCH = (re.compile(r'prev_pid=(\d+) prev_prio=-?\d+ prev_state=(\S+) ==> next_comm=.* next_pid=(\d+) next_prio'),
          re.compile(r'.*:(\d+) \[-?\d+\] (\S+) ==> .*:(\d+) \[-?\d+\]'))
WAKING = (re.compile(r'comm=.* pid=(\d+) prio='), re.compile(r'.*:(\d+) \[-?\d+\]'))
FRAME = re.compile(r'^\s+(?P<ip>[0-9a-f]+) (?P<name>.*)$')
ENTRY = re.compile(r'asm_(sysvec_|common_interrupt|exc_nmi)')


def matched(patterns, text):
    match = next(filter(None, (pattern.search(text) for pattern in patterns)), None)
    return match or sys.exit('not understood: ' + text)


def kernel_frames(lines):
    """Leaf first. None: perf script prints no chain that has garbage anywhere in its user part."""
    frames = [frame for frame in map(FRAME.match, lines) if frame]
    names = [frame['name'].strip() for frame in frames if int(frame['ip'], 16) >> 63]
    return [name for name in names if name != '[unknown]'] if frames else None


def events():
    """Time, event, comm, text and kernel stack, in the order of their times."""
    found = []
    for block in sys.stdin.read().split('\n\n'):
        lines = block.strip('\n').split('\n')
        head = HEAD.match(lines[0])
        if head:
            time = int(head['time']) * 1000000000 + int(head['ns'])
            found.append((time, head['event'], head['comm'], head['text'], kernel_frames(lines[1:])))
    return sorted(found, key=lambda event: event[0])


def waker_frames(comm, frames):
    """What is drawn of a waker, leaf first, its name last: an interrupt is not the task that it came upon."""
    for place, name in enumerate(frames):
        if name is None:
            break
        if name.startswith('irqentry_exit'):
            break
        if ENTRY.match(name):
            below = frames[:place + 1]
            soft = any(frame in ('handle_softirqs', '__do_softirq') for frame in below)
            return below + ['[nmi]' if 'nmi' in name else '[softirq]' if soft else '[hardirq]']
    return frames + [comm]


class Tool:
    def __init__(self, options):
        self.options = options
        self.right = collections.Counter()  # stack: ns
        self.not_printed = 0  # ns
        self.reasons = collections.Counter()
        self.away = {}  # thread: when, state, comm, frames
        self.wakers = {}  # thread: the last one

    def add(self, time, reason, said=None, right=None):
        """@said, @right: frames, of None where that is not known. @reason: why there is no wait."""
        if time // 1000 < self.options.min:
            return
        if reason:
            self.reasons[reason] += 1
        elif None in said + right:
            self.not_printed += time
        else:
            self.right[';'.join(right)] += time

    @staticmethod
    def no_wait(thread, state):
        """Why that is none, which bcc counts."""
        if not thread:
            return 'all idle threads have one number'
        return {'R': 'preempted is not blocked', 'X': 'dead is for ever', 'Z': 'dead is for ever'}.get(state[0])

    def leave(self, time, thread, state, comm, frames):
        self.away.pop(thread, None)
        if not self.options.state or state[0] in self.options.state:
            self.away[thread] = time, state, [comm] + (frames[::-1] if frames is not None else [None]), []

    def back(self, time, thread):
        last = self.wakers.pop(thread, None)
        if thread not in self.away:
            return
        since, state, right, wakings = self.away.pop(thread)
        said = right
        reason = self.no_wait(thread, state)
        if self.options.tool == 'offwaketime' and not reason:
            said = right + ['--'] + (last[1] + [last[0]] if last else [''])
            right = right + ['--'] + (waker_frames(*wakings[0]) if wakings else ['[no waker]'])
            why = ('right' if said == right else 'the waker is not known' if not last else
                   'the waker of another time' if not wakings else 'the last waker has ended nothing'
                   if last != wakings[0] else 'an interrupt is not what it came upon')
            self.reasons[why] += time - since >= self.options.min * 1000
        elif not reason:
            self.reasons['right'] += time - since >= self.options.min * 1000
        self.add(time - since, reason, said, right)

    def waking(self, time, comm, frames, thread):
        frames = frames if frames is not None else [None]
        if self.options.tool == 'offwaketime':
            self.wakers[thread] = comm, frames
            if thread in self.away:
                self.away[thread][3].append((comm, frames))
        elif thread in self.away:
            since, state, sleeper, _ = self.away.pop(thread)
            reason = self.no_wait(thread, state)
            said = [comm] + frames[::-1] + sleeper[:1]
            right = waker_frames(comm, frames)[::-1] + sleeper[:1]
            if not reason:
                self.reasons['right' if said == right else 'an interrupt is not what it came upon'] += 1
            self.add(time - since, reason, said, right)

    def take(self, time, event, comm, text, frames):
        if event == 'sched:sched_switch':
            match = matched(SWITCH, text)
            # A thread is back before it leaves again.
            if self.options.tool != 'wakeuptime':
                self.back(time, int(match[3]))
            else:
                self.away.pop(int(match[3]), None)
            self.leave(time, int(match[1]), match[2], comm, frames)
        elif event == self.options.event and self.options.tool != 'offcputime':
            match = matched(WAKING, text)
            self.waking(time, comm, frames, int(match[1]))


def without_user(frames, process_last=False):
    """Of "process;user;-;kernel", or the other way round."""
    if '-' not in frames:
        return frames
    place = frames.index('-')
    return frames[:place] + frames[-1:] if process_last else frames[:1] + frames[place + 1:]


def seen(path):
    """Stack: ns, as -K would have it."""
    sums = collections.Counter()
    with open(path, encoding='utf-8') as file:
        for line in file:
            text, _, weight = line.rstrip('\n').rpartition(' ')
            parts = [part.split(';') for part in text.split(';--;')]
            frames = without_user(parts[0])
            for part in parts[1:]:
                frames += ['--'] + without_user(part, process_last=True)
            sums[';'.join(frames)] += int(weight)
    return sums


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('tool', choices=['offcputime', 'wakeuptime', 'offwaketime'])
    parser.add_argument('folded')
    parser.add_argument('--state', default='')
    parser.add_argument('--min', type=int, default=0)
    parser.add_argument('--event', default='sched:sched_waking')
    tool = Tool(parser.parse_args())
    for event in events():
        tool.take(*event)
    for reason, times in sorted(tool.reasons.items()):
        print(f'{times:8} {reason}')
    found, more, wrong = seen(tool.options.folded), 0, 0
    for stack in sorted(set(found) | set(tool.right)):
        more += max(0, found[stack] - tool.right[stack])
        if found[stack] < tool.right[stack] or found[stack] > tool.right[stack] + tool.not_printed:
            print(f'{tool.right[stack]} is right, {found[stack]} was seen: {stack}')
            wrong += 1
    print(f'{more} ns more were seen, {tool.not_printed} are of chains that perf script does not print')
    sys.exit(1 if wrong or more != tool.not_printed or not tool.reasons['right'] else 0)


main()
