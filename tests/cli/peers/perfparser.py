#!/usr/bin/env python3
"""Compares recordings of a program, sample by sample, with what perfparser has of them:

    perfparser.py FLAMEFOLD PROGRAM RECORDING...

RECORDING.expected.txt says of each sample its thread, time, event and weight, and its frames,
leaf first. Flamefold is asked for one sample at a time, by its time and event: once without
symbols, for the addresses, and once with those of PROGRAM.

Compared is what needs no stack dump unwound: with LBR the whole stack, else the kernel's frames, or
the first one of a sample that was taken in user mode. perfparser is known to do otherwise:

* With LBR, the sample's own address is one more frame, before those of the user. perf and flamefold
  begin with the newest branch's target there.
* It gives a thread the last name it has had. Before its exec that was perf, or perf-exec.
* Of the names of one address it takes another one, and entries of a PLT have no name or that of
  what lies before: ALIASES. A pair that no sample needs is an error, too.
"""
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

# Program: perfparser's name, ours.
ALIASES = {
    'vector_static_gcc_v9.1.0': (
        ('__hypot_finite', '__ieee754_hypot'),
        ('hypot', '__hypot'),
        ('cabsf64', '__cabs'),
        ('_init', '*ABS*+0x417970@plt'),
        ('_init', '*ABS*+0x4179d0@plt'),
        ('_init', '*ABS*+0x436100@plt'),
    ),
    'vector_static_clang_v8.0.1': (
        ('hypotf32x', '__hypot'),
        ('<.plt+401060>', '*ABS*+0x418410@plt'),
    ),
}
BEFORE_EXEC = ('perf', 'perf-exec')
KERNEL_HALF = 1 << 63


class Frame:
    def __init__(self, address, name):
        self.address, self.name = address, name


class Sample:
    def __init__(self, line):
        self.comm, pid, tid, time = line.split('\t')
        self.pid, self.tid = int(pid), int(tid)
        seconds, _, part = time.partition('.')
        self.time = int(seconds) * 10**9 + int(part.ljust(9, '0'))
        self.event = self.weight = None
        self.frames = []

    def read_event(self, line):
        """'cycles: 123', or 'sched:sched_switch: sched sched_switch 0' and its fields."""
        self.event, _, rest = line.strip().rpartition(': ')
        self.weight = 1 if ' ' in rest else int(rest)

    def read_frames(self, lines):
        """Where, and in the next line the function; the callers of an inlined one likewise."""
        lines = iter(lines)
        for where in lines:
            name, inlined = read_name(where)
            while not name or inlined:
                name, inlined = read_name(next(lines))
                if not inlined:
                    break
                next(lines)
            self.frames.append(Frame(int(where.split()[0], 16), name))

    def known_frames(self, lbr):
        """Those that are known without a stack dump: one list, or two of which one is right."""
        kernel = sum(frame.address >= KERNEL_HALF for frame in self.frames)
        if not lbr:
            return [self.frames[:kernel or 1]]
        if kernel == len(self.frames):
            return [self.frames]
        # Which side's the sample's own address is depends on where that was.
        places = range(max(kernel - 1, 0), kernel + 1)
        return [self.frames[:i] + self.frames[i + 1:] for i in places]


def read_name(line):
    """The last field: 'name program path suffix', or numbers where there is no name."""
    text, _, suffix = line.rpartition('\t')[2].rpartition(' ')
    if re.fullmatch('[0-9a-f]+ [0-9a-f]+', line.rpartition('\t')[2]):
        return '', False
    return text.rsplit(' ', 2)[0], suffix == '(inlined)'


def read_expected(path):
    samples = []
    with open(path, encoding='utf-8') as file:
        blocks = re.split(r'\n(?=\S)', file.read())
    for block in filter(str.strip, blocks):
        head, *lines = block.rstrip('\n').split('\n')
        sample = Sample(head)
        event, _, frames = '\n'.join(lines).partition('\n\n')
        sample.read_event(event.split('\n')[0])
        sample.read_frames(frames.split('\n') if frames else [])
        samples.append(sample)
    return samples


class Program:
    """Where a file's bytes are in memory, by its program headers."""

    def __init__(self, path):
        self.path, self.name = path, os.path.basename(path)
        with open(path, 'rb') as file:
            data = file.read(1 << 16)
        start, = struct.unpack_from('<Q', data, 32)
        size, count = struct.unpack_from('<2H', data, 54)
        heads = [struct.unpack_from('<2I4Q', data, start + i * size) for i in range(count)]
        self.segments = [(head[2], head[5], head[3]) for head in heads if head[0] == 1]

    def address(self, offset):
        for start, size, address in self.segments:
            if start <= offset < start + size:
                return offset - start + address
        return None


class Flamefold:
    def __init__(self, command, recording, symfs):
        self.command, self.recording, self.symfs = command, recording, symfs

    def run(self, *options):
        done = subprocess.run([self.command, *options, '--quiet', '--symfs', self.symfs,
                               '--kallsyms=/dev/null', self.recording],
                              stdout=subprocess.PIPE, check=True, timeout=60)
        return done.stdout.decode()

    def info(self):
        return json.loads(self.run('info', '--format=json'))

    def stack(self, sample, first):
        """comm, pid, tid, frames leaf first, weight of the one stack at that time."""
        since = sample.time - first
        times = ','.join('%d.%09d' % divmod(at, 10**9) for at in (since, since + 1))
        text = self.run('fold', '--tid', '--addrs', '--no-inline', '--event=all',
                        '--only=event=^%s$' % re.escape(sample.event), '--only=time=' + times)
        stack, _, weight = text.strip().rpartition(' ')
        label, *frames = stack.split(';')
        comm, _, ids = label.rpartition('-')
        pid, _, tid = ids.partition('/')
        return comm, int(pid), int(tid), frames[::-1], int(weight)


class Comparison:
    """Of one recording; @used: the aliases that were needed."""

    def __init__(self, command, program, recording, used):
        self.program, self.recording, self.used = program, recording, used
        self.aliases = ALIASES.get(program.name, ())
        self.execed, self.wrong, self.frames = set(), 0, 0
        self.symfs = tempfile.mkdtemp()
        self.plain = Flamefold(command, recording, os.path.join(self.symfs, 'empty'))
        self.named = Flamefold(command, recording, self.symfs)
        self.place_program()

    def place_program(self):
        """Where the recording says it was."""
        os.mkdir(self.plain.symfs)
        objects = self.plain.info()['objects']
        for path in {entry['path'] for group in objects.values() for entry in group}:
            if os.path.basename(path) == self.program.name and path.startswith('/'):
                os.makedirs(self.symfs + os.path.dirname(path), exist_ok=True)
                os.symlink(self.program.path, self.symfs + path)

    def fail(self, sample, what, theirs, ours):
        self.wrong += 1
        if self.wrong <= 10:
            print('%d.%09d: %s: perfparser %s, flamefold %s' % (
                *divmod(sample.time, 10**9), what, theirs, ours))

    def check(self, sample, what, theirs, ours):
        if theirs != ours:
            self.fail(sample, what, theirs, ours)

    def check_comm(self, sample, comm):
        if comm == sample.comm:
            self.execed.add(sample.tid)
        elif comm not in BEFORE_EXEC or sample.tid in self.execed:
            self.fail(sample, 'name', sample.comm, comm)

    def address(self, text):
        """Of '[x <12>]'."""
        found = re.fullmatch(r'\[(.*) <([0-9a-f]+)>\]', text)
        if not found:
            return None
        value = int(found[2], 16)
        return self.program.address(value) if found[1] == self.program.name else value

    def check_name(self, sample, frame, ours):
        if frame.name == ours or not frame.name and self.address(ours) is not None:
            return
        # Without return type and parameters, nor what --demangle=short leaves out of a std::vector.
        short = re.sub(r', std::allocator<[^<>]*> >', '>', frame.name)
        if any(re.search(r'(?:^| )%s\(' % re.escape(ours), name) for name in (frame.name, short)):
            return
        if (frame.name, ours) in self.aliases:
            self.used.add((frame.name, ours))
            return
        self.fail(sample, 'function at %x' % frame.address, frame.name, ours)

    def check_frames(self, sample, lbr, addresses, names):
        choices = sample.known_frames(lbr)
        addresses = [self.address(text) for text in addresses]
        if not lbr:
            addresses = addresses[:len(choices[0])]
        wanted = [[frame.address for frame in frames] for frames in choices]
        if addresses not in wanted:
            self.fail(sample, 'addresses', *[[hex(at or 0) for at in side]
                                             for side in (wanted[0], addresses)])
            return
        for frame, ours in zip(choices[wanted.index(addresses)], names):
            self.check_name(sample, frame, ours)
        self.frames += len(addresses)

    def check_sample(self, sample, lbr, first):
        comm, pid, tid, addresses, weight = self.plain.stack(sample, first)
        names = self.named.stack(sample, first)[3]
        self.check_comm(sample, comm)
        self.check(sample, 'process', (sample.pid, sample.tid), (pid, tid))
        self.check(sample, 'weight', sample.weight, weight)
        self.check_frames(sample, lbr, addresses, names)

    def check_info(self, info, samples):
        events = {}
        for sample in samples:
            events[sample.event] = events.get(sample.event, 0) + 1
        times = [sample.time for sample in samples]
        ours = (info['samples'], info['first_time'], info['last_time'],
                {event['name']: event['samples'] for event in info['events'] if event['samples']})
        theirs = (len(samples), min(times), max(times), events)
        if ours != theirs:
            self.wrong += 1
            print('samples, times, events: perfparser %s, flamefold %s' % (theirs, ours))

    def run(self):
        samples = read_expected(self.recording + '.expected.txt')
        info = self.plain.info()
        self.check_info(info, samples)
        for sample in samples:
            self.check_sample(sample, info['branch_stacks'] > 0, info['first_time'])
        shutil.rmtree(self.symfs)
        print('%s: %d samples, %d frames, %d wrong' % (
            self.recording, len(samples), self.frames, self.wrong))
        return self.wrong == 0 and self.frames >= len(samples) > 0


def main(command, program, *recordings):
    program, used = Program(program), set()
    good = [Comparison(command, program, path, used).run() for path in recordings]
    needless = sorted(set(ALIASES.get(program.name, ())) - used)
    for alias in needless:
        print('no sample needs the alias %s, %s' % alias)
    return not all(good) or bool(needless)


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
