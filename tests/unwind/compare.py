#!/usr/bin/env python3
"""flamefold's stacks and perf script's, sample by sample, with gdb as the judge where they differ.

usage: compare.py [--share=0.995] [--equal=0.95] [--judge=12] [--at-least=SAMPLES] [--show=N]
                  [--keep=DIR] PERF.DATA

Each sample is given a thread id of its own in a copy of the recording, so that both sides name it.
FLAMEFOLD names the command. Exit 1, with what is wrong, unless

 * both have the same samples with the same weights,
 * at least EQUAL of the weight is in equal stacks, and SHARE in those or in such that gdb explains,
 * no stack is shorter than perf's, but for what perf makes up behind the root,
 * gdb takes flamefold's side in those that differ (--judge of them, spread over all kinds), but for
   kinds with 0.2 % of the weight together,
 * the stacks of the default form, without [truncated], are as long as those compared or longer, but for
   what lies behind an address without code.

What perf is known to get wrong counts as equal: entries of a PLT, which it calls by the symbol before
(_init) or by nothing; the frame of a signal, whose name it looks up a byte too early; names of the
vdso, of which it knows nothing; frames where no code is that it makes up behind the root or behind what
was copied of a stack (gdb judges these, too).
"""
import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '../cli'))
import collapse_perf_script as perf_text  # noqa: E402
import judge  # noqa: E402
import recording  # noqa: E402

OPTIONS = {'--all', '--tid'}
LABEL = re.compile(r'-(?:\d+|\?)/(\d+)$')
AGAINST = 0.002  # share of the weight on which gdb may be against us
MOST = 20  # lines of a kind that are printed
PLT = re.compile(r'^(?:.*@plt|_init)$')


class Stack:
    def __init__(self, names, weight, modules=()):
        self.names, self.weight, self.modules = names, weight, modules

    def __eq__(self, other):
        return len(self.names) == len(other.names) and all(map(is_same, self.names, other.names))


def plain(name):
    return '@plt' if PLT.match(name) else name


def read_perf(path):
    """{number: Stack}, root first"""
    stacks = {}
    number, weight, names, modules = None, 0, [], []
    with open(path, encoding='utf-8', errors='surrogateescape') as file:
        for line in file:
            line = line.rstrip('\n')
            if not line:
                if number is not None:
                    stacks[number] = Stack(names[::-1], weight, modules[::-1])
                number = None
                continue
            head = None if line[0] in '\t ' else perf_text.SAMPLE.match(line)
            if head:
                event = perf_text.EVENT.search(line)
                number = int(head.group(3) or head.group(2)) - recording.FIRST_TID
                weight = int(event.group(1) or 0) or 1 if event else 1
                names, modules = [], []
            elif number is not None:
                for name in reversed(perf_text.frames(line, '', OPTIONS)):
                    names.append(plain(name))
                    modules.append(perf_text.FRAME.match(line).group(3))
    return stacks


def read_folded(path):
    """The same of flamefold's output"""
    stacks = {}
    with open(path, encoding='utf-8', errors='surrogateescape') as file:
        for line in file:
            stack, _, count = line.rstrip('\n').rpartition(' ')
            label, *names = stack.split(';')
            number = int(LABEL.search(label).group(1)) - recording.FIRST_TID
            if number in stacks:
                raise SystemExit('sample %d is there twice' % number)
            stacks[number] = Stack([plain(name) for name in names], int(count))
    return stacks


def is_same(theirs, ours):
    # The first bytes of .plt, which call the resolver, have no symbol: perf says the one before, _init.
    if theirs == '@plt' and ours.startswith('['):
        return True
    return (theirs == ours or ours == '__restore_rt' and theirs.startswith('[') or
            theirs == '[[vdso]]_[k]' and ours.endswith('_[k]'))


def common_leaf(a, b):
    """How many frames two stacks share, from the leaf."""
    shared = 0
    while shared < min(len(a), len(b)) and is_same(a[-1 - shared], b[-1 - shared]):
        shared += 1
    return shared


def made_up(stack):
    """How many of the outermost frames are where no code is: perf's garbage behind the root."""
    count = 0
    while count < len(stack.modules) and stack.modules[count] in ('[unknown]', '[heap]', '[stack]'):
        count += 1
    return count


def classify(theirs, ours):
    """(kind, where), both text"""
    a, b = theirs.names, ours.names
    shared = common_leaf(a, b)
    if len(a) == len(b):
        kind = 'made up by perf' if made_up(theirs) >= len(a) - shared else 'names'
        return kind, '%s, ours %s' % (a[-1 - shared], b[-1 - shared])
    if shared == len(a):
        return 'perf stops early', 'at ' + (a[0] if a else 'nothing')
    if shared == len(b):
        if len(a) - shared <= made_up(theirs):
            return 'made up by perf', 'behind ' + (b[0] if b else 'nothing')
        return 'shorter', 'ends at %s, perf has %s' % (b[0] if b else 'nothing', a[-1 - shared])
    where = 'above %s' % (a[-shared] if shared else 'the leaf')
    kind = 'made up by perf' if made_up(theirs) and shared >= len(a) - made_up(theirs) else 'differs'
    return kind, where + ': perf %s, ours %s' % (a[-1 - shared], b[-1 - shared])


def kernel_frames(stack):
    return sum(module.startswith('[') and 'unknown' not in module and
               module not in ('[vdso]', '[vsyscall]', '[heap]', '[stack]') for module in stack.modules)


def is_name(name, frame):
    """Whether gdb's frame may be called @name."""
    _, names, module, _ = frame
    name = re.sub(r'_\[\w\]$', '', name)
    if name == '@plt' or name == '[unknown]':
        return True
    if name.startswith('['):
        return module is not None and name.strip('[]') == module.strip('[]')
    return name in {perf_text.tidy(known, '') for known in names}


def agrees(stack, judged, kernel):
    """Whether gdb has the same frames of the program; None where it does not know: it ends earlier for
    want of memory, or differs behind a frame without rows, out of which it guesses its way."""
    frames, reason = judged
    names = stack[:len(stack) - kernel]
    if reason.startswith('no answer'):
        return False
    for name, frame in zip(reversed(names), reversed(frames)):
        if not is_name(name, frame):
            return False
        if not frame[3]:
            return len(names) == len(frames) and all(map(is_name, names, frames)) or None
    return len(frames) == len(names) or (None if 'memory' in reason and frames and
                                         len(frames) < len(names) else False)


def in_short(names):
    return ';'.join(names if len(names) < 30 else names[:16] + ['...'] + names[-12:])


class Comparison:
    def __init__(self, options):
        self.options = options
        self.recording = recording.Recording(options.file)
        self.wrong = []
        self.kinds = collections.defaultdict(list)  # (kind, where): numbers

    def run(self, room):
        copy = os.path.join(room, 'numbered.data')
        self.recording.number_samples(copy)
        # Nobody else's cache of build ids: what is in it while others record comes and goes.
        os.environ['HOME'] = room
        text, merged, marked = (os.path.join(room, name) for name in ('script', 'merged', 'marked'))
        with open(text, 'wb') as out:
            subprocess.run(['perf', 'script', '--no-inline', '--max-stack', '1000', '-i', copy],
                           stdout=out, stderr=subprocess.DEVNULL, check=True)
        flamefold = os.environ.get('FLAMEFOLD') or os.path.join(HERE, '../../build/flamefold')
        fold = [flamefold, 'fold', '--quiet', '--all', '--tid', '--no-inline']
        for out, more in (merged, ['--compat=stackcollapse']), (marked, []):
            with open(out, 'wb') as file:
                subprocess.run(fold + more + [copy], stdout=file, check=True)
        self.theirs, self.ours = read_perf(text), read_folded(merged)
        self.marked = read_folded(marked)
        self.count()
        self.judge()
        self.check_marks()
        return self.report()

    def count(self):
        if self.theirs.keys() != self.ours.keys():
            self.wrong.append('perf has %d samples that are not in ours, we %d of our own' % (
                len(self.theirs.keys() - self.ours.keys()), len(self.ours.keys() - self.theirs.keys())))
        self.total = sum(stack.weight for stack in self.theirs.values())
        own = sum(stack.weight for stack in self.ours.values())
        if own != self.total:
            self.wrong.append('weight: perf %d, ours %d' % (self.total, own))
        self.equal = self.made_up = 0
        for number, theirs in self.theirs.items():
            ours = self.ours.get(number)
            if ours is None:
                continue
            if theirs == ours:
                self.equal += theirs.weight
            else:
                kind = classify(theirs, ours)
                self.kinds[kind].append(number)
                self.made_up += theirs.weight if kind[0] == 'made up by perf' else 0
        if self.equal + self.made_up < float(self.options.equal) * self.total:
            self.wrong.append('only %.3f %% of the weight is in equal stacks' % (
                self.percent(self.equal + self.made_up)))
        if len(self.theirs) < self.options.at_least:
            self.wrong.append('only %d samples' % len(self.theirs))

    def judge(self):
        """One or more of each kind, the most frequent kinds first."""
        self.verdicts = collections.defaultdict(collections.Counter)
        self.judged, self.sides = {}, {}
        kinds = sorted(self.kinds.items(), key=lambda item: -len(item[1]))
        rounds = [numbers[turn * len(numbers) // 3] for turn in range(3)
                  for _, numbers in kinds if turn == 0 or len(numbers) > turn]
        of = {number: kind for kind, numbers in kinds for number in numbers}
        chosen = list(dict.fromkeys(n for n in rounds if of[n][0] != 'names'))[:self.options.judge]
        if not chosen:
            return
        court = judge.Judge(self.recording)
        for number in chosen:
            kernel = kernel_frames(self.theirs[number])
            self.judged[number] = court.frames(number)
            ours, theirs = (agrees(stacks[number].names, self.judged[number], kernel)
                            for stacks in (self.ours, self.theirs))
            side = ('ours' if ours else 'undecided' if ours is None else
                    'perf' if theirs else 'neither')
            self.sides[number] = ('perf', 'neither', 'undecided', 'ours').index(side)
            self.verdicts[of[number]][side] += 1
        court.close()

    def is_garbage(self, number, count):
        """Is where no code is the innermost of the outermost @count frames, which the default form leaves out?"""
        modules = self.theirs[number].modules if number in self.theirs else []
        return count <= len(modules) and modules[count - 1] in ('[unknown]', '[heap]', '[stack]')

    def check_marks(self):
        """The default form says which stacks are cut, and goes where perf does not."""
        self.cut_weight = self.longer_weight = 0
        if self.marked.keys() != self.ours.keys():
            self.wrong.append('the default form has other samples')
        for number, stack in self.marked.items():
            names = stack.names
            if names[:1] == ['[truncated]']:
                self.cut_weight += stack.weight
                names = names[1:]
            more = len(names) - len(self.ours[number].names) if number in self.ours else 0
            self.longer_weight += stack.weight if more > 0 else 0
            if more < 0 and not self.is_garbage(number, -more):
                self.wrong.append('sample %d: %d frames less in the default form' % (number, -more))

    def percent(self, weight):
        return 100 * weight / max(self.total, 1)

    def weight(self, numbers):
        return sum(self.theirs[number].weight for number in numbers)

    def report(self):
        print('%s: %d samples; %.3f %% of the weight equal, %.3f %% more but for frames that perf '
              'makes up; default form: %.1f %% cut, %.1f %% longer' % (
                  os.path.basename(self.options.file), len(self.theirs), self.percent(self.equal),
                  self.percent(self.made_up), self.percent(self.cut_weight),
                  self.percent(self.longer_weight)))
        shown = shorter = against = against_weight = 0
        explained = self.equal + self.made_up
        for (kind, where), numbers in sorted(self.kinds.items(), key=lambda item: -len(item[1])):
            shown += 1
            verdicts = self.verdicts[(kind, where)]
            said = ', '.join('gdb: %s %d times' % pair for pair in verdicts.items())
            if shown <= MOST:
                print('  %5d (%.3f %%) %s: %s%s' % (
                    len(numbers), self.percent(self.weight(numbers)), kind, where[:150],
                    said and '; ' + said))
            if kind != 'made up by perf' and set(verdicts) == {'ours'}:
                explained += self.weight(numbers)
            if kind == 'shorter' and not (verdicts['ours'] and len(verdicts) == 1):
                shorter += len(numbers)
            elif set(verdicts) - {'ours', 'undecided'}:
                against += len(numbers)
                against_weight += self.weight(numbers)
        if shown > MOST:
            print('  and %d more kinds' % (shown - MOST))
        if explained < float(self.options.share) * self.total:
            self.wrong.append('only %.3f %% of the weight is in equal stacks or such that gdb explains' % (
                self.percent(explained)))
        if shorter:
            self.wrong.append('%d stacks are shorter than perf\'s' % shorter)
        # One sample may be of an instruction in the midst of a switch, which two see as it was
        # and one as it will be.
        if against_weight > AGAINST * self.total:
            self.wrong.append('gdb does not take our side in differences of %d stacks' % against)
        for number in sorted(self.judged, key=self.sides.get)[:self.options.show]:
            self.print_three(number)
        for sentence in self.wrong[:MOST]:
            print('wrong: ' + sentence)
        return 1 if self.wrong else 0

    def print_three(self, number):
        frames, reason = self.judged[number]
        print('sample %d' % number)
        print('  perf: ' + in_short(self.theirs[number].names))
        print('  ours: ' + in_short(self.ours[number].names))
        print('  gdb:  ' + in_short([min(names, default='%x' % address) + ('' if module else '!')
                                     for address, names, module, _ in frames]) + ' (%s)' % reason)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--share', default=0.995)
    parser.add_argument('--equal', default=0.95)
    parser.add_argument('--judge', type=int, default=12)
    parser.add_argument('--at-least', type=int, default=50)
    parser.add_argument('--show', type=int, default=3)
    parser.add_argument('--keep')
    parser.add_argument('file')
    options = parser.parse_args()
    if options.keep:
        os.makedirs(options.keep, exist_ok=True)
        return Comparison(options).run(options.keep)
    with tempfile.TemporaryDirectory() as room:
        return Comparison(options).run(room)


if __name__ == '__main__':
    sys.stdout.reconfigure(errors='backslashreplace')
    sys.exit(main())
