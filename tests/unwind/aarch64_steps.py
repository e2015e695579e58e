#!/usr/bin/env python3
"""Are the frames that flamefold puts into chains of aarch64 really there?

usage: aarch64_steps.py [--at-least=N] [--most-lacking=SHARE] [--show=N] PROGRAM [ARGUMENT]...

PROGRAM is linked statically. It runs under qemu, one instruction after another from the first one of main() to its
return, and the calls and returns among them say what the stack is. Each stop becomes a sample with the chain that the
kernel would have recorded: the program counter, then the links that the frame pointer leads to. See repairs.py for when a
frame that flamefold infers in it is right. A stack lacks something where a frame of the program is still not there.

Prints how many are what; exit status 1 where a frame is wrong, fewer than N were inferred, or more stacks lack
something than SHARE says.

Variables: FLAMEFOLD (build/flamefold)
"""
import argparse
import collections
import os
import socket
import struct
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True
import repairs  # noqa: E402

BUILD = os.path.join(HERE, '../perfdata/build')
FP, LINK, SP, PC = 29, 30, 31, 32
WORD, ADDRESS = 8, (1 << 48) - 1
CHAIN_MOST = 127
STEPS_MOST = 200000


class Stub:
    """gdb's remote protocol, as far as qemu is asked for anything here."""

    def __init__(self, path):
        for _ in range(500):
            try:
                self.socket = socket.socket(socket.AF_UNIX)
                self.socket.connect(path)
                break
            except OSError:
                time.sleep(0.02)
        self.buffer = b''

    def ask(self, command):
        packet = command.encode()
        self.socket.sendall(b'$%s#%02x' % (packet, sum(packet) & 255))
        return self.answer()

    def answer(self):
        while True:
            start = self.buffer.find(b'$')
            end = self.buffer.find(b'#', start)
            if start >= 0 and 0 <= end <= len(self.buffer) - 3:
                break
            more = self.socket.recv(65536)
            if not more:
                sys.exit('qemu has gone')
            self.buffer += more
        text = self.buffer[start + 1:end].decode()
        self.buffer = self.buffer[end + 3:]
        self.socket.sendall(b'+')
        return text

    def registers(self):
        return struct.unpack_from('<33Q', bytes.fromhex(self.ask('g')))

    def memory(self, address, size):
        text = self.ask('m%x,%x' % (address, size))
        return b'' if text.startswith('E') else bytes.fromhex(text)


def read_program(path):
    """(address of main, [(start, length, offset)] of code)"""
    with open(path, 'rb') as file:
        data = file.read()
    at, = struct.unpack_from('<Q', data, 32)
    stride, count = struct.unpack_from('<2H', data, 54)
    code = []
    for header in range(at, at + stride * count, stride):
        kind, flags, offset, address, _, size = struct.unpack_from('<2I4Q', data, header)
        if kind == 1 and flags & 1:
            code.append((address, size, offset))
    symbols = subprocess.run(['nm', path], stdout=subprocess.PIPE, check=True).stdout.decode()
    main, = [int(line.split()[0], 16) for line in symbols.splitlines() if line.endswith(' T main')]
    return main, code


def chain_of(stub, registers):
    """As the kernel follows frame records: aligned ones, each above the last; it takes signatures off."""
    chain, fp, least = [registers[PC]], registers[FP], registers[SP]
    while len(chain) < CHAIN_MOST and fp % WORD == 0 and fp >= least:
        record = stub.memory(fp, 2 * WORD)
        if len(record) < 2 * WORD:
            break
        least = fp + 2 * WORD
        fp, link = struct.unpack('<2Q', record)
        chain.append(link & ADDRESS)
    return tuple(chain)


def run(stub, main):
    """[(chain, stack)] of all stops that differ"""
    stub.ask('Z0,%x,4' % main)
    stub.ask('c')
    stub.ask('z0,%x,4' % main)
    words, seen, returns = {}, {}, []
    registers = stub.registers()
    end = registers[LINK] & ADDRESS
    for _ in range(STEPS_MOST):
        pc = registers[PC]
        if pc == end and not returns:
            return list(seen)
        seen[chain_of(stub, registers), (pc, *reversed(returns), end)] = True
        if pc not in words:
            words[pc], = struct.unpack('<I', stub.memory(pc, 4))
        word = words[pc]
        stub.ask('s')
        registers = stub.registers()
        if word >> 26 == 0x25 or word & 0xfefff000 == 0xd63f0000:  # bl, blr
            returns.append(pc + 4)
        elif word & 0xfffff000 == 0xd65f0000:  # ret
            if returns and returns.pop() != registers[PC]:
                sys.exit('a return to %#x that nobody called' % registers[PC])
    sys.exit('main() does not return')


def write_samples(path, program, code, chains):
    """A recording whose samples have numbers for threads' names."""
    name = os.path.abspath(program)
    lines = ['attr name=cycles sample_type=IP,TID,TIME,PERIOD,CALLCHAIN flags=sample_id_all,comm_exec',
             'feature arch=aarch64', 'comm pid=1 name=arm exec time=1']
    lines += ['mmap2 pid=1 start=%#x len=%#x off=%#x name="%s" prot=5 flags=2 time=2' % (*part, name) for part in code]
    for number, chain in enumerate(chains):
        lines.append('comm pid=1 name=%d time=%d' % (number, 3 + 2 * number))
        lines.append('sample pid=1 mode=user time=%d period=1 ip=%#x chain=U,%s' % (
            4 + 2 * number, chain[0], ','.join('%#x' % address for address in chain)))
    subprocess.run([BUILD, '-o', path, '-'], input='\n'.join(lines).encode() + b'\n', check=True)


def read_stacks(path, *options):
    """{number: frames, leaf first}"""
    command = [repairs.FLAMEFOLD, 'fold', '--quiet', '--all', '--no-inline', *options, path]
    text = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.decode()
    stacks = {}
    for line in text.splitlines():
        names = line.rsplit(' ', 1)[0].split(';')
        stacks[int(names[0])] = names[:0:-1]
    return stacks


def trace(program, arguments, room):
    """[(chain, stack)], code"""
    main, code = read_program(program)
    path = os.path.join(room, 'stub')
    with subprocess.Popen(['qemu-aarch64', '-g', path, program, *arguments], env={}) as qemu:
        stub = Stub(path)
        stops = run(stub, main)
        stub.ask('D')
        qemu.kill()
    return stops, code


def lacks(repaired, walked):
    """Of the program's own frames; a mark says that it does, but not what."""
    names = [name for name in repaired if name not in repairs.MARKS]
    return names[:len(walked)] != walked


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--at-least', type=int, default=0)
    parser.add_argument('--most-lacking', type=float, default=1.0)
    parser.add_argument('--show', type=int, default=3)
    parser.add_argument('program')
    parser.add_argument('arguments', nargs='*')
    options = parser.parse_args()
    sums, shown = collections.Counter(), collections.Counter()
    with tempfile.TemporaryDirectory() as room:
        stops, code = trace(options.program, options.arguments, room)
        chains, truth = os.path.join(room, 'chains.data'), os.path.join(room, 'truth.data')
        write_samples(chains, options.program, code, [chain for chain, _ in stops])
        write_samples(truth, options.program, code, [stack for _, stack in stops])
        walked, plain, repaired = read_stacks(truth, '--no-infer'), read_stacks(chains, '--no-infer'), read_stacks(chains)
    for number, names in repaired.items():
        below = walked[number][:walked[number].index('main') + 1]
        count = repairs.judge(plain[number], names, walked[number])
        count['stops'] += 1
        count['lacked'] += lacks(plain[number], below)
        count['lacking'] += lacks(names, below)
        sums.update(count)
        for what in 'wrong', 'lacking':
            if count[what] and shown[what] < options.show:
                shown[what] += 1
                for kind, stack in zip((what, 'with repairs', 'chain'), (walked[number], names, plain[number])):
                    print(f'{kind:>12}: {";".join(stack[::-1])}')
    print(', '.join(f'{sums[what]} {what}' for what in ('stops', *repairs.REPAIRS, 'lacked', 'lacking')))
    sys.exit(1 if sums['wrong'] or sums['inferred'] < options.at_least or
             sums['lacking'] > options.most_lacking * sums['stops'] else 0)


if __name__ == '__main__':
    main()
