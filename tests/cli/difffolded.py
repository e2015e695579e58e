#!/usr/bin/env python3
"""What difffolded.pl prints of two files of folded text, by its documented rules, sorted.

    difffolded.py [-n] [-s] A B

A line is a stack, a blank and a number; numbers of one stack add up; one that a file lacks is 0.
-n multiplies those of A by the whole of B by that of A, and cuts what is behind the point; -s writes
0x... for addresses.
"""
import re
import sys

flags = [word for word in sys.argv[1:] if word.startswith("-")]
stacks, wholes = {}, [0.0, 0.0]
for side, path in enumerate(word for word in sys.argv[1:] if not word.startswith("-")):
    with open(path, encoding="utf-8", errors="surrogateescape") as lines:
        for line in lines:
            stack, number = re.fullmatch(r"(.*)\s+?(\d+(?:\.\d*)?)", line.rstrip("\n")).groups()
            if "-s" in flags:
                stack = re.sub(r"0x[0-9a-fA-F]+", "0x...", stack)
            stacks.setdefault(stack, [0.0, 0.0])[side] += float(number)
            wholes[side] += float(number)
for stack in sorted(stacks):
    one, other = stacks[stack]
    if "-n" in flags and wholes[0] != wholes[1]:
        one = int(one * wholes[1] / wholes[0])
    print(f"{stack} {one:.15g} {other:.15g}")
