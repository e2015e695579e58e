"""As much of ELF as it takes to say which symbols cover an address of a mapped file."""
import bisect
import os
import struct
import subprocess

LOAD, EH_FRAME, SYMTAB, DYNSYM, NOTE = 1, 0x6474e550, 2, 11, 7


class Elf:
    def __init__(self, path, debug=True):
        with open(path, 'rb') as file:
            self.data = file.read()
        if self.data[:5] not in (b'\x7fELF\x02', b'\x7fELF\x01'):
            raise ValueError('%s: no ELF' % path)
        self.wide = self.data[4] == 2
        self.segments, self.sections, self.symbols, self.build_id = [], [], [], ''
        self.functions, self.descriptions = [], []
        self.read_headers()
        for section in self.sections:
            if section[1] == NOTE:
                self.read_note(section)
            elif section[1] in (SYMTAB, DYNSYM):
                self.read_symbols(section)
        if debug:
            self.read_debug_file()
        self.symbols.sort()
        self.starts = [symbol[0] for symbol in self.symbols]

    def read_headers(self):
        phoff, shoff = struct.unpack_from('<2Q' if self.wide else '<2I', self.data,
                                          32 if self.wide else 28)
        phsize, phnum, shsize, shnum, _ = struct.unpack_from('<5H', self.data, 54 if self.wide else 42)
        for at in range(phoff, phoff + phsize * phnum, phsize):
            if self.wide:
                kind, flags, offset, vaddr, _, filesz, memsz = struct.unpack_from('<2I5Q', self.data, at)
            else:
                kind, offset, vaddr, _, filesz, memsz, flags = struct.unpack_from('<7I', self.data, at)
            if kind == LOAD:
                self.segments.append((offset, vaddr, filesz, flags))
            elif kind == EH_FRAME and self.data[offset:offset + 4] == b'\1\x1b\3\x3b':
                count, = struct.unpack_from('<I', self.data, offset + 8)
                table = struct.unpack_from('<%di' % (2 * count), self.data, offset + 12)
                self.functions = [vaddr + start for start in table[::2]]
                self.descriptions = [vaddr + place for place in table[1::2]]
        for at in range(shoff, shoff + shsize * shnum, shsize):
            if self.wide:
                name, kind, _, address, offset, size, link = struct.unpack_from('<2I4QI', self.data, at)
            else:
                name, kind, _, address, offset, size, link = struct.unpack_from('<7I', self.data, at)
            self.sections.append((name, kind, address, offset, size, link))

    def read_note(self, section):
        _, _, _, at, size, _ = section
        end = at + size
        while at + 12 <= end:
            namesz, descsz, kind = struct.unpack_from('<3I', self.data, at)
            body = at + 12 + (namesz + 3 & ~3)
            if kind == 3 and self.data[at + 12:at + 15] == b'GNU':
                self.build_id = self.data[body:body + descsz].hex()
            at = body + (descsz + 3 & ~3)

    def read_symbols(self, section):
        _, _, _, offset, size, link = section
        names = self.sections[link][3]
        for at in range(offset, offset + size, 24 if self.wide else 16):
            if self.wide:
                name, info, _, shndx, value, length = struct.unpack_from('<IBBHQQ', self.data, at)
            else:
                name, value, length, info, _, shndx = struct.unpack_from('<3IBBH', self.data, at)
            if name and 0 < shndx < 0xfff1 and info & 15 in (0, 1, 2, 10):
                begin = names + name
                text = self.data[begin:self.data.index(b'\0', begin)].decode(errors='replace')
                self.symbols.append((value, length, text))

    def read_debug_file(self):
        path = '/usr/lib/debug/.build-id/%s/%s.debug' % (self.build_id[:2], self.build_id[2:])
        if self.build_id and os.path.exists(path):
            self.symbols += Elf(path, False).symbols

    def vaddr(self, offset):
        """The address of a file offset, by the executable segment it lies in."""
        for want in 1, 0:
            for at, vaddr, size, flags in self.segments:
                if at & -4096 <= offset < at + size and flags & 1 >= want:
                    return offset - at + vaddr
        return offset

    def has_rows(self, vaddr):
        """Whether .eh_frame_hdr leads to call frame information of an address; without one: maybe."""
        at = bisect.bisect_right(self.functions, vaddr) - 1
        if at < 0:
            return not self.functions
        place = next(self.descriptions[at] - start + offset
                     for offset, start, size, _ in self.segments
                     if start <= self.descriptions[at] < start + size)
        size, = struct.unpack_from('<I', self.data, place + 12)
        return vaddr < self.functions[at] + size

    def near(self, vaddr):
        at = bisect.bisect_right(self.starts, vaddr)
        return self.symbols[max(at - 400, 0):at]

    def covering(self, vaddr):
        """Names of all symbols that cover an address."""
        return {name for value, length, name in self.near(vaddr) if vaddr < value + length}

    def names(self, vaddr):
        """The same, and of those without a size that begin with one of them; where there is none, of
        those without a size before it."""
        covering = self.covering(vaddr)
        starts = {value for value, _, name in self.near(vaddr) if name in covering}
        covering |= {name for value, length, name in self.near(vaddr) if not length and value in starts}
        if covering or not any(start <= vaddr < start + size for _, start, size, _ in self.segments):
            return covering
        near = [symbol for symbol in self.near(vaddr) if not symbol[1]]
        return {name for value, _, name in near if value == near[-1][0]}


def demangled(names):
    """{name: as perf shows it}"""
    names = list(names)
    done = subprocess.run(['c++filt', '-p', '-i'], input='\n'.join(names), text=True,
                          stdout=subprocess.PIPE, check=True)
    return dict(zip(names, done.stdout.split('\n')))
