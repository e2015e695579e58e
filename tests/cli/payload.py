"""The payload in a picture, as Documentation/svg-format.md has it: bytes as base91, and those that a picture has.

    payload.py <PICTURE     the payload, unpacked"""
import re
import sys
import zlib

DIGITS = "".join(chr(c) for c in range(0x21, 0x7F) if chr(c) not in "&<>")
VALUES = {digit: value for value, digit in enumerate(DIGITS)}
BYTES, TEXT = 1300, 1600  # at a time: what is longer would be shifted as one number, again and again


def encoded(data):
    text = []
    for at in range(0, len(data), BYTES):
        part = data[at:at + BYTES]
        bits = int.from_bytes(part, "little")
        for left in range(8 * len(part), 0, -13):
            second, first = divmod(bits & 8191, 91)
            text.append(DIGITS[first] + (DIGITS[second] if left > 6 else ""))
            bits >>= 13
    return "".join(text)


def decoded(text):
    text, data = "".join(text.split()), b""
    for at in range(0, len(text), TEXT):
        part, bits = text[at:at + TEXT], 0
        for k in range(0, len(part), 2):
            first, *second = [VALUES[c] for c in part[k:k + 2]]
            bits |= first + 91 * sum(second) << k // 2 * 13
        data += bits.to_bytes(2 * TEXT, "little")[:13 * len(part) // 16]
    return data


def found(picture):
    """Of the text of a picture the match of its element, with the header and what is in it, and the payload."""
    match = re.search('<metadata id="flamefold-data"([^>]*)>(.*?)</metadata>', picture, re.S)
    data = decoded(re.sub("<[^>]*>", "", match[2]))
    return match, zlib.decompress(data) if 'data-packing="zlib"' in match[1] else data


if __name__ == "__main__":
    sys.stdout.buffer.write(found(sys.stdin.read())[1])
