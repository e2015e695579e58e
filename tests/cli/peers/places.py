#!/usr/bin/env python3
"""perf script's text -> the same, with what its names are worth, by sections and symbol tables

usage: places.py <script >marked

* An entry of a PLT is @plt. perf calls it by the symbol before (_init), by its object, or by nothing,
  where it does not know the target.
* Which of two symbols perf takes where one lies in the other depends on where they are in its tree. A
  frame in such a place gets all their names, with \\1 between them, perf's first: agree.py takes any
  of them for right. Of names for one and the same start perf chooses by a rule, so there only its
  own counts.
"""
import bisect
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from collapse_perf_script import tidy

FRAME = re.compile(r'^(\s+([0-9a-f]+) )(.+?)((?:\+0x([0-9a-f]+))? \((/.+)\))$')
SYMBOL = re.compile(r'^\s*\d+: ([0-9a-f]+)\s+(\w+) (FUNC|IFUNC|NOTYPE)\s+\w+\s+\w+\s+(?:\[.*\] )?(\d+) (\S+)$')
SECTION = re.compile(r'^\s*\[\s*(\d+)\] (\S+) .* ([0-9a-f]{16}) ([0-9a-f]+) ([0-9a-f]+) [0-9a-f]+ +([A-Z]*)\s+\d+ +\d+ +\d+$')


def readelf(path, *options):
    done = subprocess.run(['readelf', '-W', *options, path], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, env={**os.environ, 'LC_ALL': 'C'})
    return done.stdout.decode(errors='surrogateescape').splitlines()


def demangled(names):
    text = '\n'.join(names).encode(errors='surrogateescape')
    done = subprocess.run(['c++filt', '-p'], input=text, stdout=subprocess.PIPE, check=True)
    return done.stdout.decode(errors='surrogateescape').splitlines()


def symbols_of(path, table, code):
    """[(start, end or start, name)] of code, by start; a version is no part of a name."""
    symbols, wanted = set(), False
    for line in readelf(path, '-s'):
        if line.startswith('Symbol table '):
            wanted = "'%s'" % table in line
        match = SYMBOL.match(line) if wanted else None
        if match and int(match[4]) in code:
            start = int(match[1], 16)
            symbols.add((start, start + int(match[2], 0), match[5].split('@')[0]))
    return sorted(symbols)


def debug_file(path):
    build_id = re.search(r'Build ID: ([0-9a-f]{4,})', '\n'.join(readelf(path, '-n')))
    return build_id and '/usr/lib/debug/.build-id/%s/%s.debug' % (build_id[1][:2], build_id[1][2:])


class Object:
    def __init__(self, path):
        sections = [match for match in map(SECTION.match, readelf(path, '-S')) if match]
        code = [match for match in sections if 'X' in match[6]]
        self.places = [(int(match[4], 16), int(match[5], 16), int(match[3], 16), match[2])
                       for match in code]
        numbers = {int(match[1]) for match in code}
        debug = debug_file(path)
        symbols = symbols_of(path, '.symtab', numbers) or \
            debug and symbols_of(debug, '.symtab', numbers) or symbols_of(path, '.dynsym', numbers)
        starts = sorted({start for start, _, _ in symbols})
        # What has no size goes on to where the next one begins.
        after = dict(zip(starts, starts[1:] + starts[-1:]))
        self.symbols = [(start, end if end > start else after[start], name)
                        for start, end, name in symbols]
        self.starts = [start for start, _, _ in self.symbols]
        self.longest = max((end - start for start, end, _ in self.symbols), default=0)

    def place(self, offset):
        """The address there and the name of its section."""
        for start, size, address, section in self.places:
            if start <= offset < start + size:
                return address + offset - start, section
        return None, ''

    def others(self, address, into):
        """Mangled names of symbols that hold the address, and begin elsewhere than perf's."""
        last = bisect.bisect_right(self.starts, address)
        first = bisect.bisect_left(self.starts, address - self.longest)
        holders = [symbol for symbol in self.symbols[first:last] if symbol[1] > address]
        if address - into not in {start for start, _, _ in holders}:
            return []
        return sorted({name for start, _, name in holders if start != address - into})

    def names(self, name, offset, into):
        """What the frame may be called, perf's name first."""
        address, section = self.place(offset)
        if section.startswith('.plt'):
            return ['@plt']
        others = self.others(address, into) if address and into is not None else []
        names = [name] + (demangled(others) if others else [])
        # Frames of Java are split there.
        return [name] if any('->' in name for name in names) else names


def main():
    objects, known = {}, {}
    for line in sys.stdin:
        match = FRAME.match(line)
        if match:
            frame = match.group(2, 3, 5, 6)
            offset, name, into, path = frame
            if path not in objects:
                objects[path] = Object(path)
            if frame not in known:
                known[frame] = objects[path].names(name, int(offset, 16), into and int(into, 16))
            if known[frame] != [name]:
                line = match[1] + '\1'.join(tidy(name, '') for name in known[frame]) + match[4] + '\n'
        sys.stdout.write(line)


if __name__ == '__main__':
    sys.stdin.reconfigure(errors='surrogateescape')
    sys.stdout.reconfigure(errors='surrogateescape')
    main()
