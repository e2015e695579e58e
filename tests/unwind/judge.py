"""gdb as the judge: what it says the stack of a recorded sample is.

A sample with registers and a copy of the stack is made a core file; the files that were mapped
are given to gdb where they lay. It answers with addresses, inlined functions left out.
"""
import os
import shutil
import struct
import subprocess
import tempfile

import elf

# Registers of struct user_regs_struct (x86-64) as perf numbers them; None: perf has none.
# r15 r14 r13 r12 bp bx r11 r10 r9 r8 ax cx dx si di orig_ax ip cs flags sp ss fs_base gs_base
# ds es fs gs
CORE_REGISTERS = (23, 22, 21, 20, 6, 1, 19, 18, 17, 16, 0, 2, 3, 4, 5, None, 8, 10, 9, 7, 11,
                  None, None, 12, 13, 14, 15)
IP, SP = 8, 7

# Run by gdb: "pc kind" a frame, leaf first; then why it stopped.
SCRIPT = '''
import gdb
frame = gdb.newest_frame()
seen = 0
try:
    while frame is not None and seen < 2000:
        kind = frame.type()
        if kind not in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME):
            print('frame %x %s' % (frame.pc(), 'signal' if kind == gdb.SIGTRAMP_FRAME else 'normal'))
            seen += 1
        last, frame = frame, frame.older()
    print('reason ' + gdb.frame_stop_reason_string(last.unwind_stop_reason()))
except gdb.error as error:
    print('reason %s' % error)
'''


def core(registers, stack):
    """A core file of one thread."""
    general = b''.join(struct.pack('<Q', registers.get(number, 0)) for number in CORE_REGISTERS)
    status = (bytes(112) + general).ljust(336, b'\0')
    note = struct.pack('<3I', 5, len(status), 1) + b'CORE\0\0\0\0' + status
    at = 64 + 2 * 56
    header = b'\x7fELF\2\1\1'.ljust(16, b'\0') + struct.pack(
        '<HHIQQQIHHHHHH', 4, 62, 1, 0, 64, 0, 0, 64, 56, 2, 0, 0, 0)
    notes = struct.pack('<IIQQQQQQ', 4, 0, at, 0, 0, len(note), 0, 4)
    load = struct.pack('<IIQQQQQQ', 1, 6, at + len(note), registers[SP], 0, len(stack), len(stack), 1)
    return header + notes + load + note + stack


def own_vdso(path):
    """That of this process: the same for all processes of a kernel."""
    with open('/proc/self/maps') as maps, open('/proc/self/mem', 'rb') as memory:
        for line in maps:
            if line.rstrip().endswith('[vdso]'):
                low, high = (int(word, 16) for word in line.split()[0].split('-'))
                memory.seek(low)
                with open(path, 'wb') as file:
                    file.write(memory.read(high - low))
                return path
    return None


class Judge:
    def __init__(self, recording):
        self.recording, self.files, self.nice = recording, {}, {}
        self.room = tempfile.mkdtemp()

    def close(self):
        shutil.rmtree(self.room)

    def file(self, path):
        """(what to read instead of @path, its Elf) or None"""
        if path not in self.files:
            real = own_vdso(os.path.join(self.room, 'vdso')) if path == '[vdso]' else path
            try:
                self.files[path] = real, elf.Elf(real)
            except (OSError, ValueError, TypeError):
                self.files[path] = None
        return self.files[path]

    def where(self, maps, address):
        """(path, Elf, address in it) or None"""
        for low, high, offset, path in maps:
            if low <= address < high and self.file(path):
                image = self.file(path)[1]
                return path, image, image.vaddr(address - low + offset)
        return None

    def frames(self, number):
        """([(address to look up, set of names, module, has rows)], why gdb stopped), root first"""
        pid, time, registers, stack = self.recording.sample(number)
        maps = self.recording.maps(pid, time)
        place = os.path.join(self.room, 'core')
        with open(place, 'wb') as file:
            file.write(core(registers, stack))
        commands = ['set confirm off', 'set pagination off', 'set auto-solib-add off',
                    'set debuginfod enabled off', 'set backtrace past-main on',
                    'set backtrace past-entry on', 'set backtrace limit 2000', 'core-file ' + place]
        given = set()
        for low, _, offset, path in maps:
            if self.file(path):
                real, image = self.file(path)
                bias = low - image.vaddr(offset)
                if (path, bias) not in given:
                    given.add((path, bias))
                    commands.append('add-symbol-file "%s" -o %#x' % (real, bias & 2 ** 64 - 1))
        script = os.path.join(self.room, 'script.py')
        with open(script, 'w') as file:
            file.write(SCRIPT)
        commands.append('source ' + script)
        listed = os.path.join(self.room, 'commands')
        with open(listed, 'w') as file:
            file.write('\n'.join(commands))
        done = subprocess.run(['gdb', '-nx', '-batch', '-x', listed], text=True, errors='replace',
                              timeout=120, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return self.read_answer(done.stdout, maps)

    def read_answer(self, text, maps):
        frames, reason, interrupted = [], 'no answer: ' + text.strip()[-300:], True
        for line in text.splitlines():
            words = line.split(None, 2)
            if words[:1] == ['frame'] and len(words) == 3:
                signal = words[2] == 'signal'
                address = int(words[1], 16) - (not interrupted and not signal)
                interrupted = signal
                frames.append(self.named(maps, address))
            elif words[:1] == ['reason']:
                reason = line.split(None, 1)[1]
        return frames[::-1], reason

    def named(self, maps, address):
        found = self.where(maps, address)
        if not found:
            return address, set(), None, False
        path, image, vaddr = found
        names = image.names(vaddr)
        self.nice.update(elf.demangled(names - self.nice.keys()) if names - self.nice.keys() else {})
        names = {self.nice[name] for name in names}
        return address, names, os.path.basename(path), image.has_rows(vaddr)
