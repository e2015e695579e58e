#!/usr/bin/env python3
"""picture.py NODES FILE [each]: a picture whose tree is one chain of nodes, in few bytes; each with a sample of its own.

A node takes two bytes, which pack to almost nothing; so that a reader who bounds the ratio of what
is unpacked does not refuse it, bytes that do not pack stand beside."""
import base64
import os
import sys
import zlib

RATIO = 28  # below what is refused


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def payload(nodes, noise, own):
    columns = {
        1: b"".join(map(varint, [1, 1, 1, nodes, 1, 1, 0, 0])),
        2: b"\0", 3: b"f\0", 4: b"\0", 5: b"\0", 6: b"\0", 7: b"\0", 8: b"\0",
        11: varint(nodes - 2), 12: b"",
        # A new callee of the root, one of f, and then those that are known.
        13: varint(0) + varint(2) + varint(nodes - 3),
        14: b"\0" * (nodes - 3), 15: b"\0\0", 16: b"\0\0",
        32: varint(7), 33: b"\0" + own * (nodes - 2),
        99: os.urandom(noise),
    }
    head = varint(len(columns))
    for number, column in columns.items():
        head += varint(number) + varint(len(column))
    return head + b"".join(columns.values())


nodes = int(sys.argv[1])
data = payload(nodes, 2 * nodes // RATIO, b"\1" if sys.argv[3:] == ["each"] else b"\0")
text = base64.b64encode(zlib.compress(data, 9)).decode()
with open(sys.argv[2], "w", encoding="ascii") as out:
    out.write('<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg">\n'
              f'<metadata id="flamefold-data" data-format="1" data-packing="zlib" data-bytes="{len(data)}">\n'
              f"<data>{text}</data></metadata></svg>\n")
