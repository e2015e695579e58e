"""What the shapes of object.py share: an ELF file, numbers of DWARF, a recording that asks about both.

An object has code from CODE in the file and BASE + CODE in memory on, which is a hole: holes are no
input. Its sections come behind that."""
import struct

CODE, BASE, MAP = 0x1000, 0x40000000, 0x10000000
PROGBITS, SYMTAB, STRTAB, RELA, NOTE, DYNSYM = 1, 2, 3, 4, 7, 11
ALLOC, EXECUTED = 2, 4
TEXT = 1  # the index of .text, which is the first section


def uleb(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def sleb(value):
    out = bytearray()
    while not -64 <= value < 64:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value & 127)
    return bytes(out)


class Object:
    def __init__(self, code=1 << 20, segments=1):
        self.code = code
        self.segments = segments
        self.sections = []
        self.names = None  # of sections, where they are given
        self.add(".text", code, flags=ALLOC | EXECUTED, address=BASE + CODE)

    def add(self, name, data, kind=PROGBITS, flags=0, address=0, link=0, entry=0):
        """A section of these bytes; a number for those of the code. Its index."""
        self.sections.append((name, kind, flags, address, data, link, entry))
        return len(self.sections)

    def symbols(self, entries, names, kind=SYMTAB):
        """Entries are (offset of the name, address, size), of functions."""
        text = self.add(".strtab" if kind == SYMTAB else ".dynstr", names, STRTAB)
        table = b"".join(struct.pack("<IBBHQQ", name, 2, 0, TEXT, at, size) for name, at, size in entries)
        return self.add(".symtab" if kind == SYMTAB else ".dynsym", bytes(24) + table, kind, link=text, entry=24)

    def write(self, path):
        names = self.names
        if names is None:
            names = b"\0" + b"".join(s[0].encode() + b"\0" for s in self.sections) + b".shstrtab\0"
        self.add(".shstrtab", names, STRTAB)
        at, heads, name, list_of_frames = CODE + self.code, [bytes(64)], 1, []
        with open(path, "wb") as out:
            for title, kind, flags, address, data, link, entry in self.sections:
                at = (at + 15) & ~15
                place, size = (CODE, data) if isinstance(data, int) else (at, len(data))
                if title == ".eh_frame_hdr":
                    list_of_frames = [struct.pack("<IIQQQQQQ", 0x6474e550, 4, place, address, address, size, size, 4)]
                if place == at:
                    out.seek(at)
                    out.write(data)
                    at += size
                heads.append(struct.pack("<IIQQQQIIQQ", name, kind, flags, address, place, size, link, 0, 1, entry))
                name = name + len(title) + 1 if self.names is None else len(heads)
            at = (at + 15) & ~15
            if len(heads) >= 0xff00:  # their number is the size of the first one, and the table's the link
                heads[0] = struct.pack("<IIQQQQIIQQ", 0, 0, 0, 0, 0, len(heads), len(heads) - 1, 0, 0, 0)
            out.seek(at)
            out.write(b"".join(heads))
            out.seek(0)
            many = len(heads) >= 0xff00
            out.write(struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 2, 62, 1, BASE + CODE, 64, at, 0, 64, 56,
                                  self.segments + len(list_of_frames), 64, 0 if many else len(heads), 0xffff if many else len(heads) - 1))
            for i in range(self.segments):  # the first ones have nothing to do with the code
                if i + 1 < self.segments:
                    out.write(struct.pack("<IIQQQQQQ", 1, 5, 0, 1 << 40 | i << 20, 1 << 40, 64, 64, 4096))
                else:
                    out.write(struct.pack("<IIQQQQQQ", 1, 5, CODE, BASE + CODE, BASE + CODE, self.code, self.code, 4096))
            out.write(b"".join(list_of_frames))


IP, TID, TIME, CHAIN, REGS, STACK = 1, 2, 4, 32, 4096, 8192
MMAP, SAMPLE = 1, 9
BP, SP, PC = 6, 7, 8
USER = 2


def record(kind, body):
    return struct.pack("<IHH", kind, USER, 8 + len(body)) + body


def mmap(path, start, size, offset):
    path = path.encode() + b"\0"
    path += bytes(-len(path) % 8)
    return record(MMAP, struct.pack("<IIQQQ", 1, 1, start, size, offset) + path + struct.pack("<IIQ", 1, 1, 1))


class Recording:
    """Samples in one process, each at an offset in an object's code; with stacks where they are given."""

    def __init__(self, stacks=False):
        self.stacks = stacks
        self.records = []

    def map(self, path, size, start=MAP, offset=CODE):
        self.records.append(mmap(path, start, size, offset))

    def sample(self, offset, stack=b"", time=2, start=MAP):
        body = struct.pack("<QIIQ", start + offset, 1, 1, time)
        if self.stacks:
            stack += bytes(-len(stack) % 8)
            body += struct.pack("<Q3Q", 2, 0x7ff000000000, 0x7ff000000000, start + offset)
            body += struct.pack("<Q", len(stack)) + stack + (struct.pack("<Q", len(stack)) if stack else b"")
        self.records.append(record(SAMPLE, body))

    def write(self, path):
        kind = IP | TID | TIME | (REGS | STACK if self.stacks else 0)
        # A software clock on CLOCK_MONOTONIC, with times in all records.
        attr = bytearray(struct.pack("<IIQQQQQ", 1, 112, 0, 1, kind, 0, 1 << 18 | 1 << 25))
        attr += bytes(112 - len(attr))
        if self.stacks:
            struct.pack_into("<QIi", attr, 80, 1 << BP | 1 << SP | 1 << PC, 1 << 15, 1)
        else:
            struct.pack_into("<i", attr, 92, 1)
        body = b"".join(self.records)
        with open(path, "wb") as out:
            out.write(struct.pack("<8sQQQQQQQQ", b"PERFILE2", 104, 128, 104, 128, 232, len(body), 0, 0).ljust(104, b"\0"))
            out.write(bytes(attr) + struct.pack("<QQ", 104, 0))
            out.write(body)
