#!/usr/bin/env python3
"""Compares two folded texts: agree.py THEIRS OURS SHARE

Exit 1 where the totals differ, or where less than SHARE of the weight is in equal stacks; the
largest differences are printed then. What perf 6.1 is known to get wrong counts as equal:

* Entries of a PLT are one name on both sides: places.py has found them for perf, by their section.
* Where symbols lie in others, perf takes one of them by chance. THEIRS then has all names that
  places.py found for that very frame in the symbol table, with \\1 between them, and any of them is
  right.
* Chains with an odd value are thrown away whole by perf, which leaves the bare name of the process.
  Ours keeps what is below that value, so as much weight more is in stacks of that process.
"""
import collections
import re
import sys

PLT = re.compile(r'(^|;)[^;]*@plt(?=;|$)')
OTHER_NAMES = re.compile('\1[^;]*?(?=(?:_\\[[ijk]\\])?(?:;|$))')


def read(path):
    stacks = collections.Counter()
    with open(path, encoding='utf-8', errors='surrogateescape') as file:
        for line in file:
            stack, _, count = line.rstrip('\n').rpartition(' ')
            stacks[PLT.sub(r'\1@plt', stack)] += int(count)
    return stacks


def take(theirs, their_stack, ours, our_stack):
    """The weight that both still have, off both."""
    common = min(theirs[their_stack], ours[our_stack])
    theirs[their_stack] -= common
    ours[our_stack] -= common
    return common


def equal(theirs, ours):
    """By perf's own names."""
    return sum(take(theirs, stack, ours, OTHER_NAMES.sub('', stack)) for stack in theirs)


def one_of(names):
    """A regular expression for a frame with one or several names."""
    name, mark = re.fullmatch(r'(.*?)((?:_\[[ijk]\])?)', names, re.DOTALL).groups()
    return '(?:%s)%s' % ('|'.join(map(re.escape, name.split('\1'))), re.escape(mark))


def nested(theirs, ours):
    """By any of the names of symbols that lie in others."""
    common = 0
    for stack in theirs:
        if '\1' in stack and theirs[stack]:
            any_of = re.compile(';'.join(map(one_of, stack.split(';'))))
            common += sum(take(theirs, stack, ours, other) for other in ours if any_of.fullmatch(other))
    return common


def thrown_away(theirs, ours):
    """Weight that theirs has without a stack, and ours with one, process by process."""
    more = collections.Counter()
    for stack, count in ours.items():
        if ';' in stack:
            more[stack.split(';')[0]] += count
    return sum(min(count, more[comm]) for comm, count in theirs.items() if ';' not in comm)


def main(theirs_path, ours_path, share):
    theirs, ours = read(theirs_path), read(ours_path)
    total, total_ours = sum(theirs.values()), sum(ours.values())
    by_chance = 0
    common = equal(theirs, ours)
    if common < total:
        by_chance = nested(theirs, ours)
        common += by_chance + thrown_away(theirs, ours)
    print('%d of %d in equal stacks (%.3f %%; %d of it by another name of the place), ours has %d' % (
        common, total, 100 * common / max(total, 1), by_chance, total_ours))
    if total and total_ours == total and common >= float(share) * total:
        return 0
    differences = [(count, 'theirs', stack) for stack, count in theirs.items()]
    differences += [(count, 'ours', stack) for stack, count in ours.items()]
    for count, whose, stack in sorted(differences, reverse=True)[:12]:
        if count:
            print('%s %d more: %s' % (whose, count, stack[-400:].replace('\1', '|')))
    return 1


if __name__ == '__main__':
    sys.stdout.reconfigure(errors='surrogateescape')
    sys.exit(main(*sys.argv[1:]))
