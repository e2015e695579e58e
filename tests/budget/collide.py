#!/usr/bin/env python3
"""collide.py KIND COUNT FILE: an input whose keys would lie in one place of a hash table, had its hash no secret.

words COUNT      folded text: names whose XXH3 begins alike
stacks COUNT     folded text: pairs of names, numbered as they come, whose steps of a multiplicative hash do
ids COUNT        a perf.data with ids of events, numbers that a mixer with fixed constants takes there
pids COUNT       processes, the same
addresses COUNT  a sample of another address each, the same

A table of linear probing has all of COUNT in one run if their places are among the first COUNT / 4: to look one up
takes COUNT / 2 steps then, and all of them COUNT * COUNT / 2."""
import itertools
import struct
import sys

from recording import attr, comm, record, MMAP, SAMPLE, USER_CONTEXT

ALL = (1 << 64) - 1
MIX = 0x9fb21c651e98df25
FIRST_IMAGE, CALLER = 4, 1
UNMIX = pow(MIX, -1, 1 << 64)


def unshift(value, shift):
    """What ^ itself >> shift is @value."""
    out = value
    for _ in range(64 // shift):
        out = value ^ out >> shift
    return out


def mixed(key):
    key ^= key >> 32
    key = key * MIX & ALL
    key ^= key >> 35
    key = key * MIX & ALL
    return key ^ key >> 28


def unmixed(value):
    value = unshift(value, 28) * UNMIX & ALL
    value = unshift(value, 35) * UNMIX & ALL
    return unshift(value, 32)


def xxh3(word):
    """XXH3_64bits() of 8 bytes, without a seed."""
    first, last = struct.unpack("<II", word)
    value = (last | first << 32) ^ (0x1cad21f72c81017c ^ 0xdb979083e96dd4de)
    value ^= (value << 49 | value >> 15) & ALL ^ (value << 24 | value >> 40) & ALL
    value = value * MIX & ALL
    value ^= (value >> 35) + 8
    value = value * MIX & ALL
    return value ^ value >> 28


def step(value, number):
    value = (value ^ number + 1) * 0x9e3779b1 & 0xffffffff
    return value ^ value >> 15


class Place:
    """Of a hash among the slots of a table with @count of them."""

    def __init__(self, count):
        self.mask = (1 << (count * 3 // 2).bit_length()) - 1
        self.window = count // 4

    def holds(self, value):
        return value & self.mask < self.window


def words(count):
    place, i = Place(count), 0
    while count:
        i += 1
        word = b"%08x" % i
        if place.holds(xxh3(word) >> 32):
            count -= 1
            yield word + b" 1\n"


def stacks(count):
    place = Place(count)
    names = int((5 * count) ** 0.5 * 2)
    for i in range(names):
        yield b"%x 1\n" % i
    for a in range(names):
        first = step(0, a)
        for b in range(names):
            if count and place.holds(step(first, b)):
                count -= 1
                yield b"%x;%x 1\n" % (a, b)


def numbers(place, shift=0):
    """Of 64 bits. A set has the place in the upper half of the hash: @shift."""
    for i in itertools.count():
        yield unmixed((i << 40 | i % place.window) if shift == 0 else i % place.window << shift | i)


def small_numbers(count):
    place, i = Place(count), 0
    while count:
        i += 1
        if place.holds(mixed(i)):
            yield i
            count -= 1


def perfdata(ids, records):
    head = attr()[:112] + struct.pack("<QQ", 104 + 128, 8 * len(ids)) + struct.pack("<%dQ" % len(ids), *ids)
    begin = 104 + len(head)
    return struct.pack("<8sQQQQQQQQ32x", b"PERFILE2", 104, 128, 104, 128, begin, len(records), 0, 0) + head + records


def sample(pid, address):
    return record(SAMPLE, struct.pack("<QIIQQQQ", address, pid, pid, 2, 2, USER_CONTEXT, address))


def ids(count):
    yield perfdata(list(itertools.islice(numbers(Place(count)), count)), comm(7, 7, b"app\0\0\0\0\0") + sample(7, 16))


def pids(count):
    yield perfdata([1], b"".join(comm(pid, pid, b"app\0\0\0\0\0") for pid in small_numbers(count)) + sample(7, 16))


def addresses(count):
    """Of the first file, which begins at 0. What is kept of a caller is one below its return address."""
    file = mixed(FIRST_IMAGE << 32 | CALLER)
    keys = (number ^ file for number in numbers(Place(count), 32))
    places = list(itertools.islice((key + 1 for key in keys if key < ALL >> 1), count))
    maps = record(MMAP, struct.pack("<IIQQQ", 7, 7, 0, ALL >> 1, 0) + b"/no/file\0")
    chains = [places[i:i + 100] for i in range(0, count, 100)]
    yield perfdata([1], maps + b"".join(
        record(SAMPLE, struct.pack("<QIIQQQ", chain[0], 7, 7, 1, 1 + len(chain), USER_CONTEXT) +
               struct.pack("<%dQ" % len(chain), *chain)) for chain in chains))


with open(sys.argv[3], "wb") as out:
    for part in {"words": words, "stacks": stacks, "ids": ids, "pids": pids, "addresses": addresses}[sys.argv[1]](
            int(sys.argv[2])):
        out.write(part)
