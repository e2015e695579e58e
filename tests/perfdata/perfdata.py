"""What the tools of this directory share: zstd, and reading a little-endian perf.data."""
import ctypes
import ctypes.util
import struct

SAMPLE, AUXTRACE, TRACING_DATA = 9, 71, 66
COMPRESSED, COMPRESSED2, HEADER_ATTR, HEADER_FEATURE = 81, 83, 64, 80
TRACING_DATA_FEATURE, BUILD_ID_FEATURE, EVENT_DESC_FEATURE, DIR_FORMAT = 1, 2, 12, 24

# Bits of sample_type, in the order of the fields of a sample as far as READ.
IP, TID, TIME, ADDR, READ, CALLCHAIN, ID, CPU = (1 << i for i in range(8))
PERIOD, STREAM_ID, RAW, BRANCH_STACK, REGS_USER, STACK_USER = (1 << i for i in range(8, 14))
WEIGHT, DATA_SRC, IDENTIFIER, TRANSACTION, REGS_INTR = (1 << i for i in range(14, 19))
PHYS_ADDR, AUX, CGROUP, DATA_PAGE_SIZE, CODE_PAGE_SIZE, WEIGHT_STRUCT = (
    1 << i for i in range(19, 25))
FIXED = (IDENTIFIER, IP, TID, TIME, ADDR, ID, STREAM_ID, CPU, PERIOD)
TRAILER = (TID, TIME, ID, STREAM_ID, CPU, IDENTIFIER)
SAMPLE_ID_ALL = 1 << 18


class Zstd:
    """One stream, packed or unpacked piece by piece; flamefold needs libzstd anyway."""

    class Buffer(ctypes.Structure):
        _fields_ = [('bytes', ctypes.c_void_p), ('size', ctypes.c_size_t),
                    ('at', ctypes.c_size_t)]

    def __init__(self):
        self.lib = ctypes.CDLL(ctypes.util.find_library('zstd') or 'libzstd.so.1')
        for name in ('ZSTD_createCCtx', 'ZSTD_createDCtx'):
            getattr(self.lib, name).restype = ctypes.c_void_p
        for name in ('ZSTD_compressStream2', 'ZSTD_decompressStream'):
            getattr(self.lib, name).restype = ctypes.c_size_t
        self.packer = ctypes.c_void_p(self.lib.ZSTD_createCCtx())
        self.unpacker = ctypes.c_void_p(self.lib.ZSTD_createDCtx())

    def run(self, step, data):
        room = ctypes.create_string_buffer(1 << 17)
        kept = ctypes.create_string_buffer(data, len(data))
        given = self.Buffer(ctypes.addressof(kept), len(data), 0)
        out = b''
        while True:
            got = self.Buffer(ctypes.addressof(room), len(room), 0)
            left = step(ctypes.byref(got), ctypes.byref(given))
            if self.lib.ZSTD_isError(ctypes.c_size_t(left)):
                raise ValueError('zstd says no')
            out += room.raw[:got.at]
            if given.at == given.size and got.at < got.size:
                return out

    def pack(self, data, end=False):
        """All of @data so far can be unpacked from what is returned so far."""
        mode = ctypes.c_int(2 if end else 1)
        return self.run(lambda out, given: self.lib.ZSTD_compressStream2(
            self.packer, out, given, mode), data)

    def unpack(self, data):
        return self.run(lambda out, given: self.lib.ZSTD_decompressStream(
            self.unpacker, out, given), data)


class Attr:
    """A perf_event_attr and the ids of its samples."""

    def __init__(self, data, ids):
        self.bytes, self.ids = data, ids
        known = data.ljust(104, b'\0')
        self.sample_type, self.read_format, self.flags = struct.unpack_from('<3Q', known, 24)
        self.branch, self.regs_user = struct.unpack_from('<2Q', known, 72)
        self.regs_intr, = struct.unpack_from('<Q', known, 96)

    def place(self, field):
        """Of a field in a sample that lies before READ; None where there is none."""
        if not self.sample_type & field:
            return None
        return 8 + 8 * sum(bool(self.sample_type & other) for other in FIXED[:FIXED.index(field)])

    def trailer_place(self, field):
        """The same back from the end of another record."""
        if not self.sample_type & field or not self.flags & SAMPLE_ID_ALL:
            return None
        return 8 * sum(bool(self.sample_type & other) for other in TRAILER[TRAILER.index(field):])

    def trailer_size(self):
        if not self.flags & SAMPLE_ID_ALL:
            return 0
        return 8 * sum(bool(self.sample_type & field) for field in TRAILER)


def head(data, at=0):
    return struct.unpack_from('<IHH', data, at)


def outer_records(data, at, end, pipe):
    """Each record with what lies behind it."""
    while at + 8 <= end:
        kind, _, size = head(data, at)
        behind = 0
        if size < 8 or at + size > end:
            return
        if kind == AUXTRACE:
            behind, = struct.unpack_from('<Q', data, at + 8)
        elif kind == TRACING_DATA and pipe:
            behind, = struct.unpack_from('<I', data, at + 8)
        yield data[at:at + size], data[at + size:at + size + behind]
        at += size + behind


def records(data, at, end, pipe=False):
    """The same with what compressed records hold in their place."""
    zstd, unpacked = Zstd(), b''
    for record, behind in outer_records(data, at, end, pipe):
        kind = head(record)[0]
        if kind not in (COMPRESSED, COMPRESSED2):
            yield record, behind
            continue
        if kind == COMPRESSED:
            unpacked += zstd.unpack(record[8:])
        else:
            size, = struct.unpack_from('<Q', record, 8)
            unpacked += zstd.unpack(record[16:16 + size])
        whole = 0
        while whole + 8 <= len(unpacked) and whole + head(unpacked, whole)[2] <= len(unpacked):
            size = head(unpacked, whole)[2]
            yield unpacked[whole:whole + size], b''
            whole += size
        unpacked = unpacked[whole:]


class Recording:
    """A little-endian file of version 2 (or 1: its names of events go along)."""

    def __init__(self, data):
        self.magic = data[:8]
        if self.magic not in (b'PERFILE2', b'PERFFILE'):
            raise ValueError('no little-endian perf.data')
        fields = struct.unpack_from('<12Q', data.ljust(104, b'\0'), 8)
        self.size, stride = fields[0], fields[1]
        if self.size == 16:
            raise ValueError('pipe format')
        self.attrs, self.features = [], []
        for at in range(fields[2], fields[2] + fields[3], stride):
            offset, size = struct.unpack_from('<2Q', data, at + stride - 16)
            ids = struct.unpack_from('<%dQ' % (size // 8), data, offset)
            self.attrs.append(Attr(data[at:at + stride - 16], ids))
        self.types = data[fields[6]:fields[6] + fields[7]]
        end = min(fields[4] + fields[5], len(data)) if fields[5] else len(data)
        self.records = list(records(data, fields[4], end))
        if self.size == 104 and fields[5]:
            self.read_features(data, end, fields[8:12])

    def read_features(self, data, at, bits):
        for bit in range(256):
            if bits[bit // 64] >> bit % 64 & 1 and at + 16 <= len(data):
                offset, size = struct.unpack_from('<2Q', data, at)
                self.features.append((bit, data[offset:offset + size]))
                at += 16

    def attr_of(self, record):
        """As perf does it: by IDENTIFIER, else by ID."""
        sample = head(record)[0] == SAMPLE
        for field in (IDENTIFIER, ID):
            if len(self.attrs) == 1 or not all(attr.sample_type & field for attr in self.attrs):
                continue
            place = self.attrs[0].place(field) if sample else self.attrs[0].trailer_place(field)
            if place is None or place + 8 > len(record):
                break
            ident, = struct.unpack_from('<Q', record, place if sample else len(record) - place)
            for attr in self.attrs:
                if ident in attr.ids:
                    return attr
            break
        return self.attrs[0] if self.attrs else None
