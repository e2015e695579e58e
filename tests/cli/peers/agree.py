#!/usr/bin/env python3
"""Compares two folded texts: agree.py THEIRS OURS SHARE

Exit 1 where the totals differ, or where less than SHARE of the weight is in equal stacks; the
largest differences are printed then. What perf 6.1 is known to get wrong counts as equal:

* Entries of a PLT are one name on both sides: perf calls them by the symbol before (_init), or by
  nothing (@plt), where it does not know the target.
* Chains with an odd value are thrown away whole by perf, which leaves the bare name of the process.
  Ours keeps what is below that value, so as much weight more is in stacks of that process.
"""
import collections
import re
import sys

PLT = re.compile(r'(^|;)(?:[^;]*@plt|_init)(?=;|$)')


def read(path):
    stacks = collections.Counter()
    with open(path, encoding='utf-8', errors='surrogateescape') as file:
        for line in file:
            stack, _, count = line.rstrip('\n').rpartition(' ')
            stacks[PLT.sub(r'\1@plt', stack)] += int(count)
    return stacks


def thrown_away(theirs, ours):
    """Weight that theirs has without a stack, and ours with one, process by process."""
    more = collections.Counter()
    for stack, count in ours.items():
        if ';' in stack and count > theirs[stack]:
            more[stack.split(';')[0]] += count - theirs[stack]
    return sum(min(count - ours[comm], more[comm]) for comm, count in theirs.items()
               if ';' not in comm and count > ours[comm])


def main(theirs_path, ours_path, share):
    theirs, ours = read(theirs_path), read(ours_path)
    total = sum(theirs.values())
    common = sum(min(count, ours[stack]) for stack, count in theirs.items())
    common += thrown_away(theirs, ours)
    print('%d of %d in equal stacks (%.3f %%), ours has %d' % (
        common, total, 100 * common / max(total, 1), sum(ours.values())))
    if total and sum(ours.values()) == total and common >= float(share) * total:
        return 0
    differences = [(abs(theirs[stack] - ours[stack]), stack) for stack in theirs | ours]
    for difference, stack in sorted(differences, reverse=True)[:12]:
        if difference:
            print('theirs %d, ours %d: %s' % (theirs[stack], ours[stack], stack[-400:]))
    return 1


if __name__ == '__main__':
    sys.stdout.reconfigure(errors='surrogateescape')
    sys.exit(main(*sys.argv[1:]))
