#!/usr/bin/env python3
"""recording.py KIND COUNT FILE: a perf.data, packed by gzip, that asks for more memory than it has bytes.

names COUNT    threads with names of 4,000 bytes, all different
states COUNT   threads that are named, all alike
maps COUNT     processes that map 1,000 files each, with paths of 4,000 bytes
buildids COUNT build ids of files, in the header
stacks COUNT   samples with 100 addresses each, no two of which are the same
deferred COUNT user chains that come later, of 100 addresses each, for samples that do not come
counters COUNT samples of one stack with two counters each
pids COUNT     a pipe: threads that live, each of a process of its own
living COUNT   a pipe: files that one process maps, all alike
inodes COUNT   a pipe: files that one process maps at one place, under one name"""
import gzip
import struct
import sys

MMAP, COMM, SAMPLE, MMAP2, DEFERRED, ATTR = 1, 3, 9, 10, 22, 64
IP, TID, TIME, READ, CHAIN = 1, 2, 4, 16, 32
ID_ALL = 1 << 18
USER = 2
USER_CONTEXT = (1 << 64) - 512


def record(kind, body):
    return struct.pack("<IHH", kind, USER, 8 + len(body)) + body


def name(number, size):
    return (b"%d/" % number).ljust(size - 1, b"x") + b"\0"


def comm(pid, tid, text, trailer=b""):
    return record(COMM, struct.pack("<II", pid, tid) + text + trailer)


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


def deferred(count):
    for i in range(count):
        yield record(DEFERRED, struct.pack("<QQ", i, 101) + struct.pack("<101Q", USER_CONTEXT, *range(100 * i, 100 * i + 100)) +
                     struct.pack("<IIQ", 7, 7, 1))


def counters(count):
    for i in range(count):
        yield record(SAMPLE, struct.pack("<QIIQQQQQQQQQ", 0x10, 7, 7, i + 1, 2, i + 1, 1, i + 1, 2, 2, USER_CONTEXT, 0x10))


def pids(count):
    for i in range(count):
        yield comm(1000 + i, 1000 + i, b"app\0\0\0\0\0")


def living(count):
    for i in range(count):
        yield record(MMAP, struct.pack("<IIQQQ", 7, 7, 0x100000 + 0x1000 * i, 0x1000, 0) + b"/no/file\0".ljust(16, b"\0"))


def inodes(count):
    for i in range(count):
        yield record(MMAP2, struct.pack("<IIQQQIIQQII", 7, 7, 0x100000, 0x1000, 0, 8, 1, i + 1, 0, 5, 2) +
                     b"/no/file\0".ljust(16, b"\0"))


def buildids(count):
    """Records of the feature's section."""
    for i in range(count):
        yield record(67, struct.pack("<i24x", -1) + b"%039d\0" % i)


def attr(kind=None):
    """An event and its ids, which lie behind it in the file."""
    fields = IP | TID | TIME | CHAIN | (READ if kind is counters else 0)
    flags = ID_ALL if kind is deferred else 0
    read = 4 | 8 if kind is counters else 0  # ids, of a group
    return struct.pack("<IIQQQQQ", 0, 112, 0, 1, fields, read, flags).ljust(112, b"\0")


def tail(kind):
    read = struct.pack("<QQQQQ", 2, 1 << 40, 1, 1 << 40, 2) if kind is counters else b""
    yield record(SAMPLE, struct.pack("<QIIQ", 0x10, 7, 7, 1 << 62) + read + struct.pack("<QQQ", 2, USER_CONTEXT, 0x10))


def records(kind, count):
    yield comm(7, 7, b"app\0\0\0\0\0", struct.pack("<IIQ", 7, 7, 0) if kind is deferred else b"")
    yield from kind(count)
    yield from tail(kind)


def write_file(out, kind, count, section):
    events = 2 if kind is counters else 1
    ids = b"".join(struct.pack("<Q", i + 1) for i in range(events)) if kind is counters else b""
    head = ids
    for i in range(events):
        head += attr(kind) + struct.pack("<QQ", 104 + 8 * i, len(ids) // events)
    begin = 104 + len(head)
    size = sum(map(len, records(kind, count)))
    out.write(struct.pack("<8sQQQQQQQQ", b"PERFILE2", 104, 128, 104 + len(ids), len(head) - len(ids), begin, size, 0, 0).ljust(72, b"\0"))
    feature = b"".join(section(count))
    out.write(struct.pack("<Q24x", 4 if feature else 0))
    out.write(head)
    for part in records(kind, count):
        out.write(part)
    if feature:
        out.write(struct.pack("<QQ", begin + size + 16, len(feature)) + feature)


def write_pipe(out, kind, count):
    out.write(struct.pack("<8sQ", b"PERFILE2", 16) + record(ATTR, attr(kind)))
    for part in records(kind, count):
        out.write(part)


SECTIONS = {"buildids": buildids}
PIPES = {"pids": pids, "living": living, "inodes": inodes}
KINDS = {"names": names, "states": states, "maps": maps, "stacks": stacks, "deferred": deferred, "counters": counters}
if __name__ == "__main__":
    with gzip.open(sys.argv[3], "wb", compresslevel=6) as packed:
        if sys.argv[1] in PIPES:
            write_pipe(packed, PIPES[sys.argv[1]], int(sys.argv[2]))
        else:
            write_file(packed, KINDS.get(sys.argv[1], lambda count: ()), int(sys.argv[2]),
                       SECTIONS.get(sys.argv[1], lambda count: ()))
