#!/usr/bin/env python3
"""perf script's text -> folded stacks, by the rules that stackcollapse-perf.pl is known to follow.

usage: perf script --no-inline -i X | collapse_perf_script.py [--pid] [--tid] [--kernel] [--jit]
       [--all] [--addrs] [--event-filter=EVENT]

Written from a description of the behaviour, for tests only: the original is not in Debian and its
licence keeps it out of this tree. Where it exists tests use the original.
"""
import collections
import re
import sys

SAMPLE = re.compile(r'^(\S.+?)\s+(\d+)/*(\d+)*\s+')
EVENT = re.compile(r':\s*(\d+)*\s+(\S+):\s*$')
FRAME = re.compile(r'^\s*(\w+)\s*(.+) \((.*)\)')
OPTIONS = ('--pid', '--tid', '--kernel', '--jit', '--all', '--addrs')


def root(name, pid, tid, options):
    """The process frame."""
    if '--tid' in options:
        name = '%s-%s/%s' % (name, pid, tid)
    elif '--pid' in options:
        name = '%s-%s' % (name, pid)
    return name.replace(' ', '_')


def unknown(pc, module, options):
    """What an unnamed frame is called."""
    name = 'unknown' if module == '[unknown]' else module.split('/')[-1]
    return '[%s <%s>]' % (name, pc) if '--addrs' in options else '[%s]' % name


def tidy(name, process):
    """Without arguments, quotes and what would look like a separator."""
    name = name.replace(';', ':')
    if not re.search(r'\.\(.*\)\.', name):  # a method in Go
        name = re.sub(r'\((?!anonymous namespace\)).*', '', name)
    name = name.replace('"', '').replace("'", '')
    if process.startswith('java') and '/' in name:
        name = re.sub('^L', '', name)
    return name


def mark(module, inlined, options):
    if inlined:
        return '_[i]'
    kernel = module.startswith('[') or module.endswith('vmlinux')
    if kernel and 'unknown' not in module and {'--kernel', '--all'} & options:
        return '_[k]'
    if re.search(r'/tmp/perf-\d+\.map', module) and {'--jit', '--all'} & options:
        return '_[j]'
    return ''


def frames(line, process, options):
    """The names on one line, outermost last: more than one where Java unfolds them."""
    match = FRAME.match(line)
    if not match:
        sys.stderr.write('Unrecognized line: %s\n' % line)
        return []
    pc, raw, module = match.groups()
    raw = re.sub(r'\+0x[0-9a-f]+$', '', raw)
    if raw.startswith('('):
        return []
    names = []
    for part in raw.split('->'):
        name = unknown(pc, module, options) if part == '[unknown]' else part
        names.append(tidy(name, process) + mark(module, bool(names), options))
    return names


def collapse(lines, options, wanted):
    stacks = collections.Counter()
    label, stack, period = None, [], 1

    for line in lines:
        line = line.rstrip('\n')
        if line.startswith('#'):
            continue
        if not line:  # the end of a sample
            if label is not None:
                stacks[';'.join([label] + stack)] += period
            label, stack, period = None, [], 1
            continue
        match = SAMPLE.match(line)
        if match:
            name, pid, tid = match.groups()
            if tid is None:
                pid, tid = '?', pid
            process, label, stack, period = name, root(name, pid, tid, options), [], 1
            event = EVENT.search(line)
            if event:
                wanted = wanted or event.group(2)
                if event.group(2) != wanted:
                    label = None
                period = int(event.group(1) or 0) or 1
        elif label is not None:
            stack = frames(line, process, options) + stack
    return stacks


def main(args):
    wanted = [arg.split('=', 1)[1] for arg in args if arg.startswith('--event-filter=')]
    options = {arg for arg in args if not arg.startswith('--event-filter=')}
    if options - set(OPTIONS):
        raise SystemExit(__doc__)
    stacks = collapse(sys.stdin, options, wanted[0] if wanted else None)
    for stack in sorted(stacks, key=lambda stack: stack.encode(errors='surrogateescape')):
        print(stack, stacks[stack])


if __name__ == '__main__':
    sys.stdin.reconfigure(errors='surrogateescape')
    sys.stdout.reconfigure(errors='surrogateescape')
    main(sys.argv[1:])
