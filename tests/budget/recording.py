#!/usr/bin/env python3
"""recording.py KIND COUNT FILE: a perf.data, packed by gzip, that asks for more memory than it has bytes.

names COUNT    threads with names of 4,000 bytes, all different
states COUNT   threads that are named, all alike
maps COUNT     processes that map 1,000 files each, with paths of 4,000 bytes
buildids COUNT build ids of files, in the header
stacks COUNT   samples with 100 addresses each, no two of which are the same"""
import gzip
import struct
import sys

MMAP, COMM, SAMPLE = 1, 3, 9
IP, TID, TIME, CHAIN = 1, 2, 4, 32
USER = 2
USER_CONTEXT = (1 << 64) - 512


def record(kind, body):
    return struct.pack("<IHH", kind, USER, 8 + len(body)) + body


def name(number, size):
    return (b"%d/" % number).ljust(size - 1, b"x") + b"\0"


def comm(pid, tid, text):
    return record(COMM, struct.pack("<II", pid, tid) + text)


def names(count):
    for i in range(count):
        yield comm(7, 8 + i, name(i, 4000))


def states(count):
    one = comm(7, 7, b"app\0\0\0\0\0")
    for i in range(0, count, 1000):
        yield one * min(1000, count - i)


def maps(count):
    for pid in range(count):
        for i in range(1000):
            start = 0x10000 * (i + 1)
            yield record(MMAP, struct.pack("<IIQQQ", 1000 + pid, 1000 + pid, start, 0x1000, 0) +
                         b"/" + name((pid + 1) * 1000000 + i, 4000))


def stacks(count):
    yield record(MMAP, struct.pack("<IIQQQ", 7, 7, 0x1000, 1 << 46, 0) + b"/no/file\0")
    for i in range(count):
        addresses = range(0x10000 + 1600 * i, 0x10000 + 1600 * (i + 1), 16)
        yield record(SAMPLE, struct.pack("<QIIQQQ", addresses[0], 7, 7, 1, 101, USER_CONTEXT) +
                     struct.pack("<100Q", *addresses))


def buildids(count):
    """Records of the feature's section."""
    for i in range(count):
        yield record(67, struct.pack("<i24x", -1) + b"%039d\0" % i)


def attr():
    return (struct.pack("<IIQQQQQ", 0, 112, 0, 1, IP | TID | TIME | CHAIN, 0, 0).ljust(112, b"\0") +
            struct.pack("<QQ", 104, 0))


def write(out, kind, count, section=lambda count: ()):
    head = attr()
    begin = 104 + len(head)
    size = sum(map(len, kind(count))) + len(comm(7, 7, b"app\0\0\0\0\0")) + len(next(iter(tail())))
    out.write(struct.pack("<8sQQQQQQQQ", b"PERFILE2", 104, len(head), 104, len(head), begin, size, 0, 0).ljust(72, b"\0"))
    feature = b"".join(section(count))
    out.write(struct.pack("<Q24x", 4 if feature else 0))
    out.write(head)
    out.write(comm(7, 7, b"app\0\0\0\0\0"))
    for part in kind(count):
        out.write(part)
    for part in tail():
        out.write(part)
    if feature:
        out.write(struct.pack("<QQ", begin + size + 16, len(feature)) + feature)


def tail():
    yield record(SAMPLE, struct.pack("<QIIQQQQ", 0x10, 7, 7, 2, 2, USER_CONTEXT, 0x10))


SECTIONS = {"buildids": buildids}
KINDS = {"names": names, "states": states, "maps": maps, "stacks": stacks}
with gzip.open(sys.argv[3], "wb", compresslevel=6) as packed:
    write(packed, KINDS.get(sys.argv[1], lambda count: ()), int(sys.argv[2]), SECTIONS.get(sys.argv[1], lambda count: ()))
