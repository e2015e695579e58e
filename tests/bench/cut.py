#!/usr/bin/env python3
"""cut.py RECORDING DIRECTORY FILES SIZE: recordings of about SIZE bytes each, of as many hosts, cut out of
one of perf record that has a file's header.

A part has what its samples need: the maps, names and forks of their processes and of the parents of these
up to there. Where there are fewer parts than files they come again, as another host's."""
import os
import struct
import sys

MMAP, COMM, EXIT, FORK, SAMPLE, MMAP2, FINISHED_ROUND = 1, 3, 4, 7, 9, 10, 68
STATE = {MMAP, COMM, EXIT, FORK, MMAP2}
IP, IDENTIFIER = 1 << 0, 1 << 16
HOSTNAME = 3


class Recording:
    """What stands around the records, and the records."""

    def __init__(self, path):
        with open(path, "rb") as f:
            self.bytes = f.read()
        head = struct.unpack_from("<8s8Q4Q", self.bytes)
        if head[0] != b"PERFILE2":
            sys.exit(f"cut.py: '{path}' is not a perf.data file of this byte order")
        self.data, self.end = head[5], head[5] + head[6]
        self.features = [bit for bit in range(256) if head[9 + bit // 64] >> bit % 64 & 1]
        kind, = struct.unpack_from("<Q", self.bytes, head[3] + 24)
        self.pid_at = 8 + (8 if kind & IDENTIFIER else 0) + (8 if kind & IP else 0)

    def records(self):
        at = self.data
        while at + 8 <= self.end:
            kind, _, size = struct.unpack_from("<IHH", self.bytes, at)
            if size < 8:
                return
            yield kind, self.bytes[at:at + size]
            at += size

    def file(self, records):
        """A file with these records, and where the name of its host stands."""
        sections = [struct.unpack_from("<QQ", self.bytes, self.end + 16 * i) for i in range(len(self.features))]
        head = bytearray(self.bytes[:self.data])
        struct.pack_into("<Q", head, 48, len(records))
        at = self.data + len(records) + 16 * len(sections)
        table, behind, host = b"", b"", None
        for bit, (start, size) in zip(self.features, sections):
            if bit == HOSTNAME:
                host = at + len(behind) + 4, size - 4
            table += struct.pack("<QQ", at + len(behind), size)
            behind += self.bytes[start:start + size]
        return bytearray(head + records + table + behind), host


class Processes:
    """State by process, in the order of the file."""

    def __init__(self):
        self.state, self.parents, self.count = {}, {}, 0

    def add(self, kind, record):
        pid, parent = struct.unpack_from("<ii", record, 8)
        if kind == FORK and pid != parent:
            self.parents[pid] = parent
        elif kind == COMM and len(record) > 16 and struct.unpack_from("<IH", record)[1] & 1 << 13:
            self.state[pid] = []  # exec: what was mapped is gone
        self.state.setdefault(pid, []).append((self.count, record))
        self.count += 1

    def needed(self, pids):
        seen = set()
        for pid in list(pids) + [-1]:
            while pid is not None and pid not in seen:
                seen.add(pid)
                pid = self.parents.get(pid)
        return b"".join(r for _, r in sorted(entry for pid in seen for entry in self.state.get(pid, [])))


def parts(recording, size):
    processes, samples, pids, held = Processes(), [], set(), 0
    for kind, record in recording.records():
        if kind in STATE:
            processes.add(kind, record)
        elif kind in (SAMPLE, FINISHED_ROUND):
            samples.append(record)
            held += len(record)
        if kind == SAMPLE:
            pid, = struct.unpack_from("<i", record, recording.pid_at)
            if pid not in pids:
                pids.add(pid)
                held += len(processes.needed({pid}))
        if held >= size:
            # State has times of its own, so it may stand before all samples.
            yield recording.file(processes.needed(pids) + b"".join(samples))
            samples, pids, held = [], set(), 0
    if samples:
        yield recording.file(processes.needed(pids) + b"".join(samples))


def main():
    path, directory, count, size = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    made = []
    os.makedirs(directory, exist_ok=True)
    for part in parts(Recording(path), size):
        made.append(part)
        if len(made) == count:
            break
    total = 0
    for i in range(count):
        data, (at, room) = made[i % len(made)]
        name = b"host%05d" % i
        data[at:at + room] = name[:room - 1].ljust(room, b"\0")
        with open(f"{directory}/{i // 1000:02}-{i:05}.data", "wb") as f:
            f.write(data)
        total += len(data)
    print(f"{count} files of {len(made)} parts, {total} bytes")


main()
