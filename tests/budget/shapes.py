#!/usr/bin/env python3
"""shapes.py KIND BYTES FILE: a perf.data made to take long, of about so many bytes."""
import struct
import sys

from recording import record, comm, MMAP, COMM, SAMPLE, USER_CONTEXT

EXIT, FORK = 4, 7
KERNEL = (1 << 64) - 128
IP, TID, TIME, READ, CHAIN, PERIOD, STREAM, RAW, BRANCHES, REGS, STACK = 1, 2, 4, 16, 32, 256, 512, 1024, 2048, 4096, 8192
ID, IDENTIFIER = 64, 1 << 16
GROUP_READ = 8 | 4  # PERF_FORMAT_GROUP, PERF_FORMAT_ID
SAMPLE_ID_ALL = 1 << 18


def perfdata(records, sample_type=IP | TID | TIME | CHAIN, events=1, read=0, flags=SAMPLE_ID_ALL, regs=0, stack=0, features=b"", bits=0):
    """@features: descriptors of their sections, and their data."""
    one = struct.pack("<IIQQQQQ", 0, 112, 0, 1, sample_type, read, flags)
    one += struct.pack("<IIQQQQIIQI", 0, 0, 0, 0, 0, regs, stack, 0, 0, 0)
    head = b""
    for i in range(events):
        head += one.ljust(112, b"\0") + struct.pack("<QQ", 104 + 128 * events + 8 * i, 8)
    head += struct.pack("<%dQ" % events, *range(1, events + 1))
    begin = 104 + len(head)
    size = len(records)
    return struct.pack("<8sQQQQQQQQQ24x", b"PERFILE2", 104, 128, 104, 128 * events, begin, size, 0, 0, bits) + head + records + features


def trailer(pid, time, tid=None):
    return struct.pack("<IIQ", pid, pid if tid is None else tid, time)


def sample(time, pid=7, chain=(0x1234,), ip=0x1234):
    return record(SAMPLE, struct.pack("<QIIQQQ", ip, pid, pid, time, 1 + len(chain), USER_CONTEXT) +
                  struct.pack("<%dQ" % len(chain), *chain))


def mmap(pid, start, size, time, name=b"/no/file", off=0):
    name = name + b"\0" * (8 - len(name) % 8)
    return record(MMAP, struct.pack("<IIQQQ", pid, pid, start, size, off) + name + trailer(pid, time))


def named(pid, tid, time, name=b"app"):
    name = name + b"\0" * (8 - len(name) % 8)
    return record(COMM, struct.pack("<II", pid, tid) + name + trailer(pid, time, tid))


def task(kind, pid, parent, time, tid=None, ptid=None):
    tid, ptid = pid if tid is None else tid, parent if ptid is None else ptid
    return record(kind, struct.pack("<IIIIQ", pid, parent, tid, ptid, time) + trailer(pid, time, tid))


def times_down(n):
    n //= 56
    return b"".join(sample(n - i) for i in range(n))


def times_down_rounds(n):
    n //= 64
    return b"".join(sample(n - i) + struct.pack("<IHH", 68, 0, 8) for i in range(n))


def rounds(n):
    return struct.pack("<IHH", 68, 0, 8) * (n // 8) + sample(1)


def maps_down(n):
    n //= 72
    return b"".join(mmap(7, 0x1000 * (n - i), 0x1000, i) for i in range(n)) + b"".join(
        sample(n, ip=0x1000 * i + 5, chain=(0x1000 * i + 5,)) for i in range(0, n, 50))


def maps_over(n):
    """Each covers a part of the one before."""
    n //= 72
    return b"".join(mmap(7, 0x1000 * i, 0x1000 * 2 * (n - i), i) for i in range(n)) + b"".join(
        sample(n, ip=0x1000 * i + 5, chain=(0x1000 * i + 5,)) for i in range(0, n, 50))


def maps_split(n):
    """A large one is cut into pieces from within, and covered again."""
    out, n = [], n // 72
    for i in range(n):
        out.append(mmap(7, 0x1000, 0x1000 * 100000, i) if i % 100 == 0 else mmap(7, 0x2000 * (i % 10000 + 2), 0x1000, i))
    return b"".join(out) + b"".join(sample(i, ip=0x2000 * i + 5, chain=(0x2000 * i + 5,)) for i in range(0, n, 50))


def maps_samples(n):
    """A map between each two samples."""
    n //= 144
    return b"".join(mmap(7, 0x1000 * (i % 1000 + 1), 0x1000, 2 * i) +
                    sample(2 * i + 1, ip=0x1000 * (i % 977 + 1), chain=(0x1000 * (i % 977 + 1), 0x5005)) for i in range(n))


def names_one_thread(n):
    n //= 100
    return b"".join(named(7, 7, 2 * i, b"n%x" % i) + sample(2 * i + 1) for i in range(n))


def execs(n):
    n //= 176
    return b"".join(
        struct.pack("<IHH", COMM, 1 << 13 | 2, 40) + struct.pack("<II8s", 7, 7, b"app") + trailer(7, 3 * i) +
        mmap(7, 0x1000, 0x1000, 3 * i + 1) + sample(3 * i + 2) for i in range(n))


def forks_deep(n):
    n //= 56
    return mmap(2, 0x1000, 0x1000, 0) + b"".join(task(FORK, i + 3, i + 2, i) for i in range(n)) + sample(n, pid=n + 2)


def forks_wide(n):
    """Of a process with many maps."""
    m = n // 2 // 72
    k = n // 2 // 112
    return b"".join(mmap(2, 0x2000 * (i + 1), 0x1000, i) for i in range(m)) + b"".join(
        task(FORK, i + 3, 2, m + i) + sample(m + i, pid=i + 3, chain=(0x2005,), ip=0x4005) for i in range(k))


def forks_and_exits(n):
    n //= 168
    return mmap(2, 0x1000, 0x1000, 0) + b"".join(
        task(FORK, 3, 2, 3 * i) + sample(3 * i + 1, pid=3) + task(EXIT, 3, 2, 3 * i + 2) for i in range(n))


def threads(n):
    n //= 112
    return b"".join(task(FORK, 7, 7, i, tid=8 + i, ptid=7) + record(SAMPLE, struct.pack("<QIIQQQQ", 0x1234, 7, 8 + i, i, 2, USER_CONTEXT, 0x1234)) for i in range(n))


def unknown(n):
    return b"".join(struct.pack("<IHH", 200 + i % 50, 0, 8) for i in range(n // 8)) + sample(1)


def auxtrace(n):
    return struct.pack("<IHHQQQIIII", 71, 0, 48, 0, 0, 0, 0, 0, 0, 0) * (n // 48) + sample(1)


def lost(n):
    return b"".join(record(2, struct.pack("<QQ", 1, 1) + trailer(7, i)) for i in range(n // 40)) + sample(1)


def ksymbols_down(n):
    n //= 56
    return b"".join(record(17, struct.pack("<QIHH8s", (1 << 64) - 0x40000000 + 0x100 * (n - i), 0x80, 1, 0, b"bpf_%x" % (i % 999)) + trailer(7, i))
                    for i in range(n)) + b"".join(
        struct.pack("<IHH", SAMPLE, 1, 56) + struct.pack("<QIIQQQQ", (1 << 64) - 0x40000000 + 0x100 * i, 7, 7, n, 2, KERNEL, (1 << 64) - 0x40000000 + 0x100 * i)
        for i in range(0, n, 50))


def chain_too_long(n):
    bad = record(SAMPLE, struct.pack("<QIIQQ", 1, 7, 7, 1, 1 << 61) + b"")
    return bad * (n // len(bad)) + sample(1)


def markers(n):
    chain = [KERNEL, USER_CONTEXT] * 400
    one = record(SAMPLE, struct.pack("<QIIQQ", 1, 7, 7, 1, len(chain)) + struct.pack("<%dQ" % len(chain), *chain))
    return one * (n // len(one)) + sample(1)


def recursion(n):
    """Each stack is another depth of the same function."""
    out, i = [], 0
    while n > 0:
        i = i % 1000 + 1
        out.append(sample(i, chain=(0x1234,) * i))
        n -= 48 + 8 * i
    return mmap(7, 0x1000, 0x1000, 0) + b"".join(out)


def unmapped(n):
    return b"".join(sample(i, ip=i << 12, chain=(i << 12, i << 13, i << 14)) for i in range(n // 72))


def frames_one_file(n):
    """Addresses that fall on one place of what is remembered of addresses."""
    back = pow(0x9fb21c651e98df25, -1, 1 << 64)
    places = [a for a in ((i * back) & (1 << 64) - 1 for i in range(1, n // 2)) if a < 1 << 62][:n // 8]
    return mmap(7, 0, 1 << 62, 0) + b"".join(sample(1, chain=places[i:i + 1000]) for i in range(0, len(places), 1000))


def group_members(n):
    """A group of 2,000 counters."""
    one = struct.pack("<QIIQ", 0x1234, 7, 7, 1) + struct.pack("<Q", 2000) + b"".join(struct.pack("<QQ", 5, 1 + i % 3) for i in range(2000))
    one += struct.pack("<QQQ", 2, USER_CONTEXT, 0x1234)
    one = record(SAMPLE, one)
    return one * (n // len(one))


def stacks(n):
    """Registers and a copy of the stack: bytes of it that look like addresses of the file."""
    one = struct.pack("<QIIQQ", 0x5000, 7, 7, 1, 0) + struct.pack("<Q9Q", 2, *([0x7000] * 6 + [0x7000, 0x7000, 0x5000]))
    dump = struct.pack("<QQ", 0x7010, 0x5005) * 3800
    one += struct.pack("<Q", len(dump)) + dump + struct.pack("<Q", len(dump))
    one = record(SAMPLE, one)
    return mmap(7, 0x1000, 0x6000, 0) + one * (n // len(one))


def cgroups(n):
    n //= 48
    return b"".join(record(19, struct.pack("<Q8s", i, b"/%x" % i) + trailer(7, i)) for i in range(n)) + sample(1)


KINDS = {f.__name__: f for f in (
    times_down, times_down_rounds, rounds, maps_down, maps_over, maps_split, maps_samples, names_one_thread, execs, forks_deep,
    forks_wide, forks_and_exits, threads, unknown, auxtrace, lost, ksymbols_down, chain_too_long, markers, recursion, unmapped,
    frames_one_file, group_members, stacks, cgroups)}


def whole(kind, size):
    if kind == "attributes":
        return perfdata(sample(1), events=size // 136)
    if kind == "group_members":
        return perfdata(group_members(size), sample_type=IP | TID | TIME | READ | CHAIN, read=GROUP_READ, events=3)
    if kind == "stacks":
        return perfdata(stacks(size), sample_type=IP | TID | TIME | CHAIN | REGS | STACK, regs=0x1ff, stack=60800)
    if kind == "build_ids":
        table = b"".join(struct.pack("<IHHi24x", 67, 2, 36 + 16, -1) + b"/no/%011d\0" % i for i in range(size // 52))
        base = perfdata(sample(1))
        at = len(base) + 16
        return perfdata(sample(1), bits=4, features=struct.pack("<QQ", at, len(table)) + table)
    if kind == "host":
        text = struct.pack("<I", size) + b"x" * size
        at = len(perfdata(sample(1))) + 16
        return perfdata(sample(1), bits=8, features=struct.pack("<QQ", at, len(text)) + text)
    if kind == "cmdline":
        text = struct.pack("<I", size // 5) + b"\1\0\0\0x" * (size // 5)
        at = len(perfdata(sample(1))) + 16
        return perfdata(sample(1), bits=1 << 11, features=struct.pack("<QQ", at, len(text)) + text)
    if kind == "pmus":
        text = struct.pack("<I", size // 10) + b"".join(struct.pack("<II2s", i, 2, b"x") for i in range(size // 10))
        at = len(perfdata(sample(1))) + 16
        return perfdata(sample(1), bits=1 << 18, features=struct.pack("<QQ", at, len(text)) + text)
    return perfdata(KINDS[kind](size))


if __name__ == "__main__":
    with open(sys.argv[3], "wb") as out:
        out.write(whole(sys.argv[1], int(sys.argv[2])))
