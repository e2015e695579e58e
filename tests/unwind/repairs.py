#!/usr/bin/env python3
"""Are the frames that flamefold puts into chains of frame pointers really there?

usage: repairs.py [--at-least=N] [--show=N] FILE...

Each FILE is a recording of `perf record --call-graph dwarf`, x86-64. Its copies of the stack are made what the
kernel would have recorded by frame pointers. A frame that flamefold infers in such a chain is right where the walk
through the copy has it in the same place: between the same two frames of the chain. A mark [skipped] is right where
the walk has another frame there. Prints how many are, of how many, and up to N samples of the others; exit status 1
where one is not, or fewer than N were inferred.

Variables: FLAMEFOLD (build/flamefold)
"""
import argparse
import collections
import os
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import recording  # noqa: E402
from perfdata import CALLCHAIN, FIXED, RAW, REGS_USER, STACK_USER, head  # noqa: E402

FLAMEFOLD = os.environ.get("FLAMEFOLD") or os.path.join(HERE, "../../build/flamefold")
CHAIN_USER, CHAIN_MOST = (1 << 64) - 512, 127
FP, SP, PC = 6, 7, 8  # perf's numbers of the registers
USER = 2  # PERF_RECORD_MISC_USER
MARKS = "[truncated]", "[skipped]"
SIZES_AT, REGISTERS_AT, STACK_AT = 24, 80, 88  # in struct perf_event_attr: sample_type and the two
REPAIRS = "inferred", "right", "wrong", "not known"


def chain_of(registers, stack):
    """As the kernel records it: the leaf, then what the records of frame pointers say, as far as they were copied."""
    chain, at, fp = [CHAIN_USER, registers[PC]], registers[SP], registers[FP]
    while len(chain) < CHAIN_MOST and fp % 8 == 0 and 0 <= fp - at <= len(stack) - 16:
        fp, address = struct.unpack_from("<2Q", stack, fp - at)
        if address >> 47:
            break
        chain.append(address)
    return chain


def make_chains(of, path):
    """The same recording with chains instead of registers and copies. What these took is raw data, of no meaning."""
    rec = recording.Recording(of)
    kinds, data = rec.attr.sample_type, rec.data
    fixed = 8 + 8 * sum(bool(kinds & field) for field in FIXED)
    for number, at in enumerate(rec.samples):
        _, misc, size = head(data, at)
        _, _, registers, stack = rec.sample(number)
        chain = chain_of(registers, stack) if misc & 7 == USER and PC in registers else []
        body = struct.pack(f"<Q{len(chain)}Q", len(chain), *chain)
        rest = size - fixed - len(body) - 4
        data[at + fixed:at + size] = body + struct.pack("<I", rest) + bytes(rest)
    _, stride, first, length = struct.unpack_from("<4Q", data, 8)
    for at in range(first, first + length, stride):
        struct.pack_into("<Q", data, at + SIZES_AT, (kinds | CALLCHAIN | RAW) & ~(REGS_USER | STACK_USER))
        struct.pack_into("<Q", data, at + REGISTERS_AT, 0)
        struct.pack_into("<I", data, at + STACK_AT, 0)
    with open(path, "wb") as file:
        file.write(data)


def read_stacks(path, *options):
    """{number: the user's frames, leaf first} of a numbered recording"""
    command = [FLAMEFOLD, "fold", "--quiet", "--all", "--tid", "--no-inline", *options, path]
    text = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.decode(errors="replace")
    stacks = {}
    for line in text.splitlines():
        names = line.rsplit(" ", 1)[0].split(";")
        stacks[int(names[0].rsplit("/", 1)[1])] = [name for name in names[:0:-1] if not name.endswith("_[k]")]
    return stacks


def same(name, other):
    """Compilers put a part of some functions elsewhere."""
    return name.removesuffix(".cold") == other.removesuffix(".cold")


def find(names, name, first):
    """Where it is from there on; len(names): nowhere."""
    return next((i for i in range(first, len(names)) if same(names[i], name)), len(names))


def put_in(plain, repaired):
    """[(frame, was it put in)], or None where more differs."""
    marked, used = [], 0
    for name in repaired:
        there = used < len(plain) and name == plain[used]
        used += there
        marked.append((name, not there))
    return marked if used == len(plain) else None


def judge(plain, repaired, walked):
    """{repair: how many} of one sample's stacks"""
    count = collections.Counter()
    whole = "[truncated]" not in walked
    walked = [name for name in walked if name not in MARKS]
    marked = put_in(*([name for name in names if name != "[truncated]"] for names in (plain, repaired)))
    at = 0
    for i, (name, new) in enumerate(marked or []):
        if not new:
            at = find(walked, name, at) + 1
            if at > len(walked):  # the chain itself is not what the walk has
                break
            continue
        count["inferred"] += 1
        # The next frame that the chain has; behind a mark, the one that was put in.
        until = next((n for n, later in marked[i + 1:] if not later or name in MARKS), None)
        end = find(walked, until, at) if until else len(walked)
        place = end if name in MARKS else find(walked[:end], name, at)
        found = place > at if name in MARKS else place < end
        count["right" if found else "wrong" if whole or end < len(walked) else "not known"] += 1
        at = at if name in MARKS or not found else place + 1
    if marked is None:
        count["wrong"] += 1
    return count


def judge_file(path):
    """({repair: how many}, [(plain, repaired, walked)] of samples where one is wrong)"""
    sums, wrong = collections.Counter(), []
    with tempfile.TemporaryDirectory() as room:
        copies, chains = (os.path.join(room, name) for name in ("copies.data", "chains.data"))
        recording.Recording(path).number_samples(copies)
        make_chains(copies, chains)
        walked, plain, repaired = read_stacks(copies), read_stacks(chains, "--no-infer"), read_stacks(chains)
    for number, names in repaired.items():
        if names == plain[number]:
            continue
        count = judge(plain[number], names, walked[number])
        sums.update(count)
        if count["wrong"]:
            wrong.append((plain[number], names, walked[number]))
    return sums, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--at-least", type=int, default=0)
    parser.add_argument("--show", type=int, default=3)
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    sums, shown = collections.Counter(), 0
    for path in options.files:
        count, wrong = judge_file(path)
        sums.update(count)
        for stacks in wrong[:options.show - shown]:
            shown += 1
            for what, names in zip(("chain", "with repairs", "walked"), stacks):
                print(f"{what:>12}: {';'.join(names[::-1])}")
    print(", ".join(f"{sums[repair]} {repair}" for repair in REPAIRS))
    sys.exit(1 if sums["wrong"] or sums["inferred"] < options.at_least else 0)


if __name__ == "__main__":
    main()
