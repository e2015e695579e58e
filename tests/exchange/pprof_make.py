#!/usr/bin/env python3
"""A profile of pprof from what standard input says in Python: a dict of lists, with names for strings.

    {"types": [("cpu", "nanoseconds")], "default": "cpu",
     "mappings": [("/bin/x", "ab12")],                       file and build id, numbers 1, 2, ...
     "locations": [(1, 0x400, [("inl", "x.c", 3), ("f", "x.c", 9)])],  mapping, address, lines
     "samples": [([1, 2], [10], {"key": "text", "n": (7, "bytes")})],
     "other": b"..."}                                        bytes as they are, at the end"""
import sys

what = eval(sys.stdin.read())
strings, functions = {"": 0}, {}


def varint(n):
    n &= (1 << 64) - 1
    out = b""
    while n > 0x7F:
        out += bytes([n & 0x7F | 0x80])
        n >>= 7
    return out + bytes([n])


def number(field, n):
    return varint(field << 3) + varint(n)


def part(field, data):
    return varint(field << 3 | 2) + varint(len(data)) + data


def string(text):
    return strings.setdefault(text, len(strings))


def function(name, file, line):
    return functions.setdefault((name, file, line), len(functions) + 1)


def label(key, value):
    if isinstance(value, str):
        return number(1, string(key)) + number(2, string(value))
    return number(1, string(key)) + number(3, value[0]) + number(4, string(value[1]))


out = b""
for name, unit in what["types"]:
    out += part(1, number(1, string(name)) + number(2, string(unit)))
for stack, values, labels in what["samples"]:
    ids = b"".join(number(1, i) for i in stack) if what.get("unpacked") else \
        part(1, b"".join(map(varint, stack)))
    out += part(2, ids + part(2, b"".join(map(varint, values))) +
                b"".join(part(3, label(*l)) for l in labels.items()))
for i, (file, build_id) in enumerate(what.get("mappings", [])):
    out += part(3, number(1, i + 1) + number(5, string(file)) + number(6, string(build_id)) +
                b"".join(number(f, 1) for f in range(7, 11)))
for i, (mapping, address, lines) in enumerate(what["locations"]):
    body = number(1, i + 1) + number(2, mapping) + number(3, address)
    out += part(4, body + b"".join(part(4, number(1, function(*l)) + number(2, l[2])) for l in lines))
for (name, file, line), i in functions.items():
    out += part(5, number(1, i) + number(2, string(name)) + number(4, string(file)) + number(5, line))
if "default" in what:
    out += number(14, string(what["default"]))
for text in what.get("comments", []):
    out += part(13, varint(string(text)))
out += b"".join(part(6, s.encode()) for s in strings)
sys.stdout.buffer.write(out + what.get("other", b""))
