#!/usr/bin/env python3
"""What aarch64.c says -> the description of a recording (tests/perfdata/README.md), one sample a stop.

usage: aarch64.py [--copy=BYTES,...] [--chain=WHAT] [--check=WHAT] TEXT

--copy   so much of the stack, as --call-graph dwarf,BYTES would have it; all by default. A sample
         for each
--chain  a chain of frame pointers as the kernel makes it; link: and of the registers only the link, as
         perf record --call-graph fp has it; all: all registers and the stack
--check  no description, but fails unless some return address in the link register or on the stack is
         signed, has bits that no address has; or, unsigned, if one is
"""
import argparse
import struct
import sys

WORD, FP, LINK, SP, PC = 8, 29, 30, 31, 32
ADDRESS = (1 << 48) - 1
PAGE = 4096
ROOM = 61440  # more than there is of a stack: the copy is not cut


def read(path):
    """[(start, length, offset, name)] of code, [(registers, stack)]"""
    maps, dumps, registers = [], [], []
    with open(path, encoding='ascii') as file:
        for line in file:
            kind, _, rest = line.rstrip('\n').partition(' ')
            if kind == 'map':
                words = rest.split(None, 5)
                start, end = (int(word, 16) for word in words[0].split('-'))
                if 'x' in words[1]:
                    if len(words) > 5:
                        maps.append((start, end - start, int(words[2], 16), words[5]))
                    else:
                        # What qemu has in place of the kernel's code. It begins with the trampoline
                        # of signals, which that never does.
                        maps.append((start - PAGE, end - start + PAGE, 0, '[vdso]'))
            elif kind == 'registers':
                registers = [int(word, 0) for word in rest.split()]
            elif kind == 'stack':
                dumps.append((registers, bytes.fromhex(rest)))
    if not dumps:
        sys.exit('%s: no dump' % path)
    return maps, dumps


def is_code(maps, address):
    return any(start <= address < start + length for start, length, _, _ in maps)


def chain_of(registers, stack):
    """As the kernel follows frame records: aligned ones, each above the last."""
    chain, fp, least = [registers[PC]], registers[FP], registers[SP]
    while fp >= least and fp % 16 == 0 and fp - registers[SP] <= len(stack) - 2 * WORD:
        least = fp + 2 * WORD
        fp, link = struct.unpack_from('<2Q', stack, fp - registers[SP])
        if not link & ADDRESS:
            break
        chain.append(link & ADDRESS)
    return chain


def is_signed(maps, registers, stack):
    words = struct.unpack('<%dQ' % (len(stack) // WORD), stack[:len(stack) // WORD * WORD])
    return any(word > ADDRESS and is_code(maps, word & ADDRESS) for word in words + (registers[LINK],))


def describe(options, maps, dumps):
    if options.chain == 'link':
        fields, attr = 'CALLCHAIN,REGS_USER', 'regs_user=%#x' % (1 << LINK)
    else:
        fields = 'REGS_USER,STACK_USER' if not options.chain else 'CALLCHAIN,REGS_USER,STACK_USER'
        attr = 'regs_user=%#x stack_user=%d' % ((1 << PC + 1) - 1, max(options.copy))
    yield 'attr name=cycles sample_type=IP,TID,TIME,PERIOD,%s %s flags=sample_id_all,comm_exec' % (
        fields, attr)
    yield 'feature arch=aarch64'
    yield 'comm pid=1 name=arm exec time=1'
    for start, length, offset, name in maps:
        yield 'mmap2 pid=1 start=%#x len=%#x off=%#x name="%s" prot=5 flags=2 time=2' % (
            start, length, offset, name)
    for number, (registers, stack) in enumerate(dumps):
        line = 'sample pid=1 mode=user time=%d period=1 ip=%#x' % (3 + number, registers[PC])
        if options.chain:
            line += ' chain=U,' + ','.join('%#x' % ip for ip in chain_of(registers, stack))
        if options.chain == 'link':
            yield line + ' regs=2:%#x' % registers[LINK]
            continue
        line += ' regs=2:' + ','.join('%#x' % value for value in registers)
        for size in options.copy:
            copy = stack[:size]
            yield line + ' stack=%s stack_zeros=%d dyn=%d' % (copy.hex(), size - len(copy), len(copy))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--copy', type=lambda text: [int(size) for size in text.split(',')], default=[ROOM])
    parser.add_argument('--chain', choices=['link', 'all'])
    parser.add_argument('--check', choices=['signed', 'unsigned'])
    parser.add_argument('text')
    options = parser.parse_args()
    maps, dumps = read(options.text)
    if options.check:
        signed = any(is_signed(maps, *dump) for dump in dumps)
        sys.exit(signed != (options.check == 'signed'))
    for line in describe(options, maps, dumps):
        print(line)


main()
