#!/usr/bin/env python3
"""object.py KIND SIZE FILE: an x86-64 object that asks for more memory than it has bytes.

symbols SIZE   a symbol table of SIZE bytes that lies in a hole
debug SIZE     debug information that unpacks to SIZE bytes, 60 times what is packed
frames SIZE    code of SIZE bytes, in a hole, and one entry of call frame information for all of it
entries SIZE   call frame information of SIZE bytes, an entry for each 16 bytes of code
packed SIZE    .gnu_debugdata that unpacks to SIZE bytes, 30 times what is packed
strings SIZE   a symbol of text, whose names are SIZE bytes in a hole"""
import lzma
import os
import struct
import sys
import zlib

CODE, BASE = 0x1000, 0x400000
PROGBITS, SYMTAB, STRTAB, COMPRESSED = 1, 2, 3, 0x800


class Elf:
    """Sections are (name, type, flags, address, bytes or the size of a hole, link, entry)."""

    def __init__(self):
        self.sections = []

    def add(self, name, kind, data, flags=0, address=0, link=0, entry=0):
        self.sections.append((name, kind, flags, address, data, link, entry))
        return len(self.sections)

    def write(self, path, code_size):
        names = b"\0" + b"".join(s[0].encode() + b"\0" for s in self.sections) + b".names\0"
        self.sections.append((".names", STRTAB, 0, 0, names, 0, 0))
        with open(path, "wb") as out:
            at, heads, name = CODE + code_size, [bytes(64)], 1
            for title, kind, flags, address, data, link, entry in self.sections:
                at = (at + 15) & ~15
                size = data if isinstance(data, int) else len(data)
                if not isinstance(data, int):
                    out.seek(at)
                    out.write(data)
                heads.append(struct.pack("<IIQQQQIIQQ", name, kind, flags, address, at, size, link, 0, 1, entry))
                name += len(title) + 1
                at += size
            at = (at + 15) & ~15
            out.seek(at)
            out.write(b"".join(heads))
            out.seek(0)
            out.write(struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 2, 62, 1, BASE + CODE, 64, at, 0, 64, 56, 1, 64,
                                  len(heads), len(heads) - 1))
            out.write(struct.pack("<IIQQQQQQ", 1, 5, CODE, BASE + CODE, BASE + CODE, code_size, code_size, 4096))


def symbols(elf, size):
    names = elf.add(".strtab", STRTAB, b"\0f\0")
    elf.add(".symtab", SYMTAB, size, link=names, entry=24)
    return 4096


def strings(elf, size):
    elf.add(".text", PROGBITS, 0, 6, BASE + CODE)
    names = elf.add(".strtab", STRTAB, size)
    elf.add(".symtab", SYMTAB, bytes(24) + struct.pack("<IBBHQQ", 1, 2, 0, 1, BASE + CODE, 4096), link=names, entry=24)
    return 4096


def debug(elf, size):
    unit = struct.pack("<IHIB", 7, 4, 0, 8)
    text = zlib.compress(unit + os.urandom(size // 60) + bytes(size - len(unit) - size // 60), 9)
    elf.add(".debug_info", PROGBITS, struct.pack("<IIQQ", 1, 0, size, 1) + text, flags=COMPRESSED)
    elf.add(".debug_abbrev", PROGBITS, b"\1\x11\0\0\0\0")
    return 4096


def frames(elf, size):
    cie = struct.pack("<II", 20, 0) + b"\1zR\0\1\x78\x10\1\0" + bytes(7)
    begin = BASE + CODE
    fde = struct.pack("<IIQQ", 28, len(cie) + 4, begin, size) + bytes(8)
    elf.add(".eh_frame", PROGBITS, cie + fde + bytes(4), 2, 0)
    return size


def entries(elf, size):
    cie = struct.pack("<II", 20, 0) + b"\1zR\0\1\x78\x10\1\0\x0c\7\x08\x90\1\0\0"
    count = size // 32
    fdes = b"".join(struct.pack("<IIQQ", 28, len(cie) + 4 + 32 * i, BASE + CODE + 16 * i, 16) + bytes(8) for i in range(count))
    elf.add(".eh_frame", PROGBITS, cie + fdes + bytes(4), 2, 0)
    return 16 * count


def packed(elf, size):
    text = lzma.compress(b"\x7fELF" + os.urandom(size // 30) + bytes(size - size // 30))
    elf.add(".gnu_debugdata", PROGBITS, text)
    return 4096


elf = Elf()
elf.write(sys.argv[3], {"symbols": symbols, "debug": debug, "frames": frames, "strings": strings,
                        "entries": entries, "packed": packed}[sys.argv[1]](
    elf, int(sys.argv[2])))
