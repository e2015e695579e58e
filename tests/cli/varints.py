"""Numbers as flamefold's files have them: seven bits a byte, the low ones first; a byte above 127 has more behind it."""


def encoded(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


class Reader:
    """What comes next in data, and where that is."""

    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def number(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def left(self):
        return len(self.data) - self.at
