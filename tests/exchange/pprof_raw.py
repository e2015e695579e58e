#!/usr/bin/env python3
"""What go tool pprof -raw has printed, without its numbers of locations: a line of values, stack and labels
for each sample, sorted. Samples that are the same but for their values are one, as pprof has it."""
import re
import sys

text = sys.stdin.read()
samples, rest = text.split("Samples:\n")[1].split("Locations\n")
locations, number = {}, None
for line in rest.split("Mappings\n")[0].splitlines():
    begin = re.match(r"\s*(\d+): 0x\S+ (?:M=\d+ )?(.*)", line)
    if begin:
        number, line = begin[1], begin[2]
        locations[number] = []
    name = re.match(r"\s*(.*?) (\S*):\d+(?::\d+)? s=(\d+)(?:\(.*\))?$", line)
    locations[number].append(f"{name[1]}@{name[2]}+{name[3]}" if name else line.strip() or "?")
types, *lines = samples.splitlines()
found, stack, labels, values = {}, None, "", None


def keep():
    if stack is None:
        return
    key = (stack, labels)
    before = found.get(key, [0] * len(values))
    found[key] = [a + b for a, b in zip(before, values)]


for line in lines:
    sample = re.match(r"\s*((?:-?\d+\s+)*-?\d+): ?([\d ]*)$", line)
    if sample:
        keep()
        values = [int(v) for v in sample[1].split()]
        stack = ";".join("<".join(locations[n]) for n in sample[2].split())
        labels = ""
    else:
        labels += " ".join(sorted(line.split())) + " "
keep()
print(types)
for (stack, labels), values in sorted(found.items()):
    print(*values, stack, labels.strip(), sep="\t")
