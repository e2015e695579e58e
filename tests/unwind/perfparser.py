#!/usr/bin/env python3
"""Stacks of flamefold against those that perfparser's tests expect of the same recording.

usage: perfparser.py [--inlined] EXPECTED.txt FOLDED EXECUTABLE

EXPECTED has each sample's frames with addresses; names differ in style (one says
`main(int, char**)::<lambda()>` where the other has `main::{lambda()#1}`), so each address stands for
all names that EXECUTABLE's symbols have for it. Of the kernel's frames only the number counts. With
--inlined the inlined functions have to be there as well, by their bare names.

A stack may be longer than what is expected, where that ends early: at a call of clone(), at an entry of
the PLT, or because no stack was copied; then it goes on to _start, or has one more frame, the ip.
"""
import collections
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../cli'))
import collapse_perf_script as perf_text  # noqa: E402
import elf  # noqa: E402

FRAME = re.compile(r'\t([0-9a-f]+) [0-9a-f]+\t(.*)$')
NAMELESS, KERNEL = '[nameless]', '[kernel]'
# What --demangle=short leaves out of names of these programs: std::vector<double, std::allocator<double> >.
DEFAULT_ALLOCATOR = re.compile(r', std::allocator<[^<>]*> >')
EVENT = re.compile(r'\t([\w:-]+): (\d+)$')


def bare(name):
    """Without result, scope, template arguments, parameters and marks."""
    name = re.sub(r'_\[\w\]$', '', name)
    name = re.sub(r'<lambda\([^()]*\)>|\{lambda\([^()]*\)#\d+\}', 'lambda', name)
    while re.search(r'<[^<>]*>', name):
        name = re.sub(r'<[^<>]*>', '', name)
    return re.sub(r'\(.*', '', name).split('::')[-1].split(' ')[-1]


class Sample:
    def __init__(self):
        self.event, self.weight, self.lines = None, 0, []

    def frames(self):
        """(address, name of an inlined function or None for the frame's own), root first"""
        frames, address = [], None
        for location, symbol in zip(self.lines[::2], self.lines[1::2]):
            address = int(location[0], 16) if address is None else address
            if symbol[1].endswith('(inlined)'):
                frames.append((address, bare(symbol[1].split('\t')[-1].split(' /')[0].rsplit(' ', 1)[0])))
            else:
                frames.append((address, None))
                address = None
        return frames[::-1]


def read_expected(path):
    samples = []
    with open(path) as file:
        for line in file:
            line = line.rstrip('\n')
            if line and line[0] != '\t':
                samples.append(Sample())
            elif EVENT.match(line):
                samples[-1].event = EVENT.match(line).group(1)
                samples[-1].weight = int(EVENT.match(line).group(2))
            elif FRAME.match(line):
                samples[-1].lines.append(FRAME.match(line).groups())
    return [sample for sample in samples if sample.event == 'cycles']


class Names:
    def __init__(self, path):
        self.image, self.known = elf.Elf(path), {}

    def of(self, address):
        """Names that the frame at an address may have."""
        if address not in self.known:
            if address >> 63:
                self.known[address] = frozenset([KERNEL])
            else:
                nice = elf.demangled(self.image.covering(address)).values()
                tidy = {perf_text.tidy(name, '') for name in nice}
                short = {DEFAULT_ALLOCATOR.sub('>', name) for name in tidy}
                self.known[address] = frozenset(tidy | short or [NAMELESS])
        return self.known[address]


def fits(wanted, stack):
    return len(wanted) == len(stack) and all(
        name in names or
        name.endswith('_[i]') and bare(name) in names or
        KERNEL in names and (name.endswith('_[k]') or name == '[unknown]') or
        NAMELESS in names and (name.endswith('@plt') or name.startswith('['))
        for names, name in zip(wanted, stack))


def goes_on(wanted, stack):
    """Whether @stack has what is wanted at its leaf, and a root that is better."""
    more = len(stack) - len(wanted)
    return more > 0 and fits(wanted, stack[more:]) and (
        stack[0] == '_start' or more == 1 and all(KERNEL in names for names in wanted))


def read_folded(path):
    """Without the process: (names, count), root first"""
    with open(path, encoding='utf-8', errors='surrogateescape') as file:
        for line in file:
            stack, _, count = line.rstrip('\n').rpartition(' ')
            yield [name for name in stack.split(';')[1:] if name], int(count)


def main(args):
    options = {arg for arg in args if arg.startswith('--')}
    expected_path, folded_path, executable = [arg for arg in args if arg not in options]
    names, left = Names(executable), collections.Counter()
    for sample in read_expected(expected_path):
        frames = tuple(names.of(address) if name is None else frozenset([name])
                       for address, name in sample.frames()
                       if '--inlined' in options or name is None)
        left[frames] += sample.weight
    total, wrong, found = sum(left.values()), 0, {fits: 0, goes_on: 0}
    stacks = [[stack, count] for stack, count in read_folded(folded_path)]
    longest_first = sorted(left, key=len, reverse=True)
    for suits in fits, goes_on:
        for item in stacks:
            for wanted in longest_first:
                if left[wanted] and suits(wanted, item[0]):
                    used = min(item[1], left[wanted])
                    left[wanted] -= used
                    item[1] -= used
                    found[suits] += used
    for stack, count in stacks:
        if count:
            print('not expected: %d %s' % (count, ';'.join(stack)))
            wrong += count
    for wanted, count in left.items():
        if count:
            print('missing: %d %s' % (count, ';'.join(min(names) for names in wanted)))
    print('%d of %d in equal stacks, %d in longer ones; of %d kinds' % (
        found[fits], total, found[goes_on], len(left)))
    return 1 if wrong or sum(found.values()) != total else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
