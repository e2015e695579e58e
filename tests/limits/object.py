#!/usr/bin/env python3
"""object.py SHAPE BYTES DIRECTORY: files of about so many bytes in the directory, lib.so and x.data, a recording
that asks for what is in it: the worst that somebody thought of for a parser of object files.

object.py --list: for each shape a line, with its parser and what it is"""
import lzma
import os
import struct
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from elf import (  # noqa: E402
    ALLOC, BASE, CODE, DYNSYM, NOTE, PROGBITS, RELA, Object, Recording, sleb, uleb)

A_SAMPLE = 32  # bytes
TEXT = BASE + CODE


def samples(offsets):
    recording = Recording()
    for offset in offsets:
        recording.sample(offset)
    return recording


def unwound(offsets, stack=bytes(16)):
    recording = Recording(stacks=True)
    for offset in offsets:
        recording.sample(offset, stack)
    return recording


# ELF: sections, segments, notes


def section_names(size):
    """names of sections, in a table that does not end with a zero"""
    o = Object()
    count = size // 128
    for _ in range(count):
        o.add("", b"", 0)
    o.names = b"\0" + b"x" * (size // 2)
    return o, samples([16])


def notes(size):
    """notes that are no build id"""
    o = Object()
    note = struct.pack("<III", 0, 0, 1)
    o.add(".note", note * (size // len(note)), NOTE, ALLOC)
    return o, samples([16])


# Symbols


def symbols_at_one(size):
    """symbols at one address, each longer than the one before it, and samples between their ends"""
    count = size // (A_SAMPLE + 24)
    o = Object(max(1 << 20, count + 4096))
    o.symbols([(1, TEXT, i + 1) for i in range(count)], b"\0f\0")
    return o, samples(range(count))


def symbols_at_one_with_long_names(size):
    """the same with names of 16 KiB, which are one text"""
    count = (size - 65536) // (A_SAMPLE + 24)
    o = Object(max(1 << 20, count + 4096))
    o.symbols([(1 + i % 49152, TEXT, i + 1) for i in range(count)], b"\0" + b"f" * 65536 + b"\0")
    return o, samples(range(count))


def symbols_with_long_names(size):
    """names that are one text, mangled, from each of its places on"""
    count = (size - 65536) // (A_SAMPLE + 24)
    o = Object(max(1 << 20, 16 * count))
    text = b"_Z1fIL" * (65536 // 6)
    o.symbols([(1 + 6 * (i % 8192), TEXT + 16 * i, 16) for i in range(count)], b"\0" + text + b"\0")
    return o, samples(range(8, 16 * count, 16))


def symbols_nested(size):
    """each symbol in the one before it"""
    count = size // (A_SAMPLE + 24)
    o = Object(max(1 << 20, 4 * count))
    o.symbols([(1, TEXT + i, 4 * count - 2 * i) for i in range(count)], b"\0f\0")
    return o, samples(range(0, 4 * count, 4))


def with_plt(size, slots, symbols, names, count):
    """@count entries of a PLT, through slots that are (address, symbol)"""
    o = Object()
    o.symbols([(i, TEXT, 1) for i in symbols], names, DYNSYM)
    o.add(".rela.plt", b"".join(struct.pack("<QQq", at, symbol << 32 | 7, 0) for at, symbol in slots), RELA)
    entry = b"\xf3\x0f\x1e\xfa\x68\0\0\0\0" + b"\x90" * 7
    o.add(".plt", entry * count, flags=6, address=TEXT + 65536)
    return o, samples([16, 65536 + 8])


def plt_of_one_long_name(size):
    """entries of a PLT that all go to the function with a name of 16 KiB"""
    return with_plt(size, [(0x8000, 1)], [1], b"\0" + b"f" * 16384 + b"\0", (size - 32768) // 16)


def unmixed(value):
    """What hash_u64() of base/hash.h makes @value of."""
    def unshift(x, by):
        out = x
        for _ in range(64 // by + 1):
            out = x ^ out >> by
        return out
    inverse = pow(0x9fb21c651e98df25, -1, 1 << 64)
    value = unshift(value, 28) * inverse & (1 << 64) - 1
    value = unshift(value, 35) * inverse & (1 << 64) - 1
    return unshift(value, 32)


def plt_slots_of_one_hash(size):
    """slots of a PLT whose addresses have one hash"""
    return with_plt(size, [(unmixed(i << 40), 1) for i in range(size // 24)], [1], b"\0f\0", 16)


# Call frame information

CIE = struct.pack("<II", 20, 0) + b"\1zR\0\1\x78\x10\1\0" + b"\x0c\7\x08\x90\1\0\0"


def fde(at, start, size, program):
    """An entry at @at of the section, whose CIE is at its beginning."""
    program += bytes(-(8 + 16 + 1 + len(program)) % 8)
    return struct.pack("<IIQQB", 4 + 16 + 1 + len(program), at + 4, start, size, 0) + program


def with_frames(entries, code=1 << 20, section=b""):
    """Entries are (start, size, program)."""
    o = Object(code)
    parts, at = [section or CIE], len(section or CIE)
    for start, size, program in entries:
        parts.append(fde(at, start, size, program))
        at += len(parts[-1])
    o.add(".eh_frame", b"".join(parts) + bytes(4), flags=ALLOC, address=BASE - (1 << 24))
    return o


def frame_header(o, pairs):
    """.eh_frame_hdr of the section that was added last; pairs are (start, offset of the entry)"""
    eh, header = BASE - (1 << 24), BASE - (1 << 25)
    padding = bytes(24)  # a header of fewer bytes is not read
    o.add(".eh_frame_hdr", struct.pack("<4BqI", 1, 4, 3, 0x3b, eh, len(pairs)) + b"".join(
        struct.pack("<ii", start - header, eh - header + entry) for start, entry in pairs) + padding, flags=ALLOC, address=header)


def frame_of_many_rows(size):
    """a function of very many rows, which a list leads to, and samples all over it"""
    program = b"\x41" * min(size // 8, (1 << 20) - 64)
    count = size * 3 // 8 // len(fde(0, 0, 0, b""))
    o = with_frames([(TEXT, 1 << 20, program)] + [(TEXT + (1 << 20) + i, 1, b"") for i in range(count)], 1 << 21)
    frame_header(o, [(TEXT, len(CIE))] + [
        (TEXT + (1 << 20) + i, len(CIE) + len(fde(0, 0, 0, program)) + i * len(fde(0, 0, 0, b""))) for i in range(count)])
    return o, unwound(i * 61 % len(program) for i in range(size // 4 // 96))


def frames_in_one(size):
    """functions of a byte or two in one that has as many instructions as all of them"""
    count = size // 96
    big = [(TEXT, 8 * count, b"\x41" * (size // 3))]
    o = with_frames(big + [(TEXT + 8 * i + 2, 2, b"") for i in range(count)], max(1 << 20, 8 * count))
    return o, unwound([16])


def frames_with_a_cie_each(size):
    """entries of which each has a CIE of its own"""
    parts, count = [], size // (len(CIE) + 48)
    for i in range(count):
        parts.append(CIE)
        parts.append(fde(len(CIE), TEXT + i, 1, b""))
    o = Object()
    o.add(".eh_frame", b"".join(parts) + bytes(4), flags=ALLOC, address=BASE - (1 << 24))
    return o, unwound([16])


def frames_without_a_cie(size):
    """entries of eight bytes whose CIE is none, at another place each"""
    o = Object()
    o.add(".eh_frame", b"".join(struct.pack("<II", 4, 2 + i % 4096 * 3 + i) for i in range(size // 8)) + bytes(4),
          flags=ALLOC, address=BASE - (1 << 24))
    return o, unwound([16])


def frames_of_one_hash(size):
    """rows whose rules have one hash"""
    key, mix, low = 0x9e3779b97f4a7c15, 0x9fb21c651e98df25, (1 << 32) - 1
    inverse = pow(key & low, -1, 1 << 32)
    program = bytearray()
    cfa_kind = 1  # UNWIND_SP
    number = 0
    while len(program) < size * 9 // 10:
        number += 1
        saved = ((number * -8) & low) << 32 | (-8 & low)
        spread = saved * mix & (1 << 64) - 1
        head = cfa_kind | 1 << 8  # with a frame pointer saved
        rest = (head ^ spread & low) * key
        cfa = (((0x12345678 - (rest >> 32)) * inverse) ^ spread >> 32) & low
        if cfa >= 1 << 31:
            continue
        program += b"\x0e" + uleb(cfa) + b"\x86" + uleb(number) + b"\x41"
    o = with_frames([(TEXT, 1 << 24, bytes(program[:(1 << 20) - 64]))] +
                    [(TEXT + (i << 24), 1 << 24, bytes(program[i << 20:(i + 1 << 20) - 64]))
                     for i in range(1, len(program) + (1 << 20) - 1 >> 20)], 1 << 28)
    return o, unwound([16])


def frames_that_remember(size):
    """states that are remembered and restored"""
    o = with_frames([(TEXT + i * 4096, 4096, (b"\x0a\x0b" * 2048)) for i in range(size // 4200)], size)
    return o, unwound([16])


def frames_that_all_overlap(size):
    """functions that all end at one place"""
    count = size // 32
    o = with_frames([(TEXT + i, 4 * count - i, b"") for i in range(count)], max(1 << 20, 4 * count))
    return o, unwound([16])


def frame_list_of_one(size):
    """a list in which all functions are one, and one that never ascends"""
    count = size // 2 // 8
    o = with_frames([(TEXT, 1 << 20, b"\x41" * 4096)])
    frame_header(o, [(TEXT, len(CIE))] * (count // 2) + [(TEXT + count - i, 7 * i) for i in range(count // 2)])
    return o, unwound((i * 31 % (1 << 20) for i in range(size // 2 // 96)))


def frames_with_expressions(size):
    """rows that only a walk with all registers can follow, whose expressions go around"""
    loop = b"\x77\0" + b"\x12\x13" * 10 + b"\x2f" + struct.pack("<h", -23)
    o = with_frames([(TEXT, 1 << 20, b"\x0f" + uleb(len(loop)) + loop)])
    return o, unwound((i * 31 % (1 << 20) for i in range(size // 96)))


# Debug information


def abbreviation(code, tag, children, attributes):
    return (uleb(code) + uleb(tag) + bytes([children]) + b"".join(uleb(n) + uleb(f) for n, f in attributes) + b"\0\0")


ADDR, DATA4, STRING, UDATA, FLAG, REF4, SEC, PRESENT = 1, 6, 8, 0xf, 0xc, 0x13, 0x17, 0x19
REF_ADDR = 0x10
NAME, STMT_LIST, LOW, HIGH, LANGUAGE, COMP_DIR, ORIGIN, SPECIFICATION, RANGES = (
    3, 0x10, 0x11, 0x12, 0x13, 0x1b, 0x31, 0x47, 0x55)
EXTERNAL, DECLARATION = 0x3f, 0x3c
UNIT, FUNCTION, NAMESPACE, CLASS, VARIABLE, BLOCK = 0x11, 0x2e, 0x39, 2, 0x34, 0xb
CPLUSPLUS = 4
UNIT_HEAD = 11  # bytes of a unit of version 4 before its first DIE


def unit(dies, abbreviations=0):
    return struct.pack("<IHIB", 7 + len(dies), 4, abbreviations, 8) + dies


ROOT = abbreviation(1, UNIT, 1, [(LANGUAGE, FLAG), (LOW, ADDR), (HIGH, DATA4)])


def root(start=TEXT, size=1 << 20):
    return b"\1" + struct.pack("<BQI", CPLUSPLUS, start, size)


def with_debug(info, abbreviations, code=1 << 20, **more):
    o = Object(code)
    o.add(".debug_info", info)
    o.add(".debug_abbrev", abbreviations + b"\0")
    for name, data in more.items():
        o.add(".debug_" + name, data)
    return o


def dies_without_bytes(size):
    """DIEs of a byte, whose abbreviation has very many attributes that take none"""
    table = ROOT + abbreviation(2, VARIABLE, 0, [(EXTERNAL, PRESENT)] * (size // 4))
    return with_debug(unit(root() + b"\2" * (size // 2) + b"\0"), table), samples([16])


def dies_passed_over(size):
    """the same, below another one"""
    table = (ROOT + abbreviation(2, VARIABLE, 0, [(EXTERNAL, PRESENT)] * (size // 4)) +
             abbreviation(3, CLASS, 1, []))
    return with_debug(unit(root() + b"\3" + b"\2" * (size // 2) + b"\0\0"), table), samples([16])


def functions_of_one_origin(size):
    """functions whose name is that of one DIE with very many attributes"""
    count = size // 3 * 2 // (A_SAMPLE + 17)
    table = (ROOT + abbreviation(2, FUNCTION, 0, [(LOW, ADDR), (HIGH, DATA4), (ORIGIN, REF4)]) +
             abbreviation(3, FUNCTION, 0, [(EXTERNAL, PRESENT)] * (size // 6) + [(NAME, STRING)]))
    dies = root() + b"\3f\0"
    dies += b"".join(b"\2" + struct.pack("<QII", TEXT + 16 * i, 16, UNIT_HEAD + len(root())) for i in range(count))
    return with_debug(unit(dies + b"\0"), table), samples(range(8, 16 * count, 16))


def functions_in_a_large_unit(size):
    """functions in a unit whose own DIE has very many attributes"""
    count = size // 3 * 2 // (A_SAMPLE + 15)
    table = (abbreviation(1, UNIT, 1, [(LOW, ADDR), (HIGH, DATA4)] + [(EXTERNAL, PRESENT)] * (size // 6) + [(LANGUAGE, FLAG)]) +
             abbreviation(2, FUNCTION, 0, [(LOW, ADDR), (HIGH, DATA4), (NAME, STRING)]))
    dies = b"\1" + struct.pack("<QIB", TEXT, 1 << 20, CPLUSPLUS)
    dies += b"".join(b"\2" + struct.pack("<QI", TEXT + 16 * i, 16) + b"f\0" for i in range(count))
    return with_debug(unit(dies + b"\0"), table), samples(range(8, 16 * count, 16))


def functions_behind_a_class(size):
    """functions declared in a class, behind as many DIEs as there is room for"""
    count = size // 3 // (A_SAMPLE + 17 + 3)
    table = (ROOT + abbreviation(2, FUNCTION, 0, [(LOW, ADDR), (HIGH, DATA4), (SPECIFICATION, REF4)]) +
             abbreviation(3, CLASS, 1, [(NAME, STRING)]) + abbreviation(4, BLOCK, 1, []) +
             abbreviation(5, VARIABLE, 0, []) + abbreviation(6, FUNCTION, 0, [(NAME, STRING)]))
    dies = root() + b"\3c\0" + b"\4" + b"\5" * (size // 3 * 2) + b"\0"
    first = UNIT_HEAD + len(dies)
    dies += b"\6f\0" * count + b"\0"
    dies += b"".join(b"\2" + struct.pack("<QII", TEXT + 16 * i, 16, first + 3 * i) for i in range(count))
    return with_debug(unit(dies + b"\0"), table), samples(range(8, 16 * count, 16))


def dies_of_one_hash(size):
    """DIEs whose codes libdw finds at one place of its table, each in a unit that others refer to"""
    # Its table has 41 slots, is made larger where it is full by 90 of 100, and steps by code % (slots - 2).
    slots = 1499
    codes = [8 + i * slots * (slots - 2) for i in range(1250)]
    table = ROOT + abbreviation(2, FUNCTION, 0, [(LOW, ADDR), (HIGH, DATA4), (NAME, STRING)])
    table += b"".join(abbreviation(code, VARIABLE, 0, []) for code in codes)
    last = uleb(codes[-1])
    return with_debug(unit(root() + last * (size // len(last)) + b"\0"), table), samples([16])


def deep_dies(size):
    """DIEs in DIEs, without an end"""
    table = ROOT + abbreviation(2, NAMESPACE, 1, []) + abbreviation(3, FUNCTION, 0, [(LOW, ADDR), (HIGH, DATA4), (NAME, STRING)])
    depth = size // 2 - 64
    dies = root() + b"\2" * depth + b"\3" + struct.pack("<QI", TEXT, 4096) + b"f\0" + bytes(depth + 2)
    return with_debug(unit(dies), table), samples([16])


def references_in_circles(size):
    """functions whose origins are one another, in other units"""
    count = size // 2 // (A_SAMPLE + 46)
    table = ROOT + abbreviation(2, FUNCTION, 0, [(LOW, ADDR), (HIGH, DATA4), (ORIGIN, REF_ADDR)])
    one = len(unit(root() + bytes(18)))
    info = b"".join(unit(root(TEXT + 16 * i, 16) + b"\2" + struct.pack(
        "<QII", TEXT + 16 * i, 16, (i * 7919 + 1) % count * one + UNIT_HEAD + len(root())) + b"\0") for i in range(count))
    return with_debug(info, table), samples(range(8, 16 * count, 16))


def units_of_one_table(size):
    """units that share a table of abbreviations, in which theirs is the last one"""
    count = size // 2 // (A_SAMPLE + UNIT_HEAD + 16)
    table = b"".join(abbreviation(i + 2, VARIABLE, 0, [(NAME, STRING)]) for i in range(size // 2 // 9)) + ROOT
    info = b"".join(unit(root(TEXT + 16 * i, 16) + b"\0") for i in range(count))
    return with_debug(info, table), samples(range(8, 16 * count, 16))


def ranges_of_all_units(size):
    """units that share a list of ranges, of a file with as many segments as are read"""
    pairs = b"".join(struct.pack("<QQ", 16 * i + 16, 16 * i + 32) for i in range(size // 2 // 16)) + bytes(16)
    table = abbreviation(1, UNIT, 0, [(LOW, ADDR), (RANGES, SEC)])
    info = unit(b"\1" + struct.pack("<QI", TEXT, 0)) * (size // 2 // 24)
    o = with_debug(info, table, ranges=pairs)
    o.segments = 2
    return o, samples([16])


def calls_of_one_address(size):
    """inlined calls of three bytes that all hold one address"""
    table = (abbreviation(1, UNIT, 1, [(LANGUAGE, FLAG), (LOW, ADDR), (HIGH, DATA4), (0x73, SEC)]) +
             abbreviation(2, FUNCTION, 1, [(LOW, ADDR), (HIGH, DATA4), (NAME, STRING)]) +
             abbreviation(3, 0x1d, 0, [(LOW, 0x29), (HIGH, FLAG)]))
    dies = b"\1" + struct.pack("<BQII", CPLUSPLUS, TEXT, 4096, 8) + b"\2" + struct.pack("<QI", TEXT, 4096) + b"f\0"
    dies += b"\3\0\x40" * ((size - 4096) // 3) + b"\0\0"
    head = struct.pack("<IHBBI", 8 + len(dies), 5, 1, 8, 0)
    return with_debug(head + dies, table, addr=struct.pack("<IHBBQ", 12, 5, 8, 0, TEXT)), samples(range(64))


def segments_of_ranges(size):
    """the same with 4,000 segments"""
    o, recording = ranges_of_all_units(size)
    o.segments = 4000
    return o, recording


def functions_of_one_list(size):
    """functions that share a list of ranges"""
    pairs = b"".join(struct.pack("<QQ", 16 * i + 16, 16 * i + 32) for i in range(size // 3 // 16)) + bytes(16)
    table = ROOT + abbreviation(2, FUNCTION, 0, [(NAME, STRING), (RANGES, SEC)])
    count = size // 3 // 7
    o = with_debug(unit(root() + b"\2f\0\0\0\0\0" * count + b"\0"), table, ranges=pairs)
    return o, samples(range(0, 1 << 20, (1 << 20) * 3 * A_SAMPLE // size))


def strings_of_one_text(size):
    """functions whose names are one text, from each of its places on"""
    count = (size - 65536) // (A_SAMPLE + 17)
    table = ROOT + abbreviation(2, FUNCTION, 0, [(LOW, ADDR), (HIGH, DATA4), (NAME, 0xe)])
    dies = root() + b"".join(b"\2" + struct.pack("<QII", TEXT + 16 * i, 16, i % 49152) for i in range(count))
    return with_debug(unit(dies + b"\0"), table, str=b"f" * 65536 + b"\0"), samples(range(8, 16 * count, 16))


# Lines


def line_table(program, files=b"", version=4, tables=None):
    if tables is None:
        tables = b"\0" + files + b"\0"
    head = struct.pack("<BBBbBB", 1, 1, 1, -5, 14, 13) + bytes([0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1]) + tables
    start = struct.pack("<H", version) + (b"\x08\0" if version >= 5 else b"")
    body = start + struct.pack("<I", len(head)) + head + program
    return struct.pack("<I", len(body)) + body


LINES = abbreviation(1, UNIT, 0, [(LANGUAGE, FLAG), (LOW, ADDR), (HIGH, DATA4), (STMT_LIST, SEC)])


def units_of_lines(size, table, limit=1 << 20):
    """Units of 16 bytes of code each that share a table of lines."""
    count = min(limit, (size - len(table)) // (A_SAMPLE + UNIT_HEAD + 18))
    info = b"".join(unit(root(TEXT + 16 * i, 16) + bytes(4)) for i in range(count))
    return with_debug(info, LINES, max(1 << 20, 16 * count), line=table), samples(range(8, 16 * count, 16))


def line_rows_of_all_units(size):
    """units that share a table of many rows"""
    return units_of_lines(size, line_table(b"\0\x09\2" + struct.pack("<Q", TEXT) + b"\x20" * (size // 2) + b"\0\1\1"))


def line_sequences(size):
    """sequences that cover all samples each"""
    one = b"\0\x09\2" + struct.pack("<Q", TEXT) + b"\x01\2" + uleb(1 << 20) + b"\0\1\1"
    table = line_table(one * (size // 2 // len(one)))
    info = unit(root() + bytes(4))
    return with_debug(info, LINES, line=table), samples(range(0, 1 << 20, (1 << 20) * 2 * A_SAMPLE // size))


def line_files_of_all_units(size):
    """units that share a table of many files"""
    return units_of_lines(size, line_table(b"", b"f\0\0\0\0" * (size // 10)))


def line_files_without_names(size):
    """files of a byte each, without a name"""
    count = size * 9 // 10
    tables = b"\0\0" + b"\1" + uleb(2) + uleb(0xb) + uleb(count) + bytes(count)
    return units_of_lines(size, line_table(b"", version=5, tables=tables), 1)


# Other files: jitdumps, split debug information, packed symbols


def split_units(size):
    """units whose DIEs are all in one .dwo file, which has a large table of strings"""
    count = size // 2 // (A_SAMPLE + UNIT_HEAD + 32)
    table = abbreviation(1, UNIT, 0, [(LOW, ADDR), (HIGH, DATA4), (0x2130, STRING), (0x2131, 7)])
    info = b"".join(unit(b"\1" + struct.pack("<QI", TEXT + 16 * i, 16) + b"a.dwo\0" + struct.pack("<Q", 7)) for i in range(count))
    o = with_debug(info, table)
    split = Object()
    split.add(".debug_info.dwo", unit(b"\1" + struct.pack("<Q", 7)))
    split.add(".debug_abbrev.dwo", abbreviation(1, UNIT, 0, [(0x2131, 7)]) + b"\0")
    split.add(".debug_str.dwo", b"x" * (size // 2))
    o.beside = [("a.dwo", split)]
    return o, samples(range(8, 16 * count, 16))


def checksum_of_a_link(size):
    """a debug file that is summed, and is another one, in each of three places"""
    o = Object()
    o.add(".gnu_debuglink", b"lib.debug\0\0\0" + bytes(4))
    other = Object()
    other.symbols([(1, TEXT, 4096)], b"\0f\0")
    other.add(".more", b"x" * size)
    o.beside = [("lib.debug", other)]
    return o, samples([16])


def packed_symbols(size):
    """symbols in .gnu_debugdata, six times as many bytes as the file"""
    inner = Object()
    inner.symbols([(1, TEXT, 1)] * (size // 4), b"\0f\0")
    with tempfile.NamedTemporaryFile() as file:
        inner.write(file.name)
        file.seek(0)
        packed = lzma.compress(file.read(), preset=0)
    o = Object()
    o.add(".gnu_debugdata", packed + bytes(max(0, size - len(packed))))
    return o, samples(range(256))


class Dump:
    """A jitdump beside a recording that maps it."""

    def __init__(self):
        self.parts = [struct.pack("<6IQQ", 0x4A695444, 1, 40, 62, 0, 1, 1, 0)]
        self.beside = []

    def put(self, kind, body, time=1):
        self.parts.append(struct.pack("<IIQ", kind, 16 + len(body), time) + body)

    def load(self, address, size, index, name=b"f"):
        self.put(0, struct.pack("<IIQQQQ", 1, 1, address, address, size, index) + name + b"\0" + b"\x90" * size)

    def write(self, path):
        with open(path, "wb") as out:
            out.write(b"".join(self.parts))


def jit_lines(size):
    """functions with lines, all for one address"""
    dump, recording = Dump(), Recording()
    left, at = size * 9 // 10, 0
    while left > 0:
        count = min(left, 1 << 20) // 18 - 8
        dump.put(2, struct.pack("<QQ", 0x20000000 + at, count) + b"".join(
            struct.pack("<QII", 0x20000000 + at, i, 0) + b"f\0" for i in range(count)))
        dump.load(0x20000000 + at, 4096, at)
        for i in range(size // 20 // A_SAMPLE * min(left, 1 << 20) // size):
            recording.sample(at + i, start=0x20000000)
        left -= 1 << 20
        at += 4096
    return dump, recording


def jit_moves(size):
    """functions that move to one place again and again"""
    dump, recording = Dump(), Recording()
    dump.load(0x20000000, 4096, 0)
    for i in range(size // 2 // 64):
        dump.put(1, struct.pack("<IIQQQQQ", 1, 1, 0, 0, 0x30000000 + i % 4096, 4096, 0), time=2 + i)
    for i in range(size // 2 // A_SAMPLE):
        recording.sample(i % 8192, start=0x30000000, time=2 + i)
    return dump, recording


def jit_indexes_of_one_hash(size):
    """functions whose numbers have one hash"""
    dump, recording = Dump(), Recording()
    for i in range(size // 74):
        dump.load(0x20000000 + 16 * i, 16, unmixed(i << 40))
    recording.sample(8, start=0x20000000)
    return dump, recording


PARSERS = {
    "elf": (section_names, notes, checksum_of_a_link, packed_symbols),
    "symbols": (symbols_at_one, symbols_at_one_with_long_names, symbols_with_long_names, symbols_nested,
                plt_of_one_long_name, plt_slots_of_one_hash),
    "frames": (frame_of_many_rows, frames_in_one, frames_with_a_cie_each, frames_without_a_cie, frames_of_one_hash,
               frames_that_remember, frames_that_all_overlap, frame_list_of_one, frames_with_expressions),
    "dies": (dies_without_bytes, dies_passed_over, functions_of_one_origin, functions_in_a_large_unit,
             functions_behind_a_class, dies_of_one_hash, deep_dies, references_in_circles, calls_of_one_address,
             strings_of_one_text),
    "units": (units_of_one_table, ranges_of_all_units, segments_of_ranges, functions_of_one_list, split_units),
    "lines": (line_rows_of_all_units, line_sequences, line_files_of_all_units, line_files_without_names),
    "jitdumps": (jit_lines, jit_moves, jit_indexes_of_one_hash),
}
SHAPES = {shape.__name__: shape for shapes in PARSERS.values() for shape in shapes}


def write(shape, size, directory):
    directory = os.path.realpath(directory)
    made, recording = SHAPES[shape](size)
    if isinstance(made, Dump):
        path = os.path.join(directory, "jit-1.dump")
        recording.map(path, 4096, 0x7000000, 0)
    else:
        path = os.path.join(directory, "lib.so")
        recording.map(path, made.code)
        for name, other in getattr(made, "beside", ()):
            other.write(os.path.join(directory, name))
    recording.records.insert(0, recording.records.pop())
    made.write(path)
    recording.write(os.path.join(directory, "x.data"))


if sys.argv[1:] == ["--list"]:
    for parser, shapes in PARSERS.items():
        for function in shapes:
            print(f"{parser}\t{function.__name__}\t{function.__doc__}")
else:
    write(sys.argv[1], int(sys.argv[2]), sys.argv[3])
