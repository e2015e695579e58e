"""A perf.data file as the judges of tests need it: each sample's registers and stack, and what
was mapped then. Little-endian files of `perf record`, not compressed."""
import bisect
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../perfdata'))
sys.dont_write_bytecode = True
import perfdata  # noqa: E402
from perfdata import (  # noqa: E402
    BRANCH_STACK, CALLCHAIN, FIXED, RAW, READ, REGS_USER, STACK_USER, TID, TIME)

MMAP, COMM, FORK, MMAP2 = 1, 3, 7, 10
COMM_EXEC = 1 << 13
FIRST_TID = 0x20000000  # of a numbered sample


class Recording:
    def __init__(self, path):
        with open(path, 'rb') as file:
            self.data = bytearray(file.read())
        if self.data[:8] != b'PERFILE2':
            raise ValueError('%s: no little-endian perf.data of version 2' % path)
        _, stride, attrs_at, attrs_size, self.at, size = struct.unpack_from('<6Q', self.data, 8)
        self.end = min(self.at + size, len(self.data)) if size else len(self.data)
        self.attrs = []
        for at in range(attrs_at, attrs_at + attrs_size, stride):
            offset, size = struct.unpack_from('<2Q', self.data, at + stride - 16)
            ids = struct.unpack_from('<%dQ' % (size // 8), self.data, offset)
            self.attrs.append(perfdata.Attr(bytes(self.data[at:at + stride - 16]), ids))
        if any(attr.sample_type != self.attrs[0].sample_type for attr in self.attrs):
            raise ValueError('%s: events with different samples' % path)
        self.attr = self.attrs[0]
        self.samples, self.states = [], []
        self.read_records()

    def read_records(self):
        at = self.at
        while at + 8 <= self.end:
            kind, misc, size = perfdata.head(self.data, at)
            if size < 8 or at + size > self.end:
                break
            if kind == perfdata.SAMPLE:
                self.samples.append(at)
            elif kind in (MMAP, MMAP2, FORK) or kind == COMM and misc & COMM_EXEC:
                place = self.attr.trailer_place(TIME)
                time, = struct.unpack_from('<Q', self.data, at + size - place)
                self.states.append((time, at, kind))
            elif kind == perfdata.COMPRESSED:
                raise ValueError('compressed')
            at += size
        self.states.sort()

    def number_samples(self, path):
        """Writes the file with another thread for each sample: FIRST_TID and its number."""
        place = self.attr.place(TID)
        for number, at in enumerate(self.samples):
            struct.pack_into('<I', self.data, at + place + 4, FIRST_TID + number)
        with open(path, 'wb') as file:
            file.write(self.data)

    def sample(self, number):
        """pid, time, {register of perf: value}, the stack's bytes"""
        at, kinds = self.samples[number], self.attr.sample_type
        pid, = struct.unpack_from('<I', self.data, at + self.attr.place(TID))
        time, = struct.unpack_from('<Q', self.data, at + self.attr.place(TIME))
        at += 8 + 8 * sum(bool(kinds & field) for field in FIXED)
        if kinds & (READ | BRANCH_STACK):
            raise ValueError('fields that are not known here')
        if kinds & CALLCHAIN:
            at += 8 + 8 * struct.unpack_from('<Q', self.data, at)[0]
        if kinds & RAW:
            at += 4 + struct.unpack_from('<I', self.data, at)[0]
        registers, stack = {}, b''
        if kinds & REGS_USER:
            abi, = struct.unpack_from('<Q', self.data, at)
            at += 8
            if abi:
                for bit in range(64):
                    if self.attr.regs_user >> bit & 1:
                        registers[bit], = struct.unpack_from('<Q', self.data, at)
                        at += 8
        if kinds & STACK_USER:
            size, = struct.unpack_from('<Q', self.data, at)
            if size:
                used, = struct.unpack_from('<Q', self.data, at + 8 + size)
                stack = bytes(self.data[at + 8:at + 8 + used])
        return pid, time, registers, stack

    def maps(self, pid, before):
        """[(start, end, offset, path)] of executable memory of @pid at a time, by address"""
        maps = []
        for time, at, kind in self.states:
            if time > before:
                break
            misc, size = perfdata.head(self.data, at)[1:]
            subject, = struct.unpack_from('<I', self.data, at + 8)
            if subject != pid:
                continue
            if kind == FORK:
                parent, = struct.unpack_from('<I', self.data, at + 12)
                if parent != pid:
                    maps = self.maps(parent, time)
            elif kind == COMM:
                maps = []
            else:
                start, length, offset = struct.unpack_from('<3Q', self.data, at + 16)
                name_at = at + (40 if kind == MMAP else 72)
                path = bytes(self.data[name_at:at + size]).split(b'\0')[0].decode()
                maps = cut(maps, start, start + length)
                bisect.insort(maps, (start, start + length, offset, path))
        return maps


def cut(maps, start, end):
    """What is left of @maps where something else is mapped from @start to @end."""
    left = []
    for low, high, offset, path in maps:
        if low < start:
            left.append((low, min(high, start), offset, path))
        if high > end:
            left.append((max(low, end), high, offset + max(end - low, 0), path))
    return sorted(left)
