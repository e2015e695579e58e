"""Take a file's section headers away, as packers do: nosections.py FILE."""
import struct
import sys

with open(sys.argv[1], "r+b") as file:
    file.seek(0x28)
    file.write(struct.pack("<Q", 0))
    file.seek(0x3a)
    file.write(struct.pack("<HHH", 0, 0, 0))
