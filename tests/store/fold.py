#!/usr/bin/env python3
"""fold.py FILE.ff: its stacks as folded text. Made from Documentation/profile-format.md alone, to
tell whether that page is true; the zstd program unpacks."""
import subprocess
import sys
import zlib

data = open(sys.argv[1], "rb").read()
if data[:4] == b"\x28\xb5\x2f\xfd":
    data = subprocess.run(["zstd", "-dcq"], input=data, stdout=subprocess.PIPE, check=True).stdout


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, size):
        self.at += size
        assert self.at <= len(self.data), "cut"
        return self.data[self.at - size:self.at]

    def byte(self):
        return self.take(1)[0]

    def varint(self):
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def text(self):
        return self.take(self.data.index(b"\0", self.at) + 1 - self.at)[:-1]

    def part(self):
        return Reader(self.take(self.varint()))


file = Reader(data)
assert file.take(8) == b"\x89FFP\r\n\x1a\n" 
version, flags = file.varint(), file.varint()
has_addresses, has_slices = flags & 1, flags & 2
assert flags < 16 and not flags & 4 and version == (3 if flags & 8 else 2)
sections = []
while file.at < len(data):
    number, body = file.varint(), file.part()
    assert int.from_bytes(file.take(4), "little") == zlib.crc32(body.data), "checksum"
    sections.append((number, body))
heat = sections.pop(-2)[1] if flags & 8 and sections[-2][0] == 11 else None
assert [n for n, _ in sections] == [*range(1, 9), *[9] * (len(sections) - 9), 10], "order"
assert bool(heat) == bool(flags & 8), "heat"

r = sections[3][1]
columns, sliced = [], []
for i in range(r.varint()):
    columns.append([*(r.text() for _ in range(4)), *r.take(4), r.varint()])
    if has_slices and r.byte():
        sliced.append(i)
        squares = r.varint() | r.varint() << 64
r = sections[4][1]
count, starts, strings = r.varint(), r.part(), [b""]
for _ in range(count):
    strings.append(strings[-1][:starts.varint()] + r.text())
r, name, names = sections[6][1], 1, [None]
for _ in range(r.varint()):
    name += r.varint()
    names.append(strings[name])
if has_addresses and len(sys.argv) > 2:  # "--addresses": offsets in their files beside the names
    modules = [r.varint() for _ in names[1:]]
    kinds = r.take(len(modules))
    for i, module in enumerate(modules, 1):
        address = r.varint()
        names[i] += b"@%x" % (address - 1 >> 1) if address else b""

nodes, path, first, lines, totals = 0, [], {}, {}, [0] * len(columns)
for _, r in sections[8:-1]:
    count, steps, low, high = r.varint(), r.part(), r.part(), r.part()
    values = [(r.varint(), r.part()) for _ in columns]
    slices = {i: (r.part(), r.varint(), r.part()) for i in sliced}
    for _ in range(count):
        step = steps.varint() if nodes else None
        frame = low.byte() + (high.varint() << 8) if step else 0
        if step == 0:
            frame = first[path[-1]]
        elif step and step > 1:
            path, sibling = path[:len(path) - step + 1], path[len(path) - step + 1]
            frame += sibling + 1
        if step in (0, 1):
            first[path[-1]] = frame
        path.append(frame)
        nodes += 1
        for i, (unit, part) in enumerate(values):
            value = part.varint() * unit if unit else 0
            totals[i] += value
            if value and i in sliced:
                bits, slice_unit, weights = slices[i]
                bits = bits.varint()
                assert sum(weights.varint() * slice_unit for k in range(20) if bits >> k & 1) <= value
            if value and columns[i][2] == b"weight":
                line = b";".join(names[f] for f in path[1:])
                line += b";" if path[1:] and not names[frame] else b""
                lines[line] = lines.get(line, 0) + value
assert nodes == sections[-1][1].varint() and totals == [c[8] for c in columns], "sums"
decimals = max([c[7] for c in columns if c[2] == b"weight"], default=0)
for line in sorted(lines):
    weight = str(lines[line]).rjust(decimals + 1, "0")
    whole, part = (weight[:-decimals], weight[-decimals:].rstrip("0")) if decimals else (weight, "")
    sys.stdout.buffer.write(line + b" " + (whole + ("." + part if part else "")).encode() + b"\n")
