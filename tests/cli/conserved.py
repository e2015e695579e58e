#!/usr/bin/env python3
"""Whether fold's figures add up: READ = TREE + LOST, and TREE is what was written.

usage: conserved.py DIRECTORY FILE... [-- OPTION...]...

Each FILE is folded once with each list of OPTIONs, $FLAMEFOLD and without the symbols of this machine, which
DIRECTORY, empty, stands in for. One program for all: hundreds of files by seven figures each take a shell minutes.
"""
import os
import subprocess
import sys

LOST = 'weight of other events', 'weight filtered out', 'weight of damaged records'


def lists(words):
    """The words between each '--' and the next."""
    result = [[]]
    for word in words:
        if word == '--':
            result.append([])
        else:
            result[-1].append(word)
    return result


def figures(text):
    """The rows of --stats."""
    rows = {}
    for line in text.splitlines():
        name, _, number = line.strip().rpartition(' ')
        if number.replace(',', '').isdecimal():
            rows[name.strip()] = int(number.replace(',', ''))
    return rows


def wrong(file, options, directory):
    """What does not add up, or None."""
    folded = subprocess.run(
        [os.environ['FLAMEFOLD'], 'fold', '--symfs', directory, '--kallsyms=/dev/null', '--stats', *options, file],
        stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=900)
    if folded.returncode != 0:
        return 'fails and writes' if folded.stdout else None
    rows = figures(folded.stderr.decode(errors='replace'))
    read, tree = rows['weight read'], rows['weight in the tree']
    lost = sum(rows[name] for name in LOST)
    written = sum(int(line.rsplit(b' ', 1)[1]) for line in folded.stdout.splitlines())
    if read != tree + lost:
        return f'read {read}, tree {tree}, lost {lost}'
    if written != tree:
        return f'wrote {written}, tree {tree}'
    if rows['samples read'] < rows['samples in the tree']:
        return f"{rows['samples read']} samples, {rows['samples in the tree']} in the tree"
    return None


def main():
    (directory, *files), *ways = lists(sys.argv[1:])
    failed = 0
    for file in files:
        for options in ways or [[]]:
            said = wrong(file, options, directory)
            if said:
                print(f"{file} {' '.join(options)}: {said}")
                failed += 1
    sys.exit(failed > 0)


if __name__ == '__main__':
    main()
